/* SPDX-License-Identifier: ISC */
/*
 * locked.c - what the processes of a command may do behind their locks: locked [-l ERRNO] [-s ERRNO] [-p ERRNO] [-u UID] DIR COMMAND...
 *
 * Runs the command under ptrace(2).  A process that has asked for PR_SET_NO_NEW_PRIVS, with which each lock begins, is stopped at its next
 * call that brings it data; there other calls are made in its place, by its own registers, and then that one.  A process that never asks
 * is stopped when it exits.  Threads are stopped at their first call.  Prints "PROCESS<tab>CALL<tab>RESULT" for each try into
 * the table.
 *
 * PROCESS is main, main.1 (its first child), main.1.child (any child that a process makes behind its lock), "main thread".
 * RESULT is the name of an errno, "ok" or "died".
 *
 * -l, -s, -p: Landlock, seccomp, PR_SET_NO_NEW_PRIVS fail with that errno, as on a kernel or in a container that has none.
 * -u: as that user.  DIR has the directories in, out, tmp, store and other, each with files named file and spare.
 */
#include <sys/types.h>

#include <errno.h>
#include <stdio.h>

#ifdef __x86_64__
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <err.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROCS = 256, SCRATCH = 16384, CALL_MAX = 480 };
#define NONE (~0UL)

struct proc {
	pid_t	 pid;
	char	 name[80];
	int	 children;
	bool	 armed, inside, probed, thread, has_thread;
};

static struct proc procs[PROCS];
static pid_t early[PROCS];		/* stopped before their parent's event was seen */
static int nprocs, nlive, nearly, filters;	/* filters: of seccomp, that were there before the command */
static const char *dir;
static FILE *out;
static pid_t other;			/* a process that is no part of it */

/* ---- calls in the place of another ------------------------------------------------------------------- */

struct place {				/* stopped at the entry of a call */
	const struct proc *p;
	struct user_regs_struct at;
	uint64_t scratch;
	bool	 dead;
};

static void
go(pid_t pid, int sig)
{
	ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(uintptr_t)sig);
}

/* A process that was made by a try is ended, a thread that was made ends itself. */
static void
end_made(pid_t parent, int event)
{
	struct user_regs_struct r;
	unsigned long made;
	int status;

	ptrace(PTRACE_GETEVENTMSG, parent, NULL, &made);
	while (waitpid((pid_t)made, &status, __WALL) < 0 && errno == EINTR)
		;
	if (event != PTRACE_EVENT_CLONE) {
		kill((pid_t)made, SIGKILL);
		waitpid((pid_t)made, &status, __WALL);
		return;
	}
	ptrace(PTRACE_GETREGS, (pid_t)made, NULL, &r);
	r.rip -= 2;
	r.rax = SYS_exit;
	r.rdi = 0;
	ptrace(PTRACE_SETREGS, (pid_t)made, NULL, &r);
	ptrace(PTRACE_CONT, (pid_t)made, NULL, NULL);
	waitpid((pid_t)made, &status, __WALL);
}

/* Until its next stop at a call's entry or end. */
static bool
to_call(struct place *l)
{
	int status;

	go(l->p->pid, 0);
	while (waitpid(l->p->pid, &status, __WALL) == l->p->pid && WIFSTOPPED(status)) {
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			return true;
		if (status >> 16 && status >> 16 != PTRACE_EVENT_EXIT)
			end_made(l->p->pid, status >> 16);
		go(l->p->pid, 0);		/* signals that the tries cause are not delivered */
	}
	l->dead = true;
	return false;
}

/* What the call returns. */
static long
call(struct place *l, long nr, const uint64_t a[6])
{
	struct user_regs_struct r = l->at;
	long rc;

	r.orig_rax = (uint64_t)nr;
	r.rdi = a[0]; r.rsi = a[1]; r.rdx = a[2]; r.r10 = a[3]; r.r8 = a[4]; r.r9 = a[5];
	if (l->dead || ptrace(PTRACE_SETREGS, l->p->pid, NULL, &r) < 0 || !to_call(l))
		return -ESRCH;
	ptrace(PTRACE_GETREGS, l->p->pid, NULL, &r);
	rc = (long)r.rax;
	r = l->at;
	r.rip -= 2;
	r.rax = SYS_getpid;
	ptrace(PTRACE_SETREGS, l->p->pid, NULL, &r);
	return to_call(l) ? rc : -ESRCH;
}
#define CALL(l, nr, ...) call(l, nr, (const uint64_t[6]){ __VA_ARGS__ })

static void
result(const struct place *l, const char *what, long rc)
{
	const char *name = rc < 0 && rc > -4096 ? strerrorname_np((int)-rc) : "ok";

	fprintf(out, "%s\t%s\t%s\n", l->p->name, what, l->dead ? "died" : name ? name : "waits");
}

static uint64_t
put(struct place *l, unsigned at, const void *p, size_t n)
{
	struct iovec from = { (void *)p, n }, to = { (void *)(l->scratch + at), n };

	process_vm_writev(l->p->pid, &from, 1, &to, 1, 0);
	return l->scratch + at;
}

static uint64_t
put_name(struct place *l, unsigned at, const char *place, const char *file)
{
	char name[512];

	snprintf(name, sizeof name, "%s%s%s%s%s", *place == '/' ? "" : dir, *place == '/' ? "" : "/", place, file ? "/" : "", file ? file : "");
	return put(l, at, name, strlen(name) + 1);
}

static void
close_if(struct place *l, long fd)
{
	if (fd >= 0)
		CALL(l, SYS_close, (uint64_t)fd);
}

/* ---- what is tried ------------------------------------------------------------------------------------- */

static void
opens(struct place *l, const char *what, uint64_t name, int flags)
{
	long rc = CALL(l, SYS_openat, (uint64_t)AT_FDCWD, name, (uint64_t)flags, 0600);

	result(l, what, rc);
	close_if(l, rc);
}

/* In one of the directories. */
static void
names(struct place *l, const char *place)
{
	uint64_t file = put_name(l, 0, place, "file"), spare = put_name(l, 512, place, "spare"), made = put_name(l, 1024, place, "made");
	uint64_t itself = put_name(l, 1536, place, NULL), here = (uint64_t)AT_FDCWD;
	char what[64], path[512], back[512];
#define SAY(s) (snprintf(what, sizeof what, "%s/: %s", place, s), what)
	struct { const char *what; long nr; uint64_t a[6]; } const tries[] = {
		{ "truncate", SYS_truncate, { spare, 0 } }, { "chmod", SYS_chmod, { spare, 0600 } },
		{ "readlink", SYS_readlinkat, { here, itself, l->scratch + 4096, 100 } }, { "access", SYS_faccessat, { here, file, R_OK } },
		{ "rename", SYS_renameat2, { here, spare, here, made, 0 } },
		{ "link", SYS_linkat, { here, spare, here, made, 0 } }, { "unlink", SYS_unlinkat, { here, made, 0 } },
		{ "mkdir", SYS_mkdirat, { here, made, 0700 } }, { "rmdir", SYS_unlinkat, { here, made, AT_REMOVEDIR } },
		{ "symlink", SYS_symlinkat, { file, here, made } },
		{ "execve", SYS_execve, { file, 1, 1 } },
	};

	opens(l, SAY("open to read"), file, O_RDONLY);
	opens(l, SAY("open the directory"), itself, O_RDONLY | O_DIRECTORY);
	result(l, SAY("stat"), CALL(l, SYS_newfstatat, here, file, l->scratch + 4096, 0));
	opens(l, SAY("open O_PATH"), file, O_PATH);
	opens(l, SAY("open to write"), spare, O_WRONLY);
	opens(l, SAY("open to truncate"), spare, O_RDONLY | O_TRUNC);
	opens(l, SAY("create"), made, O_WRONLY | O_CREAT | O_EXCL);
	opens(l, SAY("create without a name"), itself, O_TMPFILE | O_RDWR);
	snprintf(path, sizeof path, "%s/%s/made", dir, place);
	snprintf(back, sizeof back, "%s/%s/spare", dir, place);
	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
		remove(path);
		close(open(back, O_WRONLY | O_CREAT, 0666));
		if (!strcmp(tries[i].what, "unlink"))
			close(open(path, O_WRONLY | O_CREAT, 0666));
		if (!strcmp(tries[i].what, "rmdir"))
			mkdir(path, 0777);
		result(l, SAY(tries[i].what), call(l, tries[i].nr, tries[i].a));
	}
	remove(path);
#undef SAY
}

/* What has no place.  Arguments that do no harm where the call is allowed. */
static void
others(struct place *l)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(1), .sin_addr = { htonl(INADDR_LOOPBACK) } };
	uint64_t address = put(l, 0, &in, sizeof in), how = put(l, 256, &(uint64_t[3]){ O_RDONLY }, 24), pid = (uint64_t)other;
	uint64_t passwd = put_name(l, 512, "/etc/passwd", NULL), mem = put_name(l, 1024, "/proc/self/mem", NULL), self = (uint64_t)l->p->pid;
	enum { THREAD = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD };
	char name[64];
	const struct { const char *what; long nr; uint64_t a[6]; } tries[] = {
		{ "openat2", SYS_openat2, { (uint64_t)AT_FDCWD, passwd, how, 24 } },
		{ "open_by_handle_at", SYS_open_by_handle_at, { NONE, 1, 0 } },
		{ "socket of AF_INET", SYS_socket, { AF_INET, SOCK_STREAM } }, { "socket of AF_UNIX", SYS_socket, { AF_UNIX, SOCK_STREAM } },
		{ "socket of AF_NETLINK", SYS_socket, { AF_NETLINK, SOCK_RAW } }, { "socketpair", SYS_socketpair, { AF_UNIX, SOCK_STREAM, 0, 1 } },
		{ "bind", SYS_bind, { NONE, address, sizeof in } }, { "listen", SYS_listen, { NONE, 1 } },
		{ "connect of no socket", SYS_connect, { NONE, address, sizeof in } },
		{ "execve of a program", SYS_execve, { put_name(l, 1536, "/bin/true", NULL), 1, 1 } },
		{ "fork", SYS_clone, { SIGCHLD, 0, 0, 0, 0 } }, { "clone3", SYS_clone3, { 1, 64 } },
		{ "clone a thread", SYS_clone, { THREAD, l->at.rsp - 4096 } },
		{ "clone a thread with CLONE_VFORK", SYS_clone, { THREAD | CLONE_VFORK | CLONE_PIDFD, l->at.rsp - 4096 } },
		{ "clone CLONE_NEWUSER", SYS_clone, { CLONE_NEWUSER | CLONE_FS, 0 } }, { "clone CLONE_NEWNET", SYS_clone, { CLONE_NEWNET | CLONE_FS, 0 } },
		{ "ptrace another process", SYS_ptrace, { PTRACE_SEIZE, pid, 0, NONE } },
		{ "process_vm_readv", SYS_process_vm_readv, { pid, 1, 1, 1, 1, 0 } },
		{ "pidfd_open", SYS_pidfd_open, { pid, NONE } },
		{ "kill another process", SYS_kill, { pid, 0 } }, { "tgkill another process", SYS_tgkill, { pid, pid, 0 } },
		{ "kill the own process", SYS_kill, { self, 0 } }, { "tgkill a process of all", SYS_tgkill, { NONE, NONE, 0 } },
		{ "rt_sigqueueinfo", SYS_rt_sigqueueinfo, { pid, 0, 1 } },
		{ "mmap PROT_EXEC", SYS_mmap, { 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, NONE, 0 } },
		{ "mmap PROT_READ", SYS_mmap, { 0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, NONE, 0 } },
		{ "mprotect PROT_EXEC", SYS_mprotect, { l->scratch + 12288, 4096, PROT_READ | PROT_WRITE | PROT_EXEC } },
		{ "mprotect PROT_READ", SYS_mprotect, { l->scratch + 12288, 4096, PROT_READ | PROT_WRITE } },
		{ "pkey_mprotect PROT_EXEC", SYS_pkey_mprotect, { l->scratch + 12288, 4096, PROT_READ | PROT_EXEC, NONE } },
		{ "memfd_create", SYS_memfd_create, { passwd, 0 } }, { "prctl", SYS_prctl, { PR_SET_DUMPABLE, 1 } },
		{ "prlimit64 of itself", SYS_prlimit64, { 0, 7, 0, 0 } }, { "prlimit64 of another", SYS_prlimit64, { pid, 7, 0, 0 } },
		{ "bpf", SYS_bpf, { 0, 1, 8 } }, { "perf_event_open", SYS_perf_event_open, { 1, 0, NONE, NONE, 0 } },
		{ "io_uring_setup", SYS_io_uring_setup, { 1, 1 } }, { "userfaultfd", SYS_userfaultfd, { NONE } },
		{ "keyctl", SYS_keyctl, { NONE } }, { "unshare", SYS_unshare, { NONE } }, { "setns", SYS_setns, { NONE, 0 } },
		{ "mount", SYS_mount, { 1, 1, 1, 0, 0 } }, { "chroot", SYS_chroot, { 1 } }, { "chdir", SYS_chdir, { passwd } },
		{ "setuid", SYS_setuid, { NONE } }, { "umask", SYS_umask, { 022 } }, { "fchmod", SYS_fchmod, { NONE, 0 } },
	};
	const struct { const char *what; long nr; } by_fd[] = {
		{ "sendto", SYS_sendto }, { "sendmsg", SYS_sendmsg }, { "recvmsg", SYS_recvmsg }, { "connect", SYS_connect },
	};

	opens(l, "/etc/passwd: open to read", passwd, O_RDONLY);
	opens(l, "/proc/self/mem: open to write", mem, O_RDWR);
	snprintf(name, sizeof name, "/proc/%d/mem", other);
	opens(l, "/proc/PID/mem: open to read", put_name(l, 2048, name, NULL), O_RDONLY);
	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
		long rc = call(l, tries[i].nr, tries[i].a);

		result(l, tries[i].what, rc);
		if (rc > 2 && (tries[i].nr == SYS_openat2 || tries[i].nr == SYS_socket || tries[i].nr == SYS_memfd_create))
			close_if(l, rc);
	}
	/* a pointer that no call takes: nothing is sent */
	for (size_t i = 0; i < sizeof by_fd / sizeof *by_fd; i++) {
		unsigned n = 0;

		for (uint64_t fd = 0; fd < 64; fd++) {
			long rc = CALL(l, by_fd[i].nr, fd, 1, by_fd[i].nr == SYS_sendto ? 8 : by_fd[i].nr == SYS_connect ? 16 : MSG_DONTWAIT,
			    MSG_DONTWAIT | MSG_NOSIGNAL);

			n += rc != -EPERM && rc != -EACCES;
		}
		snprintf(name, sizeof name, "%s: descriptors of 64", by_fd[i].what);
		fprintf(out, "%s\t%s\t%u\n", l->p->name, name, n);
	}
}

/* Each call, and each command of two of them, with arguments that are none: what the filter lets through. */
static void
all_calls(struct place *l)
{
	static const uint64_t none[6] = { NONE, NONE, NONE, NONE, NONE, NONE };
	static const unsigned ioctls[][2] = { { 0x5401, 0x5480 }, { 0x8900, 0x8960 }, { 0xae00, 0xae10 } };
	static const uint64_t single[] = { 0x802c542a /* TCGETS2 */, 0x402c542b /* TCSETS2 */, 0x40049409 /* FICLONE */,
	    0x4020940d /* FICLONERANGE */, 0x80087601 /* FS_IOC_GETVERSION */, 0x40087602 /* FS_IOC_SETVERSION */, 0x80086601 /* FS_IOC_GETFLAGS */, 0x40086602 /* FS_IOC_SETFLAGS */, 0xc020660b /* FIEMAP */ };
	char what[64];

	for (long nr = 0; nr < CALL_MAX; nr++) {
		if (nr == SYS_exit || nr == SYS_exit_group || nr == SYS_rt_sigreturn || nr == SYS_restart_syscall || (nr > 334 && nr < 424))
			continue;
		snprintf(what, sizeof what, "call %ld", nr);
		result(l, what, call(l, nr, none));
		if (nr == SYS_getpid)		/* with the bit of x32 */
			result(l, "call x32", call(l, nr | 0x40000000, none));
	}
	for (uint64_t c = 0; c < 2048; c += c == 20 ? 1004 : 1) {
		snprintf(what, sizeof what, "fcntl %u", (unsigned)c);
		result(l, what, CALL(l, SYS_fcntl, NONE, c, 0));
	}
	for (size_t i = 0; i < sizeof ioctls / sizeof *ioctls; i++)
		for (uint64_t c = ioctls[i][0]; c < ioctls[i][1]; c++) {
			snprintf(what, sizeof what, "ioctl %#x", (unsigned)c);
			result(l, what, CALL(l, SYS_ioctl, NONE, c, 1));
		}
	for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
		snprintf(what, sizeof what, "ioctl %#x", (unsigned)single[i]);
		result(l, what, CALL(l, SYS_ioctl, NONE, single[i], 1));
	}
}

/* A line of /proc/PID/status. */
static int
status_of(pid_t pid, const char *key)
{
	char name[64], line[256];
	int n = 0;
	FILE *f;

	snprintf(name, sizeof name, "/proc/%d/status", pid);
	if (!(f = fopen(name, "r")))
		return 0;
	while (fgets(line, sizeof line, f))
		if (!strncmp(line, key, strlen(key)))
			n = atoi(line + strlen(key));
	fclose(f);
	return n;
}

static void
probe(struct proc *p)
{
	static const char *const places[] = { "in", "out", "tmp", "store", "other" };
	struct place l = { .p = p };
	bool filtered = status_of(p->pid, "Seccomp_filters:") > filters;
	long rc;

	p->probed = true;
	ptrace(PTRACE_GETREGS, p->pid, NULL, &l.at);
	rc = CALL(&l, SYS_mmap, 0, SCRATCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, NONE, 0);
	if (rc < 0 && rc > -4096)
		errx(2, "%s: no memory", p->name);
	l.scratch = (uint64_t)rc;
	fprintf(out, "%s\tPR_SET_NO_NEW_PRIVS\t%d\n%s\tseccomp\t%d\n", p->name, status_of(p->pid, "NoNewPrivs:"), p->name, filtered);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		names(&l, places[i]);
	others(&l);
	if (filtered)
		all_calls(&l);
	CALL(&l, SYS_munmap, l.scratch, SCRATCH);
	fflush(out);
	if (!l.dead)
		ptrace(PTRACE_SETREGS, p->pid, NULL, &l.at);
}

/* ---- the command --------------------------------------------------------------------------------------- */

static struct proc *
known(pid_t pid)
{
	for (int i = 0; i < nprocs; i++)
		if (procs[i].pid == pid)
			return &procs[i];
	return NULL;
}

static void
add(pid_t pid, struct proc *parent, bool thread)
{
	struct proc *p = &procs[nprocs++];

	if (nprocs == PROCS)
		errx(2, "too many processes");
	nlive++;
	*p = (struct proc){ .pid = pid, .thread = thread };
	if (!parent) {
		strcpy(p->name, "main");
		return;
	}
	p->armed = parent->armed;
	if (thread) {
		snprintf(p->name, sizeof p->name, "%.60s thread", parent->name);
		p->probed = parent->has_thread;		/* the first one stands for all */
		parent->has_thread = true;
		if (!parent->armed)
			fprintf(out, "%s\tbegins before the lock\tok\n", p->name);
	} else if (parent->probed) {
		snprintf(p->name, sizeof p->name, "%.60s.child", parent->name);
		p->probed = parent->children++ > 0;
	} else
		snprintf(p->name, sizeof p->name, "%.60s.%d", parent->name, ++parent->children);
}

static bool
brings_data(const struct user_regs_struct *r)
{
	switch ((long)r->orig_rax) {
	case SYS_read: case SYS_pread64: case SYS_readv: case SYS_preadv: case SYS_recvmsg: case SYS_recvfrom: case SYS_wait4: case SYS_poll:
	case SYS_ppoll: case SYS_getdents64: case SYS_copy_file_range: case SYS_openat: case SYS_exit_group:
		return true;
	case SYS_mmap:
		return (int)r->r8 >= 0;
	}
	return false;
}

static bool
begins_thread(long nr)
{
	return nr == SYS_set_robust_list || nr == SYS_rseq || nr == SYS_rt_sigprocmask;
}

/* At the entry of a call of its own. */
static void
enters(struct proc *p)
{
	struct user_regs_struct r;

	ptrace(PTRACE_GETREGS, p->pid, NULL, &r);
	if (!p->probed && (p->thread ? !begins_thread((long)r.orig_rax) : p->armed ? brings_data(&r) : r.orig_rax == SYS_exit_group))
		probe(p);
	p->armed |= r.orig_rax == SYS_prctl && r.rdi == PR_SET_NO_NEW_PRIVS;
}

static void
made(struct proc *parent)
{
	unsigned long pid;
	int status;
	bool seen = false;

	ptrace(PTRACE_GETEVENTMSG, parent->pid, NULL, &pid);
	for (int i = 0; i < nearly; i++)
		if (early[i] == (pid_t)pid) {
			seen = true;
			early[i] = 0;
		}
	if (!seen)
		waitpid((pid_t)pid, &status, __WALL);
	add((pid_t)pid, parent, status_of((pid_t)pid, "Tgid:") != (int)pid);
	go((pid_t)pid, 0);
}

/* Until all have ended.  The status of the first process. */
static int
follow(pid_t first)
{
	int status, end = 2;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		struct proc *p = known(pid);

		if (pid == other)
			continue;
		if (!WIFSTOPPED(status)) {
			if (pid == first)
				end = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			if (p)
				p->pid = 0;
			if (p && !--nlive)
				kill(other, SIGKILL);
			continue;
		}
		if (!p) {
			early[nearly++ % PROCS] = pid;
			continue;
		}
		if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			p->inside = !p->inside;
			if (p->inside)
				enters(p);
			go(pid, 0);
		} else if (status >> 16) {
			if (status >> 16 != PTRACE_EVENT_EXEC)
				made(p);
			go(pid, 0);
		} else
			go(pid, WSTOPSIG(status));
	}
	return end;
}

/* From here on the call fails so; an argument of -1: whatever its first one is. */
static void
deny(unsigned nr, int64_t first, const char *name)
{
	int e = !strcmp(name, "ENOSYS") ? ENOSYS : !strcmp(name, "EINVAL") ? EINVAL : EPERM;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | (first < 0 ? BPF_JGE : BPF_JEQ) | BPF_K, first < 0 ? 0 : (uint32_t)first, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)e),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof code / sizeof *code, code };

	if (geteuid())
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog))
		err(2, "seccomp");
}

int
main(int argc, char **argv)
{
	const char *no[3] = { NULL };	/* Landlock, seccomp, PR_SET_NO_NEW_PRIVS */
	uid_t user = 0;
	int c, status;
	pid_t pid;

	while ((c = getopt(argc, argv, "+o:l:s:p:u:")) != -1)
		switch (c) {
		case 'o': out = fopen(optarg, "we"); break;
		case 'l': no[0] = optarg; break;
		case 's': no[1] = optarg; break;
		case 'p': no[2] = optarg; break;
		case 'u': user = (uid_t)atoi(optarg); break;
		default: return 2;
		}
	if (argc - optind < 2 || !out)
		errx(2, "usage: locked -o TABLE [-l ERRNO] [-s ERRNO] [-p ERRNO] [-u UID] DIR COMMAND...");
	dir = argv[optind];
	filters = status_of(getpid(), "Seccomp_filters:") + !!no[0] + 2 * !!no[1] + !!no[2];
	if (user && (setgroups(0, NULL) || setresgid(user, user, user) || setresuid(user, user, user)))
		err(2, "-u");
	if (user)
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	if ((other = fork()) == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	if ((pid = fork()) == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		/* the filter of PR_SET_NO_NEW_PRIVS last but one, that of seccomp last: none may be refused itself */
		if (no[0])
			deny(SYS_landlock_create_ruleset, -1, no[0]);
		if (no[2])
			deny(SYS_prctl, PR_SET_NO_NEW_PRIVS, no[2]);
		if (no[1]) {
			deny(SYS_prctl, PR_SET_SECCOMP, no[1]);
			deny(SYS_seccomp, -1, no[1]);
		}
		raise(SIGSTOP);
		execvp(argv[optind + 1], argv + optind + 1);
		_exit(127);
	}
	waitpid(pid, &status, __WALL);
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
	    PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC) < 0)
		err(2, "ptrace");
	add(pid, NULL, false);
	go(pid, 0);
	return follow(pid);
}
#else
int
main(void)
{
	fputs("locked: for x86-64 only\n", stderr);
	return 77;
}
#endif
