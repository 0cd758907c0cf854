/* SPDX-License-Identifier: ISC */
/*
 * maptext.h - the text of a perf-PID.map: a line "START SIZE NAME" for each function, both numbers in hex
 *
 * Lines have no time.  Where functions overlap, the last line counts.  A line that cannot be understood is counted and left out.
 */
#ifndef MAPTEXT_H
#define MAPTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAPTEXT_LINE_MAX = 4096, MAPTEXT_MAX = 64 << 20, MAPTEXT_LINES_MAX = 1 << 21 };

struct maptext_symbol {
	uint64_t	 start, size;
	uint32_t	 line;			/* index of its line */
	bool		 over;			/* it took the place of what earlier calls of maptext_ready() knew */
};
struct maptext_list { struct maptext_symbol *v; size_t n; };

struct maptext {				/* begins zeroed */
	char		*text;			/* of the file so far */
	size_t		 n, cap;
	size_t		 parsed;		/* bytes of lines that are complete */
	struct maptext_line { uint64_t start, size; size_t name; } *line;
	size_t		 lines, whole;	/* whole: those of complete lines */
	struct maptext_symbol *symbol;		/* ascending, disjoint; in one of the lists */
	size_t		 symbols;
	struct maptext_list complete;		/* of complete lines */
	struct maptext_list other, fresh;	/* with the last line; of new lines alone */
	uint64_t	 bad;			/* lines that were left out */
	bool		 full;			/* it is longer than MAPTEXT_MAX bytes or MAPTEXT_LINES_MAX lines: the rest is ignored */
};

/* Append bytes of the file. */
void		 maptext_append(struct maptext *, const char *, size_t);
/* Are these bytes, the last of the file that were read, still those that were appended?  If not, the file was written anew. */
enum { MAPTEXT_TAIL = 256 };
size_t		 maptext_tail(const struct maptext *);		/* the number of bytes to compare, at most MAPTEXT_TAIL */
bool		 maptext_has_tail(const struct maptext *, const char *);
/* Call it after the last append and before the functions below.  It copies all symbols, and sorts only the new ones. */
void		 maptext_ready(struct maptext *);
/* The symbol that contains the address; NULL: none. */
const struct maptext_symbol *maptext_find(const struct maptext *, uint64_t addr);
/* The first symbol that ends behind the address, and the next one; NULL: none. */
const struct maptext_symbol *maptext_from(const struct maptext *, uint64_t addr);
const struct maptext_symbol *maptext_next(const struct maptext *, const struct maptext_symbol *);
const char	*maptext_name(const struct maptext *, const struct maptext_symbol *);
size_t		 maptext_memory(const struct maptext *);
void		 maptext_free(struct maptext *);

#endif
