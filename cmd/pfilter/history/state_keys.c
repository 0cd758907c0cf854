/* SPDX-License-Identifier: ISC */
/*
 * state_keys.c - selection by keys that depend on history; state_keys_file.c: by files.
 *
 * Comparing names is slow, so each comparison is made once: the result is stored with the comm (struct pp_word.mark) or by the
 * index of the file.
 */
#include <stdlib.h>
#include <string.h>

#include "field/event_match.h"
#include "field/field.h"
#include "keys/select.h"
#include "record/raw.h"
#include "record/shape.h"
#include "state_keys_in.h"

void
state_keys_add(struct tool *t, void *keys)
{
	struct state_keys **to = keys, *k = *to ? *to : tool_alloc(1, sizeof *k);
	enum state_key key = (enum state_key)t->optvalue;
	const char *text = t->optarg;

	*to = k;
	switch (key) {
	case KEY_SWITCH_ON:	k->on = text; break;
	case KEY_SWITCH_OFF:	k->off = text; break;
	case KEY_INHERIT:	k->inherit = true; break;
	case KEY_SHOW_ON_OFF:	k->show = true; break;
	case KEY_CONTAINER:	words_add(t, &k->container.list, text); break;
	case KEY_POD:		words_add(t, &k->pod.list, text); break;
	case KEY_NO_CONTAINER:	words_add(t, &k->no_container.list, text); break;
	case KEY_NO_POD:	words_add(t, &k->no_pod.list, text); break;
	default:
		k->list[key].kind = key == KEY_DSO || key == KEY_NO_DSO ? WORDS_FILES :
		    key == KEY_CGROUP || key == KEY_NO_CGROUP ? WORDS_PATHS : WORDS_NAMES;
		words_add(t, &k->list[key], text);
		break;
	}
}

static bool
keys_chosen(void *arg, const struct pp_state *now, uint32_t pid, uint32_t tid, const struct pp_task *task);

/* Exits 2 if the opposites exclude all listed names.  With --inherit, descendants may have other names. */
static void
keys_check_left(const struct tool *t, struct state_keys *k)
{
	static const char *const names[] = { [KEY_COMM] = "comms", [KEY_DSO] = "dsos", [KEY_CGROUP] = "cgroup" };

	for (int i = KEY_COMM; i <= KEY_CGROUP; i++)
		if (words_within(&k->list[i], &k->list[KEY_NO_COMM + i]) && !(i == KEY_COMM && k->inherit))
			tool_wrong(t, "--%s and --exclude-%s: nothing remains selected", names[i], names[i]);
}

static void
keys_check_contained(const struct tool *t, const struct container_key *yes, struct container_key *no)
{
	if (words_within(&yes->list, &no->list))
		tool_wrong(t, "--%s and --%s: nothing remains selected", yes->option, no->option);
}

void
state_keys_ready(struct state_keys *k, const struct tool *t, struct tool_list *pid)
{
	keys_check_left(t, k);
	container_ready(&k->container, t, "container", false);
	container_ready(&k->pod, t, "pod", true);
	container_ready(&k->no_container, t, "exclude-container", false);
	container_ready(&k->no_pod, t, "exclude-pod", true);
	keys_check_contained(t, &k->container, &k->no_container);
	keys_check_contained(t, &k->pod, &k->no_pod);
	if (k->inherit) {
		k->pid = *pid;
		*pid = (struct tool_list){ 0 };
		k->descent.chosen = keys_chosen;
		k->descent.arg = k;
	}
	k->by_task = k->inherit || k->list[KEY_COMM].n || k->list[KEY_NO_COMM].n;
	k->by_file = k->list[KEY_DSO].n || k->list[KEY_NO_DSO].n;
	k->by_cgroup = k->list[KEY_CGROUP].n || k->list[KEY_NO_CGROUP].n || k->container.list.n || k->pod.list.n ||
	    k->no_container.list.n || k->no_pod.list.n;
	k->t = t;
	k->discarding = k->on;
	k->now = k->since = k->cgroup_era = 1;
}

bool
state_keys_select(const struct state_keys *k)
{
	return k && (k->by_task || k->by_file || k->by_cgroup);
}

bool
state_keys_kin(struct state_keys *k, struct words **names, const struct tool_list **pids)
{
	*names = &k->list[KEY_COMM];
	*pids = k->inherit ? &k->pid : NULL;
	return k->inherit || (*names)->n;
}

bool
state_keys_by_task(const struct state_keys *k)
{
	return k && k->by_task;
}

bool
state_keys_by_cgroup(const struct state_keys *k)
{
	return k && k->by_cgroup;
}

void
state_keys_tasks_elsewhere(struct state_keys *k)
{
	k->elsewhere = true;
}

bool
state_keys_all_samples(const struct state_keys *k, const struct pp_events *e)
{
	if (!k || !k->inherit)
		return false;
	for (unsigned i = 0; i < e->n; i++)
		if (!e->ev[i]->plan.t_time)
			return true;
	return false;
}

bool
state_keys_switches(const struct state_keys *k)
{
	return k && (k->on || k->off);
}

void
state_keys_free(struct state_keys *k)
{
	if (!k)
		return;
	for (int i = 0; i < STATE_KEYS; i++) {
		words_free(&k->list[i]);
		near_free(&k->near[i]);
	}
	container_free(&k->container);
	container_free(&k->pod);
	container_free(&k->no_container);
	container_free(&k->no_pod);
	tool_list_free(&k->pid);
	descent_free(&k->descent);
	free(k->file);
	free(k);
}

/* ---- events ---------------------------------------------------------------------------------------- */

/* Exits 2 if no event records the field of a key. */
static void
keys_check_recorded(const struct tool *t, const struct pp_events *e, const char *options, uint64_t bit, const char *hint)
{
	unsigned i = 0;

	while (i < e->n && !(e->ev[i]->attr.sample_type & bit))
		i++;
	if (e->n && i == e->n)
		tool_wrong(t, "%s: no event was recorded with %s", options, hint);
}

bool
state_keys_found(const struct state_keys *k, const struct pp_events *e)
{
	return (!k->on || select_has_event(e, k->on)) && (!k->off || select_has_event(e, k->off));
}

void
state_keys_bind(struct state_keys *k, const struct tool *t, const struct pp_source *in)
{
	const struct pp_events *e = in->events;

	k->swap = in->swap;
	if (k->on)
		k->on_event = event_find(t, t->in->events, k->on, "--switch-on");
	if (k->off)
		k->off_event = event_find(t, t->in->events, k->off, "--switch-off");
	if (k->by_task)
		keys_check_recorded(t, e, k->inherit ? "--inherit" : "--comms", PP_SAMPLE_TID, "PERF_SAMPLE_TID");
	if (t->piece.n && state_keys_all_samples(k, e))
		tool_wrong(t, "--%s: with --inherit the recording needs sample_id_all, as descents without times depend on all samples",
		    t->jobs.slot ? "jobs" : "piece");
	if (k->by_file)
		keys_check_recorded(t, e, "--dsos", PP_SAMPLE_IP, "PERF_SAMPLE_IP");
	if (k->by_cgroup)
		keys_check_recorded(t, e, k->container.list.n ? "--container" : k->pod.list.n ? "--pod" : k->no_container.list.n ?
		    "--exclude-container" : k->no_pod.list.n ? "--exclude-pod" : "--cgroup", PP_SAMPLE_CGROUP,
		    "PERF_SAMPLE_CGROUP (perf record --all-cgroups)");
}

/* --switch-off alone discards all later samples.  (perf discards only one sample then, in contradiction to its manual.) */
bool
state_keys_switched(struct state_keys *k, const struct pp_event *ev)
{
	if (k->discarding) {
		if (!k->on || ev->index != k->on_event)
			return false;
		k->discarding = false;
		return k->show;
	}
	if (k->off && ev->index == k->off_event) {
		k->discarding = true;
		return k->show;
	}
	return true;
}

/* ---- names ------------------------------------------------------------------------------------------- */

void
keys_note(struct state_keys *k, enum state_key key, uint8_t mark, const char *name)
{
	k->found[key] |= mark & LISTED;
	if (k->list[key].n && !k->found[key])
		near_note(&k->near[key], &k->list[key], name);
}

uint8_t
keys_compared(struct state_keys *k, enum state_key yes, enum state_key no, const char *text)
{
	return (uint8_t)(KNOWN | (words_have(&k->list[yes], text) ? LISTED : 0) | (words_have(&k->list[no], text) ? EXCLUDED : 0));
}

/* Compare the name of a thread; a thread without one is named by its number, as in perf. */
static uint8_t
keys_comm_mark(struct state_keys *k, const struct pp_state *now, uint32_t tid, const struct pp_task *t)
{
	struct pp_word *comm = t ? pp_task_comm(now, t) : NULL;
	char number[FIELD_NAMELESS];

	if (comm) {
		if (!comm->mark) {
			comm->mark = keys_compared(k, KEY_COMM, KEY_NO_COMM, pp_word_text(comm));
			keys_note(k, KEY_COMM, comm->mark, pp_word_text(comm));
		}
		return comm->mark;
	}
	return keys_compared(k, KEY_COMM, KEY_NO_COMM, field_nameless(tid, number));
}

/* struct descent.chosen: do --pid and --comms select the task itself? */
static bool
keys_chosen(void *arg, const struct pp_state *now, uint32_t pid, uint32_t tid, const struct pp_task *task)
{
	struct state_keys *k = arg;

	return (!k->pid.n || tool_list_has(&k->pid, (int32_t)pid)) &&
	    (!k->list[KEY_COMM].n || keys_comm_mark(k, now, tid, task) & LISTED);
}

/* Verdicts that were made before now and may change: of all tasks, or of the threads of a process (--inherit: descent.h). */
static void
keys_outdate(struct state_keys *k, bool all, uint32_t pid)
{
	if (!++k->now) {
		memset(k->cache, 0, sizeof k->cache);
		memset(k->born, 0, sizeof k->born);
		k->now = k->since = 1;
	}
	*(all ? &k->since : &k->born[task_slot(pid)]) = k->now;
}

/* There was a record of the task, or it may be forgotten from now on. */
static void
keys_outdate_task(struct state_keys *k, uint32_t tid)
{
	k->cache[task_slot(tid)].made = 0;
	/* Threads without a FORK inherit from their process, whose tid its pid is. */
	if (k->inherit)
		keys_outdate(k, false, tid);
}

static int
keys_outdate_ended(void *arg, struct pp_task *t)
{
	if (t->ended)
		keys_outdate_task(arg, t->tid);
	return 1;
}

void
state_keys_comes(struct state_keys *k, const struct pp_state *state, const struct pp_event *ev, const struct pp_rec *r)
{
	uint64_t time;

	if (k->descent.n && pp_time(ev, r, k->swap, &time))
		descent_begin(&k->descent, state);
}

int
state_keys_feed(struct state_keys *k, const struct pp_state *state, const struct pp_rec *r)
{
	const struct pp_process *p;
	uint32_t tid;

	if (r->type == PP_CGROUP && !++k->cgroup_era) {
		memset(k->cgroup, 0, sizeof k->cgroup);
		k->cgroup_era = 1;
	}
	if (!task_of_record(r, k->swap, &tid))
		return 1;
	keys_outdate_task(k, tid);
	if ((p = keys_exec(state, r, k->swap)))
		pp_state_each_task(state, p, keys_outdate_ended, k);
	if (!k->inherit || r->type != PP_FORK)
		return 1;
	if (descent_fork(&k->descent, state, r, k->swap) < 0)
		return -1;
	if (k->descent.n)		/* all may depend on a descent that is not determined */
		keys_outdate(k, true, tid);
	return 1;
}

static int
keys_judge_task(struct state_keys *k, const struct pp_state *now, uint32_t pid, uint32_t tid, const struct pp_task *task)
{
	uint8_t mark;

	if (k->inherit && !keys_chosen(k, now, pid, tid, task) && !descends(&k->descent, now, pid, tid))
		return k->pid.n ? NOT_PID : NOT_COMM;
	mark = keys_comm_mark(k, now, tid, task);
	return mark & EXCLUDED || (!k->inherit && k->list[KEY_COMM].n && !(mark & LISTED)) ? NOT_COMM : KEPT;
}

/*
 * Does a verdict on the task hold until there is a record of a task that it depends on?  One that has ended is forgotten when others
 * end, so what is said of it must not depend on when it was asked for.
 */
static bool
keys_holds(const struct state_keys *k, const struct pp_state *now, uint32_t pid, uint32_t tid, const struct pp_task *task)
{
	const struct pp_task *source;

	if (task && task->ended)
		return false;
	return !k->inherit || !(source = descent_source(now, pid, tid)) || !source->ended;
}

int
state_keys_match_task(struct state_keys *k, const struct pp_state *state, uint32_t pid, uint32_t tid)
{
	const struct pp_task *task;
	struct task_verdict *v;
	int why;

	if (!k->by_task)
		return KEPT;
	if ((v = keys_cached(k, pid, tid)))
		return v->why;
	task = pp_state_task(state, tid);
	why = keys_judge_task(k, state, pid, tid, task);
	if (keys_holds(k, state, pid, tid, task))
		k->cache[task_slot(tid)] = (struct task_verdict){ k->now, pid, tid, why };
	return why;
}

static int
keys_match_task(struct state_keys *k, const struct pp_state *state, const struct pp_event *ev, const struct pp_rec *r)
{
	uint32_t pid, tid;

	if (r->type != PP_SAMPLE && !select_asks_task(r->type))
		return LACKS_FIELD;
	if (!pp_pid_tid(ev, r, k->swap, &pid, &tid))
		return r->type == PP_SAMPLE ? NOT_COMM : LACKS_FIELD;
	return state_keys_match_task(k, state, pid, tid);
}

/* ---- cgroups ------------------------------------------------------------------------------------------- */

static bool
keys_contained(struct state_keys *k, struct container_key *c, enum state_key key, const char *path)
{
	bool has = c->list.n && container_has(c, k->t, path, &k->near[key]);

	k->found[key] |= has;
	return has;
}

/* Compare the path of a cgroup, unless that was done since the last CGROUP record. */
static uint8_t
keys_cgroup_mark(struct state_keys *k, const struct pp_state *state, uint64_t id)
{
	struct cgroup_verdict *v = &k->cgroup[id % CGROUP_SLOTS];
	const char *path;

	if (v->era == k->cgroup_era && v->id == id)
		return v->mark;
	*v = (struct cgroup_verdict){ .id = id, .era = k->cgroup_era };
	if ((path = pp_state_cgroup(state, id))) {
		v->mark = keys_compared(k, KEY_CGROUP, KEY_NO_CGROUP, path);
		keys_note(k, KEY_CGROUP, v->mark, path);
		v->mark |= keys_contained(k, &k->container, KEY_CONTAINER, path) ? IN_CONTAINER : 0;
		v->mark |= keys_contained(k, &k->pod, KEY_POD, path) ? IN_POD : 0;
		v->mark |= k->no_container.list.n && container_has(&k->no_container, k->t, path, NULL) ? OUT_CONTAINER : 0;
		v->mark |= k->no_pod.list.n && container_has(&k->no_pod, k->t, path, NULL) ? OUT_POD : 0;
	}
	return v->mark;
}

int
keys_by_cgroup_mark(const struct state_keys *k, uint8_t mark)
{
	if (mark & EXCLUDED || (k->list[KEY_CGROUP].n && !(mark & LISTED)))
		return NOT_CGROUP;
	if (mark & OUT_CONTAINER || (k->container.list.n && !(mark & IN_CONTAINER)))
		return NOT_CONTAINER;
	return mark & OUT_POD || (k->pod.list.n && !(mark & IN_POD)) ? NOT_POD : KEPT;
}

int
state_keys_match_cgroup(struct state_keys *k, const struct pp_state *state, uint64_t id, bool own)
{
	uint8_t mark = keys_cgroup_mark(k, state, id);

	k->pathless += own && !mark;
	return keys_by_cgroup_mark(k, mark);
}

int
keys_cgroup_of(const struct state_keys *k, const struct pp_event *ev, const struct pp_rec *r, uint64_t *id, struct pp_err *err)
{
	struct pp_part part;

	if (pp_sample_part(&part, PP_SAMPLE_CGROUP, ev, r, k->swap, err) != 1)
		return -1;
	*id = pp_get_u64(part.p, k->swap);
	return 1;
}

static int
keys_match_cgroup(struct state_keys *k, const struct pp_state *state, const struct pp_event *ev, const struct pp_rec *r,
    struct pp_err *err)
{
	uint64_t id;

	if (r->type != PP_SAMPLE)
		return LACKS_FIELD;
	if (!(ev->attr.sample_type & PP_SAMPLE_CGROUP))
		return NOT_CGROUP;
	return keys_cgroup_of(k, ev, r, &id, err) < 0 ? -1 : state_keys_match_cgroup(k, state, id, true);
}

uint64_t
state_keys_pathless(const struct state_keys *k)
{
	return k ? k->pathless : 0;
}

int
state_keys_match(struct state_keys *k, const struct pp_state *state, const struct pp_event *ev, const struct pp_rec *r,
    struct pp_err *err)
{
	bool elsewhere = k->elsewhere && r->type == PP_SAMPLE;
	int why = KEPT, lacking = KEPT;

	if (k->by_task && !elsewhere)
		why = keys_match_task(k, state, ev, r);
	if (why == LACKS_FIELD) {
		lacking = why;
		why = KEPT;
	}
	if (why == KEPT && k->by_file)
		why = keys_match_file(k, state, ev, r, err);
	if (why == LACKS_FIELD) {
		lacking = why;
		why = KEPT;
	}
	if (why == KEPT && k->by_cgroup && !elsewhere)
		why = keys_match_cgroup(k, state, ev, r, err);
	return why == KEPT ? lacking : why;
}

/* ---- when nothing matched ------------------------------------------------------------------------------ */

enum { COMM_MAX = 15, SHOWN = 5 };	/* TASK_COMM_LEN without its NUL */

static const struct words *
keys_words(const struct state_keys *k, enum state_key key)
{
	return key == KEY_CONTAINER ? &k->container.list : key == KEY_POD ? &k->pod.list : &k->list[key];
}

/* A word that no name can be: what it should be. */
static bool
keys_why_never(const struct state_keys *k, enum state_key key, char *text, size_t size)
{
	const struct words *w = keys_words(k, key);
	const char *few = key == KEY_CONTAINER ? container_short(&k->container) : NULL;
	char letters[64];

	for (size_t i = 0; key == KEY_COMM && i < w->n; i++) {
		words_letters(w, i, letters, sizeof letters);
		if (strlen(letters) > COMM_MAX) {
			snprintf(text, size, "; comm has %d characters at most: try '%.*s'", COMM_MAX, COMM_MAX, letters);
			return true;
		}
	}
	if (few)
		snprintf(text, size, "; if '%s' begins an id, give at least %d digits of it", few, CONTAINER_SHORT);
	return few;
}

void
state_keys_why(const struct state_keys *k, enum reason reason, char *text, size_t size)
{
	static const struct { enum state_key key; const char *option, *what; } of[] = {
		[NOT_COMM] = { KEY_COMM, "comms", "a thread named" }, [NOT_DSO] = { KEY_DSO, "dsos", "in" },
		[NOT_CGROUP] = { KEY_CGROUP, "cgroup", "of cgroup" }, [NOT_CONTAINER] = { KEY_CONTAINER, "container", "in container" },
		[NOT_POD] = { KEY_POD, "pod", "in pod" },
	};
	enum state_key key = of[reason].key;
	const struct words *w = keys_words(k, key);
	const struct words *no = key == KEY_CONTAINER ? &k->no_container.list : &k->no_pod.list;

	if ((key <= KEY_CGROUP || no->n) && (!w->n || k->found[key])) {
		snprintf(text, size, "--exclude-%s drops all of them", of[reason].option);
		return;
	}
	snprintf(text, size, "none is %s%s ", reason == NOT_COMM ? "of " : "", of[reason].what);
	for (size_t i = 0; i < w->n && i < SHOWN; i++)
		snprintf(text + strlen(text), size - strlen(text), "%s%.80s", i ? " or " : "", w->v[i]);
	if (w->n > SHOWN)
		snprintf(text + strlen(text), size - strlen(text), " ...");
	if (!keys_why_never(k, key, text + strlen(text), size - strlen(text)))
		near_text(&k->near[key], text + strlen(text), size - strlen(text));
}
