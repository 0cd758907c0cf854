/* SPDX-License-Identifier: ISC */
#include <sys/stat.h>

#include <errno.h>
#include <string.h>

#include "options.h"

enum {
	OPT_BUILDID_ALL = TOOL_LONG, OPT_MMAP2_BUILDID_ALL,
	OPT_BUILDID_DIR, OPT_ARCHIVE, OPT_PERF_MAP, OPT_JIT_DUMP_DIR, OPT_STRICT,
	OPT_FINISHED_INIT, OPT_FINISHED_ROUND, OPT_ID_INDEX, OPT_SAMPLE_TIME,
	OPT_KNOWN_BUILD_IDS, OPT_SYMFS, OPT_NO_FS,
	OPT_SET_FEATURE, OPT_NO_FEATURES, OPT_FEATURES_FROM, OPT_CLOCK_DATA, OPT_ADD_CMDLINE, OPT_KALLSYMS,
};

#define ARCHIVE_DEFAULT (UINT64_C(1) << 30)

static const struct tool_opt options[] = {
	TOOL_HEAD("Build-ids"),
	{ 'B', "mmap2-buildids", NULL, "put build-ids into the maps that have samples; drop the others" },
	{ OPT_MMAP2_BUILDID_ALL, "mmap2-buildid-all", NULL, "put build-ids into all maps" },
	{ 'b', "build-ids", NULL, "add a BUILD_ID for each name of a file with samples" },
	{ OPT_BUILDID_ALL, "buildid-all", NULL, "add a BUILD_ID for each name of a mapped file" },
	TOOL_HEAD("Code made at run time"),
	{ 'j', "jit", NULL, "add the functions of jitdump files; needs --buildid-dir" },
	{ OPT_JIT_DUMP_DIR, "jit-dump-dir", "DIR", "look for jitdump files in DIR if they are not at their place" },
	{ OPT_PERF_MAP, "perf-map", "[=DIR]", "add names from perf-PID.map files; needs --buildid-dir" },
	TOOL_HEAD("Where files are looked for"),
	{ OPT_KNOWN_BUILD_IDS, "known-build-ids", "LIST", "use these build-ids, \"ID PATH,...\", before those of files" },
	{ OPT_SYMFS, "symfs", "DIR...", "look for files below DIR first" },
	{ OPT_NO_FS, "no-fs", NULL, "look for no files" },
	TOOL_OPT_ALLOW("other-host,changed-files,foreign-maps"),
	TOOL_HEAD("Files by build-id"),
	{ OPT_BUILDID_DIR, "buildid-dir", "DIR", "where files for perf --buildid-dir DIR are written" },
	{ OPT_ARCHIVE, "archive", "[=SIZE]", "also copy sampled files, up to SIZE in all (1G); needs --buildid-dir" },
	TOOL_HEAD("Marks"),
	{ OPT_FINISHED_INIT, "finished-init", NULL, "add FINISHED_INIT after the synthesised records" },
	{ OPT_FINISHED_ROUND, "finished-round", "TIME|auto", "add FINISHED_ROUNDs, one each TIME; ,replace: instead of others" },
	{ OPT_ID_INDEX, "id-index", NULL, "make ID_INDEX anew of the ATTRs" },
	TOOL_HEAD("Header"),
	{ OPT_SAMPLE_TIME, "sample-time", NULL, "set feature SAMPLE_TIME to the times of the first and last sample" },
	{ OPT_SET_FEATURE, "set-feature", "NAME=VALUE...", "set a header feature to a text or number, or to @FILE" },
	{ OPT_NO_FEATURES, "no-features", "LIST", "remove these header features" },
	{ OPT_FEATURES_FROM, "features-from", "FILE", "add what another recording says of the machine" },
	{ OPT_CLOCK_DATA, "clock-data", "MONO_NS:WALL_NS|now", "say which wall clock time it was at a time of the recording" },
	{ OPT_ADD_CMDLINE, "add-cmdline", NULL, "put this command behind that of the recorder" },
	{ OPT_KALLSYMS, "kallsyms", "FILE", "make the map of a kernel with these symbols, if there is none" },
	TOOL_HEAD("Input and output"),
	TOOL_OPTS_IN, TOOL_OPTS_OUT, TOOL_OPT_FORMAT,
	TOOL_HEAD("Messages and help"),
	{ OPT_STRICT, "strict", NULL, "exit with status 1 if something could not be added" },
	TOOL_OPTS_COMMON, TOOL_OPTS_END
};

static const char examples[] =
    "  $ perf record -q -g -o - -- sleep 2 | pinject -B >out.data\n"
    "  $ pinject -B all.data | perf buildid-list -i -\n";

/* These options write files. */
static void
options_need_dir(const struct options *o, const struct tool *t)
{
	const char *name = o->jit ? "--jit" : o->perf_map ? "--perf-map" : o->archive ? "--archive" : NULL;

	if (name && !o->buildid_dir)
		tool_wrong(t, "%s writes files: it needs --buildid-dir DIR", name);
}

/* A build-id is in a BUILD_ID record or in MMAP2 records, and of these one option makes the choice. */
static void
options_one_place(const struct options *o, const struct tool *t)
{
	const char *one = o->buildid_all ? "--buildid-all" : o->build_ids ? "--build-ids" : "--mmap2-buildids";

	if (o->mmap2_buildids + o->mmap2_buildid_all + (o->build_ids || o->buildid_all) > 1)
		tool_wrong(t, "%s and %s: cannot be combined", one, o->mmap2_buildid_all ? "--mmap2-buildid-all" : "--mmap2-buildids");
}

/* The argument, which names a directory. */
static const char *
options_dir(const struct tool *t)
{
	struct stat st;

	if (stat(t->optarg, &st) < 0)
		tool_wrong(t, "%s '%s': %s", t->optname, t->optarg, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		tool_wrong(t, "%s '%s': is not a directory", t->optname, t->optarg);
	return t->optarg;
}

static void
options_symfs(struct lookup_opt *o, const struct tool *t)
{
	if (o->nsymfs == LOOKUP_SYMFS_MAX)
		tool_wrong(t, "%s: more than %d directories", t->optname, LOOKUP_SYMFS_MAX);
	o->symfs[o->nsymfs++] = options_dir(t);
}

void
options_parse(struct options *o, struct tool *t, int argc, char **argv)
{
	/* Their files are made of all that they see; -B changes the maps that have samples, which are others in each piece. */
	static const int not_with_piece[] = { 'B', 'j', OPT_PERF_MAP, OPT_ARCHIVE };
	int key;

	t->opts = options;
	t->allow = "other-host,changed-files,foreign-maps";
	t->examples = examples;
	header_command(t, &o->header, argc, argv);
	while ((key = tool_getopt(t, argc, argv)))
		switch (key) {
		case 'b': o->build_ids = true; break;
		case OPT_BUILDID_ALL: o->buildid_all = true; break;
		case 'B': o->mmap2_buildids = true; break;
		case OPT_MMAP2_BUILDID_ALL: o->mmap2_buildid_all = true; break;
		case OPT_PERF_MAP: o->perf_map = true; o->lookup.perf_map_dir = t->optarg ? options_dir(t) : NULL; break;
		case OPT_ARCHIVE:
			o->archive = t->optarg ? tool_size(t, t->optarg) : ARCHIVE_DEFAULT;
			if (!o->archive)
				tool_wrong(t, "--archive '%s': copies nothing", t->optarg);
			break;
		case OPT_KNOWN_BUILD_IDS: known_add(&o->lookup.known, t, t->optarg); break;
		case OPT_SYMFS: options_symfs(&o->lookup, t); break;
		case OPT_NO_FS: o->lookup.no_fs = true; break;
		case OPT_BUILDID_DIR: o->buildid_dir = t->optarg; break;
		case 'j': o->jit = true; break;
		case OPT_JIT_DUMP_DIR: o->lookup.jit_dump_dir = options_dir(t); break;
		case OPT_STRICT: o->strict = true; break;
		case OPT_FINISHED_INIT: o->finished_init = true; break;
		case OPT_SET_FEATURE: header_option_set(t, &o->header, t->optarg); break;
		case OPT_NO_FEATURES:
			features_option(t, &o->header.drop, t->optarg, true);
			o->header.drops = true;
			break;
		case OPT_FINISHED_ROUND: round_option(t, &o->finished_round, t->optarg); break;
		case OPT_ID_INDEX: o->id_index = true; break;
		case OPT_SAMPLE_TIME: o->sample_time = true; break;
		case OPT_FEATURES_FROM: o->header.from_name = t->optarg; break;
		case OPT_CLOCK_DATA: header_option_clock(t, &o->header, t->optarg); break;
		case OPT_ADD_CMDLINE: o->header.add_cmdline = true; break;
		case OPT_KALLSYMS: header_option_kallsyms(t, &o->header, t->optarg); break;
		}
	o->lookup.foreign_maps = tool_allows(t, "foreign-maps");
	tool_piece_refuses(t, not_with_piece, sizeof not_with_piece / sizeof *not_with_piece);
	options_one_place(o, t);
	options_need_dir(o, t);
	if ((o->finished_round.find || o->sample_time) && !tool_twice(t))
		tool_wrong(t, "%s reads the input twice, so it must be a file: %s", o->sample_time ? "--sample-time" :
		    "--finished-round=auto", o->sample_time ? "run pinject again on what it wrote" : "give a time, such as 1s, or save it");
}
