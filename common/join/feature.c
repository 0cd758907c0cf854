/* SPDX-License-Identifier: ISC */
/*
 * feature.c - the header features of the joined stream: those of the first input that has any (its host, CPUs, kernel);
 * features about events, all CPUs or all times are recomputed
 */
#include <stdlib.h>
#include <string.h>

#include "in.h"
#include "record/event.h"
#include "record/raw.h"

enum { PAYLOAD_MAX = PP_RECORD_MAX - PP_FEATURE_HEAD };

struct block {			/* the features being written */
	struct join	*j;
	struct input	*donor;
	uint8_t		*buf;		/* of one record */
	bool		 groups;	/* GROUP_DESC has been written */
	uint64_t	 available, online;
};

void
join_groups(struct join *j, struct input *in, void (*fn)(struct join *, struct input *, const char *, size_t, uint64_t,
    uint64_t, void *), void *arg)
{
	struct pp_err err = { 0 };
	struct pp_feature f;
	struct pp_feature_io io;
	struct pp_feature_value v;
	struct pp_rec r;
	const char *name = NULL;
	size_t at = 0, len = 0;
	uint64_t leader = 0;

	while (blob_next(&in->head, &at, j->swap, &r)) {
		if (r.type != PP_HEADER_FEATURE || pp_feature_of(&f, &r, j->swap, 0, &err) < 0 ||
		    f.number != PP_FEAT_GROUP_DESC)
			continue;
		pp_feature_open(&io, &f, &err);
		while (pp_feature_next(&io, &v) > 0) {
			if (!strcmp(v.name, "name")) {
				name = (const char *)v.p;
				len = v.len;
			} else if (!strcmp(v.name, "leader"))
				leader = v.num;
			else if (!strcmp(v.name, "members") && name)
				fn(j, in, name, len, leader, v.num, arg);
		}
	}
}

/* Write the feature whose payload of len bytes is in the buffer. */
static void
write_feature(struct block *b, uint64_t number, size_t len)
{
	struct pp_err err = { 0 };
	struct pp_feature f = { .number = number, .p = b->buf + PP_FEATURE_HEAD, .len = len, .swap = b->j->swap };

	if (pp_feature_record(b->buf, PP_RECORD_MAX, &f, &err) > 0)
		blob_add(&b->j->head, b->buf, PP_FEATURE_HEAD + len);
}

static struct pp_feature_io
create(struct block *b, uint64_t number, struct pp_err *err)
{
	struct pp_feature_io io;

	pp_feature_create(&io, number, b->j->swap, 0, b->buf + PP_FEATURE_HEAD, PAYLOAD_MAX, err);
	return io;
}

/*
 * Events that EVENT_DESC lists: those in front of the first without a name, as none is made up; EVENT_UPDATEs have the names of those
 * behind it.  perf finds a name by its place, so all are listed if one behind it is known by an EVENT_DESC only.
 */
static unsigned
event_desc_events(const struct join *j)
{
	unsigned n = j->nev;

	for (unsigned i = 0; i < j->nev; i++) {
		uint8_t from = j->in[j->ev[i].in].src->events->ev[j->ev[i].from]->name_from;

		if (from == PP_NAME_BUILT && n == j->nev)
			n = i;
		else if (from == PP_NAME_DESC && n < j->nev)
			return j->nev;
	}
	return n;
}

/* EVENT_DESC; if the events exceed a record it is left out, as perf record does. */
static void
event_desc(struct block *b)
{
	const struct join *j = b->j;
	struct pp_err err = { 0 };
	struct pp_feature_io io = create(b, PP_FEAT_EVENT_DESC, &err);
	struct blob attr = { 0 };
	unsigned n = event_desc_events(j);
	uint32_t size = 0;
	size_t len;

	if (!n)
		return;
	for (unsigned i = 0; i < n; i++)
		size = j->ev[i].attr_size > size ? j->ev[i].attr_size : size;
	pp_feature_put_num(&io, "nr", n);
	pp_feature_put_num(&io, "attr_size", size);
	for (unsigned i = 0; i < n; i++) {
		const struct jevent *e = &j->ev[i];
		const struct input *in = &j->in[e->in];
		const char *name = in->src->events->ev[e->from]->name;

		attr.n = 0;
		blob_add(&attr, in->head.p + in->ev[e->from].attr + PP_HEADER_SIZE, e->attr_size);
		blob_add(&attr, NULL, size - e->attr_size);
		join_rewrite_attr(j, e, attr.p);
		pp_feature_put(&io, &(struct pp_feature_value){ .name = "attr", .kind = PP_F_ATTR, .p = attr.p,
		    .len = size, .swap = j->swap });
		pp_feature_put_num(&io, "nr_ids", e->nids);
		pp_feature_put_str(&io, "name", name, strlen(name));
		for (unsigned k = 0; k < e->nids; k++)
			pp_feature_put_num(&io, "id", e->ids[k]);
	}
	free(attr.p);
	if (pp_feature_finish(&io, &len) > 0)
		write_feature(b, PP_FEAT_EVENT_DESC, len);
}

static void
put_group(struct join *j, struct input *in, const char *name, size_t len, uint64_t leader, uint64_t members, void *arg)
{
	struct pp_feature_io *io = arg;

	(void)j;
	if (leader >= in->nev || in->ev[leader].members != members || in->ev[leader].folded)
		return;
	pp_feature_put_str(io, "name", name, len);
	pp_feature_put_num(io, "leader", in->ev[leader].to);
	pp_feature_put_num(io, "members", members);
}

/* The groups of all inputs; if there are none, only what an input has that says so, as those of perf stat do. */
static void
group_desc(struct block *b, bool none)
{
	struct pp_err err = { 0 };
	struct pp_feature_io io = create(b, PP_FEAT_GROUP_DESC, &err);
	size_t len;

	if (b->groups)
		return;
	b->groups = true;
	pp_feature_put_count(&io, "nr");
	for (struct input *in = b->j->in; in < b->j->in + b->j->n; in++)
		join_groups(b->j, in, put_group, &io);
	if (pp_feature_finish(&io, &len) > 0 && (none || pp_get_u32(b->buf + PP_FEATURE_HEAD, b->j->swap)))
		write_feature(b, PP_FEAT_GROUP_DESC, len);
}

/* perf takes a sample's CPU for an error unless it is less than `available'. */
static void
nrcpus(struct block *b)
{
	pp_set_u32(b->buf + PP_FEATURE_HEAD, (uint32_t)b->available, b->j->swap);
	pp_set_u32(b->buf + PP_FEATURE_HEAD + 4, (uint32_t)b->online, b->j->swap);
	write_feature(b, PP_FEAT_NRCPUS, 8);
}

/* SAMPLE_TIME from the earliest to the latest; 0, as in a pipe, if it is unknown for an input. */
static void
sample_time(struct block *b)
{
	uint64_t first = UINT64_MAX, last = 0;
	bool known = true;

	for (const struct input *in = b->j->in; in < b->j->in + b->j->n; in++) {
		uint64_t f = in->time_first + in->rw.time_shift, l = in->time_last + in->rw.time_shift;

		known &= in->time_first && in->time_last;
		first = f < first ? f : first;
		last = l > last ? l : last;
	}
	pp_set_u64(b->buf + PP_FEATURE_HEAD, known ? first : 0, b->j->swap);
	pp_set_u64(b->buf + PP_FEATURE_HEAD + 8, known ? last : 0, b->j->swap);
	write_feature(b, PP_FEAT_SAMPLE_TIME, 16);
}

/* CLOCK_DATA moves with the recording's times: u32 version, u32 clockid, u64 wall clock, u64 clock. */
static void
clock_data(struct block *b, const struct pp_rec *r)
{
	uint8_t *p = blob_add(&b->j->head, r->raw, r->size) + PP_FEATURE_HEAD + 16;

	if (r->size >= PP_FEATURE_HEAD + 24)
		pp_set_u64(p, pp_get_u64(p, b->j->swap) + b->donor->rw.time_shift, b->j->swap);
}

static void
feature(struct block *b, const struct pp_rec *r)
{
	uint64_t number = PP_RAW_GET(r->raw, HEADER_FEATURE, feat_id, b->j->swap);
	bool more_cpus = b->available > b->donor->cpus_available;

	if (pp_feature_is_end(r))
		group_desc(b, false);	/* comes last if the donor has none */
	else if (number == PP_FEAT_EVENT_DESC) {
		event_desc(b);
		return;
	} else if (number == PP_FEAT_GROUP_DESC) {
		group_desc(b, true);
		return;
	} else if (number == PP_FEAT_NRCPUS && more_cpus) {
		nrcpus(b);
		return;
	} else if (number == PP_FEAT_SAMPLE_TIME && b->j->n > 1) {
		sample_time(b);
		return;
	} else if (number == PP_FEAT_CLOCK_DATA) {
		clock_data(b, r);
		return;
	} else if (more_cpus && (number == PP_FEAT_CPU_TOPOLOGY || number == PP_FEAT_CPU_DOMAIN_INFO))
		return;			/* perf reads as many entries as there are CPUs */
	blob_add(&b->j->head, r->raw, r->size);
}

void
join_features(struct join *j)
{
	struct block b = { .j = j };
	struct pp_rec r;
	size_t at = 0;

	for (struct input *in = j->in; in < j->in + j->n; in++) {
		if (!b.donor && in->has_features)
			b.donor = in;
		b.available = in->cpus_available > b.available ? in->cpus_available : b.available;
		b.online = in->cpus_online > b.online ? in->cpus_online : b.online;
	}
	if (!b.donor)
		return;
	b.buf = tool_alloc(1, PP_RECORD_MAX);
	while (blob_next(&b.donor->head, &at, j->swap, &r))
		if (r.type == PP_HEADER_FEATURE)
			feature(&b, &r);
	group_desc(&b, false);		/* features of a file have no end mark */
	free(b.buf);
}
