/* SPDX-License-Identifier: ISC */
/*
 * tracing_data.h - the payload of TRACING_DATA as a whole, to write another one from it
 *
 * record/tracing.h has the whole layout, and reads names and formats from it while it flows.  The payload has its own byte order,
 * by its endian byte.
 *
 *	front		magic, version, sizes, page header, event header
 *	u32 n		x { u64 size, format text }, of the system ftrace
 *	u32 systems	x { name, u32 events x { u64 size, format text } }
 *	kallsyms	u32 size, text; u32 size, printk formats
 *	lines		since version 0.6 u64 size, command lines: ids and names of tasks
 *	end		padding to 8, as little as possible, which perf checks
 */
#ifndef PP_TRACING_DATA_H
#define PP_TRACING_DATA_H

#include <stdbool.h>

#include "blob.h"

struct tracing_format {		/* one tracepoint; its bytes are in a payload */
	const char	*system, *name;
	size_t		 name_len, len;
	uint64_t	 id;		/* that will be written */
	const uint8_t	*text;
	size_t		 before, after;	/* bytes of the text before its number, and up to its end */
};
struct tracing_formats {
	struct tracing_format *f;	/* freed by its owner */
	size_t		 n;
};
struct tracing_data {		/* begins zeroed */
	struct tracing_formats formats;
	size_t		 front, kallsyms, lines, end;	/* end of the front; start of kallsyms, of the lines; end of all but padding */
	const char	*printk;
	uint32_t	 nprintk;
	bool		 swap;
	uint8_t		 sizeof_long;
};

/* Parse a payload of n bytes, which must stay.  false: it is malformed, or of an unknown version. */
bool	tracing_data_parse(struct tracing_data *, const uint8_t *p, size_t n);
/* Set what depends on the text of a format: all but the system.  false: it does not begin with name and number. */
bool	tracing_format_set(struct tracing_format *, const uint8_t *text, size_t n);
/* Write the formats: ftrace's, and those of all other systems, system by system. */
void	tracing_data_formats(struct blob *, const struct tracing_formats *, bool swap);
/* Write the padding.  The payload must be all that is in the blob. */
void	tracing_data_pad(struct blob *);

#endif
