/* SPDX-License-Identifier: ISC */
/* file.c - see unwind.h: an ELF file, by its headers (elf(5)) */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in.h"

enum { EHDR = 64, PHDR = 56 };		/* bytes of the headers of ELFCLASS64 */

size_t
unwind_read(const struct unwind_file *f, uint64_t at, void *to, size_t n)
{
	size_t done = 0;

	if (f->fd < 0) {
		if (at >= f->n)
			return 0;
		done = n < f->n - at ? n : f->n - at;
		memcpy(to, f->p + at, done);
		return done;
	}
	while (done < n && at + done <= INT64_MAX) {
		ssize_t got = pread(f->fd, (char *)to + done, n - done, (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

/* The segments for code come first: where the file has bytes of two in one page, a map of code means that one. */
bool
unwind_addr_of(const struct unwind_file *f, uint64_t offset, uint64_t *addr)
{
	for (size_t i = 0; i < f->nsegments; i++)
		if (offset - f->segment[i].offset < f->segment[i].size) {
			*addr = f->segment[i].addr + (offset - f->segment[i].offset);
			return true;
		}
	return false;
}

bool
unwind_offset_of(const struct unwind_file *f, uint64_t addr, uint64_t *offset)
{
	for (size_t i = 0; i < f->nsegments; i++)
		if (addr - f->segment[i].addr < f->segment[i].size) {
			*offset = f->segment[i].offset + (addr - f->segment[i].addr);
			return true;
		}
	return false;
}

void
unwind_work(struct unwind_file *f, uint64_t work)
{
	f->work += work;
	if (f->work > UNWIND_WORK)
		f->trouble = "its tables take too long";
}

/* PT_GNU_EH_FRAME is .eh_frame_hdr, which says where .eh_frame is; its size there is unknown: it ends with its segment at last. */
static void
header_of_frames(struct unwind_file *f, uint64_t offset, uint64_t addr, uint64_t size)
{
	struct unwind_table *t = &f->table[0];
	uint8_t head[16];
	struct unwind_bytes b = { head, head + unwind_read(f, offset, head, size < sizeof head ? size : sizeof head), false };
	unsigned version = (unsigned)unwind_unsigned(&b, 1);
	uint8_t encoding = (uint8_t)unwind_unsigned(&b, 1);

	unwind_take(&b, 2);
	t->addr = unwind_pointer(&b, encoding, addr + 4, addr);
	if (b.bad || version != 1 || !unwind_offset_of(f, t->addr, &t->at))
		return;
	for (size_t i = 0; i < f->nsegments; i++)
		if (t->addr - f->segment[i].addr < f->segment[i].size)
			t->size = f->segment[i].size - (t->addr - f->segment[i].addr);
	t->header = offset;
	t->header_addr = addr;
	t->header_size = size;
	t->state = UNWIND_TABLE_UNREAD;
}

static void
add_segment(struct unwind_file *f, const uint8_t *ph, bool exec)
{
	uint64_t filesz = unwind_number(ph + 32, 8), memsz = unwind_number(ph + 40, 8);
	bool is_exec = unwind_number(ph + 4, 4) & PF_X;

	if (unwind_number(ph, 4) == PT_LOAD && is_exec == exec)
		f->segment[f->nsegments++] = (struct unwind_segment){ .offset = unwind_number(ph + 8, 8), .addr = unwind_number(ph + 16, 8),
		    .size = filesz ? filesz : memsz };
}

/* NULL, or why not */
static const char *
read_segments(struct unwind_file *f, const uint8_t *header)
{
	uint64_t at = unwind_number(header + 32, 8);
	size_t n = unwind_number(header + 56, 2);
	uint8_t *ph;

	if (!n || n > UNWIND_SEGMENTS || unwind_number(header + 54, 2) != PHDR)
		return "its program headers are damaged, or too many";
	if (!(ph = malloc(n * PHDR)) || !(f->segment = calloc(n, sizeof *f->segment))) {
		free(ph);
		return strerror(ENOMEM);
	}
	if (unwind_read(f, at, ph, n * PHDR) < n * PHDR) {
		free(ph);
		return "its program headers are damaged, or too many";
	}
	for (size_t i = 0; i < 2 * n; i++)
		add_segment(f, ph + i % n * PHDR, i < n);
	for (size_t i = 0; i < n; i++)
		if (unwind_number(ph + i * PHDR, 4) == PT_GNU_EH_FRAME && f->table[0].state == UNWIND_TABLE_NONE)
			header_of_frames(f, unwind_number(ph + i * PHDR + 8, 8), unwind_number(ph + i * PHDR + 16, 8),
			    unwind_number(ph + i * PHDR + 32, 8));
	free(ph);
	return NULL;
}

/* NULL, or why not */
static const char *
read_file(struct unwind_file *f)
{
	uint8_t h[EHDR];
	const char *why;

	if (unwind_read(f, 0, h, EHDR) < EHDR || memcmp(h, ELFMAG, SELFMAG))
		return "not an ELF file";
	if (h[EI_CLASS] != ELFCLASS64 || h[EI_DATA] != ELFDATA2LSB || unwind_number(h + 18, 2) != f->u->machine->elf)
		return "an ELF file of another machine";
	if (unwind_number(h + 16, 2) != ET_EXEC && unwind_number(h + 16, 2) != ET_DYN)
		return "an ELF file of another type than program or library";
	if ((why = read_segments(f, h)))
		return why;
	unwind_sections(f, h);
	return NULL;
}

static struct unwind_file *
open_file(struct unwinder *u, int fd, const void *p, size_t n, const char **why)
{
	struct unwind_file *f = calloc(1, sizeof *f);

	if (!f) {
		*why = strerror(ENOMEM);
		return NULL;
	}
	*f = (struct unwind_file){ .u = u, .fd = fd, .p = p, .n = n, .table[1].debug = true };
	*why = u->serials < (UINT64_C(1) << (64 - UNWIND_KEY_BITS)) - 1 ? read_file(f) : "too many files";
	if (*why) {
		free(f->segment);
		free(f);
		return NULL;
	}
	f->serial = ++u->serials << UNWIND_KEY_BITS;
	f->next = u->files;
	if (f->next)
		f->next->prev = f;
	u->files = f;
	return f;
}

struct unwind_file *
unwind_file_open(struct unwinder *u, int fd, const char **why)
{
	return open_file(u, fd, NULL, 0, why);
}

struct unwind_file *
unwind_file_memory(struct unwinder *u, const void *p, size_t n, const char **why)
{
	return open_file(u, -1, p, n, why);
}

void
unwind_file_close(struct unwind_file *f)
{
	if (!f)
		return;
	unwind_table_drop(f, &f->table[0]);
	unwind_table_drop(f, &f->table[1]);
	if (f->next)
		f->next->prev = f->prev;
	*(f->prev ? &f->prev->next : &f->u->files) = f->next;
	if (f->fd >= 0)
		close(f->fd);
	free(f->segment);
	free(f);
}

bool
unwind_file_bare(const struct unwind_file *f)
{
	return f->table[0].state == UNWIND_TABLE_NONE && f->table[1].state == UNWIND_TABLE_NONE;
}

const char *
unwind_file_trouble(const struct unwind_file *f)
{
	return f->trouble;
}
