/* SPDX-License-Identifier: ISC */
/* bytes.c - what layers have in common, and which formats may lie around a recording */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "perfpipe_inline.h"

static void
set_place(struct bytes_err *err, uint64_t off)
{
	if (err->what[0])
		return;
	err->off = off;
	err->at = true;
}

static int
take_cause(struct bytes_err *err, const struct pp_err *e)
{
	if (err->what[0])
		return -1;
	memcpy(err->what, e->what, sizeof err->what);
	err->code = e->code;
	err->error = e->error;
	return -1;
}

int
bytes_fail(struct bytes_err *err, uint64_t off, const char *fmt, ...)
{
	struct pp_err e = { .code = PP_ERR_DATA };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e.what, sizeof e.what, fmt, ap);
	va_end(ap);
	set_place(err, off);
	return take_cause(err, &e);
}

int
bytes_fail_open(struct bytes_err *err, const char *fmt, ...)
{
	struct pp_err e = { .code = PP_ERR_DATA };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e.what, sizeof e.what, fmt, ap);
	va_end(ap);
	return take_cause(err, &e);
}

int
bytes_fail_system(struct bytes_err *err, uint64_t off, const char *doing)
{
	set_place(err, off);
	return bytes_fail_open_system(err, doing);
}

int
bytes_fail_open_system(struct bytes_err *err, const char *doing)
{
	struct pp_err e = { 0 };

	pp_fail_system(&e, doing);
	return take_cause(err, &e);
}

int
bytes_fail_memory(struct bytes_err *err)
{
	struct pp_err e = { 0 };

	pp_fail_memory(&e);
	return take_cause(err, &e);
}

void
bytes_close(struct bytes *b)
{
	while (b) {
		struct bytes *under = b->under;

		b->layer->close(b);
		b = under;
	}
}

const struct bytes_format *
bytes_format(const uint8_t p[static 16])
{
	static const struct bytes_format formats[] = {
#define FORMAT(name, magic, any, open, program)	{ name, magic, sizeof magic - 1, any, open, program },
#define OTHER(name, magic, program)		{ name, magic, sizeof magic - 1, 0, NULL, program },
#include "format.def"
#undef FORMAT
#undef OTHER
	};

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		const struct bytes_format *f = &formats[i];

		if (!((p[0] ^ (uint8_t)f->magic[0]) & ~f->any) && !memcmp(p + 1, f->magic + 1, f->n - 1u))
			return f;
	}
	return NULL;
}
