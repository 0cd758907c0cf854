/* SPDX-License-Identifier: ISC */
/* format.c - format texts of tracepoints: what the fields of a payload are, and their values */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "perfpipe_inline.h"

enum { BOUND = 1 << 20 };	/* of numbers in a text: no valid one is larger */

struct text {			/* what is left of a text */
	const char *p, *end;
};

/* ---- characters ----------------------------------------------------------------------------------- */

static bool
format_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
format_letter(char c)
{
	return format_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool
format_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void
format_skip_blanks(struct text *t)
{
	while (t->p < t->end && format_blank(*t->p))
		t->p++;
}

static void
format_trim(struct text *t)
{
	format_skip_blanks(t);
	while (t->end > t->p && format_blank(t->end[-1]))
		t->end--;
}

/* Step over a word. */
static bool
format_is(struct text *t, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n) != 0)
		return false;
	t->p += n;
	return true;
}

/* Step over a decimal number of at most `bound'. */
static bool
format_decimal(struct text *t, uint64_t bound, uint64_t *n)
{
	const char *from = t->p;

	for (*n = 0; t->p < t->end && format_digit(*t->p); t->p++) {
		*n = 10 * *n + (uint64_t)(*t->p - '0');
		if (*n > bound)
			return false;
	}
	return t->p > from;
}

/* The next line, without its end; false: there is none. */
static bool
format_line(struct text *t, struct text *line)
{
	const char *eol;

	if (t->p == t->end)
		return false;
	eol = memchr(t->p, '\n', (size_t)(t->end - t->p));
	*line = (struct text){ t->p, eol ? eol : t->end };
	t->p = eol ? eol + 1 : t->end;
	return true;
}

bool
pp_format_head(const char *p, size_t n, const char **name, size_t *nname, uint64_t *id)
{
	struct text t = { p, p + n }, line;

	if (!format_line(&t, &line) || !format_is(&line, "name: "))
		return false;
	*name = line.p;
	*nname = (size_t)(line.end - line.p);
	return *nname && *nname <= PP_FORMAT_EVENT && !memchr(*name, 0, *nname) && format_is(&t, "ID: ") &&
	    format_decimal(&t, UINT32_MAX, id) && t.p < t.end && *t.p == '\n';
}

/* ---- types ---------------------------------------------------------------------------------------- */

enum { LONG = 0 };		/* a width: that of a long */
static const struct type {
	const char *name;
	uint8_t	 width;
	bool	 sign;
} types[] = {
	{ "char", 1, true }, { "short", 2, true }, { "int", 4, true }, { "long", LONG, true },
	{ "bool", 1, false }, { "_Bool", 1, false }, { "uint", 4, false }, { "ulong", LONG, false },
	{ "u8", 1, false }, { "u16", 2, false }, { "u32", 4, false }, { "u64", 8, false },
	{ "s8", 1, true }, { "s16", 2, true }, { "s32", 4, true }, { "s64", 8, true },
	{ "__u8", 1, false }, { "__u16", 2, false }, { "__u32", 4, false }, { "__u64", 8, false },
	{ "__s8", 1, true }, { "__s16", 2, true }, { "__s32", 4, true }, { "__s64", 8, true },
	{ "uint8_t", 1, false }, { "uint16_t", 2, false }, { "uint32_t", 4, false }, { "uint64_t", 8, false },
	{ "int8_t", 1, true }, { "int16_t", 2, true }, { "int32_t", 4, true }, { "int64_t", 8, true },
	{ "size_t", LONG, false }, { "ssize_t", LONG, true }, { "pid_t", 4, true }, { "loff_t", 8, true },
	{ "off_t", LONG, true }, { "clockid_t", 4, true }, { "time64_t", 8, true }, { "ktime_t", 8, true },
};
static const char *const ignored[] = {	/* words that change neither size nor sign */
	"const", "volatile", "restrict", "signed", "enum", "__user", "__kernel", "__rcu", "__iomem", "__percpu", "__force",
	"__seg_gs", "__seg_fs",
};

struct decl {			/* TYPE NAME[N] */
	struct text	 name;		/* empty: none was found */
	const struct type *type;	/* NULL: none of the table */
	bool		 is_unsigned, aggregate, pointer, bits, cpumask, odd;
	enum pp_payload_at at;
	unsigned	 dims;
	uint64_t	 count;		/* N; 0: it is no number */
};

static bool
format_word_is(const struct text *w, const char *s)
{
	return strlen(s) == (size_t)(w->end - w->p) && memcmp(w->p, s, strlen(s)) == 0;
}

/* A word of the type; `tag': it follows `struct'. */
static void
decl_word(struct decl *d, const struct text *w, bool tag)
{
	if (tag)
		return;
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		if (format_word_is(w, ignored[i]))
			return;
	if (format_word_is(w, "__data_loc"))
		d->at = PP_PAYLOAD_DATA_LOC;
	else if (format_word_is(w, "__rel_loc"))
		d->at = PP_PAYLOAD_REL_LOC;
	else if (format_word_is(w, "unsigned"))
		d->is_unsigned = true;
	else if (format_word_is(w, "struct") || format_word_is(w, "union"))
		d->aggregate = true;
	else if (format_word_is(w, "cpumask_t"))
		d->cpumask = true;
	else if (d->type && format_word_is(w, "int"))
		;				/* of short int, long int */
	else if (d->type && format_word_is(w, "long")) {
		static const struct type long_long = { "long long", 8, true };

		d->type = &long_long;
	} else {
		d->type = NULL;
		for (size_t i = 0; i < sizeof types / sizeof *types; i++)
			if (format_word_is(w, types[i].name))
				d->type = &types[i];
	}
}

static void
decl_type(struct decl *d, struct text t)
{
	bool tag = false, brackets = false;

	while (format_skip_blanks(&t), t.p < t.end) {
		struct text w = { t.p, t.p };

		if (format_letter(*t.p)) {
			while (w.end < t.end && format_letter(*w.end))
				w.end++;
			decl_word(d, &w, tag);
			tag = format_word_is(&w, "struct") || format_word_is(&w, "union");
			t.p = w.end;
		} else if (*t.p == '*') {
			d->pointer = true;
			t.p++;
		} else if (*t.p == '[') {	/* of __data_loc char[] */
			while (t.p < t.end && *t.p != ']')
				t.p++;
			t.p += t.p < t.end;
			brackets = true;
		} else {
			d->odd = true;
			return;
		}
	}
	if (d->is_unsigned && !d->type)
		d->type = &types[2];		/* `unsigned' */
	d->odd |= brackets && d->at == PP_PAYLOAD_HERE;
}

/* Take dimensions and bits off the end of the declaration. */
static void
decl_end(struct decl *d, struct text *t)
{
	struct text n;

	for (n = *t; n.end > n.p && format_digit(n.end[-1]); n.end--)
		;
	if (n.end < t->end && (format_trim(&n), n.end > n.p) && n.end[-1] == ':') {
		d->bits = true;
		n.end--;
		*t = n;
	}
	while (format_trim(t), t->end > t->p && t->end[-1] == ']') {
		for (n.end = n.p = t->end - 1; n.p > t->p && n.p[-1] != '['; n.p--)
			;
		if (n.p == t->p)
			return;			/* no `[': no name either */
		t->end = n.p - 1;
		format_trim(&n);
		d->dims++;
		if (!format_decimal(&n, BOUND, &d->count) || n.p != n.end)
			d->count = 0;
	}
}

static void
decl_parse(struct decl *d, struct text t)
{
	*d = (struct decl){ .at = PP_PAYLOAD_HERE };
	format_trim(&t);
	decl_end(d, &t);
	d->name = (struct text){ t.end, t.end };
	while (d->name.p > t.p && format_letter(d->name.p[-1]))
		d->name.p--;
	if (d->name.p < d->name.end && format_digit(*d->name.p))
		d->name.p = d->name.end;
	t.end = d->name.p;
	decl_type(d, t);
}

/* ---- fields --------------------------------------------------------------------------------------- */

static bool
format_width_valid(uint64_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

/* The bytes of a value of the type; 0: unknown. */
static unsigned
decl_width(const struct decl *d, unsigned sizeof_long)
{
	if (d->pointer)
		return sizeof_long;
	if (d->aggregate || !d->type)
		return 0;
	return d->type->width == LONG ? sizeof_long : d->type->width;
}

/* The kind of a field, and the width of its numbers. */
static enum pp_payload_kind
field_kind(const struct decl *d, const struct pp_payload_field *f, unsigned sizeof_long, uint64_t *width)
{
	const bool dynamic = d->at != PP_PAYLOAD_HERE, is_char = d->type == &types[0] && !d->is_unsigned && !d->pointer;

	*width = f->size;
	if (d->odd || d->bits || !f->size || d->dims > 1 || (d->aggregate && !d->pointer) || (dynamic && f->size != 4))
		return PP_PAYLOAD_OPAQUE;
	if (d->cpumask && !d->pointer)
		return dynamic ? PP_PAYLOAD_CPUMASK : PP_PAYLOAD_OPAQUE;
	if (!dynamic && !d->dims)
		return format_width_valid(*width) ? PP_PAYLOAD_NUMBER : PP_PAYLOAD_OPAQUE;
	if (is_char)
		return PP_PAYLOAD_STRING;
	if (dynamic || !d->count)
		*width = decl_width(d, sizeof_long);
	else
		*width = f->size % d->count ? 0 : f->size / d->count;
	return format_width_valid(*width) && (dynamic || f->size % *width == 0) ? PP_PAYLOAD_NUMBERS : PP_PAYLOAD_OPAQUE;
}

/* Step over " key:N;". */
static bool
format_value(struct text *t, const char *key, uint64_t *n)
{
	format_skip_blanks(t);
	return format_is(t, key) && format_decimal(t, BOUND, n) && format_is(t, ";");
}

/*
 * A field by the rest of its line, DECL; offset:N; size:N; signed:N;  *name is its name, empty if the declaration has none that we
 * find.  false: *why.
 */
static bool
field_parse(struct pp_payload_field *f, struct text *name, struct text line, unsigned sizeof_long, const char **why)
{
	const char *semicolon = memchr(line.p, ';', (size_t)(line.end - line.p));
	uint64_t off, size, sign, width;
	struct decl d;

	if (!semicolon) {
		*why = "a field without `;'";
		return false;
	}
	decl_parse(&d, (struct text){ line.p, semicolon });
	*name = d.name;
	line.p = semicolon + 1;
	if (!format_value(&line, "offset:", &off) || !format_value(&line, "size:", &size)) {
		*why = "a field without a valid offset and size";
		return false;
	}
	if (off + size > UINT16_MAX) {
		*why = "a field beyond 65535 bytes";
		return false;
	}
	if (d.name.end - d.name.p >= PP_FORMAT_NAME) {
		*why = "a field with a name of more than 255 bytes";
		return false;
	}
	if (!format_value(&line, "signed:", &sign))
		sign = d.type && d.type->sign && !d.is_unsigned;
	*f = (struct pp_payload_field){ .off = (uint16_t)off, .size = (uint16_t)size, .at = d.at, .pointer = d.pointer };
	f->kind = field_kind(&d, f, sizeof_long, &width);
	if (f->kind == PP_PAYLOAD_NUMBER || f->kind == PP_PAYLOAD_NUMBERS) {
		f->width = (uint8_t)width;
		f->sign = sign && !d.pointer;
	}
	return true;
}

/* ---- formats -------------------------------------------------------------------------------------- */

struct fields {			/* while a text is read */
	struct pp_payload_field field[PP_FORMAT_FIELDS];
	struct text	 name[PP_FORMAT_FIELDS];
	unsigned	 n;
	size_t		 names;		/* bytes of all names, with NULs */
};

static bool
fields_have(const struct fields *s, const struct text *name)
{
	size_t n = (size_t)(name->end - name->p);

	for (unsigned i = 0; i < s->n; i++)
		if ((size_t)(s->name[i].end - s->name[i].p) == n && !memcmp(s->name[i].p, name->p, n))
			return true;
	return false;
}

/* Read the fields of a text. */
static bool
fields_parse(struct fields *s, struct text t, unsigned sizeof_long, const char **why)
{
	struct text line, name;
	struct pp_payload_field f;

	s->n = 0;
	s->names = 0;
	while (format_line(&t, &line)) {
		format_skip_blanks(&line);
		if (format_is(&line, "print fmt"))
			break;
		if (!format_is(&line, "field:"))
			continue;
		if (!field_parse(&f, &name, line, sizeof_long, why))
			return false;
		if (name.p == name.end || fields_have(s, &name))
			continue;
		if (s->n == PP_FORMAT_FIELDS) {
			*why = "more than 256 fields";
			return false;
		}
		s->name[s->n] = name;
		s->field[s->n++] = f;
		s->names += (size_t)(name.end - name.p) + 1;
	}
	return true;
}

/* Append n bytes and a NUL.  Returns where they are. */
static const char *
format_append(char **to, const char *p, size_t n)
{
	char *at = *to;

	memcpy(at, p, n);
	at[n] = 0;
	*to += n + 1;
	return at;
}

struct pp_format *
pp_format_parse(const char *system, const char *text, size_t n, unsigned sizeof_long, const char **why)
{
	size_t nsystem = strlen(system), nname;
	struct pp_payload_field *field;
	struct pp_format *f;
	struct fields s;
	const char *name;
	uint64_t id;
	char *to;

	if (n > PP_FORMAT_TEXT) {
		*why = "a text of more than 64 KiB";
		return NULL;
	}
	if (!pp_format_head(text, n, &name, &nname, &id)) {
		*why = "a text without name and ID";
		return NULL;
	}
	if (!fields_parse(&s, (struct text){ text, text + n }, sizeof_long, why))
		return NULL;
	if (!(f = malloc(sizeof *f + s.n * sizeof *field + s.names + nsystem + nname + 2 + n + 1))) {
		*why = NULL;
		return NULL;
	}
	field = (struct pp_payload_field *)(f + 1);
	to = (char *)(field + s.n);
	*f = (struct pp_format){ .id = id, .ntext = n, .field = field, .n = s.n };
	for (unsigned i = 0; i < s.n; i++) {
		field[i] = s.field[i];
		field[i].name = format_append(&to, s.name[i].p, (size_t)(s.name[i].end - s.name[i].p));
	}
	f->text = format_append(&to, text, n);
	f->event = format_append(&to, system, nsystem);
	to[-1] = ':';
	format_append(&to, name, nname);
	return f;
}

void
pp_format_free(struct pp_format *f)
{
	free(f);
}

const struct pp_payload_field *
pp_format_field(const struct pp_format *f, const char *name, size_t n)
{
	for (unsigned i = 0; i < f->n; i++)
		if (!strncmp(f->field[i].name, name, n) && !f->field[i].name[n])
			return &f->field[i];
	return NULL;
}

void
pp_payload_type(const struct pp_payload_field *f, char *to, size_t size)
{
	const char *loc = f->at == PP_PAYLOAD_HERE ? "" : f->at == PP_PAYLOAD_DATA_LOC ? "__data_loc " : "__rel_loc ";
	const char *letter = f->sign ? "s" : "u";
	unsigned bits = 8 * f->width;
	char count[16] = "";

	if (f->at == PP_PAYLOAD_HERE)
		snprintf(count, sizeof count, "%u", f->kind == PP_PAYLOAD_NUMBERS ? f->size / f->width : f->size);
	switch ((enum pp_payload_kind)f->kind) {
	case PP_PAYLOAD_NUMBER:		snprintf(to, size, "%s%u", letter, bits); break;
	case PP_PAYLOAD_STRING:		snprintf(to, size, "%schar[%s]", loc, count); break;
	case PP_PAYLOAD_NUMBERS:	snprintf(to, size, "%s%s%u[%s]", loc, letter, bits, count); break;
	case PP_PAYLOAD_CPUMASK:	snprintf(to, size, "%scpumask", loc); break;
	case PP_PAYLOAD_OPAQUE:		snprintf(to, size, "%sbytes[%s]", loc, count); break;
	}
}

/* ---- values --------------------------------------------------------------------------------------- */

const uint8_t *
pp_payload_get(const struct pp_payload_field *f, const uint8_t *raw, size_t n, bool swap, size_t *len)
{
	size_t at = f->off, size = f->size;

	if (at + size > n)
		return NULL;
	if (f->at != PP_PAYLOAD_HERE) {
		uint32_t loc;

		if (size != sizeof loc)
			return NULL;
		loc = pp_get_u32(raw + at, swap);
		at = (loc & 0xffff) + (f->at == PP_PAYLOAD_REL_LOC ? at + size : 0);
		size = loc >> 16;
		if (at + size > n)
			return NULL;
	}
	*len = f->kind == PP_PAYLOAD_STRING ? strnlen((const char *)raw + at, size) : size;
	return raw + at;
}

uint64_t
pp_payload_number(const uint8_t *p, unsigned width, bool sign, bool swap)
{
	switch (width) {
	case 1:		return sign ? (uint64_t)(int64_t)(int8_t)*p : *p;
	case 2:		return sign ? (uint64_t)(int64_t)(int16_t)pp_get_u16(p, swap) : pp_get_u16(p, swap);
	case 4:		return sign ? (uint64_t)(int64_t)(int32_t)pp_get_u32(p, swap) : pp_get_u32(p, swap);
	default:	return pp_get_u64(p, swap);
	}
}
