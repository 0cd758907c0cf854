/* SPDX-License-Identifier: ISC */
/* header.c - see header.h */
#include <errno.h>
#include <stdlib.h>

#include "header.h"
#include "record/feature.h"

enum { PAYLOAD_MAX = PP_RECORD_MAX - PP_FEATURE_HEAD };

/* ---- --set-feature ------------------------------------------------------------------------------------- */

/* Read the payload from the file. */
static void
header_read(const struct tool *t, struct header_value *v, const char *arg, const char *path)
{
	FILE *f = fopen(path, "re");

	v->p = tool_alloc(PAYLOAD_MAX + 1, 1);
	if (!f || ((v->n = fread(v->p, 1, PAYLOAD_MAX + 1, f)) < PAYLOAD_MAX && ferror(f)))
		tool_wrong(t, "%s: %s: %s", t->optname, path, strerror(errno));
	fclose(f);
	if (!v->n)
		tool_wrong(t, "%s %s: the file is empty, expected the payload of the feature", t->optname, arg);
	if (v->n > PAYLOAD_MAX)
		tool_wrong(t, "%s %s: expected at most %d bytes, which is what a record holds", t->optname, arg, PAYLOAD_MAX);
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
header_option_set(const struct tool *t, struct header *h, const char *arg)
{
	size_t len = strcspn(arg, "=");
	char *name = tool_alloc(len + 1, 1);
	struct header_value v = { .number = 0 };
	struct pp_err err = { 0 };
	uint8_t *buf;
	size_t n;
	int64_t number;

	memcpy(name, arg, len);
	if (!arg[len] || !len)
		tool_wrong(t, "%s '%s': expected NAME=VALUE or NAME=@FILE", t->optname, arg);
	if ((number = pp_feature_number(name)) < 0)
		tool_wrong(t, "%s '%s': not a header feature", t->optname, name);
	v.number = (uint64_t)number;
	header_refuse(t, v.number, name);
	if (arg[len + 1] == '@') {
		header_read(t, &v, name, arg + len + 2);
		header_check(t, &v, name);
	} else {
		v.text = arg + len + 1;
		if (!pp_feature_has_text(v.number))
			tool_wrong(t, "%s %s: has no form as text, expected @FILE with its payload", t->optname, name);
		buf = tool_alloc(PAYLOAD_MAX, 1);
		if (pp_feature_parse(v.number, v.text, false, buf, PAYLOAD_MAX, &n, &err) < 0)
			tool_wrong(t, "%s %s: %s", t->optname, name, err.what);
		v.p = buf;
		v.n = n;
		header_check(t, &v, name);
		free(buf);
		v.p = NULL;
	}
	h->set = tool_realloc(h->set, h->nset + 1, sizeof *h->set);
	h->set[h->nset++] = v;
	free(name);
}

static void
header_set(struct header *h, struct tool *t, const struct header_value *v)
{
	struct pp_err err = { 0 };
	uint8_t *buf;
	size_t n;

	if (!v->text) {
		edit_set(h->edit, v->number, v->p, v->n);
		return;
	}
	buf = tool_alloc(PAYLOAD_MAX, 1);
	/* it was parsed before, in the other byte order perhaps */
	if (pp_feature_parse(v->number, v->text, t->in->swap, buf, PAYLOAD_MAX, &n, &err) > 0)
		edit_set(h->edit, v->number, buf, n);
	free(buf);
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
	if (h->drops)
		next = features_new(t, &h->drop, t->in, next, &t->in_err);
	return next;
}
