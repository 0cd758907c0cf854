/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "count/summary.h"
#include "record/event.h"
#include "record/raw.h"
#include "record/sample.h"
#include "report/forms.h"
#include "set.h"
#include "sort/in.h"
#include "source/formats.h"
#include "source/piece.h"

enum { MISC_AT = 4 };			/* in a record's header */

/* ---- options ------------------------------------------------------------------------------------- */

static void
sort_word(void *arg, const char *word)
{
	struct sort *s = arg;
	const struct key *k = key_find(word);
	char names[200];

	if (!strcmp(word, "-period")) {
		s->longest = true;
		return;
	}
	key_names(names, sizeof names);
	if (s->nkeys < ROWS_KEYS && !k && (s->payload[s->nkeys] = payload_new(s, "--sort", word, strlen(word)))) {
		s->own[s->nkeys] = (struct key){ s->payload[s->nkeys]->name, KEY_PAYLOAD, CELL_TEXT, NO_LOSSES, RECORD, NULL,
		    "field of the payload" };
		k = &s->own[s->nkeys];
		s->keyed[s->nkeys] = s->payload[s->nkeys];
	}
	if (!k && strncmp(word, "raw.", 4) != 0)
		tool_wrong(s->tool, "--sort '%s': expected keys of %s raw.FIELD", word, names);
	if (s->nkeys == ROWS_KEYS)
		tool_wrong(s->tool, "--sort '%s': %d keys at most", word, ROWS_KEYS);
	for (unsigned i = 0; i < s->nkeys; i++)
		if (!strcmp(s->key[i]->name, k->name))
			tool_wrong(s->tool, "--sort '%s': given twice", word);
	if (k->kind == KEY_EVENT)
		s->event_at = (int)s->nkeys;
	if (k->kind == KEY_TIME)
		s->time_at = (int)s->nkeys;
	s->all |= k->kind == KEY_TYPE;
	s->state |= k->of_state;
	s->lost &= k->lost;
	if (k->field)
		s->keyed[s->nkeys] = field_find(k->field, strlen(k->field));
	s->key[s->nkeys++] = k;
}

bool
sort_has_key(const char *keys, const char *key)
{
	size_t n = strlen(key);

	for (; *keys; keys += strcspn(keys, ","), keys += *keys == ',')
		if (strcspn(keys, ",") == n && !memcmp(keys, key, n))
			return true;
	return false;
}

struct sort *
sort_new(struct tool *t, struct counts *c, const char *list, const char *hist)
{
	struct sort *s = tool_alloc(1, sizeof *s);

	*s = (struct sort){ .tool = t, .c = c, .event_at = -1, .time_at = -1, .lost = true };
	if (list)
		tool_words(t, list, sort_word, s);
	if (list && !s->nkeys)
		tool_wrong(t, "--sort '%s': no key", list);
	if (hist)
		value_choose(s, hist);
	return s;
}

void
sort_columns(struct sort *s, const char *list)
{
	value_columns(s, list);
}

/* --time-quantum */
static void
sort_quantum(struct sort *s, const char *quantum)
{
	if (s->time_at < 0)
		tool_wrong(s->tool, "--time-quantum: needs --sort time");
	s->tool->optname = "--time-quantum";
	s->quantum = tool_duration(s->tool, quantum);
	if (!bins_may_be(s->quantum))
		tool_wrong(s->tool,
		    "--time-quantum '%s': expected 1, 5, 20, 100 or 500 ms, 1, 5 or 20 s, 1, 5, 20 or 60 m", quantum);
}

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

	if ((s->history && (!ev->plan.tid || s->value)) || ((s->each || s->seen) && !s->history) || s->value >= VALUE_ROUND ||
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
		default:	key[i] = ROWS_UNKNOWN; break;
		}
}

/* ---- records ------------------------------------------------------------------------------------- */

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
		s->seen(s->seen_arg, h->key, time);
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
		case KEY_FIELD: case KEY_EVENT: case KEY_TYPE: case KEY_TIME: case KEY_PAYLOAD:
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

/* A sample with READ: the record, and each member that counts as a sample. */
static int
sort_members(struct sort *s, struct hit *h, const struct pp_event *ev, const struct pp_rec *r, uint64_t time)
{
	h->sample = false;
	if (h->valued)
		h->valued = VALUED_ONCE;
	if (s->value == VALUE_PERIOD)
		h->valued = VALUED_NOT;
	if (sort_put(s, h, time) < 0)
		return -1;
	h->record = false;
	h->sample = true;
	h->bytes = 0;
	h->valued = s->value != VALUE_PERIOD ? VALUED_NOT : s->by_period ? VALUED_AMOUNT : VALUED_ONCE;
	for (unsigned i = 0; i < s->c->nmoved; i++) {
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
	bool has;
	uint64_t time = 0;

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
	return ev->attr.sample_type & PP_SAMPLE_READ ? sort_members(s, &h, ev, r, time) : sort_put(s, &h, time);
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

/* lane_fn */
static int
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

void
sort_each(struct sort *s, sort_pick *pick, sort_each_fn *each, void *arg)
{
	s->pick = pick;
	s->each = each;
	s->each_arg = arg;
}

void
sort_watch(struct sort *s, sort_seen_fn *seen, sort_keep_fn *keep, void *arg)
{
	s->seen = seen;
	s->keep = keep;
	s->seen_arg = arg;
}

void
sort_hurry(const struct sort *s)
{
	if (s->naming)
		symbols_hurry(s->naming->symbols);
}

uint64_t
sort_settled(const struct sort *s)
{
	return s->children ? s->c->order.flushed : s->history ? history_settled(s->history) : UINT64_MAX;
}

/* ---- begin and end ------------------------------------------------------------------------------- */

void
sort_begin(struct sort *s)
{
	struct pp_err *err = &s->tool->in_err;
	const struct pp_source *in = s->tool->in;

	rows_init(&s->rows);
	rows_init(&s->before);
	if (s->value)
		s->rows.hists = hists_new();
	bins_init(&s->bins, s->quantum);
	if (!in)
		return;
	s->stream.events = in->events;
	s->stream.swap = in->swap;
	if (s->payloads && pp_keep_formats(s->tool->in) < 0)
		tool_no_memory();
	if (s->state || s->payloads)
		s->names = names_new();
	if (s->state && !(s->history = history_new(s))) {
		tool_say(s->tool, err);
		exit(1);
	}
	if (!s->children)
		s->bit = lane_join(s->c, LANE_ALL, sort_visit, s);
}

bool
sort_end(struct sort *s, bool unit)
{
	bool payloads = payload_end(s);

	s->unit = unit || s->event_at >= 0;
	s->durations = s->tool->in && s->unit;
	for (unsigned i = 0; i < s->c->nev && s->durations; i++)
		s->durations = !s->c->ev[i].samples || count_is_duration(s->tool->in->events->ev[i]);
	sort_show(s);
	if (s->children && !children_end(s->children))
		s->failed = true;
	if (s->history && !history_end(s->history))
		s->failed = true;
	return payloads && !s->failed && !s->rows.over && !s->before.over && (!s->rows.hists || !hists_over(s->rows.hists)) &&
	    (!s->names || !names_over(s->names));
}

void
sort_free(void *sort)
{
	struct sort *s = sort;

	if (!s)
		return;
	rows_free(&s->rows);
	rows_free(&s->before);
	hists_free(s->rows.hists);
	bins_free(&s->bins);
	names_free(s->names);
	payload_free(s);
	field_stream_free(&s->stream);
	history_free(s->history);
	children_free(s->children);
	for (unsigned i = 0; i < s->nev; i++)
		free((void *)(uintptr_t)s->ev[i].tally);
	free(s->ev);
	free(s);
}

/* ---- the part ------------------------------------------------------------------------------------ */

static void *
part_new(struct pass *p)
{
	const struct asked *a = p->asked;
	struct sort *s;

	if (!a->keys && !a->hist)
		return NULL;
	s = sort_new(p->t, p->c, a->keys, a->hist);
	s->naming = pass_naming(p);
	s->offsets = p->form != json && !a->live && !a->every;
	if (a->columns)
		sort_columns(s, a->columns);
	if (a->children)
		s->children = children_new(s);
	s->top = a->top >= 0 ? (unsigned)a->top : p->form == screen ? 20 : 0;
	if (a->quantum && (!a->picture || s->time_at >= 0))
		sort_quantum(s, a->quantum);
	return s;
}

static void
part_begin(void *part, struct pass *p)
{
	struct sort *s = part;

	sort_begin(s);
	if (s->children)
		children_begin(s->children, p);
}

static bool
part_end(void *part, struct pass *p)
{
	struct summary *s = pass_summary(p);
	bool exact = sort_end(part, s->unit);

	sort_hit(part, &s->hit);
	return exact;
}

const struct part_kind part_sort = { .new = part_new, .add = sort_add, .begin = part_begin, .end = part_end, .free = sort_free };
