/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "build_id.h"
#include "feature.h"

size_t
build_id_to_file(uint8_t to[static PP_RECORD_MAX], const struct pp_rec *r, bool swap)
{
	size_t room = r->size - (size_t)BUILD_ID_HEAD, len = strnlen((const char *)r->raw + BUILD_ID_HEAD, room);
	size_t padded = (len + PP_FEATURE_STR_ALIGN) / PP_FEATURE_STR_ALIGN * PP_FEATURE_STR_ALIGN;

	if (BUILD_ID_HEAD + padded > PP_RECORD_MAX)
		padded = len + 1;
	memcpy(to, r->raw, BUILD_ID_HEAD + len);
	memset(to + BUILD_ID_HEAD + len, 0, padded - len);
	pp_set_u32(to, 0, swap);
	pp_set_u16(to + 6, (uint16_t)(BUILD_ID_HEAD + padded), swap);
	return BUILD_ID_HEAD + padded;
}

size_t
build_id_from_file(uint8_t *to, const uint8_t *entry, uint16_t size, bool swap)
{
	enum { ID = 12, ID_SIZE = 32 };
	size_t name = strnlen((const char *)entry + BUILD_ID_HEAD, size - (size_t)BUILD_ID_HEAD);
	uint16_t misc = pp_get_u16(entry + 4, swap);
	size_t n = (BUILD_ID_HEAD + name + 8) & ~(size_t)7;

	if (n > PP_RECORD_MAX) {
		n -= 8;
		name = n - BUILD_ID_HEAD - 1;
	}
	pp_set_u32(to, PP_HEADER_BUILD_ID, swap);
	pp_set_u16(to + 4, misc | PP_MISC_BUILD_ID_SIZE, swap);
	pp_set_u16(to + 6, (uint16_t)n, swap);
	memcpy(to + 8, entry + 8, ID - 8 + BUILD_ID_BYTES);
	to[ID_SIZE] = misc & PP_MISC_BUILD_ID_SIZE && entry[ID_SIZE] <= BUILD_ID_BYTES ? entry[ID_SIZE] : BUILD_ID_BYTES;
	memcpy(to + BUILD_ID_HEAD, entry + BUILD_ID_HEAD, name);
	return n;
}
