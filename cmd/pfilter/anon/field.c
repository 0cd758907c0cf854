/* SPDX-License-Identifier: ISC */
/* field.c - changes fields in place, and makes new texts */
#include <string.h>

#include "event.h"
#include "field.h"
#include "record/meaning.h"
#include "record/raw.h"

enum { FILE_ID_SIZE = 24 };

/* ---- numbers ----------------------------------------------------------------------------------------- */

static void
put_number(const struct anon_edit *b, uint8_t *p, size_t len, uint64_t v)
{
	if (len == 8)
		pp_set_u64(p, v, b->a->swap);
	else
		pp_set_u32(p, (uint32_t)v, b->a->swap);
}

/* Replace a number by its pseudonym in that domain, shifted right by `shift'; 0 stays. */
static void
put_pseudonym(const struct anon_edit *b, enum anon_domain domain, uint8_t *p, size_t len, unsigned shift)
{
	uint64_t old = len == 8 ? pp_get_u64(p, b->a->swap) : pp_get_u32(p, b->a->swap);

	if (old)
		put_number(b, p, len, anon_number(b->a->key, domain, old) >> shift);
}

static void
put_task(const struct anon_edit *b, uint8_t *p, size_t len)
{
	uint64_t old = len == 8 ? pp_get_u64(p, b->a->swap) : pp_get_u32(p, b->a->swap);

	if (old && (len == 8 ? old != UINT64_MAX : old != UINT32_MAX))
		put_number(b, p, len, anon_pid(b->a->key, (uint32_t)old));
}

static void
put_hash(const struct anon_out *a, uint8_t *p, size_t len)
{
	uint8_t mac[ANON_MAC];

	anon_mac(a->key, ANON_D_TAG, p, len, mac);
	anon_made_bytes(a->key, ANON_D_TAG, mac, p, len);
	memcpy(p, mac, len);
}

/* ---- addresses --------------------------------------------------------------------------------------- */

static void
map_address(struct anon_edit *b, enum pp_role role, uint8_t *p)
{
	if (!b->has_map)
		anon_addr_map(b->a->addr, b->r, &b->map);
	b->has_map = true;
	pp_set_u64(p, role == PP_ROLE_MAP_START ? b->map.start : role == PP_ROLE_MAP_LEN ? b->map.len : b->map.pgoff, b->a->swap);
}

/* An array of addresses. */
static void
addresses(const struct anon_edit *b, enum anon_how how, uint8_t *p, size_t len)
{
	unsigned mode = how == KERNEL_ADDRESS ? PP_MISC_KERNEL : b->r->misc & PP_MISC_CPUMODE_MASK;
	uint32_t pid = how == KERNEL_ADDRESS ? UINT32_MAX : b->pid;

	if (how == USER_ADDRESS)
		anon_addr_chain(b->a->addr, pid, PP_MISC_USER, p, len / 8, b->a->swap);
	for (; how != USER_ADDRESS && len >= 8; p += 8, len -= 8)
		pp_set_u64(p, anon_addr(b->a->addr, pid, mode, pp_get_u64(p, b->a->swap)), b->a->swap);
}

/* ---- bytes ------------------------------------------------------------------------------------------- */

/* Replace a build-id of n bytes in a field of len; zeros mean there is none. */
static void
build_id(const struct anon_out *a, uint8_t *p, size_t len, size_t n)
{
	static const uint8_t none[ANON_MAC];
	uint8_t mac[ANON_MAC];

	n = n < len ? n : len;
	memset(p + n, 0, len - n);
	if (!(a->what & A_BUILD_ID) || !memcmp(p, none, n))
		return;
	anon_mac(a->key, ANON_D_BUILD_ID, p, n, mac);
	anon_made_bytes(a->key, ANON_D_BUILD_ID, mac, p, n);
	memcpy(p, mac, n);
}

/* The size of the build-id: in the byte after it if this bit is set, otherwise that of the field. */
static size_t
build_id_size(const struct pp_rec *r, size_t len)
{
	unsigned width, at = pp_role_place(r->type, PP_ROLE_BUILD_ID_SIZE, &width);

	return at && r->misc & PP_MISC_BUILD_ID_SIZE ? r->raw[at] : len;
}

/* MMAP2's union: size u8, 3 bytes, build id; or u32 maj, min, u64 ino, ino_generation. */
static void
file_id(const struct anon_edit *b, uint8_t *p)
{
	struct anon_out *a = b->a;
	uint64_t device = (uint64_t)PP_RAW_GET(p, inode, maj, a->swap) << 32 | PP_RAW_GET(p, inode, min, a->swap);
	uint64_t inode = PP_RAW_GET(p, inode, ino, a->swap), generation = PP_RAW_GET(p, inode, generation, a->swap);

	if (pp_file_has_id(b->r->misc, p)) {
		memset(p + offsetof(struct pp_raw_map_build_id, pad), 0, sizeof ((struct pp_raw_map_build_id *)0)->pad);
		build_id(a, p + offsetof(struct pp_raw_map_build_id, id), sizeof ((struct pp_raw_map_build_id *)0)->id, p[0]);
		return;
	}
	/* pseudonyms could look like a build-id with that flag */
	PP_RAW_SET(a->buf, header, misc, b->r->misc & (uint16_t)~PP_MISC_MMAP_BUILD_ID, a->swap);
	if (!(a->what & A_PATH))
		return;
	if (device) {
		uint64_t v = anon_number(a->key, ANON_D_DEVICE, device);

		PP_RAW_SET(p, inode, maj, (uint32_t)v & 0xff, a->swap);
		PP_RAW_SET(p, inode, min, (uint32_t)(v >> 8) & 0xfffff, a->swap);
	}
	if (inode)
		PP_RAW_SET(p, inode, ino, anon_number(a->key, ANON_D_INODE, inode ^ device << 20) >> 16, a->swap);
	if (generation)
		PP_RAW_SET(p, inode, generation, anon_number(a->key, ANON_D_INODE, ~generation) >> 32, a->swap);
}

/* Replace a comm in a field of fixed size. */
static void
comm_bytes(const struct anon_out *a, char *p, size_t len)
{
	char name[16] = "";

	anon_comm(a->key, p, strnlen(p, len), name);
	memset(p, 0, len);
	memcpy(p, name, len < sizeof name ? len : sizeof name);
}

/* ---- texts ------------------------------------------------------------------------------------------- */

int64_t
anon_event_text(struct anon_out *a, const char *s, size_t n)
{
	if (n >= ANON_NAME / 2 || !(a->what & (A_EVENT | A_PATH | A_ADDR)))
		return ANON_UNCHANGED;
	if (a->what & A_EVENT)
		return (int64_t)anon_event_name(a->key, s, n, a->text);
	return (int64_t)anon_event(a->key, a->what & A_PATH, a->what & A_ADDR, s, n, a->text);
}

int64_t
anon_text(struct anon_out *a, enum pp_role role, const char *s, size_t n)
{
	switch (anon_how(role)) {
	case COMM_TEXT:
		return a->what & A_COMM ? (int64_t)anon_comm(a->key, s, n, a->text) : ANON_UNCHANGED;
	case PATH_TEXT:
		if (a->what & A_PATH)
			return (int64_t)anon_path(a->key, s, n, a->text);
		return a->what & A_PID && n < ANON_NAME / 2 ? (int64_t)anon_pid_in_name(a->key, s, n, a->text) : ANON_UNCHANGED;
	case CGROUP_TEXT:
		return a->what & A_PATH ? (int64_t)anon_cgroup(a->key, s, n, a->text) : ANON_UNCHANGED;
	case SYMBOL_TEXT:
		return a->what & A_PATH ? (int64_t)anon_symbol(a->key, s, n, a->text) : ANON_UNCHANGED;
	case EVENT_TEXT:
		return anon_event_text(a, s, n);
	case UNIT_TEXT:
		return a->what & A_EVENT ? (int64_t)anon_event_unit(a->key, s, n, a->text) : ANON_UNCHANGED;
	default:
		return ANON_UNCHANGED;
	}
}

/* ---- all --------------------------------------------------------------------------------------------- */

/* The words of --anon that change a field; one whose size does not fit `how' they blank. */
static unsigned
words_of(enum anon_how how)
{
	switch (how) {
	case KEEP: case CONFIG:
		return 0;
	case TASK:
		return A_PID;
	case BLANK: case ID_SIZE:
		return A_ALL;
	case COMM_TEXT:
		return A_COMM;
	case BUILD_ID:
		return A_BUILD_ID;
	case TAG: case FILE_ID:
		return A_PATH | A_BUILD_ID;
	case DEVICE: case NAMESPACE:
		return A_HOST;
	case PATH_TEXT:
		return A_PATH | A_PID;
	case CGROUP_TEXT: case SYMBOL_TEXT: case CGROUP_ID:
		return A_PATH;
	case EVENT_TEXT: case UNIT_TEXT:
		return A_EVENT | A_PATH | A_ADDR;
	default:
		return A_ADDR;
	}
}

uint64_t
anon_roles(unsigned what)
{
	uint64_t roles = 0;

	for (unsigned i = 0; i < PP_ROLES; i++)
		if (i != PP_ROLE_PAD && what & words_of(anon_how((enum pp_role)i)))
			roles |= UINT64_C(1) << i;
	return roles;
}

/* Can the field be changed in place?  Not if a text changes its length, or the layout is not known. */
static bool
fits(const struct anon_edit *b, enum anon_how how, size_t len)
{
	switch (how) {
	case KEEP: case CONFIG: case ID_SIZE: case COMM_TEXT:
		return true;
	case ADDRESS: case USER_ADDRESS: case KERNEL_ADDRESS:
		return len % 8 == 0;
	case MAP_ADDRESS:
		return len == 8 && (b->r->type == PP_MMAP || b->r->type == PP_MMAP2);
	case FILE_ID:
		return len == FILE_ID_SIZE;
	case BUILD_ID: case TAG:
		return len <= ANON_MAC;
	case TASK: case DEVICE: case NAMESPACE: case CGROUP_ID:
		return len == 4 || len == 8;
	default:
		return false;
	}
}

void
anon_field(struct anon_edit *b, enum pp_role role, uint8_t *p, size_t len)
{
	const struct anon_out *a = b->a;
	enum anon_how how = anon_how(role);

	if (!fits(b, how, len)) {
		if (a->what & words_of(how))
			memset(p, 0, len);
		return;
	}
	switch (how) {
	case TASK:
		if (a->what & A_PID)
			put_task(b, p, len);
		return;
	case ADDRESS: case USER_ADDRESS: case KERNEL_ADDRESS:
		if (a->addr)
			addresses(b, how, p, len);
		return;
	case MAP_ADDRESS:
		if (a->addr)
			map_address(b, role, p);
		return;
	case FILE_ID:
		file_id(b, p);
		return;
	case BUILD_ID:
		build_id(a, p, len, build_id_size(b->r, len));
		return;
	case ID_SIZE:
		memset(p + 1, 0, len - 1);
		return;
	case TAG:
		if (a->what & (A_PATH | A_BUILD_ID))
			put_hash(a, p, len);
		return;
	case DEVICE: case NAMESPACE:
		if (a->what & A_HOST)
			put_pseudonym(b, how == DEVICE ? ANON_D_DEVICE : ANON_D_NAMESPACE, p, len, 32);
		return;
	case CGROUP_ID:
		if (a->what & A_PATH)
			put_pseudonym(b, ANON_D_CGROUP_ID, p, len, 0);
		return;
	case COMM_TEXT:
		if (a->what & A_COMM)
			comm_bytes(a, (char *)p, len);
		return;
	default:
		return;
	}
}

