/* SPDX-License-Identifier: ISC */
/* fits.c - is it the index of this recording?  By bytes of it, never by the times of files: copying changes these */
#include "index.h"
#include "layout.h"
#include "source/leave_out.h"

/* Add the len bytes at off to the hash.  1; 0: the file is shorter; -1. */
static int
fits_hash(struct pp_source *in, uint32_t file, uint64_t off, uint64_t len, XXH64_state_t *h)
{
	uint8_t buf[64 << 10];
	int rc = 1;

	for (uint64_t at = 0; rc > 0 && at < len; at += sizeof buf) {
		size_t n = len - at < sizeof buf ? (size_t)(len - at) : sizeof buf;

		if ((rc = pp_raw_at(in, file, off + at, buf, n)) > 0)
			XXH64_update(h, buf, n);
	}
	return rc;
}

int
ppi_print(struct pp_source *in, const struct ppi_mark *m, unsigned n, uint64_t *print)
{
	XXH64_state_t h;
	int rc = 1;

	XXH64_reset(&h, 0);
	for (unsigned i = 0; rc > 0 && i < n; i++)
		rc = fits_hash(in, m[i].file, m[i].off, m[i].len, &h);
	*print = XXH64_digest(&h);
	return rc;
}

/* Are these bytes in the recording? */
static bool
fits_marks(struct pp_source *in, const struct ppi_mark *m, unsigned n, uint64_t want)
{
	uint64_t print;

	return ppi_print(in, m, n, &print) > 0 && print == want;
}

bool
ppi_fits(const struct ppi_reader *x, struct pp_source *in, struct pp_err *why)
{
	const struct ppi_head *h = ppi_head(x);
	const struct ppi_end *e;
	bool whole;

	e = ppi_end(x, &whole);
	for (unsigned i = 0; i < e->nfiles; i++) {
		int64_t size = pp_raw_size(in, i);

		if (size < 0 || (uint64_t)size < e->files[i].covered) {
			pp_fail(why, "the recording is shorter than the index says");
			return false;
		}
	}
	if (fits_marks(in, &h->mark, 1, h->print) && fits_marks(in, e->marks, e->nmarks, e->print))
		return true;
	pp_fail(why, "is not the index of these bytes");
	return false;
}

bool
ppi_same(struct ppi_reader *x, struct pp_source *in)
{
	struct ppi_entry e;
	bool damaged, same = true;
	XXH64_state_t h;

	while (same && ppi_next(x, &e, &damaged) > 0) {
		XXH64_reset(&h, 0);
		same = fits_hash(in, e.c.file, e.c.off, e.c.len, &h) > 0 && XXH64_digest(&h) == e.print;
	}
	ppi_rewind(x);
	return same;
}

bool
ppi_covers(const struct ppi_reader *x, struct pp_source *in)
{
	const struct ppi_end *e;
	bool whole;

	e = ppi_end(x, &whole);
	for (unsigned i = 0; whole && i < e->nfiles; i++)
		whole = pp_raw_size(in, i) == (int64_t)e->files[i].size;
	return whole && pp_raw_size(in, (uint32_t)e->nfiles) < 0;
}
