/* SPDX-License-Identifier: ISC */
#include <inttypes.h>

#include "screen.h"

enum { FINDINGS = 3, LABEL = 12 };

/* ---- findings ------------------------------------------------------------------------------------ */

/* One more finding: on the line that has so many columns, or on the next. */
static void
glance_item(const struct screen *s, size_t *columns, const char *text)
{
	size_t n = strlen(text);

	if (*columns > LABEL && *columns + 2 + n < s->width) {	/* a semicolon may follow */
		fputs("; ", s->f);
		*columns += 2;
	} else if (*columns > LABEL) {
		fprintf(s->f, ";\n%*s", LABEL, "");
		*columns = LABEL;
	}
	*columns += screen_cut(s->f, text, n, s->width - LABEL - 1);
}

static void
glance_findings(const struct screen *s)
{
	size_t columns = LABEL;
	struct kept k;

	kept_open(&k, s->r, "glance_findings", FINDINGS);
	fprintf(s->f, "%-*s", LABEL, "findings");
	for (size_t i = 0; i < k.n; i++) {
		uint64_t n = kept_cell(&k, i, "count")->num;
		char text[200], times[48] = "";

		if (n > 1)
			snprintf(times, sizeof times, ": %s%" PRIu64 " times", kept_cell(&k, i, "least")->num ? "at least " : "", n);
		snprintf(text, sizeof text, "%s %s%s", kept_cell(&k, i, "rule")->text, kept_cell(&k, i, "what")->text, times);
		glance_item(s, &columns, text);
	}
	if (k.rows > k.n) {
		char text[40];

		snprintf(text, sizeof text, "%zu more", k.rows - k.n);
		glance_item(s, &columns, text);
	}
	glance_item(s, &columns, k.n ? "--check looks at every record" : "none at a glance; --check looks at every record");
	fputc('\n', s->f);
	kept_free(&k);
}

/* ---- what it contains ---------------------------------------------------------------------------- */

/* On one line: the rows, in their order, for which there is space. */
static void
glance_contains(const struct screen *s)
{
	static const char end[] = ", 00 more (see --privacy)";
	size_t columns = LABEL, i;
	struct kept k;

	kept_open(&k, s->r, "glance_privacy", 0);
	fprintf(s->f, "%-*s", LABEL, "contains");
	for (i = 0; i < k.n; i++) {
		const char *word = kept_cell(&k, i, "row")->text;

		if (columns + 2 + strlen(word) + strlen(end) > s->width)
			break;
		columns += (size_t)fprintf(s->f, "%s%s", i ? ", " : "", word);
	}
	if (!k.n)
		fputs("nothing at a glance", s->f);
	if (i < k.n)
		fprintf(s->f, ", %zu more", k.n - i);
	fputs(" (see --privacy)\n", s->f);
	kept_free(&k);
}

void
screen_glance(const struct screen *s)
{
	if (!report_part(s->r, "glance_findings"))	/* of several reports, or of an option */
		return;
	glance_findings(s);
	glance_contains(s);
}
