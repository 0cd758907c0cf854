/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "files.h"
#include "set.h"

enum { BITS = 3 };

void
files_init(struct files *f)
{
	*f = (struct files){ .key = pp_seed() };
}

bool
files_is_one(const char *name, size_t len)
{
	return len && name[0] == '/' && (len < 6 || memcmp(name, "//anon", 6));
}

/* The slot of a name, which is 0 if it is not there. */
static size_t
files_slot(const struct files *f, const char *name, size_t len, uint64_t *hash)
{
	uint64_t h = f->key;
	size_t i;

	for (i = 0; i < len; i++)
		h = (h ^ (uint8_t)name[i]) * UINT64_C(0x100000001b3);
	*hash = h &= ~(uint64_t)BITS;
	i = h >> 20 & (FILES_SLOTS - 1);
	while (f->slot[i] && (f->slot[i] & ~(uint64_t)BITS) != h)
		i = (i + 1) & (FILES_SLOTS - 1);
	return i;
}

bool
files_has(const struct files *f, const char *name, size_t len, unsigned bits)
{
	uint64_t h;

	return (f->slot[files_slot(f, name, len, &h)] & bits) == bits;
}

bool
files_add(struct files *f, const char *name, size_t len, unsigned bits)
{
	uint64_t h;
	size_t i = files_slot(f, name, len, &h);

	if (f->slot[i]) {
		f->slot[i] |= bits;
		return false;
	}
	if (f->n == FILES_MAX) {
		f->full = true;
		return false;
	}
	f->slot[i] = h | bits;
	f->n++;
	return true;
}

unsigned
files_count(const struct files *f, unsigned bits)
{
	unsigned n = 0;

	for (size_t i = 0; i < FILES_SLOTS; i++)
		n += (f->slot[i] & bits) == bits;
	return n;
}
