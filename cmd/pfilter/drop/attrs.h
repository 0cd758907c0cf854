/* SPDX-License-Identifier: ISC */
/* attrs.h - the attrs of all events are changed alike, wherever a stream has them */
#ifndef PFILTER_ATTRS_H
#define PFILTER_ATTRS_H

#include "perfpipe_inline.h"

/*
 * Call fn for each attr of a HEADER_ATTR or EVENT_DESC; `attr' lies in buf, which has room for any record.  True: *r lies
 * there, too; of other records nothing is done.  What does not parse is left for the reader to refuse.
 */
bool	attrs_change(struct pp_rec *r, uint8_t *buf, bool swap, void (*fn)(void *, uint8_t *attr, size_t size), void *arg);

#endif
