/* SPDX-License-Identifier: ISC */
/*
 * in.h - pstat --privacy: what a recording gives away, how much of it, and what takes it out.
 *
 * It sees each record once, in the one pass of count.h; a glance, for the screen, sees the first ones.  Values that pfilter --anon
 * has made are not counted where they can be told from others.
 *
 *	privacy.c	counts, forms
 *	record.c, payload.c, feature.c	what is in them
 *	symbols.c	what --symbols finds
 *	text.c		pseudonyms
 */
#ifndef PSTAT_PRIVACY_IN_H
#define PSTAT_PRIVACY_IN_H

#include "count/part.h"
#include "field/payload_layout.h"
#include "record/meaning.h"

enum row {
#define ROW(NAME, what, gone, option) ROW_##NAME,
#include "rows.def"
#undef ROW
	ROWS
};
enum { PRIVACY_VALUES = 128 << 10, PRIVACY_SEEN_BITS = 12, PRIVACY_NAMES = 8, PRIVACY_NAME = 120 };

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
	struct pp_choice choice;
	bool		 names;
	struct row_count row[ROWS];
	uint64_t	*value;		/* hashes of the values of all rows; 0: free.  NULL: a glance */
	size_t		 nvalues;
	uint64_t	 key;		/* random: a stream cannot cause collisions */
	uint64_t	 record;	/* number of the current record */
	uint64_t	 seen[1 << PRIVACY_SEEN_BITS];	/* privacy_tag()s of values that were counted: most come again */
	struct pp_err	 err;		/* a record that cannot be walked is not reported here */
	uint32_t	 nr_cpus;
	struct payload_layouts *payloads;	/* NULL: none was seen */
	struct stacks	*stacks;	/* NULL: --symbols was not given */
	uint8_t	 raw[PP_RECORD_MAX];	/* what is left of a payload */
};

/* ---- privacy.c ----------------------------------------------------------------------------------- */

/* Count a text that names a value. */
void	privacy_text(struct privacy *, enum row, const struct pp_rec *, const char *s, size_t len);
/* Count a text that the recording leads to. */
void	privacy_found(struct privacy *, enum row, const char *s, size_t len);
/* The parts of privacy_value(): was the value new, and where the first one is. */
bool	privacy_is_new(struct privacy *, uint64_t tag, enum row);
void	privacy_first(struct privacy *, struct row_count *, const struct pp_rec *);

/* The value of a row among those of all rows. */
static inline uint64_t
privacy_tag(enum row row, uint64_t value)
{
	return value ^ (uint64_t)row << 56;
}

/* Where a tag is in `seen', if it is. */
static inline size_t
privacy_seen_at(uint64_t tag)
{
	return tag * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PRIVACY_SEEN_BITS);
}

/* Count a value of so many bytes.  Here and below inline, since there are some in each sample. */
static inline void
privacy_value(struct privacy *p, enum row row, const struct pp_rec *r, uint64_t value, uint64_t bytes)
{
	struct row_count *n = &p->row[row];
	uint64_t tag = privacy_tag(row, value), *seen = &p->seen[privacy_seen_at(tag)];

	n->bytes += bytes;
	if (!n->count++)
		privacy_first(p, n, r);
	if (*seen == tag)
		return;
	*seen = tag;
	n->distinct += p->value && privacy_is_new(p, tag, row);
}

/* Is it an address that pfilter --anon leaves, or has made (its anon/addr.h)?  It has regions of 2^54 bytes. */
static inline bool
privacy_addr_hidden(uint64_t addr)
{
	uint64_t region = addr >> 54;

	return addr < 4096 || addr > (uint64_t)-4096 || (region >= 1 && region <= 3) || region == 1021 || region == 1022;
}

/* The row of an address of that cpumode. */
static inline enum row
privacy_addr_row(bool kernel, uint64_t addr)
{
	return kernel || addr >> 63 ? ROW_KERNEL_ADDR : ROW_USER_ADDR;
}

/* Is it an address of a page that was just counted?  Only the last page has hidden addresses and others. */
static inline bool
privacy_addr_seen(const struct privacy *p, enum row row, uint64_t addr)
{
	uint64_t tag = privacy_tag(row, addr >> 12);

	return p->seen[privacy_seen_at(tag)] == tag && addr <= (uint64_t)-4096;
}

/* Count n of them. */
static inline void
privacy_addr_again(struct privacy *p, enum row row, uint64_t n, uint64_t bytes)
{
	p->row[row].count += n;
	p->row[row].bytes += n * bytes;
}

/* An address of that cpumode: of the kernel or a program, unless it is a pseudonym.  True: it was counted. */
static inline bool
privacy_addr(struct privacy *p, const struct pp_rec *r, bool kernel, uint64_t addr, uint64_t bytes)
{
	enum row row = privacy_addr_row(kernel, addr);

	if (privacy_addr_seen(p, row, addr)) {
		privacy_addr_again(p, row, 1, bytes);
		return true;
	}
	if (privacy_addr_hidden(addr))
		return false;
	privacy_value(p, row, r, addr >> 12, bytes);
	return true;
}

/* ---- the records --------------------------------------------------------------------------------- */

void	privacy_fields(struct privacy *, const struct pp_event *, const struct pp_rec *);
struct pp_choice privacy_choice(void);		/* what that looks at */
/* The payload of a sample, n bytes: RAW without its size. */
void	privacy_payload(struct privacy *, const struct pp_event *, const struct pp_rec *, const uint8_t *raw, size_t n);
/* At the end: count the events that the fields of their payloads show to be probes, in whatever group a user has put them. */
void	privacy_probes(struct privacy *);
/* A text or number by what it means. */
void	privacy_text_of(struct privacy *, const struct pp_rec *, enum pp_role, const char *s, size_t len);
void	privacy_number_of(struct privacy *, const struct pp_rec *, enum pp_role, uint64_t n, size_t width);
void	privacy_feature(struct privacy *, const struct pp_rec *);
/* Did a user give the event this name, or is it that of a program's probe? */
bool	privacy_event_given(const char *s, size_t len);
/* A name of an event: counted if so. */
void	privacy_event_name(struct privacy *, const struct pp_rec *, const char *s, size_t len);

/* ---- symbols.c ----------------------------------------------------------------------------------- */

void	privacy_symbols_begin(struct privacy *, struct pass *);
/* False: some may be missing, or be too many. */
bool	privacy_symbols_end(struct privacy *);
void	privacy_symbols_free(struct privacy *);

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
