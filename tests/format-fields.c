/* SPDX-License-Identifier: ISC */
/*
 * format-fields - the fields of format texts, as common/record/format.c reads them
 *
 *	format-fields <TEXTS
 *
 * TEXTS are format texts of the kernel, each behind a line "system: NAME"; other lines between them are for other readers.
 * A line for each field: SYSTEM:EVENT ID FIELD OFFSET SIZE TYPE.  A text that is refused is a line with its reason instead.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/format.h"

static void
show(const char *system, const char *text, size_t n)
{
	const char *why = NULL;
	struct pp_format *f = pp_format_parse(system, text, n, 8, &why);

	if (!f) {
		printf("%s: refused, %s: %.60s\n", system, why, text);
		return;
	}
	for (unsigned i = 0; i < f->n; i++) {
		char type[PP_FORMAT_TYPE];

		pp_payload_type(&f->field[i], type, sizeof type);
		printf("%s %" PRIu64 " %s %u %u %s\n", f->event, f->id, f->field[i].name, f->field[i].off, f->field[i].size, type);
	}
	pp_format_free(f);
}

int
main(void)
{
	static char text[PP_FORMAT_TEXT + 1], line[PP_FORMAT_TEXT + 1], system[PP_FORMAT_EVENT + 1];
	size_t n = 0;

	while (fgets(line, sizeof line, stdin)) {
		if (strncmp(line, "system: ", 8) == 0 || strncmp(line, "kernel: ", 8) == 0) {
			if (n)
				show(system, text, n);
			n = 0;
			if (*line == 's')
				snprintf(system, sizeof system, "%.*s", (int)strcspn(line + 8, "\n"), line + 8);
		} else if (n + strlen(line) < sizeof text) {
			memcpy(text + n, line, strlen(line) + 1);
			n += strlen(line);
		} else {
			fprintf(stderr, "format-fields: %s: a text is too long\n", system);
			return 1;
		}
	}
	if (n)
		show(system, text, n);
	return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
