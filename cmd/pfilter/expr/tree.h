/* SPDX-License-Identifier: ISC */
/*
 * tree.h - inside of expr/: the text, the tree that the parser makes of it, the program for one kind of record.
 *
 *	lex.c	text -> tokens; errors with the place marked
 *	parse.c	tokens -> tree (the grammar stands there)
 *	check.c	types, words, constants of a tree
 *	value.c	sums, lists, globs: what means the same at compile and at run time
 *	fold.c	what of a tree is known before there is a record
 *	compile.c	tree -> program, for the samples of an event or another of its record types
 *	run.c	runs a program on a record
 *	explain.c	shows it
 *	expr.c		what expr.h promises
 */
#ifndef PFILTER_EXPR_TREE_H
#define PFILTER_EXPR_TREE_H

#include <regex.h>

#include "record/sample.h"
#include "expr.h"

enum {
	EXPR_DEPTH = 64,		/* of parentheses in each other */
	EXPR_NODES = 2000,		/* names, numbers and operators of one run; constants in lists do not count */
	EXPR_TEXT = 64 << 20,		/* bytes of a file */
	EXPR_NAME = 4096,		/* most bytes of a string that patterns look at, and of an ERE */
	EXPR_REPEATS = 4096,		/* by how much all EREs may grow when {m,n} and + are written out */
	EXPR_VALUES = 512,		/* values and verdicts that a program may have to put aside */
	EXPR_PROGRAMS = 64 << 20,	/* bytes of all programs; over that they are made again when needed */
};

/* ---- text ---------------------------------------------------------------------------------------- */

struct source {			/* one --filter */
	const char	*name;		/* of the option or file */
	bool		 file;
	char		*text;
	size_t		 n;
	struct source	*next;
};
enum token {			/* one character stands for itself */
	TOK_END, TOK_NUM = 256, TOK_STR, TOK_NAME, TOK_PATH, TOK_EQ, TOK_NE, TOK_LE, TOK_GE, TOK_AND, TOK_OR,
	TOK_MATCH, TOK_NO_MATCH, TOK_NO_GLOB, TOK_DOTS,
};
struct lex {
	const struct tool *t;
	const struct source *src;
	size_t		 pos;		/* behind the token */
	int		 tok;
	size_t		 at, len;	/* where the token stands */
	big		 num;		/* TOK_NUM */
	char		*str;		/* TOK_STR, TOK_PATH; whoever takes it sets NULL */
};
void	lex_next(struct lex *);
/* The next token; if `paths' a path if it looks like one, which ends at a blank or comma, or at `)' if `paren'. */
void	lex_path(struct lex *, bool paths, bool paren);
/* Is the token this name? */
bool	lex_is(const struct lex *, const char *name);
void	lex_free(struct lex *);
/* "name: text", the line, a mark under the place; exit 2. */
_Noreturn void lex_wrong(const struct tool *, const struct source *, size_t at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

enum type { T_INT = FIELD_INT, T_STR = FIELD_STR, T_CHAIN = FIELD_CHAIN, T_COND };

/* ---- trees --------------------------------------------------------------------------------------- */

enum node_kind {
	N_NUM, N_STR, N_FIELD, N_WORD,
	N_NEG, N_ADD, N_SUB, N_MUL, N_DIV, N_MOD, N_BAND, N_BXOR, N_BOR, N_MIN, N_MAX, N_ABS, N_POPCOUNT, N_LEN, N_DEFAULT,
	N_RANGE, N_EXISTS, N_EQ, N_NE, N_LT, N_LE, N_GT, N_GE, N_GLOB, N_ERE, N_IN, N_TRUTH, N_NOT, N_AND, N_OR,
};
struct range { big lo, hi; };
struct key { uint64_t lo, hi; };
struct list {			/* behind `in': what of it is constant */
	struct range	*r;		/* of numbers; list_sort(): ascending, apart */
	size_t		 n, cap;
	char		**str;		/* of strings; ascending */
	size_t		 nstr, strcap;
	struct key	*key[2];	/* r as unsigned numbers; as signed ones, with the sign bit turned */
	size_t		 nkey[2];
};
struct node {
	enum node_kind	 kind;
	enum type	 type;
	bool		 paren;		/* stood in parentheses */
	bool		 guarded;	/* a field that may be absent without a word: exists(), default() */
	size_t		 at, len;	/* where in the text */
	const struct source *src;
	struct node	*a, *b;		/* N_IN: b is the first of the items that are not constant */
	struct node	*next;		/* item of a list */
	big		 num;		/* N_NUM */
	char		*str;		/* N_STR; pattern of N_GLOB, N_ERE */
	const struct field *field;
	struct list	*list;		/* N_IN */
	regex_t		*ere;
	struct node	*made;		/* all nodes, for free() */

	/* of the program being made (fold.c) */
	enum { LIVE, KNOWN, UNKNOWN } state;	/* KNOWN: num (of conditions 0, 1) or str is its value */
	bool		 sure;		/* no record makes it unknown */
	uint8_t		 bits;		/* its value is between -2^bits and 2^bits */
	struct field_place	 access;
	big		 value;
	const char	*text;
	enum { NOT_LOOKED, EXACT, LOOSE } named;	/* the event that text beside `event' names: event_match.h */
};
/* Is it the field `event'? */
static inline bool
node_is_event(const struct node *n)
{
	return n->kind == N_FIELD && n->field->get == GET_NAME;
}
struct node *parse(struct expr *, const struct tool *, const struct source *);

/* The parser has made a node: are its operands of the right type?  Gives words their numbers, folds constants. */
struct node *check_arith(struct expr *, struct node *);
struct node *check_compare(struct expr *, struct node *);
void	make_ere(struct expr *, struct node *);	/* the ERE of a node; wrong ones exit */
/* `before': the last node before those of the item. */
void	check_item(struct expr *, struct node *in, struct node *item, const struct node *before);
struct node *check_call(struct expr *, struct node *);
struct node *check_cond(struct expr *, struct node *);	/* a number becomes != 0 */
struct node *node_new(struct expr *, enum node_kind, enum type, const struct source *, size_t at);

/* ---- values -------------------------------------------------------------------------------------- */

/* a op b; false: there is no result in range (or of a division by 0). */
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
	default:	return !big_less(a, b);
	}
}
bool	value_glob(const char *pattern, const char *s);		/* over EXPR_NAME bytes: the caller's business */
void	list_add(struct list *, big lo, big hi);
void	list_add_str(struct list *, char *);
void	list_sort(struct list *);
void	list_keys(struct list *, bool sign);
bool	list_has(const struct list *, big);
bool	list_has_key(const struct key *, size_t n, uint64_t key);
bool	list_has_str(const struct list *, const char *);
void	list_free(struct list *);

/* ---- programs ------------------------------------------------------------------------------------ */

enum op {
	/* tests: the verdict decides where to go on */
	OP_U16, OP_U32, OP_S32, OP_U64,		/* is the field at a place from lo to lo + span? */
	OP_LIST,				/* is it in a list? */
	OP_PAIR,				/* is it less, say, than that of the next instruction, an OP_LOAD? */
	OP_COMPARE, OP_STR_EQ, OP_GLOB, OP_ERE, OP_IN, OP_IN_STR, OP_CHAIN, OP_TRUTH, OP_EXISTS,
	OP_CONST,
	/* verdicts */
	OP_IF_NO, OP_IF_YES, OP_PUSH, OP_AND, OP_OR, OP_NOT, OP_END, OP_YES, OP_NO,
	/* values */
	OP_NUM, OP_STR, OP_LOAD, OP_FETCH, OP_CALC, OP_CALC1, OP_DEFAULT, OP_SET, OP_GET,
};
struct insn {
	uint8_t		 op;		/* enum op */
	uint8_t		 what;		/* OP_PAIR, OP_COMPARE, OP_CALC: enum node_kind; OP_CONST: enum expr_result; OP_FETCH: enum field_part */
	bool		 turn;		/* the verdict is the other one */
	bool		 end, sign;	/* as in struct field_place */
	uint8_t		 width, shift;
	int32_t		 off;
	uint16_t	 yes, no;	/* where a test goes on */
	uint64_t	 mask;
	union {
		struct { uint64_t lo, span; };	/* OP_NUM: low and high half */
		const struct node *node;
		const struct field *field;
		const char *str;
		struct { const struct key *key; size_t nkey; };
	};
};
struct program {
	size_t		 n;
	unsigned	 min;		/* bytes that a record must have */
	bool		 plain;		/* run_plain() does */
	const struct node **from;	/* of each instruction, to explain it */
	struct insn	 code[];
};

/* state, value, ... of all nodes, for records of that kind. */
void	fold(struct expr *, const struct field_kind *, struct node *);
struct program *compile(struct expr *, const struct field_kind *);
void	program_free(struct program *);

int	run(const struct program *, struct field_fetch *);	/* enum expr_result, or -1 */
enum expr_result run_plain(const struct program *, const struct pp_rec *, bool swap);

struct expr {
	const struct tool *t;
	struct source	*sources, **last_source;
	struct node	*root;		/* all ANDed */
	struct node	*nodes;		/* all, by ->made */
	unsigned	 nnodes;
	size_t		 repeats;	/* of EXPR_REPEATS */
	bool		 state, place, start;	/* what its fields need */
	struct field_stream stream;
	bool		 named;		/* names of events have been looked at */
	/* programs by event: [0] samples, [type] others, [64] those without a trailer */
	struct programs { struct program *of[65]; } **programs;
	unsigned	 nprograms;
	size_t		 bytes;
	const struct field **warned;	/* told that an event lacks them */
	size_t		 nwarned;
};

#endif
