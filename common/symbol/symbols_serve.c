/* SPDX-License-Identifier: ISC */
/* symbols_serve.c - see symbols.h: the process that reads files, and demangles names */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include <linux/magic.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/elfsym.h"
#include "symbol/symbols_in.h"
#include "symbol/symtab.h"
#include "tool/path.h"

enum { KALLSYMS_MAX = 256 << 20, KALLSYMS_STEP = 1 << 20 };

struct serving {
	const struct symbols_place *place;
	const struct symbols_question *q;
	char		 hex[2 * SYMBOLS_ID + 1];
	const char	*why;		/* a file was there, and is not used; NULL */
};

/* ---- files ----------------------------------------------------------------------------------------- */

/* A regular file that is no file of the kernel's (reading some waits, or has effects), to be read; -1: none. */
static int
open_regular(int root, const char *name)
{
	static const uint32_t kernel[] = { PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC,
	    CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC, EFIVARFS_MAGIC, PSTOREFS_MAGIC };
	int path = path_open(root, name, root != AT_FDCWD, true), fd = -1;
	char proc[32];
	struct statfs fs;
	struct stat st;
	bool pseudo = path < 0 || fstatfs(path, &fs) < 0;

	for (size_t i = 0; !pseudo && i < sizeof kernel / sizeof *kernel; i++)
		pseudo = (uint32_t)fs.f_type == kernel[i];
	if (!pseudo && fstat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		snprintf(proc, sizeof proc, "/proc/self/fd/%d", path);
		fd = open(proc, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	}
	if (path >= 0)
		close(path);
	return fd;
}

/* The file of that kind for the build-id: DIR/.build-id/ab/cdef, with what stands behind it. */
static int
open_id(const struct serving *s, unsigned dir, const char *behind)
{
	char name[sizeof s->hex + 32];

	snprintf(name, sizeof name, ".build-id/%.2s/%s%s", s->hex, s->hex + 2, behind);
	return open_regular(s->place->dir[dir], name);
}

/* ---- ELF files ------------------------------------------------------------------------------------- */

static bool
take_elf(struct serving *s, struct elfsym *f, int fd)
{
	bool is = false;

	if (fd < 0)
		return false;
	if (elfsym_read(f, fd, &s->why) > 0) {
		is = f->id.len == s->q->nid && !memcmp(f->id.b, s->q->id, f->id.len);
		if (!is)
			s->why = "its build-id is another one";
	}
	close(fd);
	if (!is)
		elfsym_free(f);
	return is;
}

static bool
find_elf(struct serving *s, struct elfsym *f)
{
	static const char *const behind[] = { "/elf", "/vdso", "" };

	for (unsigned d = 0; d < s->place->n; d++)
		for (unsigned i = 0; i < sizeof behind / sizeof *behind; i++)
			if (take_elf(s, f, open_id(s, d, behind[i])))
				return true;
	return s->place->paths && s->q->text[0] == '/' && s->q->text[1] != '/' &&
	    take_elf(s, f, open_regular(AT_FDCWD, s->q->text));
}

static void
find_debug(struct serving *s, struct elfsym *f)
{
	static const char *const behind[] = { "/debug", ".debug" };

	for (unsigned d = 0; d < s->place->n; d++)
		for (unsigned i = 0; i < sizeof behind / sizeof *behind; i++) {
			int fd = open_id(s, d, behind[i]);
			bool added = fd >= 0 && elfsym_add_debug(f, fd, &s->why) > 0;

			if (fd >= 0)
				close(fd);
			if (added)
				return;
		}
}

static size_t
table_of_elf(struct serving *s, void *to, struct symbols_answer *a)
{
	struct elfsym f = { .n = 0 };
	struct symtab_maker m = { .n = 0 };
	struct symtab_segment *segment;
	size_t n = 0;

	if (!find_elf(s, &f))
		return 0;
	a->machine = f.machine;
	a->narrow = f.class == ELFCLASS32;
	find_debug(s, &f);
	for (size_t i = 0; i < f.n; i++) {
		const char *name = elfsym_name(&f, f.symbol[i].name);

		symtab_add(&m, f.symbol[i].addr, f.symbol[i].size, name, strlen(name),
		    f.symbol[i].bind == STB_WEAK ? SYMTAB_WEAK : f.symbol[i].bind == STB_LOCAL ? 0 : SYMTAB_GLOBAL);
	}
	if ((segment = calloc(f.nsegments + 1, sizeof *segment))) {
		for (size_t i = 0; i < f.nsegments; i++) {
			const struct elfsym_segment *g = &f.segment[i];

			segment[i] = (struct symtab_segment){ g->offset, g->filesz ? g->filesz : g->memsz, g->addr };
		}
		n = symtab_write(&m, segment, f.nsegments, to, TABLE_MAX);
	}
	s->why = n ? NULL : "it has too many symbols";
	free(segment);
	symtab_maker_free(&m);
	elfsym_free(&f);
	return n;
}

/* ---- the kernel ------------------------------------------------------------------------------------ */

/* From its start: another process may have read it before. */
static char *
read_all(int fd, size_t *n)
{
	char *p = NULL, *q;
	size_t cap = 0;
	ssize_t got = 1;

	for (*n = 0; got > 0 && *n < KALLSYMS_MAX; *n += got > 0 ? (size_t)got : 0) {
		if (*n == cap) {
			cap = cap ? 2 * cap : KALLSYMS_STEP;
			if (!(q = realloc(p, cap)))
				break;
			p = q;
		}
		got = pread(fd, p + *n, cap - *n, (off_t)*n);
	}
	if (got == 0)
		return p;
	free(p);
	return NULL;
}

static size_t
take_kernel(struct serving *s, int fd, void *to)
{
	struct symtab_maker m = { .n = 0 };
	size_t n, bytes = 0;
	char *text;

	if (fd < 0)
		return 0;
	s->why = "it cannot be read";
	if ((text = read_all(fd, &n))) {
		if (!symtab_kallsyms(&m, text, n))
			s->why = "it has no addresses";
		else if (!(bytes = symtab_write(&m, NULL, 0, to, TABLE_MAX)))
			s->why = "it has too many symbols";
	}
	free(text);
	symtab_maker_free(&m);
	return bytes;
}

static size_t
take_kernel_file(struct serving *s, int fd, void *to)
{
	size_t bytes = take_kernel(s, fd, to);

	if (fd >= 0)
		close(fd);
	return bytes;
}

static size_t
table_of_kernel(struct serving *s, void *to)
{
	char name[sizeof s->hex + 64];
	const struct build_id *running = &s->place->running;
	size_t n = 0;

	if (running->len == s->q->nid && !memcmp(running->b, s->q->id, running->len))
		n = take_kernel(s, s->place->kallsyms, to);
	snprintf(name, sizeof name, "[kernel.kallsyms]/%s/kallsyms", s->hex);
	for (unsigned d = 0; d < s->place->n && !n; d++)
		if (!(n = take_kernel_file(s, open_regular(s->place->dir[d], name), to)))
			n = take_kernel_file(s, open_id(s, d, "/kallsyms"), to);
	return n;
}

/* ---- questions ------------------------------------------------------------------------------------- */

static void
answer(const struct symbols_question *q, struct symbols_shared *shared, const struct symbols_place *place, struct symbols_answer *a)
{
	struct serving s = { .place = place, .q = q };

	tool_hex(s.hex, q->id, q->nid);
	switch ((enum symbols_kind)q->kind) {
	case ASK_DEMANGLE:
		a->status = demangle(q->text, (enum demangle)q->how, a->text) ? ANSWER_FOUND : ANSWER_NONE;
		return;
	case ASK_FILE:
		a->bytes = table_of_elf(&s, shared->table, a);
		break;
	case ASK_KERNEL:
		a->bytes = table_of_kernel(&s, shared->table);
		break;
	}
	a->status = a->bytes ? ANSWER_FOUND : s.why ? ANSWER_BAD : ANSWER_NONE;
	snprintf(a->text, sizeof a->text, "%s", s.why ? s.why : "");
}

_Noreturn void
symbols_serve(int fd, struct symbols_shared *shared, const struct symbols_place *place)
{
	static struct symbols_question q;
	static struct symbols_answer a;
	const size_t before = offsetof(struct symbols_question, text), head = offsetof(struct symbols_answer, text);
	ssize_t n;

	while ((n = read(fd, &q, sizeof q)) > 0) {
		alarm(SYMBOLS_SECONDS);
		if ((size_t)n <= before || q.text[(size_t)n - before - 1] || q.nid > SYMBOLS_ID)
			_exit(1);
		shared->working = q.number;
		a = (struct symbols_answer){ .number = q.number };
		answer(&q, shared, place, &a);
		alarm(0);
		if (syscall(SYS_sendto, fd, &a, head + strlen(a.text) + 1, MSG_NOSIGNAL, NULL, 0) < 0)
			_exit(0);
	}
	_exit(0);
}
