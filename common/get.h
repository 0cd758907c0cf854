/* SPDX-License-Identifier: ISC */
/*
 * get.h - fetch numbers of either byte order from any address, and a cursor that cannot overrun.
 *
 * A cursor goes bad at the first read past its end and stays so; it then yields zeros.  Read all that is
 * wanted, then test `bad' once.
 */
#ifndef PP_GET_H
#define PP_GET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t
pp_get_u16(const uint8_t *p, bool swap)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t
pp_get_u32(const uint8_t *p, bool swap)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t
pp_get_u64(const uint8_t *p, bool swap)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return swap ? __builtin_bswap64(v) : v;
}

static inline void
pp_set_u16(uint8_t *p, uint16_t v, bool swap)
{
	if (swap)
		v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof v);
}

static inline void
pp_set_u32(uint8_t *p, uint32_t v, bool swap)
{
	if (swap)
		v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof v);
}

static inline void
pp_set_u64(uint8_t *p, uint64_t v, bool swap)
{
	if (swap)
		v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof v);
}

struct pp_cur {
	const uint8_t	*p, *end;
	bool		 swap, bad;
};

static inline struct pp_cur
pp_cur(const uint8_t *p, size_t n, bool swap)
{
	return (struct pp_cur){ .p = p, .end = p + n, .swap = swap };
}

static inline size_t
pp_left(const struct pp_cur *c)
{
	return (size_t)(c->end - c->p);
}

/* Step over n bytes and return where they stand; NULL if there are fewer. */
static inline const uint8_t *
pp_take(struct pp_cur *c, uint64_t n)
{
	const uint8_t *p = c->p;

	if (c->bad || n > pp_left(c)) {
		c->bad = true;
		return NULL;
	}
	c->p += n;
	return p;
}

/* Step over n entries of `size' bytes. */
static inline const uint8_t *
pp_take_n(struct pp_cur *c, uint64_t n, size_t size)
{
	if (n > pp_left(c) / size) {
		c->bad = true;
		return NULL;
	}
	return pp_take(c, n * size);
}

static inline uint32_t
pp_take_u32(struct pp_cur *c)
{
	const uint8_t *p = pp_take(c, 4);
	return p ? pp_get_u32(p, c->swap) : 0;
}

static inline uint64_t
pp_take_u64(struct pp_cur *c)
{
	const uint8_t *p = pp_take(c, 8);
	return p ? pp_get_u64(p, c->swap) : 0;
}

#endif
