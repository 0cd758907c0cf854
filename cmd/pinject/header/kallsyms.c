/* SPDX-License-Identifier: ISC */
/*
 * kallsyms.c - --kallsyms: the map of the kernel, made of its list of symbols.
 *
 * perf record makes that map of /proc/kallsyms, in front of all others, from _text, or else _stext, to _edata, or else _etext
 * (machine__get_running_kernel_start); its pgoff is the address of the symbol that its name ends with.  Without it, readers know
 * of no kernel and give its samples no symbols.
 */
#include <sys/stat.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "header.h"
#include "record/make.h"

enum { FILE_MAX = 256 << 20, LINE_MAX_BYTES = 4096 };
static const char kernel[] = "[kernel.kallsyms]";

struct stage {
	struct out	 pub;
	struct header	*h;
	struct tool	*t;
	bool		 done;		/* the map has been made, or is not needed */
	bool		 seen;		/* the stream has one */
};

/* ---- the file ------------------------------------------------------------------------------------------ */

/* "ffffffff81000000 T _text", and for a module "\t[xfs]" behind it.  false: it is no such line. */
static bool
kallsyms_line(struct kallsyms *k, const char *line)
{
	static const char *const names[] = { [KALLSYMS_TEXT] = "_text", [KALLSYMS_STEXT] = "_stext", [KALLSYMS_ETEXT] = "_etext",
	    [KALLSYMS_EDATA] = "_edata" };
	size_t digits = strspn(line, "0123456789abcdef");
	const char *name;
	uint64_t addr;

	if (!digits || digits > 16 || line[digits] != ' ' || !isalpha((unsigned char)line[digits + 1]) ||
	    line[digits + 2] != ' ' || !line[digits + 3])
		return false;
	name = line + digits + 3;
	addr = strtoull(line, NULL, 16);
	if (strchr(name, '\t'))
		return true;
	k->nonzero |= addr != 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			k->addr[i] = addr;
	return true;
}

static void
kallsyms_read(struct kallsyms *k, const struct tool *t, const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char line[LINE_MAX_BYTES];
	uint64_t n = 0, bytes = 0;
	struct stat st;

	if (!f)
		tool_wrong(t, "%s %s: %s", t->optname, path, strerror(errno));
	if (!fstat(fd, &st) && !S_ISREG(st.st_mode))
		tool_wrong(t, "%s %s: expected a file of symbols, such as a copy of /proc/kallsyms", t->optname, path);
	while (fgets(line, sizeof line, f)) {
		size_t len = strlen(line);

		n++;
		bytes += len;
		if (!len || line[len - 1] != '\n' || bytes > FILE_MAX)
			tool_wrong(t, "%s %s: line %" PRIu64 ": %s", t->optname, path, n,
			    bytes > FILE_MAX ? "the file is larger than 256 MiB" : "cut short, too long, or not text");
		line[len - 1] = 0;
		if (!kallsyms_line(k, line))
			tool_wrong(t, "%s %s: line %" PRIu64 ": expected an address, a letter and a name, not '%.60s'", t->optname,
			    path, n, line);
	}
	if (ferror(f))
		tool_wrong(t, "%s %s: %s", t->optname, path, strerror(errno));
	fclose(f);
}

void
header_option_kallsyms(const struct tool *t, struct header *h, const char *path)
{
	struct kallsyms *k = &h->kallsyms;
	uint64_t start;

	kallsyms_read(k, t, path);
	k->given = true;
	if (!k->nonzero)
		tool_wrong(t, "%s %s: all addresses are 0: read as root, or with kernel.kptr_restrict=0", t->optname, path);
	start = k->addr[KALLSYMS_TEXT] ? k->addr[KALLSYMS_TEXT] : k->addr[KALLSYMS_STEXT];
	if (!start)
		tool_wrong(t, "%s %s: expected a symbol _text or _stext", t->optname, path);
	if (k->addr[KALLSYMS_EDATA] <= start && k->addr[KALLSYMS_ETEXT] <= start)
		tool_wrong(t, "%s %s: expected a symbol _edata or _etext, behind _text", t->optname, path);
}

/* ---- the stage ----------------------------------------------------------------------------------------- */

/* The name of a map of the kernel, behind [kernel.kallsyms]; NULL: the record is no such map. */
static const char *
kallsyms_map(const struct pp_rec *r, bool swap, uint64_t *start, uint64_t *pgoff)
{
	const char *name;

	if ((r->misc & PP_MISC_CPUMODE_MASK) != PP_MISC_KERNEL)
		return NULL;
	if (r->type == PP_MMAP) {
		name = (const char *)r->raw + PP_RAW_AT(MMAP, filename);
		*start = PP_RAW_GET(r->raw, MMAP, start, swap);
		*pgoff = PP_RAW_GET(r->raw, MMAP, pgoff, swap);
	} else if (r->type == PP_MMAP2) {
		name = (const char *)r->raw + PP_RAW_AT(MMAP2, filename);
		*start = PP_RAW_GET(r->raw, MMAP2, start, swap);
		*pgoff = PP_RAW_GET(r->raw, MMAP2, pgoff, swap);
	} else
		return NULL;
	return strncmp(name, kernel, sizeof kernel - 1) ? NULL : name + sizeof kernel - 1;
}

/* The stream has this map: is it of the kernel with these symbols? */
static void
kallsyms_compare(struct stage *s, const char *symbol, uint64_t start, uint64_t pgoff)
{
	const struct kallsyms *k = &s->h->kallsyms;
	bool stext = !strcmp(symbol, "_stext");
	uint64_t want = k->addr[stext ? KALLSYMS_STEXT : KALLSYMS_TEXT], is = *symbol ? pgoff : start;

	if (!want || want == is)
		return;
	s->h->other_kernel = true;
	tool_warn(s->t, "--kallsyms: %s is at 0x%" PRIx64 " there, but at 0x%" PRIx64 " in the recording: it is of another kernel "
	    "or another boot, and the kernel gets no build-id", stext ? "_stext" : "_text", want, is);
}

static int
kallsyms_make(struct stage *s, struct pp_source *in)
{
	const struct kallsyms *k = &s->h->kallsyms;
	bool text = k->addr[KALLSYMS_TEXT] != 0;
	uint64_t start = k->addr[text ? KALLSYMS_TEXT : KALLSYMS_STEXT];
	uint64_t end = k->addr[k->addr[KALLSYMS_EDATA] > start ? KALLSYMS_EDATA : KALLSYMS_ETEXT];
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
	uint64_t start, pgoff;
	const char *symbol;

	if (!s->seen && (r->type == PP_MMAP || r->type == PP_MMAP2) && (symbol = kallsyms_map(r, in->swap, &start, &pgoff))) {
		s->seen = s->done = true;
		kallsyms_compare(s, symbol, start, pgoff);
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
