/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "pid_block.h"
#include "record/order.h"
#include "tool/tool.h"

struct pid_block {
	struct pp_ids	 ids;
	uint32_t	 last, last_new;	/* the pid that was asked for last */
	uint32_t	 base, event_ids;	/* the number of the first pid; event ids given */
	bool		 full, missed;
	uint8_t		*buf;			/* of PP_REWRITE_SIZE bytes, until all are numbered */
};

struct pid_block *
pid_block_new(void)
{
	struct pid_block *b = tool_alloc(1, sizeof *b);

	b->buf = tool_alloc(1, PP_REWRITE_SIZE);
	return b;
}

void
pid_block_free(struct pid_block *b)
{
	if (!b)
		return;
	pp_ids_free(&b->ids);
	free(b->buf);
	free(b);
}

/* A pid_map that changes nothing. */
static uint32_t
pid_block_take(void *arg, uint32_t pid)
{
	struct pid_block *b = arg;

	if (pid != b->last && !pp_ids_get(&b->ids, pid, NULL))
		b->full |= b->ids.by.n == PID_BLOCK_MAX || pp_ids_put(&b->ids, pid, 0) < 0;
	b->last = pid;
	return pid;
}

int
pid_block_add(struct pid_block *b, const struct pp_source *in, const struct pp_rec *r, struct pp_err *err)
{
	struct pp_rewrite rw = { .events = in->events, .swap = in->swap, .pid_map = pid_block_take, .pid_arg = b, .buf = b->buf,
	    .err = err };
	struct pp_rec copy = *r;

	if (pp_rewrite(&rw, &copy) < 0)
		return -1;
	return b->full ? pp_fail(err, "more than %d pids", PID_BLOCK_MAX) : 1;
}

uint32_t
pid_block_size(const struct pid_block *b)
{
	return b->ids.by.n;
}

void
pid_block_number(struct pid_block *b, uint32_t base)
{
	uint32_t n = pid_block_size(b), *pid = tool_alloc((size_t)n + 1, sizeof *pid);

	for (uint32_t k = 0; k < n; k++)
		pid[k] = (uint32_t)b->ids.pair[k].from;
	qsort(pid, n, sizeof *pid, order_u32);
	for (uint32_t k = 0; k < n; k++)
		pp_ids_put(&b->ids, pid[k], base + k);	/* it is there, so that needs no memory */
	free(pid);
	free(b->buf);
	b->buf = NULL;
	b->last = b->last_new = 0;
	b->base = base;
}

uint64_t
pid_block_event_id(struct pid_block *b)
{
	return (uint64_t)b->base << 32 | ++b->event_ids;
}

uint32_t
pid_block_map(void *block, uint32_t pid)
{
	struct pid_block *b = block;
	uint64_t new;

	if (pid == b->last)
		return b->last_new;
	if (!pp_ids_get(&b->ids, pid, &new)) {
		b->missed = true;
		return pid;
	}
	b->last = pid;
	return b->last_new = (uint32_t)new;
}

bool
pid_block_missed(const struct pid_block *b)
{
	return b->missed;
}
