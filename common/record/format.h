/* SPDX-License-Identifier: ISC */
/*
 * format.h - the fields of a tracepoint's payload (the bytes of PERF_SAMPLE_RAW), by the kernel's format text.
 *
 * A line of the text, which is that of /sys/kernel/tracing/events/SYSTEM/EVENT/format:
 *
 *	field:TYPE NAME[N];	offset:24;	size:4;	signed:1;
 *
 * Only these lines are read, and `name' and `ID'; what follows `print fmt' is a program for a reader that trusts the recording.
 * Numbers in the payload are in the order of the machine that recorded, as TRACING_DATA says (pp_tracing_swap()), and not always
 * in that of the stream.
 */
#ifndef PP_FORMAT_H
#define PP_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PP_FORMAT_TEXT = 64 << 10,	/* longest text; the kernel's are up to 6 KB */
	PP_FORMAT_FIELDS = 256,		/* most fields; the kernel's have up to 24 */
	PP_FORMAT_NAME = 256,		/* longest name of a field, with NUL */
	PP_FORMAT_EVENT = 100,		/* longest name of an event, and of a system; the kernel's limit is 64 */
	PP_FORMAT_TYPE = 32,		/* for pp_payload_type() */
	PP_FORMATS_BYTES = 16 << 20,	/* all formats of a recording */
};

enum pp_payload_kind {
	PP_PAYLOAD_NUMBER,		/* 1, 2, 4 or 8 bytes; a pointer is an unsigned number */
	PP_PAYLOAD_STRING,		/* ends at a NUL or where the field ends */
	PP_PAYLOAD_NUMBERS,		/* numbers of `width' bytes each */
	PP_PAYLOAD_CPUMASK,		/* a dynamic bit map of longs */
	PP_PAYLOAD_OPAQUE,		/* a struct, a field of bits, a size of no number, size 0 */
};
enum pp_payload_at {
	PP_PAYLOAD_HERE,		/* the value is the field */
	PP_PAYLOAD_DATA_LOC,		/* the field is a u32: length << 16 | offset from the start of the payload */
	PP_PAYLOAD_REL_LOC,		/* ... offset from the end of the field */
};
struct pp_payload_field {
	const char	*name;
	uint16_t	 off, size;	/* in the payload; off + size <= 65535 */
	uint8_t		 kind, at;	/* enum pp_payload_kind, enum pp_payload_at */
	uint8_t		 width;		/* bytes of the number, or of each; 0: neither a number nor numbers */
	bool		 sign;
	bool		 pointer;
};
struct pp_format {
	uint64_t	 id;		/* attr.config of its events, and common_type in the payload */
	const char	*event;		/* "sched:sched_switch": unescaped bytes of the recording */
	const char	*text;		/* the text it was made from, ntext bytes: equal texts are equal formats */
	size_t		 ntext;
	const struct pp_payload_field *field;
	unsigned	 n;
};

/* Name and number of a text, "name: NAME\nID: NUMBER\n...".  The name is nname bytes of the text.  false: it does not begin so. */
bool	pp_format_head(const char *text, size_t n, const char **name, size_t *nname, uint64_t *id);
/*
 * Parse one format text of that system.  NULL: a limit is passed, or a line of a field has no offset or size; *why says which (a few
 * words, static), or is NULL: no memory.  The caller frees it by pp_format_free().  Of two fields of one name the first counts.
 */
struct pp_format *pp_format_parse(const char *system, const char *text, size_t n, unsigned sizeof_long, const char **why);
void	pp_format_free(struct pp_format *);
/* NULL: it has none of that name. */
const struct pp_payload_field *pp_format_field(const struct pp_format *, const char *name, size_t n);

/* Write the type as "s32", "char[16]", "__data_loc u64[]" to `to': at most PP_FORMAT_TYPE bytes with the NUL. */
void	pp_payload_type(const struct pp_payload_field *, char *to, size_t size);

/*
 * The bytes of a field's value in a payload of n bytes: *len of them.  NULL: the payload ends before it, or a dynamic field points
 * outside of it.  A number's are f->width bytes, those of a string end before its NUL.  swap: numbers are not in our order.
 */
const uint8_t *pp_payload_get(const struct pp_payload_field *, const uint8_t *raw, size_t n, bool swap, size_t *len);
/* The number at p, of `width' bytes; signed ones are extended to 64 bits. */
uint64_t pp_payload_number(const uint8_t *p, unsigned width, bool sign, bool swap);

#endif
