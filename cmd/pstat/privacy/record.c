/* SPDX-License-Identifier: ISC */
/* record.c - samples and all other records but header features: field by field, by what it means (role.def) */
#include <string.h>

#include "in.h"
#include "record/chain.h"
#include "record/meaning.h"
#include "record/raw.h"
#include "record/sample.h"
#include "record/shape.h"

struct walk {
	struct privacy	*p;
	const struct pp_rec *r;
	const struct pp_event *ev;
	bool		 branches;	/* an address of a branch was counted */
	const uint8_t	*last_branch;	/* the last such address */
};

static void
path(struct privacy *p, const struct pp_rec *r, const char *s, size_t len)
{
	const char *user;
	size_t n;

	if (!len || privacy_path_hidden(s, len))
		return;
	privacy_text(p, ROW_PATHS, r, s, len);
	if ((n = privacy_user(s, len, &user)))
		privacy_text(p, ROW_USERS, r, user, n);
}

static void
cgroup(struct privacy *p, const struct pp_rec *r, const char *s, size_t len)
{
	const char *id;
	size_t n;

	if (!len || privacy_path_hidden(s, len))
		return;
	privacy_text(p, ROW_CGROUPS, r, s, len);
	if ((n = privacy_container(s, len, &id)))
		privacy_text(p, ROW_CONTAINERS, r, id, n);
}

void
privacy_text_of(struct privacy *p, const struct pp_rec *r, enum pp_role role, const char *s, size_t len)
{
	len = strnlen(s, len);		/* fields of a fixed size are padded */
	switch (role) {
	case PP_ROLE_COMM:
		if (len && !privacy_is_word(s, len, "comm-"))
			privacy_text(p, ROW_COMMS, r, s, len);
		break;
	case PP_ROLE_PATH:
		path(p, r, s, len);
		break;
	case PP_ROLE_CGROUP_PATH:
		cgroup(p, r, s, len);
		break;
	case PP_ROLE_SYMBOL:
		if (!privacy_symbol_hidden(s, len))
			privacy_text(p, ROW_SYMBOLS, r, s, len);
		break;
	case PP_ROLE_EVENT:
	case PP_ROLE_EVENT_BYTES:
		privacy_event_name(p, r, s, len);
		break;
	case PP_ROLE_TEXT:
		if (len)
			privacy_text(p, ROW_TEXTS, r, s, len);
		break;
	default:
		break;
	}
}

static bool
any_byte(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return true;
	return false;
}

static void
bytes(struct privacy *p, const struct pp_rec *r, enum pp_role role, const uint8_t *b, size_t len)
{
	if (role == PP_ROLE_FILE_ID) {
		size_t size = pp_file_has_id(r->misc, b) ? b[0] : 0;

		b += 4;
		len = size <= 20 ? size : 20;
		role = PP_ROLE_BUILD_ID;
	}
	if (!any_byte(b, len))
		return;
	if (role == PP_ROLE_CODE)
		privacy_value(p, ROW_CODE, r, p->record, len);
	else if (role == PP_ROLE_BUILD_ID || role == PP_ROLE_TAG)
		privacy_value(p, ROW_BUILD_IDS, r, pp_get_u64(b, false), len);
}

void
privacy_number_of(struct privacy *p, const struct pp_rec *r, enum pp_role role, uint64_t n, size_t width)
{
	bool kernel = (r->misc & PP_MISC_CPUMODE_MASK) == PP_MISC_KERNEL;

	switch (role) {
	case PP_ROLE_PID: case PP_ROLE_TID: case PP_ROLE_PPID: case PP_ROLE_PTID:	/* PP_ROLES_TASK */
	case PP_ROLE_OTHER_PID: case PP_ROLE_OTHER_TID: case PP_ROLE_GUEST_PID:
		privacy_value(p, ROW_PIDS, r, (uint32_t)n, width);
		break;
	case PP_ROLE_ADDR: case PP_ROLE_MAP_START:
		privacy_addr(p, r, kernel, n, width);
		break;
	case PP_ROLE_USER_ADDR:
		privacy_addr(p, r, false, n, width);
		break;
	case PP_ROLE_KERNEL_ADDR:
		privacy_addr(p, r, true, n, width);
		break;
	case PP_ROLE_PHYS_ADDR:
		if (n)
			privacy_value(p, ROW_PHYSICAL, r, n >> 12, width);
		break;
	case PP_ROLE_NAMESPACE:
		if (n)
			privacy_value(p, ROW_NAMESPACES, r, n, width);
		break;
	default:
		break;
	}
}

/* ---- samples ------------------------------------------------------------------------------------- */

static void
chain(struct privacy *p, const struct pp_rec *r, const uint8_t *at, size_t len)
{
	enum row row = (r->misc & PP_MISC_CPUMODE_MASK) == PP_MISC_KERNEL ? ROW_KERNEL_ADDR : ROW_USER_ADDR;
	bool cookie = false, swap = p->in->swap;
	uint64_t again = 0;		/* addresses behind the last marker whose pages were just counted, as most were */

	for (const uint8_t *end = at + len; at < end; at += 8) {
		uint64_t ip = pp_get_u64(at, swap);

		if (cookie && !pp_is_context(ip))
			continue;
		if (privacy_addr_seen(p, row, ip)) {
			again++;
		} else if (!pp_is_context(ip)) {
			privacy_addr(p, r, row == ROW_KERNEL_ADDR, ip, 8);
		} else {
			unsigned mode = pp_context_mode(ip);

			privacy_addr_again(p, row, again, 8);
			again = 0;
			row = mode == PP_MISC_USER || mode == PP_MISC_GUEST_USER ? ROW_USER_ADDR : ROW_KERNEL_ADDR;
			cookie = ip == PP_CONTEXT(USER_DEFERRED);
		}
	}
	privacy_addr_again(p, row, again, 8);
}

/* An address of a branch; at the last one all of them are counted. */
static void
branch(struct walk *w, const struct pp_value *v)
{
	uint64_t type = w->ev->attr.branch_sample_type;

	w->branches |= privacy_addr(w->p, w->r, false, pp_get_u64(v->p, w->p->in->swap), 8);
	if (w->branches && v->index == v->entries - 1 && v->p == w->last_branch + 8)
		privacy_value(w->p, ROW_BRANCHES, w->r, w->p->record, (type & PP_BRANCH_HW_INDEX ? 8 : 0) +
		    v->entries * (type & PP_BRANCH_COUNTERS ? UINT64_C(32) : 24));
	w->last_branch = v->p;
}

/* What is not one number. */
static void
sample_part(struct walk *w, const struct pp_value *v)
{
	switch (v->field) {
	case PP_SAMPLE_STACK_USER:
		if (any_byte(v->p, v->len))
			privacy_value(w->p, ROW_STACKS, w->r, w->p->record, v->len);
		break;
	case PP_SAMPLE_REGS_USER:
	case PP_SAMPLE_REGS_INTR:
		if (any_byte(v->p, v->len))
			privacy_value(w->p, ROW_REGISTERS, w->r, w->p->record, v->len);
		break;
	case PP_SAMPLE_RAW:
		privacy_payload(w->p, w->ev, w->r, v->p, v->len);
		break;
	case PP_SAMPLE_AUX:
		privacy_value(w->p, ROW_TRACE, w->r, w->p->record, v->len);
		break;
	}
}

/* ---- all ----------------------------------------------------------------------------------------- */

static int
visit(void *arg, const struct pp_value *v)
{
	struct walk *w = arg;

	if (v->field == PP_SAMPLE_BRANCH_STACK)
		branch(w, v);
	else if (v->field == PP_SAMPLE_ADDR)
		privacy_addr(w->p, w->r, false, pp_value_num(v, w->p->in->swap), v->len);
	else if (v->kind == PP_K_UINT || v->kind == PP_K_SINT || v->kind == PP_K_HEX)
		privacy_number_of(w->p, w->r, v->role, pp_value_num(v, w->p->in->swap), v->len);
	else if (v->field)
		sample_part(w, v);
	else if (v->kind == PP_K_STR || v->role == PP_ROLE_COMM || v->role == PP_ROLE_TEXT || v->role == PP_ROLE_EVENT_BYTES)
		privacy_text_of(w->p, w->r, v->role, (const char *)v->p, v->len);
	else
		bytes(w->p, w->r, v->role, v->p, v->len);
	return 1;
}

enum {				/* fields that most samples have, by number of their rows and by bit: no visitor for these */
	QUICK = 1 << PP_ROW_IP | 1 << PP_ROW_TID | 1 << PP_ROW_CALLCHAIN,
	QUICK_FIELDS = PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_CALLCHAIN,
};

static void
sample(struct walk *w)
{
	struct privacy *p = w->p;
	const struct pp_rec *r = w->r;
	const struct pp_plan *plan = &w->ev->plan;
	struct pp_choice others = { p->choice.roles, p->choice.fields & ~QUICK_FIELDS, p->choice.rows & ~QUICK };
	struct pp_part part;
	int n = pp_sample_part(&part, PP_SAMPLE_CALLCHAIN, w->ev, r, p->in->swap, &p->err);

	if (n < 0)
		return;
	if (plan->ip)
		privacy_number_of(p, r, PP_ROLE_ADDR, pp_get_u64(r->raw + plan->ip, p->in->swap), 8);
	for (unsigned i = 0; plan->tid && i < 2; i++)
		privacy_number_of(p, r, PP_ROLE_TID, pp_get_u32(r->raw + plan->tid + 4 * i, p->in->swap), 4);
	if (n)
		chain(p, r, part.p + 8, part.n - 8);
	if (w->ev->shape.rows & others.rows)
		pp_walk_chosen(r, w->ev, p->in->swap, &others, visit, w, &p->err);
}

/* The roles of which something is counted here. */
struct pp_choice
privacy_choice(void)
{
	return pp_choose(PP_ROLES_TASK | PP_ROLES_ADDRESS | PP_ROLE_BIT(MAP_START) | PP_ROLE_BIT(NAMESPACE) | PP_ROLE_BIT(REGS) |
	    PP_ROLE_BIT(OPAQUE) | PP_ROLE_BIT(COMM) | PP_ROLE_BIT(PATH) | PP_ROLE_BIT(CGROUP_PATH) | PP_ROLE_BIT(SYMBOL) |
	    PP_ROLE_BIT(EVENT) | PP_ROLE_BIT(EVENT_BYTES) | PP_ROLE_BIT(TEXT) | PP_ROLE_BIT(FILE_ID) | PP_ROLE_BIT(BUILD_ID) |
	    PP_ROLE_BIT(TAG) | PP_ROLE_BIT(CODE), UINT32_MAX);
}

void
privacy_fields(struct privacy *p, const struct pp_event *ev, const struct pp_rec *r)
{
	enum pp_class class = pp_type_class(r->type);
	struct walk w = { .p = p, .r = r, .ev = ev };

	if (class == PP_CLASS_UNKNOWN) {
		privacy_value(p, ROW_UNKNOWN, r, r->type, r->size);
		return;
	}
	if (pp_type_is(r->type, PP_CLASSES_TRACE))
		privacy_value(p, ROW_TRACE, r, p->record, r->size + r->payload);
	if (r->type == PP_SAMPLE && ev)
		sample(&w);
	else
		pp_walk_chosen(r, ev, p->in->swap, &p->choice, visit, &w, &p->err);
}
