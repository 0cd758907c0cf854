/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "set.h"
#include "text.h"
#include "tool/tool.h"
#include "tool/utf8.h"

const char json_digits[] =
    "00010203040506070809" "10111213141516171819" "20212223242526272829" "30313233343536373839" "40414243444546474849"
    "50515253545556575859" "60616263646566676869" "70717273747576777879" "80818283848586878889" "90919293949596979899";
static const char hex[] = "0123456789abcdef";

void
json_grow(struct json_text *t, size_t n)
{
	size_t used = (size_t)(t->to - t->buf), space = (size_t)(t->end - t->buf);

	t->buf = tool_need(buffer_more(t->buf, &space, used, n));
	t->to = t->buf + used;
	t->end = t->buf + space;
}

void
json_free(struct json_text *t)
{
	free(t->buf);
}

void
json_bytes(struct json_text *t, const uint8_t *p, size_t n)
{
	json_room(t, 2 * n + 2);
	*t->to++ = '"';
	for (; n; n--, p++) {
		*t->to++ = hex[*p >> 4];
		*t->to++ = hex[*p & 15];
	}
	*t->to++ = '"';
}

/* \uNNNN, two of them above U+FFFF. */
static void
json_u(struct json_text *t, uint32_t c)
{
	if (c > 0xffff) {
		json_u(t, 0xd7c0 + (c >> 10));
		c = 0xdc00 | (c & 0x3ff);
	}
	json_put(t, "\\u", 2);
	for (int shift = 12; shift >= 0; shift -= 4)
		*t->to++ = hex[c >> shift & 15];
}

/* What is not plain: the character at p, of which n bytes are there.  Its length. */
static size_t
json_escape(struct json_text *t, const uint8_t *p, size_t n)
{
	size_t len = *p && *p != 0x7f ? utf8_len(p, n) : 0;

	if (!len) {
		json_put(t, "\\\\x", 3);
		*t->to++ = hex[*p >> 4];
		*t->to++ = hex[*p & 15];
		return 1;
	}
	if (*p == '\\')
		json_put(t, "\\\\\\\\", 4);
	else if (*p == '"')
		json_put(t, "\\\"", 2);
	else if (*p < 0x20 || tool_hidden(utf8_char(p, len)))	/* a terminal may obey it */
		json_u(t, utf8_char(p, len));
	else
		json_put(t, (const char *)p, len);
	return len;
}

void
json_string(struct json_text *t, const char *s, size_t n)
{
	const uint8_t *p = (const uint8_t *)s;

	json_room(t, 6 * n + 2);		/* at most \u001b for a byte */
	*t->to++ = '"';
	while (n) {
		size_t len = 1;

		if (*p >= 0x20 && *p < 0x7f && *p != '"' && *p != '\\')
			*t->to++ = (char)*p;
		else
			len = json_escape(t, p, n);
		p += len;
		n -= len;
	}
	*t->to++ = '"';
}
