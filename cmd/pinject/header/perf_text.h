/* SPDX-License-Identifier: ISC */
/*
 * perf_text.h - parses the text that perf report --header-only -I prints for a header feature, if perf's text is another one than
 * that of pp_feature_parse()
 */
#ifndef PERF_TEXT_H
#define PERF_TEXT_H

#include "perfpipe_inline.h"

/*
 * The lines of the text without the "# " that perf puts before them; the caller frees the result.  *marked: there was a "# ".
 */
char	*perf_text_lines(uint64_t number, const char *text, bool *marked);
/* Make the payload of such lines, as pp_feature_parse() does.  1; 0: the text has not perf's form; -1: it has, but is wrong. */
int	 perf_text_parse(uint64_t number, const char *lines, bool marked, bool swap, uint8_t *buf, size_t cap, size_t *len,
	    struct pp_err *);
/*
 * A GROUP_DESC, "group: NAME{EVENT,...}", needs the events of the recording for its payload.  Is it one?  Then perf_text_groups()
 * makes the payload.
 */
bool	 perf_text_is_groups(uint64_t number, const char *lines);
int	 perf_text_groups(const char *lines, const struct pp_events *, bool swap, uint8_t *buf, size_t cap, size_t *len,
	    struct pp_err *);

#endif
