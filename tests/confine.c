/* SPDX-License-Identifier: ISC */
/*
 * confine.c - tries what a confined process must not do: confine [r|c|d|s|p DIR]...
 *
 * r, c, d: DIR may be read, or made files or directories in; s: as the process that looks files up; p: as one that reads ELF files.
 * Prints a line for each try, "name: refused" (EPERM, EACCES), "name: works" or "name: ERRNO", behind what holds.  Ends with 1 if
 * any works, with 3 if memory and threads do not.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/confine.h"

/* In a directory of its own; what the tries make is beside it. */
static char dir[] = "/tmp/confine.XXXXXX", victim[64], made[5][64];
enum { NEW, MOVED, LINK, SYM, DIR };
static char *const argv_true[] = { "true", NULL };
static pid_t other;
static int memory;

static long try_open(void) { return open("/etc/passwd", O_RDONLY); }
static long try_open_truncate(void) { return open(victim, O_RDONLY | O_TRUNC); }
static long try_open_write(void) { return open(victim, O_WRONLY); }
static long try_open_both(void) { return open(victim, O_RDWR | O_APPEND); }
static long try_open_unnamed(void) { return open(dir, O_TMPFILE | O_RDWR, 0600); }
static long try_creat(void) { return creat(made[NEW], 0600); }
static long try_unlink(void) { return unlink(victim); }
static long try_unlinkat(void) { return unlinkat(AT_FDCWD, victim, 0); }
static long try_rename(void) { return rename(victim, made[MOVED]); }
static long try_link(void) { return link(victim, made[LINK]); }
static long try_symlink(void) { return symlink("/etc/passwd", made[SYM]); }
static long try_mkdir(void) { return mkdir(made[DIR], 0700); }
static long try_truncate(void) { return truncate(victim, 0); }
static long try_chmod(void) { return chmod(victim, 0777); }
static long try_chown(void) { return chown(victim, 1, 1); }
static long try_utime(void) { return utimensat(AT_FDCWD, victim, NULL, 0); }
static long try_setxattr(void) { return syscall(SYS_setxattr, victim, "user.a", "b", 1, 0); }
static long try_chdir(void) { return chdir("/"); }
static long try_mount(void)
{
	long rc = syscall(SYS_mount, "none", "/mnt", "tmpfs", 0, NULL);

	if (!rc)
		syscall(SYS_umount2, "/mnt", MNT_DETACH);
	return rc;
}
static long try_socket(void) { return socket(AF_INET, SOCK_STREAM, 0); }
static long try_socketpair(void) { int fd[2]; return socketpair(AF_UNIX, SOCK_STREAM, 0, fd); }
static long try_unix(void) { return socket(AF_UNIX, SOCK_STREAM, 0); }
static long try_kill(void) { return kill(other, SIGTERM); }
static long try_tgkill(void) { return syscall(SYS_tgkill, other, other, SIGTERM); }
static long try_ptrace(void) { return ptrace(PTRACE_ATTACH, other, NULL, NULL); }
static long try_vm(void) { return syscall(SYS_process_vm_readv, other, NULL, 0, NULL, 0, 0); }
static long try_execve(void) { return execve("/bin/true", argv_true, NULL); }
static long try_execveat(void) { return syscall(SYS_execveat, memory, "", argv_true, NULL, 0x1000); }
static long try_fork(void) { pid_t pid = fork(); if (!pid) _exit(0); return pid; }
static long try_memfd(void) { return syscall(SYS_memfd_create, "x", 0); }
static long try_exec_memory(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}
static long try_exec_protect(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return mprotect(p, 4096, PROT_READ | PROT_EXEC);
}
static long try_keyctl(void) { return syscall(SYS_keyctl, 0, 0, 0, 0, 0); }
static long try_bpf(void) { return syscall(SYS_bpf, 0, NULL, 0); }
static long try_perf(void) { return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0); }
static long try_uring(void) { return syscall(SYS_io_uring_setup, 1, NULL); }
static long try_userfaultfd(void) { return syscall(SYS_userfaultfd, 0); }
static long try_unshare(void) { return syscall(SYS_unshare, 0x10000000); }
static long try_setns(void) { return syscall(SYS_setns, 0, 0); }
static long try_setuid(void) { return setuid(1000); }
static long try_prctl(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
static long try_tiocsti(void) { char c = 'x'; return ioctl(0, TIOCSTI, &c); }
static long try_setown(void) { return fcntl(0, F_SETOWN, other); }
static long try_handle(void) { return syscall(SYS_open_by_handle_at, -1, NULL, 0); }
static long try_pidfd(void) { return syscall(SYS_pidfd_open, other, 0); }
static long try_openat2(void)
{
	uint64_t how[3] = { O_WRONLY | O_TRUNC };

	return syscall(SYS_openat2, AT_FDCWD, victim, how, sizeof how);
}
static int thread_ends(void *arg) { (void)arg; return 0; }
/* A thread with a namespace of its own. */
static long try_clone_flags(int flags)
{
	static char stack[65536];
	long rc = clone(thread_ends, stack + sizeof stack, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | flags, NULL);

	if (rc > 0)
		usleep(100000);		/* until the stack is free again */
	return rc;
}
static long try_clone_mounts(void) { return try_clone_flags(CLONE_NEWNS); }
static long try_clone_user(void) { return try_clone_flags(CLONE_NEWUSER); }
static long try_clone_vfork(void) { return try_clone_flags(CLONE_VFORK); }

static const struct { const char *name; long (*fn)(void); } tries[] = {
	{ "open", try_open }, { "open O_TRUNC", try_open_truncate }, { "open O_WRONLY", try_open_write }, { "open O_RDWR", try_open_both },
	{ "open O_TMPFILE", try_open_unnamed }, { "creat", try_creat }, { "unlink", try_unlink }, { "unlinkat", try_unlinkat },
	{ "rename", try_rename }, { "link", try_link }, { "symlink", try_symlink }, { "mkdir", try_mkdir },
	{ "truncate", try_truncate }, { "chmod", try_chmod }, { "chown", try_chown }, { "utimensat", try_utime },
	{ "setxattr", try_setxattr }, { "chdir", try_chdir }, { "mount", try_mount }, { "socket", try_socket },
	{ "socketpair", try_socketpair }, { "socket of AF_UNIX", try_unix }, { "kill", try_kill }, { "tgkill", try_tgkill },
	{ "ptrace", try_ptrace }, { "process_vm_readv", try_vm }, { "execve", try_execve }, { "execveat of a memfd", try_execveat },
	{ "fork", try_fork }, { "memfd_create", try_memfd }, { "mmap PROT_EXEC", try_exec_memory },
	{ "mprotect PROT_EXEC", try_exec_protect }, { "keyctl", try_keyctl }, { "bpf", try_bpf }, { "perf_event_open", try_perf },
	{ "io_uring_setup", try_uring }, { "userfaultfd", try_userfaultfd }, { "unshare", try_unshare }, { "setns", try_setns },
	{ "setuid", try_setuid }, { "prctl", try_prctl }, { "ioctl TIOCSTI", try_tiocsti }, { "fcntl F_SETOWN", try_setown },
	{ "open_by_handle_at", try_handle }, { "pidfd_open", try_pidfd }, { "openat2 O_TRUNC", try_openat2 },
	{ "clone CLONE_NEWNS", try_clone_mounts }, { "clone CLONE_NEWUSER", try_clone_user }, { "clone CLONE_VFORK", try_clone_vfork },
};

static void *
thread(void *arg)
{
	return arg;
}

/* What must still work. */
static int
allowed(void)
{
	pthread_t t;
	void *p = malloc(1 << 24);

	if (!p || pthread_create(&t, NULL, thread, NULL) || pthread_join(t, NULL))
		return 3;
	free(p);
	return 0;
}

/* All tries, a line each. */
static int
try_all(int to)
{
	int bad = 0;

	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
		long rc = tries[i].fn();
		int e = errno, n;
		char line[100];

		n = snprintf(line, sizeof line, "%s: %s\n", tries[i].name,
		    rc >= 0 ? "works" : e == EPERM || e == EACCES ? "refused" : strerror(e));
		syscall(SYS_sendto, to, line, (size_t)n, 0, NULL, 0);
		bad |= rc >= 0 || (e != EPERM && e != EACCES);
	}
	return bad;
}

/* What they were: the locked process may send, but need not be able to write. */
static void
print_all(int from)
{
	char line[100];
	ssize_t n;

	while ((n = read(from, line, sizeof line)) > 0)
		fwrite(line, 1, (size_t)n, stdout);
}

static void
start_victims(void)
{
	if ((other = fork()) == 0) {
		alarm(10);		/* the lock refuses to end it */
		for (int fd = 0; fd < 20; fd++)
			close(fd);
		pause();
		_exit(0);
	}
	if (!mkdtemp(dir))
		exit(2);
	snprintf(victim, sizeof victim, "%s/victim", dir);
	close(creat(victim, 0600));
	for (int i = NEW; i <= DIR; i++)
		snprintf(made[i], sizeof made[i], "%s/%d", dir, i);
	memory = (int)syscall(SYS_memfd_create, "program", 0);
}

int
main(int argc, char **argv)
{
	struct confine c = { .off = false };
	char text[100];
	int fd[2], bad;
	pid_t pid;

	start_victims();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0 || (pid = fork()) < 0)
		return 2;
	if (pid) {
		close(fd[1]);
		print_all(fd[0]);
		waitpid(pid, &bad, 0);
		kill(other, SIGKILL);
		remove(victim);
		for (int i = NEW; i <= DIR; i++)
			remove(made[i]);
		remove(dir);
		return WIFEXITED(bad) ? WEXITSTATUS(bad) : 2;
	}
	c.peer = fd[1];
	c.rights = CONFINE_ASK;
	for (int i = 1; i + 1 < argc; i += 2)
		if (*argv[i] == 's')
			c.rights = CONFINE_SERVE;
		else if (*argv[i] == 'p')
			c.rights = CONFINE_PARSE;
		else if (confine_allow(&c, argv[i + 1], *argv[i] == 'r' ? CONFINE_READ : *argv[i] == 'd' ? CONFINE_DIRS :
		    CONFINE_CREATE | CONFINE_WRITE) < 0)
			return 2;
	if (confine_lock(&c, text, sizeof text) < 0)
		_exit(2);
	syscall(SYS_sendto, fd[1], strcat(text, "\n"), strlen(text) + 1, 0, NULL, 0);
	bad = !(c.rights & (CONFINE_SERVE | CONFINE_PARSE)) && allowed();
	_exit(bad | try_all(fd[1]));
}
