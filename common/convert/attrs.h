/* SPDX-License-Identifier: ISC */
/* attrs.h - applies one change to the attrs of all events, in HEADER_ATTR and EVENT_DESC records */
#ifndef CONVERT_ATTRS_H
#define CONVERT_ATTRS_H

#include "perfpipe_inline.h"

/*
 * Call fn for each attr of a HEADER_ATTR or EVENT_DESC, in a copy of the record in buf, which must hold any record.  True: *r is
 * now that copy; other records are not changed.  An invalid attr is skipped; the reader reports it.
 */
bool	attrs_change(struct pp_rec *r, uint8_t *buf, bool swap, void (*fn)(void *, uint8_t *attr, size_t size), void *arg);

#endif
