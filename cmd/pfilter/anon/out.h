/* SPDX-License-Identifier: ISC */
/* out.h - what the parts of --anon share: anon.c (order and removal), record.c, feature.c */
#ifndef PFILTER_ANON_OUT_H
#define PFILTER_ANON_OUT_H

#include "anon.h"
#include "addr.h"
#include "key.h"
#include "name.h"
#include "record/feature.h"
#include "record/sample.h"

enum {				/* what --anon lists */
	A_HOST = 1, A_CMDLINE = 2, A_COMM = 4, A_PATH = 8, A_PID = 16, A_ADDR = 32, A_BUILD_ID = 64, A_EVENT = 128,
	A_ALL = 255,
	A_NAMES = A_HOST | A_CMDLINE | A_COMM | A_PATH | A_PID | A_EVENT,	/* what free text may hold */
	A_UNKNOWN = 256,		/* "all": what is not known goes too */
};

enum {				/* things that went, counted */
	GONE_TYPES = 128,		/* the last also counts all above */
	GONE_FEATURES = 64,
};
struct anon_out {
	struct out	 pub;
	const struct tool *tool;
	struct pp_source *in;
	struct pp_err	*err;
	unsigned	 what;
	bool		 swap;
	struct anon_key	*key;
	struct anon_addr *addr;		/* A_ADDR */
	struct pp_timeline *timeline;	/* A_ADDR */
	uint32_t	 nr_cpus;
	uint64_t	 types[GONE_TYPES], features[GONE_FEATURES];
	uint64_t	 fields[PP_SAMPLE_BITS];	/* of samples, by bit */
	bool		 failed;	/* a record of the timeline could not be written */
	uint64_t	 unknown_kept;
	uint8_t		 buf[PP_RECORD_MAX + 1], attr[PP_RECORD_MAX];
	char		 text[ANON_NAME];
};

/*
 * The key that a file holds.  Exits 2 if it cannot be read, or does not look as if it held 128 secret bits; warns if
 * others can read it.
 */
void	anon_key_file(const struct tool *, const char *path, uint8_t key[static ANON_KEY]);
/* Is the record to go as a whole? */
bool	anon_removes(struct anon_out *, const struct pp_rec *);
/* Make a sound record anonymous; it then lies in buf.  1, 0: it is to go, -1. */
int	anon_record(struct anon_out *, struct pp_rec *);
int	anon_sample(struct anon_out *, struct pp_rec *);
int	anon_feature(struct anon_out *, struct pp_rec *);
/* Write the new name of an event to a->text, and return its length.  ANON_UNCHANGED: the event keeps its name. */
enum { ANON_UNCHANGED = -2 };
int64_t	anon_event_text(struct anon_out *, const char *, size_t n);
/* The fields of samples of which nothing stays, PP_SAMPLE_*. */
uint32_t anon_strip(unsigned what);
/* The attr of a HEADER_ATTR in buf.  1, or -1: it says of samples what is not known here. */
int	anon_head_attr(struct anon_out *, struct pp_rec *);
/* An attr of `n' bytes, in place. */
void	anon_attr(const struct anon_out *, uint8_t *attr, size_t n);

#endif
