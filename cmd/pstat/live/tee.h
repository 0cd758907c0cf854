/* SPDX-License-Identifier: ISC */
/*
 * tee.h - the input, copied to standard output while it is read.
 *
 * A pipe-mode stream is copied byte for byte: what a read returned is written before records are made of it.  Any other
 * container becomes a stream, as pcat writes it.
 */
#ifndef PSTAT_LIVE_TEE_H
#define PSTAT_LIVE_TEE_H

#include <signal.h>

#include "count/count.h"

struct tee;
/* Refuses what cannot work.  *stop: give up a write that waits when a signal has set this. */
struct tee *tee_new(struct tool *, const volatile sig_atomic_t *stop);
/* Exit 2 if the figures would be written into the stream. */
void	tee_refuse(const struct tool *, int fd);
/* The next bytes of a stream: `took' of struct pp_watch, with a struct tee. */
int	tee_bytes(void *tee, const uint8_t *p, size_t n);
/* The input is not a stream: copy its records.  Each is put by tee_record(), a lane_fn; before the source refills, flush. */
void	tee_begin_records(struct tee *, struct counts *);
int	tee_flush(struct tee *);
/* Did writing fail? */
bool	tee_failed(const struct tee *);
/* Complete the output and print its error.  true: it is complete. */
bool	tee_close(struct tee *);

#endif
