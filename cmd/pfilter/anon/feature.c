/* SPDX-License-Identifier: ISC */
/* feature.c - how --anon changes header features; private bytes outside of their fields are removed, too */
#include <string.h>

#include "event.h"
#include "out.h"

/* By content of a header feature (record/feature.def): the words of --anon that remove it, and that change it. */
static const struct row { unsigned gone, changed; } rows[PP_HOLDS_END] = {
	[PP_HOLDS_HOST] = { 0, A_HOST },
	[PP_HOLDS_VERSION] = { 0, A_HOST },		/* 6.1.0-13-amd64: only the number stays */
	[PP_HOLDS_MEMORY] = { 0, A_HOST },		/* in kB nearly a serial number: rounded */
	[PP_HOLDS_COMMAND] = { 0, A_NAMES },		/* may hold any name, path or pid */
	[PP_HOLDS_EVENTS] = { 0, A_PATH | A_ADDR | A_EVENT },
	[PP_HOLDS_GROUPS] = { 0, A_EVENT },
	[PP_HOLDS_PHYSICAL] = { A_HOST | A_ADDR, 0 },
	[PP_HOLDS_PROGRAMS] = { A_ALL & ~(A_CMDLINE | A_EVENT), 0 },	/* names, addresses, code, inodes, users */
	[PP_HOLDS_TYPES] = { A_NAMES, 0 },
};

_Static_assert(PP_HOLDS_END == 13, "a kind of content that --anon does not know");

enum { PAYLOAD_MAX = PP_RECORD_MAX - PP_FEATURE_HEAD };

struct copy {			/* a feature being rewritten */
	struct anon_out	*a;
	struct pp_feature_io io;
	uint64_t	 number;
};

static const struct row *
row_of(uint64_t number)
{
	return &rows[pp_feature_holds(number)];
}

/* Round down to the three highest bits. */
static uint64_t
rounded(uint64_t n)
{
	unsigned drop = n > 7 ? 61 - (unsigned)__builtin_clzll(n) : 0;

	return n >> drop << drop;
}

/* Write the new string of a feature to a->text, and return its length.  ANON_UNCHANGED: the string stays. */
static int64_t
text(struct anon_out *a, uint64_t number, const struct pp_feature_value *v)
{
	const char *s = (const char *)v->p;

	switch (pp_feature_holds(number)) {
	case PP_HOLDS_HOST:
		return (int64_t)anon_word(a->key, ANON_D_HOST, "host-", s, v->len, a->text);
	case PP_HOLDS_VERSION:
		return (int64_t)anon_version(s, v->len, a->text);
	case PP_HOLDS_COMMAND:
		return (int64_t)anon_word(a->key, ANON_D_ARG, "arg-", s, v->len, a->text);
	case PP_HOLDS_EVENTS:
		return anon_event_text(a, s, v->len);
	case PP_HOLDS_GROUPS:
		return (int64_t)anon_event_group(a->key, s, v->len, a->text);
	default:
		return ANON_UNCHANGED;
	}
}

static int
put_value(void *arg, const struct pp_feature_value *v)
{
	struct copy *c = arg;
	struct anon_out *a = c->a;
	struct pp_feature_value new = *v;
	bool change = row_of(c->number)->changed & a->what;
	int64_t n;

	/* Bytes after the known fields: removed, since their content is not known. */
	if (v->kind == PP_F_REST && (c->number != PP_FEAT_CPU_TOPOLOGY || a->nr_cpus))
		return 1;
	if (change && v->kind == PP_F_STR && (n = text(a, c->number, v)) != ANON_UNCHANGED) {
		new.p = (uint8_t *)a->text;
		new.len = (size_t)n;
	} else if (change && (!strcmp(v->name, "total_kb") || !strcmp(v->name, "free_kb"))) {
		new.num = rounded(v->num);
	} else if (change && v->kind == PP_F_ATTR && v->len <= sizeof a->attr) {
		memcpy(a->attr, v->p, v->len);
		if (v->len > sizeof(struct pp_attr))
			memset(a->attr + sizeof(struct pp_attr), 0, v->len - sizeof(struct pp_attr));
		anon_attr(a, a->attr, v->len);
		new.p = a->attr;
	}
	return pp_feature_put(&c->io, &new);
}

/* Rewrite a feature value by value: strings change, and padding between values is removed.  False: it is invalid. */
static bool
renew(struct anon_out *a, struct pp_feature *f)
{
	struct pp_err err = { .what = "" };
	struct copy c = { .a = a, .number = f->number };
	size_t len;

	pp_feature_create(&c.io, f->number, a->swap, 0, a->buf + PP_FEATURE_HEAD, PAYLOAD_MAX, &err);
	if (pp_feature_walk(f, put_value, &c, &err) < 0 || pp_feature_finish(&c.io, &len) < 0 || !len)
		return false;
	f->p = a->buf + PP_FEATURE_HEAD;
	f->len = len;
	return true;
}

static int
feature_removed(struct anon_out *a, uint64_t number)
{
	a->features[number < GONE_FEATURES ? number : GONE_FEATURES - 1]++;
	return 0;
}

int
anon_feature(struct anon_out *a, struct pp_rec *r)
{
	struct pp_err err = { .what = "" };
	struct pp_feature f;
	bool known;
	uint64_t n;

	if (pp_feature_of(&f, r, a->swap, a->nr_cpus, a->err) < 0)
		return -1;
	memcpy(a->buf, r->raw, r->size);
	r->raw = a->buf;
	if (pp_feature_is_end(r))
		return 1;
	if (f.number == PP_FEAT_NRCPUS && pp_feature_num(&f, "available", &n, &err) > 0)
		a->nr_cpus = (uint32_t)n;
	known = pp_feature_name(f.number);
	if (row_of(f.number)->gone & a->what || (!known && a->what & A_UNKNOWN))
		return feature_removed(a, f.number);
	a->unknown_kept += !known;
	if (!known || !(row_of(f.number)->changed & a->what || a->what & A_UNKNOWN))
		return 1;
	if (!renew(a, &f) || pp_feature_record(a->buf, sizeof a->buf, &f, &err) < 0)
		return feature_removed(a, f.number);
	r->size = (uint16_t)(PP_FEATURE_HEAD + f.len);
	return 1;
}
