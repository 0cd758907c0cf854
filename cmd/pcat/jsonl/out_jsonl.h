/* SPDX-License-Identifier: ISC */
/* out_jsonl.h - each record as a line of JSON, made from the rows of record.def and sample.def; pcat(1) has the members */
#ifndef OUT_JSONL_H
#define OUT_JSONL_H

#include "sink/out.h"
#include "tool/tool.h"

struct jsonl_column { char *name; bool seen; };
struct jsonl_what {			/* begins zeroed; `where' and `arg' are the caller's to set */
	struct jsonl_column *column;	/* of --columns, n of them; 0: all */
	size_t		 ncolumns;
	uint32_t	*type;		/* of --types; 0: all */
	size_t		 ntypes;
	/* Set the place of the record in work, for a message. */
	void		(*where)(void *arg, struct pp_err *);
	/* The offset of the record r, or of what it was made of, in the input.  false: it stands nowhere. */
	bool		(*offset)(void *arg, const struct pp_rec *r, uint64_t *);
	void		*arg;
};

/* --columns, --types: add the words of the option in work to the struct jsonl_what. */
void	jsonl_columns(struct tool *, void *what);
void	jsonl_types(struct tool *, void *what);
void	jsonl_what_free(struct jsonl_what *);

/*
 * A container for t->file.  A line is whole when it is written; flush() writes all lines.  A record that is malformed is a fault
 * of the input: t->in_err, and what came before it is written.
 */
struct out *out_jsonl_new(struct tool *, struct jsonl_what *);

#endif
