/* SPDX-License-Identifier: ISC */
/*
 * record.c - libFuzzer target: any bytes as a record of events of any attrs, and as a header feature or its text (common/record)
 *
 *	u8 how, bytes of the first HEADER_ATTR's body / 8, of the second's | these bodies | the record
 *	u8 how, number, CPUs | a payload
 *	u8 how, number | a text
 *
 * how: bit 0, the other byte order; bits 1 and 2, which of these (0 and 1: a record); bit 3: the record says its size itself.  No
 * source, sink and state are about it, so that an execution takes some 20 microseconds; stream.c has these.
 *
 * What must hold: no sanitizer error; a failure has a text; what the quick ways accept the slow one does, too; what is shown of a
 * record is within it; a sample that was decoded and encoded says the same; a feature that was turned around can be turned back;
 * the text of a feature that was made of a text makes the same feature.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/event.h"
#include "record/feature.h"
#include "record/judge.h"
#include "record/sample.h"
#include "record/shape.h"
#include "fuzz.h"

enum { OTHER = 1, OWN_SIZE = 8, TEXT = 1 << 16 };

static volatile unsigned nobody_reads;
static unsigned sum;		/* of bytes that were shown: each must be readable, and set */

static void
touch(const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum += ((const uint8_t *)p)[i];
}

/* ---- records ------------------------------------------------------------------------------------------- */

/* A record of that body, in memory of its own size. */
static struct pp_rec
make(const uint8_t *body, size_t n, uint32_t type, bool swap)
{
	uint8_t *p;
	struct pp_rec r;

	MUST(p = malloc(PP_HEADER_SIZE + n));
	pp_set_u32(p, type, swap);
	pp_set_u16(p + 4, 0, swap);
	pp_set_u16(p + 6, (uint16_t)(PP_HEADER_SIZE + n), swap);
	if (n)
		memcpy(p + PP_HEADER_SIZE, body, n);
	r = pp_rec_at(p, swap);
	return r;
}

static void
learn(struct pp_events *e, const uint8_t *body, size_t n)
{
	struct pp_rec r = make(body, n, PP_HEADER_ATTR, e->swap);
	struct pp_err err = { 0 };

	if (pp_check(&r, e->swap, &err) < 0 || pp_events_learn(e, &r, &err) < 0)
		MUST(err.what[0]);
	free((void *)(uintptr_t)r.raw);
}

static int
see_value(void *arg, const struct pp_value *v)
{
	const struct pp_rec *r = arg;

	MUST(v->name && v->kind != PP_K_END && v->kind != PP_K_LIST && v->kind != PP_K_OPT);
	MUST(v->p >= r->raw && v->len <= r->size && v->p + v->len <= r->raw + r->size);
	touch(v->p, v->len);
	return 1;
}

static void
same_bytes(struct pp_bytes a, struct pp_bytes b)
{
	MUST(a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n)));
}

/* What was encoded has all that the sample has, but for what is not whole words of it, and padding. */
static void
same_sample(const struct pp_decoded *a, const struct pp_decoded *b)
{
	MUST(a->event == b->event && a->has == b->has && a->misc == b->misc);
	MUST(a->pid == b->pid && a->tid == b->tid && a->cpu == b->cpu && a->time == b->time && a->ip == b->ip && a->addr == b->addr);
	MUST(a->id == b->id && a->stream_id == b->stream_id && a->period == b->period && a->weight == b->weight);
	MUST(a->data_src == b->data_src && a->transaction == b->transaction && a->phys_addr == b->phys_addr && a->cgroup == b->cgroup);
	MUST(a->data_page_size == b->data_page_size && a->code_page_size == b->code_page_size);
	MUST(a->regs_user_abi == b->regs_user_abi && a->regs_intr_abi == b->regs_intr_abi);
	same_bytes(a->callchain, b->callchain);
	same_bytes(a->regs_user, b->regs_user);
	same_bytes(a->regs_intr, b->regs_intr);
	same_bytes(a->read, b->read);
	MUST(b->raw.n >= a->raw.n && b->raw.n < a->raw.n + 8 && (!a->raw.n || !memcmp(a->raw.p, b->raw.p, a->raw.n)));
}

static void
decoded(const struct pp_source *in, const struct pp_rec *r)
{
	static uint8_t buf[2 * PP_RECORD_MAX];
	struct pp_err err = { 0 };
	struct pp_decoded d, e;
	struct pp_frames f;
	struct pp_frame frame;
	struct pp_rec again;

	if (pp_decode(in, r, &d, &err) <= 0)
		return;
	touch(d.raw.p, d.raw.n);
	touch(d.stack_user.p, d.stack_user.n);
	touch(d.aux.p, d.aux.n);
	pp_frames_of(&f, in, &d);
	while (pp_frame_next(&f, &frame) > 0)
		sum += frame.ip + frame.cpumode;
	if (pp_encode(in, &d, buf, sizeof buf, &again, &err) <= 0)
		return;
	touch(again.raw, again.size);
	MUST(pp_decode(in, &again, &e, &err) > 0);
	same_sample(&d, &e);
}

static void
sample(const struct pp_source *in, const struct pp_event *ev, const struct pp_rec *r)
{
	struct pp_err err = { 0 };

	if (pp_walk(r, ev, in->swap, NULL, NULL, &err) < 0) {
		MUST(err.what[0]);
		return;
	}
	for (unsigned i = 0; i < PP_SAMPLE_BITS; i++) {
		const uint8_t *p = NULL;
		size_t n = 0;

		MUST(pp_sample_field(ev, r, in->swap, 1u << i, &p, &n, &err) == (int)(pp_sample_slots(ev->attr.sample_type) >> i & 1));
		MUST(!p || (p >= r->raw && p + n <= r->raw + r->size));
	}
	decoded(in, r);
}

/* What each of the ways to judge says. */
static bool
judged(const struct pp_events *e, const struct pp_rec *r)
{
	struct pp_err err = { 0 }, quick = { 0 };
	bool sound = pp_judge(e, r, &err) > 0;
	bool plausible = pp_header_plausible(r);

	MUST(sound || err.what[0]);
	if (pp_judge_quickly(e, r, &quick) < 0)
		MUST(quick.what[0] && !sound);
	MUST(!pp_sample_size(e, r->raw, r->size) || sound);
	if (r->type != PP_SAMPLE && r->type != PP_READ && r->type < PP_USER_TYPE_START && plausible)
		sum += pp_kernel_needs(e, r, r->size);
	return sound;
}

static void
record(const uint8_t *p, size_t n, struct pp_source *in, bool own_size)
{
	struct pp_rec r = make(p + PP_HEADER_SIZE, n - PP_HEADER_SIZE, 0, in->swap);
	uint8_t *raw = (uint8_t *)(uintptr_t)r.raw;
	const struct pp_event *ev = NULL;
	struct pp_err err = { 0 };
	uint32_t pid, tid, cpu;
	uint64_t time;

	memcpy(raw, p, own_size ? PP_HEADER_SIZE : 6);
	r = pp_rec_at(raw, in->swap);
	if (r.size > n || r.size < PP_HEADER_SIZE || !judged(in->events, &r) || pp_check(&r, in->swap, &err) < 0) {
		free(raw);
		return;
	}
	if (r.type < PP_USER_TYPE_START && !(ev = pp_event_find(in->events, &r, &err)))
		MUST(err.what[0]);
	err.what[0] = 0;
	if (pp_walk(&r, ev, in->swap, see_value, &r, &err) < 0)
		MUST(err.what[0]);
	if (ev) {
		sum += (unsigned)(pp_pid_tid(ev, &r, in->swap, &pid, &tid) > 0 ? pid + tid : 0);
		sum += pp_cpu(ev, &r, in->swap, &cpu) > 0 ? cpu : 0;
		sum += pp_time(ev, &r, in->swap, &time) > 0 ? time : 0;
		if (r.type == PP_SAMPLE)
			sample(in, ev, &r);
	} else if (r.type >= PP_USER_TYPE_START && pp_events_learn(in->events, &r, &err) < 0)
		MUST(err.what[0]);
	free(raw);
}

static void
with_attrs(const uint8_t *p, size_t n)
{
	size_t attr[2] = { 8 * (size_t)p[1], 8 * (size_t)p[2] };
	struct pp_source in = { .swap = p[0] & OTHER };
	bool own_size = p[0] & OWN_SIZE;

	MUST(in.events = pp_events_new(in.swap));
	p += 3;
	n -= 3;
	for (int i = 0; i < 2; i++) {
		attr[i] = attr[i] < n ? attr[i] : n;
		if (attr[i])
			learn(in.events, p, attr[i]);
		p += attr[i];
		n -= attr[i];
	}
	if (n >= PP_HEADER_SIZE && n <= PP_RECORD_MAX)
		record(p, n, &in, own_size);
	pp_events_free(in.events);
}

/* ---- features ------------------------------------------------------------------------------------------ */

static int
see_feature(void *arg, const struct pp_feature_value *v)
{
	const struct pp_feature *f = arg;

	touch(v->name, strlen(v->name));
	if (v->len) {
		MUST(v->p >= f->p && v->p + v->len <= f->p + f->len);
		touch(v->p, v->len);
	}
	return 1;
}

struct text { char *p; size_t n; bool cut; };

static int
see_text(void *arg, const char *p, size_t n)
{
	struct text *t = arg;

	if (!p)
		p = "\n", n = 1;
	touch(p, n);
	if (n >= TEXT - t->n || memchr(p, 0, n))
		t->cut = true;
	else {
		memcpy(t->p + t->n, p, n);
		t->n += n;
	}
	t->p[t->n] = 0;
	return 1;
}

static void
feature(const struct pp_feature *f)
{
	static uint8_t flipped[2 * PP_RECORD_MAX], back[4 * PP_RECORD_MAX];
	static char shown[TEXT];
	struct pp_feature_about about = { .nr_cpus = f->nr_cpus };
	struct pp_err err = { 0 };
	struct pp_feature g = *f;
	size_t n, m;

	if (pp_feature_check(f, &about, &err) < 0)
		MUST(err.what[0]);
	err.what[0] = 0;
	if (pp_feature_walk(f, see_feature, (void *)(uintptr_t)f, &err) < 0)
		MUST(err.what[0]);
	err.what[0] = 0;
	pp_feature_text(f, see_text, &(struct text){ shown, 0, false }, &err);
	err.what[0] = 0;
	if (pp_feature_convert(f, !f->swap, flipped, sizeof flipped, &n, &err) < 0)
		return;
	touch(flipped, n);
	g.p = flipped;
	g.len = n;
	g.swap = !f->swap;
	MUST(pp_feature_convert(&g, f->swap, back, sizeof back, &m, &err) > 0 && m == n);
}

static void
text(const char *s, uint64_t number, bool swap)
{
	static uint8_t made[PP_RECORD_MAX], again[PP_RECORD_MAX];
	static char shown[TEXT];
	struct text t = { shown, 0, false };
	struct pp_err err = { 0 };
	struct pp_feature f = { .number = number, .p = made, .swap = swap };
	size_t n;

	if (pp_feature_parse(number, s, swap, made, sizeof made, &f.len, &err) < 0) {
		MUST(err.what[0]);
		return;
	}
	touch(made, f.len);
	feature(&f);
	shown[0] = 0;
	/* a CPU_TOPOLOGY ends with what is read by the number of CPUs */
	if (number == PP_FEAT_CPU_TOPOLOGY || pp_feature_text(&f, see_text, &t, &err) < 0 || t.cut)
		return;
	MUST(pp_feature_parse(number, shown, swap, again, sizeof again, &n, &err) > 0);
	MUST(n == f.len && !memcmp(made, again, n));
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	uint8_t *own;

	if (n < 3 || n > PP_RECORD_MAX)
		return 0;
	switch (p[0] >> 1 & 3) {
	case 2:
		MUST(own = malloc(n - 2));
		memcpy(own, p + 3, n - 3);
		feature(&(struct pp_feature){ .number = p[1], .p = own, .len = n - 3, .nr_cpus = p[2], .swap = p[0] & OTHER });
		break;
	case 3:
		MUST(own = malloc(n - 1));
		memcpy(own, p + 2, n - 2);
		own[n - 2] = 0;
		text((char *)own, p[1], p[0] & OTHER);
		break;
	default:
		with_attrs(p, n);
		own = NULL;
	}
	free(own);
	nobody_reads = sum;
	return 0;
}
