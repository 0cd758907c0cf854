/* SPDX-License-Identifier: ISC */
/* split_opt.c - the arguments of --switch-output and --output-template */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "split.h"

void
split_when(struct tool *t, void *options)
{
	struct split_options *o = options;
	const char *text = t->optarg;
	static const char rounds[] = "rounds:";
	size_t n = strlen(text);
	char *size;

	o->bytes = o->ns = o->rounds = 0;
	if (!strncmp(text, rounds, sizeof rounds - 1)) {
		o->rounds = tool_number(t, text + sizeof rounds - 1, 1, INT64_MAX);
	} else if (n && strchr("BKkMGT", text[n - 1])) {
		size = tool_alloc(n + 1, 1);	/* perf's B: bytes */
		memcpy(size, text, n - (text[n - 1] == 'B'));
		o->bytes = tool_size(t, size);
		free(size);
	} else if (n && strchr("smhd", text[n - 1])) {
		o->ns = tool_duration(t, text);
	}
	if (!o->bytes && !o->ns && !o->rounds)
		tool_wrong(t, "%s '%s': expected a size such as 10M, a time such as 30s, or rounds:N", t->optname, text);
}

char *
split_template(const struct tool *t, const char *text, const char *out)
{
	bool varies = false;
	char *template;
	size_t n;

	if (!text && (!out || !strcmp(out, "-")))
		tool_wrong(t, "--switch-output: needs -o FILE or --output-template");
	if (!text) {			/* a % in -o is literal */
		template = tool_alloc(2 * strlen(out) + sizeof ".%n", 1);
		n = 0;
		for (const char *p = out; *p; p++) {
			if (*p == '%')
				template[n++] = '%';
			template[n++] = *p;
		}
		strcpy(template + n, ".%n");
		return template;
	}
	for (const char *p = text; *p; p++) {
		if (*p != '%')
			continue;
		if (!p[1] || !strchr("nt%", *++p))
			tool_wrong(t, "--output-template '%s': only %%n, %%t and %%%% are permitted", text);
		varies |= *p != '%';
	}
	if (!varies)
		tool_wrong(t, "--output-template '%s': needs %%n (number) or %%t (time)", text);
	template = tool_alloc(strlen(text) + 1, 1);
	strcpy(template, text);
	return template;
}

/* Does the name match the template?  %n: five digits or more, %t: digits, a point and nine digits. */
static bool
is_part(const char *template, const char *name)
{
	size_t n = 0;

	for (; *template; template++) {
		if (*template != '%' || *++template == '%') {
			if (*name++ != *template)
				return false;
			continue;
		}
		for (n = 0; isdigit((unsigned char)*name); n++)
			name++;
		if (*template == 'n' ? n < 5 : !n || *name++ != '.')
			return false;
		for (n = 0; *template == 't' && n < 9; n++)
			if (!isdigit((unsigned char)*name++))
				return false;
	}
	return !*name;
}

char *
split_dir(const char *template)
{
	char *path = tool_alloc(strlen(template) + 1, 1), *to = path, *slash;

	for (const char *p = template; *p && (*p != '%' || *++p == '%'); p++)
		*to++ = *p;
	slash = strrchr(path, '/');
	*(slash ? slash + 1 : path) = 0;
	return path;
}

void
split_allow(struct tool *t, const char *template)
{
	char *path = split_dir(template);

	tool_allow(t, *path ? path : ".", "rwc");
	free(path);
}

void
split_refuse_files(const struct tool *t, const char *template)
{
	const char *slash = strrchr(template, '/'), *base = slash ? slash + 1 : template;
	char path[PATH_MAX];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof path, "%.*s", slash ? (int)(slash - template) + 1 : 2, slash ? template : "./");
	if (t->force || strchr(path, '%') || !(dir = opendir(path)))
		return;			/* opening the part fails later, with a message */
	while ((e = readdir(dir)))
		if (is_part(base, e->d_name))
			tool_wrong(t, "%s%s: exists; -f replaces it", slash ? path : "", e->d_name);
	closedir(dir);
}
