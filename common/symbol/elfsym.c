/* SPDX-License-Identifier: ISC */
/* elfsym.c - see elfsym.h.  elf(5) describes the structures; libelf turns them into this machine's byte order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfsym_in.h"
#include "set.h"

void
elfsym_damage(struct elfsym_from *s, const char *why)
{
	if (!s->f->damage)
		s->f->damage = why;
}

/* array_more(), which says when there is no memory. */
static void *
space(struct elfsym_from *s, void *p, size_t n, size_t size, size_t more)
{
	p = array_more(p, n, more, size);
	s->full |= !p;
	return p;
}

/* ---- names --------------------------------------------------------------------------------------------- */

const char *
elfsym_name(const struct elfsym *f, uint32_t name)
{
	return f->names + name;
}

/* false: too many, or no memory */
static bool
put_name(struct elfsym_from *s, const char *name, size_t len, const char *behind, uint32_t *to)
{
	struct elfsym *f = s->f;
	size_t more = strlen(behind);
	char *names;

	if (len + more > ELFSYM_NAME_MAX || len + more + 1 > ELFSYM_NAMES_MAX - f->nnames) {
		elfsym_damage(s, TOO_MANY);
		return false;
	}
	if (!(names = space(s, f->names, f->nnames, 1, len + more + 1)))
		return false;
	f->names = names;
	*to = (uint32_t)f->nnames;
	memcpy(f->names + f->nnames, name, len);
	memcpy(f->names + f->nnames + len, behind, more + 1);
	f->nnames += len + more + 1;
	return true;
}

void
elfsym_put(struct elfsym_from *s, struct elfsym_symbol y, const char *name, size_t len, const char *behind)
{
	struct elfsym_symbol *symbol;
	struct elfsym *f = s->f;

	if (f->n == ELFSYM_MAX) {
		elfsym_damage(s, TOO_MANY);
		return;
	}
	y.source = (uint8_t)s->source;
	if (!put_name(s, name, len, behind, &y.name) || !(symbol = space(s, f->symbol, f->n, sizeof *symbol, 1)))
		return;
	f->symbol = symbol;
	f->symbol[f->n++] = y;
}

const char *
elfsym_string(struct elfsym_from *s, const Elf_Data *strings, uint64_t at, size_t *len)
{
	const char *name;

	if (!at)
		return NULL;
	if (!strings->d_buf || at >= strings->d_size) {
		elfsym_damage(s, DAMAGED_SYMBOLS);
		return NULL;
	}
	name = (const char *)strings->d_buf + at;
	*len = strnlen(name, strings->d_size - at);
	if (*len == strings->d_size - at) {
		elfsym_damage(s, DAMAGED_SYMBOLS);
		return NULL;
	}
	return *len ? name : NULL;
}

/* ---- sections ------------------------------------------------------------------------------------------ */

const char *
elfsym_section_name(struct elfsym_from *s, const GElf_Shdr *sh)
{
	const char *name = elf_strptr(s->elf, s->shstrndx, sh->sh_name);

	if (!name && s->shstrndx)	/* names that cannot be read would hide sections */
		elfsym_damage(s, DAMAGED_SECTIONS);
	return name ? name : "";
}

/* The first one, so that it does not depend on what was looked for before; of sections that lie apart there is only one. */
bool
elfsym_section_at(struct elfsym_from *s, uint64_t addr, size_t *section)
{
	const struct elfsym *f = s->f;
	size_t i = f->overlap ? 0 : s->last;

	for (size_t n = f->nsections; n--; i = i + 1 < f->nsections ? i + 1 : 0)
		if (addr - f->section[i].addr < f->section[i].size) {
			*section = s->last = i;
			return true;
		}
	return false;
}

/* By its index in the file. */
static bool
section_of_index(struct elfsym_from *s, size_t index, size_t *section)
{
	const struct elfsym *f = s->f;
	size_t i = s->last;

	for (size_t n = f->nsections; n--; i = i + 1 < f->nsections ? i + 1 : 0)
		if (f->section[i].index == index) {
			*section = s->last = i;
			return true;
		}
	return false;
}

static bool
put_section(struct elfsym_from *s, Elf_Scn *scn, const GElf_Shdr *sh)
{
	struct elfsym_section n = { .addr = sh->sh_addr, .offset = sh->sh_offset, .size = sh->sh_size, .align = sh->sh_addralign,
	    .flags = sh->sh_flags, .index = elf_ndxscn(scn) };
	const char *name = elfsym_section_name(s, sh);
	size_t len = strnlen(name, ELFSYM_NAME_MAX);
	struct elfsym_section *section;
	struct elfsym *f = s->f;

	if (f->nsections == ELFSYM_SECTIONS_MAX) {
		elfsym_damage(s, DAMAGED_SECTIONS);
		return true;
	}
	if (!put_name(s, name, len, "", &n.name) || !(section = space(s, f->section, f->nsections, sizeof *section, 1)))
		return false;
	f->section = section;
	f->overlap |= n.addr + n.size < n.addr ||
	    (f->nsections && n.addr < section[f->nsections - 1].addr + section[f->nsections - 1].size);
	f->section[f->nsections++] = n;
	return true;
}

static void
read_sections(struct elfsym_from *s)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(s->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR && sh.sh_flags & SHF_ALLOC && !put_section(s, scn, &sh))
			return;
}

Elf_Data *
elfsym_raw(struct elfsym_from *s, size_t index, uint64_t most)
{
	Elf_Scn *scn = elf_getscn(s->elf, index);
	GElf_Shdr sh;
	Elf_Data *d = NULL;

	if (scn && gelf_getshdr(scn, &sh) && sh.sh_type != SHT_NOBITS && sh.sh_size <= most)
		d = elf_rawdata(scn, NULL);
	return d && d->d_buf ? d : NULL;
}

Elf_Data *
elfsym_table(struct elfsym_from *s, Elf_Scn *scn, const GElf_Shdr *sh, Elf_Type type, size_t *n)
{
	size_t size = gelf_fsize(s->elf, type, 1, EV_CURRENT);
	Elf_Data *d;

	*n = size ? sh->sh_size / size : 0;
	if (!*n || sh->sh_flags & SHF_COMPRESSED)
		return NULL;
	if (*n > ELFSYM_MAX) {
		elfsym_damage(s, TOO_MANY);
		return NULL;
	}
	d = elf_getdata(scn, NULL);
	if (!d || !d->d_buf || d->d_type != type) {
		elfsym_damage(s, DAMAGED_SYMBOLS);
		return NULL;
	}
	return d;
}

/* ---- symbols ------------------------------------------------------------------------------------------- */

/* "$x", "$d.12": what kind of code or data follows */
static bool
is_mapping_symbol(const struct elfsym *f, const char *name)
{
	return name[0] == '$' && (f->machine == EM_ARM || f->machine == EM_AARCH64 || f->machine == EM_RISCV) &&
	    name[1] && strchr("adtx", name[1]);
}

static bool
is_code(const GElf_Sym *y)
{
	unsigned type = GELF_ST_TYPE(y->st_info), seen = GELF_ST_VISIBILITY(y->st_other);

	if (y->st_shndx == SHN_UNDEF || (y->st_shndx >= SHN_LORESERVE && y->st_shndx != SHN_XINDEX))
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && seen != STV_HIDDEN && seen != STV_INTERNAL);
}

static void
read_symbol(struct elfsym_from *s, const GElf_Sym *y, const Elf_Data *strings)
{
	struct elfsym_symbol to = { .addr = y->st_value, .size = y->st_size, .bind = GELF_ST_BIND(y->st_info),
	    .type = GELF_ST_TYPE(y->st_info) };
	const struct elfsym *f = s->f;
	const char *name;
	size_t len, section;

	if (!is_code(y) || !(name = elfsym_string(s, strings, y->st_name, &len)))
		return;
	if (is_mapping_symbol(f, name) || !strncmp(name, ".L", 2))
		return;
	if (f->machine == EM_ARM && to.type != STT_NOTYPE)
		to.addr &= ~UINT64_C(1);
	if (f->type == ET_REL ? !section_of_index(s, y->st_shndx, &section) : !elfsym_section_at(s, to.addr, &section))
		return;
	if (to.type == STT_NOTYPE && !strstr(elfsym_name(f, f->section[section].name), "text"))
		return;
	to.section = (uint16_t)section;
	elfsym_put(s, to, name, len, "");
}

static void
read_table(struct elfsym_from *s, Elf_Scn *scn, const GElf_Shdr *sh)
{
	size_t n;
	const Elf_Data *d = elfsym_table(s, scn, sh, ELF_T_SYM, &n), *strings;
	GElf_Sym y;

	if (!d)
		return;
	if (!(strings = elfsym_raw(s, sh->sh_link, ELFSYM_NAMES_MAX))) {
		elfsym_damage(s, DAMAGED_SYMBOLS);
		return;
	}
	for (size_t i = 1; i < n && !s->full && gelf_getsym((Elf_Data *)d, (int)i, &y); i++)
		read_symbol(s, &y, strings);
}

static void
read_tables(struct elfsym_from *s, unsigned type, enum elfsym_source source)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	s->source = source;
	while (!s->full && (scn = elf_nextscn(s->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == type)
			read_table(s, scn, &sh);
}

static void
read_debugdata(struct elfsym_from *s, size_t index)
{
	const Elf_Data *d = elfsym_raw(s, index, ELFSYM_XZ_MAX);
	struct elfsym_from inner = { .f = s->f };
	uint8_t *p;
	size_t n;

	if (!d || !(p = elfsym_xz(d->d_buf, d->d_size, &n))) {
		elfsym_damage(s, "its .gnu_debugdata cannot be expanded");
		return;
	}
	inner.elf = elf_memory((char *)p, n);
	if (!inner.elf || elf_kind(inner.elf) != ELF_K_ELF)
		elfsym_damage(s, "its .gnu_debugdata is no ELF file");
	else
		read_tables(&inner, SHT_SYMTAB, ELFSYM_DEBUGDATA);
	s->full |= inner.full;
	elf_end(inner.elf);
	free(p);
}

/* .gnu_debuglink: a file name, its NUL, padding, a checksum */
static void
read_debuglink(struct elfsym_from *s, size_t index)
{
	const Elf_Data *d = elfsym_raw(s, index, 4096);
	size_t n = d ? strnlen(d->d_buf, d->d_size) : 0;

	if (!d)
		elfsym_damage(s, "its .gnu_debuglink cannot be read");
	if (d && n < d->d_size && n < sizeof s->f->debuglink && !memchr(d->d_buf, '/', n))
		memcpy(s->f->debuglink, d->d_buf, n + 1);
}

/* What tells of symbols elsewhere. */
static void
read_debug_sections(struct elfsym_from *s)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t data = 0;

	while ((scn = elf_nextscn(s->elf, scn))) {
		const char *name = gelf_getshdr(scn, &sh) && sh.sh_type == SHT_PROGBITS ? elfsym_section_name(s, &sh) : "";

		if (!strcmp(name, ".gnu_debugdata"))
			data = elf_ndxscn(scn);
		else if (!strcmp(name, ".gnu_debuglink"))
			read_debuglink(s, elf_ndxscn(scn));
	}
	if (data && elfsym_has_xz)
		read_debugdata(s, data);
}

/* ---- files --------------------------------------------------------------------------------------------- */

static void
read_segments(struct elfsym_from *s)
{
	struct elfsym_segment *segment;
	struct elfsym *f = s->f;
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(s->elf, &n) < 0)
		n = 0;
	for (size_t i = 0; i < n && gelf_getphdr(s->elf, (int)i, &ph); i++) {
		if (ph.p_type != PT_LOAD)
			continue;
		if (f->nsegments == ELFSYM_SEGMENTS_MAX || !(segment = space(s, f->segment, f->nsegments, sizeof *segment, 1)))
			return;
		f->segment = segment;
		f->segment[f->nsegments++] = (struct elfsym_segment){ .offset = ph.p_offset, .addr = ph.p_vaddr, .filesz = ph.p_filesz,
		    .memsz = ph.p_memsz, .align = ph.p_align, .flags = ph.p_flags };
	}
}

/* false: and why */
static bool
begin(struct elfsym_from *s, GElf_Ehdr *eh, int fd, const char **why)
{
	char first;

	/* libelf takes a file that cannot be read for one of another kind */
	if (pread(fd, &first, 1, 0) < 0) {
		*why = strerror(errno);
		return false;
	}
	elf_version(EV_CURRENT);
	s->elf = elf_begin(fd, ELF_C_READ, NULL);
	*why = "not an ELF file";
	if (!s->elf || elf_kind(s->elf) != ELF_K_ELF || !gelf_getehdr(s->elf, eh))
		return false;
	*why = "an ELF file of another type than program, library or module";
	if (eh->e_type != ET_EXEC && eh->e_type != ET_DYN && eh->e_type != ET_REL)
		return false;
	if (elf_getshdrstrndx(s->elf, &s->shstrndx) < 0)
		s->shstrndx = 0;
	if (eh->e_shoff && !elf_nextscn(s->elf, NULL))
		elfsym_damage(s, DAMAGED_SECTIONS);
	return true;
}

int
elfsym_read(struct elfsym *f, int fd, const char **why)
{
	struct elfsym_from s = { .f = f };
	GElf_Ehdr eh;

	*f = (struct elfsym){ 0 };
	if (!begin(&s, &eh, fd, why)) {
		elf_end(s.elf);
		return 0;
	}
	f->class = eh.e_ident[EI_CLASS];
	f->osabi = eh.e_ident[EI_OSABI];
	f->big = eh.e_ident[EI_DATA] == ELFDATA2MSB;
	f->type = eh.e_type;
	f->machine = eh.e_machine;
	f->flags = eh.e_flags;
	if (notes_elf(&f->id, s.elf, fd) <= 0)
		f->id.len = 0;
	read_segments(&s);
	read_sections(&s);
	read_tables(&s, SHT_SYMTAB, ELFSYM_SYMTAB);
	read_tables(&s, SHT_DYNSYM, ELFSYM_DYNSYM);
	read_debug_sections(&s);
	elfsym_plt(&s);
	elf_end(s.elf);
	if (s.full)
		*why = strerror(ENOMEM);
	return !s.full;
}

int
elfsym_add_debug(struct elfsym *f, int fd, const char **why)
{
	struct elfsym_from s = { .f = f };
	size_t n = f->n, names = f->nnames;
	struct build_id id = { .len = 0 };
	const char *damage = f->damage;
	bool added = false;
	GElf_Ehdr eh;

	f->damage = NULL;
	if (begin(&s, &eh, fd, why)) {
		*why = "of another build";
		if (notes_elf(&id, s.elf, fd) > 0 && id.len == f->id.len && !memcmp(id.b, f->id.b, id.len) &&
		    eh.e_ident[EI_CLASS] == f->class && eh.e_machine == f->machine && f->type != ET_REL) {
			read_tables(&s, SHT_SYMTAB, ELFSYM_DEBUG_FILE);
			added = !s.full && !f->damage;
			*why = s.full ? strerror(ENOMEM) : f->damage;
		}
	}
	elf_end(s.elf);
	if (!added) {
		f->n = n;
		f->nnames = names;
	}
	f->damage = damage;
	return added;
}

bool
elfsym_addr(const struct elfsym *f, uint64_t offset, uint64_t *addr)
{
	for (size_t i = 0; i < f->nsegments; i++) {
		const struct elfsym_segment *g = &f->segment[i];

		if (offset - g->offset < (g->filesz ? g->filesz : g->memsz)) {
			*addr = g->addr + (offset - g->offset);
			return true;
		}
	}
	return false;
}

void
elfsym_free(struct elfsym *f)
{
	free(f->segment);
	free(f->section);
	free(f->symbol);
	free(f->names);
	*f = (struct elfsym){ 0 };
}
