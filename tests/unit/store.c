/* SPDX-License-Identifier: ISC */
/* The directory of --buildid-dir, looked at by the system's own calls. */
#include <sys/resource.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store.h"

#include "check.h"

static char top[] = "/tmp/store.XXXXXX", dir[64];
static const struct build_id id = { { 0xab, 0xcd, 0xef, 1 }, 4 };
static struct tool tool = { .name = "test", .confine = { .off = true } };

static const char *
path(const char *rest)
{
	static char text[4][256];
	static int i;

	i = (i + 1) % 4;
	snprintf(text[i], sizeof text[i], "%s%s", dir, rest);
	return text[i];
}

static void
is_file(const char *rest, const void *want, size_t n)
{
	uint8_t got[300000];
	struct stat st;
	int fd = open(path(rest), O_RDONLY);

	if (fd < 0)
		fail_msg("no %s", rest);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_size, n);
	assert_int_equal(read(fd, got, sizeof got), n);
	assert_memory_equal(got, want, n);
	close(fd);
}

static struct store *
fresh(void)
{
	static int n;

	snprintf(dir, sizeof dir, "%s/%d", top, n++);
	tool.failed = false;
	return store_new(&tool, dir);
}

static void
test_put(void **state)
{
	struct store *s = fresh();
	struct stat st;

	(void)state;
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_false(store_has(s, &id, "elf"));
	assert_int_equal(store_put(s, &id, "elf", "first", 5), 1);
	assert_true(store_has(s, &id, "elf"));
	is_file("/.build-id/ab/cdef01/elf", "first", 5);
	assert_int_equal(stat(path("/.build-id/ab/cdef01"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(st.st_nlink, 2);
	/* what is there stays */
	assert_int_equal(store_put(s, &id, "elf", "other", 5), 1);
	is_file("/.build-id/ab/cdef01/elf", "first", 5);
	assert_int_equal(store_put(s, &id, "vdso", "v", 1), 1);
	is_file("/.build-id/ab/cdef01/vdso", "v", 1);
	store_free(s);
	s = store_new(&tool, dir);		/* a directory that exists */
	assert_true(store_has(s, &id, "vdso"));
	assert_int_equal(store_put(s, &(struct build_id){ .len = 0 }, "elf", "x", 1), 0);
	assert_false(tool.failed);
	store_free(s);
}

/* What ends with a mark is replaced by what has more. */
static void
test_grades(void **state)
{
	struct store *s = fresh();
	char text[2][100];
	size_t n[2];

	(void)state;
	assert_true(store_was_empty(s));
	for (int g = 0; g < 2; g++)
		n[g] = (size_t)snprintf(text[g], sizeof text[g], "some bytes of a file, and then: %s", store_mark[STORE_HITS + g]) + 1;
	assert_int_equal(store_has(s, &id, "elf"), STORE_NONE);
	assert_int_equal(store_put(s, &id, "elf", text[0], n[0]), 1);
	assert_int_equal(store_has(s, &id, "elf"), STORE_HITS);
	assert_int_equal(store_put(s, &id, "elf", text[1], n[1]), 1);
	assert_int_equal(store_has(s, &id, "elf"), STORE_SYMBOLS);
	is_file("/files/abcdef01/elf", text[1], n[1]);
	assert_int_equal(store_put(s, &id, "elf", text[0], n[0]), 1);
	is_file("/files/abcdef01/elf", text[1], n[1]);
	assert_int_equal(store_put(s, &id, "elf", "all of it", 9), 1);
	assert_int_equal(store_has(s, &id, "elf"), STORE_WHOLE);
	is_file("/.build-id/ab/cdef01/elf", "all of it", 9);
	assert_int_equal(store_put(s, &id, "elf", text[1], n[1]), 1);
	is_file("/files/abcdef01/elf", "all of it", 9);
	assert_false(tool.failed);
	store_free(s);
	s = store_new(&tool, dir);
	assert_false(store_was_empty(s));
	store_free(s);
}

/* A file with that text, open for reading. */
static int
opened(const char *text)
{
	char name[] = "/tmp/store-text.XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	unlink(name);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

static void
test_kernel(void **state)
{
	static const char at[] = "ffffffff81000000", moved[] = "ffffffff91000000";
	struct store *s = fresh();
	const char *why;
	int symbols = opened("k"), modules = opened("m"), others = opened("other");

	(void)state;
	assert_false(store_has_kernel(s, &id, at));
	assert_int_equal(store_kernel(s, &id, at, symbols, modules, &why), 1);
	assert_true(store_has_kernel(s, &id, at));
	is_file("/[kernel.kcore]/abcdef01/ffffffff81000000/kallsyms", "k", 1);
	is_file("/[kernel.kcore]/abcdef01/ffffffff81000000/modules", "m", 1);
	is_file("/[kernel.kallsyms]/abcdef01/kallsyms", "k", 1);
	/* another boot of it; without a list of modules */
	assert_false(store_has_kernel(s, &id, moved));
	assert_int_equal(store_kernel(s, &id, moved, others, -1, &why), 1);
	is_file("/[kernel.kcore]/abcdef01/ffffffff91000000/kallsyms", "other", 5);
	is_file("/[kernel.kcore]/abcdef01/ffffffff91000000/modules", "", 0);
	is_file("/[kernel.kallsyms]/abcdef01/kallsyms", "k", 1);
	is_file("/[kernel.kcore]/abcdef01/ffffffff81000000/kallsyms", "k", 1);
	assert_false(tool.failed);
	close(symbols);
	close(modules);
	close(others);
	store_free(s);
}

static void
test_copy(void **state)
{
	static uint8_t big[200000];
	struct store *s = fresh();
	const struct build_id ids[] = { { { 1, 2 }, 2 }, { { 1, 3 }, 2 }, { { 1, 4 }, 2 }, { { 1, 5 }, 2 } };
	int fd = open(path("/file"), O_RDWR | O_CREAT, 0600), pipes[2];
	struct stat then;
	const char *why;

	(void)state;
	for (size_t i = 0; i < sizeof big; i++)
		big[i] = (uint8_t)(i * i >> 3);
	assert_int_equal(write(fd, big, sizeof big), sizeof big);
	assert_int_equal(lseek(fd, 5, SEEK_SET), 5);
	assert_int_equal(fstat(fd, &then), 0);
	assert_int_equal(store_copy(s, &ids[0], "elf", fd, &then, &why), 1);
	is_file("/.build-id/01/02/elf", big, sizeof big);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 5);
	assert_int_equal(store_copy(s, &ids[1], "elf", fd, NULL, &why), 1);
	is_file("/.build-id/01/03/elf", big, sizeof big);
	/* a file that was written to: nothing of it, and no failure */
	for (int i = 0; i < 3; i++) {
		struct stat other = then;

		other.st_size += i == 0;
		other.st_mtim.tv_nsec ^= i == 1;
		other.st_ctim.tv_sec -= i == 2;
		assert_int_equal(store_copy(s, &ids[2], "elf", fd, &other, &why), 0);
		assert_string_equal(why, "has been written to meanwhile");
		assert_false(store_has(s, &ids[2], "elf"));
		assert_false(tool.failed);
	}
	close(fd);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(store_copy(s, &ids[3], "elf", pipes[0], NULL, &why), 0);
	assert_string_equal(why, strerror(ESPIPE));
	assert_false(store_has(s, &ids[3], "elf"));
	assert_false(tool.failed);
	store_free(s);
}

/* Links that somebody else put there are not followed. */
static void
test_links(void **state)
{
	static const char *const at[] = { "/.build-id", "/.build-id/ab", "/.build-id/ab/cdef01" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct store *s = fresh();

		mkdir(path("/elsewhere"), 0700);
		for (int k = 0; k < i; k++)
			mkdir(path(at[k]), 0700);
		assert_int_equal(symlink(path("/elsewhere"), path(at[i])), 0);
		assert_int_equal(store_put(s, &id, "elf", "x", 1), 0);
		assert_true(tool.failed);
		assert_int_equal(rmdir(path("/elsewhere")), 0);		/* it is empty */
		store_free(s);
	}
}

/* One failure is said, the file has no name, and nothing more is taken. */
static void
test_full(void **state)
{
	struct rlimit old, small = { 4096, 4096 };
	static const uint8_t big[5000];
	struct store *s = fresh();

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(store_put(s, &id, "elf", big, sizeof big), 0);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_true(tool.failed);
	assert_false(store_has(s, &id, "elf"));
	assert_int_equal(rmdir(path("/files/abcdef01")), 0);
	assert_int_equal(store_put(s, &id, "elf", "x", 1), 0);
	store_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put), cmocka_unit_test(test_grades), cmocka_unit_test(test_kernel), cmocka_unit_test(test_copy),
		cmocka_unit_test(test_links), cmocka_unit_test(test_full),
	};
	char command[64];
	int bad;

	if (!mkdtemp(top))
		return 2;
	bad = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof command, "rm -r %s", top);
	return system(command) || bad;
}
