/* SPDX-License-Identifier: ISC */
/* join_formats.h - formats of tracepoints, as join_formats.c gives numbers to them and join_tracing.c writes them */
#ifndef PP_JOIN_FORMATS_H
#define PP_JOIN_FORMATS_H

#include "join_in.h"

struct format {			/* one tracepoint; its bytes are in the payload of an input */
	const char	*system, *name;
	size_t		 name_len, len;
	uint64_t	 id;		/* in the joined stream */
	const uint8_t	*text;
	size_t		 before, after;	/* bytes of the text before its number, and up to its end */
};

struct formats {
	struct format	*f;
	size_t		 n;
};

/*
 * The payload of a TRACING_DATA (tracing.h has the whole layout).  It has its own byte order, by its endian byte.
 *
 *	front		magic, version, sizes, page header, event header
 *	u32 n		x { u64 size, format text }, of the system ftrace
 *	u32 systems	x { name, u32 events x { u64 size, format text } }
 *	kallsyms	u32 size, text; u32 size, printk formats
 *	lines		since version 0.6 u64 size, command lines
 *	end		padding to 8, as little as possible, which perf checks
 */
struct payload {
	struct formats	 formats;
	size_t		 front, kallsyms, lines, end;	/* end of the front; start of kallsyms, of the lines; end of all but padding */
	const char	*printk;
	uint32_t	 nprintk;
	bool		 swap;
	uint8_t		 sizeof_long;
};

struct join_formats {		/* of the joined stream */
	const struct input *of;	/* the first input with formats; NULL: none has */
	bool		 differ;	/* others have other formats: the rest is set */
	struct payload	 first;		/* of `of', with the formats of all */
	bool		*used;		/* by number */
	unsigned	 largest;	/* number */
};

#endif
