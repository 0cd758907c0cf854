/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_SECCOMP
#include <seccomp.h>
#endif

#include "sort/syscall.h"

enum {
	NUMBERS = 8192,			/* whose texts are remembered: those of MIPS begin at 4000, 5000 and 6000 */
	OTHERS = 8,
	X32_BIT = 1 << 30,
	ABI_32 = 1,			/* PERF_SAMPLE_REGS_ABI_32 */
};
static const uint64_t KEY_32 = UINT64_C(1) << 32;

struct syscalls {
	struct field	*id, *nr;	/* raw_syscalls, syscalls */
	const struct field *abi;
	char		*text[2][NUMBERS];	/* names, or numbers without one: of 64-bit tasks, and of 32-bit tasks; NULL: not asked for yet */
	char		*other[OTHERS];	/* the last ones of numbers beyond these */
	unsigned	 others;
};

#ifdef WITH_SECCOMP
/* uname -m begins so.  Numbers do not depend on the order of bytes, which it does not tell of MIPS. */
static const struct { const char *machine; uint32_t arch, arch32; } machines[] = {
	{ "x86_64", SCMP_ARCH_X86_64, SCMP_ARCH_X86 }, { "i386", SCMP_ARCH_X86, SCMP_ARCH_X86 }, { "i486", SCMP_ARCH_X86, SCMP_ARCH_X86 },
	{ "i586", SCMP_ARCH_X86, SCMP_ARCH_X86 }, { "i686", SCMP_ARCH_X86, SCMP_ARCH_X86 },
	{ "aarch64", SCMP_ARCH_AARCH64, SCMP_ARCH_ARM }, { "arm64", SCMP_ARCH_AARCH64, SCMP_ARCH_ARM }, { "arm", SCMP_ARCH_ARM, SCMP_ARCH_ARM },
	{ "ppc64le", SCMP_ARCH_PPC64LE, SCMP_ARCH_PPC64LE }, { "ppc64", SCMP_ARCH_PPC64, SCMP_ARCH_PPC }, { "ppc", SCMP_ARCH_PPC, SCMP_ARCH_PPC },
	{ "s390x", SCMP_ARCH_S390X, SCMP_ARCH_S390 }, { "s390", SCMP_ARCH_S390, SCMP_ARCH_S390 },
	{ "parisc64", SCMP_ARCH_PARISC64, SCMP_ARCH_PARISC }, { "parisc", SCMP_ARCH_PARISC, SCMP_ARCH_PARISC },
	{ "mips64", SCMP_ARCH_MIPS64, SCMP_ARCH_MIPS }, { "mips", SCMP_ARCH_MIPS, SCMP_ARCH_MIPS },
#ifdef SCMP_ARCH_RISCV64
	{ "riscv64", SCMP_ARCH_RISCV64, SCMP_ARCH_RISCV64 },
#endif
#ifdef SCMP_ARCH_LOONGARCH64
	{ "loongarch64", SCMP_ARCH_LOONGARCH64, SCMP_ARCH_LOONGARCH64 },
#endif
};

/* What the caller frees; NULL: unknown. */
static char *
syscall_name(const char *machine, size_t n, int number, bool is32)
{
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		size_t len = strlen(machines[i].machine);

		if (n < len || memcmp(machine, machines[i].machine, len) != 0)
			continue;
		if (machines[i].arch == SCMP_ARCH_X86_64 && number & X32_BIT)
			return seccomp_syscall_resolve_num_arch(SCMP_ARCH_X32, number);
		if (machines[i].arch == SCMP_ARCH_MIPS64 && number / 1000 != 5)	/* the numbers of its three ABIs do not overlap */
			return seccomp_syscall_resolve_num_arch(number / 1000 == 6 ? SCMP_ARCH_MIPS64N32 : SCMP_ARCH_MIPS, number);
		return number < 0 ? NULL : seccomp_syscall_resolve_num_arch(is32 ? machines[i].arch32 : machines[i].arch, number);
	}
	return NULL;
}
#else
static char *
syscall_name(const char *machine, size_t n, int number, bool is32)
{
	(void)machine;
	(void)n;
	(void)number;
	(void)is32;
	return NULL;
}
#endif

struct syscalls *
syscalls_new(const struct tool *t)
{
	struct syscalls *s = tool_alloc(1, sizeof *s);

#ifndef WITH_SECCOMP
	tool_wrong(t, "--sort syscall: this pstat was built without libseccomp, which knows the names; raw.id is the number");
#endif
	(void)t;
	s->id = field_payload_new("id", 2, NULL);
	s->nr = field_payload_new("__syscall_nr", 12, NULL);
	s->id->type = s->nr->type = FIELD_INT;
	s->abi = field_find("regs.abi", 8);
	return s;
}

void
syscalls_free(struct syscalls *s)
{
	if (!s)
		return;
	field_payload_free(s->id);
	field_payload_free(s->nr);
	for (unsigned i = 0; i < NUMBERS; i++) {
		free(s->text[0][i]);
		free(s->text[1][i]);
	}
	for (unsigned i = 0; i < OTHERS; i++)
		free(s->other[i]);
	free(s);
}

void
syscalls_find(const struct syscalls *s, const struct field_stream *stream, const struct field_kind *kind, struct syscall_place *to)
{
	const struct pp_format *f = kind->type == PP_SAMPLE && kind->ev ? field_format(stream, kind->ev) : NULL;
	const struct field *number = !f ? NULL : !strncmp(f->event, "raw_syscalls:", 13) ? s->id : !strncmp(f->event, "syscalls:", 9) ? s->nr : NULL;

	*to = (struct syscall_place){ .at.at = AT_NONE, .abi_at.at = AT_NONE };
	if (!number)
		return;
	field_access(stream, number, kind, &to->at);
	if (to->at.at != AT_NONE)
		to->number = number;
	if (kind->ev->attr.sample_type & PP_SAMPLE_REGS_USER)
		field_access(stream, s->abi, kind, &to->abi_at);
	if (to->abi_at.at != AT_NONE)
		to->abi = s->abi;
}

uint64_t
syscalls_key(int64_t number, uint64_t abi)
{
	if (number != (int32_t)number)
		return UINT64_MAX;
	return (uint32_t)number | (abi == ABI_32 ? KEY_32 : 0);
}

struct cell
syscalls_cell(struct syscalls *s, const char *machine, size_t n, uint64_t key)
{
	int32_t number = (int32_t)(uint32_t)key;
	bool is32 = key & KEY_32;
	char **kept = (uint32_t)number < NUMBERS ? &s->text[is32][number] : &s->other[s->others++ % OTHERS];

	if ((uint32_t)number >= NUMBERS) {	/* of x32, say */
		free(*kept);
		*kept = NULL;
	}
	if (!*kept)
		*kept = syscall_name(machine, n, number, is32);
	if (!*kept && asprintf(kept, "%d", number) < 0)
		tool_no_memory();
	return cell_text(*kept);
}
