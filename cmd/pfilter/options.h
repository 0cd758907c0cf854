/* SPDX-License-Identifier: ISC */
/*
 * options.h - the parsed command line of pfilter.
 *
 * A new option needs a row in options_table[], a member here (or in the struct of its subject: selection, state_keys, thin, drop,
 * columns, anon), and a case in options_take(); options_done() checks it against the other options.
 */
#ifndef PFILTER_OPTIONS_H
#define PFILTER_OPTIONS_H

#include "anon/anon.h"
#include "drop/columns.h"
#include "drop/drop.h"
#include "expr/expr.h"
#include "history/payload_task.h"
#include "history/state_keys.h"
#include "keys/select.h"
#include "thin/thin.h"
#include "window/window.h"

struct options {
	struct selection sel;			/* keys that need only the record; --type, --sideband=none, --invert */
	struct state_keys *keys;		/* keys that depend on history */
	struct windows	*windows;
	struct payload_tasks *payload;		/* --payload-tasks; NULL: not given */
	bool		 payload_tasks;
	struct expr	*expr;
	const char	*kallsyms;		/* NULL: not given */
	struct kallsyms_text kernel;		/* of that file, if `functions': expressions name functions of the kernel */
	bool		 functions;
	bool		 explain;
	bool		 needed;		/* --sideband=needed */
	enum { ORDER_AUTO, ORDER_INPUT, ORDER_TIME } order;
	struct thin	 thin;
	struct drop	 drop;
	struct columns	 columns;
	struct anon	 anon;
	const char	*undo;			/* the dictionary of --anon-undo; NULL: not given */
	const char	*rejected;		/* NULL: rejected records are not written */
	bool		 dry_run;
	bool		 fail_if_empty;
	enum { STATS_NONE, STATS_TEXT, STATS_JSON } stats;
	size_t		 memory;		/* limit of held records, in bytes */
	size_t		 tasks;			/* that of tasks and maps, which count there, too; 0: none, and they do not count */
};

/* vital-types: permits --drop-type of types without which other records cannot be interpreted. */
#define OPTIONS_ALLOW "vital-types"

extern const struct tool_opt options_table[];
extern const char options_examples[];	/* for --help */

/* Process the option that tool_getopt() has just returned. */
void	options_take(struct tool *, struct options *, int key);
/* After the last option: checks combinations; an invalid one exits 2. */
void	options_done(struct tool *, struct options *);
/* Does a verdict depend on history, so that records must be held for time order? */
bool	options_need_order(const struct options *);
/* Does the verdict on one sample change the verdict on a later one? */
bool	options_need_turns(const struct options *);
/* Does a verdict need the state of tasks (struct pp_state)? */
bool	options_need_state(const struct options *);
/* Are kept records changed (--drop-event, --strip, --anon ...)? */
bool	options_change(const struct options *);
void	options_free(struct options *);

#endif
