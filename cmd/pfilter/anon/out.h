/* SPDX-License-Identifier: ISC */
/* out.h - shared by the files of anon/: anon.c (order, removal of records), record.c, attr.c, payload.c, formats.c, feature.c, field.c */
#ifndef PFILTER_ANON_OUT_H
#define PFILTER_ANON_OUT_H

#include "anon.h"
#include "addr.h"
#include "key.h"
#include "name.h"
#include "record/feature.h"
#include "record/sample.h"

enum {				/* words of --anon, by their places in ANON_EACH() */
#define ANON_NUMBER(NAME, word) A_NUMBER_##NAME,
	ANON_EACH(ANON_NUMBER) A_NUMBER_UNKNOWN
};
enum {				/* bits of them */
#define ANON_BIT(NAME, word) A_##NAME = 1 << A_NUMBER_##NAME,
	ANON_EACH(ANON_BIT)
	A_UNKNOWN = 1 << A_NUMBER_UNKNOWN,	/* "all": unknown types are removed, too */
	A_ALL = A_UNKNOWN - 1,
	A_NAMES = A_HOST | A_CMDLINE | A_COMM | A_PATH | A_PID | A_EVENT,	/* words that apply to free text */
};
enum {				/* counters of removed records and header features */
	GONE_TYPES = 128,		/* the last counter counts this and higher types */
	GONE_FEATURES = 64,
};
struct anon_out {
	struct out	 pub;
	const struct tool *tool;
	struct pp_source *in;
	struct pp_err	*err;
	unsigned	 what;
	uint32_t	 strip;		/* anon_strip() */
	struct pp_choice sample;	/* what is to be changed in samples */
	bool		 swap;
	struct anon_key	*key;
	struct anon_addr *addr;		/* A_ADDR */
	struct pp_timeline *timeline;	/* A_ADDR */
	/* Of a piece: what is put, and what the next stage gets, is of its share (record/mark.h). */
	bool		 cuts, own, told;
	bool		 joins;		/* its first round is still to come, and it is not the first piece */
	uint32_t	 nr_cpus;
	uint64_t	 types[GONE_TYPES], features[GONE_FEATURES];
	uint64_t	 fields[PP_SAMPLE_BITS];	/* blanked fields of samples, by bit */
	bool		 failed;	/* writing a record of the timeline failed */
	uint64_t	 unexplained;	/* blanked fields of payloads */
	uint64_t	 unknown_kept;
	struct payload_layouts *payloads;	/* NULL: none was seen */
	uint8_t		 buf[PP_RECORD_MAX + 1], attr[PP_RECORD_MAX], raw[PP_RECORD_MAX];
	char		 text[ANON_NAME];
};

/*
 * The key from a file.  Exits 2 if the file cannot be read, or appears to hold less than 128 secret bits; warns if other users
 * can read it.
 */
void	anon_key_file(const struct tool *, const char *path, uint8_t key[static ANON_KEY]);
/* Is the whole record removed? */
bool	anon_removes(struct anon_out *, const struct pp_rec *);
/* Anonymise a valid record; the result is in buf.  1; 0: it is removed; -1. */
int	anon_record(struct anon_out *, struct pp_rec *);
int	anon_feature(struct anon_out *, struct pp_rec *);
/* Write TRACING_DATA with other names of events and without what it says of tasks; its payload is that of `in'.  1, or -1. */
int	anon_formats(struct anon_out *, struct pp_source *in, const struct pp_rec *);
/* Write the new name of an event to a->text, and return its length.  ANON_UNCHANGED: the event keeps its name. */
enum { ANON_UNCHANGED = -2 };
int64_t	anon_event_text(struct anon_out *, const char *, size_t n);
/* The roles of the fields that the words change in samples. */
uint64_t anon_roles(unsigned what);
/* The fields of samples without a pseudonym, bits PP_SAMPLE_*. */
uint32_t anon_strip(unsigned what);
/* Anonymise the attr of a HEADER_ATTR in buf.  1, or -1: it has unknown bits about the layout of samples. */
int	anon_head_attr(struct anon_out *, struct pp_rec *);
/* Anonymise an attr of n bytes, in place. */
void	anon_attr(const struct anon_out *, uint8_t *attr, size_t n);

#endif
