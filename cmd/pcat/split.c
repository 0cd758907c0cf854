/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out_stream.h"
#include "pending.h"
#include "snapshot.h"
#include "split.h"

enum { PENDING_MAX = 16 << 20 };	/* bytes of side-band that wait for their round */

struct spooled {			/* a stream in a file without a name */
	int		 fd;
	struct pp_sink	*sink;
	struct pp_err	 err;		/* of the sink */
	uint64_t	 records;
};

struct split {
	struct out	 pub;
	const struct tool *tool;
	struct split_options *o;
	struct pp_source *like;
	struct pp_err	*err;
	struct pp_events *events;	/* of the records that we get */
	bool		 swap;
	struct spooled	 head, init;	/* init: what comes before the first chunk has begun */
	struct snapshot	*state;
	struct pending	 pending;
	uint64_t	 newest, settled;	/* times: of any record; all up to this is in `state' */
	bool		 rounds, inits;	/* the stream has such markers */
	bool		 disorder;	/* a record was older than one before it */
	bool		 told_anywhere, failed;

	struct out	*chunk;		/* NULL: none is open */
	struct atomic	 file;		/* of the chunk */
	uint64_t	 number, bytes, marks;	/* of the chunk */
	uint64_t	 preamble;	/* bytes of it that are head and snapshot */
	uint64_t	 first, last;	/* times of the chunk; first 0: none yet */
	char		**names;	/* of the last max_files chunks */
	uint64_t	 nnames;	/* in all; name i stands at i % max_files */
};

/* ---- options ----------------------------------------------------------------------------------------- */

void
split_when(const struct tool *t, struct split_options *o, const char *text)
{
	static const char rounds[] = "rounds:";
	size_t n = strlen(text);
	char *size;

	o->bytes = o->ns = o->rounds = 0;
	if (!strncmp(text, rounds, sizeof rounds - 1)) {
		o->rounds = tool_number(t, text + sizeof rounds - 1, 1, INT64_MAX);
	} else if (n && strchr("BKkMGT", text[n - 1])) {
		size = tool_alloc(n + 1, 1);	/* perf's B: bytes */
		memcpy(size, text, n - (text[n - 1] == 'B'));
		o->bytes = tool_size(t, size);
		free(size);
	} else if (n && strchr("smhd", text[n - 1])) {
		o->ns = tool_duration(t, text);
	}
	if (!o->bytes && !o->ns && !o->rounds)
		tool_wrong(t, "%s '%s': expected a size such as 10M, a time such as 30s, or rounds:N", t->optname, text);
}

char *
split_template(const struct tool *t, const char *text, const char *out)
{
	bool varies = false;
	char *template;
	size_t n;

	if (!text && (!out || !strcmp(out, "-")))
		tool_wrong(t, "--switch-output: needs -o FILE or --output-template");
	if (!text) {			/* % in the name of a file stands for itself */
		template = tool_alloc(2 * strlen(out) + sizeof ".%n", 1);
		n = 0;
		for (const char *p = out; *p; p++) {
			if (*p == '%')
				template[n++] = '%';
			template[n++] = *p;
		}
		strcpy(template + n, ".%n");
		return template;
	}
	for (const char *p = text; *p; p++) {
		if (*p != '%')
			continue;
		if (!p[1] || !strchr("nt%", *++p))
			tool_wrong(t, "--output-template '%s': only %%n, %%t and %%%% may stand in it", text);
		varies |= *p != '%';
	}
	if (!varies)
		tool_wrong(t, "--output-template '%s': needs %%n (number) or %%t (time)", text);
	template = tool_alloc(strlen(text) + 1, 1);
	strcpy(template, text);
	return template;
}

/* The name of a chunk, into o->path.  1, or -1: too long. */
static int
name_chunk(struct split *s, uint64_t time)
{
	char *path = s->o->path;
	size_t n = 0, size = sizeof s->o->path;

	for (const char *p = s->o->template; *p && n < size; p++) {
		if (*p != '%')
			path[n++] = *p;
		else if (*++p == 'n')
			n += (size_t)snprintf(path + n, size - n, "%05" PRIu64, s->number);
		else if (*p == 't')
			n += (size_t)snprintf(path + n, size - n, "%" PRIu64 ".%09" PRIu64, time / 1000000000,
			    time % 1000000000);
		else
			path[n++] = '%';
	}
	if (n >= size) {
		path[size - 1] = 0;
		return pp_fail(s->err, "%s", strerror(ENAMETOOLONG));
	}
	path[n] = 0;
	return 1;
}

/* ---- spooled streams --------------------------------------------------------------------------------------- */

static int
spooled_open(struct split *s, struct spooled *f)
{
	const char *slash = strrchr(s->o->template, '/');
	size_t n = slash ? (size_t)(slash - s->o->template) + 1 : 2;
	char dir[PATH_MAX], name[PATH_MAX + 16];

	if (n >= sizeof dir)
		return pp_fail(s->err, "%s", strerror(ENAMETOOLONG));
	memcpy(dir, slash ? s->o->template : "./", n);
	dir[n] = 0;
	f->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (f->fd < 0) {		/* not every file system can */
		snprintf(name, sizeof name, "%s.spool.XXXXXX", dir);
		if ((f->fd = mkostemp(name, O_CLOEXEC)) < 0)
			return pp_fail(s->err, "temporary file in %s: %s", dir, strerror(errno));
		unlink(name);
	}
	f->sink = pp_create_fd(fcntl(f->fd, F_DUPFD_CLOEXEC, 0), "temporary file", &f->err);
	return f->sink && pp_start(f->sink, s->like) > 0 ? 1 : pp_fail(s->err, "temporary file: %s", f->err.what);
}

static int
spooled_put(struct split *s, struct spooled *f, struct pp_source *in, const struct pp_rec *r)
{
	int rc = pp_put_copy(f->sink, r->raw, r->size);
	const uint8_t *p;
	size_t n;

	while (rc > 0 && r->payload && (rc = pp_payload(in, &p, &n)) > 0)
		if ((rc = pp_put_stable(f->sink, p, n)) > 0)
			rc = pp_flush(f->sink);
	f->records++;
	if (f->err.what[0])
		return pp_fail(s->err, "temporary file: %s", f->err.what);
	return rc < 0 ? -1 : 1;	/* -1: the source's */
}

static int
flush_chunk(void *arg)
{
	struct split *s = arg;

	return s->chunk->flush(s->chunk, false);
}

/* Put the records from number `from' on into the chunk. */
static int
replay(struct split *s, struct spooled *f, uint64_t from)
{
	struct pp_err err = { .what = "" };
	struct pp_source *src;
	struct pp_rec r;
	char path[32];
	int rc;

	if (pp_flush(f->sink) < 0)
		return pp_fail(s->err, "temporary file: %s", f->err.what);
	snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
	if ((src = pp_open(path, PP_OPEN_RAW, &err))) {
		pp_before_refill(src, flush_chunk, s);
		for (uint64_t i = 0; (rc = pp_next(src, &r)) > 0; i++) {
			if (i < from)
				continue;
			s->bytes += r.size + r.payload;
			if ((rc = s->chunk->put(s->chunk, src, &r, true)) < 0)
				break;
		}
		if (rc >= 0)
			rc = s->chunk->flush(s->chunk, false);
		pp_close(src);
	} else {
		rc = -1;
	}
	return rc < 0 && err.what[0] ? pp_fail(s->err, "temporary file: %s", err.what) : rc;
}

static void
spooled_close(struct spooled *f)
{
	if (f->sink)
		pp_finish(f->sink);
	if (f->fd >= 0)
		close(f->fd);
	f->sink = NULL;
	f->fd = -1;
}

/* ---- chunks ------------------------------------------------------------------------------------------ */

static int
put_new(void *arg, const struct pp_rec *r)
{
	struct split *s = arg;

	s->bytes += r->size;
	return s->chunk->put(s->chunk, s->like, r, false);
}

/* What a chunk but the first begins with, behind its head. */
static int
put_state(struct split *s)
{
	uint8_t init[PP_HEADER_SIZE];
	struct pp_rec r = { .raw = init, .type = PP_FINISHED_INIT, .size = sizeof init };
	size_t trailer = s->events->n ? s->events->ev[0]->plan.trailer : 0;

	pp_set_u32(init, r.type, s->swap);
	pp_set_u16(init + 4, 0, s->swap);
	pp_set_u16(init + 6, r.size, s->swap);
	if (snapshot_write(s->state, trailer, put_new, s) < 0 || (s->inits && put_new(s, &r) < 0))
		return -1;
	for (size_t i = 0; i < s->pending.n; i++)
		if (put_new(s, &s->pending.p[i].r) < 0)
			return -1;
	return 1;
}

static int
open_chunk(struct split *s, uint64_t time)
{
	bool first = !s->number++;

	s->bytes = s->preamble = s->marks = s->first = s->last = 0;
	if (name_chunk(s, time) < 0)
		return -1;
	if (s->nnames && s->o->max_files && !strcmp(s->names[(s->nnames - 1) % s->o->max_files], s->o->path))
		return pp_fail(s->err, "two files would have that name: use %%n");
	if (!(s->chunk = s->o->make(s->o->arg, s->o->path, s->like, &s->file, s->err)))
		return -1;
	if (replay(s, &s->head, 0) < 0)
		return -1;
	if (!first)
		return put_state(s);
	if (replay(s, &s->init, 0) < 0)
		return -1;
	spooled_close(&s->init);
	return 1;
}

/* Remember the name of a chunk that is complete; the oldest has to make room. */
static int
retire(struct split *s)
{
	char **at;

	s->nnames++;
	if (!s->o->max_files)
		return 1;
	at = &s->names[(s->nnames - 1) % s->o->max_files];
	if (*at && unlink(*at) < 0 && errno != ENOENT)
		return pp_fail(s->err, "removing %s: %s", *at, strerror(errno));
	free(*at);
	return (*at = strdup(s->o->path)) ? 1 : pp_fail(s->err, "out of memory");
}

static int
close_chunk(struct split *s)
{
	struct out *chunk = s->chunk;
	int rc;

	s->chunk = NULL;
	rc = chunk->finish(chunk);
	/* Any but the last one is complete, whatever becomes of the input. */
	if (tool_name(s->tool, &s->file) < 0 || rc < 0)
		return -1;
	tool_note(s->tool, "%s: %ju bytes, %ju rounds", s->o->path, (uintmax_t)s->bytes, (uintmax_t)s->marks);
	return retire(s);
}

/* Has the chunk reached its limit, so many times?  At least half of it is to be data, however small the limit. */
static bool
full(const struct split *s, uint64_t times)
{
	const struct split_options *o = s->o;

	return (o->bytes && s->bytes / times >= o->bytes && s->bytes / 2 >= s->preamble) || (o->rounds && s->marks >= o->rounds) ||
	    (o->ns && s->last > s->first && (s->last - s->first) / times >= o->ns);
}

/* ---- side-band --------------------------------------------------------------------------------------- */

static int
settle(void *arg, const struct pp_rec *r, size_t trailer)
{
	return snapshot_feed(((struct split *)arg)->state, r, trailer);
}

static int
side_band(struct split *s, const struct pp_rec *r, size_t trailer, uint64_t time)
{
	if (!time)			/* perf takes it at once, too */
		return settle(s, r, trailer);
	if (pending_add(&s->pending, time, trailer, r) < 0)
		return pp_fail(s->err, "out of memory");
	if (s->pending.bytes > PENDING_MAX)
		return pending_release(&s->pending, pending_middle(&s->pending), settle, s);
	return 1;
}

/* A FINISHED_ROUND: what was known at the one before can't be overtaken any more. */
static int
finished_round(struct split *s)
{
	uint64_t until = s->settled;

	s->rounds = true;
	s->marks++;
	s->settled = s->newest;
	return pending_release(&s->pending, until, settle, s);
}

/* End the chunk before a record, since no marker comes to end it. */
static int
cut_anywhere(struct split *s)
{
	if (!s->told_anywhere)
		tool_note(s->tool, "cutting between any records, as if they were in time order");
	s->told_anywhere = true;
	return pending_release(&s->pending, UINT64_MAX, settle, s) < 0 ? -1 : close_chunk(s);
}

/* ---- the container ----------------------------------------------------------------------------------- */

static bool
is_head(uint32_t type)
{
	switch (type) {
	case PP_HEADER_ATTR: case PP_HEADER_EVENT_TYPE: case PP_HEADER_TRACING_DATA: case PP_HEADER_BUILD_ID:
	case PP_HEADER_FEATURE: case PP_ID_INDEX: case PP_EVENT_UPDATE: case PP_AUXTRACE_INFO: case PP_THREAD_MAP:
	case PP_CPU_MAP: case PP_TIME_CONV: case PP_STAT_CONFIG: case PP_BPF_METADATA:
		return true;
	default:
		return false;
	}
}

/* All chunks to come get it, and the one that is open. */
static int
put_head(struct split *s, struct pp_source *in, const struct pp_rec *r)
{
	if (spooled_put(s, &s->head, in, r) < 0)
		return -1;
	return s->chunk ? replay(s, &s->head, s->head.records - 1) : 1;
}

/* FINISHED_ROUND, FINISHED_INIT: nothing that a chunk would be begun for. */
static int
put_marker(struct split *s, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	s->inits |= r->type == PP_FINISHED_INIT;
	if (!s->number && spooled_put(s, &s->init, in, r) < 0)
		return -1;
	if (s->chunk) {
		s->bytes += r->size;
		if (s->chunk->put(s->chunk, in, r, stable) < 0)
			return -1;
	}
	if (r->type != PP_FINISHED_ROUND)
		return 1;
	if (finished_round(s) < 0)
		return -1;
	return s->chunk && full(s, 1) ? close_chunk(s) : 1;
}

/*
 * Is it time to cut between any two records?  While all is in order that is exact.  Once it was not, a round is worth
 * waiting for: within one, side-band may come behind the samples that need it.
 */
static bool
must_cut(const struct split *s)
{
	if (s->disorder)
		return !s->rounds && full(s, 8);
	return s->rounds ? !s->marks && !s->o->rounds && full(s, 2) : full(s, 1);
}

static int
put_data(struct split *s, struct pp_source *in, const struct pp_rec *r, bool stable, uint64_t time)
{
	if (!s->number && !time && r->type != PP_SAMPLE && r->type < PP_USER_TYPE_START)
		return spooled_put(s, &s->init, in, r);
	if (s->chunk && must_cut(s) && cut_anywhere(s) < 0)
		return -1;
	if (!s->chunk) {
		if (open_chunk(s, time) < 0)
			return -1;
		s->preamble = s->bytes;
	}
	if (time) {
		s->disorder |= time < s->newest;
		s->first = s->first && s->first < time ? s->first : time;
		s->last = s->last > time ? s->last : time;
		s->newest = s->newest > time ? s->newest : time;
	}
	s->bytes += r->size + r->payload;
	return s->chunk->put(s->chunk, in, r, stable);
}

static int
take(struct split *s, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct pp_err ignored = { .what = "" };
	const struct pp_event *ev = NULL;
	uint64_t time = 0;

	if (r->type >= PP_USER_TYPE_START && pp_events_learn(s->events, r, s->err) < 0)
		return -1;
	if (is_head(r->type))
		return put_head(s, in, r);
	if (r->type == PP_FINISHED_ROUND || r->type == PP_FINISHED_INIT)
		return put_marker(s, in, r, stable);
	/* One that fits no event passes; no reader will make anything of it. */
	if (r->type < PP_USER_TYPE_START && (ev = pp_event_find(s->events, r, &ignored)) &&
	    !pp_time(ev, r, s->swap, &time))
		time = 0;
	if (put_data(s, in, r, stable, time) < 0)
		return -1;
	if (ev && snapshot_wants(r->type))
		return side_band(s, r, pp_has_trailer(ev, r) ? ev->plan.trailer : 0, time);
	return 1;
}

static int
split_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct split *s = (struct split *)o;

	if (s->failed)
		return -1;
	s->failed = take(s, in, r, stable) < 0;
	return s->failed ? -1 : 1;
}

static int
split_flush(struct out *o, bool wait)
{
	struct split *s = (struct split *)o;

	return s->chunk ? s->chunk->flush(s->chunk, wait) : 1;
}

static void
split_free(struct split *s)
{
	spooled_close(&s->head);
	spooled_close(&s->init);
	snapshot_free(s->state);
	pending_free(&s->pending);
	pp_events_free(s->events);
	for (uint64_t i = 0; s->names && i < s->o->max_files; i++)
		free(s->names[i]);
	free(s->names);
	free(s);
}

/* A recording without data is one chunk without data. */
static int
split_finish(struct out *o)
{
	struct split *s = (struct split *)o;
	int rc = s->failed ? -1 : 1;

	if (rc > 0 && !s->number)
		rc = open_chunk(s, 0);
	if (s->chunk && close_chunk(s) < 0)
		rc = -1;
	if (s->o->rounds && !s->rounds)
		tool_warn(s->tool, "no FINISHED_ROUND in the stream: all is in one file");
	if (s->events->reads && s->nnames > 1)
		tool_warn(s->tool, "READ values go on through all files: the first period of an event in each is too large");
	split_free(s);
	return rc;
}

struct out *
split_new(const struct tool *tool, struct split_options *o, struct pp_source *like, struct pp_err *err)
{
	struct split *s = calloc(1, sizeof *s);

	snprintf(o->path, sizeof o->path, "%s", o->template);
	*err = (struct pp_err){ .file = o->path };
	if (!s) {
		pp_fail(err, "out of memory");
		return NULL;
	}
	s->pub = (struct out){ .put = split_put, .flush = split_flush, .finish = split_finish };
	s->tool = tool;
	s->o = o;
	s->like = like;
	s->swap = like->swap;
	s->err = err;
	s->head.fd = s->init.fd = -1;
	if ((o->max_files && !(s->names = calloc(o->max_files, sizeof *s->names))) ||
	    !(s->events = pp_events_new(s->swap)) || !(s->state = snapshot_new(s->swap, err)))
		pp_fail(err, "out of memory");
	else if (spooled_open(s, &s->head) > 0 && spooled_open(s, &s->init) > 0)
		return &s->pub;
	split_free(s);
	return NULL;
}
