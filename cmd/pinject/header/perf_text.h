/* SPDX-License-Identifier: ISC */
/*
 * perf_text.h - a header feature from the text that perf report --header-only -I prints for it, where that is another one than ours
 * (pp_feature_parse())
 */
#ifndef PERF_TEXT_H
#define PERF_TEXT_H

#include "perfpipe_inline.h"

/*
 * The lines of the text without perf's "# " in front; the caller frees the result.  *marked: there was one, so the text is perf's.
 */
char	*perf_text_lines(uint64_t number, const char *text, bool *marked);
/* As pp_feature_parse(), of such lines.  1; 0: the text is not of perf's form; -1: it is, but wrong. */
int	 perf_text_parse(uint64_t number, const char *lines, bool marked, bool swap, uint8_t *buf, size_t cap, size_t *len,
	    struct pp_err *);
/*
 * "group: NAME{EVENT,...}" of a GROUP_DESC, whose payload needs the events of the recording: is it that?  Then the payload, made of
 * the names of these events.
 */
bool	 perf_text_is_groups(uint64_t number, const char *lines);
int	 perf_text_groups(const char *lines, const struct pp_events *, bool swap, uint8_t *buf, size_t cap, size_t *len,
	    struct pp_err *);

#endif
