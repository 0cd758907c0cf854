/* SPDX-License-Identifier: ISC */
/* event_name.h - the name that perf gives an event of which only the attr is known */
#ifndef PP_EVENT_NAME_H
#define PP_EVENT_NAME_H

#include "perfpipe_inline.h"

void	pp_event_build_name(const struct pp_attr *, char *buf, size_t size);

#endif
