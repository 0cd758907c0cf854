/* SPDX-License-Identifier: ISC */
/* feature.c - --header: the lines of a header feature */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include "in.h"
#include "record/feature.h"
#include "set.h"

struct lines {				/* of one feature */
	struct views	*v;
	struct pp_feature f;
	FILE		*out;		/* the line that is being made */
	char		*text;
	size_t		 len;
	uint64_t	 num[3];	/* values that are needed later */
	bool		 any;
	struct pp_attr	 attr;		/* EVENT_DESC */
	uint64_t	 ids;
	struct pp_feature_value name;
};

/* End the line, if one was begun. */
static void
lines_end(struct lines *l)
{
	struct header *h = &l->v->header;

	if (!l->out)
		return;
	tool_text_end(l->out, &l->text);
	l->out = NULL;
	h->line = tool_need(array_more(h->line, h->nlines, 1, sizeof *h->line));
	h->line[h->nlines++] = (struct header_line){ l->f.number, l->text, l->len };
	l->text = NULL;
}

/* Continue the line, or begin one. */
static void say(struct lines *, const char *, ...) __attribute__((format(printf, 2, 3)));

static void
say(struct lines *l, const char *fmt, ...)
{
	va_list ap;

	if (!l->out)
		l->out = tool_text(&l->text, &l->len);
	va_start(ap, fmt);
	vfprintf(l->out, fmt, ap);
	va_end(ap);
}

void
header_say(struct views *v, uint64_t feature, const char *fmt, ...)
{
	struct lines l = { .v = v, .f.number = feature };
	va_list ap;

	l.out = tool_text(&l.text, &l.len);
	va_start(ap, fmt);
	vfprintf(l.out, fmt, ap);
	va_end(ap);
	lines_end(&l);
}

static void
say_text(struct lines *l, const struct pp_feature_value *v)
{
	say(l, "%s", "");
	fwrite(v->p, 1, strnlen((const char *)v->p, v->len), l->out);
}

static bool
is(const struct pp_feature_value *v, const char *name)
{
	return !strcmp(v->name, name);
}

static void
say_group(struct lines *l, const struct pp_feature_value *name, uint64_t leader, uint64_t members)
{
	const struct pp_events *all = l->v->tool->in->events;

	if (members < 2 || leader >= all->n)
		return;
	say(l, "group: ");
	if (!(name->len >= 12 && !memcmp(name->p, "{anon_group}", 12)))
		say_text(l, name);
	for (uint64_t i = 0; i < members && leader + i < all->n; i++)
		say(l, "%s%s", i ? "," : "{", pp_event_name(all->ev[leader + i]));
	say(l, "}");
	lines_end(l);
}

static void
say_clock(struct lines *l)
{
	static const char *const names[] = { [0] = "realtime", [1] = "monotonic", [4] = "monotonic_raw", [7] = "boottime", [11] = "tai" };
	uint64_t id = l->num[0], wall = l->num[1], clock = l->num[2];
	const char *name = id < sizeof names / sizeof *names && names[id] ? names[id] : "(not found)";
	time_t at = (time_t)(wall / 1000000000);
	char text[64] = "";
	struct tm tm;

	say(l, "clockid: %s (%" PRIu64 ")", name, id);
	lines_end(l);
	if (localtime_r(&at, &tm))
		strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
	say(l, "reference time: %s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64 " (TOD) = %" PRIu64 ".%09" PRIu64 " (%s)", text,
	    wall / 1000 % 1000000, wall / 1000000000, wall / 1000 % 1000000, clock / 1000000000, clock % 1000000000, name);
	lines_end(l);
}

static void
say_SAMPLE_TIME(struct lines *l, const struct pp_feature_value *v)
{
	const struct header *h = &l->v->header;

	l->num[is(v, "last")] = v->num;
	if (!is(v, "last"))
		return;
	if (!l->num[0] && !l->num[1] && h->last) {
		l->num[0] = h->first;
		l->num[1] = h->last;
	}
	for (int i = 0; i < 2; i++) {
		say(l, "time of %s sample : %" PRIu64 ".%06" PRIu64, i ? "last" : "first", l->num[i] / 1000000000, l->num[i] / 1000 % 1000000);
		lines_end(l);
	}
	say(l, "sample duration : %10.3f ms", (double)(int64_t)(l->num[1] - l->num[0]) / 1e6);
}

/* An event of EVENT_DESC: attr, number of ids, name, ids. */
static void
say_EVENT_DESC(struct lines *l, const struct pp_feature_value *v)
{
	if (v->kind == PP_F_ATTR)
		pp_attr_get(&l->attr, v->p, v->len, v->swap);
	else if (is(v, "nr_ids"))
		l->ids = v->num;
	else if (is(v, "name")) {
		say(l, "event : name = ");
		say_text(l, v);
		say(l, ", ");
	} else if (is(v, "id"))
		say(l, "%s %" PRIu64, v->index ? "," : ", id = {", v->num);
	else
		return;
	if (is(v, "id") ? v->index + 1 == l->ids : is(v, "name") && !l->ids) {
		if (l->ids)
			say(l, " }");
		if (l->out)
			attr_fields(l->out, &l->attr, " = ");
		lines_end(l);
	}
}

/* `name=value', separated by commas, of CPU_PMU_CAPS and of each PMU of PMU_CAPS. */
static void
say_cap(struct lines *l, const struct pp_feature_value *v)
{
	if (is(v, "name")) {
		say(l, "%s", v->index ? ", " : ": ");
		say_text(l, v);
	} else {
		say(l, "=");
		say_text(l, v);
	}
}

static void
say_CMDLINE(struct lines *l, const struct pp_feature_value *v)
{
	if (v->kind != PP_F_STR)
		return;
	say(l, "%s", v->index ? "" : "cmdline : ");
	for (size_t i = 0; i < v->len && v->p[i] && l->out; i++)
		fprintf(l->out, v->p[i] == '\'' ? "\\'" : "%c", v->p[i]);
	say(l, " ");
}

static void
say_NRCPUS(struct lines *l, const struct pp_feature_value *v)
{
	l->num[is(v, "online")] = v->num;
	if (!is(v, "online"))
		return;
	say(l, "nrcpus online : %" PRIu64, l->num[1]);
	lines_end(l);
	say(l, "nrcpus avail : %" PRIu64, l->num[0]);
}

static void
say_PMU_MAPPINGS(struct lines *l, const struct pp_feature_value *v)
{
	if (is(v, "type"))
		l->num[0] = v->num;
	else if (is(v, "name")) {
		say(l, "%s", v->index ? ", " : "pmu mappings: ");
		say_text(l, v);
		say(l, " = %" PRIu64, l->num[0]);
	}
}

static void
say_GROUP_DESC(struct lines *l, const struct pp_feature_value *v)
{
	if (is(v, "name"))
		l->name = *v;
	else if (is(v, "leader"))
		l->num[0] = v->num;
	else if (is(v, "members"))
		say_group(l, &l->name, l->num[0], v->num);
}

static void
say_CPU_PMU_CAPS(struct lines *l, const struct pp_feature_value *v)
{
	if (is(v, "name") && !v->index)
		say(l, "cpu pmu capabilities");
	if (is(v, "nr") && !v->num)
		say(l, "cpu pmu capabilities: not available");
	else if (v->kind == PP_F_STR)
		say_cap(l, v);
}

/* The name of the PMU comes last. */
static void
say_PMU_CAPS(struct lines *l, const struct pp_feature_value *v)
{
	char *caps;
	size_t n;

	if (v->kind != PP_F_STR)
		return;
	if (!is(v, "pmu")) {
		say_cap(l, v);
		return;
	}
	if (l->out && fclose(l->out) == 0) {
		caps = l->text;
		n = l->len;
		l->out = NULL;
		l->text = NULL;
		say_text(l, v);
		say(l, " pmu capabilities");
		if (l->out)
			fwrite(caps, 1, n, l->out);
		free(caps);
	} else {
		say_text(l, v);
		say(l, " pmu capabilities: not available");
	}
	lines_end(l);
}

static void
say_CLOCK_DATA(struct lines *l, const struct pp_feature_value *v)
{
	if (is(v, "clockid"))
		l->num[0] = v->num;
	else if (is(v, "wall_clock"))
		l->num[1] = v->num;
	else if (is(v, "clock")) {
		l->num[2] = v->num;
		say_clock(l);
	}
}

static void
say_HYBRID_TOPOLOGY(struct lines *l, const struct pp_feature_value *v)
{
	if (is(v, "nr")) {
		say(l, "hybrid cpu system:");
		lines_end(l);
	} else if (is(v, "pmu")) {
		say_text(l, v);
		say(l, " cpu list : ");
	} else if (is(v, "cpus")) {
		say_text(l, v);
		lines_end(l);
	}
}

static void
say_BPF_PROG_INFO(struct lines *l, const struct pp_feature_value *v)
{
	if (v->kind != PP_F_INFO || v->len < 8)
		return;
	say(l, "bpf_prog_info of id %" PRIu32, pp_get_u32(v->p + 4, v->swap));
	lines_end(l);
	l->any = true;
}

static void
say_BPF_BTF(struct lines *l, const struct pp_feature_value *v)
{
	if (!is(v, "id"))
		return;
	say(l, "btf info of id %" PRIu64, v->num);
	lines_end(l);
	l->any = true;
}

static void
say_E_MACHINE(struct lines *l, const struct pp_feature_value *v)
{
	if (is(v, "e_flags")) {
		lines_end(l);
		say(l, "  e_flags : %" PRIu64, v->num);
	} else
		say(l, "e_machine : %" PRIu64, v->num);
}

static void
say_CLOCKID(struct lines *l, const struct pp_feature_value *v)
{
	say(l, "clockid frequency: %" PRIu64 " MHz", v->num * 1000);
}

static void
say_CLN_SIZE(struct lines *l, const struct pp_feature_value *v)
{
	say(l, "cacheline size: %" PRIu64, v->num);
}

/* What perf says in other words than those of the row, by the column `shown' of feature.def. */
static void (*const words[PP_FEAT_END])(struct lines *, const struct pp_feature_value *) = {
#define WORDS_SAME(NAME) NULL
#define WORDS_LONG(NAME) NULL
#define WORDS_OTHER(NAME) say_##NAME
#define FEAT(number, NAME, where, holds, shown, of, fields) [number] = WORDS_##shown(NAME),
#include "record/feature.def"
#undef FEAT
};

static int
header_value(void *arg, const struct pp_feature_value *v)
{
	struct lines *l = arg;

	words[l->f.number](l, v);
	return 1;
}

/* pp_feature_out */
static int
header_text(void *arg, const char *p, size_t n)
{
	struct lines *l = arg;

	if (!p)
		lines_end(l);
	else {
		say(l, "%s", "");
		if (l->out)
			fwrite(p, 1, n, l->out);
	}
	return 1;
}

void
header_feature(struct views *v, uint64_t number, const uint8_t *p, size_t len)
{
	struct lines l = { .v = v, .f = { number, p, len, (uint32_t)v->c->facts.nrcpus_available, v->tool->in->swap } };
	struct pp_err err = { .file = v->tool->in_err.file };
	const char *name = pp_feature_name(number);

	if (!name)
		say(&l, "unknown feature %" PRIu64, number);
	else if (pp_feature_shown(number) == PP_SHOWN_LONG)
		say(&l, "%s info available, use -I to display", name);
	else if (words[number])
		pp_feature_walk(&l.f, header_value, &l, &err);
	else
		pp_feature_text(&l.f, header_text, &l, &err);
	lines_end(&l);
	if (!l.any && (number == PP_FEAT_BPF_PROG_INFO || number == PP_FEAT_BPF_BTF))
		say(&l, "%s empty", number == PP_FEAT_BPF_BTF ? "btf info" : "bpf_prog_info");
	lines_end(&l);
	if (number < 64)
		v->header.have |= UINT64_C(1) << number;
}
