/* SPDX-License-Identifier: ISC */
/*
 * tool.h - what the five commands share and the library must not do: options, messages, numbers, lists,
 * signals, progress, confinement.  A command is a table of options and a loop:
 *
 *	static const struct tool_opt opts[] = {
 *		TOOL_HEAD("Selection"),
 *		{ 'p', "pid", "LIST", "keep samples of these processes" },
 *		TOOL_HEAD("Input, output and messages"),
 *		TOOL_OPTS_IN, TOOL_OPTS_OUT, TOOL_OPTS_COMMON, TOOL_OPTS_END
 *	};
 *	struct tool t = { .name = "pfilter", .purpose = "...", .opts = opts };
 *
 *	while ((key = tool_getopt(&t, argc, argv)) != -1)
 *		switch (key) {
 *		case 'p': tool_list(&t, &o.pids, t.optarg); break;
 *		}
 *	tool_open(&t, 0);
 *	while (pp_next(t.in, &rec) > 0)
 *		...
 *	return tool_close(&t);
 */
#ifndef PP_TOOL_H
#define PP_TOOL_H

#include <stdio.h>
#include <time.h>

#include "atomic.h"
#include "perfpipe_inline.h"


struct tool_opt {
	int		 key;		/* the short letter; from TOOL_LONG on: no short form */
	const char	*name;		/* the long name, perf's where perf has one */
	/*
	 * What its argument is called; NULL: takes none; "[X]": optional, after =.  Repeated, an option of LIST, EXPR or RANGES
	 * adds up, and so does one that ends with "..."; any other with an argument is wrong usage then.
	 */
	const char	*arg;
	const char	*help;		/* one line for --help */
};
enum { TOOL_LONG = 256, TOOL_HEADING = 996, TOOL_MAX_EXPAND, TOOL_FORMAT, TOOL_ALLOW, TOOL_VERSION };

/* No option, but a title for the rows that follow in --help. */
#define TOOL_HEAD(title) { TOOL_HEADING, "", NULL, title }
#define TOOL_OPTS_IN							\
	{ 'i', "input", "FILE", "read FILE (default: standard input, or -)" },	\
	{ TOOL_MAX_EXPAND, "max-expand", "SIZE", "stop if compressed input expands to more than SIZE (1G)" }
#define TOOL_OPTS_OUT							\
	{ 'o', "output", "FILE", "write to FILE (default: standard output, or -)" },	\
	{ 'f', "force", NULL, "replace an existing output file" }
#define TOOL_OPT_FORMAT							\
	{ TOOL_FORMAT, "format", "stream|file", "form of the output; file: a seekable perf.data, needs -o" }
/* Words as in struct tool. */
#define TOOL_OPT_ALLOW(words)						\
	{ TOOL_ALLOW, "allow", "LIST", "permit what is refused by default: " words }
#define TOOL_OPTS_COMMON						\
	{ 'q', "quiet", NULL, "print errors only" },			\
	{ 'v', "verbose", NULL, "print details on standard error" },	\
	{ 'h', "help", NULL, "print this help and exit" },		\
	{ TOOL_VERSION, "version", NULL, "print the version and exit" }
#define TOOL_OPTS_END { 0, NULL, NULL, NULL }

struct tool {
	/* said by the command */
	const char	*name, *purpose;
	const char	*examples;		/* for --help: a line "  $ command" for each */
	const struct tool_opt *opts;
	bool		 opens_files;		/* later on, by name: no confinement then */
	bool		 no_output;		/* this time no file is opened for TOOL_OPTS_OUT */
	bool		 report;		/* what it writes is no stream, and complete whatever the input was */
	bool		 many;			/* takes any number of inputs: names */
	const char	*allow;			/* the words of its TOOL_OPT_ALLOW: "kernels,clocks" */
	/* said by the user */
	const char	*in_name, *out_name;	/* NULL: stdin, stdout */
	char		**names;		/* `many': all inputs, in order */
	int		 nnames;
	int		 verbose;
	bool		 quiet;
	unsigned	 open_flags;		/* of pp_open(), for all inputs; tool_open() takes them by itself */
	bool		 force;			/* replace an output file that exists, and nothing else */
	bool		 as_file;		/* --format=file */
	unsigned	 allowed;		/* by tool_allows(): of `allow', by place */
	uint64_t	 given[2];		/* by tool_given(): of `opts', by place */
	const char	*optarg;		/* of the option just returned */
	const char	*optname;		/* that option as the user would write it, "--pid" */
	/* made by tool_open() */
	struct pp_source *in;
	struct pp_sink	*out;			/* NULL if the command has no TOOL_OPTS_OUT */
	struct pp_err	 in_err, out_err;
	struct atomic	 file;			/* -o */
	struct atomic	*files;			/* all that tool_create() has opened */
	bool		 partial;		/* said by the command: what was written is not complete, whatever in_err says */
	struct timespec	 began, shown;		/* for progress */
};

/* The next option's key, -1 at the end.  Common options and operands are dealt with; wrong use exits 2. */
int	tool_getopt(struct tool *, int argc, char **argv);
/* Was the option with that key given? */
bool	tool_given(const struct tool *, int key);
/* Did the user --allow that, which is one of the tool's words? */
bool	tool_allows(const struct tool *, const char *word);
/*
 * Open input and output (by flags of pp_open), write the pipe header, set up signals, progress and
 * confinement.  On failure says why and exits.
 */
void	tool_open(struct tool *, unsigned flags);
/*
 * The steps of tool_open(), for a command that opens its output itself: refuse terminals and set up signals; open
 * the input; and when nothing more needs opening, progress and confinement.
 */
void	tool_check(struct tool *);
void	tool_open_input(struct tool *, unsigned flags);
void	tool_ready(struct tool *);
/*
 * Open an output by the rule of perfpipe(7), which tool_close() ends: the file gets its name if all was written and the
 * input was sound to its end, another name if not, and none if it could not be written.  One that is the input exits 2; one
 * that cannot be opened exits 1.  A file that exists has been refused by tool_check(), or must be by tool_refuse_file().
 */
void	tool_create(struct tool *, struct atomic *, const char *path, struct pp_err *);
void	tool_refuse_file(const struct tool *, const char *path);
/*
 * A sink for an output that tool_create() opened, in the format that the user chose and the byte order of `in', with its
 * header written.  On failure says why and exits.
 */
struct pp_sink *tool_sink(const struct tool *, struct atomic *, struct pp_source *in);
/* Those that are open get no name. */
void	tool_abandon(struct tool *);
/* The same for an output that the caller opened by atomic_open(): name it, say it, close it.  1, or -1. */
int	tool_name(const struct tool *, struct atomic *);
/* The progress line, if it is time for one. */
void	tool_progress(struct tool *, uint64_t done, uint64_t total);
/* Exit 2 if the open input is that file (NULL or "-": standard output), which is about to be written. */
void	tool_refuse_input(const struct tool *, const char *path);
/* Close both ends, print what went wrong; the exit status: 0, 1. */
int	tool_close(struct tool *);

/* "name: file: byte N: text" of an error; this and all below make what they print harmless by vis(3). */
void	tool_say(const struct tool *, const struct pp_err *);
/* "name: warning: text", unless -q. */
void	tool_warn(const struct tool *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "name: text" under -v. */
void	tool_note(const struct tool *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "name: text", exit 2. */
_Noreturn void tool_wrong(const struct tool *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Memory, or "name: out of memory", exit 1. */
void	*tool_alloc(size_t n, size_t size);		/* zeroed */
void	*tool_realloc(void *, size_t n, size_t size);
/* A copy of n bytes with everything that a terminal could obey escaped; the caller frees. */
char	*tool_vis(const char *, size_t n);

/* ---- arguments of the option just returned; wrong ones exit 2 naming it ------------------------ */

uint64_t tool_number(const struct tool *, const char *text, uint64_t min, uint64_t max);
uint64_t tool_size(const struct tool *, const char *text);	/* 64K, 10M, 1G: bytes, 1024-based */
uint64_t tool_duration(const struct tool *, const char *text);	/* 1.5s, 10ms, 5m; plain: seconds; ns */
uint64_t tool_seconds(const struct tool *, const char *text);	/* 12.345678901 of the trace clock; ns */

/* A set of numbers: "1,2,10-20,-1,file://NAME".  tool_list() adds to it; after tool_list_ready() it can be asked. */
struct tool_list {
	struct tool_range { int64_t lo, hi; } *r;	/* once ready: ascending, apart */
	size_t		 n, cap;
	int64_t		 lo, hi;			/* nothing lies outside of these */
	uint64_t	*bits;				/* of the numbers from 0 to nbits - 1 */
	uint64_t	 nbits;
};
void	tool_list(const struct tool *, struct tool_list *, const char *text);
void	tool_list_ready(struct tool_list *);
bool	tool_list_search(const struct tool_list *, int64_t);
/* The time that this takes does not depend on how many there are. */
static inline bool
tool_list_has(const struct tool_list *l, int64_t n)
{
	if (!l->n || n < l->lo || n > l->hi)
		return false;
	if (l->n == 1)
		return true;
	return (uint64_t)n < l->nbits ? l->bits[n >> 6] >> (n & 63) & 1 : tool_list_search(l, n);
}
/* Is every number of `a' in `b' (both ready)? */
bool	tool_list_within(const struct tool_list *a, const struct tool_list *b);
void	tool_list_free(struct tool_list *);

/* All of the text of the file that "file://NAME" names, to be freed; NULL: text is no such thing. */
char	*tool_named_file(const struct tool *, const char *text);

/*
 * Call fn for each comma-separated word; commas inside slashes or braces do not count (event names).  Of
 * "file://NAME": for each line of the file that is not empty.
 */
void	tool_words(const struct tool *, const char *text, void (*fn)(void *arg, const char *word), void *arg);

#endif
