/* SPDX-License-Identifier: ISC */
/* recording.c - see lookup.h: what the recording says of its machine, times and namespaces */
#include <sys/stat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "join/clock.h"
#include "protocol.h"
#include "record/feature.h"
#include "record/raw.h"
#include "source/source.h"

enum { COMM_EXEC = 1 << 13 };		/* in misc of a COMM (perf_event.h) */
enum { MNT_NAMESPACE = 5 };		/* its entry in a NAMESPACES (perf_event.h, MNT_NS_INDEX) */
enum { SECOND = 1000000000 };
#define RECENT (UINT64_C(2) * SECOND)	/* of a file that was written so recently, more may come */

struct stage {
	struct out	 pub;
	struct lookup	*l;
};

/* ---- when ----------------------------------------------------------------------------------------------------- */

void
recording_start(struct lookup *l)
{
	const char *name = l->t->in_name;
	char path[4096];
	struct timespec now;
	struct stat st;
	int rc = name && strcmp(name, "-") ? stat(name, &st) : fstat(STDIN_FILENO, &st);

	if (rc == 0 && S_ISDIR(st.st_mode) && snprintf(path, sizeof path, "%s/data", name) < (int)sizeof path)
		rc = stat(path, &st);
	l->live = rc < 0 || !S_ISREG(st.st_mode);
	clock_gettime(CLOCK_REALTIME, &now);
	l->any_change = tool_allows(l->t, "changed-files");
	l->written = lookup_ns(l->live ? &now : &st.st_mtim);
	l->grows = l->live || lookup_ns(&now) - l->written < RECENT;
	when_start(&l->when);
}

/*
 * A map without a time is from before the recording, which takes the two clocks of CLOCK_DATA at its start.  Without CLOCK_DATA its
 * first time is as good.  Until that is known, a pipe is taken for a live one; learn_first() looks whether it was.
 */
uint64_t
recording_latest(const struct lookup *l, uint64_t time)
{
	uint64_t latest;

	if (l->any_change)
		return 0;
	if (l->wall)
		return time > l->clock ? l->wall + (time - l->clock) : l->wall;
	if (!l->first || l->other_release || !(latest = when_latest(&l->when, time ? time : l->first)))
		return l->written;
	/* a file may be a copy of the recording that was written later; of a pipe, `written' says nothing */
	return l->live || latest < l->written ? latest : l->written;
}

void
recording_took(struct lookup *l, const struct lookup_found *found)
{
	if (l->first || l->wall)
		return;
	l->untimed++;
	if (found->changed > l->untimed_changed)
		l->untimed_changed = found->changed;
}

/* ---- where ---------------------------------------------------------------------------------------------------- */

/* Are the bytes that text, without its NUL? */
static bool
is_text(const struct pp_feature_value *v, const char *text)
{
	return v->kind == PP_F_STR && v->len == strlen(text) && !memcmp(v->p, text, v->len);
}

static const char *
recording_name(const struct lookup *l)
{
	return l->t->in_name ? l->t->in_name : "<stdin>";
}

/* It says so behind what was taken for its files. */
static void
learned_late(struct lookup *l, uint64_t taken, const char *what)
{
	struct pp_err e = { .file = recording_name(l) };

	if (!taken)
		return;
	pp_fail(&e, "the recording was %s, and says so behind its maps: %ju files of this host were taken for its own; "
	    "use --no-fs", what, (uintmax_t)taken);
	tool_say(l->t, &e);
	l->t->failed = true;
}

static void
learn_elsewhere(struct lookup *l, const char *what)
{
	if (!l->elsewhere)
		learned_late(l, l->taken + l->taken_kernel, what);
	l->elsewhere = what;
}

/*
 * Features and attrs are over.  Without CLOCK_DATA, the times of a recording that was made under another kernel say nothing here: a
 * file has a time of its own, but what comes from a pipe may be of any time.
 */
static void
learn_begun(struct lookup *l, const struct pp_source *in)
{
	l->begun = true;
	l->no_times = clock_of_events(in->events) == CLOCK_NONE;
	if (l->live && !l->wall && l->other_release && !l->any_change)
		learn_elsewhere(l, "made under another kernel, and does not say when");
}

/* Until there is a record with a time. */
static void
learn_first(struct lookup *l, struct pp_source *in, const struct pp_rec *r)
{
	const struct pp_event *ev = r->type < PP_USER_TYPE_START ? pp_event_find(in->events, r, NULL) : NULL;
	struct pp_err e = { .file = recording_name(l) };
	uint64_t time;

	if (!ev || !pp_time(ev, r, l->swap, &time) || !time)
		return;
	l->first = time;
	when_is(&l->when, clock_of_events(in->events));
	if (!when_can_be(&l->when, time))
		l->when.ref.clock = 0;
	if (l->wall || l->elsewhere || l->any_change)
		return;
	if (l->live && !l->when.ref.clock)
		l->elsewhere = "not made since this host was started";
	if (!l->at_once || !l->untimed || (!l->elsewhere && l->untimed_changed <= recording_latest(l, time)))
		return;
	pp_fail(&e, "the recording was made before files of its maps were changed, and says so behind these maps: "
	    "some build-ids may be wrong; use --mmap2-buildids or --build-ids");
	tool_say(l->t, &e);
	l->t->failed = true;
}

static void
learn_feature(struct lookup *l, const struct pp_rec *r)
{
	struct pp_err ignored = { .what = "" };	/* a damaged feature is ignored */
	struct pp_feature feature;
	struct pp_feature_value v;
	uint64_t wall, clock;

	if (pp_feature_of(&feature, r, l->swap, 0, &ignored) < 0)
		return;
	if (feature.number == PP_FEAT_CLOCK_DATA) {
		if (pp_feature_num(&feature, "wall_clock", &wall, &ignored) > 0 &&
		    pp_feature_num(&feature, "clock", &clock, &ignored) > 0) {
			l->wall = wall;
			l->clock = clock;
		}
	} else if (feature.number != PP_FEAT_ARCH && feature.number != PP_FEAT_OSRELEASE && feature.number != PP_FEAT_HOSTNAME) {
		return;
	} else if (!pp_feature_string(&feature, &v)) {
		return;
	} else if (feature.number == PP_FEAT_ARCH) {
		l->narrow = !memmem(v.p, v.len, "64", 2) && !is_text(&v, "s390x");
		if (!is_text(&v, l->us.machine))
			learn_elsewhere(l, "made on another architecture");
	} else if (feature.number == PP_FEAT_OSRELEASE) {
		if (!is_text(&v, l->us.release) && !l->other_release && !l->elsewhere)
			learned_late(l, l->taken_kernel, "made under another kernel");
		l->other_release = !is_text(&v, l->us.release);
	} else {
		l->named = true;
		if (is_text(&v, l->us.nodename) || l->host)
			return;
		l->host = tool_vis((const char *)v.p, v.len);
		if (!tool_allows(l->t, "other-host") && !l->elsewhere)
			learn_elsewhere(l, "made on another host");
	}
}

/* ---- while it is live ----------------------------------------------------------------------------------------- */

static void
early_namespace(struct lookup *l, const struct pp_rec *r, uint64_t time)
{
	size_t at = PP_RAW_AT(NAMESPACES, dev) + MNT_NAMESPACE * PP_RAW_ENTRY(NAMESPACES, dev);
	struct lookup_for f = { .pid = PP_RAW_GET(r->raw, NAMESPACES, pid, l->swap) };

	if (PP_RAW_GET(r->raw, NAMESPACES, nr_namespaces, l->swap) <= MNT_NAMESPACE)
		return;
	f.start = pp_get_u64(r->raw + at + 8, l->swap);
	question_add(l, EARLY_NAMESPACE, &f, 0, time);
	gone_moved(l, f.pid, f.start);
}

static void
early_fork(struct lookup *l, const struct pp_rec *r, uint64_t time)
{
	struct lookup_for f = { .pid = PP_RAW_GET(r->raw, FORK, pid, l->swap), .start = PP_RAW_GET(r->raw, FORK, ppid, l->swap) };

	if (f.pid == f.start)		/* a thread */
		return;
	question_add(l, EARLY_FORK, &f, 0, time);
	gone_new(l, f.pid);
}

static void
early_map(struct lookup *l, const struct pp_rec *r, uint64_t time)
{
	struct lookup_for f = { .pid = PP_RAW_GET(r->raw, MMAP2, pid, l->swap), .start = PP_RAW_GET(r->raw, MMAP2, start, l->swap) };
	struct pp_dso dso;

	if ((r->misc & PP_MISC_CPUMODE_MASK) != PP_MISC_USER ||
	    pp_file_has_id(r->misc, r->raw + PP_RAW_AT(MMAP2, inode_or_build_id)))
		return;
	pp_dso_get(&dso, r, 0, l->swap);
	f.end = f.start + PP_RAW_GET(r->raw, MMAP2, len, l->swap);
	f.dso = &dso;
	if (!dso.ino || dso.name[0] != '/' || dso.name[1] == '/')
		return;
	question_add(l, EARLY_FILE, &f, 0, recording_latest(l, time));
	l->moment++;			/* its id may be remembered from now on */
}

static int
learn_task(struct lookup *l, struct pp_source *in, const struct pp_rec *r)
{
	const struct pp_event *ev;
	uint64_t time = 0;

	if (r->type != PP_NAMESPACES && r->type != PP_FORK && !l->live)
		return 1;
	if (pp_check(r, l->swap, &l->t->in_err) < 0)
		return pp_reject(in, r);
	ev = pp_event_find(in->events, r, NULL);		/* NULL: it stands in front of all attrs */
	if (!ev || !pp_time(ev, r, l->swap, &time))
		time = 0;
	if (r->type == PP_NAMESPACES)
		early_namespace(l, r, time);
	else if (r->type == PP_FORK)
		early_fork(l, r, time);
	else if (r->type == PP_COMM && r->misc & COMM_EXEC)
		question_add(l, EARLY_EXEC, &(struct lookup_for){ .pid = PP_RAW_GET(r->raw, COMM, pid, l->swap) }, 0, 0);
	else if (r->type == PP_MMAP2)
		early_map(l, r, time);
	return 1;
}

static int
put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct lookup *l = ((struct stage *)o)->l;

	gone_read(l, in);
	if (!l->begun && r->type < PP_USER_TYPE_START && in->events->n)
		learn_begun(l, in);
	if (!l->first && l->begun && !l->no_times)
		learn_first(l, in, r);
	switch (r->type) {
	case PP_HEADER_FEATURE:
		learn_feature(l, r);
		break;
	case PP_MMAP2:
	case PP_COMM:
	case PP_FORK:
	case PP_NAMESPACES:
		if (l->fd >= 0 && !l->elsewhere && learn_task(l, in, r) < 0)
			return -1;
	}
	if (l->nquestions && l->live && !pp_at_hand(in))	/* the next record may come late */
		question_send(l);
	o->idle = (l->first || l->no_times) && (!l->nquestions || !l->live);
	return o->next->put(o->next, in, r, stable);
}

static int
finish(struct out *o)
{
	struct stage *s = (struct stage *)o;
	struct lookup *l = s->l;
	struct out *next = o->next;
	int rc = next->finish(next);

	if (l->refused && l->host && !strcmp(l->elsewhere, "made on another host"))
		tool_warn(l->t, "no build-ids: the recording was made on '%s', not on this host; --allow other-host goes by this one's files",
		    l->host);
	else if (l->refused)
		tool_warn(l->t, "no build-ids: the recording was %s", l->elsewhere);
	if (l->live && l->taken && !l->first && !l->wall && !l->any_change)
		tool_warn(l->t, "the recording has no times, and is taken to be made now");
	if (l->taken + l->taken_kernel && !l->named)
		tool_note(l->t, "the recording does not say on which host it was made, and is taken to be of this one");
	free(s);
	return rc;
}

struct out *
lookup_stage(struct lookup *l, struct out *next)
{
	struct stage *s = tool_alloc(1, sizeof *s);

	*s = (struct stage){ .pub = { .put = put, .finish = finish, .next = next }, .l = l };
	l->swap = l->t->in->swap;
	if (l->swap)
		l->elsewhere = "made on a machine of the other byte order";
	return &s->pub;
}

void
recording_end(struct lookup *l)
{
	free(l->host);
	l->host = NULL;
}
