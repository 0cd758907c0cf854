/* SPDX-License-Identifier: ISC */
/* file.h - a seekable perf.data while it is being parsed; for file.c and header.c */
#ifndef PP_FILE_H
#define PP_FILE_H

#include "container.h"

enum { FEATURE_BITS = 256 };

struct section {
	uint64_t	 off, size;
};

struct perf_data {		/* the container */
	struct segments	 seg;		/* made records, tracing data, padding, data section */
	struct memory	 mem[2];	/* bytes of the made records and the padding */
	uint8_t		*head;		/* the records made of the header */
	const char	*unread;	/* why the data section has to be read; NULL: it can be copied */
	uint64_t	*outside;	/* PP_OPEN_FILE_FEATURES: size of each feature that becomes a payload; NULL: none does */
};

struct file {			/* state of the parser */
	struct source	*s;
	struct perf_data *to;
	bool		 swap;
	uint64_t	 size;		/* of the file, bytes */
	uint64_t	 budget;	/* bytes that sections may still have: the sections of a sound file do not overlap */
	uint64_t	 attr_size;
	unsigned	 nattrs;	/* attr records made so far */
	bool		 tracepoints;	/* one of them is a tracepoint */
	bool		 lost;		/* the file is truncated and its features are missing */
	uint64_t	*ids;		/* the first id of each attr, 0: it has none; NULL: attrs have been read before */
	size_t		 nids;
	uint64_t	 all_ids;	/* how many ids the records have */
	struct section	 attrs, data;
	bool		 feature[FEATURE_BITS];
	struct section	 features[FEATURE_BITS];
	uint8_t		*head;		/* the records made so far */
	size_t		 len, cap;
};

/* Read n bytes at an offset of the file.  1, or -1. */
int	file_read_at(struct file *, void *to, uint64_t off, size_t n);
/* Check that a section lies in the file and that sections do not repeat the same bytes.  1, or -1. */
int	file_claim(struct file *, const char *what, const struct section *);
/* The section described by 16 bytes: u64 offset, u64 size. */
struct section file_section(const uint8_t *p, bool swap);
/* Read a section into memory, which the caller frees.  NULL on failure. */
uint8_t	*file_load(struct file *, const struct section *);
/* header.c: read the file header and the feature table: attr_size, attrs, data, feature, features.  1, or -1. */
int	file_header(struct file *);

#endif
