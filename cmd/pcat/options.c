/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "index/build.h"
#include "options.h"
#include "pprof/out_pprof.h"
#include "record/meaning.h"
#include "source/chunk.h"

static void
take_compress(struct tool *t, void *options)
{
	struct options *o = options;

	o->pack.level = t->optarg ? (int)tool_number(t, t->optarg, 1, 22) : 1;
}

static void
take_decompress(struct tool *t, void *options)
{
	struct options *o = options;

	o->pack.level = 0;
	o->pack.two = false;
	tool_forget(t, "compress");
	tool_forget(t, "compressed2");
}

static void
take_frame_size(struct tool *t, void *options)
{
	struct options *o = options;

	o->pack.frame = !strcmp(t->optarg, "session") ? UINT64_MAX : tool_size(t, t->optarg);
	if (o->pack.frame != UINT64_MAX && (o->pack.frame < PP_FRAME_MIN || o->pack.frame > PP_FRAME_MAX))
		tool_wrong(t, "--frame-size '%s': expected 64K to 64M, or session", t->optarg);
}

/* What makes no stream goes with little else. */
#define GO_WITH_TEXT "input,output,force,quiet,verbose,max-expand,no-sandbox"

#define OPTIONS struct options
static const struct tool_opt opts[] = {
	OPT_HEAD("Containers and compression"),
	OPT_WORD(0, "format", "stream|file|gperftools|pprof|jsonl", format, FORMAT_STREAM,
	    "form of the output; file: a seekable perf.data, needs -o"),
	OPT_FLAG(0, "copy-data", copy_data, "with --format=file: copy a file's records unread, and unchecked: for its header"),
	OPT_CALL('z', "compress", "[=LEVEL]", NULL, take_compress, "write COMPRESSED records (level 1 to 22; 1)"),
	OPT_FLAG(0, "compressed2", pack.two, "write COMPRESSED2 records, for perf 6.16 and later"),
	OPT_CALL('d', "decompress", NULL, NULL, take_decompress, "write plain records (default)"),
	OPT_CALL(0, "frame-size", "SIZE|session", "session", take_frame_size,
	    "begin a new zstd frame after SIZE of records (4M; 64K to 64M)"),
	OPT_NUMBER(0, "threads", "N", pack.threads, 0, 256, "compress with N threads, also for pprof"),
	OPT_NEEDS("frame-size", "compress,compressed2"),
	OPT_NEEDS("threads", "compress,compressed2,format=pprof"),
	OPT_NUMBER(0, "pid", "N", profile.pid, 0, INT32_MAX, "for gperftools and pprof: write samples of this process"),
	OPT_TEXT(0, "event", "NAME", profile.event, OF_EVENTS, "for gperftools and pprof: write samples of this event"),
	OPT_CALL_ON(0, "labels", "LIST", PPROF_LABEL_WORDS, pprof_labels, profile,
	    "for pprof: comm, thread_comm, pid, tid, none (comm,pid)"),
	OPT_SIZE('S', "max-memory", profile.memory, PPROF_MEMORY_MIN, SIZE_MAX,
	    "for pprof: begin another file when SIZE is full (256M)"),
	OPT_NEEDS("pid,event", "format=gperftools,format=pprof"),
	OPT_CALL_ON(0, "symbols", "DIR...", OF_DIR, symbols_option, symbols,
	    "for pprof: names of functions, from what pinject --archive made; local: of here"),
	OPT_WORD(0, "demangle", DEMANGLE_WORDS, symbols.demangle, DEMANGLE_NONE,
	    "for pprof: names of C++: short (without parameters), full or none"),
	OPT_NEEDS("labels,max-memory,symbols", "format=pprof"),
	OPT_NEEDS("demangle", "symbols"),
	OPT_NOT_WITH("compress,compressed2,switch-output", "format=gperftools,format=pprof", ""),
	OPT_CALL_ON(0, "columns", "LIST", NULL, jsonl_columns, jsonl, "for jsonl: write these members"),
	OPT_CALL_ON(0, "types", "LIST", NULL, jsonl_types, jsonl, "for jsonl: write records of these types"),
	OPT_NEEDS("columns,types", "format=jsonl"),
	OPT_NOT_WITH("compress,compressed2,switch-output,write-index,endian", "format=jsonl", ""),
	OPT_BITS(0, "expand-counts", open_flags, PP_OPEN_EXPAND_COUNTS, "from a CPU profile: a sample for each count"),
	OPT_HEAD("Joining"),
	JOIN_OPTS(join, offsets),
	TOOL_OPT_ALLOW(JOIN_ALLOW),
	OPT_HEAD("Splitting"),
	OPT_CALL_ON(0, "switch-output", "SIZE|TIME|rounds:N", NULL, split_when, split,
	    "write several parts, each a complete recording"),
	OPT_NUMBER(0, "switch-max-files", "N", split.max_files, 1, 1000000, "keep only the last N parts"),
	OPT_TEXT(0, "output-template", "NAME", output_template, OF_FILE, "names of parts: %n number, %t time of the first record"),
	OPT_NEEDS("output-template,switch-max-files", "switch-output"),
	OPT_NOT_WITH("output-template", "output", ""),
	OPT_HEAD("Repair and conversion"),
	OPT_BITS(0, "repair", open_flags, PP_OPEN_REPAIR, "leave out damaged records and continue"),
	OPT_TEXT(0, "formats-from", "OTHER", formats_from, OF_FILE,
	    "with --repair: add formats of tracepoints from a recording or directory"),
	OPT_BITS(0, "follow", open_flags, PP_OPEN_FOLLOW, "read a file until the recorder has finished it"),
	OPT_CALL_ON(0, "compat", PP_PERF_WORDS, PP_PERF_WORDS, compat_option, compat, "remove or change what this perf cannot read"),
	OPT_WORD(0, "endian", ENDIAN_WORDS, endian, ENDIAN_NATIVE, "write in this byte order"),
	OPT_CALL_ON(0, "features", "LIST", NULL, features_option, features, "write only these header features"),
	OPT_CALL_ON(0, "no-features", "LIST", NULL, features_not_option, features, "do not write these header features"),
	OPT_NEEDS("formats-from", "repair"),
	OPT_NEEDS("copy-data", "format=file"),
	OPT_NOT_WITH("copy-data", "compress,compressed2,decompress,switch-output,repair,follow,compat,endian," JOIN_OPT_NAMES ",manifest",
	    ", which changes records"),
	OPT_NOT_WITH("follow", "repair", ""),
	OPT_NOT_WITH("follow,formats-from", JOIN_OPT_NAMES, ", which joins several inputs"),
	OPT_HEAD("Index, and parts of a recording for jobs that run in parallel"),
	OPT_FLAG(0, "index", index, "write FILE.ppi, by which FILE is read in part (or -o NAME), and no stream"),
	TOOL_OPT_FLAG(0, "write-index", index_out.asked, "write the index of the -o file, too"),
	OPT_FLAG(0, "chunks", chunks, "print a table of what the recording holds, chunk by chunk, and write no stream"),
	OPT_SIZE(0, "chunk-size", chunk_size, PP_CHUNK_MIN, PP_CHUNK_MAX, "the least size of a chunk (4M; 4K to 64M)"),
	OPT_SIZE(0, "snapshots", snapshots, PPI_EVERY_MIN, PPI_EVERY_MAX, "of an index: a snapshot for pieces each SIZE bytes (256M; 4K to 1G)"),
	TOOL_OPTS_MANIFEST("read the parts that FILE lists; with --switch-output: write it"),
	OPT_TEXT(0, "part", "NAME", part, NULL, "with --manifest: read only the part of this name"),
	OPT_FLAG(0, "make-manifest", makes_manifest, "print a manifest of the inputs, and write no stream"),
	OPT_FLAG(0, "pids", pids, "with --make-manifest: give each part pids of its own, without gaps"),
	OPT_ONLY_WITH("index", GO_WITH_TEXT ",chunk-size,snapshots,follow"),
	OPT_ONLY_WITH("chunks", GO_WITH_TEXT ",chunk-size,index-file,no-index"),
	OPT_ONLY_WITH("make-manifest", GO_WITH_TEXT ",pids"),
	OPT_NOT_WITH("write-index", "switch-output,format=gperftools,format=pprof", ""),
	OPT_NEEDS("chunk-size", "chunks,index,write-index"),
	OPT_NEEDS("snapshots", "index,write-index"),
	OPT_NEEDS("pids", "make-manifest"),
	OPT_NEEDS("part", "manifest"),
	OPT_NOT_WITH("part,allow-missing", "switch-output", ", which writes the manifest"),
	OPT_NOT_WITH("part", "allow-missing", ""),
	OPT_NOT_IN_PIECES("copy-data,switch-output,repair,follow,manifest,format=gperftools,format=pprof," JOIN_OPT_NAMES),
	OPT_HEAD("Input, output and messages"),
	TOOL_OPTS_IN, TOOL_OPTS_OUT, TOOL_OPTS_COMMON, TOOL_OPTS_END
};

static const char examples[] =
    "  $ pcat --format=file -z -o run.data run.pipe\n"
    "  $ pcat --merge-attrs --host-tag=comm web1.data web2.data >both.data\n"
    "  $ pcat --switch-output=1s -o part all.data\n";

static void
done_index(struct tool *t, const struct options *o)
{
	bool std_in = !t->nnames;

	for (int i = 0; i < t->nnames; i++)
		std_in |= !strcmp(t->names[i], "-");
	if (t->nnames > 1 && (t->out_name || o->open_flags & PP_OPEN_FOLLOW))
		tool_wrong(t, "--index: takes one input, with %s", t->out_name ? "--output" : "--follow");
	if (std_in)
		tool_wrong(t, "--index: cannot read standard input; name a file");
	if (t->out_name && !strcmp(t->out_name, "-"))
		tool_wrong(t, "--index: cannot write to standard output; name a file");
}

/* What depends on the inputs, and on more than two options. */
static void
done(struct tool *t, struct options *o)
{
	bool named = t->out_name && strcmp(t->out_name, "-"), one = t->nnames <= 1 && !t->manifest;

	if (o->index)
		done_index(t, o);
	if (o->chunks && !one)
		tool_wrong(t, "--chunks: takes one input");
	if (o->copy_data && !one)
		tool_wrong(t, "--copy-data: takes one input");
	if (o->makes_manifest && !t->nnames)
		tool_wrong(t, "--make-manifest: name the parts");
	if (t->index_out.asked && !named)
		tool_wrong(t, "--write-index: needs -o FILE");
	if (o->pack.frame == UINT64_MAX && o->pack.threads)
		tool_wrong(t, "--threads: cannot be combined with --frame-size=session, which makes one frame");
	if (o->pack.two && o->compat && !compat_compressed2(o->compat))
		tool_wrong(t, "--compressed2: the perf of --compat cannot read it");
	if (o->format == FORMAT_FILE && !named && !o->splits)
		tool_wrong(t, "--format=file: needs -o FILE");
	if ((o->open_flags & PP_OPEN_FOLLOW || o->formats_from) && !one)
		tool_wrong(t, "%s: takes one input", o->formats_from ? "--formats-from" : "--follow");
	if (t->nnames > 1)
		tool_piece_refuse(t, "several inputs");
}

void
options_parse(struct options *o, struct tool *t, int argc, char **argv)
{
	t->opts = opts;
	t->examples = examples;
	tool_options(t, o, argc, argv);
	if (o->open_flags & PP_OPEN_FOLLOW)	/* also with --index */
		t->confine.rights |= CONFINE_FOLLOW;
	if ((o->splits = tool_given(t, "switch-output"))) {
		o->manifest = t->manifest;	/* it is an output */
		t->manifest = NULL;
		o->split.template = o->template = split_template(t, o->output_template, t->out_name);
	}
	if (o->pack.two && !o->pack.level)
		o->pack.level = 1;
	done(t, o);
	join_opt_offsets(t, &o->join, &o->offsets);
	o->join.one_process = o->format == FORMAT_PROFILE && o->profile.pid < 0;
	o->join.open_flags = o->open_flags;
	o->joins = t->nnames > 1 || t->manifest || tool_given(t, JOIN_OPT_NAMES);
	if (o->format == FORMAT_FILE && !o->joins && !o->splits)
		o->open_flags |= PP_OPEN_FILE_FEATURES;
	if (o->copy_data) {		/* records that are compressed stay so, and readers need the feature */
		o->open_flags |= PP_OPEN_RAW;
		o->features.in[PP_FEAT_COMPRESSED] = true;
		o->features.out[PP_FEAT_COMPRESSED] = false;
	}
	if (!o->joins && (o->format != FORMAT_STREAM || o->index || o->chunks))
		o->open_flags |= PP_OPEN_ANY_TRACING;
	if (o->features.listed) {
		features_without(&o->features, o->without);
		o->pack.without = o->without;
	}
	o->profile.threads = o->pack.threads;
	o->profile.tasks = tool_given(t, "max-memory") ? o->profile.memory / 2 : 0;
	t->in_name = t->nnames ? t->names[0] : NULL;
	t->index_out.size = o->chunk_size;
	t->index_out.every = o->snapshots;
	t->as_file = o->format == FORMAT_FILE;
	t->text = o->chunks || o->makes_manifest || o->format == FORMAT_JSONL;
	t->no_output = o->splits || (o->index && !t->out_name);
}

void
options_free(struct options *o)
{
	free(o->offsets.ns);
	free(o->template);
	jsonl_what_free(&o->jsonl);
}
