/* SPDX-License-Identifier: ISC */
/*
 * in.h - pstat --privacy: what a recording gives away, how much of it, and what takes it out.
 *
 * It sees each record once, in the one pass of count.h; a glance, for the screen, sees the first ones.  Values that pfilter --anon
 * has made are not counted where they can be told from others.
 *
 *	privacy.c	counts, forms
 *	record.c, sample.c, payload.c, feature.c	what is in them
 *	text.c		pseudonyms
 */
#ifndef PSTAT_PRIVACY_IN_H
#define PSTAT_PRIVACY_IN_H

#include "count/part.h"
#include "field/payload_layout.h"

enum row {
#define ROW(NAME, what, gone, option) ROW_##NAME,
#include "rows.def"
#undef ROW
	ROWS
};
enum { PRIVACY_VALUES = 128 << 10, PRIVACY_NAMES = 8, PRIVACY_NAME = 120 };

struct row_count {
	uint64_t count;			/* occurrences; 0: none */
	uint64_t distinct, bytes;
	uint64_t off, record;		/* of the first */
	bool	 at;			/* `off' is known */
	bool	 rough;			/* there are more values than `distinct' */
	unsigned nnames;
	char	 name[PRIVACY_NAMES][PRIVACY_NAME];
};

struct privacy {
	struct tool	*tool;
	struct counts	*c;
	struct pp_source *in;
	bool		 names;
	struct row_count row[ROWS];
	uint64_t	*value;		/* hashes of the values of all rows; 0: free.  NULL: a glance */
	size_t		 nvalues;
	uint64_t	 key;		/* random: a stream cannot cause collisions */
	uint64_t	 record;	/* number of the current record */
	uint64_t	 last[ROWS];	/* hash of the last value of a row: it often comes again */
	uint32_t	 nr_cpus;
	struct payload_layouts *payloads;	/* NULL: none was seen */
	uint8_t	 raw[PP_RECORD_MAX];	/* what is left of a payload */
};

/* ---- privacy.c ----------------------------------------------------------------------------------- */

/* Count a value of so many bytes, and (len not 0) the text that names it. */
void	privacy_value(struct privacy *, enum row, const struct pp_rec *, uint64_t value, uint64_t bytes);
void	privacy_text(struct privacy *, enum row, const struct pp_rec *, const char *s, size_t len);
/* An address of that cpumode: of the kernel or a program, unless it is a pseudonym.  1: it was counted. */
bool	privacy_addr(struct privacy *, const struct pp_rec *, bool kernel, uint64_t addr, uint64_t bytes);

/* ---- the records --------------------------------------------------------------------------------- */

void	privacy_sample(struct privacy *, const struct pp_event *, const struct pp_rec *);
void	privacy_other(struct privacy *, const struct pp_event *, const struct pp_rec *);
/* The payload of a sample, n bytes: RAW without its size. */
void	privacy_payload(struct privacy *, const struct pp_event *, const struct pp_rec *, const uint8_t *raw, size_t n);
/* A text or number by what it means. */
void	privacy_text_of(struct privacy *, const struct pp_rec *, enum pp_role, const char *s, size_t len);
void	privacy_number_of(struct privacy *, const struct pp_rec *, enum pp_role, uint64_t n, size_t width);
void	privacy_feature(struct privacy *, const struct pp_rec *);
/* A name of an event: counted if a user gave it, or it is that of a program's probe. */
void	privacy_event_name(struct privacy *, const struct pp_rec *, const char *s, size_t len);

/* ---- text.c -------------------------------------------------------------------------------------- */

/* PREFIX and ten hexadecimal digits, as pfilter --anon writes it? */
bool	privacy_is_word(const char *s, size_t len, const char *prefix);
/* Is each component of the path a pseudonym, or is it a name that every machine has? */
bool	privacy_path_hidden(const char *s, size_t len);
bool	privacy_symbol_hidden(const char *s, size_t len);
/* The user in a path or command line, by the rule for homes in text.c: its length and place; 0: none. */
size_t	privacy_user(const char *s, size_t len, const char **user);
/* The id of a container or pod in a component of a cgroup's path; 0: none. */
size_t	privacy_container(const char *s, size_t len, const char **id);

#endif
