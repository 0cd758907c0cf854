/* SPDX-License-Identifier: ISC */
/* spooled.h - records kept as a stream in an unnamed file, to be put several times */
#ifndef PCAT_SPOOLED_H
#define PCAT_SPOOLED_H

#include "sink/out.h"

struct spooled {
	int		 fd;		/* -1: not open */
	struct pp_sink	*sink;
	struct pp_err	 err;		/* of the sink */
	uint64_t	 records;
};

/* Create the file in the directory of the path, in the byte order of `like'.  1, or -1 with the text in err. */
int	spooled_open(struct spooled *, const char *path, struct pp_source *like, struct pp_err *err);
/* Add a record, with its payload from `in'.  1, or -1: err has the text, or else `in' has failed. */
int	spooled_put(struct spooled *, struct pp_source *in, const struct pp_rec *, struct pp_err *err);
/*
 * Put the records from number `from' on to a container.  1, or -1: err has the text, or else the container has failed.
 */
int	spooled_replay(struct spooled *, uint64_t from, struct out *, struct pp_err *err);
void	spooled_close(struct spooled *);

#endif
