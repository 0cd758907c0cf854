/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "dict.h"
#include "field/payload_layout.h"
#include "out.h"
#include "record/mark.h"
#include "record/shape.h"
#include "record/raw.h"
#include "record/sample.h"
#include "state/timeline.h"

enum { MEMORY = 256 << 20 };

/* ---- options ------------------------------------------------------------------------------------------- */

struct listing {
	const struct tool *t;
	struct anon	*a;
};

static void
add_word(void *arg, const char *word)
{
	static const struct { const char *name; unsigned bits; } known[] = {
#define ANON_ROW(NAME, word) { word, A_##NAME },
		ANON_EACH(ANON_ROW) { "all", A_ALL | A_UNKNOWN },
	};
	struct listing *w = arg;
	bool except = *word == '-';

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(word + except, known[i].name)) {
			*(except ? &w->a->except : &w->a->what) |= known[i].bits;
			return;
		}
	tool_wrong(w->t, "--anon '%s': expected " ANON_WORDS ", or one of these after a -, which excludes it", word);
}

void
anon_list(struct tool *t, void *anon)
{
	struct anon *a = anon;

	tool_words(t, t->optarg, add_word, &(struct listing){ t, a });
	if (!(a->what & ~a->except & A_ALL))
		tool_wrong(t, "--anon '%s': is empty", t->optarg);
}

bool
anon_any(const struct anon *a)
{
	return a->what != 0;
}

void
anon_ready(struct tool *t, struct anon *a, struct columns *c)
{
	a->what &= ~a->except;
	if (!a->what)
		return;
	if (a->key_file)
		anon_key_file(t, a->key_file, a->key);
	else if (getrandom(a->key, sizeof a->key, 0) != sizeof a->key)
		tool_wrong(t, "--anon: no random bytes for a key: %s", strerror(errno));
	if (a->map_file)
		a->dict = anon_dict_new(t, a->map_file);
	/* Copies of a program's memory, and data that no format describes, may contain anything. */
	c->strip |= anon_strip(a->what) & ~(uint32_t)PP_SAMPLE_RAW;
	c->strip_other_raw = true;
	c->strip_aux = true;
}

/* ---- records ------------------------------------------------------------------------------------------- */

/* The records that come next are of the share, or are not. */
static int
tell(struct anon_out *a, bool own)
{
	struct pp_rec mark = pp_piece_mark_of(a->tool->piece.marks, own ? PP_PIECE_BEGIN : PP_PIECE_END);

	a->told = own;
	return a->pub.next->put(a->pub.next, a->in, &mark, false);
}

static int
change(struct anon_out *a, const struct pp_rec *r, bool own)
{
	struct pp_rec new = *r;
	int rc;

	if (a->addr && r->type < PP_USER_TYPE_START && anon_addr_feed(a->addr, r) < 0)
		return -1;
	if (!own && !a->told && r->type < PP_USER_TYPE_START)
		return 1;		/* nobody gets it */
	if ((rc = anon_record(a, &new)) <= 0)
		return rc < 0 ? -1 : 1;
	if (own != a->told && tell(a, own) < 0)
		return -1;
	return a->pub.next->put(a->pub.next, a->in, &new, false);
}

/* pp_deliver of the timeline */
static int
turn(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct anon_out *a = arg;
	struct pp_rec r = pp_rec_at(p, a->swap);

	(void)time;
	if (change(a, &r, n == r.size) < 0)
		a->failed = true;
	return a->failed ? -1 : 1;
}

/* A record of the kernel with a time is held for time order. */
static int
enqueue(struct anon_out *a, const struct pp_rec *r)
{
	const struct pp_event *ev = pp_event_find(a->in->events, r, a->err);
	struct pp_part part[PP_SHAPE_STEPS];
	uint64_t time;

	/* Report an invalid record now, while its offset is known. */
	if (!ev || (r->type == PP_SAMPLE && pp_sample_parts(part, 0, ev, r, a->swap, a->err) < 0))
		return -1;
	if (!pp_time(ev, r, a->swap, &time))
		return change(a, r, a->own);
	if (a->own)
		return pp_timeline_put(a->timeline, time, r->raw, r->size);
	/* of another piece: one byte more tells it */
	memcpy(a->buf, r->raw, r->size);
	return pp_timeline_put(a->timeline, time, a->buf, (size_t)r->size + 1);
}

static int
put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct anon_out *a = (struct anon_out *)o;

	(void)stable;
	if (r->type == PP_PIECE_MARK && a->cuts) {
		a->own = !a->own;	/* records are held, so the next stage is told in front of one of the other side */
		return a->timeline ? 1 : tell(a, a->own);
	}
	if (anon_removes(a, r))
		return 1;
	if (r->type == PP_HEADER_TRACING_DATA)
		return anon_formats(a, in, r);
	if (!a->timeline)
		return change(a, r, a->own);
	if (r->type < PP_USER_TYPE_START)
		return enqueue(a, r);
	if (r->type == PP_FINISHED_ROUND && pp_timeline_round(a->timeline) < 0)
		return -1;
	/*
	 * The first round of a share releases less than in the whole, as nobody has seen the samples before the share: readers would take
	 * what comes behind it as late.
	 */
	if (r->type == PP_FINISHED_ROUND && a->own && a->joins) {
		a->joins = false;
		return 1;
	}
	return change(a, r, a->own);
}

/* ---- the end ------------------------------------------------------------------------------------------- */

struct list { char s[600]; size_t n; };

static void __attribute__((format(printf, 3, 4)))
add(struct list *l, uint64_t count, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (!count || l->n + 80 > sizeof l->s)
		return;
	l->n += (size_t)snprintf(l->s + l->n, sizeof l->s - l->n, "%s%ju ", l->n ? ", " : "", (uintmax_t)count);
	va_start(ap, fmt);
	n = vsnprintf(l->s + l->n, sizeof l->s - l->n, fmt, ap);
	va_end(ap);
	l->n = n > 0 && l->n + (size_t)n < sizeof l->s ? l->n + (size_t)n : strlen(l->s);
}

/* Report removed data: as a warning if it belongs to selected records, otherwise only with -v. */
static void
report(const struct anon_out *a)
{
	static const char *const names[PP_SAMPLE_BITS] = {
		[10] = "RAW", [13] = "user stacks", [20] = "AUX data", [12] = "sets of user registers",
		[18] = "sets of registers at interrupt", [19] = "physical addresses",
	};
	struct list fields = { .n = 0 }, types = { .n = 0 }, features = { .n = 0 };
	uint64_t unknown = 0;

	for (const struct pp_sample_row *row = pp_sample_rows; row < pp_sample_rows + PP_SAMPLE_BITS; row++)
		add(&fields, a->fields[row->bit], "%s", names[row->bit] ? names[row->bit] : row->name);
	add(&fields, a->unexplained, "fields of payloads");
	for (uint32_t i = 0; i < GONE_TYPES; i++)
		if (pp_type_name(i))
			add(i == PP_HEADER_EVENT_TYPE ? &features : &types, a->types[i], "%s", pp_type_name(i));
		else
			unknown += a->types[i];
	add(&types, unknown, "of unknown type");
	for (uint32_t i = 0; i < GONE_FEATURES; i++)
		add(&features, a->features[i], "%s", pp_feature_name(i) ? pp_feature_name(i) : "unknown header features");
	if (fields.n)
		tool_warn(a->tool, "--anon: fields without pseudonyms removed from samples: %s%s", fields.s,
		    a->fields[pp_sample_rows[PP_ROW_STACK_USER].bit] ? " (pinject --unwind first makes call chains of stacks)" : "");
	if (types.n)
		tool_warn(a->tool, "--anon: records without pseudonyms removed: %s", types.s);
	if (features.n)
		tool_note(a->tool, "--anon: header features removed: %s", features.s);
	if (a->unknown_kept)
		tool_warn(a->tool, "--anon: %ju records or header features of unknown type are kept as they are; --anon all "
		    "leaves them out", (uintmax_t)a->unknown_kept);
	if (a->timeline && pp_timeline_early(a->timeline))
		tool_warn(a->tool, "--anon: %ju records are out of order because of --max-memory",
		    (uintmax_t)pp_timeline_early(a->timeline));
}

static void
release(struct anon_out *a)
{
	pp_timeline_free(a->timeline);
	anon_addr_free(a->addr);
	anon_key_free(a->key);
	payload_layouts_free(a->payloads);
	free(a);
}

static int
finish(struct out *o)
{
	struct anon_out *a = (struct anon_out *)o;
	struct out *next = o->next;
	int rc = 1;

	/* records before an error in the input are valid */
	if (a->timeline && !a->failed)
		rc = pp_timeline_release(a->timeline, UINT64_MAX);
	report(a);
	release(a);
	return next->finish(next) < 0 || rc < 0 ? -1 : 1;
}

struct out *
anon_new(const struct tool *tool, const struct anon *anon, struct pp_source *in, struct out *next, struct pp_err *err)
{
	struct anon_out *a = calloc(1, sizeof *a);

	if (!a || !(a->key = anon_key_new(anon->key))) {
		pp_fail_memory(err);
		free(a);
		return NULL;
	}
	a->pub = (struct out){ .put = put, .finish = finish, .next = next };
	a->tool = tool;
	a->in = in;
	a->err = err;
	a->cuts = tool->piece.marks;
	a->own = a->told = !a->cuts || tool->piece.k == 1;
	a->joins = !a->own;
	a->what = anon->what;
	a->strip = anon_strip(anon->what);
	a->sample = pp_choose(anon_roles(anon->what), UINT32_MAX);
	anon_key_dict(a->key, anon->dict);
	a->swap = in->swap;
	if (a->what & A_ADDR && (!(a->addr = anon_addr_new(a->key, in->swap, anon->tasks, err)) ||
	    !(a->timeline = pp_timeline_new(turn, a, anon->memory ? anon->memory : MEMORY, err)))) {
		release(a);
		return NULL;
	}
	return &a->pub;
}
