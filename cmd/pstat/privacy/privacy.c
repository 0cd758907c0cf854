/* SPDX-License-Identifier: ISC */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "in.h"
#include "record/event.h"
#include "set.h"
#include "source/formats.h"


enum gone { KEPT, ALIKE, ANON };
static const struct { const char *name, *what, *option; enum gone gone; } rows[ROWS] = {
#define ROW(NAME, what, gone, option) [ROW_##NAME] = { #NAME, what, option, gone },
#include "rows.def"
#undef ROW
};
static const char *const gone_names[] = { "kept", "alike", "none" };

/* ---- counting ------------------------------------------------------------------------------------ */

bool
privacy_is_new(struct privacy *p, uint64_t tag, enum row row)
{
	uint64_t h = (tag ^ p->key) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i;

	h ^= h >> 29;
	h = (h * UINT64_C(0xbf58476d1ce4e5b9)) | 1;
	for (i = h >> 40 & (PRIVACY_VALUES - 1); p->value[i]; i = (i + 1) & (PRIVACY_VALUES - 1))
		if (p->value[i] == h)
			return false;
	if (p->nvalues == PRIVACY_VALUES / 4 * 3) {
		p->row[row].rough = true;
		return false;
	}
	p->value[i] = h;
	p->nvalues++;
	return true;
}

void
privacy_first(struct privacy *p, struct row_count *n, const struct pp_rec *r)
{
	n->at = !pp_made(p->in, r);
	n->off = pp_offset(p->in, r);
	n->record = p->record;
}

/* Keep the text to show it, if there is space. */
static void
privacy_keep(struct privacy *p, struct row_count *n, const char *s, size_t len)
{
	if (!p->names || n->nnames == PRIVACY_NAMES)
		return;
	if (len > PRIVACY_NAME - 1)
		len = PRIVACY_NAME - 1;
	for (unsigned i = 0; i < n->nnames; i++)
		if (!strncmp(n->name[i], s, len) && !n->name[i][len])
			return;
	memcpy(n->name[n->nnames], s, len);
	n->name[n->nnames++][len] = 0;
}

static uint64_t
privacy_hash(const struct privacy *p, const char *s, size_t len)
{
	uint64_t h = p->key;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)s[i]) * UINT64_C(0x100000001b3);
	return h;
}

void
privacy_text(struct privacy *p, enum row row, const struct pp_rec *r, const char *s, size_t len)
{
	if (r)				/* else it names a value that was counted */
		privacy_value(p, row, r, privacy_hash(p, s, len), len);
	privacy_keep(p, &p->row[row], s, len);
}

void
privacy_found(struct privacy *p, enum row row, const char *s, size_t len)
{
	struct row_count *n = &p->row[row];

	n->record = n->count++ ? n->record : p->record;
	n->bytes += len;
	n->distinct += privacy_is_new(p, privacy_tag(row, privacy_hash(p, s, len)), row);
	privacy_keep(p, n, s, len);
}

/* Of perf's own records a glance sees all, as check needs them; build-ids and counts of perf stat may be many. */
static bool
privacy_skips(const struct privacy *p, const struct pp_rec *r)
{
	return !p->value && r->type != PP_HEADER_FEATURE && r->type >= PP_USER_TYPE_START && r->type < COUNT_TYPES &&
	    p->c->type[r->type].records > LANE_FIRSTS;
}

/* Is the time of the record that of a clock on the wall? */
static void
privacy_clock(struct privacy *p, const struct pp_event *ev, const struct pp_rec *r)
{
	const struct pp_attr *a = &ev->attr;
	uint64_t time;

	if (a->flags >> PP_ATTR_USE_CLOCKID_BIT & 1 && (a->clockid == CLOCK_REALTIME || a->clockid == CLOCK_TAI) &&
	    pp_time(ev, r, p->in->swap, &time) > 0)
		privacy_value(p, ROW_WALL_CLOCK, r, time / 1000000000, sizeof time);
}

static int
privacy_record(void *arg, const struct pp_rec *r, bool sound)
{
	struct privacy *p = arg;
	const struct pp_event *ev = NULL;

	if (privacy_skips(p, r))
		return 0;
	if (sound && r->type < PP_USER_TYPE_START && p->in->events->n)
		ev = pp_event_find(p->in->events, r, NULL);
	if (ev)
		privacy_clock(p, ev, r);
	if (!sound)
		;			/* what is in it is not known */
	else if (r->type == PP_HEADER_FEATURE)
		privacy_feature(p, r);
	else
		privacy_fields(p, ev, r);
	p->record++;
	return 0;
}

/* ---- the handle ---------------------------------------------------------------------------------- */

static struct privacy *
privacy_make(struct pass *p)
{
	struct privacy *x = tool_alloc(1, sizeof *x);

	x->tool = p->t;
	x->c = p->c;
	x->choice = privacy_choice();
	x->seen[0] = 1;			/* which is elsewhere: a free element has 0, as if its tag were there */
	return x;
}

static void *
privacy_new(struct pass *p)
{
	struct privacy *x;

	if (!p->asked->privacy)
		return NULL;
	x = privacy_make(p);
	x->names = p->t->verbose && !p->asked->page;
	x->value = tool_alloc(PRIVACY_VALUES, sizeof *x->value);
	x->key = pp_seed();
	return x;
}

/* For the screen: the first records say enough. */
static void *
privacy_glance(struct pass *p)
{
	return pass_is_plain(p) ? privacy_make(p) : NULL;
}

static void
privacy_free(void *part)
{
	struct privacy *p = part;

	privacy_symbols_free(p);
	payload_layouts_free(p->payloads);
	free(p->value);
	free(p);
}

static void
privacy_begin(void *part, struct pass *pass)
{
	struct privacy *p = part;

	if (!(p->in = pass->t->in))
		return;
	if (pp_keep_formats(p->in) < 0)
		pp_fail_memory(&p->tool->in_err);
	lane_join(p->c, p->value ? LANE_ALL : LANE_FIRST, privacy_record, p);
	privacy_symbols_begin(p, pass);
}

/* ---- forms --------------------------------------------------------------------------------------- */

static const struct column privacy_columns[] = {
	{ "row", CELL_TEXT, ADDS_KEY, "word for what is given away" },
	{ "what", CELL_TEXT, ADDS_SAME, "the same in words" },
	{ "distinct", CELL_NUM, ADDS_ROUGH, "different values" },
	{ "rough", CELL_BOOL, ADDS_MAX, "there are more than `distinct'" },
	{ "count", CELL_NUM, ADDS_SUM, "how often they occur" },
	{ "bytes", CELL_NUM, ADDS_SUM, "their bytes" },
	{ "offset", CELL_NUM, ADDS_MIN, "byte of the input with the first" },
	{ "record", CELL_NUM, ADDS_MIN, "number of its record, from 0" },
	{ "names", CELL_LIST, ADDS_SAME, "some of them, with -v" },
	{ "option", CELL_TEXT, ADDS_SAME, "what takes it out" },
	{ "anon_all", CELL_TEXT, ADDS_SAME, "what pfilter --anon all leaves: none, alike (pseudonyms that look the same), kept" },
};

static const char *
privacy_word(char to[static 24], const char *name)
{
	size_t n = 0;

	for (; name[n] && n < 23; n++)
		to[n] = name[n] == '_' ? '-' : (char)tolower((unsigned char)name[n]);
	to[n] = 0;
	return to;
}

static void
privacy_rows(const void *of, report_put *put, void *arg)
{
	const struct privacy *p = of;
	char word[24], names[PRIVACY_NAMES * PRIVACY_NAME];

	for (int i = 0; i < ROWS; i++) {
		const struct row_count *n = &p->row[i];
		size_t len = 0;

		for (unsigned k = 0; k < n->nnames; k++) {
			size_t l = strlen(n->name[k]);

			len += len != 0;
			memcpy(names + len, n->name[k], l + 1);
			len += l;
		}
		put(arg, (struct cell[]){ cell_text(privacy_word(word, rows[i].name)), cell_text(rows[i].what), cell_num(n->distinct),
		    cell_bool(n->rough), cell_num(n->count), cell_num(n->bytes), cell_num_if(n->count && n->at, n->off),
		    cell_num_if(n->count, n->record), cell_bytes(p->names ? names : NULL, len), cell_text(rows[i].option),
		    cell_text(gone_names[rows[i].gone]) });
	}
}

static const struct table privacy_table = { "privacy", "what the recording gives away", TABLE(privacy_columns), TABLE_ROWS, SCREEN_OFF,
    .rows = privacy_rows };

static const struct column glance_columns[] = { { "row", CELL_TEXT, ADDS_KEY, "word for what is given away" } };

static void
glance_rows(const void *of, report_put *put, void *arg)
{
	const struct privacy *p = of;
	char word[24];

	for (int i = 0; i < ROWS; i++)
		if (p->row[i].count)
			put(arg, (struct cell[]){ cell_text(privacy_word(word, rows[i].name)) });
}

static const struct table glance_table = { "glance_privacy", "what a glance shows that the recording gives away",
    TABLE(glance_columns), TABLE_ROWS, SCREEN_OFF, .rows = glance_rows };

static void
privacy_add(void *part, struct report *r)
{
	report_add(r, &privacy_table, part);
}

static void
privacy_glance_add(void *part, struct report *r)
{
	if (part)			/* no report has it */
		report_add(r, &glance_table, part);
}

/* A text of so many bytes, whose lines are not looked at: as one value. */
static void
privacy_unread(struct privacy *p, enum row row, uint64_t bytes)
{
	struct row_count *n = &p->row[row];

	if (!bytes)
		return;
	n->record = n->count++ ? n->record : p->record;
	n->bytes += bytes;
	n->distinct++;
}

static bool
privacy_end(void *part, struct pass *pass)
{
	struct privacy *p = part;
	bool exact;
	struct pp_tracing_behind behind = { 0 };

	if (p->in && pp_formats(p->in)) {
		behind = pp_tracing_behind(pp_formats(p->in));
		if (p->value)
			privacy_probes(p);
	}
	privacy_unread(p, ROW_KERNEL_ADDR, behind.kallsyms);
	privacy_unread(p, ROW_KERNEL_ADDR, behind.printk);
	privacy_unread(p, ROW_COMMS, behind.tasks);
	privacy_unread(p, ROW_PIDS, behind.tasks);
	exact = privacy_symbols_end(p);
	for (int i = 0; i < ROWS; i++)
		exact &= !p->row[i].rough;
	(void)pass;
	return exact;
}

static void
privacy_screen_names(FILE *f, const struct row_count *n)
{
	for (unsigned i = 0; i < n->nnames; i++) {
		char *text = tool_vis(n->name[i], strlen(n->name[i]));

		fprintf(f, "    %s\n", text);
		free(text);
	}
	if (n->nnames && n->nnames < n->distinct)
		fprintf(f, "    ...\n");
}

static void
privacy_screen(FILE *f, const void *part)
{
	const struct privacy *p = part;

	fprintf(f, "%10s %12s %12s  %s\n", "DISTINCT", "BYTES", "FIRST AT", "WHAT: TAKEN OUT BY");
	for (int i = 0; i < ROWS; i++) {
		const struct row_count *n = &p->row[i];
		char first[24] = "-";

		if (!n->count) {
			fprintf(f, "%10s %12s %12s  %s\n", "none", "-", "-", rows[i].what);
			continue;
		}
		if (n->at)
			snprintf(first, sizeof first, "%ju", (uintmax_t)n->off);
		fprintf(f, "%s%*ju %12ju %12s  %s: %s%s\n", n->rough ? ">" : "", n->rough ? 9 : 10, (uintmax_t)n->distinct,
		    (uintmax_t)n->bytes, first, rows[i].what, rows[i].option, rows[i].gone == ALIKE ?
		    " (pseudonyms look the same)" : rows[i].gone == KEPT ? " (pfilter --anon keeps it)" : "");
		privacy_screen_names(f, n);
	}
}

const struct part_kind part_privacy = { .new = privacy_new, .add = privacy_add, .begin = privacy_begin, .end = privacy_end,
	.screen = privacy_screen, .free = privacy_free };
const struct part_kind part_glance_privacy = { .new = privacy_glance, .add = privacy_glance_add, .begin = privacy_begin,
	.free = privacy_free };
