/* SPDX-License-Identifier: ISC */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "event_match.h"
#include "tool/near.h"

enum { TYPE_TRACEPOINT = 2 };
enum { EXCLUDE_USER = 1 << 4, EXCLUDE_KERNEL = 1 << 5, EXCLUDE_HOST = 1 << 19, EXCLUDE_GUEST = 1 << 20 };

static const char letters[] = "ukhpPGHSDIWebRX";	/* perf's modifiers */

/* Offset of the modifiers with their colon, as in "name:u", "pmu/terms/u"; the end of the text if there are none. */
static size_t
modifiers_at(const char *s)
{
	size_t end = strlen(s), at = end;

	while (at && strchr(letters, s[at - 1]))
		at--;
	if (at == end || !at || (s[at - 1] != ':' && s[at - 1] != '/'))
		return end;
	return s[at - 1] == ':' && at > 1 ? at - 1 : at;
}

/* Does the term only affect recording, not which event it is? */
static bool
is_manner(const char *term, size_t n)
{
	static const char *const words[] = {
		"name", "period", "freq", "branch_type", "time", "call-graph", "stack-size", "max-stack", "nr", "inherit", "no-inherit",
		"overwrite", "no-overwrite", "percore", "aux-output", "aux-action", "aux-sample-size", "metric-id", "cpu",
		"alt-period", "ratio-to-prev",
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (n >= strlen(words[i]) && !strncmp(term, words[i], strlen(words[i])) &&
		    (n == strlen(words[i]) || term[strlen(words[i])] == '='))
			return true;
	return false;
}

struct forms {
	char	*whole;		/* as written */
	char	*bare;		/* without modifiers */
	char	*base;		/* also without terms that only affect recording */
	char	*plain;		/* the PMU and its named event only, "cpu/mem-loads/"; NULL: none */
	char	*event;		/* the named event only, "mem-loads"; NULL */
	char	*given;		/* by name=; NULL */
};

static char *
copy(const char *s, size_t n)
{
	char *p = tool_alloc(n + 1, 1);

	memcpy(p, s, n);
	return p;
}

/* Parse the terms between the slashes of `bare', the first at `slash'. */
static void
take_terms(struct forms *f, const char *slash)
{
	size_t pmu = (size_t)(slash - f->bare) + 1, to = pmu;
	const char *p = slash + 1, *end = f->bare + strlen(f->bare) - 1;

	for (size_t n; p < end; p += n + 1) {
		n = strcspn(p, ",");
		if (p + n > end)
			n = (size_t)(end - p);
		if (n > 5 && !strncmp(p, "name=", 5) && !f->given)
			f->given = copy(p + 5, n - 5);
		if (is_manner(p, n))
			continue;
		if (to == pmu && n && !memchr(p, '=', n)) {
			f->event = copy(p, n);
			f->plain = tool_alloc(pmu + n + 2, 1);
			memcpy(f->plain, f->bare, pmu);
			memcpy(f->plain + pmu, p, n);
			f->plain[pmu + n] = '/';
		}
		if (to > pmu)
			f->base[to++] = ',';
		memcpy(f->base + to, p, n);
		to += n;
	}
	if (to > pmu)
		f->base[to++] = '/';
	f->base[to > pmu ? to : pmu - 1] = 0;
}

static void
take_apart(struct forms *f, const char *s, bool tracepoint)
{
	size_t n = modifiers_at(s), full = strlen(s);
	const char *slash;

	/* In "sched:sched_switch" the colon is part of the name. */
	if (tracepoint && memchr(s, ':', full) == s + n)
		n = full;
	*f = (struct forms){ .whole = copy(s, full), .bare = copy(s, n), .base = copy(s, n) };
	slash = strchr(f->bare, '/');
	if (slash && n > (size_t)(slash - f->bare) + 1 && f->bare[n - 1] == '/')
		take_terms(f, slash);
}

static void
forms_free(struct forms *f)
{
	free(f->whole);
	free(f->bare);
	free(f->base);
	free(f->plain);
	free(f->event);
	free(f->given);
}

struct wanted {
	const char *text;		/* NULL: nothing matches */
	bool	 glob;
};

static bool
fits(const struct wanted *w, const char *name)
{
	return w->text && (w->glob ? !fnmatch(w->text, name, 0) : !strcmp(w->text, name));
}

static bool
any(const struct forms *f, const struct wanted *w)
{
	const char *const all[] = { f->whole, f->bare, f->base, f->plain, f->event };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i] && fits(w, all[i]))
			return true;
	return false;
}

static bool
names(const char *text, const struct pp_event *ev, bool glob)
{
	struct forms f;
	bool yes;

	take_apart(&f, ev->name, ev->attr.type == TYPE_TRACEPOINT);
	yes = any(&f, &(struct wanted){ text, glob });
	forms_free(&f);
	return yes;
}

/* Do the modifiers that restrict what is counted apply to the event? */
static bool
agrees(const char *modifiers, const struct pp_event *ev)
{
	bool u = strchr(modifiers, 'u'), k = strchr(modifiers, 'k'), h = strchr(modifiers, 'h');
	bool guest = strchr(modifiers, 'G'), host = strchr(modifiers, 'H');
	uint64_t flags = ev->attr.flags;

	if ((u || k || h) && (u == !!(flags & EXCLUDE_USER) || k == !!(flags & EXCLUDE_KERNEL)))
		return false;
	return !(guest || host) || (guest != !!(flags & EXCLUDE_GUEST) && host != !!(flags & EXCLUDE_HOST));
}

/* The name of a tracepoint without its system and modifiers, which the caller frees; NULL: it is another event, or has no system. */
static char *
short_name(const struct pp_event *ev)
{
	struct forms f;
	const char *colon;
	char *name = NULL;

	if (ev->attr.type != TYPE_TRACEPOINT)
		return NULL;
	take_apart(&f, ev->name, true);
	if ((colon = strchr(f.bare, ':')) && colon[1])
		name = copy(colon + 1, strlen(colon + 1));
	forms_free(&f);
	return name;
}

static bool
names_shortly(const char *text, const struct pp_event *ev, bool glob)
{
	char *name = short_name(ev);
	bool yes = name && fits(&(struct wanted){ text, glob }, name);

	free(name);
	return yes;
}

bool
event_matches(const char *text, const struct pp_event *ev, bool glob, bool loose)
{
	struct forms f;
	bool yes = names(text, ev, glob);

	if (yes || !loose)
		return yes;
	if (names_shortly(text, ev, glob))
		return true;
	take_apart(&f, text, false);
	yes = agrees(text + strlen(f.bare), ev) && (names(f.given, ev, glob) || names(f.base, ev, glob) || names(f.plain, ev, glob) ||
	    names_shortly(f.base, ev, glob));
	forms_free(&f);
	return yes;
}

bool
event_match_loosely(const char *text, const struct pp_events *e, bool glob)
{
	for (unsigned i = 0; i < e->n; i++)
		if (names(text, e->ev[i], glob))
			return false;
	return true;
}

/* Are the names the same but for modifiers? */
static bool
same_event(const struct pp_event *a, const struct pp_event *b)
{
	struct forms x, y;
	bool same;

	take_apart(&x, a->name, a->attr.type == TYPE_TRACEPOINT);
	take_apart(&y, b->name, b->attr.type == TYPE_TRACEPOINT);
	same = !strcmp(x.bare, y.bare);
	forms_free(&x);
	forms_free(&y);
	return same;
}

bool
event_is_ambiguous(const char *text, const struct pp_events *e, bool glob, const char **one, const char **other)
{
	const struct pp_event *first = NULL;

	if ((glob && strpbrk(text, "*?[")) || strchr(text, '/') || !event_match_loosely(text, e, glob))
		return false;
	for (unsigned i = 0; i < e->n; i++) {
		if (!event_matches(text, e->ev[i], glob, true) || e->ev[i]->attr.type != TYPE_TRACEPOINT)
			continue;
		if (!first)
			first = e->ev[i];
		if (same_event(first, e->ev[i]))
			continue;
		*one = first->name;
		*other = e->ev[i]->name;
		return true;
	}
	return false;
}

void
event_hint(const char *text, const struct pp_events *e, char *to, size_t size)
{
	char *v[] = { (char *)(uintptr_t)text };
	struct words wanted = { .v = v, .n = 1 };
	struct near near = { .n = 0 };

	for (unsigned i = 0; i < e->n && !strchr(text, ':'); i++) {
		char *name = short_name(e->ev[i]);

		if (name)
			near_note(&near, &wanted, name);
		free(name);
	}
	if (!near_is_similar(&near)) {
		near_free(&near);
		for (unsigned i = 0; i < e->n; i++)
			near_note(&near, &wanted, e->ev[i]->name);
	}
	near_text(&near, to, size);
	near_free(&near);
}

bool
event_is_named(const char *text, const struct pp_events *e, const struct pp_event *ev)
{
	return event_matches(text, ev, true, event_match_loosely(text, e, true));
}

unsigned
event_first(const struct pp_events *e, const char *text)
{
	bool loose = event_match_loosely(text, e, true);
	unsigned k = 0;

	while (k < e->n && !event_matches(text, e->ev[k], true, loose))
		k++;
	return k;
}

unsigned
event_find(const struct tool *t, const struct pp_events *e, const char *text, const char *option)
{
	const char *one, *other;
	char hint[512];
	unsigned k = event_first(e, text);

	if (event_is_ambiguous(text, e, true, &one, &other))
		tool_wrong(t, "%s '%s': is ambiguous: %.80s, %.80s", option, text, one, other);
	if (k < e->n)
		return k;
	event_hint(text, e, hint, sizeof hint);
	tool_wrong(t, "%s '%s': no such event%s", option, text, hint);
}
