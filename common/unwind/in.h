/* SPDX-License-Identifier: ISC */
/* in.h - for the files of this directory */
#ifndef PP_UNWIND_IN_H
#define PP_UNWIND_IN_H

#include "bytes.h"
#include "unwind.h"

/* ---- machines ------------------------------------------------------------------------------------------ */

/* Registers have the numbers of DWARF here (psABI of x86-64, "DWARF for the Arm 64-bit Architecture"). */
enum { UNWIND_COLUMNS = 33 };

struct unwind_machine_desc {
	const char	*name;		/* as uname(2) has it */
	uint16_t	 elf;		/* e_machine */
	uint8_t		 columns;	/* registers that tables may have rules for; of others they are ignored */
	uint8_t		 pc, sp, fp;
	bool		 link;		/* calls leave the return address in a register */
	uint64_t	 address;	/* bits of an address, where a return address may be signed (PAC) */
	uint8_t		 perf[UNWIND_COLUMNS];	/* the number that perf has for each */
};

/* ---- rows: the rules at an address --------------------------------------------------------------------- */

enum unwind_rule_kind {
	UNWIND_SAME,			/* as it is now; also if nothing is said */
	UNWIND_UNDEFINED,
	UNWIND_OFFSET,			/* in memory, `value' behind the CFA */
	UNWIND_VAL_OFFSET,		/* that address itself; of the CFA: behind a register */
	UNWIND_REGISTER,		/* in the register `value' */
	UNWIND_EXPR,			/* in memory, at the result of an expression */
	UNWIND_VAL_EXPR,		/* that result itself */
};
struct unwind_rule {
	int64_t		 value;		/* an expression: where its bytes begin */
	uint32_t	 size;		/* bytes of it */
	uint32_t	 kind;
};

enum {				/* flags of a row */
	UNWIND_ROW_SIGNAL = 1,		/* the function is the trampoline of a signal */
	UNWIND_ROW_SIGNED = 2,		/* its return address is signed (PAC) */
	UNWIND_ROW_REGISTERS = 4,	/* a rule reads other registers */
	UNWIND_ROW_START = 8,		/* it has no caller */
	UNWIND_ROW_TRAMPOLINE = 16,	/* the trampoline of a signal, known by its instructions */
	UNWIND_ROW_LAST = 32,		/* the byte is the last one of the function */
};

struct unwind_row {
	struct unwind_row *next;	/* of rows of one hash */
	uint64_t	 hash;
	uint32_t	 refs;
	uint32_t	 size;		/* from here on, equal rows have equal bytes: so many */
	uint64_t	 mask;		/* registers whose rule is not UNWIND_SAME */
	struct unwind_rule cfa;		/* UNWIND_VAL_OFFSET or UNWIND_VAL_EXPR */
	uint8_t		 cfa_reg, ra, flags, zero[5];	/* ra: the register of the return address */
	struct unwind_rule rule[];	/* for each bit of the mask; then the bytes of expressions */
};

/* The bytes that expressions of a row are in. */
static inline const uint8_t *
unwind_row_bytes(const struct unwind_row *r)
{
	return (const uint8_t *)(r->rule + __builtin_popcountll(r->mask));
}

/* ---- cache.c: addresses and their rows ----------------------------------------------------------------- */

enum { UNWIND_WAYS = 8, UNWIND_ROWS = 1 << 14 };

struct unwind_set {			/* the addresses of one hash */
	uint64_t	 key[UNWIND_WAYS];	/* 0: free */
	struct unwind_row *row[UNWIND_WAYS];	/* NULL: there are no rules */
	uint8_t		 used, hand;		/* the clock: which were found since it passed */
};
struct unwind_cache {
	struct unwind_set *set;
	struct unwind_row **rows;		/* each row once, by hash */
	uint64_t	 mul;			/* random and odd: a file cannot choose its collisions */
	size_t		 memory;		/* bytes of all rows */
};

static inline struct unwind_set *
unwind_cache_set(const struct unwind_cache *c, uint64_t key)
{
	return &c->set[(key * c->mul) / (UINT64_MAX / (UNWIND_CACHE / UNWIND_WAYS) + 1)];
}

/* false: it is not there. */
static inline bool
unwind_cache_get(const struct unwind_cache *c, uint64_t key, const struct unwind_row **row)
{
	struct unwind_set *s = unwind_cache_set(c, key);

	for (unsigned i = 0; i < UNWIND_WAYS; i++)
		if (s->key[i] == key) {
			s->used |= (uint8_t)(1 << i);
			*row = s->row[i];
			return true;
		}
	return false;
}

bool	unwind_cache_open(struct unwind_cache *);
void	unwind_cache_close(struct unwind_cache *);
/* The cache takes the row (from unwind_row_new(), complete, or NULL) and gives the one to use.  Did another address make room? */
const struct unwind_row *unwind_cache_put(struct unwind_cache *, uint64_t key, struct unwind_row *, bool *evicted);
/* A row with space for so many rules and bytes, zeroed.  NULL: no memory. */
struct unwind_row *unwind_row_new(unsigned rules, size_t bytes);

/* ---- files: file.c ------------------------------------------------------------------------------------- */

enum {
	UNWIND_SEGMENTS = 4096, UNWIND_SECTIONS = 1 << 14,	/* headers of a file */
	UNWIND_NAMES = 1 << 20,		/* bytes of the names of sections */
	UNWIND_KEY_BITS = 40,		/* of an offset in a file; the other bits of a key number the files */
};

struct unwind_segment {			/* PT_LOAD */
	uint64_t	 offset, addr, size;	/* size: in the file, or in memory if nothing of it is in the file */
};
struct unwind_place {
	uint32_t	 start;		/* of the function, from `base' on */
	uint32_t	 at;		/* of its FDE, in the section */
};
struct unwind_table {			/* .eh_frame or .debug_frame */
	enum { UNWIND_TABLE_NONE, UNWIND_TABLE_UNREAD, UNWIND_TABLE_READ, UNWIND_TABLE_BAD } state;
	bool		 debug;		/* .debug_frame */
	bool		 again;		/* it was read before, and dropped */
	uint64_t	 header, header_addr, header_size;	/* .eh_frame_hdr; size 0: there is none */
	uint64_t	 at, addr, size;	/* of the section, in the file and in memory */
	unsigned	 compressed;	/* ELFCOMPRESS_..., or 0 */
	uint8_t		*bytes;		/* the expanded section, nbytes; NULL: it is in the file */
	size_t		 nbytes;
	uint64_t	 base;
	struct unwind_place *place;	/* by address */
	size_t		 n;
	size_t		 memory;	/* bytes of `place' and `bytes' */
};

struct unwind_file {
	struct unwinder	*u;
	struct unwind_file *prev, *next;
	int		 fd;		/* -1: in memory */
	const uint8_t	*p;
	size_t		 n;
	uint64_t	 serial;	/* of the file, in the upper bits of keys */
	struct unwind_segment *segment;
	size_t		 nsegments;
	struct unwind_table table[2];	/* .eh_frame is asked first */
	uint64_t	 work;		/* see UNWIND_WORK */
	uint64_t	 turn;		/* when its tables were used last */
	const char	*trouble;
};

/* Bytes of the file; how many there are, which is less only at its end and for errors. */
size_t	unwind_read(const struct unwind_file *, uint64_t at, void *, size_t n);
/* By the segments: the address of a byte at that offset, as a map has it, and the offset of an address.  false: of none. */
bool	unwind_addr_of(const struct unwind_file *, uint64_t offset, uint64_t *addr);
bool	unwind_offset_of(const struct unwind_file *, uint64_t addr, uint64_t *offset);
/* Count what a file costs; when it is too much, it counts as without tables. */
void	unwind_work(struct unwind_file *, uint64_t work);

/* section.c: find .eh_frame and .debug_frame by the section headers, for tables that have no place yet. */
void	unwind_sections(struct unwind_file *, const uint8_t *header);
/* expand.c: a compressed section, t->size bytes of the file; the caller frees *n bytes.  NULL: damaged, too large, no memory. */
uint8_t	*unwind_expand(const struct unwind_file *, const struct unwind_table *, size_t *n);

/* ---- table.c: which FDE an address has ----------------------------------------------------------------- */

enum {
	UNWIND_SECTION = 32 << 20,	/* bytes of a section that is expanded, or of which a list is made */
	UNWIND_LIST = 1 << 21,		/* entries of such a list */
};

/* Read it, if it is not in memory; others may be dropped for that.  false: it is not usable. */
bool	unwind_table_ready(struct unwind_file *, struct unwind_table *);
void	unwind_table_drop(struct unwind_file *, struct unwind_table *);
/* Bytes of the section; how many there are. */
size_t	unwind_table_bytes(const struct unwind_file *, const struct unwind_table *, uint64_t at, uint8_t *, size_t n);
/* The offset in its section of the last FDE that begins at or before that address; false: none. */
bool	unwind_table_find(const struct unwind_table *, uint64_t addr, uint64_t *at);

/* ---- cfi.c: entries and their instructions ------------------------------------------------------------- */

struct unwind_cfi {			/* the bytes of a CIE, and behind UNWIND_CFI those of an FDE */
	uint8_t		 bytes[2 * UNWIND_CFI];
	uint64_t	 serial, at;	/* whose CIE that is */
	bool		 debug;
	size_t		 cie, fde;	/* bytes of each; 0: none */
};
struct unwind_cie {
	uint64_t	 code_align;
	int64_t		 data_align;
	uint64_t	 ra;
	uint8_t		 encoding;	/* of the addresses in its FDEs */
	bool		 augmented;	/* its FDEs have data of augmentation */
	bool		 signal;
	struct unwind_bytes code;
};
struct unwind_fde {
	uint64_t	 start, size;	/* of the function */
	struct unwind_bytes code;
};
struct unwind_entry_at {			/* the first bytes of an entry */
	unsigned	 head;		/* bytes of its length */
	uint64_t	 size;		/* bytes of the entry */
	bool		 is_cie;
	uint64_t	 cie;		/* of an FDE: where in the section its CIE is */
	struct unwind_bytes rest;	/* behind that */
};

/* The entry at `at' of its section, of which p has the first n bytes, which may be fewer than all.  false: none, or damaged. */
bool	unwind_entry(const struct unwind_table *, uint64_t at, const uint8_t *p, size_t n, struct unwind_entry_at *);
bool	unwind_cie_read(const struct unwind_entry_at *, struct unwind_cie *);
/* addr: of the first byte of its `rest'. */
bool	unwind_fde_read(const struct unwind_entry_at *, const struct unwind_cie *, uint64_t addr, struct unwind_fde *);

/* The rules at an address of the file; NULL: none. */
struct unwind_row *unwind_cfi_row(struct unwind_file *, uint64_t addr);

/* ---- trampoline.c -------------------------------------------------------------------------------------- */

/* At that offset of a file, is there the trampoline of a signal?  Its rules; NULL: none. */
struct unwind_row *unwind_trampoline_row(const struct unwind_file *, uint64_t offset);

/* ---- expr.c -------------------------------------------------------------------------------------------- */

struct unwind_frame {			/* the registers in a function */
	uint64_t	 reg[UNWIND_COLUMNS];
	uint64_t	 known;
};
struct unwind_memory {
	/* size bytes at that address, 1 to 8; false: they are not at hand. */
	bool		(*get)(void *arg, uint64_t addr, unsigned size, uint64_t *value);
	void		*arg;
};

/* `first', if not NULL, is on the stack at the beginning.  Steps are added to *steps.  false: there is no result. */
bool	unwind_expr(struct unwind_bytes, const struct unwind_frame *, const struct unwind_memory *, const uint64_t *first, uint64_t *result,
	    uint64_t *steps);

/* ---- chain.c ------------------------------------------------------------------------------------------- */

struct unwinder {
	const struct unwind_machine_desc *machine;
	struct unwind_file *files;
	uint64_t	 serials;	/* files so far */
	uint64_t	 turn;
	size_t		 tables;	/* bytes of all */
	struct unwind_cache cache;
	struct unwind_cfi cfi;
	struct unwind_stats stats;
};

#endif
