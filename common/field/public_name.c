/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "public_name.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Names of maps that perf and the kernel generate. */
static const char *const public_names[] = {
	"[kernel.kallsyms]", "[kernel.kallsyms]_text", "[kernel.kallsyms]_stext", "[kernel.vmlinux]", "[kernel]",
	"[guest.kernel.kallsyms]", "[guest.kernel.kallsyms]_text", "[hypervisor]", "[unknown]",
	"[vdso]", "[vdso32]", "[vdsox32]", "[vsyscall]", "[vvar]", "[vvar_vclock]", "[vectors]", "[sigpage]", "[uprobes]",
	"[heap]", "[stack]", "[anon]", "[bpf]",
	"//anon", "//toolong", "//enomem", "/anon_hugepage", "/dev/zero",
};

/* Prefixes of symbols that the kernel generates; the rest of the symbol is private. */
static const char *const symbol_prefixes[] = {
	"bpf_prog_", "bpf_trampoline_", "bpf_dispatcher_",
};
static const char *const public_symbols[] = {
	"ftrace_trampoline", "kprobe_insn_page", "kprobe_optinsn_page",
};

static bool
is_one_of(const char *s, size_t n, const char *const *list, size_t count)
{
	for (size_t i = 0; n && i < count; i++)
		if (*s == *list[i] && strlen(list[i]) == n && !memcmp(s, list[i], n))
			return true;
	return false;
}

bool
tool_public_map(const char *s, size_t n)
{
	static const char deleted[] = " (deleted)";

	if (n >= sizeof deleted - 1 && !memcmp(s + n - (sizeof deleted - 1), deleted, sizeof deleted - 1))
		n -= sizeof deleted - 1;
	return is_one_of(s, n, public_names, COUNT(public_names));
}

bool
tool_public_symbol(const char *s, size_t n)
{
	return is_one_of(s, n, public_symbols, COUNT(public_symbols));
}

const char *
tool_public_symbol_prefix(const char *s, size_t n)
{
	for (size_t i = 0; i < COUNT(symbol_prefixes); i++)
		if (n >= strlen(symbol_prefixes[i]) && !memcmp(s, symbol_prefixes[i], strlen(symbol_prefixes[i])))
			return symbol_prefixes[i];
	return NULL;
}
