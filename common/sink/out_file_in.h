/* SPDX-License-Identifier: ISC */
/*
 * out_file_in.h - shared by out_file.c, which takes the records, and out_file_write.c, which writes what surrounds the data
 * section
 */
#ifndef PP_OUT_FILE_IN_H
#define PP_OUT_FILE_IN_H

#include "out_file.h"
#include "spool.h"

enum { HEADER_SIZE = 104, SECTION_SIZE = 16, FEATURES = 256, COPY_BLOCK = 4096 };

struct attr {
	uint8_t		*p;		/* attr.size bytes and the ids, as in the HEADER_ATTR */
	size_t		 size;		/* attr.size */
	uint32_t	 nids;
	unsigned	 event;		/* index in `events' */
};

struct file {
	struct out	 pub;
	struct pp_err	*err;
	struct out_pack	 pack;
	int		 fd;		/* the file */
	struct pp_sink	*sink;		/* writes the data section */
	struct pp_events *events;	/* of the records put, which may differ from those of the source */
	struct pp_tracing *tracing;
	struct { uint32_t type; uint16_t size; uint64_t left, at; } payload;	/* of the last record: bytes missing, start */
	bool		 swap, begun;
	bool		 grows;		/* out_file_at.grows */
	bool		 copied;	/* out_file_copy(): the sink writes nothing */
	unsigned	 phase;		/* of `copied': the offset of the section in its last block of 4 KiB */
	uint64_t	 data, size;	/* offset of the data section; its size, if less than what was put */

	struct attr	*attrs;
	unsigned	 nattrs;
	bool		 late;		/* an attr came after the data began */
	size_t		 attr_max;
	uint64_t	 attrs_at;

	struct { bool set; uint64_t off, len; } features[FEATURES];	/* off: in `sections' */
	uint8_t		*event_desc;	/* the last EVENT_DESC, for names of later events */
	struct spool	 sections, build_ids, auxtrace;
	uint64_t	 first, last;	/* times of samples, ns */

	struct tail	 tail;		/* writes in front of and behind the data */
};

/* All of these write at f->tail.at.  1, or -1. */

/*
 * At the first record of the data section, or the end: write ids and attrs, leave space for the header, set the offset of the
 * data.
 */
int	out_file_begin(struct file *);
/* Write the id sections and the attr section. */
int	out_file_attrs(struct file *);
/* Write the feature table and the feature sections. */
int	out_file_features(struct file *);
/* Write the header, at offset 0. */
int	out_file_header(struct file *);

#endif
