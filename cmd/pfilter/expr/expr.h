/* SPDX-License-Identifier: ISC */
/*
 * expr.h - --filter, --around: expressions over the fields of a record.
 *
 * An expression is text, then a tree, then a program per kind of record (tree.h).  Values are integers of more than 64 bits,
 * strings, or unknown (the record lacks the field).  If the result is unknown, the record is not selected.
 *
 * A new field needs no change here: it is a row of field/field.c.  A new operator or function needs a token (lex.c), a rule
 * (parse.c), an enum node_kind with a type check (check.c), constant folding (fold.c), an instruction (compile.c, run.c), and its
 * text (explain.c).
 */
#ifndef PFILTER_EXPR_H
#define PFILTER_EXPR_H

#include <stdio.h>

#include "field/field.h"
#include "symbol/kallsyms.h"
#include "tool/tool.h"

struct expr;			/* one or several (--filter) expressions, ANDed; NULL: none */

enum expr_result { EXPR_NO, EXPR_YES, EXPR_UNKNOWN };

/*
 * Add an expression, the argument of that option; an invalid one exits 2, with a mark at the place of the error.  Returns *e or
 * a new one.
 */
struct expr *expr_add(struct expr *e, const struct tool *, const char *option, const char *text);
/* The same for --filter-file: the lines of the file, without comments from #, are one expression. */
struct expr *expr_add_file(struct expr *e, const struct tool *, const char *path);
/*
 * After the last option: look up the functions that filters of the kernel name (FIELD.function) in path, the file of --kallsyms
 * (NULL: not given).  A function that is not in it exits 2.  *text gets the place of the kernel.  false: no filter names one.
 */
bool	expr_functions(struct expr *, const char *path, struct kallsyms_text *);
/* Does it use comm, dso or another field that is correct in time order only? */
bool	expr_needs_state(const struct expr *);
/* Does it use nr or offset? */
bool	expr_needs_place(const struct expr *);
/* Does it use reltime, which needs the time of the first record? */
bool	expr_needs_start(const struct expr *);
/* Does it use fields of payloads? */
bool	expr_reads_payloads(const struct expr *);
/*
 * Called for each record of type >= PP_USER_TYPE_START, also after expr_bind(): CLOCK_DATA, HOSTNAME, and guests in ID_INDEX are
 * fields; new names of events change programs.
 */
void	expr_learn(struct expr *, const struct pp_rec *, bool swap);
/*
 * Call it when all events are known, at the latest at the first record of the kernel; their names may follow.  The source must
 * keep formats.  A field that no event records exits 2; the message names the option of perf record.  If only some events lack a
 * field, a warning follows at their first sample.
 */
void	expr_bind(struct expr *, const struct tool *, const struct pp_source *in);
/* Evaluate the expression.  1 and *result, or -1: the record is invalid (text in pp_err). */
int	expr_match(struct expr *, const struct field_subject *, enum expr_result *result, struct pp_err *);
/*
 * Print how the expression was parsed, which fields need time order if records are held for it (`waits'), and after expr_bind()
 * the program for each event.
 */
void	expr_explain(struct expr *, bool waits, FILE *);
/*
 * Call fn for each comparison of a field with constants that `and' joins to the rest, so that all selected records meet it.  fn
 * gets the field's name and the n ranges, ascending, in which its value is; numbers below 0 are left out.
 */
struct expr_bound { uint64_t lo, hi; };
void	expr_bounds(const struct expr *, void (*fn)(void *arg, const char *field, const struct expr_bound *, size_t n), void *arg);
/* At the end of the input: warn of payloads that lacked a field of their format. */
void	expr_end(const struct expr *);
void	expr_free(struct expr *);

#endif
