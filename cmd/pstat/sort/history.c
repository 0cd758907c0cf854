/* SPDX-License-Identifier: ISC */
/*
 * history.c - keys that depend on history: comm, dso, cgroup, container of the time of the sample
 *
 * Samples wait, as little as is needed of them, until all side-band of their time is known: by perf's rounds, or when the
 * memory is used up (then some may get the names of another time, and the report is not exact).  Only the side-band is sorted:
 * turns.h.  Where stacks are counted, too, samples wait with these, for the same state.
 */
#include <stdlib.h>
#include <string.h>

#include "field/container_path.h"
#include "record/event.h"
#include "set.h"
#include "sort/in.h"
#include "stacks/stacks.h"
#include "state/state.h"
#include "state/turns.h"

enum {
	HITS_FIRST = 1024, HITS_MAX = 64 << 10,	/* that wait; powers of 2 */
	HITS_COPIED = 2 << 20,		/* bytes of side-band that waits */
	CACHED_BITS = 10, CACHED = 1 << CACHED_BITS, PAGES = 4096, CONTAINED = 256, PLACES_BITS = 17,
	OFFSETS_MAX = NAMES_MAX / 2, OFFSETS_BYTES = NAMES_BYTES / 2,
};

struct history {
	struct sort	*s;
	struct pp_state	*now;
	const struct stacks *with;	/* whose state and turns are used; NULL: there are none */
	struct pp_turns	 turns;		/* by numbers of hits */
	struct hit	*hit;		/* a ring */
	uint64_t	 first, next;	/* number of the oldest that waits; of the next one */
	size_t		 cap, copied;
	uint64_t	 max, limit;	/* latest time known; time up to which the next FINISHED_ROUND releases */
	uint64_t	 settled;	/* all up to this time were released by a round */
	uint64_t	 early_limit;	/* all up to this time were released early */
	bool		 early;		/* an older one came after that */
	/* What was found in `now', until its generation ends: each record that is fed begins another. */
	uint64_t	 generation;
	struct { uint64_t generation; uint32_t tid, name; } comm[CACHED];
	struct { uint64_t generation, version; const struct pp_maps *maps; uint32_t pid, mode; } maps[CACHED];
	struct { uint64_t version, page; uint32_t name; } page[PAGES];	/* what is on pages that one map covers */
	/* by id: containers, pods; era: until a cgroup may have another path; from 1 */
	struct { uint64_t id, era; uint32_t name; } contained[2][CONTAINED];
	uint64_t	 unknown;	/* 1 + the number of field_dso_unknown; 0: not known yet */
	uint32_t	*dso;		/* by index of a pp_dso: 1 + number of its name */
	size_t		 ndso;
	/* functions: what an address is called, in the maps of that version; NULL: no key needs it */
	struct { uint64_t version, ip; uint32_t frame, name; } *place;
	/* While no function at all has a name, an address is called by its place in the file. */
	bool		 offsets;
	uint32_t	 noffsets, offset_bytes;	/* such names */
	uint32_t	*instead;	/* by number of such a name: 1 + the number of the name that it has otherwise; 0: it is none */
	size_t		 ninstead;
};

/* ---- the state at the time of a hit -------------------------------------------------------------- */

static inline uint32_t
history_slot(uint32_t number)
{
	return number * UINT32_C(0x9e3779b1) >> (32 - CACHED_BITS);
}

static uint32_t
history_name(struct history *h, const char *text)
{
	uint32_t number;

	if (!text)
		return UINT32_MAX;
	number = names_number(h->s->names, text, strlen(text));
	sort_crowded(h->s);
	return number;
}

static uint64_t
history_key(uint32_t name)
{
	return name == UINT32_MAX ? ROWS_UNKNOWN : name;
}

static uint64_t
history_comm(struct history *h, uint32_t tid)
{
	char number[FIELD_NAMELESS];
	uint32_t slot = history_slot(tid);
	const char *comm, *was;

	if (h->comm[slot].generation != h->generation || h->comm[slot].tid != tid) {
		comm = pp_state_comm(h->now, tid);
		was = h->comm[slot].generation && h->comm[slot].tid == tid ? names_text(h->s->names, h->comm[slot].name) : NULL;
		if (!comm || !was || strcmp(comm, was))
			h->comm[slot].name = history_name(h, comm ? comm : field_nameless(tid, number));
		h->comm[slot].generation = h->generation;
		h->comm[slot].tid = tid;
	}
	return history_key(h->comm[slot].name);
}

static uint32_t
history_dso_name(struct history *h, const struct pp_map *m)
{
	const struct pp_dso *d = pp_state_dso(h->now, m);

	if (!d)
		return 0;
	h->dso = tool_need(array_reach(h->dso, &h->ndso, d->index, sizeof *h->dso));
	if (!h->dso[d->index])
		h->dso[d->index] = history_name(h, field_dso_name(d)) + 1;
	return h->dso[d->index];
}

/* An address in no map. */
static uint64_t
history_mapless(struct history *h, uint64_t ip, unsigned mode)
{
	const char *name = field_dso_mapless(h->now, mode, ip);

	if (name != field_dso_unknown)
		return history_key(history_name(h, name));
	if (!h->unknown)
		h->unknown = (uint64_t)history_name(h, name) + 1;
	return history_key((uint32_t)(h->unknown - 1));
}

/* Find the maps for the mode; the number of their entry in h->maps. */
__attribute__((always_inline)) static inline uint32_t
history_maps(struct history *h, uint32_t pid, uint32_t mode)
{
	uint32_t at = history_slot(pid ^ mode << 24);

	if (h->maps[at].generation != h->generation || h->maps[at].pid != pid || h->maps[at].mode != mode) {
		h->maps[at].maps = pp_state_maps(h->now, pid, mode);
		h->maps[at].version = h->maps[at].maps ? pp_maps_version(h->maps[at].maps) : 0;
		h->maps[at].generation = h->generation;
		h->maps[at].pid = pid;
		h->maps[at].mode = mode;
	}
	return at;
}

static uint64_t
history_dso(struct history *h, uint64_t ip, uint32_t pid, uint32_t mode)
{
	uint32_t at, slot, name;
	uint64_t page = ip >> 12, version;
	const struct pp_map *m;

	if (ip == ROWS_UNKNOWN)			/* no sample, or one without an address */
		return ROWS_UNKNOWN;
	at = history_maps(h, pid, mode);
	if (!h->maps[at].maps)
		return history_mapless(h, ip, mode);
	version = h->maps[at].version;
	slot = (uint32_t)((page ^ page >> 13 ^ version * 31) % PAGES);
	if (h->page[slot].name && h->page[slot].page == page && h->page[slot].version == version)
		return h->page[slot].name - 1;
	if (!(m = pp_maps_find(h->now, h->maps[at].maps, ip)))
		return history_mapless(h, ip, mode);
	if (!(name = history_dso_name(h, m)))
		return ROWS_UNKNOWN;
	/* a map may end within a page */
	if (page << 12 >= m->start && (page << 12) - m->start + 4095 < m->len) {
		h->page[slot].version = version;
		h->page[slot].page = page;
		h->page[slot].name = name;
	}
	return name - 1;
}

static uint64_t
history_instead(void *arg, uint64_t name)
{
	const struct history *h = arg;

	return name < h->ninstead && h->instead[name] ? h->instead[name] - 1 : name;
}

/* A function has a name, or there are too many places or rows: no address is called by its place, nor was one. */
static void
history_no_offsets(struct history *h)
{
	struct sort *s = h->s;

	h->offsets = false;
	memset(h->place, 0, sizeof *h->place << PLACES_BITS);
	for (unsigned i = 0; i < s->nkeys; i++)
		if (s->key[i]->kind == KEY_SYMBOL)
			rows_change(&s->rows, i, history_instead, h);
}

void
history_plain(struct history *h)
{
	if (h->offsets)
		history_no_offsets(h);
}

/* The number of the name of an address, of a frame that is called so. */
static uint32_t
history_place(struct history *h, const struct frame *f, const struct pp_map *m, unsigned mode, uint64_t ip)
{
	uint32_t plain = history_name(h, f->text), name;
	char text[FRAMES_PLACE];

	if (!h->offsets || h->s->each || h->s->seen)	/* who remembers names cannot change them */
		return plain;
	if (frames_named(h->s->naming->frames) || h->noffsets == OFFSETS_MAX || h->offset_bytes > OFFSETS_BYTES ||
	    h->s->rows.n > OFFSETS_MAX || plain == UINT32_MAX)
		history_no_offsets(h);
	else if (frames_place(h->now, m, mode, ip, text) && (name = history_name(h, text)) != UINT32_MAX) {
		h->instead = tool_need(array_reach(h->instead, &h->ninstead, name, sizeof *h->instead));
		if (!h->instead[name]) {
			h->noffsets++;
			h->offset_bytes += (uint32_t)strlen(text);
		}
		h->instead[name] = plain + 1;
		return name;
	}
	return plain;
}

/* counts: it is of a sample. */
__attribute__((noinline)) static uint64_t
history_symbol(struct history *h, uint64_t ip, uint32_t pid, uint32_t mode, bool counts)
{
	struct frames *frames = h->s->naming->frames;
	uint64_t version, hash;
	const struct pp_maps *maps;
	const struct pp_map *m;
	struct frame *f;
	uint32_t at, name, number;

	if (ip == ROWS_UNKNOWN)
		return ROWS_UNKNOWN;
	at = history_maps(h, pid, mode);
	maps = h->maps[at].maps;
	version = h->maps[at].version;
	if (mode == PP_MISC_KERNEL)	/* symbols are no maps, but change what an address is called */
		version += pp_state_fed(h->now, PP_CLASS_SYMBOL) << 40;
	hash = (ip ^ version << 40) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PLACES_BITS);
	if (!h->place[hash].frame || h->place[hash].ip != ip || h->place[hash].version != version) {
		m = maps ? pp_maps_find(h->now, maps, ip) : NULL;
		number = frames_number(frames, h->now, m, mode, ip);
		name = history_place(h, frames_get(frames, number), m, mode, ip);
		h->place[hash].version = version;
		h->place[hash].ip = ip;
		h->place[hash].name = name;
		h->place[hash].frame = frames_late(frames) ? 0 : number;
	} else {
		number = h->place[hash].frame;
		name = h->place[hash].name;
	}
	f = frames_get(frames, number);
	f->innermost += counts;
	f->all += counts;
	return history_key(name);
}

/* The innermost container or pod that a cgroup is in. */
static uint64_t
history_contained(struct history *h, uint64_t id, bool pod)
{
	size_t slot = id % CONTAINED;
	uint64_t era = 1 + pp_state_fed(h->now, PP_CLASS_CGROUP);
	char text[CONTAINER_TEXT];
	const char *path;

	if (h->contained[pod][slot].era != era || h->contained[pod][slot].id != id) {
		path = pp_state_cgroup(h->now, id);
		h->contained[pod][slot].name = history_name(h, path && container_innermost(path, pod, text) ? text : NULL);
		h->contained[pod][slot].era = era;
		h->contained[pod][slot].id = id;
	}
	return history_key(h->contained[pod][slot].name);
}

/* Count a hit: its keys of the state are replaced by the names that these have now. */
__attribute__((always_inline)) static inline void
history_count(struct history *h, struct hit *hit, uint64_t time)
{
	struct sort *s = h->s;

	if (s->crowded)
		sort_forget(s);
	for (unsigned i = 0; i < s->nkeys; i++)
		switch ((enum key_kind)s->key[i]->kind) {
		case KEY_COMM:		hit->key[i] = history_comm(h, (uint32_t)hit->key[i]); break;
		case KEY_DSO:		hit->key[i] = history_dso(h, hit->key[i], hit->pid, hit->mode); break;
		case KEY_SYMBOL:
			hit->key[i] = history_symbol(h, hit->key[i], hit->pid, hit->mode, hit->kind == HIT_SAMPLE || hit->sample);
			break;
		case KEY_CGROUP:	hit->key[i] = history_key(history_name(h, pp_state_cgroup(h->now, hit->key[i]))); break;
		case KEY_CONTAINER:	hit->key[i] = history_contained(h, hit->key[i], false); break;
		case KEY_POD:		hit->key[i] = history_contained(h, hit->key[i], true); break;
		case KEY_TIME:		hit->key[i] = sort_bin(s, time); break;
		case KEY_FIELD: case KEY_EVENT: case KEY_TYPE: case KEY_PAYLOAD: case KEY_SYSCALL: break;
		}
	if (hit->kind == HIT_SAMPLE) {
		tally_add(&rows_get(&s->rows, hit->key)->n, hit->bytes, time, hit->amount);
		if (hit->picked)
			s->each(s->each_arg, hit->key[0], time, hit->picked);
		if (s->seen)
			s->seen(s->seen_arg, hit->key, time, hit->amount);
	} else
		sort_count(s, hit, time);
}

static int
history_feed(struct history *h, const uint8_t *p)
{
	struct pp_rec r = pp_rec_at(p, h->s->stream.swap);

	h->generation++;
	return pp_state_feed(h->now, &r, 0);
}

/* ---- waiting ------------------------------------------------------------------------------------- */

static struct hit *
history_at(const struct history *h, uint64_t number)
{
	return &h->hit[number & (h->cap - 1)];
}

/* pp_turn_fn */
static int
history_turn(void *arg, const struct pp_waiting *w, size_t n, uint64_t since)
{
	struct history *h = arg;
	int rc = 1;

	(void)since;
	for (size_t i = 0; i < n && rc > 0; i++) {
		struct hit *hit = history_at(h, w[i].place);

		if (hit->kind == HIT_RECORD) {
			rc = history_feed(h, hit->copy);
			h->copied -= hit->bytes;
			free(hit->copy);
		} else
			history_count(h, hit, w[i].time);
		hit->kind = HIT_DONE;
	}
	return rc;
}

static int
history_release(struct history *h, uint64_t limit)
{
	if (pp_turns_release(&h->turns, limit) < 0)
		return -1;
	while (h->first < h->next && history_at(h, h->first)->kind == HIT_DONE)
		h->first++;
	if (h->place && !h->s->naming->held && frames_many(h->s->naming->frames)) {
		frames_forget(h->s->naming->frames);
		memset(h->place, 0, sizeof *h->place << PLACES_BITS);
	}
	return 1;
}

uint64_t
history_settled(const struct history *h)
{
	return h->first == h->next ? UINT64_MAX : h->settled > h->early_limit ? h->settled : h->early_limit;
}

/* Release the third that came first, as the memory is used up. */
static int
history_relieve(struct history *h)
{
	uint64_t limit = pp_turns_newest(&h->turns, h->first + (h->next - h->first + 2) / 3);

	if (limit > h->early_limit)
		h->early_limit = limit;
	return history_release(h, limit);
}

static int
history_grow(struct history *h)
{
	size_t cap = h->cap ? 2 * h->cap : HITS_FIRST;
	struct hit *to;

	if (cap > HITS_MAX)
		return history_relieve(h);
	to = tool_alloc(cap, sizeof *to);
	for (uint64_t i = h->first; i < h->next; i++)
		to[i & (cap - 1)] = *history_at(h, i);
	free(h->hit);
	h->hit = to;
	h->cap = cap;
	return 1;
}

/* The next hit of the ring, for one of that time.  NULL: no memory. */
static inline struct hit *
history_next(struct history *h, uint64_t time)
{
	if ((h->next - h->first == h->cap && history_grow(h) < 0) || (h->copied > HITS_COPIED && history_relieve(h) < 0))
		return NULL;
	if (h->first == h->next || time > h->max)
		h->max = time;
	h->early |= time < h->early_limit;
	return history_at(h, h->next);
}

static int
history_wait(struct history *h, uint64_t time, const struct hit *hit)
{
	struct hit *to;

	if (h->with)
		return walk_put_own(h->with->walk, time, hit, sizeof *hit);
	if (!(to = history_next(h, time)))
		return -1;
	*to = *hit;
	return pp_turns_add(&h->turns, time, h->next++, hit->kind == HIT_RECORD);
}

/* walk_own */
static int
history_own(void *arg, uint64_t time, const void *p)
{
	struct history *h = arg;
	struct hit hit;

	memcpy(&hit, p, sizeof hit);
	h->generation = 1 + walk_fed(h->with->walk);
	history_count(h, &hit, time);
	return 1;
}

int
history_put(struct history *h, uint64_t time, struct hit *hit)
{
	if (time)
		return history_wait(h, time, hit);
	if (h->with)
		return history_own(h, 0, hit);
	history_count(h, hit, 0);
	return 1;
}

int
history_sample(const struct tally *t, const struct pp_rec *r, uint64_t time, uint64_t period)
{
	struct history *h = t->history;
	bool swap = h->s->stream.swap;
	struct hit away, *hit = time && !h->with ? history_next(h, time) : &away;

	if (!hit)
		return -1;
	*hit = (struct hit){ .kind = HIT_SAMPLE, .amount = period, .bytes = r->size, .mode = (uint8_t)(r->misc & PP_MISC_CPUMODE_MASK) };
	for (unsigned i = 0; i < t->nkeys; i++)
		hit->key[i] = tally_key(t, i, r, swap);
	if (t->ip_at)
		hit->key[t->ip_key[0]] = hit->key[t->ip_key[1]] = pp_get_u64(r->raw + t->ip_at, swap);
	hit->pid = pp_get_u32(r->raw + t->pid_at, swap);
	if (h->s->pick)
		hit->picked = (uint8_t)h->s->pick(h->s->each_arg, t->event, r, pp_get_u32(r->raw + t->pid_at + 4, swap));
	if (time)
		return h->with ? history_wait(h, time, hit) : pp_turns_add(&h->turns, time, h->next++, false);
	return history_put(h, 0, hit);
}

/* perf's rule: up to the latest time that was known at the previous round. */
static int
history_round(struct history *h)
{
	uint64_t limit = h->limit;

	if (h->first == h->next)
		return 1;
	h->limit = h->max;
	if (limit > h->settled)
		h->settled = limit;
	return history_release(h, limit);
}

int
history_record(struct history *h, const struct pp_rec *r)
{
	struct sort *s = h->s;
	const struct pp_event *ev;
	struct hit hit = { .kind = HIT_RECORD, .bytes = r->size };
	uint64_t time;

	if (h->with)			/* it has its turn with these */
		return 1;
	if (r->type == PP_FINISHED_ROUND)
		return history_round(h);
	if (!pp_state_wants(r->type) || r->type == PP_SAMPLE)
		return 1;
	if (pp_check(r, s->stream.swap, &s->tool->in_err) < 0)
		return -1;
	ev = r->type < PP_USER_TYPE_START ? pp_event_find(s->stream.events, r, NULL) : NULL;
	if (!ev || !pp_time(ev, r, s->stream.swap, &time))
		return history_feed(h, r->raw);
	hit.copy = tool_alloc(1, r->size);
	memcpy(hit.copy, r->raw, r->size);
	h->copied += r->size;
	return history_wait(h, time, &hit);
}

/* ---- begin and end ------------------------------------------------------------------------------- */

struct history *
history_new(struct sort *s)
{
	struct pp_err *err = &s->tool->in_err;
	struct history *h = tool_alloc(1, sizeof *h);

	h->s = s;
	h->generation = 1;
	if (s->naming) {
		h->place = tool_alloc((size_t)1 << PLACES_BITS, sizeof *h->place);
		h->offsets = s->offsets;
	}
	if ((h->now = pp_state_new(s->stream.swap, err)) && pp_turns_start(&h->turns, history_turn, h, err) > 0)
		return h;
	history_free(h);
	return NULL;
}

void
history_follow(struct history *h, struct stacks *with)
{
	_Static_assert(sizeof(struct hit) <= WALK_OWN, "a hit waits there");
	pp_state_free(h->now);
	h->now = with->state;
	h->with = with;
	walk_share(with->walk, history_own, h);
}

/* The state is needed no more, but its memory. */
bool
history_end(struct history *h)
{
	bool exact = h->with ? stacks_in_turn(h->with) : history_release(h, UINT64_MAX) > 0 && !h->early;

	if (!h->with)
		pp_state_free(h->now);
	h->now = NULL;
	return exact;
}

void
history_forget(struct history *h)
{
	memset(h->comm, 0, sizeof h->comm);
	memset(h->page, 0, sizeof h->page);
	memset(h->contained, 0, sizeof h->contained);
	h->unknown = 0;
	if (h->dso)
		memset(h->dso, 0, h->ndso * sizeof *h->dso);
	if (h->place)
		memset(h->place, 0, sizeof *h->place << PLACES_BITS);
}

void
history_free(struct history *h)
{
	if (!h)
		return;
	for (; h->first < h->next; h->first++)
		if (history_at(h, h->first)->kind == HIT_RECORD)
			free(history_at(h, h->first)->copy);
	pp_turns_free(&h->turns);
	if (!h->with)
		pp_state_free(h->now);
	free(h->hit);
	free(h->dso);
	free(h->place);
	free(h->instead);
	free(h);
}
