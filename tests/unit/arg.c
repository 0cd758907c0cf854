/* SPDX-License-Identifier: ISC */
/* Parsing of option arguments; an invalid one ends the program with status 2 and one line. */
#include <sys/wait.h>

#include <fcntl.h>
#include <unistd.h>

#include "bytes.h"
#include "tool/tool.h"

static struct tool t = { .name = "arg", .optname = "--opt" };

enum kind { NUMBER, SIZE, DURATION, SECONDS };

static uint64_t
parse(enum kind kind, const char *text)
{
	switch (kind) {
	case NUMBER:	return tool_number(&t, text, 1, 1000);
	case SIZE:	return tool_size(&t, text);
	case DURATION:	return tool_duration(&t, text);
	default:	return tool_seconds(&t, text);
	}
}

/* The status of a child that runs fn(arg).  Its stderr must be one line that names the option. */
static void
must_refuse(void (*fn)(const char *), const char *text)
{
	char said[600] = "";
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	fflush(stdout);
	if (!(pid = fork())) {
		dup2(fd[1], STDERR_FILENO);
		fn(text);
		_exit(0);
	}
	close(fd[1]);
	for (size_t have = 0; have < sizeof said - 1 && (n = read(fd[0], said + have, sizeof said - 1 - have)) > 0;)
		have += (size_t)n;
	close(fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 2)
		fail_msg("'%s': status %x, 2 wanted", text, (unsigned)status);
	assert_true(!strncmp(said, "arg: --opt", 10));
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
}

static void
test_values(void **state)
{
	static const struct { enum kind kind; const char *text; uint64_t want; } rows[] = {
		{ NUMBER, "1", 1 }, { NUMBER, "1000", 1000 },
		{ SIZE, "0", 0 }, { SIZE, "512", 512 }, { SIZE, "64K", 65536 }, { SIZE, "10M", 10 << 20 }, { SIZE, "1G", 1 << 30 },
		{ DURATION, "0", 0 }, { DURATION, "1", 1000000000 }, { DURATION, "1.5s", 1500000000 },
		{ DURATION, "10ms", 10000000 }, { DURATION, ".5", 500000000 }, { DURATION, "3us", 3000 }, { DURATION, "7ns", 7 },
		{ DURATION, "0.000000001", 1 }, { DURATION, "5m", UINT64_C(300000000000) },
		{ DURATION, "2h", UINT64_C(7200000000000) }, { DURATION, "1d", UINT64_C(86400000000000) },
		{ DURATION, "1.5ns", 1 }, { DURATION, "2.5us", 2500 }, { DURATION, "20000000000ns", UINT64_C(20000000000) },
		{ SECONDS, "12.345678901", 12345678901 }, { SECONDS, "12", 12000000000 }, { SECONDS, "0.1", 100000000 },
		{ SECONDS, "12.3456789019", 12345678901 }, { SECONDS, "18446744073.709551615", UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (parse(rows[i].kind, rows[i].text) != rows[i].want)
			fail_msg("'%s': %ju, %ju wanted", rows[i].text, (uintmax_t)parse(rows[i].kind, rows[i].text),
			    (uintmax_t)rows[i].want);
}

static void number(const char *s) { parse(NUMBER, s); }
static void size(const char *s) { parse(SIZE, s); }
static void duration(const char *s) { parse(DURATION, s); }
static void seconds(const char *s) { parse(SECONDS, s); }
static void list(const char *s) { struct tool_list l = { 0 }; tool_list(&t, &l, s); }
static void nothing(void *arg, const char *w) { (void)arg; (void)w; }
static void words(const char *s) { tool_words(&t, s, nothing, NULL); }

static void
test_refused(void **state)
{
	static const struct { void (*fn)(const char *); const char *text; } rows[] = {
		{ number, "" }, { number, "0" }, { number, "1001" }, { number, "x" }, { number, "5x" }, { number, "-1" },
		{ number, "99999999999999999999" },
		{ size, "" }, { size, "12Q" }, { size, "K" }, { size, "-1" }, { size, "1KK" }, { size, "99999999999999999999" },
		{ size, " 1" },
		{ duration, "" }, { duration, "." }, { duration, "1.5.5" }, { duration, "5 s" }, { duration, "5parsecs" },
		{ duration, "-1s" }, { duration, "99999999999999999999s" }, { duration, "18446744073d" },
		{ seconds, "" }, { seconds, "1s" }, { seconds, "x" }, { seconds, "-1" }, { seconds, "." },
		{ seconds, "18446744073.709551616" }, { seconds, "18446744074" },
		{ list, "" }, { list, "x" }, { list, "1,x" }, { list, "1,,2" }, { list, "1," }, { list, ",1" }, { list, "5-1" },
		{ list, "1-" }, { list, "99999999999999999999" }, { list, "1 2" }, { list, "file:///nonexistent/list" },
		{ list, "file:///dev/null" },
		{ words, "" }, { words, "a,,b" }, { words, "a," }, { words, ",a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		must_refuse(rows[i].fn, rows[i].text);
}

static void
test_list(void **state)
{
	static const struct { const char *text, *want; } rows[] = {
		{ "7", "7-7" }, { "1,2,3", "1-3" }, { "3,1,2,1", "1-3" }, { "10-20,15-30,40", "10-30 40-40" }, { "-1", "-1--1" },
		{ "-1,0-3", "-1-3" }, { "5,1-9", "1-9" }, { "9223372036854775807,0", "0-0 9223372036854775807-9223372036854775807" },
		{ "9223372036854775806-9223372036854775807,9223372036854775807", "9223372036854775806-9223372036854775807" },
		{ "-9223372036854775808", "-9223372036854775808--9223372036854775808" }, { "-5--3", "-5--3" },
		{ "4194303-4194305,9,-7", "-7--7 9-9 4194303-4194305" }, { "0-63,128-191,4194304", "0-63 128-191 4194304-4194304" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct tool_list l = { 0 };
		char text[200] = "";

		tool_list(&t, &l, rows[i].text);
		tool_list_ready(&l);
		for (size_t k = 0; k < l.n; k++) {
			sprintf(text + strlen(text), "%s%jd-%jd", k ? " " : "", (intmax_t)l.r[k].lo, (intmax_t)l.r[k].hi);
			assert_true(tool_list_has(&l, l.r[k].lo) && tool_list_has(&l, l.r[k].hi));
			if (l.r[k].lo > INT64_MIN)
				assert_false(tool_list_has(&l, l.r[k].lo - 1));
			if (l.r[k].hi < INT64_MAX)
				assert_false(tool_list_has(&l, l.r[k].hi + 1));
		}
		assert_string_equal(text, rows[i].want);
		tool_list_free(&l);
	}
}

static void
test_list_within(void **state)
{
	static const struct { const char *a, *b; bool want; } rows[] = {
		{ "1,2,3", "1-3", true }, { "1,5", "1-3", false }, { "1-4", "1-3", false }, { "5", "1,5,9", true }, { "0-3", "1-3", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct tool_list a = { 0 }, b = { 0 };

		tool_list(&t, &a, rows[i].a);
		tool_list(&t, &b, rows[i].b);
		tool_list_ready(&a);
		tool_list_ready(&b);
		assert_int_equal(tool_list_within(&a, &b), rows[i].want);
		tool_list_free(&a);
		tool_list_free(&b);
	}
}

/* Options add up, and a file may hold one number a line. */
static void
test_list_adds(void **state)
{
	char name[] = "/tmp/arg.XXXXXX", url[64];
	struct tool_list l = { 0 };
	int fd = mkstemp(name);

	(void)state;
	assert_true(fd >= 0 && write(fd, "100\n7 8,\t9\n\n300-400\n", 20) == 20);
	close(fd);
	snprintf(url, sizeof url, "file://%s", name);
	tool_list(&t, &l, "1");
	tool_list(&t, &l, url);
	tool_list(&t, &l, "2");
	unlink(name);
	tool_list_ready(&l);
	assert_int_equal(l.n, 4);
	assert_true(tool_list_has(&l, 1) && tool_list_has(&l, 2) && !tool_list_has(&l, 3) && tool_list_has(&l, 8));
	assert_true(tool_list_has(&l, 100) && tool_list_has(&l, 350) && !tool_list_has(&l, 401));
	tool_list_free(&l);
	assert_false(tool_list_has(&l, 1));
}

static void
join(void *arg, const char *word)
{
	strcat(arg, "[");
	strcat(arg, word);
	strcat(arg, "]");
}

static void
test_words(void **state)
{
	static const struct { const char *text, *want; } rows[] = {
		{ "cycles", "[cycles]" }, { "cycles,page-faults", "[cycles][page-faults]" },
		{ "cpu/event=1,umask=2/,cycles", "[cpu/event=1,umask=2/][cycles]" }, { "{a,b}:S,c", "[{a,b}:S][c]" },
		{ "sched:*", "[sched:*]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[200] = "";

		tool_words(&t, rows[i].text, join, text);
		assert_string_equal(text, rows[i].want);
	}
}

static void
test_words_of_file(void **state)
{
	char name[] = "/tmp/arg.XXXXXX", url[64], text[200] = "";
	int fd = mkstemp(name);

	(void)state;
	assert_true(fd >= 0 && write(fd, "a b\n\nc,d\n", 9) == 9);
	close(fd);
	snprintf(url, sizeof url, "file://%s", name);
	tool_words(&t, url, join, text);
	unlink(name);
	assert_string_equal(text, "[a b][c,d]");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values), cmocka_unit_test(test_refused), cmocka_unit_test(test_list),
		cmocka_unit_test(test_list_within), cmocka_unit_test(test_list_adds), cmocka_unit_test(test_words),
		cmocka_unit_test(test_words_of_file),
	};

	return cmocka_run_group_tests_name("arg", tests, NULL, NULL);
}
