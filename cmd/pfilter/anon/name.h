/* SPDX-License-Identifier: ISC */
/*
 * name.h - pseudonyms of texts.
 *
 *	comm		comm-0123456789
 *	path		/p0123456789/p9876543210.so: a pseudonym per component, by the path up to it, so that files of one
 *			directory still share it; .so, .ko and " (deleted)" stay
 *	module		[m0123456789], the same as /p.../m0123456789.ko of the module's file
 *	symbol		bpf_prog_0123456789: a prefix of the kernel stays
 *	not a path	[kernel.kallsyms], [vdso], [heap], //anon and the like stay: they are not private, and perf needs them
 *
 * Texts may contain any byte.  An empty text stays empty.
 */
#ifndef PFILTER_ANON_NAME_H
#define PFILTER_ANON_NAME_H

#include <stdbool.h>

#include "key.h"

enum { ANON_NAME = 4096 };	/* PATH_MAX: no pseudonym is longer, and readers accept as much */

/* Each function writes a pseudonym and a NUL to `to' and returns its length. */
size_t	anon_comm(struct anon_key *, const char *, size_t n, char to[static 16]);
size_t	anon_path(struct anon_key *, const char *, size_t n, char to[static ANON_NAME]);
size_t	anon_cgroup(struct anon_key *, const char *, size_t n, char to[static ANON_NAME]);
size_t	anon_symbol(struct anon_key *, const char *, size_t n, char to[static ANON_NAME]);
/* PREFIX-0123456789 */
size_t	anon_word(struct anon_key *, enum anon_domain, const char *prefix, const char *, size_t n, char to[static ANON_NAME]);
/* The leading number of a version, "6.1.0" of "6.1.0-13-acme". */
size_t	anon_version(const char *, size_t n, char to[static ANON_NAME]);
/*
 * The name of an event, if --anon does not list event: it stays unless it was made from a program (perf probe, SDT) or holds a
 * path (`path'), or holds the address of a breakpoint (`addr').
 */
size_t	anon_event(struct anon_key *, bool path, bool addr, const char *, size_t n, char to[static ANON_NAME]);
/* The name of a map, if paths stay: replaces the pid in [stack:TID] and [guest.kernel.kallsyms.PID]. */
size_t	anon_pid_in_name(struct anon_key *, const char *, size_t n, char to[static ANON_NAME]);

/* Is a map of this name a map of a file?  Otherwise its pgoff is an address, not an offset in a file. */
bool	anon_is_file(const char *, size_t n);
/* Is it the name of the map of the kernel? */
bool	anon_is_kernel(const char *, size_t n);

#endif
