/* SPDX-License-Identifier: ISC */
/*
 * parse.c - tokens to a tree, with one function per rule:
 *
 *	filter := conj { "," conj }				AND with the lowest precedence, as in perf
 *	conj   := and { ("||" | "or") and }
 *	and    := not { ("&&" | "and") not }
 *	not    := ("!" | "not") not | rel			"! a == b" is refused
 *	rel    := bit [ ("==" | "!=" | "<" | "<=" | ">" | ">=") bit ]
 *	        | bit ("~" | "!~") STRING			a glob
 *	        | bit ("=~" | "!=~") STRING			an ERE
 *	        | bit ["not"] "in" "(" item { "," item } ")"
 *	item   := bit [ ".." bit ]
 *	bit    := add { ("&" | "|" | "^") add }			& over ^ over |
 *	add    := mul { ("+" | "-") mul }
 *	mul    := un { ("*" | "/" | "%") un }
 *	un     := "-" un | prim
 *	prim   := EVENT "{" FILTER "}"				kernel.c
 *	        | NUMBER | STRING | WORD | FIELD [ "[" NUMBER "]" ] | FUNCTION "(" bit { "," bit } ")" | "(" filter ")"
 *
 * and a path after `cgroup ==' or `!='.  An expression that perf record --filter accepts (its grammar is conj of single
 * comparisons) has the same meaning here.
 */
#include <string.h>

#include "kernel.h"

struct parser {
	struct lex	 l;
	struct expr	*e;
	unsigned	 depth, guard;
};

static struct node *parse_filter(struct parser *);
static struct node *parse_bit(struct parser *);

static void __attribute__((noreturn))
parse_expected(const struct parser *p, const char *what)
{
	if (p->l.tok == TOK_END)
		lex_wrong(p->l.t, p->l.src, p->l.src->n, "ends where %s is expected", what);
	lex_wrong(p->l.t, p->l.src, p->l.at, "expected %s", what);
}

static void
parse_deeper(struct parser *p)
{
	if (++p->depth > EXPR_DEPTH)
		lex_wrong(p->l.t, p->l.src, p->l.at, "nested deeper than %d", EXPR_DEPTH);
}

static void
parse_take(struct parser *p, int tok, const char *what)
{
	if (p->l.tok != tok)
		parse_expected(p, what);
	lex_next(&p->l);
}

static struct node *
parse_make(struct parser *p, enum node_kind kind, enum type type, size_t at, struct node *a, struct node *b)
{
	struct node *n = node_new(p->e, kind, type, p->l.src, at);

	n->a = a;
	n->b = b;
	return n;
}

/* ---- values -------------------------------------------------------------------------------------- */

static struct node *
parse_call(struct parser *p, enum node_kind kind, size_t at)
{
	struct node *a, *n;
	bool guards = kind == N_EXISTS || kind == N_DEFAULT;

	parse_deeper(p);
	lex_next(&p->l);
	parse_take(p, '(', "`('");
	p->guard += guards;
	a = parse_bit(p);
	p->guard -= guards;
	n = parse_make(p, kind, kind == N_EXISTS ? T_COND : T_INT, at, a, NULL);
	if (kind == N_MIN || kind == N_MAX || kind == N_DEFAULT) {
		parse_take(p, ',', "`,' and another value");
		n->b = parse_bit(p);
		while (kind != N_DEFAULT && p->l.tok == ',') {
			lex_next(&p->l);
			n = parse_make(p, kind, T_INT, at, check_call(p->e, n), parse_bit(p));
		}
	}
	parse_take(p, ')', p->l.tok == ',' ? "`)', as it takes no more" : "`)'");
	p->depth--;
	return check_call(p->e, n);
}

/* "[" NUMBER "]" behind the name of a payload's field, or nothing. */
static struct node *
parse_payload(struct parser *p, struct node *n)
{
	uint32_t index;

	if (p->l.tok == '[') {
		lex_next(&p->l);
		if (p->l.tok != TOK_NUM || !big_less(p->l.num, big_plain(UINT64_C(1) << 16)))
			parse_expected(p, "a number below 65536");
		index = (uint32_t)p->l.num.lo;
		lex_next(&p->l);
		parse_take(p, ']', "`]'");
		node_set_payload(n, &index);
	} else
		node_set_payload(n, NULL);
	return n;
}

static struct node *
parse_named(struct parser *p)
{
	static const struct { const char *name; enum node_kind kind; } functions[] = {
#define FUNCTION(NAME, name) { name, N_##NAME },
		EXPR_FUNCTIONS(FUNCTION)
#undef FUNCTION
	};
	const struct field *f = field_find(p->l.src->text + p->l.at, p->l.len);
	struct node *n;

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (lex_is(&p->l, functions[i].name))
			return parse_call(p, functions[i].kind, p->l.at);
	if (lex_is(&p->l, "and") || lex_is(&p->l, "or") || lex_is(&p->l, "not") || lex_is(&p->l, "in"))
		parse_expected(p, "a value");
	n = node_new(p->e, f ? N_FIELD : N_WORD, f ? (enum type)f->type : T_ANY, p->l.src, p->l.at);
	if (f && field_refused(f))
		lex_wrong(p->l.t, p->l.src, p->l.at, "%s is known only while recording (perf record --filter), and is in no record", f->name);
	n->len = p->l.len;
	n->field = f;
	n->guarded = p->guard > 0;
	if (f) {
		p->e->state |= field_needs_state(f);
		p->e->place |= field_needs_place(f);
		p->e->start |= field_needs_start(f);
		p->e->stream.wants_guests |= field_needs_guests(f);
	}
	lex_next(&p->l);
	return !f && (p->l.tok == '[' || (n->len > 4 && !memcmp(n->src->text + n->at, "raw.", 4))) ? parse_payload(p, n) : n;
}

static struct node *
parse_prim(struct parser *p)
{
	struct node *n;

	switch (p->l.tok) {
	case TOK_NUM:
		n = node_new(p->e, N_NUM, T_INT, p->l.src, p->l.at);
		n->num = p->l.num;
		break;
	case TOK_STR:
		n = node_new(p->e, N_STR, T_STR, p->l.src, p->l.at);
		n->str = p->l.str;
		p->l.str = NULL;
		break;
	case TOK_NAME:
		return parse_named(p);
	case TOK_KERNEL:
		n = kernel_parse(p->e, &p->l);
		break;
	case '(':
		parse_deeper(p);
		lex_next(&p->l);
		n = parse_filter(p);
		if (p->l.tok != ')')
			parse_expected(p, "`)' or an operator");
		p->depth--;
		n->paren = true;
		break;
	case '/':
		parse_expected(p, "a value; a path follows `cgroup ==' only, else quote it");
	default:
		parse_expected(p, "a value");
	}
	lex_next(&p->l);
	return n;
}

static struct node *
parse_un(struct parser *p)
{
	size_t at = p->l.at;
	struct node *n;

	if (p->l.tok != '-')
		return parse_prim(p);
	parse_deeper(p);
	lex_next(&p->l);
	n = parse_make(p, N_NEG, T_INT, at, parse_un(p), NULL);
	p->depth--;
	return check_arith(p->e, n);
}

static struct node *
parse_mul(struct parser *p)
{
	struct node *n = parse_un(p);
	size_t at = p->l.at;

	for (int tok; (tok = p->l.tok) == '*' || tok == '/' || tok == '%'; at = p->l.at) {
		lex_next(&p->l);
		n = check_arith(p->e, parse_make(p, tok == '*' ? N_MUL : tok == '/' ? N_DIV : N_MOD, T_INT, at, n, parse_un(p)));
	}
	return n;
}

static struct node *
parse_add(struct parser *p)
{
	struct node *n = parse_mul(p);
	size_t at = p->l.at;

	for (int tok; (tok = p->l.tok) == '+' || tok == '-'; at = p->l.at) {
		lex_next(&p->l);
		n = check_arith(p->e, parse_make(p, tok == '+' ? N_ADD : N_SUB, T_INT, at, n, parse_mul(p)));
	}
	return n;
}

/* Parse & ^ |, which bind in this order, by level. */
static struct node *
parse_bits(struct parser *p, unsigned level)
{
	static const struct { int tok; enum node_kind kind; } levels[] = { { '|', N_BOR }, { '^', N_BXOR }, { '&', N_BAND } };
	struct node *n;

	if (level == sizeof levels / sizeof *levels)
		return parse_add(p);
	n = parse_bits(p, level + 1);
	for (size_t at = p->l.at; p->l.tok == levels[level].tok; at = p->l.at) {
		lex_next(&p->l);
		n = check_arith(p->e, parse_make(p, levels[level].kind, T_INT, at, n, parse_bits(p, level + 1)));
	}
	return n;
}

static struct node *
parse_bit(struct parser *p)
{
	return parse_bits(p, 0);
}

/* ---- conditions ---------------------------------------------------------------------------------- */

static enum node_kind
parse_comparison(int tok)
{
	switch (tok) {
	case TOK_EQ:	return N_EQ;
	case TOK_NE:	return N_NE;
	case '<':	return N_LT;
	case TOK_LE:	return N_LE;
	case '>':	return N_GT;
	case TOK_GE:	return N_GE;
	default:	return N_NUM;
	}
}

static bool
parse_relates(const struct parser *p)
{
	return parse_comparison(p->l.tok) != N_NUM || p->l.tok == '~' || p->l.tok == TOK_NO_GLOB || p->l.tok == TOK_MATCH ||
	    p->l.tok == TOK_NO_MATCH || lex_is(&p->l, "in");
}

/* C parses a & b == c as a & (b == c), this grammar does not: require parentheses. */
static void
parse_not_mixed(const struct parser *p, const struct node *n, size_t at)
{
	if (!n->paren && (n->kind == N_BAND || n->kind == N_BOR || n->kind == N_BXOR))
		lex_wrong(p->l.t, p->l.src, at, "& | ^ next to a comparison need parentheses: (a & b) == c");
}

/* A single number, like almost all items of a long list: needs no node. */
static bool
parse_plain_item(struct parser *p, struct list *list)
{
	struct lex *l = &p->l;
	struct lex was = *l;
	big n;
	bool minus;

	if (l->tok != TOK_NUM && l->tok != '-')
		return false;
	if ((minus = l->tok == '-'))
		lex_next(l);
	if (l->tok == TOK_NUM) {
		n = l->num;
		if (minus)
			big_sub((big){ 0 }, n, &n);
		lex_next(l);
		if (l->tok == ',' || l->tok == ')') {
			list_add(list, n, n);
			return true;
		}
	}
	lex_free(l);
	*l = was;			/* `was' holds no string */
	return false;
}

static struct node *
parse_in(struct parser *p, struct node *a, size_t at)
{
	struct node *n = parse_make(p, N_IN, T_COND, at, a, NULL);

	n->list = tool_alloc(1, sizeof *n->list);
	parse_take(p, '(', "`(' and a list");
	node_settle(a, p->l.tok == TOK_STR ? T_STR : T_INT);
	for (;;) {
		if (a->type == T_STR || !parse_plain_item(p, n->list)) {
			const struct node *before = p->e->nodes;
			struct node *item = parse_bit(p);

			if (p->l.tok == TOK_DOTS) {
				size_t dots = p->l.at;

				lex_next(&p->l);
				item = parse_make(p, N_RANGE, T_INT, dots, item, parse_bit(p));
			}
			check_item(p->e, n, item, before);
		}
		if (p->l.tok != ',')
			break;
		lex_next(&p->l);
	}
	if (p->l.tok != ')')
		parse_expected(p, "`,' or `)'");
	lex_next(&p->l);
	return check_compare(p->e, n);
}

static struct node *
parse_matches(struct parser *p, struct node *a, int tok, size_t at)
{
	bool ere = tok == TOK_MATCH || tok == TOK_NO_MATCH, negate = tok == TOK_NO_MATCH || tok == TOK_NO_GLOB;
	struct node *n = parse_make(p, ere ? N_ERE : N_GLOB, T_COND, at, a, NULL);

	if (p->l.tok != TOK_STR)
		parse_expected(p, "a string in quotes");
	n->str = p->l.str;
	p->l.str = NULL;
	if (negate && node_is_frames(a))
		frames_refuse(p->e, a);
	n = check_compare(p->e, n);
	lex_next(&p->l);
	return negate ? parse_make(p, N_NOT, T_COND, at, n, NULL) : n;
}

static struct node *
parse_path(struct parser *p, struct node *cgroup, enum node_kind kind, size_t at)
{
	struct node *n = node_new(p->e, N_STR, T_STR, p->l.src, p->l.at);

	n->str = p->l.str;
	p->l.str = NULL;
	cgroup->field = field_find("cgroup.name", 11);
	cgroup->type = T_STR;
	p->e->state = true;
	lex_next(&p->l);
	return check_compare(p->e, parse_make(p, kind, T_COND, at, cgroup, n));
}

static struct node *
parse_rel(struct parser *p)
{
	struct node *n = parse_bit(p);
	size_t at = p->l.at;
	int tok = p->l.tok;
	enum node_kind kind = parse_comparison(tok);

	if (lex_is(&p->l, "not")) {
		lex_next(&p->l);
		if (!lex_is(&p->l, "in"))
			parse_expected(p, "`in' behind `not'");
		parse_not_mixed(p, n, at);
		lex_next(&p->l);
		n = parse_make(p, N_NOT, T_COND, at, parse_in(p, n, at), NULL);
	} else if (parse_relates(p)) {
		parse_not_mixed(p, n, at);
		if (kind == N_EQ || kind == N_NE)
			lex_path(&p->l, n->kind == N_FIELD && !n->payload && !strcmp(n->field->name, "cgroup") && !n->paren, p->depth > 0);
		else
			lex_next(&p->l);
		if (tok == TOK_NAME)
			n = parse_in(p, n, at);
		else if (kind == N_NUM)
			n = parse_matches(p, n, tok, at);
		else if (p->l.tok == TOK_PATH)
			n = parse_path(p, n, kind, at);
		else {
			struct node *b = parse_bit(p);

			parse_not_mixed(p, b, at);
			n = check_compare(p->e, parse_make(p, kind, T_COND, at, n, b));
		}
	} else
		return n;
	if (parse_relates(p) || lex_is(&p->l, "not"))
		lex_wrong(p->l.t, p->l.src, p->l.at, "comparisons do not chain: write a < b && b < c");
	return n;
}

static struct node *
parse_not(struct parser *p)
{
	size_t at = p->l.at;
	bool mark = p->l.tok == '!';
	struct node *n;

	if (!mark && !lex_is(&p->l, "not"))
		return parse_rel(p);
	parse_deeper(p);
	lex_next(&p->l);
	n = parse_not(p);
	if (mark && !n->paren && n->kind >= N_EQ && n->kind <= N_IN)
		lex_wrong(p->l.t, p->l.src, at, "ambiguous: write !(a == b), or `not a == b', which means the same");
	p->depth--;
	return parse_make(p, N_NOT, T_COND, at, check_cond(p->e, n), NULL);
}

static struct node *
parse_and(struct parser *p)
{
	struct node *n = parse_not(p);

	for (size_t at = p->l.at; p->l.tok == TOK_AND || lex_is(&p->l, "and"); at = p->l.at) {
		lex_next(&p->l);
		n = parse_make(p, N_AND, T_COND, at, check_cond(p->e, n), NULL);
		n->b = check_cond(p->e, parse_not(p));
	}
	return n;
}

static struct node *
parse_alternatives(struct parser *p)
{
	struct node *n = parse_and(p);

	for (size_t at = p->l.at; p->l.tok == TOK_OR || lex_is(&p->l, "or"); at = p->l.at) {
		lex_next(&p->l);
		n = parse_make(p, N_OR, T_COND, at, check_cond(p->e, n), NULL);
		n->b = check_cond(p->e, parse_and(p));
	}
	return n;
}

static struct node *
parse_filter(struct parser *p)
{
	struct node *n = parse_alternatives(p);

	for (size_t at = p->l.at; p->l.tok == ','; at = p->l.at) {
		lex_next(&p->l);
		n = parse_make(p, N_AND, T_COND, at, check_cond(p->e, n), NULL);
		n->b = check_cond(p->e, parse_alternatives(p));
	}
	return n;
}

struct node *
parse(struct expr *e, const struct tool *t, const struct expr_source *src)
{
	struct parser p = { .l = { .t = t, .src = src }, .e = e };
	struct node *n;

	lex_next(&p.l);
	if (p.l.tok == TOK_END)
		lex_wrong(t, src, 0, "the expression is empty");
	n = check_cond(e, parse_filter(&p));
	if (p.l.tok != TOK_END)
		parse_expected(&p, p.l.tok == ')' ? "no `)', as none is open" : "an operator");
	lex_free(&p.l);
	return n;
}
