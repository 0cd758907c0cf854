/* SPDX-License-Identifier: ISC */
/* What a chunk holds, as a model counts it: records one by one, and SAMPLEs in runs. */
#include "bytes.h"
#include "record/event.h"
#include "source/chunk.h"

enum { ID = 8, TASK = 16, TIME = 24, CPU = 32, SAMPLE_SIZE = 40, SAMPLE = 9, ROUND = 68, TASKS_MAX = 6000 };

static struct bytes b;
static struct pp_events *events;
static uint64_t seed;

struct model {			/* of the present chunk */
	struct pp_chunk c, all;
	uint64_t	 cpus[PP_CHUNK_CPUS / 64], events;
	uint32_t	 tasks[TASKS_MAX];
	unsigned	 chunks;
};

static uint64_t
draw(uint64_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (seed >> 33) % n;
}

/* Numbers as they come: few, next to each other, anywhere, the first and the last. */
static uint32_t
draw_task(int kind)
{
	static const uint32_t ends[] = { 0, 31, 32, UINT32_MAX, UINT32_MAX - 31 };

	return kind == 0 ? (uint32_t)draw(40) : kind == 1 ? 1000 + (uint32_t)draw(3000) : kind == 2 ? ends[draw(5)] :
	    (uint32_t)(draw(1 << 16) << 16 | draw(1 << 16));
}

/* Two events: 5 has all fields, 6 none; or that of all fields alone. */
static void
make_events(bool swap, int n)
{
	static const uint64_t ids[] = { 5, 6 };
	struct pp_attr a = { .size = 64, .sample_type = PP_SAMPLE_IDENTIFIER | PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_CPU };
	struct pp_err err = { 0 };

	events = pp_events_new(swap);
	b.swap = swap;
	for (int i = 0; i < n; i++, a.sample_type = PP_SAMPLE_IDENTIFIER) {
		b.n = 0;
		struct pp_rec r = put_attr(&b, &a, 1, &ids[i]);

		assert_int_equal(pp_events_learn(events, &r, &err), 1);
	}
	b.n = 0;
}

static void
make_records(bool alone)
{
	int kind = (int)draw(4), odd = 20 + (int)draw(100);

	while (b.n + SAMPLE_SIZE < 65536) {
		size_t at = begin_rec(&b, draw(40) ? SAMPLE : ROUND, 0);

		if (pp_get_u32(bytes_p(&b) + at, b.swap) == SAMPLE) {
			put(&b, draw(odd) || alone ? 5 : 6 + draw(2), 8);
			put(&b, draw_task(kind), 4);
			put(&b, draw(2) ? draw_task(kind) : pp_get_u32(bytes_p(&b) + at + TASK, b.swap), 4);
			put(&b, draw(odd) ? 1000 + draw(100000) : 0, 8);
			put(&b, draw(odd) ? draw(200) : draw(1 << 20), 8);
		}
		end_rec(&b, at);
	}
}

static int
by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, c = *(const uint32_t *)y;

	return (a > c) - (a < c);
}

static void
model_sample(struct model *m, const uint8_t *p, uint16_t size)
{
	uint64_t id = pp_get_u64(p + ID, b.swap), time = pp_get_u64(p + TIME, b.swap);
	uint32_t cpu = pp_get_u32(p + CPU, b.swap), lacks = PP_CHUNK_NO_TIME | PP_CHUNK_NO_CPU | PP_CHUNK_NO_TASK;

	m->c.samples++;
	m->c.sample_bytes += size;
	if (id != 5) {
		m->c.flags |= lacks | (id == 6 ? 0 : PP_CHUNK_NO_EVENT);
		m->events |= id == 6 ? 2 : 0;
		return;
	}
	m->events |= 1;
	m->c.flags |= time ? 0 : PP_CHUNK_NO_TIME;
	if (time && (!m->c.first || time < m->c.first))
		m->c.first = time;
	if (time > m->c.last)
		m->c.last = time;
	cpu = cpu < PP_CHUNK_CPUS ? cpu : PP_CHUNK_CPUS - 1;
	m->cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
	for (unsigned i = 0; i < 2; i++)
		m->tasks[m->c.ntasks++] = pp_get_u32(p + TASK + 4 * i, b.swap);
}

/* The chunk, from its first record on. */
static void
model_chunk(struct model *m, uint64_t off, uint64_t len)
{
	size_t n = 0;

	m->c = (struct pp_chunk){ .off = off, .len = len };
	memset(m->cpus, 0, sizeof m->cpus);
	m->events = 0;
	for (uint64_t at = off; at < off + len; m->c.records++) {
		struct pp_rec r = pp_rec_at(bytes_p(&b) + at, b.swap);

		if (r.type == SAMPLE)
			model_sample(m, r.raw, r.size);
		at += r.size;
	}
	qsort(m->tasks, m->c.ntasks, sizeof *m->tasks, by_number);
	for (size_t i = 0; i < m->c.ntasks; i++)
		if (!i || m->tasks[i] != m->tasks[i - 1])
			m->tasks[n++] = m->tasks[i];
	m->c.ntasks = n;
}

/* pp_chunk_walk.chunk */
static int
compare(void *arg, const struct pp_chunk *c)
{
	struct model *m = arg;

	model_chunk(m, c->off, c->len);
	m->chunks++;
	assert_int_equal(c->records, m->c.records);
	assert_int_equal(c->samples, m->c.samples);
	assert_int_equal(c->sample_bytes, m->c.sample_bytes);
	assert_int_equal(c->plain, c->len);
	assert_int_equal(c->flags, m->c.flags);
	assert_int_equal(c->first, m->c.first);
	assert_int_equal(c->last, m->c.last);
	assert_int_equal(c->nevents, m->events != 0);
	assert_int_equal(c->nevents ? c->events[0] : 0, m->events);
	assert_true(!c->ncpus || c->cpus[c->ncpus - 1]);
	assert_memory_equal(c->cpus, m->cpus, c->ncpus * sizeof *c->cpus);
	for (unsigned i = c->ncpus; i < PP_CHUNK_CPUS / 64; i++)
		assert_int_equal(m->cpus[i], 0);
	assert_int_equal(c->ntasks, m->c.ntasks);
	for (size_t i = 0; i < c->ntasks; i++)
		assert_int_equal(c->tasks[i], m->tasks[i]);
	m->all.len += c->len;
	m->all.plain += c->plain;
	m->all.records += c->records;
	m->all.samples += c->samples;
	m->all.sample_bytes += c->sample_bytes;
	m->all.flags |= c->flags;
	if (c->first && (!m->all.first || c->first < m->all.first))
		m->all.first = c->first;
	if (c->last > m->all.last)
		m->all.last = c->last;
	return 1;
}

/* Feed all records, SAMPLEs in runs or each by itself.  The number of chunks. */
static unsigned
feed(uint64_t size, bool runs)
{
	static struct model m;
	struct pp_chunk_walk w = { .size = size, .chunk = compare, .arg = &m, .all = { .file = 9, .records = 9 } };
	struct pp_chunker *c = pp_chunker_new(&w);
	const uint8_t *from = bytes_p(&b), *p = from, *end = from + b.n;

	m.chunks = 0;
	m.all = (struct pp_chunk){ .file = 0 };
	while (p < end) {
		struct pp_rec r = pp_rec_at(p, b.swap);

		if (pp_chunker_due(c))
			assert_int_equal(pp_chunker_cut(c, 0, (uint64_t)(p - from)), 1);
		assert_int_equal(pp_chunker_take(c, events, &r, false), 1);
		p += r.size;
		if (runs)
			assert_int_equal(pp_chunker_samples(c, events, &p, end - p > 3000 ? p + draw(3000) : end), 1);
	}
	assert_int_equal(pp_chunker_end(c, b.n), 1);
	pp_chunker_free(c);
	assert_int_equal(w.all.len, b.n);
	assert_memory_equal(&w.all, &m.all, sizeof w.all);
	return m.chunks;
}

static void
test_sets(void **state)
{
	(void)state;
	for (int i = 0; i < 40; i++) {
		seed = (uint64_t)i;
		make_events(i & 1, i & 2 ? 2 : 1);
		make_records(!(i & 2));
		for (uint64_t size = 4096; size <= 1 << 20; size *= 4)
			assert_int_equal(feed(size, false), feed(size, true));
		pp_events_free(events);
	}
}

/* ---- rounds, and what records have beside their fields ---------------------------------------------------- */

static struct pp_chunk seen[4];
static unsigned nseen;
static uint64_t seen_round[4][2], seen_event;

static int
note_chunk(void *arg, const struct pp_chunk *c)
{
	const struct pp_chunk_walk *w = arg;

	assert_true(nseen < 4);
	seen[nseen] = *c;
	seen_event = c->nevents ? c->events[c->nevents - 1] : 0;
	seen_round[nseen][0] = w->round_first;
	seen_round[nseen++][1] = w->round_last;
	return 1;
}

static struct pp_rec
make_sample(uint64_t time)
{
	size_t at = begin_rec(&b, SAMPLE, 0);

	put(&b, 5, 8);
	put(&b, 0, 8);
	put(&b, time, 8);
	put(&b, 0, 8);
	return end_rec(&b, at);
}

static struct pp_rec
make_round(void)
{
	return end_rec(&b, begin_rec(&b, ROUND, 0));
}

static int
refuse_second(void *arg, const struct pp_chunk *c)
{
	(void)c;
	return ++*(unsigned *)arg == 2 ? -1 : 1;
}

/* Behind a chunk that was not taken there is none. */
static void
test_refused(void **state)
{
	(void)state;
	for (int at_end = 0; at_end < 2; at_end++) {
		unsigned calls = 0;
		struct pp_chunk_walk w = { .size = SAMPLE_SIZE, .chunk = refuse_second, .arg = &calls };
		struct pp_chunker *c = pp_chunker_new(&w);

		make_events(false, 1);
		for (unsigned i = 0; i < 2; i++) {
			struct pp_rec r = make_sample(1000);

			assert_true(pp_chunker_due(c));
			assert_int_equal(pp_chunker_cut(c, 0, i * SAMPLE_SIZE), 1);
			assert_int_equal(pp_chunker_take(c, events, &r, false), 1);
		}
		if (!at_end)
			assert_int_equal(pp_chunker_cut(c, 0, b.n), -1);
		assert_int_equal(pp_chunker_end(c, b.n), at_end ? -1 : 1);
		assert_int_equal(pp_chunker_end(c, b.n), 1);
		assert_int_equal(calls, 2);
		pp_chunker_free(c);
		pp_events_free(events);
	}
}

/* The times of the SAMPLEs behind the last FINISHED_ROUND, of which it is one, too; and those of the chunk. */
static void
test_rounds(void **state)
{
	(void)state;
	for (int runs = 0; runs < 2; runs++) {
		static const struct { uint64_t time, first, last; } rows[] = {	/* time 0: a FINISHED_ROUND */
			{ 50, 50, 50 }, { 40, 40, 50 }, { 60, 40, 60 }, { 45, 40, 60 }, { 0, 40, 60 }, { 70, 70, 70 }, { 0, 70, 70 }, { 0, 0, 0 },
			{ 80, 80, 80 },
		};
		struct pp_chunk_walk w = { .size = 1 << 20, .chunk = note_chunk };
		struct pp_chunker *c;

		w.arg = &w;
		nseen = 0;
		make_events(false, 1);
		c = pp_chunker_new(&w);
		assert_true(pp_chunker_due(c));
		assert_int_equal(pp_chunker_cut(c, 7, 100), 1);
		assert_false(pp_chunker_due(c));
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			struct pp_rec r = rows[i].time ? make_sample(rows[i].time) : make_round();
			const uint8_t *p = r.raw;

			if (!runs || !rows[i].time)
				assert_int_equal(pp_chunker_take(c, events, &r, false), 1);
			else {
				assert_int_equal(pp_chunker_samples(c, events, &p, p + r.size), 1);
				assert_ptr_equal(p, r.raw + (BIG_HERE ? 0 : r.size));
				if (BIG_HERE)
					assert_int_equal(pp_chunker_take(c, events, &r, false), 1);
			}
			assert_int_equal(w.round_first, rows[i].first);
			assert_int_equal(w.round_last, rows[i].last);
		}
		assert_int_equal(pp_chunker_cut(c, 8, 100 + b.n), 1);
		assert_int_equal(w.round_first, 0);
		assert_int_equal(w.round_last, 0);
		assert_int_equal(pp_chunker_end(c, 100 + b.n), 1);
		assert_true(pp_chunker_due(c));
		assert_int_equal(pp_chunker_end(c, 100 + b.n), 1);	/* again: there is none */
		assert_int_equal(nseen, 2);
		assert_int_equal(seen[0].file, 7);
		assert_int_equal(seen[0].off, 100);
		assert_int_equal(seen[0].len, b.n);
		assert_int_equal(seen[0].first, 40);
		assert_int_equal(seen[0].last, 80);
		assert_int_equal(seen_round[0][0], 80);
		assert_int_equal(seen_round[0][1], 80);
		assert_int_equal(seen[1].file, 8);
		assert_int_equal(seen[1].off, 100 + b.n);
		assert_int_equal(seen[1].records, 0);
		assert_int_equal(seen[1].first, 0);
		assert_int_equal(seen_round[1][0], 0);
		pp_chunker_free(c);
		pp_events_free(events);
	}
}

static void
test_beside(void **state)
{
	struct pp_chunk_walk w = { .size = 100, .chunk = note_chunk };
	struct pp_chunker *c;
	struct pp_rec r;

	(void)state;
	w.arg = &w;
	nseen = 0;
	make_events(false, 1);
	c = pp_chunker_new(&w);
	assert_int_equal(pp_chunker_cut(c, 0, 0), 1);
	r = make_round();
	assert_int_equal(pp_chunker_take(c, events, &r, false), 1);
	r.payload = 91;
	assert_int_equal(pp_chunker_take(c, events, &r, false), 1);
	assert_true(pp_chunker_due(c));				/* 8 + 8 + 91 of 100 bytes */
	assert_int_equal(pp_chunker_cut(c, 0, 107), 1);
	r.payload = 0;
	assert_int_equal(pp_chunker_take(c, events, &r, true), 1);
	r = make_sample(0);
	assert_int_equal(pp_chunker_take(c, events, &r, false), 1);
	assert_false(pp_chunker_due(c));			/* 48 */
	r = make_sample(1);
	store(&b, b.n - SAMPLE_SIZE + CPU, PP_CHUNK_CPUS, 4);	/* counts as the last */
	assert_int_equal(pp_chunker_take(c, events, &r, false), 1);
	assert_false(pp_chunker_due(c));			/* 88 */
	r = make_round();
	assert_int_equal(pp_chunker_take(c, events, &r, false), 1);
	assert_false(pp_chunker_due(c));			/* 96 */
	r.size = 4;
	assert_int_equal(pp_chunker_take(c, events, &r, false), 1);
	assert_true(pp_chunker_due(c));
	assert_int_equal(pp_chunker_end(c, 200), 1);
	assert_int_equal(nseen, 2);
	assert_int_equal(seen[0].plain, 107);
	assert_int_equal(seen[0].flags, PP_CHUNK_PAYLOAD);
	assert_int_equal(seen[1].flags, PP_CHUNK_COMPRESSED | PP_CHUNK_NO_TIME);
	assert_int_equal(seen[1].plain, 100);
	assert_int_equal(seen[1].len, 93);
	assert_int_equal(seen[1].ncpus, PP_CHUNK_CPUS / 64);
	assert_int_equal(w.all.flags, PP_CHUNK_PAYLOAD | PP_CHUNK_COMPRESSED | PP_CHUNK_NO_TIME);
	assert_int_equal(w.all.records, 7);
	pp_chunker_free(c);
	pp_events_free(events);
}

/* More events than a set has bits: the last one stands for all of them. */
static void
test_many_events(void **state)
{
	enum { MOST = 1 << 16 };
	static const unsigned indices[] = { 0, 63, 64, MOST - 2, MOST - 1, MOST, MOST + 5 };

	(void)state;
	for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) {
		unsigned shown = indices[i] < MOST ? indices[i] : MOST - 1;
		struct pp_chunk_walk w = { .size = 100, .chunk = note_chunk };
		struct pp_chunker *c;
		struct pp_rec r;

		w.arg = &w;
		nseen = 0;
		make_events(false, 1);
		((struct pp_event *)(uintptr_t)events->ev[0])->index = indices[i];
		c = pp_chunker_new(&w);
		assert_int_equal(pp_chunker_cut(c, 0, 0), 1);
		r = make_sample(1);
		assert_int_equal(pp_chunker_take(c, events, &r, false), 1);
		assert_int_equal(pp_chunker_end(c, 40), 1);
		assert_int_equal(nseen, 1);
		assert_int_equal(seen[0].nevents, shown / 64 + 1);
		assert_int_equal(seen_event, UINT64_C(1) << shown % 64);
		pp_chunker_free(c);
		pp_events_free(events);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sets), cmocka_unit_test(test_refused), cmocka_unit_test(test_rounds), cmocka_unit_test(test_beside),
		cmocka_unit_test(test_many_events) };

	return cmocka_run_group_tests_name("chunk", tests, NULL, NULL);
}
