/* SPDX-License-Identifier: ISC */
/*
 * key.h - pseudonyms by HMAC-SHA256 (RFC 2104) under a secret key.
 *
 * Who does not have the key learns from a pseudonym only that the same thing was meant twice; guessing names or
 * numbers does not help.  Each kind of thing has a domain, so that equal bytes of two kinds do not look alike.
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
/* From here on, what pseudonyms stand for goes into that dictionary as well; NULL: none. */
void		 anon_key_dict(struct anon_key *, struct anon_dict *);
/* A pseudonym was made: tell the dictionary, if there is one. */
void		 anon_made(const struct anon_key *, enum anon_domain, const char *pseudonym, size_t n, const char *name, size_t m);
/* The same of bytes, as hexadecimal digits. */
void		 anon_made_bytes(const struct anon_key *, enum anon_domain, const uint8_t *pseudonym, const uint8_t *bytes, size_t n);
void		 anon_mac(const struct anon_key *, enum anon_domain, const void *p, size_t n, uint8_t mac[static ANON_MAC]);
/* The same of two pieces; the first has `n' bytes always, so that where it ends is no question. */
void		 anon_mac2(const struct anon_key *, enum anon_domain, const void *p, size_t n, const void *q, size_t m,
		    uint8_t mac[static ANON_MAC]);
/* `digits' (at most 64) hexadecimal digits and a NUL. */
void		 anon_hex(const struct anon_key *, enum anon_domain, const void *p, size_t n, char *to, unsigned digits);
/*
 * Copy the pseudonym that anon_remember() stored for a text to `to', and return its length.  ANON_FORGOTTEN: it is not
 * stored, or no longer.  The same files are mapped again and again.
 */
enum { ANON_FORGOTTEN = -2 };
int		 anon_recall(const struct anon_key *, enum anon_domain, const char *s, size_t n, char *to);
void		 anon_remember(struct anon_key *, enum anon_domain, const char *s, size_t n, const char *text, size_t len);
/* 64 bits for a number.  These are remembered for a while, since the same ones come again and again. */
uint64_t	 anon_number(struct anon_key *, enum anon_domain, uint64_t);
/*
 * Another pid for a pid or tid: no two get the same, 0 and -1 keep theirs, and one that Linux can give out (less than
 * 2^22) becomes such a one.
 */
uint32_t	 anon_pid(struct anon_key *, uint32_t pid);

#endif
