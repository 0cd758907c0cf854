/* SPDX-License-Identifier: ISC */
/*
 * text.h - text of a recording in forms that programs read: valid UTF-8, the same in each locale.
 *
 * A byte that is not valid UTF-8, DEL and NUL become \xNN, and a backslash two: text_back() has the bytes back.
 */
#ifndef PSTAT_TEXT_H
#define PSTAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * `shown': also the characters that act on a terminal or on other text, controls, marks of direction, tags, are \xNN, byte by
 * byte.  The caller frees it.
 */
char	*text_plain(const char *, size_t n, bool shown);
/* Print it so: also what acts on a terminal is harmless. */
void	text_print(FILE *, const char *, size_t n);
/* The bytes of which text_plain() made this text; *n of them, and a NUL.  The caller frees them. */
char	*text_back(const char *, size_t *n);

/* A character for a step from 0, nothing, to 8: a bar of that height; without UTF-8 a darker one for more. */
const char *text_bar(unsigned step, bool utf8);

#endif
