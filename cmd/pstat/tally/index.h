/* SPDX-License-Identifier: ISC */
/* index.h - finds things by a key: state/table.h, whose struct table is not that of report.h. */
#ifndef PSTAT_INDEX_H
#define PSTAT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfpipe.h"

struct index;

struct index *index_new(void);
/* Free the index and the things in it. */
void	index_free(struct index *);
/* Forget all things, and free them. */
void	index_clear(struct index *);
/* A key for n bytes, continuing from h. */
uint64_t index_hash(const struct index *, uint64_t h, const void *, size_t n);
/* Add what was allocated by tool_alloc(). */
void	index_add(struct index *, uint64_t key, void *thing);
/* The first thing with that key for which same() is true (NULL: any); NULL: none. */
void	*index_find(const struct index *, uint64_t key, bool (*same)(const void *thing, const void *arg), const void *arg);

#endif
