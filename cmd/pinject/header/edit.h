/* SPDX-License-Identifier: ISC */
/*
 * edit.h - the stage that changes header features.
 *
 *	struct edit *e = edit_new(t, swap);
 *	edit_set(e, PP_FEAT_SAMPLE_TIME, payload, n);
 *	first = edit_stage(e, next);
 *
 * A feature that the stream has is changed where it stands.  A new one is put in ascending place, where perf record has it: before
 * the first feature with a greater number, or before the end mark.  A stream without features gets them behind its ATTRs (and
 * EVENT_UPDATEs), and an end mark.  Payloads are in the byte order of the stream, and copied.
 */
#ifndef EDIT_H
#define EDIT_H

#include "sink/out.h"
#include "tool/tool.h"

struct edit;

/* swap: of the stream.  edit_stage() takes it over; else edit_free(). */
struct edit	*edit_new(struct tool *, bool swap);
/* The feature has this payload, whatever the stream says.  The last call for a feature counts. */
void		 edit_set(struct edit *, uint64_t number, const uint8_t *p, size_t n);
/* GROUP_DESC has these groups, as perf prints them, "group: NAME{EVENT,...}" (perf_text.h).  The text must stay valid. */
void		 edit_set_groups(struct edit *, const char *text);
/* The feature has this payload unless the stream has that feature, or edit_set() was called for it. */
void		 edit_add(struct edit *, uint64_t number, const uint8_t *p, size_t n);
/* Append words to CMDLINE, unless it ends with them. */
void		 edit_append_cmdline(struct edit *, char *const words[], size_t n);
/* Is there anything to change? */
bool		 edit_any(const struct edit *);
/*
 * The stage.  A feature that perf refuses, for itself or beside the stream's other ones, is a failure of the input (in_err),
 * as only the stream shows it.
 */
struct out	*edit_stage(struct edit *, struct out *next);
void		 edit_free(struct edit *);

#endif
