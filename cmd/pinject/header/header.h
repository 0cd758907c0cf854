/* SPDX-License-Identifier: ISC */
/*
 * header.h - what the options change at the head of a stream: header features, the map of the kernel
 *
 *	header_option_...()	parse arguments
 *	header_open()		before tool_open(): read and open files
 *	header_begin()		behind it, when the byte order of the stream is known
 *	header_stages()		the stages
 */
#ifndef HEADER_H
#define HEADER_H

#include "edit.h"
#include "tool/feature_list.h"

struct header_value {		/* --set-feature */
	uint64_t	 number;
	const char	*text;		/* NULL: a payload */
	uint8_t		*p;
	size_t		 n;
};

struct header {			/* begins zeroed */
	struct header_value *set;
	size_t		 nset;
	struct features	 drop;		/* --no-features */
	bool		 drops;
	struct edit	*edit;		/* from header_begin() on: further features to set before header_stages() */
};

void		 header_option_set(const struct tool *, struct header *, const char *arg);
void		 header_begin(struct header *, struct tool *);
struct out	*header_stages(struct header *, struct tool *, struct out *next);

#endif
