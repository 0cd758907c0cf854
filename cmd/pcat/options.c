/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "pprof/out_pprof.h"
#include "source/chunk.h"

enum {
	FORMAT = TOOL_LONG, COMPRESSED2, THREADS, MERGE_ATTRS, REMAP_PIDS, HOST_TAG, ALIGN, TIME_OFFSET, SWITCH_OUTPUT,
	SWITCH_MAX_FILES, OUTPUT_TEMPLATE, REPAIR, FOLLOW, COMPAT, ENDIAN, FEATURES, NO_FEATURES, EXPAND_COUNTS, PID,
	EVENT, FRAME_SIZE, FORMATS_FROM, LABELS, CHUNKS, CHUNK_SIZE, INDEX, WRITE_INDEX,
	MAKE_MANIFEST, PIDS, PART,
};

const struct tool_opt options_table[] = {
	TOOL_HEAD("Containers and compression"),
	{ FORMAT, "format", "stream|file|gperftools|pprof", "form of the output; file: a seekable perf.data, needs -o" },
	{ 'z', "compress", "[=LEVEL]", "write COMPRESSED records (level 1 to 22; 1)" },
	{ COMPRESSED2, "compressed2", NULL, "write COMPRESSED2 records, for perf 6.16 and later" },
	{ 'd', "decompress", NULL, "write plain records (default)" },
	{ FRAME_SIZE, "frame-size", "SIZE|session", "begin a new zstd frame after SIZE of records (4M; 64K to 64M)" },
	{ THREADS, "threads", "N", "compress with N threads" },
	{ PID, "pid", "N", "for gperftools and pprof: write samples of this process" },
	{ EVENT, "event", "NAME", "for gperftools and pprof: write samples of this event" },
	{ LABELS, "labels", "LIST", "for pprof: comm, thread_comm, pid, tid, none (comm,pid)" },
	{ 'S', "max-memory", "SIZE", "for pprof: begin another file when SIZE is full (256M)" },
	{ EXPAND_COUNTS, "expand-counts", NULL, "from a CPU profile: a sample for each count" },
	TOOL_HEAD("Joining"),
	{ MERGE_ATTRS, "merge-attrs", NULL, "join equal events" },
	{ REMAP_PIDS, "remap-pids", "auto|never|OFFSET", "keep the pids of different hosts apart (auto)" },
	{ HOST_TAG, "host-tag", "none|comm", "put the host name before each comm" },
	{ ALIGN, "align", "none|wall|first", "adjust the clocks of the inputs" },
	{ TIME_OFFSET, "time-offset", "TIME...", "add TIME to the times of the next input (1.5s; -10ms)" },
	TOOL_OPT_ALLOW(JOIN_ALLOW),
	TOOL_HEAD("Splitting"),
	{ SWITCH_OUTPUT, "switch-output", "SIZE|TIME|rounds:N", "write several parts, each a complete recording" },
	{ SWITCH_MAX_FILES, "switch-max-files", "N", "keep only the last N parts" },
	{ OUTPUT_TEMPLATE, "output-template", "NAME", "names of parts: %n number, %t time of the first record" },
	TOOL_HEAD("Repair and conversion"),
	{ REPAIR, "repair", NULL, "leave out damaged records and continue" },
	{ FORMATS_FROM, "formats-from", "OTHER", "with --repair: add formats of tracepoints from a recording or directory" },
	{ FOLLOW, "follow", NULL, "read a file until the recorder has finished it" },
	{ COMPAT, "compat", "6.1|6.12|current", "remove or change what this perf cannot read" },
	{ ENDIAN, "endian", "native|little|big", "write in this byte order" },
	{ FEATURES, "features", "LIST", "write only these header features" },
	{ NO_FEATURES, "no-features", "LIST", "do not write these header features" },
	TOOL_HEAD("Index, and parts of a recording for jobs that run in parallel"),
	{ INDEX, "index", NULL, "write FILE.ppi, by which FILE is read in part (or -o NAME), and no stream" },
	{ WRITE_INDEX, "write-index", NULL, "write the index of the -o file, too" },
	{ CHUNKS, "chunks", NULL, "print a table of what the recording holds, chunk by chunk, and write no stream" },
	{ CHUNK_SIZE, "chunk-size", "SIZE", "the least size of a chunk (4M; 4K to 64M)" },
	TOOL_OPTS_MANIFEST("read the parts that FILE lists; with --switch-output: write it"),
	{ PART, "part", "NAME", "with --manifest: read only the part of this name" },
	{ MAKE_MANIFEST, "make-manifest", NULL, "print a manifest of the inputs, and write no stream" },
	{ PIDS, "pids", NULL, "with --make-manifest: give each part pids of its own, without gaps" },
	TOOL_HEAD("Input, output and messages"),
	TOOL_OPTS_IN, TOOL_OPTS_OUT, TOOL_OPTS_COMMON, TOOL_OPTS_END
};

const char options_examples[] =
    "  $ pcat --format=file -z -o run.data run.pipe\n"
    "  $ pcat --merge-attrs --host-tag=comm web1.data web2.data >both.data\n"
    "  $ pcat --switch-output=1s -o part all.data\n";

static void
take_format(const struct tool *t, struct options *o)
{
	static const char *const names[] = { "stream", "file", "gperftools", "pprof" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(t->optarg, names[i])) {
			o->format = (int)i;
			return;
		}
	tool_wrong(t, "--format '%s': expected stream, file, gperftools or pprof", t->optarg);
}

static uint64_t
frame_size(const struct tool *t)
{
	uint64_t size;

	if (!strcmp(t->optarg, "session"))
		return UINT64_MAX;
	size = tool_size(t, t->optarg);
	if (size < PP_FRAME_MIN || size > PP_FRAME_MAX)
		tool_wrong(t, "--frame-size '%s': expected 64K to 64M, or session", t->optarg);
	return size;
}

static void
take_labels(const struct tool *t, struct options *o)
{
	if (!o->has_labels)
		o->profile.labels = 0;
	o->has_labels = true;
	o->profile.labels |= pprof_labels(t, t->optarg);
}

static size_t
memory_size(const struct tool *t)
{
	uint64_t size = tool_size(t, t->optarg);

	if (size < PPROF_MEMORY_MIN || size > SIZE_MAX)
		tool_wrong(t, "%s '%s': expected at least 1M", t->optname, t->optarg);
	return (size_t)size;
}

static uint64_t
chunk_size(const struct tool *t)
{
	uint64_t size = tool_size(t, t->optarg);

	if (size < PP_CHUNK_MIN || size > PP_CHUNK_MAX)
		tool_wrong(t, "--chunk-size '%s': expected 4K to 64M", t->optarg);
	return size;
}

void
options_take(struct tool *t, struct options *o, int key)
{
	switch (key) {
	case FORMAT:		take_format(t, o); break;
	case 'z':
		o->pack.level = t->optarg ? (int)tool_number(t, t->optarg + (*t->optarg == '='), 1, 22) : 1;
		break;
	case COMPRESSED2:	o->pack.two = true; break;
	case 'd':		o->pack.level = 0; o->pack.two = false; break;
	case THREADS:		o->pack.threads = (unsigned)tool_number(t, t->optarg, 0, 256); break;
	case FRAME_SIZE:	o->pack.frame = frame_size(t); break;
	case MERGE_ATTRS:	o->join.merge_attrs = o->joins = true; break;
	case REMAP_PIDS:	join_opt_pids(t, &o->join, t->optarg); o->joins = true; break;
	case HOST_TAG:		join_opt_host_tag(t, &o->join, t->optarg); o->joins = true; break;
	case ALIGN:		join_opt_align(t, &o->join, t->optarg); o->joins = true; break;
	case TIME_OFFSET:	join_opt_offset(t, &o->offsets); o->joins = true; break;
	case SWITCH_OUTPUT:	split_when(t, &o->split, t->optarg); o->splits = true; break;
	case SWITCH_MAX_FILES:	o->split.max_files = tool_number(t, t->optarg, 1, 1000000); break;
	case OUTPUT_TEMPLATE:	free(o->template); o->template = strdup(t->optarg); break;
	case REPAIR:		o->open_flags |= PP_OPEN_REPAIR; break;
	case FORMATS_FROM:	o->formats_from = t->optarg; break;
	case FOLLOW:		o->open_flags |= PP_OPEN_FOLLOW; break;
	case COMPAT:		o->compat = compat_option(t, t->optarg); break;
	case ENDIAN:		o->endian = endian_option(t, t->optarg); break;
	case FEATURES:		features_option(t, &o->features, t->optarg, false); o->lists_features = true; break;
	case NO_FEATURES:	features_option(t, &o->features, t->optarg, true); o->lists_features = true; break;
	case INDEX:		o->index = true; break;
	case WRITE_INDEX:	o->write_index = true; break;
	case CHUNKS:		o->chunks = true; break;
	case CHUNK_SIZE:	o->chunk_size = chunk_size(t); break;
	case MAKE_MANIFEST:	o->makes_manifest = true; break;
	case PIDS:		o->pids = true; break;
	case PART:		o->part = t->optarg; break;
	case EXPAND_COUNTS:	o->open_flags |= PP_OPEN_EXPAND_COUNTS; break;
	case PID:		o->profile.pid = (int64_t)tool_number(t, t->optarg, 0, INT32_MAX); break;
	case EVENT:		o->profile.event = t->optarg; break;
	case LABELS:		take_labels(t, o); break;
	case 'S':		o->profile.memory = memory_size(t); o->profile.tasks = o->profile.memory / 2; break;
	}
}

/* Is each option that was given one of the n with these keys?  If not, the name of one that is not; else NULL. */
static const char *
other_than(const struct tool *t, const int *keys, size_t n)
{
	for (const struct tool_opt *row = t->opts; row->name; row++) {
		bool goes = !tool_given(t, row->key);

		for (size_t i = 0; i < n; i++)
			goes |= row->key == keys[i];
		if (!goes)
			return row->name;
	}
	return NULL;
}

static void
done_index(struct tool *t, const struct options *o)
{
	static const int goes[] = { INDEX, CHUNK_SIZE, FOLLOW, 'i', 'o', 'f', 'q', 'v', TOOL_MAX_EXPAND, TOOL_NO_SANDBOX };
	const char *other = o->index ? other_than(t, goes, sizeof goes / sizeof *goes) : NULL;

	if (o->write_index && (!t->out_name || !strcmp(t->out_name, "-") || o->splits || o->format == FORMAT_PROFILE))
		tool_wrong(t, "--write-index: needs -o FILE, which holds one recording");
	if (!o->index)
		return;
	if (other)
		tool_wrong(t, "--%s: cannot be combined with --index", other);
	if (t->nnames > 1 && (t->out_name || o->open_flags & PP_OPEN_FOLLOW))
		tool_wrong(t, "--index: with %s it takes one input", t->out_name ? "--output" : "--follow");
	for (int i = 0; i < t->nnames; i++)
		if (!strcmp(t->names[i], "-"))
			tool_wrong(t, "--index: needs the names of files");
	if (!t->nnames || (t->out_name && !strcmp(t->out_name, "-")))
		tool_wrong(t, "--index: needs the names of files");
	t->no_output = true;
}

/* What makes no stream: refuse all options but the n with these keys. */
static void
done_text(struct tool *t, const char *name, const int *keys, size_t n)
{
	const char *other = other_than(t, keys, n);

	if (other)
		tool_wrong(t, "--%s: cannot be combined with --%s", other, name);
	t->text = true;
}

static void
done_chunks(struct tool *t, const struct options *o)
{
	static const int goes[] = { CHUNKS, CHUNK_SIZE, 'i', 'o', 'f', 'q', 'v', TOOL_MAX_EXPAND, TOOL_INDEX_FILE, TOOL_NO_INDEX, TOOL_NO_SANDBOX };

	if (!o->chunks) {
		if (o->chunk_size && !o->index && !o->write_index)
			tool_wrong(t, "--chunk-size: needs --chunks, --index or --write-index");
		return;
	}
	done_text(t, "chunks", goes, sizeof goes / sizeof *goes);
	if (t->nnames > 1)
		tool_wrong(t, "--chunks: takes one input");
}

static void
done_manifest(struct tool *t, struct options *o)
{
	static const int goes[] = { MAKE_MANIFEST, PIDS, 'i', 'o', 'f', 'q', 'v', TOOL_MAX_EXPAND, TOOL_NO_SANDBOX };

	if (o->makes_manifest) {
		done_text(t, "make-manifest", goes, sizeof goes / sizeof *goes);
		if (!t->nnames)
			tool_wrong(t, "--make-manifest: name the parts");
	} else if (o->pids)
		tool_wrong(t, "--pids: needs --make-manifest");
	if (o->splits) {		/* it is an output */
		o->manifest = t->manifest;
		t->manifest = NULL;
	}
	if (!t->manifest && (o->part || tool_given(t, TOOL_ALLOW_MISSING)))
		tool_wrong(t, "%s: needs --manifest%s", o->part ? "--part" : "--allow-missing", o->splits ? ", not --switch-output" : "");
	if (o->part && tool_given(t, TOOL_ALLOW_MISSING))
		tool_wrong(t, "--part: cannot be combined with --allow-missing");
	o->joins |= t->manifest != NULL;
}

/* What joins and repairs, and what has no join of its own. */
static void
done_piece(const struct tool *t, const struct options *o)
{
	static const int not[] = { SWITCH_OUTPUT, REPAIR, FOLLOW, MERGE_ATTRS, REMAP_PIDS, HOST_TAG, ALIGN, TIME_OFFSET };

	tool_piece_refuses(t, not, sizeof not / sizeof *not);
	if (o->joins || t->manifest || o->manifest)
		tool_piece_refuse(t, "several inputs");
	if (o->format == FORMAT_PROFILE || o->format == FORMAT_PPROF)
		tool_piece_refuse(t, "--format=%s", o->format == FORMAT_PROFILE ? "gperftools" : "pprof");
}

void
options_done(struct tool *t, struct options *o)
{
	bool named = t->out_name && strcmp(t->out_name, "-");

	done_chunks(t, o);
	done_index(t, o);
	done_manifest(t, o);

	if (o->pack.two && !o->pack.level)
		o->pack.level = 1;
	if (tool_given(t, FRAME_SIZE) && !o->pack.level)
		tool_wrong(t, "--frame-size: needs --compress");
	if (tool_given(t, THREADS) && !o->pack.level)
		tool_wrong(t, "--threads: needs --compress");
	if (o->format != FORMAT_PROFILE && o->format != FORMAT_PPROF && (tool_given(t, PID) || tool_given(t, EVENT)))
		tool_wrong(t, "%s: needs --format=gperftools or pprof", tool_given(t, PID) ? "--pid" : "--event");
	if (o->format != FORMAT_PPROF && (tool_given(t, LABELS) || tool_given(t, 'S')))
		tool_wrong(t, "%s: needs --format=pprof", tool_given(t, LABELS) ? "--labels" : "--max-memory");
	if (o->pack.frame == UINT64_MAX && o->pack.threads)
		tool_wrong(t, "--threads: cannot be combined with --frame-size=session, which makes one frame");
	if (o->pack.two && o->compat && !compat_compressed2(o->compat))
		tool_wrong(t, "--compressed2: the perf of --compat cannot read it");
	if (o->format == FORMAT_FILE && !named && !o->splits)
		tool_wrong(t, "--format=file: needs -o FILE");
	if ((o->format == FORMAT_PROFILE || o->format == FORMAT_PPROF) && (o->pack.level || o->splits))
		tool_wrong(t, "--format=%s: cannot be compressed or split", o->format == FORMAT_PPROF ? "pprof" : "gperftools");
	if (!o->splits && (o->template || o->split.max_files))
		tool_wrong(t, "--output-template and --switch-max-files: need --switch-output");
	if (o->template && t->out_name)
		tool_wrong(t, "--output-template: cannot be combined with --output");
	if (o->splits) {
		char *given = o->template;

		o->split.template = o->template = split_template(t, given, t->out_name);
		free(given);
	}
	if (o->open_flags & PP_OPEN_FOLLOW && (t->nnames > 1 || o->joins || o->open_flags & PP_OPEN_REPAIR))
		tool_wrong(t, "--follow: takes one input, and cannot be combined with --repair or options for joining");
	if (o->formats_from && (!(o->open_flags & PP_OPEN_REPAIR) || t->nnames > 1 || o->joins))
		tool_wrong(t, "--formats-from: needs --repair and one input");
	join_opt_offsets(t, &o->join, &o->offsets);
	o->join.one_process = o->format == FORMAT_PROFILE && o->profile.pid < 0;
	o->join.open_flags = o->open_flags;
	o->joins |= t->nnames > 1;
	done_piece(t, o);
	if (o->format == FORMAT_FILE && !o->joins && !o->splits)
		o->open_flags |= PP_OPEN_FILE_FEATURES;
	if (!o->joins && (o->format != FORMAT_STREAM || o->index || o->chunks))
		o->open_flags |= PP_OPEN_ANY_TRACING;
	if (o->lists_features) {
		features_without(&o->features, o->without);
		o->pack.without = o->without;
	}
	t->in_name = t->nnames ? t->names[0] : NULL;
	t->as_file = o->format == FORMAT_FILE;
	t->no_output = o->splits;
}

void
options_free(struct options *o)
{
	free(o->offsets.ns);
	free(o->template);
}
