/* SPDX-License-Identifier: ISC */
/* payload_role.h - what the fields of a tracepoint's payload mean, by the rows of payload.def */
#ifndef PP_PAYLOAD_ROLE_H
#define PP_PAYLOAD_ROLE_H

#include "format.h"
#include "perfpipe.h"

/*
 * The role of a field of the format.  PP_ROLE_OPAQUE: it has no row, or does not fit the role of its row.  COMM, PATH and
 * CGROUP_PATH are texts; PLAIN and CPU numbers, texts, arrays or sets; the others one number that is in its place.
 */
enum pp_role pp_payload_role(const struct pp_format *, const struct pp_payload_field *);
/* Do two fields share bytes?  None of the kernel's do: the format is damaged, and its fields may be anything. */
bool	pp_payload_overlaps(const struct pp_format *);
/* Is the number the result of a call that is no error: more than an error code and 0? */
bool	pp_payload_tells(int64_t result);

#endif
