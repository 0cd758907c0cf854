/* SPDX-License-Identifier: ISC */
/* options.h - what the user asks of pfilter */
#ifndef PFILTER_OPTIONS_H
#define PFILTER_OPTIONS_H

#include "anon/anon.h"
#include "drop/columns.h"
#include "drop/drop.h"
#include "expr/expr.h"
#include "select.h"
#include "state_keys.h"
#include "thin.h"

struct options {
	struct selection sel;			/* keys that stand in the record, --type, --sideband=none, --invert */
	struct state_keys *keys;		/* keys that depend on history */
	struct expr	*expr;
	bool		 explain;
	bool		 needed;		/* --sideband=needed */
	enum { ORDER_AUTO, ORDER_INPUT, ORDER_TIME } order;
	struct thin	 thin;
	struct drop	 drop;
	struct columns	 columns;
	struct anon	 anon;
	const char	*undo;			/* --anon-undo: of this dictionary; NULL: none */
	const char	*rejected;		/* -U; NULL: the rest is dropped */
	bool		 dry_run;
	bool		 fail_if_empty;
	enum { STATS_NONE, STATS_TEXT, STATS_JSON } stats;
	size_t		 memory;		/* most that waits for its turn */
};

/* vital-types: --drop-type also of those without which the rest cannot be understood. */
#define OPTIONS_ALLOW "vital-types"

extern const struct tool_opt options_table[];
extern const char options_examples[];	/* for --help */

/* Take in the option just returned by tool_getopt(). */
void	options_take(struct tool *, struct options *, int key);
/* All have been seen: what cannot go together exits 2. */
void	options_done(struct tool *, struct options *);
/* Does a decision depend on history, so that records have to wait for their turn? */
bool	options_need_order(const struct options *);
/* Does a decision on one sample change that on a later one? */
bool	options_need_turns(const struct options *);
/* Must `state' be kept? */
bool	options_need_state(const struct options *);
/* Is what is kept changed on its way? */
bool	options_change(const struct options *);
void	options_free(struct options *);

#endif
