/* SPDX-License-Identifier: ISC */
/*
 * field.h - how --anon changes a field, by its role.
 *
 * A new role of record/role.def needs a HOW_ value here (otherwise this file does not compile); a new enum anon_how needs cases
 * in field.c.  BLANK fields become zeros, since their content is not known; columns.h removes them from samples.
 */
#ifndef PFILTER_ANON_FIELD_H
#define PFILTER_ANON_FIELD_H

#include "out.h"

enum anon_how {
	KEEP, TASK,
	BLANK, BLANK_BY_ADDR,		/* zeros; zeros with A_ADDR */
	ADDRESS, USER_ADDRESS, KERNEL_ADDRESS, MAP_ADDRESS,
	COMM_TEXT, PATH_TEXT, CGROUP_TEXT, SYMBOL_TEXT, EVENT_TEXT, UNIT_TEXT,
	FILE_ID, BUILD_ID, ID_SIZE, TAG, DEVICE, NAMESPACE, CGROUP_ID,
	CONFIG				/* in attrs: anon_attr() */
};
enum {
	HOW_PAD = BLANK, HOW_PLAIN = KEEP,
	HOW_PID = TASK, HOW_TID = TASK, HOW_PPID = TASK, HOW_PTID = TASK, HOW_OTHER_PID = TASK, HOW_OTHER_TID = TASK,
	HOW_GUEST_PID = TASK, HOW_CPU = KEEP, HOW_TIME = KEEP, HOW_CLOCK = KEEP,
	HOW_ID_OWN = KEEP, HOW_ID_REF = KEEP, HOW_STREAM_ID = KEEP, HOW_READ = KEEP,
	HOW_ADDR = ADDRESS, HOW_USER_ADDR = USER_ADDRESS, HOW_KERNEL_ADDR = KERNEL_ADDRESS,
	HOW_PHYS_ADDR = BLANK_BY_ADDR, HOW_POINTER = BLANK_BY_ADDR, HOW_CONFIG = CONFIG, HOW_REGS = BLANK_BY_ADDR,
	HOW_MAP_START = MAP_ADDRESS, HOW_MAP_LEN = MAP_ADDRESS, HOW_MAP_PGOFF = MAP_ADDRESS,
	HOW_COMM = COMM_TEXT, HOW_PATH = PATH_TEXT, HOW_SYMBOL = SYMBOL_TEXT, HOW_CGROUP_PATH = CGROUP_TEXT,
	HOW_EVENT = EVENT_TEXT, HOW_EVENT_BYTES = EVENT_TEXT, HOW_UNIT = UNIT_TEXT, HOW_TEXT = BLANK,
	HOW_BUILD_ID = BUILD_ID, HOW_BUILD_ID_SIZE = ID_SIZE, HOW_FILE_ID = FILE_ID, HOW_TAG = TAG,
	HOW_DEVICE = DEVICE, HOW_NAMESPACE = NAMESPACE, HOW_CGROUP_ID = CGROUP_ID,
	HOW_COOKIE = KEEP, HOW_CODE = BLANK, HOW_OPAQUE = BLANK, HOW_RESULT = BLANK
};

static inline enum anon_how
anon_how(enum pp_role role)
{
	static const uint8_t hows[PP_ROLES] = {
#define ROLE(name) [PP_ROLE_##name] = HOW_##name,
#include "record/role.def"
#undef ROLE
	};

	return (enum anon_how)hows[role];
}

struct anon_edit {		/* a record being anonymised in a->buf */
	struct anon_out	*a;
	const struct pp_rec *r;
	const struct pp_event *ev;	/* NULL: of perf's own records */
	size_t		 body;		/* offset of the trailer */
	size_t		 text_at;	/* offset of a text with a new length, the last field of the body; 0: none */
	size_t		 text_len;
	struct anon_map	 map;
	bool		 has_map;
	uint32_t	 pid;		/* process of the addresses in the record */
	const uint8_t	*raw;		/* payload of a tracepoint, raw_len bytes; NULL: none */
	size_t		 raw_len;
};

/* Anonymise a field of `len' bytes at p in a->buf, in place; its length does not change. */
void	anon_field(struct anon_edit *, enum pp_role, uint8_t *p, size_t len);
/*
 * Anonymise the payload of a tracepoint, the n bytes at `raw', which are in no order but that of the formats: write the new one to
 * `to', which has space for n and for `room' bytes, where room + 4 is a multiple of 8.  Returns its length: n, or at most `room'.
 */
size_t	anon_payload(struct anon_edit *, const struct pp_event *, const uint8_t *raw, size_t n, uint8_t *to, size_t room);
/* Write the new text for one of `n' bytes to a->text, and return its length.  ANON_UNCHANGED: the text stays. */
int64_t	anon_text(struct anon_out *, enum pp_role, const char *s, size_t n);

#endif
