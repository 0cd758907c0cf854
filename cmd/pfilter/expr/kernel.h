/* SPDX-License-Identifier: ISC */
/*
 * kernel.h - private to expr/: EVENT{FILTER}, a filter in the language of the kernel (perf record --filter) and with its meaning.
 *
 * The tree: N_EVENT, whose a is the filter; && || ! as elsewhere; N_KERNEL, one predicate.  The meaning of a predicate depends on
 * the format of the event.  If it compares a number, fold() makes its a the comparison for that event; if it compares text or a CPU
 * mask, kernel_test() tests it.
 *
 *	kernel.c	the grammar
 *	kernel_mean.c	what a filter means for the format of an event
 *	kernel_text.c	comparison of texts
 *	kernel_function.c	where functions lie: --kallsyms
 */
#ifndef PFILTER_EXPR_KERNEL_H
#define PFILTER_EXPR_KERNEL_H

#include "tree.h"

struct kernel_text {			/* as the kernel prepares the text of == != ~ */
	enum kernel_match { KERNEL_FULL, KERNEL_FRONT, KERNEL_MIDDLE, KERNEL_END, KERNEL_GLOB } how;
	bool		 negate;
	char		*s;
	size_t		 n;
};
/* Does it match, as in the kernel?  len: the bytes of the field, also those behind the NUL. */
bool	kernel_text_match(const struct kernel_text *, const char *, size_t len);
/* Prepare n bytes of text; `glob': of ~. */
void	kernel_text_make(struct kernel_text *, const char *, size_t n, bool glob);

enum {
	KERNEL_STRING = 256,		/* a text is shorter */
	KERNEL_NUMBER = 24,		/* so is a number */
	KERNEL_CPUS = 8192,		/* no kernel has more */
	KERNEL_COMM = 16,		/* bytes of a task's name with NUL */
	KERNEL_WHY = 256,		/* for kernel_refuses() */
};
enum kernel_own { OWN_NONE, OWN_CPU, OWN_COMM, OWN_STACK };

struct kernel {				/* a predicate */
	enum { BY_NUMBER, BY_TEXT, BY_CPUS, BY_FUNCTION } by;
	enum node_kind	 op;		/* N_EQ ... N_GE, N_BAND, N_GLOB */
	char		 number[KERNEL_NUMBER];	/* BY_FUNCTION without `function': an address in it */
	char		*function;
	size_t		 function_at;	/* position in the text */
	struct list	*addresses;	/* of the function, as values of fields with sign and without; empty before kernel_functions() */
	bool		 wide;		/* they have more than 32 bits */
	struct kernel_text text;
	struct list	*cpus;
	bool		 one;		/* a single CPU */
	enum kernel_own	 own_name;	/* what the name is if the event has no field of that name */
	struct node	*field[2];	/* of the payload; of the sample, NULL: the name means none */
	struct node	*num;		/* constant of both trees: set for each event */
	struct node	*tree[2], *flat;	/* comparisons of a number: of the payload, of the sample; a constant */
	size_t		 end;		/* position in the text */
	bool		 warned;
};

/* Parse behind `{' up to and with `}': l is at the token TOK_KERNEL, and moves behind it. */
struct node *kernel_parse(struct expr *, struct lex *);
/* A number in base 0, of a field with sign or without.  false: the text is no such number. */
bool	kernel_value(const char *, bool sign, big *);
/* Is the node true of some samples of the event, as far as names and formats say? */
bool	kernel_is_of(const struct expr *, struct node *, const struct pp_event *);
/* Check an N_EVENT when formats are known: exits 2 if no event that it names can have the filter, and warns if only some can. */
void	kernel_bind(const struct expr *, struct node *);
/* Choose what an N_KERNEL is for samples of the event. */
void	kernel_choose(const struct expr *, struct node *, const struct pp_event *);
/* Run the test of an N_KERNEL without a; own: of COMM. */
enum expr_result kernel_test(const struct node *, bool own, struct field_fetch *);
/* For --explain: the field that kernel_test() looks at; and what is written behind its name, *len bytes. */
const struct field *kernel_field_of(const struct node *, bool own);
const char *kernel_rest(const struct node *, size_t *len);
void	kernel_free(struct kernel *);

#endif
