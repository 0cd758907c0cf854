/* SPDX-License-Identifier: ISC */
/* machine.c - see machine.h */
#include <elf.h>
#include <string.h>

#include "record/feature.h"
#include "symbol/machine.h"

/*
 * The first whose name is the beginning of that of the machine: "i686", "armv7l", "ppc64le".  also: what runs there, too; a machine of 64
 * bits has the name of one of 32 for programs that ask so (personality(2)).
 */
static const struct { const char *arch; uint16_t number, also; bool is64; } rows[] = {
	{ "x86_64", EM_X86_64, EM_386, true }, { "aarch64", EM_AARCH64, EM_ARM, true }, { "i", EM_386, EM_X86_64, false },
	{ "arm", EM_ARM, EM_AARCH64, false }, { "s390x", EM_S390, EM_NONE, true }, { "ppc64", EM_PPC64, EM_PPC, true },
	{ "ppc", EM_PPC, EM_PPC64, false }, { "riscv64", EM_RISCV, EM_NONE, true }, { "mips64", EM_MIPS, EM_NONE, true },
	{ "mips", EM_MIPS, EM_NONE, false }, { "loongarch64", 258, EM_NONE, true },
};

void
machine_set(struct machine *m, const char *arch, size_t n)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (n >= strlen(rows[i].arch) && !memcmp(arch, rows[i].arch, strlen(rows[i].arch))) {
			*m = (struct machine){ rows[i].number, rows[i].is64 };
			return;
		}
}

void
machine_learn(struct machine *m, const struct pp_rec *r, bool swap)
{
	struct pp_err ignored = { .what = "" };		/* a damaged feature is ignored */
	struct pp_feature feature;
	struct pp_feature_value v;

	if (r->type == PP_HEADER_FEATURE && pp_feature_of(&feature, r, swap, 0, &ignored) >= 0 && feature.number == PP_FEAT_ARCH &&
	    pp_feature_string(&feature, &v))
		machine_set(m, (const char *)v.p, v.len);
}

bool
machine_runs(const struct machine *m, uint16_t number)
{
	for (size_t i = 0; m->number && number && i < sizeof rows / sizeof *rows; i++)
		if (rows[i].number == m->number && rows[i].is64 == m->is64)
			return number == rows[i].number || number == rows[i].also;
	return true;
}
