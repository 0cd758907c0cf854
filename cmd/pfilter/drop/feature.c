/* SPDX-License-Identifier: ISC */
/* feature.c - removes events from EVENT_DESC and GROUP_DESC.  An invalid feature is removed, since perf would stop at it. */
#include <string.h>

#include "record/attr.h"
#include "record/event.h"
#include "in.h"
#include "record/feature.h"
#include "record/raw.h"

enum { PAYLOAD_MAX = PP_RECORD_MAX - PP_FEATURE_HEAD };

/* ---- EVENT_DESC --------------------------------------------------------------------------------------- */

/* entries are copied unchanged. */
struct desc {
	const struct dropping *d;
	const uint8_t	*entry;		/* start of the current entry; NULL: none */
	size_t		 attr_len;
	uint64_t	 index;
	const struct pp_event *ev;	/* event of the current entry; NULL: unknown */
	uint8_t		*to;		/* end of the output */
	uint32_t	 left;
};

/* Finish the current entry, which ends at p. */
static void
end_entry(struct desc *x, const uint8_t *p)
{
	size_t n = (size_t)(p - x->entry);

	if (!x->entry || drop_goes(x->d, x->ev))
		return;
	memcpy(x->to, x->entry, n);
	if (x->ev == x->d->heir && x->attr_len >= PP_ATTR_SIZE_VER0)
		drop_attr(x->d, x->to);
	x->to += n;
	x->left++;
}

static int
desc_value(void *arg, const struct pp_feature_value *v)
{
	struct desc *x = arg;
	const struct pp_events *e = x->d->events;
	const struct pp_event *ev;

	if (v->kind == PP_F_REST || v->kind == PP_F_ATTR) {
		end_entry(x, v->p);
		x->entry = v->kind == PP_F_ATTR ? v->p : NULL;
		x->attr_len = v->len;
		x->index = v->index;
		x->ev = v->index < e->n ? e->ev[v->index] : NULL;	/* unless its ids belong to another event */
	} else if (!strcmp(v->name, "id") && v->index == 0 && (ev = pp_event_by_id(e, v->num)))
		x->ev = ev;
	return 1;
}

static int
event_desc(struct dropping *d, struct pp_rec *r, const struct pp_feature *f)
{
	enum { HEAD = PP_FEATURE_HEAD + 8 };
	struct pp_err ignored = { .what = "" };
	struct desc x = { .d = d, .to = d->buf + HEAD };

	if (f->len < 8 || pp_feature_walk(f, desc_value, &x, &ignored) < 0)
		return 0;
	end_entry(&x, f->p + f->len);
	if (!x.left)
		return 0;
	memcpy(d->buf, r->raw, HEAD);
	pp_set_u32(d->buf + PP_FEATURE_HEAD, x.left, d->swap);
	r->raw = d->buf;
	r->size = (uint16_t)(x.to - d->buf);
	PP_RAW_SET(d->buf, header, size, r->size, d->swap);
	return 1;
}

/* ---- GROUP_DESC --------------------------------------------------------------------------------------- */

struct group {
	const struct dropping *d;
	struct pp_feature_io io;	/* the output */
	struct pp_feature_value name;
	uint64_t leader;
	unsigned groups;
};

/* Write a group without removed events, if at least two remain.  If its leader is removed, the next member becomes leader. */
static int
put_group(struct group *g, uint64_t members)
{
	const struct dropping *d = g->d;
	uint64_t left;

	if (g->leader >= d->n || members > d->n - g->leader)
		return 1;
	left = d->rank[g->leader + members] - d->rank[g->leader];
	if (left < 2)
		return 1;
	g->groups++;
	if (pp_feature_put(&g->io, &g->name) < 0 || pp_feature_put_num(&g->io, "leader", d->rank[g->leader]) < 0)
		return -1;
	return pp_feature_put_num(&g->io, "members", left);
}

static int
group_value(void *arg, const struct pp_feature_value *v)
{
	struct group *g = arg;

	if (!strcmp(v->name, "name"))
		g->name = *v;
	else if (!strcmp(v->name, "leader"))
		g->leader = v->num;
	else if (!strcmp(v->name, "members"))
		return put_group(g, v->num);
	return 1;
}

static int
group_desc(struct dropping *d, struct pp_rec *r, const struct pp_feature *f)
{
	struct pp_err ignored = { .what = "" };
	struct pp_feature new = *f;
	struct group g = { .d = d };

	pp_feature_create(&g.io, f->number, d->swap, 0, d->buf + PP_FEATURE_HEAD, PAYLOAD_MAX, &ignored);
	if (pp_feature_put_count(&g.io, "nr") < 0 || pp_feature_walk(f, group_value, &g, &ignored) < 0 ||
	    pp_feature_finish(&g.io, &new.len) < 0 || !g.groups)
		return 0;
	new.p = d->buf + PP_FEATURE_HEAD;
	if (pp_feature_record(d->buf, PP_REWRITE_SIZE, &new, &ignored) < 0)
		return 0;
	r->raw = d->buf;
	r->size = (uint16_t)(PP_FEATURE_HEAD + new.len);
	return 1;
}

int
drop_feature(struct dropping *d, struct pp_rec *r)
{
	struct pp_feature f;

	if (pp_feature_is_end(r) || pp_feature_of(&f, r, d->swap, 0, d->err) < 0)
		return 1;
	if (f.number == PP_FEAT_EVENT_DESC)
		return event_desc(d, r, &f);
	return f.number == PP_FEAT_GROUP_DESC ? group_desc(d, r, &f) : 1;
}
