/* SPDX-License-Identifier: ISC */
/*
 * Decisions in time order with output in order of arrival, step by step: what is called at which record.
 *
 * A stream is written as its records: s30, a sample of the time 30; S30, a large one; c20, a COMM; s0 and c0, without a time; R, a round;
 * I, the end of what is synthesised; U, of an unknown type; P, one with a payload.  What is called is written as l1, look at record 1; k30,
 * what is up to 30 has had its turn; p30, what is up to 30 will have it; t1@20, the turn of record 1, and no COMM has a time from 20 to its
 * own; :2, it has that mark; e1, it is emitted, e alone: one with a payload.  g1, record 1 has a guess; m3, one by key 3 is missed.  Samples
 * and COMMs of the times 300 to 399 have the key 3; those of 3.9 are not guessed, and a COMM of 399 changes all keys.  A space follows each
 * record; * is the end of time.
 */
#include "arrival_steps.h"

enum { PLENTY = 1 << 30 };		/* of memory */

/* In the order of time, what is decided; but emitted as it arrived.  Others come in order of arrival between two COMMs. */
static void
order(void **state)
{
	(void)state;
	stream("s30 s10 R R");
	assert_string_equal(steps(PLENTY, -1, false),
	    "   t1@10t2e1e2e3e4 ");
	stream("s30 s10 R c5 s20 R s40 R");
	assert_string_equal(steps(PLENTY, -1, false),
	    "     t4t1@6t2@6t5@6e1e2e3e4e5e6   t7@31e7e8");
	stream("s5 s9 c4 s6 s2 R c7 s3 R c20 R");
	assert_string_equal(steps(PLENTY, -1, false),
	    "        t5t8@2t3t1t4@5t7t2@8e1e2e3e4e5e6e7e8e9   t10e10e11");
	stream("c10 c20 s30 s15 s10 s20 s5 R R s60 c50 c55 s55 R s70 R");
	assert_string_equal(steps(PLENTY, -1, false),
	    "        t7t1t4@10t5t2t3@20t6e1e2e3e4e5e6e7e8e9       t11t12t10@55t13e10e11e12e13e14 t15@61e15e16");
	stream("c10 c10 s10 R s10 c10 s9 R c30 s40 s30 s35 R s50 R");
	assert_string_equal(steps(PLENTY, -1, false),
	    "       t7t1t2t3t5t6e1e2e3e4e5e6e7e8       t9t10@30t11t12@30e9e10e11e12e13 t14@41e14e15");
	stream("s0 s10 s0 c0 R s20 s5 R R");
	assert_string_equal(steps(PLENTY, -1, false),
	    "t1e1  t3 t4    t2@5t7e2e3e4e5 t6@11e6e7e8e9 ");
}

/* Records that are not wanted count for the rounds. */
static void
unwanted(void **state)
{
	(void)state;
	stream("s30 s10 R R");
	in.unwanted = 1;
	assert_string_equal(steps(PLENTY, -1, false),
	    "   t2e2e3e4 ");
	stream("s30 R s20 R");
	in.unwanted = 1;
	assert_string_equal(steps(PLENTY, -1, false),
	    " e2  t3e3e4 ");
	stream("s30 R s40 R s20 R s10 R");
	in.unwanted = 1;
	assert_string_equal(steps(PLENTY, -1, false),
	    " e2    t5t3@31e3e4e5e6  t7e7e8 ");
	stream("s30 R s20 R s25 R s28 R s40 R");	/* until what is up to that time is released */
	in.unwanted = 1;
	assert_string_equal(steps(PLENTY, -1, false),
	    " e2  t3e3e4  t5e5e6    t7e7e8 t9@31e9e10");
	stream("s10 R s30 R s20 R s40 R R");
	in.unwanted = 3;
	assert_string_equal(steps(PLENTY, -1, false),
	    "   t1e1e2e4  t5@11e5e6   t7@31e7e8e9 ");
}

/* A payload overtakes what waits, and takes with it what may describe it; what has a place of its own stays there. */
static void
payloads(void **state)
{
	(void)state;
	stream("s10 U I P U s5 P R");
	assert_string_equal(steps(PLENTY, -1, false),
	    "   e2e    t1@5t6e1e3e5e6e8");
	stream("P U I s10 R s5 R P");
	assert_string_equal(steps(PLENTY, -1, false),
	    "e e2 e3    t4@5t6e4e5e6e7 ");
	stream("s10 U R s20 U R U P R R");
	assert_string_equal(steps(PLENTY, -1, false), "     t1e1e2e3  e5e7e t4@11e4e6e9 e10 ");
	stream("s10 U R s20 R U s30 U R P s40 U P");
	assert_string_equal(steps(PLENTY, -1, false),
	    "    t1e1e2e3    t4@11e4e5e6 e8e   t7@21t11@21e7e9e11e12");
}

/* One without a verdict is not emitted. */
static void
dropped(void **state)
{
	(void)state;
	stream("s0 s10 s20 R R");
	in.dropped = 1;
	assert_string_equal(steps(PLENTY, -1, false), "t1    t2t3@10e2e3e4e5 ");
	stream("s0 s10 s20 R R");
	in.dropped = 2;
	assert_string_equal(steps(PLENTY, -1, false), "t1e1    t2t3@10e3e4e5 ");
	stream("s10 s0 s20 R R");
	in.dropped = 2;
	assert_string_equal(steps(PLENTY, -1, false), " t2   t1t3@10e1e3e4e5 ");
}

/* What arrived before a record that is not sound is emitted, and nothing else happens. */
static void
unsound(void **state)
{
	(void)state;
	stream("s30 s10 s20");
	in.bad_turn = 2;
	assert_string_equal(steps(PLENTY, -1, false),
	    "   t1@10t2t3@10e1 fails");
	stream("s30 s10 s20");
	in.bad_look = 2;
	assert_string_equal(steps(PLENTY, 0, false),
	    "   l2l3l1kt1@10t3@10e1 fails");
	stream("s30 s10 s20");
	in.bad_emit = 2;
	assert_string_equal(steps(PLENTY, 0, false),
	    "   l2l3l1kt1@10t2t3@10e1e2 fails");
	stream("s30 s10 R R s20 s50 R");
	in.bad_emit = 2;
	assert_string_equal(steps(PLENTY, 0, false),
	    "  k l2l1kt1@10t2e1e2  fails");
	stream("s30 s10 R R s20 s50 R");
	in.bad_turn = 1;
	assert_string_equal(steps(PLENTY, 0, false),
	    "  k l2l1kt1@10t2  fails");
	stream("s30 s0 s10 R R s20 s50 R");
	in.bad_turn = 2;
	assert_string_equal(steps(PLENTY, 0, false),
	    " l2t2 l1kt1e1 fails");
	stream("s0 s10 R R s20 s50 R");
	in.bad_turn = 1;
	assert_string_equal(steps(PLENTY, 0, false),
	    "l1t1 k fails");
	stream("s0 s10 R R s20 s50 R");
	in.bad_look = 1;
	assert_string_equal(steps(PLENTY, 0, false),
	    "l1 k fails");
	stream("s0 s10 R R s20 s50 R");
	in.bad_emit = 1;
	assert_string_equal(steps(PLENTY, 0, false),
	    "l1t1e1  fails");
	stream("s10 U P s20 R");
	in.bad_emit = 2;
	assert_string_equal(steps(PLENTY, 0, false),
	    "  e2  fails");
	stream("U s10 R");
	in.bad_emit = 1;
	assert_string_equal(steps(PLENTY, 0, false),
	    "e1  fails");
	for (unsigned i = 0; i < 6; i++) {		/* the look that fails */
		static const char *const want[] = {
			" k l1kt1e1e2 fails", " k  l1k l3kt1t3@10e1e2e3e4 fails", " k  l1kt1e1e2  l3k10 l5k10t3@11t5@11e3e4e5e6 fails",
			" k l1kp*t1e1e2 fails", " kk l1kp*t1e1e2 fails", " kk  l1k l3kp*t1t3@10e1e2e3e4 fails",
		};

		stream("s10 R s20 R s30 R");
		in.bad_looked = 1 + i % 3;
		assert_string_equal(steps(PLENTY, 0, i >= 3), want[i]);
	}
}

/* It looks at all up to `ahead' behind a record before that has its turn. */
static void
ahead(void **state)
{
	(void)state;
	stream("s30 s10 R R");
	assert_string_equal(steps(PLENTY, 0, false),
	    "  k l2l1kt1@10t2e1e2e3e4 k30");
	stream("s10 s20 R s30 s40 R s50 s60 R s70 s80 R");
	assert_string_equal(steps(PLENTY, 15, false),
	    "  k   l1l2k   l4l5k5t1t2@10e1e2e3   l7l8k25t4@26t5@26e4e5e6 l10l11k45t7@46t8@46t10@46t11@46e7e8e9e10e11e12");
	stream("s10 s20 R s30 R s40 R s50 R s60 R s70 R s80 R");
	assert_string_equal(steps(PLENTY, 0, false),
	    "  k  l1l2kt1t2@10e1e2e3  l4k20t4@21e4e5  l6k30t6@31e6e7  l8k40t8@41e8e9  l10k50t10@51e10e11  l12k60t12@61e12e13"
	    " l14k70t14@71e14e15");
	stream("s10 s20 R s30 R s40 R s50 R s60 R s70 R s80 R");
	assert_string_equal(steps(PLENTY, 40, false),
	    "  k  l1l2k  l4k  l6k  l8kt1e1  l10k10t2@11e2e3  l12k20t4@21e4e5 l14k30t6@31t8@31t10@31t12@31t14@31e6e7e8e9e10e11e12e13e14e15");
	stream("s10 U R s100 R U s200 R s300 R");
	assert_string_equal(steps(PLENTY, 1000, false),
	    "  k  l1k   l4k  l7k l9kt1t4@10t7@10t9@10e1e2e3e4e5e6e7e8e9e10");
}

/* Nothing behind until() has its turn, and releases are as rare as `ahead' allows. */
static void
until_then(void **state)
{
	(void)state;
	stream("s10 s20 R s30 s40 R s50 s60 R s70 s80 R");
	assert_string_equal(steps(PLENTY, 15, true),
	    "  kk   l1l2kkp5   l4l5k5k5p25t1t2@10e1e2e3   l7l8k25k25p45t4@26t5@26e4e5e6 l10l11k45p*t7@46t8@46t10@46t11@46e7e8e9e10e11e12");
	stream("s10 s20 R s30 R s40 R s50 R s60 R s70 R s80 R s90 R s100 R s110 R");
	assert_string_equal(steps(PLENTY, 40, true),
	    "  kk  l1l2kk  l4kk  l6kk  l8kk  l10kkp20t1t2@10e1e2e3  l12k20k20  l14k20k20p40t4@21t6@21e4e5e6e7  l16k40k40 "
	    " l18k40k40p60t8@41t10@41e8e9e10e11 l20k60p*t12@61t14@61t16@61t18@61t20@61e12e13e14e15e16e17e18e19e20e21");
	stream("s10 s20 s30 s40 R s50 R R s60 R s70 R s80 R s90 R");
	in.until = 30;
	assert_string_equal(steps(PLENTY, 10, true),
	    "    kk  l1l2l3l4kkp30t1t2@10t3@10e1e2e3 l6k30k30  k30k30  l9k30k30  l11k30k30  l13k30k30"
	    " l15k30p*t4@31t6@31t9@31t11@31t13@31t15@31e4e5e6e7e8e9e10e11e12e13e14e15e16");
	stream("s1000 R s2000 R s2010 R s2020 R s2030 R s2040 R s2050 R");
	in.until = 2025;
	assert_string_equal(steps(PLENTY, 10, true),
	    " kk  l1kkp990  l3k990k990p1990t1e1e2  l5k1990k1990p2000t3@1991e3e4  l7k2000k2000p2010t5@2001e5e6 "
	    " l9k2010k2010p2020t7@2011e7e8  l11k2020k2020p2025 l13k2025p*t9@2026t11@2026t13@2026e9e10e11e12e13e14");
	stream("s10 s20 s30 s40 s50 R R s60 R");
	in.forgets[0] = 1;
	in.forgets[1] = 3;
	assert_string_equal(steps(PLENTY, 10, true),
	    "     kk l1l2l4l5kkp40t1t2@10t4@10e1e2e4  k40k40 l8k40p*t5@41t8@41e5e6e7e8e9");
	/* when all is forgotten, the latest time is that of the next record */
	stream("s11 s51 R R s20 R s30 R s40 R");
	in.forgets_odd = true;
	assert_string_equal(steps(PLENTY, 0, true),
	    "kk kkp51e3e4 l5k51k51 k51k51 l7k51k51 l9k51p*t5t7t9e5e6e7e8e9e10");
	stream("s10 s20 s30 s40 s50 R R s60 R");
	in.forgets[0] = in.forgets[1] = 2;
	assert_string_equal(steps(PLENTY, 10, true),
	    "     kk l1l2l3l4l5kkp40t1t3@10t4@10e1e3e4  k40k40 l8k40p*t5@41t8@41e5e6e7e8e9");
}

/* At the limit of memory the third that arrived first is decided on, and all that is older. */
static void
limited(void **state)
{
	(void)state;
	stream("S30 S10 S20 S50 S40 S60 S70 S80 S90 S65 S45 S100 S110");
	assert_string_equal(steps(490000, -1, false),
	    "     t1@10t2t3@10e1e2e3 t4@31t5@31e4e5    t11t6@51t7@51t10@51e6e7 t8@71t9@71e8e9e10e11  t12@91t13@91e12e13 early 1");
	stream("S30 S10 S20 S50 S40 S60 S70 S80 S90 S65 S45 S100 S110");
	assert_string_equal(steps(490000, 15, false),
	    "     l2l3l1l5kt1@10t2t3@10e1e2e3 l4l6k30t4@31t5@31e4e5    l11l10l7l8k50t11t6@51t7@51t10@51e6e7 l9l12k70t8@71t9@71e8e9e10e11 "
	    " l13k90t12@91t13@91e12e13 early 1 short 1");
	stream("S30 S10 S20 S50 S40 S60 S70 S80 S90 S65 S45 S100 S110");
	assert_string_equal(steps(490000, 15, true),
	    "     l2l3l1l5l4l6kp30t1@10t2t3@10e1e2e3 l7k30p50t4@31t5@31e4e5    l11l10l8l9k50p70t11t6@51t7@51t10@51e6e7"
	    " l12k70p90t8@71t9@71e8e9e10e11  l13k90p*t12@91t13@91e12e13 early 2 short 1");
	stream("S90 S10 S20 S50 S40 S60 S85 S70 S80 R R");
	assert_string_equal(steps(490000, 15, false),
	    "     l2l3l5l4l6l1kt1@10t2t3@10t4@10t5@10t6@10e1e2e3e4e5e6    k90 l8l9l7k90 k90t8t9t7e7e8e9e10e11 early 3 short 1");
	stream("S90 S10 S20 S50 S40 S60 S85 S70 S80 R R");
	assert_string_equal(steps(490000, 15, true),
	    "     l2l3l5l4l6l1kp90t1@10t2t3@10t4@10t5@10t6@10e1e2e3e4e5e6    k90k90 l8l9l7k90k90 k90p*t8t9t7e7e8e9e10e11 early 3 short 1");
	stream("S30 S10 R S20 S50 S40 S60 S70 S80 R S90 S65 S45 R S100 S110");
	assert_string_equal(steps(490000, 15, true),
	    "  kk    l2l4l1l6kp30t1@10t2t4@10e1e2e3e4 l5l7k30p50t5@31t6@31e5e6  k50k50  "
	    " l13l12l8l9l11k50p80t13t7@51t8@51t9@51t12@51e7e8e9e10 k80k80 l15k80p90t11@81e11e12e13e14  l16k90p*t15@91t16@91e15e16 early 1"
	    " short 2");
	stream("S10 S20 S30 S40 S50 S60 S70 S80 S90 S100 S110 S120");
	assert_string_equal(steps(490000, 0, false),
	    "     l1l2kt1t2@10e1e2 l3l4k20t3@21t4@21e3e4   l5l6k40t5@41t6@41e5e6 l7l8k60t7@61t8@61e7e8 l9l10k80t9@81t10@81e9e10"
	    " l11l12k100t11@101t12@101e11e12");
	stream("S100 S90 S80 S70 S60 S50 S40 S30 S20 S10");
	assert_string_equal(steps(490000, 30, false),
	    "     l6l5l4l3l2l1kt1@50t2@50t3@50t4@50t5@50t6e1e2e3e4e5e6     l10l9l8l7k100t10t9t8t7e7e8e9e10 early 4 short 3");
}

/*
 * With arrays and what is elsewhere the memory is full, but it is not records that take half of what is left: none is decided on early.
 * Nor is it so for those that have gone, or were forgotten, where many are put; two large ones are too much.
 */
static void
records_count(void **state)
{
	enum { MEMORY = 400000 };

	(void)state;
	for (unsigned waits = 0; waits < 2; waits++)
		for (unsigned large = 1; large < 3; large++) {
			stream("s10");
			for (uint64_t i = 2; i < 300; i++) {
				rec(ROUND, 0, 0);
				rec(SAMPLE, 10 * i, 0);
			}
			for (unsigned i = 0; i < large; i++)
				rec(SAMPLE, 10000 + i, LARGE);
			in.elsewhere = MEMORY - 1;			/* which is half of it */
			assert_int_equal(run(MEMORY, 0, waits), 1);
			assert_int_equal(in.text[in.ntext - 1] == ' ', 0);
			*strrchr(in.text, ' ') = '\0';			/* the end of the stream; then the last record */
			assert_int_equal(strchr(strrchr(in.text, ' '), 't') != NULL, large > 1);
			pp_arrival_free(in.a);
		}
}

/* What waits for long among much that was forgotten is copied together, before any is decided on early. */
static void
compacted(void **state)
{
	enum { MEMORY = 700000, BLOCKS = 3, SMALL = 130 };	/* more than a fourth of a block is needed: so it is not given up by itself */
	uint64_t time = 10;

	(void)state;
	for (unsigned forgets = 0; forgets < 2; forgets++) {
		stream("");
		for (unsigned b = 0; b < BLOCKS; b++) {
			rec(SAMPLE, time += 2, LARGE);
			for (unsigned i = 0; i < SMALL; i++)
				rec(SAMPLE, time += 2, 0);
			for (unsigned i = 0; i < 3; i++)
				rec(SAMPLE, (time += 2) + 1, LARGE);
			rec(ROUND, 0, 0);
			rec(ROUND, 0, 0);			/* at which it looks at these */
		}
		in.until = 1;
		in.forgets_odd = forgets;
		assert_int_equal(run(MEMORY, 0, true), 1);
		assert_int_equal(strchr(in.text, 't') < strrchr(in.text, ' '), !forgets);
		pp_arrival_free(in.a);
	}
}

/* Entries of what was forgotten count, too: else those behind one that waits would fill all memory. */
static void
entries_count(void **state)
{
	enum { MEMORY = 1 << 20, MANY = 24000 };
	uint64_t time = 11;

	(void)state;
	stream("s10");
	for (unsigned i = 0; i < MANY; i++) {
		rec(SAMPLE, time += 2, 0);
		if (i % 1000 == 999) {
			rec(ROUND, 0, 0);
			rec(ROUND, 0, 0);
		}
	}
	in.until = 1;
	in.forgets_odd = true;
	assert_int_equal(run(MEMORY, 0, true), 1);
	assert_true(strstr(in.text, "t1") && strstr(in.text, "t1") < strrchr(in.text, ' '));
	pp_arrival_free(in.a);
}

/* `ahead' may reach behind the end of time, where the third record is: nothing has a later time. */
static void
end_of_time(void **state)
{
	static const struct { int64_t ahead; bool third; const char *end; } cases[] = {
		{ INT64_MAX, true, " short 2" }, { 5, true, " short 1" }, { 4, true, "e6" }, { 3, false, "e6" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *text;

		stream("S18446744073709551610 S18446744073709551600 S18446744073709551614 S18446744073709551611 S18446744073709551612 "
		    "S18446744073709551613");
		text = steps(490000, cases[i].ahead, false);
		/* at the limit the first one has its turn: then those were looked at */
		assert_int_equal(strncmp(text, cases[i].third ? "     l2l1l4l5l6l3kt1@" : "     l2l1l4l5l6kt1@", cases[i].third ? 21 : 19), 0);
		assert_string_equal(text + strlen(text) - strlen(cases[i].end), cases[i].end);
	}
}

/* A guess holds unless something that it depends on changes in between. */
static void
guesses(void **state)
{
	(void)state;
	stream("s105 c203 R s310 R R");
	in.guesses = true;
	assert_string_equal(steps(PLENTY, -1, false),
	    "g1   g4 t2e1e2e3 e4e5e6 ");
	stream("s105 c101 s205 R c400 R");
	in.guesses = true;
	assert_string_equal(steps(PLENTY, -1, false),
	    "g1  g3   m1t2t1@102e1e2e3e4 t5e5e6");
	stream("s105 s106 c101 s120 s205 s209 R s107 s250 R R s350 R");
	in.guesses = true;
	assert_string_equal(steps(PLENTY, -1, false),
	    "g1 g2  g4 g5   g8 g9 m1m1m1m1t3t1@102t2@102t4@102t6@102t8@102e1e2e3e4e5e6e7e8 e9e10e11 g12  e12e13");
	stream("s105 s205 c199 R s300 R");
	in.guesses = true;
	assert_string_equal(steps(PLENTY, -1, false),
	    "g1 g2   g5 m1m2m3t1t3t2@200e1e2e3e4 t5@206e5e6");
	stream("s105 c101 R s205 R s110 s150 c120 R s250 R R");
	in.guesses = true;
	assert_string_equal(steps(PLENTY, -1, false),
	    "g1   g4 m1t2t1@102e1e2e3 g6 g7  m1m1t6@106t8t7@121e4e5e6e7e8e9 g10  e10e11e12 ");
	stream("s105 R c102 s205 R s210 R s110 R");
	in.guesses = true;
	assert_string_equal(steps(PLENTY, -1, false),
	    "g1   g4 m1t3t1@103e1e2e3 g6 e4e5  t8e6e7e8e9 ");
	stream("s105 s205 c0 s5 R R s6 s7 R c8 R R");
	in.guesses = true;
	assert_string_equal(steps(PLENTY, -1, false),
	    "g1 g2 t3 g4 m t4e1e2e3e4e5e6   t7t8e7e8e9   t10e10e11e12 ");
	stream("s5 c0 R s7 R R");
	in.guesses = true;
	assert_string_equal(steps(PLENTY, -1, false),
	    "g1 t2 m g4 t1e1e2e3 e4e5e6 ");
	stream("c199 s105 R s206 R s207 R R");
	in.guesses = true;
	assert_string_equal(steps(PLENTY, -1, false),
	    " g2  g4 m1m2t2t1e1e2e3 g6 t4@200e4e5 e6e7e8 ");
	stream("s900 s105 R s106 R c907 s107 R R R");
	in.guesses = true;
	assert_string_equal(steps(PLENTY, -1, false),
	    "g1 g2  g4 e1e2e3e4e5   t7 t6e6e7e8e9 e10 ");
	stream("S190 S110 S120 S150 S140 S160 S170 s180 S130 S195 S196 S210");		/* at the limit of memory */
	in.guesses = true;
	assert_string_equal(steps(490000, -1, false),
	    "g1 g2 g3 g4 g5 g6e1e2e3e4e5e6    g10 g11 g12t9t7t8e7e8e9 e10e11e12 early 3");
	stream("S110 S120 S190 S150 S140 S160 S170 S180");	/* of the third that arrived first the latest time, and no other, counts */
	in.guesses = true;
	assert_string_equal(steps(490000, -1, false),
	    "g1 g2 g3 g4 g5 g6e1e2 g7e3e4e5e6e7  t8e8 early 1");
	stream("s105 R R s50 R s60 R R");		/* when nothing waits any more, the latest time is that of the next record */
	in.guesses = true;
	assert_string_equal(steps(PLENTY, -1, false), 
	    "g1  e1e2e3  t4e4e5   t6e6e7e8 ");
	stream("s105 R R s50 R s60 R R");
	assert_string_equal(steps(PLENTY, -1, false), 
	    "  t1e1e2e3  t4e4e5   t6e6e7e8 ");
	stream("s105 s205 s305 c101 s99");		/* one that is not sound: all that have none yet are missed */
	in.guesses = true;
	in.bad_turn = 4;
	assert_string_equal(steps(PLENTY, -1, false),
	    "g1 g2 g3   m1t5t4t1@102e1e2e3 fails");
}

/* What is neither decided nor missed when nothing can be written any more is missed. */
static void
missed_at_end(void **state)
{
	(void)state;
	stream("s105 s215 U P s305");
	in.guesses = true;
	in.bad_emit = 3;
	assert_string_equal(steps(PLENTY, -1, false), "g1 g2  e3 m1m2 fails");
}

/* Marks that a look leaves. */
static void
marks(void **state)
{
	(void)state;
	stream("s10 s20 s30 R R");
	in.marks[0] = 1;
	in.marks[1] = 3;
	in.marks[2] = 2;
	assert_string_equal(steps(PLENTY, 0, false),
	    "   k l1l2l3kt1t2@10t3@10:2e1e2e3e4e5 k30");
	stream("s10 s20 s30 R R");
	in.marks[0] = 3;
	in.marks[1] = 1;
	in.marks[2] = 1;
	assert_string_equal(steps(PLENTY, 0, false),
	    "   k l1l2l3kt1:1t2@10t3@10e1e2e3e4e5 k30");
	stream("s10 s20 s30 R R");
	in.marks[0] = 2;
	in.marks[1] = 2;
	in.marks[2] = 3;
	assert_string_equal(steps(PLENTY, 0, false),
	    "   k l1l2l3kt1t2@10:3t3@10e1e2e3e4e5 k30");
	stream("s10 s20 s30 R R");
	in.marks[0] = 1;
	in.marks[1] = 2;
	in.marks[2] = 4;
	assert_string_equal(steps(PLENTY, 0, false),
	    "   k l1l2l3kt1t2@10t3@10e1e2e3e4e5 k30");
}

/*
 * Only one that waits is marked or forgotten: none that has gone, nor, where the ring is full, the one that has taken its place, none
 * that is of perf's own, and none that is yet to come.
 */
static void
only_what_waits(void **state)
{
	enum { RING = 4096 };

	(void)state;
	for (unsigned waiting = RING - 1; waiting <= RING + 1; waiting++) {
		int fd = memfd_create("stream", 0);
		struct pp_arrival_user user = { .turn = turn, .emit = emit, .flush = flush, .more = more, .own = { .to = 2 } };
		struct pp_rec r;
		unsigned n = 0;

		stream("R s1 R R");		/* with the attr as 1 these are 2 to 5 */
		in.at[0] = 0;
		for (unsigned i = 0; i < waiting; i++)
			rec(SAMPLE, 100 + i, 0);
		assert_int_equal(write(fd, in.p, in.n), in.n);
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		assert_non_null(in.source = pp_open_fd(fd, "stream", 0, &in.err));
		assert_non_null(in.a = pp_arrival_new(in.source, &user, PLENTY, &in.err));
		while (pp_next(in.source, &r) > 0) {
			assert_int_equal(pp_arrival_put(in.a, &r, &r), 1);
			n++;
		}
		assert_int_equal(n, 5 + waiting);
		for (unsigned nr = 0; nr <= 5; nr++) {
			assert_false(pp_arrival_forget(in.a, nr));
			assert_false(pp_arrival_mark(in.a, nr, 1));
		}
		assert_false(pp_arrival_forget(in.a, n + 1));
		assert_false(pp_arrival_mark(in.a, n + 1, 1));
		assert_true(pp_arrival_mark(in.a, n, 1) && pp_arrival_mark(in.a, n - 1, 2) && pp_arrival_forget(in.a, n));
		assert_true(pp_arrival_forget(in.a, 6));
		assert_false(pp_arrival_forget(in.a, 6));
		assert_false(pp_arrival_mark(in.a, 6, 1));
		in.ntext = 0;
		assert_int_equal(pp_arrival_finish(in.a), 1);
		assert_true(!strncmp(in.text, "t6@", 3) && !strstr(in.text, "t5@") && !strstr(in.text, "e5e"));
		assert_non_null(strstr(in.text, ":2"));
		pp_close(in.source);
		pp_arrival_free(in.a);
		free(in.p);
	}
}

/* Where nothing can be written any more, nothing is emitted. */
static void
no_flush(void **state)
{
	(void)state;
	stream("S30 S10 S20 S50 S40 S60 S70 S80 S90 S65 S45 S100 S110");
	in.bad_flush = 1;
	assert_string_equal(steps(490000, -1, false),
	    "     t1@10t2t3@10e1e2e3 t4@31t5@31e4e5  fails");
	stream("S30 S10 S20 S50 S40 S60 S70 S80 S90 S65 S45 S100 S110");
	in.bad_flush = 2;
	assert_string_equal(steps(490000, -1, false),
	    "     t1@10t2t3@10e1e2e3 t4@31t5@31e4e5    t11t6@51t7@51t10@51e6e7 t8@71t9@71e8e9e10e11  fails early 1");
	stream("S30 S10 S20 S50 S40 S60 S70 S80 S90 S65 S45 S100 S110");
	in.bad_flush = 3;
	assert_string_equal(steps(490000, -1, false),
	    "     t1@10t2t3@10e1e2e3 t4@31t5@31e4e5    t11t6@51t7@51t10@51e6e7 t8@71t9@71e8e9e10e11  t12@91t13@91e12e13 early 1");
}

/* One that waits, in front of many that are due. */
static void
stream_of_many(unsigned many)
{
	stream("s2000 R s100000");
	for (uint64_t i = 0; i < many; i++)
		rec(SAMPLE, 1000 + i, 0);
	rec(ROUND, 0, 0);
}

/* What is kept elsewhere for records that are decided makes those go that they wait for: from half of the memory on, down to a quarter. */
static void
relieved(void **state)
{
	enum { MEMORY = 1 << 20, MANY = 300, EACH = 1000 };

	(void)state;
	for (unsigned over = 0; over < 2; over++) {
		stream_of_many(MANY);
		in.more = MEMORY / 2 + over;
		in.less = EACH;
		assert_int_equal(run(MEMORY, -1, false), 1);
		/* when 256 are decided, of which one goes at once, one that waits; then these, and the round; and so many more are to go */
		assert_int_equal(pp_arrival_early(in.a), over * (1 + (MEMORY / 4 - 258 * EACH + EACH - 1) / EACH));
		pp_arrival_free(in.a);
	}
	for (unsigned bad = 0; bad < 2; bad++) {	/* where that is not written, or not sound, nothing else has its turn */
		stream_of_many(MANY);
		in.more = MEMORY;
		*(bad ? &in.bad_turn : &in.bad_emit) = 3;
		assert_int_equal(run(MEMORY, -1, false), -1);
		assert_string_equal(strrchr(in.text, 't'), bad ? "t3@1000 " : "t3@1000e3 ");
		pp_arrival_free(in.a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order), cmocka_unit_test(unwanted), cmocka_unit_test(payloads), cmocka_unit_test(unsound),
		cmocka_unit_test(dropped), cmocka_unit_test(ahead), cmocka_unit_test(until_then), cmocka_unit_test(limited),
		cmocka_unit_test(records_count), cmocka_unit_test(compacted), cmocka_unit_test(entries_count), cmocka_unit_test(end_of_time),
		cmocka_unit_test(relieved), cmocka_unit_test(guesses), cmocka_unit_test(missed_at_end), cmocka_unit_test(marks), cmocka_unit_test(only_what_waits), cmocka_unit_test(no_flush),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
