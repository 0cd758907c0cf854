/* SPDX-License-Identifier: ISC */
/*
 * file.c - presents a seekable perf.data (tools/perf/Documentation/perf.data-file-format.txt) as a pipe-mode stream.  The
 * records that perf record writes into a pipe are made of the sections, and precede the data section:
 *
 *	HEADER_ATTR...  HEADER_FEATURE...  end mark  EVENT_UPDATE...  BUILD_ID...  TRACING_DATA + its section
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "make/build_id.h"
#include "make/make.h"
#include "record/attr.h"
#include "record/tracing.h"
#include "file.h"
#include "section.h"
#include "set.h"

enum { ATTRS_MAX = 65536, IDS_MAX = 1 << 24 };	/* perf's own limit; more ids than pp_events_learn() takes are not read */
enum { EVENT_UPDATE_NAME = 2, TYPE_TRACEPOINT = 2 };
enum { OUTSIDE_MAX = 64 << 20 };	/* bytes of a feature that becomes a payload: it is kept in memory */

/* ---- making records ------------------------------------------------------------------------------- */

/* Append n zero bytes to the head. */
static uint8_t *
file_space(struct file *f, size_t n)
{
	uint8_t *p = buffer_more(f->head, &f->cap, f->len, n);

	if (!p) {
		source_fail_memory(f->s, 0);
		return NULL;
	}
	f->head = p;
	p += f->len;
	memset(p, 0, n);
	f->len += n;
	return p;
}

/* Append a record with an empty body of n bytes.  Returns its address. */
static uint8_t *
file_record(struct file *f, uint32_t type, size_t n)
{
	uint8_t *p = file_space(f, PP_HEADER_SIZE + n);

	if (p)
		pp_raw_head(p, type, 0, (uint16_t)(PP_HEADER_SIZE + n), f->swap);
	return p;
}

/* ---- sections to records --------------------------------------------------------------------------- */

/* Append a text to the result of pp_warning(). */
static void __attribute__((format(printf, 2, 3)))
file_warn(struct source *s, const char *fmt, ...)
{
	size_t n = strlen(s->warning);
	va_list ap;

	if (n)
		n += (size_t)snprintf(s->warning + n, sizeof s->warning - n, "; ");
	if (n >= sizeof s->warning)
		return;
	va_start(ap, fmt);
	vsnprintf(s->warning + n, sizeof s->warning - n, fmt, ap);
	va_end(ap);
}

/*
 * perf stat record writes PERF_SAMPLE_IDENTIFIER into a file without samples, and 0 into a stream: there perf script refuses
 * events whose samples have no fields to print.
 */
static void
file_fit_stat(const struct file *f, uint8_t *attr)
{
	enum { SAMPLE_TYPE = 24 };

	if (f->feature[PP_FEAT_STAT] && pp_get_u64(attr + SAMPLE_TYPE, f->swap) == PP_SAMPLE_IDENTIFIER)
		pp_set_u64(attr + SAMPLE_TYPE, 0, f->swap);
}

/* Make the record of an attr and its ids.  If the ids exceed a record, the others are in further records of the same attr. */
static int
file_put_attr(struct file *f, uint64_t off)
{
	uint64_t len = f->attr_size - 16, size, n, done = 0;
	uint8_t attr[4096], *p;
	struct section ids;

	if (file_read_at(f, attr, off, len) < 0 || file_read_at(f, attr + len, off + len, 16) < 0)
		return -1;
	file_fit_stat(f, attr);
	f->tracepoints |= PP_ATTR_GET(attr, type, f->swap) == TYPE_TRACEPOINT;
	ids = file_section(attr + len, f->swap);
	size = PP_ATTR_GET(attr, size, f->swap);
	if (!size)
		size = PP_ATTR_SIZE_VER0;
	if (size > len)
		return source_fail(f->s, off, "HEADER_ATTR: attr.size is %ju in an entry of %ju bytes", (uintmax_t)size,
		    (uintmax_t)len);
	if (ids.size % 8 || file_claim(f, "ids", &ids) < 0) {
		source_fail(f->s, off, "ids: section of %ju bytes holds no u64s", (uintmax_t)ids.size);
		ids.size = 0;
		if (!repair_forgive(f->s, 0))
			return -1;
	}
	if (ids.size / 8 > IDS_MAX - f->all_ids) {
		source_fail(f->s, off, "ids: section of %ju bytes: more than %d ids", (uintmax_t)ids.size, IDS_MAX);
		ids.size = 0;
		if (!repair_forgive(f->s, 0))
			return -1;
	}
	f->all_ids += ids.size / 8;
	do {
		uint64_t max = (PP_RECORD_MAX - PP_HEADER_SIZE - size) / 8;

		n = ids.size / 8 - done;
		if (n > max) {
			n = max;
			file_warn(f->s, "an event has %ju ids, more than a record holds: it becomes several events",
			    (uintmax_t)ids.size / 8);
		}
		if (!(p = file_record(f, PP_HEADER_ATTR, size + 8 * n)))
			return -1;
		f->nattrs++;
		memcpy(p + PP_HEADER_SIZE, attr, size);
		if (file_read_at(f, p + PP_HEADER_SIZE + size, ids.off + 8 * done, 8 * n) < 0)
			return -1;
		if (n && !done)
			f->ids[f->nids] = pp_get_u64(p + PP_HEADER_SIZE + size, f->swap);
		done += n;
	} while (done < ids.size / 8);
	f->nids++;
	return 1;
}

static int
file_put_attrs(struct file *f)
{
	/* The section has entries of an attr (64 bytes at least) and its section of ids. */
	if (f->attr_size < PP_ATTR_SIZE_VER0 + 16 || f->attr_size > 4096 || f->attr_size % 8)
		return source_fail(f->s, 16, "attr_size is %ju", (uintmax_t)f->attr_size);
	if (f->attrs.size / f->attr_size > ATTRS_MAX)
		return source_fail(f->s, 24, "more than %d attrs", ATTRS_MAX);
	if (!(f->ids = calloc(f->attrs.size / f->attr_size + 1, sizeof *f->ids)))
		return source_fail_memory(f->s, 24);
	for (uint64_t at = 0; at + f->attr_size <= f->attrs.size; at += f->attr_size)
		if (file_put_attr(f, f->attrs.off + at) < 0)
			return -1;
	return 1;
}

static const char *
file_feature_text(int number, char text[static 24])
{
	if (pp_feature_name((uint64_t)number))
		return pp_feature_name((uint64_t)number);
	snprintf(text, 24, "number %d", number);
	return text;
}

/*
 * Make a record of feature i.  n bytes of it are in the record, the others (PP_OPEN_FILE_FEATURES) are a payload.  A feature
 * that perf refuses is left out, and so are ids of sockets that perf up to 6.12 accepts in files only: it ignores them there.
 */
static int
file_put_feature(struct file *f, int i, size_t n)
{
	const struct section *x = &f->features[i];
	const struct pp_feature_about *about = &f->s->faults.about;
	size_t was = f->len;
	uint8_t *p = file_record(f, PP_HEADER_FEATURE, 8 + n);

	if (!p)
		return -1;
	PP_RAW_SET(p, HEADER_FEATURE, feat_id, (uint64_t)i, f->swap);
	if (!n && !f->to->outside && !(f->to->outside = calloc(FEATURE_BITS, sizeof *f->to->outside)))
		return source_fail_memory(f->s, 0);
	if (!n)
		f->to->outside[i] = x->size;
	if (!n && !file_space(f, x->size))
		return -1;
	p = f->head + was + PP_FEATURE_HEAD;
	if (file_read_at(f, p, x->off, x->size) < 0)
		return -1;
	if (!fault_feature(f->s, (uint64_t)i, p, x->size, x->off)) {
		f->len = was;
		f->feature[i] = false;
	} else if (about->ids && n && !(f->s->flags & PP_OPEN_FILE_FEATURES)) {
		f->len = was + PP_FEATURE_HEAD + about->ids;
		pp_raw_head(p - PP_FEATURE_HEAD, PP_HEADER_FEATURE, 0, (uint16_t)(PP_FEATURE_HEAD + about->ids), f->swap);
		file_warn(f->s, "%s: socket_id is %ju, of %ju CPUs: the ids of cores and sockets are left out, as perf up to 6.12 refuses "
		    "a stream with them", pp_feature_name((uint64_t)i), (uintmax_t)about->socket, (uintmax_t)about->nr_cpus);
	}
	return 1;
}

/*
 * Make the records of all features.  There is no end mark: its number is that of the first feature unknown to the recording
 * perf, and perf report stops at any other number.
 */
static int
file_put_features(struct file *f)
{
	bool all = f->s->flags & PP_OPEN_FILE_FEATURES;
	char name[24];

	f->s->faults.about = (struct pp_feature_about){ .nevents = f->s->pub.events->n ? f->s->pub.events->n : f->nattrs };
	for (int i = 0; i < FEATURE_BITS; i++) {
		uint64_t size = f->features[i].size;
		unsigned where = pp_feature_where((uint64_t)i);
		bool pipe = where & PP_FEATURE_PIPE, fits = size <= PP_RECORD_MAX - PP_FEATURE_HEAD;

		if (!f->feature[i] || !size || (!pipe && !(all && where & PP_FEATURE_ALONE)))
			continue;
		if (fits && pipe ? file_put_feature(f, i, size) < 0 : all && size <= OUTSIDE_MAX && file_put_feature(f, i, 0) < 0)
			return -1;
		if (!fits && (!all || size > OUTSIDE_MAX))
			file_warn(f->s, "header feature %s of %ju bytes is too large%s and left out", file_feature_text(i, name),
			    (uintmax_t)size, all ? "" : " for a record");
	}
	return 1;
}

/*
 * The id of the i-th event in a stream; its entry in EVENT_DESC has `id'.  false: there is none, and perf would fail.  0 is the
 * first event's.
 */
static bool
file_event_id(const struct file *f, size_t i, uint64_t *id)
{
	if (f->ids) {
		*id = i < f->nids ? f->ids[i] : 0;
		return *id || !i;
	}
	return *id ? pp_event_by_id(f->s->pub.events, *id) != NULL : !i;
}

static int
file_put_name(struct file *f, uint64_t id, const uint8_t *name, size_t len)
{
	size_t size = sizeof(struct pp_raw_EVENT_UPDATE) + ((len + 8) & ~(size_t)7);
	uint8_t *p = file_space(f, size);
	struct pp_rec r;

	if (!p)
		return -1;
	memcpy(p + sizeof(struct pp_raw_EVENT_UPDATE), name, len);
	return PP_MAKE(&r, p, size, EVENT_UPDATE, .swap = f->swap, .update_type = EVENT_UPDATE_NAME, .id = id,
	    .tail = { p + sizeof(struct pp_raw_EVENT_UPDATE), len + 1 });
}

/* Read the section of feature i.  NULL: failed, or it is larger than any recording has, and is said to be left out. */
static uint8_t *
file_load_feature(struct file *f, int i)
{
	const struct section *x = &f->features[i];

	if (x->size <= OUTSIDE_MAX)
		return file_load(f, x);
	fault_lost(f->s, x->size);
	fault_note(f->s, x->off, "%s: %ju bytes are too large; left out", pp_feature_name((uint64_t)i), (uintmax_t)x->size);
	f->feature[i] = false;
	return NULL;
}

/* In a stream an EVENT_UPDATE has the name of an event; in a file EVENT_DESC has it, in the order of the attrs. */
static int
file_put_names(struct file *f)
{
	const struct section *x = &f->features[PP_FEAT_EVENT_DESC];
	uint8_t *all;
	struct pp_cur c;
	uint32_t n, attr_size;
	int rc = 1;

	if (!f->feature[PP_FEAT_EVENT_DESC])
		return 1;
	if (!(all = file_load_feature(f, PP_FEAT_EVENT_DESC)))
		return f->feature[PP_FEAT_EVENT_DESC] ? -1 : 1;
	if (!fault_feature(f->s, PP_FEAT_EVENT_DESC, all, x->size, x->off))	/* too large for a record: unchecked */
		f->feature[PP_FEAT_EVENT_DESC] = false;
	c = pp_cur(all, f->feature[PP_FEAT_EVENT_DESC] ? x->size : 0, f->swap);
	n = pp_take_u32(&c);
	attr_size = pp_take_u32(&c);
	for (size_t i = 0; i < n && rc > 0; i++) {
		pp_take(&c, attr_size);
		uint32_t nids = pp_take_u32(&c), len = pp_take_u32(&c);
		const uint8_t *name = pp_take(&c, len), *ids = pp_take_n(&c, nids, 8);
		uint64_t id = ids && nids ? pp_get_u64(ids, f->swap) : 0;

		if (c.bad || len > 4096)
			break;		/* the feature itself is passed unchanged */
		len = (uint32_t)strnlen((const char *)name, len);
		if (len && file_event_id(f, i, &id))
			rc = file_put_name(f, id, name, len);
	}
	free(all);
	return rc;
}

static int
file_put_build_ids(struct file *f)
{
	const struct section *x = &f->features[PP_FEAT_BUILD_ID];
	uint8_t *all, *p;
	int rc = 1;

	if (!f->feature[PP_FEAT_BUILD_ID])
		return 1;
	if (!(all = file_load_feature(f, PP_FEAT_BUILD_ID)))
		return f->feature[PP_FEAT_BUILD_ID] ? -1 : 1;
	for (uint64_t at = 0; at < x->size && rc > 0;) {
		const uint8_t *r = all + at;
		uint16_t size = x->size - at < PP_HEADER_SIZE ? 0 : PP_RAW_GET(r, header, size, f->swap);

		if (size < BUILD_ID_HEAD || size > x->size - at) {
			fault_lost(f->s, x->size - at);
			fault_note(f->s, x->off + at, "BUILD_ID: record of %u bytes, %ju are there; %ju bytes left out", size,
			    (uintmax_t)(x->size - at), (uintmax_t)(x->size - at));
			break;
		}
		if ((p = file_space(f, BUILD_ID_SPACE(size))))
			f->len -= BUILD_ID_SPACE(size) - build_id_from_file(p, r, size, f->swap);
		else
			rc = -1;
		at += size;
	}
	free(all);
	return rc;
}

/* The features may be lost: then the presence of data.N files decides. */
static int
file_dir_version(struct file *f)
{
	uint8_t version[8] = { 0 };
	bool known = f->feature[PP_FEAT_DIR_FORMAT] && f->features[PP_FEAT_DIR_FORMAT].size >= sizeof version;

	if (known && file_read_at(f, version, f->features[PP_FEAT_DIR_FORMAT].off, sizeof version) < 0)
		return -1;
	return parts_version(f->s, !known && f->s->repair ? 1 : pp_get_u64(version, f->swap));
}

/* How much of the section of tracing data is to be yielded; -1. */
static int64_t
file_fit_tracing(struct file *f, const struct section *x)
{
	struct pp_tracing *t;
	uint8_t buf[16 << 10];
	int64_t good = -1;
	uint64_t at = 0;

	if (!x->size || f->s->flags & PP_OPEN_ANY_TRACING)
		return (int64_t)x->size;
	if (!(t = pp_tracing_new()))
		return source_fail_memory(f->s, x->off);
	for (size_t n; at < x->size; at += n) {
		n = x->size - at < sizeof buf ? (size_t)(x->size - at) : sizeof buf;
		if (file_read_at(f, buf, x->off + at, n) < 0)
			break;
		pp_tracing_feed(t, buf, n);
	}
	if (at == x->size && !(good = (int64_t)hold_verdict(f->s, t, x->size, x->off)))
		fault_lost(f->s, x->size);
	pp_tracing_free(t);
	return good;
}

/* Make the head, and the section of tracing data behind it, the first segments. */
static int
file_put_tracing(struct file *f)
{
	static const uint8_t zeros[8];
	const struct section *x = &f->features[PP_FEAT_TRACING_DATA];
	struct perf_data *to = f->to;
	struct pp_rec r;
	uint64_t size;
	int64_t good;
	size_t pad;
	uint8_t *p;

	if (x->size > UINT32_MAX - 8)
		return source_fail(f->s, x->off, "TRACING_DATA: section of %ju bytes", (uintmax_t)x->size);
	if ((good = file_fit_tracing(f, x)) < 0)
		return -1;
	size = (uint64_t)good;
	pad = -size & 7;
	if (size) {
		if (!(p = file_space(f, sizeof(struct pp_raw_HEADER_TRACING_DATA))))
			return -1;
		PP_MAKE(&r, p, sizeof(struct pp_raw_HEADER_TRACING_DATA), HEADER_TRACING_DATA, .swap = f->swap,
		    .tracing_size = (uint32_t)(size + pad));
	}
	to->seg.s[0] = (struct segment){ memory_bytes(&to->mem[0], f->head, f->len), 0, f->len, true };
	to->seg.s[1] = (struct segment){ f->s->in, x->off, size, false };
	to->seg.s[2] = (struct segment){ memory_bytes(&to->mem[1], zeros, pad), x->off + size, pad, true };
	to->seg.n = 3;
	to->seg.cur = 0;
	to->seg.done = 0;
	return 1;
}

/* perf shows no event of a recording with tracepoints without their formats. */
static void
file_report_formats(struct file *f)
{
	if (f->lost && f->tracepoints && !f->features[PP_FEAT_TRACING_DATA].size)
		repair_note(f->s, f->data.off + f->data.size, 0, "TRACING_DATA: the formats of tracepoints are lost with the "
		    "end of the file: perf shows no tracepoints without them (pcat --repair --formats-from OTHER adds them)");
}

/* ---- the container --------------------------------------------------------------------------------- */

static void
file_close(struct container *c)
{
	struct perf_data *to = (struct perf_data *)c;

	free(to->head);
	free(to->outside);
	free(to);
}

static uint64_t
file_payload(const struct source *s, const struct pp_rec *r)
{
	const struct perf_data *to = (const struct perf_data *)s->container;
	uint64_t number = pp_get_u64(r->raw + PP_HEADER_SIZE, s->pub.swap);

	return to->outside && r->size == PP_FEATURE_HEAD && number < FEATURE_BITS ? to->outside[number] : 0;
}

/* Make all records of the head, in the order of perf record.  1, or -1. */
static int
file_put_features_all(struct file *f)
{
	return file_put_features(f) < 0 || file_put_names(f) < 0 || file_put_build_ids(f) < 0 || file_put_tracing(f) < 0 ? -1 : 1;
}

static int
file_more(struct source *s)
{
	return s->parts ? parts_more(s) : growing_more(s);
}

/* Of AUXTRACE there are offsets of records in the file, and STAT would be lost, as it has no bytes. */
static const char *
file_unread(const struct file *f)
{
	if (f->lost)
		return "the file is not complete";
	if (f->feature[PP_FEAT_AUXTRACE])
		return "the recording has AUXTRACE records";
	return f->feature[PP_FEAT_STAT] ? "the recording is of perf stat" : NULL;
}

static int
file_take_apart(struct source *s, struct perf_data *to)
{
	struct file f = { .s = s, .to = to, .swap = s->pub.swap };
	int rc = file_header(&f) < 0 || file_put_attrs(&f) < 0 || file_put_features_all(&f) < 0 ? -1 : 1;

	to->head = f.head;
	free(f.ids);
	if (rc < 0)
		return rc;
	file_report_formats(&f);
	if (s->parts && file_dir_version(&f) < 0)
		return -1;
	to->seg.s[to->seg.n++] = (struct segment){ s->in, f.data.off, f.data.size, false };
	to->unread = file_unread(&f);
	return 1;
}

static const struct container_kind file_kind = { .read = segments_read, .place = segments_place, .left = segments_left,
    .whole = segments_whole, .more = file_more, .payload = file_payload,
    .at = segments_at, .skip = segments_skip, .close = file_close };

int
file_open(struct source *s)
{
	struct perf_data *to = calloc(1, sizeof *to);

	if (!to)
		return source_fail_memory(s, 0);
	to->seg.pub.kind = &file_kind;
	to->seg.wait = growing_wait;
	if (file_take_apart(s, to) < 0) {
		file_close(&to->seg.pub);
		return -1;
	}
	container_set(s, &to->seg.pub);
	if (s->follow)
		s->total = 0;
	s->nread = 0;
	window_start(s);
	return 1;
}

int
file_tail(struct source *s)
{
	struct perf_data *to = (struct perf_data *)s->container;
	struct file f = { .s = s, .to = to, .swap = s->pub.swap };
	int rc = file_header(&f) < 0 || file_put_features_all(&f) < 0 ? -1 : 1;

	/* of perf stat's attrs not all is as in the file: file_fit_stat() */
	if (rc > 0 && s->told && f.feature[PP_FEAT_STAT])
		rc = source_fail(s, 0, "a recording of perf stat has to be complete to be read");
	free(to->head);
	to->head = f.head;
	s->nread = 0;
	window_start(s);
	return rc;
}

const char *
pp_data_section(const struct pp_source *pub, struct pp_section *x)
{
	const struct source *s = (const struct source *)pub;
	const struct perf_data *to = (const struct perf_data *)s->container;
	const struct segment *data;

	if (!to || to->seg.pub.kind != &file_kind || s->parts || s->follow || (x->fd = fd_regular(s->in)) < 0)
		return "the input is no perf.data file";
	data = &to->seg.s[to->seg.n - 1];
	x->off = data->off;
	x->len = data->len;
	return to->unread;
}
