/* SPDX-License-Identifier: ISC */
/* tool.c - messages and memory; option.c parses options, arg.c their arguments, tool_open.c opens files, tool_lock.c confines, tool_out.c completes outputs */
#include <err.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <bsd/vis.h>

#include "tool.h"

/* ---- messages ---------------------------------------------------------------------------------- */

bool
tool_hidden(uint32_t c)
{
	static const struct { uint32_t lo, hi; } acts[] = {
		{ 0x80, 0x9f }, { 0xad, 0xad }, { 0x61c, 0x61c }, { 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e },
		{ 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
		if (c >= acts[i].lo && c <= acts[i].hi)
			return true;
	return false;
}

/* Can vis(3) escape the text by character?  It reads invalid bytes as Latin-1, and leaves marks of direction unescaped. */
static bool
tool_sound_utf8(const char *s, size_t n)
{
	mbstate_t state = { 0 };

	for (size_t len; n; s += len, n -= len) {
		wchar_t c;

		if ((len = mbrtowc(&c, s, n, &state)) > n || tool_hidden((uint32_t)c))
			return false;
		len += !len;		/* a NUL */
	}
	return true;
}

bool
tool_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *locale = getenv(names[i]), *codes;

		if (locale && *locale)
			return (codes = strchr(locale, '.')) && (!strncasecmp(codes, ".utf-8", 6) || !strncasecmp(codes, ".utf8", 5));
	}
	return false;
}

void
tool_vis_begin(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");		/* only for vis(3): which characters are printable */
	tool_sound_utf8("", 1);			/* the C library opens the files that it needs for that */
}

char *
tool_vis(const char *s, size_t n)
{
	char *out = tool_alloc(n + 1, 4);
	size_t plain = 0;

	while (plain < n && s[plain] >= ' ' && s[plain] <= '~')
		plain++;
	if (plain == n)			/* nearly all */
		return memcpy(out, s, n);
	strvisx(out, s, n, VIS_CSTYLE | VIS_TAB | VIS_NL | VIS_NOSLASH | (tool_sound_utf8(s, n) ? 0 : VIS_NOLOCALE));
	return out;
}

void
tool_hex(char *to, const uint8_t *p, size_t n)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*to++ = digit[p[i] >> 4];
		*to++ = digit[p[i] & 15];
	}
	*to = 0;
}

/* The message comes: nothing else stands in its line. */
static void
tool_make_way(const struct tool *t)
{
	fflush(stdout);
	if (t->make_way)
		t->make_way(t->make_way_arg);
}

void
tool_say(const struct tool *t, const struct pp_err *err)
{
	const char *name = err->file ? err->file : "";		/* of no file: a part of an output has no name yet */
	char *file = tool_vis(name, strlen(name)), *what = tool_vis(err->what, strlen(err->what));

	tool_make_way(t);
	if (err->at)
		fprintf(stderr, "%s: %s: byte %ju: %s\n", t->name, file, (uintmax_t)err->off, what);
	else
		fprintf(stderr, "%s: %s%s%s\n", t->name, file, *file ? ": " : "", what);
	free(file);
	free(what);
}

/* The text may contain names from the stream or the command line: escape what a terminal could obey. */
static void __attribute__((format(printf, 3, 0)))
tool_print(const struct tool *t, const char *before, const char *fmt, va_list ap)
{
	char text[4096], *safe;

	vsnprintf(text, sizeof text, fmt, ap);
	safe = tool_vis(text, strlen(text));
	tool_make_way(t);
	fprintf(stderr, "%s: %s%s\n", t->name, before, safe);
	free(safe);
}

void
tool_warn(const struct tool *t, const char *fmt, ...)
{
	va_list ap;

	if (t->quiet)
		return;
	va_start(ap, fmt);
	tool_print(t, "warning: ", fmt, ap);
	va_end(ap);
}

void
tool_note(const struct tool *t, const char *fmt, ...)
{
	va_list ap;

	if (!t->verbose)
		return;
	va_start(ap, fmt);
	tool_print(t, "", fmt, ap);
	va_end(ap);
}

_Noreturn void
tool_wrong(const struct tool *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tool_print(t, "", fmt, ap);
	va_end(ap);
	exit(2);
}

void
tool_no_memory(void)
{
	errx(1, "out of memory");
}

void *
tool_alloc(size_t n, size_t size)
{
	return tool_need(calloc(n ? n : 1, size));
}

void *
tool_need(void *p)
{
	if (!p)
		tool_no_memory();
	return p;
}

FILE *
tool_text(char **text, size_t *n)
{
	*text = NULL;
	return tool_need(open_memstream(text, n));
}

void
tool_text_end(FILE *f, char *const *text)
{
	bool bad = ferror(f);

	/* glibc's fclose() has no error if only the text is missing */
	if (fclose(f) != 0 || bad || !*text)
		tool_no_memory();
}
