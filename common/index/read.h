/* SPDX-License-Identifier: ISC */
/* read.h - for read.c, read_copy.c */
#ifndef PPI_READ_H
#define PPI_READ_H

#include "index.h"

struct ppi_reader {
	int		 fd;
	uint32_t	 version;
	uint64_t	 size;			/* of the index; entries end here, or where the end begins */
	uint64_t	 entries_end;
	uint64_t	 at;			/* of the next entry */
	struct ppi_head	 head;
	struct ppi_end	 end;
	bool		 whole;
	uint8_t		*end_buf;		/* arrays of end */
	uint8_t		*buf;			/* from offset buf_at on, n bytes */
	size_t		 cap, n;
	uint64_t	 buf_at;
	uint64_t	*words;			/* sets of the entry */
	uint32_t	*tasks;
	size_t		 capwords, captasks;
	uint32_t	 last_file;		/* where the entry before ended */
	uint64_t	 last_end;
};

/* The entry or snapshot at x->at: *n bytes, not less than `fixed' and the hash.  NULL: there is none of that magic, or it is not sound. */
const uint8_t *ppi_item(struct ppi_reader *x, uint32_t magic, size_t fixed, size_t *n);
/* Memory for n of that size at *p.  false: none. */
bool	ppi_grow(void *p, size_t *cap, size_t n, size_t size);

#endif
