/* SPDX-License-Identifier: ISC */
/*
 * record.c - the fields of a record as members
 *
 *  - A number of 8 bytes is a text, because many readers of JSON round above 2^53; so is each field of a name that has 8 bytes in
 *    another row: the members of one name have one type.  Tasks and CPUs are numbers, whatever their width.
 *  - A field of a trailer whose name one of the record's own fields has is in sample_id.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "in.h"
#include "record/attr.h"
#include "record/event.h"
#include "record/raw.h"
#include "record/sample.h"

#define ROLES_NUMBER	(PP_ROLES_TASK | PP_ROLE_BIT(CPU))
#define ROLES_TEXT	(PP_ROLE_BIT(COMM) | PP_ROLE_BIT(PATH) | PP_ROLE_BIT(SYMBOL) | PP_ROLE_BIT(CGROUP_PATH) |	\
			PP_ROLE_BIT(EVENT) | PP_ROLE_BIT(EVENT_BYTES) | PP_ROLE_BIT(UNIT) | PP_ROLE_BIT(TEXT))
#define ROLES_HEX	(PP_ROLES_ADDRESS | PP_ROLE_BIT(REGS) | PP_ROLE_BIT(OPAQUE))
/* Shown as the row of the field says. */
#define ROLES_OTHER	(PP_ROLE_BIT(PAD) | PP_ROLE_BIT(PLAIN) | PP_ROLE_BIT(TIME) | PP_ROLE_BIT(CLOCK) |	\
			PP_ROLE_BIT(ID_OWN) | PP_ROLE_BIT(ID_REF) | PP_ROLE_BIT(STREAM_ID) | PP_ROLE_BIT(READ) |	\
			PP_ROLE_BIT(POINTER) | PP_ROLE_BIT(CONFIG) | PP_ROLE_BIT(MAP_START) |	\
			PP_ROLE_BIT(MAP_LEN) | PP_ROLE_BIT(MAP_PGOFF) | PP_ROLE_BIT(BUILD_ID) |	\
			PP_ROLE_BIT(BUILD_ID_SIZE) | PP_ROLE_BIT(FILE_ID) | PP_ROLE_BIT(TAG) |	\
			PP_ROLE_BIT(DEVICE) | PP_ROLE_BIT(NAMESPACE) | PP_ROLE_BIT(CGROUP_ID) |	\
			PP_ROLE_BIT(COOKIE) | PP_ROLE_BIT(CODE) | PP_ROLE_BIT(RESULT))
_Static_assert((ROLES_NUMBER | ROLES_TEXT | ROLES_HEX | ROLES_OTHER) == UINT64_MAX >> (64 - PP_ROLES), "each role is in one of these sets");

/* Has a field of that name 8 bytes in some record? */
static bool
wide(const char *name)
{
	static const struct { const char *name; uint16_t size; } rows[] = {
#define REC(number, name, class, perf, trailer, fields, payload, tail) fields
#define FIELD(kind, size, name, role) { #name, size },
#define LIST
#define OPT
#include "record/record.def"
#undef REC
#undef FIELD
#undef LIST
#undef OPT
#define ATTR(name, kind, size, role) { #name, size },
#include "record/attr.def"
#undef ATTR
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].size == 8 && !strcmp(rows[i].name, name))
			return true;
	return false;
}

/* ---- values -------------------------------------------------------------------------------------- */

static void
number(struct jsonl *o, struct json_text *t, const struct pp_value *v)
{
	uint64_t n = pp_value_num(v, o->swap);
	bool sign = v->kind == PP_K_SINT;

	if (v->entries && pp_type_is(o->r->type, PP_CLASS_BIT(DEFERRED)))
		jsonl_frame(t, n);
	else if (v->kind == PP_K_HEX)
		json_hex(t, n);
	else if (ROLES_NUMBER >> v->role & 1)
		json_signed(t, v->len == 4 ? (int32_t)n : (int64_t)n);
	else if (v->len == 8 || wide(v->name))
		json_quoted(t, n, sign);
	else if (sign)
		json_signed(t, (int64_t)n);
	else
		json_number(t, n);
}

void
jsonl_words(struct jsonl *o, struct json_text *t, const uint8_t *p, size_t n, bool hex)
{
	size_t at = json_begin(t);

	json_room(t, n / 8 * JSON_ENTRY + 2);
	for (const uint8_t *end = p + n; p < end; p += 8) {
		*t->to++ = ',';
		if (hex)
			json_hex(t, pp_get_u64(p, o->swap));
		else
			json_quoted(t, pp_get_u64(p, o->swap), false);
	}
	json_end(t, at, '[', ']');
}

/* struct perf_branch_entry: bit fields of one u64, which a big-endian compiler allocates from the most significant bit. */
static void
branch_flags(struct jsonl *o, struct json_text *t, const uint8_t *p)
{
	static const struct { const char *name; uint8_t width; } fields[] = {
		{ "mispred", 1 }, { "predicted", 1 }, { "in_tx", 1 }, { "abort", 1 }, { "cycles", 16 }, { "type", 4 },
		{ "spec", 2 }, { "new_type", 4 }, { "priv", 3 },
	};
	bool big = o->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint64_t v = pp_get_u64(p, o->swap);
	unsigned at = 0;
	size_t begin = json_begin(t);

	json_room(t, 2 * JSON_ROOM);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; at += fields[i++].width) {
		json_key(t, fields[i].name);
		json_number(t, v >> (big ? 64 - at - fields[i].width : at) & ((UINT64_C(1) << fields[i].width) - 1));
	}
	json_end(t, begin, '{', '}');
}

/* There is no number in JSON for what is not finite. */
static void
real(struct json_text *t, uint64_t bits)
{
	char text[32];
	double d;

	memcpy(&d, &bits, sizeof d);
	if (isfinite(d)) {
		json_put(t, text, (size_t)snprintf(text, sizeof text, "%.17g", d));
		return;
	}
	json_put(t, "null", 4);
}

/* MMAP2: the file by device and inode, or by its build-id. */
static void
file_id(struct jsonl *o, struct json_text *t, const uint8_t *p)
{
	size_t at = json_begin(t);

	if (pp_file_has_id(o->r->misc, p)) {
		const struct pp_raw_map_build_id *b = (const struct pp_raw_map_build_id *)p;

		json_key(t, "build_id");
		json_bytes(t, b->id, *b->size);
	} else {
		json_key(t, "maj");
		json_number(t, PP_NUM_GET(p, struct pp_raw_inode, maj, o->swap));
		json_key(t, "min");
		json_number(t, PP_NUM_GET(p, struct pp_raw_inode, min, o->swap));
		json_key(t, "ino");
		json_quoted(t, PP_NUM_GET(p, struct pp_raw_inode, ino, o->swap), false);
		json_key(t, "ino_generation");
		json_quoted(t, PP_NUM_GET(p, struct pp_raw_inode, generation, o->swap), false);
	}
	json_end(t, at, '{', '}');
}

static void
bytes(struct jsonl *o, struct json_text *t, const struct pp_value *v)
{
	struct pp_attr attr;

	if (ROLES_TEXT >> v->role & 1) {
		json_string(t, (const char *)v->p, strnlen((const char *)v->p, v->len));
	} else if (v->role == PP_ROLE_FILE_ID) {
		json_room(t, 2 * JSON_ROOM);
		file_id(o, t, v->p);
	} else if (v->role == PP_ROLE_BUILD_ID_SIZE) {
		json_number(t, *v->p);
	} else if (o->r->type == PP_HEADER_ATTR && v->kind == PP_K_BYTES) {	/* its bit fields */
		pp_attr_get(&attr, o->r->raw + PP_HEADER_SIZE, (size_t)(v->p + v->len - o->r->raw - PP_HEADER_SIZE), o->swap);
		json_hex(t, v->len == 8 ? attr.flags : attr.aux_action);
	} else {
		json_bytes(t, v->p, v->len);
	}
}

void
jsonl_value(struct jsonl *o, struct json_text *t, const struct pp_value *v)
{
	switch (v->kind) {
	case PP_K_UINT:
	case PP_K_SINT:
	case PP_K_HEX:
		number(o, t, v);
		break;
	case PP_K_STR:
		json_string(t, (const char *)v->p, v->len);
		break;
	case PP_K_WORDS:
		jsonl_words(o, t, v->p, v->len, ROLES_HEX >> v->role & 1);
		break;
	case PP_K_F64:
		real(t, pp_get_u64(v->p, o->swap));
		break;
	case PP_K_BRANCH:
		branch_flags(o, t, v->p);
		break;
	default:
		bytes(o, t, v);
	}
}

/* ---- lists --------------------------------------------------------------------------------------- */

/* "TYPE_what" of the record, in small letters. */
static void
typed_name(const struct jsonl *o, const char *what, char *to, size_t size)
{
	const char *type = pp_type_name(o->r->type), *const part[] = { type ? type : "", "_", what };
	size_t n = 0;

	for (int i = 0; i < 3; i++)
		for (const char *p = part[i]; *p && n < size - 1; p++)
			to[n++] = (char)(*p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p);
	to[n] = '\0';
}

static void
begin_list(struct jsonl *o, const struct pp_value *v)
{
	struct json_text *t = &o->line;
	char name[JSON_ROOM / 2] = "entries";

	o->list.open = true;
	o->list.single = false;
	o->list.role = v->role;
	o->list.unwanted = false;
	o->lists++;
	if (!o->open) {
		typed_name(o, v->role == PP_ROLE_CPU && v->kind == PP_K_HEX ? "mask" : o->lists > 1 ? "list_2" : "list", name,
		    sizeof name);
		o->list.unwanted = !jsonl_wants(o, name);
	}
	if (o->list.unwanted)
		return;
	json_room(t, JSON_ROOM);
	json_key(t, name);
	o->list.at = json_begin(t);
}

/*
 * The first entry shows whether the others are values or objects.  Counters are always objects, as the recorder chooses how many
 * members these have.
 */
static void
end_entry(struct jsonl *o)
{
	struct json_text *t = &o->line;

	if (o->list.unwanted)
		return;
	if (!o->list.index && o->list.members == 1 && !o->open && !pp_type_is(o->r->type, PP_CLASS_BIT(COUNT))) {
		size_t n = json_begin(t) - o->list.value;

		memmove(t->buf + o->list.entry, t->buf + o->list.value, n);
		t->to = t->buf + o->list.entry + n;
		o->list.single = true;
	} else if (!o->list.single)
		json_end(t, o->list.entry, '{', '}');
}

void
jsonl_list_end(struct jsonl *o)
{
	if (!o->list.open)
		return;
	end_entry(o);
	if (!o->list.unwanted)
		json_end(&o->line, o->list.at, '[', ']');
	o->list.open = false;
}

void
jsonl_list_step(struct jsonl *o, const struct pp_value *v)
{
	/* ID_INDEX has a second list, of guests. */
	bool guests = o->list.role == PP_ROLE_ID_REF && v->role == PP_ROLE_GUEST_PID;

	if (!o->list.open || (v->entries && v->index == o->list.index && !guests))
		return;
	if (v->entries && v->index > o->list.index)
		end_entry(o);
	else
		jsonl_list_end(o);
}

void
jsonl_list_value(struct jsonl *o, const struct pp_value *v)
{
	struct json_text *t = &o->line;
	bool begins = !o->list.open || v->index != o->list.index;

	if (!o->list.open)
		begin_list(o, v);
	if (begins)
		o->list.members = 0;
	o->list.index = v->index;
	o->list.members++;
	if (o->list.unwanted)
		return;
	json_room(t, JSON_ROOM);
	if (begins) {
		*t->to++ = ',';
		o->list.entry = json_begin(t);
	}
	if (!o->list.single)
		json_key(t, v->name);
	o->list.value = json_begin(t);
	jsonl_value(o, t, v);
}

/* ---- records ------------------------------------------------------------------------------------- */

static bool
is_taken(const struct jsonl *o, const char *name)
{
	for (unsigned i = 0; i < o->ntaken; i++)
		if (!strcmp(o->taken[i], name))
			return true;
	return false;
}

/* A field of the record's own. */
static void
member(struct jsonl *o, const struct pp_value *v)
{
	char typed[JSON_ROOM / 2];
	const char *name = v->name;

	if (o->r->type == PP_HEADER_FEATURE && v->role == PP_ROLE_OPAQUE)
		return;			/* jsonl_feature() has its values */
	for (unsigned i = 0; i < JSONL_EACH; i++)
		if (!strcmp(name, jsonl_each_names[i])) {
			typed_name(o, name, typed, sizeof typed);
			name = typed;
		}
	if (o->ntaken < JSONL_TAKEN)
		o->taken[o->ntaken++] = v->name;
	if (!jsonl_wants(o, name))
		return;
	json_room(&o->line, JSON_ROOM);
	json_key(&o->line, name);
	jsonl_value(o, &o->line, v);
}

static int
visit(void *arg, const struct pp_value *v)
{
	struct jsonl *o = arg;

	jsonl_list_step(o, v);
	if (v->entries)
		jsonl_list_value(o, v);
	else if (!v->field)
		member(o, v);
	else if (is_taken(o, v->name))
		jsonl_trailer_value(o, &o->id, v);
	else if (jsonl_wants(o, v->name))
		jsonl_trailer_value(o, &o->line, v);
	return 1;
}

/* Walk from the beginning of the members. */
static int
walk(struct jsonl *o, const struct pp_event *ev, size_t at, struct pp_err *err)
{
	o->line.to = o->line.buf + at;
	o->id.to = o->id.buf;
	o->ntaken = o->lists = 0;
	o->list.open = false;
	if (pp_walk_chosen(o->r, ev, o->swap, &o->other, visit, o, err) < 0)
		return -1;
	jsonl_list_end(o);
	return 1;
}

static void
sample_id(struct jsonl *o)
{
	struct json_text *t = &o->line;
	size_t n = (size_t)(o->id.to - o->id.buf), at;

	if (!n || !jsonl_wants(o, "sample_id"))
		return;
	json_room(t, JSON_ROOM + n);
	json_key(t, "sample_id");
	at = json_begin(t);
	json_put(t, o->id.buf, n);
	json_end(t, at, '{', '}');
}

int
jsonl_record(struct jsonl *o, struct pp_err *err)
{
	const struct pp_rec *r = o->r;
	size_t at = json_begin(&o->line);

	if (r->type == PP_SAMPLE) {
		if (pp_sample_walk(o->ev, r, o->swap, &o->sample, jsonl_sample_visit, o, err) < 0)
			return -1;
		jsonl_sample_end(o);
		return 1;
	}
	/* Some recorders write records that have no space for the trailer which the attr promises: those have none. */
	if (walk(o, o->ev, at, err) < 0 && walk(o, NULL, at, &(struct pp_err){ 0 }) < 0)
		return -1;
	sample_id(o);
	if (r->type == PP_HEADER_FEATURE)
		jsonl_feature(o);
	return 1;
}
