/* SPDX-License-Identifier: ISC */
/*
 * mkpipe - write a perf pipe-mode stream from lines of text.
 *
 *	mkpipe [-blp] [recipe ...]
 *	-b	big endian (default little)
 *	-l	instead of the stream, list its records: offset, bytes (payload included), name, "!" if marked
 *	-p	plain: the records between zip { and } uncompressed, and no feature 27: the expanded stream
 *
 * It shares no code and no table with common/, on purpose: a codec tested by its own writer agrees with its own
 * mistakes.  Layouts are those of perf-pipe(5).  It does not check its recipe: wrong sizes are written as given.
 *
 * A line is a record: NAME key=value ... [@ key=value ...].  Keys are the fields of layouts[] below; what is not
 * given is 0.  Behind @ stand the fields of the sample_id trailer (pid tid time id stream cpu; pid, tid, time and cpu are
 * taken from the body if not given); without @ a trailer is all zero, as perf's synthesized records have it.
 *	pid=1 start=0x400000 time=-1		numbers as in C
 *	filename=/bin/a\sb\x1b			strings: \s is a space, \xHH a byte, \\ a backslash
 *	build_id=00112233			bytes in hex
 *	list=1/2,3/4  chain=1,2,3		lists; nr= is their count unless given
 * For every record:
 *	ev=N		which attr gives the layout (and the default id) of a SAMPLE or trailer; default 0
 *	misc=  type=	of the header		size=N	header.size, whatever the bytes are
 *	repeat=N step=N	N times, time growing by step	payload=HEX, npayload=N	bytes behind the record
 *	layout=pid:4,time:8,@	of a `rec': its fields, as in layouts[] with commas between
 *	u1= u2= u4= u8= f8= x=HEX s=STR z=STR\0 fs=feature string zeros=N noise=N attr=N	more bytes, in this order
 * Other lines:
 *	attr type=1 config=0 sample_type=IP|TID|TIME flags=sample_id_all|mmap ids=1,2 [len=128] [attrsize=128]
 *	zip { ... } and zip2 { ... }	one COMPRESSED (COMPRESSED2) record of the records between.  All are one
 *		zstd frame.  keep=N: hold the last N plain bytes back for the next; level=, wlog=: first only;
 *		data_size=, size=: write these values.  Compressed data that is too large for size is written as perf
 *		6.16 to 7.1 wrote it, with one header for all.
 *	include FILE	noheader	header [size=24]	raw x=HEX
 * "! " in front marks a line for -l.  # starts a comment.
 */
#include <unistd.h>
#include <zstd.h>

#include "mkpipe.h"
#include "mkpipe_sample.h"

static bool list, plain;
static bool started;			/* a pipe header has been written, or refused by noheader */
static struct buf out;			/* the stream */
static struct buf inner;		/* plain bytes between zip { and }, kept ones first */
static size_t starts[1 << 20], nstarts;	/* where records start in inner */
static bool in_zip;
static ZSTD_CCtx *zstd;
static struct event events[64];
static unsigned nevents;

/* ---- records --------------------------------------------------------------------------------- */

static void
items(struct buf *b, const struct line *l)
{
	static uint32_t seed = 1;

	for (unsigned i = 0; i < l->at; i++) {
		const char *k = l->kv[i].k, *v = l->kv[i].v;
		size_t was = b->n, n;

		if (k[0] == 'u' && strchr("1248", k[1]) && k[1] && !k[2])
			num(b, number(v), (unsigned)(k[1] - '0'));
		else if (!strcmp(k, "f8")) {
			double d = strtod(v, NULL);
			uint64_t u;
			memcpy(&u, &d, 8);
			num(b, u, 8);
		} else if (!strcmp(k, "x"))
			hex(b, v);
		else if (!strcmp(k, "s") || !strcmp(k, "z")) {
			text(b, v);
			grow(b, *k == 'z');
		} else if (!strcmp(k, "fs")) {	/* u32 bytes, then those: string and NULs up to 64 */
			num(b, 0, 4);
			text(b, v);
			n = (b->n - was - 4 + 1 + 63) / 64 * 64;
			grow(b, was + 4 + n - b->n);
			store(b->p + was, n, 4);
		} else if (!strcmp(k, "zeros"))
			grow(b, number(v));
		else if (!strcmp(k, "noise"))
			for (n = number(v); n; n--)
				num(b, (seed = seed * 1664525 + 1013904223) >> 24, 1);
		else if (!strcmp(k, "attr"))
			put(b, events[number(v) % 64].raw, events[number(v) % 64].len);
	}
}

static const struct event *
event_of(const struct line *l)
{
	return &events[value(l, "ev", 0) % 64];
}

static void
trailer(struct buf *b, const struct line *l, uint64_t add)
{
	static const struct { unsigned bit; const char *key; unsigned width; } f[] = {
		{ TID, "pid", 4 }, { TID, "tid", 4 }, { TIME, "time", 8 }, { ID, "id", 8 }, { STREAM_ID, "stream", 8 },
		{ CPU, "cpu", 4 }, { CPU, "reserved", 4 }, { IDENTIFIER, "id", 8 },
	};
	const struct event *e = event_of(l);

	if (!(e->flags >> 18 & 1))	/* sample_id_all */
		return;
	for (unsigned i = 0; i < sizeof f / sizeof *f; i++) {
		const char *s = find(l, l->at, l->n, f[i].key);
		bool id = !strcmp(f[i].key, "id"), stream = !strcmp(f[i].key, "stream");
		uint64_t v;

		if (!(e->sample_type >> f[i].bit & 1))
			continue;
		if (!s && !id && !stream)
			s = body(l, f[i].key);
		v = s ? number(s) : id || stream ? e->id : 0;
		if (!strcmp(f[i].key, "time") && v && v != UINT64_MAX)
			v += add;
		num(b, l->trailer ? v : 0, f[i].width);
	}
}

static void
sample(struct buf *b, const struct line *l, uint64_t add)
{
	static const struct { unsigned bit; const char *key; unsigned width; } f[] = {
		{ IDENTIFIER, "id", 8 }, { IP, "ip", 8 }, { TID, "pid", 4 }, { TID, "tid", 4 }, { TIME, "time", 8 },
		{ ADDR, "addr", 8 }, { ID, "id", 8 }, { STREAM_ID, "stream", 8 }, { CPU, "cpu", 4 },
		{ CPU, "reserved", 4 }, { PERIOD, "period", 8 },
	};
	const struct event *e = event_of(l);

	for (unsigned i = 0; i < sizeof f / sizeof *f; i++) {
		bool id = f[i].bit == IDENTIFIER || f[i].bit == ID || f[i].bit == STREAM_ID;
		uint64_t v = value(l, f[i].key, id ? e->id : 0);

		if (!strcmp(f[i].key, "tid") && !body(l, "tid"))
			v = value(l, "pid", 0);
		if (f[i].bit == TIME && v && v != UINT64_MAX)
			v += add;
		if (e->sample_type >> f[i].bit & 1)
			num(b, v, f[i].width);
	}
	sample_var(b, l, e);
	items(b, l);
}

static size_t
payload_bytes(const struct line *l)
{
	const char *s = body(l, "payload");
	return s ? strlen(s) / 2 : value(l, "npayload", 0);
}

static void
field(struct buf *b, const struct line *l, char *name)
{
	char *kind = strchr(name, ':');
	const char *v;
	size_t was = b->n, n;

	if (!kind) {
		if (*name == '*')
			items(b, l);
		else if (*name == 'p')
			pad(b, 8);
		return;
	}
	*kind++ = '\0';
	v = body(l, name);
	n = strtoul(kind + 1, NULL, 10);
	switch (*kind) {
	case 's':
		text(b, v ? v : "");
		grow(b, 1);
		pad(b, 8);
		break;
	case 'c': case 'x':
		(*kind == 'c' ? text : hex)(b, v ? v : "");
		if (n)
			fill(b, was + n);
		break;
	case 'w': words(b, v, word_u64, NULL); break;
	case 'n': num(b, v ? number(v) : words(NULL, body(l, "list"), NULL, NULL), 8); break;
	case 'l': words(b, v, word_tuple, kind + 1); break;
	case 'P': num(b, v ? number(v) : payload_bytes(l), (unsigned)n); break;
	case 'm':
		if ((v = body(l, "build_id"))) {
			num(b, strlen(v) / 2, 1);
			grow(b, 3);
			hex(b, v);
			fill(b, was + 24);
		} else {
			grow(b, 24);
			store(b->p + was, value(l, "maj", 0), 4);
			store(b->p + was + 4, value(l, "min", 0), 4);
			store(b->p + was + 8, value(l, "ino", 0), 8);
		}
		break;
	default: num(b, v ? number(v) : 0, (unsigned)strtoul(kind, NULL, 10));
	}
}

/* Where a finished record goes; `b' is the record and what follows it. */
static void
emit(const struct buf *b, const char *name, bool mark)
{
	if (!in_zip && list)
		printf("%zu\t%zu\t%s%s\n", out.n, b->n, name, mark ? "\t!" : "");
	if (in_zip) {
		if (nstarts == sizeof starts / sizeof *starts)
			errx(1, "too many records in zip");
		starts[nstarts++] = inner.n;
	}
	put(in_zip ? &inner : &out, b->p, b->n);
}

static void
finish(struct buf *b, const struct line *l, unsigned type)
{
	const char *name = l->name;
	char num[24];

	type = (unsigned)value(l, "type", type);
	if (!strcmp(name, "rec") || body(l, "type")) {
		snprintf(num, sizeof num, "type %u", type);
		name = type == 9 ? "SAMPLE" : num;
		for (unsigned i = 0; type && i < sizeof layouts / sizeof *layouts; i++)
			if (layouts[i].type == type)
				name = layouts[i].name;
	}
	store(b->p, type, 4);
	store(b->p + 4, value(l, "misc", 0), 2);
	store(b->p + 6, value(l, "size", b->n), 2);
	if (body(l, "payload"))
		hex(b, body(l, "payload"));
	else
		grow(b, value(l, "npayload", 0));
	emit(b, name, l->mark);
}

static void
record(const struct line *l)
{
	const struct layout *y = layouts;
	uint64_t n = value(l, "repeat", 1), step = value(l, "step", 0);
	struct buf b = {0};

	if (!strcmp(l->name, "HEADER_FEATURE") && plain && value(l, "feat_id", 0) == 27)
		return;
	if (strcmp(l->name, "SAMPLE"))
		while (strcmp(y->name, l->name))
			if (++y == layouts + sizeof layouts / sizeof *layouts)
				errx(1, "no such record: %s", l->name);
	for (uint64_t i = 0; i < n; i++) {
		b.n = 0;
		grow(&b, 8);
		if (!strcmp(l->name, "SAMPLE"))
			sample(&b, l, i * step);
		else {
			const char *fields = body(l, "layout");
			char *copy = strdup(fields ? fields : y->fields), *p = copy, *w;
			while ((w = strsep(&p, " ,")))
				if (strcmp(w, "@"))
					field(&b, l, w);
				else
					trailer(&b, l, i * step);
			free(copy);
		}
		finish(&b, l, strcmp(l->name, "SAMPLE") ? y->type : 9);
	}
	free(b.p);
}

static void
attr(struct line *l)
{
	struct event *e = &events[nevents++ % 64];
	const char *s;
	struct buf b = {0};
	uint8_t *a = e->raw;

	*e = (struct event){ .len = value(l, "len", 128) };
	if (e->len > sizeof e->raw)
		errx(1, "attr too long");
	e->sample_type = (s = body(l, "sample_type")) ? bits(s, sample_bits) : 0;
	e->flags = (s = body(l, "flags")) ? bits(s, flag_bits) : 0;
	e->branch = value(l, "branch_sample_type", 0);
	e->id = (s = body(l, "ids")) ? strtoull(s, NULL, 0) : 0;
	for (unsigned i = 0; i < sizeof attr_fields / sizeof *attr_fields; i++)
		if (!strcmp(attr_fields[i].name, "sample_type"))
			store(a + 24, e->sample_type, 8);
		else
			store(a + attr_fields[i].off, value(l, attr_fields[i].name, 0), attr_fields[i].width);
	store(a + 4, value(l, "attrsize", e->len), 4);
	/* Bit fields: byte i/8; in it from the lowest bit up, from the highest down on a big-endian machine. */
	for (unsigned i = 0; i < 64; i++)
		if (e->flags >> i & 1)
			a[40 + i / 8] |= (uint8_t)(big ? 0x80 >> i % 8 : 1 << i % 8);
	grow(&b, 8);
	put(&b, a, e->len);
	words(&b, body(l, "ids"), word_u64, NULL);
	for (unsigned i = 0; i < l->n; i++)	/* attr.type, not the record's */
		if (!strcmp(l->kv[i].k, "type"))
			l->kv[i].k += 4;
	l->name = (char[]){ "HEADER_ATTR" };
	finish(&b, l, 64);
	free(b.p);
}

/* ---- zip ------------------------------------------------------------------------------------- */

static void
zip_plain(size_t n, bool mark)
{
	size_t whole = 0, i;

	if (list)
		printf("%zu\t0\tzip%s\n", out.n, mark ? "\t!" : "");
	for (i = 0; i < nstarts; i++)		/* a record that is cut waits for its rest */
		if ((i + 1 < nstarts ? starts[i + 1] : inner.n) <= n)
			whole = i + 1 < nstarts ? starts[i + 1] : inner.n;
	put(&out, inner.p, whole);
	memmove(inner.p, inner.p + whole, inner.n - whole);
	inner.n -= whole;
	starts[0] = 0;
	nstarts = inner.n > 0;
}

static void
compress(struct buf *b, const uint8_t *p, size_t n, const struct line *l)
{
	ZSTD_inBuffer i = { p, n, 0 };
	size_t left, bound = ZSTD_compressBound(n) + 1024, was = b->n;

	if (!zstd) {
		zstd = ZSTD_createCCtx();
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, (int)value(l, "level", 1));
		if (body(l, "wlog"))
			ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, (int)value(l, "wlog", 0));
	}
	do {
		ZSTD_outBuffer o = { grow(b, bound), bound, 0 };
		left = ZSTD_compressStream2(zstd, &o, &i, ZSTD_e_flush);
		if (ZSTD_isError(left))
			errx(1, "zstd: %s", ZSTD_getErrorName(left));
		b->n = was += o.pos;
	} while (left);
}

/* The compressed bytes of a COMPRESSED2; as perf 6.16 to 7.1 put them if they are too many: a header before each chunk. */
static void
chunks(struct buf *b, const struct buf *z)
{
	enum { MAX = 65519 };		/* tools/perf: PERF_SAMPLE_MAX_SIZE - sizeof(struct perf_record_compressed2) - 1 */

	for (size_t at = 0, n; at < z->n || !at; at += n) {
		n = z->n - at < MAX ? z->n - at : MAX;
		if (at) {
			num(b, 83, 4);
			num(b, 0, 2);
			num(b, 16 + n, 2);
			num(b, 0, 8);
		}
		put(b, z->p + at, n);
		if (!z->n)
			break;
	}
}

static void
zip_end(struct line *l)
{
	bool two = !strcmp(l->name, "zip2");
	size_t keep = value(l, "keep", 0), n = inner.n - (keep < inner.n ? keep : inner.n);
	struct buf b = {0}, z = {0};

	in_zip = false;
	if (plain) {
		zip_plain(n, l->mark);
		return;
	}
	compress(&z, inner.p, n, l);
	grow(&b, two ? 16 : 8);
	if (two) {
		chunks(&b, &z);
		store(b.p + 8, value(l, "data_size", b.n - 16), 8);
		pad(&b, 8);
	} else if (z.n > 65527)
		errx(1, "zip: %zu bytes are too many for one record", z.n);
	else
		put(&b, z.p, z.n);
	l->name = two ? "COMPRESSED2" : "COMPRESSED";
	finish(&b, l, two ? 83 : 81);
	memmove(inner.p, inner.p + n, inner.n - n);
	inner.n -= n;
	nstarts = 0;
	free(z.p);
	free(b.p);
}

/* ---- the recipe ------------------------------------------------------------------------------ */

static void
header(const struct line *l)
{
	struct buf b = {0};

	put(&b, big ? "2ELIFREP" : "PERFILE2", 8);
	num(&b, value(l, "size", 16), 8);
	emit(&b, "header", l->mark);
	started = true;
	free(b.p);
}

static void
raw(const struct line *l)
{
	struct buf b = {0};

	items(&b, l);
	emit(&b, "raw", l->mark);
	free(b.p);
}

static void
parse(struct line *l, char *s)
{
	char *w;

	*l = (struct line){0};
	while ((w = strsep(&s, " \t\n"))) {
		if (!*w)
			continue;
		if (!l->name && !strcmp(w, "!"))
			l->mark = true;
		else if (!l->name)
			l->name = w;
		else if (*w == '#')
			break;
		else if (!strcmp(w, "@"))
			l->trailer = true, l->at = l->n;
		else if (l->n < sizeof l->kv / sizeof *l->kv) {
			l->kv[l->n].k = strsep(&w, "=");
			l->kv[l->n++].v = w ? w : "";
		} else
			errx(1, "line too long");
	}
	if (!l->trailer)
		l->at = l->n;
}

static void
cook(const char *path)
{
	static int depth;
	FILE *f = strcmp(path, "-") ? fopen(path, "r") : stdin;
	char *s = NULL, *outer_text = NULL, dir[4096];
	size_t cap = 0;
	struct line l, outer;

	if (!f || ++depth > 8)
		err(1, "%s", path);
	snprintf(dir, sizeof dir, "%.*s", strrchr(path, '/') ? (int)(strrchr(path, '/') + 1 - path) : 0, path);
	while (getline(&s, &cap, f) > 0) {
		parse(&l, s);
		if (!l.name || *l.name == '#')
			continue;
		if (!strcmp(l.name, "noheader")) {
			started = true;
			continue;
		}
		if (!strcmp(l.name, "include")) {
			char sub[sizeof dir + 256];
			snprintf(sub, sizeof sub, "%s%s", dir, l.n ? l.kv[0].k : "");
			cook(sub);
			continue;
		}
		if (!started && strcmp(l.name, "header"))
			header(&(struct line){ .n = 0 });
		if (!strcmp(l.name, "header"))
			header(&l);
		else if (!strcmp(l.name, "raw"))
			raw(&l);
		else if (!strcmp(l.name, "attr"))
			attr(&l);
		else if (!strncmp(l.name, "zip", 3)) {
			free(outer_text);
			outer = l, outer_text = s, s = NULL, cap = 0;
			in_zip = true;
		} else if (!strcmp(l.name, "}"))
			zip_end(&outer);
		else
			record(&l);
	}
	free(s);
	free(outer_text);
	if (f != stdin)
		fclose(f);
	depth--;
}

int
main(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "blp")) != -1)
		switch (c) {
		case 'b': big = true; break;
		case 'l': list = true; break;
		case 'p': plain = true; break;
		default: fprintf(stderr, "usage: mkpipe [-blp] [recipe ...]\n"); return 2;
		}
	if (!argv[optind])
		cook("-");
	for (; argv[optind]; optind++)
		cook(argv[optind]);
	if (!list && out.n && fwrite(out.p, 1, out.n, stdout) != out.n)
		err(1, "stdout");
	if (list)
		printf("%zu\t0\tend\n", out.n);
	if (fflush(stdout))
		err(1, "stdout");
	ZSTD_freeCCtx(zstd);
	free(out.p);
	free(inner.p);
	return 0;
}
