/* SPDX-License-Identifier: ISC */
/*
 * kernel_function.c - FIELD.function in filters of the kernel: where functions lie, from the file of --kallsyms
 *
 * As in the kernel, a function ends where the next symbol begins.  The end of a module's last function is not in the file, so
 * modules are refused.  The file is read twice: for the addresses of names, and for what surrounds these.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "set.h"

struct function {
	const struct node *n;
	uint64_t	 addr;		/* in it */
	uint64_t	 other;		/* of another symbol with that name; 0: there is none */
	uint64_t	 from, next;	/* the last symbol up to the address, and the first behind it; 0: there is none */
	char		 module[64];	/* of a symbol with that name; empty: there is none */
};
struct functions {
	struct function	*f;
	size_t		 n;
	struct kallsyms_text *text;
};

/* The first time: what addresses do the names have? */
static void
function_name(void *arg, const struct kallsyms_symbol *s)
{
	struct functions *all = arg;

	kallsyms_text_symbol(all->text, s);
	for (struct function *f = all->f; f < all->f + all->n; f++) {
		const char *name = f->n->kernel_filter->function;

		if (!name || strcmp(name, s->name))
			continue;
		if (s->module)
			snprintf(f->module, sizeof f->module, "%s", s->module);
		else if (f->addr && f->addr != s->addr)
			f->other = s->addr;
		else
			f->addr = s->addr;
	}
}

/* The second time: what lies around the addresses? */
static void
function_around(void *arg, const struct kallsyms_symbol *s)
{
	const struct functions *all = arg;

	for (struct function *f = all->f; f < all->f + all->n && !s->module; f++)
		if (s->addr <= f->addr)
			f->from = s->addr > f->from ? s->addr : f->from;
		else if (!f->next || s->addr < f->next)
			f->next = s->addr;
}

static void
function_found(const struct tool *t, const struct function *f)
{
	const struct node *n = f->n;
	const char *name = n->kernel_filter->function;
	const size_t at = n->kernel_filter->function_at;

	if (f->other)
		lex_wrong(t, n->src, at, "several symbols have this name, at 0x%" PRIx64 " and 0x%" PRIx64 ": write an address", f->addr,
		    f->other);
	if (!f->addr && *f->module)
		lex_wrong(t, n->src, at, "it is in the module %s: where functions of modules end is known only at record time", f->module);
	if (!f->addr && name && strpbrk(name, "()&|"))
		lex_wrong(t, n->src, at, "--kallsyms: no such symbol: the name goes up to the next blank");
	if (!f->addr)
		lex_wrong(t, n->src, at, "--kallsyms: no such symbol");
}

/* Set the addresses of the function, as unsigned numbers and as numbers with sign. */
static void
function_set(const struct tool *t, const struct function *f, const struct kallsyms_text *text)
{
	struct kernel *k = f->n->kernel_filter;
	const uint64_t first = text->stext ? text->stext : text->text, last = f->next - 1;

	if (!first || f->from < first || !f->next || (f->from ^ last) >> 63)
		lex_wrong(t, f->n->src, k->function_at, "--kallsyms: there is no function at 0x%" PRIx64 ", or its end is not known", f->addr);
	k->wide = last > UINT32_MAX;
	list_add(k->addresses, big_plain(f->from), big_plain(last));
	if (f->from >> 63)
		list_add(k->addresses, big_signed((int64_t)f->from), big_signed((int64_t)last));
	else if (!k->wide && f->from >> 31)
		list_add(k->addresses, big_signed((int32_t)(uint32_t)f->from), big_signed((int32_t)(uint32_t)last));
	list_sort(k->addresses);
}

/* Add the function of a predicate. */
static void
function_add(const struct tool *t, struct functions *all, const struct node *n)
{
	const struct kernel *k = n->kernel_filter;
	struct function *f;
	big addr = { 0 };

	if (!k->function && (!kernel_value(k->number, false, &addr) || !addr.lo))
		lex_wrong(t, n->src, k->function_at, "no address");
	all->f = tool_need(array_more(all->f, all->n, 1, sizeof *all->f));
	f = &all->f[all->n++];
	*f = (struct function){ .n = n, .addr = addr.lo };
}

bool
expr_functions(struct expr *e, const char *path, struct kallsyms_text *text)
{
	struct functions all = { .text = text };

	for (const struct node *n = e ? e->nodes : NULL; n; n = n->made) {
		if (n->kind != N_KERNEL || n->kernel_filter->by != BY_FUNCTION)
			continue;
		if (!path)
			lex_wrong(e->t, n->src, n->at, ".function is known only at record time (perf record --filter), or with --kallsyms");
		function_add(e->t, &all, n);
	}
	if (!all.n)
		return false;
	kallsyms_read(e->t, path, function_name, &all);
	for (size_t i = 0; i < all.n; i++)
		function_found(e->t, &all.f[i]);
	kallsyms_read(e->t, path, function_around, &all);
	for (size_t i = 0; i < all.n; i++)
		function_set(e->t, &all.f[i], text);
	free(all.f);
	return true;
}
