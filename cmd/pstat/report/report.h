/* SPDX-License-Identifier: ISC */
/*
 * report.h - the report as tables, whatever form it is written in.
 *
 * A table is a list of columns and a function that yields its rows.  All forms are made from nothing else: json.c, csv.c,
 * metrics.c, screen.c.  So a new table is a struct table and a call of report_add(), and is then in all forms; the screen may
 * leave it out (SCREEN_OFF) or show it its own way (screen.c).
 *
 * A column says how the values of several reports are combined (enum column_adds), so reports can be added up without knowing
 * what they are about: rows with the same keys become one.  What adds up is an integer; shares and percentiles are made of these
 * when a form is written.
 *
 *	static const struct column findings_columns[] = {
 *		{ "rule", CELL_TEXT, ADDS_KEY, "identifier of the rule" },
 *		{ "count", CELL_NUM, ADDS_SUM, "how often it was broken" },
 *		{ "offset", CELL_NUM, ADDS_MIN, "byte of the first place" },
 *	};
 *	static const struct table findings = { "findings", "what readers of the recording stumble over", TABLE(findings_columns),
 *	    .rows = findings_rows };
 *
 *	static void
 *	findings_rows(const void *of, report_put *put, void *arg)
 *	{
 *		const struct check *c = of;
 *
 *		for (size_t i = 0; i < c->n; i++)
 *			put(arg, (struct cell[]){ cell_text(c->found[i].rule), cell_num(c->found[i].count), cell_num(c->found[i].offset) });
 *	}
 *
 *	report_add(r, &findings, check);
 */
#ifndef PSTAT_REPORT_H
#define PSTAT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- cells --------------------------------------------------------------------------------------- */

enum cell_type {
	CELL_NUM,			/* unsigned */
	CELL_SIGNED,			/* num is an int64_t: pids, which may be -1 */
	CELL_BOOL,
	CELL_TEXT,			/* any bytes, as recorded: each form makes them harmless */
	CELL_LIST,			/* texts, separated by NULs */
	CELL_BUCKETS,			/* a histogram: `len' buckets, by ascending low, none empty */
};
struct bucket { uint64_t low, count; };	/* count values of at least low, and less than the next bucket that hist.h defines */
struct cell {				/* its type is that of the column */
	bool		 known;		/* false: null in JSON, empty in CSV, - on the screen */
	uint64_t	 num;
	const char	*text;
	const struct bucket *bucket;
	size_t		 len;
};

static inline struct cell
cell_num(uint64_t num)
{
	return (struct cell){ .known = true, .num = num };
}

/* A number that is known if `known'. */
static inline struct cell
cell_num_if(bool known, uint64_t num)
{
	return (struct cell){ .known = known, .num = num };
}

static inline struct cell
cell_signed(int64_t num)
{
	return cell_num((uint64_t)num);
}

static inline struct cell
cell_bool(bool b)
{
	return cell_num(b);
}

static inline struct cell
cell_bytes(const char *text, size_t len)
{
	return (struct cell){ .known = text != NULL, .text = text, .len = len };
}

/* NULL: unknown. */
static inline struct cell
cell_text(const char *text)
{
	return cell_bytes(text, text ? strlen(text) : 0);
}

/* ---- tables -------------------------------------------------------------------------------------- */

enum column_adds {			/* how the values of several reports become one */
	ADDS_KEY,			/* it is part of what the row is about: rows with the same keys are combined */
	ADDS_SUM, ADDS_MIN, ADDS_MAX,	/* of a bool, MIN is `all of them' and MAX `any of them' */
	ADDS_SAME,			/* it stays if all have the same value, else it is unknown */
	ADDS_ROUGH,			/* the largest; that of the whole may be larger, as nobody has seen both sides of a cut */
	ADDS_MADE,			/* made of the other cells, by the table's make() */
};
enum column_show {			/* on the screen */
	SHOW_AS_IS,
	SHOW_DURATION,			/* nanoseconds, as "3.2 s" */
	SHOW_NOT,
};
struct column {
	const char	*name;		/* of the member of JSON, as in events.lost_samples; a unit is its end: _ns, _bytes */
	uint8_t		 type;		/* enum cell_type */
	uint8_t		 adds;		/* enum column_adds */
	const char	*help;		/* a few words */
};

typedef void	report_put(void *arg, const struct cell *row);

enum table_shape {
	TABLE_ROWS,			/* any number of rows */
	TABLE_ONE,			/* one row: an object in JSON */
	TABLE_TOP,			/* one row, whose members stand in the root of JSON */
};
enum { TABLE_COLUMNS = 32 };		/* the most columns of a table */
struct table {
	const char	*name;		/* member of JSON, word of --table, part of the names of metrics */
	const char	*help;		/* a few words */
	const struct column *col;
	unsigned	 ncols;
	uint8_t		 shape;		/* enum table_shape */
	/* SCREEN_TABLE: a plain table of `top' rows at most, in place of those of types, events and tasks */
	enum { SCREEN_TABLE, SCREEN_OFF } screen;
	unsigned	 top;		/* 0: all */
	const uint8_t	*show;		/* of each column, enum column_show; NULL: all as they are */
	/* Call put() for each row, with ncols cells; what they point to need not outlive the call.  It may be called often. */
	void		(*rows)(const void *of, report_put *put, void *arg);
	void		(*make)(struct cell *row);	/* set the cells of ADDS_MADE; NULL: there are none */
	bool		(*may_be)(const struct cell *row);	/* of a report that is read back: do its cells go together?  NULL: yes */
};
#define TABLE(columns) columns, sizeof(columns) / sizeof *(columns)

enum { REPORT_TABLES = 40 };
struct pass;				/* count/part.h */
struct report {
	const struct pass *pass;	/* for the forms of parts */
	struct part { const struct table *table; const void *of; } part[REPORT_TABLES];	/* in the order of the forms */
	unsigned	 n;
	const char	*name;		/* of the table that a form of one table has */
	unsigned	 width;		/* columns of the terminal; 0: it is none */
	bool		 exact;		/* no limit of pstat was met, and no number is larger than JSON can have here */
};

/* Add a table, with what its rows() needs. */
void	report_add(struct report *, const struct table *, const void *of);
/* The part of that name; NULL: none. */
const struct part *report_part(const struct report *, const char *name);
/* Is some number larger than INT64_MAX?  The forms then have INT64_MAX. */
bool	report_clips(const struct report *);

/* ---- forms --------------------------------------------------------------------------------------- */

/* 1, or -1: out of memory.  A failure to write is left in the FILE. */
typedef int	report_form(FILE *, const struct report *);

#endif
