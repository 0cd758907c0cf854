/* SPDX-License-Identifier: ISC */
/* header.c - the header of a seekable perf.data: where its sections are, and which features it has */
#include <stdlib.h>
#include <string.h>

#include "file.h"

enum { FILE_HEADER_SIZE = 104, FEATURE_WORDS = 4 };

/* ---- reading sections ---------------------------------------------------------------------------- */

int
file_read_at(struct file *f, void *to, uint64_t off, size_t n)
{
	struct bytes *in = f->s->in;
	int rc = bytes_read_all(in, off, to, n);

	if (rc < 0) {			/* an unreadable section may be left out */
		in->err->fatal = false;
		in->err->why.off = off;
		return source_fail_bytes(f->s);
	}
	return rc ? 1 : source_fail(f->s, off, "cut short");
}

int
file_claim(struct file *f, const char *what, const struct section *x)
{
	if (x->off > f->size || x->size > f->size - x->off)
		return source_fail(f->s, x->off, "%s: section of %ju bytes lies outside the file of %ju", what,
		    (uintmax_t)x->size, (uintmax_t)f->size);
	if (x->size > f->budget)
		return source_fail(f->s, x->off, "%s: section of %ju bytes overlaps others", what, (uintmax_t)x->size);
	f->budget -= x->size;
	return 1;
}

struct section
file_section(const uint8_t *p, bool swap)
{
	return (struct section){ pp_get_u64(p, swap), pp_get_u64(p + 8, swap) };
}

uint8_t *
file_load(struct file *f, const struct section *x)
{
	uint8_t *p = malloc(x->size ? x->size : 1);

	if (!p)
		source_fail_memory(f->s, x->off);
	else if (file_read_at(f, p, x->off, x->size) > 0)
		return p;
	free(p);
	return NULL;
}

/* ---- header -------------------------------------------------------------------------------------- */

static unsigned
count_bits(const uint64_t word[static FEATURE_WORDS])
{
	unsigned n = 0;

	for (int i = 0; i < FEATURE_BITS; i++)
		n += word[i / 64] >> i % 64 & 1;
	return n;
}

/* Can the file have so many sections behind its data? */
static bool
has_sections(struct file *f, unsigned n)
{
	uint64_t at = f->data.off + f->data.size;
	uint8_t h[16];

	if (f->data.off > f->size || f->data.size > f->size - f->data.off || n * sizeof h > f->size - at)
		return false;
	for (; n; n--, at += sizeof h) {
		struct section x;

		if (file_read_at(f, h, at, sizeof h) < 0)
			return false;
		x = file_section(h, f->swap);
		if (x.off > f->size || x.size > f->size - x.off)
			return false;
	}
	return true;
}

/*
 * The bitmap was written in longs of the recorder, which matters if it is big-endian: u64s; u32s if only then it has the bit
 * HOSTNAME, which perf record always sets, or a bit of the first 32, some of which others set.  perf accepts no bitmap of the
 * other byte order without HOSTNAME; here the sections show whether it is right.
 */
static void
get_bitmap(struct file *f, const uint8_t *p)
{
	bool big = f->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint64_t word[FEATURE_WORDS], half[FEATURE_WORDS], hostname = UINT64_C(1) << PP_FEAT_HOSTNAME;

	for (int i = 0; i < FEATURE_WORDS; i++) {
		word[i] = pp_get_u64(p + 8 * i, f->swap);
		half[i] = pp_get_u32(p + 8 * i, f->swap) | (uint64_t)pp_get_u32(p + 8 * i + 4, f->swap) << 32;
	}
	if (big && !(word[0] & hostname) && (half[0] & hostname || !(uint32_t)word[0]))
		memcpy(word, half, sizeof word);
	if (f->swap && !(word[0] & hostname) && !has_sections(f, count_bits(word))) {
		memset(word, 0, sizeof word);
		word[0] = UINT64_C(1) << PP_FEAT_BUILD_ID;
	}
	for (int i = 0; i < FEATURE_BITS; i++)
		f->feature[i] = word[i / 64] >> i % 64 & 1;
}

static int
no_features(struct file *f)
{
	memset(f->feature, 0, sizeof f->feature);
	f->lost = true;
	return 1;
}

/* A size of 0: the header is rewritten at the end, so the recording is in progress or was killed. */
static int
unfinished(struct file *f)
{
	if (f->s->follow) {
		if (growing_open(f->s, f->data.off, &f->data.size) < 0)
			return -1;
	} else {
		source_fail(f->s, 48, "data size is 0: the recorder was killed, or still writes the file%s",
		    f->s->repair ? "; all from data offset on is taken" : " (pcat --repair keeps complete records, pcat --follow reads on)");
		f->data.size = f->size - f->data.off;
		if (!repair_forgive(f->s, 0))
			return -1;
	}
	return no_features(f);
}

/* Read the feature table. */
static int
get_table(struct file *f, uint64_t at)
{
	uint8_t h[16];

	for (int i = 0; i < FEATURE_BITS; i++) {
		const char *name = pp_feature_name((uint64_t)i);

		if (!f->feature[i])
			continue;
		if (file_read_at(f, h, at, sizeof h) < 0) {
			if (!repair_forgive(f->s, 0))
				return -1;
			f->lost = true;
			memset(f->feature + i, 0, sizeof f->feature - (size_t)i);
			return 1;
		}
		f->features[i] = file_section(h, f->swap);
		at += sizeof h;
		if (file_claim(f, name ? name : "feature", &f->features[i]) > 0)
			continue;
		if (!repair_forgive(f->s, 0))
			return -1;
		f->lost = true;
		f->feature[i] = false;
		f->features[i] = (struct section){ 0, 0 };
	}
	return 1;
}

int
file_header(struct file *f)
{
	uint8_t h[FILE_HEADER_SIZE];
	int64_t size = f->s->in->layer->size(f->s->in);

	if (size < 0)
		return source_fail_bytes(f->s);
	f->size = f->budget = f->s->total = (uint64_t)size;
	if (f->size < FILE_HEADER_SIZE)
		return source_fail(f->s, 0, "file header: cut short, %ju of %d bytes", (uintmax_t)f->size,
		    FILE_HEADER_SIZE);
	if (file_read_at(f, h, 0, sizeof h) < 0)
		return -1;
	f->attr_size = pp_get_u64(h + 16, f->swap);
	f->attrs = file_section(h + 24, f->swap);
	f->data = file_section(h + 40, f->swap);
	if (pp_get_u64(h + 8, f->swap) == FILE_HEADER_SIZE)
		get_bitmap(f, h + 72);
	if (file_claim(f, "attrs", &f->attrs) < 0)
		return -1;
	if (f->data.off > f->size) {
		source_fail(f->s, 40, "data section at %ju lies outside the file of %ju bytes",
		    (uintmax_t)f->data.off, (uintmax_t)f->size);
		f->data = (struct section){ f->size, 0 };
		return repair_forgive(f->s, 0) ? no_features(f) : -1;
	}
	if (!f->data.size)
		return unfinished(f);
	if (f->attrs.size && f->attrs.off < f->data.off + f->data.size && f->data.off < f->attrs.off + f->attrs.size) {
		source_fail(f->s, 24, "attrs: section overlaps the data section");
		if (!repair_forgive(f->s, 0))
			return -1;
	}
	/* The feature table follows the data; a file that ends before it is reported as truncated when its data is read. */
	if (f->data.size > f->size - f->data.off) {
		if (f->s->repair) {
			repair_note(f->s, f->data.off, f->data.size - (f->size - f->data.off),
			    "data section: cut short, %ju of %ju bytes; the header features are lost with its end",
			    (uintmax_t)(f->size - f->data.off), (uintmax_t)f->data.size);
			f->data.size = f->size - f->data.off;
		}
		return no_features(f);
	}
	return get_table(f, f->data.off + f->data.size);
}
