/* SPDX-License-Identifier: ISC */
/*
 * threads.c - --tasks and --mmaps: the tree of all threads, and the maps of each, as perf report --tasks and --mmaps have them at
 * the end of the recording.
 *
 * The state is not fed EXIT records, so no thread is forgotten unless its number is used again, as in perf.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "in.h"
#include "record/raw.h"
#include "set.h"
#include "state/state.h"
#include "state/timeline.h"

struct thread {
	uint32_t	 tid, pid;
	int64_t		 ppid;
	unsigned	 level;
	struct thread	*child, *sibling, *parent;	/* by ascending tid */
	bool		 shown;
};

/* ---- the records --------------------------------------------------------------------------------- */

static struct thread *
thread_find(const struct threads *t, uint32_t tid)
{
	return index_find(t->known, tid, NULL, NULL);
}

/* Note that there is such a thread.  false: there is no place. */
static bool
thread_note(struct threads *t, uint32_t pid, uint32_t tid)
{
	struct thread *x = thread_find(t, tid);

	if (!x) {
		if (t->n >= VIEWS_THREADS)
			return false;
		x = tool_alloc(1, sizeof *x);
		x->tid = tid;
		index_add(t->known, tid, x);
		t->row = tool_need(array_more(t->row, t->n, 1, sizeof *t->row));
		t->row[t->n++] = x;
	}
	x->pid = pid;
	return true;
}

/* Note protection and flags of the map that was just fed: they are part of what its dso is known by. */
static void
threads_mode(struct threads *t, const struct pp_rec *r, bool swap)
{
	const struct pp_map *m = pp_state_map(t->state, PP_RAW_GET(r->raw, MMAP2, pid, swap), PP_MISC_USER,
	    PP_RAW_GET(r->raw, MMAP2, start, swap));

	if (!m)
		return;
	t->mode = tool_need(array_reach(t->mode, &t->nmodes, m->dso, sizeof *t->mode));
	if (r->type == PP_MMAP2)
		t->mode[m->dso] = (struct map_mode){ PP_RAW_GET(r->raw, MMAP2, prot, swap), PP_RAW_GET(r->raw, MMAP2, flags, swap) };
	else
		t->mode[m->dso] = (struct map_mode){ PROT_EXEC, 0 };
}

/* pp_deliver: a record's turn has come */
static int
threads_turn(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct views *v = arg;
	struct threads *t = &v->threads;
	bool swap = v->tool->in->swap, room = true;
	struct pp_rec r = pp_rec_at(p, swap);

	(void)time;
	(void)n;
	if (r.type == PP_FORK) {
		room = thread_note(t, PP_RAW_GET(p, FORK, ppid, swap), PP_RAW_GET(p, FORK, ptid, swap)) &&
		    thread_note(t, PP_RAW_GET(p, FORK, pid, swap), PP_RAW_GET(p, FORK, tid, swap));
	} else if (r.type == PP_COMM)
		room = thread_note(t, PP_RAW_GET(p, COMM, pid, swap), PP_RAW_GET(p, COMM, tid, swap));
	else {		/* the kernel's and guests' maps belong to no thread */
		unsigned mode = r.misc & PP_MISC_CPUMODE_MASK;

		if ((mode && mode != PP_MISC_USER) || PP_RAW_GET(p, MMAP, pid, swap) == UINT32_MAX)
			return 1;
		room = t->nmaps++ < VIEWS_MAPS && thread_note(t, PP_RAW_GET(p, MMAP, pid, swap), PP_RAW_GET(p, MMAP, tid, swap));
	}
	if (!room) {
		t->full = true;
		return 1;
	}
	if (pp_state_feed(t->state, &r, 0) < 0)
		return -1;
	if (r.type == PP_MMAP || r.type == PP_MMAP2)
		threads_mode(t, &r, swap);
	return 1;
}

void
threads_begin(struct views *v)
{
	struct threads *t = &v->threads;

	t->known = index_new();
	t->state = tool_need(pp_state_new(v->tool->in->swap, &v->err));
	t->order = tool_need(pp_timeline_new(threads_turn, v, VIEWS_TIMELINE, &v->err));
	thread_note(t, 0, 0);
}

void
threads_see(struct views *v, const struct pp_rec *r)
{
	struct threads *t = &v->threads;

	if (v->err.what[0])
		return;
	if (r->type == PP_FINISHED_ROUND || r->type == PP_FORK || r->type == PP_COMM ||
	    (t->maps && (r->type == PP_MMAP || r->type == PP_MMAP2)))
		pp_timeline_take(t->order, v->tool->in, r);
}

/* ---- the tree ------------------------------------------------------------------------------------ */

/* By parent, then by tid: so are those ordered that have none. */
static int
by_tid_downwards(const void *a, const void *b)
{
	const struct thread *x = *(struct thread *const *)a, *y = *(struct thread *const *)b;

	if (!x->tid || !y->tid)
		return !x->tid - !y->tid;
	if (x->ppid != y->ppid)
		return (x->ppid < y->ppid) - (x->ppid > y->ppid);
	return ((int32_t)x->tid < (int32_t)y->tid) - ((int32_t)x->tid > (int32_t)y->tid);
}

/* Put the thread and all below it into `to'. */
static size_t
threads_below(struct thread **to, size_t n, struct thread *top, unsigned level)
{
	struct thread *x = top;

	for (;;) {
		x->shown = true;
		x->level = level;
		to[n++] = x;
		if (x->child) {
			x = x->child;
			level++;
			continue;
		}
		while (x != top && !x->sibling) {
			x = x->parent;
			level--;
		}
		if (x == top)
			return n;
		x = x->sibling;
	}
}

/* Are there more maps than are shown? */
static int
threads_cut_see(void *arg, const struct pp_map *m)
{
	size_t *n = arg;

	(void)m;
	return ++*n > VIEWS_MAP_ROWS ? -1 : 1;
}

static bool
threads_cut(const struct threads *t)
{
	const struct pp_maps *maps;
	size_t n = 0;

	for (size_t i = 0; i < t->n && n <= VIEWS_MAP_ROWS; i++)
		if ((maps = pp_state_maps(t->state, t->row[i]->pid, PP_MISC_USER)))
			pp_maps_each(t->state, maps, threads_cut_see, &n);
	return n > VIEWS_MAP_ROWS;
}

void
threads_end(struct views *v)
{
	struct threads *t = &v->threads;
	struct thread **order, *x, *p;
	size_t n = 0;

	if (t->order)
		pp_timeline_release(t->order, UINT64_MAX);
	if (!t->n)
		return;
	for (size_t i = 0; i < t->n; i++) {
		const struct pp_task *task = pp_state_task(t->state, t->row[i]->tid);

		t->row[i]->ppid = task && task->forked ? (int64_t)task->ptid : -1;
	}
	qsort(t->row, t->n, sizeof *t->row, by_tid_downwards);
	for (size_t i = 0; i < t->n; i++) {	/* downwards, so that lists of children are upwards */
		x = t->row[i];
		if (x->ppid > 0 && (p = thread_find(t, (uint32_t)x->ppid)) && p != x) {
			x->parent = p;
			x->sibling = p->child;
			p->child = x;
		}
	}
	order = tool_alloc(t->n, sizeof *order);
	for (size_t i = t->n; i--;)
		if (!t->row[i]->parent)
			n = threads_below(order, n, t->row[i], (int32_t)t->row[i]->tid > 0 && t->row[i]->ppid <= 0);
	for (size_t i = t->n; i--;) {		/* what is left are circles: each is cut at one place */
		x = t->row[i];
		if (x->shown)
			continue;
		for (struct thread **at = &x->parent->child; *at; at = &(*at)->sibling)
			if (*at == x) {
				*at = x->sibling;
				break;
			}
		x->parent = x->sibling = NULL;
		n = threads_below(order, n, x, 0);
	}
	free(t->row);
	t->row = order;
	t->cut = threads_cut(t);
}

void
threads_free(struct threads *t)
{
	pp_timeline_free(t->order);
	pp_state_free(t->state);
	index_free(t->known);
	free(t->row);
	free(t->mode);
}

/* ---- --tasks ------------------------------------------------------------------------------------- */

static const char *
thread_comm(const struct threads *t, const struct thread *x, char *buf, size_t size)
{
	const char *comm = pp_state_comm(t->state, x->tid);

	if (comm || x->tid == 0)
		return comm ? comm : "swapper";
	snprintf(buf, size, ":%" PRId32, (int32_t)x->tid);
	return buf;
}

static const struct column threads_columns[] = {
	{ "pid", CELL_SIGNED, ADDS_KEY, "process" },
	{ "tid", CELL_SIGNED, ADDS_KEY, "thread" },
	{ "ppid", CELL_SIGNED, ADDS_MAX, "thread that forked it, -1: unknown" },
	{ "comm", CELL_TEXT, ADDS_SAME, "its last name" },
};

static void
threads_rows(const void *of, report_put *put, void *arg)
{
	const struct threads *t = &((const struct views *)of)->threads;
	char buf[16];

	for (size_t i = 0; i < t->n; i++) {
		const struct thread *x = t->row[i];

		put(arg, (struct cell[]){ cell_signed((int32_t)x->pid), cell_signed((int32_t)x->tid), cell_signed(x->ppid),
		    cell_text(thread_comm(t, x, buf, sizeof buf)) });
	}
}

const struct table threads_table = { "threads", "threads, and who forked them", TABLE(threads_columns), .screen = SCREEN_OFF,
    .rows = threads_rows };

static unsigned
thread_indent(const struct thread *x)
{
	return x->level < VIEWS_LEVEL ? x->level : VIEWS_LEVEL;
}

static void
thread_line(FILE *f, const struct threads *t, const struct thread *x)
{
	char buf[16];
	const char *comm = thread_comm(t, x, buf, sizeof buf);

	fprintf(f, "%10" PRId32 " %8" PRId32 " %8" PRId32 " |%*s", (int32_t)x->pid, (int32_t)x->tid, (int32_t)x->ppid,
	    (int)thread_indent(x), "");
	text_print(f, comm, strlen(comm));
	fputc('\n', f);
}

static const char threads_head[] = "#      pid      tid     ppid  comm\n";

void
threads_screen(FILE *f, const struct views *v)
{
	const struct threads *t = &v->threads;

	fputs(threads_head, f);
	for (size_t i = 0; i < t->n; i++)
		thread_line(f, t, t->row[i]);
}

/* ---- --mmaps ------------------------------------------------------------------------------------- */

struct map_walk {
	const struct threads *t;
	const struct thread *x;
	size_t		 left;		/* rows that may still be shown */
	FILE		*f;		/* or */
	report_put	*put;
	void		*arg;
};

static const struct column maps_columns[] = {
	{ "pid", CELL_SIGNED, ADDS_KEY, "process" },
	{ "tid", CELL_SIGNED, ADDS_KEY, "thread" },
	{ "start", CELL_TEXT, ADDS_KEY, "first address, hexadecimal" },
	{ "end", CELL_TEXT, ADDS_KEY, "address behind the last, hexadecimal" },
	{ "mode", CELL_TEXT, ADDS_KEY, "r, w, x; s shared or p private" },
	{ "pgoff", CELL_TEXT, ADDS_KEY, "offset in the file, hexadecimal" },
	{ "ino", CELL_NUM, ADDS_KEY, "inode, 0: unknown" },
	{ "build_id", CELL_TEXT, ADDS_KEY, "of the record, hexadecimal" },
	{ "name", CELL_TEXT, ADDS_KEY, "name of the file" },
};

static int
map_row(void *arg, const struct pp_map *m)
{
	struct map_walk *w = arg;
	const struct pp_dso *dso = pp_state_dso(w->t->state, m);
	const struct map_mode *k = &w->t->mode[m->dso];
	char mode[] = "---p", id[41] = "", start[17], end[17], pgoff[17], jit[32];
	const char *name = dso->name;
	size_t len = dso->len;

	if (!w->left)
		return -1;
	w->left--;
	mode[0] = k->prot & PROT_READ ? 'r' : '-';
	mode[1] = k->prot & PROT_WRITE ? 'w' : '-';
	mode[2] = k->prot & PROT_EXEC ? 'x' : '-';
	mode[3] = k->flags & MAP_SHARED ? 's' : 'p';
	if (m->has_id)
		tool_hex(id, dso->id, dso->id_len);
	snprintf(start, sizeof start, "%" PRIx64, m->start);
	snprintf(end, sizeof end, "%" PRIx64, m->start + m->len);
	if (dso->jit) {			/* where perf looks for the symbols */
		len = (size_t)snprintf(jit, sizeof jit, "/tmp/perf-%" PRIu32 ".map", dso->jit);
		name = jit;
	}
	if (w->f) {
		fprintf(w->f, "%*s  %s-%s %s %08" PRIx64 " ", (int)(30 + thread_indent(w->x)), "", start, end, mode, m->pgoff);
		if (*id)
			fprintf(w->f, "%s ", id);
		else
			fprintf(w->f, "%" PRIu64 " ", dso->ino);
		text_print(w->f, name, len);
		fputc('\n', w->f);
		return 1;
	}
	snprintf(pgoff, sizeof pgoff, "%" PRIx64, m->pgoff);
	w->put(w->arg, (struct cell[]){ cell_signed((int32_t)w->x->pid), cell_signed((int32_t)w->x->tid), cell_text(start), cell_text(end),
	    cell_text(mode), cell_text(pgoff), cell_num(dso->ino), cell_text(*id ? id : NULL), cell_bytes(name, len) });
	return 1;
}

static void
maps_walk(struct map_walk *w, const struct thread *x)
{
	const struct pp_maps *maps = pp_state_maps(w->t->state, x->pid, PP_MISC_USER);

	w->x = x;
	if (maps)
		pp_maps_each(w->t->state, maps, map_row, w);
}

static void
maps_rows(const void *of, report_put *put, void *arg)
{
	const struct threads *t = &((const struct views *)of)->threads;
	struct map_walk w = { .t = t, .left = VIEWS_MAP_ROWS, .put = put, .arg = arg };

	for (size_t i = 0; i < t->n; i++)
		maps_walk(&w, t->row[i]);
}

const struct table maps_table = { "maps", "maps of each thread", TABLE(maps_columns), .screen = SCREEN_OFF, .rows = maps_rows };

void
maps_screen(FILE *f, const struct views *v)
{
	const struct threads *t = &v->threads;
	struct map_walk w = { .t = t, .left = VIEWS_MAP_ROWS, .f = f };

	fputs(threads_head, f);
	for (size_t i = 0; i < t->n; i++) {
		thread_line(f, t, t->row[i]);
		maps_walk(&w, t->row[i]);
	}
	if (t->cut)
		fprintf(f, "further maps are not shown: there are more than %d\n", VIEWS_MAP_ROWS);
}
