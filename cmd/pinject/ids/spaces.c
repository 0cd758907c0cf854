/* SPDX-License-Identifier: ISC */
/* spaces.c - see spaces.h */
#include <stdlib.h>

#include "spaces.h"
#include "tool/tool.h"

enum { SPACES = 64 };			/* at first */

/* The state has changed since the space was used, or it is new. */
static void
space_renew(const struct spaces *all, struct space *s, unsigned mode)
{
	const struct pp_maps *maps = pp_state_maps(all->state, s->pid, mode);
	uint64_t version = maps ? pp_maps_version(maps) : 0;

	if (s->version != version)
		*s = (struct space){ .pid = s->pid, .version = version };
	s->feeds = all->feeds;
	s->maps = maps;
}

/* Make space for another one: drop those of processes that are gone. */
static void
spaces_more(struct spaces *all)
{
	uint32_t n = 0;

	set_clear(&all->by_pid);
	for (uint32_t i = 0; i < all->n; i++)
		if (pp_state_maps(all->state, all->space[i].pid, PP_MISC_USER)) {
			all->space[n] = all->space[i];
			set_put(&all->by_pid, set_hash(&all->by_pid, all->space[n].pid), n + 1);
			n++;
		}
	all->n = n;
	if (n <= all->max / 2)
		return;
	all->max *= 2;
	all->space = tool_need(reallocarray(all->space, all->max, sizeof *all->space));
}

static struct space *
spaces_add(struct spaces *all, uint32_t pid, uint64_t hash)
{
	if (!pp_state_maps(all->state, pid, PP_MISC_USER))
		return NULL;
	if (all->n == all->max)
		spaces_more(all);
	all->space[all->n++] = (struct space){ .pid = pid };
	if (set_add(&all->by_pid, hash, all->n) < 0)
		tool_no_memory();
	return &all->space[all->n - 1];
}

/* NULL: there is none yet. */
static inline struct space *
spaces_find(const struct spaces *all, uint32_t pid, uint64_t hash)
{
	uint32_t i = set_first(&all->by_pid, hash);
	uint64_t at = 0;

	if (i && all->space[i - 1].pid != pid)
		while ((i = set_next(&all->by_pid, hash, &at)) && all->space[i - 1].pid != pid)
			;
	return i ? &all->space[i - 1] : NULL;
}

struct space *
spaces_of(struct spaces *all, uint32_t pid)
{
	uint64_t hash = set_hash(&all->by_pid, pid);
	struct space *s = spaces_find(all, pid, hash);

	if (!s && !(s = spaces_add(all, pid, hash)))
		return NULL;
	if (s->feeds != all->feeds)
		space_renew(all, s, PP_MISC_USER);
	return s->maps ? s : NULL;
}

struct space *
spaces_kernel(struct spaces *all)
{
	if (all->kernel.feeds != all->feeds)
		space_renew(all, &all->kernel, PP_MISC_KERNEL);
	return &all->kernel;
}

void
spaces_begin(struct spaces *all, uint32_t pid)
{
	struct space *s = spaces_find(all, pid, set_hash(&all->by_pid, pid));

	if (s)
		*s = (struct space){ .pid = pid };
}

void
spaces_init(struct spaces *all, struct pp_state *state)
{
	*all = (struct spaces){ .state = state, .feeds = 1, .max = SPACES };
	all->space = tool_alloc(SPACES, sizeof *all->space);
	set_init(&all->by_pid);
}

void
spaces_free(struct spaces *all)
{
	set_free(&all->by_pid);
	free(all->space);
}
