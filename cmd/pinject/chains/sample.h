/* SPDX-License-Identifier: ISC */
/*
 * sample.h - a sample with a copy of its stack, and the same sample with the call chain instead
 *
 * In a sample (perf-pipe(5)) the call chain precedes the registers, which the copy follows; other fields are in front of them,
 * between, and behind.  All numbers of a sample are in this machine's byte order.
 */
#ifndef CHAINS_SAMPLE_H
#define CHAINS_SAMPLE_H

#include "perfpipe_inline.h"
#include "unwind/unwind.h"

/* What is in the field of the registers. */
enum sample_abi { SAMPLE_NO_USER, SAMPLE_ABI_32, SAMPLE_ABI_64 };

struct stacked {
	struct pp_rec	 rec;
	size_t		 chain, behind;		/* bytes of it: where the chain is, and ends; equal: it has none, and gets one there */
	size_t		 cut, rest;		/* what goes begins, and ends: the copy, and the registers unless they stay */
	uint64_t	 abi;			/* enum sample_abi; without registers SAMPLE_NO_USER */
	struct unwind_regs regs;
	struct unwind_stack stack;
};

/* Take apart a sample of an event with PP_SAMPLE_STACK_USER.  1, or -1: it is not sound. */
int	sample_take(struct stacked *, const struct pp_event *, const struct pp_rec *, bool keep_regs, struct pp_err *);
/* How many frames the largest record has space for. */
size_t	sample_space(const struct stacked *);
/*
 * Write the sample to `to', of PP_RECORD_MAX + 1 bytes: what the chain has of the kernel, then those n frames, at most sample_space(), as
 * its part of user space.  Returns its size.
 */
size_t	sample_put(uint8_t *to, const struct stacked *, const uint64_t *ip, size_t n);
/* Change an attr of `size' bytes, if it is of such an event.  It stays as long as it is. */
void	sample_attr(uint8_t *attr, size_t size, bool keep_regs, bool swap);

#endif
