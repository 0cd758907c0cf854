/* SPDX-License-Identifier: ISC */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "tool/tool.h"
#include "tool/utf8.h"

/* Does the character, of len bytes, act on a terminal or on other text? */
static bool
text_acts(const uint8_t *p, size_t len)
{
	uint32_t c = utf8_char(p, len);

	return c < 0x20 || tool_hidden(c);
}

char *
text_plain(const char *s, size_t n, bool shown)
{
	const uint8_t *p = (const uint8_t *)s;
	char *text = tool_alloc(4 * n + 1, 1), *to = text;

	while (n) {
		size_t len = *p && *p != 0x7f ? utf8_len(p, n) : 0, bytes = len ? len : 1;

		if (!len || (shown && text_acts(p, len)))
			for (size_t i = 0; i < bytes; i++)
				to += sprintf(to, "\\x%02x", p[i]);
		else if (*p == '\\')
			to += sprintf(to, "\\\\");
		else {
			memcpy(to, p, len);
			to += len;
		}
		p += bytes;
		n -= bytes;
	}
	return text;
}

static int
text_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void
text_print(FILE *f, const char *s, size_t n)
{
	char *text = text_plain(s, n, true);

	fputs(text, f);
	free(text);
}

char *
text_back(const char *s, size_t *n)
{
	char *bytes = tool_alloc(strlen(s) + 1, 1), *to = bytes;

	for (; *s; s++)
		if (s[0] == '\\' && s[1] == '\\')
			*to++ = *++s;
		else if (s[0] == '\\' && s[1] == 'x' && text_digit(s[2]) >= 0 && text_digit(s[3]) >= 0) {
			*to++ = (char)(text_digit(s[2]) << 4 | text_digit(s[3]));
			s += 3;
		} else
			*to++ = *s;
	*n = (size_t)(to - bytes);
	return bytes;
}

const char *
text_bar(unsigned step, bool utf8)
{
	static const char *const bars[][2] = {
		{ " ", " " }, { ".", "▁" }, { ":", "▂" }, { "-", "▃" }, { "=", "▄" }, { "+", "▅" }, { "*", "▆" }, { "#", "▇" }, { "@", "█" },
	};

	return bars[step < 8 ? step : 8][utf8];
}
