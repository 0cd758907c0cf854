/* SPDX-License-Identifier: ISC */
#include <inttypes.h>

#include "stats.h"

static const char *const words[] = {
#define R(name, word) [name] = word,
	REASONS(R)
#undef R
};

static void
line(FILE *f, bool json, const char *before, const char *name, uint64_t records, uint64_t samples)
{
	if (json)
		fprintf(f, "%s\"%s\":{\"records\":%" PRIu64 ",\"samples\":%" PRIu64 "}", before, name, records, samples);
	else
		fprintf(f, "pfilter: %s%s: %" PRIu64 " records, %" PRIu64 " samples\n", before, name, records, samples);
}

void
stats_print(const struct stats *s, bool json, FILE *f)
{
	const struct decide *d = s->decide;
	uint64_t records = s->others, samples = 0;
	const char *comma = "";

	for (int i = 0; i < REASON_END; i++) {
		records += d->records[i] + d->samples[i];
		samples += d->samples[i];
	}
	line(f, json, json ? "{" : "", "in", records, samples);
	line(f, json, json ? "," : "", "kept", s->others + d->records[KEPT] + d->samples[KEPT], d->samples[KEPT]);
	if (json)
		fputs(",\"dropped\":{", f);
	for (int i = KEPT + 1; i < REASON_END; i++) {
		if (!d->records[i] && !d->samples[i])
			continue;
		line(f, json, json ? comma : "dropped by ", words[i], d->records[i] + d->samples[i], d->samples[i]);
		comma = ",";
	}
	if (json)
		fputs("}", f);
	for (int i = 0; i < s->nsides; i++)
		line(f, json, json ? "," : "", i ? "rejected" : !s->dry_run ? "written" : json ? "would_be_written" : "would be written",
		    s->side[i].records, s->side[i].samples);
	windows_stats(d->o->windows, json, f);
	if (json)
		fprintf(f, ",\"early\":%" PRIu64 "}\n", s->early);
	else if (s->early)
		fprintf(f, "pfilter: decided early: %" PRIu64 " records\n", s->early);
}
