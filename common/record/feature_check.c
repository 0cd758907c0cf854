/* SPDX-License-Identifier: ISC */
/*
 * feature_check.c - whether perf accepts a feature
 *
 * perf fails for the whole stream if it does not.  The row checks most: lengths, counts and strings lie within the payload.
 * The rest are perf's own rules (tools/perf/util/header.c).
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "feature.h"

enum { NRCPUS_MAX = 1 << 20, CPUS_MAX = INT16_MAX };	/* perf's limit; the limit of its CPU maps (the kernel has 8192) */

struct check {
	const struct pp_feature *f;
	struct pp_feature_about *about;
	struct pp_err	*err;
	uint64_t	 max_domains;
	size_t		 ids;			/* CPU_TOPOLOGY: where those of cores and sockets begin */
	uint64_t	 leader, end;		/* of the present group; behind the last member of the previous one */
};

#define FAIL(c, fmt, ...) pp_fail((c)->err, "HEADER_FEATURE: %s: " fmt, pp_feature_name((c)->f->number), __VA_ARGS__)

static bool
is(const struct pp_feature_value *v, const char *name)
{
	return !strcmp(v->name, name);
}

/* Check a list of CPUs, "0-3,8", as perf_cpu_map__new() parses it: a non-digit after a comma ends it. */
static bool
is_cpu_list(const char *p, const char *end)
{
	if (p < end && !isdigit((unsigned char)*p))
		return false;
	while (p < end && isdigit((unsigned char)*p)) {
		unsigned long n[2] = { 0, 0 };
		int k = 0;

		for (; p < end && *p != ',' && *p != '\n'; p++) {
			if (*p == '-' && !k)
				n[++k] = 0;
			else if (isdigit((unsigned char)*p) && n[k] <= CPUS_MAX)
				n[k] = 10 * n[k] + (unsigned long)(*p - '0');
			else
				return false;
		}
		if (n[0] > CPUS_MAX || (k && (n[1] > CPUS_MAX || n[1] < n[0] || !isdigit((unsigned char)p[-1]))))
			return false;
		p += p < end;
	}
	return true;
}

static int
check_topology(struct check *c, const struct pp_feature_value *v)
{
	if (v->kind == PP_F_REST && !c->f->nr_cpus)
		return FAIL(c, "%s", "NRCPUS is missing, which gives the number of CPUs");
	if (v->kind == PP_F_UINT && v->num > c->f->nr_cpus && c->f->nr_cpus)
		return FAIL(c, "%s is %" PRIu64 ", of %" PRIu32 " CPUs", v->name, v->num, c->f->nr_cpus);
	if (is(v, "core_id") && !v->index)
		c->ids = (size_t)(v->p - c->f->p);
	if (is(v, "socket_id") && !c->about->sockets_differ && (uint32_t)v->num != UINT32_MAX &&
	    (uint32_t)v->num > c->f->nr_cpus && !c->about->ids) {
		c->about->ids = c->ids;
		c->about->socket = (uint32_t)v->num;
	}
	return 1;
}

static int
check_domains(struct check *c, const struct pp_feature_value *v)
{
	uint64_t max = is(v, "cpu") ? c->f->nr_cpus : c->max_domains;

	if (!c->f->nr_cpus)
		return FAIL(c, "%s", "NRCPUS is missing, which gives the number of CPUs");
	if (is(v, "max_domains"))
		c->max_domains = v->num;
	else if (is(v, "cpu") || is(v, "domain") ? v->num >= max : is(v, "nr") && v->num > max)
		return FAIL(c, "%s is %" PRIu64 ", of %" PRIu64, v->name, v->num, max);
	return 1;
}

/* Check that groups do not overlap, and that all members are events of the stream. */
static int
check_group(struct check *c, const struct pp_feature_value *v)
{
	if (is(v, "leader"))
		c->leader = v->num;
	else if (is(v, "members")) {
		if (c->leader < c->end || !v->num || (c->about->nevents && c->leader + v->num > c->about->nevents))
			return FAIL(c, "events %" PRIu64 " to %" PRIu64 " are not a group of %u events", c->leader,
			    c->leader + v->num - 1, c->about->nevents);
		c->end = c->leader + v->num;
	}
	return 1;
}

static int
visit(void *arg, const struct pp_feature_value *v)
{
	struct check *c = arg;

	if (v->kind == PP_F_STR && pp_get_u32(v->p - 4, c->f->swap) == v->len)
		return FAIL(c, "%s has no NUL at its end", v->name);
	switch (c->f->number) {
	case PP_FEAT_NRCPUS:
		if (is(v, "available")) {
			if (v->num > NRCPUS_MAX)
				return FAIL(c, "%" PRIu64 " CPUs", v->num);
			c->end = v->num;
		} else if (is(v, "online") && v->num > c->end)
			return FAIL(c, "%" PRIu64 " CPUs are online, of %" PRIu64, v->num, c->end);
		return 1;
	case PP_FEAT_CPU_TOPOLOGY:
		return check_topology(c, v);
	case PP_FEAT_CPU_DOMAIN_INFO:
		return check_domains(c, v);
	case PP_FEAT_GROUP_DESC:
		return check_group(c, v);
	case PP_FEAT_NUMA_TOPOLOGY:
		return !is(v, "cpus") || is_cpu_list((const char *)v->p, (const char *)v->p + v->len) ? 1 :
		    FAIL(c, "%s", "cpus is not a list of CPUs");
	case PP_FEAT_EVENT_DESC:
		return !is(v, "attr_size") || v->num >= PP_ATTR_SIZE_VER0 ? 1 : FAIL(c, "attr_size is %" PRIu64, v->num);
	case PP_FEAT_MEM_TOPOLOGY:
	case PP_FEAT_CLOCK_DATA:
		return !is(v, "version") || v->num == 1 ? 1 : FAIL(c, "version is %" PRIu64 ", not 1", v->num);
	default:
		return 1;
	}
}

int
pp_feature_check(const struct pp_feature *f, struct pp_feature_about *about, struct pp_err *err)
{
	struct pp_feature view = *f;
	struct check c = { .f = &view, .about = about, .err = err };
	struct pp_feature_value v;
	struct pp_feature_io io;

	view.nr_cpus = about->nr_cpus;
	about->ids = 0;
	if (pp_feature_walk(&view, visit, &c, err) < 0)
		return -1;
	pp_feature_open(&io, &view, err);
	if (f->number == PP_FEAT_NRCPUS && pp_feature_next(&io, &v) > 0)
		about->nr_cpus = (uint32_t)v.num;
	/* On other machines the firmware numbers the sockets. */
	if (f->number == PP_FEAT_ARCH && pp_feature_next(&io, &v) > 0 && ((v.len >= 4 && !memcmp(v.p, "s390", 4)) ||
	    (v.len >= 7 && !memcmp(v.p, "aarch64", 7))))
		about->sockets_differ = true;
	return 1;
}
