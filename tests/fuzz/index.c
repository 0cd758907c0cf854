/* SPDX-License-Identifier: ISC */
/*
 * index.c - libFuzzer target: any bytes as the index of a recording
 *
 * The bytes are taken as they are, and once more with all hashes made right, which no mutation would find.  The recording is
 * always the same: a pipe header, an attr and samples.  What must hold: no sanitizer error; a failure has a text; with an index
 * that fits, no record comes that the recording does not have, but records of the copy.
 */
#include <sys/mman.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/layout.h"
#include "index/use.h"
#include "record/sample.h"
#include "source/piece.h"
#include "fuzz.h"

enum { SAMPLES = 400, SAMPLE_SIZE = 32, ATTR_SIZE = 64 + 8, RECORDING = 16 + ATTR_SIZE + SAMPLES * SAMPLE_SIZE };

static int
file_of(const uint8_t *p, size_t n)
{
	int fd = memfd_create("index", MFD_CLOEXEC);

	MUST(fd >= 0 && write(fd, p, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

/* Samples of IP, TID and TIME, of tasks 1 to 4. */
static void
recording(uint8_t *p)
{
	memcpy(p, "PERFILE2", 8);
	pp_set_u64(p + 8, 16, false);
	p += 16;
	pp_set_u32(p, PP_HEADER_ATTR, false);
	pp_set_u16(p + 6, ATTR_SIZE, false);
	pp_set_u32(p + 8 + 4, 64, false);
	pp_set_u64(p + 8 + 24, PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME, false);
	p += ATTR_SIZE;
	for (uint32_t i = 0; i < SAMPLES; i++, p += SAMPLE_SIZE) {
		pp_set_u32(p, PP_SAMPLE, false);
		pp_set_u16(p + 6, SAMPLE_SIZE, false);
		pp_set_u32(p + 16, 1 + i / 100, false);
		pp_set_u32(p + 20, 1 + i / 100, false);
		pp_set_u64(p + 24, 1000 + i, false);
	}
}

/* Make the hashes right: of the head, of entries one after the other, of the end. */
static void
seal(uint8_t *p, size_t n)
{
	size_t at = PPI_HEAD_SIZE, size;

	if (n < PPI_HEAD_SIZE)
		return;
	ppi_seal(p, PPI_HEAD_SIZE);
	while (n - at >= 8 && (size = ppi_u32(p + at + 4)) >= PPI_HASH + 8 && size <= n - at) {
		ppi_seal(p + at, size);
		at += size;
	}
}

/* ask NULL: as the second of three pieces, which may begin with a snapshot. */
static void
use(struct ppi_reader *x, struct pp_source *in, const struct ppi_ask *ask)
{
	struct ppi_use *u = NULL;
	unsigned samples = 0;
	struct pp_rec r;

	if (ppi_use(&u, in, x, "index", ask) > 0) {
		if (!ask && pp_piece(in, 2, 3, SAMPLES * SAMPLE_SIZE) > 0)
			ppi_use_snaps(u);
		while (samples <= SAMPLES && pp_next(in, &r) > 0)
			samples += r.type == PP_SAMPLE;
	}
	MUST(samples <= SAMPLES);
	ppi_use_free(u);
}

static const struct ppi_cond *
conds(void *arg, size_t *n)
{
	static const struct ppi_range one = { 3, 3 };
	static const struct ppi_cond cond = { PPI_TASK, &one, 1 };

	(void)arg;
	*n = 1;
	return &cond;
}

static void
look(const uint8_t *p, size_t n)
{
	const struct ppi_ask ask = { .conds = conds };
	struct pp_err err = { .what = "" }, in_err, why = { .what = "" };
	struct ppi_reader *x = ppi_open(file_of(p, n), &err);
	static uint8_t bytes[RECORDING];
	struct ppi_entry e;
	struct ppi_copy copy = { .p = NULL };
	struct pp_source *in;
	bool damaged;

	MUST(x || err.what[0]);
	if (!x)
		return;
	while (ppi_next(x, &e, &damaged) > 0) {
		why.what[0] = 0;
		MUST(!e.copy || ppi_expand(&e, false, &copy, &why) > 0 || why.what[0]);
		ppi_wants(&e.c, conds(NULL, &(size_t){ 0 }), 1, &(size_t){ 0 });
	}
	ppi_copy_free(&copy);
	recording(bytes);
	in = pp_open_fd(file_of(bytes, sizeof bytes), "recording", 0, &in_err);
	MUST(in);
	why.what[0] = 0;
	MUST(ppi_fits(x, in, &why) || why.what[0]);
	ppi_rewind(x);
	use(x, in, &ask);		/* even if it does not fit */
	pp_close(in);
	in = pp_open_fd(file_of(bytes, sizeof bytes), "recording", 0, &in_err);
	MUST(in);
	ppi_rewind(x);
	use(x, in, NULL);
	pp_close(in);
	ppi_close(x);
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	uint8_t *own = malloc(n + 1);

	MUST(own);
	look(p, n);
	if (n)
		memcpy(own, p, n);
	seal(own, n);
	look(own, n);
	free(own);
	return 0;
}
