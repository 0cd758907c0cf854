/* SPDX-License-Identifier: ISC */
/* run.h - whole tools, each run in a process of its own, with inputs and outputs in memory */
#ifndef FUZZ_WHOLE_RUN_H
#define FUZZ_WHOLE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	const uint8_t	*p;
	size_t		 n;
};

enum { INPUTS = 4, OUTPUT_LONG = 4 << 20 };

/* What a run has left: its status, standard output, what it wrote to the name of @o, and its messages.  Until ran_free(). */
struct ran {
	char		 line[300];	/* as it was given */
	int		 status;
	bool		 full;		/* an output is so long that more runs of it would take too much time */
	struct bytes	 out, other, err;
};

/*
 * Runs a line, `pcat -z @0': @N is the name of input N, @o that of another output; "<N" gives input N to standard input, by a pipe if it
 * has room for all.  Aborts, with the line and the messages, if the tool ends otherwise than by a status of 0 to 2, uses more
 * memory than `mib' or too much time, or fails without a message.
 */
void	run(struct ran *r, const char *line, const struct bytes *in, unsigned mib);
void	ran_free(struct ran *r);

/* What no run may show: aborts with the text, the line and the messages of r. */
_Noreturn void broken(const struct ran *r, const char *law);

#endif
