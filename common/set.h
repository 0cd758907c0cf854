/* SPDX-License-Identifier: ISC */
/*
 * set.h - arrays that grow, hash tables, and the seed of all hash tables.
 *
 * What needs memory says so when there is none: a library makes an error of it, a command exits by tool_need() (tool/tool.h).
 *
 * A recording must not be able to choose where its ids, tids and names fall in a table, or all of them fall into one place.  So
 * each table mixes its keys with a seed that nobody outside of the process knows.  Nothing of a seed is written to an output:
 * which one it is changes no result.
 *
 * A seed never fails.  It is of getrandom(2); where that fails (seccomp of a container, a kernel that has just started) it is made of
 * the 16 random bytes that the kernel gave the program when it started (AT_RANDOM), of the clock and of the stack's address.
 * What must be secret even then, as the key of pfilter --anon, is no seed: there a failure of getrandom(2) is an error.
 */
#ifndef PP_SET_H
#define PP_SET_H

#include <sys/auxv.h>
#include <sys/random.h>

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- arrays -------------------------------------------------------------------------------------- */

/*
 * A growing array is a pointer, NULL at first, and the number of its elements.  It always has space for the next power of two
 * of them, so that its space needs no variable.  One whose number goes back to 0 can be filled anew.
 */
enum { ARRAY_LEAST = 8, BUFFER_LEAST = 4096 };

/* The space of an array of n elements and `more'; 0: too many for the memory of any machine. */
static inline size_t
array_space(size_t n, size_t more, size_t least)
{
	if (more > SIZE_MAX / 4 || n > SIZE_MAX / 4 - more) {
		errno = ENOMEM;
		return 0;
	}
	n += more;
	return n <= least ? least : (size_t)1 << (8 * sizeof(long) - (unsigned)__builtin_clzl(n - 1));
}

/* The array p of n elements, with space for `more' behind them.  NULL: no memory; p stays what it was. */
static inline void *
array_more(void *p, size_t n, size_t more, size_t size)
{
	size_t space;

	if (p && more == 1 && n & (n - 1))	/* between two powers of two: the most frequent case */
		return p;
	space = array_space(n, more, ARRAY_LEAST);
	if (p && space == array_space(n, 0, ARRAY_LEAST))
		return p;
	return space ? reallocarray(p, space, size) : NULL;
}

/* The array p of *n elements, with an element i: new ones are zeros, and *n counts them.  NULL: as above. */
static inline void *
array_reach(void *p, size_t *n, size_t i, size_t size)
{
	if (i < *n)
		return p;
	if ((p = array_more(p, *n, i - *n + 1, size))) {
		memset((char *)p + *n * size, 0, (i - *n + 1) * size);
		*n = i + 1;
	}
	return p;
}

/* The same for n bytes of a buffer that is emptied and filled again and again: it keeps its space, which is *cap. */
static inline void *
buffer_more(void *p, size_t *cap, size_t n, size_t more)
{
	size_t space;

	if (p && more <= *cap && n <= *cap - more)
		return p;
	if (!(space = array_space(n, more, BUFFER_LEAST)) || !(p = reallocarray(p, space, 1)))
		return NULL;
	*cap = space;
	return p;
}

/* ---- hash tables --------------------------------------------------------------------------------- */

/* Another one at each call.  A multiplicative hash needs it odd: pp_seed() | 1. */
static inline uint64_t
pp_seed(void)
{
	const void *given = (const void *)(uintptr_t)getauxval(AT_RANDOM);
	uint64_t seed, start[2] = { 0, 0 };
	struct timespec now = { 0 };

	if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == sizeof seed)
		return seed;
	if (given)
		memcpy(start, given, sizeof start);
	clock_gettime(CLOCK_MONOTONIC, &now);
	seed = start[0] ^ (uintptr_t)&now ^ (uint64_t)now.tv_sec << 32;
	for (int i = 0; i < 2; i++) {		/* the mix of splitmix64 */
		seed += start[1] ^ (uint64_t)now.tv_nsec * UINT64_C(0x9e3779b97f4a7c15);
		seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
		seed ^= seed >> 31;
	}
	return seed;
}

/*
 * A table finds numbers by hashes.  They are mostly those of the elements of an array, counted from 1, whose keys its user compares:
 *
 *	for (uint64_t at = 0; (i = set_next(&t, hash, &at));)
 *		if (element[i - 1].key == key)
 *			break;
 *
 * It has open addressing; a slot is the upper half of a hash and a number.  So the upper half must depend on all of a key, and on
 * a seed, as set_hash() does.  Other tables: those that are looked up for each sample have the keys in their slots
 * (record/event.c, source/chunker.c), those from which elements are taken out have lists of them (state/table.h).
 */
struct set {			/* empty by set_init(); zeroed, it may be freed */
	uint64_t	*slot;		/* 0: free */
	unsigned	 shift;		/* slots: 1 << (64 - shift) */
	uint32_t	 n;
	uint64_t	 mul;		/* random and odd */
};
enum { SET_NONE = 63, SET_FIRST = 10, SET_BITS = 28, SET_SPARSE = 1 << 16 };	/* with fewer numbers, most searches take one step */

static inline void
set_init(struct set *s)
{
	static const uint64_t none[2];

	*s = (struct set){ .slot = (uint64_t *)(uintptr_t)none, .shift = SET_NONE, .mul = pp_seed() | 1 };
}

static inline void
set_free(struct set *s)
{
	if (s->shift != SET_NONE)
		free(s->slot);
}

/* Take all numbers out. */
static inline void
set_clear(struct set *s)
{
	if (s->n)
		memset(s->slot, 0, sizeof *s->slot << (64 - s->shift));
	s->n = 0;
}

static inline uint64_t
set_hash(const struct set *s, uint64_t key)
{
	return key * s->mul;
}

/* What is in the first slot for that hash, most often its number; 0: it has none. */
static inline uint32_t
set_first(const struct set *s, uint64_t hash)
{
	return (uint32_t)s->slot[hash >> s->shift];
}

/* The next number with that hash, of which *at, 0 at first, were looked at; 0: there are no more. */
static inline uint32_t
set_next(const struct set *s, uint64_t hash, uint64_t *at)
{
	uint64_t mask = UINT64_MAX >> s->shift, x;

	while ((x = s->slot[((hash >> s->shift) + (*at)++) & mask]))
		if (!((x ^ hash) >> 32))
			return (uint32_t)x;
	return 0;
}

/* Add a number, for which there is space: as many were there before set_clear(). */
static inline void
set_put(struct set *s, uint64_t hash, uint32_t number)
{
	uint64_t mask = UINT64_MAX >> s->shift, i = hash >> s->shift;

	while (s->slot[i])
		i = (i + 1) & mask;
	s->slot[i] = (hash & ~(uint64_t)UINT32_MAX) | number;
	s->n++;
}

/* Add a number, not 0.  1, or -1: no memory. */
static inline int
set_add(struct set *s, uint64_t hash, uint32_t number)
{
	uint64_t slots = UINT64_C(1) << (64 - s->shift);
	struct set new = { .shift = s->shift == SET_NONE ? 64 - SET_FIRST : s->shift - 1, .mul = s->mul };

	if ((s->n < SET_SPARSE ? 4 : 2) * ((uint64_t)s->n + 1) > slots) {
		if (64 - new.shift > SET_BITS || !(new.slot = calloc((size_t)1 << (64 - new.shift), sizeof *new.slot)))
			return -1;
		for (uint64_t i = 0; i < slots; i++)
			if (s->slot[i])
				set_put(&new, s->slot[i], (uint32_t)s->slot[i]);
		set_free(s);
		*s = new;
	}
	set_put(s, hash, number);
	return 1;
}

#endif
