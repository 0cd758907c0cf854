/* SPDX-License-Identifier: ISC */
/* record.c - the keys of a record, and what is counted of it */
#include "record/event.h"
#include "record/raw.h"
#include "record/sample.h"
#include "set.h"
#include "sort/in.h"
#include "source/piece.h"

enum { MISC_AT = 4 };			/* in a record's header */

/* ---- keys of a record ---------------------------------------------------------------------------- */

static uint64_t
sort_widen(void *arg, uint64_t time)
{
	const struct sort *s = arg;

	return time == ROWS_UNKNOWN ? time : time - time % s->bins.width;
}

uint64_t
sort_bin(struct sort *s, uint64_t time)
{
	bool wider;
	uint64_t bin;

	if (!time)
		return ROWS_UNKNOWN;
	bin = bins_of(&s->bins, time, &wider);
	if (wider)
		rows_change(&s->rows, (unsigned)s->time_at, sort_widen, s);
	return bin;
}

uint64_t
sort_field(struct sort *s, const struct field *f, const struct field_place *at, const struct pp_event *ev,
    const struct pp_rec *r)
{
	bool swap = s->stream.swap;
	uint64_t v;

	if (at->at == AT_PLACE) {
		const uint8_t *p = r->raw + (at->end ? (int32_t)r->size + at->off : at->off);

		v = at->width == 8 ? pp_get_u64(p, swap) : at->width == 4 ? pp_get_u32(p, swap) : pp_get_u16(p, swap);
		v = v >> at->shift & at->mask;
		return at->sign && at->width == 4 ? (uint64_t)(int64_t)(int32_t)v : v;
	}
	if (at->at == AT_NUMBER)
		return at->num.lo;
	if (at->at == AT_PART) {
		struct field_subject subject = { .ev = ev, .r = r };
		struct pp_err ignored = { .what = "" };
		struct field_fetch fetch = { .stream = &s->stream, .s = &subject, .err = &ignored, .swap = swap };
		struct field_value value;

		field_fetch(&fetch, (enum field_part)f->part, f, &value);
		return value.known ? value.num.lo : ROWS_UNKNOWN;
	}
	return ROWS_UNKNOWN;
}

static void
sort_places(struct sort *s, struct sort_event *e, const struct pp_event *ev, uint32_t type, bool trailer)
{
	for (unsigned i = 0; i < s->nkeys; i++)
		if (s->key[i]->kind == KEY_FIELD || s->key[i]->kind == KEY_PAYLOAD)
			field_access(&s->stream, s->keyed[i], &(struct field_kind){ .ev = ev, .type = type, .trailer = trailer }, &e->place[i]);
	if (s->field)
		field_access(&s->stream, s->field, &(struct field_kind){ .ev = ev, .type = type, .trailer = trailer }, &e->value);
	if (s->syscalls)
		syscalls_find(s->syscalls, &s->stream, &(struct field_kind){ .ev = ev, .type = type, .trailer = trailer }, &e->syscall);
	e->known = true;
}

/* Add a sample that has a bin of time, or a value. */
static int
sort_tallied(const struct tally *t, const struct pp_rec *r, uint64_t time, uint64_t period)
{
	struct sort *s = t->sort;
	uint64_t key[ROWS_KEYS] = { 0 }, value = period;
	struct row *row;

	for (unsigned i = 0; i < t->nkeys; i++)
		key[i] = tally_key(t, i, r, s->stream.swap);
	if (s->time_at >= 0)
		key[s->time_at] = sort_bin(s, time);
	row = rows_get(t->rows, key);
	tally_add(&row->n, r->size, time, period);
	if (s->value == VALUE_PERIOD || (s->value && value_of(s, &s->ev[t->event], s->stream.events->ev[t->event], r, time, &value)))
		hists_add(s->rows.hists, &row->hist, value, s->by_period ? period : 1);
	return 1;
}

/* How to add the event's samples to their rows without looking at what the keys are; NULL: that cannot be. */
static const struct tally *
sort_tally(struct sort *s, const struct sort_event *e, const struct pp_event *ev)
{
	bool big_endian = s->stream.swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	struct tally t = { .rows = &s->rows, .nkeys = s->nkeys, .sort = s, .history = s->history, .event = ev->index,
	    .pid_at = ev->plan.tid }, *kept;

	if (s->only || (s->history && (!ev->plan.tid || s->value)) || ((s->each || s->seen) && !s->history) || s->value >= VALUE_ROUND ||
	    ev->attr.sample_type & PP_SAMPLE_READ)
		return NULL;
	t.slow = s->history ? history_sample : s->value || s->time_at >= 0 ? sort_tallied : NULL;
	for (unsigned i = 0; i < s->nkeys; i++) {
		const struct field_place *p = &e->place[i];
		uint8_t kind = s->key[i]->kind;

		if (kind == KEY_EVENT || kind == KEY_TYPE) {
			t.key[i].is = kind == KEY_EVENT ? ev->index : PP_SAMPLE;
			continue;
		}
		if (kind == KEY_TIME)		/* made by `slow', or when its turn comes */
			continue;
		if (kind == KEY_COMM) {
			t.key[i].off = (uint16_t)(ev->plan.tid + 4);
			t.key[i].mask = UINT32_MAX;
			continue;
		}
		if ((kind == KEY_DSO || kind == KEY_SYMBOL) && ev->plan.ip) {
			t.ip_key[1] = t.ip_at ? t.ip_key[0] : i;	/* there may be both */
			t.ip_key[0] = i;
			t.ip_at = ev->plan.ip;
			continue;
		}
		if (kind != KEY_FIELD || p->at != AT_PLACE || p->end || p->shift || (p->sign && (uint32_t)p->mask != UINT32_MAX))
			return NULL;
		t.key[i].off = (uint16_t)p->off;
		t.key[i].mask = p->sign ? UINT64_MAX : (uint32_t)p->mask;
		if (p->width == 2 && p->off == MISC_AT)		/* the size follows it */
			t.key[i].shift = big_endian ? 16 : 0;
		else if (p->width != 4)
			return NULL;
	}
	kept = tool_alloc(1, sizeof *kept);
	*kept = t;
	return kept;
}

static const struct sort_event *
sort_event(struct sort *s, const struct pp_event *ev)
{
	s->ev = tool_need(array_reach(s->ev, &s->nev, ev->index, sizeof *s->ev));
	if (!s->bound)
		payload_bind(s);
	if (!s->ev[ev->index].known) {
		if (s->measures && !s->value && count_is_duration(ev)) {
			s->value = VALUE_PERIOD;
			s->rows.hists = hists_new();
		}
		sort_places(s, &s->ev[ev->index], ev, PP_SAMPLE, false);
		s->ev[ev->index].tally = sort_tally(s, &s->ev[ev->index], ev);
		if (s->ev[ev->index].tally && !s->c->ev[ev->index].tally) {	/* else another sort counts them so */
			s->c->ev[ev->index].tally = s->ev[ev->index].tally;
			s->c->ev[ev->index].wanted &= ~s->bit;
		}
	}
	return &s->ev[ev->index];
}

/* All keys but those of the state. */
static void
sort_keys(struct sort *s, uint64_t key[ROWS_KEYS], const struct sort_event *e, const struct pp_event *ev,
    const struct pp_rec *r, uint64_t time)
{
	key[0] = key[1] = key[2] = 0;
	for (unsigned i = 0; i < s->nkeys; i++)
		switch ((enum key_kind)s->key[i]->kind) {
		case KEY_FIELD:	key[i] = sort_field(s, s->keyed[i], &e->place[i], ev, r); break;
		case KEY_EVENT:	key[i] = ev ? ev->index : ROWS_UNKNOWN; break;
		case KEY_TYPE:	key[i] = r->type; break;
		case KEY_TIME:	key[i] = sort_bin(s, time); break;
		case KEY_PAYLOAD: key[i] = payload_key(s, i, &e->place[i], ev, r); break;
		case KEY_SYSCALL: key[i] = payload_syscall(s, &e->syscall, ev, r); break;
		case KEY_COMM: case KEY_DSO: case KEY_SYMBOL: case KEY_CGROUP: case KEY_CONTAINER: case KEY_POD:
			key[i] = ROWS_UNKNOWN;
			break;
		}
}

/* ---- what is counted of it ------------------------------------------------------------------------ */

void
sort_count(struct sort *s, const struct hit *h, uint64_t time)
{
	struct row *row = rows_get(&s->rows, h->key);
	struct counted *n = &row->n;

	n->records += h->record;
	n->bytes += h->bytes;
	if (h->sample) {
		n->samples++;
		plus(&n->period, h->amount);
	}
	if (h->lost)
		plus(h->lost == LOST_RECORDS ? &n->lost : &n->lost_samples, h->amount);
	if (h->spans && time < n->first)
		n->first = time;
	if (h->spans && time > n->last)
		n->last = time;
	if (h->picked && h->sample)
		s->each(s->each_arg, h->key[0], time, h->picked);
	if (s->seen && h->sample)
		s->seen(s->seen_arg, h->key, time, h->amount);
	if (h->valued)
		hists_add(s->rows.hists, &row->hist, h->value, h->valued == VALUED_ONCE ? 1 : h->amount);
}

static int
sort_put(struct sort *s, const struct hit *h, uint64_t time)
{
	struct hit waits;

	if (!s->history) {
		sort_count(s, h, time);
		return 1;
	}
	waits = *h;			/* its keys change */
	return history_put(s->history, time, &waits);
}

/* What the keys of the state are found by. */
static void
sort_fill(struct sort *s, struct hit *h, const struct pp_event *ev, const struct pp_rec *r)
{
	bool sample = r->type == PP_SAMPLE, swap = s->stream.swap;
	uint32_t tid = UINT32_MAX;
	const uint8_t *p;
	size_t n;

	h->pid = UINT32_MAX;
	if (ev)
		pp_pid_tid(ev, r, swap, &h->pid, &tid);
	h->mode = (uint8_t)(sample ? r->misc & PP_MISC_CPUMODE_MASK : 0);
	for (unsigned i = 0; i < s->nkeys; i++)
		switch ((enum key_kind)s->key[i]->kind) {
		case KEY_COMM:
			h->key[i] = tid;
			break;
		case KEY_DSO:
		case KEY_SYMBOL:
			h->key[i] = sample && ev->plan.ip ? pp_get_u64(r->raw + ev->plan.ip, swap) : ROWS_UNKNOWN;
			break;
		case KEY_CGROUP:
		case KEY_CONTAINER:
		case KEY_POD:
			h->key[i] = 0;
			if (sample && ev->attr.sample_type & PP_SAMPLE_CGROUP &&
			    pp_sample_field(ev, r, swap, PP_SAMPLE_CGROUP, &p, &n, NULL) > 0 && n == 8)
				h->key[i] = pp_get_u64(p, swap);
			break;
		case KEY_FIELD: case KEY_EVENT: case KEY_TYPE: case KEY_TIME: case KEY_PAYLOAD: case KEY_SYSCALL:
			break;
		}
}

static uint8_t
sort_picked(const struct sort *s, const struct pp_event *ev, unsigned event, const struct pp_rec *r)
{
	uint32_t pid, tid = UINT32_MAX;

	if (!s->pick)
		return 0;
	pp_pid_tid(ev, r, s->stream.swap, &pid, &tid);
	return (uint8_t)s->pick(s->each_arg, event, r, tid);
}

/* Is it, or that member of it, to be counted? */
static bool
sort_wants(const struct sort *s, unsigned event, const struct pp_rec *r)
{
	return !s->only || s->only(s->only_arg, event, r, UINT32_MAX);
}

/* A sample with READ: the record, and each member that counts as a sample. */
static int
sort_members(struct sort *s, struct hit *h, const struct pp_event *ev, const struct pp_rec *r, uint64_t time)
{
	h->sample = false;
	if (h->valued)
		h->valued = VALUED_ONCE;
	if (s->value == VALUE_PERIOD)
		h->valued = VALUED_NOT;
	if (sort_wants(s, ev->index, r) && sort_put(s, h, time) < 0)
		return -1;
	h->record = false;
	h->sample = true;
	h->bytes = 0;
	h->valued = s->value != VALUE_PERIOD ? VALUED_NOT : s->by_period ? VALUED_AMOUNT : VALUED_ONCE;
	for (unsigned i = 0; i < s->c->nmoved; i++) {
		if (!sort_wants(s, s->c->moved[i].event, r))
			continue;
		h->amount = h->value = s->c->moved[i].period;
		if (s->event_at >= 0)
			h->key[s->event_at] = s->c->moved[i].event;
		h->picked = sort_picked(s, ev, s->c->moved[i].event, r);
		if (sort_put(s, h, time) < 0)
			return -1;
	}
	return 1;
}

static int
sort_sample(struct sort *s, const struct pp_event *ev, const struct pp_rec *r)
{
	const struct sort_event *e = sort_event(s, ev);
	struct hit h = { .record = true, .sample = true, .bytes = r->size };
	bool has, members = ev->attr.sample_type & PP_SAMPLE_READ;
	uint64_t time = 0;

	if (!members && !sort_wants(s, ev->index, r))
		return 1;
	h.spans = pp_time(ev, r, s->stream.swap, &time);
	if (!h.spans)
		time = 0;
	/* in time order the bins are made when the turn comes, as rows may change then */
	sort_keys(s, h.key, e, ev, r, s->history ? 0 : time);
	if (s->history)
		sort_fill(s, &h, ev, r);
	h.picked = sort_picked(s, ev, ev->index, r);
	h.amount = ev->plan.period ? pp_get_u64(r->raw + ev->plan.period, s->stream.swap) : ev->attr.sample_period;
	h.value = h.amount;
	has = s->value && (s->value == VALUE_PERIOD || value_of(s, e, ev, r, time, &h.value));
	h.valued = !has ? VALUED_NOT : s->by_period ? VALUED_AMOUNT : VALUED_ONCE;
	return members ? sort_members(s, &h, ev, r, time) : sort_put(s, &h, time);
}

static int
sort_other(struct sort *s, const struct pp_rec *r)
{
	struct hit h = { .record = s->all, .bytes = s->all ? r->size + r->payload : 0 };
	const struct pp_event *ev = NULL;
	struct sort_event e = { .known = false };
	uint64_t time = 0;

	if (r->type < PP_USER_TYPE_START && pp_type_name(r->type))
		ev = pp_event_find(s->stream.events, r, NULL);
	if (!ev || !pp_time(ev, r, s->stream.swap, &time))
		time = 0;
	if (s->lost && r->type == PP_LOST) {
		const struct pp_event *of = pp_event_by_id(s->stream.events, PP_RAW_GET(r->raw, LOST, id, s->stream.swap));

		h.lost = LOST_RECORDS;
		h.amount = PP_RAW_GET(r->raw, LOST, lost, s->stream.swap);
		ev = of ? of : ev;
	} else if (s->lost && r->type == PP_LOST_SAMPLES && !count_is_filtered(r)) {
		h.lost = LOST_SAMPLES;
		h.amount = PP_RAW_GET(r->raw, LOST_SAMPLES, lost, s->stream.swap);
	}
	if (!s->all && !h.amount)
		return 1;
	h.spans = time && s->all;
	if (ev)
		sort_places(s, &e, ev, r->type, pp_has_trailer(ev, r));
	sort_keys(s, h.key, &e, ev, r, s->history ? 0 : time);
	if (s->history)
		sort_fill(s, &h, ev, r);
	return sort_put(s, &h, time);
}

int
sort_visit(void *arg, const struct pp_rec *r, bool sound)
{
	struct sort *s = arg;
	const struct pp_event *ev;
	int rc = 1;

	if (!sound || s->failed)
		return sound;
	if (s->value >= VALUE_ROUND)
		value_order(s, r);
	if (r->type == PP_SAMPLE) {
		if (!(ev = pp_event_find(s->stream.events, r, NULL)))
			return 1;
		rc = sort_sample(s, ev, r);
	} else {
		if (s->history)
			rc = history_record(s->history, r);
		if (rc > 0 && (s->all || r->type == PP_LOST || r->type == PP_LOST_SAMPLES) && !pp_again(s->tool->in, r))
			rc = sort_other(s, r);
	}
	s->failed = rc < 0;
	return rc > 0;
}
