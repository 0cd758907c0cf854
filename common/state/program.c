/* SPDX-License-Identifier: ISC */
/* program.c - the state as other programs use it: with the source, and the place of an address */
#include "state.h"

struct pp_state *
pp_state_of(const struct pp_source *s, struct pp_err *err)
{
	return pp_state_new(s->swap, err);
}

int
pp_state_take(struct pp_state *state, const struct pp_source *s, const struct pp_rec *r)
{
	const struct pp_event *ev;

	if (!pp_state_wants(r->type))
		return 1;
	ev = r->type < PP_USER_TYPE_START ? pp_event_find(s->events, r, NULL) : NULL;
	return pp_state_feed(state, r, ev && pp_has_trailer(ev, r) ? ev->plan.trailer : 0);
}

int
pp_state_place(const struct pp_state *state, uint32_t pid, unsigned cpumode, uint64_t ip, struct pp_place *to)
{
	const struct pp_map *map = pp_state_map(state, pid, cpumode, ip);

	*to = (struct pp_place){ map, map ? pp_state_dso(state, map) : NULL, map ? ip - map->start + map->pgoff : 0 };
	return map != NULL;
}
