/* SPDX-License-Identifier: ISC */
/* chunk.c - see chunk.h: a walk over a source */
#include "chunk.h"
#include "container.h"

const char *
pp_chunks_cannot(const struct pp_source *pub)
{
	const struct source *s = (const struct source *)pub;

	if (s->profile)
		return "a CPU profile has no records";
	if (s->in && s->in->layer->read_at && !s->spooled)
		return NULL;
	return s->format || s->packed ? "the whole recording is compressed, and has no seek table that can be used" : "the recording comes from a pipe";
}

struct walk {
	struct source	*s;
	struct pp_chunk_walk *w;
	struct pp_chunker *c;
	uint32_t	 file;		/* that of the last record */
	bool		 inside;	/* there was a record of a chunk */
};

/* The records of a file have ended: what comes is of another file of a directory, or was made of features behind the data. */
static int
walk_end_file(struct walk *k)
{
	int rc = k->inside ? pp_chunker_end(k->c, k->s->file_end) : 1;

	k->file = k->s->file;
	k->inside = false;
	return rc;
}

/* Can the record begin a chunk?  *off: where. */
static bool
walk_can_cut(const struct source *s, const struct pp_rec *r, uint64_t *off)
{
	if (expand_has(s, r->raw)) {
		*off = expand_offset(s);
		return expand_is_first(s, r->raw);
	}
	*off = window_offset(s, r->raw);
	return expand_between(s);
}

static int
walk_record(struct walk *k, const struct pp_rec *r)
{
	struct source *s = k->s;
	uint64_t off;

	if (k->file != s->file && walk_end_file(k) < 0)
		return -1;
	if ((!k->inside || s->growing) && pp_made(&s->pub, r))
		return walk_end_file(k);
	if (pp_chunker_due(k->c) && walk_can_cut(s, r, &off) && pp_chunker_cut(k->c, s->file, off) < 0)
		return -1;
	k->inside = true;
	if (pp_chunker_take(k->c, s->pub.events, r, expand_has(s, r->raw)) < 0)
		return -1;
	if (r->type != PP_SAMPLE && k->w->other && k->w->other(k->w->arg, &s->pub, r) < 0)
		return -1;
	/* As pp_next() would yield them. */
	return pp_chunker_samples(k->c, s->pub.events, &s->pub.pos, s->pub.lim);
}

int
pp_chunks_walk(struct pp_source *pub, struct pp_chunk_walk *w)
{
	struct source *s = (struct source *)pub;
	struct walk k = { .s = s, .w = w, .c = pp_chunker_new(w) };
	int (*chunk)(void *, const struct pp_chunk *) = w->chunk;
	struct pp_rec r;
	int rc = 1, end;

	if (!k.c)
		return pp_fail_memory(s->err);
	if (pp_chunks_cannot(pub))
		w->chunk = NULL;
	if (w->first)
		rc = walk_record(&k, w->first);
	while (rc > 0 && (rc = pp_next(pub, &r)) > 0)
		rc = walk_record(&k, &r);
	end = k.inside ? pp_chunker_end(k.c, rc ? window_offset(s, s->inner ? s->win.pos : pub->pos) : s->file_end) : 1;
	if ((rc < 0 || end < 0) && !s->err->what[0])
		pp_fail_memory(s->err);
	pp_chunker_free(k.c);
	w->chunk = chunk;
	return rc < 0 || end < 0 ? -1 : 1;
}
