/* SPDX-License-Identifier: ISC */
/*
 * out_file.c - writes a stream as a seekable perf.data (tools/perf/Documentation/perf.data-file-format.txt):
 *
 *	header | ids | attrs | data | table of features | features ... [| ids | attrs]
 *
 * The data section is written as records come, so the sections before it have what is known at its first record; if attrs come
 * later, all attrs are written at the end, which is legal too.  What follows the data section is kept in temporary files, so
 * the size of a recording is not limited by memory.  Records that only a pipe needs are dropped (HEADER_ATTR, HEADER_FEATURE,
 * TRACING_DATA, BUILD_ID, the NAMEs of EVENT_UPDATE); all others stay, byte for byte.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "make/build_id.h"
#include "record/event.h"
#include "record/feature.h"
#include "record/meaning.h"
#include "out_file_in.h"
#include "record/raw.h"
#include "record/tracing.h"
#include "set.h"
#include "sink.h"

enum { EVENT_UPDATE_NAME = 2 };

/* ---- what is kept for the end ------------------------------------------------------------------------- */

/* Ids that exceed a record come in further records with the same attr: here they are merged. */
static bool
file_continues(const struct file *f, const struct pp_rec *r, size_t size)
{
	size_t max = (PP_RECORD_MAX - PP_HEADER_SIZE - size) / 8;
	const struct attr *a;

	if (!f->nattrs)
		return false;
	a = f->attrs + f->nattrs - 1;
	return a->size == size && a->nids && a->nids % max == 0 && !memcmp(a->p, r->raw + PP_HEADER_SIZE, size);
}

static int
file_keep_attr(struct file *f, const struct pp_rec *r)
{
	const struct pp_event *ev = f->events->ev[f->events->n - 1];
	size_t size = ev->attr.size, ids = 8 * (size_t)ev->nids, have;
	struct attr *a;
	uint8_t *p;

	if (!file_continues(f, r, size)) {
		if (!(a = array_more(f->attrs, f->nattrs, 1, sizeof *a)))
			return pp_fail_memory(f->err);
		f->attrs = a;
		f->attrs[f->nattrs++] = (struct attr){ .size = size, .event = ev->index };
	}
	a = f->attrs + f->nattrs - 1;
	have = a->p ? size + 8 * (size_t)a->nids : 0;
	if (!(p = realloc(a->p, have + (have ? 0 : size) + ids))) {
		f->nattrs -= !have;	/* the end would write it */
		return pp_fail_memory(f->err);
	}
	a->p = p;
	if (have)
		memcpy(p + have, r->raw + PP_HEADER_SIZE + size, ids);
	else
		memcpy(p, r->raw + PP_HEADER_SIZE, size + ids);
	a->nids += ev->nids;
	if (size > f->attr_max)
		f->attr_max = size;
	f->late |= f->begun;
	return 1;
}

/* The record's payload is the feature (PP_OPEN_FILE_FEATURES). */
static int
file_keep_outside(struct file *f, struct pp_source *in, const struct pp_rec *r, uint64_t number)
{
	const uint8_t *p;
	size_t n;
	int rc;

	f->features[number].set = true;
	f->features[number].off = f->sections.len;
	f->features[number].len = r->payload;
	while ((rc = pp_payload(in, &p, &n)) > 0)
		if (spool_put(&f->sections, p, n, f->err) < 0)
			return -1;
	return rc < 0 ? -1 : 1;
}

/* The last feature of a number counts; the end mark is for pipes. */
static int
file_keep_feature(struct file *f, struct pp_source *in, const struct pp_rec *r)
{
	uint64_t number = PP_RAW_GET(r->raw, HEADER_FEATURE, feat_id, f->swap);

	if (pp_feature_is_end(r) || number >= FEATURES || !(r->payload || pp_feature_where(number) & PP_FEATURE_PIPE))
		return 1;
	if (r->payload)
		return file_keep_outside(f, in, r, number);
	if (number == PP_FEAT_EVENT_DESC) {
		if (!f->event_desc && !(f->event_desc = malloc(PP_RECORD_MAX)))
			return pp_fail_memory(f->err);
		memcpy(f->event_desc, r->raw, r->size);
	}
	f->features[number].set = true;
	f->features[number].off = f->sections.len;
	f->features[number].len = r->size - PP_FEATURE_HEAD;
	return spool_put(&f->sections, r->raw + PP_FEATURE_HEAD, r->size - PP_FEATURE_HEAD, f->err);
}

static int
file_keep_tracing(struct file *f, const uint8_t *p, size_t n)
{
	if (pp_tracing_feed(f->tracing, p, n) < 0)
		return pp_fail_memory(f->err);
	return spool_put(&f->sections, p, n, f->err);
}

static int
file_tracing_kept(struct file *f)
{
	f->features[PP_FEAT_TRACING_DATA].set = true;
	f->features[PP_FEAT_TRACING_DATA].off = f->payload.at;
	f->features[PP_FEAT_TRACING_DATA].len = f->sections.len - f->payload.at;
	return 1;
}

static int
file_put_tracing(struct file *f, struct pp_source *in, const struct pp_rec *r)
{
	const uint8_t *p;
	size_t n;
	int rc;

	if (!f->tracing && !(f->tracing = pp_tracing_new()))
		return pp_fail_memory(f->err);
	f->payload.at = f->sections.len;
	/* simpleperf writes the data into the record; pp_payload_size() has compared the sizes. */
	if (!r->payload && file_keep_tracing(f, r->raw + PP_RAW_AT(HEADER_TRACING_DATA, pad),
	    PP_RAW_GET(r->raw, HEADER_TRACING_DATA, tracing_size, f->swap)) < 0)
		return -1;
	if (!in && r->payload)
		return 1;
	while ((rc = in ? pp_payload(in, &p, &n) : 0) > 0)
		if (file_keep_tracing(f, p, n) < 0)
			return -1;
	return rc < 0 ? -1 : file_tracing_kept(f);
}

static int
file_keep_build_id(struct file *f, const struct pp_rec *r)
{
	uint8_t entry[PP_RECORD_MAX];

	f->features[PP_FEAT_BUILD_ID].set = true;
	return spool_put(&f->build_ids, entry, build_id_to_file(entry, r, f->swap), f->err);
}

/* ---- the out -------------------------------------------------------------------------------------------- */

/* The payload is complete.  Readers locate AUXTRACE records by their offset in the file. */
static int
file_behind_kept(struct file *f)
{
	uint8_t entry[SECTION_SIZE];

	f->size = UINT64_MAX;
	if (f->payload.type != PP_AUXTRACE)
		return 1;
	pp_set_u64(entry, f->data + f->payload.at, f->swap);
	pp_set_u64(entry + 8, f->payload.size, f->swap);
	return spool_put(&f->auxtrace, entry, sizeof entry, f->err);
}

/* A record with a payload behind it. */
static int
file_put_behind(struct file *f, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	if (pp_flush(f->sink) < 0)
		return -1;
	/* If the input ends inside its payload, the record is left out. */
	f->size = f->payload.at = pp_written(f->sink);
	if (!in && r->payload)
		return pp_put_copy(f->sink, r->raw, r->size);
	return out_put(f->sink, in, r, stable) < 0 ? -1 : file_behind_kept(f);
}

/* The next bytes of the payload of a record that was put without a source. */
static int
file_payload(struct out *o, const uint8_t *p, size_t n)
{
	struct file *f = (struct file *)o;
	bool tracing = f->payload.type == PP_HEADER_TRACING_DATA;

	if ((tracing ? file_keep_tracing(f, p, n) : pp_put_stable(f->sink, p, n)) < 0)
		return -1;
	if (f->payload.left -= n)
		return 1;
	return tracing ? file_tracing_kept(f) : file_behind_kept(f);
}

static int
file_put_data(struct file *f, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	if (f->copied)
		return pp_fail(f->err, "a record cannot be added to data that is copied");
	if (!f->begun && out_file_begin(f) < 0)
		return -1;
	return pp_meaning(r->type)->payload ? file_put_behind(f, in, r, stable) : out_put(f->sink, in, r, stable);
}

static int
file_put_own(struct file *f, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	if (pp_events_learn(f->events, r, f->err) < 0)
		return -1;
	f->payload.type = r->type;
	f->payload.size = r->size;
	f->payload.left = r->payload;
	switch (r->type) {
	case PP_HEADER_ATTR:
		return file_keep_attr(f, r);
	case PP_HEADER_FEATURE:
		return file_keep_feature(f, in, r);
	case PP_HEADER_TRACING_DATA:
		return file_put_tracing(f, in, r);
	case PP_HEADER_BUILD_ID:
		return file_keep_build_id(f, r);
	case PP_EVENT_UPDATE:
		if (PP_RAW_GET(r->raw, EVENT_UPDATE, update_type, f->swap) == EVENT_UPDATE_NAME)
			return 1;
		break;
	case PP_AUXTRACE_INFO:
	case PP_AUXTRACE:
		f->features[PP_FEAT_AUXTRACE].set = true;
		break;
	case PP_STAT_CONFIG:
	case PP_STAT:
	case PP_STAT_ROUND:
		f->features[PP_FEAT_STAT].set = true;
		break;
	}
	return file_put_data(f, in, r, stable);
}

static int
file_put(struct out *o, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct file *f = (struct file *)o;
	const struct pp_event *ev;
	uint64_t time;

	if (r->type >= PP_USER_TYPE_START)
		return file_put_own(f, in, r, stable);
	if (r->type == PP_SAMPLE && (ev = pp_event_find(f->events, r, NULL)) &&
	    pp_time(ev, r, f->swap, &time) > 0) {
		if (time < f->first)
			f->first = time;
		if (time > f->last)
			f->last = time;
	}
	return file_put_data(f, in, r, stable);
}

static int
file_flush(struct out *o, bool wait)
{
	(void)wait;			/* nobody reads the file before it is complete */
	return pp_release(((struct file *)o)->sink);
}

static void
file_free(struct file *f)
{
	for (unsigned i = 0; i < f->nattrs; i++)
		free(f->attrs[i].p);
	free(f->attrs);
	free(f->event_desc);
	pp_tracing_free(f->tracing);
	pp_events_free(f->events);
	spool_close(&f->sections);
	spool_close(&f->build_ids);
	spool_close(&f->auxtrace);
	free(f);
}

/* Readers take an empty data section for that of a killed perf record: write a round without records. */
static int
file_end_data(struct file *f)
{
	uint8_t round[PP_HEADER_SIZE];

	if (f->copied)
		return 1;
	if (out_file_begin(f) < 0 || pp_flush(f->sink) < 0)
		return -1;
	if (f->size > pp_written(f->sink))
		f->size = pp_written(f->sink);
	else if (ftruncate(f->fd, (off_t)(f->data + f->size)) < 0)
		return pp_fail_system(f->err, NULL);
	if (f->size)
		return 1;
	pp_raw_head(round, PP_FINISHED_ROUND, 0, sizeof round, f->swap);
	f->size = sizeof round;
	return write_at(f->fd, round, sizeof round, f->data, f->err);
}

/* An EVENT_DESC that came before its events could not name them then. */
static int
file_settle_names(struct file *f)
{
	struct pp_rec r;

	if (f->event_desc) {
		r = pp_rec_at(f->event_desc, f->swap);
		if (pp_events_learn(f->events, &r, f->err) < 0)
			return -1;
	}
	return f->tracing ? pp_events_tracing(f->events, f->tracing, f->err) : 1;
}

static int
file_finish(struct out *o)
{
	struct file *f = (struct file *)o;
	int rc = file_end_data(f);

	if (rc > 0)
		rc = file_settle_names(f);
	if (rc > 0) {
		f->tail.at = f->data + f->size;
		if (out_file_features(f) < 0 || (f->late && out_file_attrs(f) < 0) || tail_flush(&f->tail, f->err) < 0 ||
		    out_file_header(f) < 0)
			rc = -1;
	}
	if (pp_finish(f->sink) < 0)
		rc = -1;
	file_free(f);
	return rc;
}

struct out *
out_file_new(struct pp_sink *k, const struct out_file_at *at, const struct out_pack *pack, struct pp_source *in, struct pp_err *err)
{
	struct file *f = k ? calloc(1, sizeof *f) : NULL;

	if (!f) {
		pp_fail_memory(err);
		pp_finish(k);
		return NULL;
	}
	f->pub = (struct out){ .put = file_put, .flush = file_flush, .payload = file_payload, .finish = file_finish };
	f->err = err;
	f->pack = *pack;
	f->swap = in->swap;
	f->attr_max = PP_ATTR_SIZE_VER0;
	f->first = f->size = UINT64_MAX;
	f->fd = at->fd;
	f->grows = at->grows;
	f->sink = k;
	spool_init(&f->sections, at->dir);
	spool_init(&f->build_ids, at->dir);
	spool_init(&f->auxtrace, at->dir);
	if (!(f->events = pp_events_new(f->swap)))
		pp_fail_memory(f->err);
	else if (at->dir < 0)
		pp_fail(f->err, "is a pipe, a device or open already: cannot hold a seekable perf.data");
	else if (pp_start_bare(k, in) > 0 &&
	    (!pack->level || pp_sink_compress(k, pack->level, pack->two, pack->threads, pack->frame) > 0))
		return &f->pub;
	pp_finish(k);
	file_free(f);
	return NULL;
}
