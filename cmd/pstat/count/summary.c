/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "summary.h"

/* qsort(3) passes no argument to the functions that compare */
static const struct tasks *sorting;
static struct pp_event **naming;

static int
by_samples(const void *va, const void *vb)
{
	const struct name *a = &sorting->name[*(const uint32_t *)va], *b = &sorting->name[*(const uint32_t *)vb];

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int
by_name(const void *va, const void *vb)
{
	unsigned a = *(const unsigned *)va, b = *(const unsigned *)vb;
	int order = strcmp(naming[a]->name, naming[b]->name);

	return order ? order : a < b ? -1 : a > b;
}

static void
number_names(struct summary *s)
{
	unsigned n = s->c->nev, *order = tool_alloc(n, sizeof *order);

	s->nth = tool_alloc(n, sizeof *s->nth);
	naming = s->c->tool->in ? s->c->tool->in->events->ev : NULL;
	for (unsigned i = 0; i < n; i++)
		order[i] = i;
	qsort(order, n, sizeof *order, by_name);
	for (unsigned i = 1; i < n; i++)
		if (!strcmp(naming[order[i]]->name, naming[order[i - 1]]->name))
			s->nth[order[i]] = s->nth[order[i - 1]] + 1;
	free(order);
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static const struct column whole_columns[] = {
	{ "version", CELL_TEXT, ADDS_SAME, "version of pstat" },
	{ "file", CELL_TEXT, ADDS_SAME, "name of the input" },
	{ "container", CELL_TEXT, ADDS_SAME, "form of the input" },
	{ "byte_order", CELL_TEXT, ADDS_SAME, "byte order of the records" },
	{ "complete", CELL_BOOL, ADDS_MIN, "the input was read to its end" },
	{ "error", CELL_TEXT, ADDS_MIN, "why it was not" },
	{ "exact", CELL_BOOL, ADDS_MIN, "no limit was met" },
	{ "bytes_read", CELL_NUM, ADDS_SUM, "bytes of the input" },
	{ "bytes", CELL_NUM, ADDS_SUM, "bytes of records, expanded" },
	{ "records", CELL_NUM, ADDS_SUM, "records" },
	{ "samples", CELL_NUM, ADDS_SUM, "samples" },
	{ "period", CELL_NUM, ADDS_SUM, "periods of all samples, if these are of one event" },
	{ "comms_rough", CELL_BOOL, ADDS_MAX, "samples may have another comm of their task" },
	{ "reads_not_counted", CELL_NUM, ADDS_SUM, "values of READ beyond the limit" },
};

static void
whole_rows(const void *of, report_put *put, void *arg)
{
	const struct summary *s = of;
	const struct counts *c = s->c;
	const struct pp_err *err = &c->tool->in_err;
	const struct pp_source *in = c->tool->in;
	bool big = in && in->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

	put(arg, (struct cell[]){ cell_text(PP_VERSION), cell_text(err->file), cell_text(in ? pp_container(in) : NULL),
	    cell_text(!in ? NULL : big ? "big" : "little"), cell_bool(!err->what[0]),
	    cell_text(err->what[0] ? err->what : NULL), cell_bool(s->r->exact), cell_num(s->read), cell_num(c->bytes),
	    cell_num(c->records), cell_num(s->sum.samples), cell_num_if(s->unit, s->sum.period), cell_bool(c->tasks.rough),
	    cell_num(c->reads_over) });
}

static const struct table whole = { "report", "the recording as a whole", TABLE(whole_columns), TABLE_TOP, SCREEN_OFF,
    .rows = whole_rows };

/* ---- time, order, losses, content ---------------------------------------------------------------- */

static const struct column time_columns[] = {
	{ "first_ns", CELL_NUM, ADDS_MIN, "the first time" },
	{ "last_ns", CELL_NUM, ADDS_MAX, "the last time" },
	{ "duration_ns", CELL_NUM, ADDS_MADE, "the difference" },
};

static void
time_make(struct cell *row)
{
	row[2] = cell_num_if(row[0].known && row[1].known, row[1].num - row[0].num);
}

static void
time_rows(const void *of, report_put *put, void *arg)
{
	const struct order *o = &((const struct summary *)of)->c->order;
	struct cell row[] = { cell_num(o->first), cell_num(o->last), { .known = false } };

	if (!o->timed)
		return;
	time_make(row);
	put(arg, row);
}

static const struct table times = { "time", "times of the records", TABLE(time_columns), TABLE_ONE, SCREEN_OFF,
    .rows = time_rows, .make = time_make };

static const struct column order_columns[] = {
	{ "timed", CELL_NUM, ADDS_SUM, "records with a time" },
	{ "rounds", CELL_NUM, ADDS_SUM, "FINISHED_ROUND records" },
	{ "round_bytes_max", CELL_NUM, ADDS_ROUGH, "bytes of the largest round" },
	{ "backward", CELL_NUM, ADDS_SUM, "records older than the one before them" },
	{ "backward_max_ns", CELL_NUM, ADDS_ROUGH, "the most by which a record is older than the newest before it" },
	{ "late", CELL_NUM, ADDS_SUM, "records later than two rounds allow" },
	{ "late_max_ns", CELL_NUM, ADDS_ROUGH, "the most by which they are late" },
	{ "held_max", CELL_NUM, ADDS_ROUGH, "records that psort holds at once, at most" },
	{ "held_bytes_max", CELL_NUM, ADDS_ROUGH, "their bytes" },
	{ "held_max_ns", CELL_NUM, ADDS_ROUGH, "the time that they span" },
};

static void
order_rows(const void *of, report_put *put, void *arg)
{
	const struct counts *c = ((const struct summary *)of)->c;
	const struct order *o = &c->order;
	bool all = !c->tool->piece.n;	/* else nobody sees what was in front of a record */

	put(arg, (struct cell[]){ cell_num(o->timed - o->timed_again), cell_num(o->rounds - o->rounds_again),
	    cell_num(o->round_bytes), cell_num_if(all, o->backward), cell_num(o->depth), cell_num_if(all, o->late), cell_num(o->late_depth), cell_num(o->held), cell_num(o->held_bytes),
	    cell_num(o->held_ns) });
}

static const struct table order = { "order", "order of the records", TABLE(order_columns), TABLE_ONE, SCREEN_OFF,
    .rows = order_rows };

static const struct column lost_columns[] = {
	{ "records", CELL_NUM, ADDS_SUM, "lost according to LOST" },
	{ "samples", CELL_NUM, ADDS_SUM, "lost according to LOST_SAMPLES" },
	{ "filtered", CELL_NUM, ADDS_SUM, "samples that a BPF filter left out" },
	{ "throttled", CELL_NUM, ADDS_SUM, "THROTTLE records" },
	{ "unthrottled", CELL_NUM, ADDS_SUM, "UNTHROTTLE records" },
};

static void
lost_rows(const void *of, report_put *put, void *arg)
{
	const struct summary *s = of;

	put(arg, (struct cell[]){ cell_num(s->sum.lost), cell_num(s->sum.lost_samples), cell_num(s->sum.filtered),
	    cell_num(s->c->type[PP_THROTTLE].records), cell_num(s->c->type[PP_UNTHROTTLE].records) });
}

static const struct table lost = { "lost", "what the recording says it lacks", TABLE(lost_columns), TABLE_ONE, SCREEN_OFF,
    .rows = lost_rows };

static const struct column compression_columns[] = {
	{ "compressed", CELL_NUM, ADDS_SUM, "COMPRESSED records" },
	{ "compressed2", CELL_NUM, ADDS_SUM, "COMPRESSED2 records" },
	{ "bytes", CELL_NUM, ADDS_SUM, "their bytes" },
	{ "plain_bytes", CELL_NUM, ADDS_SUM, "bytes of the records in them" },
};

static void
compression_rows(const void *of, report_put *put, void *arg)
{
	static const struct pp_compressed none;
	const struct tool *t = ((const struct summary *)of)->c->tool;
	const struct pp_compressed *z = t->in ? pp_compressed(t->in) : &none;
	bool all = !t->piece.n;

	put(arg, (struct cell[]){ cell_num_if(all, z->records), cell_num_if(all, z->records2), cell_num_if(all, z->bytes),
	    cell_num_if(all, z->plain) });
}

static const struct table compression = { "compression", "compressed records", TABLE(compression_columns), TABLE_ONE,
    SCREEN_OFF, .rows = compression_rows };

static const struct column content_columns[] = {
	{ "samples", CELL_NUM, ADDS_SUM, "bytes of SAMPLE records" },
	{ "call_chains", CELL_NUM, ADDS_SUM, "bytes of their call chains" },
	{ "user_stacks", CELL_NUM, ADDS_SUM, "bytes of their user stacks" },
	{ "raw", CELL_NUM, ADDS_SUM, "bytes of their raw data" },
	{ "branches", CELL_NUM, ADDS_SUM, "bytes of their branch records" },
	{ "registers", CELL_NUM, ADDS_SUM, "bytes of their registers" },
};

static void
content_rows(const void *of, report_put *put, void *arg)
{
	const struct summary *s = of;
	const struct content *k = &s->c->content;

	put(arg, (struct cell[]){ cell_num(s->sum.bytes), cell_num(k->chains), cell_num(k->stacks), cell_num(k->raw),
	    cell_num(k->branches), cell_num(k->regs) });
}

static const struct table content = { "content", "what the bytes are", TABLE(content_columns), TABLE_ONE, SCREEN_OFF,
    .rows = content_rows };

/* ---- features ------------------------------------------------------------------------------------ */

static const struct column features_columns[] = {
	{ "present", CELL_LIST, ADDS_SAME, "header features" },
	{ "hostname", CELL_TEXT, ADDS_SAME, "host name" },
	{ "osrelease", CELL_TEXT, ADDS_SAME, "release of the kernel" },
	{ "perf_version", CELL_TEXT, ADDS_SAME, "version of perf" },
	{ "arch", CELL_TEXT, ADDS_SAME, "architecture" },
	{ "cpudesc", CELL_TEXT, ADDS_SAME, "CPU" },
	{ "cmdline", CELL_LIST, ADDS_SAME, "arguments of perf" },
	{ "cpus_available", CELL_NUM, ADDS_SAME, "CPUs of the machine" },
	{ "cpus_online", CELL_NUM, ADDS_SAME, "CPUs that ran" },
	{ "memory_kb", CELL_NUM, ADDS_SAME, "memory of the machine" },
};

static struct cell
fact(const struct fact_text *t)
{
	return cell_bytes(t->len ? t->p : NULL, t->len);
}

static void
features_rows(const void *of, report_put *put, void *arg)
{
	const struct facts *k = &((const struct summary *)of)->c->facts;
	char have[64 * 24] = "";
	size_t n = 0;

	for (unsigned i = 0; i < 64; i++)
		if (k->have >> i & 1)
			n += 1 + (size_t)(pp_feature_name(i) ? snprintf(have + n, 24, "%s", pp_feature_name(i)) :
			    snprintf(have + n, 24, "%u", i));
	put(arg, (struct cell[]){ cell_bytes(have, n ? n - 1 : 0), fact(&k->hostname), fact(&k->osrelease), fact(&k->version),
	    fact(&k->arch), fact(&k->cpudesc), cell_bytes(k->cmdline.p ? k->cmdline.p : "", k->cmdline.len),
	    cell_num(k->nrcpus_available), cell_num(k->nrcpus_online), cell_num(k->total_mem) });
}

static const struct table features = { "features", "machine and command", TABLE(features_columns), TABLE_ONE, SCREEN_OFF,
    .rows = features_rows };

/* ---- files --------------------------------------------------------------------------------------- */

static const struct column files_columns[] = {
	{ "mapped", CELL_NUM, ADDS_ROUGH, "files of executable maps" },
	{ "with_build_id", CELL_NUM, ADDS_ROUGH, "those with a build-id" },
	{ "hit", CELL_NUM, ADDS_ROUGH, "with --sort dso: DSOs with samples" },
	{ "hit_with_build_id", CELL_NUM, ADDS_ROUGH, "those with a build-id" },
	{ "hit_samples_with_build_id", CELL_NUM, ADDS_SUM, "samples in these" },
};

static void
files_rows(const void *of, report_put *put, void *arg)
{
	const struct summary *s = of;
	const struct files *f = &s->c->files;
	const struct files_hit *h = &s->hit;

	put(arg, (struct cell[]){ cell_num(files_count(f, FILE_MAPPED)), cell_num(files_count(f, FILE_MAPPED | FILE_HAS_ID)),
	    cell_num_if(h->known, h->dsos), cell_num_if(h->known, h->with_id), cell_num_if(h->known, h->samples_with_id) });
}

static const struct table files = { "files", "mapped files", TABLE(files_columns), TABLE_ONE, SCREEN_OFF, .rows = files_rows };

/* ---- types and events ---------------------------------------------------------------------------- */

static const struct column types_columns[] = {
	{ "type", CELL_NUM, ADDS_KEY, "number of the type" },
	{ "name", CELL_TEXT, ADDS_KEY, "name of the type" },
	{ "records", CELL_NUM, ADDS_SUM, "records" },
	{ "bytes", CELL_NUM, ADDS_SUM, "bytes of the records" },
};

static void
types_rows(const void *of, report_put *put, void *arg)
{
	struct type_count t[COUNT_TYPES + COUNT_ODD + 1];
	size_t n = count_types(((const struct summary *)of)->c, t);

	for (size_t i = 0; i < n; i++)
		put(arg, (struct cell[]){ cell_num_if(t[i].type != UINT32_MAX, t[i].type), cell_text(pp_type_name(t[i].type)),
		    cell_num(t[i].records), cell_num(t[i].bytes) });
}

static const struct table types = { "types", "records by type", TABLE(types_columns), TABLE_ROWS, SCREEN_OFF,
    .rows = types_rows };

enum { EVENT_LOST = 9, EVENT_LOST_SAMPLES, EVENT_LOSSES };
static const struct column events_columns[] = {
	{ "name", CELL_TEXT, ADDS_KEY, "name of the event" },
	{ "nth", CELL_NUM, ADDS_KEY, "how many events before it have this name" },
	{ "attr_type", CELL_NUM, ADDS_SAME, "type of its attr" },
	{ "attr_config", CELL_NUM, ADDS_SAME, "config of its attr" },
	{ "samples", CELL_NUM, ADDS_SUM, "samples" },
	{ "period", CELL_NUM, ADDS_SUM, "their periods" },
	{ "unit", CELL_TEXT, ADDS_SAME, "ns: these are durations" },
	{ "records", CELL_NUM, ADDS_SUM, "SAMPLE records" },
	{ "bytes", CELL_NUM, ADDS_SUM, "their bytes" },
	[EVENT_LOST] = { "lost", CELL_NUM, ADDS_SUM, "records lost according to LOST" },
	[EVENT_LOST_SAMPLES] = { "lost_samples", CELL_NUM, ADDS_SUM, "samples lost according to LOST_SAMPLES" },
	[EVENT_LOSSES] = { "losses", CELL_NUM, ADDS_MADE, "lost_samples, or lost if that is 0" },
	{ "filtered", CELL_NUM, ADDS_SUM, "samples that a BPF filter left out" },
};

static void
events_make(struct cell *row)
{
	row[EVENT_LOSSES] = row[EVENT_LOST_SAMPLES].num ? row[EVENT_LOST_SAMPLES] : row[EVENT_LOST];
}

static void
events_rows(const void *of, report_put *put, void *arg)
{
	const struct summary *s = of;

	for (unsigned i = 0; i < s->c->nev; i++) {
		const struct pp_event *ev = s->c->tool->in->events->ev[i];
		const struct event_count *e = &s->c->ev[i];
		struct cell row[] = { cell_text(ev->name), cell_num(s->nth[i]), cell_num(ev->attr.type),
		    cell_num(ev->attr.config), cell_num(e->samples), cell_num(e->period), cell_text(count_is_duration(ev) ? "ns" : NULL), cell_num(e->records),
		    cell_num(e->bytes), cell_num(e->lost), cell_num(e->lost_samples), { .known = false },
		    cell_num(e->filtered) };

		events_make(row);
		put(arg, row);
	}
}

static const struct table events = { "events", "samples by event", TABLE(events_columns), TABLE_ROWS, SCREEN_OFF,
    .rows = events_rows, .make = events_make };

/* ---- tasks --------------------------------------------------------------------------------------- */

static const struct column comms_columns[] = {
	{ "comm", CELL_TEXT, ADDS_KEY, "comm" },
	{ "other", CELL_BOOL, ADDS_KEY, "all comms that have no row" },
	{ "samples", CELL_NUM, ADDS_SUM, "samples" },
	{ "period", CELL_NUM, ADDS_SUM, "their periods, if all samples are of one event" },
	{ "pids", CELL_NUM, ADDS_ROUGH, "processes with such samples" },
};

static void
comms_rows(const void *of, report_put *put, void *arg)
{
	const struct summary *s = of;

	for (size_t i = 0; i < s->ncomms; i++) {
		const struct name *n = &s->c->tasks.name[s->comm[i]];

		put(arg, (struct cell[]){ cell_text(n->text), cell_bool(s->comm[i] == NAME_OTHER), cell_num(n->samples),
		    cell_num_if(s->unit, n->period), cell_num(n->pids) });
	}
}

static const struct table comms = { "comms", "samples by comm", TABLE(comms_columns), TABLE_ROWS, SCREEN_OFF,
    .rows = comms_rows };

static const struct column pids_columns[] = {
	{ "pid", CELL_SIGNED, ADDS_KEY, "process" },
	{ "comm", CELL_TEXT, ADDS_KEY, "comm" },
	{ "tid", CELL_SIGNED, ADDS_KEY, "thread, if its comm is unknown" },
	{ "samples", CELL_NUM, ADDS_SUM, "samples" },
	{ "period", CELL_NUM, ADDS_SUM, "their periods, if all samples are of one event" },
};

static void
pids_rows(const void *of, report_put *put, void *arg)
{
	const struct summary *s = of;

	for (size_t i = 0; i < s->npids; i++) {
		const struct task_row *p = &s->pid[i];
		struct cell tid = cell_signed((int32_t)p->tid);

		tid.known = p->name == NAME_UNKNOWN;
		put(arg, (struct cell[]){ cell_signed((int32_t)p->pid), cell_text(s->c->tasks.name[p->name].text), tid,
		    cell_num(p->samples), cell_num_if(s->unit, p->period) });
	}
}

static const struct table pids = { "pids", "samples by process and comm", TABLE(pids_columns), TABLE_ROWS, SCREEN_OFF,
    .rows = pids_rows };

static const struct column others_columns[] = {
	{ "tasks", CELL_NUM, ADDS_SUM, "tasks" },
	{ "samples", CELL_NUM, ADDS_SUM, "samples" },
	{ "period", CELL_NUM, ADDS_SUM, "their periods, if all samples are of one event" },
};

static void
others_rows(const void *of, report_put *put, void *arg)
{
	const struct summary *s = of;
	const struct tasks *t = &s->c->tasks;

	put(arg, (struct cell[]){ cell_num(t->others.tasks), cell_num(t->others.samples),
	    cell_num_if(s->unit, t->others.period) });
}

static const struct table others = { "other_pids", "samples of tasks that have no row in pids", TABLE(others_columns),
    TABLE_ONE, SCREEN_OFF, .rows = others_rows };

/* ---- all ----------------------------------------------------------------------------------------- */

static void *
summary_new(struct pass *p)
{
	struct summary *s = tool_alloc(1, sizeof *s);

	*s = (struct summary){ .r = p->r, .c = p->c };
	return s;
}

static void
summary_add(void *part, struct report *r)
{
	static const struct table *const all[] = { &whole, &times, &order, &lost, &compression, &content, &features, &files,
	    &types, &events, &comms, &pids, &others };
	struct summary *s = part;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		report_add(r, all[i], s);
		if (all[i] == &lost)
			report_add(r, &losses_table, s ? &s->c->losses : NULL);
	}
}

static bool
summary_end(void *part, struct pass *p)
{
	struct summary *s = part;
	struct counts *c = p->c;
	unsigned with_samples = 0;
	uint64_t total;

	s->read = c->tool->in ? pp_progress(c->tool->in, &total) : 0;
	if (c->tool->jobs.slot && c->tool->in)		/* all pieces are of one file */
		s->read = c->tool->piece.k == 1 ? total : 0;
	count_sum(c, &s->sum);
	for (unsigned i = 0; i < c->nev; i++)
		with_samples += c->ev[i].samples != 0;
	s->unit = with_samples <= 1;
	s->pid = tasks_finish(&c->tasks, &s->npids);
	s->comm = tool_alloc(c->tasks.names, sizeof *s->comm);
	for (uint32_t i = 0; i < c->tasks.names; i++)
		if (c->tasks.name[i].samples)
			s->comm[s->ncomms++] = i;
	sorting = &c->tasks;
	qsort(s->comm, s->ncomms, sizeof *s->comm, by_samples);
	number_names(s);
	return !c->losses.full && !c->files.full && !c->tasks.rough && !c->tasks.others.samples &&
	    !c->reads_over && !c->tasks.name[NAME_OTHER].samples;
}

static void
summary_free(void *part)
{
	struct summary *s = part;

	free(s->pid);
	free(s->comm);
	free(s->nth);
	free(s);
}

const struct part_kind part_summary = { .always = true, .new = summary_new, .add = summary_add, .end = summary_end,
	.free = summary_free };
