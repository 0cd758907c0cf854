/* SPDX-License-Identifier: ISC */
/* chain.c - see unwind.h: from the registers of a function to those of its caller, until there is none */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "in.h"

/* ---- machines ------------------------------------------------------------------------------------------ */

#define BIT(n) (UINT64_C(1) << (n))
#define BITS(from, to) (BIT((to) + 1) - BIT(from))

static const struct unwind_machine_desc machines[] = {
	[UNWIND_X86_64] = { .name = "x86_64", .elf = EM_X86_64, .columns = 17, .pc = 16, .sp = 7, .fp = 6, .address = UINT64_MAX,
	    .perf = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 } },
	[UNWIND_ARM64] = { .name = "aarch64", .elf = EM_AARCH64, .columns = 33, .pc = 32, .sp = 31, .fp = 29, .link = true, .address = BITS(0, 47),
	    .perf = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
		31, 32 } },
};
_Static_assert(sizeof machines / sizeof *machines == UNWIND_MACHINES, "a machine without its row");

enum unwind_machine
unwind_machine(const char *name)
{
	unsigned i = 0;

	while (i < UNWIND_MACHINES && strcmp(machines[i].name, name))
		i++;
	return (enum unwind_machine)i;
}

unsigned
unwind_ip(const struct unwinder *u)
{
	return u->machine->perf[u->machine->pc];
}

struct unwinder *
unwind_new(enum unwind_machine machine)
{
	struct unwinder *u = calloc(1, sizeof *u);

	if (!u)
		return NULL;
	u->machine = &machines[machine];
	if (!unwind_cache_open(&u->cache)) {
		unwind_free(u);
		return NULL;
	}
	return u;
}

void
unwind_free(struct unwinder *u)
{
	if (!u)
		return;
	unwind_cache_close(&u->cache);
	free(u);
}

const struct unwind_stats *
unwind_stats(const struct unwinder *u)
{
	return &u->stats;
}

const char *
unwind_end_text(enum unwind_end end)
{
	static const char *const text[UNWIND_ENDS] = {
		[UNWIND_START] = "the thread's start is reached",
		[UNWIND_MAX] = "there are more frames than asked for",
		[UNWIND_COPY] = "the copy of the stack is too short",
		[UNWIND_NO_TABLES] = "there are neither tables nor a frame pointer",
		[UNWIND_NO_MAP] = "a return address is in no map of code",
		[UNWIND_LOOP] = "a frame is not above the one it called",
		[UNWIND_RULE] = "the tables have no rule that can be followed",
		[UNWIND_REGISTERS] = "the sample lacks registers",
	};

	return text[end];
}

/* ---- memory -------------------------------------------------------------------------------------------- */

enum { MAPS = 4 };			/* maps of one chain that are kept: most are in fewer */
enum { FREE_STEPS = 64, FILE_STEPS = 16 };	/* steps of a frame that are not counted as work; what a read of a file is worth */

struct walk {
	struct unwinder	*u;
	const struct unwind_space *space;
	const uint8_t	*copy;
	uint64_t	 base, size;	/* of the copy */
	struct unwind_frame frame;
	uint64_t	 last;		/* the CFA of the last frame, or the stack pointer */
	bool		 active;	/* the frame has made no call: the first one, or interrupted by a signal */
	bool		 missing;	/* something was not in the copy */
	uint64_t	 steps;		/* of the frame's expressions */
	struct unwind_map map[MAPS];
	unsigned	 nmaps, at;	/* at: the one that was found last */
};

/* NULL: none */
static const struct unwind_map *
map_of(struct walk *w, uint64_t addr)
{
	struct unwind_map m;

	if (w->nmaps && addr - w->map[w->at].start < w->map[w->at].end - w->map[w->at].start)
		return &w->map[w->at];
	for (unsigned i = 0; i < w->nmaps && i < MAPS; i++)
		if (addr - w->map[i].start < w->map[i].end - w->map[i].start) {
			w->at = i;
			return &w->map[i];
		}
	if (!w->space->find(w->space->arg, addr, &m) || addr - m.start >= m.end - m.start)
		return NULL;
	w->at = w->nmaps++ % MAPS;
	w->map[w->at] = m;
	return &w->map[w->at];
}

static inline bool
from_copy(struct walk *w, uint64_t addr, unsigned size, uint64_t *value)
{
	uint64_t at = addr - w->base;

	if (at >= w->size || w->size - at < size)
		return false;
	*value = unwind_number(w->copy + at, size);
	return true;
}

static bool
from_file(struct walk *w, uint64_t addr, unsigned size, uint64_t *value)
{
	const struct unwind_map *m = map_of(w, addr);
	uint8_t bytes[8];

	w->steps += FILE_STEPS;
	if (!m || m->write || !m->file || m->end - addr < size ||
	    unwind_read(m->file, addr - m->start + m->pgoff, bytes, size) < size) {
		w->missing = true;
		return false;
	}
	*value = unwind_number(bytes, size);
	return true;
}

static bool
from_memory(void *arg, uint64_t addr, unsigned size, uint64_t *value)
{
	struct walk *w = arg;

	return from_copy(w, addr, size, value) || from_file(w, addr, size, value);
}

/* ---- one frame ----------------------------------------------------------------------------------------- */

/* Look the rules up, which are not in the cache. */
static __attribute__((noinline)) const struct unwind_row *
row_missed(struct unwinder *u, struct unwind_file *f, uint64_t offset)
{
	struct unwind_row *new = NULL;
	const struct unwind_row *row;
	uint64_t vaddr;
	bool evicted;

	u->stats.misses++;
	if (unwind_addr_of(f, offset, &vaddr))
		new = unwind_cfi_row(f, vaddr);
	if (!new && !f->trouble)
		new = unwind_trampoline_row(f, offset);
	u->stats.absent += !new;
	row = unwind_cache_put(&u->cache, f->serial | offset, new, &evicted);
	u->stats.evicted += evicted;
	return row;
}

/* The rules at an address of a map; NULL: there are none. */
static inline const struct unwind_row *
row_at(struct walk *w, const struct unwind_map *m, uint64_t addr)
{
	struct unwinder *u = w->u;
	struct unwind_file *f = m->file;
	uint64_t offset = addr - m->start + m->pgoff;
	const struct unwind_row *row;

	if (!f || f->trouble || offset >> UNWIND_KEY_BITS)
		return NULL;
	return unwind_cache_get(&u->cache, f->serial | offset, &row) ? row : row_missed(u, f, offset);
}

/*
 * A caller's address is that of its call, but the trampoline of a signal has made none: where a function ends with that byte, or none is there,
 * the trampoline may begin at the next one.
 */
static __attribute__((noinline)) const struct unwind_row *
row_behind(struct walk *w, const struct unwind_map *m, uint64_t addr, const struct unwind_row *row)
{
	const struct unwind_row *next;

	if (w->active || m->end - addr <= 1)
		return row;
	next = row_at(w, m, addr + 1);
	if (next && next->flags & UNWIND_ROW_TRAMPOLINE)
		return next;
	return row ? row_at(w, m, addr) : NULL;		/* again: the cache may have freed it for the other */
}

static bool
run_expression(struct walk *w, const struct unwind_row *row, const struct unwind_rule *rule, const struct unwind_frame *frame,
    const uint64_t *first, uint64_t *to)
{
	struct unwind_memory memory = { from_memory, w };
	const uint8_t *p = unwind_row_bytes(row) + rule->value;

	return unwind_expr((struct unwind_bytes){ p, p + rule->size, false }, frame, &memory, first, to, &w->steps);
}

/* The value of a register in the caller; false: it is unknown. */
static bool
value_of(struct walk *w, const struct unwind_row *row, const struct unwind_rule *rule, const struct unwind_frame *frame, uint64_t cfa,
    uint64_t *to)
{
	uint64_t at;

	switch (rule->kind) {
	case UNWIND_OFFSET:
		return from_memory(w, cfa + (uint64_t)rule->value, 8, to);
	case UNWIND_VAL_OFFSET:
		*to = cfa + (uint64_t)rule->value;
		return true;
	case UNWIND_REGISTER:
		*to = frame->reg[rule->value];
		return frame->known >> rule->value & 1;
	case UNWIND_EXPR:
		return run_expression(w, row, rule, frame, &cfa, &at) && from_memory(w, at, 8, to);
	case UNWIND_VAL_EXPR:
		return run_expression(w, row, rule, frame, &cfa, to);
	default:
		return false;
	}
}

static bool
cfa_of(struct walk *w, const struct unwind_row *row, uint64_t *cfa)
{
	if (row->cfa.kind == UNWIND_VAL_EXPR)
		return run_expression(w, row, &row->cfa, &w->frame, NULL, cfa);
	*cfa = w->frame.reg[row->cfa_reg] + (uint64_t)row->cfa.value;
	return w->frame.known >> row->cfa_reg & 1;
}

/*
 * The registers of the caller, but for its pc.  Those of which nothing is said stay, also those that a function need not preserve: if
 * the caller's rules use one, it has been preserved (functions of OpenSSL in assembler do so), and perf reads them so, too.
 */
static void
registers(struct walk *w, const struct unwind_row *row, uint64_t cfa)
{
	const struct unwind_machine_desc *m = w->u->machine;
	const struct unwind_frame *from = &w->frame;
	const struct unwind_rule *rule = row->rule;
	uint64_t known = from->known | BIT(m->sp);
	struct unwind_frame before;

	if (row->flags & UNWIND_ROW_REGISTERS) {
		before = w->frame;
		from = &before;
	}
	w->frame.reg[m->sp] = cfa;
	for (uint64_t mask = row->mask; mask; mask &= mask - 1, rule++) {
		unsigned i = (unsigned)__builtin_ctzll(mask);
		bool good;

		if (rule->kind == UNWIND_OFFSET && from_copy(w, cfa + (uint64_t)rule->value, 8, &w->frame.reg[i]))
			good = true;
		else
			good = value_of(w, row, rule, from, cfa, &w->frame.reg[i]);
		known = good ? known | BIT(i) : known & ~BIT(i);
	}
	w->frame.known = known;
}

/* Why there is no caller: what was needed is not in the copy, or the rules are at fault. */
static enum unwind_end
why_not(const struct walk *w)
{
	return w->missing ? UNWIND_COPY : UNWIND_RULE;
}

/* Go to the caller by these rules.  UNWIND_ENDS: done; else why not. */
static enum unwind_end
by_row(struct walk *w, const struct unwind_row *row)
{
	const struct unwind_machine_desc *m = w->u->machine;
	bool signal = row->flags & UNWIND_ROW_SIGNAL, link = m->link && w->active && w->frame.known >> row->ra & 1;
	uint64_t cfa, pc;

	if (row->flags & UNWIND_ROW_START)
		return UNWIND_START;
	if (!cfa_of(w, row, &cfa))
		return why_not(w);
	if (!signal && (w->active ? cfa < w->last : cfa <= w->last))
		return UNWIND_LOOP;
	registers(w, row, cfa);
	w->last = cfa;
	w->active = signal;
	if (!(row->mask >> row->ra & 1)) {
		if (!link)
			return UNWIND_RULE;
	} else if (!(w->frame.known >> row->ra & 1))
		return why_not(w);
	pc = w->frame.reg[row->ra];
	w->frame.reg[m->pc] = row->flags & UNWIND_ROW_SIGNED ? pc & m->address : pc;
	w->frame.known |= BIT(m->pc);
	return UNWIND_ENDS;
}

enum { POINTER_FAR = 16 << 10 };	/* a frame pointer that far above the stack pointer is believed */

/*
 * The same by the frame pointer: it points to the caller's, and the return address is next to that.  On x86-64 both are uppermost in
 * the frame; on arm64 they may be anywhere in it, so that the caller's stack pointer stays unknown.
 */
static enum unwind_end
by_pointer(struct walk *w)
{
	const struct unwind_machine_desc *m = w->u->machine;
	uint64_t fp = w->frame.reg[m->fp], up, ra;

	if (!(w->frame.known >> m->fp & 1))
		return w->missing ? UNWIND_COPY : UNWIND_NO_TABLES;
	if (fp - w->last > POINTER_FAR)		/* or below */
		return UNWIND_NO_TABLES;
	if (!from_copy(w, fp, 8, &up) || !from_copy(w, fp + 8, 8, &ra))
		return UNWIND_COPY;
	w->last = fp + 16;
	w->active = false;
	w->frame.reg[m->fp] = up;
	w->frame.reg[m->sp] = w->last;
	w->frame.reg[m->pc] = ra & m->address;
	w->frame.known = BIT(m->fp) | BIT(m->pc) | (m->link ? 0 : BIT(m->sp));
	w->u->stats.by_pointer++;
	return UNWIND_ENDS;
}

/* ---- chains -------------------------------------------------------------------------------------------- */

static void
begin(struct walk *w, const struct unwind_regs *regs)
{
	const struct unwind_machine_desc *m = w->u->machine;

	w->frame = (struct unwind_frame){ .known = 0 };
	for (unsigned i = 0; i < m->columns; i++)
		if (regs->mask >> m->perf[i] & 1) {
			w->frame.reg[i] = regs->value[m->perf[i]];
			w->frame.known |= BIT(i);
		}
	w->last = w->base = w->frame.reg[m->sp];
	w->active = true;
	w->missing = false;
	w->nmaps = w->at = 0;
}

static bool
by_stack_pointer(const struct unwind_row *row, const struct unwind_machine_desc *m)
{
	return m->link && (row->flags & UNWIND_ROW_TRAMPOLINE || (row->cfa.kind == UNWIND_VAL_OFFSET && row->cfa_reg == m->sp));
}

/* Go to the caller of the frame at ip, which becomes exact if that is the trampoline of a signal. */
static enum unwind_end
next(struct walk *w, const struct unwind_map *m, uint64_t *ip)
{
	const struct unwind_machine_desc *desc = w->u->machine;
	struct unwind_file *f = m ? m->file : NULL;
	const struct unwind_row *row = m ? row_at(w, m, *ip) : NULL;
	enum unwind_end end;

	if (f && (!row || row->flags & UNWIND_ROW_LAST))
		row = row_behind(w, m, *ip, row);
	if (!row || (by_stack_pointer(row, desc) && !(w->frame.known >> desc->sp & 1)))		/* by_pointer() left it unknown */
		return by_pointer(w);
	if (row->flags & UNWIND_ROW_SIGNAL)
		*ip = w->frame.reg[desc->pc];
	w->steps = 0;
	end = by_row(w, row);
	if (w->steps > FREE_STEPS)
		unwind_work(f, w->steps - FREE_STEPS);
	return end;
}

size_t
unwind_chain(struct unwinder *u, const struct unwind_regs *regs, const struct unwind_stack *stack, const struct unwind_space *space,
    uint64_t *ip, size_t max, enum unwind_end *why)
{
	const struct unwind_machine_desc *m = u->machine;
	struct walk w;
	enum unwind_end end = UNWIND_ENDS;
	size_t n = 0;

	w.u = u;
	w.space = space;
	w.copy = stack->copy;
	w.size = stack->size;
	begin(&w, regs);
	if (!(w.frame.known >> m->pc & 1))
		end = UNWIND_REGISTERS;
	while (end == UNWIND_ENDS) {
		uint64_t pc = w.frame.reg[m->pc], at = w.active ? pc : pc - 1;
		const struct unwind_map *map = map_of(&w, at);

		if (n && !pc)
			end = UNWIND_START;
		else if (n && (!map || !map->exec))
			end = UNWIND_NO_MAP;
		else if (n == max)
			end = UNWIND_MAX;
		else {
			ip[n] = at;
			end = w.frame.known >> m->sp & 1 || n ? next(&w, map, &ip[n]) : UNWIND_REGISTERS;
			n++;
		}
	}
	u->stats.chains++;
	u->stats.frames += n;
	u->stats.end[end]++;
	*why = end;
	return n;
}
