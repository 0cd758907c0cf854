/* SPDX-License-Identifier: ISC */
/*
 * One allocation or one call of the system fails, one after the other, while recordings of all kinds are read and written: it is said, all
 * is given back, and nothing is called done that is not.  If a call can be repeated, the result is the same.
 */
#include "refused.h"

#include <zstd.h>

#include "perf_data.h"
#include "sink/out_feed.h"
#include "sink/out_file.h"
#include "sink/out_stream.h"
#include "sink/sink.h"
#include "source/chunk.h"
#include "source/leave_out.h"
#include "source/piece.h"
#include "source/told.h"

enum { SIZE = 1 << 18 };

struct input { uint8_t p[SIZE]; size_t n; };
static struct input file, stream, packed, framed, seekable, profile, many, rich, grown;
static char dir[] = "/tmp/refused.XXXXXX";

/* What came of it: all bytes that were read or written. */
struct result { uint8_t p[2 * SIZE]; size_t n; };
static struct result result, wanted;

static void
note(const void *p, size_t n)
{
	if (n <= sizeof result.p - result.n)
		memcpy(result.p + result.n, p, n);
	result.n += n;
}

static void
note_number(uint64_t n)
{
	note(&n, sizeof n);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

enum { BY_PIPE = 1, PIECE = 2, LEAVE = 4, CHUNKS = 8, GIVE = 16, BY_PATH = 32, GROWS = 64 };

struct way {
	const char	*name;
	const struct input *in;
	unsigned	 how, flags;
	int		(*run)(const struct way *, int fd);
	unsigned	 level, threads;	/* of what is written */
};

static int
all_is_read(void *arg, uint32_t number, uint64_t off, struct pp_leave_step *x)
{
	(void)arg, (void)number, (void)off;
	x->n = UINT64_MAX;
	return 1;
}

static int
note_chunk(void *arg, const struct pp_chunk *c)
{
	(void)arg;
	note_number(c->file);
	note_number(c->off);
	note_number(c->len);
	note_number(c->samples);
	for (size_t i = 0; i < c->ntasks; i++)
		note_number(c->tasks[i]);
	return 1;
}

static uint8_t *
give(void *arg)
{
	static uint8_t buffer[2][PP_BUFFER_SIZE];
	unsigned *n = arg;

	return buffer[++*n % 2];
}

/* The writer of a file: is there more of it?  At last it writes the size of the data into the header. */
static int
complete(void *arg)
{
	uint8_t *p = arg;

	if (!p || pp_get_u64(p + 48, BIG_HERE))
		return 0;
	memcpy(p, grown.p, HEADER);
	return 1;
}

/* The file, whose header has no size yet, as memory that its writer has. */
static void *
begin_growing(int fd)
{
	uint8_t *p = mmap(NULL, grown.n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_true(p != MAP_FAILED);
	memset(p + 48, 0, 8);
	memset(p + 72, 0, 32);
	return p;
}

static void
note_one_fault(void *arg, const struct pp_err *e)
{
	(void)arg;
	if (!err.what[0])
		memcpy(err.what, e->what, sizeof err.what);
}

static int
read_records(const struct way *w, struct pp_source *s)
{
	static const struct pp_leave_out leave = { .next = all_is_read, .name = "index" };
	struct pp_chunk_walk walk = { .size = 4096, .chunk = note_chunk };
	struct pp_rec r;
	int rc = 1;

	if (w->how & PIECE)
		rc = pp_piece(s, 1, 1, 100);
	if (rc > 0 && w->how & LEAVE)
		rc = pp_leave_out(s, &leave);
	if (rc > 0 && w->how & CHUNKS && pp_chunks_cannot(s))		/* the seek table could not be read */
		return pp_fail(&err, "%s", pp_chunks_cannot(s));
	if (rc > 0 && w->how & CHUNKS)
		return pp_chunks_walk(s, &walk);
	while (rc > 0 && (rc = pp_next(s, &r)) > 0) {
		const uint8_t *p;
		size_t n;

		note_number(pp_offset(s, &r));
		note(r.raw, r.size);
		while (r.payload && pp_payload(s, &p, &n) > 0)
			note(p, n);
	}
	return rc < 0 ? -1 : 1;
}

static int
read_all(const struct way *w, int fd)
{
	struct pp_told told = { complete, w->how & GROWS ? begin_growing(fd) : NULL };
	unsigned given = 0;
	struct pp_source *s = fd < 0 ? pp_open(dir, w->flags, &err) : pp_open_fd(fd, "in", w->flags, &err);
	int rc = s ? 1 : -1;

	if (s)
		pp_on_fault(s, note_one_fault, NULL);
	if (s && w->flags & PP_OPEN_FOLLOW)
		pp_follow_told(s, &told);
	if (s && w->how & GIVE)
		pp_read_into(s, give, &given);
	if (s && w->flags & PP_OPEN_LATER)
		rc = pp_begin(s);
	if (rc > 0)
		rc = read_records(w, s);
	if (pp_close(s) < 0)
		rc = -1;
	if (told.arg)
		munmap(told.arg, grown.n);
	return rc;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static int out_fd, tmp_dir;

static int
put_all(struct pp_sink *k, struct out *o, int fd)
{
	struct pp_source *s = pp_open_fd(fd, "in", PP_OPEN_ANY_TRACING, &err);
	struct pp_rec r;
	int rc = 1;

	if (!s)
		return -1;
	while (rc > 0 && (rc = pp_next(s, &r)) > 0) {
		rc = o ? o->put(o, s, &r, false) : pp_put_copy(k, r.raw, r.size);
		while (k && rc > 0 && r.payload) {
			const uint8_t *p;
			size_t n;

			if ((rc = pp_payload(s, &p, &n)) <= 0) {
				rc = rc < 0 ? -1 : 1;
				break;
			}
			rc = pp_put_copy(k, p, n);
		}
	}
	return pp_close(s) < 0 || rc < 0 ? -1 : 1;
}

static struct out *
new_file(const struct way *w, struct pp_source *head, struct pp_sink *k)
{
	return out_file_new(k, &(struct out_file_at){ .fd = out_fd, .dir = tmp_dir, .grows = w->how }, &(struct out_pack){ .level = (int)w->level,
	    .threads = w->threads, .frame = 1 << 12 }, head, &err);
}

/* Of the input, as a perf.data, a stream, or a perf.data by a stream. */
static int
write_as(const struct way *w, int fd, char form)
{
	static const uint8_t head[16] = "PERFILE2\20";
	struct pp_source *order = pp_open_memory(head, 0, b.swap, "order", &err);	/* only its byte order is asked for */
	struct pp_sink *k;
	struct out *o = NULL;
	int rc = -1;

	if (!order) {
		close(fd);
		return -1;
	}
	/* what opens it is asked for before a sink, which flushes when a source says so */
	k = pp_create_fd(fcntl(out_fd, F_DUPFD_CLOEXEC, 0), "out", &err);
	if (form == 's')
		o = out_stream_new(k, &(struct out_pack){ .level = (int)w->level, .threads = w->threads, .frame = 1 << 12 }, order, &err);
	else
		o = new_file(w, order, k);
	k = NULL;
	if (o && form == 'f' && !(k = out_feed_new(o, order->swap, &err)))
		o = NULL;
	if (k && pp_start(k, order) > 0)
		rc = put_all(k, NULL, fd);
	else if (!k && o)
		rc = put_all(NULL, o, fd);
	else
		close(fd);
	if ((k ? pp_finish(k) : o ? o->finish(o) : 1) < 0)
		rc = -1;
	pp_close(order);
	return rc;
}

static int
write_stream(const struct way *w, int fd)
{
	return write_as(w, fd, 's');
}

static int
write_file_of(const struct way *w, int fd)
{
	return write_as(w, fd, 'd');
}

static int
write_fed(const struct way *w, int fd)
{
	return write_as(w, fd, 'f');
}

/* A data section that is copied. */
static int
write_copy(const struct way *w, int fd)
{
	struct pp_source *order = pp_open_memory(NULL, 0, b.swap, "order", &err);
	struct pp_sink *k = order ? pp_create_fd(fcntl(out_fd, F_DUPFD_CLOEXEC, 0), "out", &err) : NULL;
	struct out *o = k ? new_file(w, order, k) : NULL;
	int rc = o ? out_file_copy(o, fd, 100, 5000, NULL, NULL) : -1;

	if (o && o->finish(o) < 0)
		rc = -1;
	close(fd);
	pp_close(order);
	return rc;
}

/* ---- the ways ------------------------------------------------------------------------------------------ */

static const struct way ways[] = {
	{ "a perf.data", &file, .run = read_all },
	{ "later", &file, .run = read_all, .flags = PP_OPEN_LATER },
	{ "from a pipe", &file, .run = read_all, .how = BY_PIPE },
	{ "from a pipe, later", &file, .run = read_all, .how = BY_PIPE, .flags = PP_OPEN_LATER },
	{ "repaired", &file, .run = read_all, .flags = PP_OPEN_REPAIR },
	{ "followed", &file, .run = read_all, .flags = PP_OPEN_FOLLOW | PP_OPEN_LATER },
	{ "followed while it grows", &grown, .run = read_all, .how = GROWS, .flags = PP_OPEN_FOLLOW | PP_OPEN_LATER },
	{ "with bytes that can be left out", &file, .run = read_all, .how = LEAVE },
	{ "a piece", &file, .run = read_all, .how = PIECE },
	{ "into other memory", &framed, .run = read_all, .how = GIVE },
	{ "chunks", &many, .run = read_all, .how = CHUNKS },
	{ "a stream", &stream, .run = read_all },
	{ "from a pipe", &stream, .run = read_all, .how = BY_PIPE },
	{ "repaired, from a pipe", &stream, .run = read_all, .how = BY_PIPE, .flags = PP_OPEN_REPAIR },
	{ "of COMPRESSED records", &packed, .run = read_all },
	{ "of COMPRESSED records, repaired", &packed, .run = read_all, .flags = PP_OPEN_REPAIR },
	{ "chunks of COMPRESSED records", &packed, .run = read_all, .how = CHUNKS },
	{ "in zstd", &framed, .run = read_all },
	{ "in zstd, from a pipe", &framed, .run = read_all, .how = BY_PIPE },
	{ "in zstd, followed", &framed, .run = read_all, .flags = PP_OPEN_FOLLOW | PP_OPEN_LATER },
	{ "in zstd with a seek table", &seekable, .run = read_all },
	{ "chunks of that", &seekable, .run = read_all, .how = CHUNKS },
	{ "a CPU profile", &profile, .run = read_all },
	{ "a CPU profile from a pipe", &profile, .run = read_all, .how = BY_PIPE },
	{ "a directory", NULL, .run = read_all, .how = BY_PATH },
	{ "chunks of a directory", NULL, .run = read_all, .how = BY_PATH | CHUNKS },
	{ "writes a stream", &file, .run = write_stream },
	{ "writes a compressed stream", &stream, .run = write_stream, .level = 1 },
	{ "writes a stream that threads compress", &many, .run = write_stream, .level = 1, .threads = 2 },
	{ "writes a stream that a thread compresses at its end", &stream, .run = write_stream, .level = 1, .threads = 1 },
	{ "writes a perf.data", &file, .run = write_file_of },
	{ "writes a perf.data that is read meanwhile", &stream, .run = write_file_of, .how = 1 },
	{ "writes a compressed perf.data", &many, .run = write_file_of, .level = 1 },
	{ "writes a perf.data by a stream", &file, .run = write_fed },
	{ "writes a perf.data with much beside its data", &rich, .run = write_file_of },
	{ "writes that by a stream", &rich, .run = write_fed },
	{ "writes that stream, compressed", &rich, .run = write_stream, .level = 1 },
	{ "copies data", &many, .run = write_copy },
};

static unsigned
descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 100; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static int
fd_of(const struct input *in, bool by_pipe)
{
	int fd[2];

	if (!in)
		return -1;
	if (by_pipe)
		assert_int_equal(pipe(fd), 0);
	else
		fd[0] = fd[1] = memfd_create("in", MFD_CLOEXEC);
	assert_int_equal(write(fd[1], in->p, in->n), in->n);
	if (by_pipe)
		close(fd[1]);
	else
		assert_int_equal(lseek(fd[0], 0, SEEK_SET), 0);
	return fd[0];
}

/* One run.  *once: something was refused. */
static int
run(const struct way *w, enum refused what, long nth, bool *once)
{
	int zero = nth % 2 ? dup(out_fd) : -1, fd = fd_of(w->in, w->run == read_all && w->how & BY_PIPE), rc;
	ssize_t n;

	if (w->how & BY_PATH && nth % 2)
		fd = open(dir, O_RDONLY | O_CLOEXEC);
	if (zero >= 0)			/* the first that is opened then has the number 0, else the input */
		close(zero);
	assert_int_equal(ftruncate(out_fd, 0), 0);
	assert_int_equal(lseek(out_fd, 0, SEEK_SET), 0);
	err = (struct pp_err){ .what = "" };
	result.n = 0;
	refuse(what, nth);
	rc = w->run(w, fd);
	*once = refused_once();
	if (w->run != read_all) {
		n = pread(out_fd, result.p, sizeof result.p, 0);
		assert_true(n >= 0);
		result.n = (size_t)n;
	}
	return rc;
}

static void
test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		const struct way *w = &ways[i];
		unsigned before = descriptors();
		bool once;

		if (run(w, REFUSE_NOTHING, 1, &once) < 0)
			fail_msg("%s: %s", w->name, err.what);
		assert_int_equal(descriptors(), before);
		wanted = result;
		assert_true(wanted.n);
		for (enum refused what = REFUSE_NOTHING + 1; REFUSES && what < REFUSE_KINDS; what++) {
			for (long nth = 1;; nth++) {
				long used = pieces_in_use();
				int rc = run(w, what, nth, &once);
				long still = pieces_in_use();

				if (descriptors() != before)
					fail_msg("%s, %u, number %ld: %u descriptors, now %u", w->name, what, nth, before, descriptors());
				if (still > used)
					fail_msg("%s, %u, number %ld: %ld pieces of memory are left", w->name, what, nth, still - used);
				if (rc < 0 && !err.what[0])
					fail_msg("%s, %u, number %ld: nothing is said", w->name, what, nth);
				if (rc < 0 && (!once || what == REFUSE_NOW || what == REFUSE_MOST))
					fail_msg("%s, %u, number %ld: %s", w->name, what, nth, err.what);
				if (rc >= 0 && err.what[0])
					fail_msg("%s, %u, number %ld: it has not failed: %s", w->name, what, nth, err.what);
				/* records of features are at another place if they were there at the beginning */
				if (rc >= 0 && (result.n != wanted.n || (w->in != &grown && memcmp(result.p, wanted.p, wanted.n))))
					fail_msg("%s, %u, number %ld: %zu bytes, not the %zu", w->name, what, nth, result.n, wanted.n);
				if (!once)
					break;
			}
		}
	}
}

/* ---- the recordings ------------------------------------------------------------------------------------ */

static void
take_bytes(struct input *to, const void *p, size_t n)
{
	assert_true(n <= sizeof to->p);
	memcpy(to->p, p, n);
	to->n = n;
}

/* What a way writes of an input. */
static void
make_of(struct input *to, const struct way *w)
{
	bool once;

	if (run(w, REFUSE_NOTHING, 1, &once) < 0)
		fail_msg("%s", err.what);
	take_bytes(to, result.p, result.n);
}

static void
put_u32(uint8_t *p, uint32_t v)
{
	pp_set_u32(p, v, BIG_HERE);
}

/* Two frames and a table of them. */
static void
make_frames(void)
{
	size_t half = file.n / 2, n[2];
	uint8_t *p = seekable.p, *entries;

	n[0] = ZSTD_compress(p, SIZE / 2, file.p, half, 1);
	n[1] = ZSTD_compress(p + n[0], SIZE / 2, file.p + half, file.n - half, 1);
	entries = p + n[0] + n[1];
	put_u32(entries, 0x184d2a5e);
	put_u32(entries + 4, 2 * 8 + 9);
	for (int i = 0; i < 2; i++) {
		put_u32(entries + 8 + 8 * i, (uint32_t)n[i]);
		put_u32(entries + 12 + 8 * i, (uint32_t)(i ? file.n - half : half));
	}
	put_u32(entries + 24, 2);
	entries[28] = 0;
	put_u32(entries + 29, 0x8f92eab1);
	seekable.n = n[0] + n[1] + 33;
}

static void
write_part(const char *name, const uint8_t *p, size_t n)
{
	char path[100];
	int fd;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), n);
	close(fd);
}

/* A stream with many ids and tasks. */
static void
make_many(void)
{
	const struct pp_attr a = { .type = 1, .size = ATTR, .sample_type = PP_SAMPLE_TID | PP_SAMPLE_TIME };

	b.n = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	put_attr(&b, &a, 0, NULL);
	for (unsigned i = 0; i < 2000; i++) {
		size_t at = begin_rec(&b, PP_SAMPLE, 2);

		put(&b, i * 64, 4);
		put(&b, i * 64 + i % 7, 4);
		put(&b, 1000 + i, 8);
		end_rec(&b, at);
	}
	take_bytes(&many, bytes_p(&b), b.n);
}

/* More of what stands beside the data of a file than is kept in memory; and an attr that comes late. */
static void
make_rich(void)
{
	static uint64_t many_ids[7000];
	struct pp_attr a = { .type = 1, .size = ATTR, .sample_type = PP_SAMPLE_ID | PP_SAMPLE_TIME };
	size_t at;

	for (unsigned i = 0; i < 7000; i++)
		many_ids[i] = 1000 + i;
	b.n = 0;
	put(&b, UINT64_C(0x32454c4946524550), 8);
	put(&b, 16, 8);
	put_attr(&b, &a, 7000, many_ids);
	at = begin_rec(&b, PP_EVENT_UPDATE, 0);
	put(&b, 2, 8);
	put(&b, many_ids[0], 8);
	put_text(&b, "name", 8);
	end_rec(&b, at);
	take_bytes(&rich, bytes_p(&b), b.n);
	b.n = 0;
	for (unsigned i = 0; i < 400; i++) {
		at = begin_rec(&b, PP_HEADER_BUILD_ID, 2);
		put(&b, UINT32_MAX, 4);
		for (unsigned k = 0; k < 24; k++)
			put(&b, k < 20 ? k + i : 0, 1);
		put_text(&b, "/usr/bin/program", 20);
		end_rec(&b, at);
	}
	at = begin_rec(&b, PP_HEADER_TRACING_DATA, 0);
	put(&b, 20000, 4);
	end_rec(&b, at);
	b.n += 20000;
	for (unsigned i = 0; i < 3; i++) {
		at = begin_rec(&b, PP_AUXTRACE, 0);
		put(&b, 1000, 8);
		for (unsigned k = 0; k < 4; k++)
			put(&b, 0, 8);
		end_rec(&b, at);
		b.n += 1000;
		at = begin_rec(&b, PP_SAMPLE, 2);
		put(&b, many_ids[i], 8);
		put(&b, 5000 + i, 8);
		end_rec(&b, at);
	}
	put_attr(&b, &a, 1, (const uint64_t[]){ 1 });
	memcpy(rich.p + rich.n, bytes_p(&b), b.n);
	rich.n += b.n;
}

static int
make_all(void **state)
{
	static const int format[] = { BUILD_ID, HOSTNAME, NRCPUS, EVENT_DESC, DIR_FORMAT, 0 };

	(void)state;
	out_fd = memfd_create("out", MFD_CLOEXEC);
	tmp_dir = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	b.swap = BIG_HERE;		/* little-endian */
	desc_len = 64;
	dir_version = 1;
	make_file(format, 1, false, false);
	take_bytes(&file, bytes_p(&b), b.n);
	assert_non_null(mkdtemp(dir));
	write_part("data", bytes_p(&b), b.n);
	write_part("data.0", bytes_p(&b) + data.off, data.size);
	write_part("data.1", bytes_p(&b) + data.off, data.size);
	make_file(all, 1, false, true);
	take_bytes(&grown, bytes_p(&b), b.n);
	make_file(all, 1, false, false);
	take_bytes(&file, bytes_p(&b), b.n);
	make_frames();
	framed.n = ZSTD_compress(framed.p, SIZE, file.p, file.n, 1);
	make_of(&stream, &(struct way){ .in = &file, .run = write_stream });
	make_rich();
	make_many();
	make_of(&packed, &(struct way){ .in = &many, .run = write_stream, .level = 1 });
	b.n = 0;
	for (int i = 0; i < 11; i++)
		put(&b, i == 1 ? 3 : i == 3 ? 1000 : i == 5 || i == 6 || i == 9 ? 1 : i == 7 ? 4096 : 0, 8);
	put_text(&b, "00400000-00500000 r-xp 00000000 00:00 7 /bin/x\n", 47);
	take_bytes(&profile, bytes_p(&b), b.n);
	close(STDIN_FILENO);		/* descriptor 0 is one as any other: a tool may be started without it */
	return 0;
}

static int
remove_all(void **state)
{
	static const char *const names[] = { "data", "data.0", "data.1" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char path[100];

		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		unlink(path);
	}
	return rmdir(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_refused) };

	return cmocka_run_group_tests(tests, make_all, remove_all);
}
