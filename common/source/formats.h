/* SPDX-License-Identifier: ISC */
/* formats.h - formats of tracepoints from the TRACING_DATA of a source, for the commands here */
#ifndef PP_FORMATS_H
#define PP_FORMATS_H

#include "record/tracing.h"
#include "perfpipe_inline.h"

/* Keep them; call it before the first pp_next().  1, or -1: no memory. */
int	pp_keep_formats(struct pp_source *);
/* Those of the records that were read, and their payloads; NULL: they are not kept. */
const struct pp_tracing *pp_formats(const struct pp_source *);

#endif
