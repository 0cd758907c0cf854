/* SPDX-License-Identifier: ISC */
/* number.h - numbers as texts: of SVG, which are not rounded up; of the terminal, of few columns; and the units of time of all. */
#ifndef PSTAT_NUMBER_H
#define PSTAT_NUMBER_H

#include <stdint.h>

/* From years to ns. */
enum { UNIT_YEAR, UNIT_DAY, UNIT_SECOND = 4, UNITS = 8 };
struct number_unit {
	uint64_t	 ns;
	const char	*name, *ascii;
	int		 digits;	/* of the ns, below a second */
};
/* The largest one, from the `first' on, of which there is one in so many ns; else ns. */
const struct number_unit *number_unit(uint64_t ns, unsigned first);
/* Take the zeros from the end of a fraction, and its point; returns the text. */
char	*number_trim(char *text);

/* ---- SVG, and the page ----------------------------------------------------------------------------- */

enum { SVG_TEXT = 48 };			/* bytes of a number as text */

/* Put the digits of n, and zeroes before them for `least' digits, before that end; returns where they begin. */
char	*svg_digits(char *end, uint64_t n, unsigned least);
/* ns as seconds: all nine digits, or as few as say the same. */
const char *svg_time(char to[SVG_TEXT], uint64_t ns);
const char *svg_seconds(char to[SVG_TEXT], uint64_t ns);
/* ns with a unit, two at most: "1 y 3 d", "60 ms". */
const char *svg_duration(char to[SVG_TEXT], uint64_t ns);
/* Up to 9,999 as it is, else three digits or more, and k, M, G, T; exact: all digits, by thousands. */
const char *svg_short(char to[SVG_TEXT], uint64_t n);
const char *svg_exact(char to[SVG_TEXT], uint64_t n);
/* Three digits or more, and B, kB ...; ns, µs, ms, s. */
const char *svg_bytes(char to[SVG_TEXT], uint64_t n);
const char *svg_ns(char to[SVG_TEXT], uint64_t n);
/* A share, as percent with one decimal; a small one as "<0.1%". */
const char *svg_percent(char to[SVG_TEXT], uint64_t part, uint64_t whole);

/* ---- terminal -------------------------------------------------------------------------------------- */

typedef char term_figure[40];
/* "12345", "123k", "1.23M": at most 5 characters. */
char	*term_short(term_figure, double);
/* 3 digits: "1.02 ms".  A unit that is not ns, bytes: "1020". */
char	*term_value(term_figure, uint64_t, const char *unit);
/* All its digits, as pfilter and psort read it: "60ms". */
char	*term_exact(term_figure, uint64_t ns, const char *space);
char	*term_share(term_figure, uint64_t part, uint64_t whole);

#endif
