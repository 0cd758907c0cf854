/* SPDX-License-Identifier: ISC */
/*
 * failing.c - makes one system call of a command fail: failing [-o CALLS] [-n N -t TASK -c CALL (-e ERRNO | -k)] [-s SECONDS] COMMAND...
 *
 * Runs the command under ptrace(2), with all processes and threads that it makes.  Calls are counted in each of them from the first
 * instruction of the program on, that is without those of the dynamic linker.  -n: the N-th call (from 1) of TASK, if it is CALL, fails
 * with the number ERRNO, and is not made, except for close(2), which closes whatever it returns; -k: instead of it, all tasks get SIGKILL.
 * TASK is 0 for the first process, 0.1 for the first task that it makes.
 *
 * -o: a line "TASK<tab>N<tab>CALL<tab>RESULT<tab>ARGUMENT<tab>ARGUMENT" for each call, by numbers, with the first two arguments; of
 * that which was made to fail RESULT is "failed".
 * Ends with the status of the command, 128 and the number if it was a signal, 124 after SECONDS (10).
 */
#include <stdio.h>

#ifdef __x86_64__
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <linux/ptrace.h>

#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TASKS = 1024, NAME = 64 };

struct task {
	char	 name[NAME];		/* "": stopped, and what made it has not said so yet */
	long	 nr;			/* of the call that it is in */
	uint64_t arg[2];
	uint64_t entry;			/* of the program, while loading */
	long	 code;			/* what was there */
	pid_t	 pid;			/* 0: free */
	unsigned made, calls;
	bool	 loading, fails;	/* in the dynamic linker; this call is the one */
};

static struct task tasks[TASKS];
static FILE *out;
static const char *target = "";
static unsigned nth;
static int error;
static long failing_call = -1;
static bool kills;
static pid_t first;
static volatile sig_atomic_t late;

static void
on_alarm(int sig)
{
	(void)sig;
	late = 1;
}

static struct task *
task_of(pid_t pid, bool add)
{
	struct task *unused = NULL;

	for (struct task *t = tasks; t < tasks + TASKS; t++)
		if (t->pid == pid)
			return t;
		else if (!t->pid && !unused)
			unused = t;
	if (!add)
		return NULL;
	if (!unused)
		errx(2, "more than %d tasks", TASKS);
	*unused = (struct task){ .pid = pid };
	return unused;
}

static void
go(struct task *t, int sig)
{
	ptrace(t->loading ? PTRACE_CONT : PTRACE_SYSCALL, t->pid, NULL, (void *)(uintptr_t)sig);
}

static void
kill_all(void)
{
	for (struct task *t = tasks; t < tasks + TASKS; t++)
		if (t->pid)
			kill(t->pid, SIGKILL);
}

/* A program was executed: let it run to its first instruction. */
static void
load(struct task *t)
{
	char path[64];
	Elf64_auxv_t a;
	int fd;

	t->entry = 0;
	snprintf(path, sizeof path, "/proc/%d/auxv", (int)t->pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0) {
		while (read(fd, &a, sizeof a) == (ssize_t)sizeof a)
			if (a.a_type == AT_ENTRY)
				t->entry = a.a_un.a_val;
		close(fd);
	}
	if (!t->entry)
		errx(2, "%s: no entry of the program", path);
	t->code = ptrace(PTRACE_PEEKTEXT, t->pid, (void *)t->entry, NULL);
	ptrace(PTRACE_POKETEXT, t->pid, (void *)t->entry, (void *)((t->code & ~0xffL) | 0xcc));
	t->loading = true;
}

/* True: the stop was that of load(). */
static bool
loaded(struct task *t)
{
	struct user_regs_struct r;

	if (!t->loading || ptrace(PTRACE_GETREGS, t->pid, NULL, &r) < 0 || r.rip != t->entry + 1)
		return false;
	ptrace(PTRACE_POKETEXT, t->pid, (void *)t->entry, (void *)t->code);
	r.rip = t->entry;
	ptrace(PTRACE_SETREGS, t->pid, NULL, &r);
	t->loading = false;
	return true;
}

/* The process that has made that task, or who took its place when it ended. */
static pid_t
maker(pid_t pid)
{
	char path[64], line[256];
	int group = pid, parent = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "Tgid: %d", &group) != 1 && sscanf(line, "PPid: %d", &parent) == 1)
			break;
	if (f)
		fclose(f);
	return group == pid ? parent : group;
}

/* Who was killed while it made a task cannot say so: that task waits for its name, and for nothing else. */
static void
go_orphans(void)
{
	for (struct task *t = tasks; t < tasks + TASKS; t++)
		if (t->pid && !t->name[0] && !task_of(maker(t->pid), false)) {
			strcpy(t->name, "?");
			go(t, 0);
		}
}

/* The task has made another. */
static void
made(struct task *parent)
{
	unsigned long pid;
	struct task *t;

	if (ptrace(PTRACE_GETEVENTMSG, parent->pid, NULL, &pid) < 0)
		return;
	t = task_of((pid_t)pid, false);
	if (t) {			/* it waits for its name */
		snprintf(t->name, sizeof t->name, "%.50s.%u", parent->name, ++parent->made);
		go(t, 0);
	} else {
		t = task_of((pid_t)pid, true);
		snprintf(t->name, sizeof t->name, "%.50s.%u", parent->name, ++parent->made);
	}
}

static void
print_call(const struct task *t, int64_t result)
{
	char text[24] = "failed";

	if (!t->fails)
		snprintf(text, sizeof text, "%lld", (long long)result);
	fprintf(out, "%s\t%u\t%ld\t%s\t%lld\t%lld\n", t->name, t->calls, t->nr, text, (long long)t->arg[0], (long long)t->arg[1]);
}

static void
at_call(struct task *t)
{
	struct __ptrace_syscall_info i;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, t->pid, (void *)sizeof i, &i) < 0)
		return;
	if (i.op == PTRACE_SYSCALL_INFO_ENTRY) {
		t->nr = (long)i.entry.nr;
		memcpy(t->arg, i.entry.args, sizeof t->arg);
		if (++t->calls != nth || strcmp(t->name, target) || t->nr != failing_call)
			return;
		if (kills) {
			kill_all();
			return;
		}
		t->fails = true;
		if (t->nr != SYS_close)		/* there is no call -1, and no filter allows it */
			ptrace(PTRACE_POKEUSER, t->pid, (void *)offsetof(struct user_regs_struct, orig_rax), (void *)-1L);
	} else if (i.op == PTRACE_SYSCALL_INFO_EXIT) {
		if (t->fails)
			ptrace(PTRACE_POKEUSER, t->pid, (void *)offsetof(struct user_regs_struct, rax), (void *)(long)-error);
		if (out)
			print_call(t, i.exit.rval);
		t->fails = false;
	}
}

static int
follow(void)
{
	int end = 2, status;
	struct task *t;
	pid_t pid;

	for (;;) {
		if (late)
			kill_all();
		if ((pid = waitpid(-1, &status, __WALL)) < 0) {
			if (errno == EINTR)
				continue;
			break;
		}
		t = task_of(pid, false);
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (pid == first)
				end = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			if (t)
				t->pid = 0;
			go_orphans();
			continue;
		}
		if (!t) {
			task_of(pid, true);
			go_orphans();
			continue;
		}
		if (!t->name[0])
			continue;
		if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			at_call(t);
			go(t, 0);
		} else if (status >> 16) {
			if (status >> 16 == PTRACE_EVENT_EXEC)
				load(t);
			else
				made(t);
			go(t, 0);
		} else
			go(t, (WSTOPSIG(status) == SIGTRAP && loaded(t)) || (WSTOPSIG(status) == SIGSTOP && !t->calls) ? 0 : WSTOPSIG(status));
	}
	return late ? 124 : end;
}

int
main(int argc, char **argv)
{
	unsigned seconds = 10;
	int c, status;

	while ((c = getopt(argc, argv, "+o:n:t:c:e:ks:")) != -1)
		switch (c) {
		case 'o': out = fopen(optarg, "we"); break;
		case 'n': nth = (unsigned)atoi(optarg); break;
		case 't': target = optarg; break;
		case 'c': failing_call = atol(optarg); break;
		case 'e': error = atoi(optarg); break;
		case 'k': kills = true; break;
		case 's': seconds = (unsigned)atoi(optarg); break;
		default: return 2;
		}
	if (optind == argc)
		errx(2, "usage: failing [-o CALLS] [-n N -t TASK -c CALL (-e ERRNO | -k)] [-s SECONDS] COMMAND...");
	if ((first = fork()) == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(argv[optind], argv + optind);
		_exit(127);
	}
	waitpid(first, &status, __WALL);
	if (ptrace(PTRACE_SETOPTIONS, first, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
	    PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC) < 0)
		err(2, "ptrace");
	strcpy(task_of(first, true)->name, "0");
	task_of(first, false)->loading = true;		/* until it is executed, which says where it begins */
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_alarm }, NULL);
	alarm(seconds);
	ptrace(PTRACE_CONT, first, NULL, NULL);
	return follow();
}
#else
int
main(void)
{
	fputs("failing: for x86-64 only\n", stderr);
	return 77;
}
#endif
