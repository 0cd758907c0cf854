/* SPDX-License-Identifier: ISC */
#include <stdarg.h>
#include <stdio.h>

#include "perfpipe_inline.h"

int
pp_fail(struct pp_err *err, const char *fmt, ...)
{
	va_list ap;

	if (err && !err->what[0]) {
		va_start(ap, fmt);
		vsnprintf(err->what, sizeof err->what, fmt, ap);
		va_end(ap);
	}
	return -1;
}
