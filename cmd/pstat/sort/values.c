/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "record/event.h"
#include "sort/in.h"

static const struct value {
	const char	*name;
	enum value_kind	 kind;
	const char	*field;		/* VALUE_FIELD: its name in field.h */
} values[] = {
	{ "period", VALUE_PERIOD, NULL }, { "weight", VALUE_FIELD, "weight" }, { "interval", VALUE_INTERVAL, NULL },
	{ "stack", VALUE_FIELD, "stack.size" }, { "chain", VALUE_FIELD, "callchain.nr" }, { "raw", VALUE_FIELD, "raw.size" },
	{ "size", VALUE_FIELD, "size" }, { "round", VALUE_ROUND, NULL }, { "disorder", VALUE_DISORDER, NULL },
	{ "gap", VALUE_GAP, NULL },
};

void
value_choose(struct sort *s, const char *text)
{
	static const struct value payload = { "raw.", VALUE_FIELD, NULL };
	size_t n = strcspn(text, ":");
	const struct value *v = values, *end = values + sizeof values / sizeof *values;
	bool wrong = text[n] && strcmp(text + n, ":p");

	if ((s->payload[ROWS_KEYS] = payload_new(s, "--hist", text, n)))
		v = &payload;
	while (v != &payload && v < end && (strlen(v->name) != n || memcmp(v->name, text, n)))
		v++;
	if (wrong || v == end)
		tool_wrong(s->tool, "--hist '%s': expected period, weight, interval, stack, chain, raw, raw.FIELD, size, round, disorder or "
		    "gap; and :p, to count by periods", text);
	s->value = v->kind;
	s->value_name = text;
	s->by_period = text[n];
	if (v->field)
		s->field = field_find(v->field, strlen(v->field));
	else if (s->payload[ROWS_KEYS])
		s->field = s->payload[ROWS_KEYS];
	if (v->kind >= VALUE_ROUND && (s->nkeys || s->by_period))
		tool_wrong(s->tool, "--hist %.*s: cannot be combined with --sort or :p, as its values are not of samples", (int)n, text);
}

static const struct { const char *name; unsigned cell; } column_words[] = {
	{ "count", HIST_COUNT }, { "sum", HIST_SUM }, { "mean", COLUMN_MEAN }, { "min", HIST_MIN }, { "p50", HIST_P50 }, { "p90", HIST_P90 },
	{ "p99", HIST_P99 }, { "p999", HIST_P999 }, { "max", HIST_MAX },
};
_Static_assert(sizeof column_words / sizeof *column_words == COLUMNS_MAX, "SORT_FIGURES counts these words");

static void
value_column(void *arg, const char *word)
{
	struct sort *s = arg;
	size_t i = 0, n = sizeof column_words / sizeof *column_words;

	while (i < n && strcmp(column_words[i].name, word) != 0)
		i++;
	if (i == n)
		tool_wrong(s->tool, "--columns '%s': expected words of " SORT_FIGURE_WORDS, word);
	for (unsigned k = 0; k < s->columns; k++)
		if (s->column[k] == column_words[i].cell)
			tool_wrong(s->tool, "--columns '%s': given twice", word);
	s->column[s->columns++] = column_words[i].cell;
}

void
value_columns(struct sort *s, const char *text)
{
	if (!s->value)
		value_choose(s, "period");
	if (s->value != VALUE_PERIOD || s->by_period)
		tool_wrong(s->tool, "--columns: shows periods, and cannot be combined with another --hist");
	tool_words(s->tool, text, value_column, s);
}

bool
sort_hist_is_between(const char *text)
{
	size_t n = strcspn(text, ":");

	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (strlen(values[i].name) == n && !memcmp(values[i].name, text, n))
			return values[i].kind >= VALUE_INTERVAL;
	return false;
}

/* Since the last sample of this event, or of any event if that is UINT64_MAX, on the CPU, or else of the same id. */
static bool
value_since(struct sort *s, uint64_t event, const struct pp_event *ev, const struct pp_rec *r, uint64_t time, uint64_t *value)
{
	uint64_t key[ROWS_KEYS] = { event, UINT64_MAX, UINT64_MAX };
	const struct pp_plan *p = &ev->plan;
	struct counted *n;
	uint32_t cpu;
	bool known;

	if (!time)
		return false;
	if (pp_cpu(ev, r, s->stream.swap, &cpu))
		key[1] = cpu;
	else if (p->identifier || p->id)
		key[2] = pp_get_u64(r->raw + (p->identifier ? p->identifier : p->id), s->stream.swap);
	n = &rows_get(&s->before, key)->n;
	n->samples++;			/* those seen least go first, if there are too many */
	known = n->last && time >= n->last;
	*value = time - n->last;
	if (time > n->last)
		n->last = time;
	return known;
}

bool
value_of(struct sort *s, const struct sort_event *e, const struct pp_event *ev, const struct pp_rec *r, uint64_t time,
    uint64_t *value)
{
	switch (s->value) {
	case VALUE_FIELD:
		if (e->value.at == AT_NONE)
			return false;
		if (s->payload[ROWS_KEYS])
			return payload_value(s, &e->value, ev, r, value);
		*value = sort_field(s, s->field, &e->value, ev, r);
		return true;
	case VALUE_INTERVAL:	return value_since(s, ev->index, ev, r, time, value);
	case VALUE_GAP:		return value_since(s, UINT64_MAX, ev, r, time, value);
	default:		return false;
	}
}

void
value_order(struct sort *s, const struct pp_rec *r)
{
	const uint64_t key[ROWS_KEYS] = { 0 };
	const struct pp_event *ev;
	struct row *row = rows_get(&s->rows, key);
	uint64_t time;

	if (s->value == VALUE_ROUND) {
		if (r->type == PP_FINISHED_ROUND) {
			hists_add(s->rows.hists, &row->hist, s->c->bytes - s->round_from, 1);
			s->round_from = s->c->bytes;
		}
		return;
	}
	if (r->type >= PP_USER_TYPE_START || !pp_type_name(r->type) || !(ev = pp_event_find(s->stream.events, r, NULL)) ||
	    !pp_time(ev, r, s->stream.swap, &time))
		return;
	hists_add(s->rows.hists, &row->hist, time < s->newest ? s->newest - time : 0, 1);
	if (time > s->newest)
		s->newest = time;
}
