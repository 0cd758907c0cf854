/* SPDX-License-Identifier: ISC */
/* arrival_steps.h - of unit/arrival_steps: a stream from text, and what is called while it is put, as text; see there */
#ifndef PP_TEST_ARRIVAL_STEPS_H
#define PP_TEST_ARRIVAL_STEPS_H

#include <sys/mman.h>
#include <unistd.h>

#include "bytes.h"
#include "state/timeline.h"

enum { COMM = 3, SAMPLE = 9, PAYLOAD = 66, ROUND = 68, INIT = 82, UNKNOWN = 4711, LARGE = 60000 };

static struct {
	struct pp_arrival_user user;
	struct pp_source *source;
	struct pp_arrival *a;
	struct pp_err	 err;
	uint8_t		*p;
	size_t		 n;
	unsigned	 nrec;
	uint64_t	 at[1 << 15];		/* where the record of that number stands */
	char		 text[1 << 16];
	size_t		 ntext;
	uint64_t	 until;
	size_t		 elsewhere;		/* pp_arrival_elsewhere() */
	size_t		 more, less;		/* more(), and by how much each that is emitted makes it less */
	unsigned	 bad_turn, bad_look, bad_emit;	/* of the record of that number */
	unsigned	 looks, bad_looked;	/* calls of looked(); the one that fails */
	unsigned	 dropped;		/* the turn of record of that number gives no verdict */
	unsigned	 unwanted;		/* record of that number is not wanted */
	unsigned	 flushes, bad_flush;	/* calls of flush(); the first one that fails */
	unsigned	 marks[3];		/* when it looks at the first, the second gets that mark */
	bool		 guesses;
	bool		 forgets_odd;		/* it forgets those of odd times */
	unsigned	 forgets[2];		/* when it looks at the first, it forgets the second */
} in;

static void
say(const char *what, uint64_t n)
{
	if (!n)				/* of a record: it has a payload */
		in.ntext += (size_t)snprintf(in.text + in.ntext, sizeof in.text - in.ntext, "%s", what);
	else if (n == UINT64_MAX)
		in.ntext += (size_t)snprintf(in.text + in.ntext, sizeof in.text - in.ntext, "%s*", what);
	else
		in.ntext += (size_t)snprintf(in.text + in.ntext, sizeof in.text - in.ntext, "%s%" PRIu64, what, n);
	assert_true(in.ntext < sizeof in.text);
}

/* ---- the stream ------------------------------------------------------------------------------------------ */

static void
raw(const void *p, size_t n)
{
	memcpy(in.p + in.n, p, n);
	in.n += n;
}

static void
rec(uint32_t type, uint64_t time, size_t more)
{
	/* magic, order and sizes, two headers of no bytes, no formats, nothing of kallsyms, printk and tasks */
	static const char tracing[88] = "\027\010\104" "tracing" "0.6\0" "\0\4\0\0\0\0" "header_page\0" "\0\0\0\0\0\0\0\0" "header_event";
	static const uint8_t filler[1 << 16];
	uint64_t words[] = { UINT64_C(7) << 32 | 7, time };
	struct { uint32_t type; uint16_t misc, size; } head = { type, 0,
	    (uint16_t)(type == PAYLOAD ? 12 : type == COMM ? 16 + 16 + 16 : type == SAMPLE ? 32 + more : 16) };
	uint32_t first[2] = { ++in.nrec };

	assert_true(in.n + (1 << 17) < 32 << 20 && in.nrec < sizeof in.at / sizeof *in.at);
	in.at[in.nrec] = in.n;
	raw(&head, 8);
	if (type == PAYLOAD) {
		raw(&(uint32_t){ sizeof tracing }, 4);
		raw(tracing, sizeof tracing);
		return;
	}
	raw(first, 8);			/* pid, tid */
	if (type == COMM)
		raw("comm\0\0\0\0\0\0\0\0\0\0\0", 16);
	if (type == COMM || type == SAMPLE)
		raw(words, 16);
	if (type == SAMPLE)
		raw(filler, more);
}

static void
stream(const char *text)
{
	static struct bytes b;
	struct pp_attr a = { .type = 1, .size = 64, .sample_type = PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME | UINT64_C(1) << 40,
	    .flags = 1 << 18 };		/* with a bit that is not known: only then may SAMPLEs be of any size */
	uint64_t header[] = { UINT64_C(0x32454c4946524550), 16 };
	char *end;

	memset(&in, 0, sizeof in);
	in.until = UINT64_MAX;
	assert_non_null(in.p = malloc(32 << 20));
	b.n = 0;
	put_attr(&b, &a, 0, NULL);
	raw(header, 16);
	raw(bytes_p(&b), b.n);
	for (; *text; text = end + (*end == ' ')) {
		char kind = *text++;
		uint64_t time = strtoull(text, &end, 10);

		rec(kind == 's' || kind == 'S' ? SAMPLE : kind == 'c' ? COMM : kind == 'R' ? ROUND : kind == 'I' ? INIT : kind == 'P' ? PAYLOAD : UNKNOWN,
		    time, kind == 'S' ? LARGE : 0);
	}
}

static unsigned
number(const struct pp_rec *r)
{
	return r->payload ? 0 : (unsigned)pp_get_u32(r->raw + 8, false);
}

static uint64_t
time_of(const struct pp_rec *r)
{
	return pp_get_u64(r->raw + r->size - (r->type == COMM ? 8 : r->size - 24), false);
}

/* ---- the user -------------------------------------------------------------------------------------------- */

static bool
wanted(void *arg, const struct pp_event *ev, const struct pp_rec *r)
{
	(void)arg;
	(void)ev;
	return number(r) != in.unwanted;
}

static int
turn(void *arg, const struct pp_turn *t, const struct pp_event *ev, const struct pp_rec *r, struct pp_verdict *v)
{
	unsigned nr = number(r);

	(void)arg;
	(void)ev;
	assert_int_equal(t->nr, nr + 1 - (in.unwanted && nr > in.unwanted));	/* the attr is the first */
	assert_int_equal(t->offset, in.at[nr]);
	say("t", nr);
	if (t->since < time_of(r))
		say("@", t->since);
	if (t->marks)
		say(":", t->marks);
	if (nr != in.dropped)
		v->to = 1;
	return nr == in.bad_turn ? pp_fail(&in.err, "bad turn") : 1;
}

static int
look_at(void *arg, const struct pp_turn *t, const struct pp_event *ev, const struct pp_rec *r)
{
	unsigned nr = number(r);

	(void)arg;
	(void)ev;
	assert_int_equal(t->nr, nr + 1 - (in.unwanted && nr > in.unwanted));
	assert_int_equal(t->offset, in.at[nr]);
	if (in.forgets_odd && time_of(r) % 2) {		/* which are many */
		assert_true(pp_arrival_forget(in.a, nr + 1));
		return 1;
	}
	say("l", nr);
	if (nr == in.forgets[0] && in.forgets[0])
		assert_true(pp_arrival_forget(in.a, in.forgets[1] + 1));
	if (nr == in.marks[0] && in.marks[0])
		assert_true(pp_arrival_mark(in.a, in.marks[1] + 1, in.marks[2]));
	return nr == in.bad_look ? pp_fail(&in.err, "bad look") : 1;
}

static int
looked(void *arg, uint64_t decided)
{
	(void)arg;
	say("k", decided);
	return ++in.looks == in.bad_looked ? pp_fail(&in.err, "bad looked") : 1;
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
	say("p", time);
}

static int
emit(void *arg, const struct pp_rec *r, const struct pp_verdict *v, bool stable)
{
	unsigned nr = number(r);

	(void)arg;
	assert_true(stable);
	if (r->type == 64)
		return 1;
	assert_true(v->to);
	say("e", nr);
	in.more -= in.less;
	return nr == in.bad_emit && nr ? pp_fail(&in.err, "bad emit") : 1;
}

static int
flush(void *arg)
{
	(void)arg;
	return ++in.flushes == in.bad_flush ? pp_fail(&in.err, "bad flush") : 1;
}

static unsigned
key_of(const struct pp_rec *r)
{
	return (unsigned)(time_of(r) / 100);
}

/* By two keys, of which each is the one that counts by turns. */
static pp_guess
guess(void *arg, const struct pp_event *ev, const struct pp_rec *r)
{
	enum { OTHER = PP_GUESS_KEYS - 1 };
	unsigned key = key_of(r);

	(void)arg;
	(void)ev;
	if (time_of(r) % 10 == 9)
		return PP_NO_GUESS;
	say("g", number(r));
	return number(r) % 2 ? pp_guess_of(key, OTHER, key % 64, 1) : pp_guess_of(OTHER, key, key % 64, 1);
}

static void
changes(void *arg, const struct pp_rec *r, struct pp_changed *c)
{
	(void)arg;
	assert_int_equal(r->type, COMM);
	if (time_of(r) % 100 == 99)
		pp_changes_all(c);
	else
		pp_changes_key(c, key_of(r));
}

static void
missed(void *arg, uint8_t why)
{
	(void)arg;
	say("m", why);
}

static size_t
more(void *arg)
{
	(void)arg;
	return in.more;
}

/* Put all records; ahead: look() sees so far, -1: there is none; waits: there is until().  What put or finish returned. */
static int
run(size_t memory, int64_t ahead, bool waits)
{
	struct pp_arrival_user user = { .wanted = wanted, .turn = turn, .emit = emit, .flush = flush, .more = more, .own = { .to = 2 },
	    .ordered = { [COMM] = true } };
	int fd = memfd_create("stream", 0), rc = 1, end;
	struct pp_rec r;

	assert_int_equal(write(fd, in.p, in.n), in.n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_non_null(in.source = pp_open_fd(fd, "stream", 0, &in.err));
	if (ahead >= 0) {
		user.look = look_at;
		user.looked = looked;
		user.ahead = (uint64_t)ahead;
		user.looks[SAMPLE] = user.looks[COMM] = true;
	}
	if (in.guesses) {
		user.guess = guess;
		user.changes = changes;
		user.missed = missed;
	}
	if (waits) {
		user.until = until;
		user.passes = passes;
	}
	assert_non_null(in.a = pp_arrival_new(in.source, &user, memory, &in.err));
	pp_arrival_elsewhere(in.a, in.elsewhere);
	while (rc > 0 && pp_next(in.source, &r) > 0) {
		rc = pp_arrival_put(in.a, &r, &r);
		assert_true(rc == 1 || rc == -1);
		if (r.type != 64 && !(in.forgets_odd && r.type == SAMPLE))
			say(" ", 0);
	}
	end = pp_arrival_finish(in.a);
	assert_true(end == 1 || end == -1);
	rc = end < 0 ? -1 : rc;
	pp_close(in.source);
	free(in.p);
	in.p = NULL;
	return rc;
}

/* The steps, `fails' if one of them has, and how many were decided on too early or with too little in sight. */
static const char *
steps(size_t memory, int64_t ahead, bool waits)
{
	if (run(memory, ahead, waits) < 0)
		say(" fails", 0);
	if (pp_arrival_early(in.a))
		say(" early ", pp_arrival_early(in.a));
	if (pp_arrival_short(in.a))
		say(" short ", pp_arrival_short(in.a));
	pp_arrival_free(in.a);
	in.a = NULL;
	return in.text;
}

#endif
