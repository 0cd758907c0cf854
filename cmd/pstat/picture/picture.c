/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "field/event_match.h"
#include "field/field.h"
#include "picture/in.h"
#include "record/event.h"
#include "record/raw.h"
#include "set.h"

/* ---- options ------------------------------------------------------------------------------------- */

const struct picture_kind *const picture_kinds[PICS] = {
#define PICTURE(NAME, name, word) [PIC_##NAME] = &picture_##name,
#include "kinds.def"
};

static const char *const pictures[PICS] = {
#define PICTURE(NAME, name, word) [PIC_##NAME] = word,
#include "kinds.def"
};

/* "rate, cpu, ... or fill" */
static void
picture_words(char *to, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; i < PICS && n < size; i++)
		n += (size_t)snprintf(to + n, size - n, "%s%s", !i ? "" : i < PICS - 1 ? ", " : " or ", pictures[i]);
}

static void
picture_word(void *arg, const char *word)
{
	struct pictures *p = arg;
	char words[200];
	unsigned kind = 0;
	size_t n = 0;

	for (; kind < PICS; kind++) {
		n = strcspn(pictures[kind], ":");
		if (pictures[kind][n] == ':' ? !strncmp(word, pictures[kind], ++n) : !strcmp(word, pictures[kind]))
			break;
	}
	if (kind == PICS) {
		picture_words(words, sizeof words);
		tool_wrong(p->tool, "--picture '%s': expected %s", word, words);
	}
	for (unsigned i = 0; i < p->n; i++)
		if (!strcmp(p->pic[i].name, word))
			tool_wrong(p->tool, "--picture '%s': given twice", word);
	if (p->n == PICTURES_MAX)
		tool_wrong(p->tool, "--picture '%s': %d at most", word, PICTURES_MAX);
	p->pic[p->n] = (struct picture){ .kind = kind, .name = option_text("%s", word) };
	if (picture_kinds[kind]->new)
		p->pic[p->n].own = picture_kinds[kind]->new(p, p->pic[p->n].name + n);
	p->n++;
	p->has[kind] = true;
	p->timed |= picture_kinds[kind]->timed;
}

static void
picture_event_word(void *arg, const char *word)
{
	struct pictures *p = arg;

	p->event = tool_need(array_more(p->event, p->nevents, 1, sizeof *p->event));
	p->event[p->nevents++] = option_text("%s", word);
}

struct pictures *
pictures_new(struct tool *t, struct counts *c, const struct asked *a)
{
	struct pictures *p = tool_alloc(1, sizeof *p);
	const char *field = "cpumode";
	big mode;

	*p = (struct pictures){ .tool = t, .c = c, .asked = a, .mode = -1, .first = UINT64_MAX, .exact = true };
	t->optname = "--picture";
	for (unsigned i = 0; a->page && i < PICS; i++)
		if (picture_kinds[i]->page)
			picture_word(p, pictures[i]);
	if (a->picture)
		tool_words(t, a->picture, picture_word, p);
	if (a->quantum) {
		t->optname = "--time-quantum";
		p->quantum = tool_duration(t, a->quantum);
		if (!spans_may_be(p->quantum))
			tool_wrong(t, "--time-quantum '%s': expected 1, 5, 20, 100 or 500 ms, 1, 5 or 20 s, 1, 5, 20 or 60 m", a->quantum);
	}
	if (a->events) {
		t->optname = "--event";
		tool_words(t, a->events, picture_event_word, p);
	}
	if (a->cpumode) {
		if (!field_word(field_find(field, strlen(field)), a->cpumode, strlen(a->cpumode), &mode))
			tool_wrong(t, "--cpumode '%s': expected kernel, user, hypervisor, guest_kernel, guest_user or unknown", a->cpumode);
		p->mode = (int)mode.lo;
		p->mode_name = a->cpumode;
	}
	return p;
}

void
pictures_tell_stacks(struct pictures *p, void (*fn)(void *, struct stacks *), void *arg)
{
	p->stacks = fn;
	p->stacks_arg = arg;
}

bool
pictures_sorted(const struct pictures *p)
{
	return p->has[PIC_RATE] || p->has[PIC_TASKS];
}

/* ---- samples ------------------------------------------------------------------------------------- */

static const struct picture_event *
picture_learn(struct pictures *p, unsigned event)
{
	const struct pp_events *all = p->c->tool->in->events;
	const struct pp_event *ev = all->ev[event];
	bool wanted = p->nevents == 0;

	for (unsigned i = 0; i < p->nevents && !p->nev; i++)
		event_find(p->tool, all, p->event[i], "--event");

	p->ev = tool_need(array_reach(p->ev, &p->nev, event, sizeof *p->ev));
	for (unsigned i = 0; i < p->nevents; i++)
		wanted |= event_is_named(p->event[i], all, ev);
	p->ev[event] = (struct picture_event){ true, wanted, ev->attr.sample_type & PP_SAMPLE_READ, ev->plan.cpu, NULL };
	if (p->bit && wanted && p->mode < 0 && ev->plan.cpu && !p->ev[event].read) {
		p->ev[event].quick = p->c->ev[event].quick = tool_alloc(1, sizeof *p->ev->quick);
		p->c->ev[event].wanted &= ~p->bit;
		*p->ev[event].quick = (struct quick){ &p->run, p->by_pid ? &p->task : NULL, p, ev->plan.cpu };
	}
	return &p->ev[event];
}

static inline const struct picture_event *
picture_event(struct pictures *p, unsigned event)
{
	return event < p->nev && p->ev[event].known ? &p->ev[event] : picture_learn(p, event);
}

static inline bool
picture_wants(const struct pictures *p, const struct picture_event *e, const struct pp_rec *r)
{
	return e->wanted && (p->mode < 0 || (r->misc & PP_MISC_CPUMODE_MASK) == p->mode);
}

static inline void
picture_plus(struct pictures *p, uint32_t *to, uint64_t n)
{
	if (n > UINT32_MAX - *to) {
		*to = UINT32_MAX;
		p->over = true;
	} else
		*to += (uint32_t)n;
}

/* Add what was counted of the run. */
static void
picture_flush(struct pictures *p)
{
	struct picture_run *run = &p->run;

	if (!run->length)
		return;
	if (run->first < p->first)
		p->first = run->first;
	if (run->last > p->last)
		p->last = run->last;
	p->samples += run->n[0] + run->n[1];
	p->idle += run->n[1];
	if (p->has[PIC_CPU] && run->n[0])
		grid_add(&p->cpu, run->cpu, run->bin, run->first, run->n[0]);
	else if (p->has[PIC_CPU] && run->n[1])
		grid_row(&p->cpu, run->cpu);	/* it is shown to be idle */
	if (p->sub.n && run->n[0])
		picture_plus(p, &p->sub.n[run->fine], run->n[0]);
	run->length = 0;
}

/* The bin of any record; it may become wider. */
static unsigned
picture_bin(struct pictures *p, uint64_t time)
{
	if (time - p->spans.from >= p->spans.length)
		picture_flush(p);
	return spans_at(&p->spans, time);
}

/* A time of another bin, or another CPU. */
static void
picture_begin_run(struct pictures *p, uint64_t time, uint64_t cpu)
{
	struct picture_run *run = &p->run;
	uint64_t from, end;

	picture_flush(p);
	*run = (struct picture_run){ .cpu = cpu, .first = time, .last = time, .bin = spans_at(&p->spans, time) };
	run->part = run->bin / GRID_PART;
	run->in_part = run->bin % GRID_PART;
	from = p->spans.from;
	end = from + p->spans.length;
	if (p->sub.n) {
		run->fine = spans_at(&p->fine, time);
		from = p->fine.from > from ? p->fine.from : from;
		end = p->fine.from + p->fine.length < end ? p->fine.from + p->fine.length : end;
	}
	run->from = from ? from : 1;	/* 0 is no time */
	run->length = end > from ? end - run->from : time - run->from + 1;	/* else at the end of all times */
}

bool
quick_begin(struct quick *q, uint64_t time, uint64_t cpu)
{
	struct pictures *p = q->pictures;

	if (!time) {
		p->untimed++;
		return false;
	}
	picture_begin_run(p, time, cpu);
	return true;
}

void
quick_add(struct grid *g, uint64_t key, unsigned bin, uint64_t time)
{
	grid_add(g, key, bin, time, 1);
}

/* The members of a READ that count. */
static uint64_t
picture_members(struct pictures *p, const struct pp_rec *r)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < p->c->nmoved; i++)
		n += picture_wants(p, picture_event(p, p->c->moved[i].event), r);
	return n;
}

/* A sample that is not for quick_sample(). */
static void
picture_sample(struct pictures *p, const struct pp_rec *r)
{
	const struct picture_event *e = picture_event(p, (unsigned)(p->c->seen.event - p->c->ev));
	uint64_t time = p->c->seen.time, key = p->c->seen.key;
	uint64_t cpu = e->cpu ? pp_get_u32(r->raw + e->cpu, p->swap) : GRID_UNKNOWN;
	uint64_t n = e->read ? picture_members(p, r) : picture_wants(p, e, r);
	struct picture_run *run = &p->run;
	bool idle = (uint32_t)key == 0;

	if (!time) {
		p->untimed += n;
		return;
	}
	if (time - run->from >= run->length || cpu != run->cpu)
		picture_begin_run(p, time, cpu);
	if (time < run->first)
		run->first = time;
	if (time > run->last)
		run->last = time;
	run->n[idle] += n;
	if (p->by_pid && n)
		grid_add(&p->task, idle ? PIC_IDLE : key >> 32, run->bin, time, n);
}

unsigned
picture_pick(void *arg, unsigned event, const struct pp_rec *r, uint32_t tid)
{
	return picture_wants(arg, picture_event(arg, event), r) ? PICKED | (tid == 0 ? PICKED_IDLE : 0) : 0;
}

/* sort_each_fn */
static void
picture_key(void *arg, uint64_t key, uint64_t time, unsigned picked)
{
	struct pictures *p = arg;
	unsigned bin;

	if (!time)
		return;
	bin = picture_bin(p, time);
	if (p->has[PIC_RATE])
		grid_add(&p->rate, key, bin, time, 1);
	if (p->has[PIC_TASKS] && !(picked & PICKED_IDLE))
		grid_add(&p->task, key, bin, time, 1);
}

/* ---- all records --------------------------------------------------------------------------------- */

static void
picture_other(struct pictures *p, const struct pp_rec *r)
{
	const struct pp_events *all = p->c->tool->in->events;
	bool swap = p->c->tool->in->swap;
	const struct pp_event *ev, *of;
	uint64_t time;

	if (r->type != PP_LOST && r->type != PP_THROTTLE && (r->type != PP_LOST_SAMPLES || count_is_filtered(r)))
		return;
	if (!(ev = pp_event_find(all, r, NULL)) || !pp_time(ev, r, swap, &time) || !time)
		return;
	if (r->type == PP_THROTTLE)
		picture_plus(p, &p->throttled.n[picture_bin(p, time)], 1);
	else if (r->type == PP_LOST_SAMPLES)
		grid_add(&p->lost, 2 * (uint64_t)ev->index + 1, picture_bin(p, time), time, PP_RAW_GET(r->raw, LOST_SAMPLES, lost, swap));
	else {
		of = pp_event_by_id(all, PP_RAW_GET(r->raw, LOST, id, swap));
		grid_add(&p->lost, 2 * (uint64_t)(of ? of : ev)->index, picture_bin(p, time), time, PP_RAW_GET(r->raw, LOST, lost, swap));
	}
}

/* lane_fn */
static int
picture_visit(void *arg, const struct pp_rec *r, bool sound)
{
	if (sound && r->type == PP_SAMPLE)
		picture_sample(arg, r);
	else if (sound)
		picture_other(arg, r);
	return sound;
}

/* ---- begin and end ------------------------------------------------------------------------------- */

/* spans_change */
static void
picture_sum(void *arg, const uint16_t *to, unsigned n, unsigned n_to)
{
	struct picture_bins *b = arg;

	for (unsigned i = 0; i < n; i++) {	/* to[i] <= i */
		uint32_t of = b->n[i];

		b->n[i] = 0;
		picture_plus(b->p, &b->n[to[i]], of);
	}
	(void)n_to;
}

/* Count by these bins, of which there are so many at most. */
static void
picture_count_by(struct pictures *p, struct picture_bins *b, struct spans *spans, unsigned max)
{
	*b = (struct picture_bins){ tool_alloc(max + (size_t)1, sizeof *b->n), p };
	spans_count_by(spans, picture_sum, b);
}

static unsigned
pictures_columns(const struct pictures *p)
{
	return p->quantum ? GRID_SPANS - 1 : PIC_COLUMNS;
}

void
pictures_bins(const struct pictures *p, struct moments *m)
{
	moments_init(m, p->quantum ? p->quantum : SPANS_FIRST, pictures_columns(p));
}

void
pictures_begin(void *part, struct pass *pass)
{
	enum { FINE = PIC_SECONDS * PIC_ROWS };
	struct pictures *p = part;
	struct sort *keys = pass->asked->keys ? pass->part[PART_sort] : NULL;
	unsigned max = pictures_columns(p);

	p->naming = pass_naming(pass);
	for (unsigned i = 0; i < p->n; i++)
		if (picture_kinds[p->pic[i].kind]->begin)
			picture_kinds[p->pic[i].kind]->begin(p, &p->pic[i]);
	if (!p->tool->in || !p->timed)
		return;
	spans_init(&p->spans, p->quantum ? p->quantum : SPANS_FIRST, p->quantum != 0, 1, max);
	grid_init(&p->lost, &p->spans, GRID_ROWS - 1, false);
	picture_count_by(p, &p->throttled, &p->spans, max);
	if (p->has[PIC_CPU])
		grid_init(&p->cpu, &p->spans, PIC_CPUS, true);
	if (p->has[PIC_SUBSECOND]) {
		spans_init(&p->fine, SPANS_SECOND / PIC_ROWS, false, PIC_ROWS, FINE);
		picture_count_by(p, &p->sub, &p->fine, FINE);
	}
	if (pictures_sorted(p)) {
		grid_init(&p->task, &p->spans, GRID_ROWS - 1, false);
		if ((p->keys = keys)) {
			grid_init(&p->rate, &p->spans, GRID_ROWS - 1, false);
			sort_each(keys, picture_pick, picture_key, p);
		}
	}
	p->swap = p->tool->in->swap;
	p->by_pid = p->task.row && !keys;
	p->bit = lane_join(p->c, LANE_ALL, picture_visit, p);
}

bool
pictures_end(void *part, struct pass *pass)
{
	const struct summary *s = pass_summary(pass);
	struct pictures *p = part;

	for (unsigned i = 0; i < p->n; i++)
		if (picture_kinds[p->pic[i].kind]->end)
			p->exact &= picture_kinds[p->pic[i].kind]->end(&p->pic[i], s);
	picture_flush(p);
	for (unsigned i = 0; p->by_pid && i < p->task.n; i++) {
		const struct grid_row *row = &p->task.row[i];

		if (row->first < p->first)
			p->first = row->first;
		if (row->last > p->last)
			p->last = row->last;
	}
	if (p->tool->in)
		panels_make(p, s);
	return p->exact;
}

const struct panels *
pictures_panels(const struct pictures *p)
{
	return &p->panels;
}

const struct draw *
pictures_draw(const struct pictures *p)
{
	return &p->draw;
}

void
pictures_free(void *part)
{
	struct pictures *p = part;

	panels_free(&p->panels);
	for (unsigned i = 0; i < p->n; i++) {
		if (picture_kinds[p->pic[i].kind]->free)
			picture_kinds[p->pic[i].kind]->free(p->pic[i].own);
		free(p->pic[i].name);
	}
	for (unsigned i = 0; i < p->nevents; i++)
		free(p->event[i]);
	free(p->event);
	for (unsigned i = 0; i < p->nev; i++)
		free(p->ev[i].quick);
	free(p->ev);
	spans_free(&p->spans);
	spans_free(&p->fine);
	grid_free(&p->cpu);
	grid_free(&p->task);
	grid_free(&p->rate);
	grid_free(&p->lost);
	free(p->sub.n);
	free(p->throttled.n);
	free(p);
}
