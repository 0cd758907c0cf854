/* SPDX-License-Identifier: ISC */
/* record.c - records other than samples and header features: field by field, by what it means (role.def) */
#include <string.h>

#include "in.h"
#include "record/meaning.h"
#include "record/raw.h"

struct walk { struct privacy *p; const struct pp_rec *r; };

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

static void
bytes(struct privacy *p, const struct pp_rec *r, enum pp_role role, const uint8_t *b, size_t len)
{
	bool any = false;

	if (role == PP_ROLE_FILE_ID) {
		size_t size = r->misc & PP_MISC_MMAP_BUILD_ID ? b[0] : 0;

		b += 4;
		len = size <= 20 ? size : 20;
		role = PP_ROLE_BUILD_ID;
	}
	for (size_t i = 0; i < len; i++)
		any |= b[i];
	if (!any)
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
	case PP_ROLE_PID: case PP_ROLE_TID: case PP_ROLE_PPID: case PP_ROLE_PTID:
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

static int
visit(void *arg, const struct pp_value *v)
{
	struct walk *w = arg;

	if (v->kind == PP_K_STR || v->role == PP_ROLE_COMM || v->role == PP_ROLE_TEXT || v->role == PP_ROLE_EVENT_BYTES)
		privacy_text_of(w->p, w->r, v->role, (const char *)v->p, v->len);
	else if (v->kind == PP_K_UINT || v->kind == PP_K_SINT || v->kind == PP_K_HEX)
		privacy_number_of(w->p, w->r, v->role, pp_value_num(v, w->p->in->swap), v->len);
	else if (v->role == PP_ROLE_FILE_ID || v->role == PP_ROLE_BUILD_ID || v->role == PP_ROLE_TAG || v->role == PP_ROLE_CODE)
		bytes(w->p, w->r, v->role, v->p, v->len);
	return 1;
}

void
privacy_other(struct privacy *p, const struct pp_event *ev, const struct pp_rec *r)
{
	enum pp_class class = pp_type_class(r->type);
	struct pp_err err = { .what = "" };
	struct walk w = { p, r };

	if (class == PP_CLASS_UNKNOWN) {
		privacy_value(p, ROW_UNKNOWN, r, r->type, r->size);
		return;
	}
	if (pp_type_is(r->type, PP_CLASSES_TRACE))
		privacy_value(p, ROW_TRACE, r, p->record, r->size + r->payload);
	pp_walk(r, ev, p->in->swap, visit, &w, &err);
}
