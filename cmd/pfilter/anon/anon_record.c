/* SPDX-License-Identifier: ISC */
/*
 * anon_record.c - what becomes of each record and of each field in it.
 *
 * A record is built anew from what its row of record.def shows: bytes that no row knows (padding, what stands behind a
 * string, between body and trailer or behind a sample's last field) become zeros, since nobody can say what they hold.
 * So do fields without a line in `fields' below, and fields of a sample without one in `bits'.
 */
#include <string.h>

#include "record/event.h"
#include "anon_event.h"
#include "anon_out.h"
#include "record/attr.h"
#include "record/raw.h"
#include "record/rewrite.h"
#include "record/sample.h"

/*
 * Record types: which of the words make it go.  A type without a line is not known here; what may be in it neither.
 * Hardware trace is a record of all that ran, with addresses.
 */
static const struct type { bool known; uint8_t gone; } types[PP_TYPE_END] = {
	[PP_MMAP] = { true, 0 }, [PP_LOST] = { true, 0 }, [PP_COMM] = { true, 0 }, [PP_EXIT] = { true, 0 },
	[PP_THROTTLE] = { true, 0 }, [PP_UNTHROTTLE] = { true, 0 }, [PP_FORK] = { true, 0 }, [PP_READ] = { true, 0 },
	[PP_SAMPLE] = { true, 0 }, [PP_MMAP2] = { true, 0 }, [PP_LOST_SAMPLES] = { true, 0 }, [PP_SWITCH] = { true, 0 },
	[PP_SWITCH_CPU_WIDE] = { true, 0 }, [PP_NAMESPACES] = { true, 0 }, [PP_KSYMBOL] = { true, 0 },
	[PP_BPF_EVENT] = { true, 0 }, [PP_CGROUP] = { true, 0 }, [PP_CALLCHAIN_DEFERRED] = { true, 0 },
	[PP_HEADER_ATTR] = { true, 0 }, [PP_HEADER_BUILD_ID] = { true, 0 },
	[PP_FINISHED_ROUND] = { true, 0 }, [PP_ID_INDEX] = { true, 0 }, [PP_THREAD_MAP] = { true, 0 },
	[PP_CPU_MAP] = { true, 0 }, [PP_STAT_CONFIG] = { true, 0 }, [PP_STAT] = { true, 0 }, [PP_STAT_ROUND] = { true, 0 },
	[PP_EVENT_UPDATE] = { true, 0 }, [PP_TIME_CONV] = { true, 0 }, [PP_HEADER_FEATURE] = { true, 0 },
	[PP_FINISHED_INIT] = { true, 0 }, [PP_SCHEDSTAT_CPU] = { true, 0 }, [PP_SCHEDSTAT_DOMAIN] = { true, 0 },

	[PP_TEXT_POKE] = { true, A_ADDR },		/* code, with addresses in it */
	[PP_HEADER_EVENT_TYPE] = { true, A_PATH | A_ADDR | A_EVENT },	/* obsolete names of events */
	[PP_BPF_METADATA] = { true, A_NAMES },		/* free text */
	[PP_HEADER_TRACING_DATA] = { true, A_ALL },	/* explains RAW, which goes; holds comms and pids too */
	[PP_AUX] = { true, A_ALL }, [PP_ITRACE_START] = { true, A_ALL }, [PP_AUX_OUTPUT_HW_ID] = { true, A_ALL },
	[PP_AUXTRACE_INFO] = { true, A_ALL }, [PP_AUXTRACE] = { true, A_ALL }, [PP_AUXTRACE_ERROR] = { true, A_ALL },
	[PP_COMPRESSED] = { true, A_ALL }, [PP_COMPRESSED2] = { true, A_ALL },	/* as none expanded them */
};

/* What is done with a field; pids are left to rewrite.c, which knows where they are. */
enum how {
	KEEP, COMM_TEXT, PATH_TEXT, CGROUP_TEXT, SYMBOL_TEXT, EVENT_TEXT, UNIT_TEXT, COMM_BYTES,
	FILE_ID, BUILD_ID, ID_SIZE, TAG, DEVICE, NAMESPACE, CGROUP_ID, MAP_START, MAP_LEN, MAP_PGOFF, KERNEL_ADDRESS, CHAIN_ENTRY,
};
static const struct field {
	uint8_t		 type, how;
	const char	*names;		/* a blank between two */
} fields[] = {
	{ PP_MMAP, KEEP, "pid tid" }, { PP_MMAP, MAP_START, "start" }, { PP_MMAP, MAP_LEN, "len" }, { PP_MMAP, MAP_PGOFF, "pgoff" },
	{ PP_MMAP, PATH_TEXT, "filename" },
	{ PP_LOST, KEEP, "id lost" },
	{ PP_COMM, KEEP, "pid tid" }, { PP_COMM, COMM_TEXT, "comm" },
	{ PP_EXIT, KEEP, "pid ppid tid ptid time" },
	{ PP_THROTTLE, KEEP, "time id stream_id" },
	{ PP_UNTHROTTLE, KEEP, "time id stream_id" },
	{ PP_FORK, KEEP, "pid ppid tid ptid time" },
	{ PP_READ, KEEP, "pid tid nr value time_enabled time_running id lost values" },
	{ PP_MMAP2, KEEP, "pid tid prot flags" }, { PP_MMAP2, MAP_START, "start" }, { PP_MMAP2, MAP_LEN, "len" },
	{ PP_MMAP2, MAP_PGOFF, "pgoff" }, { PP_MMAP2, FILE_ID, "inode_or_build_id" }, { PP_MMAP2, PATH_TEXT, "filename" },
	{ PP_LOST_SAMPLES, KEEP, "lost" },
	{ PP_SWITCH_CPU_WIDE, KEEP, "next_prev_pid next_prev_tid" },
	{ PP_NAMESPACES, KEEP, "pid tid nr_namespaces" }, { PP_NAMESPACES, DEVICE, "dev" }, { PP_NAMESPACES, NAMESPACE, "ino" },
	{ PP_KSYMBOL, KEEP, "len ksym_type flags" }, { PP_KSYMBOL, KERNEL_ADDRESS, "addr" }, { PP_KSYMBOL, SYMBOL_TEXT, "name" },
	{ PP_BPF_EVENT, KEEP, "bpf_type flags id" }, { PP_BPF_EVENT, TAG, "tag" },
	{ PP_CGROUP, CGROUP_ID, "id" }, { PP_CGROUP, CGROUP_TEXT, "path" },
	{ PP_TEXT_POKE, KEEP, "addr old_len new_len" },
	{ PP_CALLCHAIN_DEFERRED, KEEP, "cookie nr" }, { PP_CALLCHAIN_DEFERRED, CHAIN_ENTRY, "ip" },
	{ PP_HEADER_ATTR, KEEP, "type size config sample_period sample_type read_format flags wakeup_events bp_type config1 config2 "
	    "branch_sample_type sample_regs_user sample_stack_user clockid sample_regs_intr aux_watermark sample_max_stack "
	    "aux_sample_size aux_action sig_data config3 config4 ids" },
	{ PP_HEADER_EVENT_TYPE, KEEP, "event_id name" },
	{ PP_HEADER_BUILD_ID, KEEP, "pid" }, { PP_HEADER_BUILD_ID, BUILD_ID, "build_id" }, { PP_HEADER_BUILD_ID, ID_SIZE, "id_size" },
	{ PP_HEADER_BUILD_ID, PATH_TEXT, "filename" },
	{ PP_ID_INDEX, KEEP, "nr id idx cpu tid machine_pid vcpu" },
	{ PP_THREAD_MAP, KEEP, "nr pid" }, { PP_THREAD_MAP, COMM_BYTES, "comm" },
	{ PP_CPU_MAP, KEEP, "map_type nr long_size any_cpu start_cpu end_cpu map cpu mask" },
	{ PP_STAT_CONFIG, KEEP, "nr tag val" },
	{ PP_STAT, KEEP, "id cpu thread val ena run" },
	{ PP_STAT_ROUND, KEEP, "round_type time" },
	{ PP_EVENT_UPDATE, KEEP, "update_type id scale map_type nr long_size any_cpu start_cpu end_cpu map cpu mask" },
	{ PP_EVENT_UPDATE, UNIT_TEXT, "unit" }, { PP_EVENT_UPDATE, EVENT_TEXT, "name" },
	{ PP_TIME_CONV, KEEP, "time_shift time_mult time_zero time_cycles time_mask cap_user_time" },
	{ PP_BPF_METADATA, KEEP, "nr_entries" },
	{ PP_SCHEDSTAT_CPU, KEEP, "timestamp cpu version counters" },
	{ PP_SCHEDSTAT_DOMAIN, KEEP, "timestamp cpu version domain counters" },
};
enum { FIELDS = sizeof fields / sizeof *fields };

bool
anon_removes(struct anon_out *a, const struct pp_rec *r)
{
	bool known = r->type < PP_TYPE_END && types[r->type].known;

	if (known ? !(types[r->type].gone & a->what) : !(a->what & A_UNKNOWN)) {
		a->unknown_kept += !known;
		return false;
	}
	a->types[r->type < GONE_TYPES ? r->type : GONE_TYPES - 1]++;
	return true;
}

/* ---- fields in place --------------------------------------------------------------------------------- */

struct build {			/* a record being built in a->buf */
	struct anon_out	*a;
	const struct pp_rec *r;
	const struct field *from, *to;	/* the lines of its type */
	size_t		 body;		/* where the trailer begins */
	size_t		 text_at;	/* a text of another length goes there, as the body's last field; 0: none */
	size_t		 text_len;
	struct anon_map	 map;
	bool		 has_map;
	uint32_t	 pid;		/* of a chain */
};

static void
put_number(const struct build *b, uint8_t *p, size_t len, uint64_t v)
{
	if (len == 8)
		pp_set_u64(p, v, b->a->swap);
	else
		pp_set_u32(p, (uint32_t)v, b->a->swap);
}

/* A build id of `n' bytes in a field of 20; zeros are none. */
static void
build_id(const struct anon_out *a, uint8_t *p, size_t n)
{
	static const uint8_t none[20];
	uint8_t mac[ANON_MAC];

	n = n < sizeof none ? n : sizeof none;
	memset(p + n, 0, sizeof none - n);
	if (!(a->what & A_BUILD_ID) || !memcmp(p, none, n))
		return;
	anon_mac(a->key, ANON_D_BUILD_ID, p, n, mac);
	anon_made_bytes(a->key, ANON_D_BUILD_ID, mac, p, n);
	memcpy(p, mac, n);
}

/* MMAP2's union: size u8, 3 bytes, build id; or u32 maj, min, u64 ino, ino_generation. */
static void
file_id(const struct build *b, uint8_t *p)
{
	struct anon_out *a = b->a;
	uint64_t device = (uint64_t)pp_get_u32(p, a->swap) << 32 | pp_get_u32(p + 4, a->swap);
	uint64_t inode = pp_get_u64(p + 8, a->swap), generation = pp_get_u64(p + 16, a->swap);

	if (b->r->misc & PP_MISC_MMAP_BUILD_ID) {
		memset(p + 1, 0, 3);
		build_id(a, p + 4, p[0]);
		return;
	}
	if (!(a->what & A_PATH))
		return;
	if (device) {
		uint64_t v = anon_number(a->key, ANON_D_DEVICE, device);

		pp_set_u32(p, (uint32_t)v & 0xff, a->swap);
		pp_set_u32(p + 4, (uint32_t)(v >> 8) & 0xfffff, a->swap);
	}
	if (inode)
		pp_set_u64(p + 8, anon_number(a->key, ANON_D_INODE, inode ^ device << 20) >> 16, a->swap);
	if (generation)
		pp_set_u64(p + 16, anon_number(a->key, ANON_D_INODE, ~generation) >> 32, a->swap);
}

static void
map_address(struct build *b, enum how how, uint8_t *p)
{
	if (!b->has_map)
		anon_addr_map(b->a->addr, b->r, &b->map);
	b->has_map = true;
	pp_set_u64(p, how == MAP_START ? b->map.start : how == MAP_LEN ? b->map.len : b->map.pgoff, b->a->swap);
}

/* An entry of a CALLCHAIN_DEFERRED, of the thread in its trailer. */
static void
chain_entry(struct build *b, uint8_t *p, unsigned index)
{
	const struct pp_event *ev = index ? NULL : pp_event_find(b->a->in->events, b->r, b->a->err);
	uint32_t tid;

	if (ev)
		pp_pid_tid(ev, b->r, b->a->swap, &b->pid, &tid);
	anon_addr_chain(b->a->addr, b->pid, PP_MISC_USER, p, 1, b->a->swap);
}

/* A comm in a field of fixed size. */
static void
comm_bytes(const struct anon_out *a, char *p, size_t len)
{
	char name[16] = "";

	anon_comm(a->key, p, strnlen(p, len), name);
	memset(p, 0, len);
	memcpy(p, name, len < sizeof name ? len : sizeof name);
}

/* A field of `len' bytes that keeps its length, at p. */
static void
in_place(struct build *b, enum how how, uint8_t *p, size_t len, unsigned index)
{
	struct anon_out *a = b->a;
	uint64_t old = len == 8 ? pp_get_u64(p, a->swap) : 0;

	switch (how) {
	case FILE_ID:
		file_id(b, p);
		return;
	case BUILD_ID:
		/* only with this bit its size is stated, in the byte behind it */
		build_id(a, p, b->r->misc & PP_MISC_BUILD_ID_SIZE ? b->r->raw[PP_RAW_AT(HEADER_BUILD_ID, id_size)] : 20);
		return;
	case ID_SIZE:
		memset(p + 1, 0, len - 1);
		return;
	case TAG:
		if (a->what & (A_PATH | A_BUILD_ID)) {
			uint8_t mac[ANON_MAC];

			anon_mac(a->key, ANON_D_TAG, p, len, mac);
			anon_made_bytes(a->key, ANON_D_TAG, mac, p, len);
			memcpy(p, mac, len);
		}
		return;
	case DEVICE:
	case NAMESPACE:
		if (a->what & A_HOST && old)
			put_number(b, p, len, anon_number(a->key, how == DEVICE ? ANON_D_DEVICE : ANON_D_NAMESPACE, old) >> 32);
		return;
	case CGROUP_ID:
		if (a->what & A_PATH && old)
			put_number(b, p, len, anon_number(a->key, ANON_D_CGROUP_ID, old));
		return;
	case MAP_START:
	case MAP_LEN:
	case MAP_PGOFF:
		if (a->addr)
			map_address(b, how, p);
		return;
	case KERNEL_ADDRESS:
		if (a->addr)
			put_number(b, p, len, anon_addr(a->addr, UINT32_MAX, PP_MISC_KERNEL, old));
		return;
	case CHAIN_ENTRY:
		if (a->addr)
			chain_entry(b, p, index);
		return;
	case COMM_BYTES:
		if (a->what & A_COMM)
			comm_bytes(a, (char *)p, len);
		return;
	default:
		return;
	}
}

/* ---- texts ------------------------------------------------------------------------------------------- */

int64_t
anon_event_text(struct anon_out *a, const char *s, size_t n)
{
	if (n >= ANON_NAME / 2 || !(a->what & (A_EVENT | A_PATH | A_ADDR)))
		return -1;
	if (a->what & A_EVENT)
		return (int64_t)anon_event_name(a->key, s, n, a->text);
	return (int64_t)anon_event(a->key, a->what & A_PATH, a->what & A_ADDR, s, n, a->text);
}

/* The new text for one of `n' bytes in a->text; its length.  -1: it stays. */
static int64_t
new_text(struct anon_out *a, enum how how, const char *s, size_t n)
{
	switch (how) {
	case COMM_TEXT:
		return a->what & A_COMM ? (int64_t)anon_comm(a->key, s, n, a->text) : -1;
	case PATH_TEXT:
		if (a->what & A_PATH)
			return (int64_t)anon_path(a->key, s, n, a->text);
		return a->what & A_PID && n < ANON_NAME / 2 ? (int64_t)anon_pid_in_name(a->key, s, n, a->text) : -1;
	case CGROUP_TEXT:
		return a->what & A_PATH ? (int64_t)anon_cgroup(a->key, s, n, a->text) : -1;
	case SYMBOL_TEXT:
		return a->what & A_PATH ? (int64_t)anon_symbol(a->key, s, n, a->text) : -1;
	case EVENT_TEXT:
		return anon_event_text(a, s, n);
	case UNIT_TEXT:
		return a->what & A_EVENT ? (int64_t)anon_event_unit(a->key, s, n, a->text) : -1;
	default:
		return -1;
	}
}

/* Put the text in, the body padded to 8 again, and the trailer behind it. */
static int
splice(struct build *b, struct pp_rec *r)
{
	struct anon_out *a = b->a;
	size_t tail = r->size - b->body, end = (b->text_at + b->text_len + 1 + 7) & ~(size_t)7;

	if (end + tail > PP_RECORD_MAX)
		return pp_fail(a->err, "its new name of %zu bytes has no room in a record", b->text_len);
	memmove(a->buf + end, a->buf + b->body, tail);
	memcpy(a->buf + b->text_at, a->text, b->text_len);
	memset(a->buf + b->text_at + b->text_len, 0, end - b->text_at - b->text_len);
	r->size = (uint16_t)(end + tail);
	PP_RAW_SET(a->buf, header, size, r->size, a->swap);
	return 1;
}

/* ---- records by their rows ----------------------------------------------------------------------------- */

static bool
names(const char *list, const char *name)
{
	for (size_t n; *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		if (!strncmp(list, name, n) && !name[n])
			return true;
	}
	return false;
}

static enum how
how_of(const struct build *b, const struct pp_value *v, bool *listed)
{
	for (const struct field *f = b->from; f < b->to; f++)
		if (names(f->names, v->name)) {
			*listed = true;
			return (enum how)f->how;
		}
	*listed = false;
	return KEEP;
}

static int
take(void *arg, const struct pp_value *v)
{
	struct build *b = arg;
	size_t at = (size_t)(v->p - b->r->raw);
	bool listed;
	enum how how = at < b->body ? how_of(b, v, &listed) : (listed = true, KEEP);
	int64_t n;

	if (!listed)
		return 1;
	memcpy(b->a->buf + at, v->p, v->len);
	if (v->kind != PP_K_STR)
		in_place(b, how, b->a->buf + at, v->len, v->index);
	else if ((n = new_text(b->a, how, (const char *)v->p, v->len)) >= 0) {
		b->text_at = at;
		b->text_len = (size_t)n;
	}
	return 1;
}

void
anon_attr(const struct anon_out *a, uint8_t *attr, size_t n)
{
	enum { TYPE_BREAKPOINT = 5, TYPE_DYNAMIC = 6, CONFIG1 = 56, CONFIG2 = 64, SIG_DATA = 120 };
	/* kprobe_func, uprobe_path: where perf record had them in its memory; kprobe_addr.  Settings are smaller. */
	const uint64_t pointer = UINT64_C(1) << 40;
	uint32_t type = n >= 4 ? pp_get_u32(attr, a->swap) : 0;

	if (!(a->what & A_ADDR))
		return;
	for (size_t at = CONFIG1; at <= CONFIG2 && at + 8 <= n; at += 8)
		if ((type == TYPE_BREAKPOINT && at == CONFIG1) ||
		    (type >= TYPE_DYNAMIC && pp_get_u64(attr + at, a->swap) >= pointer))
			memset(attr + at, 0, 8);
	if (n >= SIG_DATA + 8)
		memset(attr + SIG_DATA, 0, 8);
}

/*
 * What is done with the field of a sample by the number of its bit in sample_type; a bit without a line is refused.
 * LEFT_OUT: its content becomes zeros here, and columns.h takes the field out.  pids are left to rewrite.c.
 */
enum bit { REFUSED, AS_IT_IS, MOVED, CHAIN, BRANCHES, LEFT_OUT, LEFT_OUT_BY_ADDR, CGROUP_NUMBER };
static const uint8_t bits[PP_SAMPLE_BITS] = {
	[0] = MOVED,			/* IP */
	[1] = AS_IT_IS,			/* TID */
	[2] = AS_IT_IS,			/* TIME */
	[3] = MOVED,			/* ADDR */
	[4] = AS_IT_IS,			/* READ */
	[5] = CHAIN,			/* CALLCHAIN */
	[6] = AS_IT_IS,			/* ID */
	[7] = AS_IT_IS,			/* CPU */
	[8] = AS_IT_IS,			/* PERIOD */
	[9] = AS_IT_IS,			/* STREAM_ID */
	[10] = LEFT_OUT,		/* RAW */
	[11] = BRANCHES,		/* BRANCH_STACK */
	[12] = LEFT_OUT_BY_ADDR,	/* REGS_USER */
	[13] = LEFT_OUT,		/* STACK_USER */
	[14] = AS_IT_IS,		/* WEIGHT */
	[15] = AS_IT_IS,		/* DATA_SRC */
	[16] = AS_IT_IS,		/* IDENTIFIER */
	[17] = AS_IT_IS,		/* TRANSACTION */
	[18] = LEFT_OUT_BY_ADDR,	/* REGS_INTR */
	[19] = LEFT_OUT_BY_ADDR,	/* PHYS_ADDR */
	[20] = LEFT_OUT,		/* AUX */
	[21] = CGROUP_NUMBER,		/* CGROUP */
	[22] = AS_IT_IS,		/* DATA_PAGE_SIZE */
	[23] = AS_IT_IS,		/* CODE_PAGE_SIZE */
	[24] = AS_IT_IS,		/* WEIGHT_STRUCT */
};
/* The bits of read_format and branch_sample_type up to those of Linux 6.18: LOST, COUNTERS. */
enum { READ_FORMATS = (1 << 5) - 1, BRANCH_TYPES = (1 << 20) - 1 };

static uint64_t
listed_bits(void)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < PP_SAMPLE_BITS; i++)
		all |= (uint64_t)(bits[i] != REFUSED) << i;
	return all;
}

static int
attr(struct anon_out *a, struct pp_rec *r)
{
	uint32_t size = PP_ATTR_GET(r->raw + PP_HEADER_SIZE, size, a->swap);
	struct pp_attr known;

	anon_attr(a, a->buf + PP_HEADER_SIZE, size ? size : PP_ATTR_SIZE_VER0);
	pp_attr_get(&known, r->raw + PP_HEADER_SIZE, size ? size : PP_ATTR_SIZE_VER0, a->swap);
	if (known.sample_type & ~listed_bits())
		return pp_fail(a->err, "sample_type 0x%jx: what is unknown here cannot be made anonymous",
		    (uintmax_t)known.sample_type);
	/* Both say how long parts of a sample are: by an unknown bit a part may be taken for another one. */
	if (known.read_format & ~(uint64_t)READ_FORMATS || known.branch_sample_type & ~(uint64_t)BRANCH_TYPES)
		return pp_fail(a->err, "read_format 0x%jx, branch_sample_type 0x%jx: what is unknown here cannot be made anonymous",
		    (uintmax_t)known.read_format, (uintmax_t)known.branch_sample_type);
	return 1;
}

/* ---- samples ------------------------------------------------------------------------------------------- */

/* What has no pseudonym: nothing of it stays, until columns.h leaves it out. */
static void
blank(struct anon_out *a, const struct pp_rec *r, const struct pp_span *s, enum gone_field field)
{
	if (s->p && s->n) {
		memset(a->buf + (s->p - r->raw), 0, s->n);
		a->fields[field]++;
	}
}

static void
blank_bit(struct anon_out *a, const struct pp_rec *r, const struct pp_sample *s, unsigned bit)
{
	switch (1u << bit) {
	case PP_SAMPLE_RAW: blank(a, r, &s->raw, GONE_RAW); break;
	case PP_SAMPLE_STACK_USER: blank(a, r, &s->stack_user, GONE_USER_STACK); break;
	case PP_SAMPLE_AUX: blank(a, r, &s->aux, GONE_AUX); break;
	case PP_SAMPLE_REGS_USER: blank(a, r, &(struct pp_span){ s->regs_user.p, 8 * s->regs_user.n }, GONE_USER_REGS); break;
	case PP_SAMPLE_REGS_INTR: blank(a, r, &(struct pp_span){ s->regs_intr.p, 8 * s->regs_intr.n }, GONE_INTR_REGS); break;
	case PP_SAMPLE_PHYS_ADDR: blank(a, r, &s->at[bit], GONE_PHYS); break;
	}
}

static void
address(struct anon_out *a, const struct pp_rec *r, const struct pp_sample *s, const uint8_t *p)
{
	uint8_t *to = a->buf + (p - r->raw);

	pp_set_u64(to, anon_addr(a->addr, s->pid, r->misc & PP_MISC_CPUMODE_MASK, pp_get_u64(p, a->swap)), a->swap);
}

/* The field of that bit, which was copied. */
static void
sample_field(struct anon_out *a, const struct pp_rec *r, const struct pp_sample *s, unsigned bit)
{
	const uint8_t *p = s->at[bit].p;

	switch (bits[bit]) {
	case MOVED:
		if (a->addr)
			address(a, r, s, p);
		break;
	case CHAIN:
		if (a->addr && s->callchain.n)
			anon_addr_chain(a->addr, s->pid, r->misc & PP_MISC_CPUMODE_MASK, a->buf + (s->callchain.p - r->raw),
			    s->callchain.n, a->swap);
		break;
	case BRANCHES:
		for (uint64_t i = 0; a->addr && i < s->branches.n; i++) {
			address(a, r, s, s->branches.p + 24 * i);
			address(a, r, s, s->branches.p + 24 * i + 8);
		}
		break;
	case LEFT_OUT_BY_ADDR:
		if (a->addr)
			blank_bit(a, r, s, bit);
		break;
	case LEFT_OUT:
		blank_bit(a, r, s, bit);
		break;
	case CGROUP_NUMBER:
		if (a->what & A_PATH && s->cgroup)
			pp_set_u64(a->buf + (p - r->raw), anon_number(a->key, ANON_D_CGROUP_ID, s->cgroup), a->swap);
		break;
	}
}

static int
sample(struct anon_out *a, struct pp_rec *r)
{
	const struct pp_event *ev = pp_event_find(a->in->events, r, a->err);
	struct pp_sample s;

	if (!ev || pp_sample_get(&s, ev, r, a->swap, a->err) < 0)
		return -1;
	memcpy(a->buf, r->raw, PP_HEADER_SIZE);
	memset(a->buf + PP_HEADER_SIZE, 0, r->size - (size_t)PP_HEADER_SIZE);
	for (unsigned i = 0; i < PP_SAMPLE_BITS; i++) {
		if (bits[i] == REFUSED || !s.at[i].p)
			continue;
		memcpy(a->buf + (s.at[i].p - r->raw), s.at[i].p, s.at[i].n);
		sample_field(a, r, &s, i);
	}
	return 1;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

static uint32_t
other_pid(void *key, uint32_t pid)
{
	return anon_pid(key, pid);
}

static int
pids(struct anon_out *a, struct pp_rec *r)
{
	struct pp_rewrite rw = { .events = a->in->events, .swap = a->swap, .buf = a->buf, .err = a->err,
	    .pid_map = other_pid, .pid_arg = a->key };

	return pp_rewrite(&rw, r) < 0 ? -1 : 1;
}

static int
by_row(struct anon_out *a, struct pp_rec *r)
{
	struct build b = { .a = a, .r = r, .from = fields, .body = r->size };
	const struct pp_event *ev = NULL;

	if (r->type < PP_USER_TYPE_START) {
		if (!(ev = pp_event_find(a->in->events, r, a->err)))
			return -1;
		if (pp_has_trailer(ev, r))
			b.body -= ev->plan.trailer;
	}
	while (b.from < fields + FIELDS && b.from->type != r->type)
		b.from++;
	for (b.to = b.from; b.to < fields + FIELDS && b.to->type == r->type; )
		b.to++;
	memcpy(a->buf, r->raw, PP_HEADER_SIZE);
	memset(a->buf + PP_HEADER_SIZE, 0, r->size - (size_t)PP_HEADER_SIZE);
	if (pp_walk(r, ev, a->swap, take, &b, a->err) < 0)
		return -1;
	return b.text_at ? splice(&b, r) : 1;
}

int
anon_record(struct anon_out *a, struct pp_rec *r)
{
	struct pp_rec new = *r;
	int rc;

	if (r->type == PP_HEADER_FEATURE)
		return anon_feature(a, r);
	if (r->type >= PP_TYPE_END || !types[r->type].known)
		rc = (memcpy(a->buf, r->raw, r->size), 1);
	else
		rc = r->type == PP_SAMPLE ? sample(a, &new) : by_row(a, &new);
	if (rc > 0 && r->type == PP_HEADER_ATTR)
		rc = attr(a, &new);
	new.raw = a->buf;
	if (rc > 0 && a->what & A_PID && r->type != PP_HEADER_ATTR)
		rc = pids(a, &new);
	*r = new;
	return rc;
}
