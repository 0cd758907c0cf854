/* SPDX-License-Identifier: ISC */
/*
 * header.h - what the options change at the head of a stream: header features, the map of the kernel
 *
 *	header_option_...()	parse arguments
 *	header_open()		before tool_open(): open files
 *	header_begin()		behind it, when the byte order of the stream is known
 *	header_stages()		the stages
 */
#ifndef HEADER_H
#define HEADER_H

#include <sys/utsname.h>

#include "convert/feature_list.h"
#include "edit.h"
#include "symbol/kallsyms.h"

struct header_value {		/* --set-feature */
	uint64_t	 number;
	const char	*text;		/* NULL: a payload */
	uint8_t		*p;
	size_t		 n;
};

struct kallsyms {		/* --kallsyms */
	bool		 given;
	struct kallsyms_text text;
	uint64_t	 etext, edata;	/* 0: unknown */
};

struct header {			/* begins zeroed */
	struct header_value *set;
	size_t		 nset;
	struct features	 drop;		/* --no-features */
	const char	*from_name;	/* --features-from */
	struct pp_source *from;
	struct pp_err	 from_err;
	bool		 clock, clock_now;	/* --clock-data */
	uint64_t	 mono, wall;
	struct utsname	 us;		/* of this machine, if clock_now */
	bool		 add_cmdline;
	char		**command;	/* for --add-cmdline */
	size_t		 ncommand;
	struct kallsyms	 kallsyms;
	bool		 other_kernel;	/* set by its stage: the kernel's map is not of the kernel with these symbols */
	struct edit	*edit;		/* from header_begin() on: further features to set before header_stages() */
};

/* Parse arguments into a struct header; exit 2 if one is wrong. */
void		 header_option_set(struct tool *, void *header);
void		 header_option_clock(struct tool *, void *header);
void		 header_option_kallsyms(struct tool *, void *header);
/* Before the options are parsed. */
void		 header_command(const struct tool *, struct header *, int argc, char **argv);
void		 header_open(struct header *, struct tool *);
void		 header_begin(struct header *, struct tool *);
struct out	*header_stages(struct header *, struct tool *, struct out *next);
/* When the stages have finished. */
void		 header_free(struct header *);

/* from.c: open the other recording, and let the stage add its features that say something of the machine. */
void		 from_open(struct header *, struct tool *);
void		 from_begin(struct header *, struct tool *);
/* clock.c: a stage that gives edit the CLOCK_DATA, whose clock the first ATTR names. */
struct out	*clock_stage(struct header *, struct tool *, struct out *next);
/* kallsyms.c: a stage that adds the kernel's map if the stream has none. */
struct out	*kallsyms_stage(struct header *, struct tool *, struct out *next);

#endif
