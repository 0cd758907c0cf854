/* SPDX-License-Identifier: ISC */
/* header.c - see header.h */
#include <errno.h>
#include <stdlib.h>

#include "header.h"
#include "perf_text.h"
#include "record/feature.h"
#include "set.h"

enum { PAYLOAD_MAX = PP_RECORD_MAX - PP_FEATURE_HEAD };

/* ---- --set-feature ------------------------------------------------------------------------------------- */

static uint8_t scratch[PAYLOAD_MAX + 1];	/* a payload in work */

/* Read the payload from the file into scratch. */
static size_t
header_read(const struct tool *t, const char *name, const char *path)
{
	FILE *f = fopen(path, "re");
	size_t n = 0;

	if (!f || ((n = fread(scratch, 1, sizeof scratch, f)) < sizeof scratch && ferror(f)))
		tool_wrong(t, "%s: %s: %s", t->optname, path, strerror(errno));
	fclose(f);
	if (!n)
		tool_wrong(t, "%s %s: the file is empty, expected the bytes of the feature", t->optname, name);
	if (n > PAYLOAD_MAX)
		tool_wrong(t, "%s %s: expected at most %d bytes, which is what a record holds", t->optname, name, PAYLOAD_MAX);
	return n;
}

/* Can it be the payload in one of the byte orders?  That of the stream is not known yet. */
static void
header_check(const struct tool *t, const struct header_value *v, const char *arg)
{
	struct pp_err err[2] = { 0 };

	if (v->number == PP_FEAT_E_MACHINE && v->n < 8)		/* perf 7.2 fails at it */
		tool_wrong(t, "%s %s: expected e_flags behind the machine, such as 62,0x0", t->optname, arg);
	for (int swap = 0; swap < 2; swap++) {
		struct pp_feature f = { .number = v->number, .p = v->p, .len = v->n, .swap = swap };
		struct pp_feature_about about = { .nr_cpus = 0 };

		/* what depends on the number of CPUs is checked when that is known */
		if (v->number == PP_FEAT_CPU_TOPOLOGY || v->number == PP_FEAT_CPU_DOMAIN_INFO ||
		    pp_feature_check(&f, &about, &err[swap]) > 0)
			return;
	}
	tool_wrong(t, "%s %s: %s", t->optname, arg, err[0].what);
}

/* The text of the feature, of perf's form or ours, as a payload in scratch.  1; 0: it needs the events of the recording; -1 */
static int
header_parse(uint64_t number, const char *text, bool swap, size_t *n, struct pp_err *err)
{
	bool marked;
	char *lines = perf_text_lines(number, text, &marked);
	int rc = perf_text_is_groups(number, lines) ? 0 : 1;

	*n = 0;
	if (rc > 0 && !(rc = perf_text_parse(number, lines, marked, swap, scratch, PAYLOAD_MAX, n, err)))
		rc = pp_feature_parse(number, lines, swap, scratch, PAYLOAD_MAX, n, err);
	free(lines);
	return rc;
}

/* perf prints the lists of a CPU_TOPOLOGY without looking at them: are they lists of CPUs? */
static void
header_check_cpus(const struct tool *t, const struct header_value *v, const char *arg)
{
	struct pp_feature f = { .number = v->number, .p = v->p, .len = v->n };
	struct pp_feature_io io;
	struct pp_feature_value s;
	struct pp_err ignored = { 0 };

	if (!v->text || v->number != PP_FEAT_CPU_TOPOLOGY)
		return;
	pp_feature_open(&io, &f, &ignored);
	while (pp_feature_next(&io, &s) > 0)
		if (s.kind == PP_F_STR)
			for (size_t i = 0; i < s.len; i++)
				if (!strchr("0123456789,-", s.p[i]))
					tool_wrong(t, "%s %s: '%.*s': expected numbers of CPUs such as 0-3,8", t->optname, arg,
					    (int)(s.len < 40 ? s.len : 40), (const char *)s.p);
}

/* Is it a feature that a record of the output can have? */
static void
header_refuse(const struct tool *t, uint64_t number, const char *name)
{
	if (number == PP_FEAT_COMPRESSED)
		tool_wrong(t, "%s %s: the records of the output are not compressed", t->optname, name);
	if (number >= FEATURES_MAX)
		tool_wrong(t, "%s %s: expected a number below %d", t->optname, name, FEATURES_MAX);
	if (!(pp_feature_where(number) & PP_FEATURE_PIPE))
		tool_wrong(t, "%s %s: has no place in a stream, only in a perf.data", t->optname, name);
}

void
header_option_set(struct tool *t, void *header)
{
	struct header *h = header;
	const char *arg = t->optarg;
	size_t len = strcspn(arg, "=");
	char name[64];
	struct header_value v = { .p = scratch };
	struct pp_err err = { 0 };
	int64_t number;
	int rc = 1;

	if (!arg[len] || !len)
		tool_wrong(t, "%s '%s': expected NAME=VALUE or NAME=@FILE", t->optname, arg);
	snprintf(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : sizeof name), arg);
	if ((number = pp_feature_number(name)) < 0)
		tool_wrong(t, "%s '%s': not a header feature", t->optname, name);
	v.number = (uint64_t)number;
	header_refuse(t, v.number, name);
	if (arg[len + 1] == '@') {
		v.n = header_read(t, name, arg + len + 2);
	} else {
		v.text = arg + len + 1;
		if (!pp_feature_has_text(v.number))
			tool_wrong(t, "%s %s: has no form as text, expected @FILE with its bytes", t->optname, name);
		if ((rc = header_parse(v.number, v.text, false, &v.n, &err)) < 0)
			tool_wrong(t, "%s %s: %s", t->optname, name, err.what);
	}
	if (rc > 0) {
		header_check(t, &v, name);
		header_check_cpus(t, &v, name);
	}
	v.p = v.text ? NULL : memcpy(tool_alloc(v.n, 1), scratch, v.n);
	h->set = tool_need(array_more(h->set, h->nset, 1, sizeof *h->set));
	h->set[h->nset++] = v;
}

static void
header_set(struct header *h, struct tool *t, const struct header_value *v)
{
	struct pp_err err = { 0 };
	size_t n;
	int rc = 1;

	/* the text was parsed before, in the other byte order perhaps */
	if (!v->text)
		edit_set(h->edit, v->number, v->p, v->n);
	else if ((rc = header_parse(v->number, v->text, t->in->swap, &n, &err)) > 0)
		edit_set(h->edit, v->number, scratch, n);
	else if (!rc)
		edit_set_groups(h->edit, v->text);
}

/* ---- --add-cmdline ------------------------------------------------------------------------------------- */

/* Behind a | come the words, so that what recorded is not taken for what we did. */
void
header_command(const struct tool *t, struct header *h, int argc, char **argv)
{
	static char bar[] = "|";
	size_t n = argc > 1 ? (size_t)argc : 1;

	h->ncommand = n + 1;
	h->command = tool_alloc(h->ncommand, sizeof *h->command);
	h->command[0] = bar;
	h->command[1] = (char *)(uintptr_t)t->name;
	memcpy(h->command + 2, argv + 1, (n - 1) * sizeof *argv);
}

/* ---- all ----------------------------------------------------------------------------------------------- */

void
header_open(struct header *h, struct tool *t)
{
	if (h->from_name)
		from_open(h, t);
	if (h->clock_now && tool_twice(t))
		tool_wrong(t, "--clock-data=now: the recording is a file, and not being made now");
	if (h->clock_now)
		uname(&h->us);
}

void
header_begin(struct header *h, struct tool *t)
{
	h->edit = edit_new(t, t->in->swap);
	for (size_t i = 0; i < h->nset; i++) {
		header_set(h, t, &h->set[i]);
		free(h->set[i].p);
	}
	free(h->set);
	if (h->from)
		from_begin(h, t);
	if (h->add_cmdline)
		edit_append_cmdline(h->edit, h->command, h->ncommand);
}

struct out *
header_stages(struct header *h, struct tool *t, struct out *next)
{
	if (h->kallsyms.given)
		next = kallsyms_stage(h, t, next);
	if (edit_any(h->edit) || h->clock)
		next = edit_stage(h->edit, next);
	else
		edit_free(h->edit);
	if (h->clock)
		next = clock_stage(h, t, next);
	if (h->drop.listed)
		next = features_new(t, &h->drop, t->in, next, &t->in_err);
	return next;
}

void
header_free(struct header *h)
{
	free(h->command);
}
