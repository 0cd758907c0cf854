/* SPDX-License-Identifier: ISC */
/*
 * mutate.c - libFuzzer's mutations of the target whole: of records, as they are framed and as samples are laid out; of the command
 * line; and at times of any bytes.  After most of them it is still a stream.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "../fuzz.h"
#include "frames.h"
#include "whole.h"

size_t	LLVMFuzzerMutate(uint8_t *, size_t, size_t) __attribute__((weak));
size_t	LLVMFuzzerCustomMutator(uint8_t *, size_t, size_t, unsigned);
size_t	LLVMFuzzerCustomCrossOver(const uint8_t *, size_t, const uint8_t *, size_t, uint8_t *, size_t, unsigned);

enum { RECORD_MAX = 0xfff8, ATTR_TYPE = 8 + 24, ATTR_READ_FORMAT = 8 + 32, ATTR_FLAGS = 8 + 40, SAMPLE_ID_ALL = 1 << 18 };
/* bits of sample_type */
enum { IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, IDENTIFIER = 16 };

/* ---- dice --------------------------------------------------------------------------------------------------------- */

static uint64_t state;

static uint64_t
dice(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static size_t
below(size_t n)
{
	return n ? (size_t)((dice() >> 11) % n) : 0;
}

/* ---- the stream that is changed ------------------------------------------------------------------------------------ */

static uint8_t *buf;
static size_t len, space;
static struct frames f;

/* n bytes in place of the `old' ones at `at'. */
static void
put(size_t at, size_t old, const void *p, size_t n)
{
	uint8_t *copy;

	if (at > len || old > len - at || len - old + n > space)
		return;
	MUST((copy = malloc(n + 1)));
	if (n)
		memcpy(copy, p, n);
	memmove(buf + at + n, buf + at + old, len - at - old);
	memcpy(buf + at, copy, n);
	len += n - old;
	free(copy);
}

static size_t
at_of(size_t i)
{
	return (size_t)(f.f[i].p - buf);
}

static uint8_t *
bytes_of(size_t i)
{
	return buf + at_of(i);
}

/* A record, by preference one of the type; SIZE_MAX: there is none. */
static size_t
pick(uint32_t type)
{
	size_t i = below(f.n);

	for (size_t n = 0; n < f.n; n++, i = (i + 1) % f.n)
		if (f.f[i].type == type)
			return i;
	return type || !f.n ? SIZE_MAX : below(f.n);
}

static size_t
any(void)
{
	return f.n ? below(f.n) : SIZE_MAX;
}

static void
set_size(size_t at, size_t n)
{
	number_put(buf + at + 6, 2, f.swap, n);
}

/* The record without what follows it. */
static size_t
size_of(size_t i)
{
	return (size_t)number(f.f[i].p + 6, 2, f.swap);
}

/* ---- values ---------------------------------------------------------------------------------------------------------- */

static uint64_t
value(uint64_t old)
{
	static const uint64_t some[] = { 0, 1, 2, 3, 4, 7, 8, 16, 100, 255, 256, 4096, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
	    0x7fffffffffffffff, 0x8000000000000000, UINT64_MAX, UINT64_MAX - 7, (uint64_t)-128, (uint64_t)-512, (uint64_t)-640 };

	switch (below(6)) {
	case 0: return old + 1 + below(16);
	case 1: return old - 1 - below(16);
	case 2: return old ^ 1ull << below(64);
	case 3: return old + below(1 << 20);
	case 4: return dice();
	default: return some[below(sizeof some / sizeof *some)];
	}
}

/* A number in a record gets another value, at times that of its like at the same place. */
static void
change_number(void)
{
	size_t i = any(), n, at, like, width = below(3) ? 8 : 4;

	if (i == SIZE_MAX || (n = size_of(i)) < 8 + width)
		return;
	at = 8 + below((n - 8) / width) * width;
	like = below(2) ? pick(f.f[i].type) : SIZE_MAX;
	if (like != SIZE_MAX && size_of(like) >= at + width)
		memcpy(bytes_of(i) + at, f.f[like].p + at, width);
	else
		number_put(bytes_of(i) + at, width, f.swap, value(number(f.f[i].p + at, width, f.swap)));
}

/* ---- records --------------------------------------------------------------------------------------------------------- */

static void
duplicate(void)
{
	size_t i = any();

	if (i != SIZE_MAX)
		put(at_of(below(f.n)), 0, f.f[i].p, f.f[i].n);
}

static void
delete(void)
{
	size_t i = any(), n = 1 + (below(4) ? 0 : below(8));

	for (; i != SIZE_MAX && n-- && f.n > i; frames_of(&f, (struct bytes){ buf, len }))
		put(at_of(i), f.f[i].n, "", 0);
}

static void
move(void)
{
	size_t i = any(), to, n;

	if (i == SIZE_MAX)
		return;
	/* near by more often than far */
	to = below(2) ? below(f.n) : i + 1 < f.n ? i + 1 : 0;
	n = f.f[i].n;
	if (to == i)
		return;
	put(at_of(to), 0, f.f[i].p, n);
	put(at_of(i) + (to < i ? n : 0), n, "", 0);
}

static void
resize(void)
{
	static const uint8_t zeros[512];
	size_t i = any(), n, at, by = 8 * (1 + below(below(4) ? 3 : 64));

	if (i == SIZE_MAX)
		return;
	n = size_of(i);
	at = below(2) ? n : 8 + below((n - 8) / 8 + 1) * 8;
	if (at > n)
		at = n;
	if (below(2)) {
		if (n + by > RECORD_MAX || len + by > space)
			return;
		put(at_of(i) + at, 0, zeros, by);
		set_size(at_of(i), n + by);
	} else {
		at = n - at < by ? n - (n - 8 < by ? n - 8 : by) : at;
		by = n - at < by ? n - at : by;
		set_size(at_of(i), n - by);
		put(at_of(i) + at, by, "", 0);
	}
}

static void
change_type(void)
{
	size_t i = any();

	if (i == SIZE_MAX)
		return;
	if (below(2))
		number_put(bytes_of(i), 4, f.swap, below(2) ? 1 + below(23) : 64 + below(24));
	else
		number_put(bytes_of(i) + 4, 2, f.swap, below(2) ? below(8) : number(f.f[i].p + 4, 2, f.swap) ^ 1u << below(16));
}

/* Any bytes behind the head of a record, whose size then fits again. */
static void
change_bytes(void)
{
	size_t i = any(), n, m;
	uint8_t *copy;

	if (i == SIZE_MAX || !LLVMFuzzerMutate)
		return;
	n = size_of(i);
	MUST((copy = calloc(1, RECORD_MAX + 8)));
	memcpy(copy, f.f[i].p, n);
	m = 8 + LLVMFuzzerMutate(copy + 8, n - 8, n - 8 + (below(2) ? 64 : 0) > RECORD_MAX - 8 ? RECORD_MAX - 8 : n - 8 + 64);
	m = (m + 7) & ~(size_t)7;
	if (m <= RECORD_MAX && len + m <= space + n) {
		number_put(copy + 6, 2, f.swap, m);
		put(at_of(i), n, copy, m);
	}
	free(copy);
}

static void
insert_round(void)
{
	uint8_t r[8];

	number_put(r, 4, f.swap, REC_ROUND);
	number_put(r + 4, 2, f.swap, 0);
	number_put(r + 6, 2, f.swap, 8);
	if (f.n)
		put(at_of(below(f.n)), 0, r, 8);
}

/* The number of a feature, its length, or a number in it. */
static void
change_feature(void)
{
	size_t i = pick(REC_FEATURE), n;

	if (i == SIZE_MAX || f.f[i].type != REC_FEATURE || (n = size_of(i)) < 16)
		return;
	if (!below(4))
		number_put(bytes_of(i) + 8, 8, f.swap, below(36));
	else if (n >= 20)
		number_put(bytes_of(i) + 16 + below((n - 16) / 4) * 4, 4, f.swap, value(below(64)));
}

/* What follows a record: of TRACING_DATA and AUXTRACE. */
static void
change_payload(void)
{
	size_t i = pick(below(2) ? REC_TRACING : REC_AUXTRACE), n, head;
	uint8_t *p;

	if (i == SIZE_MAX || f.f[i].n <= (head = size_of(i)))
		return;
	n = f.f[i].n - head;
	p = bytes_of(i) + head;
	if (below(2) && LLVMFuzzerMutate) {
		LLVMFuzzerMutate(p, n, n);
	} else {
		size_t at = below(n), to = below(n), m = below(n - (at > to ? at : to)) % 64;

		memmove(p + to, p + at, m);
	}
}

/* ---- layouts of samples ------------------------------------------------------------------------------------------------ */

/* A bit of sample_type, with 8 bytes in all samples and trailers: for the fields of 8 bytes at their beginning, and lists at their end. */
static void
change_layout(void)
{
	static const uint8_t fixed[] = { IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD };
	static const uint8_t trailer[] = { TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER };
	uint8_t v[8] = { 0 };
	uint64_t type = 0, bit;
	size_t attr = SIZE_MAX, at = 8, back = 0;
	bool in_trailer = false, begun = false, all = false;

	for (size_t i = 0; i < f.n; i++) {
		if (f.f[i].type != REC_ATTR || size_of(i) < ATTR_FLAGS + 8)
			continue;
		if (attr != SIZE_MAX && number(f.f[i].p + ATTR_TYPE, 8, f.swap) != type)
			return;
		attr = i;
		type = number(f.f[i].p + ATTR_TYPE, 8, f.swap);
		all |= number(f.f[i].p + ATTR_FLAGS, 8, f.swap) & SAMPLE_ID_ALL;
	}
	if (attr == SIZE_MAX)
		return;
	if (below(4)) {
		bit = fixed[below(sizeof fixed)];
		for (size_t k = 0; fixed[k] != bit; k++)
			at += type >> fixed[k] & 1 ? 8 : 0;
		for (size_t k = 0; k < sizeof trailer; k++) {
			begun |= in_trailer;
			in_trailer |= trailer[k] == bit;
			back += begun && type >> trailer[k] & 1 ? 8 : 0;
		}
	} else {
		/* the last field, empty */
		do
			bit = below(4) ? RAW + below(14) : CALLCHAIN;
		while (bit == IDENTIFIER);
		if (type >> bit & 1 || (type & ~(1ull << IDENTIFIER)) >> (bit == CALLCHAIN ? RAW : bit))
			return;
		at = SIZE_MAX;
		if (bit == RAW)
			number_put(v, 4, f.swap, 4);
	}
	bool on = !(type >> bit & 1);

	for (size_t i = f.n; i--;) {
		size_t n = size_of(i), p;

		if (f.f[i].type == REC_ATTR && n >= ATTR_FLAGS + 8)
			number_put(bytes_of(i) + ATTR_TYPE, 8, f.swap, type ^ 1ull << bit);
		if (f.f[i].type >= REC_KERNEL || (f.f[i].type != REC_SAMPLE && !(all && in_trailer)))
			continue;
		p = f.f[i].type == REC_SAMPLE ? (at == SIZE_MAX ? n : at) : n - back - (on ? 0 : 8);
		if (p > n || p < 8 || (!on && n - p < 8) || n + 8 > RECORD_MAX || len + 8 > space)
			continue;
		set_size(at_of(i), on ? n + 8 : n - 8);
		put(at_of(i) + p, on ? 0 : 8, v, on ? 8 : 0);
	}
}

/* attr: its flags, read_format, type and config. */
static void
change_attr(void)
{
	static const uint8_t at[] = { ATTR_TYPE, ATTR_READ_FORMAT, ATTR_FLAGS, ATTR_FLAGS, 8, 16, 12, 8 + 48 };
	size_t i = pick(REC_ATTR), a = at[below(sizeof at)];

	if (i != SIZE_MAX && f.f[i].type == REC_ATTR && size_of(i) >= a + 8)
		number_put(bytes_of(i) + a, 8, f.swap, number(f.f[i].p + a, 8, f.swap) ^ 1ull << below(a == 8 ? 4 : 64));
}

/* The times of samples: exchanged, or moved a little. */
static void
change_time(void)
{
	size_t attr = pick(REC_ATTR), i = pick(REC_SAMPLE), k = pick(REC_SAMPLE), at = 8;
	uint64_t type, x, y;

	if (attr == SIZE_MAX || i == SIZE_MAX || f.f[attr].type != REC_ATTR || f.f[i].type != REC_SAMPLE || size_of(attr) < ATTR_FLAGS)
		return;
	type = number(f.f[attr].p + ATTR_TYPE, 8, f.swap);
	at += 8 * ((type >> IDENTIFIER & 1) + (type >> IP & 1) + (type >> TID & 1));
	if (size_of(i) < at + 8 || size_of(k) < at + 8)
		return;
	x = number(f.f[i].p + at, 8, f.swap);
	y = number(f.f[k].p + at, 8, f.swap);
	if (below(2)) {
		number_put(bytes_of(i) + at, 8, f.swap, y);
		number_put(bytes_of(k) + at, 8, f.swap, below(2) ? x : y);
	} else
		number_put(bytes_of(i) + at, 8, f.swap, below(2) ? x - below(1 << (below(30))) : y + below(1 << below(30)));
}

/* ---- compressed ---------------------------------------------------------------------------------------------------------- */

static void
compress(void)
{
	size_t i = any(), n = 1 + below(20), from, to, m, piece;
	uint8_t *z;

	if (i == SIZE_MAX)
		return;
	from = at_of(i);
	for (to = from; n-- && i < f.n && f.f[i].type != REC_ATTR; i++)
		to += f.f[i].n;
	/* at times in the midst of a record */
	if (!below(4) && to - from > 8)
		to -= 1 + below(8);
	if (to == from)
		return;
	MUST((z = malloc(ZSTD_compressBound(to - from) + RECORD_MAX)));
	m = ZSTD_compress(z + 8, ZSTD_compressBound(to - from), buf + from, to - from, 1);
	if (!ZSTD_isError(m) && m + 8 <= RECORD_MAX) {
		piece = below(2) ? m : 1 + below(m);
		number_put(z, 4, f.swap, REC_COMPRESSED);
		number_put(z + 4, 2, f.swap, 0);
		number_put(z + 6, 2, f.swap, 8 + piece);
		if (m > piece) {
			memmove(z + 16 + piece, z + 8 + piece, m - piece);
			memcpy(z + 8 + piece, z, 6);
			number_put(z + 14 + piece, 2, f.swap, 8 + m - piece);
		}
		put(from, to - from, z, 8 + m + (m > piece ? 8 : 0));
	}
	free(z);
}

/* ---- anything ------------------------------------------------------------------------------------------------------------ */

/* A number at the beginning of a file: of its header, sections and attrs. */
static void
change_head(void)
{
	size_t n = len < 512 ? len : 512, at;

	if (n < 16)
		return;
	at = below(n / 8) * 8;
	number_put(buf + at, 8, false, below(2) ? value(number(buf + at, 8, false)) : value(len));
}

static void
change_anything(void)
{
	if (LLVMFuzzerMutate && len)
		len = LLVMFuzzerMutate(buf, len, space);
	else if (len)
		buf[below(len)] ^= (uint8_t)(1 << below(8));
}

static void
cut(void)
{
	len -= below(len < 200 ? len + 1 : 200);
}

static void
mutate(void)
{
	static void (*const some[])(void) = {
		change_number, change_number, change_number, duplicate, delete, move, move, resize, change_type, change_bytes, change_bytes,
		insert_round, change_feature, change_payload, change_layout, change_layout, change_attr, change_time, change_time, compress
	};

	for (size_t n = 1 + below(below(4) ? 3 : 12); n--;) {
		if (!frames_of(&f, (struct bytes){ buf, len }) || !below(40)) {
			(below(2) ? change_anything : below(8) ? change_head : cut)();
			continue;
		}
		some[below(sizeof some / sizeof *some)]();
	}
}

/* ---- libFuzzer ------------------------------------------------------------------------------------------------------------- */

/* The input again, with the stream in buf for its file k. */
static size_t
write_input(const struct whole *w, unsigned k, uint8_t *to, size_t max)
{
	uint8_t *p = to + WHOLE_HEAD;
	size_t size = WHOLE_HEAD + 3 * (w->n - 1);

	for (unsigned i = 0; i < w->n; i++)
		size += i == k ? len : w->in[i].n;
	if (size > max)
		return 0;
	to[0] = 'w', to[1] = 'a', to[2] = 'y';
	to[3] = w->way;
	to[4] = w->damage;
	number_put(to + 5, 2, false, w->number);
	to[7] = (uint8_t)(w->n - 1);
	for (unsigned i = 0; i < w->n; i++) {
		struct bytes b = i == k ? (struct bytes){ buf, len } : w->in[i];

		if (i + 1 < w->n) {
			number_put(p, 3, false, b.n);
			p += 3;
		}
		memcpy(p, b.p, b.n);
		p += b.n;
	}
	return size;
}

static void
take(struct bytes b, size_t max)
{
	space = max;
	MUST((buf = realloc(buf, max + b.n + 64)));
	memcpy(buf, b.p, b.n);
	len = b.n;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct whole w;
	uint8_t *copy;
	unsigned k;
	size_t n;

	state = (seed + 1ull) * 0x9e3779b97f4a7c15;
	MUST((copy = malloc(size + 1)));
	memcpy(copy, data, size);
	whole_read(&w, copy, size);
	k = (unsigned)below(w.n);
	take(w.in[k], max);
	if (!below(3))
		w.way = (uint8_t)below(256);
	if (!below(4))
		w.number = (uint16_t)(below(2) ? below(1 << 16) : below(200));
	w.damage = below(10) ? 0 : (uint8_t)below(256);
	if (w.n < INPUTS && !below(20) && size + len < max / 2) {
		w.in[w.n] = w.in[k];
		w.n++;
	}
	if (below(10))
		mutate();
	n = write_input(&w, k, data, max);
	free(copy);
	return n ? n : size;
}

/* Records of b among those of a, or a file of b behind those of a. */
size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb, uint8_t *out, size_t max, unsigned seed)
{
	static struct frames g;
	struct whole w, v;
	unsigned k;

	state = (seed + 1ull) * 0x9e3779b97f4a7c15;
	whole_read(&w, a, na);
	whole_read(&v, b, nb);
	k = (unsigned)below(w.n);
	take(w.in[k], max);
	if (w.n < INPUTS && !below(3)) {
		w.in[w.n++] = v.in[below(v.n)];
	} else if (frames_of(&f, (struct bytes){ buf, len }) && f.n && frames_of(&g, v.in[below(v.n)]) && g.n) {
		size_t i = below(g.n), n = 1 + below(8), m = 0, to = below(f.n), old = below(2) ? 0 : f.f[to].n;
		const uint8_t *p = g.f[i].p;

		for (; n-- && i < g.n; i++)
			m += g.f[i].n;
		put(at_of(to), old, p, m);
	}
	return write_input(&w, k, out, max);
}
