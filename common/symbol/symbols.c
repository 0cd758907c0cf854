/* SPDX-License-Identifier: ISC */
/* symbols.c - see symbols.h: the process that wants names, and the start of those that read files */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "set.h"
#include "state/table.h"
#include "symbol/machine.h"
#include "symbol/symbols_in.h"
#include "symbol/symtab.h"

enum { SERVE_MEMORY = 512 << 20 };	/* bytes that the process that reads files may allocate */
enum { DEMANGLE_DEATHS = 8 };		/* so many names may each end that process; then no more are tried */
enum { IDLE_DEATHS = 4 };
enum { ANSWERED = SYMBOLS_SECONDS + 5 };	/* so many seconds later at most */
enum { SECOND = 1000000000, PATIENCE = SECOND / 2 };	/* ns of each second in which symbols_hurry() lets us wait */

struct symfile {
	struct link	 link;		/* by build-id */
	struct symfile	*first;		/* of the same build-id at another path; NULL: it is the first */
	struct symfile	*found;		/* of the first: the one of these that had names last */
	struct symfile	*older, *newer;	/* of those that have a table, by their last use */
	uint8_t		 id[SYMBOLS_ID];
	size_t		 nid;
	bool		 kernel, narrow;	/* narrow: it is of 32 bits */
	uint32_t	 number;
	enum { FILE_NEW, FILE_LOADED, FILE_NAMELESS } state;
	struct symtab	 tab;
	char		 path[];
};

struct symbols {
	struct tool	*t;
	struct symbols_shared *shared;
	enum demangle	 how;
	int		 fd;		/* -1: nobody answers any more */
	uint32_t	 number;	/* of the last question */
	unsigned	 deaths;	/* by names */
	bool		 paths;		/* "local": files are also looked for at their paths */
	struct machine	 machine;
	struct table	 files;
	struct symfile	**file;		/* by number */
	uint32_t	 n;
	bool		 over;		/* there were more */
	struct symfile	*oldest, *newest;
	size_t		 bytes;		/* of all tables */
	struct symbols_question q;
	struct symbols_answer a;
	bool		 owed;		/* the last question was not answered yet */
	struct symfile	*asked;		/* whose table it was about; NULL: it was a name */
	/* symbols_hurry() */
	bool		 hurry, late;
	struct timespec	 asked_at;
	int64_t		 second, waited;	/* in that second of the clock, so many ns */
};

/* ---- options ------------------------------------------------------------------------------------- */

void
symbols_option(struct tool *t, void *member)
{
	struct symbols_opt *o = member;

	if (o->n == SYMBOLS_DIRS)
		tool_wrong(t, "--symbols: %d at most", SYMBOLS_DIRS);
	o->dir[o->n++] = t->optarg;
}

/* ---- processes ----------------------------------------------------------------------------------- */

/* The names of the kernel that runs, which perf prefers to its cache, too.  When it is opened decides whether it has addresses. */
static void
open_running(struct symbols_place *p)
{
	if (p->kallsyms < 0 && notes_file(&p->running, AT_FDCWD, NOTES_KERNEL))
		p->kallsyms = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
}

static void
open_place(struct tool *t, const struct symbols_opt *o, struct symbols_place *p)
{
	char name[4096];
	const char *home = getenv("HOME");
	int fd;

	for (unsigned i = 0; i < o->n; i++) {
		if (!strcmp(o->dir[i], "local")) {
			p->paths = true;
			open_running(p);
		} else if ((fd = open(o->dir[i], O_PATH | O_DIRECTORY | O_CLOEXEC)) >= 0 &&
		    faccessat(fd, ".", R_OK | X_OK, 0) == 0) {
			p->dir[p->n++] = fd;
			continue;
		} else
			tool_wrong(t, "--symbols %s: %s", o->dir[i], strerror(errno));
		snprintf(name, sizeof name, "%s/.debug", home ? home : "");
		for (unsigned k = !home; k < 2 && p->n < SYMBOLS_DIRS; k++)
			if ((fd = open(k ? "/usr/lib/debug" : name, O_PATH | O_DIRECTORY | O_CLOEXEC)) >= 0)
				p->dir[p->n++] = fd;
	}
}

/*
 * The process that waits: files below the directories can be read, and nothing else be opened; only what it does, and what the
 * processes do that it makes, remains.
 */
static void
lock_keeper(struct confine *c, int fd, const struct symbols_place *p)
{
	if (p->paths && confine_allow(c, "/", CONFINE_READ) < 0)
		_exit(1);
	for (unsigned i = 0; i < p->n; i++)
		if (confine_allow_fd(c, p->dir[i], CONFINE_READ) < 0)
			_exit(1);
	if (!p->paths && !p->n)		/* some rule, or none would hold */
		c->rights |= CONFINE_READ;
	if (confine_places(c) < 0)
		_exit(1);
#ifndef CONFINE_SANITIZED
	if (confine_calls(&(struct confine){ .rights = CONFINE_KEEP, .peer = fd }) < 0)
		_exit(1);
#endif
	(void)fd;
}

static _Noreturn void
begin_serving(struct confine *c, int fd, struct symbols_shared *shared, const struct symbols_place *place)
{
	const struct rlimit memory = { SERVE_MEMORY, SERVE_MEMORY }, none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
#ifndef CONFINE_SANITIZED
	if (!c->off && (setrlimit(RLIMIT_DATA, &memory) < 0 || confine_calls(&(struct confine){ .rights = CONFINE_SERVE, .peer = fd }) < 0))
		_exit(1);
#endif
	(void)memory;
	(void)c;
	symbols_serve(fd, shared, place);
}

/*
 * The process that waits: when the one that reads files has ended, say so, and begin another one.  It reads nothing itself.  Some
 * that end one after the other without having taken a question end all.
 */
static _Noreturn void
keep_serving(const struct tool *t, int fd, struct symbols_shared *shared, const struct symbols_place *place)
{
	struct confine c = { .off = t->confine.off };
	struct symbols_answer a = { .status = ANSWER_DIED };
	uint32_t last = 0;
	unsigned idle = 0;
	int status;
	pid_t pid;
	sigset_t alarms;

	signal(SIGINT, SIG_IGN);
	signal(SIGALRM, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarms, NULL);
	if (!c.off)
		lock_keeper(&c, fd, place);
	for (;;) {
		if ((pid = fork()) < 0)
			_exit(1);
		if (!pid)
			begin_serving(&c, fd, shared, place);
		while (waitpid(pid, &status, 0) < 0)
			if (errno != EINTR)
				_exit(1);
		idle = shared->working == last ? idle + 1 : 0;
		if ((WIFEXITED(status) && !WEXITSTATUS(status)) || idle == IDLE_DEATHS)
			_exit(0);
		a.number = last = shared->working;
		/* send(3) is a call of its own on 32-bit machines, which is not allowed */
		if (syscall(SYS_sendto, fd, &a, offsetof(struct symbols_answer, text) + 1, MSG_NOSIGNAL, NULL, 0) < 0)
			_exit(0);
	}
}

/* What else is open is of no use there. */
static void
close_others(int fd, const struct symbols_place *p)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; i < fd; i++) {
		bool keep = i == p->kallsyms;

		for (unsigned d = 0; d < p->n; d++)
			keep |= i == p->dir[d];
		if (i <= STDERR_FILENO && null >= 0)
			dup2(null, i);
		else if (!keep)
			close(i);
	}
	syscall(SYS_close_range, fd + 1, ~0u, 0);
}

struct symbols *
symbols_start(struct tool *t, const struct symbols_opt *o)
{
	struct timeval limit = { .tv_sec = ANSWERED };
	struct symbols *s = tool_alloc(1, sizeof *s);
	struct symbols_place place = { .kallsyms = -1 };
	int fd[2];
	pid_t pid;

	if (!demangle_built && tool_given(t, "demangle") && o->demangle != DEMANGLE_NONE)
		tool_wrong(t, "--demangle: this program was built without a demangler; c++filt has one");
	s->t = t;
	s->how = demangle_built ? o->demangle : DEMANGLE_NONE;
	pp_table_init(&s->files);
	open_place(t, o, &place);
	s->paths = place.paths;
	s->shared = mmap(NULL, sizeof *s->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->shared == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0 || (pid = fork()) < 0)
		err(1, "--symbols: a process that reads files");
	if (!pid) {
		close_others(fd[1], &place);
		keep_serving(t, fd[1], s->shared, &place);
	}
	close(fd[1]);
	for (unsigned i = 0; i < place.n; i++)
		close(place.dir[i]);
	if (place.kallsyms >= 0)
		close(place.kallsyms);
	s->fd = fd[0];
	setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	setsockopt(s->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
	t->confine.rights |= CONFINE_ASK;
	t->confine.peer = s->fd;
	return s;
}

/* ---- questions ----------------------------------------------------------------------------------- */

static bool
give_up(struct symbols *s)
{
	tool_warn(s->t, "--symbols: the process that reads files does not answer: no more names");
	close(s->fd);
	s->fd = -1;
	s->owed = false;
	s->asked = NULL;
	return false;
}

static int64_t
ns_since(const struct timespec *then, struct timespec *now)
{
	clock_gettime(CLOCK_MONOTONIC, now);
	return (int64_t)(now->tv_sec - then->tv_sec) * SECOND + now->tv_nsec - then->tv_nsec;
}

/* Wait for an answer as long as there is time.  False: it has not come. */
static bool
have_patience(struct symbols *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	struct timespec from, now;
	int ready;

	clock_gettime(CLOCK_MONOTONIC, &from);
	if (from.tv_sec != s->second) {
		s->second = from.tv_sec;
		s->waited = 0;
	}
	ready = poll(&p, 1, s->waited < PATIENCE ? (int)((PATIENCE - s->waited) / 1000000) : 0);
	s->waited += ns_since(&from, &now);
	return ready > 0;
}

/* Read the answer that is owed into s->a.  False: it is late, or there is none. */
static bool
hear(struct symbols *s)
{
	struct timespec now;
	ssize_t n;

	do {
		if (s->hurry && !have_patience(s)) {
			if (ns_since(&s->asked_at, &now) > (int64_t)ANSWERED * SECOND)
				return give_up(s);
			s->late = true;
			return false;
		}
		while ((n = read(s->fd, &s->a, sizeof s->a)) < 0 && errno == EINTR)
			;
		if (n <= (ssize_t)offsetof(struct symbols_answer, text) || ((char *)&s->a)[n - 1])
			return give_up(s);
	} while (s->a.number != s->number);
	s->owed = false;
	return true;
}

static void	take_table(struct symbols *, struct symfile *);

/* Take an answer that was late.  False: it still is, or there is none. */
static bool
hear_late(struct symbols *s)
{
	struct symfile *f = s->asked;

	if (!hear(s))
		return false;
	s->asked = NULL;
	if (f)
		take_table(s, f);
	else
		s->deaths += s->a.status == ANSWER_DIED;
	return true;
}

/* Ask, and wait for the answer in s->a.  f: the file whose table it is; NULL: it is none.  False: it is late, or there is none. */
static bool
ask(struct symbols *s, enum symbols_kind kind, struct symfile *f, const char *text, size_t len)
{
	if (s->fd < 0 || len >= sizeof s->q.text || (s->owed && !hear_late(s)))
		return false;
	s->q.kind = kind;
	s->q.number = ++s->number;
	memcpy(s->q.text, text, len);
	s->q.text[len] = '\0';
	/* calls by their number, as the filter of system calls knows them */
	if (syscall(SYS_sendto, s->fd, &s->q, offsetof(struct symbols_question, text) + len + 1, MSG_NOSIGNAL, NULL, 0) < 0)
		return give_up(s);
	s->owed = true;
	s->asked = f;
	clock_gettime(CLOCK_MONOTONIC, &s->asked_at);
	if (!hear(s))
		return false;
	s->asked = NULL;
	return true;
}

/* ---- files --------------------------------------------------------------------------------------- */

uint32_t
symbols_file(struct symbols *s, const uint8_t *id, size_t nid, const char *path, bool kernel)
{
	uint64_t key = pp_table_hash(&s->files, kernel, id, nid);
	size_t len = strnlen(path, DEMANGLE_MAX);
	struct symfile *f, *first = NULL;

	for (struct link *l = pp_table_first(&s->files, key); l; l = pp_table_next(l)) {
		f = (struct symfile *)l;
		if (f->nid != nid || memcmp(f->id, id, nid) || f->kernel != kernel)
			continue;
		if (!s->paths || kernel || (!strncmp(f->path, path, len) && !f->path[len]))
			return f->number;
		if (!f->first)
			first = f;
	}
	if (nid > SYMBOLS_ID || !nid)
		return SYMBOLS_NONE;
	if (s->n == SYMBOLS_FILES && first)
		return first->number;
	if (s->n == SYMBOLS_FILES) {
		if (!s->over)
			tool_warn(s->t, "--symbols: more than %d different files: no names of further ones", SYMBOLS_FILES);
		s->over = true;
		return SYMBOLS_NONE;
	}
	s->file = tool_need(array_more(s->file, s->n, 1, sizeof *s->file));
	f = tool_alloc(1, sizeof *f + len + 1);
	memcpy(f->id, id, f->nid = nid);
	memcpy(f->path, path, len);
	f->kernel = kernel;
	f->first = first;
	if (pp_table_add(&s->files, &f->link, key) < 0)
		tool_no_memory();
	s->file[s->n++] = f;
	return f->number = s->n;
}

static void
unlist(struct symbols *s, struct symfile *f)
{
	*(f->older ? &f->older->newer : &s->oldest) = f->newer;
	*(f->newer ? &f->newer->older : &s->newest) = f->older;
}

static void
list(struct symbols *s, struct symfile *f)
{
	f->older = s->newest;
	f->newer = NULL;
	*(s->newest ? &s->newest->newer : &s->oldest) = f;
	s->newest = f;
}

static void
drop(struct symbols *s, struct symfile *f)
{
	unlist(s, f);
	s->bytes -= f->tab.bytes;
	symtab_free(&f->tab);
	f->state = FILE_NEW;
}

/* A copy, which nobody else can change. */
static bool
load_table(struct symbols *s, struct symfile *f)
{
	size_t n = (size_t)s->a.bytes;
	void *mem;

	if (s->a.bytes > TABLE_MAX)
		return false;
	while (s->oldest && s->bytes + n > SYMBOLS_MEMORY)
		drop(s, s->oldest);
	mem = tool_alloc(n, 1);
	memcpy(mem, s->shared->table, n);
	madvise(s->shared, sizeof *s->shared, MADV_REMOVE);
	return symtab_open(&f->tab, mem, n);
}

/* The answer is about that file. */
static void
take_table(struct symbols *s, struct symfile *f)
{
	f->state = FILE_NAMELESS;
	if (s->a.status == ANSWER_NONE)
		return;
	if (s->a.status == ANSWER_DIED)
		tool_warn(s->t, "--symbols: %s: it has no names, as the process that read its file has ended", f->path);
	else if (s->a.status != ANSWER_FOUND)
		tool_warn(s->t, "--symbols: %s: it has no names: %s", f->path, s->a.text);
	else if (!f->kernel && !machine_runs(&s->machine, s->a.machine))
		tool_warn(s->t, "--symbols: %s: it has no names: its file is of another machine", f->path);
	else if (load_table(s, f)) {
		f->state = FILE_LOADED;
		f->narrow = s->a.narrow;
		s->bytes += f->tab.bytes;
		list(s, f);
	} else
		tool_warn(s->t, "--symbols: %s: it has no names, as its table is not sound", f->path);
}

/* It stays FILE_NEW if the answer is late. */
static void
load(struct symbols *s, struct symfile *f)
{
	if (s->asked == f) {
		if (!hear_late(s) && !s->late)
			f->state = FILE_NAMELESS;
		return;
	}
	memset(s->q.id, 0, sizeof s->q.id);
	memcpy(s->q.id, f->id, s->q.nid = (uint32_t)f->nid);
	if (ask(s, f->kernel ? ASK_KERNEL : ASK_FILE, f, f->path, strlen(f->path)))
		take_table(s, f);
	else if (!s->late)
		f->state = FILE_NAMELESS;
}

/* The file with its table: of its build-id the one that had names last, the first, or itself.  NULL: none of them has one. */
static struct symfile *
loaded(struct symbols *s, uint32_t file)
{
	struct symfile *f = file && file <= s->n ? s->file[file - 1] : NULL, *first = f && f->first ? f->first : f;

	s->late = false;
	if (!f)
		return NULL;
	for (unsigned i = 0; i < 3; i++) {
		struct symfile *one = i == 0 ? first->found : i == 1 ? first : f;

		if (one && one->state == FILE_NEW)
			load(s, one);
		if (s->late)
			return NULL;
		if (!one || one->state != FILE_LOADED)
			continue;
		if (s->newest != one) {
			unlist(s, one);
			list(s, one);
		}
		return first->found = one;
	}
	return NULL;
}

void
symbols_machine(struct symbols *s, const struct pp_rec *r, bool swap)
{
	machine_learn(&s->machine, r, swap);
}

const char *
symbols_find(struct symbols *s, uint32_t file, uint64_t offset, uint64_t ip)
{
	const struct symfile *f = loaded(s, file);
	uint64_t addr, start;

	return f && !(f->narrow && ip > UINT32_MAX) && symtab_addr(&f->tab, offset, &addr) ? symtab_find(&f->tab, addr, &start) : NULL;
}

const char *
symbols_find_kernel(struct symbols *s, uint32_t file, uint64_t addr, uint64_t anchor, bool stext)
{
	const struct symfile *f = loaded(s, file);
	uint64_t moved, start;
	const char *name;

	if (!f || !anchor || !f->tab.anchor[stext])
		return NULL;
	moved = anchor - f->tab.anchor[stext];
	name = symtab_find(&f->tab, addr - moved, &start);
	return name && !(moved && strchr(name, '\t')) ? name : NULL;
}

const char *
symbols_shown(struct symbols *s, const char *name)
{
	size_t len = strlen(name);

	s->late = false;
	if (s->how == DEMANGLE_NONE || s->deaths == DEMANGLE_DEATHS || !demangle_may(name, len))
		return name;
	s->q.how = s->how;
	if (!ask(s, ASK_DEMANGLE, NULL, name, len))
		return s->late ? NULL : name;
	s->deaths += s->a.status == ANSWER_DIED;
	return s->a.status == ANSWER_FOUND ? s->a.text : name;
}

void
symbols_hurry(struct symbols *s)
{
	s->hurry = true;
}

bool
symbols_late(const struct symbols *s)
{
	return s->late;
}

void
symbols_end(struct symbols *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	for (uint32_t i = 0; i < s->n; i++) {
		symtab_free(&s->file[i]->tab);
		free(s->file[i]);
	}
	free(s->file);
	pp_table_free(&s->files, false);
	munmap(s->shared, sizeof *s->shared);
	free(s);
}
