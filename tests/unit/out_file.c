/* SPDX-License-Identifier: ISC */
/*
 * A seekable perf.data: one whose data section is copied, where it lies, what is in it, and how much is told of meanwhile; features that
 * are made.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bytes.h"
#include "sink/out_file.h"
#include "sink/sink.h"

enum { BLOCK = 4096, HEADER = 104, MOST = 1 << 20 };

static struct pp_err err;
static uint8_t data[MOST], got[MOST + (1 << 16)];

struct ticks { uint64_t last, n, fail; };

static int
tick(void *arg, uint64_t copied)
{
	struct ticks *t = arg;

	assert_true(copied > t->last);
	t->last = copied;
	return ++t->n == t->fail ? -1 : 1;
}

struct copied {
	struct pp_source *in;
	struct out	 *o;
	struct pp_rec	 attr;
	int		 fd, dir;
};

/* A file to be written, and in it the attr of its input. */
static void
begin(struct copied *c)
{
	static struct bytes b;		/* in the order of this machine */
	struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_IP };
	int fd = memfd_create("in", 0);

	b.n = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	put_attr(&b, &a, 0, NULL);
	assert_int_equal(write(fd, bytes_p(&b), b.n), b.n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_non_null(c->in = pp_open_fd(fd, "in", 0, &err));
	c->dir = open("/tmp", O_PATH | O_DIRECTORY);
	c->fd = memfd_create("out", 0);
	c->o = out_file_new(pp_create_fd(dup(c->fd), "out", &err), &(struct out_file_at){ .fd = c->fd, .dir = c->dir }, &(struct out_pack){ .level = 0 },
	    c->in, &err);
	assert_non_null(c->o);
	assert_int_equal(pp_next(c->in, &c->attr), 1);
	assert_int_equal(c->o->put(c->o, c->in, &c->attr, true), 1);
}

static void
end(struct copied *c)
{
	pp_close(c->in);
	close(c->fd);
	close(c->dir);
}

static int
file_of(uint64_t n)
{
	int fd = memfd_create("data", 0);

	assert_int_equal(write(fd, data, n), n);
	return fd;
}

static void
test_copy(void **state)
{
	static const uint64_t offs[] = { 0, 1, 100, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK },
	    sizes[] = { 1, 100, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK + 5, 700000 };

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		data[i] = (uint8_t)(i * 7 + (i >> 8) * 13);
	for (size_t i = 0; i < sizeof offs / sizeof *offs; i++)
		for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
			uint64_t off = offs[i], n = sizes[k], at;
			int from = file_of(off + n);
			struct ticks t = { 0 };
			struct copied c;

			begin(&c);
			assert_int_equal(out_file_copy(c.o, from, off, n, tick, &t), 1);
			assert_int_equal(t.last, n);
			assert_int_equal(c.o->put(c.o, c.in, &(struct pp_rec){ .raw = (const uint8_t *)"\x44\0\0\0\0\0\x8\0", .type = 68, .size = 8 }, false), -1);
			assert_string_equal(err.what, "a record cannot be added to data that is copied");
			err.what[0] = 0;
			assert_int_equal(c.o->finish(c.o), 1);
			assert_int_equal(pread(c.fd, got, sizeof got, 0) > HEADER, true);
			at = pp_get_u64(got + 40, false);
			assert_int_equal(at % BLOCK, off % BLOCK);	/* the blocks can be shared */
			assert_true(at < HEADER + 100 + BLOCK);
			assert_int_equal(pp_get_u64(got + 48, false), n);
			assert_memory_equal(got + at, data + off, n);
			end(&c);
			close(from);
		}
}

static void
test_copy_fails(void **state)
{
	(void)state;
	for (unsigned how = 0; how < 3; how++) {
		uint64_t off = 100, n = 300000;
		int from = file_of(how == 1 ? off + n - 77 : off + n);
		struct ticks t = { .fail = how == 0 };
		struct copied c;

		begin(&c);
		if (how == 2) {
			close(from);
			from = open("/tmp", O_PATH | O_DIRECTORY);
		}
		assert_int_equal(out_file_copy(c.o, from, off, n, tick, &t), -1);
		assert_true(how || t.n == 1);
		if (how == 0)			/* who ends it knows why */
			assert_string_equal(err.what, "");
		if (how == 1)
			assert_string_equal(err.what, "the input has become shorter: 77 bytes of its data section are missing");
		if (how == 2)
			assert_non_null(strstr(err.what, "read the data section"));
		err.what[0] = 0;
		c.o->finish(c.o);
		end(&c);
		close(from);
	}
}

static bool
has_feature(unsigned number)
{
	return got[72 + number / 8] >> number % 8 & 1;
}

/* A branch stack of any event is a feature of the file; each record and payload is taken. */
static void
test_features(void **state)
{
	enum { BRANCH_STACK = 15, TRACING_DATA = 1, HOSTNAME = 3, STAT = 19 };
	static const uint8_t feature[] = { 80, 0, 0, 0, 0, 0, 24, 0, HOSTNAME, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 'a', 0, 0, 0 },
	    done[] = { 80, 0, 0, 0, 0, 0, 16, 0, 0, 1, 0, 0, 0, 0, 0, 0 }, tracing[] = { 66, 0, 0, 0, 0, 0, 12, 0, 20, 0, 0, 0 };
	static uint8_t payload[20] = { 1, 2, 3 };
	static struct bytes b;
	uint64_t table, at;

	(void)state;
	if (BIG_HERE)
		skip();			/* the records above are little-endian */
	for (unsigned which = 0; which < 4; which++) {		/* of three events */
		struct copied c;

		begin(&c);
		for (unsigned i = 1; i < 3; i++) {
			struct pp_attr a = { .type = 1, .size = 64, .config = i, .sample_type = PP_SAMPLE_IP | (which == i ? PP_SAMPLE_BRANCH_STACK : 0) };
			struct pp_rec r;

			b.n = 0;
			r = put_attr(&b, &a, 0, NULL);
			assert_int_equal(c.o->put(c.o, c.in, &r, false), 1);
		}
		assert_int_equal(c.o->put(c.o, c.in, &(struct pp_rec){ .raw = feature, .type = 80, .size = sizeof feature }, false), 1);
		assert_int_equal(c.o->put(c.o, c.in, &(struct pp_rec){ .raw = done, .type = 80, .size = sizeof done }, false), 1);
		assert_int_equal(c.o->put(c.o, NULL, &(struct pp_rec){ .raw = tracing, .type = 66, .size = sizeof tracing,
		    .payload = sizeof payload }, false), 1);
		assert_int_equal(c.o->payload(c.o, payload, 8), 1);
		assert_int_equal(c.o->payload(c.o, payload + 8, sizeof payload - 8), 1);
		assert_int_equal(c.o->finish(c.o), 1);
		assert_true(pread(c.fd, got, sizeof got, 0) > HEADER);
		assert_int_equal(has_feature(BRANCH_STACK), which == 1 || which == 2);
		assert_true(has_feature(HOSTNAME) && has_feature(TRACING_DATA) && !has_feature(STAT));
		table = pp_get_u64(got + 40, false) + pp_get_u64(got + 48, false);
		at = pp_get_u64(got + table, false);		/* the first section is that of the least number */
		assert_int_equal(pp_get_u64(got + table + 8, false), sizeof payload);
		assert_memory_equal(got + at, payload, sizeof payload);
		at = pp_get_u64(got + table + 16, false);
		assert_int_equal(pp_get_u64(got + table + 24, false), 8);
		assert_memory_equal(got + at, feature + 16, 8);
		end(&c);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copy), cmocka_unit_test(test_copy_fails), cmocka_unit_test(test_features),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
