/* SPDX-License-Identifier: ISC */
/* tee.h - writes a record with payload to both outputs */
#ifndef PFILTER_TEE_H
#define PFILTER_TEE_H

#include "perfpipe_inline.h"

struct tee;
/* Makes a temporary file, so must be called before confinement.  NULL: errno. */
struct tee *tee_new(void);
/*
 * Store a record and its payload in the file, and call `put' `times' times with a source from which the payload can be read.  The
 * record and that source are invalid when put has returned.  1, or -1 (text in pp_err).
 */
int	tee_put(struct tee *, struct pp_source *in, const struct pp_rec *r, int times,
	    int (*put)(void *arg, int which, struct pp_source *in, const struct pp_rec *r), void *arg, struct pp_err *);
void	tee_free(struct tee *);

#endif
