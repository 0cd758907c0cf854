/* SPDX-License-Identifier: ISC */
/* blob.h - a growing array of bytes, for commands: without memory they end */
#ifndef PP_BLOB_H
#define PP_BLOB_H

#include <stddef.h>
#include <stdint.h>

struct blob {			/* begins zeroed; p is freed by its owner */
	uint8_t	*p;
	size_t	 n, cap;
};

/* Append n bytes (p NULL: zeros).  Returns their address, valid until the next call. */
uint8_t	*blob_add(struct blob *, const void *p, size_t n);

#endif
