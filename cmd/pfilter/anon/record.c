/* SPDX-License-Identifier: ISC */
/*
 * record.c - how --anon changes records.
 *
 * A record is copied field by field as its row of record.def lists them.  Bytes outside of fields (padding, after the NUL of a
 * string, between body and trailer, after the last field of a sample) become zeros, since their content is not known.
 */
#include <string.h>

#include "field.h"
#include "make/rewrite.h"
#include "record/event.h"
#include "record/meaning.h"
#include "record/raw.h"
#include "record/shape.h"

/* The words of --anon that remove the types of a class.  A hardware trace records all execution, with addresses. */
static const unsigned gone_classes[PP_CLASSES] = {
	[PP_CLASS_TRACE] = A_ALL, [PP_CLASS_TRACE_HEAD] = A_ALL,
	[PP_CLASS_PACKED] = A_ALL,	/* they could not be expanded */
};
/* The words that remove types with a field of a role. */
static const struct { uint64_t roles; unsigned gone; } gone_roles[] = {
	{ PP_ROLE_BIT(CODE), A_ADDR },	/* holds addresses */
	{ PP_ROLE_BIT(TEXT), A_NAMES },
	{ PP_ROLE_BIT(EVENT_BYTES), A_PATH | A_ADDR | A_EVENT },
};

static unsigned
gone_by(uint32_t type)
{
	const struct pp_meaning *m = pp_meaning(type);
	unsigned gone = gone_classes[m->class];

	for (size_t i = 0; i < sizeof gone_roles / sizeof *gone_roles; i++)
		if (m->roles & gone_roles[i].roles)
			gone |= gone_roles[i].gone;
	return gone;
}

bool
anon_removes(struct anon_out *a, const struct pp_rec *r)
{
	bool known = pp_type_class(r->type) != PP_CLASS_UNKNOWN;

	if (known ? !(gone_by(r->type) & a->what) : !(a->what & A_UNKNOWN)) {
		a->unknown_kept += !known;
		return false;
	}
	a->types[r->type < GONE_TYPES ? r->type : GONE_TYPES - 1]++;
	return true;
}

/* ---- records by their rows ----------------------------------------------------------------------------- */

/* Insert the text, pad the body to 8, and append the trailer. */
static int
splice(struct anon_edit *b, struct pp_rec *r)
{
	struct anon_out *a = b->a;
	size_t tail = r->size - b->body, end = (b->text_at + b->text_len + 1 + 7) & ~(size_t)7;

	if (end + tail > PP_RECORD_MAX)
		return pp_fail(a->err, "its pseudonym of %zu bytes does not fit in a record", b->text_len);
	memmove(a->buf + end, a->buf + b->body, tail);
	memcpy(a->buf + b->text_at, a->text, b->text_len);
	memset(a->buf + b->text_at + b->text_len, 0, end - b->text_at - b->text_len);
	r->size = (uint16_t)(end + tail);
	PP_RAW_SET(a->buf, header, size, r->size, a->swap);
	return 1;
}

enum { TYPE_TRACEPOINT = 2, RAW_HEAD = 4 };

/* The part of a record becomes zeros; of a sample it is not yet.  Payloads of tracepoints: put_payload(). */
static void
leave_blank(struct anon_edit *b, const struct pp_value *v)
{
	if (v->field)
		memset(b->a->buf + (v->p - b->r->raw), 0, v->len);
	if (v->field == PP_SAMPLE_RAW && b->ev->attr.type == TYPE_TRACEPOINT) {
		b->raw = v->p;
		b->raw_len = v->len;
	} else if (v->field & b->a->strip)
		b->a->fields[__builtin_ctz(v->field)]++;
}

static int
put_field(void *arg, const struct pp_value *v)
{
	struct anon_edit *b = arg;
	struct anon_out *a = b->a;
	enum anon_how how = anon_how(v->role);
	uint8_t *p = a->buf + (v->p - b->r->raw);
	int64_t n;

	/* Of a field that columns.h removes the counts stay, which it needs. */
	if (how == BLANK || (how != KEEP && v->field & a->strip)) {
		leave_blank(b, v);
		return 1;
	}
	if (v->len == 8)		/* most are */
		memcpy(p, v->p, 8);
	else
		memcpy(p, v->p, v->len);
	if (how == KEEP)
		return 1;
	if (v->role == PP_ROLE_PID && v->len == 4)
		b->pid = pp_get_u32(v->p, a->swap);
	if (v->field == PP_SAMPLE_CALLCHAIN) {
		if (a->addr)
			anon_addr_chain(a->addr, b->pid, b->r->misc & PP_MISC_CPUMODE_MASK, p, v->len / 8, a->swap);
	} else if (v->kind != PP_K_STR)
		anon_field(b, v->role, p, v->len);
	else if ((n = anon_text(a, v->role, (const char *)v->p, v->len)) != ANON_UNCHANGED) {
		b->text_at = (size_t)(p - a->buf);
		b->text_len = (size_t)n;
	}
	return 1;
}

/* Put a new payload in the place of the old one, which has another length perhaps.  The fields behind it are anonymous already. */
static void
put_payload(struct anon_edit *b, struct pp_rec *r)
{
	struct anon_out *a = b->a;
	size_t at = (size_t)(b->raw - b->r->raw), n, end;
	size_t others = pp_sample_end(b->ev, b->r, a->swap) - RAW_HEAD - b->raw_len, behind = others + RAW_HEAD - at;	/* no padding */
	size_t room = others < PP_RECORD_MAX - 16 ? ((PP_RECORD_MAX - 7 - others) & ~(size_t)7) - RAW_HEAD : 0;

	n = anon_payload(b, b->ev, b->raw, b->raw_len, a->raw, room);
	end = at + n;
	memmove(a->buf + end, a->buf + at + b->raw_len, behind);
	pp_set_u32(a->buf + at - RAW_HEAD, (uint32_t)n, a->swap);
	memcpy(a->buf + at, a->raw, n);
	for (end += behind; end % 8 && end != r->size; end++)
		a->buf[end] = 0;
	r->size = (uint16_t)end;
	PP_RAW_SET(a->buf, header, size, r->size, a->swap);
}

static int
by_row(struct anon_out *a, struct pp_rec *r)
{
	struct anon_edit b = { .a = a, .r = r, .body = r->size };
	uint32_t tid;

	if (r->type < PP_USER_TYPE_START) {
		if (!(b.ev = pp_event_find(a->in->events, r, a->err)))
			return -1;
		if (pp_has_trailer(b.ev, r))
			b.body -= b.ev->plan.trailer;
		pp_pid_tid(b.ev, r, a->swap, &b.pid, &tid);
	}
	memcpy(a->buf, r->raw, PP_HEADER_SIZE);
	memset(a->buf + PP_HEADER_SIZE, 0, r->size - PP_HEADER_SIZE);
	if (pp_walk_chosen(r, b.ev, a->swap, &pp_all, put_field, &b, a->err) < 0)
		return -1;
	return b.text_at ? splice(&b, r) : 1;
}

/* ---- samples ------------------------------------------------------------------------------------------- */

enum {				/* fields that most samples have, by number of their rows and by bit: no visitor for these */
	QUICK = 1 << PP_ROW_IP | 1 << PP_ROW_TID | 1 << PP_ROW_ADDR | 1 << PP_ROW_CALLCHAIN,
	QUICK_FIELDS = PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_ADDR | PP_SAMPLE_CALLCHAIN,
};

static void
put_address(const struct anon_edit *b, uint8_t *p)
{
	bool swap = b->a->swap;

	pp_set_u64(p, anon_addr(b->a->addr, b->pid, b->r->misc & PP_MISC_CPUMODE_MASK, pp_get_u64(p, swap)), swap);
}

/* Change those of these fields that the sample has, in a->buf.  Negative: the sample is cut. */
static int
put_quick(struct anon_edit *b, uint32_t rows)
{
	const struct pp_plan *plan = &b->ev->plan;
	struct anon_out *a = b->a;
	struct pp_part chain;
	uint8_t *p;
	int n;

	if (rows >> PP_ROW_TID & 1)
		for (p = a->buf + plan->tid; p <= a->buf + plan->tid + 4; p += 4)
			pp_set_u32(p, anon_pid(a->key, pp_get_u32(p, a->swap)), a->swap);
	if (rows >> PP_ROW_IP & 1)
		put_address(b, a->buf + plan->ip);
	if (rows >> PP_ROW_ADDR & 1)
		put_address(b, a->buf + plan->addr);
	if (!(rows >> PP_ROW_CALLCHAIN & 1))
		return 1;
	if ((n = pp_sample_part(&chain, PP_SAMPLE_CALLCHAIN, b->ev, b->r, a->swap, a->err)) <= 0)
		return n;
	p = a->buf + (chain.p - b->r->raw);
	anon_addr_chain(a->addr, b->pid, b->r->misc & PP_MISC_CPUMODE_MASK, p + 8, chain.n / 8 - 1, a->swap);
	return 1;
}

/* Between the fields of a sample there is nothing, so that only those that change need be looked at. */
static int
by_sample(struct anon_out *a, struct pp_rec *r)
{
	struct anon_edit b = { .a = a, .r = r, .ev = pp_event_find(a->in->events, r, a->err) };
	uint32_t rows = b.ev ? b.ev->shape.rows & a->sample.rows : 0;
	struct pp_choice others = { a->sample.roles, a->sample.fields & ~QUICK_FIELDS, rows & ~QUICK };
	size_t end;
	uint32_t tid;

	if (!b.ev || !(end = pp_shape_end(&b.ev->shape, r, b.ev->plan.fixed, a->swap)))
		return b.ev ? pp_shape_fail(b.ev, r, a->swap, a->err) : -1;
	pp_pid_tid(b.ev, r, a->swap, &b.pid, &tid);
	memcpy(a->buf, r->raw, end);
	if (end < r->size)
		memset(a->buf + end, 0, r->size - end);
	if (put_quick(&b, rows) < 0 || (others.rows && pp_walk_chosen(r, b.ev, a->swap, &others, put_field, &b, a->err) < 0))
		return -1;
	if (b.raw)
		put_payload(&b, r);
	return 1;
}

/*
 * A setting of perf stat is a number, whose meaning its tag says.  What a tag means that no perf writes is not known: the record
 * loses it.
 */
static void
leave_out_settings(struct anon_out *a, struct pp_rec *r)
{
	enum { SETTING = PP_RAW_ENTRY(STAT_CONFIG, tag), TAGS = 4 };
	uint64_t nr = PP_RAW_GET(a->buf, STAT_CONFIG, nr, a->swap), kept = 0;
	uint8_t *first = a->buf + PP_RAW_AT(STAT_CONFIG, tag), *to = first;

	for (uint8_t *p = first; p < first + nr * SETTING; p += SETTING)
		if (pp_get_u64(p, a->swap) < TAGS) {
			memmove(to, p, SETTING);
			to += SETTING;
			kept++;
		}
	r->size = (uint16_t)(r->size - (nr - kept) * SETTING);
	memset(to, 0, r->size - (size_t)(to - a->buf));
	PP_RAW_SET(a->buf, header, size, r->size, a->swap);
	PP_RAW_SET(a->buf, STAT_CONFIG, nr, kept, a->swap);
}

enum { SHORT = PP_RAW_AT(MMAP2, prot), MISSING = PP_RAW_AT(MMAP2, filename) - SHORT };	/* MMAP2 of RHEL 7: prot and flags */

/* Such a record: anonymise it with zeros for what it lacks, and take these out again. */
static int
by_row_short(struct anon_out *a, struct pp_rec *r)
{
	struct pp_rec full = *r;

	if (r->size + MISSING > PP_RECORD_MAX)
		return pp_fail(a->err, "without prot and flags, of %u bytes", r->size);
	memcpy(a->raw, r->raw, SHORT);
	memset(a->raw + SHORT, 0, MISSING);
	memcpy(a->raw + SHORT + MISSING, r->raw + SHORT, r->size - (size_t)SHORT);
	full.raw = a->raw;
	full.size += MISSING;
	if (by_row(a, &full) < 0)
		return -1;
	r->size = (uint16_t)(full.size - MISSING);
	memmove(a->buf + SHORT, a->buf + SHORT + MISSING, r->size - (size_t)SHORT);
	PP_RAW_SET(a->buf, header, size, r->size, a->swap);
	return 1;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

/*
 * A record of a type that is not known.  It stays as it is, but for the task in the trailer, which it has as a record of the kernel.
 */
static int
unknown(struct anon_out *a, const struct pp_rec *r)
{
	struct anon_edit b = { .a = a, .r = r };

	memcpy(a->buf, r->raw, r->size);
	if (r->type >= PP_USER_TYPE_START || !(a->what & A_PID))
		return 1;
	if (!(b.ev = pp_event_find(a->in->events, r, a->err)))
		return -1;
	return pp_trailer_walk(b.ev, r, a->swap, &a->sample, put_field, &b);
}

int
anon_record(struct anon_out *a, struct pp_rec *r)
{
	struct pp_rec new = *r;
	int rc;

	if (r->type == PP_HEADER_FEATURE)
		return anon_feature(a, r);
	if (pp_type_class(r->type) == PP_CLASS_UNKNOWN)
		rc = unknown(a, r);
	else
		rc = r->type == PP_SAMPLE ? by_sample(a, &new) : pp_is_short_mmap2(r, a->swap) ? by_row_short(a, &new) : by_row(a, &new);
	if (rc > 0 && r->type == PP_STAT_CONFIG)
		leave_out_settings(a, &new);
	if (rc > 0 && r->type == PP_HEADER_ATTR)
		rc = anon_head_attr(a, &new);
	new.raw = a->buf;
	*r = new;
	return rc;
}
