/* SPDX-License-Identifier: ISC */
/*
 * dict.h - the dictionary of --anon-map: what each pseudonym stands for.
 *
 * A text file, a line each: KIND, pseudonym and name with tabs between them; the name as tool_vis() makes it harmless.
 * Lines that begin with # are comments.
 */
#ifndef PFILTER_ANON_DICT_H
#define PFILTER_ANON_DICT_H

#include "key.h"
#include "tool/tool.h"

struct anon_dict;

/* Begin the file, an output of tool_create(); exits if it cannot.  Refused before anything is read if it exists. */
struct anon_dict *anon_dict_new(struct tool *, const char *path);
/* A pseudonym of n bytes was made for a name of m; the second time nothing happens.  Failures are kept. */
void	anon_dict_put(struct anon_dict *, enum anon_domain, const char *pseudonym, size_t n, const char *name, size_t m);
/* Write what was put: to be called before tool_close(), which names the file.  NULL: nothing to do. */
void	anon_dict_finish(struct anon_dict *);
void	anon_dict_free(struct anon_dict *);

/*
 * --anon-undo: copy text from the input to standard output or -o, the pseudonyms of texts and build-ids that the
 * dictionary `path' has replaced by what they stand for, made harmless for a terminal.  The exit status.
 */
int	anon_undo(struct tool *, const char *path);

#endif
