/* SPDX-License-Identifier: ISC */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "record/attr.h"
#include "record/chain.h"
#include "record/event.h"
#include "compat.h"
#include "record/feature.h"
#include "record/meaning.h"
#include "record/raw.h"
#include "record/shape.h"

struct compat_perf {
	const char	*name;
	enum pp_perf	 perf;		/* a value of the column perf of record.def */
	uint32_t	 features;	/* HEADER_LAST_FEATURE */
	uint16_t	 attr_size;	/* sizeof(struct perf_event_attr) */
	bool		 exact;		/* it reads attrs of this size only */
	uint8_t		 flags;		/* number of defined bits in the attr's flag word */
	bool		 counters;	/* PERF_SAMPLE_BRANCH_COUNTERS, since 6.8 */
};
static const struct compat_perf perfs[] = {	/* as PP_PERFS */
	{ .name = "6.1", .perf = PP_PERF_6_1, .features = 32,
	  .attr_size = 128, .exact = true, .flags = 38 },
	{ .name = "6.12", .perf = PP_PERF_6_12, .features = 32,
	  .attr_size = 136, .flags = 38, .counters = true },
	{ .name = "current", .perf = PP_PERF_7_2, .features = PP_FEAT_END,
	  .attr_size = sizeof(struct pp_attr_raw), .flags = 64, .counters = true },
};
_Static_assert(sizeof perfs / sizeof *perfs == PP_PERF_END - 1, "a version of PP_PERFS without its row");

enum { TYPES = 128, ATTR_BRANCH_AT = offsetof(struct pp_attr_raw, branch_sample_type) };

struct compat {
	struct out	 pub;
	const struct tool *tool;
	const struct compat_perf *perf;
	struct pp_events *events;	/* of the input stream */
	struct pp_err	*err;
	bool		 swap, nrcpus;
	uint64_t	 types[TYPES];	/* records dropped, by type; the last is for all types above */
	bool		 features[64];	/* features dropped; the last is for all above */
	uint64_t	 known;		/* bits of sample_type that the version reads */
	uint64_t	 attrs, tails, padded, counters, deferred, fields, marks, files;
	uint8_t		 attr[PP_RECORD_MAX];
	uint8_t		 buf[PP_RECORD_MAX + 1];
};

/* ---- attrs ------------------------------------------------------------------------------------------- */

enum {				/* bits of fields behind the fixed part: they can be left out without moving others */
#define BEHIND_EDGE 0
#define BEHIND_BOTH 0
#define BEHIND_FIXED 0
#define BEHIND_TAIL 1
	BEHIND = 0
#define SAMPLE(bit, NAME, name, where, ...) | BEHIND_##where << (bit)
#include "record/sample.def"
#undef SAMPLE
};

static uint64_t
compat_known(enum pp_perf perf)
{
	uint64_t bits = 0;

#define SAMPLE(bit, NAME, name, where, form, role, since, ...) bits |= PP_PERF_##since <= perf ? PP_SAMPLE_##NAME : 0;
#include "record/sample.def"
#undef SAMPLE
	return bits;
}

/*
 * Adapt an attr of `size' bytes at p, `max' at most.  Returns its new size, as in attr.size.  lengthen: extend it to the size
 * that the version requires.
 */
static size_t
compat_fit_attr(struct compat *c, uint8_t *p, size_t size, size_t max, bool lengthen)
{
	const struct compat_perf *perf = c->perf;
	size_t want = size > perf->attr_size || (lengthen && perf->exact && perf->attr_size <= max) ?
	    perf->attr_size : size;
	uint64_t branch, type = PP_ATTR_GET(p, sample_type, c->swap), gone = type & BEHIND & ~c->known;
	bool changed = want != size || gone, tail = false;

	for (size_t i = want; i < size; i++)
		tail |= p[i] != 0;
	if (want > size)
		memset(p + size, 0, want - size);
	c->tails += tail;
	PP_ATTR_SET(p, size, sample_type, type & ~gone, c->swap);
	for (unsigned n = perf->flags; n < 64; n++)
		changed |= pp_attr_flag(p, n, false, c->swap);
	if (!perf->counters && want >= ATTR_BRANCH_AT + 8) {
		branch = pp_get_u64(p + ATTR_BRANCH_AT, c->swap);
		changed |= (branch & PP_BRANCH_COUNTERS) != 0;
		pp_set_u64(p + ATTR_BRANCH_AT, branch & ~(uint64_t)PP_BRANCH_COUNTERS, c->swap);
	}
	if (want != size)
		PP_ATTR_SET(p, want, size, want, c->swap);
	c->attrs += changed;
	return want;
}

static int
compat_fix_attr(struct compat *c, struct pp_rec *r)
{
	size_t size = PP_ATTR_GET(r->raw + PP_HEADER_SIZE, size, c->swap), ids, new, max;
	uint64_t unknown = PP_ATTR_GET(r->raw + PP_HEADER_SIZE, sample_type, c->swap) & ~(c->known | BEHIND);

	if (unknown && c->perf->perf != PP_PERF_CURRENT)
		return pp_fail(c->err, "an event has fields that perf %s cannot read (sample_type 0x%jx)", c->perf->name,
		    (uintmax_t)unknown);
	if (!size)
		size = PP_ATTR_SIZE_VER0;
	ids = r->size - PP_HEADER_SIZE - size;
	max = PP_RECORD_MAX - PP_HEADER_SIZE - ids;
	memcpy(c->buf, r->raw, PP_HEADER_SIZE + size);
	new = compat_fit_attr(c, c->buf + PP_HEADER_SIZE, size, max, true);
	memcpy(c->buf + PP_HEADER_SIZE + new, r->raw + PP_HEADER_SIZE + size, ids);
	r->size = (uint16_t)(PP_HEADER_SIZE + new + ids);
	r->raw = c->buf;
	return 1;
}

/* ---- features ---------------------------------------------------------------------------------------- */

struct desc {
	struct compat	*c;
	struct pp_feature_io io;
};

static int
compat_put_desc(void *arg, const struct pp_feature_value *v)
{
	struct desc *d = arg;
	struct pp_feature_value new = *v;
	size_t max = d->c->perf->attr_size;

	if (v->kind == PP_F_UINT && !strcmp(v->name, "attr_size") && v->num > max)
		new.num = max;
	if (v->kind == PP_F_ATTR && v->len >= PP_ATTR_SIZE_VER0 && v->len <= sizeof d->c->attr) {
		memcpy(d->c->attr, v->p, v->len);
		new.len = compat_fit_attr(d->c, d->c->attr, v->len, v->len, false);
		new.p = d->c->attr;
	}
	return pp_feature_put(&d->io, &new);
}

/* Adapt an EVENT_DESC.  1; 0: it is malformed, and perf would not read it either. */
static int
compat_fix_event_desc(struct compat *c, struct pp_rec *r, const struct pp_feature *f)
{
	struct pp_err err = { .what = "" };
	struct desc d = { .c = c };
	struct pp_feature new = *f;
	uint64_t attrs = c->attrs, tails = c->tails;
	int rc;

	pp_feature_create(&d.io, f->number, c->swap, 0, c->buf + PP_FEATURE_HEAD, PP_RECORD_MAX - PP_FEATURE_HEAD, &err);
	rc = pp_feature_walk(f, compat_put_desc, &d, &err) > 0 && pp_feature_finish(&d.io, &new.len) > 0;
	c->attrs = attrs;		/* they are counted as HEADER_ATTR */
	c->tails = tails;
	new.p = c->buf + PP_FEATURE_HEAD;
	if (!rc || !new.len || pp_feature_record(c->buf, sizeof c->buf, &new, &err) < 0)
		return 0;
	r->size = (uint16_t)(PP_FEATURE_HEAD + new.len);
	r->raw = c->buf;
	return 1;
}

/* Adapt a header feature.  1; 0: drop it; -1. */
static int
compat_fix_feature(struct compat *c, struct pp_rec *r)
{
	struct pp_feature f;
	int rc = 1;

	if (pp_feature_of(&f, r, c->swap, 0, c->err) < 0)
		return -1;
	if (pp_feature_is_end(r)) {
		if (f.number == c->perf->features)
			return 1;
		memcpy(c->buf, r->raw, r->size);
		PP_RAW_SET(c->buf, HEADER_FEATURE, feat_id, c->perf->features, c->swap);
		r->raw = c->buf;
		c->marks++;
		return 1;
	}
	c->nrcpus |= f.number == PP_FEAT_NRCPUS;
	if (f.number >= c->perf->features || !(r->payload || pp_feature_where(f.number) & PP_FEATURE_PIPE) ||
	    (!c->nrcpus && (f.number == PP_FEAT_CPU_TOPOLOGY || f.number == PP_FEAT_CPU_DOMAIN_INFO)))
		rc = 0;
	else if (f.number == PP_FEAT_EVENT_DESC && f.len >= 8 && (pp_get_u32(f.p + 4, c->swap) > c->perf->attr_size ||
	    c->perf->flags < 64 || !c->perf->counters))
		rc = compat_fix_event_desc(c, r, &f);
	if (rc == 0)
		c->features[f.number < 63 ? f.number : 63] = true;
	return rc;
}

/* ---- samples ----------------------------------------------------------------------------------------- */

struct cut { const uint8_t *p; size_t n; };

static bool
compat_reads_deferred(const struct compat_perf *p)
{
	return pp_type_read_by(PP_CALLCHAIN_DEFERRED, p->perf);
}

/* The position in the chain (u64 n, n entries) of the marker and the cookie that stand for its user part. */
static struct cut
compat_deferred(const struct pp_part *chain, bool swap)
{
	const uint8_t *p = pp_chain_deferred(chain->p + 8, chain->n / 8 - 1, swap);

	return (struct cut){ p, !p ? 0 : p + 8 < chain->p + chain->n ? 16 : 8 };
}

/* The counters at the end of a branch stack: a u64 for each branch. */
static struct cut
compat_counters(const struct pp_part *branches, bool swap)
{
	size_t n = 8 * (size_t)pp_get_u64(branches->p, swap);

	return (struct cut){ branches->p + branches->n - n, n };
}

/* The PP_SAMPLE_* bits of fields of the event's samples that may have to be removed, or a part of them. */
static uint64_t
compat_may_go(const struct compat *c, const struct pp_event *ev)
{
	uint64_t bits = (compat_reads_deferred(c->perf) ? 0 : PP_SAMPLE_CALLCHAIN) | (BEHIND & ~c->known);

	if (!c->perf->counters && ev->attr.branch_sample_type & PP_BRANCH_COUNTERS)
		bits |= PP_SAMPLE_BRANCH_STACK;
	return bits & ev->attr.sample_type;
}

static void
compat_fix_sample(struct compat *c, struct pp_rec *r)
{
	struct pp_err err = { .what = "" };
	const struct pp_event *ev = pp_event_find(c->events, r, &err);
	struct pp_part part[PP_SHAPE_STEPS];
	const uint8_t *from = r->raw;
	uint8_t *to = c->buf;
	int n = ev && compat_may_go(c, ev) ? pp_sample_parts(part, compat_may_go(c, ev), ev, r, c->swap, &err) : 0;

	for (int i = 0; i < n; i++) {
		bool chain = part[i].bit == PP_SAMPLE_CALLCHAIN, whole = part[i].bit & ~c->known;
		struct cut cut = whole ? (struct cut){ part[i].p, part[i].n } :
		    chain ? compat_deferred(&part[i], c->swap) : compat_counters(&part[i], c->swap);

		if (!cut.n)
			continue;
		*(whole ? &c->fields : chain ? &c->deferred : &c->counters) += 1;
		to = mempcpy(to, from, (size_t)(cut.p - from));
		from = cut.p + cut.n;
		if (chain && !whole)
			pp_set_u64(c->buf + (part[i].p - r->raw), (part[i].n - 8 - cut.n) / 8, c->swap);
	}
	if (from == r->raw)
		return;
	to = mempcpy(to, from, (size_t)(r->raw + r->size - from));
	r->size = (uint16_t)(to - c->buf);
	r->raw = c->buf;
}

/* Device and inode that claim to be a build-id: perf 6.1 and 6.12 abort, or look for a file with such an id. */
static void
compat_fix_map(struct compat *c, struct pp_rec *r)
{
	if (!(r->misc & PP_MISC_MMAP_BUILD_ID) || r->size < PP_RAW_AT(MMAP2, filename) ||
	    pp_file_has_id(r->misc, r->raw + PP_RAW_AT(MMAP2, inode_or_build_id)))
		return;
	memcpy(c->buf, r->raw, r->size);
	r->misc &= (uint16_t)~PP_MISC_MMAP_BUILD_ID;
	PP_RAW_SET(c->buf, header, misc, r->misc, c->swap);
	r->raw = c->buf;
	c->files++;
}

/* ---- the stage --------------------------------------------------------------------------------------- */

/* Pad with zeros before the trailer, or at the end; BUILD_ID records of 6.1 need it. */
static void
compat_pad(struct compat *c, struct pp_rec *r)
{
	struct pp_err err = { .what = "" };
	const struct pp_event *ev = r->type < PP_USER_TYPE_START ? pp_event_find(c->events, r, &err) : NULL;
	size_t n = -(size_t)r->size % 8, tail = ev && pp_has_trailer(ev, r) ? ev->plan.trailer : 0;
	uint8_t *at = c->buf + r->size - tail;

	if (!n || r->size + n > PP_RECORD_MAX || r->type == PP_HEADER_TRACING_DATA || r->type == PP_HEADER_FEATURE ||
	    r->type == PP_COMPRESSED)
		return;
	if (r->raw != c->buf)
		memcpy(c->buf, r->raw, r->size);
	memmove(at + n, at, tail);
	memset(at, 0, n);
	r->size = (uint16_t)(r->size + n);
	r->raw = c->buf;
	c->padded++;
}

static int
compat_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct compat *c = (struct compat *)o;
	struct pp_rec new = *r;
	int rc = 1;

	if (r->type >= PP_USER_TYPE_START && pp_events_learn(c->events, r, c->err) < 0)
		return -1;
	if (!pp_type_read_by(r->type, c->perf->perf)) {
		c->types[r->type < TYPES ? r->type : TYPES - 1]++;
		return 1;
	}
	if (r->type == PP_SAMPLE && (!c->perf->counters || !compat_reads_deferred(c->perf)))
		compat_fix_sample(c, &new);
	else if (r->type == PP_MMAP2)
		compat_fix_map(c, &new);
	else if (r->type == PP_HEADER_ATTR)
		rc = compat_fix_attr(c, &new);
	else if (r->type == PP_HEADER_FEATURE)
		rc = compat_fix_feature(c, &new);
	if (rc <= 0)
		return rc < 0 ? -1 : 1;
	compat_pad(c, &new);
	if (new.raw == r->raw)
		return o->next->put(o->next, in, r, stable);
	PP_RAW_SET(c->buf, header, size, new.size, c->swap);
	return o->next->put(o->next, in, &new, false);
}

/* ---- the summary of -v ------------------------------------------------------------------------------- */

struct text { char s[1024]; size_t n; };

static void __attribute__((format(printf, 2, 3)))
compat_add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->s + t->n, sizeof t->s - t->n, fmt, ap);
	va_end(ap);
	t->n = n < 0 ? t->n : t->n + (size_t)n < sizeof t->s ? t->n + (size_t)n : sizeof t->s - 1;
}

static void
compat_add_count(struct text *t, uint64_t n, const char *what)
{
	if (n)
		compat_add(t, ", %ju %s", (uintmax_t)n, what);
}

static void
compat_say(const struct compat *c)
{
	struct text t = { .n = 0 };
	const char *name;

	for (uint32_t i = 0; i < TYPES; i++) {
		if (!c->types[i])
			continue;
		if ((name = pp_type_name(i)))
			compat_add(&t, ", left out %ju %s", (uintmax_t)c->types[i], name);
		else
			compat_add(&t, ", left out %ju of type %u%s", (uintmax_t)c->types[i], i, i == TYPES - 1 ? " or above" : "");
	}
	for (uint32_t i = 0; i < 64; i++)
		if (c->features[i]) {
			name = pp_feature_name(i);
			compat_add(&t, ", left out feature %s", name ? name : "of unknown number");
		}
	compat_add_count(&t, c->attrs, "attrs resized");
	compat_add_count(&t, c->counters, "samples without their branch counters");
	compat_add_count(&t, c->deferred, "samples without the user part of their callchain");
	compat_add_count(&t, c->fields, "fields removed from samples");
	compat_add_count(&t, c->padded, "records padded");
	compat_add_count(&t, c->files, "maps whose device and inode had the flag of a build-id");
	compat_add_count(&t, c->marks, "end marks of features renumbered");
	if (c->tails)
		tool_warn(c->tool, "%ju attrs have fields that perf %s does not know (after byte %u): removed", (uintmax_t)c->tails,
		    c->perf->name, c->perf->attr_size);
	tool_note(c->tool, "compat %s: %s", c->perf->name, t.n ? t.s + 2 : "nothing to do");
}

static int
compat_finish(struct out *o)
{
	struct compat *c = (struct compat *)o;
	struct out *next = o->next;

	compat_say(c);
	pp_events_free(c->events);
	free(c);
	return next->finish(next);
}

struct out *
compat_new(const struct tool *tool, const struct compat_perf *perf, struct pp_source *like, struct out *next,
    struct pp_err *err)
{
	struct compat *c = calloc(1, sizeof *c);

	if (c && (c->events = pp_events_new(like->swap))) {
		c->pub = (struct out){ .put = compat_put, .finish = compat_finish, .next = next };
		c->tool = tool;
		c->perf = perf;
		c->known = compat_known(perf->perf);
		c->err = err;
		c->swap = like->swap;
		return &c->pub;
	}
	pp_fail_memory(err);
	free(c);
	return NULL;
}

void
compat_option(struct tool *t, void *perf)
{
	*(const struct compat_perf **)perf = &perfs[tool_word(t, t->optarg, PP_PERF_WORDS)];
}

bool
compat_compressed2(const struct compat_perf *p)
{
	return pp_type_read_by(PP_COMPRESSED2, p->perf);
}
