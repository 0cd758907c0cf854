/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field/event_match.h"
#include "gzip.h"
#include "proto.h"
#include "set.h"
#include "write.h"

/* Numbers of fields in profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9, PROFILE_DURATION_NANOS = 10, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13, PROFILE_DEFAULT_SAMPLE_TYPE = 14,
	VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2,
	SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3,
	LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3, LABEL_NUM_UNIT = 4,
	MAPPING_ID = 1, MAPPING_START = 2, MAPPING_LIMIT = 3, MAPPING_OFFSET = 4, MAPPING_FILENAME = 5, MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4,
	LINE_FUNCTION_ID = 1,
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3,
};
/* include/uapi/linux/perf_event.h */
enum { TYPE_SOFTWARE = 1, SW_TASK_CLOCK = 1, SW_DUMMY = 9, ATTR_FREQ_BIT = 10 };
enum { EVENTS_MAX = 1024 };		/* each sample has two numbers for each event */
enum { FLUSH = 64 << 10 };		/* bytes of messages that are given to zlib at once */

const char *const pprof_label_names[PPROF_LABELS] = { [PPROF_COMM] = "comm", [PPROF_THREAD_COMM] = "thread_comm",
    [PPROF_PID] = "pid", [PPROF_TID] = "tid" };

struct event_column {		/* two sample types: how many samples, and the sum of their periods */
	const struct pp_event *ev;
	uint32_t	 count, sum, unit;	/* strings */
	uint64_t	 samples, periods;	/* all */
};
struct writer {
	struct pprof_tables *t;
	const struct pprof_facts *f;
	struct pp_err	*err;
	struct gzip	*z;
	struct proto	 b;
	struct event_column column[EVENTS_MAX];
	unsigned	 ncolumns;
	uint16_t	*column_of;	/* by index of the event */
	uint32_t	 label[PPROF_LABELS], is_count;	/* strings */
	uint32_t	*frame;		/* of each function, by number - 1 */
	uint32_t	*place_frame;	/* of each location, by number (symbol/frames.h); NULL: nobody asked */
	uint32_t	*function;	/* of each frame, by number; 0: it has no name */
	uint32_t	 nfunctions;
	size_t		 nframes;
};

static uint32_t
write_string(struct writer *w, const char *s)
{
	return pprof_string(w->t, s, strlen(s));
}

static uint32_t
write_joined(struct writer *w, const char *a, const char *b)
{
	char *text = NULL;
	uint32_t s = 0;

	if (asprintf(&text, "%s%s", a, b) < 0)
		w->t->failed = true;
	else
		s = write_string(w, text);
	free(text);
	return s;
}

/* A message is whole: give zlib what has gathered. */
static int
write_some(struct writer *w, size_t at_least)
{
	if (w->b.failed || w->t->failed)
		return pp_fail_memory(w->err);
	if (w->b.n < at_least)
		return 1;
	if (gzip_write(w->z, w->b.p, w->b.n) < 0)
		return -1;
	w->b.n = 0;
	return 1;
}

/* ---- events -------------------------------------------------------------------------------------- */

static bool
write_is_clock(const struct pp_event *ev)
{
	return ev->attr.type == TYPE_SOFTWARE && ev->attr.config <= SW_TASK_CLOCK;
}

/* Are its periods lengths of spans, by pfilter --span-period? */
static bool
write_is_duration(const struct pp_event *ev)
{
	return ev->unit && !strcmp(ev->unit, "ns");
}

/* Is it an event of which the profile speaks?  Dummies are there for their side-band. */
static bool
write_wants(const struct pprof_facts *f, const struct pp_event *ev)
{
	if (f->event && !event_is_named(f->event, f->events, ev))
		return false;
	return f->counts[ev->index] || ev->attr.type != TYPE_SOFTWARE || ev->attr.config != SW_DUMMY;
}

static int
write_add_column(struct writer *w, const struct pp_event *ev, bool has_cpu)
{
	const char *name = ev->name ? ev->name : "";
	struct event_column *c = &w->column[w->ncolumns];
	bool duration = write_is_duration(ev), clock = write_is_clock(ev) && !duration;
	bool cpu = clock && !has_cpu;	/* Go's readers know the time of a CPU by this name */

	if (w->ncolumns == EVENTS_MAX)
		return pp_fail(w->err, "more than %d events: select one with --event", EVENTS_MAX);
	*c = (struct event_column){ .ev = ev, .count = cpu ? write_string(w, "samples") : write_joined(w, name, "_sample"),
	    .sum = cpu ? write_string(w, "cpu") : write_joined(w, name, duration ? "" : "_event"),
	    .unit = write_string(w, clock || duration ? "nanoseconds" : "count") };
	w->ncolumns++;
	return 1;
}

/* Events of the same name, as a join of recordings has them, are one. */
static int
write_choose_columns(struct writer *w)
{
	const struct pp_events *e = w->f->events;
	bool has_cpu = false;

	if (!(w->column_of = calloc(e->n + 1, sizeof *w->column_of)))
		return pp_fail_memory(w->err);
	for (unsigned i = 0; i < e->n; i++) {
		const struct pp_event *ev = e->ev[i];
		unsigned k = 0;

		if (!write_wants(w->f, ev))
			continue;
		while (k < w->ncolumns && (strcmp(w->column[k].ev->name ? w->column[k].ev->name : "", ev->name ? ev->name : "") ||
		    write_is_clock(w->column[k].ev) != write_is_clock(ev) || write_is_duration(w->column[k].ev) != write_is_duration(ev)))
			k++;
		if (k == w->ncolumns && write_add_column(w, ev, has_cpu) < 0)
			return -1;
		w->column_of[i] = (uint16_t)k;
		has_cpu |= write_is_clock(ev) && !write_is_duration(ev);
	}
	return 1;
}

static void
write_value_type(struct writer *w, unsigned field, uint32_t type, uint32_t unit)
{
	size_t at = proto_begin(&w->b);

	proto_number(&w->b, VALUE_TYPE_TYPE, type);
	proto_number(&w->b, VALUE_TYPE_UNIT, unit);
	proto_end(&w->b, field, at);
}

/* The period of the last event, by its attr; 0: it is not known, as the event has a frequency. */
static uint64_t
write_period(const struct pp_event *ev)
{
	const struct pp_attr *a = &ev->attr;

	if (write_is_duration(ev))
		return 0;
	if (!(a->flags >> ATTR_FREQ_BIT & 1))
		return a->sample_period;
	return write_is_clock(ev) && a->sample_period ? 1000000000 / a->sample_period : 0;
}

static void
write_types(struct writer *w)
{
	const struct event_column *c = w->column, *last = c + w->ncolumns - 1;

	for (; c < w->column + w->ncolumns; c++) {
		write_value_type(w, PROFILE_SAMPLE_TYPE, c->count, w->is_count);
		write_value_type(w, PROFILE_SAMPLE_TYPE, c->sum, c->unit);
	}
	if (!w->ncolumns)
		return;
	write_value_type(w, PROFILE_PERIOD_TYPE, last->sum, last->unit);
	proto_number(&w->b, PROFILE_PERIOD, write_period(last->ev));
	proto_number(&w->b, PROFILE_DEFAULT_SAMPLE_TYPE, last->sum);
}

/* ---- samples ------------------------------------------------------------------------------------- */

static void
write_text_label(struct writer *w, enum pprof_label label, uint32_t text)
{
	size_t at;

	if (!text)
		return;
	at = proto_begin(&w->b);
	proto_number(&w->b, LABEL_KEY, w->label[label]);
	proto_number(&w->b, LABEL_STR, text);
	proto_end(&w->b, SAMPLE_LABEL, at);
}

/* Readers take a label that has neither a number but 0 nor a unit for none; without a unit they use the key. */
static void
write_task_label(struct writer *w, enum pprof_label label, uint32_t number)
{
	size_t at;

	if (number == UINT32_MAX)
		return;
	at = proto_begin(&w->b);
	proto_number(&w->b, LABEL_KEY, w->label[label]);
	proto_number(&w->b, LABEL_NUM, number);
	proto_number(&w->b, LABEL_NUM_UNIT, w->label[label]);
	proto_end(&w->b, SAMPLE_LABEL, at);
}

static void
write_values(struct writer *w, unsigned column, uint64_t samples, uint64_t periods)
{
	size_t at = proto_begin(&w->b);

	for (unsigned i = 0; i < w->ncolumns; i++) {
		proto_varint(&w->b, i == column ? samples : 0);
		proto_varint(&w->b, i == column ? periods : 0);
	}
	proto_end(&w->b, SAMPLE_VALUE, at);
}

static int
write_sample(struct writer *w, const struct pprof_stack *x)
{
	struct event_column *c = &w->column[w->column_of[x->event]];
	size_t at = proto_begin(&w->b), places = proto_begin(&w->b);

	c->samples += x->samples;
	if (__builtin_add_overflow(c->periods, x->periods, &c->periods) || c->periods > INT64_MAX)
		return pp_fail(w->err, "the periods of event %s add up to more than 2^63", c->ev->name);
	proto_varints(&w->b, x->place, x->depth);
	proto_end(&w->b, SAMPLE_LOCATION_ID, places);
	write_values(w, w->column_of[x->event], x->samples, x->periods);
	write_text_label(w, PPROF_COMM, x->labels.comm);
	write_text_label(w, PPROF_THREAD_COMM, x->labels.thread_comm);
	write_task_label(w, PPROF_PID, x->labels.pid);
	write_task_label(w, PPROF_TID, x->labels.tid);
	proto_end(&w->b, PROFILE_SAMPLE, at);
	return write_some(w, FLUSH);
}

/* ---- maps and locations -------------------------------------------------------------------------- */

/* The build-id of the map's own record, or else that of its file.  0: unknown. */
static uint32_t
write_build_id(struct writer *w, const struct pp_dso *d)
{
	const struct known_id *known = d->id_len || d->jit ? NULL : ids_find(&w->f->ids, field_dso_name(d));
	char hex[2 * BUILD_ID_BYTES + 1];

	if (!d->id_len && !known)
		return 0;
	tool_hex(hex, known ? known->id : d->id, known ? known->len : d->id_len);
	return write_string(w, hex);
}

static int
write_map(struct writer *w, const struct pprof_map *m)
{
	size_t at = proto_begin(&w->b);

	proto_number(&w->b, MAPPING_ID, m->number);
	proto_number(&w->b, MAPPING_START, m->map.start);
	proto_number(&w->b, MAPPING_LIMIT, m->map.start + m->map.len);
	proto_number(&w->b, MAPPING_OFFSET, m->map.pgoff);
	proto_number(&w->b, MAPPING_FILENAME, m->name);
	proto_number(&w->b, MAPPING_BUILD_ID, write_build_id(w, pp_state_dso(w->f->state, &m->map)));
	proto_number(&w->b, MAPPING_HAS_FUNCTIONS, m->named);
	proto_end(&w->b, PROFILE_MAPPING, at);
	return write_some(w, FLUSH);
}

/* Readers take the first map for that of the program: not the kernel, a library, or memory. */
static const struct pprof_map *
write_main_map(const struct writer *w)
{
	for (const struct pprof_map *m = w->t->first_map; m; m = m->next) {
		const struct pp_dso *d = pp_state_dso(w->f->state, &m->map);

		if (d->name[0] == '/' && d->name[1] != '/' && !d->jit && !strstr(d->name, ".so") && !strstr(d->name, ".ko"))
			return m;
	}
	return NULL;
}

static int
write_maps(struct writer *w)
{
	const struct pprof_map *first = write_main_map(w);

	if (first && write_map(w, first) < 0)
		return -1;
	for (const struct pprof_map *m = w->t->first_map; m; m = m->next)
		if (m != first && write_map(w, m) < 0)
			return -1;
	return 1;
}

/* The frame has a function in the profile. */
static void
write_name(struct writer *w, uint32_t frame)
{
	w->function = tool_need(array_reach(w->function, &w->nframes, frame, sizeof *w->function));
	if (frames_get(w->f->frames, frame)->kind < FRAME_NAMELESS && !w->function[frame]) {
		w->frame[w->nfunctions++] = frame;
		w->function[frame] = w->nfunctions;
	}
}

/* Find what each location is called, and count the samples. */
static int
write_find_functions(struct writer *w)
{
	struct pprof_map **map = calloc(w->t->maps.n + 1, sizeof *map);
	bool ok = map && (w->place_frame = calloc(w->t->places.n + 1, sizeof *w->place_frame)) &&
	    (w->frame = calloc(w->t->places.n + 1, sizeof *w->frame));

	for (struct pprof_map *m = w->t->first_map; ok && m; m = m->next)
		map[m->number] = m;
	for (const struct pprof_place *x = w->t->first_place; ok && x; x = x->next) {
		struct pprof_map *m = map[x->map];

		uint32_t frame = frames_number(w->f->frames, w->f->state, m ? &m->map : NULL, x->mode, x->address);

		w->place_frame[x->number] = frame;
		write_name(w, frame);
		if (m && w->function[frame])
			m->named = true;
	}
	for (const struct pprof_stack *s = w->t->first_stack; ok && s; s = s->next)
		for (uint32_t i = 0; i < s->depth; i++) {
			struct frame *f = frames_get(w->f->frames, w->place_frame[s->place[i]]);

			f->all += s->samples;
			f->innermost += i ? 0 : s->samples;
		}
	free(map);
	return ok ? 1 : pp_fail_memory(w->err);
}

static int
write_functions(struct writer *w)
{
	for (uint32_t i = 0; i < w->nfunctions; i++) {
		const struct frame *f = frames_get(w->f->frames, w->frame[i]);
		uint32_t name = pprof_string(w->t, f->text, f->len);
		size_t at = proto_begin(&w->b);

		proto_number(&w->b, FUNCTION_ID, i + 1);
		proto_number(&w->b, FUNCTION_NAME, name);
		proto_number(&w->b, FUNCTION_SYSTEM_NAME, name);
		proto_end(&w->b, PROFILE_FUNCTION, at);
		if (write_some(w, FLUSH) < 0)
			return -1;
	}
	return 1;
}

/* Without a number of a line: none is known. */
static void
write_line(struct writer *w, uint32_t place)
{
	uint32_t frame = w->place_frame ? w->place_frame[place] : 0;
	size_t at;

	if (!frame || !w->function[frame])
		return;
	at = proto_begin(&w->b);
	proto_number(&w->b, LINE_FUNCTION_ID, w->function[frame]);
	proto_end(&w->b, LOCATION_LINE, at);
}

static int
write_places(struct writer *w)
{
	for (const struct pprof_place *x = w->t->first_place; x; x = x->next) {
		size_t at = proto_begin(&w->b);

		proto_number(&w->b, LOCATION_ID, x->number);
		proto_number(&w->b, LOCATION_MAPPING_ID, x->map);
		proto_number(&w->b, LOCATION_ADDRESS, x->address);
		write_line(w, x->number);
		proto_end(&w->b, PROFILE_LOCATION, at);
		if (write_some(w, FLUSH) < 0)
			return -1;
	}
	return 1;
}

/* ---- the rest ------------------------------------------------------------------------------------ */

static void
write_times(struct writer *w)
{
	const struct pprof_facts *f = w->f;

	if (f->first > f->last)
		return;
	if (f->stream.has_clock)
		proto_number(&w->b, PROFILE_TIME_NANOS, f->stream.wall + (f->first - f->stream.clock));
	proto_number(&w->b, PROFILE_DURATION_NANOS, f->last - f->first);
}

/* Last, as all others add to them. */
static int
write_strings(struct writer *w)
{
	proto_bytes(&w->b, PROFILE_STRING_TABLE, "", 0);
	for (const struct pprof_string *s = w->t->first_string; s; s = s->next) {
		proto_bytes(&w->b, PROFILE_STRING_TABLE, s->text, s->len);
		if (write_some(w, FLUSH) < 0)
			return -1;
	}
	return 1;
}

static int
write_profile(struct writer *w)
{
	if (write_choose_columns(w) < 0)
		return -1;
	w->is_count = write_string(w, "count");
	for (unsigned i = 0; i < PPROF_LABELS; i++)
		w->label[i] = write_string(w, pprof_label_names[i]);
	write_types(w);
	for (const struct pprof_stack *x = w->t->first_stack; x; x = x->next)
		if (write_sample(w, x) < 0)
			return -1;
	if ((w->f->frames && write_find_functions(w) < 0) || write_maps(w) < 0 || write_places(w) < 0 || write_functions(w) < 0)
		return -1;
	write_times(w);
	if (w->f->version)
		proto_number(&w->b, PROFILE_COMMENT, write_joined(w, "perf-version:", w->f->version));
	if (w->f->command)
		proto_number(&w->b, PROFILE_COMMENT, write_joined(w, "perf-command:", w->f->command));
	return write_strings(w) < 0 || write_some(w, 0) < 0 ? -1 : gzip_finish(w->z);
}

int
pprof_write(struct pprof_tables *t, const struct pprof_facts *f, unsigned threads, struct pp_sink *to, struct pp_err *err)
{
	struct writer *w = calloc(1, sizeof *w);
	int rc = -1;

	if (!w)
		return pp_fail_memory(err);
	*w = (struct writer){ .t = t, .f = f, .err = err };
	if ((w->z = gzip_new(to, threads, err)))
		rc = write_profile(w);
	gzip_free(w->z);
	proto_free(&w->b);
	free(w->column_of);
	free(w->frame);
	free(w->place_frame);
	free(w->function);
	free(w);
	return rc;
}
