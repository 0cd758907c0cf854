/* SPDX-License-Identifier: ISC */
/*
 * stream.c - libFuzzer target: any bytes, through everything that the codec does with a recording.
 *
 *	clang -g -O1 -std=c11 -D_GNU_SOURCE -Icommon -fsanitize=fuzzer,address,undefined \
 *	    -fno-sanitize-recover=undefined tests/fuzz/stream.c (all of common/ but tool, and tool/confine*.c) -lzstd
 *	./stream -runs=20000 -seed=1 -max_len=8192 tests/fuzz/seeds	(a fixed piece of work; the seeds are not changed)
 *	./stream -max_len=8192 newcorpus tests/fuzz/seeds		(on and on)
 *
 * The sum of the input's bytes decides what is done with it (any change reaches all): bit 0, PP_OPEN_RAW; bit 1, the
 * bytes come through a pipe, not a file.  What must hold for any bytes: no sanitizer error; a failure has a text, and only
 * a failure; a handle that failed stays failed; and a stream that is read to its end with PP_OPEN_RAW is written with
 * not one byte more or less.
 *
 * seeds/: small recordings of every kind, made by tests/mkpipe from tests/data and by hand; the name says what it is.
 */
#include <sys/mman.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/feature.h"
#include "record/event.h"
#include "record/raw.h"
#include "record/sample.h"
#include "record/shape.h"
#include "sink/tmpfile.h"
#include "state/round.h"
#include "state/state.h"
#include "tool/confine.h"
#include "fuzz.h"

enum { PIPE_SIZE = 1 << 20, RECORDS_MAX = 20000 };

struct run {
	struct pp_source *in;
	struct pp_sink	*out;
	struct pp_round	*round;
	struct pp_state	*state;
	uint32_t	 nr_cpus;
	unsigned	 sum;		/* of bytes that were shown: each must be readable */
	unsigned	 delivered, queued;
	uint64_t	 last;		/* time delivered in this release */
};

static volatile unsigned nobody_reads;

static void
touch(struct run *z, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		z->sum += ((const uint8_t *)p)[i];
}

/* ---- what the codec calls -------------------------------------------------------------------------- */

static int
see_value(void *arg, const struct pp_value *v)
{
	MUST(v->name && v->kind != PP_K_END && v->kind != PP_K_LIST && v->kind != PP_K_OPT);
	touch(arg, v->p, v->len);
	return 1;
}

static int
see_feature(void *arg, const struct pp_feature_value *v)
{
	touch(arg, v->name, strlen(v->name));
	if (v->len)
		touch(arg, v->p, v->len);
	return 1;
}

static int
see_text(void *arg, const char *p, size_t n)
{
	if (p)
		touch(arg, p, n);
	return 1;
}

static int
see_record(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct run *z = arg;
	bool swap = z->in->swap;
	struct pp_rec r = pp_rec_at(p, swap);
	const struct pp_map *m;

	MUST(time >= z->last);
	z->last = time;
	z->delivered++;
	touch(z, p, n);
	MUST(pp_state_feed(z->state, &r, 0) > 0);
	if (r.type == PP_MMAP2 && n >= 24 && (m = pp_state_map(z->state, pp_get_u32(p + 8, swap), r.misc & 7, pp_get_u64(p + 16, swap))))
		touch(z, pp_state_dso(z->state, m)->name, pp_state_dso(z->state, m)->len);
	if (n >= 12 && pp_state_task(z->state, pp_get_u32(p + 8, swap)))
		z->sum++;
	return pp_put_copy(z->out, p, n);
}

/* ---- what is done with a record ---------------------------------------------------------------------- */

static void
feature(struct run *z, const struct pp_rec *r)
{
	static uint8_t flipped[2 * PP_RECORD_MAX], back[4 * PP_RECORD_MAX];
	struct pp_err err = { 0 };
	struct pp_feature f, g;
	uint64_t num;
	size_t n, m;

	if (pp_feature_of(&f, r, z->in->swap, z->nr_cpus, &err) < 0)
		return;
	pp_feature_walk(&f, see_feature, z, &err);
	err.what[0] = 0;
	pp_feature_text(&f, see_text, z, &err);
	err.what[0] = 0;
	if (f.number == PP_FEAT_NRCPUS && pp_feature_num(&f, "available", &num, &err) > 0)
		z->nr_cpus = (uint32_t)num;
	err.what[0] = 0;
	if (pp_feature_convert(&f, !f.swap, flipped, sizeof flipped, &n, &err) < 0)
		return;
	/* What could be turned around once can be turned back. */
	g = f;
	g.p = flipped;
	g.len = n;
	g.swap = !f.swap;
	MUST(pp_feature_convert(&g, f.swap, back, sizeof back, &m, &err) > 0 && m == n);
}

/* What is shown of a sample is in its fields, in their order and without a gap. */
struct inside { struct run *z; const uint8_t *at; };

static int
see_part(void *arg, const struct pp_value *v)
{
	struct inside *in = arg;

	MUST(v->field && v->p == in->at && (!v->entries || v->index < v->entries));
	in->at += v->len;
	return see_value(in->z, v);
}

static void
sample(struct run *z, const struct pp_event *ev, const struct pp_rec *r)
{
	struct pp_err err = { 0 };
	struct inside in = { z, r->raw + PP_HEADER_SIZE };
	bool swap = z->in->swap;

	if (pp_walk(r, ev, swap, see_part, &in, &err) < 0) {
		MUST(err.what[0]);
		return;
	}
	MUST(in.at <= r->raw + r->size && in.at == r->raw + pp_shape_end(&ev->shape, r, ev->plan.fixed, swap));
	for (unsigned i = 0; i < PP_SAMPLE_BITS; i++) {
		const uint8_t *p = NULL;
		size_t n = 0;

		MUST(pp_sample_field(ev, r, swap, 1u << i, &p, &n, &err) == (int)(pp_sample_slots(ev->attr.sample_type) >> i & 1));
		MUST(!p || (p >= r->raw && p + n <= in.at));
	}
}

/* What other programs call. */
static void
program(struct run *z, const struct pp_rec *r)
{
	static uint8_t buf[PP_RECORD_MAX];
	struct pp_err err = { 0 };
	struct pp_decoded d;
	struct pp_frames f;
	struct pp_frame frame;
	struct pp_rec again;
	uint64_t time;

	z->sum += pp_record_time(z->in, r, &time) > 0 ? time : 0;
	if (pp_decode(z->in, r, &d, &err) <= 0)
		return;
	touch(z, d.raw.p, d.raw.n);
	touch(z, d.stack_user.p, d.stack_user.n);
	touch(z, d.read.p, d.read.n);
	pp_frames_of(&f, z->in, &d);
	while (pp_frame_next(&f, &frame) > 0)
		z->sum += frame.ip;
	if (pp_encode(z->in, &d, buf, sizeof buf, &again, &err) > 0)
		MUST(pp_decode(z->in, &again, &d, &err) > 0);
}

static int
record(struct run *z, struct pp_rec *r)
{
	struct pp_err err = { 0 };
	const struct pp_event *ev = NULL;
	uint32_t pid, tid, cpu;
	uint64_t time;
	bool swap = z->in->swap;

	touch(z, r->raw, r->size);
	MUST(pp_check(r, swap, &err) == 1);	/* the source yields no others */
	if (r->type < PP_USER_TYPE_START && !(ev = pp_event_find(z->in->events, r, &err)))
		MUST(err.what[0]);
	err.what[0] = 0;
	if (pp_walk(r, ev, swap, see_value, z, &err) < 0)
		MUST(err.what[0]);
	program(z, r);
	if (r->type == PP_HEADER_FEATURE)
		feature(z, r);
	if (ev) {
		touch(z, ev->name, strlen(ev->name));
		z->sum += (unsigned)(pp_pid_tid(ev, r, swap, &pid, &tid) > 0 ? pid + tid : 0);
		z->sum += pp_cpu(ev, r, swap, &cpu) > 0 ? cpu : 0;
		if (r->type == PP_SAMPLE)
			sample(z, ev, r);
		if (pp_time(ev, r, swap, &time) > 0) {
			z->queued++;
			if (pp_round_add(z->round, time, r->raw, r->size) < 0)
				return -1;
		}
	}
	if (r->type == PP_FINISHED_ROUND) {
		z->last = 0;
		if (pp_round_finished(z->round) < 0 || pp_flush(z->out) < 0)
			return -1;
		pp_round_reclaim(z->round);
	}
	return 1;
}

/* ---- a whole input ------------------------------------------------------------------------------------- */

static void
read_all(struct run *z, bool raw, struct pp_err *err, struct pp_sink *copy, size_t size)
{
	struct pp_rec r, again;
	uint64_t lost = 0;
	unsigned n = 0;
	int rc;

	z->round = pp_round_new(see_record, z, err);
	z->state = pp_state_new(z->in->swap, err);
	MUST(z->round && z->state);
	while ((rc = pp_next(z->in, &r)) > 0 && n++ < RECORDS_MAX) {
		if ((rc = record(z, &r)) < 0)
			break;
		/* Sometimes skip a payload, sometimes take it. */
		if (raw || !r.payload || n & 1)
			rc = pp_put(copy, z->in, &r);
		if (rc < 0)
			break;
	}
	if (n < RECORDS_MAX && rc < 0)
		MUST(err->what[0] && pp_next(z->in, &again) == -1);
	if (!rc)
		MUST(!err->what[0]);
	z->last = 0;
	MUST(pp_round_final(z->round) > 0 && z->delivered == z->queued);
	MUST(pp_flush(copy) > 0);
	/* Features that perf refuses are left out. */
	pp_faults(z->in, &lost);
	if (!rc && raw && !strcmp(pp_container(z->in), "pipe-mode stream"))
		MUST(pp_written(copy) + lost == size);
	pp_round_free(z->round);
	pp_state_free(z->state);
}

/* A descriptor from which the bytes can be read. */
static int
present(const uint8_t *data, size_t size, bool by_pipe)
{
	int fd[2];

	if (by_pipe && size < PIPE_SIZE) {
		MUST(pipe2(fd, O_CLOEXEC) == 0 && fcntl(fd[1], F_SETPIPE_SZ, PIPE_SIZE) >= 0);
		MUST(write(fd[1], data, size) == (ssize_t)size);
		close(fd[1]);
		return fd[0];
	}
	MUST((fd[0] = memfd_create("input", MFD_CLOEXEC)) >= 0);
	MUST(write(fd[0], data, size) == (ssize_t)size);
	return fd[0];
}

/*
 * What is tried may write only where inputs and findings are: the directories of the arguments, where a finding goes, and for
 * temporary files.  Not for the seeds, which are known: under seccomp(2), which libFuzzer does not have, present() is refused.
 */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
int	LLVMFuzzerInitialize(int *, char ***);
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	enum { ALL = CONFINE_READ | CONFINE_WRITE | CONFINE_CREATE };
	static const char prefix[] = "-artifact_prefix=";
	struct confine c = { .off = false };
	char text[100];

	confine_allow(&c, ".", ALL);
	confine_allow(&c, pp_tmpdir(NULL), ALL);
	confine_allow(&c, "/dev/null", CONFINE_WRITE);
	for (int i = 1; i < *argc; i++) {
		const char *arg = (*argv)[i];
		bool findings = !strncmp(arg, prefix, sizeof prefix - 1);
		char *path = strdup(findings ? arg + sizeof prefix - 1 : arg), *slash = findings ? strrchr(path, '/') : NULL;

		if (slash)
			slash[1] = 0;
		confine_allow(&c, path, ALL);
		free(path);
	}
	MUST(confine_lock(&c, text, sizeof text) > 0);
	fprintf(stderr, "confinement: %s\n", text);
	return 0;
}
#endif

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pp_err in_err, out_err, copy_err;
	struct run z = { 0 };
	struct pp_sink *copy;
	char path[64];
	bool raw;
	int fd;

	touch(&z, data, size);
	raw = z.sum & 1;
	fd = present(data, size, z.sum & 2);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	z.in = pp_open(path, raw ? PP_OPEN_RAW : 0, &in_err);
	close(fd);
	if (z.in) {
		z.out = pp_create("/dev/null", &out_err);
		copy = pp_create("/dev/null", &copy_err);
		MUST(z.out && copy && pp_start(copy, z.in) > 0);
		touch(&z, pp_container(z.in), 1);
		read_all(&z, raw, &in_err, copy, size);
		pp_before_refill(z.in, NULL, NULL);
		MUST(pp_finish(copy) > 0 && pp_finish(z.out) > 0);
		pp_close(z.in);
	} else
		MUST(in_err.what[0]);
	nobody_reads = z.sum;
	return 0;
}
