/* SPDX-License-Identifier: ISC */
/* record.c - the rows of record.def as tables; names, checks, and the walk over all fields */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "attr.h"
#include "event.h"
#include "judge.h"
#include "meaning.h"
#include "raw.h"
#include "sample.h"

/* A record while it is being walked. */
struct walk {
	struct pp_cur	 c;		/* the body, without the trailer if its size is known */
	const struct pp_rec *r;
	const struct pp_event *ev;	/* NULL: unknown */
	pp_visit	*visit;		/* NULL: only check */
	void		*arg;
	const struct pp_choice *choice;
	uint64_t	 roles;		/* of that; without a visitor none */
	struct pp_err	*err;
	unsigned	 index, entries;	/* of the list: which one, of how many */
	uint64_t	 last;		/* value of the last number */
	const uint8_t	*nul;		/* of the last string; NULL: there was none */
};
typedef int	tail_fn(struct walk *);

static tail_fn tail_read, tail_sample, tail_text_poke, tail_attr, tail_id_index, tail_event_update, tail_cpu_map;

/* ---- tables ------------------------------------------------------------------------------------ */

#define REC(number, name, class, perf, trailer, fields, payload, tail) \
	static const struct pp_field fields_##name[] = { fields { NULL, PP_K_END, 0, 0 } };
#define FIELD(kind, size, name, role) { #name, PP_K_##kind, PP_ROLE_##role, size },
#define LIST		{ NULL, PP_K_LIST, 0, 0 },
#define OPT		{ NULL, PP_K_OPT, 0, 0 },
#include "record.def"
#undef REC
#undef FIELD
#undef LIST
#undef OPT

/* The least size is the sum of the widths before the first OPT; what follows adds to another number, which is not used. */
#define MIN_UINT(n)	(n)
#define MIN_SINT(n)	(n)
#define MIN_HEX(n)	(n)
#define MIN_BYTES(n)	(n)
#define MIN_STR(n)	1
#define MIN_WORDS(n)	0
#define MIN_REST(n)	0
#define REC(number, name, class, perf, trailer, fields, payload, tail) \
	static const uint16_t min_##name[] = { PP_HEADER_SIZE fields };
#define FIELD(kind, size, name, role) + MIN_##kind(size)
#define LIST		, 0
#define OPT		, 0
#include "record.def"
#undef REC
#undef FIELD
#undef LIST
#undef OPT

/* What pp_check() has to do: compare the size, check a string as the last field, or walk all fields.  OPEN: they end with the record. */
enum shape { FIXED = 0, STRING = 1, WALK = 2, OPEN = 4 };
#define SHAPE_UINT	FIXED
#define SHAPE_SINT	FIXED
#define SHAPE_HEX	FIXED
#define SHAPE_BYTES	FIXED
#define SHAPE_STR	STRING
#define SHAPE_WORDS	OPEN
#define SHAPE_REST	OPEN
#define FIELD(kind, size, name, role) | SHAPE_##kind
#define LIST		| WALK
#define OPT		| WALK

enum { NO, ID };
/* The kernel ends its own records but samples with a trailer, and no others: so pp_has_trailer() tells by the number. */
#define REC(number, name, class, perf, trailer, fields, payload, tail) \
	_Static_assert((trailer == ID) == (number < PP_USER_TYPE_START && number != PP_SAMPLE), \
	    #name ": trailer is ID for records of the kernel, which are below 64, but SAMPLE; NO for all others");
#include "record.def"
#undef REC

enum { NONE, PAY4 = 4, PAY8 = 8 };
/* What becomes of a payload is code: of FORMATS their own, and a TRACE passes as it is, unless --anon removes it. */
#define REC(number, name, class, perf, trailer, fields, payload, tail) \
	_Static_assert(payload == NONE || PP_CLASS_##class == PP_CLASS_TRACE || number == PP_HEADER_TRACING_DATA, \
	    #name ": a payload of another class than TRACE needs code: see common/README.md");
#include "record.def"
#undef REC
static const struct row {
	const char	*name;
	const struct pp_field *fields;
	const uint16_t	*min;
	tail_fn		*tail;
	uint8_t		 trailer, shape;
} rows[PP_TYPE_END] = {
#define REC(number, name, class, perf, trailer, fields, payload, tail) \
	[number] = { #name, fields_##name, min_##name, tail, trailer, FIXED fields },
#include "record.def"
#undef REC
#undef FIELD
#undef LIST
#undef OPT
};

/* The roles of fields that tail functions show. */
#define ROLES_0			0
#define ROLES_tail_sample	0		/* sample.def */
#define ROLES_tail_attr		PP_ROLE_BIT(PLAIN) | PP_ROLE_BIT(CONFIG) | PP_ROLE_BIT(POINTER) | PP_ROLE_BIT(PAD) |	\
				PP_ROLE_BIT(OPAQUE) | PP_ROLE_BIT(ID_OWN)
#define ROLES_tail_read		PP_ROLE_BIT(READ) | PP_ROLE_BIT(PLAIN) | PP_ROLE_BIT(ID_REF)
#define ROLES_tail_text_poke	PP_ROLE_BIT(CODE)
#define ROLES_tail_id_index	PP_ROLE_BIT(GUEST_PID) | PP_ROLE_BIT(PLAIN)
#define ROLES_tail_cpu_map	PP_ROLE_BIT(CPU) | PP_ROLE_BIT(PLAIN) | PP_ROLE_BIT(PAD)
#define ROLES_tail_event_update	PP_ROLE_BIT(EVENT) | PP_ROLE_BIT(UNIT) | PP_ROLE_BIT(OPAQUE) | ROLES_tail_cpu_map
_Static_assert(!((0
#define ATTR(field, kind, size, role) | PP_ROLE_BIT(role)
#include "attr.def"
#undef ATTR
    ) & ~(ROLES_tail_attr)), "attr.def has a role that is not in ROLES_tail_attr");
#define FIELD(kind, size, name, role) | PP_ROLE_BIT(role)
#define LIST
#define OPT
#define REC(number, name, class, perf, trailer, fields, payload, tail) \
	_Static_assert(!(PP_CLASS_BIT(class) & PP_CLASSES_TASK) || (0 fields) & PP_ROLE_BIT(TID), \
	    #name ": a type of class TASK or MAP has a field of role TID, which says whose it is");
#include "record.def"
#undef REC
const struct pp_meaning pp_meanings[PP_TYPE_END + 1] = {
#define REC(number, name, class, perf, trailer, fields, payload, tail) \
	[number] = { 0 fields | ROLES_##tail, PP_CLASS_##class, PP_PERF_##perf, payload },
#include "record.def"
#undef REC
#undef FIELD
#undef LIST
#undef OPT
};

static const struct row *
row_of(uint32_t type)
{
	return type < PP_TYPE_END && rows[type].name ? &rows[type] : NULL;
}

const struct pp_field *
pp_type_fields(uint32_t type)
{
	const struct row *row = row_of(type);

	return row && !row->tail ? row->fields : NULL;
}

const char *
pp_type_name(uint32_t type)
{
	const struct row *row = row_of(type);

	return row ? row->name : NULL;
}

int64_t
pp_type_number(const char *name)
{
	static const char prefix[] = "PERF_RECORD_";
	unsigned long long n;
	char *end;

	if (!strncasecmp(name, prefix, sizeof prefix - 1))
		name += sizeof prefix - 1;
	for (uint32_t t = 0; t < PP_TYPE_END; t++)
		if (rows[t].name && !strcasecmp(rows[t].name, name))
			return t;
	if (*name < '0' || *name > '9')
		return -1;
	n = strtoull(name, &end, 10);
	return *end || n > UINT32_MAX ? -1 : (int64_t)n;
}

unsigned
pp_type_min(uint32_t type)
{
	const struct row *row = row_of(type);

	return row ? *row->min : PP_HEADER_SIZE;
}

bool
pp_type_has_trailer(uint32_t type)
{
	const struct row *row = row_of(type);

	return row && row->trailer == ID;
}

unsigned
pp_role_place(uint32_t type, enum pp_role role, unsigned *width)
{
	const struct row *row = row_of(type);
	unsigned at = PP_HEADER_SIZE;

	for (const struct pp_field *f = row ? row->fields : NULL; f && f->size; at += f++->size)
		if (f->role == role) {
			*width = f->size;
			return at;
		}
	return 0;
}

uint64_t
pp_payload_size(const struct pp_rec *r, bool swap)
{
	unsigned width = pp_meaning(r->type)->payload;
	uint64_t n;

	if (!width)
		return 0;
	if (width == PAY8)
		return pp_get_u64(r->raw + PP_HEADER_SIZE, swap);
	n = pp_get_u32(r->raw + PP_HEADER_SIZE, swap);
	/* simpleperf has the data inside the record; perf's TRACING_DATA has 12 or 16 bytes. */
	return n + pp_type_min(r->type) <= r->size ? 0 : n;
}

/* ---- the walk ---------------------------------------------------------------------------------- */

static inline int
show(struct walk *w, const char *name, enum pp_kind kind, const uint8_t *p, size_t len, enum pp_role role)
{
	if (!(w->roles >> role & 1))
		return 1;
	return w->visit(w->arg, &(struct pp_value){ name, kind, p, len, w->index, role, w->entries, 0 });
}

/* Show a number, or bytes of fixed size.  0 also at the end of the record. */
static int
fixed(struct walk *w, const char *name, enum pp_kind kind, size_t size, enum pp_role role)
{
	const uint8_t *p = pp_take(&w->c, size);

	if (!p)
		return pp_fail(w->err, "%s lies past the end", name);
	if (kind == PP_K_UINT && size == 8)
		w->last = pp_get_u64(p, w->c.swap);
	return show(w, name, kind, p, size, role);
}

static int
string(struct walk *w, const char *name, enum pp_role role)
{
	const uint8_t *p = w->c.p, *nul = memchr(p, 0, pp_left(&w->c));

	if (!nul)
		return pp_fail(w->err, "%s has no NUL", name);
	w->c.p = w->c.end;
	w->nul = nul;
	return show(w, name, PP_K_STR, p, (size_t)(nul - p), role);
}

/* Show the rest, if any. */
static int
rest(struct walk *w, const char *name, enum pp_kind kind, enum pp_role role)
{
	const uint8_t *p = w->c.p;
	size_t n = pp_left(&w->c);

	if (kind == PP_K_WORDS)
		n -= n % 8;
	w->c.p += n;
	return n ? show(w, name, kind, p, n, role) : 1;
}

static int
list(struct walk *w, const struct pp_field *f, uint64_t n)
{
	size_t entry = 0;
	int rc = 1;

	for (const struct pp_field *g = f; g->kind; g++)
		entry += g->size;
	if (n > pp_left(&w->c) / entry)
		return pp_fail(w->err, "counts %ju entries, only %zu fit", (uintmax_t)n, pp_left(&w->c) / entry);
	if (!w->visit) {
		w->c.p += n * entry;
		return 1;
	}
	w->entries = (unsigned)n;
	for (; w->index < n && rc > 0; w->index++)
		for (const struct pp_field *g = f; g->kind && rc > 0; g++)
			rc = fixed(w, g->name, g->kind, g->size, g->role);
	w->index = w->entries = 0;
	return rc;
}

static int
body(struct walk *w, const struct row *row)
{
	int rc = 1;

	for (const struct pp_field *f = row->fields; f->kind && rc > 0; f++)
		switch (f->kind) {
		case PP_K_STR:
			rc = string(w, f->name, f->role);
			break;
		case PP_K_WORDS:
		case PP_K_REST:
			rc = rest(w, f->name, f->kind, f->role);
			break;
		case PP_K_LIST:
			if ((rc = list(w, f + 1, w->last)) > 0 && row->tail)
				rc = row->tail(w);
			return rc;
		case PP_K_OPT:
			if (!pp_left(&w->c))
				return 1;
			break;
		default:
			/* Only optional fields can be cut, as the least size has been checked.  What is left of one means nothing. */
			if (pp_left(&w->c) < f->size)
				return rest(w, f->name, PP_K_REST, PP_ROLE_OPAQUE);
			rc = fixed(w, f->name, f->kind, f->size, f->role);
		}
	return rc > 0 && row->tail ? row->tail(w) : rc;
}

const struct pp_choice pp_all = { UINT64_MAX, UINT32_MAX, UINT32_MAX };

static int
walk_row(const struct pp_rec *r, const struct pp_event *ev, bool swap, const struct pp_choice *choice, pp_visit *visit, void *arg,
    struct pp_err *err)
{
	const struct row *row = row_of(r->type);
	struct walk w = { .r = r, .ev = ev, .visit = visit, .arg = arg, .choice = choice, .roles = visit ? choice->roles : 0,
	    .err = err };
	size_t n = r->size - PP_HEADER_SIZE;
	int rc;

	if (row && r->size < *row->min)
		return pp_fail(err, "record of %u bytes needs %u", r->size, *row->min);
	if (row && row->trailer == ID && ev && n >= ev->plan.trailer)
		n -= ev->plan.trailer;
	w.c = pp_cur(r->raw + PP_HEADER_SIZE, n, swap);
	rc = row ? body(&w, row) : rest(&w, "data", PP_K_REST, PP_ROLE_OPAQUE);
	return rc > 0 && row && row->trailer == ID && ev && visit ? pp_trailer_walk(ev, r, swap, choice, visit, arg) : rc;
}

int
pp_walk_chosen(const struct pp_rec *r, const struct pp_event *ev, bool swap, const struct pp_choice *choice, pp_visit *visit,
    void *arg, struct pp_err *err)
{
	return r->type == PP_SAMPLE && ev ? pp_sample_walk(ev, r, swap, choice, visit, arg, err) :
	    walk_row(r, ev, swap, choice, visit, arg, err);
}

int
pp_walk(const struct pp_rec *r, const struct pp_event *ev, bool swap, pp_visit *visit, void *arg, struct pp_err *err)
{
	return pp_walk_chosen(r, ev, swap, &pp_all, visit, arg, err);
}

int
pp_check(const struct pp_rec *r, bool swap, struct pp_err *err)
{
	const struct row *row = row_of(r->type);

	/* Most types need no walk. */
	if (!row || (!row->tail && r->size >= *row->min && ((row->shape & ~OPEN) == FIXED ||
	    (row->shape == STRING && memchr(r->raw + *row->min - 1, 0, r->size - *row->min + 1u)))))
		return 1;
	return pp_walk(r, NULL, swap, NULL, NULL, err);
}

/* The offset of the next u64 behind p. */
static size_t
aligned(const struct pp_rec *r, const uint8_t *p)
{
	return ((size_t)(p - r->raw) + 7) & ~(size_t)7;
}

bool
pp_fits(const struct pp_rec *r, unsigned trailer)
{
	const struct row *row = row_of(r->type);
	const uint8_t *nul;

	if (!row || row->tail || r->size < *row->min + trailer)
		return false;
	if (row->shape == FIXED)
		return r->size == *row->min + trailer;
	return row->shape == STRING && (nul = memchr(r->raw + *row->min - 1, 0, r->size - *row->min - trailer + 1u)) &&
	    aligned(r, nul + 1) + trailer == r->size;
}

size_t
pp_fields_end(const struct pp_rec *r, bool swap, struct pp_err *err)
{
	const struct row *row = row_of(r->type);
	struct walk w = { .r = r, .err = err };
	const uint8_t *nul;

	if (row && !row->tail && r->size >= *row->min) {
		if (row->shape == FIXED)
			return *row->min;
		if (row->shape == OPEN)
			return r->size;
		if (row->shape == STRING && (nul = memchr(r->raw + *row->min - 1, 0, r->size - *row->min + 1u)))
			return aligned(r, nul + 1);
	}
	if (!row)
		return r->size;
	if (r->size < *row->min)
		return pp_fail(err, "record of %u bytes needs %u", r->size, *row->min), 0;
	w.c = pp_cur(r->raw + PP_HEADER_SIZE, r->size - PP_HEADER_SIZE, swap);
	if (body(&w, row) < 0)
		return 0;
	return w.nul ? aligned(r, w.nul + 1) : r->type < PP_USER_TYPE_START ? aligned(r, w.c.p) : (size_t)(w.c.p - r->raw);
}

/* ---- tail functions ------------------------------------------------------------------------------ */

static int
tail_read(struct walk *w)
{
	const uint8_t *values = w->c.p;
	struct pp_read rd;

	if (!w->ev)
		return rest(w, "values", PP_K_WORDS, PP_ROLE_READ);
	pp_read_get(&rd, &w->c, w->ev->attr.read_format);
	if (w->c.bad)
		return pp_fail(w->err, "read values lie past the end");
	return w->visit ? pp_read_walk(values, w->ev->attr.read_format, w->c.swap, w->choice, w->visit, w->arg) : 1;
}

/* One whose event is not known. */
static int
tail_sample(struct walk *w)
{
	return rest(w, "fields", PP_K_REST, PP_ROLE_OPAQUE);
}

static int
tail_text_poke(struct walk *w)
{
	unsigned old = PP_RAW_GET(w->r->raw, TEXT_POKE, old_len, w->c.swap), new = PP_RAW_GET(w->r->raw, TEXT_POKE, new_len, w->c.swap);
	int rc;

	if (old + new > pp_left(&w->c))
		return pp_fail(w->err, "%u old and %u new bytes, only %zu fit", old, new, pp_left(&w->c));
	if ((rc = fixed(w, "old_bytes", PP_K_BYTES, old, PP_ROLE_CODE)) > 0)
		rc = fixed(w, "new_bytes", PP_K_BYTES, new, PP_ROLE_CODE);
	return rc;
}

static int
tail_attr(struct walk *w)
{
	static const struct pp_field attr[] = {
#define ATTR(field, kind, size, role) { #field, PP_K_##kind, PP_ROLE_##role, size },
#include "attr.def"
#undef ATTR
		{ NULL, PP_K_END, 0, 0 }
	};
	struct pp_cur ids = w->c;
	size_t left = pp_left(&w->c);
	uint32_t size = left < 8 ? 0 : PP_ATTR_GET(w->c.p, size, w->c.swap);
	int rc = 1;

	if (left < PP_ATTR_SIZE_VER0)
		return pp_fail(w->err, "record of %u bytes needs %d", w->r->size, PP_HEADER_SIZE + PP_ATTR_SIZE_VER0);
	if (!size)
		size = PP_ATTR_SIZE_VER0;
	if (size < PP_ATTR_SIZE_VER0 || size % 8 || size > left)
		return pp_fail(w->err, "attr.size is %u in a record of %u bytes", size, w->r->size);
	pp_take(&ids, size);
	w->c.end = w->c.p + size;
	for (const struct pp_field *f = attr; f->kind && rc > 0 && pp_left(&w->c) >= f->size; f++)
		rc = fixed(w, f->name, f->kind, f->size, f->role);
	if (rc > 0)
		rc = rest(w, "attr_unknown", PP_K_REST, PP_ROLE_OPAQUE);
	w->c = ids;
	return rc > 0 ? rest(w, "ids", PP_K_WORDS, PP_ROLE_ID_OWN) : rc;
}

static int
tail_id_index(struct walk *w)
{
	static const struct pp_field machine[] = {
		{ "machine_pid", PP_K_UINT, PP_ROLE_GUEST_PID, 8 }, { "vcpu", PP_K_SINT, PP_ROLE_PLAIN, 8 }, { NULL, PP_K_END, 0, 0 }
	};
	uint64_t nr = PP_RAW_GET(w->r->raw, ID_INDEX, nr, w->c.swap);

	return nr && pp_left(&w->c) / 16 >= nr ? list(w, machine, nr) : 1;
}

/* CPU map data: see perf-pipe(5); the words of a mask follow the u16s directly, unaligned. */
static int
tail_cpu_map(struct walk *w)
{
	const uint8_t *p = w->c.p;
	bool swap = w->c.swap;
	size_t left = pp_left(&w->c), n, size = 2;
	int rc;

	if (left < 8)
		return pp_fail(w->err, "record of %u bytes has no CPU map", w->r->size);
	if ((rc = fixed(w, "map_type", PP_K_UINT, 2, PP_ROLE_PLAIN)) <= 0)
		return rc;
	switch (pp_get_u16(p, swap)) {
	case 0:				/* PERF_CPU_MAP__CPUS */
		rc = fixed(w, "nr", PP_K_UINT, 2, PP_ROLE_PLAIN);
		break;
	case 1:				/* PERF_CPU_MAP__MASK */
		if ((rc = fixed(w, "nr", PP_K_UINT, 2, PP_ROLE_PLAIN)) > 0)
			rc = fixed(w, "long_size", PP_K_UINT, 2, PP_ROLE_PLAIN);
		size = pp_get_u16(p + 4, swap);
		if (size != 4 && size != 8)
			return pp_fail(w->err, "CPU mask in words of %zu bytes", size);
		if (size == 8 && rc > 0)
			rc = fixed(w, "pad", PP_K_BYTES, pp_left(&w->c) < 4 ? 0 : 4, PP_ROLE_PAD);
		break;
	case 2:				/* PERF_CPU_MAP__RANGE_CPUS */
		if ((rc = fixed(w, "any_cpu", PP_K_UINT, 1, PP_ROLE_PLAIN)) > 0 && (rc = fixed(w, "pad", PP_K_UINT, 1, PP_ROLE_PAD)) > 0 &&
		    (rc = fixed(w, "start_cpu", PP_K_UINT, 2, PP_ROLE_CPU)) > 0)
			rc = fixed(w, "end_cpu", PP_K_UINT, 2, PP_ROLE_CPU);
		return rc;
	default:
		return rest(w, "map", PP_K_REST, PP_ROLE_CPU);
	}
	n = pp_get_u16(p + 2, swap);
	if (n > pp_left(&w->c) / size)
		return pp_fail(w->err, "counts %zu entries, only %zu fit", n, pp_left(&w->c) / size);
	w->entries = (unsigned)n;
	for (; w->index < n && rc > 0; w->index++)
		rc = fixed(w, "cpu", size == 2 ? PP_K_UINT : PP_K_HEX, size, PP_ROLE_CPU);
	w->index = w->entries = 0;
	return rc;
}

static int
tail_event_update(struct walk *w)
{
	switch (PP_RAW_GET(w->r->raw, EVENT_UPDATE, update_type, w->c.swap)) {
	case 0:
		return string(w, "unit", PP_ROLE_UNIT);
	case 1:
		return fixed(w, "scale", PP_K_F64, 8, PP_ROLE_PLAIN);
	case 2:
		return string(w, "name", PP_ROLE_EVENT);
	case 3:
		return tail_cpu_map(w);
	default:
		return rest(w, "data", PP_K_REST, PP_ROLE_OPAQUE);
	}
}
