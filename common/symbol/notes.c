/* SPDX-License-Identifier: ISC */
/* notes.c - see notes.h.  libelf finds where the notes are, notes_find() reads them. */
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "notes.h"
#include "perfpipe_inline.h"

enum { PLACES_MAX = 4096 };		/* segments or sections to read: real files have dozens */

/*
 * Find NT_GNU_BUILD_ID (elf(5), "Notes"):  namesz descsz type  "GNU\0"  desc, name and desc padded.
 * The padding is 4 bytes in nearly all files, 8 in segments that say so.
 */
int
notes_find(struct build_id *id, const uint8_t *p, size_t n, size_t align, bool swap)
{
	struct pp_cur c = pp_cur(p, n, swap);

	while (pp_left(&c) >= 12) {
		uint32_t namesz = pp_take_u32(&c), descsz = pp_take_u32(&c), type = pp_take_u32(&c);
		const uint8_t *name = pp_take(&c, namesz), *desc;

		pp_take(&c, -(size_t)(c.p - p) & (align - 1));
		desc = pp_take(&c, descsz);
		if (c.bad)
			return 0;
		if (type == NT_GNU_BUILD_ID && namesz == 4 && memcmp(name, "GNU", 4) == 0 && descsz) {
			id->len = descsz < sizeof id->b ? descsz : sizeof id->b;
			memcpy(id->b, desc, id->len);
			return 1;
		}
		pp_take(&c, -(size_t)(c.p - p) & (align - 1));
		if (c.bad)		/* the last note need not be padded */
			return 0;
	}
	return 0;
}

int
notes_read(struct build_id *id, int fd, uint64_t off, uint64_t n, size_t align, bool swap)
{
	uint8_t *p = n && n <= NOTES_MAX && off <= INT64_MAX ? malloc(n) : NULL;
	ssize_t got = p ? pread(fd, p, n, (off_t)off) : 0;
	int rc = got > 0 ? notes_find(id, p, (size_t)got, align, swap) : (int)got;

	free(p);
	return rc;
}

int
notes_file(struct build_id *id, int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC), rc;

	if (fd < 0)
		return 0;
	rc = notes_read(id, fd, 0, NOTES_MAX, 4, false);
	close(fd);
	return rc > 0;
}

int
notes_elf(struct build_id *id, Elf *elf, int fd)
{
	size_t idsz, n = 0;
	const char *ident = elf_getident(elf, &idsz);
	bool swap = ident && idsz > EI_DATA &&
	    (ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Phdr ph;
	int rc;

	if (elf_getphdrnum(elf, &n) < 0)
		n = 0;
	for (size_t i = 0; i < n && i < PLACES_MAX && gelf_getphdr(elf, (int)i, &ph); i++)
		if (ph.p_type == PT_NOTE &&
		    (rc = notes_read(id, fd, ph.p_offset, ph.p_filesz, ph.p_align == 8 ? 8 : 4, swap)))
			return rc;
	for (n = 0; n < PLACES_MAX && (scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &sh); n++)
		if (sh.sh_type == SHT_NOTE &&
		    (rc = notes_read(id, fd, sh.sh_offset, sh.sh_size, sh.sh_addralign == 8 ? 8 : 4, swap)))
			return rc;
	return 0;
}
