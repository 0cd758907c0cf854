/* SPDX-License-Identifier: ISC */
/* big.c - see big.h; signed operations are computed on magnitudes */
#include <string.h>

#include "big.h"
#include "record/wide.h"

bool
big_add(big a, big b, big *r)
{
	uint64_t lo = a.lo + b.lo, hi = (uint64_t)a.hi + (uint64_t)b.hi + (lo < a.lo);

	*r = (big){ lo, (int64_t)hi };
	return (a.hi < 0) != (b.hi < 0) || (a.hi < 0) == (r->hi < 0);
}

bool
big_sub(big a, big b, big *r)
{
	uint64_t hi = (uint64_t)a.hi - (uint64_t)b.hi - (a.lo < b.lo);

	*r = (big){ a.lo - b.lo, (int64_t)hi };
	return (a.hi < 0) == (b.hi < 0) || (a.hi < 0) == (r->hi < 0);
}

static struct wide
magnitude(big a)
{
	if (a.hi < 0)
		return (struct wide){ -a.lo, ~(uint64_t)a.hi + !a.lo };
	return (struct wide){ a.lo, (uint64_t)a.hi };
}

/* The number with that magnitude and sign.  false: it does not fit. */
static bool
with_sign(struct wide n, bool minus, big *r)
{
	*r = (big){ n.lo, (int64_t)n.hi };
	if (minus && (n.lo || n.hi)) {
		*r = (big){ -n.lo, (int64_t)(~n.hi + !n.lo) };
		return r->hi < 0;
	}
	return r->hi >= 0;
}

bool
big_mul(big a, big b, big *r)
{
	struct wide x = magnitude(a), y = magnitude(b), n = wide_mul(x.lo, y.lo), cross;

	*r = (big){ 0 };
	if (x.hi && y.hi)
		return false;
	cross = x.hi ? wide_mul(x.hi, y.lo) : wide_mul(x.lo, y.hi);
	if (cross.hi || __builtin_add_overflow(n.hi, cross.lo, &n.hi))
		return false;
	return with_sign(n, (a.hi < 0) != (b.hi < 0), r);
}

/* Unsigned division; d is not 0. */
static struct wide
divide(struct wide n, struct wide d, struct wide *rest)
{
	struct wide q = { 0 }, r = { 0 };

	if (!d.hi) {
		q.hi = n.hi / d.lo;
		q.lo = wide_div((struct wide){ n.lo, n.hi % d.lo }, d.lo, &r.lo);
		*rest = r;
		return q;
	}
	r.lo = n.hi;			/* less than d, so the quotient fits 64 bits */
	for (int i = 63; i >= 0; i--) {
		r.hi = r.hi << 1 | r.lo >> 63;
		r.lo = r.lo << 1 | (n.lo >> i & 1);
		if (r.hi > d.hi || (r.hi == d.hi && r.lo >= d.lo)) {
			r.hi -= d.hi + (r.lo < d.lo);
			r.lo -= d.lo;
			q.lo |= UINT64_C(1) << i;
		}
	}
	*rest = r;
	return q;
}

bool
big_div(big a, big b, big *r)
{
	struct wide rest;

	if (big_zero(b))
		return false;
	return with_sign(divide(magnitude(a), magnitude(b), &rest), (a.hi < 0) != (b.hi < 0), r);
}

bool
big_rest(big a, big b, big *r)
{
	struct wide rest;
	big q;

	if (!big_div(a, b, &q))		/* the smallest number divided by -1: the quotient does not fit */
		return false;
	divide(magnitude(a), magnitude(b), &rest);
	return with_sign(rest, a.hi < 0, r);
}

unsigned
big_bits(big a)
{
	struct wide n = a.hi < 0 ? (struct wide){ ~a.lo, ~(uint64_t)a.hi } : (struct wide){ a.lo, (uint64_t)a.hi };

	return n.hi ? 128 - (unsigned)__builtin_clzll(n.hi) : n.lo ? 64 - (unsigned)__builtin_clzll(n.lo) : 0;
}

void
big_text(big n, char to[static 48])
{
	char digits[48], *p = digits + sizeof digits;
	struct wide x = magnitude(n), digit;

	*--p = 0;
	do {
		x = divide(x, (struct wide){ 10, 0 }, &digit);
		*--p = (char)('0' + digit.lo);
	} while (x.lo || x.hi);
	if (n.hi < 0)
		*--p = '-';
	strcpy(to, p);
}
