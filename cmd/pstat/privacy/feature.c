/* SPDX-License-Identifier: ISC */
/* feature.c - header features, by what they hold (feature.def) */
#include <string.h>

#include "in.h"
#include "record/feature.h"
#include "record/raw.h"

_Static_assert(PP_HOLDS_END == 13, "a kind of content that is not looked for");

struct walk {
	struct privacy	*p;
	const struct pp_rec *r;
	uint64_t	 number;
};

static bool
begins(const char *s, size_t len, const char *with)
{
	return len >= strlen(with) && !memcmp(s, with, strlen(with));
}

bool
privacy_event_given(const char *s, size_t len)
{
	static const char *const made[] = {
		"probe", "sdt_", "uprobes:", "kprobes:", "synthetic:", "user_events", "/", "./", "../",
	};
	bool given = memmem(s, len, "/name=", 6) || memmem(s, len, ",name=", 6);

	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		given |= begins(s, len, made[i]);
	return given && !memmem(s, len, "name=event-", 11);
}

void
privacy_event_name(struct privacy *p, const struct pp_rec *r, const char *s, size_t len)
{
	if (privacy_event_given(s, len))
		privacy_text(p, ROW_EVENTS, r, s, len);
}

/* The version with more than its number: "6.1.0-13-acme". */
static bool
is_full_version(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((s[i] < '0' || s[i] > '9') && s[i] != '.')
			return true;
	return false;
}

static void
string(struct walk *w, const char *s, size_t len)
{
	const char *user;
	size_t n;

	switch (pp_feature_holds(w->number)) {
	case PP_HOLDS_HOST:
		if (len && !privacy_is_word(s, len, "host-"))
			privacy_text(w->p, ROW_HOST, w->r, s, len);
		break;
	case PP_HOLDS_VERSION:
		if (is_full_version(s, len))
			privacy_text(w->p, ROW_VERSIONS, w->r, s, len);
		break;
	case PP_HOLDS_COMMAND:
		if (!len || privacy_is_word(s, len, "arg-"))
			break;
		privacy_text(w->p, ROW_COMMAND, w->r, s, len);
		if ((n = privacy_user(s, len, &user)))
			privacy_text(w->p, ROW_USERS, w->r, user, n);
		break;
	case PP_HOLDS_EVENTS:
		privacy_event_name(w->p, w->r, s, len);
		break;
	default:
		break;
	}
}

/* Is the size as pfilter rounds it, to three binary digits? */
static bool
is_rounded(uint64_t n)
{
	unsigned drop = n > 7 ? 61 - (unsigned)__builtin_clzll(n) : 0;

	return n >> drop << drop == n;
}

static int
visit(void *arg, const struct pp_feature_value *v)
{
	struct walk *w = arg;

	if (v->kind == PP_F_STR)
		string(w, (const char *)v->p, v->len);
	else if ((!strcmp(v->name, "total_kb") || !strcmp(v->name, "free_kb")) && v->num && !is_rounded(v->num))
		privacy_value(w->p, ROW_MEMORY, w->r, v->num, v->len);
	else if (!strcmp(v->name, "wall_clock") && v->num)
		privacy_value(w->p, ROW_WALL_TIME, w->r, v->num, v->len);
	return 1;
}

void
privacy_feature(struct privacy *p, const struct pp_rec *r)
{
	struct walk w = { .p = p, .r = r };
	struct pp_err err = { .what = "" };
	struct pp_feature f;
	uint64_t n;

	if (pp_feature_is_end(r) || pp_feature_of(&f, r, p->in->swap, p->nr_cpus, &err) < 0)
		return;
	w.number = f.number;
	if (f.number == PP_FEAT_NRCPUS && pp_feature_num(&f, "available", &n, &err) > 0)
		p->nr_cpus = (uint32_t)n;
	if (!pp_feature_name(f.number)) {
		privacy_value(p, ROW_UNKNOWN, r, f.number << 32, f.len);
		return;
	}
	switch (pp_feature_holds(f.number)) {
	case PP_HOLDS_PHYSICAL:
		privacy_value(p, ROW_MEMORY, r, f.number, f.len);
		break;
	case PP_HOLDS_PROGRAMS:
	case PP_HOLDS_TYPES:
		if (pp_feature_num(&f, "nr", &n, &err) > 0 && n)
			privacy_value(p, ROW_BPF, r, f.number, f.len);
		break;
	case PP_HOLDS_HARDWARE:
		privacy_value(p, ROW_HARDWARE, r, f.number, f.len);
		break;
	default:
		break;
	}
	pp_feature_walk(&f, visit, &w, &err);
}
