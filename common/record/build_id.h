/* SPDX-License-Identifier: ISC */
/*
 * build_id.h - struct perf_record_header_build_id, as it is in a file's section BUILD_ID and as a record of a stream.
 *
 * In the section its type is 0, and its size is not always a multiple of 8.  Of a record newer perfs insist on that, and
 * on misc to say that the id's size stands in it.
 */
#ifndef PP_BUILD_ID_H
#define PP_BUILD_ID_H

#include "perfpipe_inline.h"
#include "raw.h"

enum { BUILD_ID_HEAD = PP_RAW_AT(HEADER_BUILD_ID, filename), BUILD_ID_BYTES = 20 };	/* up to its name; the longest id */
#define BUILD_ID_ROOM(size) ((size_t)(size) + 16)	/* what a record of an entry of that size may need */

/* Make the entry of a sound record, as perf record does: the name padded to 64, no trailer.  Its bytes. */
size_t	build_id_to_file(uint8_t to[static PP_RECORD_MAX], const struct pp_rec *, bool swap);
/* Make the record of an entry of `size' bytes, BUILD_ID_HEAD at least; `to' has BUILD_ID_ROOM(size) bytes.  Its bytes. */
size_t	build_id_from_file(uint8_t *to, const uint8_t *entry, uint16_t size, bool swap);

#endif
