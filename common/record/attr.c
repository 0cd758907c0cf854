/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "attr.h"
#include "event.h"

const char *const pp_attr_flag_names[] = {
#define FLAG(bit, name, what) [bit] = name,
#include "flag.def"
#undef FLAG
	[PP_ATTR_FLAGS] = NULL
};
_Static_assert((0
#define FLAG(bit, name, what) | UINT64_C(1) << (bit)
#include "flag.def"
#undef FLAG
    ) == (UINT64_C(1) << PP_ATTR_FLAGS) - 1, "flag.def lacks a bit");

size_t
pp_attr_bytes(const uint8_t *p, size_t len, bool swap)
{
	uint32_t size = pp_get_u32(p + offsetof(struct pp_attr_raw, size), swap);

	size = size ? size : PP_ATTR_SIZE_VER0;
	return size < len ? size : len;
}

/* A big-endian compiler allots bit fields from the other end of each byte: event.c says how. */
bool
pp_attr_flag(uint8_t *attr, unsigned n, bool on, bool swap)
{
	bool big = swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint8_t *p = attr + offsetof(struct pp_attr_raw, flags) + n / 8, bit = (uint8_t)(1 << (big ? 7 - n % 8 : n % 8));
	bool was = *p & bit;

	*p = on ? *p | bit : *p & (uint8_t)~bit;
	return was;
}

void
pp_attr_set(uint8_t *attr, size_t size, size_t at, size_t width, uint64_t value, bool swap)
{
	if (at + width > size)
		return;
	if (width == 8)
		pp_set_u64(attr + at, value, swap);
	else if (width == 4)
		pp_set_u32(attr + at, (uint32_t)value, swap);
	else
		pp_set_u16(attr + at, (uint16_t)value, swap);
}

/* ---- byte order ------------------------------------------------------------------------------ */

enum {
#define ATTR(field, kind, bytes, role) AT_##field,
#include "attr.def"
#undef ATTR
	AT_END
};
static const uint8_t attr_widths[AT_END] = {
#define ATTR(field, kind, bytes, role) bytes,
#include "attr.def"
#undef ATTR
};

/*
 * These two are C bit fields.  A big-endian compiler allocates them from the other end of each byte: the bytes keep their
 * positions, the bits of each are reversed.
 */
static bool
attr_is_bits(unsigned field)
{
	return field == AT_flags || field == AT_aux_action;
}

static uint8_t
attr_mirror(uint8_t b)
{
	uint8_t r = 0;

	for (int i = 0; i < 8; i++)
		r |= (uint8_t)((b >> i & 1) << (7 - i));
	return r;
}

void
pp_attr_flip(uint8_t *dst, const uint8_t *src, size_t len)
{
	uint8_t *p = dst;

	if (len)
		memmove(dst, src, len);
	for (unsigned i = 0; i < AT_END; p += attr_widths[i++]) {
		size_t w = attr_widths[i];

		if (len - (size_t)(p - dst) < w)
			return;		/* a field that is cut has no value */
		if (attr_is_bits(i))
			for (size_t k = 0; k < w; k++)
				p[k] = attr_mirror(p[k]);
		else if (w == 8)
			pp_set_u64(p, pp_get_u64(p, true), false);
		else if (w == 4)
			pp_set_u32(p, pp_get_u32(p, true), false);
		else
			pp_set_u16(p, pp_get_u16(p, true), false);
	}
}
