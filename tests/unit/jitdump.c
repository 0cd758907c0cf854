/* SPDX-License-Identifier: ISC */
/* The reader of jitdumps: files that grow byte by byte, in both byte orders, records read again, tables. */
#include <sys/mman.h>

#include <unistd.h>

#include "code/jitdump.h"

#include "bytes.h"

struct dump { uint8_t b[8192]; size_t n; bool big; };

static void
add(struct dump *d, uint64_t v, size_t width)
{
	for (size_t i = 0; i < width; i++)
		d->b[d->n++] = (uint8_t)(v >> 8 * (d->big ? width - 1 - i : i));
}

static void
add_text(struct dump *d, const char *s)
{
	memcpy(d->b + d->n, s, strlen(s) + 1);
	d->n += strlen(s) + 1;
}

static size_t
begin(struct dump *d, uint32_t id, uint64_t time)
{
	size_t at = d->n;

	add(d, id, 4);
	add(d, 0, 4);
	add(d, time, 8);
	return at;
}

static void
end(struct dump *d, size_t at)
{
	size_t n = d->n - at;

	d->n = at + 4;
	add(d, n, 4);
	d->n = at + n;
}

static void
load(struct dump *d, uint64_t time, uint64_t addr, const char *name, unsigned size)
{
	size_t at = begin(d, 0, time);

	add(d, 7, 4);
	add(d, 8, 4);
	add(d, addr, 8);
	add(d, addr, 8);
	add(d, size, 8);
	add(d, 1, 8);
	add_text(d, name);
	for (unsigned i = 0; i < size; i++)
		add(d, i, 1);
	end(d, at);
}

/* Lines at these addresses, the last two out of order; the file names are a, a (as 0xff), b. */
static void
debug_info(struct dump *d, uint64_t addr)
{
	static const struct { unsigned at, line; const char *file; } rows[] = { { 0, 10, "a" }, { 8, 12, "\xff" }, { 4, 11, "b" } };
	size_t at = begin(d, 2, 1);

	add(d, addr, 8);
	add(d, 3, 8);
	for (int i = 0; i < 3; i++) {
		add(d, addr + rows[i].at, 8);
		add(d, rows[i].line, 4);
		add(d, 0, 4);
		add_text(d, rows[i].file);
	}
	end(d, at);
}

static void
unwinding(struct dump *d)
{
	size_t at = begin(d, 4, 1);

	add(d, 12, 8);
	add(d, 4, 8);
	add(d, 0, 8);
	for (int i = 0; i < 16; i++)	/* 4 of padding */
		add(d, 0xa0 + (unsigned)i, 1);
	end(d, at);
}

static void
make(struct dump *d, bool big)
{
	size_t at;

	*d = (struct dump){ .big = big };
	add(d, 0x4a695444, 4);
	add(d, 1, 4);
	add(d, 44, 4);
	add(d, 22, 4);
	add(d, 0, 4);
	add(d, 7, 4);
	add(d, 99, 8);
	add(d, 3, 8);
	add(d, 0, 4);			/* a longer header than is known */
	debug_info(d, 0x2000);		/* of another function: not of the next one */
	load(d, 100, 0x1000, "alpha", 3);
	end(d, begin(d, 1000, 1));	/* an unknown record */
	debug_info(d, 0x3000);
	unwinding(d);
	load(d, 200, 0x3000, "beta", 20);
	at = begin(d, 1, 300);
	add(d, 7, 4);
	add(d, 7, 4);
	add(d, 0x4000, 8);
	add(d, 0x3000, 8);
	add(d, 0x4000, 8);
	add(d, 20, 8);
	add(d, 1, 8);
	end(d, at);
	load(d, 400, 0x1000, "gamma", 1);
	end(d, begin(d, 3, 500));
	load(d, 600, 0x1000, "behind the end", 1);
}

static void
check_beta(const struct jitdump_code *c)
{
	const struct image_line *l = c->fn.lines;

	assert_int_equal(c->fn.nlines, 3);
	assert_int_equal(l[0].addr, 0x3000);
	assert_int_equal(l[1].addr, 0x3004);
	assert_int_equal(l[2].addr, 0x3008);
	assert_int_equal(l[2].line, 12);
	assert_string_equal(l[0].file, "a");
	assert_string_equal(l[1].file, "b");
	assert_string_equal(l[2].file, "a");
	assert_int_equal(c->fn.unwind_size, 12);
	assert_int_equal(c->fn.unwind_hdr_size, 4);
	assert_memory_equal(c->fn.unwind, "\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xab", 12);
}

/* The codes of the dump, in order. */
static void
check_code(const struct jitdump_code *c, unsigned i)
{
	static const struct { uint64_t time, addr, size; const char *name; } want[] = {
		{ 100, 0x1000, 3, "alpha" }, { 200, 0x3000, 20, "beta" }, { 300, 0x4000, 20, NULL }, { 400, 0x1000, 1, "gamma" },
	};

	assert_true(i < 4);
	assert_int_equal(c->time, want[i].time);
	assert_int_equal(c->fn.addr, want[i].addr);
	assert_int_equal(c->fn.size, want[i].size);
	assert_int_equal(c->pid, 7);
	assert_int_equal(c->kind, want[i].name ? JITDUMP_LOAD : JITDUMP_MOVE);
	if (!want[i].name) {
		assert_int_equal(c->from, 0x3000);
		return;
	}
	assert_string_equal(c->fn.name, want[i].name);
	for (size_t k = 0; k < c->fn.size; k++)
		assert_int_equal(c->fn.code[k], k);
	if (i == 1)
		check_beta(c);
	else
		assert_true(!c->fn.nlines && !c->fn.unwind);
}

static int
file_of(const struct dump *d, size_t n)
{
	int fd = memfd_create("jitdump", MFD_CLOEXEC);

	assert_int_equal(write(fd, d->b, n), n);
	return fd;
}

static void
test_whole(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct jitdump_head head;
		struct jitdump_code c;
		struct jitdump *j;
		struct dump d;
		struct pp_err err;

		make(&d, big);
		j = jitdump_new(file_of(&d, d.n), "x", &err);
		assert_int_equal(jitdump_head(j, &head), 1);
		assert_int_equal(head.big_endian, big);
		assert_int_equal(head.machine, 22);
		assert_int_equal(head.pid, 7);
		assert_int_equal(head.time, 99);
		assert_true(head.cycles);
		for (unsigned i = 0; i < 4; i++)
			for (unsigned again = 0; again < 3; again++) {
				assert_int_equal(jitdump_next(j, &c), 1);
				check_code(&c, i);
				if (again < 2)
					jitdump_again(j);
			}
		for (int i = 0; i < 3; i++)
			assert_int_equal(jitdump_next(j, &c), 0);
		jitdump_free(j);
	}
}

static void
test_growing(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct jitdump_head head;
		struct jitdump_code c;
		struct jitdump *j;
		struct dump d;
		struct pp_err err;
		unsigned got = 0;
		int fd, rc;

		make(&d, big);
		fd = file_of(&d, 0);
		j = jitdump_new(dup(fd), "x", &err);
		for (size_t i = 0; i < d.n; i++) {
			assert_int_equal(pwrite(fd, d.b + i, 1, (off_t)i), 1);
			rc = jitdump_head(j, &head);
			assert_int_equal(rc, i + 1 >= 40);
			if (rc && (rc = jitdump_next(j, &c)) > 0)
				check_code(&c, got++);
			assert_true(rc >= 0);
		}
		assert_int_equal(got, 4);
		jitdump_free(j);
		close(fd);
	}
}

static void
test_shrinking(void **state)
{
	struct jitdump_head head;
	struct jitdump_code c;
	struct jitdump *j;
	struct dump d;
	struct pp_err err;
	int fd;

	(void)state;
	make(&d, false);
	fd = file_of(&d, 300);
	j = jitdump_new(dup(fd), "x", &err);
	assert_int_equal(jitdump_head(j, &head), 1);
	assert_int_equal(jitdump_next(j, &c), 1);
	assert_int_equal(jitdump_next(j, &c), 0);
	assert_int_equal(ftruncate(fd, 10), 0);
	assert_int_equal(jitdump_next(j, &c), -1);
	assert_non_null(strstr(err.what, "shorter"));
	assert_int_equal(jitdump_next(j, &c), -1);
	jitdump_free(j);
	close(fd);
}

/* A function of 10 MiB, and one behind it: its buffer is not kept. */
static void
test_large(void **state)
{
	enum { BIG = 10 << 20 };
	struct dump d = { .n = 0 };
	struct jitdump_head head;
	struct jitdump_code c;
	struct jitdump *j;
	struct pp_err err;
	size_t first, at;
	int fd;

	(void)state;
	make(&d, false);
	d.n = 44;
	load(&d, 100, 0x1000, "large", 0);
	first = d.n;
	d.n = 44 + 4;
	add(&d, first - 44 + BIG, 4);
	d.n = 44 + 40;
	add(&d, BIG, 8);
	d.n = first;
	fd = file_of(&d, d.n);
	d.n = 0;
	load(&d, 200, 0x1000, "alpha", 3);
	at = first + BIG;
	j = jitdump_new(dup(fd), "x", &err);
	assert_int_equal(jitdump_head(j, &head), 1);
	assert_int_equal(jitdump_next(j, &c), 0);
	assert_int_equal(ftruncate(fd, (off_t)at - 1), 0);
	assert_int_equal(jitdump_next(j, &c), 0);
	assert_int_equal(pwrite(fd, d.b, d.n, (off_t)at), d.n);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(jitdump_next(j, &c), 1);
		assert_int_equal(c.fn.size, BIG);
		assert_string_equal(c.fn.name, "large");
		assert_int_equal(c.fn.code[BIG - 1], 0);
		if (!i)
			jitdump_again(j);
	}
	assert_int_equal(jitdump_next(j, &c), 1);
	assert_string_equal(c.fn.name, "alpha");
	jitdump_free(j);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole), cmocka_unit_test(test_growing), cmocka_unit_test(test_shrinking),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
