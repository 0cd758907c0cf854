/* SPDX-License-Identifier: ISC */
/* frames.h - how the records of a stream are framed: all that the harness knows of the format, and it shares no code with common/ */
#ifndef FUZZ_WHOLE_FRAMES_H
#define FUZZ_WHOLE_FRAMES_H

#include "run.h"

enum {
	REC_COMM = 3, REC_EXIT = 4, REC_FORK = 7, REC_SAMPLE = 9, REC_ATTR = 64, REC_TRACING = 66, REC_ROUND = 68, REC_AUXTRACE = 71,
	REC_UPDATE = 78, REC_FEATURE = 80, REC_COMPRESSED = 81, REC_COMPRESSED2 = 83, REC_KERNEL = 64, HEAD = 16
};

struct frame {
	const uint8_t	*p;
	size_t		 n;		/* with the payload behind it */
	uint32_t	 type;
};

struct frames {
	struct frame	*f;
	size_t		 n, space;
	struct bytes	 tail;		/* behind the last whole record: none, if the chain of records fits the stream */
	bool		 swap;
};

uint64_t number(const uint8_t *p, size_t n, bool swap);
void	number_put(uint8_t *p, size_t n, bool swap, uint64_t v);
/* Is it a stream?  Then *f are its whole records, up to the first that does not fit; f's memory is used again. */
bool	frames_of(struct frames *f, struct bytes b);

#endif
