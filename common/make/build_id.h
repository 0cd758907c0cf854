/* SPDX-License-Identifier: ISC */
/*
 * build_id.h - struct perf_record_header_build_id, as an entry of a file's section BUILD_ID and as a record of a stream
 *
 * In the section its type is 0 and its size may be no multiple of 8.  As a record, newer versions of perf require a size that
 * is a multiple of 8, and the bit in misc that the entry has the size of the id.
 */
#ifndef PP_BUILD_ID_H
#define PP_BUILD_ID_H

#include "perfpipe_inline.h"
#include "record/raw.h"

enum { BUILD_ID_HEAD = PP_RAW_AT(HEADER_BUILD_ID, filename), BUILD_ID_BYTES = 20 };	/* offset of the name; longest id */
#define BUILD_ID_SPACE(size) ((size_t)(size) + 16)	/* bytes that the record of an entry of that size may need */

/* Convert a sound record to an entry as perf record writes it: the name padded to 64 bytes, no trailer.  Returns its size. */
size_t	build_id_to_file(uint8_t to[static PP_RECORD_MAX], const struct pp_rec *, bool swap);
/*
 * Convert an entry of `size' bytes (BUILD_ID_HEAD at least) to a record; `to' has BUILD_ID_SPACE(size) bytes.  Returns its size.
 */
size_t	build_id_from_file(uint8_t *to, const uint8_t *entry, uint16_t size, bool swap);

/* The build-id that a BUILD_ID or MMAP2 record gives to a file; views of the record. */
struct build_id_of {
	const uint8_t	*id;
	size_t		 nid;
	const char	*name;		/* as perf has it: "[kernel.kallsyms]" without "_text" */
	size_t		 nname;
};
/* False: it gives none, or one that cannot be. */
bool	build_id_get(struct build_id_of *, const struct pp_rec *);

#endif
