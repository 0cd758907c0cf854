/* SPDX-License-Identifier: ISC */
/* formats_dir.h - the formats that a tracing directory has, as the payload of TRACING_DATA; only formats*.c include it */
#ifndef PCAT_FORMATS_DIR_H
#define PCAT_FORMATS_DIR_H

#include "tool/tool.h"

struct formats_text {
	char		*system;	/* "sched" */
	uint64_t	 id;
	char		*text;		/* the file "format", and its length */
	size_t		 n;
};
struct formats_dir {			/* made empty, freed by formats_dir_free() */
	char		*page, *event;	/* header_page and header_event */
	size_t		 npage, nevent;
	struct formats_text *texts;
	size_t		 n;
};
/* Read events/header_page, events/header_event, events/SYSTEM/EVENT/format.  1, or -1: err says what is missing. */
int	formats_dir_read(struct formats_dir *, const char *path, struct pp_err *err);
/* Does the directory have the format of that tracepoint? */
bool	formats_dir_has(const struct formats_dir *, uint64_t id);
/* A payload with the formats of these tracepoints, padded to 8, in that byte order.  *n: its length.  The caller frees it. */
uint8_t	*formats_dir_payload(const struct formats_dir *, const uint64_t *ids, size_t nids, bool swap, size_t *n);
void	formats_dir_free(struct formats_dir *);

#endif
