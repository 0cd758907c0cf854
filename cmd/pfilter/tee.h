/* SPDX-License-Identifier: ISC */
/* tee.h - a record whose payload two have to read */
#ifndef PFILTER_TEE_H
#define PFILTER_TEE_H

#include "perfpipe_inline.h"

struct tee;
/* Makes a temporary file, for which it is too late after confinement.  NULL: errno. */
struct tee *tee_new(void);
/*
 * Keep a record and its payload, and give it to `put' so many times, each time as that of a source that has the payload:
 * neither bytes nor source are there any more when put returns.  1, or -1 (text in pp_err).
 */
int	tee_put(struct tee *, struct pp_source *in, const struct pp_rec *r, int times,
	    int (*put)(void *arg, int which, struct pp_source *in, const struct pp_rec *r), void *arg, struct pp_err *);
void	tee_free(struct tee *);

#endif
