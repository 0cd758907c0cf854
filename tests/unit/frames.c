/* SPDX-License-Identifier: ISC */
/* What frames are called when several parts ask, each of which has a state of its own. */
#include "state_bench.h"
#include "symbol/frames.h"

static const char *
called(struct frames *f, const struct bench *w, uint64_t ip)
{
	return frames_get(f, frames_number(f, w->s, pp_state_map(w->s, 7, PP_MISC_USER, ip), PP_MISC_USER, ip))->text;
}

/* The states number files as they come, and may see them in different order. */
static void
two_states(void **state)
{
	struct frames *f = frames_new(NULL, NULL);
	struct bench a, b;

	(void)state;
	open_bench(&a, false);
	open_bench(&b, false);
	map_at(&a, 2, 7, 0x1000, 0x1000, 0, "/x");
	map_at(&a, 2, 7, 0x2000, 0x1000, 0, "/y");
	map_at(&b, 2, 7, 0x2000, 0x1000, 0, "/y");
	map_at(&b, 2, 7, 0x1000, 0x1000, 0, "/x");
	for (int i = 0; i < 2; i++) {
		assert_string_equal(called(f, &a, 0x1000), "[x]");
		assert_string_equal(called(f, &b, 0x1000), "[x]");
		assert_string_equal(called(f, &b, 0x2000), "[y]");
		assert_string_equal(called(f, &a, 0x2000), "[y]");
	}
	frames_forget(f);
	assert_string_equal(called(f, &b, 0x2000), "[y]");
	assert_string_equal(called(f, &a, 0x2000), "[y]");
	assert_int_equal(frames_n(f), 1);
	frames_free(f);
	pp_state_free(a.s);
	pp_state_free(b.s);
}

/* More states than are remembered at a time: each is learned anew. */
static void
many_states(void **state)
{
	enum { STATES = 9 };
	struct frames *f = frames_new(NULL, NULL);
	struct bench w[STATES];
	char name[] = "/0", text[] = "[0]";

	(void)state;
	for (int i = 0; i < STATES; i++) {
		open_bench(&w[i], false);
		name[1] = (char)('0' + i);
		map_at(&w[i], 2, 7, 0x1000, 0x1000, 0, name);
	}
	for (int n = 0; n < 3 * STATES; n++) {
		text[1] = (char)('0' + n * 4 % STATES);
		assert_string_equal(called(f, &w[n * 4 % STATES], 0x1000), text);
	}
	frames_free(f);
	for (int i = 0; i < STATES; i++)
		pp_state_free(w[i].s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(two_states), cmocka_unit_test(many_states) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
