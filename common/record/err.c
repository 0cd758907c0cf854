/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "perfpipe_inline.h"

int
pp_fail(struct pp_err *err, const char *fmt, ...)
{
	va_list ap;

	if (err && !err->what[0]) {
		err->code = PP_ERR_DATA;
		va_start(ap, fmt);
		vsnprintf(err->what, sizeof err->what, fmt, ap);
		va_end(ap);
	}
	return -1;
}

int
pp_fail_system(struct pp_err *err, const char *doing)
{
	if (err && !err->what[0]) {
		err->code = PP_ERR_SYSTEM;
		err->error = errno;
		snprintf(err->what, sizeof err->what, "%s%s%s", doing ? doing : "", doing ? ": " : "", strerror(err->error));
	}
	return -1;
}

int
pp_fail_memory(struct pp_err *err)
{
	if (err && !err->what[0]) {
		err->code = PP_ERR_MEMORY;
		snprintf(err->what, sizeof err->what, "out of memory");
	}
	return -1;
}
