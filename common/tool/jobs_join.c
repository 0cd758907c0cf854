/* SPDX-License-Identifier: ISC */
/* jobs_join.c - see jobs.h: what the processes of pieces have said and written */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs.h"
#include "jobs_in.h"
#include "sink/tmpfile.h"
#include "state/table.h"

enum { SAID_MAX = 64 << 10, BLOCK = 1 << 20 };

/* ---- messages ------------------------------------------------------------------------------------------ */

static bool
said_before(const struct jobs *j, unsigned i, const char *line, size_t n)
{
	for (unsigned k = 0; k < i; k++)
		for (const char *p = j->part[k].text, *end; p && *p; p = end + 1) {
			end = strchr(p, '\n');
			if ((size_t)(end - p) == n && !memcmp(p, line, n))
				return true;
		}
	return false;
}

void
jobs_print(struct jobs *j, unsigned i)
{
	struct part *p = &j->part[i];
	ssize_t got;
	size_t n = 0;

	p->text = tool_alloc(SAID_MAX + 2, 1);
	while (n < SAID_MAX && (got = pread(p->says, p->text + n, SAID_MAX - n, (off_t)n)) > 0)
		n += (size_t)got;
	if (n && p->text[n - 1] != '\n')
		p->text[n] = '\n';
	for (char *line = p->text, *end; *line; line = end + 1) {
		if (!(end = strchr(line, '\n')))	/* a NUL among them */
			break;
		if (!said_before(j, i, line, (size_t)(end - line)))
			fprintf(stderr, "%.*s\n", (int)(end - line), line);
	}
}

void
jobs_print_common(const struct jobs *j)
{
	for (unsigned i = 0; i < j->n; i++)
		if (!j->shared[i].says[0])
			return;
	j->shared[0].says[sizeof j->shared[0].says - 1] = 0;
	tool_warn(j->t, "of all %u pieces; of the first: %s", j->n, j->shared[0].says);
}

/* ---- the output ---------------------------------------------------------------------------------------- */

/* A record that only the first piece that has it writes. */
struct once {
	struct link	 link;		/* by hash of the bytes */
	size_t		 n;
	uint8_t		 bytes[];
};
struct join {
	struct tool	*t;
	uint8_t		*block;
	bool		 by_kernel;	/* copy_file_range(2) can be tried */
	struct table	 once;		/* struct once */
};

static int
join_fail(struct join *x, const char *doing)
{
	return pp_fail_system(&x->t->out_err, doing);
}

/* Append the bytes from one offset of the file to another. */
static int
join_copy(struct join *x, int fd, uint64_t from, uint64_t to)
{
	while (from < to) {
		size_t n = to - from < BLOCK ? (size_t)(to - from) : BLOCK;
		off_t at = (off_t)from;
		ssize_t got = x->by_kernel ? copy_file_range(fd, &at, x->t->file.fd, NULL, (size_t)(to - from), 0) : 0;

		if (got > 0) {
			from += (uint64_t)got;
			continue;
		}
		x->by_kernel = false;
		if ((got = pread(fd, x->block, n, (off_t)from)) < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return join_fail(x, "temporary file");
		if (pp_tmpfile_write(x->t->file.fd, x->block, (size_t)got) < 0)
			return join_fail(x, "write");
		from += (uint64_t)got;
	}
	return 1;
}

/* The record at that offset, of *size bytes: has a piece before written the same?  1, 0 (and it is noted), or -1. */
static int
join_seen(struct join *x, int fd, uint64_t off, size_t *size)
{
	ssize_t got = pread(fd, x->block, PP_RECORD_MAX, (off_t)off);
	uint64_t hash;
	struct once *o;

	*size = got < PP_HEADER_SIZE ? 0 : pp_get_u16(x->block + 6, x->t->jobs.all->shared[0].swap);
	if (*size < PP_HEADER_SIZE || *size > (size_t)got)
		return pp_fail(&x->t->out_err, "temporary file: ends inside a record");
	hash = pp_table_hash(&x->once, *size, x->block, *size);
	for (struct link *l = pp_table_first(&x->once, hash); l; l = pp_table_next(l)) {
		o = (struct once *)l;
		if (o->n == *size && !memcmp(o->bytes, x->block, *size))
			return 1;
	}
	o = tool_alloc(1, sizeof *o + *size);
	o->n = *size;
	memcpy(o->bytes, x->block, *size);
	if (pp_table_add(&x->once, &o->link, hash) < 0)
		tool_no_memory();
	return 0;
}

/* Append the output of a piece, without what a piece before has; the first is there already, if it is the output itself. */
static int
join_part(struct join *x, const struct part *p, bool there)
{
	uint64_t from = 0, off;
	off_t end = lseek(p->out, 0, SEEK_END);
	size_t size;
	int rc;

	if (end < 0)
		return join_fail(x, "temporary file");
	for (off_t at = 0; pread(p->once, &off, sizeof off, at) == sizeof off; at += (off_t)sizeof off) {
		if ((rc = join_seen(x, p->out, off, &size)) < 0)
			return -1;
		if (!rc)
			continue;
		if (join_copy(x, p->out, from, off) < 0)
			return -1;
		from = off + size;
	}
	return there ? 1 : join_copy(x, p->out, from, (uint64_t)end);
}

int
tool_jobs_part(const struct tool *t, unsigned i)
{
	int fd = t->jobs.all->part[i].out;

	lseek(fd, 0, SEEK_SET);
	return fd;
}

int
tool_jobs_join(struct tool *t)
{
	struct jobs *j = t->jobs.all;
	struct join x = { .t = t, .block = tool_alloc(BLOCK, 1), .by_kernel = true };
	bool there = t->file.dir >= 0, quiet = t->quiet;
	int verbose = t->verbose, rc = 1;

	/* the processes have said what the lock is */
	t->quiet = true;
	t->verbose = 0;
	tool_lock(t);
	t->quiet = quiet;
	t->verbose = verbose;
	pp_table_init(&x.once);
	for (unsigned i = 0; rc > 0 && i < j->n; i++) {
		rc = join_part(&x, &j->part[i], there && !i);
		close(j->part[i].out);
	}
	pp_table_free(&x.once, true);
	free(x.block);
	return tool_close(t);
}
