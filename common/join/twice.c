/* SPDX-License-Identifier: ISC */
#include <sys/stat.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in.h"

struct named {
	dev_t		 dev;
	ino_t		 ino;
	mode_t		 mode;
	int		 i;		/* of `names' */
};

/* What cannot be found is left out: opening it will report the error. */
static int
twice_list(const struct tool *t, char **names, int n, struct named *f)
{
	int std = 0, to = 0;
	struct stat st;

	for (int i = 0; i < n; i++) {
		bool is_std = !strcmp(names[i], "-");

		if ((std += is_std) > 1)
			tool_wrong(t, "standard input can be read only once");
		if (!(is_std ? fstat(STDIN_FILENO, &st) : stat(names[i], &st)) && st.st_ino)
			f[to++] = (struct named){ st.st_dev, st.st_ino, st.st_mode, i };
	}
	return to;
}

static int
twice_order(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return x->i - y->i;
}

void
join_refuse_twice(const struct tool *t, char **names, int n)
{
	struct named *f = tool_alloc((size_t)n, sizeof *f);
	const struct named *bad = NULL;

	n = twice_list(t, names, n, f);
	qsort(f, (size_t)n, sizeof *f, twice_order);
	for (struct named *x = f + 1; x < f + n; x++) {
		bool file = S_ISREG(x->mode) || S_ISDIR(x->mode);

		if (x->dev == x[-1].dev && x->ino == x[-1].ino && !(file && tool_allows(t, "same-input")) && (!bad || x->i < bad->i))
			bad = x;
	}
	if (!bad) {
		free(f);
		return;
	}
	if (!S_ISREG(bad->mode) && !S_ISDIR(bad->mode))
		tool_wrong(t, "'%s' and '%s' are the same input, which can be read only once", names[bad[-1].i], names[bad->i]);
	tool_wrong(t, "'%s' and '%s' are the same file: --allow same-input permits it", names[bad[-1].i], names[bad->i]);
}
