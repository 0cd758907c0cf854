/* SPDX-License-Identifier: ISC */
/* out_file_write.c - writes what surrounds the data section of a perf.data: header, ids, attrs, features */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "record/event.h"
#include "record/feature.h"
#include "sink.h"
#include "out_file_in.h"

/* ---- attrs ------------------------------------------------------------------------------------------ */

static int
append(struct file *f, const void *p, size_t n)
{
	return tail_put(&f->tail, p, n, f->err);
}

static int
append_zeros(struct file *f, size_t n)
{
	return tail_put(&f->tail, NULL, n, f->err);
}

static int
append_u32(struct file *f, uint32_t v)
{
	pp_set_u32((uint8_t *)&v, v, f->swap);
	return append(f, &v, sizeof v);
}

static int
append_section(struct file *f, uint64_t off, uint64_t len)
{
	uint8_t p[SECTION_SIZE];

	pp_set_u64(p, off, f->swap);
	pp_set_u64(p + 8, len, f->swap);
	return append(f, p, sizeof p);
}

/* All entries have the size of the longest attr. */
static int
append_attr(struct file *f, const struct attr *a)
{
	return append(f, a->p, a->size) < 0 ? -1 : append_zeros(f, f->attr_max - a->size);
}

static int
append_ids(struct file *f, const struct attr *a)
{
	return append(f, a->p + a->size, 8 * (size_t)a->nids);
}

int
out_file_attrs(struct file *f)
{
	uint64_t ids = f->tail.at;
	int rc = 1;

	for (unsigned i = 0; i < f->nattrs && rc > 0; i++)
		rc = append_ids(f, f->attrs + i);
	f->attrs_at = f->tail.at;
	for (unsigned i = 0; i < f->nattrs && rc > 0; i++) {
		uint64_t len = 8 * (uint64_t)f->attrs[i].nids;

		rc = append_attr(f, f->attrs + i) < 0 ? -1 : append_section(f, ids, len);
		ids += len;
	}
	return rc;
}

/* A data section of size 0: it grows. */
static int
put_header(struct file *f, uint64_t size, bool with_features)
{
	uint64_t bits[FEATURES / 64] = { 0 }, entry = f->attr_max + SECTION_SIZE;
	uint64_t words[] = { UINT64_C(0x32454c4946524550), HEADER_SIZE, entry, f->attrs_at, f->nattrs * entry, f->data,
	    size, 0, 0, };
	uint8_t head[HEADER_SIZE];

	for (int i = 0; with_features && i < FEATURES; i++)
		bits[i / 64] |= (uint64_t)f->features[i].set << i % 64;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		pp_set_u64(head + 8 * i, words[i], f->swap);
	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
		pp_set_u64(head + sizeof words + 8 * i, bits[i], f->swap);
	return write_at(f->fd, head, sizeof head, 0, f->err);
}

int
out_file_begin(struct file *f)
{
	if (f->begun)
		return 1;
	f->begun = true;
	f->tail.fd = f->fd;
	f->tail.at = HEADER_SIZE;
	if (out_file_attrs(f) < 0 || tail_flush(&f->tail, f->err) < 0)
		return -1;
	f->data = f->tail.at;
	if (f->copied)
		f->data += (f->phase - f->data) % COPY_BLOCK;
	if (lseek(f->fd, (off_t)f->data, SEEK_SET) < 0)
		return pp_fail_system(f->err, NULL);
	/* What follows the data ends it for who reads meanwhile: as a record, an offset has the size 0, but only in little-endian. */
	return f->grows && f->swap == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? put_header(f, 0, false) : 1;
}

/* ---- features ----------------------------------------------------------------------------------------- */

/* The size of a stored string: length, NUL-terminated text, padding. */
static uint64_t
string_size(const char *s)
{
	return 4 + (strlen(s) + PP_FEATURE_STR_ALIGN) / PP_FEATURE_STR_ALIGN * PP_FEATURE_STR_ALIGN;
}

static int
append_string(struct file *f, const char *s)
{
	size_t size = (size_t)string_size(s) - 4, len = strlen(s);

	if (append_u32(f, (uint32_t)size) < 0 || append(f, s, len) < 0)
		return -1;
	return append_zeros(f, size - len);
}

static const char *
event_name(const struct file *f, const struct attr *a)
{
	const char *name = f->events->ev[a->event]->name;

	return name ? name : "";
}

/*
 * Attrs that EVENT_DESC lists: as far as names are known, since perf builds the others itself.  It finds a name by its place, so one
 * that we build cannot be left out in front of one that is known.
 */
static unsigned
event_desc_attrs(const struct file *f)
{
	unsigned n = f->nattrs;

	while (n && f->events->ev[f->attrs[n - 1].event]->name_from == PP_NAME_BUILT)
		n--;
	return n;
}

static uint64_t
event_desc_size(const struct file *f, unsigned n)
{
	uint64_t size = 8;

	for (unsigned i = 0; i < n; i++)
		size += f->attr_max + 4 + string_size(event_name(f, f->attrs + i)) + 8 * (uint64_t)f->attrs[i].nids;
	return size;
}

/* EVENT_DESC: in a file the names of events are only here. */
static int
append_event_desc(struct file *f)
{
	unsigned n = event_desc_attrs(f);

	if (append_u32(f, n) < 0 || append_u32(f, (uint32_t)f->attr_max) < 0)
		return -1;
	for (unsigned i = 0; i < n; i++) {
		const struct attr *a = f->attrs + i;

		if (append_attr(f, a) < 0 || append_u32(f, a->nids) < 0 ||
		    append_string(f, event_name(f, a)) < 0 || append_ids(f, a) < 0)
			return -1;
	}
	return 1;
}

static int
append_compressed(struct file *f)
{
	uint8_t p[PP_COMPRESS_FEATURE];
	uint64_t plain, packed;

	pp_sink_compressed(f->sink, &plain, &packed);
	pp_compress_payload(p, f->pack.level, packed ? (uint32_t)((plain + packed / 2) / packed) : 0, f->swap);
	return append(f, p, sizeof p);
}

static bool
is_wanted(const struct file *f, int feature)
{
	return !f->pack.without || !f->pack.without[feature];
}

/* Set which features the file has, and their sizes.  Features without which the data is unreadable are always made. */
static void
settle_features(struct file *f)
{
	unsigned named = event_desc_attrs(f);
	struct { bool set; uint64_t len; } made[FEATURES] = {
		[PP_FEAT_BUILD_ID] = { f->features[PP_FEAT_BUILD_ID].set, f->build_ids.len },
		/* Readers of the other byte order need HOSTNAME to detect the word size of the bitmap. */
		[PP_FEAT_HOSTNAME] = { !f->features[PP_FEAT_HOSTNAME].set, string_size("") },
		[PP_FEAT_EVENT_DESC] = { named && is_wanted(f, PP_FEAT_EVENT_DESC), event_desc_size(f, named) },
		[PP_FEAT_AUXTRACE] = { f->features[PP_FEAT_AUXTRACE].set, 8 + f->auxtrace.len },
		[PP_FEAT_SAMPLE_TIME] = { is_wanted(f, PP_FEAT_SAMPLE_TIME) && !f->copied &&
		    (f->last || !f->features[PP_FEAT_SAMPLE_TIME].set), SECTION_SIZE },
		[PP_FEAT_COMPRESSED] = { f->pack.level, PP_COMPRESS_FEATURE },
	};

	for (unsigned i = 0; i < f->events->n; i++)
		if (f->events->ev[i]->attr.sample_type & PP_SAMPLE_BRANCH_STACK)
			f->features[PP_FEAT_BRANCH_STACK].set = true;
	for (int i = 0; i < FEATURES; i++)
		if (made[i].set) {
			f->features[i].set = true;
			f->features[i].off = UINT64_MAX;	/* not in `sections' */
			f->features[i].len = made[i].len;
		}
}

static int
append_feature(struct file *f, int i)
{
	struct spool *from = i == PP_FEAT_BUILD_ID ? &f->build_ids : i == PP_FEAT_AUXTRACE ? &f->auxtrace :
	    &f->sections;
	bool made = f->features[i].off == UINT64_MAX;
	uint64_t n = made && from != &f->sections ? from->len : f->features[i].len, count = f->auxtrace.len / SECTION_SIZE;

	if (made && i == PP_FEAT_HOSTNAME)
		return append_string(f, "");
	if (made && i == PP_FEAT_EVENT_DESC)
		return append_event_desc(f);
	if (made && i == PP_FEAT_SAMPLE_TIME)
		return append_section(f, f->last ? f->first : 0, f->last);
	if (made && i == PP_FEAT_COMPRESSED)
		return append_compressed(f);
	if (i == PP_FEAT_AUXTRACE) {
		pp_set_u64((uint8_t *)&count, count, f->swap);
		if (append(f, &count, sizeof count) < 0)
			return -1;
	}
	if (tail_flush(&f->tail, f->err) < 0 ||
	    spool_copy(from, made ? 0 : f->features[i].off, n, f->fd, f->tail.at, f->err) < 0)
		return -1;
	f->tail.at += n;
	return 1;
}

/* The table is behind the data, the features are behind the table. */
int
out_file_features(struct file *f)
{
	uint64_t at = f->tail.at;
	int rc = 1;

	settle_features(f);
	for (int i = 0; i < FEATURES; i++)
		at += f->features[i].set ? SECTION_SIZE : 0;
	for (int i = 0; i < FEATURES && rc > 0; i++)
		if (f->features[i].set) {
			rc = append_section(f, at, f->features[i].len);
			at += f->features[i].len;
		}
	for (int i = 0; i < FEATURES && rc > 0; i++)
		if (f->features[i].set && f->features[i].len)
			rc = append_feature(f, i);
	return rc;
}

int
out_file_header(struct file *f)
{
	return put_header(f, f->size, true);
}
