/* SPDX-License-Identifier: ISC */
/*
 * unwinding - what common/unwind says of files and processes, as text
 *
 *	unwinding MACHINE rules FILE <ADDRESSES
 *		for each address, in hex, a line: ADDRESS none; or ADDRESS CFA REGISTER=RULE ..., by the numbers of DWARF, and the flags
 *		"start" and "signal".  CFA and rules: r7+16, c-8 (in memory at CFA - 8), v-8 (CFA - 8 itself), r12, exp, vexp, u.
 *	unwinding MACHINE chain [MAX] <PROCESS
 *		lines of PROCESS: "reg N VALUE" (numbers of perf), "map " and a line of /proc/PID/maps, "stack" and bytes in hex, "end", which
 *		prints REASON, a tab, and the frames.
 *
 * MACHINE: x86-64, arm64.  Status 1: the file has no tables, and why.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/in.h"

static void
print_rule(const struct unwind_rule *r)
{
	switch (r->kind) {
	case UNWIND_OFFSET: case UNWIND_VAL_OFFSET:
		printf("%c%+" PRId64, r->kind == UNWIND_OFFSET ? 'c' : 'v', r->value);
		break;
	case UNWIND_REGISTER:
		printf("r%" PRId64, r->value);
		break;
	case UNWIND_EXPR: case UNWIND_VAL_EXPR:
		fputs(r->kind == UNWIND_EXPR ? "exp" : "vexp", stdout);
		break;
	default:
		putchar('u');
	}
}

static int
rules(struct unwinder *u, const char *path)
{
	char line[64];
	const char *why;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct unwind_file *f;

	if (fd < 0)
		err(1, "%s", path);
	if (!(f = unwind_file_open(u, fd, &why)))
		errx(1, "%s: %s", path, why);
	while (fgets(line, sizeof line, stdin)) {
		uint64_t addr = strtoull(line, NULL, 16);
		struct unwind_row *row = unwind_cfi_row(f, addr);
		const struct unwind_rule *rule;

		printf("%" PRIx64, addr);
		if (!row) {
			puts(" none");
			continue;
		}
		if (row->cfa.kind == UNWIND_VAL_EXPR)
			fputs(" exp", stdout);
		else
			printf(" r%d%+" PRId64, row->cfa_reg, row->cfa.value);
		rule = row->rule;
		for (uint64_t mask = row->mask; mask; mask &= mask - 1, rule++) {
			printf(" %d=", __builtin_ctzll(mask));
			print_rule(rule);
		}
		puts(row->flags & UNWIND_ROW_START ? " start" : row->flags & UNWIND_ROW_SIGNAL ? " signal" : "");
		free(row);
	}
	if (unwind_file_trouble(f))
		errx(1, "%s: %s", path, unwind_file_trouble(f));
	unwind_file_close(f);
	return 0;
}

/* ---- chains -------------------------------------------------------------------------------------------- */

enum { MAPS = 256, STACK = 1 << 20, FRAMES = 1000 };

static struct process {
	struct unwind_regs regs;
	uint8_t		 stack[STACK];
	size_t		 size;
	struct unwind_map map[MAPS];
	char		*path[MAPS];
	unsigned	 nmaps;
} p;

static bool
find(void *arg, uint64_t addr, struct unwind_map *m)
{
	(void)arg;
	for (unsigned i = 0; i < p.nmaps; i++)
		if (addr >= p.map[i].start && addr < p.map[i].end) {
			*m = p.map[i];
			return true;
		}
	return false;
}

static struct unwind_file *
file_of(struct unwinder *u, const char *path)
{
	const char *why;
	struct unwind_file *f;
	int fd;

	for (unsigned i = 0; i < p.nmaps; i++)
		if (p.path[i] && !strcmp(p.path[i], path))
			return p.map[i].file;
	if (*path != '/' || (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return NULL;
	f = unwind_file_open(u, fd, &why);
	return f;
}

static void
add_map(struct unwinder *u, const char *line)
{
	struct unwind_map m = { 0 };
	char perms[5], path[4096] = "";

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %4095[^\n]", &m.start, &m.end, perms, &m.pgoff, path) < 4 ||
	    p.nmaps == MAPS)
		errx(2, "bad map: %s", line);
	m.exec = perms[2] == 'x';
	m.write = perms[1] == 'w';
	m.file = file_of(u, path);
	p.path[p.nmaps] = strdup(path);
	p.map[p.nmaps++] = m;
}

static void
add_stack(const char *hex)
{
	unsigned byte;

	for (p.size = 0; p.size < STACK && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		p.stack[p.size++] = (uint8_t)byte;
}

static void
print_chain(struct unwinder *u, size_t max)
{
	static uint64_t ip[FRAMES];
	struct unwind_stack stack = { p.stack, p.size };
	struct unwind_space space = { find, NULL };
	enum unwind_end end;
	size_t n = unwind_chain(u, &p.regs, &stack, &space, ip, max, &end);

	printf("%s\t", unwind_end_text(end));
	for (size_t i = 0; i < n; i++)
		printf("%s%" PRIx64, i ? " " : "", ip[i]);
	putchar('\n');
}

static int
chains(struct unwinder *u, size_t max)
{
	char *line = NULL;
	size_t size = 0;
	unsigned reg;
	uint64_t value;

	while (getline(&line, &size, stdin) > 0) {
		if (sscanf(line, "reg %u %" SCNx64, &reg, &value) == 2 && reg < UNWIND_REGS) {
			p.regs.mask |= UINT64_C(1) << reg;
			p.regs.value[reg] = value;
		} else if (!strncmp(line, "map ", 4))
			add_map(u, line + 4);
		else if (!strncmp(line, "stack ", 6))
			add_stack(line + 6);
		else if (!strncmp(line, "end", 3)) {
			print_chain(u, max);
			p.nmaps = 0;
			p.regs.mask = 0;
		}
	}
	free(line);
	return 0;
}

int
main(int argc, char *argv[])
{
	struct unwinder *u = unwind_new(argc > 1 && !strcmp(argv[1], "arm64") ? UNWIND_ARM64 : UNWIND_X86_64);

	if (argc == 4 && !strcmp(argv[2], "rules"))
		return rules(u, argv[3]);
	if (argc >= 3 && !strcmp(argv[2], "chain"))
		return chains(u, argc > 3 ? strtoul(argv[3], NULL, 10) : 127);
	fputs("usage: unwinding MACHINE rules FILE | MACHINE chain [MAX]\n", stderr);
	return 2;
}
