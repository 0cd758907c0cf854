/* SPDX-License-Identifier: ISC */
/* fetch.c - values of fields at no fixed offset: parts of variable size, state, number and offset, clock */
#include <stdio.h>
#include <string.h>

#include "record/event.h"
#include "record/sample.h"
#include "chain.h"
#include "record/raw.h"
#include "tool/tool.h"

const struct pp_part *
field_part(struct field_fetch *f, uint32_t bits)
{
	if (!f->taken && !f->bad) {
		f->nparts = pp_sample_parts(f->part, UINT64_MAX, f->s->ev, f->s->r, f->swap, f->err);
		f->bad = f->nparts < 0;
		f->taken = !f->bad;
	}
	for (int i = 0; f->taken && i < f->nparts; i++)
		if (f->part[i].bit & bits)
			return &f->part[i];
	return NULL;
}

/* READ values of a sample, or of a READ record without its trailer. */
static bool
read_of(struct field_fetch *f, struct pp_read *rd)
{
	const struct pp_rec *r = f->s->r;
	enum { HEAD = sizeof(struct pp_raw_READ) };
	const struct pp_part *x;
	size_t tail;
	struct pp_cur c;

	if (r->type == PP_SAMPLE) {
		if ((x = field_part(f, PP_SAMPLE_READ))) {
			c = pp_cur(x->p, x->n, f->swap);
			pp_read_get(rd, &c, f->s->ev->attr.read_format);
		}
		return x;
	}
	if (r->size < HEAD) {
		f->bad = true;
		pp_fail(f->err, "record of %u bytes is too short for its task", r->size);
		return false;
	}
	tail = pp_has_trailer(f->s->ev, r) ? f->s->ev->plan.trailer : 0;
	c = pp_cur(r->raw + HEAD, r->size - HEAD - (r->size >= HEAD + tail ? tail : 0), f->swap);
	pp_read_get(rd, &c, f->s->ev->attr.read_format);
	if (c.bad) {
		f->bad = true;
		pp_fail(f->err, "values lie past the end of %u bytes", r->size);
	}
	return !c.bad;
}

static void
get_read(struct field_fetch *f, enum field_part part, struct field_value *v)
{
	struct pp_read rd;

	if (!read_of(f, &rd))
		return;
	v->known = part != PART_VALUE || (rd.nr && rd.values);
	if (v->known)
		v->num = big_plain(part == PART_ENABLED ? rd.time_enabled : part == PART_RUNNING ? rd.time_running :
		    pp_get_u64(rd.values, f->swap));
}

static void
get_part(struct field_fetch *f, enum field_part part, const struct field *field, struct field_value *v)
{
	const struct pp_part *x = field_part(f, field->need);
	uint64_t n;

	if (!x) {
		v->known = !f->bad;
		return;
	}
	n = part == PART_RAW ? pp_get_u32(x->p, f->swap) : pp_get_u64(x->p, f->swap);
	switch (part) {
	case PART_TAIL:
		n >>= field->shift;
		if (field->bits)
			n &= (UINT64_C(1) << field->bits) - 1;
		break;
	case PART_SNOOP:
		n = (n >> 19 & 31) | (n >> 38 & 3) << 5;
		break;
	case PART_WEIGHT:		/* as in perf: the first of the three */
		n &= x->bit == PP_SAMPLE_WEIGHT ? UINT64_MAX : UINT32_MAX;
		break;
	case PART_STACK:		/* its dynamic size */
		n = n ? pp_get_u64(x->p + 8 + n, f->swap) : 0;
		break;
	default:			/* it begins with a count or an abi */
		break;
	}
	v->num = big_plain(n);
	v->known = true;
}

/* ---- values that are not in the record --------------------------------------------------------------- */

/* The id of a sample. */
static uint64_t
id_of(const struct field_fetch *f)
{
	const struct pp_plan *p = &f->s->ev->plan;
	uint16_t at = p->identifier ? p->identifier : p->id;

	if (at && f->s->r->size >= at + 8)
		return pp_get_u64(f->s->r->raw + at, f->swap);
	return f->s->ev->nids ? f->s->ev->ids[0] : 0;
}

static void
get_time(const struct field_fetch *f, enum field_part part, struct field_value *v)
{
	uint64_t time;

	if (!pp_time(f->s->ev, f->s->r, f->swap, &time) || (part == PART_RELTIME && !f->s->start))
		return;
	v->known = true;
	big_sub(big_plain(time), big_plain(part == PART_RELTIME ? f->s->start : f->stream->clock), &v->num);
	if (part != PART_RELTIME)
		big_add(v->num, big_plain(f->stream->wall), &v->num);
}

static void
get_by_id(const struct field_fetch *f, enum field_part part, struct field_value *v)
{
	uint64_t id = id_of(f);
	const struct field_guest *g;
	int64_t cpu;

	if (part == PART_CPU) {
		cpu = pp_cpu_of_id(f->stream->events, id);
		v->num = big_signed(cpu);
		v->known = cpu >= 0;
	} else if ((g = field_stream_guest(f->stream, id))) {
		v->num = big_plain(part == PART_VCPU ? g->vcpu : g->machine);
		v->known = true;
	}
}

static void
give_text(struct field_value *v, const char *s)
{
	v->str = s;
	v->known = s != NULL;
}

const char *
field_nameless(uint32_t tid, char *number)
{
	snprintf(number, FIELD_NAMELESS, ":%d", (int)tid);
	return tid ? number : "swapper";
}

/* The name of a thread; if that is unknown, what field_nameless() makes of its number. */
static const char *
field_comm(const struct pp_state *s, uint32_t tid, char *number)
{
	const char *comm = pp_state_comm(s, tid);

	return comm ? comm : field_nameless(tid, number);
}

const char *
field_dso_name(const struct pp_dso *dso)
{
	static const char *const kernels[] = { "[kernel.kallsyms]", "[guest.kernel.kallsyms]" };

	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (!strncmp(dso->name, kernels[i], strlen(kernels[i])))
			return kernels[i];
	return dso->name;
}

const char field_dso_unknown[] = "[unknown]";

const char *
field_dso_mapless(const struct pp_state *s, unsigned mode, uint64_t ip)
{
	const char *program = mode == PP_MISC_KERNEL ? pp_state_ksymbol(s, ip) : NULL;

	return program ? program : field_dso_unknown;
}

const char *
field_dso_at(const struct pp_state *s, uint32_t pid, unsigned mode, uint64_t ip, const struct pp_map **map, uint32_t *index)
{
	const struct pp_dso *dso;

	*index = UINT32_MAX;
	if (!(*map = pp_state_map(s, pid, mode, ip)))
		return field_dso_mapless(s, mode, ip);
	dso = pp_state_dso(s, *map);
	*index = dso->index;
	return field_dso_name(dso);
}

static void
get_map(struct field_fetch *f, enum field_part part, struct field_value *v)
{
	const struct pp_rec *r = f->s->r;
	const struct pp_map *map;
	const struct pp_dso *dso;
	uint64_t ip = pp_get_u64(r->raw + f->s->ev->plan.ip, f->swap);
	unsigned mode = r->misc & PP_MISC_CPUMODE_MASK;
	uint32_t pid = UINT32_MAX, tid;

	pp_pid_tid(f->s->ev, r, f->swap, &pid, &tid);
	if (!(map = pp_state_map(f->s->state, pid, mode, ip))) {	/* as field_dso_at(), which is slower for one address */
		if (part == PART_DSO)
			give_text(v, field_dso_mapless(f->s->state, mode, ip));
		return;
	}
	if (part == PART_MAP) {
		v->num = big_plain(map->start);
		v->known = true;
		return;
	}
	dso = pp_state_dso(f->s->state, map);
	if (part == PART_DSO)
		give_text(v, field_dso_name(dso));
	else if (dso->id_len) {
		tool_hex(f->hex, dso->id, dso->id_len);
		give_text(v, f->hex);
	}
}

static void
get_state(struct field_fetch *f, enum field_part part, const struct field *field, struct field_value *v)
{
	const struct pp_part *x;
	uint32_t pid, tid;
	int64_t ppid;
	uint64_t ino;

	if (!f->s->state)
		return;
	if (part == PART_CGROUP) {
		if ((x = field_part(f, PP_SAMPLE_CGROUP)))
			give_text(v, pp_state_cgroup(f->s->state, pp_get_u64(x->p, f->swap)));
		return;
	}
	if (part != PART_COMM && part != PART_PPID && part != PART_NAMESPACE) {
		get_map(f, part, v);
		return;
	}
	if (!pp_pid_tid(f->s->ev, f->s->r, f->swap, &pid, &tid))
		return;
	if (part == PART_COMM)
		give_text(v, field_comm(f->s->state, tid, f->number));
	else if (part == PART_NAMESPACE) {
		if ((ino = pp_state_namespace(f->s->state, tid, (enum pp_namespace)field->add))) {
			v->num = big_plain(ino);
			v->known = true;
		}
	} else if ((ppid = pp_state_ppid(f->s->state, pid)) >= 0) {
		v->num = big_signed(ppid);
		v->known = true;
	}
}

void
field_fetch(struct field_fetch *f, enum field_part part, const struct field *field, struct field_value *v)
{
	*v = (struct field_value){ 0 };
	switch (part) {
	case PART_NR:
		v->num = big_plain(f->s->nr);
		v->known = true;
		break;
	case PART_OFFSET:
		v->num = big_plain(f->s->offset);
		v->known = true;
		break;
	case PART_RELTIME:
	case PART_WALLTIME:	get_time(f, part, v); break;
	case PART_CPU:
	case PART_MACHINE:
	case PART_VCPU:		get_by_id(f, part, v); break;
	case PART_VALUE:
	case PART_ENABLED:
	case PART_RUNNING:	get_read(f, part, v); break;
	case PART_COMM:
	case PART_PPID:
	case PART_DSO:
	case PART_BUILD_ID:
	case PART_MAP:
	case PART_CGROUP:
	case PART_NAMESPACE:	get_state(f, part, field, v); break;
	case PART_CHAIN_DSO:
	case PART_CHAIN_USER:
	case PART_CHAIN_KERNEL:	field_chain_fetch(f, part, v); break;
	case PART_PAYLOAD:	field_payload_fetch(f, field, v); break;
	default:		get_part(f, part, field, v);
	}
}
