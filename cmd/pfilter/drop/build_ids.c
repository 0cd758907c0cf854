/* SPDX-License-Identifier: ISC */
#include <sys/queue.h>

#include <stdlib.h>
#include <string.h>

#include "build_ids.h"
#include "record/feature.h"
#include "record/raw.h"
#include "set.h"
#include "state/table.h"

enum { NAME_AT = PP_RAW_AT(HEADER_BUILD_ID, filename), WAIT_MAX = 64 << 20 };	/* limit of held records, in bytes */

struct waiting {
	STAILQ_ENTRY(waiting) next;
	uint16_t	 size;
	uint8_t		 raw[];
};
STAILQ_HEAD(waitings, waiting);

struct file {
	struct link	 link;		/* keyed by the hash of the name */
	STAILQ_ENTRY(file) next;
	bool		 named;		/* by a kept map */
	struct waitings	 waiting;
	size_t		 len;
	uint8_t		 name[];
};

struct build_ids {
	struct pp_err	*err;
	bool		 swap, all;
	struct table	 files;
	STAILQ_HEAD(, file) list;
	size_t		 held;
};

struct build_ids *
build_ids_new(bool swap, struct pp_err *err)
{
	struct build_ids *b = calloc(1, sizeof *b);

	if (!b) {
		pp_fail_memory(err);
		return NULL;
	}
	b->swap = swap;
	b->err = err;
	b->files.mul = pp_seed() | 1;
	STAILQ_INIT(&b->list);
	return b;
}

static void
drop(struct file *f)
{
	struct waiting *w;

	while ((w = STAILQ_FIRST(&f->waiting))) {
		STAILQ_REMOVE_HEAD(&f->waiting, next);
		free(w);
	}
}

void
build_ids_free(struct build_ids *b)
{
	struct file *f;

	if (!b)
		return;
	while ((f = STAILQ_FIRST(&b->list))) {
		STAILQ_REMOVE_HEAD(&b->list, next);
		drop(f);
		free(f);
	}
	free(b->files.slot);
	free(b);
}

/* Find or add the file of that name, which ends at a NUL or at n.  NULL: no memory. */
static struct file *
file_of(struct build_ids *b, const uint8_t *name, size_t n)
{
	size_t len = strnlen((const char *)name, n);
	uint64_t key = pp_table_hash(&b->files, len, name, len);
	struct file *f;

	for (struct link *l = pp_table_first(&b->files, key); l; l = pp_table_next(l)) {
		f = (struct file *)l;
		if (f->len == len && !memcmp(f->name, name, len))
			return f;
	}
	if (!(f = calloc(1, sizeof *f + len)) || pp_table_add(&b->files, &f->link, key) < 0) {
		free(f);
		pp_fail_memory(b->err);
		return NULL;
	}
	STAILQ_INIT(&f->waiting);
	f->len = len;
	memcpy(f->name, name, len);
	STAILQ_INSERT_TAIL(&b->list, f, next);
	return f;
}

static int
let_go(struct build_ids *b, struct file *f, int (*put)(void *, const struct pp_rec *), void *arg)
{
	const struct waiting *w;
	int rc = 1;

	STAILQ_FOREACH(w, &f->waiting, next) {
		struct pp_rec r = pp_rec_at(w->raw, b->swap);

		b->held -= w->size;
		if (rc > 0)
			rc = put(arg, &r);
	}
	drop(f);
	return rc < 0 ? -1 : 1;
}

int
build_ids_all(struct build_ids *b, int (*put)(void *, const struct pp_rec *), void *arg)
{
	struct file *f;

	if (b->all)
		return 1;
	b->all = true;
	STAILQ_FOREACH(f, &b->list, next)
		if (let_go(b, f, put, arg) < 0)
			return -1;
	return 1;
}

/* A kept map. */
static int
named(struct build_ids *b, const uint8_t *name, size_t n, int (*put)(void *, const struct pp_rec *), void *arg)
{
	struct file *f = file_of(b, name, n);

	if (!f)
		return -1;
	if (f->named)
		return 1;
	f->named = true;
	return let_go(b, f, put, arg);
}

/* A build-id record of `size' bytes at p.  In the header feature its type may be 0. */
static int
build_id(struct build_ids *b, const uint8_t *p, uint16_t size)
{
	struct waiting *w;
	struct file *f;

	if ((PP_RAW_GET(p, header, misc, b->swap) & PP_MISC_CPUMODE_MASK) != PP_MISC_USER || size <= NAME_AT)
		return 1;
	if (!(f = file_of(b, p + NAME_AT, size - NAME_AT)))
		return -1;
	if (f->named)
		return 1;
	if (b->held + size > WAIT_MAX || !(w = malloc(sizeof *w + size)))
		return pp_fail(b->err, "out of memory for build-ids that wait for a map");
	w->size = size;
	memcpy(w->raw, p, size);
	PP_RAW_SET(w->raw, header, type, PP_HEADER_BUILD_ID, b->swap);
	STAILQ_INSERT_TAIL(&f->waiting, w, next);
	b->held += size;
	return 0;
}

/* The header feature BUILD_ID: turn its entries into records. */
static int
feature(struct build_ids *b, const struct pp_rec *r, int (*put)(void *, const struct pp_rec *), void *arg)
{
	const uint8_t *p = r->raw + PP_FEATURE_HEAD, *end = r->raw + r->size;
	uint16_t size;
	int rc;

	if (r->size < PP_FEATURE_HEAD || PP_RAW_GET(r->raw, HEADER_FEATURE, feat_id, b->swap) != PP_FEAT_BUILD_ID)
		return 1;
	for (; end - p >= PP_HEADER_SIZE; p += size) {
		size = PP_RAW_GET(p, header, size, b->swap);
		if (size < PP_HEADER_SIZE || size > end - p)
			break;
		if ((rc = build_id(b, p, size)) < 0)
			return -1;
		if (rc > 0 && size > NAME_AT) {
			uint8_t copy[PP_RECORD_MAX + 1];
			struct pp_rec one;

			memcpy(copy, p, size);
			PP_RAW_SET(copy, header, type, PP_HEADER_BUILD_ID, b->swap);
			one = pp_rec_at(copy, b->swap);
			if (put(arg, &one) < 0)
				return -1;
		}
	}
	return 0;
}

int
build_ids_pass(struct build_ids *b, const struct pp_rec *r, int (*put)(void *, const struct pp_rec *), void *arg)
{
	size_t at = r->type == PP_MMAP2 ? PP_RAW_AT(MMAP2, filename) : PP_RAW_AT(MMAP, filename);

	switch (b->all ? 0 : r->type) {
	case PP_MMAP:
	case PP_MMAP2:
		return r->size > at ? named(b, r->raw + at, r->size - at, put, arg) : 1;
	case PP_HEADER_BUILD_ID:
		return build_id(b, r->raw, r->size);
	case PP_HEADER_FEATURE:
		return feature(b, r, put, arg);
	default:
		return 1;
	}
}
