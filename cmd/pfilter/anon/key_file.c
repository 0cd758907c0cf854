/* SPDX-License-Identifier: ISC */
/* key_file.c - the key of --anon-key: the hash of a file, if it can be secret */
#include <sys/stat.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <sha2.h>

#include "out.h"

enum { KEY_MIN_BITS = 128, KEY_MAX = 16 << 20 };

struct reading {
	SHA2_CTX hash;
	size_t	 n;			/* bytes so far */
	bool	 seen[256], step[256];	/* byte values, and differences of adjacent bytes, that occur */
	bool	 binary, letters, upper, digits, hex, others;	/* classes of characters; `letters': beyond f */
	uint8_t	 last;
};

static void
add_bytes(struct reading *k, const uint8_t *p, size_t n)
{
	SHA256Update(&k->hash, p, n);
	for (size_t i = 0; i < n; i++) {
		k->seen[p[i]] = true;
		if (k->n++)
			k->step[(uint8_t)(p[i] - k->last)] = true;
		k->last = p[i];
		if (!isprint(p[i]) && p[i] != '\n')
			k->binary = true;
		else if (isdigit(p[i]))
			k->digits = true;
		else if (isxdigit(p[i]))
			k->hex = true;
		else if (islower(p[i]))
			k->letters = true;
		else if (isupper(p[i]))
			k->upper = true;
		else if (p[i] != '\n')
			k->others = true;
	}
}

static unsigned
count(const bool *set)
{
	unsigned n = 0;

	for (int i = 0; i < 256; i++)
		n += set[i];
	return n;
}

/* A lower bound of the base-2 logarithm of n, in tenths. */
static unsigned
tenths_of_log2(unsigned n)
{
	static const struct { unsigned n, tenths; } known[] = {
		{ 256, 80 }, { 95, 65 }, { 64, 60 }, { 36, 51 }, { 26, 47 }, { 16, 40 }, { 10, 33 }, { 8, 30 }, { 4, 20 }, { 3, 15 }, { 2, 10 },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (n >= known[i].n)
			return known[i].tenths;
	return 0;
}

/*
 * An upper bound of the bits of the key by its appearance: characters times the bits of their alphabet.  If much fewer different
 * characters or differences occur than in a random key (zeros, "abcdef..."), the number of these replaces the alphabet.
 */
static size_t
apparent_bits(const struct reading *k)
{
	unsigned alphabet = k->binary ? 256 : k->others ? 95 : (k->letters || k->hex) && k->upper ? 64 : k->letters || k->upper ? 36 :
	    k->hex ? 16 : 10;
	unsigned seen = count(k->seen), steps = count(k->step), fewer = seen < steps ? seen : steps;
	size_t expected = (k->n < alphabet ? k->n : alphabet) / 2;

	return k->n * tenths_of_log2(fewer < expected ? fewer : alphabet) / 10;
}

static void
judge(const struct tool *t, const char *path, const struct reading *k)
{
	size_t bits = apparent_bits(k);

	if (k->n > KEY_MAX)
		tool_wrong(t, "--anon-key %s: more than %d bytes", path, KEY_MAX);
	if (bits < KEY_MIN_BITS)
		tool_wrong(t, "--anon-key %s: %zu bytes that hold a key of %zu bits at most; needs %d, as from: "
		    "head -c 32 /dev/urandom", path, k->n, bits, KEY_MIN_BITS);
}

void
anon_key_file(const struct tool *t, const char *path, uint8_t key[static ANON_KEY])
{
	struct reading k = { .n = 0 };
	uint8_t buf[4096];
	struct stat st;
	ssize_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	SHA256Init(&k.hash);
	while (fd >= 0 && k.n <= KEY_MAX && (n = read(fd, buf, sizeof buf)) != 0) {
		if (n < 0 && errno != EINTR)
			break;
		add_bytes(&k, buf, n > 0 ? (size_t)n : 0);
	}
	if (fd < 0 || n < 0)
		tool_wrong(t, "--anon-key %s: %s", path, strerror(errno));
	judge(t, path, &k);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_mode & 077)
		tool_warn(t, "--anon-key %s: other users can read the key (mode %04o): use chmod 600", path, (unsigned)st.st_mode & 07777);
	SHA256Final(key, &k.hash);
	close(fd);
	explicit_bzero(buf, sizeof buf);
	explicit_bzero(&k, sizeof k);
}
