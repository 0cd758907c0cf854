/* SPDX-License-Identifier: ISC */
/* read_copy.c - what is compressed in an index: copies of the records of chunks, snapshots.  Both may say anything: read.c */
#include <stdlib.h>

#include <zstd.h>

#include "layout.h"
#include "read.h"
#include "record/event.h"
#include "record/meaning.h"
#include "record/raw.h"
#include "snap.h"
#include "source/leave_out.h"

/* Expand n bytes to so many.  1; 0: they are others; -1: no memory. */
static int
ppi_unpack(struct ppi_copy *to, const uint8_t *p, size_t n, size_t plain)
{
	size_t got;

	if ((!to->zstd && !(to->zstd = ZSTD_createDCtx())) || !ppi_grow(&to->p, &to->cap, plain + !plain, 1))
		return -1;
	got = ZSTD_decompressDCtx(to->zstd, to->p, plain, p, n);
	return !ZSTD_isError(got) && got == plain;
}

int
ppi_expand(const struct ppi_entry *e, bool swap, struct ppi_copy *to, struct pp_err *err)
{
	uint64_t records = 0, bytes = 0;	/* of the recording */
	size_t got = e->copy_plain, at = 0;
	int rc = ppi_unpack(to, e->copy, e->ncopy, got);

	if (rc <= 0)
		return rc < 0 ? pp_fail_memory(err) : pp_fail(err, "the copy of a chunk's records does not expand");
	for (struct pp_rec r; at < got; at += r.size) {
		if (got - at < PP_HEADER_SIZE)
			break;
		r = pp_rec_at(to->p + at, swap);
		if (r.size < PP_HEADER_SIZE || r.size > got - at || pp_type_is(r.type, PP_CLASS_BIT(SAMPLE) | PP_CLASS_BIT(PACKED)) ||
		    pp_meaning(r.type)->payload)
			break;
		if (r.type != PP_LEFT_OUT) {
			records++;
			bytes += r.size;
		}
	}
	return at == got && records == e->c.records - e->c.samples && bytes == e->c.plain - e->c.sample_bytes ? 1 : pp_fail(err, "the copy of a chunk's records is not sound");
}

void
ppi_copy_free(struct ppi_copy *c)
{
	ZSTD_freeDCtx(c->zstd);
	free(c->p);
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

/* Whole records that come in all pieces, with the formats of tracepoints behind theirs. */
static bool
ppi_is_snap(const uint8_t *p, size_t n, bool swap)
{
	const uint32_t all = PP_CLASSES_STATE | PP_CLASSES_HEAD | PP_CLASS_BIT(MARK) | PP_CLASS_BIT(ROUND);
	uint64_t payload;
	struct pp_rec r;

	for (; n >= PP_HEADER_SIZE; p += r.size, n -= r.size) {
		r = pp_rec_at(p, swap);
		if (r.size < PP_HEADER_SIZE || r.size > n || !(r.type == PP_LEFT_OUT || pp_type_is(r.type, all)))
			return false;
		payload = r.size < pp_type_min(r.type) ? 0 : pp_payload_size(&r, swap);
		if (payload && (r.type != PP_HEADER_TRACING_DATA || payload > n - r.size))
			return false;
		p += payload;
		n -= payload;
	}
	return !n;
}

int
ppi_begin_at(struct ppi_reader *x, const struct ppi_snap *s, bool swap, struct ppi_copy *to, size_t *plain, struct pp_err *err)
{
	uint64_t was = x->at, end;
	const uint8_t *p;
	size_t n;
	int rc;

	if (s->at < PPI_HEAD_SIZE || s->at >= x->entries_end)
		return 0;
	x->at = s->at;
	if (!(p = ppi_item(x, PPI_SNAP, PPI_S_FIXED, &n))) {
		x->at = was;
		return 0;
	}
	*plain = ppi_u32(p + PPI_S_PLAIN);
	end = ppi_u64(p + PPI_S_OFF);
	if (end != s->off || end > INT64_MAX || ppi_u64(p + PPI_S_CHUNKS) != s->chunks || ppi_u64(p + PPI_S_SAMPLE_BYTES) != s->sample_bytes ||
	    *plain > SNAP_MAX)
		return pp_fail(err, "a snapshot is another one than its end says");
	if ((rc = ppi_unpack(to, p + PPI_S_FIXED, n - PPI_S_FIXED - PPI_HASH, *plain)) < 0)
		return pp_fail_memory(err);
	if (!rc || !ppi_is_snap(to->p, *plain, swap))
		return pp_fail(err, "a snapshot is not sound");
	x->at += n;
	x->last_file = 0;
	x->last_end = end;
	return 1;
}
