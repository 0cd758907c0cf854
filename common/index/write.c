/* SPDX-License-Identifier: ISC */
/* write.c - the bytes of an index: layout.h */
#include <stdlib.h>

#include "index.h"
#include "layout.h"
#include "set.h"

/* A buffer of n bytes, the first `zero' of them zeros.  NULL: no memory. */
static uint8_t *
ppi_space(struct ppi_writer *w, size_t n, size_t zero)
{
	uint8_t *p = buffer_more(w->buf, &w->cap, 0, n);

	if (!p) {
		pp_fail_memory(w->err);
		return NULL;
	}
	w->buf = p;
	return memset(p, 0, zero);
}

static int
ppi_put(struct ppi_writer *w, const uint8_t *p, size_t n)
{
	w->written += n;
	return pp_put_copy(w->sink, p, n);
}

static void
ppi_put_mark(uint8_t *p, const struct ppi_mark *m)
{
	ppi_set_u32(p, m->file);
	ppi_set_u32(p + 4, m->len);
	ppi_set_u64(p + 8, m->off);
}

int
ppi_write_head(struct ppi_writer *w, const struct ppi_head *h)
{
	uint8_t p[PPI_HEAD_SIZE] = PPI_MAGIC;

	ppi_set_u32(p + PPI_HEAD_VERSION, PPI_VERSION);
	ppi_set_u32(p + PPI_HEAD_CONTAINER, h->container);
	ppi_set_u32(p + PPI_HEAD_FLAGS, h->big);
	ppi_put_mark(p + PPI_HEAD_MARK, &h->mark);
	ppi_set_u64(p + PPI_HEAD_PRINT, h->print);
	ppi_set_u64(p + PPI_HEAD_CHUNK, h->size);
	ppi_set_u32(p + PPI_HEAD_SNAPS, h->every >> 10);
	ppi_seal(p, sizeof p);
	return ppi_put(w, p, sizeof p);
}

/* ---- entries --------------------------------------------------------------------------------------- */

static uint8_t *
ppi_put_words(uint8_t *p, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++, p += 8)
		ppi_set_u64(p, v[i]);
	return p;
}

static uint8_t *
ppi_put_tasks(uint8_t *p, const uint32_t *v, size_t n)
{
	uint32_t before = 0, x;

	for (size_t i = 0; i < n; i++) {
		x = v[i] - before;
		before = v[i];
		for (; x > 127; x >>= 7)
			*p++ = (uint8_t)(x | 128);
		*p++ = (uint8_t)x;
	}
	return p;
}

static void
ppi_put_chunk(uint8_t *p, const struct ppi_entry *e)
{
	const struct pp_chunk *c = &e->c;

	ppi_set_u32(p + PPI_E_MAGIC, PPI_ENTRY);
	ppi_set_u32(p + PPI_E_FILE, c->file);
	ppi_set_u32(p + PPI_E_FLAGS, c->flags);
	ppi_set_u64(p + PPI_E_OFF, c->off);
	ppi_set_u64(p + PPI_E_LEN, c->len);
	ppi_set_u64(p + PPI_E_PLAIN, c->plain);
	ppi_set_u64(p + PPI_E_RECORDS, c->records);
	ppi_set_u64(p + PPI_E_SAMPLES, c->samples);
	ppi_set_u64(p + PPI_E_SAMPLE_BYTES, c->sample_bytes);
	ppi_set_u64(p + PPI_E_FIRST, c->first);
	ppi_set_u64(p + PPI_E_LAST, c->last);
	ppi_set_u64(p + PPI_E_PRINT, e->print);
	ppi_set_u64(p + PPI_E_TAIL, e->tail);
	ppi_set_u32(p + PPI_E_EVENTS, c->nevents);
	ppi_set_u32(p + PPI_E_CPUS, c->ncpus);
	ppi_set_u32(p + PPI_E_TASKS, c->ntasks);
	ppi_set_u32(p + PPI_E_COPY_SIZE, e->copy ? e->ncopy : 0);
	ppi_set_u32(p + PPI_E_COPY_PLAIN, e->copy ? e->copy_plain : 0);
}

int
ppi_write_entry(struct ppi_writer *w, const struct ppi_entry *e)
{
	enum { TASK_MAX = 5 };		/* bytes of one */
	const struct pp_chunk *c = &e->c;
	size_t words = 8 * ((size_t)c->nevents + c->ncpus);
	uint8_t *p = ppi_space(w, PPI_E_FIXED + words + TASK_MAX * c->ntasks + (e->copy ? e->ncopy : 0) + PPI_HASH, PPI_E_FIXED);
	uint8_t *q, *tasks;

	if (!p)
		return -1;
	ppi_put_chunk(p, e);
	q = ppi_put_words(p + PPI_E_FIXED, c->events, c->nevents);
	tasks = q = ppi_put_words(q, c->cpus, c->ncpus);
	q = ppi_put_tasks(q, c->tasks, c->ntasks);
	ppi_set_u32(p + PPI_E_TASKS_SIZE, (uint64_t)(q - tasks));
	if (e->copy) {
		memcpy(q, e->copy, e->ncopy);
		q += e->ncopy;
	}
	q += PPI_HASH;
	if (q - p > PPI_ENTRY_MAX)
		return pp_fail(w->err, "a chunk needs more than %d MiB in the index", PPI_ENTRY_MAX >> 20);
	ppi_set_u32(p + PPI_E_SIZE, (uint64_t)(q - p));
	ppi_seal(p, (size_t)(q - p));
	return ppi_put(w, p, (size_t)(q - p));
}

int
ppi_write_snap(struct ppi_writer *w, struct ppi_snap *s, const uint8_t *from, size_t n, size_t plain)
{
	size_t size = PPI_S_FIXED + n + PPI_HASH;
	uint8_t *p = ppi_space(w, size, PPI_S_FIXED);

	if (!p)
		return -1;
	s->at = w->written;
	ppi_set_u32(p + PPI_S_MAGIC, PPI_SNAP);
	ppi_set_u32(p + PPI_S_SIZE, size);
	ppi_set_u64(p + PPI_S_OFF, s->off);
	ppi_set_u64(p + PPI_S_CHUNKS, s->chunks);
	ppi_set_u64(p + PPI_S_SAMPLE_BYTES, s->sample_bytes);
	ppi_set_u32(p + PPI_S_PLAIN, plain);
	memcpy(p + PPI_S_FIXED, from, n);
	ppi_seal(p, size);
	return ppi_put(w, p, size);
}

/* ---- end ------------------------------------------------------------------------------------------- */

int
ppi_write_end(struct ppi_writer *w, const struct ppi_end *e)
{
	size_t n = PPI_N_FIXED + (size_t)PPI_FILE_SIZE * e->nfiles + (size_t)PPI_MARK_SIZE * e->nmarks + (size_t)PPI_SNAP_SIZE * e->nsnaps + PPI_HASH;
	uint8_t *p = ppi_space(w, n + PPI_TRAILER_SIZE, PPI_N_FIXED), *q = p + PPI_N_FIXED;

	if (!p)
		return -1;
	ppi_set_u32(p + PPI_N_MAGIC, PPI_END);
	ppi_set_u32(p + PPI_N_SIZE, n);
	ppi_set_u64(p + PPI_N_CHUNKS, e->chunks);
	ppi_set_u64(p + PPI_N_RECORDS, e->all.records);
	ppi_set_u64(p + PPI_N_SAMPLES, e->all.samples);
	ppi_set_u64(p + PPI_N_SAMPLE_BYTES, e->all.sample_bytes);
	ppi_set_u64(p + PPI_N_FIRST, e->all.first);
	ppi_set_u64(p + PPI_N_LAST, e->all.last);
	ppi_set_u64(p + PPI_N_PLAIN, e->all.plain);
	ppi_set_u64(p + PPI_N_PRINT, e->print);
	ppi_set_u32(p + PPI_N_FILES, (uint32_t)e->nfiles);
	ppi_set_u32(p + PPI_N_MARKS, e->nmarks);
	ppi_set_u32(p + PPI_N_FLAGS, e->all.flags);
	ppi_set_u32(p + PPI_N_READS, e->reads);
	ppi_set_u32(p + PPI_N_SNAPS, e->nsnaps);
	for (unsigned i = 0; i < e->nfiles; i++, q += PPI_FILE_SIZE) {
		ppi_set_u64(q, e->files[i].covered);
		ppi_set_u64(q + 8, e->files[i].size);
	}
	for (unsigned i = 0; i < e->nmarks; i++, q += PPI_MARK_SIZE)
		ppi_put_mark(q, &e->marks[i]);
	for (unsigned i = 0; i < e->nsnaps; i++, q += PPI_SNAP_SIZE)
		ppi_put_words(q, (const uint64_t[]){ e->snaps[i].at, e->snaps[i].off, e->snaps[i].chunks, e->snaps[i].sample_bytes }, 4);
	ppi_seal(p, n);
	ppi_set_u64(p + n, n);
	memcpy(p + n + 8, PPI_TRAILER, 8);
	return ppi_put(w, p, n + PPI_TRAILER_SIZE);
}

void
ppi_writer_free(struct ppi_writer *w)
{
	free(w->buf);
}
