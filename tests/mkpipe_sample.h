/* SPDX-License-Identifier: ISC */
/*
 * mkpipe_sample.h - the fields of variable size after a sample's fixed fields, by sample_type.
 */
#ifndef MKPIPE_SAMPLE_H
#define MKPIPE_SAMPLE_H

#include "mkpipe.h"

struct event { uint64_t sample_type, flags, id, branch; uint8_t raw[4096]; size_t len; };

static void
regs(struct buf *b, const char *s)		/* abi, then the registers */
{
	if (!words(b, s, word_u64, NULL))
		num(b, 0, 8);
}

static void
sample_branches(struct buf *b, const struct line *l, const struct event *e)
{
	num(b, value(l, "nr_branch", words(NULL, body(l, "branch"), NULL, NULL)), 8);
	if (e->branch >> 17 & 1)	/* HW_INDEX */
		num(b, value(l, "hw_idx", 0), 8);
	words(b, body(l, "branch"), word_tuple, "/8/8/8");
	if (e->branch >> 19 & 1)	/* COUNTERS */
		words(b, body(l, "counters"), word_u64, NULL);
}

static void
sized(struct buf *b, const char *bytes, unsigned width)
{
	size_t was = b->n;

	num(b, 0, width);
	hex(b, bytes ? bytes : "");
	store(b->p + was, b->n - was - width, width);
}

static void
sample_var(struct buf *b, const struct line *l, const struct event *e)
{
	uint64_t st = e->sample_type;
	size_t was;

	if (st >> READ & 1)
		words(b, body(l, "read"), word_u64, NULL);
	if (st >> CALLCHAIN & 1) {
		num(b, value(l, "nr", words(NULL, body(l, "chain"), NULL, NULL)), 8);
		words(b, body(l, "chain"), word_u64, NULL);
	}
	if (st >> RAW & 1) {
		was = b->n;
		sized(b, body(l, "raw"), 4);
		if (body(l, "raw_size"))
			store(b->p + was, value(l, "raw_size", 0), 4);
	}
	if (st >> BRANCH_STACK & 1)
		sample_branches(b, l, e);
	if (st >> REGS_USER & 1)
		regs(b, body(l, "uregs"));
	if (st >> STACK_USER & 1) {
		sized(b, body(l, "stack"), 8);
		if (body(l, "stack"))
			num(b, value(l, "dyn_size", strlen(body(l, "stack")) / 2), 8);
	}
	if ((st >> WEIGHT | st >> WEIGHT_STRUCT) & 1)
		num(b, value(l, "weight", 0), 8);
	if (st >> DATA_SRC & 1)
		num(b, value(l, "data_src", 0), 8);
	if (st >> TRANSACTION & 1)
		num(b, value(l, "transaction", 0), 8);
	if (st >> REGS_INTR & 1)
		regs(b, body(l, "iregs"));
	if (st >> PHYS_ADDR & 1)
		num(b, value(l, "phys_addr", 0), 8);
	if (st >> CGROUP & 1)
		num(b, value(l, "cgroup", 0), 8);
	if (st >> DATA_PAGE_SIZE & 1)
		num(b, value(l, "data_page", 0), 8);
	if (st >> CODE_PAGE_SIZE & 1)
		num(b, value(l, "code_page", 0), 8);
	if (st >> AUX & 1)
		sized(b, body(l, "aux"), 8);
}

#endif
