/* SPDX-License-Identifier: ISC */
/* option.c - the command line by the rows of option.h, and --help */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zstd.h>

#include "option.h"
#include "set.h"

enum { ROW = 1000 };	/* getopt_long(3) returns ROW and the number of the row, or the letter, or 1 */

static bool
is_option(const struct tool_opt *o)
{
	return o->name && o->kind != TOOL_HEADING && o->kind < TOOL_NEEDS;
}

int
tool_row(const struct tool *t, const char *name, size_t n)
{
	for (const struct tool_opt *o = t->opts; o && o->name; o++)
		if (is_option(o) && strlen(o->name) == n && !memcmp(o->name, name, n))
			return (int)(o - t->opts);
	return -1;
}

void
tool_forget(struct tool *t, const char *name)
{
	int row = tool_row(t, name, strlen(name));

	if (row >= 0)
		t->given[row] = NULL;
}

size_t
tool_say_again(const struct tool *t, const char *options, char ***words, size_t n)
{
	for (size_t i = 0; i < t->nsaid; i++) {
		const struct tool_opt *o = &t->opts[t->said[i].row];
		const char *arg = t->said[i].arg, *at = options, *word;
		size_t len;
		char *text;

		while ((word = tool_next_word(&at, &len)) && (strlen(o->name) != len || memcmp(o->name, word, len)))
			;
		if (!word)
			continue;
		text = tool_alloc(len + (arg ? strlen(arg) : 0) + 4, 1);
		sprintf(text, "--%s%s%s", o->name, arg ? "=" : "", arg ? arg : "");
		*words = tool_need(array_more(*words, n, 1, sizeof **words));
		(*words)[n++] = text;
	}
	return n;
}

const char *
tool_next_word(const char **p, size_t *n)
{
	static const char between[] = "|, ";
	const char *word = *p ? *p + strspn(*p, between) : "";

	*n = strcspn(word, between);
	*p = word + *n;
	return *n ? word : NULL;
}

/* The number of the word; -1: it is not one of them. */
static int
word_number(const char *text, const char *words)
{
	const char *word;
	size_t n;

	for (int i = 0; (word = tool_next_word(&words, &n)); i++)
		if (strlen(text) == n && !memcmp(word, text, n))
			return i;
	return -1;
}

int
tool_word(const struct tool *t, const char *text, const char *words)
{
	int number = word_number(text, words);
	char all[300] = "";
	const char *word;
	size_t n;

	if (number >= 0)
		return number;
	while ((word = tool_next_word(&words, &n)))
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%.*s", *all ? ", " : "", (int)n, word);
	tool_wrong(t, "%s '%s': expected one of %s", t->optname, text, all);
}

void
tool_option_dir(struct tool *t, void *member)
{
	struct stat st;

	if (!t->optarg)
		return;
	if (stat(t->optarg, &st) < 0)
		tool_wrong(t, "%s '%s': %s", t->optname, t->optarg, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		tool_wrong(t, "%s '%s': is not a directory", t->optname, t->optarg);
	memcpy(member, &t->optarg, sizeof t->optarg);
}

/* ---- options of all tools ------------------------------------------------------------------------ */

void
tool_option_input(struct tool *t, void *unused)
{
	char *name = (char *)(uintptr_t)t->optarg;	/* of argv */

	(void)unused;
	if (t->many) {
		t->names = tool_need(array_more(t->names, (size_t)t->nnames, 1, sizeof *t->names));
		t->names[t->nnames++] = name;
	} else if (t->in_name)
		tool_wrong(t, "one input only: '%s' and '%s'", t->in_name, name);
	t->in_name = name;
}

void
tool_option_max_expand(struct tool *t, void *unused)
{
	(void)unused;
	t->open_flags = PP_OPEN_MAX_EXPAND(tool_size(t, t->optarg));
}

static const char *
allow_words(const struct tool *t)
{
	int row = tool_row(t, "allow", strlen("allow"));

	return row < 0 ? NULL : t->opts[row].of;
}

static void
allow_word(void *arg, const char *word)
{
	struct tool *t = arg;

	t->allowed |= 1u << tool_word(t, word, allow_words(t));
}

void
tool_option_allow(struct tool *t, void *unused)
{
	(void)unused;
	tool_words(t, t->optarg, allow_word, t);
}

bool
tool_allows(const struct tool *t, const char *word)
{
	int i = word_number(word, allow_words(t));

	return i >= 0 && t->allowed >> i & 1;
}

void
tool_option_verbose(struct tool *t, void *unused)
{
	(void)unused;
	t->verbose++;
}

void
tool_option_version(struct tool *t, void *unused)
{
	(void)unused;
	printf("%s (perfpipe) %s, zstd %s, record types up to %d\n", t->name, PP_VERSION,
	    ZSTD_versionString(), PP_TYPE_END - 1);
	exit(fclose(stdout) ? 1 : 0);
}

static void
help_row(const struct tool_opt *o)
{
	enum { LEFT = 28 };
	bool is_short = o->letter, optional = o->arg && o->arg[0] == '[';
	int n;

	n = printf("  %c%c%s--%s%s%s", is_short ? '-' : ' ', is_short ? o->letter : ' ', is_short ? ", " : "  ", o->name,
	    !o->arg || optional ? "" : " ", o->arg ? o->arg : "");
	if (n > LEFT)
		n = printf("\n") - 1;
	printf("%*s%s\n", LEFT + 2 - n, "", o->help);
}

void
tool_option_help(struct tool *t, void *unused)
{
	(void)unused;
	printf("usage: %s [options] [FILE%s]\n%s\n", t->name, t->many ? "..." : "", t->purpose);
	for (const struct tool_opt *o = t->opts; o->name; o++)
		if (o->kind == TOOL_HEADING)
			printf("\n%s:\n", o->help);
		else if (is_option(o))
			help_row(o);
	if (t->examples)
		printf("\nExamples:\n%s", t->examples);
	printf("\nSee %s(1) for details, perfpipe(7) for terms.\n", t->name);
	exit(fclose(stdout) ? 1 : 0);
}

/* ---- parsing ------------------------------------------------------------------------------------- */

/* "64K" */
static const char *
size_text(uint64_t n, char text[static 24])
{
	unsigned unit = 0;

	while (unit < 4 && n && n % 1024 == 0) {
		n /= 1024;
		unit++;
	}
	snprintf(text, 24, "%ju%.1s", (uintmax_t)n, &"\0KMGT"[unit]);
	return text;
}

static uint64_t
size_within(const struct tool *t, const struct tool_opt *o)
{
	uint64_t n = tool_size(t, t->optarg);
	char least[24], most[24];

	if (n >= (uint64_t)o->min && n <= o->max)
		return n;
	size_text((uint64_t)o->min, least);
	if (o->max >= UINT32_MAX / 2)		/* no bound but that of memory */
		tool_wrong(t, "%s '%s': expected at least %s", t->optname, t->optarg, least);
	tool_wrong(t, "%s '%s': expected %s to %s", t->optname, t->optarg, least, size_text(o->max, most));
}

static void
store(void *to, size_t size, uint64_t n)
{
	uint32_t n32 = (uint32_t)n;
	bool truth = n;

	if (size == sizeof truth)
		memcpy(to, &truth, size);
	else if (size == sizeof n32)
		memcpy(to, &n32, size);
	else
		memcpy(to, &n, sizeof n);
}

static void
numbers(const struct tool *t, const struct tool_opt *o, struct tool_list *l)
{
	size_t before = l->n;

	tool_list(t, l, t->optarg);
	for (size_t i = before; i < l->n; i++)
		if (l->r[i].lo < o->min)
			tool_wrong(t, "%s '%s': expected numbers of at least %jd", t->optname, t->optarg, (intmax_t)o->min);
}

static void
take(struct tool *t, const struct tool_opt *o)
{
	void *to = (char *)(o->common ? (void *)t : t->options) + o->at;
	uint64_t n;

	switch (o->kind) {
	case TOOL_FLAG:		store(to, o->size, true); break;
	case TOOL_BITS:		*(unsigned *)to |= (unsigned)o->max; break;
	case TOOL_NUMBER:	store(to, o->size, tool_number(t, t->optarg, (uint64_t)o->min, o->max)); break;
	case TOOL_SIZE:		store(to, o->size, size_within(t, o)); break;
	case TOOL_DURATION:
		if ((n = tool_duration(t, t->optarg)) < (uint64_t)o->min)
			tool_wrong(t, "%s '%s': expected at least %jd ms", t->optname, t->optarg, (intmax_t)o->min / 1000000);
		store(to, o->size, n);
		break;
	case TOOL_TEXT:		memcpy(to, &t->optarg, sizeof t->optarg); break;
	case TOOL_WORD:		store(to, o->size, (uint64_t)(o->min + (t->optarg ? tool_word(t, t->optarg, o->of) : 0))); break;
	case TOOL_NUMBERS:	numbers(t, o, to); break;
	case TOOL_CALL:
		t->optvalue = (int)o->min;
		o->call(t, to);
		break;
	default:		abort();	/* a row that stores nothing */
	}
}

/* Make the tables of getopt_long(3). */
static void
getopt_tables(const struct tool *t, char *letters, struct option *longs)
{
	if (t->many)
		*letters++ = '-';	/* operands come as key 1, in their places between the options */
	*letters++ = ':';		/* a missing argument is ':', not '?' */
	for (const struct tool_opt *o = t->opts; o->name; o++) {
		int has = !o->arg ? no_argument : o->arg[0] == '[' ? optional_argument : required_argument;

		if (!is_option(o))
			continue;
		*longs++ = (struct option){ o->name, has, NULL, ROW + (int)(o - t->opts) };
		if (!o->letter)
			continue;
		*letters++ = (char)o->letter;
		for (int i = 0; i < has; i++)
			*letters++ = ':';
	}
	*letters = 0;
	*longs = (struct option){ NULL, 0, NULL, 0 };
}

/*
 * If a standard descriptor is closed, the next file opened would get it, and messages or records would be written into the
 * file.  So open something in its place that cannot be read or written: uses of it still fail.
 */
static void
open_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			exit(1);	/* there is no descriptor for a message */
}

static bool
adds_up(const struct tool_opt *o)
{
	static const char *const lists[] = { "LIST", "EXPR", "RANGES" };
	size_t n = o->arg ? strlen(o->arg) : 0;

	for (size_t i = 0; n && i < sizeof lists / sizeof *lists; i++)
		if (!strcmp(o->arg, lists[i]))
			return true;
	return !n || o->letter == 'i' || (n > 3 && !strcmp(o->arg + n - 3, "..."));
}

static const struct tool_opt *
row_of(const struct tool *t, int key)
{
	const struct tool_opt *o = t->opts;

	if (key >= ROW)
		return o + (key - ROW);
	while (o->letter != key)
		o++;
	return o;
}

/* Exits 2: getopt_long() said '?' or ':' of the word. */
static _Noreturn void
wrong_option(const struct tool *t, int key, const char *word)
{
	const char letter[] = { '-', (char)optopt, 0 };
	bool is_long = !strncmp(word, "--", 2);

	tool_wrong(t, "%s: %s; see %s --help", is_long ? word : letter, key == ':' ? "needs an argument" :
	    is_long && optopt ? "takes no argument" : "no such option", t->name);
}

/* Messages call the tool as it was called, if that is its name behind a prefix of the installation (perf-psort). */
static void
take_name(struct tool *t, const char *called)
{
	const char *slash = called ? strrchr(called, '/') : NULL;
	size_t n = strlen(t->name), len;

	called = slash ? slash + 1 : called;
	len = called ? strlen(called) : 0;
	if (len > n && len < NAME_MAX && !strcmp(called + len - n, t->name))
		t->name = called;
}

void
tool_options(struct tool *t, void *options, int argc, char **argv)
{
	static char name[64];		/* that of the last option: for messages */
	char letters[3 * TOOL_ROWS];
	struct option longs[TOOL_ROWS];
	bool seen[TOOL_ROWS] = { false };
	const struct tool_opt *o = t->opts;
	int key, at;

	while (o->name)
		o++;
	if (o - t->opts >= TOOL_ROWS)
		abort();
	t->options = options;
	take_name(t, argv[0]);
	open_standard();
	if (argc == 2 && !strcmp(argv[1], "--list-options"))
		tool_list_options(t);
	getopt_tables(t, letters, longs);
	opterr = 0;
	while (at = optind, (key = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		t->optarg = optarg;
		if (key == 1) {
			tool_option_input(t, NULL);
			continue;
		}
		if (key == '?' || key == ':')
			wrong_option(t, key, argv[optind > at ? optind - 1 : at]);
		o = row_of(t, key);
		snprintf(name, sizeof name, "--%s", o->name);
		t->optname = name;
		if (seen[o - t->opts] && !adds_up(o))
			tool_wrong(t, "%s: given twice, but takes one value", name);
		if (key < ROW && t->optarg && o->arg[0] == '[' && *t->optarg == '=')
			t->optarg++;		/* -z=3 */
		seen[o - t->opts] = true;
		t->given[o - t->opts] = t->optarg ? t->optarg : "";
		t->said = tool_need(array_more(t->said, t->nsaid, 1, sizeof *t->said));
		t->said[t->nsaid++] = (struct tool_said){ (int)(o - t->opts), t->optarg };
		take(t, o);
	}
	while (optind < argc) {
		t->optarg = argv[optind++];
		tool_option_input(t, NULL);
	}
	tool_relations(t);
}
