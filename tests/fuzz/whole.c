/* SPDX-License-Identifier: ISC */
/*
 * whole.c - libFuzzer target: any recordings, through whole tools.  An input chooses the command line (whole/whole.h, and ways below);
 * whole/run.c runs it, and what it runs may not crash, hang or take much memory.  What must hold besides, by the laws of the way:
 *
 *	a stream	what a tool writes is whole records, and if it is to be sound, pcat reads it with status 0 and passes it as it is
 *	judged		what pcat reads as damaged does not end with status 0; formats of tracepoints are a matter of
 *			streams only
 *	same		the output is what pcat writes of the same input
 *	tee		a stream comes out as it came in
 *	permuted	the records are those of pcat's output, in any order, but for FINISHED_ROUND
 *	sorted		psort -c finds nothing, and the times of the samples never go back, where they all stand at one place
 *	chosen		the samples are some of pcat's output, in their order
 *	counted		there are as many samples as in pcat's output of all inputs
 *	around		the records of pcat's output are in the output, in their order
 *	piped		the same comes of a pipe
 *	rest		what is in the output of -U and in the other are all samples of the input, each once
 *	index, jobs	with an index, and with --jobs=2, the same comes out
 *
 * For the size of a record that was changed: if the chain of records then does not fit the stream, the status is not 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "fuzz.h"
#include "whole/frames.h"
#include "whole/whole.h"

enum {
	STREAM = 1 << 0, JUDGED = 1 << 1, SAME = 1 << 2, PERMUTED = 1 << 3, SORTED = 1 << 4, CHOSEN = 1 << 5, COUNTED = 1 << 6,
	AROUND = 1 << 7, PIPED = 1 << 8, REST = 1 << 9, INDEX = 1 << 10, JOBS = 1 << 11, OTHER = 1 << 12, PACKED = 1 << 13, FITS = 1 << 14, TEE = 1 << 15
};
/* MiB of a process: what the tools may have with -S of 1 MiB or none; with 256 MiB for a profile or the default of psort */
enum { SMALL = 64, LARGE = 64 + 256 };

/* @n: the number of the input.  New ones go to the end, for the seeds. */
static const struct way {
	const char	*line;
	unsigned	 laws, inputs, mib;
} ways[] = {
	{ "pcat @0", STREAM | JUDGED | SAME | PIPED, 1, SMALL },
	{ "pcat -z @0", PACKED | JUDGED | PIPED, 1, SMALL },
	{ "pcat -z --frame-size=session @0", PACKED | JUDGED, 1, SMALL },
	{ "pcat --compressed2 --frame-size=64K @0", PACKED | JUDGED, 1, SMALL },
	{ "pcat --format=file -o @o @0", OTHER | JUDGED, 1, SMALL },
	{ "pcat --repair @0", STREAM, 1, SMALL },
	{ "pcat --compat=6.1 @0", STREAM | JUDGED, 1, SMALL },
	{ "pcat --endian=big @0", STREAM | JUDGED, 1, SMALL },
	{ "pcat --format=jsonl @0", JUDGED | PIPED, 1, SMALL },
	{ "pcat --format=pprof @0", FITS, 1, LARGE },
	{ "pcat --format=gperftools @0", 0, 1, SMALL },
	{ "pcat --chunks --chunk-size=4K @0", 0, 1, SMALL },
	{ "pcat @0 @1", STREAM | COUNTED, 2, SMALL },
	{ "pcat --merge-attrs --host-tag=comm --allow kernels,clocks,same-input @0 @1 @2", STREAM | COUNTED, 3, SMALL },
	{ "pcat --align=first --remap-pids=@n --allow kernels,same-input @0 @1", STREAM, 2, SMALL },
	{ "pcat --repair --formats-from @1 @0", STREAM, 2, SMALL },
	{ "pcat --repair --allow kernels,clocks @0 @1", STREAM, 2, SMALL },
	{ "psort @0", STREAM | JUDGED | PERMUTED | PIPED, 1, LARGE },
	{ "psort --full --rounds=drop @0", STREAM | JUDGED | PERMUTED | SORTED | PIPED, 1, LARGE },
	{ "psort --full -S 1M --untimed=first @0", STREAM | JUDGED | PERMUTED, 1, SMALL },
	{ "psort --window @nus @0", STREAM | JUDGED | PERMUTED, 1, LARGE },
	{ "psort -u --late=drop --stats @0", STREAM | JUDGED, 1, LARGE },
	{ "psort --late=clamp --untimed=stamp @0", STREAM | JUDGED, 1, LARGE },
	{ "psort -c @0", 0, 1, SMALL },
	{ "psort --merge --allow kernels,clocks,same-input @0 @1", STREAM | COUNTED, 2, LARGE },
	{ "psort --merge --merge-attrs -u --full -S 1M @0 @1 @2", STREAM, 3, SMALL },
	{ "pfilter --pid 0-@n -U @o @0", STREAM | JUDGED | CHOSEN | REST, 1, SMALL },
	{ "pfilter --cpu 0 -U @o @0", STREAM | CHOSEN | REST, 1, SMALL },
	{ "pfilter --pid @n @0", STREAM | CHOSEN | INDEX | JOBS | PIPED, 1, SMALL },
	{ "pfilter --pid @n --inherit --sideband=needed @0", STREAM | CHOSEN | INDEX | PIPED, 1, SMALL },
	{ "pfilter --comms c*,g*,a* @0", STREAM | CHOSEN | INDEX | JOBS, 1, SMALL },
	{ "pfilter --time 10%-60% @0", STREAM | CHOSEN | INDEX | JOBS, 1, SMALL },
	{ "pfilter --time +@nus @0", STREAM | CHOSEN | INDEX | JOBS, 1, SMALL },
	{ "pfilter --sideband=none --filter period>@n||cpumode==kernel @0", STREAM | CHOSEN | JOBS | PIPED, 1, SMALL },
	{ "pfilter --filter callchain.nr>1&&dso=~'l'&&comm!='x' @0", STREAM | CHOSEN | JOBS, 1, SMALL },
	{ "pfilter --sample 30% --scale-period --sideband=needed @0", STREAM, 1, SMALL },
	{ "pfilter --every 3 --max-stack 4 --strip user-stack,user-regs,raw @0", STREAM, 1, SMALL },
	{ "pfilter --max-rate @n --drop-unused-events @0", STREAM, 1, SMALL },
	{ "pfilter --anon all @0", STREAM | COUNTED, 1, SMALL },
	{ "pfilter --anon all,-build-id --anon-map @o @0", STREAM | COUNTED, 1, SMALL },
	{ "pfilter --span offcpu --span-period @0", STREAM, 1, SMALL },
	{ "pfilter --span syscall --sideband=needed @0", STREAM, 1, SMALL },
	{ "pfilter --around @nus --cpu 0 @0", STREAM | CHOSEN, 1, SMALL },
	{ "pfilter --payload-tasks --pid 1-@n @0", STREAM | CHOSEN, 1, SMALL },
	{ "pfilter --cgroup * --sideband=needed @0", STREAM | CHOSEN, 1, SMALL },
	{ "pfilter --exclude-pid 0 -n --stats @0", 0, 1, SMALL },
	{ "pfilter --cpu 0 --format=file -o @o @0", OTHER, 1, SMALL },
	{ "pinject --finished-init --finished-round=auto @0", STREAM | AROUND, 1, SMALL },
	{ "pinject --finished-round=@nus,replace @0", STREAM, 1, SMALL },
	{ "pinject --id-index --sample-time @0", STREAM, 1, SMALL },
	{ "pinject -b --no-fs @0", STREAM, 1, SMALL },
	{ "pinject --buildid-all --no-fs @0", STREAM, 1, SMALL },
	{ "pinject -B --no-fs @0", STREAM, 1, SMALL },
	{ "pinject --unwind --no-fs @0", STREAM, 1, SMALL },
	{ "pinject --unwind=keep-regs --unwind-max 16 --symfs / @0", STREAM, 1, SMALL },
	{ "pinject --set-feature HOSTNAME=a --no-features cpudesc,cmdline @0", STREAM, 1, SMALL },
	{ "pinject --features-from @1 @0", STREAM, 2, SMALL },
	{ "pstat @0", JUDGED, 1, SMALL },
	{ "pstat --json --tasks --mmaps --build-ids --events --header @0", JUDGED, 1, SMALL },
	{ "pstat --check --strict @0", 0, 1, SMALL },
	{ "pstat --privacy @0", JUDGED, 1, SMALL },
	{ "pstat -s comm,dso,event,cpu,tid --format=tsv @0", JUDGED, 1, SMALL },
	{ "pstat --hist period:cpu --picture rate,cpu,disorder,flame @0", JUDGED, 1, SMALL },
	{ "pstat --report @o @0", FITS, 1, SMALL },
	{ "pstat --interval 1ms --tee -o @o @0", JUDGED | TEE, 1, SMALL },
	{ "pstat --diff @0 @1", 0, 2, SMALL },
	{ "pstat --diff --picture flame --json @0 @1", 0, 2, SMALL },
	{ "pstat --merge @0 @1", 0, 2, SMALL },
	{ "pstat --folded --symbols /nowhere @0", 0, 1, SMALL },
	{ "pinject --jit --perf-map=/nowhere --buildid-dir /nowhere @0", STREAM, 1, SMALL },
};
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- inputs -------------------------------------------------------------------------------------------------------- */

void
whole_read(struct whole *w, const uint8_t *data, size_t size)
{
	uint32_t sum = 2166136261u;

	*w = (struct whole){ .n = 1, .in[0] = { data, size } };
	if (size < WHOLE_HEAD || memcmp(data, "way", 3)) {
		for (size_t i = 0; i < size; i++)
			sum = (sum ^ data[i]) * 16777619;
		w->way = (uint8_t)((sum >> 8) % WAYS);
		w->damage = sum >> 16 & 3 ? 0 : (uint8_t)(sum >> 18);
		w->number = (uint16_t)(sum >> 20);
		return;
	}
	w->way = data[3] % WAYS;
	w->damage = data[4];
	w->number = (uint16_t)number(data + 5, 2, false);
	data += WHOLE_HEAD;
	size -= WHOLE_HEAD;
	for (w->n = 0; w->n < data[-1] % INPUTS && size >= 3; w->n++) {
		size_t len = number(data, 3, false);

		data += 3;
		size -= 3;
		w->in[w->n] = (struct bytes){ data, len < size ? len : size };
		data += w->in[w->n].n;
		size -= w->in[w->n].n;
	}
	w->in[w->n++] = (struct bytes){ data, size };
}

/* ---- what the laws compare ----------------------------------------------------------------------------------------- */

static bool
equal(struct bytes a, struct bytes b)
{
	return a.n == b.n && !memcmp(a.p, b.p, a.n);
}

static int
frame_compare(const void *a, const void *b)
{
	const struct frame *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? -1 : 1) : memcmp(x->p, y->p, x->n);
}

static void
only(struct frames *f, bool (*keep)(const struct frame *))
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		if (keep(&f->f[i]))
			f->f[n++] = f->f[i];
	f->n = n;
}

static bool
no_round(const struct frame *f)
{
	return f->type != REC_ROUND;
}

static bool
is_sample(const struct frame *f)
{
	return f->type == REC_SAMPLE;
}

/* The same records, whatever their order. */
static bool
permuted(struct frames *a, struct frames *b)
{
	qsort(a->f, a->n, sizeof *a->f, frame_compare);
	qsort(b->f, b->n, sizeof *b->f, frame_compare);
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (frame_compare(&a->f[i], &b->f[i]))
			return false;
	return true;
}

/* All of a are in b, in their order. */
static bool
within(const struct frames *a, const struct frames *b)
{
	size_t at = 0;

	for (size_t i = 0; i < b->n && at < a->n; i++)
		at += !frame_compare(&a->f[at], &b->f[i]);
	return at == a->n;
}

/* Do the attrs say that samples have counters, which are totals of all samples before? */
static bool
has_totals(struct bytes b)
{
	static struct frames f;

	if (!frames_of(&f, b))
		return true;
	for (size_t i = 0; i < f.n; i++)
		if (f.f[i].type == REC_ATTR && f.f[i].n >= 8 + 32 && number(f.f[i].p + 8 + 24, 8, f.swap) & 1 << 4)
			return true;
	return false;
}

/* Do the times of the samples never go back?  Only if all attrs put them at one place, so that no codec is needed to find it. */
static bool
in_order(const struct frames *f)
{
	enum { TYPE = 8 + 24, IP = 1 << 0, TID = 1 << 1, TIME = 1 << 2, IDENTIFIER = 1 << 16 };
	uint64_t type = 0, now, last = 0;
	size_t at;

	for (size_t i = 0; i < f->n; i++) {
		if (f->f[i].type != REC_ATTR || f->f[i].n < TYPE + 8)
			continue;
		now = number(f->f[i].p + TYPE, 8, f->swap);
		if (!(now & TIME) || (type && now != type))
			return true;
		type = now;
	}
	at = 8 + 8u * (!!(type & IDENTIFIER) + !!(type & IP) + !!(type & TID));
	for (size_t i = 0; type && i < f->n; i++) {
		if (f->f[i].type != REC_SAMPLE || f->f[i].n < at + 8)
			continue;
		now = number(f->f[i].p + at, 8, f->swap);
		/* ~0 is none */
		if (now < last)
			return false;
		last = now == UINT64_MAX ? last : now;
	}
	return true;
}

static size_t
samples(struct bytes b)
{
	static struct frames f;

	if (!frames_of(&f, b))
		return 0;
	only(&f, is_sample);
	return f.n;
}

/* ---- expanding ------------------------------------------------------------------------------------------------------- */

/* What a stream expands to; none: not a sound one, or more than a fuzzer has time for. */
static struct bytes
expanded(const struct frames *f, const uint8_t *head)
{
	enum { EXPANDED_MAX = 1 << 24 };
	static uint8_t *to;
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_outBuffer out = { to ? to : (to = malloc(EXPANDED_MAX)), EXPANDED_MAX, HEAD };
	bool ok = true;

	MUST(to && z);
	memcpy(to, head, HEAD);
	for (size_t i = 0; i < f->n && ok; i++) {
		const struct frame *r = &f->f[i];
		size_t skip = r->type == REC_COMPRESSED ? 8 : 16;
		uint64_t len = r->n < skip ? 0 : skip == 8 ? r->n - 8 : number(r->p + 8, 8, f->swap);
		ZSTD_inBuffer in = { r->p + skip, len, 0 };

		if (r->type != REC_COMPRESSED && r->type != REC_COMPRESSED2) {
			if ((ok = r->n < out.size - out.pos)) {
				memcpy(to + out.pos, r->p, r->n);
				out.pos += r->n;
			}
			continue;
		}
		ok = len <= r->n - (r->n < skip ? r->n : skip);
		while (ok && in.pos < in.size)
			ok = !ZSTD_isError(ZSTD_decompressStream(z, &out, &in)) && out.pos < out.size;
	}
	ZSTD_freeDStream(z);
	return ok ? (struct bytes){ to, out.pos } : (struct bytes){ to, 0 };
}

/* The feature that says how a stream is compressed: not for one that is not. */
static bool
no_packing(const struct frame *f)
{
	return f->type != REC_FEATURE || f->n < 16 || (f->p[8] != 27 && f->p[15] != 27);
}

static bool
is_packed(const struct frame *f)
{
	return f->type == REC_COMPRESSED || f->type == REC_COMPRESSED2;
}

/* Two streams of the same bytes, whatever they say of how they were compressed. */
static bool
same(struct bytes a, struct bytes b)
{
	static struct frames f, g;

	if (equal(a, b))
		return true;
	if (!frames_of(&f, a) || !frames_of(&g, b) || !equal(f.tail, g.tail))
		return false;
	only(&f, no_packing);
	only(&g, no_packing);
	return f.n == g.n && within(&f, &g);
}

/* What pcat passes is what came in, or what that expands to. */
static void
identity(const struct ran *r, struct bytes in)
{
	static struct frames f, g;
	bool packed = false;

	if (!frames_of(&f, in))
		return;
	if (f.tail.n)
		broken(r, "status 0, and the records do not fit the stream");
	for (size_t i = 0; i < f.n; i++)
		packed |= is_packed(&f.f[i]);
	if (!packed) {
		if (!same(r->out, in))
			broken(r, "does not pass what came in");
		return;
	}
	in = expanded(&f, in.p);
	if (frames_of(&g, in) && !g.tail.n && !same(r->out, in))
		broken(r, "does not expand to what was compressed");
}

static bool
says(const struct ran *r, const char *word)
{
	return memmem(r->err.p, r->err.n, word, strlen(word)) != NULL;
}

/* ---- laws ------------------------------------------------------------------------------------------------------------- */

struct job {
	const struct way *way;
	struct bytes	  in[INPUTS];
	unsigned	  mib;
	struct ran	  pcat;		/* of the first input */
};

static void
another(struct ran *r, const char *line, struct bytes in)
{
	struct bytes all[INPUTS] = { in, in, in, in };

	run(r, line, all, LARGE);
}

/* Is it what a record has behind it, cut short? */
static bool
is_payload(struct bytes tail, bool swap)
{
	uint64_t type = tail.n < 8 ? 0 : number(tail.p, 4, swap);

	return type == REC_TRACING || type == REC_AUXTRACE;
}

/*
 * Whole records come out, also of a tool that failed.  Behind status 0 and --repair they are sound: but in a joined recording a record
 * may have got an event, and so a size, that it did not have in its own.
 */
static void
stream(const struct job *j, const struct ran *r, struct bytes out)
{
	static struct frames f;
	struct ran again;

	if (!out.n)
		return;
	if (!frames_of(&f, out) || (f.tail.n && !(r->status && is_payload(f.tail, f.swap))))
		broken(r, "not a stream");
	if (r->status && (j->way->inputs > 1 || !strstr(r->line, "--repair")))
		return;
	another(&again, "pcat @0", out);
	if (again.status && j->way->inputs == 1) {
		dprintf(2, "of %s:\n", r->line);
		broken(&again, "pcat refuses it");
	}
	if (!again.status && !same(again.out, out))
		broken(r, "pcat does not pass it");
	ran_free(&again);
}

static void
sorted(const struct ran *r)
{
	struct ran again;

	another(&again, "psort -c @0", r->out);
	if (again.status) {
		dprintf(2, "of %s:\n", r->line);
		broken(&again, "not sorted");
	}
	ran_free(&again);
}

/* The same line in another way: the same output, or both fail.  How much comes out in front of damage may vary. */
static void
once_more(const struct job *j, const struct ran *r, const char *line, const char *law)
{
	struct ran again;

	run(&again, line, j->in, j->mib);
	/* what cannot be done so is refused, of a trace only when it comes */
	if (again.status == 2 || again.full || says(&again, "cannot be read by several processes")) {
		ran_free(&again);
		return;
	}
	if (!again.status != !r->status || (!r->status && !equal(again.out, r->out))) {
		dprintf(2, "%s: %s:\n", r->line, law);
		broken(&again, "another output or status");
	}
	ran_free(&again);
}

static void
with_index(struct job *j, const struct ran *r)
{
	struct ran made;
	char line[sizeof r->line + 40];

	run(&made, "pcat --index --chunk-size=4K -o @o @0", j->in, SMALL);
	if (!made.status && made.other.n) {
		j->in[INPUTS - 1] = made.other;
		snprintf(line, sizeof line, "%s --index-file=@3", r->line);
		once_more(j, r, line, "with an index");
	}
	ran_free(&made);
}

static void
judge(struct job *j, struct ran *r)
{
	static struct frames f, g;
	unsigned laws = j->way->laws;
	char line[sizeof r->line + 40], *at;
	const struct ran *c = &j->pcat;

	if (laws & STREAM)
		stream(j, r, r->out);
	if (laws & REST)
		stream(j, r, r->other);
	if ((laws & JUDGED) && c->status == 1 && !r->status && !(says(c, "TRACING_DATA") && (j->way->line[1] == 's' || strstr(r->line, "--format"))))
		broken(r, "status 0 of what pcat reads as damaged");
	if (laws & PIPED) {
		snprintf(line, sizeof line, "%s", r->line);
		MUST((at = strstr(line, "@0")));
		at[0] = '<';
		once_more(j, r, line, "of a pipe");
	}
	if ((laws & INDEX) && !r->status)
		with_index(j, r);
	if (laws & JOBS) {
		snprintf(line, sizeof line, "%s --jobs=2", r->line);
		once_more(j, r, line, "with jobs");
	}
	if (r->status || c->status)
		return;
	if (laws & SAME)
		identity(r, j->in[0]);
	if ((laws & TEE) && frames_of(&f, j->in[0]) && !equal(r->out, j->in[0]))
		broken(r, "does not pass what came in");
	if (laws & PACKED) {
		struct ran back;

		another(&back, "pcat -d @0", r->out);
		if (back.status || !same(back.out, c->out))
			broken(r, "does not expand to what pcat writes");
		ran_free(&back);
	}
	if (laws & OTHER) {
		struct ran back;

		another(&back, "pcat @0", r->other);
		if (back.status)
			broken(&back, r->line);
		if (j->way->line[1] == 'c' && samples(back.out) != samples(c->out))
			broken(r, "another number of samples");
		ran_free(&back);
	}
	if (!frames_of(&f, c->out) || (r->out.n && !frames_of(&g, r->out)))
		return;
	if ((laws & SORTED) && !in_order(&g))
		broken(r, "a sample is older than the one before it");
	if (laws & PERMUTED) {
		only(&f, no_round);
		only(&g, no_round);
		if (!permuted(&f, &g))
			broken(r, "not the records of the input");
	}
	if (laws & SORTED)
		sorted(r);
	if (laws & AROUND) {
		if (!within(&f, &g))
			broken(r, "records of the input are missing");
	}
	only(&f, is_sample);
	only(&g, is_sample);
	if ((laws & CHOSEN) && !has_totals(c->out) && !within(&g, &f))
		broken(r, "samples that are not of the input");
	if (laws & COUNTED) {
		size_t n = f.n;

		for (unsigned i = 1; i < j->way->inputs; i++) {
			struct ran other;

			another(&other, "pcat @0", j->in[i]);
			n += samples(other.out);
			if (other.status)
				n = g.n;
			ran_free(&other);
		}
		if (g.n != n)
			broken(r, "another number of samples");
	}
	if (laws & REST) {
		static struct frames all;

		if (g.n + samples(r->other) != f.n)
			broken(r, "not each sample in one of the outputs");
		if (!has_totals(c->out) && frames_of(&all, r->other)) {
			only(&all, is_sample);
			MUST((g.f = reallocarray(g.f, g.space = g.n + all.n + 1, sizeof *g.f)));
			memcpy(g.f + g.n, all.f, all.n * sizeof *all.f);
			g.n += all.n;
			if (!permuted(&f, &g))
				broken(r, "not each sample in one of the outputs");
		}
	}
}

/* The line of a way, with its number. */
static void
command(char *to, size_t size, const struct way *way, unsigned n)
{
	const char *at = strstr(way->line, "@n");

	if (at)
		snprintf(to, size, "%.*s%u%s", (int)(at - way->line), way->line, n, at + 2);
	else
		snprintf(to, size, "%s", way->line);
}

/* ---- a size that was changed -------------------------------------------------------------------------------------------- */

/* Changes a bit of the size of a record: a copy, or nothing if the stream was damaged before or the chain fits again. */
static uint8_t *
resized(struct job *j, const struct whole *w)
{
	static struct frames f;
	uint8_t *copy;
	size_t at;

	if (j->pcat.status || !frames_of(&f, j->in[0]) || !f.n)
		return NULL;
	at = (size_t)(f.f[w->number % f.n].p - j->in[0].p) + 6;
	MUST((copy = malloc(j->in[0].n)));
	memcpy(copy, j->in[0].p, j->in[0].n);
	copy[at + (w->damage >> 3 & 1)] ^= (uint8_t)(1 << (w->damage & 7));
	MUST(frames_of(&f, (struct bytes){ copy, j->in[0].n }));
	if (f.tail.n)
		return copy;
	free(copy);
	return NULL;
}

/* All that read a stream from its first byte to the last. */
static void
changed(struct job *j)
{
	struct ran r;
	char line[sizeof r.line];

	command(line, sizeof line, j->way, 1000);
	run(&r, line, j->in, j->mib);
	if ((j->way->laws & (JUDGED | FITS)) && !r.status)
		broken(&r, "status 0, and the size of a record was changed");
	ran_free(&r);
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct whole w;
	struct job j = { .mib = SMALL };
	struct ran r;
	char line[sizeof r.line];
	uint8_t *other = NULL;

	whole_read(&w, data, size);
	j.way = &ways[w.way];
	j.mib = j.way->mib;
	for (unsigned i = 0; i < INPUTS; i++)
		j.in[i] = w.in[i < w.n ? i : i % w.n];
	run(&j.pcat, "pcat @0", j.in, SMALL);
	if (!j.pcat.full) {
		if (w.damage && (other = resized(&j, &w))) {
			j.in[0].p = other;
			changed(&j);
			free(other);
		} else {
			command(line, sizeof line, j.way, w.number);
			run(&r, line, j.in, j.mib);
			if (!r.full)
				judge(&j, &r);
			ran_free(&r);
		}
	}
	ran_free(&j.pcat);
	return 0;
}
