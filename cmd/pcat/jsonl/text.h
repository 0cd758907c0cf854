/* SPDX-License-Identifier: ISC */
/*
 * text.h - JSON text in a buffer that grows
 *
 * Objects and lists are written without a look ahead: each member and entry begins with a comma, and when the object or list
 * ends, its first comma becomes the bracket.
 *
 *	at = json_begin(t);
 *	json_key(t, "pid");
 *	json_number(t, pid);
 *	json_end(t, at, '{', '}');
 *
 * What writes a number or a bracket relies on room that was asked for: json_room(), at least JSON_ROOM for a key and its value.
 */
#ifndef JSONL_TEXT_H
#define JSONL_TEXT_H

#include <string.h>

#include "perfpipe_inline.h"

enum { JSON_ROOM = 128 };		/* a key of a row and a number, with brackets */
enum { JSON_ENTRY = 24 };		/* a number in a list, with quotes and comma */
enum { JSON_DIGITS = 20 };		/* of the largest number */

struct json_text {			/* begins zeroed */
	char	*buf, *to, *end;	/* written up to `to' */
};

/* Make room for n bytes, or exit: no memory. */
void	json_grow(struct json_text *, size_t n);
/* A string of n bytes in quotes.  A byte that is not UTF-8, DEL and NUL become \xNN, a backslash two.  It makes its own room. */
void	json_string(struct json_text *, const char *s, size_t n);
/* n bytes in hex, in quotes.  It makes its own room. */
void	json_bytes(struct json_text *, const uint8_t *p, size_t n);
void	json_free(struct json_text *);

static inline void
json_room(struct json_text *t, size_t n)
{
	if ((size_t)(t->end - t->to) < n)
		json_grow(t, n);
}

static inline size_t
json_begin(const struct json_text *t)
{
	return (size_t)(t->to - t->buf);
}

/* End the object or list that began at `at'. */
static inline void
json_end(struct json_text *t, size_t at, char open, char close)
{
	json_room(t, 2);
	if (t->to == t->buf + at)
		t->to++;
	t->buf[at] = open;
	*t->to++ = close;
}

static inline void
json_put(struct json_text *t, const char *s, size_t n)
{
	memcpy(t->to, s, n);
	t->to += n;
}

/* A key that needs no escapes: the name of a row. */
static inline void
json_key(struct json_text *t, const char *name)
{
	char *to = t->to;

	*to++ = ',';
	*to++ = '"';
	while (*name)
		*to++ = *name++;
	*to++ = '"';
	*to++ = ':';
	t->to = to;
}

static inline void
json_number(struct json_text *t, uint64_t n)
{
	extern const char json_digits[];
	char text[2 * JSON_DIGITS], *end = text + JSON_DIGITS, *p = end;

	while (n >= 100) {
		p -= 2;
		memcpy(p, json_digits + n % 100 * 2, 2);
		n /= 100;
	}
	if (n >= 10) {
		p -= 2;
		memcpy(p, json_digits + n * 2, 2);
	} else
		*--p = (char)('0' + n);
	memcpy(t->to, p, JSON_DIGITS);		/* as a size that the compiler knows: it is faster */
	t->to += end - p;
}

static inline void
json_signed(struct json_text *t, int64_t n)
{
	if (n < 0)
		*t->to++ = '-';
	json_number(t, n < 0 ? -(uint64_t)n : (uint64_t)n);
}

/* The 8 digits of a number, the highest first. */
static inline void
json_hex8(char *to, uint32_t n)
{
	uint64_t v = n, letters;

	v = (v << 16 | v) & 0x0000ffff0000ffff;
	v = (v << 8 | v) & 0x00ff00ff00ff00ff;
	v = (v << 4 | v) & 0x0f0f0f0f0f0f0f0f;
	letters = (v + 0x0606060606060606) >> 4 & 0x0101010101010101;
	v += 0x3030303030303030 + letters * ('a' - '0' - 10);
	pp_set_u64((uint8_t *)to, v, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

/* A number as "0x401000". */
static inline void
json_hex(struct json_text *t, uint64_t n)
{
	unsigned digits = n ? (67u - (unsigned)__builtin_clzll(n)) / 4 : 1;
	char text[32];

	json_hex8(text, (uint32_t)(n >> 32));
	json_hex8(text + 8, (uint32_t)n);
	json_put(t, "\"0x", 3);
	memcpy(t->to, text + 16 - digits, 16);
	t->to += digits;
	*t->to++ = '"';
}

/* A number as text. */
static inline void
json_quoted(struct json_text *t, uint64_t n, bool sign)
{
	*t->to++ = '"';
	if (sign)
		json_signed(t, (int64_t)n);
	else
		json_number(t, n);
	*t->to++ = '"';
}

#endif
