/* SPDX-License-Identifier: ISC */
/*
 * anon_dict.h - the dictionary of --anon-map: what each pseudonym stands for.
 *
 * A text file, a line each: KIND, pseudonym and name with tabs between them; the name as tool_vis() makes it harmless.
 * Lines that begin with # are comments.
 */
#ifndef PFILTER_ANON_DICT_H
#define PFILTER_ANON_DICT_H

#include "anon_key.h"
#include "tool.h"

struct anon_dict;

/* Begin the file (mode 0600), by the rules of -o; it gets its name by anon_dict_finish().  Exits if it cannot. */
struct anon_dict *anon_dict_new(const struct tool *, const char *path);
/* A pseudonym of n bytes was made for a name of m; the second time nothing happens.  Failures are kept. */
void	anon_dict_put(struct anon_dict *, enum anon_domain, const char *pseudonym, size_t n, const char *name, size_t m);
/* Complete the file and free; NULL: nothing to do.  The exit status: 0, or 1 after a message. */
int	anon_dict_finish(struct anon_dict *);

/*
 * --anon-undo: copy text from the input to standard output or -o, the pseudonyms of texts and build-ids that the
 * dictionary `path' has replaced by what they stand for, made harmless for a terminal.  The exit status.
 */
int	anon_undo(struct tool *, const char *path);

#endif
