/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "make/rewrite.h"
#include "record/event.h"
#include "byteorder.h"
#include "record/attr.h"
#include "record/feature.h"
#include "record/meaning.h"
#include "record/raw.h"
#include "record/shape.h"

/* Counts of what passed unconverted, or was dropped. */
enum kept { KEPT_RAW, KEPT_AUX, KEPT_STACK, KEPT_CODE, KEPT_UNKNOWN, KEPT_SCHEDSTAT, KEPT_ATTR, KEPT_TRACING, NKEPT };
static const char *const kept_names[NKEPT] = {
	"RAW of samples", "AUX data", "stacks of samples", "code of TEXT_POKEs", "records of unknown type",
	"counters of SCHEDSTATs", "tails of attrs", NULL,
};

struct turner {
	struct out	 pub;
	const struct tool *tool;
	struct pp_source *like;
	struct pp_events *events;	/* of the input stream */
	struct pp_err	*err;
	bool		 from, to;	/* pp_source's `swap' of both sides */
	struct pp_choice odd;		/* the fields of samples with more than u64s; besides tid and cpu */
	uint32_t	 nr_cpus;
	uint64_t	 kept[NKEPT];
	uint64_t	 left_out;	/* features dropped */
	char		 first_out[64];	/* name of the first one */
	const uint8_t	*raw;		/* of the current record */
	uint8_t		 buf[PP_RECORD_MAX + 1];
};

enum { BIG_HERE = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

/* ---- fields ------------------------------------------------------------------------------------------ */

static void
turn_flip(uint8_t *p, size_t size)
{
	switch (size) {
	case 2:
		pp_set_u16(p, pp_get_u16(p, true), false);
		break;
	case 4:
		pp_set_u32(p, pp_get_u32(p, true), false);
		break;
	case 8:
		pp_set_u64(p, pp_get_u64(p, true), false);
		break;
	}
}

static void
turn_flip_u64s(uint8_t *p, size_t n)
{
	for (uint8_t *end = p + n / 8 * 8; p < end; p += 8)
		pp_set_u64(p, pp_get_u64(p, true), false);
}

static void
turn_flip_all(uint8_t *p, size_t n, size_t size)
{
	for (; n >= size; n -= size, p += size)
		turn_flip(p, size);
}

/*
 * The flags of struct perf_branch_entry are bit fields of one u64 (tools/perf/util/branch.h): a big-endian compiler allocates
 * them from the most significant bit.  The values stay the same, their positions are mirrored.
 */
static uint64_t
turn_mirror_branch_flags(uint64_t v, bool was_big)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	uint64_t out = 0;
	unsigned at = 0;

	for (size_t i = 0; i < sizeof widths; at += widths[i++]) {
		unsigned top = 64 - at - widths[i];
		uint64_t mask = (UINT64_C(1) << widths[i]) - 1;

		out |= was_big ? (v >> top & mask) << at : (v >> at & mask) << top;
	}
	return out;
}

static int
turn_flip_value(void *arg, const struct pp_value *v)
{
	struct turner *t = arg;
	uint8_t *p = t->buf + (v->p - t->raw);

	switch (v->kind) {
	case PP_K_UINT:
	case PP_K_SINT:
	case PP_K_HEX:
	case PP_K_F64:
		turn_flip(p, v->len);
		break;
	case PP_K_WORDS:
		turn_flip_u64s(p, v->len);
		break;
	case PP_K_BRANCH:
		pp_set_u64(p, turn_mirror_branch_flags(pp_get_u64(v->p, t->from), t->from != BIG_HERE), t->to);
		break;
	default:
		t->kept[KEPT_RAW] += v->field == PP_SAMPLE_RAW;
		t->kept[KEPT_STACK] += v->field == PP_SAMPLE_STACK_USER;
		t->kept[KEPT_AUX] += v->field == PP_SAMPLE_AUX;
	}
	return 1;
}

/* Two u32s converted as one u64 have changed places: swap them back. */
static void
turn_exchange(uint8_t *p)
{
	uint64_t v = pp_get_u64(p, false);

	pp_set_u64(p, v << 32 | v >> 32, false);
}

/* Nearly all of a sample are u64s, which the visitor would show too slowly one by one.  The others are those of t->odd. */
static int
turn_sample(struct turner *t, const struct pp_event *ev, const struct pp_rec *r)
{
	struct pp_part part[PP_SHAPE_STEPS];
	int n = pp_sample_parts(part, ~(uint64_t)t->odd.fields, ev, r, t->from, t->err);

	if (n < 0)
		return -1;
	memcpy(t->buf, r->raw, r->size);
	turn_flip_u64s(t->buf + PP_HEADER_SIZE, ev->plan.fixed - (size_t)PP_HEADER_SIZE);
	if (ev->plan.tid)
		turn_exchange(t->buf + ev->plan.tid);
	if (ev->plan.cpu)
		turn_exchange(t->buf + ev->plan.cpu);
	for (const struct pp_part *x = part; x < part + n; x++)
		turn_flip_u64s(t->buf + (x->p - r->raw), x->n);
	return ev->shape.rows & t->odd.rows ? pp_walk_chosen(r, ev, t->from, &t->odd, turn_flip_value, t, t->err) : 1;
}

/* ---- numbers in what pp_walk() shows as bytes -------------------------------------------------------- */

/* HEADER_ATTR: the walk has converted the ids and the numbers of the attr; its bit fields remain. */
static void
turn_flip_attr(struct turner *t, const struct pp_rec *r)
{
	size_t size = PP_ATTR_GET(r->raw + PP_HEADER_SIZE, size, t->from);

	if (!size)
		size = PP_ATTR_SIZE_VER0;
	pp_attr_flip(t->buf + PP_HEADER_SIZE, r->raw + PP_HEADER_SIZE, size);
	for (size_t i = sizeof(struct pp_attr); i < size; i++)
		if (r->raw[PP_HEADER_SIZE + i]) {
			t->kept[KEPT_ATTR]++;
			break;
		}
}

/* AUXTRACE_ERROR, fmt 2: machine_pid and vcpu behind msg[64] */
static void
turn_flip_auxtrace_error(struct turner *t, const struct pp_rec *r)
{
	enum { MACHINE = PP_RAW_AT(AUXTRACE_ERROR, msg) + 64 };

	if (PP_RAW_GET(r->raw, AUXTRACE_ERROR, fmt, t->from) >= 2 && r->size >= MACHINE + 8)
		turn_flip_all(t->buf + MACHINE, 8, 4);
}

/* Versions 15 to 17 (tools/lib/perf/include/perf/event.h): u32s, in the CPU's three u64s behind six of them. */
static void
turn_flip_schedstat(struct turner *t, const struct pp_rec *r)
{
	enum { COUNTERS = PP_RAW_AT(SCHEDSTAT_CPU, counters), U32S = 24 };
	unsigned version = PP_RAW_GET(r->raw, SCHEDSTAT_CPU, version, t->from);
	size_t n = r->size - (size_t)COUNTERS;

	if (version < 15 || version > 17) {
		t->kept[KEPT_SCHEDSTAT]++;
		return;
	}
	if (r->type == PP_SCHEDSTAT_DOMAIN || n <= U32S) {
		turn_flip_all(t->buf + COUNTERS, n, 4);
		return;
	}
	turn_flip_all(t->buf + COUNTERS, U32S, 4);
	turn_flip_all(t->buf + COUNTERS + U32S, n - U32S, 8);
}

static void
turn_flip_bytes(struct turner *t, const struct pp_rec *r)
{
	switch (r->type) {
	case PP_MMAP2:			/* u32 maj, min, u64 ino, generation; or bytes */
		if (!pp_file_has_id(r->misc, r->raw + PP_RAW_AT(MMAP2, inode_or_build_id))) {
			turn_flip_all(t->buf + PP_RAW_AT(MMAP2, inode_or_build_id), offsetof(struct pp_raw_inode, ino), 4);
			turn_flip_all(t->buf + PP_RAW_AT(MMAP2, inode_or_build_id) + offsetof(struct pp_raw_inode, ino), 16, 8);
		}
		break;
	case PP_HEADER_ATTR:
		turn_flip_attr(t, r);
		break;
	case PP_AUXTRACE_ERROR:
		turn_flip_auxtrace_error(t, r);
		break;
	case PP_SCHEDSTAT_CPU:
	case PP_SCHEDSTAT_DOMAIN:
		turn_flip_schedstat(t, r);
		break;
	case PP_HEADER_TRACING_DATA:
		t->kept[KEPT_TRACING]++;
		break;
	case PP_TEXT_POKE:
		t->kept[KEPT_CODE]++;
		break;
	default:
		t->kept[KEPT_AUX] += pp_meaning(r->type)->payload != 0;
		t->kept[KEPT_UNKNOWN] += !pp_type_name(r->type);
	}
}

/* ---- features ---------------------------------------------------------------------------------------- */

/* The layout of bpf_prog_info and its arrays is the kernel's; without a program there is nothing to convert. */
static bool
turn_can_turn(const struct turner *t, const struct pp_feature *f)
{
	return f->number != PP_FEAT_BPF_PROG_INFO || f->len < 4 || pp_get_u32(f->p, t->from) == 0;
}

/* Convert a header feature.  1; 0: drop it; -1. */
static int
turn_feature(struct turner *t, struct pp_rec *r)
{
	struct pp_err err = { .what = "" };
	struct pp_feature f;
	uint64_t n;
	size_t len;
	const char *name;

	if (pp_feature_of(&f, r, t->from, t->nr_cpus, t->err) < 0)
		return -1;
	if (f.number == PP_FEAT_NRCPUS && pp_feature_num(&f, "available", &n, &err) > 0)
		t->nr_cpus = (uint32_t)n;
	if (!r->payload && turn_can_turn(t, &f) && pp_feature_convert(&f, t->to, t->buf + PP_FEATURE_HEAD,
	    PP_RECORD_MAX - PP_FEATURE_HEAD, &len, &err) > 0) {
		f.p = t->buf + PP_FEATURE_HEAD;
		f.len = len;
		f.swap = t->to;
		if (!len)		/* the end mark, of any number */
			PP_RAW_SET(t->buf, HEADER_FEATURE, feat_id, f.number, t->to);
		else if (pp_feature_record(t->buf, sizeof t->buf, &f, t->err) < 0)
			return -1;
		r->size = (uint16_t)(PP_FEATURE_HEAD + len);
		return 1;
	}
	if (!t->left_out++) {
		name = pp_feature_name(f.number);
		snprintf(t->first_out, sizeof t->first_out, "%s", name ? name : "unknown");
	}
	return 0;
}

/* ---- the stage --------------------------------------------------------------------------------------- */

/* Prefix the text in err with the record's name and, if `in' has just read it, its offset. */
static int
turn_reject(struct turner *t, struct pp_source *in, const struct pp_rec *r)
{
	const char *name = pp_type_name(r->type);
	char cause[sizeof t->err->what];

	snprintf(cause, sizeof cause, "%.200s", t->err->what);
	t->err->what[0] = 0;
	if (r->raw + r->size == in->pos) {
		t->err->off = pp_offset(in, r);
		t->err->at = true;
	}
	return pp_fail(t->err, "%s: %s", name ? name : "record", cause);
}

/* Convert a record other than SAMPLE, by its row. */
static int
turn_row(struct turner *t, const struct pp_event *ev, const struct pp_rec *r)
{
	struct pp_rec like = *r;

	memcpy(t->buf, r->raw, r->size);
	if (pp_is_short_mmap2(r, t->from))	/* an MMAP, and what turn_flip_bytes() converts */
		like.type = PP_MMAP;
	if (pp_walk(&like, ev, t->from, turn_flip_value, t, t->err) < 0)
		return -1;
	turn_flip_bytes(t, r);
	return 1;
}

/* Convert r into buf.  1; 0: drop it; -1. */
static int
turn(struct turner *t, struct pp_rec *r)
{
	const struct pp_event *ev = NULL;
	int rc;

	t->raw = r->raw;
	if (r->type < PP_USER_TYPE_START && !(ev = pp_event_find(t->events, r, t->err)))
		return -1;
	rc = r->type == PP_HEADER_FEATURE ? turn_feature(t, r) : r->type == PP_SAMPLE ? turn_sample(t, ev, r) : turn_row(t, ev, r);
	if (rc <= 0)
		return rc;
	pp_raw_head(t->buf, r->type, r->misc, r->size, t->to);
	r->raw = t->buf;
	return 1;
}

static int
turn_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct turner *t = (struct turner *)o;
	struct pp_rec new = *r;
	int rc;

	if (t->from == t->to)
		return o->next->put(o->next, in, r, stable);
	if (r->type >= PP_USER_TYPE_START && pp_events_learn(t->events, r, t->err) < 0)
		return -1;
	if ((rc = turn(t, &new)) <= 0)
		return rc < 0 ? turn_reject(t, in, r) : 1;
	if (new.type >= PP_USER_TYPE_START && pp_events_learn(t->like->events, &new, t->err) < 0)
		return -1;
	return o->next->put(o->next, new.payload ? in : t->like, &new, false);
}

static void
turn_say(const struct turner *t)
{
	char text[512] = "";
	size_t n = 0;

	for (int i = 0; i < NKEPT; i++)
		if (t->kept[i] && kept_names[i])
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s (%ju)", n ? ", " : "", kept_names[i],
			    (uintmax_t)t->kept[i]);
	if (n && t->kept[KEPT_RAW] && t->kept[KEPT_TRACING])
		n += (size_t)snprintf(text + n, sizeof text - n, "; readers take the byte order of RAW from TRACING_DATA;");
	if (n)
		n += (size_t)snprintf(text + n, sizeof text - n, " not converted");
	if (t->left_out)
		snprintf(text + n, sizeof text - n, "%s%ju header feature%s left out (%s%s)", n ? "; " : "",
		    (uintmax_t)t->left_out, t->left_out > 1 ? "s" : "", t->first_out, t->left_out > 1 ? ", ..." : "");
	if (*text)
		tool_warn(t->tool, "byte order: %s", text);
}

static int
turn_finish(struct out *o)
{
	struct turner *t = (struct turner *)o;
	struct out *next = o->next;

	turn_say(t);
	pp_events_free(t->events);
	free(t);
	return next->finish(next);
}

struct out *
endian_new(const struct tool *tool, struct pp_source *from, struct pp_source *like, struct out *next,
    struct pp_err *err)
{
	struct turner *t = calloc(1, sizeof *t);

	if (t && (t->events = pp_events_new(from->swap))) {
		t->pub = (struct out){ .put = turn_put, .finish = turn_finish, .next = next };
		t->tool = tool;
		t->like = like;
		t->err = err;
		t->from = from->swap;
		t->to = like->swap;
		t->odd = pp_choose(UINT64_MAX, PP_SAMPLE_RAW | PP_SAMPLE_BRANCH_STACK | PP_SAMPLE_STACK_USER | PP_SAMPLE_AUX);
		return &t->pub;
	}
	pp_fail_memory(err);
	free(t);
	return NULL;
}

struct pp_source *
endian_source(bool swap, struct pp_err *err)
{
	return pp_open_memory((const uint8_t *)"", 0, swap, "<memory>", err);
}

bool
endian_swap(enum endian e, bool swap)
{
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	switch (e) {
	case ENDIAN_KEEP:
		return swap;
	case ENDIAN_NATIVE:
		return false;
	default:
		return (e == ENDIAN_BIG) != big;
	}
}
