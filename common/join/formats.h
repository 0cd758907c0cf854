/* SPDX-License-Identifier: ISC */
/* formats.h - formats of tracepoints, as formats.c gives numbers to them and tracing.c writes them */
#ifndef PP_JOIN_FORMATS_H
#define PP_JOIN_FORMATS_H

#include "convert/tracing_data.h"
#include "in.h"

struct join_formats {		/* of the joined stream */
	const struct input *of;	/* the first input with formats; NULL: none has */
	bool		 differ;	/* others have other formats: the rest is set */
	struct tracing_data first;		/* of `of', with the formats of all */
	bool		*used;		/* by number */
	unsigned	 largest;	/* number */
};

#endif
