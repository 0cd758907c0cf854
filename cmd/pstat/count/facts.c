/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "facts.h"

/* Copy all strings of the feature, separated by NULs. */
static void
take_strings(struct fact_text *t, struct pp_feature_io *io)
{
	struct pp_feature_value v;

	free(t->p);
	*t = (struct fact_text){ .p = tool_alloc(FACTS_TEXT, 1) };
	while (pp_feature_next(io, &v) > 0) {
		size_t n = v.len;

		if (v.kind != PP_F_STR || t->len + 1 >= FACTS_TEXT)
			continue;
		if (t->len)
			t->len++;
		if (n > FACTS_TEXT - t->len)
			n = FACTS_TEXT - t->len;
		memcpy(t->p + t->len, v.p, n);
		t->len += n;
	}
}

void
facts_learn(struct facts *f, struct tool *tool, const struct pp_rec *r, bool swap)
{
	struct pp_feature feature;
	struct pp_feature_io io;
	struct pp_err err = { .file = tool->in_err.file };
	struct { uint64_t number; struct fact_text *text; } strings[] = {
		{ PP_FEAT_HOSTNAME, &f->hostname }, { PP_FEAT_OSRELEASE, &f->osrelease },
		{ PP_FEAT_VERSION, &f->version }, { PP_FEAT_ARCH, &f->arch },
		{ PP_FEAT_CPUDESC, &f->cpudesc }, { PP_FEAT_CMDLINE, &f->cmdline },
	};

	if (pp_feature_is_end(r))
		return;
	if (pp_feature_of(&feature, r, swap, (uint32_t)f->nrcpus_available, &err) > 0) {
		if (feature.number < 64)
			f->have |= UINT64_C(1) << feature.number;
		for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
			if (strings[i].number == feature.number) {
				pp_feature_open(&io, &feature, &err);
				take_strings(strings[i].text, &io);
			}
		if (feature.number == PP_FEAT_NRCPUS) {
			pp_feature_num(&feature, "available", &f->nrcpus_available, &err);
			pp_feature_num(&feature, "online", &f->nrcpus_online, &err);
		}
		if (feature.number == PP_FEAT_TOTAL_MEM)
			pp_feature_num(&feature, "total_kb", &f->total_mem, &err);
	}
	if (err.what[0])
		tool_warn(tool, "%s", err.what);
}

void
facts_free(struct facts *f)
{
	free(f->hostname.p);
	free(f->osrelease.p);
	free(f->version.p);
	free(f->arch.p);
	free(f->cpudesc.p);
	free(f->cmdline.p);
}
