/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "thin.h"
#include "record/total.h"
#include "record/wide.h"
#include "set.h"

enum { NS = 1000000000, SOFTWARE = 1, DUMMY = 9 };	/* PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY */
enum { DEBTS_MAX = 1 << 20, PACE_ONE = 256 };

struct thinner {
	const struct thin *o;
	const struct pp_source *in;
	uint64_t seed;			/* --seed, mixed */
	uint64_t due;			/* --max-rate: when the next sample is due at an even rate */
	uint64_t gap, burst;		/* ns between samples at that rate; how far a sample may be ahead of it */
	uint64_t picked;		/* samples kept so far */
	uint64_t since;			/* samples since the last of these */
	uint64_t pace;			/* recent average of this, in 1/PACE_ONE */
	uint64_t skip;			/* how many samples to skip when one is due */
	bool	 over;			/* a sample came before it was due */
	struct pp_totals debts;		/* periods of samples that --max-rate dropped, by event and CPU */
	uint64_t owed;			/* dropped periods that the last kept sample represents */
	size_t	 n;
	struct counts {			/* of each event */
		uint64_t seen, kept;
		uint64_t left;		/* remainder of periods divided by the share of --sample */
	} *event;
	uint8_t	 copy[PP_RECORD_MAX];
};

void
thin_share(struct tool *t, void *thin)
{
	struct thin *h = thin;
	const char *text = t->optarg;
	char *end;
	double share = strtod(text, &end);

	if (end != text && *end == '%') {
		share /= 100;
		end++;
	}
	if (end == text || *end || !(share > 0) || share > 1 || *text == ' ')
		tool_wrong(t, "%s '%s': expected a share above 0 and up to 1, such as 0.1 or 10%%", t->optname, text);
	h->share = share == 1 ? UINT64_MAX : (uint64_t)(share * 0x1p64);
	if (!h->share)
		h->share = 1;
}

bool
thin_scales(const struct thin *h)
{
	return h->every || h->share || h->max_rate;
}

bool
thin_any(const struct thin *h)
{
	return thin_scales(h) || h->has_max_samples;
}

/* ---- choosing ------------------------------------------------------------------------------------ */

/* A bijection after which each bit depends on all (the finalizer of splitmix64). */
static uint64_t
thin_mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

struct thinner *
thinner_new(const struct thin *o, const struct pp_source *in)
{
	struct thinner *h = calloc(1, sizeof *h);

	if (!h)
		return NULL;
	h->o = o;
	h->in = in;
	h->seed = thin_mix(o->seed + UINT64_C(0x9e3779b97f4a7c15));
	if (o->max_rate) {
		h->gap = o->max_rate < NS ? NS / o->max_rate : 1;
		h->burst = (o->max_rate / 10 + !(o->max_rate / 10)) * h->gap;
	}
	h->debts.max = DEBTS_MAX;
	return h;
}

void
thinner_free(struct thinner *h)
{
	if (!h)
		return;
	pp_totals_free(&h->debts);
	free(h->event);
	free(h);
}

/* A hash that identifies a sample, independent of its position in the stream. */
static uint64_t
thin_hash(const struct thinner *h, const struct pp_event *ev, const struct pp_rec *r)
{
	const struct pp_plan *f = &ev->plan;
	bool swap = h->in->swap;
	uint16_t id = f->identifier ? f->identifier : f->id;
	uint64_t x = h->seed;

	if (!f->time) {			/* without a time, all of the sample */
		for (unsigned at = PP_HEADER_SIZE; at + 8 <= r->size; at += 8)
			x = thin_mix(x ^ pp_get_u64(r->raw + at, swap));
		return x;
	}
	x = thin_mix(x ^ pp_get_u64(r->raw + f->time, swap));
	if (id)
		x = thin_mix(x ^ pp_get_u64(r->raw + id, swap));
	return thin_mix(x ^ (uint64_t)(f->tid ? pp_get_u32(r->raw + f->tid + 4, swap) : 0) << 32 ^
	    (f->cpu ? pp_get_u32(r->raw + f->cpu, swap) : 0));
}

/*
 * A sample that is ahead of an even rate by more than the burst is dropped.  The sample to keep when one is due is not always the
 * next one: timers of CPUs tick side by side, so this could always be a sample of the same CPU.  Instead it is a random one of
 * the number of samples that recently came per kept one.
 */
static bool
thin_over_rate(struct thinner *h, const struct pp_event *ev, const struct pp_rec *r)
{
	uint64_t time;

	if (!pp_time(ev, r, h->in->swap, &time))
		return false;
	h->since++;
	if (h->due > time && h->due - time > h->burst)
		return h->over = true;
	if (h->over && h->skip) {
		h->skip--;
		return true;
	}
	h->due = (h->due > time ? h->due : time) + h->gap;
	h->pace = (7 * h->pace + h->since * PACE_ONE) / 8;
	h->skip = thin_mix(h->seed + ++h->picked) % (h->pace / PACE_ONE + 1);
	h->since = 0;
	h->over = false;
	return false;
}

/*
 * Keeps one of each N samples of an event, but not always the Nth, which could always be a sample of the same CPU, whose timers
 * tick side by side, or of the same task.
 */
static bool
thin_is_nth(const struct thinner *h, struct counts *c, const struct pp_event *ev)
{
	uint64_t n = h->o->every, round = c->seen / n, place = c->seen % n;

	c->seen++;
	return place == thin_mix(h->seed ^ thin_mix(round + 1) ^ ev->index) % n;
}

static uint64_t
thin_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t
thin_times(uint64_t a, uint64_t b)
{
	struct wide n = wide_mul(a, b);

	return n.hi ? UINT64_MAX : n.lo;
}

/* The period of a sample after --every and --sample, with the remainder of its event. */
static uint64_t
thin_scaled(const struct thinner *h, struct counts *c, uint64_t period)
{
	const struct thin *o = h->o;
	uint64_t x = o->every ? thin_times(period, o->every) : period;

	if (o->share && o->share != UINT64_MAX)
		return x < o->share ? wide_div((struct wide){ c->left, x }, o->share, &c->left) : UINT64_MAX;
	return x;
}

/* The dropped periods of that event on that CPU; if the CPU is not recorded, of the same id.  NULL: no memory. */
static uint64_t *
thin_debt(struct thinner *h, const struct pp_event *ev, const struct pp_rec *r)
{
	uint16_t id_at = ev->plan.identifier ? ev->plan.identifier : ev->plan.id;
	uint64_t id = id_at ? pp_get_u64(r->raw + id_at, h->in->swap) : 0;
	uint32_t cpu;
	struct pp_total *x;

	if (pp_cpu(ev, r, h->in->swap, &cpu))
		x = pp_total_get(&h->debts, ev->index, cpu);
	else
		x = pp_total_get(&h->debts, ~id, ev->index);
	return x ? &x->in : NULL;
}

/* --max-rate drops the sample: add its period to the debt.  OVER_RATE, or -1. */
static int
thin_owe(struct thinner *h, struct counts *c, const struct pp_event *ev, const struct pp_rec *r)
{
	uint64_t *x;

	if (!h->o->scale || !ev->plan.period)
		return OVER_RATE;
	if (!(x = thin_debt(h, ev, r)))
		return -1;
	*x = thin_sum(*x, thin_scaled(h, c, pp_get_u64(r->raw + ev->plan.period, h->in->swap)));
	return OVER_RATE;
}

/* A sample is kept: it represents the debt.  KEPT, or -1. */
static int
thin_pay(struct thinner *h, const struct pp_event *ev, const struct pp_rec *r)
{
	uint64_t *x;

	h->owed = 0;
	if (!h->o->scale || !h->o->max_rate || !ev->plan.period)
		return KEPT;
	if (!(x = thin_debt(h, ev, r)))
		return -1;
	h->owed = *x;
	*x = 0;
	return KEPT;
}

uint64_t
thin_owed(struct thinner *h)
{
	uint64_t owed = h->owed;

	h->owed = 0;
	return owed;
}

int
thin_sample(struct thinner *h, const struct pp_event *ev, const struct pp_rec *r)
{
	const struct thin *o = h->o;
	struct counts *c;

	if (!(c = array_reach(h->event, &h->n, ev->index, sizeof *c)))
		return -1;
	h->event = c;
	c += ev->index;
	if (o->every && !thin_is_nth(h, c, ev))
		return NOT_EVERY;
	if (o->share && o->share != UINT64_MAX && thin_hash(h, ev, r) >= o->share)
		return NOT_SAMPLED;
	if (o->max_rate && thin_over_rate(h, ev, r))
		return thin_owe(h, c, ev, r);
	if (o->has_max_samples && c->kept >= o->max_samples)
		return OVER_MAX;
	c->kept++;
	return thin_pay(h, ev, r);
}

bool
thin_full(const struct thinner *h, bool (*selected)(void *, const struct pp_event *), void *arg)
{
	const struct pp_events *e = h->in->events;

	for (unsigned i = 0; i < e->n; i++) {
		const struct pp_attr *a = &e->ev[i]->attr;

		if (a->type == SOFTWARE && a->config == DUMMY)
			continue;
		if (selected(arg, e->ev[i]) && (i >= h->n || h->event[i].kept < h->o->max_samples))
			return false;
	}
	return true;
}

/* ---- periods ------------------------------------------------------------------------------------- */

const uint8_t *
thin_scale(struct thinner *h, const struct pp_event *ev, const struct pp_rec *r, uint64_t owed)
{
	uint64_t period;

	if (!ev->plan.period || ev->index >= h->n)
		return r->raw;
	period = thin_sum(thin_scaled(h, &h->event[ev->index], pp_get_u64(r->raw + ev->plan.period, h->in->swap)), owed);
	memcpy(h->copy, r->raw, r->size);
	pp_set_u64(h->copy + ev->plan.period, period, h->in->swap);
	return h->copy;
}

uint64_t
thin_factor(const struct thin *o, uint64_t period)
{
	uint64_t x = o->every ? thin_times(period, o->every) : period, rest;

	if (o->share && o->share != UINT64_MAX)
		return x < o->share ? wide_div((struct wide){ o->share / 2, x }, o->share, &rest) : UINT64_MAX;
	return x;
}
