/* SPDX-License-Identifier: ISC */
/* attrs.h - applies one change to the attrs of all events, in HEADER_ATTR and EVENT_DESC records */
#ifndef CONVERT_ATTRS_H
#define CONVERT_ATTRS_H

#include "sink/out.h"

/*
 * Call fn for each attr of a HEADER_ATTR or EVENT_DESC, in a copy of the record in buf, which must hold any record.  True: *r is
 * now that copy; other records are not changed.  An invalid attr is skipped; the reader reports it.
 */
bool	attrs_change(struct pp_rec *r, uint8_t *buf, bool swap, void (*fn)(void *, uint8_t *attr, size_t size), void *arg);

/* A struct out that does this to the attrs of a stream; fn gets the stage. */
struct attrs_stage {
	struct out	 pub;
	bool		 swap;
	void		(*fn)(void *stage, uint8_t *attr, size_t size);
	const void	*what;		/* for fn */
	uint8_t		 buf[PP_RECORD_MAX + 1];
};
/* NULL: no memory. */
struct out *attrs_stage_new(const struct pp_source *like, void (*fn)(void *stage, uint8_t *attr, size_t size), const void *what,
	    struct out *next);

#endif
