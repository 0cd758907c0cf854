/* SPDX-License-Identifier: ISC */
#include "attr.h"
#include "event.h"

const char *const pp_attr_flag_names[PP_ATTR_FLAGS + 1] = {
	"disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel", "exclude_hv", "exclude_idle",
	"mmap", "comm", "freq", "inherit_stat", "enable_on_exec", "task", "watermark", "precise_ip", "precise_ip:2",
	"mmap_data", "sample_id_all", "exclude_host", "exclude_guest", "exclude_callchain_kernel",
	"exclude_callchain_user", "mmap2", "comm_exec", "use_clockid", "context_switch", "write_backward",
	"namespaces", "ksymbol", "bpf_event", "aux_output", "cgroup", "text_poke", "build_id", "inherit_thread",
	"remove_on_exec", "sigtrap", "defer_callchain", "defer_output", NULL
};

size_t
pp_attr_bytes(const uint8_t *p, size_t len, bool swap)
{
	uint32_t size = pp_get_u32(p + offsetof(struct pp_attr_raw, size), swap);

	size = size ? size : PP_ATTR_SIZE_VER0;
	return size < len ? size : len;
}

/* A big-endian compiler allots bit fields from the other end of each byte: event.c says how. */
bool
pp_attr_flag(uint8_t *attr, unsigned n, bool on, bool swap)
{
	bool big = swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint8_t *p = attr + offsetof(struct pp_attr_raw, flags) + n / 8, bit = (uint8_t)(1 << (big ? 7 - n % 8 : n % 8));
	bool was = *p & bit;

	*p = on ? *p | bit : *p & (uint8_t)~bit;
	return was;
}

void
pp_attr_set(uint8_t *attr, size_t size, size_t at, size_t width, uint64_t value, bool swap)
{
	if (at + width > size)
		return;
	if (width == 8)
		pp_set_u64(attr + at, value, swap);
	else if (width == 4)
		pp_set_u32(attr + at, (uint32_t)value, swap);
	else
		pp_set_u16(attr + at, (uint16_t)value, swap);
}
