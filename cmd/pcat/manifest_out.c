/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "join/manifest.h"
#include "manifest_out.h"
#include "set.h"

struct manifest_out {
	struct tool	*t;
	struct atomic	 file;
	struct pp_err	 err;			/* of the manifest */
	char		*base;			/* its directory, resolved; "" if that is / */
	char		*dir, *below;		/* of the parts: as the user wrote it, and relative to the manifest */
	struct manifest_part *part;
	size_t		 n;
};

/* The directory of a path, resolved, without a slash at its end; the caller frees it.  It exits 1 if there is none. */
static char *
out_resolve(const struct tool *t, const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	char *dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("."), *real = dir ? realpath(dir, NULL) : NULL;
	struct pp_err err = { .file = dir };

	if (!real) {
		pp_fail_system(&err, NULL);
		tool_say(t, &err);
		exit(1);
	}
	free(dir);
	if (!strcmp(real, "/"))
		*real = 0;
	return real;
}

/* The directory of a path relative to that of the manifest, "" or with a slash at its end; the caller frees it. */
static char *
out_below(const struct manifest_out *m, const char *path)
{
	char *real = out_resolve(m->t, path), *below;
	size_t n = strlen(m->base);

	if (strncmp(real, m->base, n) || (real[n] && real[n] != '/')) {
		free(real);
		tool_wrong(m->t, "%s: is not below the directory of the manifest, %s/", path, m->base);
	}
	if (asprintf(&below, "%s%s", real[n] ? real + n + 1 : "", real[n] ? "/" : "") < 0)
		tool_no_memory();
	free(real);
	return below;
}

static struct manifest_out *
out_new(struct tool *t, const char *path)
{
	struct manifest_out *m = tool_alloc(1, sizeof *m);

	m->t = t;
	m->base = out_resolve(t, path && strcmp(path, "-") ? path : NULL);
	return m;
}

/* A part of that name is next; NULL: a part cannot have it. */
static struct manifest_part *
out_part(struct manifest_out *m, const char *below, const char *base, const char *path)
{
	struct manifest_part *p;
	char *name = NULL;

	m->part = tool_need(array_more(m->part, m->n, 1, sizeof *m->part));
	p = &m->part[m->n];
	*p = (struct manifest_part){ .path = tool_need(strdup(path)) };
	if (asprintf(&name, "%s%s", below, base) < 0)
		tool_no_memory();
	if (m->n == MANIFEST_PARTS_MAX || !manifest_is_name(name)) {
		free(name);
		free(p->path);
		return NULL;
	}
	p->name = name;
	m->n++;
	return p;
}

static void
out_free_part(struct manifest_part *p)
{
	pid_block_free(p->block);
	free((char *)(uintptr_t)p->name);
	free((char *)(uintptr_t)p->host);
	free(p->path);
}

static void
out_time(FILE *f, const struct manifest_part *p, uint64_t ns)
{
	if (p->last)
		fprintf(f, "\t%" PRIu64, ns);
	else
		fputs("\t-", f);
}

static void
out_line(FILE *f, const struct manifest_part *p)
{
	char *host = p->host ? tool_vis(p->host, strlen(p->host)) : NULL;

	fprintf(f, "%s\t%" PRIu64 "\t%s\t%" PRIu64 "\t%" PRIu64, p->name, p->bytes, p->sha256, p->records, p->samples);
	out_time(f, p, p->first);
	out_time(f, p, p->last);
	fprintf(f, "\t%s", host && *host ? host : "-");
	free(host);
	if (p->pid_base)
		fprintf(f, "\t%" PRIu32 "\t%" PRIu32 "\n", p->pid_base, p->pids);
	else
		fputs("\t-\t-\n", f);
}

static void
out_write(struct manifest_out *m)
{
	FILE *f = tool_stream(m->file.fd, &m->err);

	if (!f)
		return;
	errno = 0;
	fputs(MANIFEST_HEAD, f);
	for (size_t i = 0; i < m->n; i++)
		out_line(f, &m->part[i]);
	tool_stream_close(f, &m->err);
}

void
manifest_out_free(struct manifest_out *m)
{
	for (size_t i = 0; m && i < m->n; i++)
		out_free_part(&m->part[i]);
	if (!m)
		return;
	free(m->part);
	free(m->base);
	free(m->dir);
	free(m->below);
	free(m);
}

/* ---- --switch-output ------------------------------------------------------------------------------- */

struct manifest_out *
manifest_out_new(struct tool *t, const char *path, const char *dir)
{
	struct manifest_out *m = out_new(t, path);

	m->dir = tool_need(strdup(dir));
	m->below = out_below(m, dir);
	tool_create(t, &m->file, path, &m->err);
	return m;
}

int
manifest_out_add(struct manifest_out *m, const char *path, struct pp_err *err)
{
	struct manifest_part *p = out_part(m, m->below, path + strlen(m->dir), path);

	if (!p)
		return pp_fail(err, "cannot be in the manifest: its name has control characters, or there are too many parts");
	return manifest_measure(m->t, p, false, err);
}

void
manifest_out_forget(struct manifest_out *m, const char *path)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->part[i].path, path)) {
			out_free_part(&m->part[i]);
			memmove(&m->part[i], &m->part[i + 1], (--m->n - i) * sizeof *m->part);
			return;
		}
}

void
manifest_out_finish(struct manifest_out *m)
{
	if (m)
		out_write(m);
}

/* ---- --make-manifest ------------------------------------------------------------------------------- */

/* Gives each part pids of its own. */
static void
make_pids(struct manifest_out *m)
{
	uint64_t next = 1;

	for (size_t i = 0; i < m->n; i++) {
		struct manifest_part *p = &m->part[i];

		p->pid_base = (uint32_t)next;
		next += p->pids;
		if (next > (uint64_t)INT32_MAX + 1) {
			tool_abandon(m->t);
			tool_wrong(m->t, "%s: there are not enough pids for so many parts", p->path);
		}
	}
}

static int
make_by_name(const void *a, const void *b)
{
	return strcmp((*(struct manifest_part *const *)a)->name, (*(struct manifest_part *const *)b)->name);
}

static int
make_by_host(const void *a, const void *b)
{
	const struct manifest_part *x = *(struct manifest_part *const *)a, *y = *(struct manifest_part *const *)b;
	int order = strcmp(x->host ? x->host : "", y->host ? y->host : "");

	return order ? order : x < y ? -1 : x > y;
}

/* Two parts of one host have pids in common, which are the same tasks.  It frees p. */
static void
make_check_hosts(const struct manifest_out *m, struct manifest_part **p)
{
	qsort(p, m->n, sizeof *p, make_by_host);
	for (size_t i = 1; i < m->n; i++)
		if (!strcmp(p[i]->host ? p[i]->host : "", p[i - 1]->host ? p[i - 1]->host : "")) {
			const struct manifest_part *a = p[i], *b = p[i - 1];

			free(p);
			tool_abandon(m->t);
			tool_wrong(m->t, "--pids: %s is of %s%s, as is %s: merge them first (psort --merge), or name the hosts "
			    "(pinject --set-feature HOSTNAME=NAME)", a->path, a->host ? "host " : "an unknown host",
			    a->host ? a->host : "", b->path);
		}
	free(p);
}

/* The list of the parts that are named. */
static struct manifest_out *
make_list(struct tool *t)
{
	struct manifest_out *m = out_new(t, t->out_name);
	struct manifest_part **p = tool_alloc((size_t)t->nnames, sizeof *p);

	for (int i = 0; i < t->nnames; i++) {
		const char *slash = strrchr(t->names[i], '/');
		char *below = out_below(m, t->names[i]);

		p[i] = out_part(m, below, slash ? slash + 1 : t->names[i], t->names[i]);
		free(below);
		if (!p[i]) {
			free(p);
			tool_wrong(t, "%s: cannot be in a manifest: its name is %s", t->names[i], i == MANIFEST_PARTS_MAX ?
			    "one too many" : "-, . or .., or has control characters");
		}
	}
	for (size_t i = 0; i < m->n; i++)
		p[i] = &m->part[i];
	qsort(p, m->n, sizeof *p, make_by_name);
	for (size_t i = 1; i < m->n; i++)
		if (!strcmp(p[i]->name, p[i - 1]->name)) {
			const char *twice = p[i]->path;

			free(p);
			tool_wrong(t, "%s: is named twice", twice);
		}
	free(p);
	return m;
}

int
manifest_make(struct tool *t, const struct options *o)
{
	struct manifest_out *m = make_list(t);
	struct manifest_part **by_host;
	size_t done = 0;
	int status;

	for (size_t i = 0; i < m->n; i++)
		tool_allow(t, m->part[i].path, "r");
	tool_refuse_names(t, t->out_name, t->names, t->nnames);
	tool_create(t, &m->file, t->out_name, &m->err);
	tool_lock(t);
	while (done < m->n && manifest_measure(t, &m->part[done], o->pids, &t->in_err) > 0) {
		pid_block_free(m->part[done].block);
		m->part[done++].block = NULL;
	}
	t->partial = done < m->n;
	if (t->partial)
		t->in_err.file = t->names[done];	/* which stays */
	while (m->n > done)
		out_free_part(&m->part[--m->n]);
	if (o->pids && m->n) {
		by_host = tool_alloc(m->n, sizeof(struct manifest_part *));
		for (size_t i = 0; i < m->n; i++)
			by_host[i] = &m->part[i];
		make_check_hosts(m, by_host);
		make_pids(m);
	}
	out_write(m);
	status = tool_close(t);
	manifest_out_free(m);
	return status;
}
