/* SPDX-License-Identifier: ISC */
/*
 * option.h - the options of a command are rows of one table, and so are the relations between them
 *
 *	#define OPTIONS struct options
 *	static const struct tool_opt opts[] = {
 *		OPT_HEAD("Selection"),
 *		OPT_NUMBERS('p', "pid", pid, 0, "keep samples of these processes"),
 *		OPT_FLAG(0, "invert", invert, "reverse the selection"),
 *		OPT_NEEDS("invert", "pid"),
 *		OPT_HEAD("Input, output and messages"),
 *		TOOL_OPTS_IN, TOOL_OPTS_OUT, TOOL_OPTS_COMMON, TOOL_OPTS_END
 *	};
 *	tool_options(&t, &o, argc, argv);
 *
 * A row is the letter of the short option (0: none), the long name, as in perf if perf has it, and where its value goes: a member of
 * OPTIONS, whose type the macro checks, or a function.  From the rows come the parser, --help, the messages about relations, and
 * --list-options, of which the completions of shells are made and by which the tests check the pages.
 */
#ifndef PP_TOOL_OPTION_H
#define PP_TOOL_OPTION_H

#include <stddef.h>

#include "tool.h"

enum { TOOL_JOBS_MAX = 256 };

enum tool_kind {
	TOOL_END, TOOL_HEADING,
	TOOL_FLAG, TOOL_BITS, TOOL_NUMBER, TOOL_SIZE, TOOL_DURATION, TOOL_TEXT, TOOL_WORD, TOOL_NUMBERS, TOOL_CALL,
	TOOL_NEEDS, TOOL_NOT_WITH, TOOL_ONLY_WITH, TOOL_NOT_IN_PIECES,
};
struct tool_opt {
	int		 letter;
	const char	*name;
	/*
	 * The name of its argument; NULL: it takes none; "[=X]": optional, after =.  A repeated option adds to the earlier ones
	 * if this is LIST, EXPR, RANGES or ends with "..."; a repeated option with any other argument is an error.
	 */
	const char	*arg;
	const char	*help;		/* one line for --help */
	enum tool_kind	 kind;
	bool		 common;	/* its value is in struct tool, not in OPTIONS */
	size_t		 at, size;	/* of the member */
	int64_t		 min;		/* of a TOOL_WORD: the value of the first word; of a TOOL_CALL: optvalue */
	uint64_t	 max;
	const char	*of;		/* what the argument is: OF_..., or words with | , or spaces between them; NULL: something else */
	void		(*call)(struct tool *, void *member);
};

/* What completions of shells offer, besides words. */
#define OF_FILE "@file"
#define OF_DIR "@dir"
#define OF_EVENTS "@events"	/* of the recording that is named on the command line */
#define OF_COMMS "@comms"

#define OPT_MEMBER(base, member, ...)					\
	.at = offsetof(base, member) + 0 * sizeof _Generic(((base *)0)->member, __VA_ARGS__), .size = sizeof ((base *)0)->member
#define OPT_INTEGERS int: 0, unsigned: 0, long: 0, unsigned long: 0, long long: 0, unsigned long long: 0

/* A heading above the following rows in --help. */
#define OPT_HEAD(title) { .name = "", .help = title, .kind = TOOL_HEADING }
/* Set a bool, or bits of an unsigned. */
#define OPT_FLAG(letter, name, member, help)				\
	{ letter, name, NULL, help, TOOL_FLAG, OPT_MEMBER(OPTIONS, member, bool: 0) }
#define OPT_BITS(letter, name, member, bits, help)			\
	{ letter, name, NULL, help, TOOL_BITS, OPT_MEMBER(OPTIONS, member, unsigned: 0), .max = bits }
/* A number, bytes ("64K"), or ns ("1.5s") within bounds. */
#define OPT_NUMBER(letter, name, arg, member, least, most, help)	\
	{ letter, name, arg, help, TOOL_NUMBER, OPT_MEMBER(OPTIONS, member, OPT_INTEGERS), .min = least, .max = most }
#define OPT_SIZE(letter, name, member, least, most, help)		\
	{ letter, name, "SIZE", help, TOOL_SIZE, OPT_MEMBER(OPTIONS, member, OPT_INTEGERS), .min = least, .max = most }
#define OPT_DURATION(letter, name, arg, member, least, help)		\
	{ letter, name, arg, help, TOOL_DURATION, OPT_MEMBER(OPTIONS, member, uint64_t: 0), .min = least, .max = UINT64_MAX }
/* The argument itself; what it is, OF_... or NULL. */
#define OPT_TEXT(letter, name, arg, member, what, help)			\
	{ letter, name, arg, help, TOOL_TEXT, OPT_MEMBER(OPTIONS, member, const char *: 0), .of = what }
/* A directory that is there. */
#define OPT_DIR(letter, name, arg, member, help)			\
	{ letter, name, arg, help, TOOL_CALL, OPT_MEMBER(OPTIONS, member, const char *: 0), .of = OF_DIR, .call = tool_option_dir }
/* One of words such as "auto|input|time": an enum or bool, from the value `first' on. */
#define OPT_WORD(letter, name, words, member, first, help)		\
	{ letter, name, words, help, TOOL_WORD, OPT_MEMBER(OPTIONS, member, bool: 0, int: 0, unsigned: 0), .min = first, .of = words }
/* The same, with another name of the argument, as "[=json]". */
#define OPT_WORD_ARG(letter, name, arg, words, member, first, help)	\
	{ letter, name, arg, help, TOOL_WORD, OPT_MEMBER(OPTIONS, member, bool: 0, int: 0, unsigned: 0), .min = first, .of = words }
/* A list of numbers, a struct tool_list. */
#define OPT_NUMBERS(letter, name, member, least, help)			\
	{ letter, name, "LIST", help, TOOL_NUMBERS, OPT_MEMBER(OPTIONS, member, struct tool_list: 0), .min = least }
/* fn(t, &options) or fn(t, &options.member), which finds the argument in t->optarg (NULL: there is none), and exits 2 by tool_wrong(). */
#define OPT_CALL(letter, name, arg, what, fn, help)			\
	{ letter, name, arg, help, TOOL_CALL, .of = what, .call = fn }
#define OPT_CALL_ON(letter, name, arg, what, fn, member, help)		\
	{ letter, name, arg, help, TOOL_CALL, .at = offsetof(OPTIONS, member), .of = what, .call = fn }

/* The same; fn finds the value in t->optvalue: for several options of one function. */
#define OPT_CALL_AS(letter, name, arg, what, fn, member, value, help)	\
	{ letter, name, arg, help, TOOL_CALL, .at = offsetof(OPTIONS, member), .min = value, .of = what, .call = fn }

/*
 * Relations, checked after all options.  Each argument is one or more options, "every,sample", of which any will do; "order=input" is an
 * option with that argument.  Those that depend on more than this are checked by the command.
 */
#define OPT_NEEDS(these, others) { .name = these, .arg = others, .kind = TOOL_NEEDS }
/* `text' is what the message says instead of all the others. */
#define OPT_NEEDS_SOME(these, others, text) { .name = these, .arg = others, .help = text, .kind = TOOL_NEEDS }
/* why: "" or what the message adds, such as ", which needs the whole input". */
#define OPT_NOT_WITH(these, others, why) { .name = these, .arg = others, .help = why, .kind = TOOL_NOT_WITH }
/* With this option there may be no other than these. */
#define OPT_ONLY_WITH(this, others) { .name = this, .arg = others, .kind = TOOL_ONLY_WITH }
/* The results of all pieces would not make that of the whole. */
#define OPT_NOT_IN_PIECES(these) { .name = these, .kind = TOOL_NOT_IN_PIECES }

/* ---- rows of several commands -------------------------------------------------------------------- */

#define TOOL_OPT_TEXT(letter, name, arg, member, what, help)		\
	{ letter, name, arg, help, TOOL_TEXT, true, OPT_MEMBER(struct tool, member, const char *: 0), .of = what }
#define TOOL_OPT_FLAG(letter, name, member, help)			\
	{ letter, name, NULL, help, TOOL_FLAG, true, OPT_MEMBER(struct tool, member, bool: 0) }
#define TOOL_OPT_CALL(letter, name, arg, what, fn, help)		\
	{ letter, name, arg, help, TOOL_CALL, true, .of = what, .call = fn }

void	tool_option_dir(struct tool *, void *member);
void	tool_option_input(struct tool *, void *);
void	tool_option_max_expand(struct tool *, void *);
void	tool_option_allow(struct tool *, void *);
void	tool_option_jobs(struct tool *, void *);
void	tool_option_piece(struct tool *, void *);
void	tool_option_verbose(struct tool *, void *);
void	tool_option_help(struct tool *, void *);
void	tool_option_version(struct tool *, void *);

#define TOOL_OPTS_IN							\
	TOOL_OPT_CALL('i', "input", "FILE", OF_FILE, tool_option_input, "read FILE (default: standard input, or -)"),	\
	TOOL_OPT_CALL(0, "max-expand", "SIZE", NULL, tool_option_max_expand,	\
	    "stop if compressed input expands to more than SIZE (1G)")
#define TOOL_OPTS_OUT							\
	TOOL_OPT_TEXT('o', "output", "FILE", out_name, OF_FILE, "write to FILE (default: standard output, or -)"),	\
	TOOL_OPT_FLAG('f', "force", force, "replace an existing output file")
#define TOOL_OPT_FORMAT							\
	{ 0, "format", "stream|file", "form of the output; file: a seekable perf.data, needs -o", TOOL_WORD, true,	\
	    OPT_MEMBER(struct tool, as_file, bool: 0), .of = "stream|file" }
/* For tool_allows(). */
#define TOOL_OPT_ALLOW(words)						\
	TOOL_OPT_CALL(0, "allow", "LIST", words, tool_option_allow, "permit what is refused by default: " words)
/* manifest.h; help: of --manifest, which pcat also writes. */
#define TOOL_OPTS_MANIFEST(help)					\
	TOOL_OPT_TEXT(0, "manifest", "FILE", manifest, OF_FILE, help),	\
	{ 0, "allow-missing", "COUNT", "with --manifest: go on if up to COUNT parts are missing", TOOL_NUMBER, true,	\
	    OPT_MEMBER(struct tool, allow_missing, uint64_t: 0), .max = UINT32_MAX },	\
	OPT_NEEDS("allow-missing", "manifest")
/* jobs.h; with what else it does not go, and why: "" or as for OPT_NOT_WITH(). */
#define TOOL_OPT_JOBS(others, why)					\
	TOOL_OPT_CALL(0, "jobs", "N", NULL, tool_option_jobs, "read N pieces of the file at once, by processes; 0 or auto: one for each CPU"),	\
	OPT_NOT_WITH("jobs", "piece", ""), OPT_NOT_WITH("jobs", others, why)
/* Options of all tools. */
#define TOOL_OPTS_COMMON						\
	TOOL_OPT_CALL(0, "piece", "K/N", NULL, tool_option_piece,	\
	    "read the Kth of N equal shares of the samples, and all side-band"),	\
	TOOL_OPT_TEXT(0, "index-file", "NAME", index.name, OF_FILE, "use this index of the input (FILE.ppi)"),	\
	TOOL_OPT_FLAG(0, "no-index", index.off, "read all of the input, whatever an index says"),	\
	TOOL_OPT_FLAG(0, "verify-index", index.verify, "compare all bytes of the input with the index before it is used"),	\
	OPT_NOT_WITH("index-file,verify-index", "no-index", ""),	\
	TOOL_OPT_FLAG('q', "quiet", quiet, "print errors only"),	\
	TOOL_OPT_CALL('v', "verbose", NULL, NULL, tool_option_verbose, "print details on standard error"),	\
	TOOL_OPT_FLAG(0, "no-sandbox", confine.off, "do not confine the process (for debugging)"),	\
	TOOL_OPT_CALL('h', "help", NULL, NULL, tool_option_help, "print this help and exit"),	\
	TOOL_OPT_CALL(0, "version", NULL, NULL, tool_option_version, "print the version and exit")
#define TOOL_OPTS_END { .kind = TOOL_END }

/* Parse the command line by t->opts and store into *options, an OPTIONS.  Exits 2 on wrong usage. */
void	tool_options(struct tool *, void *options, int argc, char **argv);
/* From now on, as if that option had not been given. */
void	tool_forget(struct tool *, const char *name);

/* The number of the row of that option, whose name has n bytes; -1: there is none. */
int	tool_row(const struct tool *, const char *name, size_t n);
/* relation.c: exit 2 if one is not kept. */
void	tool_relations(const struct tool *);
/* option_list.c: --list-options, instead of all else on the command line. */
void	tool_list_options(const struct tool *);
/* The next of words with | , or spaces between them, of *n bytes; NULL: no more.  *p begins as the words. */
const char *tool_next_word(const char **p, size_t *n);

#endif
