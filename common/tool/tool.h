/* SPDX-License-Identifier: ISC */
/*
 * tool.h - what the commands share and a library must not do: messages, numbers, lists, files, signals, progress, confinement
 *
 * A command is a table of options (option.h) and a loop:
 *
 *	struct tool t = { .name = "pfilter", .purpose = "...", .opts = opts };
 *
 *	tool_options(&t, &o, argc, argv);
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
#include "confine.h"
#include "perfpipe_inline.h"
#include "source/spare.h"

struct jobs;
struct slot;
struct tool_opt;
struct pp_piece_marks;
struct ppi_ask;
struct ppi_use;
struct tool_index {			/* the index of the input, FILE.ppi */
	const char	*name;		/* --index-file; NULL: that name */
	bool		 off, verify;	/* --no-index, --verify-index */
	/* set by the command before tool_open_input(): what it keeps (index/use.h); NULL: all, and `why' it has to (for -v) */
	const struct ppi_ask *ask;
	const char	*why;
	bool		 wanted;	/* set by a command that calls tool_index_whole() */
	bool		 snaps;		/* set by a command: what is in front of a piece of --jobs is no more than the state to it */
	/* private */
	char		*path;
	int		 fd;		/* of an index that was not read yet; -1 */
	bool		 open;
	struct ppi_reader *reader;	/* NULL: none that fits */
	struct ppi_use	*use;		/* by t->in */
};

struct tool_index_out {			/* --write-index: the index of the -o file */
	/* set by the command */
	bool		 asked;
	uint64_t	 size, every;	/* of struct ppi_build */
	/* private */
	char		*path;		/* NULL: it is not open */
	struct atomic	 file;
	struct pp_err	 err;
	int		 to, heard, from;	/* the process that makes it hears and speaks; -1: there is none */
	uint64_t	 told;		/* how much it was told of */
	unsigned	 behind;	/* words that it has not answered */
};

enum { TOOL_ROWS = 192 };		/* of a table of options, at most */
struct tool {
	/* set by the command */
	const char	*name, *purpose;
	const char	*examples;		/* for --help: lines " $ command" */
	const struct tool_opt *opts;
	bool		 no_output;		/* no output file is opened for TOOL_OPTS_OUT in this run */
	bool		 text;			/* the output is text: a terminal may get it */
	bool		 report;		/* the output is no stream, and is complete even if the input is not */
	void		(*on_fault)(void *, const struct pp_err *);	/* for pp_on_fault(); NULL: print them */
	void		*on_fault_arg;
	bool		 many;			/* it takes any number of inputs: `names' */
	/* set by options and operands */
	const char	*in_name, *out_name;	/* NULL: stdin, stdout */
	char		**names;		/* if `many': all inputs, in order */
	int		 nnames;
	const char	*manifest;		/* --manifest, from which `names' come; NULL: not given */
	uint64_t	 allow_missing;		/* parts of it that need not be there */
	int		 verbose;
	bool		 quiet;
	unsigned	 open_flags;		/* for pp_open() of each input; tool_open() adds them by itself */
	bool		 force;			/* replace an existing output file; nothing else */
	bool		 as_file;		/* --format=file */
	struct out	*container;		/* of it: what the sink that was made last puts records into */
	unsigned	 allowed;		/* for tool_allows(): bit n is the nth word of the row */
	const char	*given[TOOL_ROWS];	/* by row of opts: the argument, "" if it has none; NULL: the option was not given */
	struct tool_said { int row; const char *arg; } *said;	/* all options in the order in which they were given; arg NULL: none */
	size_t		 nsaid;
	void		*options;		/* of the command */
	const char	*optarg;		/* argument of the option that is stored now; NULL: it has none */
	int		 optvalue;		/* of its row */
	const char	*optname;		/* that option as the user writes it, "--pid" */
	struct confine	 confine;		/* its `off': --no-sandbox */
	struct {				/* --piece; n 0: not given */
		uint64_t	 k, n;
		uint64_t	 total;		/* bytes of all SAMPLEs, ... */
		bool		 summed, reads;	/* ... if they are known; some event has PERF_SAMPLE_READ */
		struct pp_piece_marks *marks;	/* of the process of a piece: what the sink cuts by; NULL: it writes all */
		struct pp_source *whole;	/* the input once more, to find that out */
		struct pp_err	 err;
	}		 piece;
	struct {				/* --jobs: jobs.h */
		uint64_t	 n;		/* pieces at once; 0, 1: no process but this */
		bool		 asked;		/* what cannot be cut is refused */
		/* in the process of a piece: */
		struct slot	*slot;		/* what it shares with the parent; NULL: it is no such process */
		bool		 sums;		/* it only adds up the samples, for all */
		int		 out, once;	/* its output; where it notes what other pieces may have, too */
		/* behind tool_jobs(): */
		struct jobs	*all;
	}		 jobs;
	struct tool_index index;
	struct tool_index_out index_out;
	/* set by tool_open() */
	struct pp_spare	*spare;			/* for inputs that have to be copied into a temporary file */
	struct pp_source *in;
	struct pp_sink	*out;			/* NULL if the command has no TOOL_OPTS_OUT */
	struct pp_err	 in_err, out_err;
	struct atomic	 file;			/* -o */
	struct atomic	*files;			/* outputs opened by tool_create() */
	bool		 partial;		/* set by the command: the output is incomplete, even without an in_err */
	bool		 unwritten;		/* ... something could not be written: no output gets a name */
	bool		 failed;		/* set by the command: the exit status is 1, even if the output is complete */
	void		(*make_way)(void *);	/* set by the command: what it has drawn on the terminal goes before a message; or NULL */
	void		*make_way_arg;
	struct timespec	 began, shown;		/* for progress */
};

/* Was one of the options given?  "every,sample"; "order=input": with that argument. */
bool	tool_given(const struct tool *, const char *options);
/*
 * Those of the options "every,sample" that were given, in their order, as words for another command line, "--every=2", behind the
 * n words that *words has; it grows, and the new words are allocated.  How many words it then has.
 */
size_t	tool_say_again(const struct tool *, const char *options, char ***words, size_t n);
/* Was this word given to --allow? */
bool	tool_allows(const struct tool *, const char *word);
/*
 * Open input and output (flags: of pp_open()), write the pipe header, set up signals, progress and confinement.  On failure
 * prints the reason and exits.
 */
void	tool_open(struct tool *, unsigned flags);
/* The same in two steps, for a command that first reads the input by a tool_source() of its own: up to tool_lock(), and the rest. */
void	tool_open_locked(struct tool *, unsigned flags);
void	tool_open_begin(struct tool *);
/*
 * The steps of tool_open(), for a command that has more to open.  First refuse terminals and set up signals, and open the input
 * without reading it; then open or allow all else: outputs by tool_create(), temporary files, random seeds.  Then lock: from
 * there on the process can do nothing but read and write what is open, and use what was allowed (confine.h); progress begins.
 * Only then read the first bytes of the input.  The functions that return int return 1, or -1: the input cannot be read, see
 * in_err; but unless the output is a report of the input, they print the reason and exit.
 */
void	tool_check(struct tool *);
int	tool_open_input(struct tool *, unsigned flags);
void	tool_lock(struct tool *);
int	tool_begin_input(struct tool *);
/*
 * After tool_lock(), open the file or what is below the directory (NULL or "-": standard input once more) by these rights, as in
 * unveil(2): "r" read, "w" write, "c" create, rename and remove; "d" make directories.
 */
void	tool_allow(struct tool *, const char *path, const char *rights);
/* pp_open() of one of several inputs, also after tool_lock(): with the flags of the user, and the spare temporary file. */
struct pp_source *tool_source(const struct tool *, const char *path, unsigned flags, struct pp_err *);
/*
 * An input was read in advance up to an error, if err has one.  What is damaged is said when it is read again; but where a system call
 * failed, the result would be another one without a word: say it, and exit.
 */
void	tool_ahead(struct tool *, const struct pp_err *);
/* tool_source() to read in advance, and if it fails tool_ahead(). */
struct pp_source *tool_source_ahead(struct tool *, const char *path, unsigned flags, struct pp_err *);
/*
 * Open an output file, which tool_close() completes: the file gets its name if all was written and the input was sound up to
 * its end; the name NAME.tmp if the input was not; and no name if writing failed.  Exits 2 if the file is the input, 1 if it
 * cannot be opened. tool_check() refuses an existing -o file; for other files call tool_refuse_file().
 */
void	tool_create(struct tool *, struct atomic *, const char *path, struct pp_err *);
void	tool_refuse_file(const struct tool *, const char *path);
/*
 * A sink for an output of tool_create(), in the format of --format and the byte order of `in', with the header written.  On
 * failure prints the reason and exits.
 */
struct pp_sink *tool_sink(struct tool *, struct atomic *, struct pp_source *in);
/* A stream to write by, to a duplicate of the descriptor.  NULL: err has the reason. */
FILE	*tool_stream(int fd, struct pp_err *err);
/* Flush and close it.  If not all was written, err has the reason: errno is to be 0 before the first byte. */
void	tool_stream_close(FILE *, struct pp_err *err);
/* Close and delete the outputs of tool_create(). */
void	tool_abandon(struct tool *);
/*
 * Do what tool_close() does with an output file, for one that the caller opened by atomic_open(): give it its name, report it,
 * close it.  1, or -1.
 */
int	tool_name(const struct tool *, struct atomic *);
/* With --piece or --jobs, exit 2 for an option or form of that name: the results of all pieces would not make that of the whole. */
void	tool_piece_refuse(const struct tool *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* When the input is opened; when it has begun.  1, or -1: in_err. */
enum { PIECES_MAX = 1000000 };
void	tool_piece_open(struct tool *, unsigned flags);
int	tool_piece_begin(struct tool *);
/* The input was read to its end, or to damage, before tool_begin_input(): the bytes of its SAMPLEs, and whether events->reads is set. */
void	tool_piece_sum(struct tool *, uint64_t sample_bytes, bool reads);
/*
 * Let one more source of the input, which has begun, use the index.  NULL: there is none that fits.  ppi_use_free() it when the source is
 * closed; not at the same time as t->in, which tool_begin_input() does it for.
 */
struct ppi_use *tool_index_use(struct tool *, struct pp_source *, const struct ppi_ask *);
/*
 * What the index says of all of the input, a source of which has begun, with `reads': some event has PERF_SAMPLE_READ.  false: there
 * is none that knows all of it.
 */
struct pp_chunk;
bool	tool_index_sums(struct tool *, struct pp_source *, struct pp_chunk *sums, bool *reads);
/* The index, if it knows all of the input; the tool's, like what it says. */
struct ppi_reader *tool_index_whole(struct tool *, struct pp_source *);
/* The name of the index of an input; the caller frees it. */
char	*tool_index_path(const char *input);
/* Was it made by somebody whom we believe: ourselves, or the owner of the recording?  false: *why, to be followed by the input's name. */
bool	tool_index_believed(int fd, const char *input, const char **why);
/* Exit 2 if what has the name that we chose for an index is no file: in a directory of others a link may lead anywhere, and a FIFO make us wait. */
void	tool_index_refuse(const struct tool *, const char *path);
/* Begin the index of the name that we chose: no link is followed.  1, or -1. */
int	tool_index_create(struct atomic *, const char *path, bool force, struct pp_err *);
/*
 * The index of the output, if index_out.asked: open it when t->file is open, before tool_lock(); give each sink that writes that file,
 * which exists at once, to tool_index_out_sink(); where bytes are written without a sink, call tool_index_out_wrote(&t->index_out, bytes so
 * far).  When the output is complete, and has no name yet: 1, or -1, with a message.  There is none of what is incomplete.
 */
void	tool_index_out_open(struct tool *);
void	tool_index_out_sink(struct tool *, struct pp_sink *);
void	tool_index_out_wrote(void *index_out, uint64_t written);
int	tool_index_out_finish(struct tool *);
void	tool_index_out_close(struct tool *);
/* tool.c: when the input is opened; has begun; before and after it is closed. */
void	tool_index_open(struct tool *);
void	tool_index_begin(struct tool *);
void	tool_index_say(const struct tool *);
void	tool_index_close(struct tool *);
/*
 * The name of the input for one more tool_source(), which reads it from its beginning; NULL: it can be read only once.
 * tool_allow() the input before tool_lock().
 */
const char *tool_twice(struct tool *);
/* The same for the file of a name.  Both exit by tool_ahead() if that cannot be told. */
const char *tool_file_twice(struct tool *, const char *path);
/* From now on there is a progress line, if somebody sees it; tool_lock() does that. */
void	tool_progress_begin(struct tool *);
/* Show the progress line, at most some times each second. */
void	tool_progress(struct tool *, uint64_t done, uint64_t total);
/* Take it away, if one was shown; there is none from then on. */
void	tool_progress_end(struct tool *);
/* Would tool_progress() show one now?  For those to whom the numbers are dear. */
bool	tool_progress_due(const struct tool *);
/* Exit 2 if the input is the file of that path, which is about to be written (NULL or "-": standard output). */
void	tool_refuse_input(const struct tool *, const char *path);
/* The same for the n inputs of these names, which are not open. */
void	tool_refuse_names(const struct tool *, const char *path, char *const *names, int n);
/* Close input and outputs and print their errors.  The exit status: 0, or 1. */
int	tool_close(struct tool *);

/* Print "name: file: byte N: text".  This and the functions below escape unprintable characters by vis(3). */
void	tool_say(const struct tool *, const struct pp_err *);
/* Print "name: warning: text", unless -q. */
void	tool_warn(const struct tool *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Print "name: text" if -v. */
void	tool_note(const struct tool *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Print "name: text" and exit 2. */
_Noreturn void tool_wrong(const struct tool *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Print "name: out of memory" and exit 1. */
_Noreturn void tool_no_memory(void);
/* Allocate, or tool_no_memory(). */
void	*tool_alloc(size_t n, size_t size);		/* zeroed */
void	*tool_need(void *);		/* array_more() and the like (set.h), or tool_no_memory() */
/* A file whose text is *text, with size *n, after tool_text_end(); the caller frees it.  Both end by tool_no_memory(). */
FILE	*tool_text(char **text, size_t *n);
void	 tool_text_end(FILE *, char *const *text);
/* Once, before the tool is confined: what tool_vis() needs. */
void	 tool_vis_begin(void);
/* A copy of n bytes, with control characters escaped; the caller frees it. */
char	*tool_vis(const char *, size_t n);
/* Write n bytes as 2 n hexadecimal digits and a NUL. */
void	 tool_hex(char *to, const uint8_t *, size_t n);
/* Is the Unicode character invisible or does it affect others: C1 controls, marks of direction and width, tags? */
bool	tool_hidden(uint32_t);
/* Does the user's locale, by its name, have UTF-8?  The tools' own always does. */
bool	tool_utf8(void);

/* ---- parse the argument of the option that is stored now; exit 2, naming the option, if it is wrong ---- */

uint64_t tool_number(const struct tool *, const char *text, uint64_t min, uint64_t max);
uint64_t tool_size(const struct tool *, const char *text);	/* bytes; "64K", "10M", "1G": powers of 1024 */
uint64_t tool_duration(const struct tool *, const char *text);	/* ns; "1.5s", "10ms", "5m"; without a unit seconds */
uint64_t tool_seconds(const struct tool *, const char *text);	/* ns; "12.345678901": seconds of the recording's clock */

/* The number of one of the words, "auto|input|time". */
int	tool_word(const struct tool *, const char *text, const char *words);

/* A set of numbers, "1,2,10-20,-1,file://NAME".  tool_list() adds to it.  Call tool_list_ready() before the functions below. */
struct tool_list {
	struct tool_range { int64_t lo, hi; } *r;	/* once ready: ascending and disjoint */
	size_t		 n;
	int64_t		 lo, hi;			/* the smallest and the largest number */
	uint64_t	*bits;				/* for numbers from 0 to nbits - 1 */
	uint64_t	 nbits;
};
void	tool_list(const struct tool *, struct tool_list *, const char *text);
void	tool_list_ready(struct tool_list *);
bool	tool_list_search(const struct tool_list *, int64_t);
/* The time it takes does not depend on the size of the set. */
static inline bool
tool_list_has(const struct tool_list *l, int64_t n)
{
	if (!l->n || n < l->lo || n > l->hi)
		return false;
	if (l->n == 1)
		return true;
	return (uint64_t)n < l->nbits ? l->bits[n >> 6] >> (n & 63) & 1 : tool_list_search(l, n);
}
/* Is `a' a subset of `b'?  Both are ready. */
bool	tool_list_within(const struct tool_list *a, const struct tool_list *b);
void	tool_list_free(struct tool_list *);

/* The contents of the file if text is "file://NAME", else NULL; the caller frees it. */
char	*tool_named_file(const struct tool *, const char *text);

/*
 * Call fn for each comma-separated word.  A comma inside slashes or braces does not separate (event names).  If text is
 * "file://NAME", call fn for each line of the file that is not empty.
 */
void	tool_words(const struct tool *, const char *text, void (*fn)(void *arg, const char *word), void *arg);

#endif
