/* SPDX-License-Identifier: ISC */
/*
 * tree.h - private to expr/: the text of an expression, its tree, and its program for one kind of record.
 *
 *	lex.c	text -> tokens; errors with a mark
 *	parse.c	tokens -> tree (contains the grammar)
 *	kernel*.c	EVENT{FILTER}: kernel.h
 *	check.c	types, words, constants in a tree
 *	value.c	arithmetic, lists: shared by compiler and interpreter
 *	fold.c	constant folding for a kind of record
 *	compile.c	tree -> program, for the samples of an event or another of its record types
 *	run.c	the interpreter of programs
 *	frames.c	tests of callchain.dso
 *	explain.c	--explain
 *	bounds.c	expr_bounds()
 *	expr.c		the functions of expr.h
 */
#ifndef PFILTER_EXPR_TREE_H
#define PFILTER_EXPR_TREE_H

#include <regex.h>

#include "record/sample.h"
#include "expr.h"

enum {
	EXPR_DEPTH = 64,		/* nesting of parentheses */
	EXPR_NODES = 2000,		/* nodes of all expressions; constants in lists do not count */
	EXPR_TEXT = 64 << 20,		/* bytes of --filter-file */
	EXPR_NAME = 4096,		/* bytes of a string that patterns match, and of an ERE */
	EXPR_REPEATS = 4096,		/* growth of all EREs when {m,n} and + are expanded */
	EXPR_VALUES = 512,		/* values and results on the stacks of a program */
	EXPR_PROGRAMS = 64 << 20,	/* bytes of all programs; beyond this they are recompiled when needed */
};

/* ---- text ---------------------------------------------------------------------------------------- */

struct expr_source {			/* the text of one --filter */
	const char	*name;		/* name of the option or file */
	bool		 file;
	char		*text;
	size_t		 n;
	struct expr_source *next;
};
enum token {			/* a single character is its own token */
	TOK_END, TOK_NUM = 256, TOK_STR, TOK_NAME, TOK_PATH, TOK_EQ, TOK_NE, TOK_LE, TOK_GE, TOK_AND, TOK_OR,
	TOK_MATCH, TOK_NO_MATCH, TOK_NO_GLOB, TOK_DOTS, TOK_KERNEL /* the name of an event, and `{' */,
};
struct lex {
	const struct tool *t;
	const struct expr_source *src;
	size_t		 pos;		/* end of the token */
	int		 tok;
	size_t		 at, len;	/* position of the token */
	big		 num;		/* TOK_NUM */
	char		*str;		/* TOK_STR, TOK_PATH; a caller that keeps it sets NULL */
};
void	lex_next(struct lex *);
/* The next token.  `paths': if it looks like a path, it is one, up to a blank or comma, and if `paren' up to `)'. */
void	lex_path(struct lex *, bool paths, bool paren);
/* Is the token this name? */
bool	lex_is(const struct lex *, const char *name);
void	lex_free(struct lex *);
/* Print "name: text", the line, and a mark under position `at'; exit 2. */
_Noreturn void lex_wrong(const struct tool *, const struct expr_source *, size_t at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

enum type { T_INT = FIELD_INT, T_STR = FIELD_STR, T_CHAIN = FIELD_CHAIN, T_ANY = FIELD_ANY, T_COND };

/* ---- trees --------------------------------------------------------------------------------------- */

enum node_kind {			/* from N_NEG to N_POPCOUNT: value_calc() */
	N_NUM, N_STR, N_FIELD, N_WORD,
	N_NEG, N_ADD, N_SUB, N_MUL, N_DIV, N_MOD, N_BAND, N_BXOR, N_BOR, N_MIN, N_MAX, N_ABS, N_POPCOUNT, N_LEN, N_DEFAULT,
	N_RANGE, N_EXISTS, N_EQ, N_NE, N_LT, N_LE, N_GT, N_GE, N_GLOB, N_ERE, N_IN, N_TRUTH, N_NOT, N_AND, N_OR,
	N_EVENT, N_KERNEL,		/* kernel.h */
};
/* The functions: N_NAME, and what it is called. */
#define EXPR_FUNCTIONS(F) F(EXISTS, "exists") F(DEFAULT, "default") F(MIN, "min") F(MAX, "max") F(ABS, "abs") F(POPCOUNT, "popcount") F(LEN, "len")
struct range { big lo, hi; };
struct key_range { uint64_t lo, hi; };
struct list {			/* the constant items of `in (...)' */
	struct range	*r;		/* ranges of numbers; after list_sort() ascending without overlap */
	size_t		 n;
	char		**str;		/* strings, ascending */
	size_t		 nstr;
	struct key_range *key[2];	/* r as [0] unsigned, [1] signed 64-bit numbers, with the sign bit inverted */
	size_t		 nkey[2];
};
struct node {
	enum node_kind	 kind;
	enum type	 type;
	bool		 paren;		/* was in parentheses */
	bool		 guarded;	/* a field that may be absent without a warning: in exists(), default() */
	bool		 quotes;	/* a bare name that is compared with text: the user may have meant a text */
	size_t		 at, len;	/* position in the text */
	const struct expr_source *src;
	bool		 kernel;	/* a field in a filter of the kernel */
	struct node	*a, *b;		/* N_IN: b is the first item that is not constant */
	struct node	*next;		/* next item of a list */
	big		 num;		/* N_NUM */
	char		*str;		/* N_STR; pattern of N_GLOB, N_ERE; event of N_EVENT */
	const struct field *field;
	struct field	*payload;	/* the same, if it is of a payload: belongs to the node */
	struct list	*list;		/* N_IN */
	regex_t		*ere;
	struct frames	*frames;	/* a test of callchain.dso */
	struct kernel	*kernel_filter;	/* N_KERNEL */
	struct node	*made;		/* next of all nodes, for free() */

	/* set by fold() for one kind of record */
	enum { LIVE, KNOWN, UNKNOWN } state;	/* KNOWN: constant; the value is num (0 or 1 for a condition) or str */
	bool		 own;		/* N_KERNEL: COMM or CPU of the sample */
	bool		 sure;		/* not unknown in any record */
	uint8_t		 bits;		/* the value is between -2^bits and 2^bits */
	struct field_place	 access;
	big		 value;
	const char	*text;
	enum { NOT_LOOKED, EXACT, LOOSE } named;	/* how a text compared with `event' matches: event_match.h */
};
/* Is it the field `event'? */
static inline bool
node_is_event(const struct node *n)
{
	return n->kind == N_FIELD && n->field->get == GET_NAME;
}
/* Is it callchain.dso, which has a text for each frame? */
static inline bool
node_is_frames(const struct node *n)
{
	return n && n->kind == N_FIELD && n->field->part == PART_CHAIN_DSO;
}
/* Make it a field of payloads. */
void	node_set_payload(struct node *, const uint32_t *index);
/* Decide the type of a payload's field. */
static inline void
node_settle(struct node *n, enum type type)
{
	if (n->type != T_ANY)
		return;
	n->type = type;
	if (n->payload)
		n->payload->type = (uint8_t)type;
}
struct node *parse(struct expr *, const struct tool *, const struct expr_source *);

/* Called by the parser for each new node: checks types of operands, converts words to numbers, folds constants. */
struct node *check_arith(struct expr *, struct node *);
struct node *check_compare(struct expr *, struct node *);
void	make_ere(struct expr *, struct node *);	/* compile the ERE of a node; an invalid one exits 2 */
/* `before': the last node before those of the item. */
void	check_item(struct expr *, struct node *in, struct node *item, const struct node *before);
struct node *check_call(struct expr *, struct node *);
struct node *check_cond(struct expr *, struct node *);	/* a number becomes != 0 */
struct node *node_new(struct expr *, enum node_kind, enum type, const struct expr_source *, size_t at);

/* ---- values -------------------------------------------------------------------------------------- */

/* a op b; false: the result is out of range, or a division by 0. */
bool	value_calc(enum node_kind, big a, big b, big *);
static inline bool
value_compare(enum node_kind op, big a, big b)
{
	switch (op) {
	case N_EQ:	return big_equal(a, b);
	case N_NE:	return !big_equal(a, b);
	case N_LT:	return big_less(a, b);
	case N_LE:	return !big_less(b, a);
	case N_GT:	return big_less(b, a);
	case N_GE:	return !big_less(a, b);
	case N_NUM: case N_STR: case N_FIELD: case N_WORD: case N_NEG: case N_ADD: case N_SUB: case N_MUL: case N_DIV: case N_MOD: case N_BAND:
	case N_BXOR: case N_BOR: case N_MIN: case N_MAX: case N_ABS: case N_POPCOUNT: case N_LEN: case N_DEFAULT: case N_RANGE: case N_EXISTS:
	case N_GLOB: case N_ERE: case N_IN: case N_TRUTH: case N_NOT: case N_AND: case N_OR: case N_EVENT: case N_KERNEL:
		break;
	}
	return false;
}
void	list_add(struct list *, big lo, big hi);
void	list_add_str(struct list *, char *);
void	list_sort(struct list *);
void	list_keys(struct list *, bool sign);
bool	list_has(const struct list *, big);
bool	list_has_key(const struct key_range *, size_t n, uint64_t key);
bool	list_has_str(const struct list *, const char *);
void	list_free(struct list *);

/* ---- programs ------------------------------------------------------------------------------------ */

enum op {
	/* tests: jump to `yes' or `no' by the result */
	OP_SMALL, OP_U32, OP_S32, OP_U64,	/* is the field at a place from lo to lo + span?  OP_SMALL: of 1 or 2 bytes */
	OP_LIST,				/* is it in a list? */
	OP_PAIR,				/* compare with the field of the next instruction, an OP_LOAD */
	OP_COMPARE, OP_STR_EQ, OP_GLOB, OP_ERE, OP_IN, OP_IN_STR, OP_CHAIN, OP_FRAMES, OP_TRUTH, OP_EXISTS,
	OP_KERNEL,
	OP_CONST,
	/* results */
	OP_IF_NO, OP_IF_YES, OP_PUSH, OP_AND, OP_OR, OP_NOT, OP_END, OP_YES, OP_NO,
	/* values */
	OP_NUM, OP_STR, OP_LOAD, OP_FETCH, OP_CALC, OP_CALC1, OP_DEFAULT, OP_SET, OP_GET,
};
struct insn {
	uint8_t		 op;		/* enum op */
	uint8_t		 what;		/* OP_PAIR, OP_COMPARE, OP_CALC: enum node_kind; OP_CONST: enum expr_result; OP_FETCH: enum field_part */
	bool		 negate;		/* invert the result; OP_KERNEL: of COMM */
	bool		 end, sign;	/* as in struct field_place */
	uint8_t		 width, shift;
	int32_t		 off;
	uint16_t	 yes, no;	/* targets of a test */
	uint64_t	 mask;
	union {
		struct { uint64_t lo, span; };	/* OP_NUM: low and high half */
		const struct node *node;
		const struct field *field;
		const char *str;
		struct { const struct key_range *key; size_t nkey; };
	};
};
struct program {
	size_t		 n;
	unsigned	 min;		/* least size of a record */
	bool		 plain;		/* run_plain() can run it */
	bool		 constant;	/* it is one OP_CONST and its end */
	uint16_t	 raw;		/* offset of RAW, if it reads the payload at fixed places; else 0 */
	unsigned	 payload;	/* least size of the payload then */
	const struct node **from;	/* node of each instruction, for explain.c */
	struct insn	 code[];
};

/* Set state, value, ... of all nodes for records of that kind. */
void	fold(struct expr *, const struct field_kind *, struct node *);
/* k->quick: the caller tests the size of payloads (`payload' of the program). */
struct program *compile(struct expr *, const struct field_kind *);
void	program_free(struct program *);

/* Exits 2 if a test of callchain.dso is not ==, ~, =~ or in, with constants.  For other tests it does nothing. */
void	frames_check(struct expr *, struct node *);
_Noreturn void frames_refuse(const struct expr *, const struct node *);	/* the same for != and !~ */
/* Is the test true of the file of any frame?  EXPR_UNKNOWN: the sample has no call chain, or is malformed. */
enum expr_result frames_test(const struct node *, struct field_fetch *);
void	frames_free(struct frames *);

int	run(const struct program *, struct field_fetch *);	/* enum expr_result, or -1 */
enum expr_result run_plain(const struct program *, const struct pp_rec *, bool swap);

struct expr {
	const struct tool *t;
	struct expr_source *sources, **last_source;
	struct node	*root;		/* AND of all expressions */
	struct node	*nodes;		/* all, by ->made */
	unsigned	 nnodes;
	size_t		 repeats;	/* sum for EXPR_REPEATS */
	bool		 state, place, start;	/* which of these its fields need */
	struct field_stream stream;
	bool		 named;		/* names of events were resolved */
	/* programs by event: [0] samples, [type] other types, [64] records without a trailer, [65] samples with a short payload */
	struct programs { struct program *of[66]; } **programs;
	size_t		 nprograms;
	size_t		 bytes;
	const struct field **warned;	/* fields with a warning that an event lacks them */
	size_t		 nwarned;
};

#endif
