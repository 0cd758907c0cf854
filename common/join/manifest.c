/* SPDX-License-Identifier: ISC */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "manifest.h"
#include "set.h"

struct manifest {
	struct tool	*t;
	const char	*name;
	char		*text;
	size_t		 size, dir;		/* bytes of the text; of the name of the directory, with its slash */
	struct manifest_part *part;		/* all of them, then: those that are read */
	size_t		 n, read, missing;
	struct pid_block **blocks;		/* of those that are read; NULL: pids are kept */
	void		*scratch;		/* of the check in work */
};

/* Say what is wrong with the manifest, in that line (0: none), and exit 1. */
static _Noreturn void __attribute__((format(printf, 3, 4)))
manifest_bad(const struct manifest *m, size_t line, const char *fmt, ...)
{
	struct pp_err err = { .file = m->name };
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (line)
		pp_fail(&err, "line %zu: %s", line, text);
	else
		pp_fail(&err, "%s", text);
	tool_say(m->t, &err);
	exit(1);
}

/* ---- the text -------------------------------------------------------------------------------------- */

static void
manifest_load(struct manifest *m)
{
	int fd = open(m->name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t cap = 0;
	ssize_t n = 0;

	if (fd < 0)
		manifest_bad(m, 0, "%s", strerror(errno));
	do {
		m->size += (size_t)n;
		if (m->size > MANIFEST_SIZE_MAX)
			manifest_bad(m, 0, "larger than %d MiB: is not a manifest", MANIFEST_SIZE_MAX >> 20);
		m->text = tool_need(buffer_more(m->text, &cap, m->size, 2));
	} while ((n = read(fd, m->text + m->size, cap - m->size - 1)) > 0 || (n < 0 && errno == EINTR && (n = 0, true)));
	if (n < 0)
		manifest_bad(m, 0, "%s", strerror(errno));
	close(fd);
	m->text[m->size] = 0;
}

/* A field as a number.  `none' is the value of "-"; without it, -1. */
static uint64_t
manifest_number(const struct manifest *m, size_t line, const char *column, const char *text, uint64_t max, int64_t none)
{
	uint64_t n = 0;

	if (none >= 0 && !strcmp(text, "-"))
		return (uint64_t)none;
	for (const char *p = text; *p || p == text; p++)
		if (*p < '0' || *p > '9' || n > (max - (uint64_t)(*p - '0')) / 10)
			manifest_bad(m, line, "%s '%.40s': expected a number up to %ju", column, text, (uintmax_t)max);
		else
			n = 10 * n + (uint64_t)(*p - '0');
	return n;
}

bool
manifest_is_name(const char *name)
{
	for (const char *p = name;;) {
		size_t n = strcspn(p, "/");

		if (!n || (n <= 2 && !memcmp(p, "..", n)))
			return false;
		for (size_t i = 0; i < n; i++)
			if ((unsigned char)p[i] < ' ' || p[i] == 127)
				return false;
		if (!p[n])
			return strcmp(name, "-") != 0;
		p += n + 1;
	}
}

static void
manifest_check_sha(const struct manifest *m, size_t line, const char *text)
{
	if (strlen(text) != MANIFEST_SHA || strspn(text, "0123456789abcdef") != MANIFEST_SHA)
		manifest_bad(m, line, "sha256 '%.70s': expected 64 hexadecimal digits", text);
}

enum column { NAME, BYTES, SHA256, RECORDS, SAMPLES, FIRST, LAST, HOST, PID_BASE, PIDS, COLUMNS };

static void
manifest_line(const struct manifest *m, size_t line, char *text, struct manifest_part *p)
{
	char *f[COLUMNS];
	int n = 0;

	for (char *s; (s = strsep(&text, "\t")); n++) {
		if (n == COLUMNS)
			manifest_bad(m, line, "more than %d fields", COLUMNS);
		f[n] = s;
		for (; *s; s++)
			if ((unsigned char)*s < ' ' || *s == 127)
				manifest_bad(m, line, "has a control character");
	}
	if (n < COLUMNS)
		manifest_bad(m, line, "%d of %d fields", n, COLUMNS);
	if (!manifest_is_name(f[NAME]))
		manifest_bad(m, line, "name '%.80s': expected a path below the directory of the manifest", f[NAME]);
	if (m->dir + strlen(f[NAME]) >= PATH_MAX)
		manifest_bad(m, line, "name: longer than a path can be");
	manifest_check_sha(m, line, f[SHA256]);
	p->name = f[NAME];
	strcpy(p->sha256, f[SHA256]);
	p->bytes = manifest_number(m, line, "bytes", f[BYTES], INT64_MAX, -1);
	p->records = manifest_number(m, line, "records", f[RECORDS], INT64_MAX, -1);
	p->samples = manifest_number(m, line, "samples", f[SAMPLES], INT64_MAX, -1);
	p->first = manifest_number(m, line, "first_ns", f[FIRST], UINT64_MAX, 0);
	p->last = manifest_number(m, line, "last_ns", f[LAST], UINT64_MAX, 0);
	p->host = strcmp(f[HOST], "-") ? f[HOST] : NULL;
	p->pid_base = (uint32_t)manifest_number(m, line, "pid_base", f[PID_BASE], INT32_MAX, 0);
	p->pids = (uint32_t)manifest_number(m, line, "pids", f[PIDS], PID_BLOCK_MAX, 0);
	if (p->first > p->last || p->samples > p->records)
		manifest_bad(m, line, "contradicts itself: %s", p->first > p->last ? "last_ns is before first_ns" : "more samples than records");
	if ((uint64_t)p->pid_base + p->pids > (uint64_t)INT32_MAX + 1)
		manifest_bad(m, line, "pids beyond %d", INT32_MAX);
}

static void
manifest_parse(struct manifest *m)
{
	static const char head[] = MANIFEST_HEAD;
	char *p = m->text, *end = p + m->size, *eol;
	size_t lines = 0;

	if (memchr(p, 0, m->size))
		manifest_bad(m, 0, "has a NUL: is not a manifest");
	if (strncmp(p, head, sizeof head - 1))
		manifest_bad(m, 0, "is not a manifest: its first line is not name, bytes, sha256 ...");
	if (end[-1] != '\n')
		manifest_bad(m, 0, "is cut short: its last line has no end");
	p += sizeof head - 1;
	for (const char *s = p; (s = strchr(s, '\n')); s++)
		lines++;
	if (!lines)
		manifest_bad(m, 0, "lists no part");
	if (lines > MANIFEST_PARTS_MAX)
		manifest_bad(m, 0, "%zu parts, more than %d", lines, MANIFEST_PARTS_MAX);
	m->part = tool_alloc(lines, sizeof *m->part);
	for (; p < end; p = eol + 1, m->n++) {
		eol = strchr(p, '\n');
		*eol = 0;
		manifest_line(m, m->n + 2, p, &m->part[m->n]);
		if (!m->part[m->n].pid_base != !m->part->pid_base)
			manifest_bad(m, m->n + 2, "all parts must have a pid_base, or none");
	}
}

/* ---- the parts as a whole -------------------------------------------------------------------------- */

static int
manifest_by_name(const void *a, const void *b)
{
	return strcmp((*(struct manifest_part *const *)a)->name, (*(struct manifest_part *const *)b)->name);
}

static int
manifest_by_base(const void *a, const void *b)
{
	const struct manifest_part *x = *(struct manifest_part *const *)a, *y = *(struct manifest_part *const *)b;

	return x->pid_base != y->pid_base ? (x->pid_base < y->pid_base ? -1 : 1) : x->pids < y->pids ? -1 : x->pids > y->pids;
}

/* No part is listed twice, and none has pids of another. */
static void
manifest_check_all(struct manifest *m)
{
	struct manifest_part **p = m->scratch = tool_alloc(m->n, sizeof *p);

	for (size_t i = 0; i < m->n; i++)
		p[i] = &m->part[i];
	qsort(p, m->n, sizeof *p, manifest_by_name);
	for (size_t i = 1; i < m->n; i++)
		if (!strcmp(p[i]->name, p[i - 1]->name))
			manifest_bad(m, 0, "lists '%.150s' twice", p[i]->name);
	qsort(p, m->n, sizeof *p, manifest_by_base);
	for (size_t i = 1; i < m->n; i++)
		if (p[i]->pid_base && p[i]->pid_base - p[i - 1]->pid_base < p[i - 1]->pids)
			manifest_bad(m, 0, "the pids of '%.80s' and '%.80s' overlap", p[i - 1]->name, p[i]->name);
	free(p);
}

/* ---- which of them are read ------------------------------------------------------------------------ */

struct operand {
	dev_t		 dev;
	ino_t		 ino;
	const char	*name;
	bool		 listed;
};

static int
manifest_by_file(const void *a, const void *b)
{
	const struct operand *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* Those named by the user, by file; NULL: none. */
static struct operand *
manifest_operands(const struct manifest *m)
{
	const struct tool *t = m->t;
	struct operand *o = t->nnames ? tool_alloc((size_t)t->nnames, sizeof *o) : NULL;

	for (int i = 0; i < t->nnames; i++) {
		struct stat st;

		if (stat(t->names[i], &st) < 0)
			st = (struct stat){ .st_ino = 0 };
		o[i] = (struct operand){ .dev = st.st_dev, .ino = st.st_ino, .name = t->names[i] };
	}
	if (o)
		qsort(o, (size_t)t->nnames, sizeof *o, manifest_by_file);
	return o;
}

/* Is the part there, and among the operands?  What is there under its name but cannot be it exits 1. */
static bool
manifest_is_there(const struct manifest *m, const struct manifest_part *p, struct operand *o)
{
	struct operand key, *hit;
	struct stat st;

	if (stat(p->path, &st) < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			manifest_bad(m, 0, "part %.80s: %s", p->name, strerror(errno));
		return false;
	}
	if (!S_ISREG(st.st_mode))
		manifest_bad(m, 0, "part %.80s is not a regular file", p->name);
	if ((uint64_t)st.st_size != p->bytes)
		manifest_bad(m, 0, "part %.80s has changed: %ju bytes, not %ju", p->name, (uintmax_t)st.st_size, (uintmax_t)p->bytes);
	if (!o)
		return true;
	key = (struct operand){ .dev = st.st_dev, .ino = st.st_ino };
	if (!(hit = bsearch(&key, o, (size_t)m->t->nnames, sizeof *o, manifest_by_file)))
		return false;
	hit->listed = true;
	return true;
}

/* Say which are missing: exit 1, or go on if so many may be. */
static void
manifest_check_missing(struct manifest *m, const char *first)
{
	const struct tool *t = m->t;
	char more[40] = " is";

	if (!m->missing)
		return;
	if (m->missing > 1)
		snprintf(more, sizeof more, " and %zu more are", m->missing - 1);
	if (m->missing > t->allow_missing)
		manifest_bad(m, 0, "%zu of %zu parts: %.100s%s missing", m->n - m->missing, m->n, first, more);
	if (m->missing == m->n)
		manifest_bad(m, 0, "all parts are missing");
	tool_warn(t, "%s: %zu of %zu parts: %s%s missing, which --allow-missing permits", m->name, m->n - m->missing, m->n, first, more);
}

/* All parts that are there. */
static void
manifest_choose(struct manifest *m)
{
	struct operand *o = m->scratch = manifest_operands(m);
	const char *first = NULL;
	size_t to = 0;

	for (size_t i = 0; i < m->n; i++)
		if (manifest_is_there(m, &m->part[i], o))
			m->part[to++] = m->part[i];
		else {
			first = first ? first : m->part[i].name;
			free(m->part[i].path);
		}
	m->read = to;
	m->missing = m->n - to;
	manifest_check_missing(m, first);
	for (int i = 0; o && i < m->t->nnames; i++)
		if (!o[i].ino ? !m->missing : !o[i].listed || (i && !manifest_by_file(&o[i - 1], &o[i])))
			manifest_bad(m, 0, "%d parts are named, and it lists %zu: %.100s is too many", m->t->nnames, m->n, o[i].name);
	free(o);
}

/* The part that was asked for. */
static void
manifest_choose_one(struct manifest *m, const char *name)
{
	if (m->t->nnames)
		tool_wrong(m->t, "--part: '%s' is one input, and '%s' another", name, m->t->names[0]);
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->part[i].name, name)) {
			struct manifest_part one = m->part[i];

			for (size_t k = 0; k < m->n; k++)
				if (k != i)
					free(m->part[k].path);
			*m->part = one;
			m->read = 1;
			if (!manifest_is_there(m, m->part, NULL))
				manifest_bad(m, 0, "part %.100s is missing", name);
			return;
		}
	manifest_bad(m, 0, "has no part '%.100s'", name);
}

/* ---- the whole ------------------------------------------------------------------------------------- */

/* The tool and the join have these inputs. */
static void
manifest_use(struct manifest *m, struct join_options *o)
{
	struct tool *t = m->t;

	free(t->names);
	t->names = tool_alloc(m->read, sizeof *t->names);
	t->nnames = (int)m->read;
	for (size_t i = 0; i < m->read; i++)
		t->names[i] = m->part[i].path;
	o->merge_attrs = true;
	if (!m->part->pid_base)
		return;
	if (o->pids != JOIN_PIDS_AUTO)
		tool_wrong(t, "--remap-pids: %s says what becomes of pids", m->name);
	m->blocks = tool_alloc(m->read, sizeof(struct pid_block *));
	o->blocks = m->blocks;
}

struct manifest *
manifest_open(struct tool *t, struct join_options *o, const char *part)
{
	struct manifest *m = tool_alloc(1, sizeof *m);
	const char *slash = strrchr(t->manifest, '/');
	char *names[] = { (char *)(uintptr_t)t->manifest };

	tool_refuse_names(t, t->out_name, names, 1);
	m->t = t;
	m->name = t->manifest;
	m->dir = slash ? (size_t)(slash - m->name) + 1 : 0;
	if (o->time_offset)
		tool_wrong(t, "--time-offset: cannot be combined with --manifest");
	manifest_load(m);
	manifest_parse(m);
	manifest_check_all(m);
	for (size_t i = 0; i < m->n; i++)
		if (asprintf(&m->part[i].path, "%.*s%s", (int)m->dir, m->name, m->part[i].name) < 0)
			manifest_bad(m, 0, "%s", strerror(ENOMEM));
	if (part)
		manifest_choose_one(m, part);
	else
		manifest_choose(m);
	manifest_use(m, o);
	return m;
}

/* Is it the part that is listed? */
static int
manifest_same(const struct manifest *m, struct manifest_part *listed, size_t i)
{
	struct manifest_part now = { .path = listed->path };
	struct pp_err err = { .what = "" };
	int rc = m->blocks ? manifest_measure(m->t, &now, true, &err) : manifest_hash(&now, &err);

	listed->was = now.was;
	if (now.sha256[0] && strcmp(now.sha256, listed->sha256)) {
		err = (struct pp_err){ .file = m->name };
		rc = pp_fail(&err, "part %.100s has changed: its SHA-256 is another", listed->name);
	} else if (rc > 0 && m->blocks && now.pids != listed->pids) {
		err.file = m->name;
		rc = pp_fail(&err, "part %.100s has %ju pids, not %ju", listed->name, (uintmax_t)now.pids, (uintmax_t)listed->pids);
	}
	if (rc < 0)
		tool_say(m->t, &err);
	else if (m->blocks)
		pid_block_number(m->blocks[i] = now.block, listed->pid_base);
	free((char *)(uintptr_t)now.host);
	if (rc < 0)
		pid_block_free(now.block);
	return rc;
}

int
manifest_verify(struct manifest *m)
{
	for (size_t i = 0; i < m->read; i++)
		if (manifest_same(m, &m->part[i], i) < 0)
			return -1;
	return 1;
}

/* Is it still the file whose hash was right?  By its ctime, which nobody can set. */
static bool
manifest_is_same_file(const struct manifest_part *p)
{
	struct stat now;

	return !p->was.st_ino || (!stat(p->path, &now) && now.st_dev == p->was.st_dev && now.st_ino == p->was.st_ino &&
	    now.st_size == p->was.st_size && now.st_ctim.tv_sec == p->was.st_ctim.tv_sec && now.st_ctim.tv_nsec == p->was.st_ctim.tv_nsec);
}

int
manifest_close(struct manifest *m)
{
	int status = 0;

	if (!m)
		return 0;
	for (size_t i = 0; i < m->read; i++) {
		struct pp_err err = { .file = m->name };

		errno = 0;
		if ((m->blocks && m->blocks[i] && pid_block_missed(m->blocks[i])) || !manifest_is_same_file(&m->part[i])) {
			if (errno && errno != ENOENT)
				pp_fail(&err, "part %.100s: %s", m->part[i].name, strerror(errno));
			else
				pp_fail(&err, "part %.100s has changed while it was read", m->part[i].name);
			tool_say(m->t, &err);
			status = 1;
		}
		if (m->blocks)
			pid_block_free(m->blocks[i]);
		free(m->part[i].path);
	}
	free(m->blocks);
	free(m->part);
	free(m->text);
	free(m);
	return status;
}
