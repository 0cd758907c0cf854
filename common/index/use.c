/* SPDX-License-Identifier: ISC */
/* use.c - see use.h */
#include <stdlib.h>

#include "layout.h"
#include "source/leave_out.h"
#include "source/piece.h"
#include "source/source.h"
#include "use.h"

struct ppi_use {
	struct pp_source *in;
	struct pp_err	*err;			/* of the source */
	struct ppi_reader *x;
	const struct ppi_ask *ask;
	const char	*name;
	struct pp_leave_out leave;
	struct ppi_used	 used;
	struct ppi_entry e;			/* the next, if `has' */
	bool		 has, over;
	bool		 snaps;			/* ppi_use_snaps(), and ... */
	bool		 begun;			/* ... something was read */
	unsigned	 snap;			/* those below are in front of the place */
	uint64_t	 passed;		/* bytes of SAMPLEs that the step passes */
	bool		 sampled;		/* SAMPLEs were yielded */
	bool		 reads;			/* the step is the chunk of `e' */
	bool		 grown;			/* the recording is longer than the index knows */
	XXH64_state_t	 hash;
	struct ppi_copy	 copy;
};

static int
use_misfit(struct ppi_use *u, const char *why)
{
	return pp_fail(u->err, "the index %s does not fit: %s; --no-index reads without it, pcat --index makes it again", u->name, why);
}

/* Have the next entry, unless there is none. */
static void
use_entry(struct ppi_use *u)
{
	bool damaged;

	if (u->has || u->over)
		return;
	u->has = ppi_next(u->x, &u->e, &damaged) > 0;
	u->over = !u->has;
	u->used.damaged |= damaged;
	u->used.chunks += u->has;
}

/*
 * Must the chunk be read?  The first with SAMPLEs always: commands learn from the first one, names of events for example.  In a
 * recording that has grown, the last frame of zstd may have gone on.
 */
static bool
use_wants(struct ppi_use *u)
{
	const struct pp_chunk *c = &u->e.c;
	enum pp_piece_has has = pp_piece_has(u->in, c->sample_bytes);
	const struct ppi_cond *conds;
	size_t n, fails;

	if (!u->e.copy || has == PP_PIECE_SOME || (u->grown && c->flags & PP_CHUNK_COMPRESSED && ppi_at_last(u->x)))
		return true;
	if (has == PP_PIECE_NONE || !c->samples)
		return false;
	if (!u->sampled || !u->ask)
		return true;
	conds = u->ask->conds(u->ask->arg, &n);
	if (!conds || ppi_wants(c, conds, n, &fails))
		return true;
	if (u->ask->left)
		u->ask->left(u->ask->arg, c, fails);
	return false;
}

/*
 * The first chunk begins at that offset: take the last snapshot in front of the piece instead of all before it.  1; 0: there is none; -1.
 */
static int
use_snap(struct ppi_use *u, uint64_t off, struct pp_leave_step *step)
{
	struct pp_err why = { .what = "" };
	const struct ppi_snap *s = NULL;
	const struct ppi_end *e;
	bool whole;
	size_t n;
	int rc;

	u->begun = true;
	e = ppi_end(u->x, &whole);
	for (unsigned i = 0; i < e->nsnaps; i++)
		if (e->snaps[i].off > off && pp_piece_starts_behind(u->in, e->snaps[i].sample_bytes))
			s = &e->snaps[i];
	if (!s || (rc = ppi_begin_at(u->x, s, u->in->swap, &u->copy, &n, &why)) == 0) {
		u->used.no_snap = s != NULL;
		return 0;
	}
	if (rc < 0)
		return use_misfit(u, why.what);
	*step = (struct pp_leave_step){ .n = s->off - off, .leave = true, .copy = u->copy.p, .ncopy = n };
	u->has = false;
	u->passed = s->sample_bytes;
	u->used.snapped = s->chunks;
	u->used.chunks = s->chunks;
	u->used.left_out += step->n;
	return 1;
}

/*
 * At the places of other snapshots, which are for other pieces: are so many bytes of SAMPLEs before them?  So of all that the processes of
 * --jobs begin with, some process has seen that it is right.
 */
static bool
use_agrees(struct ppi_use *u, uint64_t off)
{
	const struct ppi_end *e;
	bool whole;

	e = ppi_end(u->x, &whole);
	while (u->snap < e->nsnaps && e->snaps[u->snap].off < off)
		u->snap++;
	return u->snap == e->nsnaps || e->snaps[u->snap].off != off || e->snaps[u->snap].sample_bytes == pp_piece_done(u->in);
}

/* pp_leave_out.next */
static int
use_step(void *arg, uint32_t file, uint64_t off, struct pp_leave_step *step)
{
	struct ppi_use *u = arg;
	const struct pp_chunk *c = &u->e.c;
	int rc;

	if (u->passed)
		pp_piece_passed(u->in, u->passed);
	u->passed = 0;
	u->reads = false;
	use_entry(u);
	if (!u->has || c->file > file)
		return 1;			/* the rest of the file */
	if (c->file < file || c->off < off)
		return use_misfit(u, "a chunk lies elsewhere");
	if (c->off > off) {
		step->n = c->off - off;
		return 1;
	}
	if (u->snaps && !u->begun && (rc = use_snap(u, off, step)) != 0)
		return rc;
	if (u->snaps && !use_agrees(u, off))
		return use_misfit(u, "a snapshot stands for other samples than those before it");
	u->has = false;
	step->n = c->len;
	if (use_wants(u)) {
		XXH64_reset(&u->hash, 0);
		u->reads = true;
		u->sampled |= c->samples && pp_piece_has(u->in, c->sample_bytes) != PP_PIECE_NONE;
		u->used.read++;
		return 1;
	}
	if (ppi_expand(&u->e, u->in->swap, &u->copy, u->err) < 0)
		return -1;
	pp_piece_passed(u->in, c->sample_bytes);
	u->used.left_out += c->len;
	step->leave = true;
	step->copy = u->copy.p;
	step->ncopy = u->e.copy_plain;
	return 1;
}

/* pp_leave_out.took */
static int
use_took(void *arg, const uint8_t *p, size_t n, bool end)
{
	struct ppi_use *u = arg;

	if (!u->reads)
		return 1;
	XXH64_update(&u->hash, p, n);
	return !end || XXH64_digest(&u->hash) == u->e.print ? 1 : use_misfit(u, "a chunk has other bytes");
}

int
ppi_use(struct ppi_use **to, struct pp_source *in, struct ppi_reader *x, const char *name, const struct ppi_ask *ask)
{
	struct ppi_use *u = *to = calloc(1, sizeof *u);

	if (!u)
		return -1;
	u->in = in;
	u->err = ((struct source *)in)->err;
	u->x = x;
	u->ask = ask;
	u->name = name;
	u->grown = !ppi_covers(x, in);
	u->leave = (struct pp_leave_out){ .next = use_step, .took = use_took, .name = name, .arg = u };
	return pp_leave_out(in, &u->leave);
}

void
ppi_use_snaps(struct ppi_use *u)
{
	u->snaps = true;
}

const struct ppi_used *
ppi_used(const struct ppi_use *u)
{
	return &u->used;
}

void
ppi_use_free(struct ppi_use *u)
{
	if (u)
		ppi_copy_free(&u->copy);
	free(u);
}
