/* SPDX-License-Identifier: ISC */
/*
 * whole.h - an input of the target: a head, and the files of a run
 *
 *	"way"  1 byte  the row of the table of ways
 *	       1       what is changed first: 0 nothing, else the size of a record of the first file (DAMAGE bits)
 *	       2       a number that the line may have, little-endian
 *	       1       how many files, less one
 *	       for each but the last: 3 bytes, its length
 *	       the files
 *
 * Any other input is one file, and its bytes choose the rest.
 */
#ifndef FUZZ_WHOLE_WHOLE_H
#define FUZZ_WHOLE_WHOLE_H

#include "run.h"

enum { WHOLE_HEAD = 8 };

struct whole {
	uint8_t		 way, damage;
	uint16_t	 number;
	unsigned	 n;
	struct bytes	 in[INPUTS];
};

void	whole_read(struct whole *w, const uint8_t *data, size_t size);

#endif
