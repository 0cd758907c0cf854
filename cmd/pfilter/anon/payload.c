/* SPDX-License-Identifier: ISC */
/*
 * payload.c - how --anon changes the payloads of tracepoints (RAW), field by field as record/payload.def says what they mean.
 *
 * The fields stay at their places, as the format says.  Values of dynamic fields (__data_loc, __rel_loc) are written anew behind
 * them, since a pseudonym may be longer; so nothing is left of what no field owns, and of the length of a name.
 */
#include <string.h>

#include "field.h"
#include "field/payload_layout.h"
#include "record/payload_role.h"
#include "record/raw.h"
#include "source/formats.h"

enum { LOC = 4 };		/* bytes of a dynamic field at its place */

struct payload_edit {		/* a payload being anonymised */
	struct anon_edit *b;
	const uint8_t	*from;
	uint8_t		*to;
	size_t		 n, room;	/* bytes of `from'; the new one may have so many */
	size_t		 end;		/* of the new one so far */
	size_t		 empty;		/* offset of an empty text */
	bool		 swap;
};

/* ---- values -------------------------------------------------------------------------------------------- */

static void
payload_set(uint8_t *p, unsigned width, uint64_t v, bool swap)
{
	uint8_t all[8];

	pp_set_u64(all, v, swap);
	memcpy(p, all + ((swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) ? 8 - width : 0), width);
}

/* Leave a field out whose meaning is not known, if the list has a word for what it can hold.  A number holds no name. */
static bool
payload_gone(struct anon_out *a, const struct pp_payload_field *x, const uint8_t *p, size_t len)
{
	bool any = false;

	if (x->kind == PP_PAYLOAD_NUMBER && !(a->what & (A_HOST | A_PATH | A_PID | A_ADDR)))
		return false;
	for (size_t i = 0; i < len; i++)
		any |= p[i];
	a->unexplained += any;
	return true;
}

static uint64_t
payload_task(struct anon_out *a, uint64_t v, unsigned width)
{
	if (!(a->what & A_PID))
		return v;
	/* No number of a task is wider; 0 and -1 stay. */
	if (width < 4 || ((int64_t)v != (int32_t)v && v > UINT32_MAX))
		return 0;
	return (uint64_t)(int64_t)(int32_t)anon_pid(a->key, (uint32_t)v);
}

static void
payload_number(const struct payload_edit *e, const struct pp_payload_field *x, enum pp_role role)
{
	struct anon_out *a = e->b->a;
	const uint8_t *p = e->from + x->off;
	uint64_t v = pp_payload_number(p, x->width, x->sign, e->swap);
	uint8_t own[8] = { 0 };		/* in the order of the stream */

	switch (role) {
	case PP_ROLE_OPAQUE:
		v = payload_gone(a, x, p, x->size) ? 0 : v;
		break;
	case PP_ROLE_PLAIN: case PP_ROLE_CPU:
		break;
	case PP_ROLE_TID: case PP_ROLE_PID: case PP_ROLE_OTHER_TID: case PP_ROLE_OTHER_PID:
		v = payload_task(a, v, x->width);
		break;
	case PP_ROLE_RESULT:
		v = a->what & (A_PID | A_ADDR) && pp_payload_tells((int64_t)v) ? 0 : v;
		break;
	default:
		payload_set(own, x->width, v, a->swap);
		anon_field(e->b, role, own, x->width);
		v = pp_payload_number(own, x->width, false, a->swap);
		break;
	}
	payload_set(e->to + x->off, x->width, v, e->swap);
}

/* The new text of a field with the text s; *len: its length. */
static const char *
payload_text(const struct payload_edit *e, const struct pp_payload_field *x, enum pp_role role, const char *s, size_t *len)
{
	struct anon_out *a = e->b->a;
	int64_t n;

	if (role == PP_ROLE_OPAQUE && payload_gone(a, x, (const uint8_t *)s, *len))
		*len = 0;
	if (!*len || (n = anon_text(a, role, s, *len)) == ANON_UNCHANGED)
		return s;
	*len = (size_t)n;
	return a->text;
}

/* A field whose value is at its place. */
static void
payload_here(const struct payload_edit *e, const struct pp_payload_field *x, enum pp_role role)
{
	const uint8_t *p = e->from + x->off;
	size_t len = x->size;

	if (x->kind == PP_PAYLOAD_NUMBER) {
		payload_number(e, x, role);
	} else if (x->kind == PP_PAYLOAD_STRING) {
		const char *s;

		len = strnlen((const char *)p, len);
		s = payload_text(e, x, role, (const char *)p, &len);
		if (len >= x->size && s != (const char *)p)
			len = x->size - (size_t)1;
		memcpy(e->to + x->off, s, len);
	} else if (role != PP_ROLE_OPAQUE || !payload_gone(e->b->a, x, p, len))
		memcpy(e->to + x->off, p, len);
}

/* Write the value of a dynamic field behind the others: n bytes and `nul' NULs.  Without space for it the field is empty. */
static void
payload_behind(struct payload_edit *e, const struct pp_payload_field *x, const void *p, size_t n, size_t nul)
{
	size_t at = e->end, base = x->at == PP_PAYLOAD_REL_LOC ? x->off + (size_t)LOC : 0;

	if (!n || n + nul > e->room - e->end) {
		at = e->empty;
		n = 0;
	} else {
		memcpy(e->to + at, p, n);
		memset(e->to + at + n, 0, nul);
		e->end += n + nul;
	}
	pp_set_u32(e->to + x->off, (uint32_t)((n + nul) << 16 | (at - base)), e->swap);
}

static void
payload_dynamic(struct payload_edit *e, const struct pp_payload_field *x, enum pp_role role)
{
	size_t len = 0;
	const uint8_t *p = pp_payload_get(x, e->from, e->n, e->swap, &len);
	const char *s;

	if (!p)
		len = 0;
	if (x->kind == PP_PAYLOAD_STRING) {
		s = payload_text(e, x, role, (const char *)p, &len);
		payload_behind(e, x, s, len, 1);
	} else {
		if (role == PP_ROLE_OPAQUE && payload_gone(e->b->a, x, p, len))
			len = 0;
		payload_behind(e, x, p, len, 0);
	}
}

/* ---- all ----------------------------------------------------------------------------------------------- */

size_t
anon_payload(struct anon_edit *b, const struct pp_event *ev, const uint8_t *raw, size_t n, uint8_t *to, size_t room)
{
	struct anon_out *a = b->a;
	const struct payload_layout *l = payload_layout(&a->payloads, a->in, ev);
	struct payload_edit e = { .b = b, .from = raw, .to = to, .n = n, .room = room };
	bool dynamic = false;

	memset(to, 0, n);
	if (!l) {
		a->fields[__builtin_ctz(PP_SAMPLE_RAW)]++;
		return n;
	}
	e.swap = pp_tracing_swap(pp_formats(a->in));
	for (unsigned i = 0; i < l->format->n; i++) {
		const struct pp_payload_field *x = &l->format->field[i];

		if ((size_t)x->off + x->size > n)
			continue;
		if (x->off + (size_t)x->size > e.end)
			e.end = x->off + (size_t)x->size;
		if (x->at == PP_PAYLOAD_HERE)
			payload_here(&e, x, l->role[i]);
		else
			dynamic |= x->size == LOC;
	}
	if (!dynamic || e.end >= room)
		return n;
	memset(to + e.end, 0, n - e.end);
	e.empty = e.end++;
	to[e.empty] = 0;
	for (unsigned i = 0; i < l->format->n; i++) {
		const struct pp_payload_field *x = &l->format->field[i];

		if (x->at != PP_PAYLOAD_HERE && x->size == LOC && (size_t)x->off + LOC <= n)
			payload_dynamic(&e, x, l->role[i]);
	}
	/* as the kernel does it: the size before the payload and the payload together fill words of 8 bytes */
	n = ((e.end + 4 + 7) & ~(size_t)7) - 4;
	memset(to + e.end, 0, n - e.end);
	return n;
}
