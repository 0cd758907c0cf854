/* SPDX-License-Identifier: ISC */
/* tool.c - options and messages; arg.c parses arguments, tool_open.c opens files, tool_lock.c confines, tool_out.c completes outputs */
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include <bsd/vis.h>

#include <zstd.h>

#include "tool.h"
#include "set.h"

enum { OPTS_MAX = 128 };		/* bits of given */

/* ---- messages ---------------------------------------------------------------------------------- */

bool
tool_hidden(uint32_t c)
{
	static const struct { uint32_t lo, hi; } acts[] = {
		{ 0x80, 0x9f }, { 0xad, 0xad }, { 0x61c, 0x61c }, { 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e },
		{ 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
		if (c >= acts[i].lo && c <= acts[i].hi)
			return true;
	return false;
}

/* Can vis(3) escape the text by character?  It reads invalid bytes as Latin-1, and leaves marks of direction unescaped. */
static bool
tool_sound_utf8(const char *s, size_t n)
{
	mbstate_t state = { 0 };

	for (size_t len; n; s += len, n -= len) {
		wchar_t c;

		if ((len = mbrtowc(&c, s, n, &state)) > n || tool_hidden((uint32_t)c))
			return false;
		len += !len;		/* a NUL */
	}
	return true;
}

bool
tool_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *locale = getenv(names[i]), *codes;

		if (locale && *locale)
			return (codes = strchr(locale, '.')) && (!strncasecmp(codes, ".utf-8", 6) || !strncasecmp(codes, ".utf8", 5));
	}
	return false;
}

void
tool_vis_begin(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");		/* only for vis(3): which characters are printable */
	tool_sound_utf8("", 1);			/* the C library opens the files that it needs for that */
}

char *
tool_vis(const char *s, size_t n)
{
	char *out = tool_alloc(n + 1, 4);

	strvisx(out, s, n, VIS_CSTYLE | VIS_TAB | VIS_NL | VIS_NOSLASH | (tool_sound_utf8(s, n) ? 0 : VIS_NOLOCALE));
	return out;
}

void
tool_hex(char *to, const uint8_t *p, size_t n)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*to++ = digit[p[i] >> 4];
		*to++ = digit[p[i] & 15];
	}
	*to = 0;
}

void
tool_say(const struct tool *t, const struct pp_err *err)
{
	char *file = tool_vis(err->file, strlen(err->file)), *what = tool_vis(err->what, strlen(err->what));

	fflush(stdout);
	if (err->at)
		fprintf(stderr, "%s: %s: byte %ju: %s\n", t->name, file, (uintmax_t)err->off, what);
	else
		fprintf(stderr, "%s: %s: %s\n", t->name, file, what);
	free(file);
	free(what);
}

/* The text may contain names from the stream or the command line: escape what a terminal could obey. */
static void __attribute__((format(printf, 3, 0)))
tool_print(const struct tool *t, const char *before, const char *fmt, va_list ap)
{
	char text[4096], *safe;

	vsnprintf(text, sizeof text, fmt, ap);
	safe = tool_vis(text, strlen(text));
	fflush(stdout);
	fprintf(stderr, "%s: %s%s\n", t->name, before, safe);
	free(safe);
}

void
tool_warn(const struct tool *t, const char *fmt, ...)
{
	va_list ap;

	if (t->quiet)
		return;
	va_start(ap, fmt);
	tool_print(t, "warning: ", fmt, ap);
	va_end(ap);
}

void
tool_note(const struct tool *t, const char *fmt, ...)
{
	va_list ap;

	if (!t->verbose)
		return;
	va_start(ap, fmt);
	tool_print(t, "", fmt, ap);
	va_end(ap);
}

_Noreturn void
tool_wrong(const struct tool *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tool_print(t, "", fmt, ap);
	va_end(ap);
	exit(2);
}

void
tool_no_memory(void)
{
	errx(1, "out of memory");
}

void *
tool_alloc(size_t n, size_t size)
{
	return tool_need(calloc(n ? n : 1, size));
}

void *
tool_need(void *p)
{
	if (!p)
		tool_no_memory();
	return p;
}

/* ---- options ----------------------------------------------------------------------------------- */

static void
tool_help_row(const struct tool_opt *o)
{
	enum { LEFT = 28 };
	bool is_short = o->key < TOOL_LONG, optional = o->arg && o->arg[0] == '[';
	int n;

	n = printf("  %c%c%s--%s%s%s", is_short ? '-' : ' ', is_short ? o->key : ' ', is_short ? ", " : "  ", o->name,
	    !o->arg || optional ? "" : " ", o->arg ? o->arg : "");
	if (n > LEFT)
		n = printf("\n") - 1;
	printf("%*s%s\n", LEFT + 2 - n, "", o->help);
}

static void
tool_help(const struct tool *t)
{
	printf("usage: %s [options] [FILE%s]\n%s\n", t->name, t->many ? "..." : "", t->purpose);
	if (t->opts->key != TOOL_HEADING)
		putchar('\n');
	for (const struct tool_opt *o = t->opts; o->name; o++)
		if (o->key == TOOL_HEADING)
			printf("\n%s:\n", o->help);
		else
			tool_help_row(o);
	if (t->examples)
		printf("\nExamples:\n%s", t->examples);
	printf("\nSee %s(1) for details, perfpipe(7) for terms.\n", t->name);
}

/* Make the tables of getopt_long(3). */
static void
tool_getopt_tables(const struct tool *t, char *letters, struct option *longs)
{
	if (t->many)
		*letters++ = '-';	/* operands come as key 1, in their places between the options */
	*letters++ = ':';		/* a missing argument is ':', not '?' */
	for (const struct tool_opt *o = t->opts; o->name; o++) {
		int has = !o->arg ? no_argument : o->arg[0] == '[' ? optional_argument : required_argument;

		if (o->key == TOOL_HEADING)
			continue;
		*longs++ = (struct option){ o->name, has, NULL, o->key };
		if (o->key >= TOOL_LONG)
			continue;
		*letters++ = (char)o->key;
		for (int i = 0; i < has; i++)
			*letters++ = ':';
	}
	*letters = 0;
	*longs = (struct option){ NULL, 0, NULL, 0 };
}

static void
tool_input(struct tool *t, char *name)
{
	if (t->many) {
		t->names = tool_need(array_more(t->names, (size_t)t->nnames, 1, sizeof *t->names));
		t->names[t->nnames++] = name;
	} else if (t->in_name)
		tool_wrong(t, "one input only: '%s' and '%s'", t->in_name, name);
	t->in_name = name;
}

/* The index of a word in t->allow; -1: it is not in it. */
static int
tool_allow_index(const struct tool *t, const char *word)
{
	const char *p = t->allow;
	size_t n = strlen(word);

	for (int i = 0; p && *p; i++) {
		if (strcspn(p, ",") == n && !strncmp(p, word, n))
			return i;
		p += strcspn(p, ",");
		p += *p == ',';
	}
	return -1;
}

static void
tool_allow_word(void *arg, const char *word)
{
	struct tool *t = arg;
	int i = tool_allow_index(t, word);

	if (i < 0)
		tool_wrong(t, "--allow '%s': expected words of %s", word, t->allow);
	t->allowed |= 1u << i;
}

bool
tool_allows(const struct tool *t, const char *word)
{
	int i = tool_allow_index(t, word);

	return i >= 0 && t->allowed >> i & 1;
}

/* Handle a common option; false: it is an option of the command. */
static bool
tool_common_option(struct tool *t, int key)
{
	switch (key) {
	case 1:				/* an operand, if `many' */
	case 'i':
		tool_input(t, optarg);
		return true;
	case 'o':
		t->out_name = t->optarg;
		return true;
	case 'f':
		t->force = true;
		return true;
	case TOOL_FORMAT:
		t->as_file = !strcmp(t->optarg, "file");
		if (!t->as_file && strcmp(t->optarg, "stream"))
			tool_wrong(t, "--format '%s': expected stream or file", t->optarg);
		return true;
	case TOOL_ALLOW:
		tool_words(t, t->optarg, tool_allow_word, t);
		return true;
	case TOOL_MANIFEST:
		t->manifest = t->optarg;
		return true;
	case TOOL_ALLOW_MISSING:
		t->allow_missing = tool_number(t, t->optarg, 0, UINT32_MAX);
		return true;
	case TOOL_MAX_EXPAND:
		t->open_flags = PP_OPEN_MAX_EXPAND(tool_size(t, t->optarg));
		return true;
	case 'q':
		t->quiet = true;
		return true;
	case TOOL_PIECE:
		tool_piece_option(t);
		return true;
	case TOOL_INDEX_FILE:
		t->index.name = t->optarg;
		return true;
	case TOOL_NO_INDEX:
		t->index.off = true;
		return true;
	case TOOL_VERIFY_INDEX:
		t->index.verify = true;
		return true;
	case 'v':
		t->verbose++;
		return true;
	case 'h':
		tool_help(t);
		exit(fclose(stdout) ? 1 : 0);
	case TOOL_NO_SANDBOX:
		t->confine.off = true;
		return true;
	case TOOL_VERSION:
		printf("%s (perfpipe) %s, zstd %s, record types up to %d\n", t->name, PP_VERSION,
		    ZSTD_versionString(), PP_TYPE_END - 1);
		exit(fclose(stdout) ? 1 : 0);
	default:
		return false;
	}
}

/*
 * If a standard descriptor is closed, the next file opened would get it, and messages or records would be written into the
 * file.  So open something in its place that cannot be read or written: uses of it still fail.
 */
static void
tool_open_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			exit(1);	/* there is no descriptor for a message */
}

static int
tool_row_of(const struct tool *t, int key)
{
	int row = 0;

	while (t->opts[row].name && t->opts[row].key != key)
		row++;
	return t->opts[row].name ? row : -1;
}

bool
tool_given(const struct tool *t, int key)
{
	int row = tool_row_of(t, key);

	return row >= 0 && t->given[row / 64] >> row % 64 & 1;
}

static bool
tool_adds_up(const struct tool_opt *o)
{
	static const char *const lists[] = { "LIST", "EXPR", "RANGES" };
	size_t n = o->arg ? strlen(o->arg) : 0;

	for (size_t i = 0; n && i < sizeof lists / sizeof *lists; i++)
		if (!strcmp(o->arg, lists[i]))
			return true;
	return !n || o->key == 'i' || (n > 3 && !strcmp(o->arg + n - 3, "..."));
}

/* Set optname, and refuse a repeated option that has one value. */
static void
tool_note_given(struct tool *t, int key, char *name, size_t size)
{
	int row = tool_row_of(t, key);

	if (row < 0)			/* an operand */
		return;
	snprintf(name, size, "--%s", t->opts[row].name);
	if (tool_given(t, key) && !tool_adds_up(&t->opts[row]))
		tool_wrong(t, "%s: given twice, but takes one value", name);
	t->given[row / 64] |= UINT64_C(1) << row % 64;
}

int
tool_getopt(struct tool *t, int argc, char **argv)
{
	char letters[3 * OPTS_MAX];
	struct option longs[OPTS_MAX];
	static char name[64];		/* the only user is the next message */
	int key;

	if (optind == 1)
		tool_open_standard();
	tool_getopt_tables(t, letters, longs);
	opterr = 0;
	for (;;) {
		int at = optind;

		key = getopt_long(argc, argv, letters, longs, NULL);
		t->optarg = optarg;
		if (key == -1)
			break;
		if (key == '?' || key == ':') {
			const char *word = argv[optind > at ? optind - 1 : at];
			bool is_long = !strncmp(word, "--", 2);

			if (is_long)
				snprintf(name, sizeof name, "%s", word);
			else
				snprintf(name, sizeof name, "-%c", optopt);
			tool_wrong(t, "%s: %s; see %s --help", name, key == ':' ? "needs an argument" :
			    is_long && optopt ? "takes no argument" : "no such option", t->name);
		}
		tool_note_given(t, key, name, sizeof name);
		t->optname = name;
		if (!tool_common_option(t, key))
			return key;
	}
	for (; optind < argc; optind++)
		tool_input(t, argv[optind]);
	return 0;
}
