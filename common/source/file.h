/* SPDX-License-Identifier: ISC */
/* file.h - inside of a seekable perf.data that is taken apart; of file.c and header.c */
#ifndef PP_FILE_H
#define PP_FILE_H

#include "container.h"

enum { FEATURE_BITS = 256 };

struct section {
	uint64_t	 off, size;
};

struct perf_data {		/* the container */
	struct segments	 seg;		/* head, tracing data, padding, data section */
	struct memory	 mem[2];	/* of the head and the padding */
	uint8_t		*head;		/* the records that were made */
	uint64_t	*outside;	/* PP_OPEN_FILE_FEATURES: bytes of each feature that is a payload; NULL: none is */
};

struct file {			/* a perf.data while it is being taken apart */
	struct source	*s;
	struct perf_data *to;
	bool		 swap;
	uint64_t	 size;		/* of the file */
	uint64_t	 budget;	/* bytes that sections may still hold: they don't overlap in a sane file */
	uint64_t	 attr_size;
	unsigned	 nattrs;	/* records made of them */
	bool		 tracepoints;	/* are among them */
	bool		 lost;		/* features are, as the file is not whole */
	uint64_t	*ids;		/* the first one of each attr, 0: it has none; NULL: the attrs were read before */
	size_t		 nids;
	struct section	 attrs, data;
	bool		 feature[FEATURE_BITS];
	struct section	 features[FEATURE_BITS];
	uint8_t		*head;		/* the records made so far */
	size_t		 len, cap;
};

/* Bytes at a place in the file.  1, or -1. */
int	file_read_at(struct file *, void *to, uint64_t off, size_t n);
/* A section must lie in the file, and not say the same bytes over and over.  1, or -1. */
int	file_claim(struct file *, const char *what, const struct section *);
/* u64 offset, u64 size */
struct section file_section(const uint8_t *p, bool swap);
/* A whole section into memory; the caller frees.  NULL on failure. */
uint8_t	*file_load(struct file *, const struct section *);
/* header.c: read the file's header and the table of features: attr_size, attrs, data, feature, features.  1, or -1. */
int	file_header(struct file *);

#endif
