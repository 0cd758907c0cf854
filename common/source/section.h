/* SPDX-License-Identifier: ISC */
/* section.h - the data section of a perf.data, for who copies it without reading it */
#ifndef PP_SECTION_H
#define PP_SECTION_H

#include "perfpipe_inline.h"

struct pp_section {
	int		 fd;		/* the file, which stays the source's */
	uint64_t	 off, len;
};
/*
 * The data section of a source that has just begun.  NULL; or why it has to be read: what the header of another file must say of it is
 * not in this header.
 */
const char *pp_data_section(const struct pp_source *, struct pp_section *);

#endif
