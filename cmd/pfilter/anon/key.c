/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sha2.h>

#include "dict.h"
#include "key.h"

enum { CACHE_BITS = 16, TEXT_BITS = 10, TEXT_MAX = 191, PID_BITS = 22, ROUNDS = 8 };	/* PID_MAX_LIMIT of include/linux/threads.h is 2^22 */

struct anon_key {
	SHA2_CTX inner, outer;		/* the two hashes of HMAC after their first block */
	struct anon_dict *dict;		/* NULL: none */
	uint64_t spread;		/* random and odd: an attacker cannot predict slots of the cache */
	struct slot { uint64_t from, to; uint32_t domain; } cache[1 << CACHE_BITS];	/* 1.5 MiB; domain 0: free */
	uint16_t round[ROUNDS][1 << PID_BITS / 2];	/* of permute() for pids below 2^PID_BITS, and 1; 0: not made yet */
	struct memo { uint32_t domain; uint8_t n, len; char s[TEXT_MAX], text[TEXT_MAX]; } texts[1 << TEXT_BITS];
};

struct anon_key *
anon_key_new(const uint8_t key[static ANON_KEY])
{
	struct anon_key *k = calloc(1, sizeof *k);
	uint8_t pad[SHA256_BLOCK_LENGTH], mac[ANON_MAC];

	if (!k)
		return NULL;
	memset(pad, 0x36, sizeof pad);
	for (size_t i = 0; i < ANON_KEY; i++)
		pad[i] ^= key[i];
	SHA256Init(&k->inner);
	SHA256Update(&k->inner, pad, sizeof pad);
	for (size_t i = 0; i < sizeof pad; i++)
		pad[i] ^= 0x36 ^ 0x5c;
	SHA256Init(&k->outer);
	SHA256Update(&k->outer, pad, sizeof pad);
	explicit_bzero(pad, sizeof pad);
	anon_mac(k, ANON_D_PID, "spread", 6, mac);
	memcpy(&k->spread, mac, sizeof k->spread);
	k->spread |= 1;
	return k;
}

void
anon_key_free(struct anon_key *k)
{
	if (k)
		explicit_bzero(k, sizeof *k);
	free(k);
}

void
anon_key_dict(struct anon_key *k, struct anon_dict *d)
{
	k->dict = d;
}

void
anon_made(const struct anon_key *k, enum anon_domain domain, const char *pseudonym, size_t n, const char *name, size_t m)
{
	if (k->dict)
		anon_dict_put(k->dict, domain, pseudonym, n, name, m);
}

void
anon_made_bytes(const struct anon_key *k, enum anon_domain domain, const uint8_t *pseudonym, const uint8_t *bytes, size_t n)
{
	char from[2 * ANON_MAC + 1], to[2 * ANON_MAC + 1];

	if (!k->dict || n > ANON_MAC)
		return;
	tool_hex(to, pseudonym, n);
	tool_hex(from, bytes, n);
	anon_dict_put(k->dict, domain, to, 2 * n, from, 2 * n);
}

void
anon_mac2(const struct anon_key *k, enum anon_domain domain, const void *p, size_t n, const void *q, size_t m,
    uint8_t mac[static ANON_MAC])
{
	SHA2_CTX c = k->inner;
	uint8_t first = (uint8_t)domain;

	SHA256Update(&c, &first, 1);
	SHA256Update(&c, p, n);
	SHA256Update(&c, q, m);
	SHA256Final(mac, &c);
	c = k->outer;
	SHA256Update(&c, mac, ANON_MAC);
	SHA256Final(mac, &c);
}

void
anon_mac(const struct anon_key *k, enum anon_domain domain, const void *p, size_t n, uint8_t mac[static ANON_MAC])
{
	anon_mac2(k, domain, p, n, "", 0, mac);
}

void
anon_hex(const struct anon_key *k, enum anon_domain domain, const void *p, size_t n, char *to, unsigned digits)
{
	char hex[2 * ANON_MAC + 1];
	uint8_t mac[ANON_MAC];

	anon_mac(k, domain, p, n, mac);
	tool_hex(hex, mac, (digits + 1) / 2);
	memcpy(to, hex, digits);
	to[digits] = 0;
}

/* The slot of a text in the cache; a text replaces another one in its slot. */
static size_t
place(const struct anon_key *k, enum anon_domain domain, const char *s, size_t n)
{
	uint64_t h = domain;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)s[i]) * UINT64_C(0x100000001b3);
	return h * k->spread >> (64 - TEXT_BITS);
}

int
anon_recall(const struct anon_key *k, enum anon_domain domain, const char *s, size_t n, char *to)
{
	const struct memo *m;

	if (n > TEXT_MAX)
		return ANON_FORGOTTEN;
	m = &k->texts[place(k, domain, s, n)];
	if (m->domain != domain + 1u || m->n != n || memcmp(m->s, s, n))
		return ANON_FORGOTTEN;
	memcpy(to, m->text, m->len);
	to[m->len] = 0;
	return m->len;
}

void
anon_remember(struct anon_key *k, enum anon_domain domain, const char *s, size_t n, const char *text, size_t len)
{
	struct memo *m;

	if (n > TEXT_MAX || len > TEXT_MAX)
		return;
	m = &k->texts[place(k, domain, s, n)];
	m->domain = domain + 1u;
	m->n = (uint8_t)n;
	m->len = (uint8_t)len;
	memcpy(m->s, s, n);
	memcpy(m->text, text, len);
}

/* ---- numbers ------------------------------------------------------------------------------------- */

/* The first 64 bits of the MAC of n bytes, in big-endian order on every machine. */
static uint64_t
mac64(const struct anon_key *k, enum anon_domain domain, const uint8_t *p, size_t n)
{
	uint8_t mac[ANON_MAC];
	uint64_t v = 0;

	anon_mac(k, domain, p, n, mac);
	for (int i = 0; i < 8; i++)
		v = v << 8 | mac[i];
	return v;
}

static struct slot *
slot(struct anon_key *k, uint32_t domain, uint64_t n)
{
	return &k->cache[(n + domain) * k->spread >> (64 - CACHE_BITS)];
}

uint64_t
anon_number(struct anon_key *k, enum anon_domain domain, uint64_t n)
{
	struct slot *s = slot(k, domain, n);
	uint8_t bytes[8];

	if (s->domain != domain + 1u || s->from != n) {
		for (int i = 0; i < 8; i++)
			bytes[i] = (uint8_t)(n >> 8 * i);
		*s = (struct slot){ n, mac64(k, domain, bytes, sizeof bytes), domain + 1u };
	}
	return s->to;
}

/* The function of one round. */
static uint32_t
mix(const struct anon_key *k, unsigned half, unsigned i, uint32_t r)
{
	uint8_t in[] = { (uint8_t)half, (uint8_t)i, (uint8_t)r, (uint8_t)(r >> 8) };

	return (uint32_t)mac64(k, ANON_D_PID, in, sizeof in) & ((1u << half) - 1);
}

/* A Feistel network over 2 x half bits: a permutation for any round function. */
static uint32_t
permute(const struct anon_key *k, uint32_t v, unsigned half)
{
	uint32_t mask = (1u << half) - 1, l = v >> half, r = v & mask;

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t next = l ^ mix(k, half, i, r);

		l = r;
		r = next;
	}
	return l << half | r;
}

/* permute() of a pid below 2^PID_BITS: there are few values of a round, so that no number of tasks takes more than these. */
static uint32_t
permute_low(struct anon_key *k, uint32_t v)
{
	enum { HALF = PID_BITS / 2 };
	uint32_t l = v >> HALF, r = v & ((1u << HALF) - 1);

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint16_t *mixed = &k->round[i][r];
		uint32_t next;

		if (!*mixed)
			*mixed = (uint16_t)(mix(k, HALF, i, r) + 1);
		next = l ^ (*mixed - 1u);
		l = r;
		r = next;
	}
	return l << HALF | r;
}

uint32_t
anon_pid(struct anon_key *k, uint32_t pid)
{
	struct slot *s = slot(k, ANON_D_PID, pid);
	uint32_t v = pid;

	if (!pid || pid == UINT32_MAX)
		return pid;
	if (s->domain == ANON_D_PID + 1 && s->from == pid)
		return (uint32_t)s->to;
	/* Cycle walking: apply the permutation until the result is in the range again.  This is a permutation of the range. */
	if (pid >> PID_BITS)
		do
			v = permute(k, v, 16);
		while (v >> PID_BITS == 0 || v == UINT32_MAX);
	else
		do
			v = permute_low(k, v);
		while (!v);
	*s = (struct slot){ pid, v, ANON_D_PID + 1 };
	if (k->dict) {
		char from[16], to[16];
		int n = sprintf(to, "%u", v), m = sprintf(from, "%u", pid);

		anon_dict_put(k->dict, ANON_D_PID, to, (size_t)n, from, (size_t)m);
	}
	return v;
}
