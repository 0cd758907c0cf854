/* SPDX-License-Identifier: ISC */
/* utf8.h - test for UTF-8, in any locale */
#ifndef PP_UTF8_H
#define PP_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length of the character at p, where n bytes (at least 1) can be read; 0 if it is not valid. */
static inline size_t
utf8_len(const uint8_t *p, size_t n)
{
	size_t len = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 :
	    *p >= 0xf0 && *p < 0xf5 ? 4 : 0;

	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] >= 0xa0) ||	/* overlong; surrogates */
	    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] >= 0x90))	/* overlong; beyond U+10FFFF */
		return 0;
	return len;
}

/* The character of the valid bytes at p, len of them. */
static inline uint32_t
utf8_char(const uint8_t *p, size_t len)
{
	uint32_t c = len == 1 ? *p : *p & (0x7fu >> len);

	for (size_t i = 1; i < len; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

#endif
