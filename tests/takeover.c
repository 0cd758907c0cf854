/* SPDX-License-Identifier: ISC */
/*
 * takeover.c - a load for perf record: threads that exec, and so take the number of the first thread of their process, which has
 * ended.  Between its EXIT and the COMM of the exec more other tasks end than pp_state keeps.
 *
 *	takeover PROGRAM...
 *
 * The programs are links to this one.  Each execs the next, and does what its name begins with:
 *	k	300 threads wait; the exec of one more kills them and the first
 *	l	the first thread leaves; another makes 300 short processes, then execs
 *	q	the exec of a thread kills the first
 * The last one has a child with the number that the thread had before the exec, if it may set numbers, and 300 others.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 300, STACK = 64 << 10 };

static char **next;			/* the programs that follow, and NULL */
static int children;			/* to make before the exec */

/* Use the CPU for so many ms more. */
static void
burn(long ms)
{
	struct timespec t, end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	end.tv_nsec += ms * 1000000;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while ((t.tv_sec - end.tv_sec) * 1000000000 + t.tv_nsec < end.tv_nsec);
}

static void
fail(const char *what)
{
	fprintf(stderr, "takeover: ");
	perror(what);
	exit(1);
}

/* A child that ends at once, or works for some ms. */
static void
child(long ms)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (!pid) {
		if (ms)
			burn(ms);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void *
exec_next(void *arg)
{
	char number[16];

	(void)arg;
	burn(10);
	for (; children; children--)
		child(0);
	burn(10);
	snprintf(number, sizeof number, "%d", (int)gettid());
	setenv("TAKEOVER_WAS", number, 1);
	execv(*next, next);
	fail(*next);
	return NULL;
}

static void *
wait_for_ever(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static void
start(void *(*fn)(void *))
{
	pthread_attr_t small;
	pthread_t t;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK);
	if (pthread_create(&t, &small, fn, NULL) != 0)
		fail("thread");
}

/* The next task gets the number of the thread that called exec. */
static void
number_of_before(void)
{
	const char *was = getenv("TAKEOVER_WAS");
	FILE *f = was ? fopen("/proc/sys/kernel/ns_last_pid", "w") : NULL;

	if (!f)
		return;
	fprintf(f, "%d", atoi(was) - 1);
	fclose(f);
}

int
main(int argc, char *argv[])
{
	const char *name = strrchr(argv[0], '/');

	name = name ? name + 1 : argv[0];
	next = argv + 1;
	burn(10);
	if (argc < 2) {
		number_of_before();
		child(10);
		for (int i = 0; i < MANY; i++)
			child(0);
		burn(20);
		return 0;
	}
	if (*name == 'k')
		for (int i = 0; i < MANY; i++)
			start(wait_for_ever);
	children = *name == 'l' ? MANY : 0;
	start(exec_next);
	if (*name == 'l')
		pthread_exit(NULL);
	wait_for_ever(NULL);
}
