/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "record/event.h"
#include "record/raw.h"
#include "sort/in.h"
#include "state/timeline.h"

enum { SORT_MEMORY = 6 << 20 };		/* bytes of samples that wait for their turn */
enum { MISC_AT = 4 };			/* in a record's header */

/* ---- options ------------------------------------------------------------------------------------- */

static void
sort_word(void *arg, const char *word)
{
	struct sort *s = arg;
	const struct key *k = key_find(word);
	char names[200];

	key_names(names, sizeof names);
	if (!k)
		tool_wrong(s->tool, "--sort '%s': expected keys of %s", word, names);
	if (s->nkeys == ROWS_KEYS)
		tool_wrong(s->tool, "--sort '%s': %d keys at most", word, ROWS_KEYS);
	for (unsigned i = 0; i < s->nkeys; i++)
		if (s->key[i] == k)
			tool_wrong(s->tool, "--sort '%s': given twice", word);
	if (k->kind == KEY_EVENT)
		s->event_at = (int)s->nkeys;
	if (k->kind == KEY_TIME)
		s->time_at = (int)s->nkeys;
	s->all |= k->kind == KEY_TYPE;
	s->state |= key_is_of_state(k);
	s->lost &= k->lost;
	if (k->field)
		s->keyed[s->nkeys] = field_find(k->field, strlen(k->field));
	s->key[s->nkeys++] = k;
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
sort_options(struct sort *s, const char *quantum, unsigned top)
{
	s->top = top;
	if (!quantum)
		return;
	if (s->time_at < 0)
		tool_wrong(s->tool, "--time-quantum: is for --sort time");
	s->tool->optname = "--time-quantum";
	s->quantum = tool_duration(s->tool, quantum);
	if (!bins_may_be(s->quantum))
		tool_wrong(s->tool, "--time-quantum '%s': expected 1, 5, 20, 100 or 500 ms, 1, 5 or 20 s, 1, 5, 20 or 60 m", quantum);
}

/* ---- keys of a record ---------------------------------------------------------------------------- */

static uint64_t
sort_widen(void *arg, uint64_t time)
{
	const struct sort *s = arg;

	return time == ROWS_UNKNOWN ? time : time - time % s->bins.width;
}

static uint64_t
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
sort_field(struct sort *s, const struct field *f, const struct field_place *at, const struct pp_event *ev, const struct pp_rec *r)
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
		if (s->key[i]->kind == KEY_FIELD)
			field_access(&s->stream, s->keyed[i], &(struct field_kind){ ev, type, trailer }, &e->place[i]);
	if (s->field)
		field_access(&s->stream, s->field, &(struct field_kind){ ev, type, trailer }, &e->value);
	e->known = true;
}

/* How to add the event's samples to their rows without looking at what the keys are; NULL: that cannot be. */
static const struct tally *
sort_tally(struct sort *s, const struct sort_event *e, const struct pp_event *ev)
{
	bool big_endian = s->stream.swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	struct tally t = { .rows = &s->rows, .nkeys = s->nkeys }, *kept;

	if (s->state || s->value || ev->attr.sample_type & PP_SAMPLE_READ)
		return NULL;
	for (unsigned i = 0; i < s->nkeys; i++) {
		const struct field_place *p = &e->place[i];
		uint8_t kind = s->key[i]->kind;

		if (kind == KEY_EVENT || kind == KEY_TYPE) {
			t.key[i].is = kind == KEY_EVENT ? ev->index : PP_SAMPLE;
			continue;
		}
		if (kind != KEY_FIELD || p->at != AT_PLACE || p->end || p->shift)
			return NULL;
		t.key[i].off = (uint16_t)p->off;
		t.key[i].mask = (uint32_t)p->mask;
		t.key[i].sign = p->sign ? UINT32_C(1) << 31 : 0;
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
	if (ev->index >= s->nev) {
		unsigned n = 2 * ev->index + 8;

		s->ev = tool_realloc(s->ev, n, sizeof *s->ev);
		memset(s->ev + s->nev, 0, (n - s->nev) * sizeof *s->ev);
		s->nev = n;
	}
	if (!s->ev[ev->index].known) {
		sort_places(s, &s->ev[ev->index], ev, PP_SAMPLE, false);
		s->ev[ev->index].tally = s->c->ev[ev->index].tally = sort_tally(s, &s->ev[ev->index], ev);
	}
	return &s->ev[ev->index];
}

/* All keys but those of the state. */
static void
sort_keys(struct sort *s, uint64_t key[ROWS_KEYS], const struct sort_event *e, const struct pp_event *ev, const struct pp_rec *r, uint64_t time)
{
	key[0] = key[1] = key[2] = 0;
	for (unsigned i = 0; i < s->nkeys; i++)
		switch ((enum key_kind)s->key[i]->kind) {
		case KEY_FIELD:	key[i] = sort_field(s, s->keyed[i], &e->place[i], ev, r); break;
		case KEY_EVENT:	key[i] = ev ? ev->index : ROWS_UNKNOWN; break;
		case KEY_TYPE:	key[i] = r->type; break;
		case KEY_TIME:	key[i] = sort_bin(s, time); break;
		default:	key[i] = ROWS_UNKNOWN; break;
		}
}

/* ---- keys of the state --------------------------------------------------------------------------- */

struct hit {				/* a sample that waits for its turn */
	uint32_t	 zero;		/* where a record has its type */
	uint32_t	 pid, tid, mode;
	uint64_t	 ip, cgroup;
	uint64_t	 key[ROWS_KEYS];
	struct counted	 n;
	uint64_t	 value, times;	/* for the histogram; times 0: none */
};

static uint64_t
sort_name(struct sort *s, const char *text)
{
	uint32_t n;

	if (!text)
		return ROWS_UNKNOWN;
	n = names_number(s->names, text, strlen(text));
	return n == UINT32_MAX ? ROWS_UNKNOWN : n;
}

static uint32_t
sort_dso_name(struct sort *s, const struct pp_map *m)
{
	const struct pp_dso *d = pp_state_dso(s->now, m);

	if (!d)
		return 0;
	if (d->index >= s->ndso) {
		size_t n = 2 * (size_t)d->index + 64;

		s->dso = tool_realloc(s->dso, n, sizeof *s->dso);
		memset(s->dso + s->ndso, 0, (n - s->ndso) * sizeof *s->dso);
		s->ndso = n;
	}
	if (!s->dso[d->index])
		s->dso[d->index] = (uint32_t)sort_name(s, field_dso_name(d)) + 1;
	return s->dso[d->index];
}

static uint64_t
sort_dso(struct sort *s, const struct hit *h)
{
	const struct pp_maps *maps = pp_state_maps(s->now, h->pid, h->mode);
	uint64_t page = h->ip >> 12, version;
	const struct pp_map *m;
	uint32_t name, slot;

	if (!maps)
		return ROWS_UNKNOWN;
	version = pp_maps_version(maps);
	slot = (uint32_t)((page ^ page >> 13 ^ version * 31) % SORT_PAGES);
	if (s->page[slot].name && s->page[slot].page == page && s->page[slot].version == version)
		return s->page[slot].name - 1;
	if (!(m = pp_maps_find(maps, h->ip)) || !(name = sort_dso_name(s, m)))
		return ROWS_UNKNOWN;
	/* a map may end within a page */
	if (page << 12 >= m->start && (page << 12) - m->start + 4095 < m->len) {
		s->page[slot].version = version;
		s->page[slot].page = page;
		s->page[slot].name = name;
	}
	return name - 1;
}

static uint64_t
sort_comm(struct sort *s, uint32_t tid)
{
	char number[FIELD_NAMELESS];
	const char *comm = pp_state_comm(s->now, tid);

	return sort_name(s, comm ? comm : field_nameless(tid, number));
}

static void
sort_count(struct sort *s, const struct hit *h)
{
	struct row *row = rows_get(&s->rows, h->key);

	rows_sum(&row->n, &h->n);
	if (h->times)
		hists_add(s->rows.hists, &row->hist, h->value, h->times);
}

/* pp_deliver of the timeline */
static int
sort_turn(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct sort *s = arg;
	struct hit h;

	(void)time;
	if (pp_get_u32(p, s->stream.swap) != 0) {
		struct pp_rec r = pp_rec_at(p, s->stream.swap);

		return pp_state_feed(s->now, &r, 0);
	}
	if (n != sizeof h)
		return -1;
	memcpy(&h, p, sizeof h);
	for (unsigned i = 0; i < s->nkeys; i++)
		switch ((enum key_kind)s->key[i]->kind) {
		case KEY_COMM:		h.key[i] = sort_comm(s, h.tid); break;
		case KEY_DSO:		h.key[i] = sort_dso(s, &h); break;
		case KEY_CGROUP:	h.key[i] = sort_name(s, pp_state_cgroup(s->now, h.cgroup)); break;
		case KEY_TIME:		h.key[i] = sort_bin(s, time); break;
		default:		break;
		}
	sort_count(s, &h);
	return 1;
}

static void
sort_fill(struct sort *s, struct hit *h, const struct pp_event *ev, const struct pp_rec *r)
{
	const uint8_t *p;
	size_t n;

	h->zero = 0;
	h->pid = h->tid = UINT32_MAX;
	pp_pid_tid(ev, r, s->stream.swap, &h->pid, &h->tid);
	h->mode = r->misc & PP_MISC_CPUMODE_MASK;
	h->ip = h->cgroup = 0;
	if (r->type == PP_SAMPLE && ev->plan.ip)
		h->ip = pp_get_u64(r->raw + ev->plan.ip, s->stream.swap);
	else
		h->mode = 0;
	if (r->type == PP_SAMPLE && ev->attr.sample_type & PP_SAMPLE_CGROUP &&
	    pp_sample_field(ev, r, s->stream.swap, PP_SAMPLE_CGROUP, &p, &n, NULL) > 0 && n == 8)
		h->cgroup = pp_get_u64(p, s->stream.swap);
}

static int
sort_wait(struct sort *s, uint64_t time, const void *p, size_t n)
{
	return time ? pp_timeline_put(s->line, time, p, n) : sort_turn(s, 0, p, n);
}

/* ---- records ------------------------------------------------------------------------------------- */

static int
sort_put(struct sort *s, struct hit *h, uint64_t time, const struct counted *n)
{
	h->n = *n;
	if (!s->state) {
		sort_count(s, h);
		return 1;
	}
	return sort_wait(s, time, h, sizeof *h);
}

static int
sort_sample(struct sort *s, const struct pp_event *ev, const struct pp_rec *r)
{
	struct counted n = { .records = 1, .bytes = r->size, .first = UINT64_MAX };
	struct hit h;
	uint64_t time = 0;

	if (pp_time(ev, r, s->stream.swap, &time))
		n.first = n.last = time;
	else
		time = 0;
	/* in time order the bins are made when the turn comes, as rows may change then */
	sort_keys(s, h.key, sort_event(s, ev), ev, r, s->state ? 0 : time);
	if (s->state)
		sort_fill(s, &h, ev, r);
	h.times = 0;
	if (s->value && s->value != VALUE_PERIOD && value_of(s, sort_event(s, ev), ev, r, time, &h.value))
		h.times = 1;
	if (ev->attr.sample_type & PP_SAMPLE_READ) {
		if (sort_put(s, &h, time, &n) < 0)
			return -1;
		n.records = n.bytes = h.times = 0;
		for (unsigned i = 0; i < s->c->nmoved; i++) {
			n.samples = 1;
			n.period = s->c->moved[i].period;
			if (s->value == VALUE_PERIOD) {
				h.value = n.period;
				h.times = s->by_period ? n.period : 1;
			}
			if (s->event_at >= 0)
				h.key[s->event_at] = s->c->moved[i].event;
			if (sort_put(s, &h, time, &n) < 0)
				return -1;
		}
		return 1;
	}
	n.samples = 1;
	n.period = ev->plan.period ? pp_get_u64(r->raw + ev->plan.period, s->stream.swap) : ev->attr.sample_period;
	if (s->value == VALUE_PERIOD) {
		h.value = n.period;
		h.times = 1;
	}
	if (s->by_period && h.times)
		h.times = n.period;
	return sort_put(s, &h, time, &n);
}

static int
sort_other(struct sort *s, const struct pp_rec *r)
{
	struct counted n = { .records = s->all, .bytes = s->all ? r->size + r->payload : 0, .first = UINT64_MAX };
	const struct pp_event *ev = NULL;
	struct sort_event e = { .known = false };
	struct hit h;
	uint64_t time = 0;

	if (r->type < PP_USER_TYPE_START && pp_type_name(r->type))
		ev = pp_event_find(s->stream.events, r, NULL);
	if (!ev || !pp_time(ev, r, s->stream.swap, &time))
		time = 0;
	if (s->lost && r->type == PP_LOST) {
		const struct pp_event *of = pp_event_by_id(s->stream.events, PP_RAW_GET(r->raw, LOST, id, s->stream.swap));

		n.lost = PP_RAW_GET(r->raw, LOST, lost, s->stream.swap);
		ev = of ? of : ev;
	} else if (s->lost && r->type == PP_LOST_SAMPLES && !count_is_filtered(r))
		n.lost_samples = PP_RAW_GET(r->raw, LOST_SAMPLES, lost, s->stream.swap);
	if (!s->all && !n.lost && !n.lost_samples)
		return 1;
	if (time && s->all)
		n.first = n.last = time;
	if (ev)
		sort_places(s, &e, ev, r->type, pp_has_trailer(ev, r));
	else
		memset(&e, 0, sizeof e);
	h.times = 0;
	sort_keys(s, h.key, &e, ev, r, s->state ? 0 : time);
	if (s->state) {
		h.zero = h.mode = 0;
		h.ip = h.cgroup = 0;
		h.pid = h.tid = UINT32_MAX;
		if (ev)
			sort_fill(s, &h, ev, r);
	}
	return sort_put(s, &h, time, &n);
}

static int
sort_history(struct sort *s, const struct pp_rec *r)
{
	const struct pp_event *ev;
	uint64_t time;

	if (r->type == PP_FINISHED_ROUND)
		return pp_timeline_round(s->line);
	if (!pp_state_wants(r->type) || r->type == PP_SAMPLE)
		return 1;
	if (pp_check(r, s->stream.swap, &s->tool->in_err) < 0)
		return -1;
	ev = r->type < PP_USER_TYPE_START ? pp_event_find(s->stream.events, r, NULL) : NULL;
	return sort_wait(s, ev && pp_time(ev, r, s->stream.swap, &time) ? time : 0, r->raw, r->size);
}

/* count_visit */
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
		if (s->c->tallied || !(ev = pp_event_find(s->stream.events, r, NULL)))
			return 1;
		rc = sort_sample(s, ev, r);
	} else {
		if (s->state)
			rc = sort_history(s, r);
		if (rc > 0 && (s->all || r->type == PP_LOST || r->type == PP_LOST_SAMPLES))
			rc = sort_other(s, r);
	}
	s->failed = rc < 0;
	return rc > 0;
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
	if (s->state && (!(s->names = names_new(err)) || !(s->now = pp_state_new(in->swap, err)) ||
	    !(s->line = pp_timeline_new(sort_turn, s, SORT_MEMORY, err)))) {
		tool_say(s->tool, err);
		exit(1);
	}
	count_visit_by(s->c, sort_visit, s);
}

bool
sort_end(struct sort *s, bool unit)
{
	s->unit = unit || s->event_at >= 0;
	if (s->line && pp_timeline_release(s->line, UINT64_MAX) < 0)
		s->failed = true;
	return !s->failed && !s->rows.over && !s->before.over && (!s->rows.hists || !hists_over(s->rows.hists)) && (!s->names || !names_over(s->names)) && (!s->line || !pp_timeline_early(s->line));
}

void
sort_free(struct sort *s)
{
	if (!s)
		return;
	rows_free(&s->rows);
	rows_free(&s->before);
	hists_free(s->rows.hists);
	bins_free(&s->bins);
	names_free(s->names);
	field_stream_free(&s->stream);
	pp_state_free(s->now);
	pp_timeline_free(s->line);
	for (unsigned i = 0; i < s->nev; i++)
		free((void *)(uintptr_t)s->ev[i].tally);
	free(s->ev);
	free(s->dso);
	free(s);
}
