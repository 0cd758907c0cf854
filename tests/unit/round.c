/* SPDX-License-Identifier: ISC */
/* perf's two-round order, compared with a simple model of the rule. */
#include "state/round.h"
#include "bytes.h"
#include "chance.h"

enum { MAX = 4000 };

struct model {			/* what perf's ordered-events does, by search */
	uint64_t time[MAX];
	bool	 gone[MAX];
	unsigned n, waiting;
	uint64_t max, next_flush, last_flush;
	unsigned out[MAX], nout;
};
struct test {
	struct pp_round	*q;
	struct model	 m;
	unsigned	 got[MAX], ngot;
	const uint8_t	*shown[MAX];	/* where the copy stood, until reclaim */
	unsigned	 fail_at;	/* deliver fails then; 0: never */
};

static void
model_deliver(struct model *m, uint64_t upto)
{
	for (;;) {
		unsigned best = MAX;

		for (unsigned i = 0; i < m->n; i++)
			if (!m->gone[i] && m->time[i] <= upto && (best == MAX || m->time[i] < m->time[best]))
				best = i;
		if (best == MAX)
			return;
		m->gone[best] = true;
		m->waiting--;
		m->last_flush = m->time[best];
		m->out[m->nout++] = best;
	}
}

static void
model_round(struct model *m)
{
	if (!m->waiting)
		return;
	model_deliver(m, m->next_flush);
	m->next_flush = m->max;
}

static void
model_add(struct model *m, uint64_t time)
{
	m->time[m->n++] = time;
	if (!m->waiting++ || time >= m->max)
		m->max = time;
}

/* Each record holds its number, and as many bytes of it as its number says. */
static size_t
length(unsigned i)
{
	return 8 + i * 7919 % 300 + (i % 97 == 0 ? 65000 : 0);
}

static int
deliver(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct test *t = arg;
	unsigned i;

	memcpy(&i, p, sizeof i);
	assert_true(i < t->m.n);
	assert_int_equal(n, length(i));
	assert_int_equal(time, t->m.time[i]);
	assert_int_equal(p[n - 1], (uint8_t)i);
	t->shown[t->ngot] = p;
	t->got[t->ngot++] = i;
	return t->fail_at && t->ngot == t->fail_at ? -1 : 1;
}

static void
add(struct test *t, uint64_t time)
{
	static uint8_t rec[70000];
	unsigned i = t->m.n;

	memset(rec, (uint8_t)i, length(i));
	memcpy(rec, &i, sizeof i);
	rec[length(i) - 1] = (uint8_t)i;
	model_add(&t->m, time);
	assert_int_equal(pp_round_add(t->q, time, rec, length(i)), 1);
}

static void
compare(struct test *t)
{
	assert_int_equal(t->ngot, t->m.nout);
	assert_memory_equal(t->got, t->m.out, t->ngot * sizeof *t->got);
}

/* What was shown stays until it is reclaimed. */
static void
reclaim(struct test *t, unsigned from)
{
	for (unsigned i = from; i < t->ngot; i++)
		assert_memory_equal(t->shown[i], &t->got[i], sizeof t->got[i]);
	pp_round_reclaim(t->q);
}

static void
random_stream(struct test *t, unsigned n, unsigned buffers, unsigned span, unsigned per_round, bool late)
{
	struct pp_err err = { 0 };
	uint64_t clock[64] = { 0 };
	unsigned from = 0;

	memset(t, 0, sizeof *t);
	assert_non_null(t->q = pp_round_new(deliver, t, &err));
	for (unsigned i = 0; i < n; i++) {
		unsigned b = i * buffers / per_round % buffers;

		clock[b] += rnd(span);
		add(t, late && !rnd(50) ? rnd((uint32_t)clock[b] + 1) + 1 : 1000 + clock[b]);
		if (i % per_round == per_round - 1) {
			model_round(&t->m);
			assert_int_equal(pp_round_finished(t->q), 1);
			compare(t);
			if (rnd(2)) {
				reclaim(t, from);
				from = t->ngot;
			}
		}
	}
	model_deliver(&t->m, UINT64_MAX);
	assert_int_equal(pp_round_final(t->q), 1);
	compare(t);
	assert_int_equal(t->ngot, n);
	pp_round_free(t->q);
}

static void
test_random(void **state)
{
	struct test *t = malloc(sizeof *t);

	(void)state;
	for (seed = 1; seed < 60;) {
		uint32_t this = seed;

		random_stream(t, 1 + rnd(600), 1 + rnd(16), 1 + rnd(20), 1 + rnd(100), this % 3 == 0);
		seed = this + 1;
	}
	free(t);
}

static void
test_large(void **state)
{
	struct test *t = malloc(sizeof *t);

	(void)state;
	seed = 5;
	random_stream(t, MAX, 64, 3, MAX + 1, false);	/* no round at all, many ties */
	random_stream(t, MAX, 1, 2, 50, false);		/* in order already */
	random_stream(t, MAX, 8, 40, 700, false);
	free(t);
}

static void
test_descending(void **state)
{
	struct test *t = calloc(1, sizeof *t);
	struct pp_err err = { 0 };

	(void)state;
	t->q = pp_round_new(deliver, t, &err);
	for (unsigned i = 0; i < MAX; i++)
		add(t, MAX - i);
	model_deliver(&t->m, UINT64_MAX);
	assert_int_equal(pp_round_final(t->q), 1);
	compare(t);
	pp_round_free(t->q);
	free(t);
}

/* Times that differ in the lower bits only, and some that are far away; also with so many runs that their array grows. */
static void
test_far(void **state)
{
	static const uint64_t away[] = { 0, UINT64_C(1) << 20, UINT64_C(1) << 40, UINT64_MAX / 2 };
	struct test *t = malloc(sizeof *t);

	(void)state;
	for (seed = 1; seed < 40;) {
		uint32_t this = seed, n = 20 + rnd(seed % 10 ? 300 : 3000), span = 1 + rnd(1 + rnd(60000)), rare = 1 + rnd(n);
		struct pp_err err = { 0 };
		uint64_t release = 1000 + rnd(span);

		memset(t, 0, sizeof *t);
		t->q = pp_round_new(deliver, t, &err);
		for (unsigned i = 0; i < n; i++)
			add(t, 1000 + rnd(span) + (rnd(rare) ? 0 : away[rnd(4)]));
		model_deliver(&t->m, release);
		assert_int_equal(pp_round_release(t->q, release), 1);
		compare(t);
		for (unsigned i = 0; i < n / 3; i++)	/* into the gaps */
			add(t, release + rnd(span));
		model_deliver(&t->m, UINT64_MAX);
		assert_int_equal(pp_round_final(t->q), 1);
		compare(t);
		pp_round_free(t->q);
		seed = this + 1;
	}
	free(t);
}

/* ---- side by side -------------------------------------------------------------------------------------- */

struct sides {
	struct test	 t;
	uint8_t		*buf;		/* the last buffer; its records are adjacent */
	size_t		 used;
	bool		 twins;
	uint64_t	 last;		/* time of the last record */
};

/* Record i has the time, or a copy of it in memory of its own. */
static void
side_add(struct sides *s, uint64_t time, bool copied)
{
	struct test *t = &s->t;
	unsigned i = t->m.n;
	uint8_t rec[400], *p = rec;

	if (!copied) {
		if (!s->buf || s->used + sizeof rec > PP_BUFFER_SIZE) {
			assert_non_null(s->buf = pp_round_buffer(t->q));
			s->used = 0;
		}
		p = s->buf + s->used;
		s->used += 8 + i % 300;
	}
	memset(p, (uint8_t)i, 8 + i % 300);
	memcpy(p, &i, sizeof i);
	model_add(&t->m, time);
	assert_int_equal(pp_round_add(t->q, time, p, 8 + i % 300), 1);
}

static void
side_got(struct sides *s, const uint8_t *p)
{
	struct test *t = &s->t;
	unsigned i;

	memcpy(&i, p, sizeof i);
	assert_true(i < t->m.n);
	for (unsigned k = sizeof i; k < 8 + i % 300; k++)
		assert_int_equal(p[k], (uint8_t)i);
	t->got[t->ngot++] = i;
	s->last = t->m.time[i];
}

static int
side_each(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct sides *s = arg;

	side_got(s, p);
	assert_int_equal(time, s->last);
	assert_int_equal(n, 8 + s->t.got[s->t.ngot - 1] % 300);
	return 1;
}

static int
side_many(void *arg, uint64_t last, const struct iovec *v, size_t n, size_t bytes)
{
	struct sides *s = arg;

	assert_true(n > 0);
	for (size_t i = 0; i < n; i++) {
		size_t at = 0;

		bytes -= v[i].iov_len;
		assert_true(s->twins || !i || (uint8_t *)v[i - 1].iov_base + v[i - 1].iov_len != v[i].iov_base);	/* else they are one piece */
		for (; at < v[i].iov_len; at += 8 + s->t.got[s->t.ngot - 1] % 300) {
			uint64_t before = s->last;

			side_got(s, (const uint8_t *)v[i].iov_base + at);
			assert_true(!s->twins || (s->last != before && !at));	/* each is a piece */
		}
		assert_int_equal(at, v[i].iov_len);		/* and each record is whole */
	}
	assert_int_equal(bytes, 0);
	assert_int_equal(last, s->last);
	return 1;
}

/* With twins no record that comes with others has the time of the one before it, also where a release ends. */
static void
test_side(void **state)
{
	struct sides *s = malloc(sizeof *s);

	(void)state;
	for (seed = 1; seed < 60;) {
		uint32_t this = seed, span = 1 + rnd(1 + rnd(30)), many = 1 + rnd(100);
		struct pp_err err = { 0 };
		uint64_t time = 1000;

		memset(s, 0, sizeof *s);
		s->t.q = pp_round_new(side_each, s, &err);
		s->twins = seed % 2;
		pp_round_side_by_side(s->t.q, side_many, s->twins);
		for (unsigned i = 0; i < MAX; i++) {
			side_add(s, time += rnd(span), false);
			time -= rnd(many) ? 0 : rnd(50 * span) % time;
			if (!rnd(many))
				side_add(s, time, true);
			if (rnd(300) && i + 1 < MAX / 2)
				continue;
			model_deliver(&s->t.m, time);
			assert_int_equal(pp_round_release(s->t.q, time), 1);
			compare(&s->t);
			assert_int_equal(pp_round_last(s->t.q), s->t.m.last_flush);
			pp_round_reclaim(s->t.q);
			if (i + 1 >= MAX / 2)
				break;
		}
		pp_round_side_by_side(s->t.q, NULL, false);
		model_deliver(&s->t.m, UINT64_MAX);
		assert_int_equal(pp_round_final(s->t.q), 1);
		compare(&s->t);
		pp_round_free(s->t.q);
		seed = this + 1;
	}
	free(s);
}

/* Rounds without records do nothing; after the queue ran empty the next record sets the time, even a lower one. */
/* The rule is that of a queue that has all records; here some are only seen. */
static void
test_saw(void **state)
{
	(void)state;
	for (unsigned pass = 0; pass < 300; pass++) {
		struct test all = {0}, some = {0};
		uint64_t time = 1000;

		seed = pass;
		all.q = pp_round_new(deliver, &all, &(struct pp_err){0});
		some.q = pp_round_new(deliver, &some, &(struct pp_err){0});
		for (unsigned i = 0; i < 200; i++) {
			uint64_t at = time - rnd(60);

			time += rnd(20);
			if (rnd(5) == 0) {
				model_round(&all.m);
				assert_int_equal(pp_round_finished(all.q), 1);
				assert_int_equal(pp_round_finished(some.q), 1);
				assert_int_equal(pp_round_limit(some.q), pp_round_limit(all.q));
				continue;
			}
			add(&all, at);
			if (pass % 3 && rnd(3))
				pp_round_saw(some.q, at);
			else
				add(&some, at);
		}
		pp_round_free(all.q);
		pp_round_free(some.q);
	}
}

static void
test_edges(void **state)
{
	struct test *t = calloc(1, sizeof *t);
	struct pp_err err = { 0 };
	static const uint64_t times[] = { 50, 60, 0 /* a round */, 0, 0, 0, 5, 7, 0, 0, 6, 0, 0, UINT64_MAX, UINT64_MAX - 1, 1, 0, 0, 0 };

	(void)state;
	t->q = pp_round_new(deliver, t, &err);
	assert_int_equal(pp_round_finished(t->q), 1);
	assert_int_equal(pp_round_final(t->q), 1);
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		if (times[i])
			add(t, times[i]);
		else {
			model_round(&t->m);
			assert_int_equal(pp_round_finished(t->q), 1);
			pp_round_reclaim(t->q);
		}
		compare(t);
	}
	model_deliver(&t->m, UINT64_MAX);
	assert_int_equal(pp_round_final(t->q), 1);
	compare(t);
	pp_round_free(t->q);
	free(t);
	pp_round_free(NULL);
}

static void
test_deliver_fails(void **state)
{
	struct test *t = calloc(1, sizeof *t);
	struct pp_err err = { 0 };

	(void)state;
	t->q = pp_round_new(deliver, t, &err);
	t->fail_at = 3;
	for (unsigned i = 0; i < 10; i++)
		add(t, 100 - i);
	assert_int_equal(pp_round_final(t->q), -1);
	assert_int_equal(t->ngot, 3);
	pp_round_free(t->q);
	free(t);
}

/* ---- release up to a time, and spilling ---------------------------------------------------------------- */

/* Release up to a time, without regard to FINISHED_ROUNDs; and the time of the last record released. */
static void
test_release(void **state)
{
	struct test *t = calloc(1, sizeof *t);
	struct pp_err err = { 0 };
	static const uint64_t times[] = { 50, 10, 30, 30, 70, 20 }, limits[] = { 0, 9, 10, 30, 30, 69, UINT64_MAX };
	static const uint64_t last[] = { 0, 0, 10, 30, 30, 50, 70 };

	(void)state;
	t->q = pp_round_new(deliver, t, &err);
	assert_int_equal(pp_round_release(t->q, UINT64_MAX), 1);
	assert_int_equal(pp_round_last(t->q), 0);
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		add(t, times[i]);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		model_deliver(&t->m, limits[i]);
		assert_int_equal(pp_round_release(t->q, limits[i]), 1);
		compare(t);
		assert_int_equal(pp_round_last(t->q), last[i]);
		pp_round_reclaim(t->q);
	}
	assert_int_equal(t->ngot, 6);
	add(t, 69);			/* is late */
	add(t, 70);
	assert_int_equal(pp_round_final(t->q), 1);
	assert_int_equal(pp_round_last(t->q), 70);
	pp_round_free(t->q);
	free(t);
}

/* Releases between marks, in a stream of several buffers: the marks' rule goes on as it would. */
static void
test_release_random(void **state)
{
	struct test *t = malloc(sizeof *t);
	struct pp_err err = { 0 };

	(void)state;
	for (seed = 100; seed < 130;) {
		uint32_t this = seed;

		memset(t, 0, sizeof *t);
		t->q = pp_round_new(deliver, t, &err);
		for (unsigned i = 0; i < 800; i++) {
			uint64_t upto = i * 5;

			add(t, 1 + i * 10 + rnd(200));
			if (rnd(40) == 0) {
				model_deliver(&t->m, upto);
				assert_int_equal(pp_round_release(t->q, upto), 1);
			} else if (rnd(40) == 0) {
				model_round(&t->m);
				assert_int_equal(pp_round_finished(t->q), 1);
			} else
				continue;
			compare(t);
			assert_int_equal(pp_round_last(t->q), t->m.last_flush);
			assert_int_equal(pp_round_limit(t->q), t->m.next_flush);
		}
		model_deliver(&t->m, UINT64_MAX);
		assert_int_equal(pp_round_final(t->q), 1);
		compare(t);
		pp_round_free(t->q);
		seed = this + 1;
	}
	free(t);
}

/* A FINISHED_ROUND sets the watermark of the next one; one without records in between changes nothing. */
static void
test_limit(void **state)
{
	struct test *t = calloc(1, sizeof *t);
	struct pp_err err = { 0 };

	(void)state;
	t->q = pp_round_new(deliver, t, &err);
	assert_int_equal(pp_round_limit(t->q), 0);
	assert_int_equal(pp_round_finished(t->q), 1);
	assert_int_equal(pp_round_limit(t->q), 0);
	add(t, 40);
	add(t, 30);
	assert_int_equal(pp_round_limit(t->q), 0);
	assert_int_equal(pp_round_finished(t->q), 1);
	assert_int_equal(pp_round_limit(t->q), 40);
	assert_int_equal(t->ngot, 0);
	add(t, 60);
	assert_int_equal(pp_round_finished(t->q), 1);
	assert_int_equal(pp_round_limit(t->q), 60);
	assert_int_equal(t->ngot, 2);
	assert_int_equal(pp_round_last(t->q), 40);
	pp_round_free(t->q);
	free(t);
}

static int
ignore(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	(void)arg, (void)time, (void)p, (void)n;
	return 1;
}

/* No less than what was queued, and no more than twice; it comes down when all went, and does not grow with the stream. */
static void
test_memory(void **state)
{
	struct test *t = calloc(1, sizeof *t);
	static const uint8_t rec[4096];
	struct pp_err err = { 0 };
	size_t peak = 0, once;

	(void)state;
	t->q = pp_round_new(ignore, NULL, &err);
	assert_true(pp_round_memory(t->q) < 4096);
	for (unsigned turn = 0; turn < 20; turn++) {
		for (unsigned i = 1; i <= 4000; i++) {
			assert_int_equal(pp_round_add(t->q, turn * 10000 + i, rec, sizeof rec), 1);
			assert_true(pp_round_memory(t->q) >= (size_t)i * sizeof rec);
		}
		once = pp_round_memory(t->q);
		assert_true(once < 2 * 4000 * sizeof rec);
		peak = turn ? peak : once;
		assert_true(once <= peak + (1 << 20));
		assert_int_equal(pp_round_release(t->q, UINT64_MAX), 1);
		pp_round_reclaim(t->q);
		assert_true(pp_round_memory(t->q) < 2 << 20);
	}
	for (unsigned turn = 0; turn < 100; turn++) {	/* the same by spilling, of many runs */
		for (unsigned i = 4000; i; i--)
			assert_int_equal(pp_round_add(t->q, 500000 + i, rec, 8), 1);
		assert_int_equal(pp_round_spill(t->q, ignore, NULL), 1);
		pp_round_reclaim(t->q);
		assert_true(pp_round_memory(t->q) < 2 << 20);
		for (unsigned i = 1; i <= 4000; i++)
			pp_round_spilled(t->q, 500000 + i);
	}
	/* descending: each is a run of its own, which costs more than the record */
	for (unsigned i = 4000; i; i--)
		assert_int_equal(pp_round_add(t->q, 1000000 + i, rec, 8), 1);
	assert_true(pp_round_memory(t->q) > 4000 * (8 + 2 * 16));
	assert_int_equal(pp_round_final(t->q), 1);
	pp_round_free(t->q);
	free(t);
}

struct away {			/* what pp_round_spill() gave, and a caller that keeps it */
	struct test	*t;
	unsigned	 number[MAX], n;
	uint64_t	 last;		/* time of the one before, in this call */
	unsigned	 fail_at;
};

static int
keep(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct away *a = arg;

	if (a->fail_at && a->n + 1 == a->fail_at)
		return -1;
	memcpy(&a->number[a->n], p, sizeof *a->number);
	assert_int_equal(n, length(a->number[a->n]));
	assert_int_equal(time, a->t->m.time[a->number[a->n]]);
	assert_true(a->last <= time);
	a->last = time;
	a->n++;
	return 1;
}

/* The caller's part: all that it keeps up to that time, in order; of the same time, what was given first. */
static void
from_away(struct away *a, uint64_t upto)
{
	for (;;) {
		unsigned best = MAX;

		for (unsigned i = 0; i < a->n; i++)
			if (a->number[i] != MAX && a->t->m.time[a->number[i]] <= upto &&
			    (best == MAX || a->t->m.time[a->number[i]] < a->t->m.time[a->number[best]] ||
			    (a->t->m.time[a->number[i]] == a->t->m.time[a->number[best]] && a->number[i] < a->number[best])))
				best = i;
		if (best == MAX)
			return;
		a->t->got[a->t->ngot++] = a->number[best];
		pp_round_spilled(a->t->q, a->t->m.time[a->number[best]]);
		a->number[best] = MAX;
	}
}

static int
deliver_both(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct away *a = arg;

	from_away(a, time);
	return deliver(a->t, time, p, n);
}

/* With the caller doing its part, order and marks are as if nothing had been spilled. */
static void
test_spill_random(void **state)
{
	struct away *a = malloc(sizeof *a);
	struct test *t = malloc(sizeof *t);
	struct pp_err err = { 0 };

	(void)state;
	for (seed = 1; seed < 40;) {
		uint32_t this = seed, round = 20 + rnd(200), spill = 10 + rnd(150), span = 1 + rnd(300);
		bool late = this % 4 == 0;

		memset(t, 0, sizeof *t);
		memset(a, 0, sizeof *a);
		a->t = t;
		assert_non_null(t->q = pp_round_new(deliver_both, a, &err));
		for (unsigned i = 0; i < 900; i++) {
			add(t, late && !rnd(40) ? 1 + rnd(500 + i) : 500 + i / round * 300 + rnd(span));
			if (!rnd(spill)) {
				uint64_t last = pp_round_last(t->q), limit = pp_round_limit(t->q);

				a->last = 0;
				assert_int_equal(pp_round_spill(t->q, keep, a), 1);
				assert_int_equal(pp_round_last(t->q), last);
				assert_int_equal(pp_round_limit(t->q), limit);
				compare(t);
			}
			if (i % round == round - 1) {
				uint64_t limit = pp_round_limit(t->q);

				model_round(&t->m);
				assert_int_equal(pp_round_finished(t->q), 1);
				from_away(a, limit);
				compare(t);
				assert_int_equal(pp_round_limit(t->q), t->m.next_flush);
			}
		}
		model_deliver(&t->m, UINT64_MAX);
		assert_int_equal(pp_round_final(t->q), 1);
		from_away(a, UINT64_MAX);
		compare(t);
		assert_int_equal(t->ngot, 900);
		pp_round_free(t->q);
		seed = this + 1;
	}
	free(t);
	free(a);
}

/* Nothing to spill; a queue that was spilled holds little; a failure is passed on, and nothing comes twice. */
static void
test_spill(void **state)
{
	struct away *a = calloc(1, sizeof *a);
	struct test *t = calloc(1, sizeof *t);
	struct pp_err err = { 0 };

	(void)state;
	a->t = t;
	t->q = pp_round_new(deliver, t, &err);
	assert_int_equal(pp_round_spill(t->q, keep, a), 1);
	assert_int_equal(a->n, 0);
	for (unsigned i = 0; i < 1000; i++)
		add(t, 1 + i * 7919 % 1000);
	assert_true(pp_round_memory(t->q) > 1 << 19);
	assert_int_equal(pp_round_spill(t->q, keep, a), 1);
	assert_int_equal(a->n, 1000);
	assert_int_equal(t->ngot, 0);
	pp_round_reclaim(t->q);
	assert_true(pp_round_memory(t->q) < 1 << 20);
	/* what is away still waits: a mark is no idle one */
	assert_int_equal(pp_round_finished(t->q), 1);
	assert_int_equal(pp_round_limit(t->q), 1000);
	assert_int_equal(pp_round_final(t->q), 1);
	assert_int_equal(t->ngot, 0);
	for (unsigned i = 0; i < 1000; i++)
		pp_round_spilled(t->q, 1 + i);
	assert_int_equal(pp_round_last(t->q), 1000);
	/* and now none waits, so the next record sets the time anew */
	add(t, 500);
	assert_int_equal(pp_round_finished(t->q), 1);
	assert_int_equal(t->ngot, 1);
	assert_int_equal(pp_round_limit(t->q), 500);

	a->n = 0;
	a->fail_at = 4;
	for (unsigned i = 0; i < 10; i++)
		add(t, 2000 + i);
	assert_int_equal(pp_round_spill(t->q, keep, a), -1);
	assert_int_equal(a->n, 3);
	pp_round_free(t->q);
	free(t);
	free(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random), cmocka_unit_test(test_large), cmocka_unit_test(test_descending),
		cmocka_unit_test(test_far), cmocka_unit_test(test_side), cmocka_unit_test(test_saw), cmocka_unit_test(test_edges), cmocka_unit_test(test_deliver_fails),
		cmocka_unit_test(test_release), cmocka_unit_test(test_release_random), cmocka_unit_test(test_limit),
		cmocka_unit_test(test_memory), cmocka_unit_test(test_spill), cmocka_unit_test(test_spill_random),
	};

	return cmocka_run_group_tests_name("round", tests, NULL, NULL);
}
