/* SPDX-License-Identifier: ISC */
/* value.c - numbers and lists, with the same results at compile time and at run time */
#include <stdlib.h>
#include <string.h>

#include "tree.h"
#include "set.h"

/* ---- numbers ------------------------------------------------------------------------------------- */

bool
value_calc(enum node_kind op, big a, big b, big *r)
{
	switch (op) {
	case N_NEG:	return big_sub((big){ 0 }, a, r);
	case N_ADD:	return big_add(a, b, r);
	case N_SUB:	return big_sub(a, b, r);
	case N_MUL:	return big_mul(a, b, r);
	case N_DIV:	return big_div(a, b, r);
	case N_MOD:	return big_rest(a, b, r);
	case N_BAND:	*r = (big){ a.lo & b.lo, a.hi & b.hi }; return true;
	case N_BXOR:	*r = (big){ a.lo ^ b.lo, a.hi ^ b.hi }; return true;
	case N_BOR:	*r = (big){ a.lo | b.lo, a.hi | b.hi }; return true;
	case N_MIN:	*r = big_less(a, b) ? a : b; return true;
	case N_MAX:	*r = big_less(b, a) ? a : b; return true;
	case N_ABS:
		*r = a;
		return a.hi >= 0 || big_sub((big){ 0 }, a, r);
	case N_POPCOUNT:	/* a negative number has infinitely many ones */
		*r = big_signed(__builtin_popcountll(a.lo) + __builtin_popcountll((uint64_t)a.hi));
		return a.hi >= 0;
	case N_NUM: case N_STR: case N_FIELD: case N_WORD: case N_LEN: case N_DEFAULT: case N_RANGE: case N_EXISTS: case N_EQ: case N_NE: case N_LT:
	case N_LE: case N_GT: case N_GE: case N_GLOB: case N_ERE: case N_IN: case N_TRUTH: case N_NOT: case N_AND: case N_OR: case N_EVENT:
	case N_KERNEL:
		break;
	}
	return false;
}

/* ---- lists --------------------------------------------------------------------------------------- */

void
list_add(struct list *l, big lo, big hi)
{
	l->r = tool_need(array_more(l->r, l->n, 1, sizeof *l->r));
	l->r[l->n++] = (struct range){ lo, hi };
}

void
list_add_str(struct list *l, char *s)
{
	l->str = tool_need(array_more(l->str, l->nstr, 1, sizeof *l->str));
	l->str[l->nstr++] = s;
}

static int
by_lo(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return big_less(y->lo, x->lo) - big_less(x->lo, y->lo);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void
list_sort(struct list *l)
{
	size_t n = 0;
	big next;

	if (l->nstr)
		qsort(l->str, l->nstr, sizeof *l->str, by_text);
	if (l->n)
		qsort(l->r, l->n, sizeof *l->r, by_lo);
	for (size_t i = 0; i < l->n; i++)
		if (n && (!big_add(l->r[n - 1].hi, big_signed(1), &next) || !big_less(next, l->r[i].lo))) {
			if (big_less(l->r[n - 1].hi, l->r[i].hi))
				l->r[n - 1].hi = l->r[i].hi;
		} else
			l->r[n++] = l->r[i];
	l->n = n;
}

/* Map a 64-bit value of a field to an unsigned number in the same order. */
static uint64_t
key_of(big n, bool sign)
{
	return n.lo ^ (sign ? UINT64_C(1) << 63 : 0);
}

void
list_keys(struct list *l, bool sign)
{
	big lo = big_signed(sign ? INT64_MIN : 0), hi = big_plain(sign ? INT64_MAX : UINT64_MAX);
	struct key_range *key;

	if (l->key[sign])
		return;
	key = l->key[sign] = tool_alloc(l->n + 1, sizeof *key);
	for (size_t i = 0; i < l->n; i++)
		if (!big_less(hi, l->r[i].lo) && !big_less(l->r[i].hi, lo))
			key[l->nkey[sign]++] = (struct key_range){
				key_of(big_less(l->r[i].lo, lo) ? lo : l->r[i].lo, sign),
				key_of(big_less(hi, l->r[i].hi) ? hi : l->r[i].hi, sign),
			};
}

bool
list_has_key(const struct key_range *k, size_t n, uint64_t key)
{
	/* The last range that begins at or before the key. */
	for (size_t half; n > 1; n -= half) {
		half = n / 2;
		k += k[half].lo <= key ? half : 0;
	}
	return n && key >= k->lo && key <= k->hi;
}

bool
list_has(const struct list *l, big n)
{
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (big_less(n, l->r[mid].lo))
			hi = mid;
		else if (big_less(l->r[mid].hi, n))
			lo = mid + 1;
		else
			return true;
	}
	return false;
}

bool
list_has_str(const struct list *l, const char *s)
{
	return l->nstr && bsearch(&s, l->str, l->nstr, sizeof *l->str, by_text);
}

void
list_free(struct list *l)
{
	if (!l)
		return;
	while (l->nstr)
		free(l->str[--l->nstr]);
	free(l->str);
	free(l->r);
	free(l->key[0]);
	free(l->key[1]);
	free(l);
}
