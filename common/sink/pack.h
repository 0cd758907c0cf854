/* SPDX-License-Identifier: ISC */
/*
 * pack.h - compresses kernel records into COMPRESSED or COMPRESSED2 records, frame by frame, in one thread; only compress*.c
 * include it
 */
#ifndef PP_PACK_H
#define PP_PACK_H

#include "compress.h"
#include "record/raw.h"

/* The rule for the end of a frame, the same whatever the number of threads. */
struct pp_pack_frame {
	uint64_t	 size;		/* a frame ends with the record that makes it this long or longer */
	uint64_t	 fed;		/* bytes of kernel records in the current frame */
	bool		 swap;
};
/*
 * Step over the record at p, of which n bytes are present.  *r gets its type and size; *full: the frame ends with it.  1; 0: it
 * is not completely present.
 */
static inline int
pp_pack_step(struct pp_pack_frame *f, const uint8_t *p, size_t n, struct pp_rec *r, bool *full)
{
	*r = n < PP_HEADER_SIZE ? (struct pp_rec){ .raw = p } : pp_rec_at(p, f->swap);
	*full = false;
	if (r->size < PP_HEADER_SIZE || r->size > n)
		return 0;
	if (r->type < PP_USER_TYPE_START && (f->fed += r->size) >= f->size) {
		f->fed = 0;
		*full = true;
	}
	return 1;
}

struct pp_pack;
/* feature: also write HEADER_FEATURE(COMPRESSED).  NULL on failure. */
struct pp_pack *pp_pack_new(const struct pp_compress_how *, bool feature, pp_compress_write *, void *arg, struct pp_err *);
/* As pp_compress_feed(), pp_compress_flush() and pp_compress_count(). */
int	pp_pack_feed(struct pp_pack *, const uint8_t *, size_t);
int	pp_pack_flush(struct pp_pack *);
void	pp_pack_count(const struct pp_pack *, uint64_t *plain, uint64_t *packed);
void	pp_pack_free(struct pp_pack *);

#endif
