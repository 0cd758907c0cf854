/* SPDX-License-Identifier: ISC */
/*
 * piece.c - libFuzzer target: any bytes as a recording that is read in pieces, and by an index
 *
 * The sum of the input's bytes decides into how many pieces, what is said to be the sum of the samples, and how large chunks are.
 * What must hold for any bytes: no sanitizer error; each piece yields what the definition in source/piece.h gives it of the records
 * of the whole, in their order, and ends as the whole does, unless that ends at a malformed SAMPLE, which only its own piece reads; so each
 * SAMPLE is of one piece.  If the recording can have an index, each
 * piece yields the same with it; and a source that leaves out all chunks that it may yields the same records but SAMPLEs.
 */
#include <sys/mman.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/build.h"
#include "index/use.h"
#include "record/meaning.h"
#include "record/wide.h"
#include "source/piece.h"
#include "fuzz.h"

enum { RECORDS_MAX = 20000 };

struct seen {				/* a record: its type, size and bytes */
	uint32_t	 type, sum;
	size_t		 size;
};
struct records {
	struct seen	 r[RECORDS_MAX];
	unsigned	 n;
	int		 rc;		/* of the last pp_next(); 1: there were too many */
	char		 what[sizeof ((struct pp_err *)0)->what];
};
static struct records whole, got;

static int
file_of(const uint8_t *p, size_t n)
{
	int fd = memfd_create("piece", MFD_CLOEXEC);

	MUST(fd >= 0 && write(fd, p, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static uint32_t
sum_of(const uint8_t *p, size_t n)
{
	uint32_t sum = 2166136261;

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ p[i]) * 16777619;
	return sum;
}

static void
read_all(struct records *to, struct pp_source *in, const struct pp_err *err)
{
	struct pp_rec r;

	for (to->n = 0; (to->rc = pp_next(in, &r)) > 0 && to->n < RECORDS_MAX; to->n++)
		to->r[to->n] = (struct seen){ r.type, sum_of(r.raw, r.size), r.size };
	memcpy(to->what, err->what, sizeof to->what);
	MUST((to->rc < 0) == (to->what[0] != 0));
}

/* A condition that no SAMPLE meets. */
static const struct ppi_cond *
nothing(void *arg, size_t *n)
{
	static const struct ppi_cond cond = { PPI_TIME, NULL, 0 };

	(void)arg;
	*n = 1;
	return &cond;
}

/* The index of the recording, or -1. */
static int
index_of(const uint8_t *p, size_t n, uint64_t size)
{
	struct pp_err in_err, err = { .what = "" };
	struct pp_source *in = pp_open_fd(file_of(p, n), "recording", 0, &in_err);
	int fd = memfd_create("index", MFD_CLOEXEC), rc;
	struct ppi_build how = { .size = size, .err = &err };
	struct pp_sink *out;

	MUST(fd >= 0 && in && (out = pp_create_fd(dup(fd), "index", &err)));
	rc = ppi_build(in, out, &how);
	MUST(rc > 0 || in_err.what[0] || err.what[0]);
	MUST(pp_finish(out) > 0);
	pp_close(in);
	if (rc > 0)
		return fd;
	close(fd);
	return -1;
}

/* Read a piece (n 0: all), by an index unless that is -1; left out is what may be, if `ask'. */
static void
read_piece(const uint8_t *p, size_t size, uint64_t k, uint64_t n, uint64_t total, int fd, const struct ppi_ask *ask)
{
	struct pp_err err, why = { .what = "" };
	struct pp_source *in = pp_open_fd(file_of(p, size), "recording", 0, &err);
	struct ppi_reader *x = NULL;
	struct ppi_use *u = NULL;

	MUST(in);
	if (fd >= 0) {
		MUST((x = ppi_open(dup(fd), &why)) && ppi_fits(x, in, &why));
		ppi_rewind(x);
		MUST(ppi_use(&u, in, x, "index", ask) >= 0);
	}
	if (n)
		MUST(pp_piece(in, k, n, total) > 0);
	read_all(&got, in, &err);
	pp_close(in);
	ppi_use_free(u);
	ppi_close(x);
}

/* a * b >= c * d */
static bool
at_least(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	struct wide x = wide_mul(a, b), y = wide_mul(c, d);

	return x.hi > y.hi || (x.hi == y.hi && x.lo >= y.lo);
}

/* Does a record come in the piece, with c bytes of SAMPLEs in front of it? */
static bool
is_of(uint32_t type, uint64_t c, uint64_t k, uint64_t n, uint64_t total)
{
	const uint64_t all = PP_CLASSES_STATE | PP_CLASSES_HEAD | PP_CLASS_BIT(ROUND) | PP_CLASS_BIT(MARK);

	if (pp_type_is(type, all))
		return true;
	if (!total)
		return k == 1;
	return at_least(c, n, k - 1, total) && (k == n || !at_least(c, n, k, total));
}

/* Is what was read the piece of the whole?  n 0: all but SAMPLEs. */
static void
compare(uint64_t k, uint64_t n, uint64_t total)
{
	uint64_t c = 0;
	unsigned at = 0;

	for (unsigned i = 0; i < whole.n; i++) {
		const struct seen *r = &whole.r[i];

		if (n ? is_of(r->type, c, k, n, total) : r->type != PP_SAMPLE) {
			while (!n && at < got.n && got.r[at].type == PP_SAMPLE)
				at++;
			MUST(at < got.n && got.r[at].type == r->type && got.r[at].size == r->size && got.r[at].sum == r->sum);
			at++;
		}
		if (r->type == PP_SAMPLE)
			c += r->size;
	}
	while (!n && at < got.n && got.r[at].type == PP_SAMPLE)
		at++;
	if (n && whole.rc < 0 && strstr(whole.what, "SAMPLE: ") && !is_of(PP_SAMPLE, c, k, n, total))
		MUST(at <= got.n);
	else
		MUST(at == got.n && got.rc == whole.rc && !strcmp(got.what, whole.what));
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const uint64_t sizes[] = { 1, 600, 1200, 2500 };
	static const struct ppi_ask ask = { .conds = nothing };
	struct pp_err err;
	struct pp_source *in = pp_open_fd(file_of(p, n), "recording", 0, &err);
	uint64_t total = 0, pieces;
	uint32_t sum = sum_of(p, n);
	int fd = -1;

	if (!in || pp_is_profile(in)) {
		pp_close(in);
		return 0;
	}
	read_all(&whole, in, &err);
	pp_close(in);
	if (whole.rc > 0)
		return 0;
	for (unsigned i = 0; i < whole.n; i++)
		total += whole.r[i].type == PP_SAMPLE ? whole.r[i].size : 0;
	if ((sum >> 2 & 7) == 0)
		total = sum >> 5 & 1 ? total / 2 : sum >> 6 & 1 ? 0 : UINT64_MAX - 7 + (sum >> 7 & 7);
	pieces = 1 + sum % 4 + (sum >> 10 & 15 ? 0 : UINT64_MAX / 2);
	if (!whole.rc)
		fd = index_of(p, n, sizes[sum >> 14 & 3]);
	for (uint64_t k = 1; k <= pieces && k < 5; k++) {
		uint64_t piece = k == 4 ? pieces : k;

		read_piece(p, n, piece, pieces, total, -1, NULL);
		compare(piece, pieces, total);
		if (fd >= 0) {
			read_piece(p, n, piece, pieces, total, fd, NULL);
			compare(piece, pieces, total);
		}
	}
	if (fd >= 0) {
		read_piece(p, n, 0, 0, 0, fd, &ask);
		compare(0, 0, 0);
		close(fd);
	}
	return 0;
}
