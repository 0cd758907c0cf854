/* SPDX-License-Identifier: ISC */
/* unwind.c - rules at addresses: entries written by hand, each form of a file that has them, and the bounds */
#include <zlib.h>
#include <zstd.h>

#include "unwind_elf.h"

static const char *
text_of(const struct unwind_row *row, char *text, size_t size)
{
	static const char *const kind[] = { "same", "undefined", "c", "=c", "r", "e", "=e" };
	const uint8_t *bytes = unwind_row_bytes(row);
	size_t n = 0;

	if (row->cfa.kind == UNWIND_VAL_EXPR)
		n += (size_t)snprintf(text, size, "cfa:e%u/%02x", row->cfa.size, bytes[row->cfa.value]);
	else
		n += (size_t)snprintf(text, size, "cfa:%u%+d", row->cfa_reg, (int)row->cfa.value);
	for (uint64_t mask = row->mask, i = 0; mask; mask &= mask - 1, i++) {
		const struct unwind_rule *r = &row->rule[i];

		n += (size_t)snprintf(text + n, size - n, " %d:%s", __builtin_ctzll(mask), kind[r->kind]);
		if (r->kind == UNWIND_OFFSET || r->kind == UNWIND_VAL_OFFSET)
			n += (size_t)snprintf(text + n, size - n, "%+d", (int)r->value);
		else if (r->kind == UNWIND_REGISTER)
			n += (size_t)snprintf(text + n, size - n, "%d", (int)r->value);
		else if (r->kind != UNWIND_UNDEFINED)
			n += (size_t)snprintf(text + n, size - n, "%u/%02x", r->size, bytes[r->value]);
	}
	snprintf(text + n, size - n, "%s%s", row->flags & UNWIND_ROW_SIGNAL ? " signal" : "",
	    row->flags & UNWIND_ROW_SIGNED ? " signed" : "");
	return text;
}

/* The rules at that offset of the file; "none". */
static const char *
rules(struct unwind_file *f, uint64_t offset)
{
	static char text[4096];
	struct unwind_row *row = unwind_cfi_row(f, ADDR + offset);

	if (!row)
		return "none";
	text_of(row, text, sizeof text);
	free(row);
	return text;
}

struct opened {
	struct unwinder	*u;
	struct unwind_file *f;
};

static struct opened
open_elf(struct elf *e)
{
	struct opened o = { .u = unwind_new(e->machine == EM_AARCH64 ? UNWIND_ARM64 : UNWIND_X86_64) };
	const char *why;

	finish(e);
	o.f = unwind_file_memory(o.u, e->file.p, e->file.n, &why);
	if (!o.f)
		fail_msg("%s", why);
	return o;
}
static void
close_elf(struct elf *e, struct opened o)
{
	unwind_file_close(o.f);
	unwind_free(o.u);
	elf_end(e);
}

/* ---- instructions -------------------------------------------------------------------------------------- */

static void
test_instructions(void **state)
{
	const struct {
		struct code	 code;
		unsigned	 at;
		const char	*rules;
	} row[] = {
		{ { NULL, 0 }, 0, "cfa:7+8 16:c-8" },
		/* DW_CFA_advance_loc, 1, 2, 4, MIPS 8, set_loc: before and after; def_cfa_offset */
		{ CODE(0x44, 0x0e, 16), 3, "cfa:7+8 16:c-8" },
		{ CODE(0x44, 0x0e, 16), 4, "cfa:7+16 16:c-8" },
		{ CODE(0x02, 200, 0x0e, 16), 199, "cfa:7+8 16:c-8" },
		{ CODE(0x02, 200, 0x0e, 16), 200, "cfa:7+16 16:c-8" },
		{ CODE(0x03, 1, 1, 0x0e, 16), 256, "cfa:7+8 16:c-8" },
		{ CODE(0x03, 1, 1, 0x0e, 16), 257, "cfa:7+16 16:c-8" },
		{ CODE(0x04, 2, 1, 0, 0, 0x0e, 16), 257, "cfa:7+8 16:c-8" },
		{ CODE(0x04, 2, 1, 0, 0, 0x0e, 16), 258, "cfa:7+16 16:c-8" },
		{ CODE(0x1d, 2, 1, 0, 0, 0, 0, 0, 0, 0x0e, 16), 257, "cfa:7+8 16:c-8" },
		{ CODE(0x1d, 2, 1, 0, 0, 0, 0, 0, 0, 0x0e, 16), 258, "cfa:7+16 16:c-8" },
		/* def_cfa, _register, _sf, _offset_sf, _expression */
		{ CODE(0x0c, 6, 0x80, 1), 0, "cfa:6+128 16:c-8" },
		{ CODE(0x0d, 6), 0, "cfa:6+8 16:c-8" },
		{ CODE(0x12, 6, 0x7e), 0, "cfa:6+16 16:c-8" },
		{ CODE(0x13, 0x7c), 0, "cfa:7+32 16:c-8" },
		{ CODE(0x0f, 3, 0x77, 8, 0x06), 0, "cfa:e3/77 16:c-8" },
		{ CODE(0x0f, 3, 0x77, 8, 0x06, 0x0d, 6), 0, "none" },
		{ CODE(0x0f, 3, 0x77, 8, 0x06, 0x0e, 6), 0, "none" },
		{ CODE(0x0f, 3, 0x77, 8, 0x06, 0x0c, 6, 0), 0, "cfa:6+0 16:c-8" },
		{ CODE(0x0c, 17, 8), 0, "none" },
		/* offset, _extended, _sf, GNU negative; val_offset, _sf */
		{ CODE(0x83, 2), 0, "cfa:7+8 3:c-16 16:c-8" },
		{ CODE(0x05, 3, 0x80, 1), 0, "cfa:7+8 3:c-1024 16:c-8" },
		{ CODE(0x11, 3, 0x7f), 0, "cfa:7+8 3:c+8 16:c-8" },
		{ CODE(0x2f, 3, 2), 0, "cfa:7+8 3:c+16 16:c-8" },
		{ CODE(0x14, 3, 2), 0, "cfa:7+8 3:=c-16 16:c-8" },
		{ CODE(0x15, 3, 0x7e), 0, "cfa:7+8 3:=c+16 16:c-8" },
		/* undefined, same_value, register, expression, val_expression */
		{ CODE(0x07, 16), 0, "cfa:7+8 16:undefined" },
		{ CODE(0x08, 16), 0, "cfa:7+8" },
		{ CODE(0x09, 3, 12), 0, "cfa:7+8 3:r12 16:c-8" },
		{ CODE(0x09, 3, 17), 0, "cfa:7+8 3:undefined 16:c-8" },
		{ CODE(0x10, 3, 2, 0x76, 0x78), 0, "cfa:7+8 3:e2/76 16:c-8" },
		{ CODE(0x16, 3, 1, 0x30, 0x10, 12, 1, 0x31), 0, "cfa:7+8 3:=e1/30 12:e1/31 16:c-8" },
		/* restore, _extended: to what the CIE says */
		{ CODE(0x07, 16, 0xd0), 0, "cfa:7+8 16:c-8" },
		{ CODE(0x83, 2, 0x07, 16, 0x06, 16, 0x06, 3), 0, "cfa:7+8 16:c-8" },
		/* remember_state, restore_state: of all rules; GNU_args_size, nop */
		{ CODE(0x0a, 0x0e, 16, 0x83, 2, 0x41, 0x0b), 0, "cfa:7+16 3:c-16 16:c-8" },
		{ CODE(0x0a, 0x0e, 16, 0x83, 2, 0x41, 0x0b), 1, "cfa:7+8 16:c-8" },
		{ CODE(0x0a, 0x0e, 16, 0x0a, 0x0e, 24, 0x0b, 0x0b, 0x83, 2), 0, "cfa:7+8 3:c-16 16:c-8" },
		{ CODE(0x0b), 0, "none" },
		{ CODE(0x2e, 0xff, 1, 0, 0x0e, 16), 0, "cfa:7+16 16:c-8" },
		/* registers that are not used, unknown instructions, cut ones; all that is behind the address does not matter */
		{ CODE(0x91, 1, 0x05, 0xff, 1, 3, 0x07, 99, 0x09, 98, 3, 0x0e, 16), 0, "cfa:7+16 16:c-8" },
		{ CODE(0xd1, 0x06, 0xff, 1, 0x10, 88, 1, 0x30, 0x0e, 16), 0, "cfa:7+16 16:c-8" },
		{ CODE(0x17), 0, "none" }, { CODE(0x3f), 0, "none" }, { CODE(0x2d), 0, "none" },
		{ CODE(0x41, 0x17), 0, "cfa:7+8 16:c-8" },
		{ CODE(0x41, 0x17), 1, "none" },
		{ CODE(0x16, 3, 100, 0x30), 0, "none" },
		{ CODE(0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0), 0, "none" },
		{ CODE(0x0e, 0x90, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0), 0, "cfa:7+16 16:c-8" },
	};
	struct elf *e = calloc(1, sizeof *e);
	struct opened o;

	(void)state;
	add_cie(e, (struct cie_form){ 0 });
	for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++)
		add_fde(e, TEXT + 0x200 * i, 0x180, row[i].code);
	o = open_elf(e);
	for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
		const char *got = rules(o.f, TEXT + 0x200 * i + row[i].at);

		if (strcmp(got, row[i].rules))
			fail_msg("row %u: %s, not %s", i, got, row[i].rules);
	}
	/* between functions, before the first and behind the last */
	assert_string_equal(rules(o.f, TEXT + 0x17f), "cfa:7+8 16:c-8");
	assert_string_equal(rules(o.f, TEXT + 0x180), "none");
	assert_string_equal(rules(o.f, TEXT - 1), "none");
	assert_string_equal(rules(o.f, TEXT + 0x200 * (sizeof row / sizeof row[0])), "none");
	assert_null(unwind_file_trouble(o.f));
	close_elf(e, o);
}

static void
test_signed(void **state)
{
	struct elf *e = calloc(1, sizeof *e);
	struct opened o;

	(void)state;
	e->machine = EM_AARCH64;
	add_cie(e, (struct cie_form){ .ra = 30, .augmentation = "zRB", .code = CODE(0x0c, 31, 0) });
	add_fde(e, TEXT, 0x10, CODE(0x41, 0x2d, 0x0a, 0x41, 0x2d, 0x41, 0x0b, 0x41, 0x2c));
	o = open_elf(e);
	assert_string_equal(rules(o.f, TEXT), "cfa:31+0");
	assert_string_equal(rules(o.f, TEXT + 1), "cfa:31+0 signed");
	assert_string_equal(rules(o.f, TEXT + 2), "cfa:31+0");
	assert_string_equal(rules(o.f, TEXT + 3), "cfa:31+0 signed");
	assert_string_equal(rules(o.f, TEXT + 4), "cfa:31+0");
	close_elf(e, o);
}

/* ---- entries ------------------------------------------------------------------------------------------- */

static void
test_cies(void **state)
{
	const struct {
		struct cie_form	 form;
		const char	*rules;
	} row[] = {
		{ { .version = 1 }, "cfa:7+8 16:c-8" },
		{ { .version = 3 }, "cfa:7+8 16:c-8" },
		{ { .version = 4 }, "cfa:7+8 16:c-8" },
		{ { .version = 2 }, "none" },
		{ { .version = 5 }, "none" },
		{ { .augmentation = "", .encoding = 0x80 }, "cfa:7+8 16:c-8" },	/* 8 bytes as they are */
		{ { .augmentation = "zRS" }, "cfa:7+8 16:c-8 signal" },
		{ { .augmentation = "zPLR", .data = CODE(0x9b, 1, 2, 3, 4, 0x1b, 0x1b) }, "cfa:7+8 16:c-8" },
		{ { .augmentation = "zPR", .data = CODE(0x00, 1, 2, 3, 4, 5, 6, 7, 8, 0x1b) }, "cfa:7+8 16:c-8" },
		{ { .augmentation = "zRX", .data = CODE(0x1b, 77) }, "cfa:7+8 16:c-8" },
		{ { .augmentation = "zPR", .data = CODE(0x9b, 1) }, "none" },
		{ { .augmentation = "S", .encoding = 0x80 }, "cfa:7+8 16:c-8 signal" },
		{ { .augmentation = "R" }, "none" },
		{ { .augmentation = "eh" }, "none" },
		{ { .encoding = 0x10 }, "cfa:7+8 16:c-8" }, { { .encoding = 0x1c }, "cfa:7+8 16:c-8" },
		{ { .encoding = 0x03 }, "cfa:7+8 16:c-8" }, { { .encoding = 0x0b }, "cfa:7+8 16:c-8" },
		{ { .encoding = 0x04 }, "cfa:7+8 16:c-8" }, { { .encoding = 0x0c }, "cfa:7+8 16:c-8" },
		{ { .encoding = 0x01 }, "cfa:7+8 16:c-8" }, { { .encoding = 0x09 }, "cfa:7+8 16:c-8" },
		{ { .encoding = 0x11 }, "cfa:7+8 16:c-8" }, { { .encoding = 0x19 }, "cfa:7+8 16:c-8" },
		{ { .encoding = 0x1a }, "cfa:7+8 16:c-8" },	/* 32 KiB below itself */
		{ { .encoding = 0x3b }, "none" }, { { .encoding = 0x2b }, "none" }, { { .encoding = 0x4b }, "none" },
		{ { .encoding = 0x9b }, "none" }, { { .encoding = 0x05 }, "none" },
		{ { .ra = 17 }, "none" },
		{ { .ra = 3 }, "cfa:7+8 16:c-8" },
		{ { .code = CODE(0x0c, 7, 8, 0xd0) }, "none" },	/* restore in a CIE */
		{ { .code = CODE(0x90, 1) }, "none" },		/* no CFA */
		{ { .wide = true }, "cfa:7+8 16:c-8" },
	};
	struct elf *e = calloc(1, sizeof *e);
	struct opened o;

	(void)state;
	for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
		add_cie(e, row[i].form);
		add_fde(e, TEXT + 0x40 * i, 0x20, NO_CODE);
	}
	o = open_elf(e);
	for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
		const char *got = rules(o.f, TEXT + 0x40 * i + 5);

		if (strcmp(got, row[i].rules))
			fail_msg("row %u: %s, not %s", i, got, row[i].rules);
	}
	close_elf(e, o);
}

/* set_loc has the encoding of the FDE's addresses. */
static void
test_set_loc(void **state)
{
	struct elf *e = calloc(1, sizeof *e);
	struct opened o;
	size_t at;

	(void)state;
	add_cie(e, (struct cie_form){ 0 });
	add_fde(e, TEXT, 0x100, CODE(0x01, 0, 0, 0, 0, 0x0e, 16));
	at = e->fde[0].at + 4 + 4 + 8 + 1 + 1;
	set_number(&e->frames, at, (uint64_t)TEXT + 0x20 - (FRAMES + at), 4);
	o = open_elf(e);
	assert_string_equal(rules(o.f, TEXT + 0x1f), "cfa:7+8 16:c-8");
	assert_string_equal(rules(o.f, TEXT + 0x20), "cfa:7+16 16:c-8");
	close_elf(e, o);
}

/* ---- files --------------------------------------------------------------------------------------------- */

/* Functions of 16 bytes, each with an offset of its own, all but each fifth. */
enum { FUNCTIONS = 300 };
static void
add_functions(struct elf *e)
{
	for (unsigned i = 0; i < FUNCTIONS; i++)
		if (i % 5)
			add_fde(e, TEXT + 16 * i, 16, CODE(0x41, 0x0e, (uint8_t)(i % 100)));
}
static void
check_functions(struct unwind_file *f)
{
	char want[64];

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		snprintf(want, sizeof want, "cfa:7+%u 16:c-8", i % 100);
		assert_string_equal(rules(f, TEXT + 16 * i), i % 5 ? "cfa:7+8 16:c-8" : "none");
		assert_string_equal(rules(f, TEXT + 16 * i + 1), i % 5 ? want : "none");
		assert_string_equal(rules(f, TEXT + 16 * i + 15), i % 5 ? want : "none");
	}
}

/* The order of entries in .eh_frame_hdr, but for the first. */
static void
reverse(struct elf *e)
{
	for (size_t i = 1, k = e->n - 1; i < k; i++, k--) {
		__typeof__(e->fde[0]) x = e->fde[i];

		e->fde[i] = e->fde[k];
		e->fde[k] = x;
	}
}

/* Compress the section. */
static void
compress_frames(struct elf *e, unsigned how)
{
	size_t size = e->frames.n, most = compressBound(size) + ZSTD_compressBound(size);
	uint8_t *to = malloc(most);
	uLongf n = most;

	if (how == ELFCOMPRESS_ZLIB)
		assert_int_equal(compress2(to, &n, e->frames.p, size, 1), Z_OK);
	else
		n = ZSTD_compress(to, most, e->frames.p, size, 1);
	e->frames.n = 0;
	number(&e->frames, how, 8);
	number(&e->frames, size, 8);
	number(&e->frames, 8, 8);
	put(&e->frames, to, n);
	e->compress = how;
	free(to);
}

static void
test_files(void **state)
{
	enum { HEADER, UNSORTED, NO_HEADER, DEBUG, DEBUG_4_WIDE, ZLIB, ZSTD, FORMS };

	(void)state;
	for (unsigned i = 0; i < FORMS; i++) {
		struct elf *e = calloc(1, sizeof *e);
		struct opened o;

		e->no_header = i == NO_HEADER;
		e->debug = i >= DEBUG;
		add_cie(e, (struct cie_form){ .version = i == DEBUG_4_WIDE ? 4 : e->debug ? 3 : 1, .wide = i == DEBUG_4_WIDE });
		add_functions(e);
		if (e->debug)
			add_fde(e, (uint64_t)-ADDR, 1 << 20, NO_CODE);	/* a function that was left out begins at 0 */
		if (i == UNSORTED)
			reverse(e);
		if (i == ZLIB || i == ZSTD)
			compress_frames(e, i == ZLIB ? ELFCOMPRESS_ZLIB : 2);
		o = open_elf(e);
		check_functions(o.f);
		assert_null(unwind_file_trouble(o.f));
		close_elf(e, o);
	}
}

/* Bytes that are of code and of data, too, as of a page that two segments share: a map of code means the code. */
static void
test_shared(void **state)
{
	enum { THIRD = 64 + 2 * 56, ELSEWHERE = 0x900000 };
	struct elf *e = calloc(1, sizeof *e);
	struct opened o;
	uint64_t at;

	(void)state;
	e->no_header = true;
	add_cie(e, (struct cie_form){ 0 });
	add_fde(e, TEXT, 16, NO_CODE);
	finish(e);
	set_number(&e->file, THIRD, PT_LOAD, 4);
	set_number(&e->file, THIRD + 8, TEXT, 8);
	set_number(&e->file, THIRD + 16, ELSEWHERE, 8);
	set_number(&e->file, THIRD + 32, 0x100, 8);
	o.u = unwind_new(UNWIND_X86_64);
	o.f = unwind_file_memory(o.u, e->file.p, e->file.n, &(const char *){ NULL });
	assert_true(unwind_addr_of(o.f, TEXT + 8, &at));
	assert_int_equal(at, ADDR + TEXT + 8);
	assert_true(unwind_offset_of(o.f, ELSEWHERE + 8, &at));
	assert_int_equal(at, TEXT + 8);
	assert_false(unwind_addr_of(o.f, e->file.n, &at));
	assert_false(unwind_offset_of(o.f, ELSEWHERE + 0x100, &at));
	close_elf(e, o);
}

/* Each prefix of a file: what has rules has those of the file. */
static void
test_cut(void **state)
{
	struct elf *e = calloc(1, sizeof *e);
	const char *why;

	(void)state;
	add_cie(e, (struct cie_form){ 0 });
	for (unsigned i = 0; i < 8; i++)
		add_fde(e, TEXT + 16 * i, 16, CODE(0x41, 0x0e, 16));
	finish(e);
	for (size_t n = 0; n < e->file.n; n = n == 256 ? FRAMES : n + 1) {
		struct unwinder *u = unwind_new(UNWIND_X86_64);
		uint8_t *p = malloc(n ? n : 1);
		struct unwind_file *f;

		memcpy(p, e->file.p, n);
		why = NULL;
		if ((f = unwind_file_memory(u, p, n, &why)))
			for (unsigned i = 0; i < 8; i++) {
				const char *got = rules(f, TEXT + 16 * i + 1);

				assert_true(!strcmp(got, "none") || !strcmp(got, "cfa:7+16 16:c-8"));
			}
		else
			assert_non_null(why);
		unwind_file_close(f);
		free(p);
		unwind_free(u);
	}
	elf_end(e);
}

/* ---- damaged fields ------------------------------------------------------------------------------------- */

struct field { size_t at; uint64_t value; unsigned size; };
enum { E_PHOFF = 32, E_SHOFF = 40, E_PHENTSIZE = 54, E_PHNUM = 56, E_SHENTSIZE = 58, E_SHNUM = 60, E_SHSTRNDX = 62 };

static struct opened
open_bytes(const struct elf *e)
{
	struct opened o = { .u = unwind_new(UNWIND_X86_64) };

	o.f = unwind_file_memory(o.u, e->file.p, e->file.n, &(const char *){ NULL });
	assert_non_null(o.f);
	return o;
}
static void
close_bytes(struct opened o)
{
	unwind_file_close(o.f);
	unwind_free(o.u);
}

/* Whatever is wrong with the table of .eh_frame_hdr, the section itself says where functions are. */
static void
test_damaged_table(void **state)
{
	static const struct { const char *what; struct field f; } rows[] = {	/* offsets in .eh_frame_hdr */
		{ "another version", { 0, 2, 1 } },
		{ "no pointer to .eh_frame", { 1, 0xff, 1 } },
		{ "an encoding that is none", { 1, 0x1f, 1 } },
		{ "a pointer out of the segments", { 4, 0x7fffffff, 4 } },
		{ "no number of entries", { 2, 0xff, 1 } },
		{ "no table", { 3, 0xff, 1 } },
		{ "a table of numbers without a size", { 3, 0x31, 1 } },
		{ "a table of 16 bits", { 3, 0x32, 1 } },
		{ "a table of 64 bits", { 3, 0x3c, 1 } },
		{ "absolute numbers", { 3, 0, 1 } },
		{ "0 entries", { 8, 0, 4 } },
		{ "more entries than there is space for", { 8, 100000, 4 } },
		{ "more entries than there is memory for", { 8, 0x7fffffff, 4 } },
		{ "a first function that begins late", { 12, 0x7fffffff, 4 } },
		{ "an entry that is not in the section", { 16, 0x7fffffff, 4 } },
		{ "an entry before the section", { 16, 0x80000000, 4 } },
	};
	struct elf *e = calloc(1, sizeof *e);
	size_t header;

	(void)state;
	add_cie(e, (struct cie_form){ 0 });
	add_functions(e);
	finish(e);
	header = (size_t)unwind_number(e->file.p + 64 + 2 * 56 + 8, 8);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t at = header + rows[i].f.at;
		struct opened o;
		uint8_t was[8];

		memcpy(was, e->file.p + at, rows[i].f.size);
		set_number(&e->file, at, rows[i].f.value, rows[i].f.size);
		o = open_bytes(e);
		if (!strcmp(rules(o.f, TEXT + 16 + 1), "none"))
			fail_msg("%s", rows[i].what);
		check_functions(o.f);
		assert_null(unwind_file_trouble(o.f));
		close_bytes(o);
		memcpy(e->file.p + at, was, rows[i].f.size);
	}
	elf_end(e);
}

/* Headers of sections that cannot be read: of a file with .eh_frame_hdr they are not needed, of one without there are no tables. */
static void
test_damaged_sections(void **state)
{
	enum { STRINGS = 64, FRAME = 128, NAME = 0, TYPE = 4, FLAGS = 8, OFFSET = 24, SIZE = 32 };
	static const struct { bool in_sections; struct field f; } rows[] = {	/* offsets in the table of sections, or the file */
		{ false, { E_SHNUM, 0, 2 } }, { false, { E_SHNUM, 65535, 2 } }, { false, { E_SHNUM, 4096, 2 } }, { false, { E_SHENTSIZE, 40, 2 } },
		{ false, { E_SHSTRNDX, 3, 2 } }, { false, { E_SHSTRNDX, 65535, 2 } }, { false, { E_SHOFF, 1 << 30, 8 } },
		{ true, { STRINGS + SIZE, 0, 8 } }, { true, { STRINGS + SIZE, 1 << 30, 8 } }, { true, { STRINGS + SIZE, 15, 8 } },
		{ true, { STRINGS + OFFSET, 1 << 30, 8 } }, { true, { FRAME + NAME, 4096, 4 } }, { true, { FRAME + TYPE, SHT_NOBITS, 4 } },
	};

	(void)state;
	for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
		const struct field *f = &rows[i / 2].f;
		struct elf *e = calloc(1, sizeof *e);
		struct opened o;

		e->no_header = i % 2;
		add_cie(e, (struct cie_form){ 0 });
		add_functions(e);
		finish(e);
		set_number(&e->file, (rows[i / 2].in_sections ? unwind_number(e->file.p + E_SHOFF, 8) : 0) + f->at, f->value, f->size);
		o = open_bytes(e);
		if (e->no_header) {
			assert_true(unwind_file_bare(o.f));
			assert_string_equal(rules(o.f, TEXT + 17), "none");
		} else {
			check_functions(o.f);
		}
		assert_null(unwind_file_trouble(o.f));
		close_elf(e, o);
	}
}

/* A file whose only table of frames is a compressed .debug_frame of the functions. */
static struct elf *
compressed_elf(void)
{
	struct elf *e = calloc(1, sizeof *e);

	e->debug = true;
	add_cie(e, (struct cie_form){ .version = 3 });
	add_functions(e);
	compress_frames(e, ELFCOMPRESS_ZLIB);
	finish(e);
	return e;
}

/* A compressed section that does not expand to what it says. */
static void
test_damaged_compression(void **state)
{
	static const struct { bool section; struct field f; } rows[] = {	/* of the compressed section, or of its header */
		{ false, { 0, 3, 4 } }, { false, { 0, 2, 4 } }, { false, { 8, 0, 8 } }, { false, { 8, 1 << 30, 8 } }, { false, { 8, 100, 8 } },
		{ false, { 8, 100000, 8 } }, { false, { 24, 0, 1 } }, { true, { 32, 24, 8 } }, { true, { 32, 1 << 30, 8 } },
		{ true, { 32, 100, 8 } }, { true, { 32, (uint64_t)1 << 40, 8 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct elf *e = compressed_elf();
		struct opened o;

		set_number(&e->file, (rows[i].section ? unwind_number(e->file.p + E_SHOFF, 8) + 128 : FRAMES) + rows[i].f.at,
		    rows[i].f.value, rows[i].f.size);
		o = open_bytes(e);
		assert_string_equal(rules(o.f, TEXT + 17), "none");
		assert_string_equal(unwind_file_trouble(o.f), "its tables are damaged or too large");
		close_elf(e, o);
	}
	/* no method, or no space for it: as if the section were not there */
	for (unsigned i = 0; i < 2; i++) {
		struct elf *e = compressed_elf();
		struct opened o;

		if (i)
			set_number(&e->file, unwind_number(e->file.p + E_SHOFF, 8) + 128 + 24, e->file.n - 8, 8);
		else
			set_number(&e->file, FRAMES, 0, 4);
		o = open_bytes(e);
		assert_true(unwind_file_bare(o.f));
		assert_string_equal(rules(o.f, TEXT + 17), "none");
		close_elf(e, o);
	}
}

/* Entries of .debug_frame that are damaged, or of no use, beside one that is sound. */
static void
test_damaged_entries(void **state)
{
	enum { AWAY = 5 };
	static const struct { size_t at; uint64_t value; unsigned size; } cie[] = {	/* of version 4: at 8 it is, then "", sizes of an address and a segment */
		{ 8, 2, 1 }, { 8, 5, 1 }, { 10, 4, 1 }, { 11, 1, 1 }, { 4, 0, 4 }, { 0, 5, 4 }, { 0, 6, 4 }, { 0, UINT32_MAX - 16, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cie / sizeof *cie; i++) {
		struct elf *e = calloc(1, sizeof *e);
		struct opened o;

		e->debug = true;
		add_cie(e, (struct cie_form){ .version = 4 });
		add_fde(e, TEXT, 16, CODE(0x0e, 16));
		set_number(&e->frames, cie[i].at, cie[i].value, cie[i].size);
		o = open_elf(e);
		assert_string_equal(rules(o.f, TEXT + 1), "none");
		assert_string_equal(unwind_file_trouble(o.f), "its tables are damaged or too large");
		close_elf(e, o);
	}
	for (unsigned debug = 0; debug < 2; debug++) {
		struct elf *e = calloc(1, sizeof *e);
		struct opened o;

		e->debug = debug;
		e->no_header = true;
		add_cie(e, (struct cie_form){ .version = debug ? 3 : 1 });
		add_fde(e, TEXT, 16, CODE(0x0e, 16));
		add_fde(e, TEXT + 0x100, 0, CODE(0x0e, 32));		/* no bytes */
		add_fde(e, TEXT + 0x200, 16, CODE(0x0e, 48));		/* two of one address: the last one counts */
		add_fde(e, TEXT + 0x200, 16, CODE(0x0e, 64));
		if (debug)
			add_fde(e, (uint64_t)AWAY << 32, 16, CODE(0x0e, 80));	/* as far away as no file's code is */
		o = open_elf(e);
		assert_string_equal(rules(o.f, TEXT + 15), "cfa:7+16 16:c-8");
		assert_string_equal(rules(o.f, TEXT + 0x100), "none");
		assert_string_equal(rules(o.f, TEXT + 0x205), "cfa:7+64 16:c-8");
		assert_string_equal(rules(o.f, ((uint64_t)AWAY << 32) + 1), "none");
		assert_null(unwind_file_trouble(o.f));
		close_elf(e, o);
	}
}

static void
refused(const uint8_t *p, size_t n, const char *want)
{
	struct unwinder *u = unwind_new(UNWIND_X86_64);
	const char *why = NULL;

	assert_null(unwind_file_memory(u, p, n, &why));
	assert_string_equal(why, want);
	unwind_free(u);
}

static void
test_refused(void **state)
{
	static const struct field headers[] = {
		{ E_PHNUM, 0, 2 }, { E_PHNUM, 65535, 2 }, { E_PHENTSIZE, 55, 2 }, { E_PHOFF, 1 << 30, 8 }, { E_PHOFF, UINT64_MAX - 8, 8 },
	};
	struct elf *e = calloc(1, sizeof *e);

	(void)state;
	add_cie(e, (struct cie_form){ 0 });
	add_fde(e, TEXT, 16, NO_CODE);
	finish(e);
	refused(e->file.p, 63, "not an ELF file");
	set_number(&e->file, 18, EM_AARCH64, 2);
	refused(e->file.p, e->file.n, "an ELF file of another machine");
	set_number(&e->file, 18, EM_X86_64, 2);
	set_number(&e->file, 4, ELFCLASS32, 1);
	refused(e->file.p, e->file.n, "an ELF file of another machine");
	set_number(&e->file, 4, ELFCLASS64, 1);
	set_number(&e->file, 16, ET_REL, 2);
	refused(e->file.p, e->file.n, "an ELF file of another type than program or library");
	set_number(&e->file, 16, ET_EXEC, 2);
	set_number(&e->file, 5, ELFDATA2MSB, 1);
	refused(e->file.p, e->file.n, "an ELF file of another machine");
	set_number(&e->file, 5, ELFDATA2LSB, 1);
	for (unsigned i = 0; i < sizeof headers / sizeof *headers; i++) {
		uint8_t was[8];

		memcpy(was, e->file.p + headers[i].at, headers[i].size);
		set_number(&e->file, headers[i].at, headers[i].value, headers[i].size);
		refused(e->file.p, e->file.n, "its program headers are damaged, or too many");
		memcpy(e->file.p + headers[i].at, was, headers[i].size);
	}
	elf_end(e);
}

static void
test_bare(void **state)
{
	struct elf *e = calloc(1, sizeof *e);
	struct opened o;

	(void)state;
	add_cie(e, (struct cie_form){ 0 });
	add_fde(e, TEXT, 16, NO_CODE);
	o = open_elf(e);
	assert_false(unwind_file_bare(o.f));
	unwind_file_close(o.f);
	set_number(&e->file, 56, 2, 2);				/* no PT_GNU_EH_FRAME */
	set_number(&e->file, 40, 0, 8);				/* no sections */
	o.f = unwind_file_memory(o.u, e->file.p, e->file.n, &(const char *){ NULL });
	assert_true(unwind_file_bare(o.f));
	assert_string_equal(rules(o.f, TEXT), "none");
	assert_null(unwind_file_trouble(o.f));
	close_elf(e, o);
}

/* A header and a section of nothing: the file has tables, but they are not. */
static void
test_trouble(void **state)
{
	struct elf *e = calloc(1, sizeof *e);
	struct opened o;

	(void)state;
	e->no_header = true;
	number(&e->frames, 7, 4);
	o = open_elf(e);
	assert_null(unwind_file_trouble(o.f));
	assert_string_equal(rules(o.f, TEXT), "none");
	assert_string_equal(unwind_file_trouble(o.f), "its tables are damaged or too large");
	close_elf(e, o);
}

/* ---- bounds -------------------------------------------------------------------------------------------- */

static struct code
repeat(struct bytes *b, unsigned n, uint8_t byte)
{
	b->n = 0;
	for (unsigned i = 0; i < n; i++)
		put(b, &byte, 1);
	return (struct code){ b->p, b->n };
}

static void
test_bounds(void **state)
{
	struct elf *e = calloc(1, sizeof *e);
	struct bytes b = { 0 }, c = { 0 };
	struct opened o;

	(void)state;
	add_cie(e, (struct cie_form){ 0 });
	add_fde(e, TEXT, 16, repeat(&b, UNWIND_REMEMBERED, 0x0a));
	add_fde(e, TEXT + 0x100, 16, repeat(&b, UNWIND_REMEMBERED + 1, 0x0a));
	add_fde(e, TEXT + 0x200, 16, repeat(&b, UNWIND_CFI - 17, 0));	/* with 17 bytes before its instructions */
	add_fde(e, TEXT + 0x300, 16, repeat(&b, UNWIND_CFI - 16, 0));
	add_fde(e, TEXT + 0x400, 16, repeat(&b, 500000, 0x0a));
	put(&c, (const uint8_t[]){ 0x0f, 0x80, 0x20 }, 3);		/* an expression of 4096 bytes */
	put(&c, repeat(&b, 4096, 0x96).p, 4096);
	add_fde(e, TEXT + 0x500, 16, (struct code){ c.p, c.n });
	c.p[1] = 0x81;							/* 4097 */
	add_fde(e, TEXT + 0x600, 16, (struct code){ c.p, c.n });
	add_cie(e, (struct cie_form){ .code = CODE(0x0c, 7, 8, 0x0a) });
	add_fde(e, TEXT + 0x700, 16, CODE(0x0b));			/* nor to what the CIE remembered */
	o = open_elf(e);
	assert_string_equal(rules(o.f, TEXT + 0x700), "none");
	assert_string_equal(rules(o.f, TEXT), "cfa:7+8 16:c-8");
	assert_string_equal(rules(o.f, TEXT + 0x100), "none");
	assert_string_equal(rules(o.f, TEXT + 0x200), "cfa:7+8 16:c-8");
	assert_string_equal(rules(o.f, TEXT + 0x300), "none");
	assert_string_equal(rules(o.f, TEXT + 0x400), "none");
	assert_string_equal(rules(o.f, TEXT + 0x500), "cfa:e4096/96 16:c-8");
	assert_string_equal(rules(o.f, TEXT + 0x600), "none");
	assert_null(unwind_file_trouble(o.f));
	free(b.p);
	free(c.p);
	close_elf(e, o);
}

/* A file each of whose addresses takes 60,000 instructions is given up; one of a compiler's size never is. */
static void
test_work(void **state)
{
	struct elf *e = calloc(1, sizeof *e);
	struct bytes b = { 0 };
	struct opened o;
	unsigned n = 0;

	(void)state;
	add_cie(e, (struct cie_form){ 0 });
	add_fde(e, TEXT, 16, repeat(&b, 60000, 0));
	add_fde(e, TEXT + 16, 16, repeat(&b, 1000, 0));
	o = open_elf(e);
	for (; n < 50000 && !unwind_file_trouble(o.f); n++)
		assert_string_equal(rules(o.f, TEXT + 16), "cfa:7+8 16:c-8");
	assert_int_equal(n, 50000);
	for (n = 0; n < 2000 && !unwind_file_trouble(o.f); n++)
		assert_string_equal(rules(o.f, TEXT), "cfa:7+8 16:c-8");
	assert_in_range(n, 800, 900);
	assert_string_equal(unwind_file_trouble(o.f), "its tables take too long");
	free(b.p);
	close_elf(e, o);
}

/* Tables of more than UNWIND_TABLES: those least recently used are read again, and say the same. */
static void
test_tables(void **state)
{
	enum { FILES = 3 };
	struct unwinder *u = unwind_new(UNWIND_X86_64);
	struct unwind_file *f[FILES];
	struct elf *e[FILES];
	const char *why;

	(void)state;
	for (unsigned i = 0; i < FILES; i++) {
		e[i] = calloc(1, sizeof *e[i]);
		e[i]->debug = true;
		add_cie(e[i], (struct cie_form){ .version = 3 });
		add_fde(e[i], TEXT, 16, CODE(0x0e, (uint8_t)(16 + i)));
		put(&e[i]->frames, NULL, 25 << 20);
		compress_frames(e[i], ELFCOMPRESS_ZLIB);
		finish(e[i]);
		f[i] = unwind_file_memory(u, e[i]->file.p, e[i]->file.n, &why);
		assert_non_null(f[i]);
	}
	for (unsigned k = 0; k < 2 * FILES; k++) {
		assert_string_equal(rules(f[k % FILES], TEXT), k % FILES == 0 ? "cfa:7+16 16:c-8" : k % FILES == 1 ? "cfa:7+17 16:c-8" :
		    "cfa:7+18 16:c-8");
		assert_true(u->tables <= UNWIND_TABLES);
	}
	assert_int_equal(u->stats.reloads, FILES);
	for (unsigned i = 0; i < FILES; i++) {
		unwind_file_close(f[i]);
		elf_end(e[i]);
	}
	assert_int_equal(u->tables, 0);
	unwind_free(u);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_signed),
		cmocka_unit_test(test_cies),
		cmocka_unit_test(test_set_loc),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_damaged_table),
		cmocka_unit_test(test_damaged_sections),
		cmocka_unit_test(test_damaged_compression),
		cmocka_unit_test(test_damaged_entries),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_bare),
		cmocka_unit_test(test_trouble),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
