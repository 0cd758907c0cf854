/* SPDX-License-Identifier: ISC */
#include <sys/stat.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kallsyms.h"
#include "record/raw.h"

enum { FILE_MAX = 256 << 20, LINE_MAX_BYTES = 4096 };
static const char kernel[] = "[kernel.kallsyms]";

/* ---- the file ------------------------------------------------------------------------------------------ */

/* "ffffffff81000000 T _text", and for a module "\t[xfs]" behind it.  false: it is no such line. */
static bool
kallsyms_line(struct kallsyms_symbol *s, char *line)
{
	size_t digits = strspn(line, "0123456789abcdef");
	char *tab;

	if (!digits || digits > 16 || line[digits] != ' ' || !isalpha((unsigned char)line[digits + 1]) ||
	    line[digits + 2] != ' ' || !line[digits + 3])
		return false;
	s->addr = strtoull(line, NULL, 16);
	s->letter = line[digits + 1];
	s->name = line + digits + 3;
	s->module = NULL;
	if ((tab = strchr(line + digits + 3, '\t'))) {
		*tab = 0;
		s->module = tab + 1;
	}
	return true;
}

void
kallsyms_read(const struct tool *t, const char *path, void (*fn)(void *arg, const struct kallsyms_symbol *), void *arg)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char line[LINE_MAX_BYTES];
	uint64_t n = 0, bytes = 0, all = 0;
	struct kallsyms_symbol s;
	struct stat st;

	if (!f)
		tool_wrong(t, "--kallsyms %s: %s", path, strerror(errno));
	if (!fstat(fd, &st) && !S_ISREG(st.st_mode))
		tool_wrong(t, "--kallsyms %s: expected a file of symbols, such as a copy of /proc/kallsyms", path);
	while (fgets(line, sizeof line, f)) {
		size_t len = strlen(line);

		n++;
		bytes += len;
		if (!len || line[len - 1] != '\n' || bytes > FILE_MAX)
			tool_wrong(t, "--kallsyms %s: line %" PRIu64 ": %s", path, n,
			    bytes > FILE_MAX ? "the file is larger than 256 MiB" : "cut short, too long, or not text");
		line[len - 1] = 0;
		if (!kallsyms_line(&s, line))
			tool_wrong(t, "--kallsyms %s: line %" PRIu64 ": expected an address, a letter and a name, not '%.60s'", path, n,
			    line);
		if (!s.module)
			all |= s.addr;
		fn(arg, &s);
	}
	if (ferror(f))
		tool_wrong(t, "--kallsyms %s: %s", path, strerror(errno));
	fclose(f);
	if (!all)
		tool_wrong(t, "--kallsyms %s: all addresses are 0: read as root, or with kernel.kptr_restrict=0", path);
}

void
kallsyms_text_symbol(struct kallsyms_text *k, const struct kallsyms_symbol *s)
{
	if (s->module)
		return;
	if (!strcmp(s->name, "_text"))
		k->text = s->addr;
	else if (!strcmp(s->name, "_stext"))
		k->stext = s->addr;
}

/* ---- the map of the kernel ----------------------------------------------------------------------------- */

/* Its name, behind [kernel.kallsyms]: a symbol; NULL: the record is no such map. */
static const char *
kallsyms_map_symbol(const struct pp_rec *r)
{
	const char *name;

	if ((r->type != PP_MMAP && r->type != PP_MMAP2) || (r->misc & PP_MISC_CPUMODE_MASK) != PP_MISC_KERNEL)
		return NULL;
	name = (const char *)r->raw + (r->type == PP_MMAP ? PP_RAW_AT(MMAP, filename) : PP_RAW_AT(MMAP2, filename));
	return strncmp(name, kernel, sizeof kernel - 1) ? NULL : name + sizeof kernel - 1;
}

bool
kallsyms_is_map(const struct pp_rec *r)
{
	return kallsyms_map_symbol(r);
}

bool
kallsyms_differs(const struct kallsyms_text *k, const struct pp_rec *r, bool swap, char why[KALLSYMS_WHY])
{
	const bool two = r->type == PP_MMAP2;
	const uint64_t start = two ? PP_RAW_GET(r->raw, MMAP2, start, swap) : PP_RAW_GET(r->raw, MMAP, start, swap);
	const uint64_t pgoff = two ? PP_RAW_GET(r->raw, MMAP2, pgoff, swap) : PP_RAW_GET(r->raw, MMAP, pgoff, swap);
	const char *symbol = kallsyms_map_symbol(r);
	const bool stext = !strcmp(symbol, "_stext");
	const uint64_t want = stext ? k->stext : k->text, is = *symbol ? pgoff : start;

	if (!want || want == is)
		return false;
	snprintf(why, KALLSYMS_WHY, "%s is at 0x%" PRIx64 " there, but at 0x%" PRIx64 " in the recording: it is of another kernel or "
	    "another boot", stext ? "_stext" : "_text", want, is);
	return true;
}
