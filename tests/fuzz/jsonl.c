/* SPDX-License-Identifier: ISC */
/*
 * jsonl.c - libFuzzer target: any bytes as a recording that becomes lines of JSON (cmd/pcat/jsonl)
 *
 * The sum of the input's bytes decides whether all columns are written.  What must hold: no sanitizer error; a failure has a text;
 * each line is an object by RFC 8259, in UTF-8 and without characters that a terminal obeys; and with all columns there is a line
 * for each record that was put, and none for one that was refused.
 */
#include <sys/mman.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jsonl/out_jsonl.h"
#include "tool/utf8.h"
#include "fuzz.h"

enum { RECORDS_MAX = 20000, DEPTH = 8 };

/* ---- a reader of JSON ---------------------------------------------------------------------------- */

struct text { const uint8_t *p, *end; };

static bool
next_is(struct text *t, char c)
{
	if (t->p == t->end || *t->p != c)
		return false;
	t->p++;
	return true;
}

static void
read_string(struct text *t)
{
	MUST(next_is(t, '"'));
	while (!next_is(t, '"')) {
		size_t len;

		MUST(t->p < t->end && *t->p >= 0x20 && *t->p != 0x7f);
		if (next_is(t, '\\')) {
			MUST(t->p < t->end && strchr("\"\\u", *t->p));
			if (*t->p++ != 'u')
				continue;
			for (int i = 0; i < 4; i++, t->p++)
				MUST(t->p < t->end && strchr("0123456789abcdef", *t->p) && *t->p);
			continue;
		}
		MUST((len = utf8_len(t->p, (size_t)(t->end - t->p))));
		MUST(len == 1 || !tool_hidden(utf8_char(t->p, len)));
		t->p += len;
	}
}

/* What is written has no blanks. */
static void
read_value(struct text *t, unsigned depth)
{
	MUST(t->p < t->end && depth < DEPTH);
	if (next_is(t, '{')) {
		if (next_is(t, '}'))
			return;
		do {
			read_string(t);
			MUST(next_is(t, ':'));
			read_value(t, depth + 1);
		} while (next_is(t, ','));
		MUST(next_is(t, '}'));
	} else if (next_is(t, '[')) {
		if (next_is(t, ']'))
			return;
		do
			read_value(t, depth + 1);
		while (next_is(t, ','));
		MUST(next_is(t, ']'));
	} else if (*t->p == '"') {
		read_string(t);
	} else if (t->end - t->p >= 4 && !memcmp(t->p, "null", 4)) {
		t->p += 4;
	} else {
		const uint8_t *begin = t->p;

		while (t->p < t->end && *t->p && strchr("0123456789+-.e", *t->p))
			t->p++;
		MUST(t->p > begin);
		MUST(begin[*begin == '-'] >= '0' && begin[*begin == '-'] <= '9');
	}
}

static uint64_t
read_lines(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	uint64_t n = 0;
	struct text t;
	uint8_t *all;

	MUST(size >= 0);
	if (!size)
		return 0;
	MUST((all = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0)) != MAP_FAILED);
	t = (struct text){ all, all + size };
	for (; t.p < t.end; n++) {
		MUST(*t.p == '{');
		read_value(&t, 0);
		MUST(next_is(&t, '\n'));
	}
	munmap(all, (size_t)size);
	return n;
}

/* ---- the target ---------------------------------------------------------------------------------- */

static void
where(void *arg, struct pp_err *err)
{
	(void)arg;
	err->file = "recording";
}

static bool
offset(void *arg, const struct pp_rec *r, uint64_t *to)
{
	(void)r;
	*to = *(const unsigned *)arg;
	return *to & 1;
}

static void
convert(struct tool *t, struct jsonl_what *what, int fd)
{
	struct out *out = out_jsonl_new(t, what);
	uint64_t put = 0, n = 0, lines;
	struct pp_rec r;
	int rc = 1;

	MUST(out);
	while (n++ < RECORDS_MAX && rc > 0 && pp_next(t->in, &r) > 0) {
		rc = out->put(out, t->in, &r, false);
		put += rc > 0;
		if (n % 7 == 0)
			MUST(out->flush(out, true) > 0);
	}
	MUST(rc > 0 || t->in_err.what[0] || t->out_err.what[0]);
	MUST(out->finish(out) > 0);
	lines = read_lines(fd);
	/* A line is whole before what follows the record is read. */
	MUST(what->ncolumns ? lines <= put + 1 : lines == put || (rc < 0 && lines == put + 1));
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct tool t = { .name = "jsonl", .quiet = true };
	int in = memfd_create("recording", MFD_CLOEXEC), fd = memfd_create("lines", MFD_CLOEXEC);
	unsigned sum = 0;
	struct jsonl_what what = { .where = where, .offset = offset, .arg = &sum };
	char path[40];

	for (size_t i = 0; i < n; i++)
		sum += p[i];
	if ((sum >> 1 & 3) == 0) {
		t.optarg = sum >> 3 & 1 ? "time,pid,callchain,raw" : "fields,entries,type,comm,sample_id,values";
		jsonl_columns(&t, &what);
	}
	MUST(in >= 0 && fd >= 0 && write(in, p, n) == (ssize_t)n && lseek(in, 0, SEEK_SET) == 0);
	snprintf(path, sizeof path, "/dev/fd/%d", fd);
	if ((t.in = pp_open_fd(in, "recording", sum >> 4 & 1 ? PP_OPEN_ANY_TRACING : 0, &t.in_err))) {
		MUST(atomic_open(&t.file, path, false, &t.out_err) > 0);
		convert(&t, &what, fd);
		atomic_close(&t.file);
	} else
		MUST(t.in_err.what[0]);
	pp_close(t.in);
	jsonl_what_free(&what);
	close(fd);
	return 0;
}
