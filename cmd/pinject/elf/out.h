/* SPDX-License-Identifier: ISC */
/* out.h - parts of an ELF file that is made in memory.  Without memory all functions print the reason and exit 1. */
#ifndef ELF_OUT_H
#define ELF_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_buf { uint8_t *p; size_t n; };	/* begins zeroed; the caller frees p */
struct elf_form { bool big, is64; };		/* byte order and class of the file */

/* Append bytes (NULL: zeros), or a number in the byte order of the file. */
void	elf_bytes(struct elf_buf *, const void *, size_t);
void	elf_number(struct elf_form, struct elf_buf *, uint64_t value, size_t width);
/* Append zeros up to a multiple of `align'. */
void	elf_align(struct elf_buf *, size_t align);
/* Bytes of an address. */
size_t	elf_word(struct elf_form);
/* Append an entry of the table of symbols.  info: as st_info. */
void	elf_symbol(struct elf_form, struct elf_buf *, uint32_t name, uint64_t value, uint64_t size, uint8_t info, uint16_t section);

#endif
