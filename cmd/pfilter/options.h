/* SPDX-License-Identifier: ISC */
/* options.h - the command line of pfilter */
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
#include "tool/option.h"
#include "window/window.h"

struct options {
	struct selection sel;			/* keys that need only the record; --type, --sideband=none, --invert */
	struct state_keys *keys;		/* keys that depend on history */
	struct windows	*windows;
	struct span_measure measure;		/* --span-period and what belongs to it */
	struct payload_tasks *payload;		/* --payload-tasks; NULL: not given */
	struct expr	*expr;
	const char	*kallsyms;		/* NULL: not given */
	struct kallsyms_text kernel;		/* of that file, if `functions': expressions name functions of the kernel */
	bool		 functions;
	bool		 explain;
	enum { SIDEBAND_ALL, SIDEBAND_NEEDED, SIDEBAND_NONE } sideband;
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

/* Parse the command line, and exit 2 if it is wrong. */
void	options_parse(struct options *, struct tool *, int argc, char **argv);
/* Does a verdict depend on history, so that records must be held for time order? */
bool	options_need_order(const struct options *);
/* Does the verdict on one sample change the verdict on a later one? */
bool	options_need_turns(const struct options *);
/* Does a verdict need the state of tasks (struct pp_state)? */
bool	options_need_state(const struct options *);
/* Do samples without a PERIOD field get it? */
bool	options_add_period(const struct options *);
/* Are kept records changed (--drop-event, --strip, --anon ...)? */
bool	options_change(const struct options *);
void	options_free(struct options *);

#endif
