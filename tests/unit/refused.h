/* SPDX-License-Identifier: ISC */
/*
 * refused.h - calls of the C library that fail, or do less than they could, once: the nth of their kind from refuse() on
 *
 * Not with a sanitizer, which has these functions itself, and not where longs have 32 bits, whose calls have several names: then
 * nothing is refused.  To be included first.
 */
#ifndef PP_TEST_REFUSED_H
#define PP_TEST_REFUSED_H

#undef _FORTIFY_SOURCE		/* which has other names for them */

#include <sys/stat.h>
#include <sys/uio.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum refused {
	REFUSE_NOTHING,
	REFUSE_MEMORY,			/* malloc() and its kind: NULL */
	REFUSE_CALL,			/* a call of the system: EIO */
	REFUSE_NOW,			/* one that reads or writes: EINTR, and it can be repeated */
	REFUSE_MOST,			/* one that reads or writes: it takes one byte */
	REFUSE_KINDS
};

static enum refused refused;
static bool no_copy_file_range;		/* that call always fails, as between file systems on some kernels */
static atomic_long refused_left;
static atomic_long allocated;

static inline void
refuse(enum refused what, long nth)
{
	refused = what;
	atomic_store(&refused_left, nth);
}

/* Pieces of memory in use, since the program began. */
static inline long
pieces_in_use(void)
{
	return atomic_load(&allocated);
}

/* Ends that.  Has it happened? */
static inline bool
refused_once(void)
{
	bool done = atomic_load(&refused_left) <= 0;

	refused = REFUSE_NOTHING;
	no_copy_file_range = false;
	return done;
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || !defined __GLIBC__ || !defined __LP64__
#define REFUSES false
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define REFUSES false
#endif
#endif

#ifndef REFUSES
#define REFUSES true

static bool
refuses(enum refused what)
{
	return refused == what && atomic_fetch_sub(&refused_left, 1) == 1;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

void	*__libc_malloc(size_t);
void	*__libc_calloc(size_t, size_t);
void	*__libc_realloc(void *, size_t);
void	 __libc_free(void *);

static bool
no_memory(void)
{
	if (!refuses(REFUSE_MEMORY))
		return false;
	errno = ENOMEM;
	return true;
}

static void *
allocated_now(void *p)
{
	atomic_fetch_add(&allocated, p != NULL);
	return p;
}

void *
malloc(size_t n)
{
	return no_memory() ? NULL : allocated_now(__libc_malloc(n));
}

void *
calloc(size_t n, size_t size)
{
	return no_memory() ? NULL : allocated_now(__libc_calloc(n, size));
}

void *
realloc(void *p, size_t n)
{
	return no_memory() ? NULL : p ? __libc_realloc(p, n) : allocated_now(__libc_malloc(n));
}

void
free(void *p)
{
	atomic_fetch_sub(&allocated, p != NULL);
	__libc_free(p);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static bool
call_fails(void)
{
	if (!refuses(REFUSE_CALL))
		return false;
	errno = EIO;
	return true;
}

/* One that reads or writes. */
static bool
transfer_fails(size_t *n)
{
	if (refuses(REFUSE_NOW)) {
		errno = EINTR;
		return true;
	}
	if (*n > 1 && refuses(REFUSE_MOST))
		*n = 1;
	return call_fails();
}

/* The function of the C library, by the name that it has there. */
#define REAL(name, type) ((type)(uintptr_t)dlsym(RTLD_NEXT, name))

ssize_t
read(int fd, void *p, size_t n)
{
	return transfer_fails(&n) ? -1 : REAL("read", ssize_t (*)(int, void *, size_t))(fd, p, n);
}

ssize_t
write(int fd, const void *p, size_t n)
{
	return transfer_fails(&n) ? -1 : REAL("write", ssize_t (*)(int, const void *, size_t))(fd, p, n);
}

ssize_t
pread(int fd, void *p, size_t n, off_t off)
{
	return transfer_fails(&n) ? -1 : REAL("pread64", ssize_t (*)(int, void *, size_t, int64_t))(fd, p, n, off);
}

ssize_t
pwrite(int fd, const void *p, size_t n, off_t off)
{
	return transfer_fails(&n) ? -1 : REAL("pwrite64", ssize_t (*)(int, const void *, size_t, int64_t))(fd, p, n, off);
}

ssize_t
writev(int fd, const struct iovec *v, int n)
{
	size_t some = n && v[0].iov_len ? v[0].iov_len : 1;
	struct iovec one;

	if (transfer_fails(&some))
		return -1;
	one = n ? (struct iovec){ v[0].iov_base, some } : (struct iovec){ NULL, 0 };
	return REAL("writev", ssize_t (*)(int, const struct iovec *, int))(fd, n && some < v[0].iov_len ? &one : v, n && some < v[0].iov_len ? 1 : n);
}

ssize_t
copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags)
{
	if (no_copy_file_range) {
		errno = EXDEV;
		return -1;
	}
	if (call_fails())
		return -1;
	if (n > 1 && refuses(REFUSE_MOST))
		n = 1;
	return REAL("copy_file_range", ssize_t (*)(int, off64_t *, int, off64_t *, size_t, unsigned))(in, from, out, to, n, flags);
}

int
fstat(int fd, struct stat *st)
{
	return call_fails() ? -1 : REAL("fstat64", int (*)(int, struct stat *))(fd, st);
}

int
ftruncate(int fd, off_t n)
{
	return call_fails() ? -1 : REAL("ftruncate64", int (*)(int, int64_t))(fd, n);
}

int
fcntl(int fd, int what, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, what);
	arg = va_arg(ap, void *);
	va_end(ap);
	return (what == F_DUPFD_CLOEXEC && call_fails()) ? -1 : REAL("fcntl64", int (*)(int, int, ...))(fd, what, arg);
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	return call_fails() ? EAGAIN : REAL("pthread_create", int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))(thread, attr, run, arg);
}

int
open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return call_fails() ? -1 : REAL("open64", int (*)(const char *, int, ...))(path, flags, mode);
}

int
openat(int dir, const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return call_fails() ? -1 : REAL("openat64", int (*)(int, const char *, int, ...))(dir, path, flags, mode);
}

#endif
#endif
