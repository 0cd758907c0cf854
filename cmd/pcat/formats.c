/* SPDX-License-Identifier: ISC */
#include <sys/stat.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "formats_dir.h"
#include "make/make.h"
#include "record/event.h"
#include "record/tracing.h"
#include "set.h"

enum { PAYLOAD_MAX = 256 << 20, HEAD = sizeof(struct pp_raw_HEADER_TRACING_DATA), TYPE_TRACEPOINT = 2 };

struct formats {
	const char	*path;
	bool		 is_dir, swap;	/* swap: byte order of the recording that the formats are from */
	struct formats_dir dir;
	uint8_t		*payload;	/* of the TRACING_DATA of that recording */
	size_t		 n;
	struct pp_tracing *tracing;	/* the tracepoints in the payload */
};

struct out_formats {
	struct out	 pub;
	const struct tool *tool;
	struct formats	*formats;
	struct pp_err	*err;
	bool		 swap, done;
	uint64_t	*ids;		/* of the tracepoints in the recording */
	size_t		 nids;
};

/* ---- input of the formats ------------------------------------------------------------------------------ */

static int
take_payload(struct formats *f, struct pp_source *in, const struct pp_rec *r, struct pp_err *err)
{
	const uint8_t *p;
	size_t n;
	int rc;

	if (r->payload > PAYLOAD_MAX)
		return pp_fail(err, "TRACING_DATA of %ju bytes", (uintmax_t)r->payload);
	f->payload = tool_alloc((size_t)r->payload, 1);
	if (!(f->tracing = pp_tracing_new()))
		return pp_fail_memory(err);
	for (; (rc = pp_payload(in, &p, &n)) > 0; f->n += n) {
		memcpy(f->payload + f->n, p, n);
		if (pp_tracing_feed(f->tracing, p, n) < 0)
			return pp_fail_memory(err);
	}
	return rc < 0 ? -1 : 1;
}

static int
load_recording(struct formats *f, const struct tool *t, const char *path, struct pp_err *err)
{
	struct pp_source *in = tool_source(t, path, 0, err);
	struct pp_rec r;
	int rc;

	if (!in)
		return -1;
	f->swap = in->swap;
	while ((rc = pp_next(in, &r)) > 0 && r.type != PP_HEADER_TRACING_DATA)
		;
	if (rc > 0)
		rc = take_payload(f, in, &r, err);
	else if (!rc)
		rc = pp_fail(err, "has no formats of tracepoints (TRACING_DATA)");
	pp_close(in);
	return rc;
}

struct formats *
formats_load(const struct tool *t, const char *path, struct pp_err *err)
{
	struct formats *f = tool_alloc(1, sizeof *f);
	struct stat st;

	*err = (struct pp_err){ .file = path };
	f->path = path;
	/* A directory of perf record --threads is a recording. */
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		char *events = tool_alloc(strlen(path) + sizeof "/events", 1);

		f->is_dir = !stat(strcat(strcpy(events, path), "/events"), &st);
		free(events);
	}
	if ((f->is_dir ? formats_dir_read(&f->dir, path, err) : load_recording(f, t, path, err)) > 0)
		return f;
	formats_free(f);
	return NULL;
}

void
formats_free(struct formats *f)
{
	if (!f)
		return;
	formats_dir_free(&f->dir);
	pp_tracing_free(f->tracing);
	free(f->payload);
	free(f);
}

/* ---- output of the formats ---------------------------------------------------------------------------------------- */

static bool
has(const struct formats *f, uint64_t id)
{
	return f->is_dir ? formats_dir_has(&f->dir, id) : pp_tracing_name(f->tracing, id) != NULL;
}

static void
see_attr(struct out_formats *o, const struct pp_rec *r)
{
	struct pp_attr a;

	pp_attr_get(&a, r->raw + PP_HEADER_SIZE, r->size - PP_HEADER_SIZE, o->swap);
	if (a.type != TYPE_TRACEPOINT)
		return;
	o->ids = tool_need(array_more(o->ids, o->nids, 1, sizeof *o->ids));
	o->ids[o->nids++] = a.config;
}

/* Are there formats for all tracepoints of the recording?  1; 0: it needs none; -1: one is missing. */
static int
fit(const struct out_formats *o)
{
	const struct formats *f = o->formats;

	if (!o->nids) {
		tool_warn(o->tool, "--formats-from: the recording has no tracepoints");
		return 0;
	}
	if (!f->is_dir && f->swap != o->swap)
		return pp_fail(o->err, "%s has the other byte order, so it is not from the kernel of this recording", f->path);
	for (size_t i = 0; i < o->nids; i++)
		if (!has(f, o->ids[i]))
			return pp_fail(o->err, "%s has no format of tracepoint %" PRIu64 " of this recording: it is from another "
			    "kernel, or of other events", f->path, o->ids[i]);
	return 1;
}

static int
put_formats(struct out_formats *o)
{
	struct formats *f = o->formats;
	struct pp_err err;
	size_t n = f->n, all;
	uint8_t *made = f->is_dir ? formats_dir_payload(&f->dir, o->ids, o->nids, o->swap, &n) : NULL;
	uint8_t *p = tool_alloc(HEAD + n, 1);
	struct pp_source *src;
	struct pp_rec r;
	int rc = -1;

	all = HEAD + n;
	PP_MAKE(&r, p, HEAD, HEADER_TRACING_DATA, .swap = o->swap, .tracing_size = (uint32_t)n);
	memcpy(p + HEAD, made ? made : f->payload, n);
	if (!(src = pp_open_memory(p, all, o->swap, f->path, &err)) || pp_next(src, &r) <= 0)
		pp_fail(o->err, "%s: %s", f->path, err.what);
	else
		rc = o->pub.next->put(o->pub.next, src, &r, false);
	pp_close(src);
	free(made);
	free(p);
	return rc;
}

/* The head is complete. */
static int
insert(struct out_formats *o)
{
	int rc = fit(o);

	o->done = true;
	if (rc > 0 && (rc = put_formats(o)) > 0)
		tool_note(o->tool, "%s: formats of %zu tracepoints added; whether they are from the kernel of the recording is "
		    "not known", o->formats->path, o->nids);
	return rc < 0 ? -1 : 1;
}

static int
put(struct out *out, struct pp_source *in, const struct pp_rec *r, bool stable)
{
	struct out_formats *o = (struct out_formats *)out;

	switch (o->done ? PP_HEADER_FEATURE : r->type) {
	case PP_HEADER_ATTR:
		see_attr(o, r);
		break;
	case PP_HEADER_TRACING_DATA:
		o->done = true;
		tool_warn(o->tool, "--formats-from: the recording already has formats");
		break;
	case PP_HEADER_EVENT_TYPE:
	case PP_HEADER_FEATURE:
	case PP_HEADER_BUILD_ID:
	case PP_EVENT_UPDATE:
		break;
	default:
		if (insert(o) < 0)
			return -1;
	}
	return out->next->put(out->next, in, r, stable);
}

static int
finish(struct out *out)
{
	struct out_formats *o = (struct out_formats *)out;
	struct out *next = out->next;
	int rc = o->done || o->err->what[0] ? 1 : insert(o);

	free(o->ids);
	free(o);
	return next->finish(next) < 0 ? -1 : rc;
}

struct out *
formats_new(const struct tool *t, struct formats *f, struct pp_source *like, struct out *next, struct pp_err *err)
{
	struct out_formats *o = tool_alloc(1, sizeof *o);

	*o = (struct out_formats){ .pub = { .put = put, .finish = finish, .next = next }, .tool = t, .formats = f,
	    .err = err, .swap = like->swap };
	return &o->pub;
}
