/* SPDX-License-Identifier: ISC */
/*
 * dict.h - the dictionary of --anon-map: originals of pseudonyms.
 *
 * A text file with lines KIND, pseudonym, original, separated by tabs; the original is escaped by tool_vis().  Lines that begin
 * with # are comments.  KIND is a name of enum anon_domain (key.h).
 */
#ifndef PFILTER_ANON_DICT_H
#define PFILTER_ANON_DICT_H

#include "key.h"
#include "tool/tool.h"

struct anon_dict;

/* Open the file, an output of tool_create(); exits 2 if it exists or cannot be written. */
struct anon_dict *anon_dict_new(struct tool *, const char *path);
/* Add a pseudonym of n bytes and its original of m bytes, unless it was added before.  Errors are kept until tool_close(). */
void	anon_dict_put(struct anon_dict *, enum anon_domain, const char *pseudonym, size_t n, const char *name, size_t m);
/* Write the rest; call before tool_close(), which gives the file its name.  NULL is ignored. */
void	anon_dict_finish(struct anon_dict *);
void	anon_dict_free(struct anon_dict *);

/*
 * --anon-undo: copy text from the input to standard output or -o, and replace pseudonyms of texts and build-ids that are in the
 * dictionary `path' by their originals, escaped for terminals.  Returns the exit status.
 */
int	anon_undo(struct tool *, const char *path);

#endif
