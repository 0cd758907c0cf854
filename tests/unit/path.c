/* SPDX-License-Identifier: ISC */
/* path.c - names below a root, as the processes that look files up walk them */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "tool/path.h"

static char	 top[] = "/tmp/path.XXXXXX";
static int	 root;

static void
make(const char *name, const char *text)
{
	int at = open(top, O_PATH | O_DIRECTORY), fd;

	if (text) {
		assert_int_equal(symlinkat(text, at, name), 0);
	} else if (name[strlen(name) - 1] == '/') {
		assert_int_equal(mkdirat(at, name, 0755), 0);
	} else {
		fd = openat(at, name, O_WRONLY | O_CREAT | O_EXCL, 0644);
		assert_true(fd >= 0);
		close(fd);
	}
	close(at);
}

/* What the name leads to, by its path from the directory of all ("root/a/file"); "/": above it; or the text of an error. */
static const char *
leads(const char *name, bool beneath, bool follow)
{
	static char to[PATH_MAX];
	char proc[32];
	int fd = path_open(root, name, beneath, follow);
	ssize_t n;

	if (fd < 0)
		return strerror(errno);
	snprintf(proc, sizeof proc, "/proc/self/fd/%d", fd);
	n = readlink(proc, to, sizeof to - 1);
	close(fd);
	assert_true(n > 0);
	to[n] = '\0';
	return strncmp(to, top, strlen(top)) ? "/" : to + strlen(top) + (to[strlen(top)] == '/');
}

static int
setup(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(top));
	make("outside", NULL);
	make("root/", NULL);
	make("root/a/", NULL);
	make("root/a/b/", NULL);
	make("root/a/b/file", NULL);
	make("root/file", NULL);
	make("root/outside", NULL);
	make("root/relative", "a/b/file");
	make("root/absolute", "/a/b/file");
	make("root/a/b/up", "../../file");
	make("root/dir", "a/b");
	make("root/dir2", "/dir/");
	make("root/out", "../outside");
	make("root/a/far", "../../../../outside");
	make("root/loop", "loop2");
	make("root/loop2", "loop");
	make("root/gone", "a/none");
	make("root/self", "/proc/self/cwd");
	root = open(top, O_PATH | O_DIRECTORY);
	root = openat(root, "root", O_PATH | O_DIRECTORY);
	return root < 0;
}

static int
teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", top);
	return system(command);
}

static void
test_names(void **state)
{
	static const struct { const char *name, *in_root, *beneath, *itself; } rows[] = {
		{ "/file", "root/file", "root/file", "root/file" },
		{ "a/b/file", "root/a/b/file", "root/a/b/file", "root/a/b/file" },
		{ "//a/.//b/./file", "root/a/b/file", "root/a/b/file", "root/a/b/file" },
		{ "a/b/../../file", "root/file", "root/file", "root/file" },
		{ "a/../a/b/../b/file", "root/a/b/file", "root/a/b/file", "root/a/b/file" },
		{ "../outside", "root/outside", "Invalid cross-device link", "root/outside" },
		{ "a/../../../outside", "root/outside", "Invalid cross-device link", "root/outside" },
		{ "relative", "root/a/b/file", "root/a/b/file", "root/relative" },
		{ "absolute", "root/a/b/file", "Invalid cross-device link", "root/absolute" },
		{ "a/b/up", "root/file", "root/file", "root/a/b/up" },
		{ "dir/up", "root/file", "root/file", "root/a/b/up" },
		{ "dir/../file", "No such file or directory", "No such file or directory", "No such file or directory" },
		{ "dir/../b/file", "root/a/b/file", "root/a/b/file", "root/a/b/file" },
		{ "dir2/file", "root/a/b/file", "Invalid cross-device link", "root/a/b/file" },
		{ "out", "root/outside", "Invalid cross-device link", "root/out" },
		{ "a/far", "root/outside", "Invalid cross-device link", "root/a/far" },
		{ "loop", "Too many levels of symbolic links", "Too many levels of symbolic links", "root/loop" },
		{ "loop/x", "Too many levels of symbolic links", "Too many levels of symbolic links", "Too many levels of symbolic links" },
		{ "gone", "No such file or directory", "No such file or directory", "root/gone" },
		{ "file/", "Not a directory", "Not a directory", "Not a directory" },
		{ "file/x", "Not a directory", "Not a directory", "Not a directory" },
		{ "relative/", "Not a directory", "Not a directory", "Not a directory" },
		{ "dir/", "root/a/b", "root/a/b", "root/a/b" },
		{ "none/file", "No such file or directory", "No such file or directory", "No such file or directory" },
		{ "/", "root", "root", "root" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		print_message("# %s\n", rows[i].name);
		assert_string_equal(leads(rows[i].name, false, true), rows[i].in_root);
		assert_string_equal(leads(rows[i].name, true, true), rows[i].beneath);
		assert_string_equal(leads(rows[i].name, false, false), rows[i].itself);
	}
}

/* Names that are too long, lead nowhere for very long, or have too many "..". */
static void
test_long(void **state)
{
	char name[2 * PATH_MAX] = "";

	(void)state;
	memset(name, 'x', NAME_MAX + 1);
	name[NAME_MAX + 1] = '\0';
	assert_string_equal(leads(name, false, true), "File name too long");
	memset(name, '/', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	assert_string_equal(leads(name, false, true), "File name too long");
	*name = '\0';
	for (int i = 0; i < 300; i++)
		strcat(name, "a/b/../../");
	assert_string_equal(leads(strcat(name, "file"), false, true), "root/file");
	*name = '\0';
	for (int i = 0; i < 600; i++)
		strcat(name, "a/../");
	for (int i = 0; i < 300; i++)
		strcat(name, "../");
	assert_string_equal(leads(strcat(name, "file"), false, true), "root/file");
}

/* Links of /proc are not followed by their text: what they lead to has no name, or another one. */
static void
test_proc(void **state)
{
	char name[64];
	int fd;

	(void)state;
	snprintf(name, sizeof name, "/proc/%d/exe", (int)getpid());
	assert_int_equal(path_open(AT_FDCWD, name, false, true), -1);
	assert_int_equal(errno, EACCES);
	fd = path_open(AT_FDCWD, name, false, false);
	assert_true(fd >= 0);
	close(fd);
	snprintf(name, sizeof name, "/proc/%d/root/etc", (int)getpid());
	assert_int_equal(path_open(AT_FDCWD, name, false, true), -1);
	assert_int_equal(errno, EACCES);
	assert_string_equal(leads("self/etc", false, true), "No such file or directory");	/* of this root */
	snprintf(name, sizeof name, "/proc/%d/status", (int)getpid());
	fd = path_open(AT_FDCWD, name, false, true);
	assert_true(fd >= 0);
	close(fd);
	fd = path_open(AT_FDCWD, "/../usr/../usr", false, true);
	assert_true(fd >= 0);
	close(fd);
}

/* A link of another user in a directory like /tmp; only root can make one. */
static void
test_sticky(void **state)
{
	(void)state;
	if (geteuid()) {
		print_message("# only root can give a link to another user\n");
		return;
	}
	make("root/tmp/", NULL);
	make("root/tmp/link", "../file");
	make("root/tmp/theirs", "../file");
	make("root/tmp/dir", "../a");
	assert_int_equal(fchownat(root, "tmp/theirs", 65534, 65534, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(fchownat(root, "tmp/dir", 65534, 65534, AT_SYMLINK_NOFOLLOW), 0);
	assert_string_equal(leads("tmp/theirs", false, true), "root/file");
	assert_int_equal(fchmodat(root, "tmp", 01777, 0), 0);
	assert_string_equal(leads("tmp/link", false, true), "root/file");
	assert_string_equal(leads("tmp/theirs", false, true), "Permission denied");
	assert_string_equal(leads("tmp/dir/b/file", false, true), "Permission denied");
	assert_int_equal(fchownat(root, "tmp", 65534, 65534, 0), 0);
	assert_string_equal(leads("tmp/theirs", false, true), "root/file");
	assert_string_equal(leads("tmp/link", false, true), "root/file");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_long), cmocka_unit_test(test_proc), cmocka_unit_test(test_sticky),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
