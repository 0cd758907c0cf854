/* SPDX-License-Identifier: ISC */
/* watch.h - see the bytes of a stream as they are read, before records are made of them, and wait for them in one's own way */
#ifndef PP_WATCH_H
#define PP_WATCH_H

#include "perfpipe_inline.h"

struct pp_watch {
	/*
	 * Before a read of a stream, or of an input that is not known yet: fd is what poll(2) waits for.  1; -1: end here, as a
	 * failure without a message.  NULL: nothing to do.
	 */
	int	(*wait)(void *arg, int fd);
	/*
	 * The next n bytes of a pipe-mode stream, from its header on, as they are in the input (COMPRESSED records are not
	 * expanded), but those of an input that is compressed as a whole as they come out of it.  Not called for other
	 * containers.  1; -1: end here, as above.  NULL: nothing to do.
	 */
	int	(*took)(void *arg, const uint8_t *p, size_t n);
	void	*arg;
};

/* Between opening with PP_OPEN_LATER and pp_begin().  The struct must outlive the source. */
void	pp_watch(struct pp_source *, const struct pp_watch *);
/* After pp_begin(): does took() get the bytes, because the input is a pipe-mode stream? */
bool	pp_watch_took(const struct pp_source *);
/*
 * No more records will be asked for, as there are none or one was damaged: read the stream to the end of the input for took().
 * 1, or -1: one of the functions ended it, or the input cannot be read; the pp_err of the source is left as it is.
 */
int	pp_watch_rest(struct pp_source *);

#endif
