/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "live/line.h"
#include "live/top.h"
#include "report/screen.h"
#include "report/text.h"

enum { HEADING_EVERY = 20, SCHEMA = 1, NAME_COLUMNS = 15, KEYS_COLUMNS = 60 };
enum { TEXT = 4 * KEYS_COLUMNS * 3 };	/* bytes of keys that are looked at to show so many columns */

/* ---- text ------------------------------------------------------------------------------------------ */

static void
line_heading(struct lines *l)
{
	char keys[80] = "COMM";

	if (l->n++ % HEADING_EVERY)
		return;
	if (l->sort)
		top_heading(l->sort, keys, sizeof keys);
	fprintf(l->f, "%14s %10s %7s %6s %6s %4s %9s %9s  TOP %s\n", "TIME", "SAMPLES/S", "MB/S", "LOST", "LOST-S", "THR",
	    "DISORDER", "BEHIND", keys);
}

/* The comm or the row with the most samples. */
static void
line_top(struct lines *l, const struct interval *v)
{
	uint64_t samples = v->comm->samples;
	char text[TEXT];

	if (l->sort ? !v->nrows : !v->ncomms) {
		fputc('-', l->f);
		return;
	}
	if (l->sort) {
		top_line(l->sort, v->row, text, sizeof text);
		screen_middle(l->f, text, KEYS_COLUMNS, false);
		samples = v->row->n.samples;
	} else
		screen_cut(l->f, v->comm->name, strlen(v->comm->name), NAME_COLUMNS);
	fprintf(l->f, " %.1f%%", screen_percent(samples, v->samples));
}

static void
line_text(struct lines *l, const struct interval *v, int64_t behind)
{
	double s = (double)l->every / 1e9;

	if (v->empty)
		fprintf(l->f, "%14s %" PRIu64 " empty interval%s\n", "...", v->empty, v->empty == 1 ? "" : "s");
	line_heading(l);
	if (v->timed)
		fprintf(l->f, "%10" PRIu64 ".%03u", v->start / 1000000000, (unsigned)(v->start / 1000000 % 1000));
	else
		fprintf(l->f, "%14s", "-");
	fprintf(l->f, " %10.0f %7.2f %6" PRIu64 " %6" PRIu64 " %4" PRIu64 " %9.6f ", (double)v->samples / s,
	    (double)v->bytes / 1e6 / s, v->lost, v->lost_samples, v->throttled, (double)v->disorder / 1e9);
	if (behind < 0)
		fprintf(l->f, "%9s  ", "-");
	else
		fprintf(l->f, "%9.3f  ", (double)behind / 1e9);
	line_top(l, v);
	if (v->late)
		fprintf(l->f, "  (%" PRIu64 " late)", v->late);
	fputc('\n', l->f);
}

/* ---- JSON ------------------------------------------------------------------------------------------ */

/* As in json.c: jansson limits integers to signed 64 bits. */
static json_int_t
line_number(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (json_int_t)n;
}

static void
line_json(struct lines *l, const struct interval *v, int64_t behind, bool waiting)
{
	char *comm = v->ncomms ? text_plain(v->comm->name, strlen(v->comm->name), false) : NULL;
	json_t *j = json_pack("{s:i s:I s:b s:o s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:o s:s? s:I s:b}",
	    "interval_schema", SCHEMA, "line", line_number(l->n++), "waiting", waiting,
	    "time_ns", v->timed ? json_integer(line_number(v->start)) : json_null(), "duration_ns", line_number(l->every),
	    "empty", line_number(v->empty), "records", line_number(v->records), "samples", line_number(v->samples),
	    "bytes", line_number(v->bytes), "lost", line_number(v->lost), "lost_samples", line_number(v->lost_samples),
	    "throttled", line_number(v->throttled), "late", line_number(v->late), "disorder_ns", line_number(v->disorder),
	    "behind_ns", behind < 0 ? json_null() : json_integer(behind), "comm", comm,
	    "comm_samples", line_number(v->ncomms ? v->comm->samples : 0), "exact", v->exact);

	if (j && l->sort)
		json_object_set_new(j, "sort", top_json(l->sort, v));
	if (j)
		json_dumpf(j, l->f, JSON_COMPACT | JSON_ENSURE_ASCII);
	fputc('\n', l->f);
	json_decref(j);
	free(comm);
}

/* ---- both ------------------------------------------------------------------------------------------ */

static void
line_out(struct lines *l)
{
	if (fflush(l->f) != 0)
		pp_fail(l->err, "write: %s", strerror(errno));
}

void
line_interval(struct lines *l, const struct interval *v, int64_t behind)
{
	if (l->between)
		top_csv(l->f, l->between, l->sort, v, l->every, !l->n++);
	else if (l->json)
		line_json(l, v, behind, false);
	else
		line_text(l, v, behind);
	line_out(l);
}

void
line_waiting(struct lines *l)
{
	if (l->between)
		return;
	if (l->json)
		line_json(l, &(struct interval){ .exact = true }, -1, true);
	else {
		line_heading(l);
		fprintf(l->f, "%14s %10d %7.2f %6d %6d %4d %9s %9s  %s\n", "-", 0, 0., 0, 0, 0, "-", "-", "-");
	}
	line_out(l);
}
