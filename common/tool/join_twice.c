/* SPDX-License-Identifier: ISC */
#include <sys/stat.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "join_in.h"

static bool
identify(const char *name, struct stat *st)
{
	return !(strcmp(name, "-") ? stat(name, st) : fstat(STDIN_FILENO, st));
}

void
join_refuse_twice(const struct tool *t, char **names, int n)
{
	struct stat *st = tool_alloc((size_t)n, sizeof *st);
	int std = 0;

	for (int i = 0; i < n; i++) {
		if ((std += !strcmp(names[i], "-")) > 1)
			tool_wrong(t, "standard input can be read only once");
		if (!identify(names[i], &st[i]))
			st[i].st_ino = 0;	/* opening it will report the error */
		for (int k = 0; k < i && st[i].st_ino; k++) {
			if (st[k].st_ino != st[i].st_ino || st[k].st_dev != st[i].st_dev)
				continue;
			if (!S_ISREG(st[i].st_mode) && !S_ISDIR(st[i].st_mode))
				tool_wrong(t, "'%s' and '%s' are the same input, which can be read only once", names[k], names[i]);
			if (!tool_allows(t, "same-input"))
				tool_wrong(t, "'%s' and '%s' are the same file: --allow same-input permits it", names[k],
				    names[i]);
		}
	}
	free(st);
}
