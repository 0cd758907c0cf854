/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "options.h"

#define ARCHIVE_DEFAULT (UINT64_C(1) << 30)

/* [=SIZE], or symbols or hits, each with [,SIZE] */
static void
options_archive(struct tool *t, void *archive)
{
	static const struct { const char *word; enum store_grade grade; } words[] = {
		{ "symbols", STORE_SYMBOLS }, { "hits", STORE_HITS }
	};
	struct archive_opt *o = archive;
	const char *size = t->optarg;

	*o = (struct archive_opt){ .limit = ARCHIVE_DEFAULT, .grade = STORE_WHOLE };
	for (size_t i = 0; size && i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i].word);

		if (strncmp(size, words[i].word, n) || (size[n] && size[n] != ','))
			continue;
		o->grade = words[i].grade;
		size = size[n] ? size + n + 1 : NULL;
	}
	if (size && !(o->limit = tool_size(t, size)))
		tool_wrong(t, "--archive '%s': copies nothing", size);
}

static void
options_symfs(struct tool *t, void *lookup)
{
	struct lookup_opt *o = lookup;

	if (o->nsymfs == LOOKUP_SYMFS_MAX)
		tool_wrong(t, "%s: more than %d directories", t->optname, LOOKUP_SYMFS_MAX);
	tool_option_dir(t, &o->symfs[o->nsymfs++]);
}

#define OPTIONS struct options
static const struct tool_opt opts[] = {
	OPT_HEAD("Build-ids"),
	OPT_FLAG('B', "mmap2-buildids", mmap2_buildids, "put build-ids into the maps that have samples; drop the others"),
	OPT_FLAG(0, "mmap2-buildid-all", mmap2_buildid_all, "put build-ids into all maps"),
	OPT_FLAG('b', "build-ids", build_ids, "add a BUILD_ID for each name of a file with samples"),
	OPT_FLAG(0, "buildid-all", buildid_all, "add a BUILD_ID for each name of a mapped file"),
	/* a build-id is in a BUILD_ID record or in MMAP2 records, and of these one option makes the choice */
	OPT_NOT_WITH("build-ids,buildid-all,mmap2-buildids", "mmap2-buildid-all", ""),
	OPT_NOT_WITH("build-ids,buildid-all", "mmap2-buildids", ""),
	OPT_HEAD("Code made at run time"),
	OPT_FLAG('j', "jit", jit, "add the functions of jitdump files; needs --buildid-dir"),
	OPT_DIR(0, "jit-dump-dir", "DIR", lookup.jit_dump_dir, "look for jitdump files in DIR if they are not at their place"),
	OPT_DIR(0, "perf-map", "[=DIR]", lookup.perf_map_dir, "add names from perf-PID.map files; needs --buildid-dir"),
	OPT_HEAD("Call chains"),
	OPT_WORD_ARG(0, "unwind", "[=WHAT]", "keep-regs", chains.keep_regs, 1,
	    "replace copies of stacks by their call chains; =keep-regs: not the registers"),
	OPT_NUMBER(0, "unwind-max", "NUMBER", chains.max, 1, CHAINS_MOST, "unwind at most so many frames of a sample (127)"),
	OPT_DIR(0, "unwind-files", "DIR", lookup.unwind_files, "look for files in DIR, too, by their build-ids"),
	OPT_NEEDS("unwind-max,unwind-files", "unwind"),
	OPT_HEAD("Where files are looked for"),
	OPT_CALL_ON(0, "known-build-ids", "LIST", NULL, known_add, lookup.known,
	    "use these build-ids, \"ID PATH,...\", before those of files"),
	OPT_CALL_ON(0, "symfs", "DIR...", OF_DIR, options_symfs, lookup, "look for files below DIR first"),
	OPT_FLAG(0, "no-fs", lookup.no_fs, "look for no files"),
	TOOL_OPT_ALLOW("other-host,changed-files,foreign-maps"),
	OPT_HEAD("Files by build-id"),
	OPT_TEXT(0, "buildid-dir", "DIR", buildid_dir, OF_DIR, "where files for perf --buildid-dir DIR are written"),
	OPT_CALL_ON(0, "archive", "[=WHAT]", "symbols|hits", options_archive, archive,
	    "also copy sampled files, 1G in all; =symbols, =hits: their function names; =SIZE"),
	OPT_NEEDS("jit,perf-map,archive", "buildid-dir"),
	OPT_HEAD("Marks"),
	OPT_FLAG(0, "finished-init", finished_init, "add FINISHED_INIT after the synthesised records"),
	OPT_CALL_ON(0, "finished-round", "TIME|auto", "auto", round_option, finished_round,
	    "add FINISHED_ROUNDs, one each TIME; ,replace: instead of others"),
	OPT_FLAG(0, "id-index", id_index, "make ID_INDEX anew of the ATTRs"),
	OPT_HEAD("Header"),
	OPT_FLAG(0, "sample-time", sample_time, "set feature SAMPLE_TIME to the times of the first and last sample"),
	OPT_CALL_ON(0, "set-feature", "NAME=VALUE...", NULL, header_option_set, header,
	    "set a header feature to a text or number, or to @FILE"),
	OPT_CALL_ON(0, "no-features", "LIST", NULL, features_not_option, header.drop, "remove these header features"),
	OPT_TEXT(0, "features-from", "FILE", header.from_name, OF_FILE, "add what another recording says of the machine"),
	OPT_CALL_ON(0, "clock-data", "MONO_NS:WALL_NS|now", "now", header_option_clock, header,
	    "say which wall clock time it was at a time of the recording"),
	OPT_FLAG(0, "add-cmdline", header.add_cmdline, "put this command behind that of the recorder"),
	OPT_CALL_ON(0, "kallsyms", "FILE", OF_FILE, header_option_kallsyms, header,
	    "make the map of a kernel with these symbols, if there is none"),
	OPT_FLAG(0, "copy-data", copy_data, "with --format=file: copy a file's records unread, and unchecked: for its header"),
	OPT_NEEDS("copy-data", "format=file"),
	OPT_ONLY_WITH("copy-data", "format,set-feature,no-features,features-from,clock-data,add-cmdline,input,output,force,quiet,verbose,"
	    "no-sandbox"),
	OPT_HEAD("Input and output"),
	TOOL_OPTS_IN, TOOL_OPTS_OUT, TOOL_OPT_FORMAT,
	OPT_HEAD("Messages and help"),
	OPT_FLAG(0, "strict", strict, "exit with status 1 if something could not be added"),
	/* their files are made of all that they see; -B changes the maps that have samples, which are others in each piece */
	OPT_NOT_IN_PIECES("copy-data,mmap2-buildids,jit,perf-map,archive"),
	TOOL_OPT_JOBS("format=file,unwind,finished-init,finished-round,id-index,sample-time,buildid-dir", ""),
	TOOL_OPTS_COMMON, TOOL_OPTS_END
};

static const char examples[] =
    "  $ perf record -q -g -o - -- sleep 2 | pinject -B >out.data\n"
    "  $ pinject -B all.data | perf buildid-list -i -\n";

void
options_parse(struct options *o, struct tool *t, int argc, char **argv)
{
	t->opts = opts;
	t->examples = examples;
	header_command(t, &o->header, argc, argv);
	tool_options(t, o, argc, argv);
	o->header.drop.out[PP_FEAT_COMPRESSED] &= !o->copy_data;	/* records that are compressed stay so */
	o->perf_map = tool_given(t, "perf-map");
	o->chains.on = tool_given(t, "unwind");
	o->chains.keep_regs = tool_given(t, "unwind=keep-regs");
	o->chains.max = o->chains.max ? o->chains.max : CHAINS_MAX;
	o->lookup.jitted = o->jit ? o->buildid_dir : NULL;
	o->archive.strict = o->strict;
	o->lookup.foreign_maps = tool_allows(t, "foreign-maps");
	if ((o->finished_round.find || o->sample_time) && !tool_twice(t))
		tool_wrong(t, "%s reads the input twice, so it must be a file: %s", o->sample_time ? "--sample-time" :
		    "--finished-round=auto", o->sample_time ? "run pinject again on what it wrote" : "give a time, such as 1s, or save it");
}
