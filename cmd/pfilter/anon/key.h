/* SPDX-License-Identifier: ISC */
/*
 * key.h - pseudonyms by HMAC-SHA256 (RFC 2104) under a secret key.
 *
 * Without the key, a pseudonym shows only whether two originals are equal; guessing originals does not help.  Each kind of
 * original has a domain, so that equal bytes in two domains have different pseudonyms.  A new kind is a value of enum
 * anon_domain, with a name in dict.c if it goes into the dictionary.
 */
#ifndef PFILTER_ANON_KEY_H
#define PFILTER_ANON_KEY_H

#include <stddef.h>
#include <stdint.h>

enum { ANON_KEY = 32, ANON_MAC = 32 };

enum anon_domain {
	ANON_D_COMM, ANON_D_PATH, ANON_D_MODULE, ANON_D_SYMBOL, ANON_D_EVENT, ANON_D_CGROUP, ANON_D_HOST, ANON_D_ARG,
	ANON_D_BUILD_ID, ANON_D_TAG, ANON_D_INODE, ANON_D_DEVICE, ANON_D_CGROUP_ID, ANON_D_NAMESPACE, ANON_D_PAGE, ANON_D_MAP,
	ANON_D_PID,
};

struct anon_key;
struct anon_dict;

/* NULL: no memory.  anon_key_free() wipes the key. */
struct anon_key	*anon_key_new(const uint8_t key[static ANON_KEY]);
void		 anon_key_free(struct anon_key *);
/* Write originals of pseudonyms to this dictionary from here on; NULL: none. */
void		 anon_key_dict(struct anon_key *, struct anon_dict *);
/* A pseudonym was made: add it to the dictionary, if any. */
void		 anon_made(const struct anon_key *, enum anon_domain, const char *pseudonym, size_t n, const char *name, size_t m);
/* The same for bytes, written in hexadecimal. */
void		 anon_made_bytes(const struct anon_key *, enum anon_domain, const uint8_t *pseudonym, const uint8_t *bytes, size_t n);
void		 anon_mac(const struct anon_key *, enum anon_domain, const void *p, size_t n, uint8_t mac[static ANON_MAC]);
/* The MAC of two concatenated buffers; n must be constant in a domain, so that the boundary is unambiguous. */
void		 anon_mac2(const struct anon_key *, enum anon_domain, const void *p, size_t n, const void *q, size_t m,
		    uint8_t mac[static ANON_MAC]);
/* The MAC as `digits' (at most 64) hexadecimal digits and a NUL. */
void		 anon_hex(const struct anon_key *, enum anon_domain, const void *p, size_t n, char *to, unsigned digits);
/*
 * Copy the pseudonym that anon_remember() stored for a text to `to', and return its length.  ANON_FORGOTTEN: it is not
 * stored, or no longer.  The same files are mapped again and again.
 */
enum { ANON_FORGOTTEN = -2 };
int		 anon_recall(const struct anon_key *, enum anon_domain, const char *s, size_t n, char *to);
void		 anon_remember(struct anon_key *, enum anon_domain, const char *s, size_t n, const char *text, size_t len);
/* A pseudonym of 64 bits for a number.  It is cached, since numbers repeat. */
uint64_t	 anon_number(struct anon_key *, enum anon_domain, uint64_t);
/* The pseudonym of a pid or tid.  A permutation: 0 and -1 stay, and a pid below 2^22, the limit of Linux, stays below. */
uint32_t	 anon_pid(struct anon_key *, uint32_t pid);

#endif
