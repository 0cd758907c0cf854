/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "merge_known.h"
#include "record/raw.h"

enum { SEEN_MAX = 64, SEEN_BYTES = 64 << 10 };	/* records of one time; duplicates beyond that are not found */

struct seen {
	unsigned	 input;
	uint16_t	 size;
	size_t		 at;
};

struct all {
	struct known	 pub;
	struct pp_err	*err;
	struct pp_state	*state;
	int64_t		 first;		/* the input with the first record about the state; -1: none */
	uint64_t	 time;		/* of the records in `seen' */
	struct seen	 seen[SEEN_MAX];
	unsigned	 nseen;
	size_t		 used;
	uint8_t		 bytes[SEEN_BYTES];
	struct pp_totals out;		/* `out': the last value written */
	struct pp_totals *in;		/* of each input; `in': its last value */
};

struct change {
	struct all	*k;
	unsigned	 input;
};

static int
change(void *arg, uint64_t id, uint32_t tid, uint64_t *value)
{
	const struct change *c = arg;
	struct pp_total *in = pp_total_get(&c->k->in[c->input], id, tid), *out = pp_total_get(&c->k->out, id, tid);

	if (!in || !out)
		return pp_fail(c->k->err, "READ values of more than %zu counters do not fit in memory", c->k->out.used);
	out->out += *value - in->in;
	in->in = *value;
	*value = out->out;
	return 1;
}

static int
take_sample(struct all *k, unsigned input, const struct pp_rec *r)
{
	const struct pp_event *ev = k->pub.events->reads ? pp_event_find(k->pub.events, r, NULL) : NULL;
	struct change c = { k, input };

	if (!ev || !(ev->attr.sample_type & PP_SAMPLE_READ))
		return 1;
	pp_totals_sample(k->pub.events, ev, r, (uint8_t *)(uintptr_t)r->raw, change, &c, NULL);
	return k->err->what[0] ? -1 : 1;
}

/* Does another input have the same record at the same time? */
static bool
was_seen(struct all *k, unsigned input, const struct pp_rec *r, uint64_t time)
{
	if (time != k->time)
		k->used = k->nseen = 0;
	k->time = time;
	for (unsigned i = 0; i < k->nseen; i++)
		if (k->seen[i].input != input && k->seen[i].size == r->size && !memcmp(k->bytes + k->seen[i].at, r->raw, r->size))
			return true;
	if (k->nseen < SEEN_MAX && r->size <= SEEN_BYTES - k->used) {
		memcpy(k->bytes + k->used, r->raw, r->size);
		k->seen[k->nseen++] = (struct seen){ input, r->size, k->used };
		k->used += r->size;
	}
	return false;
}

int
known_take(struct known *pub, unsigned input, uint8_t *raw, uint64_t time)
{
	struct all *k = (struct all *)pub;
	bool swap = k->pub.events->swap;
	struct pp_rec r = pp_rec_at(raw, swap);
	const struct pp_event *ev;
	size_t trailer;

	if (r.type == PP_SAMPLE)
		return take_sample(k, input, &r);
	if (!pp_state_wants(r.type) || !(ev = pp_event_find(k->pub.events, &r, NULL)))
		return 1;
	trailer = pp_has_trailer(ev, &r) ? ev->plan.trailer : 0;
	if (k->first < 0)
		k->first = input;
	if (time ? was_seen(k, input, &r, time) : input != k->first && pp_state_knows(k->state, &r, trailer))
		return 0;
	return pp_state_feed(k->state, &r, trailer);
}

void
known_end(struct known *pub, unsigned input)
{
	struct all *k = (struct all *)pub;

	pp_totals_free(&k->in[input]);
	k->in[input] = (struct pp_totals){ .max = PP_TOTALS_MAX };
}

struct known *
known_new(unsigned n, const struct pp_events *events, struct pp_err *err)
{
	struct all *k = calloc(1, sizeof *k);

	if (!k)
		return NULL;
	k->pub.events = events;
	k->err = err;
	k->first = -1;
	k->out.max = PP_TOTALS_MAX;
	k->state = pp_state_new(events->swap, err);
	if (!k->state || !(k->in = calloc(n, sizeof *k->in))) {
		known_free(&k->pub);
		return NULL;
	}
	for (unsigned i = 0; i < n; i++)
		k->in[i].max = PP_TOTALS_MAX;
	return &k->pub;
}

void
known_free(struct known *pub)
{
	struct all *k = (struct all *)pub;

	if (!k)
		return;
	pp_state_free(k->state);
	pp_totals_free(&k->out);
	free(k->in);
	free(k);
}
