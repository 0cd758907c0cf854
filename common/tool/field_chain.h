/* SPDX-License-Identifier: ISC */
/* field_chain.h - the frames of a sample's call chain, with their modes and files: the fields callchain.* */
#ifndef PP_FIELD_CHAIN_H
#define PP_FIELD_CHAIN_H

#include "field.h"

struct field_chain {
	const uint8_t	*p;		/* the next entry */
	uint32_t	 left;		/* entries from there on */
	bool		 swap;
	unsigned	 mode;		/* of the last frame: PP_MISC_USER, PP_MISC_KERNEL; 0: of a guest or a hypervisor */
};

/* Begin with the innermost frame.  False: the sample has no call chain, or is `bad'. */
bool	field_chain_begin(struct field_fetch *, struct field_chain *);

/* The address of the next frame, and its mode in c->mode.  False: there is none. */
static inline bool
field_chain_next(struct field_chain *c, uint64_t *ip)
{
	/* PERF_CONTEXT_* of include/uapi/linux/perf_event.h, as -n; behind DEFERRED stands a cookie, which is no address */
	enum { MAX = 4095, KERNEL = 128, USER = 512, DEFERRED = 640 };

	while (c->left) {
		*ip = pp_get_u64(c->p, c->swap);
		c->p += 8;
		c->left--;
		if (-*ip > MAX || !*ip)
			return true;
		c->mode = -*ip == KERNEL ? PP_MISC_KERNEL : -*ip == USER ? PP_MISC_USER : 0;
		if (-*ip == DEFERRED && c->left) {
			c->p += 8;
			c->left--;
		}
	}
	return false;
}

/* For field_fetch(). */
void	field_chain_fetch(struct field_fetch *, enum field_part, struct field_value *);

#endif
