/* SPDX-License-Identifier: ISC */
/*
 * notes.c - libFuzzer target: any bytes as an ELF file, as the vdso of a 32-bit process, or as notes (cmd/pinject/lookup/buildid.c)
 *
 * The first byte decides which of them, and in what kind of ELF file notes are.  What must hold: no sanitizer error; an id has
 * 1 to 20 bytes, which are in the input; none has a reason; the same question gives the same answer; and of notes it is the id
 * that another reader, below, finds.
 */
#include <sys/mman.h>

#include "fuzz.h"

#include "lookup/buildid.c"		/* with vdso_read(), which is static */

/* The first byte: the kind of input in its low bits; of notes also */
enum { KIND = 3, AS_ELF = 0, AS_VDSO = 1, SECTION = 4, BIG = 8, BITS32 = 16, ALIGN8 = 32 };

static uint64_t
number(const uint8_t *p, size_t size, bool big)
{
	uint64_t v = 0;

	for (size_t i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * (big ? size - 1 - i : i);
	return v;
}

static size_t
padded(uint64_t n, size_t align)
{
	return (n + align - 1) / align * align;
}

/* elf(5), "Notes", by offsets into the whole. */
static int
find(struct build_id *id, const uint8_t *p, size_t n, size_t align, bool big)
{
	for (uint64_t at = 0, desc, end; n >= 12 && at <= n - 12; at = padded(end, align)) {
		uint64_t namesz = number(p + at, 4, big), descsz = number(p + at + 4, 4, big), type = number(p + at + 8, 4, big);

		desc = padded(at + 12 + namesz, align);
		end = desc + descsz;
		if (end > n)
			break;
		if (type == 3 && descsz && namesz == 4 && !memcmp(p + at + 12, "GNU", 4)) {
			id->len = descsz < 20 ? descsz : 20;
			memcpy(id->b, p + desc, id->len);
			return 1;
		}
	}
	return 0;
}

/* ---- ELF files around notes ------------------------------------------------------------------------- */

enum { NOTES_AT = 256 };

static void
set(uint8_t *at, size_t size, bool big, uint64_t v)
{
	for (size_t i = 0; i < size; i++)
		at[big ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

/* A header, and behind it one program header, or an empty and one section header. */
static void
around(uint8_t *h, unsigned how, size_t n)
{
	bool big = how & BIG, small = how & BITS32, section = how & SECTION;
	size_t w = small ? 4 : 8, eh = small ? 52 : 64, ph = small ? 32 : 56, sh = small ? 40 : 64, align = how & ALIGN8 ? 8 : 4;
	uint8_t *e = h + eh, *s = h + eh + sh;

	memcpy(h, "\177ELF", 4);
	h[4] = small ? 1 : 2;
	h[5] = big ? 2 : 1;
	h[6] = 1;
	set(h + 16, 2, big, 3);			/* e_type, e_machine, e_version */
	set(h + 18, 2, big, small ? 3 : 62);
	set(h + 20, 4, big, 1);
	set(h + 24 + (section ? 2 : 1) * w, w, big, eh);	/* e_shoff or e_phoff */
	set(h + 24 + 3 * w + 4, 2, big, eh);	/* e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum */
	set(h + 24 + 3 * w + 6, 2, big, ph);
	set(h + 24 + 3 * w + 8, 2, big, !section);
	set(h + 24 + 3 * w + 10, 2, big, sh);
	set(h + 24 + 3 * w + 12, 2, big, section ? 2 : 0);
	if (section) {				/* sh_type, sh_offset, sh_size, sh_addralign */
		set(s + 4, 4, big, 7);
		set(s + 8 + 2 * w, w, big, NOTES_AT);
		set(s + 8 + 3 * w, w, big, n);
		set(s + 16 + 4 * w, w, big, align);
	} else {				/* p_type, p_offset, p_filesz, p_align */
		set(e, 4, big, 4);
		set(e + w, w, big, NOTES_AT);
		set(e + (small ? 16 : 32), w, big, n);
		set(e + (small ? 28 : 48), w, big, align);
	}
}

/* ---- the target -------------------------------------------------------------------------------------- */

static int
ask(struct build_id *id, int fd, unsigned kind)
{
	const char *why = NULL;
	int rc;

	*id = (struct build_id){0};
	if (kind == AS_VDSO)
		return vdso_read(id, fd, 0);
	rc = buildid_fd(id, fd, &why);
	MUST(rc == 1 || (rc == 0 && why));
	return rc;
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	unsigned how = n ? *p : 0, kind = how & KIND;
	uint8_t head[NOTES_AT] = {0};
	struct build_id a, b;
	int fd, rc;

	if (!n--)
		return 0;
	p++;
	MUST((fd = memfd_create("fuzz", MFD_CLOEXEC)) >= 0);
	if (kind > AS_VDSO) {
		around(head, how, n);
		MUST(write(fd, head, sizeof head) == sizeof head);
	}
	MUST(write(fd, p, n) == (ssize_t)n);
	rc = ask(&a, fd, kind);
	MUST(ask(&b, fd, kind) == rc && a.len == b.len && !memcmp(a.b, b.b, a.len));
	if (rc)
		MUST(a.len && a.len <= BUILD_ID_MAX && (kind > AS_VDSO || memmem(p, n, a.b, a.len)));
	if (kind > AS_VDSO) {
		b = (struct build_id){0};
		MUST(find(&b, p, n, how & ALIGN8 ? 8 : 4, how & BIG) == rc);
		MUST(!rc || (a.len == b.len && !memcmp(a.b, b.b, a.len)));
	}
	close(fd);
	return 0;
}
