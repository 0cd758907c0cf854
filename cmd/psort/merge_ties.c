/* SPDX-License-Identifier: ISC */
/* merge_ties.c - see merge_order.h: records of the same time */
#include <stdlib.h>
#include <string.h>

#include "merge_order.h"

static int
order_by_input(const void *a, const void *b)
{
	const struct tie *x = a, *y = b;

	if (x->in != y->in)
		return x->in < y->in ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* The i-th tie in the order of the inputs. */
static struct tie *
order_tie(const struct merge_order *m, size_t i)
{
	return &m->ties.e[m->ties.order[i]];
}

/* From i on, the next of the input's ties that is about the state, or their end. */
static size_t
order_next_state(const struct merge_order *m, const struct merge_input *in, size_t i)
{
	while (i < in->tie_end && !order_tie(m, i)->state)
		i++;
	return i;
}

/* Put the input's ties up to the one at `end'. */
static int
order_put_upto(struct merge_order *m, struct merge_input *in, size_t end)
{
	int rc = 1;

	while (rc > 0 && in->tie < end)
		rc = order_put_timed(m, order_tie(m, in->tie++), m->ties.time);
	return rc;
}

/* The next tie of an input is about the state: if it is the next such one of other inputs, put what they have in front of it. */
static int
order_put_in_front(struct merge_order *m, const struct merge_input *of)
{
	const struct tie *same = order_tie(m, of->tie);
	struct tie *e;
	int rc = 1;

	for (struct merge_input *in = m->in; rc > 0 && in < m->in + m->n; in++) {
		if (in == of || in->tie_state == in->tie_end || (e = order_tie(m, in->tie_state))->size != same->size ||
		    memcmp(e->p, same->p, same->size))
			continue;
		rc = order_put_upto(m, in, in->tie_state);
		e->again = true;
		in->tie_state = order_next_state(m, in, in->tie_state + 1);
	}
	return rc;
}

/* Put the ties in the order of the inputs.  Those of one input have theirs: many inputs may have the same ones, so this counts. */
static void
order_find_ties(struct merge_order *m)
{
	struct ties *t = &m->ties;
	size_t at = 0, n;

	for (unsigned k = 0; k < m->n; k++)
		m->in[k].tie_end = 0;
	for (size_t i = 0; i < t->n; i++)
		m->in[t->e[i].in].tie_end++;
	for (unsigned k = 0; k < m->n; k++, at += n) {
		n = m->in[k].tie_end;
		m->in[k].tie = m->in[k].tie_end = at;
	}
	for (size_t i = 0; i < t->n; i++)
		t->order[m->in[t->e[i].in].tie_end++] = i;
	for (unsigned k = 0; k < m->n; k++)
		m->in[k].tie_state = order_next_state(m, &m->in[k], m->in[k].tie);
}

/* Put all ties of an input that are left. */
static int
order_put_rest(struct merge_order *m, struct merge_input *in)
{
	int rc = 1;

	while (rc > 0 && in->tie < in->tie_end) {
		if (in->tie == in->tie_state) {
			rc = order_put_in_front(m, in);
			in->tie_state = order_next_state(m, in, in->tie + 1);
		}
		if (rc > 0)
			rc = order_put_upto(m, in, in->tie + 1);
	}
	return rc;
}

/* Held records of all inputs precede the records of this time. */
static int
order_put_held_of(struct merge_order *m, const struct tie *e)
{
	return m->in[e->in].n ? order_put_held(m, e->in, m->ties.time) : 1;
}

int
order_put_ties(struct merge_order *m)
{
	struct ties *t = &m->ties;
	int rc = 1;

	if (t->n == 1) {		/* the usual case */
		t->n = t->used = 0;
		return order_put_timed(m, t->e, t->time);
	}
	if (!t->n)
		return 1;
	order_find_ties(m);
	for (size_t i = 0; rc > 0 && i < t->n; i++)
		rc = order_put_held_of(m, order_tie(m, i));
	for (unsigned i = 0; rc > 0 && i < m->n; i++)
		rc = order_put_rest(m, &m->in[i]);
	t->n = t->used = 0;
	return rc;
}

int
order_put_first_ties(struct merge_order *m, unsigned upto, bool now)
{
	struct ties *t = &m->ties;
	size_t done = 0;
	int rc = 1;

	for (size_t i = 0; !now && i < t->n; i++)
		if (t->e[i].in <= upto && t->e[i].state)
			return 1;
	if (t->n > 1)
		qsort(t->e, t->n, sizeof *t->e, order_by_input);
	for (size_t i = 0; rc > 0 && i < t->n; i++)
		rc = order_put_held_of(m, &t->e[i]);
	while (rc > 0 && done < t->n && t->e[done].in <= upto)
		rc = order_put_timed(m, &t->e[done++], t->time);
	t->n -= done;
	if (t->n)
		memmove(t->e, t->e + done, t->n * sizeof *t->e);
	else
		t->used = 0;
	return rc;
}

static bool
order_copy_tie(struct ties *t, struct tie *e)
{
	if (t->space - t->used < e->size)
		return false;
	memcpy(t->copy + t->used, e->p, e->size);
	e->p = t->copy + t->used;
	e->stable = false;
	t->used += e->size;
	return true;
}

int
order_keep_ties(struct merge_order *m)
{
	struct ties *t = &m->ties;

	for (size_t i = 0; i < t->n; i++)
		if (t->e[i].stable && !order_copy_tie(t, &t->e[i]))
			return order_put_ties(m);
	return 1;
}

int
order_add_tie(struct merge_order *m, struct tie *e)
{
	struct ties *t = &m->ties;

	/* No space is left: put the ties so far.  Later ones of the same time are not in the order of the inputs. */
	if ((t->n == t->cap || (!e->stable && t->space - t->used < e->size)) && order_put_ties(m) < 0)
		return -1;
	if (!e->stable)
		order_copy_tie(t, e);
	e->seq = t->seq++;
	t->e[t->n++] = *e;
	return 1;
}
