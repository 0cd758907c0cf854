/* SPDX-License-Identifier: ISC */
/* split_part.c - the files of parts */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/event.h"
#include "record/raw.h"
#include "split_in.h"
#include "state/state.h"

/* The name of a part.  1, or -1: too long. */
static int
split_name_part(const struct split *s, struct part *part, uint64_t time)
{
	char *path = part->path;
	size_t n = 0, size = sizeof part->path;

	for (const char *p = s->o->template; *p && n < size; p++) {
		if (*p != '%')
			path[n++] = *p;
		else if (*++p == 'n')
			n += (size_t)snprintf(path + n, size - n, "%05" PRIu64, part->number);
		else if (*p == 't')
			n += (size_t)snprintf(path + n, size - n, "%" PRIu64 ".%09" PRIu64, time / 1000000000,
			    time % 1000000000);
		else
			path[n++] = '%';
	}
	if (n >= size) {
		path[size - 1] = 0;
		return pp_fail(&part->err, "%s", strerror(ENAMETOOLONG));
	}
	path[n] = 0;
	return 1;
}

int
split_part_failed(struct split *s, const struct part *p)
{
	if (!p->err.what[0] || s->err->what[0])
		return -1;
	snprintf(s->o->path, sizeof s->o->path, "%s", p->path);
	*s->err = p->err;
	s->err->file = s->o->path;
	return -1;
}

static int
split_put_new(void *arg, const struct pp_rec *r)
{
	struct split *s = arg;
	struct part *p = split_current(s);

	return p->out->put(p->out, s->like, r, false) < 0 ? split_part_failed(s, p) : 1;
}

/*
 * A record of a snapshot.  Each part repeats the maps of all tasks that live, and an artificial recording could make that grow without
 * bound, so it counts as what expands.
 */
static int
split_put_snapshot(void *arg, const struct pp_rec *r)
{
	struct split *s = arg;
	unsigned mib = s->tool->open_flags >> PP_OPEN_MAX_EXPAND_SHIFT;
	uint64_t max = mib ? (uint64_t)mib << 20 : PP_EXPAND_MAX;

	s->snapshots += r->size;
	if (s->snapshots > max && s->snapshots / PP_EXPAND_RATIO > s->taken)
		return pp_fail(s->err, "--switch-output: %ju bytes become snapshots of %ju: more than %d times as much, and more than %ju MiB "
		    "(--max-expand SIZE permits more)", (uintmax_t)s->taken, (uintmax_t)s->snapshots, PP_EXPAND_RATIO, (uintmax_t)(max >> 20));
	return split_put_new(arg, r);
}

static int
split_put_pending(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct split *s = arg;
	struct pp_rec r = pp_rec_at(p, s->swap);

	(void)time;
	(void)n;
	return split_put_new(s, &r);
}

/* Write the snapshot at the begin of a part other than the first. */
static int
split_put_state(struct split *s)
{
	uint8_t init[PP_HEADER_SIZE];
	struct pp_rec r;
	size_t trailer = s->events->n ? s->events->ev[0]->plan.trailer : 0;

	pp_raw_head(init, PP_FINISHED_INIT, 0, sizeof init, s->swap);
	r = pp_rec_at(init, s->swap);
	if (pp_state_write(s->state, trailer, split_put_snapshot, s) < 0 || (s->inits && split_put_new(s, &r) < 0))
		return -1;
	/* As it came, while nothing is settled. */
	return pp_timeline_each(s->pending, s->settled, split_put_pending, s);
}

/* Create the file of a new part.  1, or -1 with the text in the part's err. */
static int
split_make_file(struct split *s, struct part *p, uint64_t time)
{
	if (split_name_part(s, p, time) < 0)
		return -1;
	if (s->name && !strcmp(s->name, p->path))
		return pp_fail(&p->err, "two parts would have this name: use %%n");
	free(s->name);
	if (!(s->name = strdup(p->path)))
		return pp_fail_memory(&p->err);
	return (p->out = s->o->make(s->o->arg, p->path, s->like, &p->file, &p->err)) ? 1 : -1;
}

int
split_begin_part(struct split *s, uint64_t time)
{
	struct part *p = calloc(1, sizeof *p);

	if (!p)
		return pp_fail_memory(s->err);
	p->err.file = p->path;
	p->number = ++s->number;
	p->from = s->end;
	if (split_make_file(s, p, time) < 0) {
		split_part_failed(s, p);
		part_free(p);
		return -1;
	}
	s->part[s->n++] = p;
	s->cut = false;
	if (spooled_replay(&s->head, 0, p->out, s->err) < 0 ||
	    (p->number == 1 && spooled_replay(&s->init, 0, p->out, s->err) < 0))
		return split_part_failed(s, p);
	if (p->number > 1)
		return split_put_state(s);
	spooled_close(&s->init);
	return 1;
}

/* Add the name of a complete part, and delete the oldest part beyond max_files. */
static int
split_retire(struct split *s, const struct part *p)
{
	char **at;

	s->nnames++;
	if (!s->o->max_files)
		return 1;
	at = &s->names[(s->nnames - 1) % s->o->max_files];
	if (*at && unlink(*at) < 0 && errno != ENOENT)
		return pp_fail(s->err, "removing %s: %s", *at, strerror(errno));
	if (*at)
		s->o->removed(s->o->arg, *at);
	free(*at);
	return (*at = strdup(p->path)) ? 1 : pp_fail_memory(s->err);
}

int
split_close_part(struct split *s)
{
	struct part *p = s->part[0];
	int rc = p->out->finish(p->out);

	memmove(s->part, s->part + 1, --s->n * sizeof *s->part);
	if (!s->n)
		s->cut = true;
	/* A part that is closed before the end is complete, even if the input turns out to be damaged. */
	if (tool_name(s->tool, &p->file) < 0 || s->o->named(s->o->arg, p->path, &p->err) < 0)
		rc = -1;
	if (rc < 0) {
		split_part_failed(s, p);
	} else {
		tool_note(s->tool, "%s: %ju bytes, %ju rounds", p->path, (uintmax_t)p->bytes, (uintmax_t)p->rounds);
		rc = split_retire(s, p);
	}
	part_free(p);
	return rc;
}

int
split_close_parts(struct split *s, uint64_t until)
{
	while (s->n > 1 && s->part[1]->from <= until)
		if (split_close_part(s) < 0)
			return -1;
	return 1;
}
