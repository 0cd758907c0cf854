/* SPDX-License-Identifier: ISC */
/* sort.c - see sort.h: the options, and how the part begins and ends */
#include <stdlib.h>
#include <string.h>

#include "count/summary.h"
#include "report/forms.h"
#include "sort/in.h"
#include "source/formats.h"

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
		s->own[s->nkeys] = (struct key){ s->payload[s->nkeys]->name, KEY_PAYLOAD, CELL_TEXT, NO_LOSSES, RECORD, NO_OPTION, NULL,
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
	if (k->kind == KEY_SYSCALL) {
		s->syscalls = syscalls_new(s->tool);
		s->payloads = true;
	}
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

/* ---- for others ---------------------------------------------------------------------------------- */

void
sort_each(struct sort *s, sort_pick *pick, sort_each_fn *each, void *arg)
{
	s->pick = pick;
	s->each = each;
	s->each_arg = arg;
}

void
sort_only(struct sort *s, sort_pick *pick, void *arg)
{
	s->only = pick;
	s->only_arg = arg;
}

bool
sort_hist_is_chosen(const struct sort *s)
{
	return s->only && s->value < VALUE_ROUND;
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
	if (s->with)
		history_follow(s->history, s->with);
	if (!s->children)
		s->bit = lane_join(s->c, LANE_ALL, sort_visit, s);
}

void
sort_follow(struct sort *s, struct stacks *with)
{
	s->with = with;
	if (s->history)
		history_follow(s->history, with);
}

/* No histogram is of two units. */
static void
sort_check_units(const struct sort *s)
{
	const struct pp_event *ns = NULL, *other = NULL;

	for (unsigned i = 0; i < s->c->nev && s->tool->in; i++)
		if (s->c->ev[i].samples && (!s->only || (i < s->nev && s->ev[i].known)))
			*(count_is_duration(s->tool->in->events->ev[i]) ? &ns : &other) = s->tool->in->events->ev[i];
	if (!ns || !other)
		return;
	tool_warn(s->tool, "--hist period, --columns: the periods of %.60s are durations, those of %.60s are not: choose one by pfilter --event, or "
	    "--sort event", ns->name, other->name);
	s->tool->failed = true;
}

bool
sort_end(struct sort *s, bool unit)
{
	bool payloads = payload_end(s);

	s->unit = unit || s->event_at >= 0;
	s->durations = s->unit && sort_all_last(s);
	s->longest |= s->measures && s->durations;
	if (s->value == VALUE_PERIOD && !s->by_period && !s->measures && s->event_at < 0)
		sort_check_units(s);
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
	syscalls_free(s->syscalls);
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
