/* SPDX-License-Identifier: ISC */
/* in.h - what the files of this directory share. */
#ifndef PSTAT_SORT_IN_H
#define PSTAT_SORT_IN_H

#include "field/field.h"
#include "sort/names.h"
#include "sort/sort.h"
#include "sort/syscall.h"
#include "stacks/naming.h"
#include "tally/bins.h"
#include "tally/hists.h"
#include "tally/rows.h"
#include "tally/tally.h"

enum key_kind { KEY_FIELD, KEY_EVENT, KEY_TYPE, KEY_TIME, KEY_PAYLOAD, KEY_SYSCALL, KEY_COMM, KEY_DSO, KEY_SYMBOL,
	KEY_CGROUP, KEY_CONTAINER, KEY_POD };
enum { NO_LOSSES = false, LOSSES = true, RECORD = false, STATE = true };
struct key {				/* a row of keys.def */
	const char	*name;
	uint8_t		 kind;		/* enum key_kind */
	uint8_t		 cell;		/* enum cell_type */
	bool		 lost;		/* LOSSES: a record of losses has it, too */
	bool		 of_state;	/* STATE: it depends on history */
	uint8_t		 option;	/* enum sort_option */
	const char	*field;		/* KEY_FIELD: its name in field.h */
	const char	*help;
};
const struct key *key_find(const char *name);
/* The names of all keys, for a message. */
void	key_names(char *to, size_t size);
/* The cell of a value of that key. */
struct cell key_cell(const struct sort *, const struct key *, uint64_t value);

struct sort_event {			/* where the samples of an event have the keys that are fields */
	bool		 known;
	const struct tally *tally;	/* all keys are numbers at fixed offsets; NULL: they are not */
	struct field_place place[ROWS_KEYS];
	struct field_place value;	/* of VALUE_FIELD */
	struct syscall_place syscall;
};

enum { HIST_HEAD = 2 };		/* columns of a histogram before the keys */
/* Words of --columns: cells of a histogram, and what is made of them. */
enum { COLUMN_MEAN = HIST_CELLS, COLUMNS_MAX = SORT_FIGURES };
/* From VALUE_INTERVAL on it is between two records. */
enum value_kind { VALUE_NONE, VALUE_FIELD, VALUE_PERIOD, VALUE_INTERVAL, VALUE_GAP, VALUE_ROUND, VALUE_DISORDER };

struct sort {
	struct tool	*tool;
	struct counts	*c;
	const struct key *key[ROWS_KEYS];
	const struct field *keyed[ROWS_KEYS];	/* the field of a KEY_FIELD */
	unsigned	 nkeys;
	/* fields of payloads; behind those of the keys that of --hist */
	struct key	 own[ROWS_KEYS];
	struct field	*payload[ROWS_KEYS + 1];
	struct syscalls	*syscalls;	/* of KEY_SYSCALL; NULL: there is none */
	bool		 payloads, bound;	/* there are some; their events are known */
	bool		 clash;		/* a number has no key */
	uint64_t	 below;		/* values that are less than 0 */
	int		 event_at, time_at;	/* the key that is it; -1: none */
	bool		 all;		/* records of all types are counted, not only samples */
	bool		 state;		/* some key depends on history */
	bool		 lost;		/* losses have their place */
	unsigned	 top;
	uint64_t	 quantum;
	struct rows	 rows;
	struct bins	 bins;
	struct names	*names;
	struct naming	*naming;	/* of KEY_SYMBOL; NULL: no report of samples has this key */
	bool		 offsets;	/* where no function has a name, rows are places: the report is not merged with others */
	struct children	*children;	/* --children; NULL: not given */
	struct field_stream stream;
	struct sort_event *ev;
	size_t		 nev;
	uint32_t	 bit;		/* in the lane */
	struct history	*history;	/* NULL: no key depends on it */
	struct stacks	*with;		/* sort_follow(); NULL: none */
	bool		 crowded;	/* sort_forget() is due */
	unsigned	 forget_wait;	/* but not before so many more names */
	bool		 failed;	/* in_err has the reason */
	/* sort_each(); NULL: nobody asked */
	sort_pick	*pick;
	sort_each_fn	*each;
	void		*each_arg;
	sort_pick	*only;		/* sort_only(); NULL: all samples */
	void		*only_arg;
	sort_seen_fn	*seen;		/* sort_watch(); NULL: nobody watches */
	sort_keep_fn	*keep;
	void		*seen_arg;
	/* --hist */
	enum value_kind	 value;
	const char	*value_name;
	const struct field *field;	/* VALUE_FIELD */
	bool		 by_period;	/* a value counts as often as the period of its sample */
	bool		 longest;	/* -period: rows of the largest sum of periods first */
	bool		 measures;	/* sort_measure() */
	bool		 durations;	/* all periods are durations in ns */
	unsigned	 columns, column[COLUMNS_MAX];	/* --columns: of the histogram of periods of a row */
	struct rows	 before;	/* VALUE_INTERVAL, VALUE_GAP: the last time of each CPU */
	uint64_t	 newest, round_from;
	/* the report */
	bool		 unit;
	struct column	 col[TABLE_COLUMNS];
	struct table	 table, about, hist;
	struct column	 hist_col[TABLE_COLUMNS];
	uint8_t		 show[TABLE_COLUMNS], hist_show[TABLE_COLUMNS];	/* of both tables */
};

/* ---- record.c ------------------------------------------------------------------------------------ */

/* What is counted of a record; until its turn comes, a key of the state is what that is found by: tid, ip, id of the cgroup. */
struct hit {
	union {
		uint64_t key[ROWS_KEYS];
		uint8_t	*copy;		/* HIT_RECORD */
	};
	uint64_t	 amount;	/* the period of a sample; how many were lost */
	uint64_t	 bytes, value;
	uint32_t	 pid;
	uint8_t		 mode;		/* the cpumode */
	/* HIT_SAMPLE: a sample that adds nothing but its period; HIT_RECORD: of the side-band */
	enum { HIT_COUNTS, HIT_SAMPLE, HIT_RECORD, HIT_DONE } __attribute__((packed)) kind;
	enum { LOST_NONE, LOST_RECORDS, LOST_SAMPLES } __attribute__((packed)) lost;
	/* how often the value counts */
	enum { VALUED_NOT, VALUED_ONCE, VALUED_AMOUNT } __attribute__((packed)) valued;
	bool		 record, sample, spans;	/* counts as such; has a place in first and last */
	uint8_t		 picked;	/* what pick() said */
};
/* lane_fn: count a record, or let it wait for its turn. */
int	sort_visit(void *sort, const struct pp_rec *, bool sound);
/* The value of a field, ROWS_UNKNOWN if the record has none. */
uint64_t sort_field(struct sort *, const struct field *, const struct field_place *, const struct pp_event *,
	    const struct pp_rec *);
/* Add it to its row. */
void	sort_count(struct sort *, const struct hit *, uint64_t time);
uint64_t sort_bin(struct sort *, uint64_t time);

/* ---- forget.c ------------------------------------------------------------------------------------ */

/* A name was made: is sort_forget() due?  That is called when no key is in work but those of rows. */
void	sort_crowded(struct sort *);
void	sort_forget(struct sort *);

/* ---- sorted.c ------------------------------------------------------------------------------------ */

/* Are the periods of all samples so far durations? */
bool	sort_all_last(const struct sort *);
/* After the input: how the screen shows the columns. */
void	sort_show(struct sort *);

/* After sort_end(): which DSOs have samples, and are there with a build-id. */
void	sort_hit(const struct sort *, struct files_hit *);

/* ---- history.c ----------------------------------------------------------------------------------- */

/* NULL: no memory. */
struct history *history_new(struct sort *);
/* Count it when its turn comes.  history_record(): any record that is not a sample.  1, or -1. */
int	history_put(struct history *, uint64_t time, struct hit *);
int	history_record(struct history *, const struct pp_rec *);
/* sort_settled() */
uint64_t history_settled(const struct history *);
/* Of a tally: the sample waits, too. */
int	history_sample(const struct tally *, const struct pp_rec *, uint64_t time, uint64_t period);
/* sort_follow() */
void	history_follow(struct history *, struct stacks *);
/* The end of the input.  False: some may have been counted with the names of another time. */
bool	history_end(struct history *);
void	history_free(struct history *);
/* Before names are let go: no address is called by its place in the file.  After that: numbers that it remembers are void. */
void	history_plain(struct history *);
void	history_forget(struct history *);

/* ---- children.c ---------------------------------------------------------------------------------- */

/* --children: exits 2 if the other keys do not go with it.  Records are counted by it, and not otherwise. */
struct children *children_new(struct sort *);
void	children_begin(struct children *, struct pass *);
/* False: a limit was met. */
bool	children_end(struct children *);
void	children_free(struct children *);
void	children_forget(struct children *);

/* ---- payload.c ----------------------------------------------------------------------------------- */

/* The field that raw.NAME of n bytes means, whose sort it is noted in; NULL: the name begins otherwise.  A wrong one exits 2. */
struct field *payload_new(struct sort *, const char *option, const char *name, size_t n);
/* When all events are known: one that no event has exits 2. */
void	payload_bind(struct sort *);
/* Key i of a sample, and the cell that it is. */
uint64_t payload_key(struct sort *, unsigned i, const struct field_place *, const struct pp_event *, const struct pp_rec *);
struct cell payload_cell(const struct sort *, const struct key *, uint64_t key);
/* KEY_SYSCALL of a sample. */
uint64_t payload_syscall(struct sort *, const struct syscall_place *, const struct pp_event *, const struct pp_rec *);
/* The value of --hist: false if the sample has none, or it is less than 0. */
bool	payload_value(struct sort *, const struct field_place *, const struct pp_event *, const struct pp_rec *, uint64_t *value);
/* The input has ended.  False: some row is wrong. */
bool	payload_end(struct sort *);
void	payload_free(struct sort *);

/* ---- values.c ------------------------------------------------------------------------------------ */

/* The argument of --hist; a wrong one exits 2. */
void	value_choose(struct sort *, const char *);
/* The argument of --columns; a wrong one exits 2. */
void	value_columns(struct sort *, const char *);
/* The value of a sample, but for VALUE_PERIOD: false if it has none. */
bool	value_of(struct sort *, const struct sort_event *, const struct pp_event *, const struct pp_rec *, uint64_t time,
	    uint64_t *value);
/* Add the value of any record: VALUE_ROUND, VALUE_DISORDER. */
void	value_order(struct sort *, const struct pp_rec *);

#endif
