/* SPDX-License-Identifier: ISC */
/* make.c - writes a record from a struct of values, with a function for each row of record.def */
#include "record/event.h"
#include "make.h"
#include "put.h"
#include "record/sample.h"

struct maker {			/* a record being written */
	struct put	 to;
	bool		 open;		/* it ends with a REST: it is not padded */
	uint16_t	 misc;
	struct pp_text	 tail, trailer;
	uint64_t	 last;		/* value of the last number */
};

static inline void
make_number(struct maker *m, uint64_t v, unsigned width)
{
	m->last = v;
	put_number(&m->to, v, width);
}

/* Write a text, and zeros up to `size' bytes. */
static inline void
make_text(struct maker *m, const struct pp_text *t, size_t size)
{
	put_bytes(&m->to, t->p, t->p ? t->n : 0, size);
}

static void
make_words(struct maker *m, const struct pp_words *w)
{
	for (size_t i = 0; i < w->n && !m->to.full; i++)
		make_number(m, w->p[i], 8);
}

static void
make_rest(struct maker *m, const struct pp_text *t)
{
	make_text(m, t, t->n);
	m->open = true;
}

#define MAKE_UINT(size, value)	make_number(m, (uint64_t)(value), size)
#define MAKE_SINT(size, value)	make_number(m, (uint64_t)(value), size)
#define MAKE_HEX(size, value)	make_number(m, (uint64_t)(value), size)
#define MAKE_STR(size, value)	make_text(m, &(value), (value).n + 1)
#define MAKE_BYTES(size, value)	make_text(m, &(value), size)
#define MAKE_WORDS(size, value)	make_words(m, &(value))
#define MAKE_REST(size, value)	make_rest(m, &(value))
#define FIELD(kind, size, name, role) MAKE_##kind(size, v->name);
#define LIST	} for (uint64_t n = m->last; n && !m->to.full; n--, v++) {
#define OPT
#define REC(number, name, class, perf, with_trailer, fields, payload, tail_fn)		\
	static void									\
	make_##name(struct maker *m, const void *values)				\
	{										\
		const struct pp_make_##name *v = values;				\
											\
		m->to.swap = v->swap, m->misc = v->misc, m->tail = v->tail, m->trailer = v->trailer;	\
		{ fields }								\
	}
#include "record/record.def"
#undef REC
#undef FIELD
#undef LIST
#undef OPT

static void (*const makers[PP_TYPE_END])(struct maker *, const void *) = {
#define REC(number, name, class, perf, with_trailer, fields, payload, tail_fn) [number] = make_##name,
#include "record/record.def"
#undef REC
};

int
pp_make(struct pp_rec *r, uint8_t *buf, size_t cap, uint32_t type, const void *values)
{
	struct maker m = { .to = put_into(buf, cap, false) };

	if (type >= PP_TYPE_END || !makers[type] || !put_step(&m.to, PP_HEADER_SIZE))
		return -1;
	makers[type](&m, values);
	make_text(&m, &m.tail, m.tail.n);
	if (!m.open)
		make_text(&m, &(struct pp_text){ .n = 0 }, -(size_t)(m.to.at - buf) & 7);
	make_text(&m, &m.trailer, m.trailer.n);
	if (m.to.full || (m.trailer.n && !pp_type_has_trailer(type)))
		return -1;
	pp_raw_head(buf, type, m.misc, (uint16_t)(m.to.at - buf), m.to.swap);
	*r = pp_rec_at(buf, m.to.swap);
	return 1;
}

struct pp_text
pp_trailer_put(uint8_t buf[static PP_TRAILER_MAX], const struct pp_event *ev, const struct pp_trailer *v, bool swap)
{
	const struct pp_plan *p = &ev->plan;
	uint8_t *end = buf + p->trailer;

	if (p->t_tid) {
		pp_set_u32(end - p->t_tid, v->pid, swap);
		pp_set_u32(end - p->t_tid + 4, v->tid, swap);
	}
	if (p->t_time)
		pp_set_u64(end - p->t_time, v->time, swap);
	if (p->t_id)
		pp_set_u64(end - p->t_id, v->id, swap);
	if (p->t_stream_id)
		pp_set_u64(end - p->t_stream_id, v->stream_id, swap);
	if (p->t_cpu) {
		pp_set_u32(end - p->t_cpu, v->cpu, swap);
		pp_set_u32(end - p->t_cpu + 4, 0, swap);
	}
	if (p->t_identifier)
		pp_set_u64(end - p->t_identifier, v->id, swap);
	return (struct pp_text){ buf, p->trailer };
}
