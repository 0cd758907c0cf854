/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "build_id.h"
#include "record/feature.h"
#include "make.h"

enum { NAME_MOST = PP_RECORD_MAX / 8 * 8 - BUILD_ID_HEAD - 1 };		/* bytes of the longest name in a record */

size_t
build_id_to_file(uint8_t to[static PP_RECORD_MAX], const struct pp_rec *r, bool swap)
{
	size_t len = strnlen((const char *)r->raw + BUILD_ID_HEAD, r->size - (size_t)BUILD_ID_HEAD);
	size_t padded = (len + PP_FEATURE_STR_ALIGN) / PP_FEATURE_STR_ALIGN * PP_FEATURE_STR_ALIGN;

	if (BUILD_ID_HEAD + padded > PP_RECORD_MAX)
		padded = len + 1;
	memcpy(to, r->raw, BUILD_ID_HEAD + len);
	memset(to + BUILD_ID_HEAD + len, 0, padded - len);
	PP_RAW_SET(to, header, type, 0, swap);
	PP_RAW_SET(to, header, size, (uint16_t)(BUILD_ID_HEAD + padded), swap);
	return BUILD_ID_HEAD + padded;
}

size_t
build_id_from_file(uint8_t *to, const uint8_t *entry, uint16_t size, bool swap)
{
	const uint8_t *id = entry + PP_RAW_AT(HEADER_BUILD_ID, build_id), *id_size = entry + PP_RAW_AT(HEADER_BUILD_ID, id_size);
	size_t name = strnlen((const char *)entry + BUILD_ID_HEAD, size - (size_t)BUILD_ID_HEAD);
	uint16_t misc = PP_RAW_GET(entry, header, misc, swap);
	uint8_t all = BUILD_ID_BYTES;
	struct pp_rec r;

	if (name > NAME_MOST)
		name = NAME_MOST;
	if (!(misc & PP_MISC_BUILD_ID_SIZE) || *id_size > BUILD_ID_BYTES)
		id_size = &all;
	PP_MAKE(&r, to, BUILD_ID_SPACE(size), HEADER_BUILD_ID, .swap = swap, .misc = misc | PP_MISC_BUILD_ID_SIZE,
	    .pid = (int32_t)PP_RAW_GET(entry, HEADER_BUILD_ID, pid, swap), .build_id = { id, BUILD_ID_BYTES },
	    .id_size = { id_size, 1 }, .filename = { entry + BUILD_ID_HEAD, name });
	return r.size;
}

bool
build_id_get(struct build_id_of *x, const struct pp_rec *r)
{
	static const uint8_t none[BUILD_ID_BYTES];
	const uint8_t *p = r->raw;
	size_t at;

	if (r->type == PP_HEADER_BUILD_ID) {
		at = BUILD_ID_HEAD;
		x->id = p + PP_RAW_AT(HEADER_BUILD_ID, build_id);
		x->nid = r->misc & PP_MISC_BUILD_ID_SIZE ? x->id[BUILD_ID_BYTES] : BUILD_ID_BYTES;
	} else if (r->type == PP_MMAP2 && r->size > PP_RAW_AT(MMAP2, filename) &&
	    pp_file_has_id(r->misc, p + PP_RAW_AT(MMAP2, inode_or_build_id))) {
		const struct pp_raw_map_build_id *m = (const void *)(p + PP_RAW_AT(MMAP2, inode_or_build_id));

		at = PP_RAW_AT(MMAP2, filename);
		x->id = m->id;
		x->nid = m->size[0];
	} else
		return false;
	if (!x->nid || x->nid > BUILD_ID_BYTES || !memcmp(x->id, none, x->nid) || r->size <= at)
		return false;
	x->name = (const char *)p + at;
	x->nname = strnlen(x->name, r->size - at);
	if (x->nname > 7 && !memcmp(x->name + x->nname - 6, "]_text", 6))	/* the kernel's map: [kernel.kallsyms]_text */
		x->nname -= 5;
	else if (x->nname > 8 && !memcmp(x->name + x->nname - 7, "]_stext", 7))
		x->nname -= 6;
	return true;
}
