/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>

#include "plus.h"
#include "screen.h"
#include "tool/tool.h"

enum {
	TYPES = 20,			/* record types, in two columns */
	EVENTS = 8,
	TASKS = 10,
};

/* ---- record types -------------------------------------------------------------------------------- */

struct type_row { const struct cell *type, *name; uint64_t records, bytes; };

static int
types_by_bytes(const void *va, const void *vb)
{
	const struct type_row *a = va, *b = vb;

	if (a->type->known != b->type->known)		/* the sum of further types comes last */
		return a->type->known ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->type->num < b->type->num ? -1 : a->type->num > b->type->num;
}

static void
type_cell(const struct screen *s, const struct type_row *t)
{
	char number[24];

	snprintf(number, sizeof number, t->type->known ? "type %" PRIu64 : "others", t->type->num);
	fprintf(s->f, "%-18s %11" PRIu64 " %12" PRIu64 " %5.1f", t->name->known ? t->name->text : number, t->records, t->bytes,
	    screen_percent(t->bytes, kept_num(&s->whole, "bytes")));
}

void
screen_types(const struct screen *s)
{
	static const struct cell unknown;
	unsigned columns = s->width < SCREEN_WIDTH ? 1 : 2;
	size_t n, lines, most = columns == 1 ? TYPES / 2 : TYPES;
	struct type_row *row;
	struct kept k;

	kept_open(&k, s->r, "types", 0);
	n = k.n;
	row = tool_alloc(n, sizeof *row);
	for (size_t i = 0; i < n; i++)
		row[i] = (struct type_row){ kept_cell(&k, i, "type"), kept_cell(&k, i, "name"), kept_cell(&k, i, "records")->num,
		    kept_cell(&k, i, "bytes")->num };
	qsort(row, n, sizeof *row, types_by_bytes);
	for (; n > most; n--) {
		row[n - 2].type = row[n - 2].name = &unknown;
		row[n - 2].records += row[n - 1].records;
		row[n - 2].bytes += row[n - 1].bytes;
	}
	lines = (n + columns - 1) / columns;
	for (unsigned i = 0; i < columns && i < n; i++)
		fprintf(s->f, "%s%-18s %11s %12s %5s", i ? "  " : "\n", "RECORD", "COUNT", "BYTES", "%");
	fputc('\n', s->f);
	for (size_t i = 0; i < lines; i++) {
		type_cell(s, &row[i]);
		if (columns > 1 && lines + i < n) {
			fputs("  ", s->f);
			type_cell(s, &row[lines + i]);
		}
		fputc('\n', s->f);
	}
	free(row);
	kept_free(&k);
}

/* ---- events -------------------------------------------------------------------------------------- */

struct event_row { const struct cell *name; bool duration; uint64_t index, samples, period, losses, filtered; };

static int
events_by_samples(const void *va, const void *vb)
{
	const struct event_row *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* period NULL: it is a sum over events */
static void
event_line(const struct screen *s, const char *name, size_t len, const struct event_row *e, const uint64_t *period, bool filtered)
{
	screen_cell(s->f, name, len, s->width - (filtered ? 68 : 55));
	fprintf(s->f, " %12" PRIu64 " %6.2f ", e->samples, screen_percent(e->samples, s->samples));
	if (period && e->duration) {
		char text[SCREEN_DURATION];

		screen_duration(text, (double)*period);
		fprintf(s->f, "%20s", text);
	} else if (period)
		fprintf(s->f, "%20" PRIu64, *period);
	else
		fprintf(s->f, "%20s", "-");
	fprintf(s->f, " %12" PRIu64, e->losses);
	if (filtered)
		fprintf(s->f, " %12" PRIu64, e->filtered);
	fputc('\n', s->f);
}

void
screen_events(const struct screen *s)
{
	size_t n = s->events.n, shown = n > EVENTS ? EVENTS - 1 : n;
	bool filtered = kept_num(&s->lost, "filtered") != 0;
	struct event_row *row = tool_alloc(n, sizeof *row), rest = { .samples = 0 };
	char name[32];

	for (size_t i = 0; i < n; i++)
		row[i] = (struct event_row){ kept_cell(&s->events, i, "name"), kept_cell(&s->events, i, "unit")->known, i, kept_cell(&s->events, i, "samples")->num,
		    kept_cell(&s->events, i, "period")->num, kept_cell(&s->events, i, "losses")->num,
		    kept_cell(&s->events, i, "filtered")->num };
	qsort(row, n, sizeof *row, events_by_samples);
	if (n)
		fprintf(s->f, "\n%-*s %12s %6s %20s %12s%s\n", (int)s->width - (filtered ? 68 : 55), "EVENT", "SAMPLES", "%", "PERIOD",
		    "LOST", filtered ? "     FILTERED" : "");
	for (size_t i = 0; i < n; i++) {
		if (i < shown) {
			event_line(s, row[i].name->text, row[i].name->len, &row[i], &row[i].period, filtered);
			continue;
		}
		rest.samples += row[i].samples;
		rest.losses += row[i].losses;
		rest.filtered += row[i].filtered;
	}
	if (shown < n)
		event_line(s, name, (size_t)snprintf(name, sizeof name, "%zu others", n - shown), &rest, NULL, filtered);
	free(row);
}

/* ---- tasks --------------------------------------------------------------------------------------- */

struct tasks_side { struct kept k; uint64_t samples, period; };	/* the sums are of the rows that are shown */

static void
tasks_share(const struct screen *s, uint64_t samples, uint64_t period)
{
	fprintf(s->f, " %10" PRIu64 " %6.2f", samples, screen_percent(samples, s->samples));
	if (s->unit)
		fprintf(s->f, " %6.2f", screen_percent(period, s->period));
}

static void
tasks_count(const struct screen *s, struct tasks_side *t, size_t i)
{
	uint64_t samples = kept_cell(&t->k, i, "samples")->num, period = kept_cell(&t->k, i, "period")->num;

	t->samples += samples;
	plus(&t->period, period);
	tasks_share(s, samples, period);
}

/* Columns of a comm: what the others leave, and the columns of period if they have space. */
static size_t
tasks_width(const struct screen *s, bool *unit)
{
	size_t others = 54 + (s->unit ? 14 : 0);

	*unit = s->unit && s->width >= SCREEN_WIDTH;
	if (s->unit && !*unit)
		others -= 14;
	return (s->width - others) / 2;
}

static void
tasks_comm(const struct screen *s, struct tasks_side *t, size_t i, size_t width)
{
	const struct cell *comm = kept_cell(&t->k, i, "comm");
	const char *none = kept_cell(&t->k, i, "other")->num ? "(more)" : "unknown";

	screen_cell(s->f, comm->known ? comm->text : none, comm->known ? comm->len : strlen(none), width);
	tasks_count(s, t, i);
	fprintf(s->f, " %6" PRIu64, kept_cell(&t->k, i, "pids")->num);
}

static void
tasks_pid(const struct screen *s, struct tasks_side *t, size_t i, size_t width)
{
	const struct cell *comm = kept_cell(&t->k, i, "comm"), *tid = kept_cell(&t->k, i, "tid");
	char none[24] = "(more)";

	if (tid->known)
		snprintf(none, sizeof none, ":%" PRId64, (int64_t)tid->num);
	fprintf(s->f, "%8" PRId64 " ", (int64_t)kept_cell(&t->k, i, "pid")->num);
	screen_cell(s->f, comm->known ? comm->text : none, comm->known ? comm->len : strlen(none), width);
	tasks_count(s, t, i);
}

static void
tasks_notes(const struct screen *s, uint64_t others)
{
	if (others)
		fprintf(s->f, "note: %" PRIu64 " samples have no row by process: their tasks were too many, or too short-lived\n", others);
	if (kept_num(&s->whole, "comms_rough"))
		fputs("note: too many records came late: some samples may count for another comm of their task\n", s->f);
	if (kept_num(&s->whole, "reads_not_counted"))
		fprintf(s->f, "note: %" PRIu64 " values of PERF_SAMPLE_READ are not counted: there are too many ids\n",
		    kept_num(&s->whole, "reads_not_counted"));
}

void
screen_tasks(const struct screen *all)
{
	struct screen s = *all;
	struct tasks_side comm = { .samples = 0 }, pid = { .samples = 0 };
	struct kept rest;
	size_t width = tasks_width(all, &s.unit);
	int w = (int)width;
	uint64_t others;

	kept_open(&comm.k, s.r, "comms", TASKS);
	kept_open(&pid.k, s.r, "pids", TASKS);
	kept_open(&rest, s.r, "other_pids", 1);
	others = kept_num(&rest, "samples");
	if (pid.k.n || others) {
		fprintf(s.f, "\n%-*s %10s %6s%s %6s  %8s %-*s %10s %6s%s\n", w, "COMM", "SAMPLES", "%", s.unit ? " PERIOD" : "", "PIDS",
		    "PID", w, "COMM", "SAMPLES", "%", s.unit ? " PERIOD" : "");
		for (size_t i = 0; i < comm.k.n || i < pid.k.n; i++) {
			if (i < comm.k.n)
				tasks_comm(&s, &comm, i, width);
			else
				fprintf(s.f, "%*s", w + (s.unit ? 32 : 25), "");
			if (i < pid.k.n) {
				fputs("  ", s.f);
				tasks_pid(&s, &pid, i, width);
			}
			fputc('\n', s.f);
		}
		if (comm.k.rows > TASKS || pid.k.rows > TASKS || others) {
			fprintf(s.f, "%-*s", w, "other");
			tasks_share(&s, s.samples - comm.samples, s.period - comm.period);
			fprintf(s.f, "%9s%8s %-*s", "", "", w, "other");
			tasks_share(&s, s.samples - pid.samples, s.period - pid.period);
			fputc('\n', s.f);
		}
		tasks_notes(&s, others);
	}
	kept_free(&comm.k);
	kept_free(&pid.k);
	kept_free(&rest);
}
