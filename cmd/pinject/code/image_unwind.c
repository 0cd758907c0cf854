/* SPDX-License-Identifier: ISC */
/*
 * image_unwind.c - unwinding tables of an image: the .eh_frame of all functions, one behind the other, and an .eh_frame_hdr that
 * is sorted by address
 *
 * A dump has the tables of a function as they stand behind its code, at a multiple of 8 (jitdump-specification.txt).  Only
 * addresses relative to themselves, of 4 bytes, are moved to their new place; tables with others are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "image_in.h"

enum { RELATIVE_4 = 0x1b };		/* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */

static uint64_t
image_take_leb(struct pp_cur *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	const uint8_t *p;

	while ((p = pp_take(c, 1))) {
		if (shift < 64)
			v |= (uint64_t)(*p & 0x7f) << shift;
		shift += 7;
		if (!(*p & 0x80))
			break;
	}
	return v;
}

/* Does the CIE behind its id say that addresses are RELATIVE_4? */
static bool
image_cie_is_relative(struct pp_cur c)
{
	const uint8_t *version = pp_take(&c, 1), *p;
	const char *text = (const char *)c.p;

	if (!version || !memchr(text, '\0', pp_left(&c)) || *text != 'z')
		return false;
	pp_take(&c, strlen(text) + 1);
	image_take_leb(&c);			/* alignment of code and data, return address, length of what follows */
	image_take_leb(&c);
	if (*version == 1)
		pp_take(&c, 1);
	else
		image_take_leb(&c);
	image_take_leb(&c);
	return text[1] == 'R' && (p = pp_take(&c, 1)) && *p == RELATIVE_4;
}

struct image_fde { int64_t at, function; };	/* offsets of it in .eh_frame, and of its function in the file */

/* Move the addresses in the entries of p (n bytes), which will be at offset `to' of .eh_frame.  The bytes of them; 0: they cannot be. */
static size_t
image_move_entries(struct image *im, uint8_t *p, size_t n, size_t to, const struct image_fn *fn, uint64_t offset)
{
	bool swap = im->form.big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint64_t behind = (fn->size + 7) & ~UINT64_C(7);	/* where p was, from the function on */
	size_t at = 0;

	while (n - at >= 8) {
		uint32_t size = pp_get_u32(p + at, swap), id = pp_get_u32(p + at + 4, swap);
		size_t begin = at + 8;
		int64_t target;

		if (!size)
			break;
		if (size < 4 || size > n - at - 4)
			return 0;
		if (id) {
			if (id > at + 4 || size < 12 || !image_cie_is_relative(pp_cur(p + at + 4 - id + 8, n - (at + 4 - id + 8), swap)))
				return 0;
			/* relative to the function, and then to the place of the address in .eh_frame */
			target = (int32_t)pp_get_u32(p + begin, swap) + (int64_t)(behind + begin);
			if (target < 0 || (uint64_t)target >= fn->size)
				return 0;
			elf_bytes(&im->fdes, &(struct image_fde){ (int64_t)(to + at), (int64_t)offset + target },
			    sizeof(struct image_fde));
		}
		at += size + 4;
	}
	return at;
}

void
image_unwind_add(struct image *im, const struct image_fn *fn, uint64_t offset)
{
	size_t to = im->eh_frame.n, before = im->fdes.n, n;

	if (!fn->unwind || fn->unwind_hdr_size >= fn->unwind_size)
		return;
	elf_bytes(&im->eh_frame, fn->unwind, fn->unwind_size - fn->unwind_hdr_size);
	n = image_move_entries(im, im->eh_frame.p + to, im->eh_frame.n - to, to, fn, offset);
	if (!n || im->fdes.n == before) {
		n = 0;
		im->fdes.n = before;
	}
	im->eh_frame.n = to + n;
}

static int
image_by_function(const void *a, const void *b)
{
	int64_t x = ((const struct image_fde *)a)->function, y = ((const struct image_fde *)b)->function;

	return x < y ? -1 : x > y;
}

void
image_unwind_reserve(struct image *im)
{
	size_t n = im->fdes.n / sizeof(struct image_fde);

	if (!n)
		return;
	elf_bytes(&im->eh_frame, NULL, 4);	/* the end */
	elf_bytes(&im->eh_frame_hdr, NULL, 12 + n * 8);
}

void
image_unwind_finish(struct image *im, uint64_t hdr_at, uint64_t frame_at)
{
	bool swap = im->form.big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	struct image_fde *f = (struct image_fde *)(void *)im->fdes.p;
	size_t n = im->fdes.n / sizeof *f;
	struct elf_buf *hdr = &im->eh_frame_hdr;

	qsort(f, n, sizeof *f, image_by_function);
	hdr->n = 0;
	elf_bytes(hdr, (const uint8_t[]){ 1, 0x1b, 0x03, 0x3b }, 4);
	elf_number(im->form, hdr, frame_at - (hdr_at + 4), 4);
	elf_number(im->form, hdr, n, 4);
	for (size_t i = 0; i < n; i++) {
		uint64_t at = frame_at + (uint64_t)f[i].at, function = (uint64_t)f[i].function;

		elf_number(im->form, hdr, function - hdr_at, 4);
		elf_number(im->form, hdr, at - hdr_at, 4);
		pp_set_u32(im->eh_frame.p + f[i].at + 8, (uint32_t)(function - (at + 8)), swap);
	}
}
