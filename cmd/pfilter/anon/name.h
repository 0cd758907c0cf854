/* SPDX-License-Identifier: ISC */
/*
 * name.h - pseudonyms of texts.
 *
 *	comm		comm-0123456789
 *	path		/p0123456789/p9876543210.so: component by component, each by all up to it, so that what lies in one
 *			directory still does; .so and .ko stay, and " (deleted)"
 *	module		[m0123456789], the same as /p.../m0123456789.ko of the module's file
 *	symbol		bpf_prog_0123456789: one of the kernel's prefixes stays
 *	not a path	[kernel.kallsyms], [vdso], [heap], //anon and such name nothing private and stay: perf knows them by name
 *
 * Texts may hold any byte.  An empty one stays empty.
 */
#ifndef PFILTER_ANON_NAME_H
#define PFILTER_ANON_NAME_H

#include <stdbool.h>

#include "key.h"

enum { ANON_NAME = 4096 };	/* PATH_MAX: room for any of them, and what readers have room for */

/* Each writes a pseudonym and a NUL to `to' and returns its length. */
size_t	anon_comm(struct anon_key *, const char *, size_t n, char to[static 16]);
size_t	anon_path(struct anon_key *, const char *, size_t n, char to[static ANON_NAME]);
size_t	anon_cgroup(struct anon_key *, const char *, size_t n, char to[static ANON_NAME]);
size_t	anon_symbol(struct anon_key *, const char *, size_t n, char to[static ANON_NAME]);
/* PREFIX-0123456789 */
size_t	anon_word(struct anon_key *, enum anon_domain, const char *prefix, const char *, size_t n, char to[static ANON_NAME]);
/* The leading number of a version, "6.1.0" of "6.1.0-13-acme". */
size_t	anon_version(const char *, size_t n, char to[static ANON_NAME]);
/*
 * An event's name: it stays unless somebody made it of a program (perf probe, SDT), or it holds a path (`path') or the
 * address of a breakpoint (`addr').
 */
size_t	anon_event(struct anon_key *, bool path, bool addr, const char *, size_t n, char to[static ANON_NAME]);
/* A map's name while paths stay: only a pid that is part of it by rule, [stack:TID] and [guest.kernel.kallsyms.PID]. */
size_t	anon_pid_in_name(struct anon_key *, const char *, size_t n, char to[static ANON_NAME]);

/* Is it a map's name of a file?  Else its page offset is no offset in a file, but an address. */
bool	anon_is_file(const char *, size_t n);
/* Is it the name of the kernel's own map? */
bool	anon_is_kernel(const char *, size_t n);

#endif
