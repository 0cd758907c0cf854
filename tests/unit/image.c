/* SPDX-License-Identifier: ISC */
/* ELF images of functions, read back by libelf. */
#include <elf.h>
#include <gelf.h>
#include <sha1.h>
#include <stdlib.h>

#include "code/image.h"

#include "check.h"

static const struct shape { uint16_t machine; bool big, is64; } shapes[] = {
	{ EM_X86_64, false, true }, { EM_AARCH64, false, true }, { EM_S390, true, true }, { EM_PPC64, true, true },
	{ EM_386, false, false }, { EM_ARM, false, false }, { EM_PPC, true, false }, { EM_RISCV, false, true },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const uint8_t code[3][24] = { "first function", "second, a longer one...", "third" };
static const struct image_fn fns[] = {
	{ .name = "alpha", .addr = 0x70001000, .size = 14, .code = code[0] },
	{ .name = "Beta::gamma(int)\n\x1b[7m", .addr = 0x70002040, .size = 23, .code = code[1] },
	{ .name = "", .addr = 0x70001000, .size = 5, .code = code[2] },
};
enum { FNS = sizeof fns / sizeof *fns };
static const char *const shown[] = { "alpha", "Beta::gamma(int)??[7m", "" };

struct file { uint8_t *p; size_t n; struct build_id id; uint64_t at[FNS]; Elf *elf; };

static struct file
make(const struct shape *s, bool span)
{
	struct image *im = image_new(s->machine, s->big, s->is64);
	struct file f = { 0 };

	if (span)
		image_span(im, 0x70000000, 0x10000);
	for (int i = 0; i < FNS; i++)
		assert_int_equal(image_function(im, &fns[i], &f.at[i]), 1);
	assert_int_equal(image_functions(im), FNS);
	image_finish(im, &f.id, &f.p, &f.n);
	elf_version(EV_CURRENT);
	f.elf = elf_memory((char *)f.p, f.n);
	assert_non_null(f.elf);
	return f;
}

static void
drop(struct file *f)
{
	elf_end(f->elf);
	free(f->p);
}

static Elf_Scn *
find(const struct file *f, const char *name, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	size_t names;

	assert_int_equal(elf_getshdrstrndx(f->elf, &names), 0);
	while ((scn = elf_nextscn(f->elf, scn))) {
		assert_non_null(gelf_getshdr(scn, sh));
		if (!strcmp(elf_strptr(f->elf, names, sh->sh_name), name))
			return scn;
	}
	fail_msg("no section %s", name);
	return NULL;
}

static void
check_header(const struct file *f, const struct shape *s)
{
	GElf_Ehdr eh;
	size_t n;

	assert_non_null(gelf_getehdr(f->elf, &eh));
	assert_int_equal(eh.e_ident[EI_CLASS], s->is64 ? ELFCLASS64 : ELFCLASS32);
	assert_int_equal(eh.e_ident[EI_DATA], s->big ? ELFDATA2MSB : ELFDATA2LSB);
	assert_int_equal(eh.e_machine, s->machine);
	assert_int_equal(eh.e_type, ET_DYN);
	assert_int_equal(elf_getshdrnum(f->elf, &n), 0);
	assert_int_equal(eh.e_shoff + n * eh.e_shentsize, f->n);	/* nothing behind the section headers */
}

/* Offset and address are one, in segments and sections. */
static void
check_places(const struct file *f, bool span)
{
	Elf_Scn *scn = NULL;
	GElf_Phdr ph;
	GElf_Shdr sh, text;
	size_t n;

	find(f, ".text", &text);
	assert_int_equal(text.sh_type, span ? SHT_NOBITS : SHT_PROGBITS);
	assert_int_equal(text.sh_offset, 4096);
	while ((scn = elf_nextscn(f->elf, scn))) {
		assert_non_null(gelf_getshdr(scn, &sh));
		assert_int_equal(sh.sh_addr, sh.sh_flags & SHF_ALLOC ? sh.sh_offset : 0);
		if (sh.sh_type != SHT_NOBITS)
			assert_true(sh.sh_offset + sh.sh_size <= f->n);
	}
	assert_int_equal(elf_getphdrnum(f->elf, &n), 0);
	assert_int_equal(n, 3);
	assert_non_null(gelf_getphdr(f->elf, 0, &ph));
	assert_int_equal(ph.p_type, PT_LOAD);
	assert_int_equal(ph.p_offset, 0);
	assert_int_equal(ph.p_vaddr, 0);
	assert_non_null(gelf_getphdr(f->elf, 1, &ph));
	assert_int_equal(ph.p_type, PT_LOAD);
	assert_int_equal(ph.p_flags, PF_R | PF_X);
	assert_int_equal(ph.p_offset, text.sh_offset);
	assert_int_equal(ph.p_vaddr, ph.p_offset);
	assert_int_equal(ph.p_memsz, text.sh_size);
	assert_int_equal(ph.p_filesz, span ? 0 : text.sh_size);
	assert_non_null(gelf_getphdr(f->elf, 2, &ph));
	assert_int_equal(ph.p_type, PT_NOTE);
	assert_int_equal(ph.p_vaddr, ph.p_offset);
}

static void
check_symbols(const struct file *f, bool span)
{
	GElf_Shdr sh, text;
	Elf_Scn *scn = find(f, ".symtab", &sh), *code_scn = find(f, ".text", &text);
	Elf_Data *d = elf_getdata(scn, NULL);
	GElf_Sym sym;

	assert_int_equal(sh.sh_size / sh.sh_entsize, 1 + FNS);
	for (int i = 0; i < FNS; i++) {
		assert_non_null(gelf_getsym(d, 1 + i, &sym));
		assert_string_equal(elf_strptr(f->elf, sh.sh_link, sym.st_name), shown[i]);
		assert_int_equal(sym.st_value, f->at[i]);
		assert_int_equal(sym.st_size, fns[i].size);
		assert_int_equal(GELF_ST_TYPE(sym.st_info), STT_FUNC);
		assert_int_equal(sym.st_shndx, elf_ndxscn(code_scn));
		assert_true(sym.st_value >= text.sh_addr && sym.st_value + sym.st_size <= text.sh_addr + text.sh_size);
		if (span)
			assert_int_equal(f->at[i], 4096 + fns[i].addr - 0x70000000);
		else
			assert_memory_equal(f->p + f->at[i], fns[i].code, fns[i].size);
	}
}

/* The build-id of the note is the SHA-1 of the file that has zeros there. */
static void
check_note(const struct file *f)
{
	GElf_Shdr sh;
	Elf_Data *d = elf_getdata(find(f, ".note.gnu.build-id", &sh), NULL);
	GElf_Nhdr note;
	size_t name, desc;
	uint8_t digest[SHA1_DIGEST_LENGTH];
	SHA1_CTX sha;

	assert_int_equal(gelf_getnote(d, 0, &note, &name, &desc), sh.sh_size);
	assert_int_equal(note.n_type, NT_GNU_BUILD_ID);
	assert_string_equal((char *)d->d_buf + name, "GNU");
	assert_int_equal(note.n_descsz, sizeof digest);
	assert_memory_equal((uint8_t *)d->d_buf + desc, f->id.b, f->id.len);
	memset(f->p + sh.sh_offset + desc, 0, sizeof digest);
	SHA1Init(&sha);
	SHA1Update(&sha, f->p, f->n);
	SHA1Final(digest, &sha);
	assert_memory_equal(digest, f->id.b, sizeof digest);
	memcpy(f->p + sh.sh_offset + desc, digest, sizeof digest);
}

static void
test_image(void **state)
{
	(void)state;
	for (int i = 0; i < 2 * SHAPES; i++) {
		struct file f = make(&shapes[i / 2], i & 1), again = make(&shapes[i / 2], i & 1);

		check_header(&f, &shapes[i / 2]);
		check_places(&f, i & 1);
		check_symbols(&f, i & 1);
		check_note(&f);
		assert_int_equal(f.n, again.n);
		assert_memory_equal(f.p, again.p, f.n);
		drop(&f);
		drop(&again);
	}
}

/* A byte that differs anywhere makes another id. */
static void
test_identity(void **state)
{
	struct image_fn fn = fns[0];
	struct build_id id[5];
	uint8_t *p;
	uint64_t at;
	size_t n;

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct image *im = image_new(i == 1 ? EM_AARCH64 : EM_X86_64, false, true);

		fn.code = i == 2 ? code[1] : code[0];
		fn.name = i == 3 ? "alphb" : "alpha";
		fn.size = i == 4 ? 13 : 14;
		assert_int_equal(image_function(im, &fn, &at), 1);
		image_finish(im, &id[i], &p, &n);
		free(p);
		for (int k = 0; k < i; k++)
			assert_true(memcmp(id[i].b, id[k].b, id[i].len) != 0);
	}
}

static void
test_limits(void **state)
{
	static const struct { bool is64; uint64_t start, size, addr, len; int want; } rows[] = {
		{ true, 0x1000, 0x1000, 0x1000, 0x1000, 1 }, { true, 0x1000, 0x1000, 0x1fff, 1, 1 },
		{ true, 0x1000, 0x1000, 0x1fff, 2, 0 }, { true, 0x1000, 0x1000, 0x2001, 0, 0 }, { true, 0x1000, 0x1000, 0xfff, 1, 0 },
		{ true, 0x1000, 0x1000, 0x1001, UINT64_MAX, 0 }, { true, 0x1000, UINT64_MAX, 0x1000, 1, 0 },
		{ true, 0x7f0000000000, UINT64_C(1) << 40, 0x7f8000000000, 1, 1 },
		{ false, 0x1000, 0x7fff0000, 0x70000000, 16, 1 }, { false, 0x1000, 0xf0000000, 0x70000000, 16, 0 },
	};
	struct image_fn fn = { .name = "f", .code = calloc(17 << 20, 1), .size = 9 << 20 };
	uint64_t at;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct image *im = image_new(EM_X86_64, false, rows[i].is64);

		image_span(im, rows[i].start, rows[i].size);
		if (image_function(im, &(struct image_fn){ .name = "f", .addr = rows[i].addr, .size = rows[i].len }, &at) !=
		    rows[i].want)
			fail_msg("row %zu", i);
		assert_int_equal(image_functions(im), rows[i].want);
		image_free(im);
	}
	struct image *im = image_new(EM_X86_64, false, true);
	assert_int_equal(image_function(im, &fn, &at), 1);
	assert_int_equal(image_function(im, &fn, &at), 0);
	assert_int_equal(image_code_size(im), fn.size);
	fn.size = UINT64_MAX;
	assert_int_equal(image_function(im, &fn, &at), 0);
	fn.size = 7 << 20;
	assert_int_equal(image_function(im, &fn, &at), 1);
	fn.size = 1;
	assert_int_equal(image_function(im, &fn, &at), 0);
	image_free(im);
	free((void *)(uintptr_t)fn.code);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_image), cmocka_unit_test(test_identity), cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
