/* SPDX-License-Identifier: ISC */
/* out_file_in.h - inside of a perf.data being written: what comes (out_file.c), and what stands around the data (out_file_write.c) */
#ifndef PP_OUT_FILE_IN_H
#define PP_OUT_FILE_IN_H

#include "out_file.h"
#include "spool.h"

enum { HEADER_SIZE = 104, SECTION_SIZE = 16, FEATURES = 256 };

struct attr {
	uint8_t		*p;		/* attr.size bytes and the ids, as they stood in the record */
	size_t		 size;		/* of the attr */
	uint32_t	 nids;
	unsigned	 event;		/* in `events' */
};

struct file {
	struct out	 pub;
	struct pp_err	*err;
	struct pp_err	 ignored;
	struct out_pack	 pack;
	int		 fd;		/* the file */
	struct pp_sink	*sink;		/* the data section */
	struct pp_events *events;	/* of the records that we get: those of the source may be others */
	struct pp_tracing *tracing;
	struct { uint32_t type; uint16_t size; uint64_t left, at; } payload;	/* of the last record: bytes to come, and where it began */
	bool		 swap, begun;
	uint64_t	 data, size;	/* where the section starts; its size, once known to be less than what was put */

	struct attr	*attrs;
	unsigned	 nattrs;
	bool		 late;		/* some came when the data had begun */
	size_t		 attr_max;
	uint64_t	 attrs_at;

	struct { bool set; uint64_t off, len; } features[FEATURES];	/* off: in `sections' */
	uint8_t		*event_desc;	/* the record, for the names of events that come later */
	struct spool	 sections, build_ids, auxtrace;
	uint64_t	 first, last;	/* times of samples */

	struct tail	 tail;		/* what is written in front of and behind the data */
};

/* All of these write at f->tail.at; 1, or -1. */

/* The first record of the data section, or the end: ids and attrs, where the header will be, and where the data begins. */
int	out_file_begin(struct file *);
/* The sections of ids, and that of attrs. */
int	out_file_attrs(struct file *);
/* The table of features, and the features. */
int	out_file_features(struct file *);
/* The header, at 0. */
int	out_file_header(struct file *);

#endif
