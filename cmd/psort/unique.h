/* SPDX-License-Identifier: ISC */
/* unique.h - records that were there already, at the same time and with the same bytes */
#ifndef PSORT_UNIQUE_H
#define PSORT_UNIQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unique;
/* Keeps up to so many bytes of the records of one time; what comes then is taken for new.  NULL: out of memory. */
struct unique *unique_new(size_t memory);
void	unique_free(struct unique *);
/* Records come by ascending time.  Is this one new?  Then it is noted. */
bool	unique_add(struct unique *, uint64_t time, const uint8_t *p, size_t n);

#endif
