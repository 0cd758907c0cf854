// SPDX-License-Identifier: ISC
/*
 * cover.c - which parts of the library a test reaches: linked into one that was compiled with -fsanitize-coverage=trace-pc, for
 * tests/mutate.  A byte of the file $COVER, or $COVER.N in the N-th @test of a file of bats, is 1 for each address that was reached.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 4 << 20 };		/* more than the library has */

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
static unsigned char *reached;

void __sanitizer_cov_trace_pc(void);

void
__sanitizer_cov_trace_pc(void)
{
	uintptr_t at = (uintptr_t)__builtin_return_address(0) - (uintptr_t)__ehdr_start;

	if (reached && at < SIZE)
		reached[at] = 1;
}

__attribute__((constructor))
static void
begin(void)
{
	const char *name = getenv("COVER"), *n = getenv("BATS_TEST_NUMBER");
	struct rlimit limit;
	char path[4096];
	void *p;
	int fd;

	if (!name || (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < SIZE))
		return;
	snprintf(path, sizeof path, "%s%s%s", name, n ? "." : "", n ? n : "");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	(void)!fchmod(fd, 0666);		/* another user may come */
	if (ftruncate(fd, SIZE) == 0 && (p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) != MAP_FAILED)
		reached = p;
	close(fd);
}
