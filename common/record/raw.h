/* SPDX-License-Identifier: ISC */
/*
 * raw.h - where the fields of a record are, by its row of record.def
 *
 * struct pp_raw_MMAP2 consists of the header and the fields of the row as arrays of bytes; its alignment is 1.  A field of
 * variable size is represented by its first byte (STR, REST) or first word (WORDS), a list by its first entry; no field follows
 * these.  Fields that a tail function of record.c reads are not in the struct.
 *
 *	pid = PP_RAW_GET(r->raw, MMAP2, pid, swap);		uint16_t, uint32_t or uint64_t, by the width of the field
 *	PP_RAW_SET(buf, MMAP2, pid, pid, swap);
 *	name = r->raw + PP_RAW_AT(MMAP2, filename);
 *	for (p = r->raw; n--; p += PP_RAW_ENTRY(ID_INDEX, id))	the entries of a list, by the same names
 *		id = PP_RAW_GET(p, ID_INDEX, id, swap);
 *
 * These macros do not check the size of the record.  pp_check() has checked it for all fields before an OPT.
 */
#ifndef PP_RAW_H
#define PP_RAW_H

#include "perfpipe_inline.h"

#define PP_RAW_UINT(n)	n
#define PP_RAW_SINT(n)	n
#define PP_RAW_HEX(n)	n
#define PP_RAW_BYTES(n)	n
#define PP_RAW_STR(n)	1
#define PP_RAW_REST(n)	1
#define PP_RAW_WORDS(n)	8
#define FIELD(kind, size, name, role) uint8_t name[PP_RAW_##kind(size)];
#define LIST
#define OPT
#define REC(number, name, class, perf, trailer, fields, payload, tail) \
	struct pp_raw_##name { uint8_t type[4], misc[2], size[2]; fields };
#include "record.def"
#undef REC
#undef FIELD
#undef LIST
#undef OPT
struct pp_raw_header { uint8_t type[4], misc[2], size[2]; };	/* the common beginning of all of them */

/* Parts of fields and entries: PP_RAW_GET(r->raw + PP_RAW_AT(MMAP2, inode_or_build_id), inode, maj, swap). */
struct pp_raw_inode { uint8_t maj[4], min[4], ino[8], generation[8]; };		/* MMAP2 without PP_MISC_MMAP_BUILD_ID */
struct pp_raw_map_build_id { uint8_t size[1], pad[3], id[20]; };		/* MMAP2 with it: pp_file_has_id() */
struct pp_raw_guest { uint8_t machine_pid[8], vcpu[8]; };			/* after the list of ID_INDEX, for each entry */

/* The offset of a field in the record. */
#define PP_RAW_AT(name, field)	offsetof(struct pp_raw_##name, field)
/* The size of an entry of the record's list, whose first field this is. */
#define PP_RAW_ENTRY(name, field) (sizeof(struct pp_raw_##name) - PP_RAW_AT(name, field))

/* The value of a field of the record at p. */
#define PP_RAW_GET(p, name, field, swap)	PP_NUM_GET(p, struct pp_raw_##name, field, swap)
#define PP_RAW_SET(p, name, field, value, swap)	PP_NUM_SET(p, struct pp_raw_##name, field, value, swap)

/* The value of a member of a struct of byte arrays. */
#define PP_NUM_BYTES(type, field) ((uint8_t (*)[sizeof ((type *)0)->field])0)
#define PP_NUM_GET(p, type, field, swap)						\
	_Generic(PP_NUM_BYTES(type, field), uint8_t (*)[2]: pp_get_u16, uint8_t (*)[4]: pp_get_u32,	\
	    uint8_t (*)[8]: pp_get_u64)((p) + offsetof(type, field), swap)
#define PP_NUM_SET(p, type, field, value, swap)						\
	_Generic(PP_NUM_BYTES(type, field), uint8_t (*)[2]: pp_set_u16, uint8_t (*)[4]: pp_set_u32,	\
	    uint8_t (*)[8]: pp_set_u64)((p) + offsetof(type, field), value, swap)

/* Write the header of a record. */
static inline void
pp_raw_head(uint8_t *p, uint32_t type, uint16_t misc, uint16_t size, bool swap)
{
	PP_RAW_SET(p, header, type, type, swap);
	PP_RAW_SET(p, header, misc, misc, swap);
	PP_RAW_SET(p, header, size, size, swap);
}

/*
 * Has an MMAP2 with that misc a build-id in the place of device and inode?  Linux (6.18) writes one map to several events, and does not
 * take the flag back for those without attr.build_id that come behind one with it.  Behind a build-id are zeros, up to 20 bytes.
 */
static inline bool
pp_file_has_id(unsigned misc, const uint8_t *p)
{
	const struct pp_raw_map_build_id *b = (const void *)p;
	uint8_t rest = b->pad[0] | b->pad[1] | b->pad[2];

	if (!(misc & PP_MISC_MMAP_BUILD_ID) || b->size[0] > sizeof b->id)
		return false;
	for (size_t i = b->size[0]; i < sizeof b->id; i++)
		rest |= b->id[i];
	return !rest;
}

#endif
