/* SPDX-License-Identifier: ISC */
/* taker.h - a sink that writes into memory, and fails when it is to */
#ifndef PP_TEST_TAKER_H
#define PP_TEST_TAKER_H

#include "bytes.h"
#include "sink/sink.h"

static struct pp_err err;

struct taker {			/* a struct pp_writer */
	uint8_t		 got[1 << 20];
	size_t		 n, calls;
	size_t		 fail;		/* the call that fails, from 1; 0: none */
	unsigned	 finished;
	int		 rc;		/* of finish() */
	bool		 count;		/* only that */
};
static struct taker t;

static inline int
take(void *arg, const uint8_t *p, size_t n)
{
	struct taker *to = arg;

	if (++to->calls == to->fail)
		return pp_fail(&err, "no more");
	if (!to->count) {
		assert_true(to->n + n <= sizeof to->got);
		memcpy(to->got + to->n, p, n);
	}
	to->n += n;
	return 1;
}

static inline int
take_end(void *arg)
{
	struct taker *to = arg;

	to->finished++;
	return to->rc;
}

static inline struct pp_sink *
new_sink(void)
{
	const struct pp_writer w = { take, take_end, &t };
	struct pp_sink *k;

	memset(&t, 0, sizeof t);
	t.rc = 1;
	err = (struct pp_err){ .file = "taker" };
	assert_non_null(k = pp_create_writer(&w, &err));
	assert_string_equal(err.file, "taker");
	return k;
}

static inline void
put_word(struct pp_sink *k, const char *word)
{
	assert_int_equal(pp_put_copy(k, word, strlen(word)), 1);
}

/* All that has been written. */
static inline void
is(const char *all)
{
	assert_int_equal(t.n, strlen(all));
	assert_memory_equal(t.got, all, t.n);
}

#endif
