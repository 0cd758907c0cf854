/* SPDX-License-Identifier: ISC */
/*
 * What other programs call.  Each record of the recordings in tests/data that can be is taken apart and made again: pp_encode(pp_decode())
 * and pp_compose() of what pp_fields() shows.  And what they refuse.
 */
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

#include "index/build.h"
#include "record/event.h"
#include "record/sample.h"
#include "state/state.h"
#include "bytes.h"

enum { GIVEN_MAX = 4096 };

struct job {
	struct pp_source *in;
	struct pp_given	 v[GIVEN_MAX];
	size_t		 n;
	uint64_t	 composed, exact, encoded, refused, types;
};

static int
give(void *arg, const struct pp_value *v)
{
	struct job *j = arg;

	assert_true(j->n < GIVEN_MAX);
	if (v->kind == PP_K_WORDS)
		for (size_t i = 0; i < v->len / 8; i++)
			j->v[j->n++] = (struct pp_given){ v->name, pp_number_at(j->in, v->p + 8 * i, 8), NULL, 0 };
	else if (v->kind == PP_K_STR || v->kind == PP_K_BYTES || v->kind == PP_K_REST)
		j->v[j->n++] = (struct pp_given){ v->name, 0, v->p, v->len };
	else
		j->v[j->n++] = (struct pp_given){ v->name, pp_number(j->in, v), NULL, 0 };
	return 1;
}

struct same { struct job *j; size_t n; };
static int
is_given(void *arg, const struct pp_value *v)
{
	struct same *s = arg;
	const struct pp_given *g = &s->j->v[s->n++];

	assert_string_equal(g->name, v->name);
	if (g->p) {
		assert_int_equal(g->n, v->len);
		assert_memory_equal(g->p, v->p, v->len);
	} else if (v->kind != PP_K_WORDS && v->kind != PP_K_STR)
		assert_int_equal(g->number, pp_number(s->j->in, v));
	return 1;
}

/* The trailer of a record, as a sample of its event. */
static struct pp_decoded
trailer_of(const struct pp_event *ev, const struct pp_rec *r, bool swap)
{
	const struct { size_t to; uint16_t at; bool half; } fields[] = {
		{ offsetof(struct pp_decoded, pid), ev->plan.t_tid, true },
		{ offsetof(struct pp_decoded, tid), (uint16_t)(ev->plan.t_tid ? ev->plan.t_tid - 4 : 0), true },
		{ offsetof(struct pp_decoded, time), ev->plan.t_time, false },
		{ offsetof(struct pp_decoded, id), ev->plan.t_id, false },
		{ offsetof(struct pp_decoded, stream_id), ev->plan.t_stream_id, false },
		{ offsetof(struct pp_decoded, cpu), ev->plan.t_cpu, true },
		{ offsetof(struct pp_decoded, id), ev->plan.t_identifier, false },
	};
	struct pp_decoded d = { .event = ev };

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const uint8_t *p = r->raw + r->size - fields[i].at;

		if (fields[i].at && fields[i].half)
			*(uint32_t *)((char *)&d + fields[i].to) = pp_get_u32(p, swap);
		else if (fields[i].at)
			*(uint64_t *)((char *)&d + fields[i].to) = pp_get_u64(p, swap);
	}
	return d;
}

static void
compose_again(struct job *j, const struct pp_rec *r)
{
	static uint8_t buf[PP_RECORD_MAX];
	const struct pp_event *ev = r->type < PP_USER_TYPE_START ? pp_event_find(pp_source_events(j->in), r, NULL) : NULL;
	struct pp_decoded like = { 0 };
	struct pp_err err = { 0 };
	struct pp_rec again, body = *r;
	bool swap = pp_source_swap(j->in), has = ev && pp_has_trailer(ev, r);

	if (has) {
		like = trailer_of(ev, r, swap);
		body.size = (uint16_t)(r->size - ev->plan.trailer);
	}
	j->n = 0;
	assert_int_equal(pp_walk(&body, NULL, swap, give, j, &err), 1);
	if (pp_compose(j->in, r->type, r->misc, j->v, j->n, &like, buf, sizeof buf, &again, &err) != 1)
		fail_msg("%s: %s", pp_type_name(r->type), err.what);
	j->composed++;
	if (again.size == r->size && !memcmp(again.raw, r->raw, r->size)) {
		j->exact++;
		j->types |= UINT64_C(1) << (r->type & 63);
		return;
	}
	/* It was padded otherwise, or lacked what is optional. */
	assert_int_equal(again.type, r->type);
	if (has)
		assert_memory_equal(again.raw + again.size - ev->plan.trailer, r->raw + r->size - ev->plan.trailer, ev->plan.trailer);
	if (again.size == r->size)
		return;
	body = again;
	body.size = (uint16_t)(again.size - (has ? ev->plan.trailer : 0));
	assert_true(again.size > r->size || pp_walk(&body, NULL, swap, is_given, &(struct same){ j, 0 }, &err) == 1);
}

static void
encode_again(struct job *j, const struct pp_rec *r)
{
	enum { NOT = PP_SAMPLE_BRANCH_STACK | PP_SAMPLE_AUX };
	static uint8_t buf[PP_RECORD_MAX];
	struct pp_decoded d, e;
	struct pp_err err = { 0 };
	struct pp_rec again;
	struct pp_frames f;
	struct pp_frame frame;
	size_t frames = 0;
	int rc;

	assert_int_equal(pp_decode(j->in, r, &d, &err), 1);
	assert_int_equal(d.has, pp_event_attr(d.event)->sample_type & PP_SAMPLE_KNOWN);
	assert_true(d.misc == r->misc && d.cpumode == (r->misc & PP_MISC_CPUMODE_MASK));
	pp_frames_of(&f, j->in, &d);
	while (pp_frame_next(&f, &frame) > 0)
		frames++;
	assert_true(frames <= d.callchain.n / 8);
	rc = pp_encode(j->in, &d, buf, sizeof buf, &again, &err);
	if (d.has & NOT) {
		assert_int_equal(rc, -1);
		j->refused++;
		return;
	}
	if (rc != 1)
		fail_msg("%s", err.what);
	j->encoded++;
	if (!(d.has & PP_SAMPLE_STACK_USER)) {	/* what is behind the valid bytes is not written */
		assert_int_equal(again.size, r->size);
		assert_memory_equal(again.raw, r->raw, r->size);
	}
	assert_int_equal(pp_decode(j->in, &again, &e, &err), 1);
	assert_int_equal(e.stack_user.n, d.stack_user.n);
	if (d.stack_user.n)
		assert_memory_equal(e.stack_user.p, d.stack_user.p, d.stack_user.n);
	assert_int_equal(e.time, d.time);
	assert_int_equal(e.weight, d.weight);
	assert_int_equal(pp_encode(j->in, &d, buf, again.size - 1u, &again, &err), -1);
}

static void
test_again(void **state)
{
	static struct job j;
	glob_t files;

	(void)state;
	assert_int_equal(glob("tests/data/*.data", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct pp_err err = { 0 };
		struct pp_rec r;

		j.in = pp_open(files.gl_pathv[i], 0, &err);
		while (j.in && pp_next(j.in, &r) > 0)
			if (r.type == PP_SAMPLE)
				encode_again(&j, &r);
			else if (pp_type_fields(r.type))
				compose_again(&j, &r);
		pp_close(j.in);
	}
	globfree(&files);
	print_message("composed %ju, %ju of them byte for byte; encoded %ju, refused %ju\n", (uintmax_t)j.composed, (uintmax_t)j.exact,
	    (uintmax_t)j.encoded, (uintmax_t)j.refused);
	assert_true(j.exact > 1000 && j.exact > j.composed * 9 / 10);
	assert_true(j.encoded > 1000);
	for (unsigned type = PP_MMAP; type <= PP_MMAP2; type++)
		if (pp_type_fields(type) && type != PP_LOST && type != PP_THROTTLE && type != PP_UNTHROTTLE && !(j.types >> type & 1))
			fail_msg("no %s was composed", pp_type_name(type));
}

static void
test_compose(void **state)
{
	static const uint8_t none[1];
	struct pp_err err = { 0 };
	struct pp_source *s = pp_open_memory(none, 0, false, "none", &err);
	const struct pp_given comm[] = { { "pid", 7, NULL, 0 }, { "tid", 8, NULL, 0 }, { "comm", 0, "sh", 2 } };
	const struct pp_given links[] = { { "pid", 7, NULL, 0 }, { "ino", 11, NULL, 0 }, { "dev", 1, NULL, 0 }, { "dev", 2, NULL, 0 },
	    { "ino", 12, NULL, 0 } };
	const struct pp_given wrong = { "coom", 0, "sh", 2 }, nul = { "comm", 0, "s\0h", 3 };
	static const uint8_t want[] = { 3, 0, 0, 0, 0, 0x20, 24, 0, 7, 0, 0, 0, 8, 0, 0, 0, 's', 'h', 0, 0, 0, 0, 0, 0 };
	uint8_t buf[64];
	struct pp_rec r;

	(void)state;
	assert_non_null(s);
	assert_int_equal(pp_compose(s, PP_COMM, PP_MISC_COMM_EXEC, comm, 3, NULL, buf, sizeof buf, &r, &err), 1);
	assert_int_equal(r.size, sizeof want);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	assert_memory_equal(buf, want, sizeof want);
#endif
	/* The entries are counted. */
	assert_int_equal(pp_compose(s, PP_NAMESPACES, 0, links, 5, NULL, buf, sizeof buf, &r, &err), 1);
	assert_int_equal(r.size, 24 + 2 * 16);
	assert_int_equal(pp_number_at(s, buf + 16, 8), 2);
	assert_int_equal(pp_number_at(s, buf + 24, 8), 1);
	assert_int_equal(pp_number_at(s, buf + 48, 8), 12);
	assert_int_equal(pp_compose(s, PP_NAMESPACES, 0, links, 5, NULL, buf, 55, &r, &err), -1);
	assert_string_equal(err.what, "NAMESPACES: it does not fit in 55 bytes");
	err.what[0] = 0;
	assert_int_equal(pp_compose(s, PP_COMM, 0, &wrong, 1, NULL, buf, sizeof buf, &r, &err), -1);
	assert_string_equal(err.what, "COMM has no field coom");
	err.what[0] = 0;
	assert_int_equal(pp_compose(s, PP_COMM, 0, &nul, 1, NULL, buf, sizeof buf, &r, &err), -1);
	assert_string_equal(err.what, "comm: there is a NUL in it");
	assert_int_equal(pp_compose(s, PP_SAMPLE, 0, NULL, 0, NULL, buf, sizeof buf, &r, &err), -1);
	assert_int_equal(pp_compose(s, 63, 0, NULL, 0, NULL, buf, sizeof buf, &r, &err), -1);
	assert_int_equal(pp_compose(s, 4711, 0, NULL, 0, NULL, buf, sizeof buf, &r, &err), -1);
	pp_close(s);
}

/* Modes by the context markers; the cookie of a user part that comes later. */
static void
test_frames(void **state)
{
	static const uint64_t chain[] = { 0x11, (uint64_t)-128, 0x21, 0x22, (uint64_t)-512, 0x31, (uint64_t)-640, 0x99, (uint64_t)-128, 0x41 };
	static const struct pp_frame want[] = { { 0x11, PP_MISC_USER, false }, { 0x21, PP_MISC_KERNEL, false }, { 0x22, PP_MISC_KERNEL, false },
	    { 0x31, PP_MISC_USER, false }, { 0x99, PP_MISC_USER, true }, { 0x41, PP_MISC_KERNEL, false } };
	static const uint8_t none[1];
	struct pp_err err = { 0 };
	struct pp_source *s = pp_open_memory(none, 0, false, "none", &err);
	struct pp_decoded d = { .callchain = { (const uint8_t *)chain, sizeof chain } };
	struct pp_frames f;
	struct pp_frame frame;

	(void)state;
	pp_frames_of(&f, s, &d);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		assert_int_equal(pp_frame_next(&f, &frame), 1);
		assert_int_equal(frame.ip, want[i].ip);
		assert_int_equal(frame.cpumode, want[i].cpumode);
		assert_int_equal(frame.deferred, want[i].deferred);
	}
	assert_int_equal(pp_frame_next(&f, &frame), 0);
	pp_close(s);
}

/* A feature of a record, whose CPUs are not known; other records have none. */
static void
test_feature(void **state)
{
	static struct bytes b;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pp_err err = { 0 };
		struct pp_source *s = pp_open_memory(bytes_p(&b), 0, swap, "none", &err);
		struct pp_feature f = { .nr_cpus = 7 };
		struct pp_rec r;
		size_t at = b.n = 0;

		b.swap = swap;
		begin_rec(&b, PP_HEADER_FEATURE, 0);
		put(&b, PP_FEAT_CLN_SIZE, 8);
		put(&b, 64, 4);
		r = end_rec(&b, at);
		assert_int_equal(pp_feature_view(s, &r, &f, &err), 1);
		assert_true(f.number == PP_FEAT_CLN_SIZE && f.p == r.raw + 16 && f.len == 4 && !f.nr_cpus && f.swap == swap);
		r.size = 15;
		assert_int_equal(pp_feature_view(s, &r, &f, &err), -1);
		r.type = PP_HEADER_ATTR;
		r.size = 20;
		assert_int_equal(pp_feature_view(s, &r, &f, &err), 0);
		/* numbers of each width that there is */
		b.n = 0;
		put(&b, 0x1122, 2);
		assert_int_equal(pp_number_at(s, bytes_p(&b), 2), 0x1122);
		assert_int_equal(pp_number_at(s, bytes_p(&b), 1), 0);
		b.n = 0;
		put(&b, 0x11223344, 4);
		assert_int_equal(pp_number_at(s, bytes_p(&b), 4), 0x11223344);
		b.n = 0;
		put(&b, 0x1122334455667788, 8);
		assert_int_equal(pp_number_at(s, bytes_p(&b), 8), 0x1122334455667788);
		for (size_t size = 0; size < 12; size++)
			assert_int_equal(pp_number_at(s, bytes_p(&b), size) != 0, size == 2 || size == 4 || size == 8);
		pp_close(s);
	}
}

/* Events are numbered in the order of their ATTRs; a number behind the last has none. */
static void
test_events(void **state)
{
	static const char *const names[] = { "cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations" };
	struct pp_err err = { 0 };
	struct pp_source *s = pp_open("tests/data/multi.pipe.data", 0, &err);
	const struct pp_events *events;
	struct pp_rec r, again;
	uint64_t time, last = 0;
	unsigned samples = 0;

	(void)state;
	assert_string_equal(pp_version(), PP_VERSION);
	assert_non_null(s);
	while (pp_next(s, &r) > 0) {
		again = pp_view(s, r.raw);
		assert_true(again.raw == r.raw && again.type == r.type && again.misc == r.misc && again.size == r.size);
		if (r.type >= PP_USER_TYPE_START)
			assert_int_equal(pp_record_time(s, &r, &time), 0);
		else if (r.type == PP_SAMPLE) {
			assert_int_equal(pp_record_time(s, &r, &time), 1);
			assert_int_equal(pp_number_at(s, r.raw + 24, 8), time);	/* behind header, ip, pid and tid */
			last = time > last ? time : last;
			samples++;
		}
	}
	events = pp_source_events(s);
	assert_int_equal(pp_events_count(events), sizeof names / sizeof *names);
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		const struct pp_event *ev = pp_events_at(events, i);

		assert_int_equal(pp_event_index(ev), i);
		assert_string_equal(pp_event_name(ev), names[i]);
		assert_int_equal(pp_event_attr(ev)->type, 1);		/* PERF_TYPE_SOFTWARE */
	}
	assert_null(pp_events_at(events, sizeof names / sizeof *names));
	assert_int_equal(samples, 684);				/* as perf script says, and the time of the last */
	assert_int_equal(last, UINT64_C(1914609812559));
	pp_close(s);
}

/* A sample whose id is that of another event, or of none, would be read as one of that, or not at all. */
static void
test_other_event(void **state)
{
	struct pp_err err = { 0 };
	struct pp_source *s = pp_open("tests/data/multi.pipe.data", 0, &err);
	static uint8_t buf[PP_RECORD_MAX];
	const struct pp_event *own;
	struct pp_decoded d;
	struct pp_rec r, again;

	(void)state;
	assert_non_null(s);
	while (pp_next(s, &r) > 0 && r.type != PP_SAMPLE)
		;
	assert_int_equal(pp_decode(s, &r, &d, &err), 1);
	assert_int_equal(pp_encode(s, &d, buf, sizeof buf, &again, &err), 1);
	own = d.event;
	d.event = pp_events_at(pp_source_events(s), pp_event_index(own) ? 0 : 1);
	assert_int_equal(pp_encode(s, &d, buf, sizeof buf, &again, &err), -1);
	assert_string_equal(err.what, pp_event_index(own) ? "cpu-clock: the id of the sample is not of this event" :
	    "task-clock: the id of the sample is not of this event");
	d.event = own;
	d.id = UINT64_C(0x123456789abc);
	err.what[0] = 0;
	assert_int_equal(pp_encode(s, &d, buf, sizeof buf, &again, &err), -1);
	pp_close(s);
}

/* The branches of a sample: the entries, without the index in front of them and the counters behind. */
static void
test_branches(void **state)
{
	static struct bytes b;

	(void)state;
	for (unsigned i = 0; i < 2 * 4 * 3; i++) {
		uint64_t has = (i & 2 ? PP_BRANCH_HW_INDEX : 0) | (i & 4 ? PP_BRANCH_COUNTERS : 0);
		struct pp_attr a = { .type = 1, .size = 128, .sample_type = PP_SAMPLE_IP | PP_SAMPLE_BRANCH_STACK, .branch_sample_type = has | 8 };
		unsigned n = i / 8;
		struct pp_err err = { 0 };
		struct pp_source *s;
		struct pp_decoded d;
		struct pp_rec r;
		size_t at;

		b.n = 0;
		b.swap = i & 1;
		put_attr(&b, &a, 0, NULL);
		at = begin_rec(&b, PP_SAMPLE, PP_MISC_USER);
		put(&b, 0x1234, 8);
		put(&b, n, 8);
		if (has & PP_BRANCH_HW_INDEX)
			put(&b, 77, 8);
		for (unsigned k = 0; k < 3 * n + (has & PP_BRANCH_COUNTERS ? n : 0); k++)
			put(&b, 600 + k, 8);
		end_rec(&b, at);
		s = pp_open_memory(bytes_p(&b), b.n, b.swap, "branches", &err);
		assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(r.type, PP_SAMPLE);
		assert_int_equal(pp_decode(s, &r, &d, &err), 1);
		assert_int_equal(d.ip, 0x1234);
		assert_int_equal(d.branches.n, 24 * n);
		for (unsigned k = 0; k < 3 * n; k++)
			assert_int_equal(pp_number_at(s, d.branches.p + 8 * k, 8), 600 + k);
		pp_close(s);
	}
}

/* Registers and the stack of a sample, of which some are there: each has its own abi, and of the stack the bytes that are valid. */
static void
test_registers(void **state)
{
	static struct bytes b;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		const unsigned user = i & 2 ? 2 : 0, intr = i & 4 ? 1 : 0;
		struct pp_attr a = { .type = 1, .size = 128, .sample_regs_user = 3, .sample_regs_intr = 7, .sample_stack_user = 32,
		    .sample_type = PP_SAMPLE_REGS_USER | PP_SAMPLE_STACK_USER | PP_SAMPLE_REGS_INTR };
		struct pp_err err = { 0 };
		struct pp_source *s;
		struct pp_decoded d;
		struct pp_rec r;
		size_t at;

		b.n = 0;
		b.swap = i & 1;
		put_attr(&b, &a, 0, NULL);
		at = begin_rec(&b, PP_SAMPLE, PP_MISC_USER);
		put(&b, user, 8);
		for (unsigned k = 0; k < user; k++)
			put(&b, 70 + k, 8);
		put(&b, 32, 8);
		put_text(&b, "stack", 32);
		put(&b, 24, 8);
		put(&b, intr, 8);
		for (unsigned k = 0; k < 3 * intr; k++)
			put(&b, 80 + k, 8);
		end_rec(&b, at);
		s = pp_open_memory(bytes_p(&b), b.n, b.swap, "registers", &err);
		assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(pp_next(s, &r), 1);
		assert_int_equal(pp_decode(s, &r, &d, &err), 1);
		assert_int_equal(d.regs_user_abi, user);
		assert_int_equal(d.regs_intr_abi, intr);
		assert_int_equal(d.regs_user.n, 8 * user);
		assert_int_equal(d.regs_intr.n, 24 * intr);
		if (user)
			assert_int_equal(pp_number_at(s, d.regs_user.p + 8, 8), 71);
		if (intr)
			assert_int_equal(pp_number_at(s, d.regs_intr.p + 16, 8), 82);
		assert_int_equal(d.stack_user.n, 24);
		assert_string_equal((const char *)d.stack_user.p, "stack");
		pp_close(s);
	}
}

/* pp_compose() for both byte orders, and what the state knows then. */
static void
test_state(void **state)
{
	const struct pp_given map[] = { { "pid", 7, NULL, 0 }, { "tid", 7, NULL, 0 }, { "start", 0x10000, NULL, 0 }, { "len", 0x2000, NULL, 0 },
	    { "pgoff", 0x500000, NULL, 0 }, { "filename", 0, "/bin/sh", 7 } };
	const struct pp_given links[] = { { "pid", 7, NULL, 0 }, { "tid", 7, NULL, 0 }, { "dev", 1, NULL, 0 }, { "ino", 11, NULL, 0 },
	    { "dev", 2, NULL, 0 }, { "ino", UINT64_C(0x123456789), NULL, 0 } };
	const struct pp_given comm[] = { { "pid", 7, NULL, 0 }, { "tid", 7, NULL, 0 }, { "comm", 0, "sh", 2 } };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		static const uint8_t none[1];
		struct pp_err err = { 0 };
		struct pp_source *s = pp_open_memory(none, 0, swap, "none", &err);
		struct pp_state *tasks = pp_state_of(s, &err);
		struct pp_place at;
		uint8_t buf[128];
		struct pp_rec r;

		assert_non_null(tasks);
		assert_int_equal(pp_compose(s, PP_MMAP, PP_MISC_USER, map, 6, NULL, buf, sizeof buf, &r, &err), 1);
		assert_int_equal(pp_number_at(s, buf + 4, 2), PP_MISC_USER);
		assert_int_equal(pp_number_at(s, buf + 8, 4), 7);
		assert_int_equal(pp_number_at(s, buf + 16, 8), 0x10000);
		assert_int_equal(pp_number_at(s, buf, 3), 0);
		assert_int_equal(pp_state_take(tasks, s, &r), 1);
		assert_int_equal(pp_compose(s, PP_COMM, 0, comm, 3, NULL, buf, sizeof buf, &r, &err), 1);
		assert_int_equal(pp_state_take(tasks, s, &r), 1);
		assert_int_equal(pp_state_namespace(tasks, 7, 0), 0);
		assert_int_equal(pp_compose(s, PP_NAMESPACES, 0, links, 6, NULL, buf, sizeof buf, &r, &err), 1);
		assert_int_equal(pp_state_take(tasks, s, &r), 1);
		assert_int_equal(pp_state_place(tasks, 7, PP_MISC_USER, 0x11234, &at), 1);
		assert_string_equal(at.dso->name, "/bin/sh");
		assert_int_equal(at.offset, 0x501234);
		assert_int_equal(at.map->start, 0x10000);
		assert_int_equal(pp_state_place(tasks, 7, PP_MISC_USER, 0x12000, &at), 0);
		assert_true(!at.map && !at.dso && !at.offset);
		assert_int_equal(pp_state_place(tasks, 8, PP_MISC_USER, 0x11234, &at), 0);
		assert_int_equal(pp_state_namespace(tasks, 7, 0), 11);
		assert_int_equal(pp_state_namespace(tasks, 7, 1), UINT64_C(0x123456789));
		assert_int_equal(pp_state_namespace(tasks, 7, 2), 0);
		assert_int_equal(pp_state_namespace(tasks, 8, 0), 0);
		pp_state_free(tasks);
		pp_close(s);
	}
}

/* With an index of small chunks the SAMPLEs of a time come, and no other record is missing. */
static void
test_index(void **state)
{
	enum { MOST = 4000 };
	static const char name[] = "tests/data/pid2_a.file.data";
	static uint64_t times[MOST];
	uint64_t all = 0, in_time = 0, left_out = 0, others = 0, seen = 0, now;
	struct pp_err err = { 0 };
	struct pp_source *s = pp_open(name, 0, &err);
	struct ppi_build how = { .size = 4096 };
	char dir[] = "/tmp/program.XXXXXX", path[64];
	struct pp_index *x;
	struct pp_sink *k;
	struct pp_rec r;
	size_t n = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/ppi", dir);
	assert_non_null(k = pp_create(path, &err));
	assert_int_equal(ppi_build(s, k, &how), 1);
	assert_int_equal(pp_finish(k), 1);
	pp_close(s);
	assert_non_null(s = pp_open(name, 0, &err));
	while (pp_next(s, &r) > 0)
		if (r.type != PP_SAMPLE)
			others++;
		else if (n < MOST && pp_record_time(s, &r, &times[n]) > 0)
			n++;
	pp_close(s);
	assert_true(n > 100);
	for (size_t i = 1; i < n; i++)			/* the middle of them, in order */
		for (size_t h = i; h && times[h - 1] > times[h]; h--) {
			uint64_t t = times[h];

			times[h] = times[h - 1];
			times[h - 1] = t;
		}
	for (int third = 0; third < 2; third++) {
		uint64_t from = times[third ? n / 3 : 0], to = times[third ? n / 2 : n - 1];

		in_time = all = seen = 0;
		assert_non_null(s = pp_open(name, 0, &err));
		assert_non_null(x = pp_index_use(s, path, from, to, &err));
		while (pp_next(s, &r) > 0)
			if (r.type != PP_SAMPLE)
				seen++;
			else if (pp_record_time(s, &r, &now) > 0) {
				all++;
				in_time += now >= from && now <= to;
			}
		left_out = pp_index_left_out(x);
		pp_close(s);
		pp_index_free(x);
		assert_int_equal(seen, others);
		assert_int_equal(in_time, third ? n / 2 - n / 3 + 1 : n);
		assert_true(third ? all < n && left_out > 0 : all == n && left_out == 0);
	}
	assert_non_null(s = pp_open("tests/data/basic.file.data", 0, &err));
	assert_null(pp_index_use(s, path, 0, UINT64_MAX, &err));	/* of another recording */
	assert_true(err.what[0]);
	err.what[0] = 0;
	assert_null(pp_index_use(s, "/nonexistent", 0, UINT64_MAX, &err));
	assert_string_equal(err.what, "/nonexistent: No such file or directory");
	pp_close(s);
	pp_index_free(NULL);
	unlink(path);
	rmdir(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_compose),
		cmocka_unit_test(test_frames), cmocka_unit_test(test_feature),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_branches), cmocka_unit_test(test_registers), cmocka_unit_test(test_other_event),
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_index),
	};

	return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
