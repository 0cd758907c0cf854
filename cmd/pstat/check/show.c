/* SPDX-License-Identifier: ISC */
/* show.c - the rows of rules.def as a table: which are chosen, and the forms of findings */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "in.h"

enum level { E, W, N, LEVELS };
#define SINCE(name, ...) SINCE_##name = PP_PERF_##name,
enum { SINCE_NONE = PP_PERF_NONE, PP_PERFS(SINCE) SINCE_VARIES = CHECK_SINCE };
static const struct row {
	enum level	 level;
	int		 number;
	const char	*name;
	int		 since;		/* an enum pp_perf, or VARIES */
	const char	*what, *reader, *mend;
} rows[RULES] = {
#define RULE(level, number, NAME, since, what, reader, mend) \
	[RULE_##level##_##NAME] = { level, number, #NAME, SINCE_##since, what, reader, mend },
#include "rules.def"
#undef RULE
};
PP_PERF_TEXTS(7_2, "rules.def");
static const char letters[] = "EWN";
static const char *const level_names[LEVELS] = { "error", "warning", "note" };

int
check_since(enum rule rule)
{
	return rows[rule].since == SINCE_VARIES ? PP_PERF_NONE : rows[rule].since;
}

/* ---- versions ------------------------------------------------------------------------------------ */

int
check_perf(const char *text, size_t len, bool up)
{
#define VERSION(name, word, major, minor) { major, minor, PP_PERF_##name },
	static const struct { unsigned major, minor; enum pp_perf perf; } perfs[] = { PP_PERFS(VERSION) };
	const int n = sizeof perfs / sizeof *perfs;
	char word[16] = "", rest = '.';
	unsigned major, minor;
	int last = 0;

	memcpy(word, text, len < sizeof word - 1 ? len : sizeof word - 1);
	if (!strcmp(word, "current"))
		return PP_PERF_CURRENT;
	if (!isdigit((unsigned char)*word) || sscanf(word, "%3u.%3u%c", &major, &minor, &rest) < 2 || isalnum((unsigned char)rest))
		return PP_PERF_NONE;
	for (int i = 0; i < n; i++) {
		bool older = major != perfs[i].major ? perfs[i].major < major : perfs[i].minor < minor;
		bool same = major == perfs[i].major && minor == perfs[i].minor;

		if (same || (up && !older))
			return (int)perfs[i].perf;
		last = older ? i : last;
	}
	return last == n - 1 ? CHECK_NEWER : (int)perfs[last].perf;
}

/* ---- which rules --------------------------------------------------------------------------------- */

/* E07, e7, or the rule's name with - or _ between its words. */
static bool
is_rule(const struct row *row, const char *word)
{
	const char *name = row->name;
	char *end;

	if (toupper((unsigned char)word[0]) == letters[row->level] && isdigit((unsigned char)word[1]) &&
	    strtol(word + 1, &end, 10) == row->number && !*end)
		return true;
	for (; *name && *word; name++, word++)
		if (tolower((unsigned char)*name) != (*word == '-' ? '_' : tolower((unsigned char)*word)))
			return false;
	return !*name && !*word;
}

struct choice { struct check *c; bool named; };		/* named: only what is named is chosen */

static void
choose(void *arg, const char *word)
{
	struct choice *choice = arg;
	struct check *c = choice->c;
	bool out = *word == '-', any = false;
	int letter;

	if (out)
		word++;
	else if (!choice->named)
		memset(c->chosen, 0, sizeof c->chosen);
	choice->named |= !out;
	letter = word[0] && !word[1] ? toupper((unsigned char)word[0]) : 0;
	for (int i = 0; i < RULES; i++) {
		bool is = is_rule(&rows[i], word);

		if (is || letter == letters[rows[i].level]) {
			c->chosen[i][AS_RULE] = !out;
			any = true;
		}
		if (is || letter == letters[N])
			c->chosen[i][AS_NOTE] = !out;
	}
	if (!any)
		tool_wrong(c->tool, "--check: '%s': expected E, W, N, a name or a number such as E07", word);
}

void
check_choose(struct check *c, const char *list)
{
	tool_words(c->tool, list, choose, &(struct choice){ .c = c });
}

/* ---- forms --------------------------------------------------------------------------------------- */

static const struct column findings_columns[] = {
	{ "rule", CELL_TEXT, ADDS_KEY, "identifier of the rule: E07" },
	{ "level", CELL_TEXT, ADDS_KEY, "error, warning or note" },
	{ "name", CELL_TEXT, ADDS_KEY, "name of the rule" },
	{ "count", CELL_NUM, ADDS_SUM, "how often it was broken" },
	{ "offset", CELL_NUM, ADDS_MIN, "byte of the input where it first was" },
	{ "record", CELL_NUM, ADDS_MIN, "number of that record, from 0" },
	{ "type", CELL_TEXT, ADDS_SAME, "type of that record" },
	{ "what", CELL_TEXT, ADDS_SAME, "what was found" },
	{ "detail", CELL_TEXT, ADDS_SAME, "more about the first place" },
	{ "reader", CELL_TEXT, ADDS_SAME, "what perf does about it" },
	{ "mend", CELL_TEXT, ADDS_SAME, "what mends it" },
	{ "read_by", CELL_TEXT, ADDS_SAME, "the first version of perf that reads it right" },
};

static enum level
level_of(int rule, int level)
{
	return level == AS_NOTE ? N : rows[rule].level;
}

/* Call fn for all that was found: errors, warnings, then notes. */
static void
each_result(const struct check *c, void (*fn)(void *arg, int rule, enum level, const struct finding *), void *arg)
{
	for (enum level level = E; level < LEVELS; level++)
		for (int i = 0; i < RULES * CHECK_LEVELS; i++) {
			int rule = i / CHECK_LEVELS, as = i % CHECK_LEVELS;

			if (c->result[rule][as].count && level_of(rule, as) == level)
				fn(arg, rule, level, &c->result[rule][as]);
		}
}

static const char *
version_name(int perf)
{
#define NUMBER(name, word, major, minor) [PP_PERF_##name] = #major "." #minor,
	static const char *const names[PP_PERF_END] = { PP_PERFS(NUMBER) };

	return perf < PP_PERF_END ? names[perf] : NULL;
}

/* The identifier, the name in lower case, the type of the first record. */
struct texts { char id[8], name[24], type[24]; };

static void
texts_of(struct texts *t, const struct row *row, const struct finding *f)
{
	size_t n = 0;

	snprintf(t->id, sizeof t->id, "%c%02d", letters[row->level], row->number);
	for (; row->name[n] && n < sizeof t->name - 1; n++)
		t->name[n] = row->name[n] == '_' ? '-' : (char)tolower((unsigned char)row->name[n]);
	t->name[n] = 0;
	if (f->type == UINT32_MAX)
		t->type[0] = 0;
	else if (pp_type_name(f->type))
		snprintf(t->type, sizeof t->type, "%s", pp_type_name(f->type));
	else
		snprintf(t->type, sizeof t->type, "type %u", f->type);
}

struct put { report_put *fn; void *arg; };

static void
findings_row(void *arg, int rule, enum level level, const struct finding *f)
{
	const struct put *put = arg;
	bool typed = f->type != UINT32_MAX;
	struct texts t;

	texts_of(&t, &rows[rule], f);
	put->fn(put->arg, (struct cell[]){ cell_text(t.id), cell_text(level_names[level]), cell_text(t.name),
	    cell_num(f->count), cell_num_if(f->at, f->off), cell_num_if(typed, f->record),
	    cell_text(typed ? t.type : NULL), cell_text(rows[rule].what), cell_text(f->detail[0] ? f->detail : NULL),
	    cell_text(rows[rule].reader), cell_text(rows[rule].mend), cell_text(version_name(f->since)) });
}

static void
findings_rows(const void *of, report_put *put, void *arg)
{
	each_result(of, findings_row, &(struct put){ put, arg });
}

const struct table check_table = { "findings", "what readers of the recording stumble over", TABLE(findings_columns),
    TABLE_ROWS, SCREEN_OFF, .rows = findings_rows };

static const struct column glance_columns[] = {
	{ "rule", CELL_TEXT, ADDS_KEY, "identifier of the rule: E07" },
	{ "what", CELL_TEXT, ADDS_SAME, "what was found" },
	{ "count", CELL_NUM, ADDS_SUM, "how often it was broken" },
	{ "least", CELL_BOOL, ADDS_MAX, "or more often, as not all records of its type were looked at" },
};

/* Were the records that may break it looked at in part?  Those of losses and of throttling are counted. */
static bool
glance_is_least(const struct check *c, int rule)
{
	uint32_t type = c->result[rule][AS_RULE].type;

	if (rule == RULE_W_LOST || rule == RULE_W_THROTTLED || type == UINT32_MAX)
		return false;
	return c->ended || type == PP_SAMPLE || (type < PP_USER_TYPE_START && c->c->type[type].records > LANE_FIRSTS);
}

static void
glance_rows(const void *of, report_put *put, void *arg)
{
	const struct check *c = of;

	for (int i = 0; i < RULES; i++) {
		struct texts t;

		if (!c->result[i][AS_RULE].count)
			continue;
		texts_of(&t, &rows[i], &c->result[i][AS_RULE]);
		put(arg, (struct cell[]){ cell_text(t.id), cell_text(rows[i].what), cell_num(c->result[i][AS_RULE].count),
		    cell_bool(glance_is_least(c, i)) });
	}
}

const struct table check_glance_table = { "glance_findings", "errors and warnings that a glance shows", TABLE(glance_columns),
    TABLE_ROWS, SCREEN_OFF, .rows = glance_rows };

static void
screen_row(void *arg, int rule, enum level level, const struct finding *f)
{
	FILE *out = arg;
	struct texts t;
	char *detail;

	texts_of(&t, &rows[rule], f);
	fprintf(out, "%s %s %s", level_names[level], t.id, rows[rule].what);
	if (f->type != UINT32_MAX || f->at) {
		fprintf(out, ": %ju time%s", (uintmax_t)f->count, f->count == 1 ? "" : "s");
		if (f->at)
			fprintf(out, ", first at byte %ju", (uintmax_t)f->off);
		if (f->type != UINT32_MAX)
			fprintf(out, ", record %ju: %s", (uintmax_t)f->record, t.type);
	}
	detail = tool_vis(f->detail, strlen(f->detail));
	fprintf(out, "%s%s\n\tperf: %s; mend: %s\n", f->detail[0] ? ": " : "", detail, rows[rule].reader, rows[rule].mend);
	free(detail);
}

void
check_screen(FILE *out, const void *check)
{
	const struct check *c = check;

	each_result(c, screen_row, out);
}

bool
check_failed(const struct check *c, bool strict)
{
	for (int i = 0; i < RULES; i++)
		if (c->result[i][AS_RULE].count && (rows[i].level == E || (strict && rows[i].level == W)))
			return true;
	return false;
}
