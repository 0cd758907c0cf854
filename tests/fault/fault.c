/* SPDX-License-Identifier: ISC */
/*
 * fault.c - makes system calls fail: LD_PRELOAD=fault.so FAULT=... command
 *
 * FAULT is a comma-separated list of
 *	CALL:N:ERRNO	the N-th CALL (from 1) fails with ERRNO (EIO, ENOSPC, EINTR, EAGAIN, EMFILE, ENOMEM, EACCES, EPERM)
 *	CALL:N+:ERRNO	the N-th and all later ones
 *	CALL:short	CALL moves one byte at a time
 *	CALL:ERRNO	every other CALL fails with ERRNO, starting with the first (EINTR and EAGAIN storms)
 *	CALL:count	how many there were is written to standard error at exit: "fault: CALL 12"
 * CALL: read pread readv write writev splice vmsplice tee open close mmap malloc tmpfile (an open with O_TMPFILE) prctl getrandom poll
 * copy_file_range.
 * 64-bit names, openat and those of _FORTIFY_SOURCE count as their plain names, calloc and realloc as malloc.  Writes to standard error
 * are left alone.
 *
 * Only calls that the program makes through the C library's public names are seen; stdio's own are not.
 */
#undef _FILE_OFFSET_BITS		/* with these the plain names would stand for the 64-bit ones, which are defined here too */
#undef _TIME_BITS
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/uio.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const calls[] = {
	"read", "pread", "readv", "write", "writev", "splice", "vmsplice", "tee", "open", "close", "mmap", "malloc",
	"tmpfile", "prctl", "getrandom", "poll", "copy_file_range"
};
enum { READ, PREAD, READV, WRITE, WRITEV, SPLICE, VMSPLICE, TEE, OPEN, CLOSE, MMAP, MALLOC, TMPFILE, PRCTL, GETRANDOM, POLL, COPY_RANGE, NCALLS };
static const struct { const char *name; int value; } errors[] = {
	{ "EIO", EIO }, { "ENOSPC", ENOSPC }, { "EINTR", EINTR }, { "EAGAIN", EAGAIN }, { "EMFILE", EMFILE },
	{ "ENOMEM", ENOMEM }, { "EACCES", EACCES }, { "EPIPE", EPIPE }, { "EINVAL", EINVAL }, { "EBADF", EBADF },
	{ "EOPNOTSUPP", EOPNOTSUPP }, { "EPERM", EPERM }, { "ENOSYS", ENOSYS },
};
static struct plan {
	unsigned long	seen, nth;	/* nth 0: not that one */
	bool		later, shortly, counted;
	int		error, storm;	/* errno; storm: every other call */
} plans[NCALLS];

static int
error_number(const char *s)
{
	for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
		if (!strcmp(errors[i].name, s))
			return errors[i].value;
	return EIO;
}

/* No malloc and no stdio here: this runs before main, and malloc is one of the calls. */
__attribute__((constructor)) static void
init(void)
{
	const char *env = getenv("FAULT");
	char text[512], *p = text, *item, *end;

	if (!env || strlen(env) >= sizeof text)
		return;
	strcpy(text, env);
	while ((item = strsep(&p, ","))) {
		char *call = strsep(&item, ":");
		unsigned c = 0;

		while (c < NCALLS && strcmp(calls[c], call))
			c++;
		if (c == NCALLS || !item)
			abort();
		if (!strcmp(item, "short"))
			plans[c].shortly = true;
		else if (!strcmp(item, "count"))
			plans[c].counted = true;
		else if (*item >= '0' && *item <= '9') {
			plans[c].nth = strtoul(item, &end, 10);
			plans[c].later = *end == '+';
			plans[c].error = error_number(strchr(end, ':') ? strchr(end, ':') + 1 : "EIO");
		} else
			plans[c].storm = error_number(item);
	}
}

__attribute__((destructor)) static void
tell(void)
{
	for (unsigned c = 0; c < NCALLS; c++)
		if (plans[c].counted)
			dprintf(STDERR_FILENO, "fault: %s %lu\n", calls[c], plans[c].seen);
}

/* Shall this call fail?  Sets errno. */
static bool
fails(unsigned call)
{
	struct plan *p = &plans[call];
	unsigned long n = __atomic_add_fetch(&p->seen, 1, __ATOMIC_RELAXED);
	int e = p->nth && (n == p->nth || (p->later && n > p->nth)) ? p->error : n % 2 ? p->storm : 0;

	if (e)
		errno = e;
	return e;
}

static size_t
at_most(unsigned call, size_t n)
{
	return plans[call].shortly && n > 1 ? 1 : n;
}

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__);					\
	if (!real)										\
		*(void **)&real = dlsym(RTLD_NEXT, name)

ssize_t
read(int fd, void *p, size_t n)
{
	REAL(ssize_t, "read", int, void *, size_t);
	return fails(READ) ? -1 : real(fd, p, at_most(READ, n));
}

ssize_t
pread(int fd, void *p, size_t n, off_t off)
{
	REAL(ssize_t, "pread", int, void *, size_t, off_t);
	return fails(PREAD) ? -1 : real(fd, p, at_most(PREAD, n), off);
}

ssize_t
pread64(int fd, void *p, size_t n, off64_t off)
{
	REAL(ssize_t, "pread64", int, void *, size_t, off64_t);
	return fails(PREAD) ? -1 : real(fd, p, at_most(PREAD, n), off);
}

ssize_t
copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t n, unsigned flags)
{
	REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned);
	return fails(COPY_RANGE) ? -1 : real(from, from_at, to, to_at, at_most(COPY_RANGE, n), flags);
}

/* What _FORTIFY_SOURCE makes of these calls, if a size is unknown when the program is compiled. */
int	__poll_chk(struct pollfd *, nfds_t, int, size_t);
ssize_t	__read_chk(int, void *, size_t, size_t);
ssize_t	__pread_chk(int, void *, size_t, off_t, size_t);
ssize_t	__pread64_chk(int, void *, size_t, off64_t, size_t);
int	__open_2(const char *, int);
int	__open64_2(const char *, int);
int	__openat_2(int, const char *, int);
int	__openat64_2(int, const char *, int);

ssize_t
__read_chk(int fd, void *p, size_t n, size_t space)
{
	return n <= space ? read(fd, p, n) : (abort(), -1);
}

ssize_t
__pread_chk(int fd, void *p, size_t n, off_t off, size_t space)
{
	return n <= space ? pread(fd, p, n, off) : (abort(), -1);
}

ssize_t
__pread64_chk(int fd, void *p, size_t n, off64_t off, size_t space)
{
	return n <= space ? pread64(fd, p, n, off) : (abort(), -1);
}

ssize_t
readv(int fd, const struct iovec *v, int n)
{
	REAL(ssize_t, "readv", int, const struct iovec *, int);
	if (fails(READV))
		return -1;
	if (plans[READV].shortly && n > 0 && v->iov_len)
		return real(fd, &(struct iovec){ v->iov_base, 1 }, 1);
	return real(fd, v, n);
}

ssize_t
write(int fd, const void *p, size_t n)
{
	REAL(ssize_t, "write", int, const void *, size_t);
	if (fd == STDERR_FILENO)
		return real(fd, p, n);
	return fails(WRITE) ? -1 : real(fd, p, at_most(WRITE, n));
}

ssize_t
writev(int fd, const struct iovec *v, int n)
{
	REAL(ssize_t, "writev", int, const struct iovec *, int);
	if (fd == STDERR_FILENO)
		return real(fd, v, n);
	if (fails(WRITEV))
		return -1;
	if (plans[WRITEV].shortly && n > 0) {
		while (n > 1 && !v->iov_len)
			v++, n--;
		return real(fd, &(struct iovec){ v->iov_base, v->iov_len > 0 }, 1);
	}
	return real(fd, v, n);
}

ssize_t
splice(int in, off64_t *ioff, int out, off64_t *ooff, size_t n, unsigned flags)
{
	REAL(ssize_t, "splice", int, off64_t *, int, off64_t *, size_t, unsigned);
	return fails(SPLICE) ? -1 : real(in, ioff, out, ooff, at_most(SPLICE, n), flags);
}

ssize_t
vmsplice(int fd, const struct iovec *v, size_t n, unsigned flags)
{
	REAL(ssize_t, "vmsplice", int, const struct iovec *, size_t, unsigned);
	return fails(VMSPLICE) ? -1 : real(fd, v, n, flags);
}

ssize_t
tee(int in, int out, size_t n, unsigned flags)
{
	REAL(ssize_t, "tee", int, int, size_t, unsigned);
	return fails(TEE) ? -1 : real(in, out, at_most(TEE, n), flags);
}

int
openat(int dir, const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;
	REAL(int, "openat", int, const char *, int, ...);

	va_start(ap, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	if ((flags & O_TMPFILE) == O_TMPFILE && fails(TMPFILE))
		return -1;
	return fails(OPEN) ? -1 : real(dir, path, flags, mode);
}

int
open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return openat(AT_FDCWD, path, flags, mode);
}

int	open64(const char *, int, ...) __attribute__((alias("open")));
int	openat64(int, const char *, int, ...) __attribute__((alias("openat")));

int
__open_2(const char *path, int flags)
{
	return open(path, flags);
}

int
__openat_2(int dir, const char *path, int flags)
{
	return openat(dir, path, flags);
}

int	__open64_2(const char *, int) __attribute__((alias("__open_2")));
int	__openat64_2(int, const char *, int) __attribute__((alias("__openat_2")));

int
prctl(int what, ...)
{
	va_list ap;
	unsigned long a[4];
	REAL(int, "prctl", int, ...);

	va_start(ap, what);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, unsigned long);
	va_end(ap);
	return fails(PRCTL) ? -1 : real(what, a[0], a[1], a[2], a[3]);
}
int	__prctl_time64(int, ...) __THROW __attribute__((alias("prctl")));

ssize_t
getrandom(void *p, size_t n, unsigned flags)
{
	REAL(ssize_t, "getrandom", void *, size_t, unsigned);
	return fails(GETRANDOM) ? -1 : real(p, n, flags);
}

int
close(int fd)
{
	REAL(int, "close", int);
	int e;

	if (!fails(CLOSE))
		return real(fd);
	e = errno;			/* as in the kernel: the descriptor is closed, and the error is returned */
	real(fd);
	errno = e;
	return -1;
}

int
poll(struct pollfd *p, nfds_t n, int ms)
{
	REAL(int, "poll", struct pollfd *, nfds_t, int);
	return fails(POLL) ? -1 : real(p, n, ms);
}

int
__poll_chk(struct pollfd *p, nfds_t n, int ms, size_t space)
{
	REAL(int, "__poll_chk", struct pollfd *, nfds_t, int, size_t);
	return fails(POLL) ? -1 : real(p, n, ms, space);
}

void *
mmap(void *p, size_t n, int prot, int flags, int fd, off_t off)
{
	REAL(void *, "mmap", void *, size_t, int, int, int, off_t);
	return fails(MMAP) ? MAP_FAILED : real(p, n, prot, flags, fd, off);
}

void *
mmap64(void *p, size_t n, int prot, int flags, int fd, off64_t off)
{
	REAL(void *, "mmap64", void *, size_t, int, int, int, off64_t);
	return fails(MMAP) ? MAP_FAILED : real(p, n, prot, flags, fd, off);
}

/* The C library's own names for its allocator: dlsym() would allocate. */
void	*__libc_malloc(size_t);
void	*__libc_calloc(size_t, size_t);
void	*__libc_realloc(void *, size_t);

void *
malloc(size_t n)
{
	return fails(MALLOC) ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return fails(MALLOC) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return fails(MALLOC) ? NULL : __libc_realloc(p, n);
}
