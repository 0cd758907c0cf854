/* SPDX-License-Identifier: ISC */
/* Names of system calls, against those in the headers of the C library of x86-64. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sort/syscall.h"

#include "check.h"

enum { ABI_NONE, ABI_32, ABI_64 };

#ifdef WITH_SECCOMP
static struct syscalls *all;
static struct tool tool = { .name = "syscall" };

static const char *
name(const char *machine, int64_t number, uint64_t abi)
{
	static const char *last;
	struct cell c;

	if (last != machine) {		/* a recording is of one */
		syscalls_free(all);
		all = syscalls_new(&tool);
		last = machine;
	}
	c = syscalls_cell(all, machine, strlen(machine), syscalls_key(number, abi));
	return c.known ? c.text : "unknown";
}

/* How many names of a header are those of a machine; numbers that are newer than the library are shown as they are. */
static unsigned
headers(const char *file, const char *machine, uint64_t abi, int from)
{
	char path[200], line[400], text[80];
	int number;
	FILE *f;
	unsigned n = 0;

	snprintf(path, sizeof path, "/usr/include/x86_64-linux-gnu/asm/%s", file);
	if (!(f = fopen(path, "r")))
		return 0;
	while (fgets(line, sizeof line, f)) {
		if (sscanf(line, "#define __NR_%70s %d", text, &number) != 2 &&
		    (from == 0 || sscanf(line, "#define __NR_%70s (__X32_SYSCALL_BIT + %d)", text, &number) != 2))
			continue;
		number += from;
		if (isdigit((unsigned char)*name(machine, number, abi)) && (number & 0x3fffffff) > 440)
			continue;
		assert_string_equal(name(machine, number, abi), text);
		n++;
	}
	fclose(f);
	return n;
}

static void
test_headers(void **state)
{
	unsigned n = headers("unistd_64.h", "x86_64", ABI_NONE, 0);

	(void)state;
	if (!n)
		skip();
	assert_true(n > 330);
	assert_int_equal(headers("unistd_64.h", "x86_64", ABI_64, 0), n);
	assert_true(headers("unistd_32.h", "x86_64", ABI_32, 0) > 400);
	assert_true(headers("unistd_32.h", "i686", ABI_NONE, 0) > 400);
	assert_true(headers("unistd_x32.h", "x86_64", ABI_32, 0x40000000) > 300);
}

static void
test_others(void **state)
{
	char texts[3][40];

	(void)state;
	assert_string_equal(name("aarch64", 56, ABI_NONE), "openat");
	assert_string_equal(name("aarch64", 5, ABI_32), "open");
	assert_string_equal(name("armv7l", 5, ABI_NONE), "open");
	assert_string_equal(name("ppc64le", 286, ABI_NONE), "openat");
	assert_string_equal(name("s390x", 288, ABI_NONE), "openat");
	assert_string_equal(name("riscv64", 56, ABI_NONE), "openat");
	assert_string_equal(name("mips", 4005, ABI_NONE), "open");
	assert_string_equal(name("mips64", 5002, ABI_NONE), "open");
	assert_string_equal(name("mips64", 6002, ABI_NONE), "open");
	assert_string_equal(name("mips64", 4005, ABI_NONE), "open");
	/* no name: the number */
	assert_string_equal(name("x86_64", 5000, ABI_NONE), "5000");
	assert_string_equal(name("x86_64", 100000, ABI_NONE), "100000");
	assert_string_equal(name("x86_64", -1, ABI_NONE), "-1");
	assert_string_equal(name("x86_64", INT32_MIN, ABI_NONE), "-2147483648");
	assert_string_equal(name("vax", 3, ABI_NONE), "3");
	assert_string_equal(name("", 3, ABI_NONE), "3");
	/* no number at all: it is not known */
	assert_true(syscalls_key(INT64_MAX, ABI_NONE) == UINT64_MAX && syscalls_key(UINT32_MAX, ABI_32) == UINT64_MAX);
	/* some texts of numbers at a time */
	for (int i = 0; i < 3; i++)
		snprintf(texts[i], sizeof texts[i], "%s", name("vax", i, ABI_NONE));
	assert_true(!strcmp(texts[0], "0") && !strcmp(texts[2], "2"));
	const char *a = name("vax", 7, ABI_NONE), *b = name("vax", 8, ABI_NONE);

	assert_string_equal(a, "7");
	assert_string_equal(b, "8");
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_headers), cmocka_unit_test(test_others) };
	int rc;

	rc = cmocka_run_group_tests(tests, NULL, NULL);
	syscalls_free(all);
	return rc;
}
#else
int
main(void)
{
	puts("1..0 # SKIP built without libseccomp");	/* cmocka writes `not ok' of what is skipped, which prove counts as failed */
	return 0;
}
#endif
