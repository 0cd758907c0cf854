/* SPDX-License-Identifier: ISC */
/* in.h - the parts of out_jsonl.c, record.c, sample.c and payload.c */
#ifndef JSONL_IN_H
#define JSONL_IN_H

#include "out_jsonl.h"
#include "record/meaning.h"
#include "record/tracing.h"
#include "text.h"

enum jsonl_each { EACH_TYPE, EACH_OFFSET, EACH_MISC, EACH_EVENT, JSONL_EACH };	/* members that each record has */
extern const char *const jsonl_each_names[JSONL_EACH];
enum { JSONL_TAKEN = 64 };		/* more than a record has fields outside of lists */

struct jsonl {
	struct out	 pub;
	struct jsonl_what *what;
	struct tool	*tool;
	struct pp_sink	*sink;
	struct pp_events *events;	/* NULL: no record came */
	struct pp_tracing *tracing;	/* NULL: no formats came */
	bool		 swap;
	uint32_t	 nr_cpus;	/* by the feature NRCPUS; 0: unknown */
	struct pp_choice sample, other;	/* the fields of samples and of other records that are shown */
	bool		 pid, tid;	/* those of samples are shown */
	uint32_t	 seen;		/* PP_SAMPLE_*: fields that samples had */
	struct jsonl_column *each[JSONL_EACH];	/* of --columns, by enum jsonl_each; NULL: it is not one */

	struct json_text line;		/* lines to be written, and the one in work */
	struct json_text id;		/* its member sample_id */
	const struct pp_rec *r;		/* its record */
	const struct pp_event *ev;
	uint32_t	 open;		/* PP_SAMPLE_*: the field whose object is open; 0: none */
	size_t		 open_at;
	struct {			/* that is open */
		bool	 open, single, unwanted;	/* single: its entries are values, not objects */
		unsigned index, members;		/* of the entry in work */
		enum pp_role role;			/* of the first member */
		size_t	 at, entry, value;
	}		 list;
	unsigned	 lists;		/* of the record, so far */
	unsigned	 ntaken;
	const char	*taken[JSONL_TAKEN];	/* members that the record has, of its own fields */
};

/* Is it one of --columns, or are all wanted?  Notes that a record has it. */
bool	jsonl_wants_column(struct jsonl *, const char *name);
static inline bool
jsonl_wants(struct jsonl *o, const char *name)
{
	return !o->what->ncolumns || jsonl_wants_column(o, name);
}

/* Is this column asked for by its name? */
bool	jsonl_names(const struct jsonl *, const char *name);

/* record.c: all members but those that each record has.  1, or -1: the record is not sound. */
int	jsonl_record(struct jsonl *, struct pp_err *);
/* The value of a field, by its kind and role. */
void	jsonl_value(struct jsonl *, struct json_text *, const struct pp_value *);
/* A value in a list, and the end of a list that is open. */
void	jsonl_list_value(struct jsonl *, const struct pp_value *);
void	jsonl_list_end(struct jsonl *);
/* Does the value belong to the entry in work?  If not, that ends, or the list. */
void	jsonl_list_step(struct jsonl *, const struct pp_value *);
/* u64s as a list of texts. */
void	jsonl_words(struct jsonl *, struct json_text *, const uint8_t *p, size_t n, bool hex);

/* sample.c: a field of a SAMPLE, or of a trailer. */
int	jsonl_sample_visit(void *o, const struct pp_value *);
int	jsonl_trailer_value(struct jsonl *, struct json_text *, const struct pp_value *);
void	jsonl_sample_end(struct jsonl *);
/* An entry of a call chain: an address, or for a marker the mode of those behind it. */
void	jsonl_frame(struct json_text *, uint64_t ip);

/* payload.c: RAW of a sample, and a header feature. */
void	jsonl_raw(struct jsonl *, const uint8_t *p, size_t n);
void	jsonl_feature(struct jsonl *);

#endif
