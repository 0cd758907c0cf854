/* SPDX-License-Identifier: ISC */
/*
 * format.c - libFuzzer target: any bytes as the format text of a tracepoint, and as a payload of its fields
 *
 * The text ends at the first NUL, if there is one; the bytes behind it are the payload.  What must hold: no sanitizer error; names
 * of fields are distinct identifiers and found by pp_format_field(); each field lies within 65,535 bytes, each value within
 * the payload; numbers have the width of one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/format.h"
#include "fuzz.h"

static void
check_value(const struct pp_payload_field *f, const uint8_t *raw, size_t n, bool swap)
{
	size_t len;
	const uint8_t *p = pp_payload_get(f, raw, n, swap, &len);

	if (!p)
		return;
	MUST(p >= raw && len <= n && (size_t)(p - raw) <= n - len);
	if (f->kind == PP_PAYLOAD_NUMBER) {
		MUST(len == f->width);
		pp_payload_number(p, f->width, f->sign, swap);
	}
	if (f->kind == PP_PAYLOAD_STRING)
		MUST(!memchr(p, 0, len));
}

static void
check(const struct pp_format *f, const uint8_t *raw, size_t n)
{
	char type[PP_FORMAT_TYPE];

	MUST(f->n <= PP_FORMAT_FIELDS && !strncmp(f->event, "system:", 7));
	for (unsigned i = 0; i < f->n; i++) {
		const struct pp_payload_field *x = &f->field[i];
		size_t len = strlen(x->name);

		MUST(len && len < PP_FORMAT_NAME && pp_format_field(f, x->name, len) == x);
		MUST(x->name[0] < '0' || x->name[0] > '9');
		MUST(x->off + x->size <= UINT16_MAX);
		if (x->kind == PP_PAYLOAD_NUMBER || x->kind == PP_PAYLOAD_NUMBERS)
			MUST(x->width == 1 || x->width == 2 || x->width == 4 || x->width == 8);
		else
			MUST(!x->width);
		pp_payload_type(x, type, sizeof type);
		MUST(strlen(type) < sizeof type - 1);
		for (int swap = 0; swap <= 1; swap++)
			check_value(x, raw, n, swap);
	}
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	const uint8_t *nul = n ? memchr(p, 0, n) : NULL;
	size_t ntext = nul ? (size_t)(nul - p) : n, nraw = nul ? n - ntext - 1 : 0;
	uint8_t *raw = malloc(nraw ? nraw : 1);
	const char *why = NULL;
	struct pp_format *f;

	MUST(raw);
	if (nraw)
		memcpy(raw, nul + 1, nraw);
	for (unsigned width = 0; width <= 8; width += 4) {
		f = pp_format_parse("system", (const char *)p, ntext, width, &why);
		MUST(f || why);
		if (f)
			check(f, raw, nraw);
		pp_format_free(f);
	}
	free(raw);
	return 0;
}
