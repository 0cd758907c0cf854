/* SPDX-License-Identifier: ISC */
/*
 * record.c - how --anon changes records.
 *
 * A record is copied field by field as its row of record.def lists them.  Bytes outside of fields (padding, after the NUL of a
 * string, between body and trailer, after the last field of a sample) become zeros, since their content is not known.
 */
#include <string.h>

#include "field.h"
#include "record/event.h"
#include "record/meaning.h"
#include "record/raw.h"
#include "record/rewrite.h"

/* The words of --anon that remove the types of a class.  A hardware trace records all execution, with addresses. */
static const uint8_t gone_classes[PP_CLASSES] = {
	[PP_CLASS_TRACE] = A_ALL, [PP_CLASS_TRACE_HEAD] = A_ALL,
	[PP_CLASS_PACKED] = A_ALL,	/* they could not be expanded */
};
/* The words that remove types with a field of a role. */
static const struct { uint64_t roles; uint8_t gone; } gone_roles[] = {
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

static int
put_field(void *arg, const struct pp_value *v)
{
	struct anon_edit *b = arg;
	struct anon_out *a = b->a;
	size_t at = (size_t)(v->p - b->r->raw);
	bool body = at < b->body;
	int64_t n;

	if (body && anon_how(v->role) == BLANK)
		return 1;
	memcpy(a->buf + at, v->p, v->len);
	if (!body)
		return 1;
	if (v->role == PP_ROLE_PID && v->len == 4)
		b->pid = pp_get_u32(v->p, a->swap);
	if (v->kind != PP_K_STR)
		anon_field(b, v->role, a->buf + at, v->len);
	else if ((n = anon_text(a, v->role, (const char *)v->p, v->len)) != ANON_UNCHANGED) {
		b->text_at = at;
		b->text_len = (size_t)n;
	}
	return 1;
}

static int
by_row(struct anon_out *a, struct pp_rec *r)
{
	struct anon_edit b = { .a = a, .r = r, .body = r->size };
	const struct pp_event *ev = NULL;
	uint32_t tid;

	if (r->type < PP_USER_TYPE_START) {
		if (!(ev = pp_event_find(a->in->events, r, a->err)))
			return -1;
		if (pp_has_trailer(ev, r))
			b.body -= ev->plan.trailer;
		pp_pid_tid(ev, r, a->swap, &b.pid, &tid);
	}
	memcpy(a->buf, r->raw, PP_HEADER_SIZE);
	memset(a->buf + PP_HEADER_SIZE, 0, r->size - (size_t)PP_HEADER_SIZE);
	if (pp_walk(r, ev, a->swap, put_field, &b, a->err) < 0)
		return -1;
	return b.text_at ? splice(&b, r) : 1;
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

static uint32_t
other_pid(void *key, uint32_t pid)
{
	return anon_pid(key, pid);
}

static int
pids(struct anon_out *a, struct pp_rec *r)
{
	struct pp_rewrite rw = { .events = a->in->events, .swap = a->swap, .buf = a->buf, .err = a->err,
	    .pid_map = other_pid, .pid_arg = a->key };

	return pp_rewrite(&rw, r) < 0 ? -1 : 1;
}

int
anon_record(struct anon_out *a, struct pp_rec *r)
{
	struct pp_rec new = *r;
	int rc;

	if (r->type == PP_HEADER_FEATURE)
		return anon_feature(a, r);
	if (pp_type_class(r->type) == PP_CLASS_UNKNOWN)
		rc = (memcpy(a->buf, r->raw, r->size), 1);
	else
		rc = r->type == PP_SAMPLE ? anon_sample(a, &new) : pp_is_short_mmap2(r, a->swap) ? by_row_short(a, &new) : by_row(a, &new);
	if (rc > 0 && r->type == PP_STAT_CONFIG)
		leave_out_settings(a, &new);
	if (rc > 0 && r->type == PP_HEADER_ATTR)
		rc = anon_head_attr(a, &new);
	new.raw = a->buf;
	if (rc > 0 && a->what & A_PID && r->type != PP_HEADER_ATTR)
		rc = pids(a, &new);
	*r = new;
	return rc;
}
