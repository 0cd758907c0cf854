/* SPDX-License-Identifier: ISC */
/* option_list.c - --list-options: the rows of option.h as JSON, one in a line */
#include <stdlib.h>
#include <string.h>

#include "option.h"

static const char *const kinds[] = {
	[TOOL_FLAG] = "flag", [TOOL_BITS] = "flag", [TOOL_NUMBER] = "number", [TOOL_SIZE] = "size", [TOOL_DURATION] = "duration",
	[TOOL_TEXT] = "text", [TOOL_WORD] = "word", [TOOL_NUMBERS] = "numbers", [TOOL_CALL] = "special",
	[TOOL_NEEDS] = "needs", [TOOL_NOT_WITH] = "not with", [TOOL_ONLY_WITH] = "only with", [TOOL_NOT_IN_PIECES] = "not in pieces",
};

static void
member(const char *name, const char *text)
{
	printf("\"%s\":\"", name);
	for (; text && *text; text++)
		printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	printf("\"");
}

/* The words, as far as they are no OF_... */
static void
words(const char *name, const char *list)
{
	const char *word, *before = "";
	size_t n;

	printf(",\"%s\":[", name);
	while (list && *list != '@' && (word = tool_next_word(&list, &n))) {
		printf("%s\"%.*s\"", before, (int)n, word);
		before = ",";
	}
	printf("]");
}

static void
option(const struct tool_opt *o, const char *heading)
{
	char letter[] = { (char)o->letter, 0 };

	member("name", o->name);
	printf(",");
	member("letter", letter);
	printf(",");
	member("arg", o->arg);
	printf(",");
	member("kind", kinds[o->kind]);
	printf(",");
	member("of", o->of && *o->of == '@' ? o->of + 1 : "");
	words("words", o->of);
	printf(",");
	member("heading", heading);
	printf(",");
	member("help", o->help);
}

static void
relation(const struct tool_opt *r)
{
	member("kind", kinds[r->kind]);
	words("these", r->name);
	words("others", r->arg);
}

void
tool_list_options(const struct tool *t)
{
	const char *heading = "", *between = "";

	printf("{\"tool\":\"%s\",\"options\":[", t->name);
	for (const struct tool_opt *o = t->opts; o->name; o++)
		if (o->kind == TOOL_HEADING)
			heading = o->help;
		else if (o->kind < TOOL_NEEDS) {
			printf("%s\n{", between);
			option(o, heading);
			printf("}");
			between = ",";
		}
	printf("\n],\"relations\":[");
	between = "";
	for (const struct tool_opt *o = t->opts; o->name; o++)
		if (o->kind >= TOOL_NEEDS) {
			printf("%s\n{", between);
			relation(o);
			printf("}");
			between = ",";
		}
	printf("\n]}\n");
	exit(fclose(stdout) ? 1 : 0);
}
