/* SPDX-License-Identifier: ISC */
/* unique.h - find duplicates: records with the same time and the same bytes */
#ifndef PSORT_UNIQUE_H
#define PSORT_UNIQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unique;
/* Keeps up to that many bytes of records of one time; records beyond that count as new.  NULL: out of memory. */
struct unique *unique_new(size_t memory);
void	unique_free(struct unique *);
/* Add a record, by ascending time.  Is it new? */
bool	unique_add(struct unique *, uint64_t time, const uint8_t *p, size_t n);

#endif
