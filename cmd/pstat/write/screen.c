/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "summary.h"
#include "forms.h"

enum {
	WIDTH = 100,
	TYPES = 20,		/* record types, in two columns */
	EVENTS = 8,
	TASKS = 10,
};

static double
screen_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

/* Print text of the stream, escaped as by vis(3), cut to `width' columns (0: not cut).  The number of columns. */
static size_t
screen_cut(FILE *f, const char *p, size_t n, size_t width)
{
	char *text = tool_vis(p, n);
	size_t len = 0, columns = 0;

	for (; text[len]; len++) {
		columns += ((unsigned char)text[len] & 0xc0) != 0x80;
		if (width && columns > width)
			break;
	}
	if (text[len]) {
		columns = width;
		do			/* the ~ replaces the last character */
			len--;
		while (((unsigned char)text[len] & 0xc0) == 0x80);
		fprintf(f, "%.*s~", (int)len, text);
	} else
		fputs(text, f);
	free(text);
	return columns;
}

static void
screen_cell(FILE *f, const char *text, size_t width)
{
	size_t columns = screen_cut(f, text, strlen(text), width);

	fprintf(f, "%*s", (int)(width - columns), "");
}

static void
screen_label(FILE *f, const char *text)
{
	fprintf(f, "%-11s ", text);
}

/* ---- the lines above the tables -------------------------------------------------------------- */

static void
screen_fact(FILE *f, const char *before, const struct fact_text *t)
{
	if (!t->len)
		return;
	fputs(before, f);
	screen_cut(f, t->p, t->len, 40);
}

static void
screen_origin(FILE *f, const struct counts *c)
{
	const struct facts *k = &c->facts;
	char args[WIDTH];
	size_t n = k->cmdline.len < sizeof args ? k->cmdline.len : sizeof args;

	screen_label(f, "input");
	screen_cut(f, c->tool->in_err.file, strlen(c->tool->in_err.file), 0);
	fprintf(f, " (%s%s)\n", pp_container(c->tool->in), c->tool->in->swap ? ", other byte order" : "");
	if (k->hostname.len || k->osrelease.len || k->arch.len || k->nrcpus_available) {
		screen_label(f, "machine");
		screen_fact(f, "", &k->hostname);
		screen_fact(f, ", Linux ", &k->osrelease);
		screen_fact(f, ", ", &k->arch);
		if (k->nrcpus_available)
			fprintf(f, ", %" PRIu64 " of %" PRIu64 " CPUs", k->nrcpus_online, k->nrcpus_available);
		fputc('\n', f);
	}
	if (k->cpudesc.len) {
		screen_label(f, "cpu");
		screen_cut(f, k->cpudesc.p, k->cpudesc.len, 60);
		if (k->total_mem)
			fprintf(f, ", %" PRIu64 " MB of memory", k->total_mem / 1024);
		fputc('\n', f);
	}
	if (k->version.len) {
		screen_label(f, "recorded by");
		screen_fact(f, "perf ", &k->version);
		fputc('\n', f);
	}
	if (!n)
		return;
	screen_label(f, "command");
	for (size_t i = 0; i < n; i++)
		args[i] = k->cmdline.p[i] ? k->cmdline.p[i] : ' ';
	screen_cut(f, args, n, WIDTH - 12);
	fputc('\n', f);
}

static void
screen_seconds(FILE *f, uint64_t ns)
{
	fprintf(f, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

static void
screen_span(FILE *f, const struct summary *r)
{
	const struct order *o = &r->c->order;
	uint64_t took = o->timed ? o->last - o->first : 0;

	screen_label(f, "span");
	if (o->timed) {
		screen_seconds(f, o->first);
		fputs(" to ", f);
		screen_seconds(f, o->last);
		fputs(", ", f);
		screen_seconds(f, took);
		fputs(" s\n", f);
	} else
		fputs("no times\n", f);
	screen_label(f, "size");
	fprintf(f, "%" PRIu64 " bytes, %" PRIu64 " records, %" PRIu64 " samples", r->read, r->c->records,
	    r->sum.samples);
	if (took)
		fprintf(f, " (%.1f/s)", (double)r->sum.samples * 1e9 / (double)took);
	fputc('\n', f);
}

static void
screen_order(FILE *f, const struct counts *c)
{
	const struct order *o = &c->order;

	screen_label(f, "order");
	fprintf(f, "%" PRIu64 " rounds", o->rounds);
	if (o->rounds)
		fprintf(f, " of up to %" PRIu64 " bytes", o->round_bytes);
	fprintf(f, "; %" PRIu64 " steps back in time", o->backward);
	if (o->depth) {
		fputs(", by up to ", f);
		screen_seconds(f, o->depth);
		fputs(" s", f);
	}
	fputc('\n', f);
	if (!o->late)
		return;
	screen_label(f, "");
	fprintf(f, "%" PRIu64 " records later than two rounds allow, by up to ", o->late);
	screen_seconds(f, o->late_depth);
	fputs(" s\n", f);
}

static void
screen_lost(FILE *f, const struct summary *r)
{
	const struct type_count *t = r->c->type;

	screen_label(f, "lost");
	fprintf(f, "%" PRIu64 " records (%" PRIu64 " LOST), %" PRIu64 " samples (%" PRIu64 " LOST_SAMPLES); "
	    "throttled %" PRIu64 " times, released %" PRIu64 "\n", r->sum.lost, t[PP_LOST].records,
	    r->sum.lost_samples, t[PP_LOST_SAMPLES].records, t[PP_THROTTLE].records, t[PP_UNTHROTTLE].records);
}

static void
screen_content(FILE *f, const struct summary *r)
{
	const struct content *k = &r->c->content;
	const struct { const char *what; uint64_t bytes; } parts[] = {
		{ "call chains", k->chains }, { "user stacks", k->stacks }, { "raw data", k->raw },
		{ "branches", k->branches }, { "registers", k->regs },
	};
	uint64_t all = r->c->bytes, kernel = 0;
	const char *before = " (";

	for (uint32_t i = 0; i < PP_USER_TYPE_START; i++)
		kernel += r->c->type[i].bytes;
	screen_label(f, "content");
	fprintf(f, "samples %.1f%%", screen_percent(r->sum.bytes, all));
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].bytes) {
			fprintf(f, "%s%s %.1f", before, parts[i].what, screen_percent(parts[i].bytes, all));
			before = ", ";
		}
	fprintf(f, "%s, side-band %.1f%%, perf's own %.1f%%\n", *before == ',' ? ")" : "",
	    screen_percent(kernel, all), screen_percent(all - kernel - r->sum.bytes, all));
}

static void
screen_compression(FILE *f, const struct counts *c)
{
	const struct pp_compressed *k = pp_compressed(c->tool->in);

	if (!k->records && !k->records2)
		return;
	screen_label(f, "compression");
	fprintf(f, "%" PRIu64 " COMPRESSED, %" PRIu64 " COMPRESSED2: %" PRIu64 " bytes became %" PRIu64, k->records,
	    k->records2, k->bytes, k->plain);
	if (k->bytes)
		fprintf(f, ", %.1f : 1", (double)k->plain / (double)k->bytes);
	fputc('\n', f);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static int
screen_by_bytes(const void *va, const void *vb)
{
	const struct type_count *a = va, *b = vb;

	if ((a->type == UINT32_MAX) != (b->type == UINT32_MAX))		/* the sum of further types comes last */
		return a->type == UINT32_MAX ? 1 : -1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->type < b->type ? -1 : a->type > b->type;
}

static void
screen_type_cell(FILE *f, const struct type_count *t, uint64_t all)
{
	const char *name = pp_type_name(t->type);
	char number[24];

	snprintf(number, sizeof number, t->type == UINT32_MAX ? "others" : "type %" PRIu32, t->type);
	fprintf(f, "%-18s %11" PRIu64 " %12" PRIu64 " %5.1f", name ? name : number, t->records, t->bytes,
	    screen_percent(t->bytes, all));
}

static void
screen_types(FILE *f, const struct counts *c)
{
	struct type_count row[COUNT_TYPES + COUNT_ODD + 1];
	size_t n = count_types(c, row), half;

	qsort(row, n, sizeof *row, screen_by_bytes);
	for (; n > TYPES; n--) {
		row[n - 2].type = UINT32_MAX;
		row[n - 2].records += row[n - 1].records;
		row[n - 2].bytes += row[n - 1].bytes;
	}
	half = (n + 1) / 2;
	for (int i = 0; i < 2 && (size_t)i < n; i++)
		fprintf(f, "%s%-18s %11s %12s %5s", i ? "  " : "\n", "RECORD", "COUNT", "BYTES", "%");
	fputc('\n', f);
	for (size_t i = 0; i < half; i++) {
		screen_type_cell(f, &row[i], c->bytes);
		if (half + i < n) {
			fputs("  ", f);
			screen_type_cell(f, &row[half + i], c->bytes);
		}
		fputc('\n', f);
	}
}

static void
screen_event_row(FILE *f, const char *name, const struct event_count *e, const struct event_count *sum)
{
	screen_cell(f, name, 38);
	fprintf(f, " %12" PRIu64 " %6.2f %20" PRIu64 " %6.2f %12" PRIu64 "\n", e->samples,
	    screen_percent(e->samples, sum->samples), e->period, screen_percent(e->period, sum->period),
	    e->lost + e->lost_samples);
}

struct event_order { unsigned index; uint64_t samples; };

static int
screen_by_event_samples(const void *va, const void *vb)
{
	const struct event_order *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static void
screen_events(FILE *f, const struct summary *r)
{
	const struct counts *c = r->c;
	struct event_order *by = tool_alloc(c->nev + 1, sizeof *by);
	struct event_count rest = {0};
	unsigned shown = c->nev > EVENTS ? EVENTS - 1 : c->nev;
	char name[32];

	for (unsigned i = 0; i < c->nev; i++)
		by[i] = (struct event_order){ i, c->ev[i].samples };
	qsort(by, c->nev, sizeof *by, screen_by_event_samples);
	fprintf(f, "\n%-38s %12s %6s %20s %6s %12s\n", "EVENT", "SAMPLES", "%", "PERIOD", "%", "LOST");
	for (unsigned i = 0; i < c->nev; i++) {
		const struct event_count *e = &c->ev[by[i].index];

		if (i < shown) {
			screen_event_row(f, c->tool->in->events->ev[by[i].index]->name, e, &r->sum);
			continue;
		}
		rest.samples += e->samples;
		rest.period += e->period;
		rest.lost += e->lost + e->lost_samples;
	}
	snprintf(name, sizeof name, "%u others", c->nev - shown);
	if (shown < c->nev)
		screen_event_row(f, name, &rest, &r->sum);
	free(by);
}

static void
screen_share(FILE *f, const struct summary *r, uint64_t samples, uint64_t period)
{
	fprintf(f, " %10" PRIu64 " %6.2f %6.2f", samples, screen_percent(samples, r->sum.samples),
	    screen_percent(period, r->sum.period));
}

static void
screen_comm_cell(FILE *f, const struct summary *r, size_t i)
{
	const struct name *name = &r->c->tasks.name[r->comm[i]];
	const char *text = r->comm[i] == NAME_UNKNOWN ? "unknown" : name->text ? name->text : "(more)";

	screen_cell(f, text, 16);
	screen_share(f, r, name->samples, name->period);
	fprintf(f, " %6" PRIu32, name->pids);
}

static void
screen_pid_cell(FILE *f, const struct summary *r, size_t i)
{
	const struct task_row *row = &r->pid[i];
	char buf[16];
	const char *text = tasks_name(&r->c->tasks, row, buf);

	if (!text)
		text = "(more)";
	fprintf(f, "%8" PRId32 " ", (int32_t)row->pid);
	screen_cell(f, text, 16);
	screen_share(f, r, row->samples, row->period);
}

/* The sum of the rows that are not shown. */
static void
screen_rest(FILE *f, const struct summary *r)
{
	uint64_t samples = r->sum.samples, period = r->sum.period;

	if (r->ncomms > TASKS || r->npids > TASKS || r->c->tasks.others.samples) {
		for (size_t i = 0; i < r->ncomms && i < TASKS; i++) {
			samples -= r->c->tasks.name[r->comm[i]].samples;
			period -= r->c->tasks.name[r->comm[i]].period;
		}
		fprintf(f, "%-16s", "other");
		screen_share(f, r, samples, period);
		samples = r->sum.samples;
		period = r->sum.period;
		for (size_t i = 0; i < r->npids && i < TASKS; i++) {
			samples -= r->pid[i].samples;
			period -= r->pid[i].period;
		}
		fprintf(f, "%9s%8s %-16s", "", "", "other");
		screen_share(f, r, samples, period);
		fputc('\n', f);
	}
}

static void
screen_tasks(FILE *f, const struct summary *r)
{
	fprintf(f, "\n%-16s %10s %6s %6s %6s  %8s %-16s %10s %6s %6s\n", "COMM", "SAMPLES", "%", "PERIOD", "PIDS",
	    "PID", "COMM", "SAMPLES", "%", "PERIOD");
	for (size_t i = 0; i < TASKS && (i < r->ncomms || i < r->npids); i++) {
		if (i < r->ncomms)
			screen_comm_cell(f, r, i);
		else
			fprintf(f, "%48s", "");
		if (i < r->npids) {
			fputs("  ", f);
			screen_pid_cell(f, r, i);
		}
		fputc('\n', f);
	}
	screen_rest(f, r);
	if (r->c->tasks.others.samples)
		fprintf(f, "note: %" PRIu64 " samples of short-lived or too many tasks are counted by comm at most\n",
		    r->c->tasks.others.samples);
	if (r->c->tasks.rough)
		fputs("note: too much was out of order; some samples may stand under another comm of their task\n", f);
	if (r->c->reads_over)
		fprintf(f, "note: %" PRIu64 " values of READ had too many ids, and are not counted\n",
		    r->c->reads_over);
}

int
screen(FILE *f, const struct report *report)
{
	const struct summary *r = report->part[0].of;

	screen_origin(f, r->c);
	screen_span(f, r);
	screen_order(f, r->c);
	screen_lost(f, r);
	screen_compression(f, r->c);
	screen_content(f, r);
	screen_types(f, r->c);
	if (r->c->nev)
		screen_events(f, r);
	if (r->npids || r->c->tasks.others.samples)
		screen_tasks(f, r);
	return 1;
}
