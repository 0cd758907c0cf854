/* SPDX-License-Identifier: ISC */
/* program.c - the index as other programs use it: only the SAMPLEs of a time */
#include <fcntl.h>
#include <stdlib.h>

#include "index.h"
#include "use.h"

struct pp_index {
	struct ppi_range range;
	struct ppi_cond	 cond;
	struct ppi_ask	 ask;
	struct ppi_reader *reader;
	struct ppi_use	*use;
};

static const struct ppi_cond *
conds(void *arg, size_t *n)
{
	struct pp_index *x = arg;

	*n = 1;
	return &x->cond;
}

struct pp_index *
pp_index_use(struct pp_source *s, const char *path, uint64_t from, uint64_t to, struct pp_err *err)
{
	struct pp_index *x = calloc(1, sizeof *x);
	int fd = x ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1, rc;

	if (!x) {
		pp_fail_memory(err);
		return NULL;
	}
	x->range = (struct ppi_range){ from, to };
	x->cond = (struct ppi_cond){ PPI_TIME, &x->range, 1 };
	x->ask = (struct ppi_ask){ conds, NULL, x };
	if (fd < 0)
		pp_fail_system(err, path);
	else if ((x->reader = ppi_open(fd, err)) && ppi_fits(x->reader, s, err)) {
		ppi_rewind(x->reader);
		if ((rc = ppi_use(&x->use, s, x->reader, path, &x->ask)) > 0)
			return x;
		if (rc < 0)
			pp_fail_memory(err);
		else
			pp_fail(err, "%s: the recording cannot be read in parts", path);
	}
	pp_index_free(x);
	return NULL;
}

void
pp_index_free(struct pp_index *x)
{
	if (!x)
		return;
	ppi_use_free(x->use);
	ppi_close(x->reader);
	free(x);
}

uint64_t
pp_index_left_out(const struct pp_index *x)
{
	return ppi_used(x->use)->left_out;
}
