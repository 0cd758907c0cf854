/* SPDX-License-Identifier: ISC */
/*
 * kallsyms.c - a program reads another file for /proc/kallsyms: LD_PRELOAD=kallsyms.so KALLSYMS_FILE=... command
 *
 * perf record and perf inject read all of its 100,000 lines, up to three times, for the addresses of a few symbols: nine tenths of
 * their time, if root runs them.  The programs that they start are left alone.
 *
 * Without KALLSYMS_FILE it only keeps perf from giving files further names.
 */
#undef _FILE_OFFSET_BITS		/* with these the plain names would stand for the 64-bit ones, which are defined here too */
#undef _TIME_BITS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int	__open_2(const char *, int);
int	__open64_2(const char *, int);

static const char *file;

__attribute__((constructor)) static void
init(void)
{
	file = getenv("KALLSYMS_FILE");
	unsetenv("LD_PRELOAD");
}

static const char *
instead(const char *path)
{
	return file && path && !strcmp(path, "/proc/kallsyms") ? file : path;
}

#define CALL(type, name, ...) static type (*call)(__VA_ARGS__);					\
	if (!call)										\
		*(void **)&call = dlsym(RTLD_NEXT, name)

/* mode: of these flags, if they come with one */
#define MODE(flags) mode_t mode = 0;								\
	va_list ap;										\
	va_start(ap, flags);									\
	if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE)				\
		mode = va_arg(ap, mode_t);							\
	va_end(ap)

int
open(const char *path, int flags, ...)
{
	CALL(int, "open", const char *, int, ...);
	MODE(flags);
	return call(instead(path), flags, mode);
}

int
open64(const char *path, int flags, ...)
{
	CALL(int, "open64", const char *, int, ...);
	MODE(flags);
	return call(instead(path), flags, mode);
}

int
__open_2(const char *path, int flags)
{
	return open(path, flags);
}

int
__open64_2(const char *path, int flags)
{
	return open64(path, flags);
}

FILE *
fopen(const char *path, const char *mode)
{
	CALL(FILE *, "fopen", const char *, const char *);
	return call(instead(path), mode);
}

FILE *
fopen64(const char *path, const char *mode)
{
	CALL(FILE *, "fopen64", const char *, const char *);
	return call(instead(path), mode);
}

/*
 * perf inject and perf buildid-cache put files into the build-id cache, by another name if they can, else as a copy, which is written by
 * another name in that directory.  When a file of the system gets or loses a name, its ctime changes, and pinject, in another test, takes
 * it for another file.
 */
int
link(const char *from, const char *to)
{
	CALL(int, "link", const char *, const char *);
	const char *end = strrchr(to, '/');

	if (!end || strncmp(from, to, (size_t)(end + 1 - to)) || strchr(from + (end + 1 - to), '/')) {
		errno = EXDEV;
		return -1;
	}
	return call(from, to);
}
