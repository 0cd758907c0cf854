/* SPDX-License-Identifier: ISC */
/*
 * unwind_chain.c - libFuzzer target: any registers, stack and tables as a sample and its file (common/unwind)
 *
 *	u8 machine, which registers are there, bytes of the tables / 8 | for each register: 3 bytes | .eh_frame | the stack
 *
 * A register, and each word of the stack, says where it points: into code, data, the stack or anywhere.  What must hold: no sanitizer
 * error; the first frame is the instruction pointer, each other one in a map of code; a shorter limit cuts the chain and
 * changes nothing else; the same sample has the same chain when rules are in the cache, and in another unwinder.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/in.h"
#include "fuzz.h"

enum { HEAD = 1024, MAX = 127, TABLES = 2048, WORDS = 1024 };
#define BASE	UINT64_C(0x10000000)
#define STACK	UINT64_C(0x70000000)

static struct sample {
	struct unwind_regs regs;
	uint8_t		 stack[8 * WORDS];
	size_t		 size;
	uint8_t		 file[HEAD + TABLES];
	size_t		 n;
	enum unwind_machine machine;
	struct unwind_map map[3];
} s;

static void
set(size_t at, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		s.file[at + i] = (uint8_t)(v >> 8 * i);
}

/* The file: its tables are at 1024, and are mapped as code. */
static void
make_file(size_t n)
{
	static const char names[] = "\0.eh_frame";

	s.n = HEAD + n;
	memset(s.file, 0, HEAD);
	memcpy(s.file, "\177ELF\2\1\1", 7);
	set(16, ET_DYN, 2);
	set(18, s.machine == UNWIND_ARM64 ? EM_AARCH64 : EM_X86_64, 2);
	set(32, 64, 8);
	set(40, 512, 8);
	set(54, 56, 2);
	set(56, 1, 2);
	set(58, 64, 2);
	set(60, 2, 2);
	set(64, PT_LOAD, 4);
	set(64 + 4, PF_R | PF_X, 4);
	set(64 + 32, s.n, 8);
	set(64 + 40, s.n, 8);
	memcpy(s.file + 700, names, sizeof names);
	set(512 + 24, 700, 8);
	set(512 + 32, sizeof names, 8);
	set(576, 1, 4);
	set(576 + 4, SHT_PROGBITS, 4);
	set(576 + 16, HEAD, 8);
	set(576 + 24, HEAD, 8);
	set(576 + 32, n, 8);
}

static uint64_t
place(unsigned kind, uint64_t at)
{
	switch (kind % 4) {
	case 0: return BASE + at % 4096;
	case 1: return STACK + at % (8 * WORDS);
	case 2: return at;
	default: return UINT64_MAX - at;
	}
}

static bool
find(void *arg, uint64_t addr, struct unwind_map *m)
{
	(void)arg;
	for (unsigned i = 0; i < 3; i++)
		if (addr >= s.map[i].start && addr < s.map[i].end) {
			*m = s.map[i];
			return true;
		}
	return false;
}

static bool
is_code(uint64_t addr)
{
	struct unwind_map m;

	return find(NULL, addr, &m) && m.exec;
}

static size_t
chain(struct unwinder *u, uint64_t *ip, size_t max, enum unwind_end *end)
{
	struct unwind_space space = { find, NULL };
	uint8_t *copy = malloc(s.size ? s.size : 1);
	struct unwind_stack stack = { copy, s.size };
	size_t n;

	memcpy(copy, s.stack, s.size);
	*end = UNWIND_ENDS;
	n = unwind_chain(u, &s.regs, &stack, &space, ip, max, end);
	MUST(n <= max && *end < UNWIND_ENDS && unwind_end_text(*end));
	free(copy);
	return n;
}

static struct unwind_file *
open_file(struct unwinder *u)
{
	const char *why;
	struct unwind_file *f = unwind_file_memory(u, s.file, s.n, &why);

	MUST(f);
	s.map[0] = (struct unwind_map){ BASE, BASE + 4096, 0, true, false, f };
	s.map[1] = (struct unwind_map){ BASE + 4096, BASE + 8192, 0, false, false, f };
	s.map[2] = (struct unwind_map){ STACK, STACK + 8 * WORDS, 0, false, true, NULL };
	return f;
}

static bool
take(const uint8_t *p, size_t n)
{
	size_t tables;

	if (n < 3 + 3 * UNWIND_REGS)
		return false;
	s.machine = p[0] & 1 ? UNWIND_ARM64 : UNWIND_X86_64;
	s.regs.mask = p[1] & 1 ? UINT64_MAX : ~(UINT64_C(1) << p[1] / 2 % 64);
	tables = 8 * p[2];
	p += 3;
	for (unsigned i = 0; i < UNWIND_REGS; i++, p += 3)
		s.regs.value[i] = place(p[0], p[1] | p[2] << 8);
	n -= 3 + 3 * UNWIND_REGS;
	if (tables > n)
		tables = n;
	memcpy(s.file + HEAD, p, tables);
	make_file(tables);
	p += tables;
	n -= tables;
	for (s.size = 0; n >= 3 && s.size < sizeof s.stack; n -= 3, p += 3, s.size += 8) {
		uint64_t v = place(p[0], p[1] | p[2] << 8);

		for (unsigned i = 0; i < 8; i++)
			s.stack[s.size + i] = (uint8_t)(v >> 8 * i);
	}
	s.size -= s.size ? p[-1] % 8 : 0;
	return true;
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	uint64_t ip[MAX], again[MAX];
	static struct unwinder *each[2][2];	/* for all runs: their caches have the rules of many files, as they have in a tool */
	struct unwinder *u, *other;
	enum unwind_end end, end_again;
	struct unwind_file *f;
	size_t frames;

	if (!take(p, n))
		return 0;
	for (unsigned i = 0; i < 2; i++)
		if (!each[s.machine][i])
			MUST((each[s.machine][i] = unwind_new(s.machine)));
	u = each[s.machine][0];
	other = each[s.machine][1];
	f = open_file(u);
	frames = chain(u, ip, MAX, &end);
	if (frames)
		MUST(ip[0] == s.regs.value[s.machine == UNWIND_ARM64 ? 32 : 8]);
	for (size_t i = 1; i < frames; i++)
		MUST(is_code(ip[i]) || is_code(ip[i] - 1));	/* a trampoline may be looked up in the last byte of a map */
	MUST(chain(u, again, MAX, &end_again) == frames && end == end_again && !memcmp(ip, again, 8 * frames));
	if (frames > 1) {
		MUST(chain(u, again, frames / 2, &end_again) == frames / 2 && end_again == UNWIND_MAX);
		MUST(!memcmp(ip, again, 8 * (frames / 2)));
	}
	unwind_file_close(f);
	f = open_file(other);
	MUST(chain(other, again, MAX, &end_again) == frames && end == end_again && !memcmp(ip, again, 8 * frames));
	unwind_file_close(f);
	return 0;
}
