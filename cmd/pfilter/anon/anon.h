/* SPDX-License-Identifier: ISC */
/*
 * anon.h - --anon: a struct out that replaces names, paths, hosts, pids and addresses by keyed pseudonyms.
 *
 * With the same key, the same original has the same pseudonym, in every part of a stream and in every run.  Without --anon-key
 * the key is random and is not stored.  Records keep their layout, except for the length of names.  Fields without pseudonyms
 * (RAW of other events than tracepoints, user stacks, AUX; with `addr' also registers and physical addresses) are overwritten
 * with zeros here, and removed by `columns'; payloads of tracepoints are changed field by field (record/payload.def).  With
 * `addr', records are written in time order, as by psort, since the meaning of an address depends on earlier maps.
 *
 * A new word of --anon needs: a WORD() below, and the fields that it changes: by role in field.h and field.c; whole records in
 * record.c; payloads in payload.c; header features in feature.c; perfpipe-anon(7) lists the words.
 */
#ifndef PFILTER_ANON_H
#define PFILTER_ANON_H

#include "drop/columns.h"

struct anon_dict;

/* The words, each of a bit A_NAME (out.h); `all' has the bits of all of them. */
#define ANON_EACH(WORD) WORD(HOST, "host") WORD(CMDLINE, "cmdline") WORD(COMM, "comm") WORD(PATH, "path") WORD(PID, "pid") \
	WORD(ADDR, "addr") WORD(BUILD_ID, "build-id") WORD(EVENT, "event")
#define ANON_WORD(NAME, word) word ", "
#define ANON_WORDS ANON_EACH(ANON_WORD) "all"

struct anon {				/* initially zero: no change */
	unsigned what, except;		/* words of --anon, and words with a - in front: bits A_... of out.h */
	const char *key_file;		/* NULL: a random key */
	const char *map_file;		/* NULL: no dictionary is written */
	struct anon_dict *dict;		/* set by anon_ready(); NULL: none.  The caller finishes and frees it */
	uint8_t	 key[32];		/* set by anon_ready() */
	size_t	 memory;		/* limit of held records, in bytes; 0: 256M */
	size_t	 tasks;			/* that of tasks and maps; 0: none */
};
/* Parse --anon host,comm,... into a struct anon: an unknown word exits 2. */
void	anon_list(struct tool *, void *anon);
bool	anon_any(const struct anon *);
/* Before confinement: reads the key, opens the dictionary, and adds fields without pseudonyms to `columns'. */
void	anon_ready(struct tool *, struct anon *, struct columns *);
/* `tool', `in' and `err' must live until finish(); `anon' need not.  NULL: no memory. */
struct out *anon_new(const struct tool *, const struct anon *, struct pp_source *in, struct out *next, struct pp_err *);

#endif
