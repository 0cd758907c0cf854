/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "convert/attrs.h"
#include "record/attr.h"
#include "record/chain.h"
#include "record/event.h"
#include "record/meaning.h"
#include "record/raw.h"
#include "record/shape.h"
#include "columns.h"
#include "set.h"

static const struct column {
	const char	*word;		/* NULL: it stays */
	uint64_t	 bit;
} table[] = {
#define SAMPLE(number, NAME, name, where, form, role, perf, shown, strip, ...) { strip, PP_SAMPLE_##NAME },
#include "record/sample.def"
#undef SAMPLE
};
enum { COLUMNS = sizeof table / sizeof *table };

enum {				/* flag bits of an attr that describe a field */
	EXCLUDE_CALLCHAIN_KERNEL = 21, EXCLUDE_CALLCHAIN_USER = 22, AUX_OUTPUT = 31, DEFER_CALLCHAIN = 38,
	DEFER_OUTPUT = 39,
};
enum { TYPE_SOFTWARE = 1, TYPE_TRACEPOINT = 2, BPF_OUTPUT = 10 };
enum { DEFERRED_HEAD = PP_RAW_AT(CALLCHAIN_DEFERRED, ip) };

struct columns_out {
	struct out	 pub;
	const struct tool *tool;
	const struct columns *what;
	struct pp_source *in;
	struct pp_err	*err;
	bool		 swap;
	/* id_place() of the first event, before and after stripping */
	int		 id_was, id_is;
	unsigned	 attrs;		/* number seen */
	bool		*known;		/* by index of the event: check_event() was called */
	size_t		 nknown;
	uint64_t	 bytes;		/* removed */
	uint8_t		 buf[PP_RECORD_MAX + 1];
};

/* ---- options ----------------------------------------------------------------------------------------- */

struct listing {
	const struct tool *t;
	struct columns	*c;
};

static void
add_word(void *arg, const char *word)
{
	struct listing *w = arg;
	const char *last = "";
	char all[256] = "";
	bool found = false;

	for (size_t i = 0; i < COLUMNS; i++) {
		if (!table[i].word)
			continue;
		if (!strcmp(word, table[i].word)) {
			w->c->strip |= table[i].bit;
			found = true;
		}
		if (strcmp(last, table[i].word))	/* both kinds of weight have one word */
			snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *last ? ", " : "", table[i].word);
		last = table[i].word;
	}
	if (!found)
		tool_wrong(w->t, "--strip '%s': no such field; there are %s", word, all);
	w->c->strip_aux |= !strcmp(word, "aux");
}

void
columns_strip(struct tool *t, void *columns)
{
	tool_words(t, t->optarg, add_word, &(struct listing){ t, columns });
}

void
columns_stack_size(struct tool *t, void *columns)
{
	struct columns *c = columns;

	c->stack_size = (uint32_t)tool_number(t, t->optarg, 0, PP_RECORD_MAX);
	if (c->stack_size % 8)
		tool_wrong(t, "%s '%s': expected a multiple of 8", t->optname, t->optarg);
	c->has_stack_size = true;
}

bool
columns_any(const struct columns *c)
{
	return c->strip || c->strip_other_raw || c->strip_aux || c->has_stack_size || c->max_stack;
}

/* ---- attrs ------------------------------------------------------------------------------------------- */

/* The fields to remove from samples of an event of that type. */
static uint64_t
strip_of(const struct columns *what, uint32_t type)
{
	return what->strip | (uint64_t)(what->strip_other_raw & (type != TYPE_TRACEPOINT)) * PP_SAMPLE_RAW;
}

static void
clear_flag(const struct columns_out *c, uint8_t *attr, unsigned n)
{
	pp_attr_flag(attr, n, false, c->swap);
}

/* Change an attr of `size' bytes to match the samples. */
static void
fix_attr(void *arg, uint8_t *p, size_t size)
{
	const struct columns_out *c = arg;
	struct pp_attr a;
	uint64_t gone;
	bool swap = c->swap;

	pp_attr_get(&a, p, size, swap);
	gone = a.sample_type & strip_of(c->what, a.type);
	PP_ATTR_SET(p, size, sample_type, a.sample_type & ~gone, swap);
	if (gone & PP_SAMPLE_CALLCHAIN) {
		PP_ATTR_SET(p, size, sample_max_stack, 0, swap);
		clear_flag(c, p, EXCLUDE_CALLCHAIN_KERNEL);
		clear_flag(c, p, EXCLUDE_CALLCHAIN_USER);
		clear_flag(c, p, DEFER_CALLCHAIN);
	} else if (a.sample_type & PP_SAMPLE_CALLCHAIN && c->what->max_stack &&
	    (!a.sample_max_stack || a.sample_max_stack > c->what->max_stack))
		PP_ATTR_SET(p, size, sample_max_stack, c->what->max_stack, swap);
	if (c->what->strip & PP_SAMPLE_CALLCHAIN)
		clear_flag(c, p, DEFER_OUTPUT);
	if (gone & PP_SAMPLE_BRANCH_STACK)
		PP_ATTR_SET(p, size, branch_sample_type, 0, swap);
	if (gone & PP_SAMPLE_REGS_USER)
		PP_ATTR_SET(p, size, sample_regs_user, 0, swap);
	if (gone & PP_SAMPLE_REGS_INTR)
		PP_ATTR_SET(p, size, sample_regs_intr, 0, swap);
	if (gone & PP_SAMPLE_STACK_USER)
		PP_ATTR_SET(p, size, sample_stack_user, 0, swap);
	else if (c->what->has_stack_size && a.sample_stack_user > c->what->stack_size)
		PP_ATTR_SET(p, size, sample_stack_user, c->what->stack_size, swap);
	if (c->what->strip_aux) {
		PP_ATTR_SET(p, size, aux_sample_size, 0, swap);
		clear_flag(c, p, AUX_OUTPUT);
	}
}

/* The index of the word of a sample that is its id; NO_ID: it has none. */
enum { NO_ID = 64 };
static int
id_place(uint64_t type)
{
	if (type & PP_SAMPLE_IDENTIFIER)
		return 0;
	if (!(type & PP_SAMPLE_ID))
		return NO_ID;
	return __builtin_popcountll(type & (PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_ADDR));
}

/* perf uses the position of the id in the first attr for all events (perf-pipe(5)): it must not differ after stripping. */
static void
check_place(struct columns_out *c, uint64_t type)
{
	int was = id_place(type), is = id_place(type & ~c->what->strip);

	if (!c->attrs++) {
		c->id_was = was;
		c->id_is = is;
	} else if (was == c->id_was && is != c->id_is)
		tool_wrong(c->tool, "--strip addr: only some events of this recording have it, and without it their ids "
		    "would be at different positions; --drop-event removes events");
}

static void
put_attr(struct columns_out *c, struct pp_rec *r)
{
	if (r->type == PP_HEADER_ATTR)
		check_place(c, PP_ATTR_GET(r->raw + PP_HEADER_SIZE, sample_type, c->swap));
	attrs_change(r, c->buf, c->swap, fix_attr, c);
}

/* ---- samples ----------------------------------------------------------------------------------------- */

/*
 * Copy the first `max' entries of a chain that are not context markers, and the markers before them, to `to', which has space for
 * n words.  Returns the number of words.
 */
static uint64_t
cut_chain(uint8_t *to, const uint8_t *p, uint64_t n, uint32_t max, bool swap)
{
	uint64_t out = 0, kept = 0, mark = UINT64_MAX;

	for (uint64_t i = 0; i < n && kept < max; i++) {
		uint64_t v = pp_get_u64(p + 8 * i, swap);

		if (pp_is_context(v) && v != PP_CONTEXT(USER_DEFERRED)) {
			mark = i;
			continue;
		}
		if (v == PP_CONTEXT(USER_DEFERRED)) {
			memcpy(to + 8 * out++, p + 8 * i++, 8);
			if (i < n)
				memcpy(to + 8 * out++, p + 8 * i, 8);
			continue;
		}
		if (mark < i)
			memcpy(to + 8 * out++, p + 8 * mark, 8);
		mark = UINT64_MAX;
		memcpy(to + 8 * out++, p + 8 * i, 8);
		kept++;
	}
	return out;
}

/* Does the chain have more than `max' entries besides markers? */
static bool
chain_is_long(const uint8_t *p, uint64_t n, uint32_t max, bool swap)
{
	uint64_t entries = 0;

	for (uint64_t i = 0; i < n && n > max && entries <= max; i++) {
		uint64_t v = pp_get_u64(p + 8 * i, swap);

		if (!pp_is_context(v))
			entries++;
		else if (v == PP_CONTEXT(USER_DEFERRED))
			i++;
	}
	return entries > max;
}

/* Write the shortened call chain (u64 n, n entries) to `to': its end; NULL: it does not change. */
static uint8_t *
shorten_chain(const struct columns_out *c, const uint8_t *p, uint8_t *to)
{
	uint64_t n = pp_get_u64(p, c->swap);

	if (!chain_is_long(p + 8, n, c->what->max_stack, c->swap))
		return NULL;
	n = cut_chain(to + 8, p + 8, n, c->what->max_stack, c->swap);
	pp_set_u64(to, n, c->swap);
	return to + 8 + 8 * n;
}

/* The same for a stack: u64 n, and if n is not 0: n bytes, u64 dyn_size. */
static uint8_t *
shorten_stack(const struct columns_out *c, const uint8_t *p, uint8_t *to)
{
	uint64_t n = pp_get_u64(p, c->swap), max = c->what->stack_size, used;

	if (n <= max)
		return NULL;
	pp_set_u64(to, max, c->swap);
	if (!max)
		return to + 8;
	memcpy(to + 8, p + 8, max);
	used = pp_get_u64(p + 8 + n, c->swap);
	pp_set_u64(to + 8 + max, used < max ? used : max, c->swap);
	return to + 8 + max + 8;
}

/* The RAW field of these samples holds a whole sample for perf. */
static bool
is_off_cpu(const struct pp_event *ev)
{
	return ev->attr.type == TYPE_SOFTWARE && ev->attr.config == BPF_OUTPUT && !strcmp(ev->name, "offcpu-time");
}

/* Called at the first sample of an event. */
static void
check_event(struct columns_out *c, const struct pp_event *ev)
{
	c->known = tool_need(array_reach(c->known, &c->nknown, ev->index, sizeof *c->known));
	if (strip_of(c->what, ev->attr.type) & PP_SAMPLE_RAW && is_off_cpu(ev))
		tool_wrong(c->tool, "--strip raw: it holds the samples of event %s; --drop-event %s removes them",
		    ev->name, ev->name);
	c->known[ev->index] = true;
}

/* The bits of the fields that may change in samples, if those of `strip' are removed. */
static uint64_t
touched(const struct columns *what, uint64_t strip)
{
	return strip | (what->max_stack ? PP_SAMPLE_CALLCHAIN : 0) | (what->has_stack_size ? PP_SAMPLE_STACK_USER : 0);
}

/* Write the sample without removed fields, and without padding, to c->buf: its end. */
static uint8_t *
write_sample(struct columns_out *c, const struct pp_event *ev, const struct pp_rec *r, const struct pp_part *part, int n)
{
	uint64_t strip = strip_of(c->what, ev->attr.type);
	const uint8_t *from = r->raw;
	uint8_t *to = c->buf, *end;

	if (strip & PP_SAMPLE_ADDR && ev->plan.addr) {	/* the only removable field in the fixed part */
		to = mempcpy(to, from, ev->plan.addr);
		from += ev->plan.addr + 8;
	}
	for (const struct pp_part *x = part; x < part + n; x++) {
		to = mempcpy(to, from, (size_t)(x->p - from));
		from = x->p;
		end = strip & x->bit ? to : x->bit == PP_SAMPLE_CALLCHAIN ? shorten_chain(c, x->p, to) : shorten_stack(c, x->p, to);
		if (end) {
			to = end;
			from += x->n;
		}
	}
	return mempcpy(to, from, (size_t)(r->raw + pp_sample_end(ev, r, c->swap) - from));
}

static int
put_sample(struct columns_out *c, struct pp_rec *r)
{
	const struct pp_event *ev = pp_event_find(c->in->events, r, c->err);
	struct pp_part part[PP_SHAPE_STEPS];
	uint64_t bits;
	uint8_t *to;
	int n;

	if (!ev)
		return -1;
	if (ev->index >= c->nknown || !c->known[ev->index])
		check_event(c, ev);
	bits = touched(c->what, strip_of(c->what, ev->attr.type));
	if (!(ev->attr.sample_type & bits))
		return 1;
	if ((n = pp_sample_parts(part, bits, ev, r, c->swap, c->err)) < 0)
		return -1;
	to = write_sample(c, ev, r, part, n);
	for (; (to - c->buf) % 8 && to - c->buf < r->size; to++)
		*to = 0;			/* padding, since the size of a RAW field need not be a multiple of 8 */
	if (to - c->buf == r->size)
		return 1;
	r->raw = c->buf;
	r->size = (uint16_t)(to - c->buf);
	PP_RAW_SET(c->buf, header, size, r->size, c->swap);
	return 1;
}

/* CALLCHAIN_DEFERRED: the user part of a chain, recorded later.  1; 0: it is removed with the chain; -1. */
static int
put_deferred(struct columns_out *c, struct pp_rec *r)
{
	const struct pp_event *ev;
	size_t tail;
	uint64_t n;

	if (c->what->strip & PP_SAMPLE_CALLCHAIN)
		return 0;
	if (!c->what->max_stack)
		return 1;
	if (!(ev = pp_event_find(c->in->events, r, c->err)))
		return -1;
	tail = pp_has_trailer(ev, r) ? ev->plan.trailer : 0;
	if (r->size < DEFERRED_HEAD + tail)
		return 1;
	n = PP_RAW_GET(r->raw, CALLCHAIN_DEFERRED, nr, c->swap);
	if (n > (r->size - DEFERRED_HEAD - tail) / 8)
		return pp_fail(c->err, "counts %ju entries, only %zu fit", (uintmax_t)n, (r->size - DEFERRED_HEAD - tail) / 8);
	if (!chain_is_long(r->raw + DEFERRED_HEAD, n, c->what->max_stack, c->swap))
		return 1;
	memcpy(c->buf, r->raw, DEFERRED_HEAD);
	n = cut_chain(c->buf + DEFERRED_HEAD, r->raw + DEFERRED_HEAD, n, c->what->max_stack, c->swap);
	memcpy(c->buf + DEFERRED_HEAD + 8 * n, r->raw + r->size - tail, tail);
	r->size = (uint16_t)(DEFERRED_HEAD + 8 * n + tail);
	r->raw = c->buf;
	PP_RAW_SET(c->buf, CALLCHAIN_DEFERRED, nr, n, c->swap);
	PP_RAW_SET(c->buf, header, size, r->size, c->swap);
	return 1;
}

/* ---- records ----------------------------------------------------------------------------------------- */

static int
put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct columns_out *c = (struct columns_out *)o;
	struct pp_rec new = *r;
	int rc = 1;

	if (r->type == PP_SAMPLE)
		rc = put_sample(c, &new);
	else if (r->type == PP_HEADER_ATTR || r->type == PP_HEADER_FEATURE)
		put_attr(c, &new);
	else if (r->type == PP_CALLCHAIN_DEFERRED)
		rc = put_deferred(c, &new);
	else if (c->what->strip_aux && pp_type_is(r->type, PP_CLASSES_TRACE))
		rc = 0;
	c->bytes += rc == 0 ? r->size : (uint64_t)(r->size - new.size);
	if (rc <= 0)
		return rc < 0 ? -1 : 1;
	return o->next->put(o->next, in, &new, stable && new.raw == r->raw);
}

static int
finish(struct out *o)
{
	struct columns_out *c = (struct columns_out *)o;
	struct out *next = o->next;

	tool_note(c->tool, "removed fields: %ju bytes", (uintmax_t)c->bytes);
	free(c->known);
	free(c);
	return next->finish(next);
}

struct out *
columns_new(const struct tool *tool, const struct columns *what, struct pp_source *in, struct out *next, struct pp_err *err)
{
	struct columns_out *c = calloc(1, sizeof *c);

	if (!c) {
		pp_fail_memory(err);
		return NULL;
	}
	c->pub = (struct out){ .put = put, .finish = finish, .next = next };
	c->tool = tool;
	c->what = what;
	c->in = in;
	c->err = err;
	c->swap = in->swap;
	return &c->pub;
}
