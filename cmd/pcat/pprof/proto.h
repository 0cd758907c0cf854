/* SPDX-License-Identifier: ISC */
/*
 * proto.h - messages of protocol buffers, written by hand: https://protobuf.dev/programming-guides/encoding
 *
 *	size_t at = proto_begin(&p);
 *	proto_number(&p, 1, id);
 *	proto_end(&p, 3, at);			field 3 of the message around it, with what was put since
 *
 * A field is a number, or bytes with their length in front: a string, a message, or packed numbers.  The bytes are in memory until
 * the caller takes them from p and sets n to 0.  Without memory `failed' is set, and nothing is put any more.
 */
#ifndef PPROF_PROTO_H
#define PPROF_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proto {			/* begins zeroed */
	uint8_t	*p;
	size_t	 n, cap;
	bool	 failed;
};

/* A number without its field: an entry of packed numbers. */
void	proto_varint(struct proto *, uint64_t);
/* n of them. */
void	proto_varints(struct proto *, const uint32_t *, size_t n);
/* 0 is what readers take for a field that is not there, so it is not written. */
void	proto_number(struct proto *, unsigned field, uint64_t);
void	proto_bytes(struct proto *, unsigned field, const void *, size_t n);
size_t	proto_begin(const struct proto *);
void	proto_end(struct proto *, unsigned field, size_t begin);
void	proto_free(struct proto *);

#endif
