/* SPDX-License-Identifier: ISC */
/*
 * pprof.c - libFuzzer target: any bytes as a recording that becomes a profile of pprof (cmd/pcat/pprof)
 *
 * The sum of the input's bytes decides which labels there are, and whether one process is selected.  What must hold: no sanitizer
 * error; a failure has a text; and what is written is a gzip file of a profile.proto as a reader expects it: known fields of their wire
 * type, ids that are there once and references to them, a value for each sample type, UTF-8, and as many samples as were put.
 */
#include <sys/mman.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "pprof/out_pprof.h"
#include "tool/atomic.h"
#include "fuzz.h"

enum { RECORDS_MAX = 20000, PLAIN_MAX = 64 << 20, NUMBERS_MAX = 1 << 20 };

/* ---- a reader of protocol buffers ------------------------------------------------------------------------ */

struct bytes {
	const uint8_t	*p, *end;
};
struct field {
	unsigned	 number;
	bool		 is_bytes;
	uint64_t	 n;		/* the number, or that of the bytes */
	struct bytes	 in;		/* the bytes */
};
/* What a message has: a letter for each field from 1 on, n number, m message, s string, p numbers that are packed, - none. */
static const char profile_has[] = "mmmm-s--nnmnnn", type_has[] = "nn", sample_has[] = "ppm", label_has[] = "nnnn",
    mapping_has[] = "nnnnnn", location_has[] = "nnn";

static uint64_t
get_number(struct bytes *b)
{
	uint64_t n = 0;

	for (unsigned shift = 0;; shift += 7) {
		MUST(b->p < b->end && shift < 64 && (shift < 63 || *b->p < 2));
		n |= (uint64_t)(*b->p & 127) << shift;
		if (*b->p++ < 128)
			return n;
	}
}

static bool
get_field(struct bytes *b, const char *has, struct field *f)
{
	uint64_t key;
	char kind;

	if (b->p == b->end)
		return false;
	key = get_number(b);
	MUST(key >> 3 && key >> 3 <= strlen(has) && ((key & 7) == 0 || (key & 7) == 2));
	f->number = (unsigned)(key >> 3);
	f->is_bytes = (key & 7) == 2;
	kind = has[f->number - 1];
	MUST(kind != '-' && f->is_bytes == (kind != 'n'));
	f->n = get_number(b);
	if (f->is_bytes) {
		MUST(f->n <= (uint64_t)(b->end - b->p));
		f->in = (struct bytes){ b->p, b->p + f->n };
		b->p += f->n;
	}
	return true;
}

/* The number of a field of a message; 0: it is not there. */
static uint64_t
number_of(struct bytes b, const char *has, unsigned number)
{
	uint64_t n = 0;

	for (struct field f; get_field(&b, has, &f);)
		if (f.number == number) {
			MUST(!n && !f.is_bytes);
			n = f.n;
		}
	return n;
}

static void
check_utf8(struct bytes b)
{
	while (b.p < b.end) {
		unsigned more = *b.p < 0x80 ? 0 : *b.p >= 0xc2 && *b.p < 0xe0 ? 1 : *b.p >= 0xe0 && *b.p < 0xf0 ? 2 : 3;
		uint32_t c = more ? *b.p & (0x3fu >> more) : *b.p;

		MUST(*b.p < 0x80 || (*b.p >= 0xc2 && *b.p < 0xf5));
		MUST((size_t)(b.end - b.p) > more);
		for (b.p++; more; more--, b.p++) {
			MUST((*b.p & 0xc0) == 0x80);
			c = c << 6 | (*b.p & 0x3f);
		}
		MUST(c <= 0x10ffff && (c < 0xd800 || c > 0xdfff));
	}
}

/* ---- a profile -------------------------------------------------------------------------------------------- */

struct profile {
	uint64_t	 strings, types, samples;	/* samples: the sum of the first value of each type */
	uint8_t		*mapping, *location;		/* by id: is it there? */
};

static void
take_id(uint8_t *there, uint64_t id)
{
	MUST(id && id < NUMBERS_MAX && !there[id]);
	there[id] = 1;
}

static void
check_sample(struct profile *x, struct bytes b)
{
	uint64_t values = 0;

	for (struct field f; get_field(&b, sample_has, &f);)
		if (f.number == 3) {
			uint64_t key = number_of(f.in, label_has, 1), text = number_of(f.in, label_has, 2), unit = number_of(f.in, label_has, 4);

			MUST(key && key < x->strings && text < x->strings && unit < x->strings && !text == (unit != 0));
		} else
			while (f.in.p < f.in.end) {
				uint64_t n = get_number(&f.in);

				if (f.number == 1)
					MUST(n && n < NUMBERS_MAX && x->location[n]);
				else if (!(values++ & 1))
					x->samples += n;
			}
	MUST(values == x->types && values);
}

static void
check_profile(struct bytes all, uint64_t samples)
{
	struct profile x = { .mapping = calloc(NUMBERS_MAX, 1), .location = calloc(NUMBERS_MAX, 1) };
	struct bytes b;
	struct field f;

	MUST(x.mapping && x.location);
	for (b = all; get_field(&b, profile_has, &f);)		/* what others refer to */
		switch (f.number) {
		case 1:
			x.types++;
			break;
		case 3:
			take_id(x.mapping, number_of(f.in, mapping_has, 1));
			break;
		case 4:
			take_id(x.location, number_of(f.in, location_has, 1));
			break;
		case 6:
			MUST(x.strings || !f.n);	/* the first is empty */
			x.strings++;
			check_utf8(f.in);
			break;
		}
	MUST(x.strings && !(x.types & 1));
	for (b = all; get_field(&b, profile_has, &f);)
		switch (f.number) {
		case 1:
		case 11:
			MUST(number_of(f.in, type_has, 1) < x.strings && number_of(f.in, type_has, 2) < x.strings);
			break;
		case 2:
			check_sample(&x, f.in);
			break;
		case 3:
			MUST(number_of(f.in, mapping_has, 5) < x.strings && number_of(f.in, mapping_has, 6) < x.strings &&
			    number_of(f.in, mapping_has, 2) <= number_of(f.in, mapping_has, 3));
			break;
		case 4:
			MUST(!number_of(f.in, location_has, 2) || x.mapping[number_of(f.in, location_has, 2)]);
			break;
		case 13:
		case 14:
			MUST(f.n < x.strings);
			break;
		}
	MUST(x.samples == samples);
	free(x.mapping);
	free(x.location);
}

/* The file, expanded; the caller frees it. */
static uint8_t *
expand(int fd, struct bytes *to)
{
	off_t size = lseek(fd, 0, SEEK_END);
	uint8_t *z = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0), *p = NULL;
	z_stream s = { .next_in = z, .avail_in = (uInt)size };
	size_t cap = 0;
	int rc = Z_OK;

	MUST(size > 0 && z != MAP_FAILED && inflateInit2(&s, 16 + MAX_WBITS) == Z_OK);
	while (rc == Z_OK) {
		cap = cap ? 2 * cap : 64 << 10;
		MUST(cap <= PLAIN_MAX && (p = realloc(p, cap)));
		s.next_out = p + s.total_out;
		s.avail_out = (uInt)(cap - s.total_out);
		rc = inflate(&s, Z_NO_FLUSH);
		MUST(rc == Z_OK || rc == Z_STREAM_END);
	}
	MUST(!s.avail_in);
	*to = (struct bytes){ p, p + s.total_out };
	inflateEnd(&s);
	munmap(z, (size_t)size);
	return p;
}

/* ---- the recording ----------------------------------------------------------------------------------------- */

static void
where(void *arg, struct pp_err *err)
{
	err->file = arg;
}

/* Do the values of PERF_SAMPLE_READ make other samples of them? */
static bool
reads(const struct pp_events *events)
{
	for (unsigned i = 0; i < events->n; i++)
		if (events->ev[i]->attr.sample_type & PP_SAMPLE_READ)
			return true;
	return false;
}

static void
convert(struct tool *t, const struct profile_what *what, int fd)
{
	struct out *out = out_pprof_new(t, what);
	uint64_t samples = 0, n = 0;
	struct bytes b;
	struct pp_rec r;
	bool exact;
	int rc = 1;

	MUST(out);
	while (n++ < RECORDS_MAX && rc > 0 && pp_next(t->in, &r) > 0) {
		rc = out->put(out, t->in, &r, false);
		samples += rc > 0 && r.type == PP_SAMPLE;
	}
	MUST(rc > 0 || t->in_err.what[0] || t->out_err.what[0]);
	exact = rc > 0 && what->pid < 0 && !reads(pp_source_events(t->in));
	rc = out->finish(out);
	MUST(rc > 0 || t->out_err.what[0] || t->in_err.what[0]);
	if (rc > 0) {
		uint8_t *plain = expand(fd, &b);
		struct profile x = { .samples = 0 };

		if (!exact) {			/* as many as there are */
			struct bytes at = b;
			struct field f, g;

			while (get_field(&at, profile_has, &f))
				while (f.number == 2 && get_field(&f.in, sample_has, &g))
					for (bool odd = false; g.number == 2 && g.in.p < g.in.end; odd = !odd) {
						uint64_t v = get_number(&g.in);

						x.samples += odd ? 0 : v;
					}
		}
		check_profile(b, exact ? samples : x.samples);
		free(plain);
	}
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct profile_what what = { .pid = -1, .memory = PPROF_MEMORY_MIN, .where = where, .arg = (char[]){ "recording" } };
	struct tool t = { .name = "pprof", .quiet = true };
	int in = memfd_create("recording", MFD_CLOEXEC), fd = memfd_create("profile", MFD_CLOEXEC);
	unsigned sum = 0;
	char path[40];

	for (size_t i = 0; i < n; i++)
		sum += p[i];
	what.labels = sum & ((1u << PPROF_LABELS) - 1);
	if ((sum >> 4 & 7) == 0)
		what.pid = sum >> 7 & 7;
	MUST(in >= 0 && fd >= 0 && write(in, p, n) == (ssize_t)n && lseek(in, 0, SEEK_SET) == 0);
	snprintf(path, sizeof path, "/dev/fd/%d", fd);
	if ((t.in = pp_open_fd(in, "recording", 0, &t.in_err))) {
		MUST(atomic_open(&t.file, path, false, &t.out_err) > 0);
		convert(&t, &what, fd);
		atomic_close(&t.file);
	} else
		MUST(t.in_err.what[0]);
	pp_close(t.in);
	close(fd);
	return 0;
}
