/* SPDX-License-Identifier: ISC */
/*
 * kallsyms.c - --kallsyms: the map of the kernel, made of its list of symbols.
 *
 * perf record makes that map of /proc/kallsyms, in front of all others, from _text, or else _stext, to _edata, or else _etext
 * (machine__get_running_kernel_start); its pgoff is the address of the symbol that its name ends with.  Without it, readers know
 * of no kernel and give its samples no symbols.
 */
#include <string.h>

#include "header.h"
#include "make/make.h"

struct stage {
	struct out	 pub;
	struct header	*h;
	struct tool	*t;
	bool		 done;		/* the map has been made, or is not needed */
	bool		 seen;		/* the stream has one */
};

/* ---- the file ------------------------------------------------------------------------------------------ */

/* Of kallsyms_read(). */
static void
kallsyms_symbol(void *arg, const struct kallsyms_symbol *s)
{
	struct kallsyms *k = arg;

	if (s->module)
		return;
	kallsyms_text_symbol(&k->text, s);
	if (!strcmp(s->name, "_etext"))
		k->etext = s->addr;
	else if (!strcmp(s->name, "_edata"))
		k->edata = s->addr;
}

void
header_option_kallsyms(struct tool *t, void *header)
{
	struct header *h = header;
	const char *path = t->optarg;
	struct kallsyms *k = &h->kallsyms;
	uint64_t start;

	kallsyms_read(t, path, kallsyms_symbol, k);
	k->given = true;
	start = k->text.text ? k->text.text : k->text.stext;
	if (!start)
		tool_wrong(t, "%s %s: expected a symbol _text or _stext", t->optname, path);
	if (k->edata <= start && k->etext <= start)
		tool_wrong(t, "%s %s: expected a symbol _edata or _etext, behind _text", t->optname, path);
}

/* ---- the stage ----------------------------------------------------------------------------------------- */

static int
kallsyms_make(struct stage *s, struct pp_source *in)
{
	const struct kallsyms *k = &s->h->kallsyms;
	bool text = k->text.text != 0;
	uint64_t start = text ? k->text.text : k->text.stext;
	uint64_t end = k->edata > start ? k->edata : k->etext;
	const char *name = text ? "[kernel.kallsyms]_text" : "[kernel.kallsyms]_stext";
	uint8_t buf[256], trailer[PP_TRAILER_MAX];
	struct pp_trailer none = { 0 };		/* as perf record does: it is not of an event */
	struct pp_rec r;

	if (PP_MAKE(&r, buf, sizeof buf, MMAP, .swap = in->swap, .misc = PP_MISC_KERNEL, .pid = UINT32_MAX, .tid = 0, .start = start,
	    .len = end - start, .pgoff = start, .filename = { name, strlen(name) },
	    .trailer = pp_trailer_put(trailer, in->events->ev[0], &none, in->swap)) < 0)
		return pp_fail(&s->t->in_err, "--kallsyms: no map can be made");
	return s->pub.next->put(s->pub.next, in, &r, false);
}

static int
kallsyms_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct stage *s = (struct stage *)o;
	char why[KALLSYMS_WHY];

	if (!s->seen && kallsyms_is_map(r)) {
		s->seen = s->done = true;
		if (kallsyms_differs(&s->h->kallsyms.text, r, in->swap, why)) {
			s->h->other_kernel = true;
			tool_warn(s->t, "--kallsyms: %s, and the kernel gets no build-id", why);
		}
	} else if (!s->done && r->type < PP_USER_TYPE_START && in->events->n) {
		s->done = true;
		if (kallsyms_make(s, in) < 0)
			return -1;
	}
	return o->next->put(o->next, in, r, stable);
}

struct out *
kallsyms_stage(struct header *h, struct tool *t, struct out *next)
{
	struct stage *s = tool_alloc(1, sizeof *s);

	*s = (struct stage){ .pub = { .put = kallsyms_put, .finish = out_finish, .next = next }, .h = h, .t = t };
	return &s->pub;
}
