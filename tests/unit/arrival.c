/* SPDX-License-Identifier: ISC */
/* Decisions in time order with output in order of arrival: against plain rules. */
#include <sys/mman.h>
#include <unistd.h>

#include "bytes.h"
#include "chance.h"
#include "state/timeline.h"

enum { MAX = 30000, HEADER_ATTR = 64, COMM = 3, SAMPLE = 9, TRACING_DATA = 66, ROUND = 68, INIT = 82, UNKNOWN = 4711, KEYS = 13 };

static struct pp_err err;
#define OWN { .front = 9, .to = 2, .owed = true }	/* the verdict on records of types 64 and up */

static struct {
	uint8_t		*p;
	size_t		 n;
	struct { uint32_t type; uint64_t time; bool looked, turned, out, forgotten; uint8_t marks; struct pp_verdict v; } rec[MAX];
	unsigned	 nrec;			/* from 1; record 0 is none */
	unsigned	 comms;			/* that had their turn */
	unsigned	 last;			/* emitted; with a payload: none */
	unsigned	 nout, order[MAX];	/* numbers of those emitted, 0: the attr, or with a payload */
	struct { const uint8_t *raw; unsigned nr; } unflushed[MAX];
	unsigned	 nunflushed;
	bool		 sound;			/* no record comes later than its round */
	unsigned	 drop;			/* each that many is not emitted; 0: all are */
	unsigned	 rare;			/* only each that many is wanted; 0: all are */
	unsigned	 bad, bad_look;		/* the turn of this one fails; look_at() for this one */
	bool		 looks;			/* look_at() sees samples and COMMs */
	uint64_t	 ahead, seen;		/* the latest time that it saw */
	uint64_t	 until, passed;		/* until() holds records back, to that time; the latest of passes() */
	bool		 forgets;		/* look_at() forgets records */
	bool		 keyed;			/* the verdict on a sample is by the COMMs of its key, and */
	bool		 guesses;		/* ... is guessed */
	unsigned	 of_key[KEYS];		/* COMMs that had their turn */
	unsigned	 nguesses, held[KEYS];	/* guesses; those that were not missed */
	struct pp_arrival *arrival;
	unsigned	 put;			/* records, also the attr */
} in;

static void
raw(const void *p, size_t n)
{
	memcpy(in.p + in.n, p, n);
	in.n += n;
}

/*
 * A record whose first word says its number: SAMPLE and COMM with a time (0: none), TRACING_DATA without
 * formats, others as they are.
 */
static void
rec(uint32_t type, uint64_t time, size_t more)
{
	uint64_t nr = ++in.nrec, words[] = { UINT64_C(7) << 32 | 7, time };
	bool comm = type == COMM;
	uint16_t size = (uint16_t)(type == TRACING_DATA ? 12 : comm ? 16 + 16 + 16 : type == SAMPLE ? 32 + more : 16);
	struct { uint32_t type; uint16_t misc, size; } head = { type, 0, size };
	uint32_t first[2] = { (uint32_t)nr };
	static const uint8_t filler[4096];
	/* magic, order and sizes, two headers of no bytes, no formats, nothing of kallsyms, printk and tasks */
	static const char tracing[88] = "\027\010\104" "tracing" "0.6\0" "\0\4\0\0\0\0" "header_page\0" "\0\0\0\0\0\0\0\0" "header_event";

	in.rec[nr].type = type;
	in.rec[nr].time = time;
	raw(&head, 8);
	if (type == TRACING_DATA) {
		raw(&(uint32_t){ sizeof tracing }, 4);
		raw(tracing, sizeof tracing);
	} else if (comm) {
		raw(first, 8);			/* pid, tid */
		raw("comm\0\0\0\0\0\0\0\0\0\0\0", 16);
		raw(words, 16);
	} else if (type == SAMPLE) {
		raw(first, 8);
		raw(words, 16);
		raw(filler, more);
	} else {
		raw(first, 8);
	}
}

static void
stream_begin(void)
{
	static struct bytes b;
	struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME | UINT64_C(1) << 40,
	    .flags = 1 << 18 };		/* with a bit that is not known: only then may SAMPLEs be of any size */
	uint64_t header[] = { UINT64_C(0x32454c4946524550), 16 };

	free(in.p);
	memset(&in, 0, sizeof in);
	assert_non_null(in.p = malloc(64 << 20));
	in.sound = true;
	b.n = 0;
	put_attr(&b, &a, 0, NULL);
	raw(header, 16);
	raw(bytes_p(&b), b.n);
}

static unsigned
number(const struct pp_rec *r)
{
	return (unsigned)pp_get_u32(r->raw + 8, false);
}

static bool
wanted(void *arg, const struct pp_event *ev, const struct pp_rec *r)
{
	(void)arg;
	(void)ev;
	return !in.rare || number(r) % in.rare == 0;
}

/* In time order; marks this one, and others that wait or do not. */
static int
look_at(void *arg, const struct pp_turn *t, const struct pp_event *ev, const struct pp_rec *r)
{
	unsigned nr = number(r);

	(void)arg;
	assert_non_null(ev);
	assert_int_equal(t->nr, nr + 1);
	assert_false(in.rec[nr].looked || in.rec[nr].turned);
	in.rec[nr].looked = true;
	if (nr == in.bad_look)
		return pp_fail(&err, "bad look");
	if (!in.rec[nr].time)
		return 1;
	assert_true(in.rec[nr].time >= in.seen);
	in.seen = in.rec[nr].time;
	if (in.until && rnd(300) == 0)
		in.until = in.seen - 1;
	if (in.forgets && in.rec[nr].type == SAMPLE && rnd(2)) {
		unsigned of = rnd(3) ? nr : nr + rnd(400) - 200;

		if (of < in.put && of && in.rec[of].type == SAMPLE && pp_arrival_forget(in.arrival, of + 1)) {
			assert_false(in.rec[of].turned || in.rec[of].forgotten || !in.rec[of].time);
			in.rec[of].forgotten = true;
			assert_false(pp_arrival_mark(in.arrival, of + 1, 1));
		}
		return 1;
	}
	for (unsigned i = 0; i < 4; i++) {
		unsigned marks = rnd(4), of = rnd(3) ? nr : nr + rnd(400) - 200;

		if (of >= in.put)	/* also numbers below 1 */
			of = 0;
		pp_arrival_mark(in.arrival, of ? of + 1 : UINT64_MAX, marks);
		if (!in.rec[of].turned && in.rec[of].time)
			in.rec[of].marks |= marks;
	}
	return 1;
}

static int
looked(void *arg, uint64_t decided)
{
	(void)arg;
	for (unsigned i = 1; i <= in.nrec && decided != UINT64_MAX; i++)
		assert_true(!in.rec[i].turned || in.rec[i].time <= decided);
	return 1;
}

/* At the turn of a record, its marks are those that it got before, and all that is `ahead' was looked at. */
static void
check_marks(unsigned nr, unsigned marks)
{
	assert_int_equal(marks, in.rec[nr].marks);
	assert_true(in.rec[nr].looked);
	for (unsigned i = 1; i <= in.nrec && in.rec[nr].time; i++)
		assert_true(in.rec[i].looked || in.rec[i].forgotten || !in.rec[i].time || in.rec[i].time > in.rec[nr].time + in.ahead);
}

/* COMMs change their key, or all. */
static bool
changes_all(unsigned nr)
{
	return nr % 40 == 0;
}

static unsigned
to_of(unsigned nr)
{
	return in.of_key[nr % KEYS] % 3;
}

static pp_guess
guess(void *arg, const struct pp_event *ev, const struct pp_rec *r)
{
	unsigned nr = number(r), key = nr % KEYS, of = PP_GUESS_KEYS - 1 - key, other = rnd(KEYS);

	(void)arg;
	assert_non_null(ev);
	assert_int_equal(r->type, SAMPLE);
	if (rnd(10) == 0)
		return PP_NO_GUESS;
	in.nguesses++;
	in.held[key]++;
	in.rec[nr].v = (struct pp_verdict){ .to = (uint8_t)to_of(nr) };
	return rnd(2) ? pp_guess_of(of, other, key, to_of(nr)) : pp_guess_of(other, of, key, to_of(nr));
}

static void
changes(void *arg, const struct pp_rec *r, struct pp_changed *c)
{
	unsigned nr = number(r);

	(void)arg;
	assert_int_equal(r->type, COMM);
	assert_false(in.rec[nr].turned);
	if (changes_all(nr))
		pp_changes_all(c);
	else
		pp_changes_key(c, PP_GUESS_KEYS - 1 - nr % KEYS);
}

static void
missed(void *arg, uint8_t why)
{
	(void)arg;
	assert_true(why < KEYS && in.held[why]);
	in.held[why]--;
}

/* Each record comes behind those COMMs that are older, and in front of the others. */
static int
turn(void *arg, const struct pp_turn *t, const struct pp_event *ev, const struct pp_rec *r, struct pp_verdict *v)
{
	unsigned nr = number(r), older = 0;

	(void)arg;
	assert_non_null(ev);
	assert_false(in.rec[nr].turned || in.rec[nr].forgotten);
	in.rec[nr].turned = true;
	if (in.until && in.rec[nr].time)
		assert_true(in.rec[nr].time <= in.passed);
	if (in.looks)
		check_marks(nr, t->marks);
	if (!in.rare)
		assert_int_equal(t->nr, nr + 1);	/* the attr is the first */
	for (unsigned i = 1; i <= in.nrec && in.sound && in.rec[nr].time; i++)
		older += in.rec[i].type == COMM && in.rec[i].time && (in.rec[i].time < in.rec[nr].time ||
		    (in.rec[i].time == in.rec[nr].time && i < nr));
	if (in.sound && in.rec[nr].time)
		assert_int_equal(in.comms, older);
	in.comms += r->type == COMM && in.rec[nr].time;
	v->to = !(in.drop && nr % in.drop == 0);
	v->front = v->to ? nr : 0;
	v->owed = nr % 3 == 0;
	for (unsigned key = 0; key < KEYS; key++)
		in.of_key[key] += r->type == COMM && (changes_all(nr) || key == nr % KEYS);
	if (in.keyed && r->type == SAMPLE)
		*v = (struct pp_verdict){ .to = (uint8_t)to_of(nr) };
	in.rec[nr].v = *v;
	return nr == in.bad ? pp_fail(&err, "bad") : 1;
}

static int
emit(void *arg, const struct pp_rec *r, const struct pp_verdict *v, bool stable)
{
	unsigned nr = number(r);

	(void)arg;
	(void)stable;
	in.order[in.nout++] = r->type == HEADER_ATTR || r->payload ? 0 : nr;
	if (r->type >= 64)
		assert_true(v->front == 9 && v->to == 2 && v->owed);
	if (r->type == HEADER_ATTR || r->payload)
		return 1;
	assert_int_equal(in.rec[nr].type, r->type);
	if (r->type < 64) {
		assert_true(in.rec[nr].turned || (in.guesses && r->type == SAMPLE));
		assert_int_equal(in.rec[nr].v.to, v->to);
		assert_int_equal(in.rec[nr].v.front, v->front);
		assert_int_equal(in.rec[nr].v.owed, v->owed);
	}
	if (r->type < 64 || r->type == ROUND || r->type == INIT) {
		assert_true(nr > in.last);
		in.last = nr;
	}
	in.rec[nr].out = true;
	in.unflushed[in.nunflushed].raw = r->raw;
	in.unflushed[in.nunflushed++].nr = nr;
	return 1;
}

static int
flush(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < in.nunflushed; i++)
		assert_int_equal(pp_get_u32(in.unflushed[i].raw + 8, false), in.unflushed[i].nr);
	in.nunflushed = 0;
	return 1;
}

static uint64_t
until(void *arg)
{
	(void)arg;
	return in.until;
}

static void
passes(void *arg, uint64_t time)
{
	(void)arg;
	assert_true(time <= in.until || time == UINT64_MAX || !in.sound);
	in.passed = time > in.passed ? time : in.passed;
}

static size_t
more(void *arg)
{
	return *(size_t *)arg;
}

/* Put all records of the stream; `look' is called behind each.  What put or finish returned. */
static int
run(size_t memory, size_t *elsewhere, uint64_t *early, void (*look)(size_t before))
{
	size_t before = heap(), none = 0;
	struct pp_arrival_user user = { .wanted = wanted, .turn = turn, .emit = emit, .flush = flush, .more = more,
	    .arg = elsewhere ? elsewhere : &none, .own = OWN, .ordered = { [COMM] = true } };
	int fd = memfd_create("stream", 0), rc = 1;
	struct pp_arrival *a;
	struct pp_source *s;
	struct pp_rec r;

	err = (struct pp_err){ .what = "" };
	assert_int_equal(write(fd, in.p, in.n), in.n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_non_null(s = pp_open_fd(fd, "stream", 0, &err));
	pp_before_refill(s, flush, NULL);
	if (in.looks) {
		user.look = look_at;
		user.looked = looked;
		user.ahead = in.ahead;
		user.looks[SAMPLE] = user.looks[COMM] = true;
	}
	if (in.guesses) {
		user.guess = guess;
		user.changes = changes;
		user.missed = missed;
	}
	if (in.until) {
		user.until = until;
		user.passes = passes;
	}
	assert_non_null(a = in.arrival = pp_arrival_new(s, &user, memory, &err));
	while (rc > 0 && pp_next(s, &r) > 0) {
		in.put++;
		rc = pp_arrival_put(a, &r, &r);
		if (look)
			look(before);
	}
	if (pp_arrival_finish(a) < 0)
		rc = -1;
	flush(NULL);
	if (early)
		*early = pp_arrival_early(a);
	if (rc > 0)
		assert_int_equal(pp_close(s), 1);
	else
		pp_close(s);
	pp_arrival_free(a);
	return rc;
}

/* Records of some CPUs, whose buffers are read one after the other. */
static void
random_stream(unsigned n, unsigned cpus, unsigned comms)
{
	uint64_t base = 1000;

	stream_begin();
	while (in.nrec + cpus * 20 < n) {
		for (unsigned c = 0; c < cpus; c++)
			for (uint64_t time = base + rnd(20), end = base + 1000; time < end && rnd(15); time += rnd(200))
				rec(rnd(comms) ? SAMPLE : COMM, rnd(40) ? time : 0, 8 * rnd(rnd(50) ? 10 : 500));
		if (rnd(10) == 0)
			rec(UNKNOWN, 0, 0);
		if (rnd(10) == 0)
			rec(INIT, 0, 0);
		rec(ROUND, 0, 0);
		base += 1000;
	}
}

static void
test_arrival(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		random_stream(6000, 1 + i * 3, i % 2 ? 10 : 200);
		in.drop = i < 2 ? 0 : i;
		assert_int_equal(run(SIZE_MAX, NULL, NULL, NULL), 1);
		for (unsigned nr = 1; nr <= in.nrec; nr++) {
			assert_int_equal(in.rec[nr].turned, in.rec[nr].type < 64);
			assert_int_equal(in.rec[nr].out, in.rec[nr].type >= 64 || !in.drop || nr % in.drop);
		}
	}
}

/* What is guessed and what is decided at its turn is the same. */
static void
test_guess(void **state)
{
	static struct { bool out; uint8_t to; } plain[MAX];
	static unsigned order[MAX];
	unsigned nout = 0, held = 0, n = 0;

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		random_stream(6000, 1 + i * 3, i % 2 ? 30 : 200);
		for (in.guesses = false; ; in.guesses = true) {
			in.keyed = true;
			assert_int_equal(run(SIZE_MAX, NULL, NULL, NULL), 1);
			if (in.guesses)
				break;
			for (unsigned nr = 1; nr <= in.nrec; nr++) {
				plain[nr].out = in.rec[nr].out;
				plain[nr].to = in.rec[nr].v.to;
				in.rec[nr].out = in.rec[nr].turned = false;
			}
			nout = in.nout;
			memcpy(order, in.order, nout * sizeof *order);
			memset(in.of_key, 0, sizeof in.of_key);
			in.comms = in.last = in.nout = in.put = 0;
		}
		assert_int_equal(in.nout, nout);
		assert_memory_equal(in.order, order, nout * sizeof *order);
		for (unsigned nr = 1; nr <= in.nrec; nr++) {
			assert_int_equal(in.rec[nr].out, plain[nr].out);
			assert_int_equal(in.rec[nr].v.to, plain[nr].to);
		}
		for (unsigned key = 0; key < KEYS; key++)
			held += in.held[key];
		n += in.nguesses;
	}
	assert_in_range(held, n / 10, n * 9 / 10);
	/* a limit of memory, and one in front that waits for long */
	random_stream(20000, 4, 50);
	in.keyed = in.guesses = true;
	in.sound = false;
	assert_int_equal(run(1 << 20, NULL, NULL, NULL), 1);
	stream_begin();
	in.keyed = in.guesses = true;
	in.sound = false;
	rec(SAMPLE, 1000000, 0);
	for (unsigned i = 0; i < 2000; i++)
		rec(i % 50 ? SAMPLE : COMM, 1000 + i, 0);
	rec(ROUND, 0, 0);
	rec(COMM, 2000, 0);
	rec(ROUND, 0, 0);
	n = 1 << 20;
	assert_int_equal(run(1 << 20, &(size_t){ n }, NULL, NULL), 1);
	for (unsigned nr = 1; nr <= in.nrec; nr++)
		assert_true(in.rec[nr].out || !in.rec[nr].v.to);
}

/* No record behind until() has its turn before the end; one that is forgotten has none, and is not emitted. */
static void
test_until(void **state)
{
	unsigned forgotten = 0;

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		random_stream(6000, 1 + i * 3, i % 2 ? 10 : 200);
		in.looks = true;
		in.until = 1;
		in.forgets = i % 3;
		assert_int_equal(run(SIZE_MAX, NULL, NULL, NULL), 1);
		for (unsigned nr = 1; nr <= in.nrec; nr++) {
			assert_int_equal(in.rec[nr].turned, in.rec[nr].type < 64 && !in.rec[nr].forgotten);
			assert_int_equal(in.rec[nr].out, !in.rec[nr].forgotten);
			forgotten += in.rec[nr].forgotten;
		}
	}
	assert_true(forgotten > 1000);
	/* at the limit of memory records have their turn all the same, and what is left is copied together */
	random_stream(20000, 4, 50);
	in.looks = true;
	in.until = 1;
	in.forgets = true;
	in.sound = false;
	assert_int_equal(run(1 << 20, NULL, NULL, NULL), 1);
	for (unsigned nr = 1; nr <= in.nrec; nr++)
		assert_int_equal(in.rec[nr].out, !in.rec[nr].forgotten);
}

/* Marks by look() are there at the turn, and those for records that had theirs go nowhere. */
static void
test_mark(void **state)
{
	unsigned marked[4] = { 0 };

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		random_stream(2000, 1 + i, 20);
		in.looks = true;
		in.ahead = i * 700;
		in.drop = i;
		assert_int_equal(run(SIZE_MAX, NULL, NULL, NULL), 1);
		for (unsigned nr = 1; nr <= in.nrec; nr++)
			if (in.rec[nr].type < 64) {
				assert_true(in.rec[nr].turned && in.rec[nr].looked);
				marked[in.rec[nr].marks]++;
			}
	}
	for (unsigned m = 0; m < 4; m++)
		assert_true(marked[m] > 100);
}

/* What is there of a payload's record, and of those of perf's own that may explain it, goes out before what waits. */
static void
test_payload(void **state)
{
	static const unsigned order[] = { 0, 2, 0, 1, 3, 5 };

	(void)state;
	stream_begin();
	rec(SAMPLE, 10, 0);
	rec(UNKNOWN, 0, 0);
	rec(INIT, 0, 0);
	rec(TRACING_DATA, 0, 0);
	rec(SAMPLE, 5, 0);
	assert_int_equal(run(SIZE_MAX, NULL, NULL, NULL), 1);
	assert_int_equal(in.nout, 6);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(in.order[i], order[i]);
}

static void
within_bound(size_t before)
{
	assert_true(heap() < before + (4 << 20));
}

/* Without rounds; and then with a record that is too old. */
static void
test_arrival_bound(void **state)
{
	uint64_t early;

	(void)state;
	for (unsigned late = 0; late < 2; late++) {
		stream_begin();
		for (unsigned i = 0; i < 25000; i++)
			rec(i % 100 ? SAMPLE : COMM, 1000 + i + rnd(30), 8 * rnd(40));
		if (late)
			rec(SAMPLE, 7, 0);
		in.sound = !late;
		assert_int_equal(run(2 << 20, NULL, &early, within_bound), 1);
		assert_int_equal(early, late);
		assert_int_equal(in.nout, 25001 + late);
	}
}

/* A few records that wait do not keep the buffers that they were read into. */
static void
test_sparse(void **state)
{
	uint64_t early;

	(void)state;
	stream_begin();
	in.rare = 500;
	in.sound = false;
	for (unsigned i = 0; i < 20000; i++)
		rec(SAMPLE, 1000 + i, 1000);
	assert_int_equal(run(4 << 20, NULL, &early, within_bound), 1);
	assert_int_equal(early, 0);
	assert_int_equal(in.nout, 1 + 20000 / 500);
}

/* What grows elsewhere for records that are decided, because one in front of them waits, makes that one go. */
static void
test_elsewhere(void **state)
{
	size_t elsewhere = 1 << 20;
	uint64_t early;

	(void)state;
	stream_begin();
	in.sound = false;
	rec(SAMPLE, 1000000, 0);
	for (unsigned i = 0; i < 1000; i++)
		rec(SAMPLE, 1000 + i, 0);
	rec(ROUND, 0, 0);
	rec(SAMPLE, 2000, 0);
	rec(ROUND, 0, 0);
	assert_int_equal(run(1 << 20, &elsewhere, &early, NULL), 1);
	assert_true(early > 0);
	assert_int_equal(in.nout, in.nrec + 1);
}

/* What arrived before a record that is not sound is emitted; the place of the fault is where it stands. */
static void
test_unsound(void **state)
{
	(void)state;
	for (int look = 0; look < 2; look++) {
		stream_begin();
		in.sound = false;
		in.looks = look;
		rec(SAMPLE, 30, 0);
		rec(SAMPLE, 10, 0);
		*(look ? &in.bad_look : &in.bad) = 2;
		rec(SAMPLE, 20, 0);
		assert_int_equal(run(SIZE_MAX, NULL, NULL, NULL), -1);
		assert_int_equal(in.nout, 2);
		assert_string_equal(err.what, look ? "SAMPLE: bad look" : "SAMPLE: bad");
		assert_true(err.at);
		assert_int_equal(err.off, in.n - 64);
		assert_int_equal(in.rec[2].turned, !look);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arrival), cmocka_unit_test(test_guess), cmocka_unit_test(test_mark), cmocka_unit_test(test_until), cmocka_unit_test(test_payload),
		cmocka_unit_test(test_arrival_bound),
		cmocka_unit_test(test_sparse), cmocka_unit_test(test_elsewhere), cmocka_unit_test(test_unsound),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(in.p);
	return failed;
}
