/* SPDX-License-Identifier: ISC */
/*
 * What holds for each record type of PP_CLASSES_STATE, also for one that gets its row tomorrow: the state learns something of it, which
 * pp_state_same() and pp_state_knows() tell, and which the records of a snapshot have, too.
 */
#include "record/meaning.h"
#include "state_bench.h"

enum { TASK = 10, PARENT = 9, START = 0x3000, LEN = 0x1000 };

struct filled {
	struct bench	*w;
	unsigned	 n, other;	/* fields so far; the number of the one with another value, from 1; 0: none */
	struct pp_value	*is;		/* that; its name is NULL: it was not seen */
	bool		 text;		/* one goes to the end */
};

/* pp_visit: values, by role, that change what a state of base() says. */
static int
fill(void *arg, const struct pp_value *v)
{
	struct filled *f = arg;
	uint8_t *p = f->w->b + (v->p - f->w->b);
	bool other = ++f->n == f->other;
	uint64_t value = v->kind != PP_K_HEX;		/* bits: none */

	if (other)
		*f->is = *v;
	if (v->kind == PP_K_STR) {
		strcpy((char *)p, other ? "/third" : "/other");
		f->text = true;
	} else if (v->kind == PP_K_BYTES)
		memset(p, 1 + other, v->len);
	else {
		switch (v->role) {
		case PP_ROLE_PID: case PP_ROLE_TID: value = TASK; break;
		case PP_ROLE_PPID: case PP_ROLE_PTID: value = PARENT; break;
		case PP_ROLE_MAP_START: value = START; break;
		case PP_ROLE_MAP_LEN: value = LEN; break;
		case PP_ROLE_KERNEL_ADDR: value = 0xffffffffc0100000; break;
		default: break;
		}
		value += other;
		if (v->len == 2)
			pp_set_u16(p, (uint16_t)value, f->w->swap);
		else if (v->len == 4)
			pp_set_u32(p, (uint32_t)value, f->w->swap);
		else
			pp_set_u64(p, value, f->w->swap);
	}
	return 1;
}

/* The record of that type, in w->b; lists have one entry.  False: it has not so many fields that `other' is one. */
static bool
make(struct bench *w, uint32_t type, unsigned other, struct pp_value *is)
{
	struct filled f = { .w = w, .other = other, .is = is };
	struct pp_rec r;

	is->name = NULL;
	memset(w->b, 0, 256);
	for (int lists = 0; lists < 2; lists++) {	/* entries are shown when there are some */
		f.n = 0;
		begin(w, type, PP_MISC_USER);
		w->n = (pp_type_min(type) + 7) / 8 * 8 + 40;
		pp_set_u16(w->b + 6, (uint16_t)w->n, w->swap);
		r = pp_rec_at(w->b, w->swap);
		pp_walk(&r, NULL, w->swap, fill, &f, &w->err);
	}
	while (!f.text && pp_check(&r, w->swap, &w->err) < 0 && w->n > pp_type_min(type)) {	/* no more than it may have */
		pp_set_u16(w->b + 6, (uint16_t)(w->n -= 8), w->swap);
		r = pp_rec_at(w->b, w->swap);
	}
	if (pp_check(&r, w->swap, &w->err) < 0)
		fail_msg("%s: %s", pp_type_name(type), w->err.what);
	return is->name;
}

static void
base(struct bench *w, bool swap)
{
	open_bench(w, swap);
	for (uint32_t pid = PARENT; pid <= TASK; pid++) {
		comm(w, pid, pid, pid == TASK ? "sh" : "init");
		map_at(w, PP_MISC_USER, pid, 0x1000, 0x8000, 0, pid == TASK ? "/bin/sh" : "/bin/init");
	}
}

static int
refeed(void *arg, const struct pp_rec *r)
{
	return pp_state_feed(arg, r, 0);
}

/* Does the state learn this field?  Of an EXIT that the task has ended, no time of any. */
static bool
learnt(uint32_t type, const struct pp_value *v)
{
	return v->role != PP_ROLE_TIME && (type != PP_EXIT || v->role == PP_ROLE_TID);
}

static void
law(uint32_t type, bool swap)
{
	const char *name = pp_type_name(type);
	struct pp_state *again;
	struct pp_value field;
	struct bench was, is;

	base(&was, swap);
	base(&is, swap);
	make(&is, type, 0, &field);
	if (known(&is))
		fail_msg("%s: pp_state_knows() it before it comes", name);
	feed(&is, 0);
	assert_int_equal(pp_state_fed(is.s, pp_type_class(type)), pp_state_fed(was.s, pp_type_class(type)) + 1);
	if (pp_state_same(is.s, was.s) || pp_state_same(was.s, is.s))
		fail_msg("%s: pp_state_feed() does not feed it, or pp_state_same() does not see it", name);
	if (!known(&is))
		fail_msg("%s: pp_state_knows() does not know it", name);
	assert_non_null(again = pp_state_new(swap, &is.err));
	assert_int_equal(pp_state_write(is.s, 0, refeed, again), 1);
	if (!pp_state_same(is.s, again))
		fail_msg("%s: pp_state_write() does not write what it says", name);
	pp_state_free(again);
	for (unsigned i = 1; pp_state_free(was.s), base(&was, swap), make(&was, type, i, &field); i++) {
		feed(&was, 0);
		if (pp_state_same(is.s, was.s) == learnt(type, &field))
			fail_msg("%s: pp_state_same() does not see its %s", name, field.name);
	}
	pp_state_free(is.s);
	pp_state_free(was.s);
}

static void
laws(void **state)
{
	unsigned n = 0;

	(void)state;
	for (uint32_t type = 0; type < PP_TYPE_END; type++)
		if (pp_type_is(type, PP_CLASSES_STATE)) {
			law(type, false);
			law(type, true);
			n++;
		}
	assert_true(n >= 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(laws) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
