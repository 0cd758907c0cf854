/* SPDX-License-Identifier: ISC */
/* sample.c - the fields of a SAMPLE, and of the trailer of another record */
#include <string.h>

#include "in.h"
#include "record/chain.h"
#include "record/sample.h"

/* By bit: what stands before the value of a field of the fixed part, or of one with one number. */
static const struct key { char text[24]; uint8_t n, form; } keys[PP_SAMPLE_BITS] = {
#define SAMPLE(bit, NAME, name, where, form, ...) [bit] = { ",\"" #name "\":", sizeof ",\"" #name "\":" - 1, PP_FORM_##form },
#include "record/sample.def"
#undef SAMPLE
};

static void
key_of(struct json_text *t, const struct key *k)
{
	memcpy(t->to, k->text, sizeof k->text);
	t->to += k->n;
}

/* ---- fields with one number ---------------------------------------------------------------------- */

/* Both kinds of weight have the member `weight', which is what perf shows. */
static void
weights(struct json_text *t, const struct key *k, uint64_t n)
{
	key_of(t, k);
	json_quoted(t, n & UINT32_MAX, false);
	json_put(t, ",\"weight2\":", 11);
	json_number(t, n >> 32 & UINT16_MAX);
	json_put(t, ",\"weight3\":", 11);
	json_number(t, n >> 48);
}

/* false: it is of another form. */
static inline bool
simple(const struct jsonl *o, struct json_text *t, const struct pp_value *v)
{
	const struct key *k = &keys[__builtin_ctz(v->field)];

	json_room(t, JSON_ROOM);
	switch (k->form) {
	case PP_FORM_U64:
		key_of(t, k);
		if (v->kind == PP_K_HEX)
			json_hex(t, pp_get_u64(v->p, o->swap));
		else
			json_quoted(t, pp_get_u64(v->p, o->swap), false);
		return true;
	case PP_FORM_PID_TID:
		if (v->role == PP_ROLE_PID)
			json_put(t, ",\"pid\":", 7);
		else
			key_of(t, k);
		json_signed(t, (int32_t)pp_get_u32(v->p, o->swap));
		return true;
	case PP_FORM_CPU:
		key_of(t, k);
		json_signed(t, (int32_t)pp_get_u32(v->p, o->swap));
		return true;
	case PP_FORM_WEIGHT:
		weights(t, k, pp_get_u64(v->p, o->swap));
		return true;
	}
	return false;
}

int
jsonl_trailer_value(struct jsonl *o, struct json_text *t, const struct pp_value *v)
{
	simple(o, t, v);
	return 1;
}

/* ---- fields of several parts --------------------------------------------------------------------- */

void
jsonl_frame(struct json_text *t, uint64_t ip)
{
	static const struct { uint64_t marker; const char *word; } words[] = {
		{ PP_CONTEXT(HV), "\"hv\"" }, { PP_CONTEXT(KERNEL), "\"kernel\"" }, { PP_CONTEXT(USER), "\"user\"" },
		{ PP_CONTEXT(USER_DEFERRED), "\"user_deferred\"" }, { PP_CONTEXT(GUEST_KERNEL), "\"guest_kernel\"" },
		{ PP_CONTEXT(GUEST_USER), "\"guest_user\"" },
	};

	for (size_t i = 0; pp_is_context(ip) && i < sizeof words / sizeof *words; i++)
		if (words[i].marker == ip) {
			json_put(t, words[i].word, strlen(words[i].word));
			return;
		}
	json_hex(t, ip);
}

static void
chain(struct jsonl *o, struct json_text *t, const uint8_t *p, size_t n)
{
	size_t at = json_begin(t);

	json_room(t, n / 8 * JSON_ENTRY + 2);
	for (const uint8_t *end = p + n; p < end; p += 8) {
		uint64_t ip = pp_get_u64(p, o->swap);

		*t->to++ = ',';
		if (pp_is_context(ip))
			jsonl_frame(t, ip);
		else
			json_hex(t, ip);
	}
	json_end(t, at, '[', ']');
}

static void
open_field(struct jsonl *o, const struct pp_value *v)
{
	if (o->open == v->field)
		return;
	json_room(&o->line, JSON_ROOM);
	json_key(&o->line, pp_sample_row(v->field)->name);
	o->open = v->field;
	o->open_at = json_begin(&o->line);
}

void
jsonl_sample_end(struct jsonl *o)
{
	jsonl_list_end(o);
	if (o->open)
		json_end(&o->line, o->open_at, '{', '}');
	o->open = 0;
}

static void
part(struct jsonl *o, const struct pp_value *v)
{
	const struct pp_sample_row *row = pp_sample_row(v->field);
	bool main = !strcmp(v->name, row->name);

	if (row->form == PP_FORM_RAW) {
		if (main)
			jsonl_raw(o, v->p, v->len);
	} else if (row->form == PP_FORM_CHAIN) {
		if (!main && pp_get_u64(v->p, o->swap))
			return;
		json_room(&o->line, JSON_ROOM);
		json_key(&o->line, row->name);
		chain(o, &o->line, v->p, main ? v->len : 0);
	} else {
		open_field(o, v);
		if (v->entries) {
			jsonl_list_value(o, v);
			return;
		}
		json_room(&o->line, JSON_ROOM);
		json_key(&o->line, main ? "data" : v->name);
		jsonl_value(o, &o->line, v);
	}
}

int
jsonl_sample_visit(void *arg, const struct pp_value *v)
{
	struct jsonl *o = arg;

	if (o->open) {
		jsonl_list_step(o, v);
		if (o->open != v->field)
			jsonl_sample_end(o);
	}
	if (v->field == PP_SAMPLE_TID && !(v->role == PP_ROLE_PID ? o->pid : o->tid))
		return 1;
	o->seen |= v->field;
	if (!simple(o, &o->line, v))
		part(o, v);
	return 1;
}
