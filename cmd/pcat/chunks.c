/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "chunks.h"
#include "index/index.h"
#include "source/chunk.h"

struct table {
	FILE	*f;
	uint64_t n;
};

static unsigned
chunks_bits(const uint64_t *set, unsigned words)
{
	unsigned n = 0;

	for (unsigned i = 0; i < words; i++)
		n += (unsigned)__builtin_popcountll(set[i]);
	return n;
}

static void
chunks_time(FILE *f, uint64_t ns)
{
	if (ns)
		fprintf(f, "\t%" PRIu64, ns);
	else
		fputs("\t-", f);
}

static int
chunks_row(void *arg, const struct pp_chunk *c)
{
	struct table *t = arg;

	fprintf(t->f, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, t->n++, c->off, c->len,
	    c->plain, c->records, c->samples);
	chunks_time(t->f, c->first);
	chunks_time(t->f, c->last);
	fprintf(t->f, "\t%u\t%u\t%zu\t", chunks_bits(c->cpus, c->ncpus), chunks_bits(c->events, c->nevents), c->ntasks);
	if (c->file)
		fprintf(t->f, "data.%u\n", c->file - 1);
	else
		fputs("-\n", t->f);
	return 1;
}

/* Does the index know the chunks of that size of all the recording?  Then print them, if there is a table. */
static bool
chunks_indexed(struct ppi_reader *x, uint64_t size, struct table *to)
{
	struct ppi_entry e;
	bool damaged;

	if (!x || ppi_head(x)->size != (size ? size : PP_CHUNK_SIZE))
		return false;
	ppi_rewind(x);
	while (ppi_next(x, &e, &damaged) > 0)
		if (to)
			chunks_row(to, &e.c);
	return !damaged;
}

/* The table is complete, or the error is in the tool's. */
static void
chunks_write(struct tool *t, const struct options *o, FILE *f)
{
	struct table to = { .f = f };
	struct pp_chunk_walk walk = { .size = o->chunk_size, .chunk = chunks_row, .arg = &to };
	const char *cannot = pp_chunks_cannot(t->in);
	struct ppi_reader *index = tool_index_whole(t, t->in);

	if (cannot) {
		tool_abandon(t);
		tool_wrong(t, "--chunks: %s", cannot);
	}
	errno = 0;
	fputs("chunk\toffset\tlength\tplain\trecords\tsamples\tfirst_ns\tlast_ns\tcpus\tevents\ttasks\tfile\n", f);
	if (chunks_indexed(index, o->chunk_size, NULL))
		chunks_indexed(index, o->chunk_size, &to);
	else
		pp_chunks_walk(t->in, &walk);
	tool_stream_close(f, &t->out_err);
}

int
chunks_print(struct tool *t, const struct options *o)
{
	FILE *f;

	t->index.wanted = true;
	tool_open_input(t, o->open_flags);
	tool_create(t, &t->file, t->out_name, &t->out_err);
	if (!(f = tool_stream(t->file.fd, &t->out_err)))
		return tool_close(t);
	tool_lock(t);
	tool_begin_input(t);
	chunks_write(t, o, f);
	return tool_close(t);
}
