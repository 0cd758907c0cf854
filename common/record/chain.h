/* SPDX-License-Identifier: ISC */
/*
 * chain.h - what an entry of a call chain is: in a sample (PERF_SAMPLE_CALLCHAIN) and in CALLCHAIN_DEFERRED
 *
 * Both have a u64 n and n entries of u64, the innermost frame first.  An entry is an address or a context marker (enum
 * perf_callchain_context of include/uapi/linux/perf_event.h), which gives the mode of the addresses behind it.  Those before the
 * first marker are of user space, as in perf.  Behind PP_CONTEXT_USER_DEFERRED is a cookie, which is no address: the frames of
 * user space follow in the CALLCHAIN_DEFERRED with the same cookie.  A chain with another marker is no chain for perf, which takes it
 * as damaged (add_callchain_ip() of its machine.c); those of guests are among these, as the kernel writes none.
 */
#ifndef PP_CHAIN_H
#define PP_CHAIN_H

#include "perfpipe_inline.h"

enum pp_context {
	PP_CONTEXT_HV = -32, PP_CONTEXT_KERNEL = -128, PP_CONTEXT_USER = -512, PP_CONTEXT_USER_DEFERRED = -640,
	PP_CONTEXT_GUEST_KERNEL = -2176, PP_CONTEXT_GUEST_USER = -2560,
	PP_CONTEXT_LAST = -4095		/* entries from here on are markers, known or not */
};
#define PP_CONTEXT(name)	((uint64_t)PP_CONTEXT_##name)

static inline bool
pp_is_context(uint64_t entry)
{
	return entry >= PP_CONTEXT(LAST);
}

/* The cpumode behind a marker: PP_MISC_KERNEL ...; 0: unknown, as PP_MISC_CPUMODE_MASK has it. */
static inline unsigned
pp_context_mode(uint64_t marker)
{
	switch (marker) {
	case PP_CONTEXT(KERNEL):
		return PP_MISC_KERNEL;
	case PP_CONTEXT(USER):
	case PP_CONTEXT(USER_DEFERRED):
		return PP_MISC_USER;
	case PP_CONTEXT(HV):
		return PP_MISC_HYPERVISOR;
	case PP_CONTEXT(GUEST_KERNEL):
		return PP_MISC_GUEST_KERNEL;
	case PP_CONTEXT(GUEST_USER):
		return PP_MISC_GUEST_USER;
	}
	return 0;
}

struct pp_chain {
	const uint8_t	*p;		/* the next entry */
	uint32_t	 left;		/* entries from there on */
	bool		 swap;
	unsigned	 mode;		/* the cpumode of the last frame; before the first one: PP_MISC_USER */
	bool		 dropped;	/* there was a marker with which perf drops the whole chain */
};

static inline bool
pp_context_drops(uint64_t marker)
{
	return marker != PP_CONTEXT(HV) && marker != PP_CONTEXT(KERNEL) && marker != PP_CONTEXT(USER) &&
	    marker != PP_CONTEXT(USER_DEFERRED);
}

/* The address of the next frame, and its mode in c->mode.  False: there is none. */
static inline bool
pp_chain_next(struct pp_chain *c, uint64_t *ip)
{
	while (c->left) {
		*ip = pp_get_u64(c->p, c->swap);
		c->p += 8;
		c->left--;
		if (!pp_is_context(*ip))
			return true;
		c->mode = pp_context_mode(*ip);
		c->dropped |= pp_context_drops(*ip);
		if (*ip == PP_CONTEXT(USER_DEFERRED) && c->left) {
			c->p += 8;
			c->left--;
		}
	}
	return false;
}

/* The marker PP_CONTEXT_USER_DEFERRED among n entries.  NULL: there is none. */
static inline const uint8_t *
pp_chain_deferred(const uint8_t *p, size_t n, bool swap)
{
	for (; n; n--, p += 8)
		if (pp_get_u64(p, swap) == PP_CONTEXT(USER_DEFERRED))
			return p;
	return NULL;
}

#endif
