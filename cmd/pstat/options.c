/* SPDX-License-Identifier: ISC */
/* options.c - pstat's command line: what there is, and what goes with what */
#include <string.h>

#include "options.h"
#include "picture/draw.h"
#include "record/meaning.h"
#include "report/forms.h"
#include "report/output.h"
#include "sort/sort.h"
#include "stacks/stacks.h"
#include "tool/option.h"

static void
take_term(struct tool *t, void *asked)
{
	struct asked *a = asked;

	a->term = true;
	if (t->optarg)
		a->ascii = tool_word(t, t->optarg, "ascii") == 0;
}

#define KEY(name, ...) name " "
static const char key_words[] =
#include "sort/keys.def"
    ;
#undef KEY

#define PICTURE(NAME, name, word) word "|"
static const char picture_words[] =
#include "picture/kinds.def"
    ;
#define PICTURE(NAME, name, word) word ", "
static const char picture_help[] =
#include "picture/kinds.def"
    "as SVG or text";

#define FORMS_OF_TABLES "json,csv,format=json,format=csv,format=tsv,format=openmetrics"
#define VIEWS "events,header,tasks,mmaps,build-ids"

PP_PERF_TEXTS(7_2, "the help of --for");
#define OPTIONS struct asked
static const struct tool_opt opts[] = {
	OPT_HEAD("What is reported"),
	OPT_TEXT('s', "sort", "KEYS", keys, key_words, "comm pid tid cpu[mode] event dso symbol syscall cgroup container pod type raw.X"),
	OPT_TEXT(0, "hist", "FIELD", hist, NULL, "percentiles of period, weight, interval, stack, chain, raw, size, round ..."),
	OPT_TEXT(0, "columns", "LIST", columns, SORT_FIGURE_WORDS, "of --sort: show these of the periods: count sum mean p50 ... max"),
	OPT_NUMBER(0, "top", "N", top, 0, UINT32_MAX, "of --sort show N rows (20 on the screen, else all), 0: all"),
	OPT_TEXT(0, "time-quantum", "DURATION", quantum, NULL, "the bins of --sort time and --picture: 1ms to 60m"),
	OPT_BITS(0, "events", views, 1u << VIEW_EVENTS | 1u << VIEW_PAYLOADS, "print the attributes of events, as perf evlist -v"),
	OPT_BITS(0, "header", views, 1u << VIEW_HEADER, "print the header features, as perf report --header-only"),
	OPT_BITS(0, "tasks", views, 1u << VIEW_TASKS, "print the tree of threads, as perf report --tasks"),
	OPT_BITS(0, "mmaps", views, 1u << VIEW_MMAPS, "print the maps of each thread, as perf report --mmaps"),
	OPT_BITS(0, "build-ids", views, 1u << VIEW_BUILD_IDS, "print the build-ids, as perf buildid-list"),
	OPT_TEXT(0, "check", "[=LIST]", check_list, NULL, "print what readers stumble over; exit 1 if that is an error"),
	OPT_FLAG(0, "strict", strict, "with --check: exit 1 for a warning, too"),
	OPT_TEXT(0, "for", "VERSION", check_for, PP_PERF_WORDS,
	    "with --check: what perf 6.1, 6.12 or current misreads is an error"),
	OPT_FLAG(0, "privacy", privacy, "print what the recording gives away; with -v names, too"),
	OPT_NEEDS("top", "sort,hist,diff"),
	OPT_NEEDS("columns", "sort"),
	OPT_NEEDS("time-quantum", "sort,hist,picture,report"),
	OPT_NEEDS("strict,for", "check"),
	OPT_HEAD("Functions"),
	OPT_CALL_ON(0, "symbols", "DIR...", OF_DIR, symbols_option, symbols,
	    "names of functions, from what pinject --archive made; local: of here"),
	OPT_FLAG(0, "children", children, "of --sort symbol: samples with the function anywhere in the call chain"),
	OPT_FLAG(0, "folded", folded, "print each different stack as a line: comm;outer;...;inner COUNT"),
	OPT_WORD(0, "demangle", DEMANGLE_WORDS, symbols.demangle, DEMANGLE_NONE,
	    "names of C++: short (without parameters), full or none"),
	OPT_NEEDS("folded,children,demangle", "symbols"),
	OPT_NEEDS("symbols", "sort,folded,picture,privacy,report"),
	OPT_NEEDS("children", "sort"),
	OPT_NOT_WITH("symbols", "merge", "; reports that have names are merged without it"),
	OPT_NOT_WITH("children", "picture,hist,columns", "; its rows are no shares of the samples"),
	OPT_ONLY_WITH("folded", "symbols,demangle,event,weight,input,output,manifest,allow-missing,force,max-expand,piece,index-file,no-index,"
	    "verify-index,quiet,verbose,no-sandbox"),
	OPT_HEAD("Pictures"),
	OPT_TEXT(0, "picture", "LIST", picture, picture_words, picture_help),
	OPT_TEXT('e', "event", "LIST", events, OF_EVENTS, "of pictures and --folded: only samples of these events"),
	OPT_TEXT(0, "cpumode", "MODE", cpumode, "kernel|user|hypervisor|guest_kernel|guest_user|unknown",
	    "of pictures: only samples in kernel, user ..."),
	OPT_WORD(0, "flame-by", "comm|pid|tid|event|none", flame_by, STACKS_COMM, "of flame: what stands below the functions"),
	OPT_WORD(0, "weight", "samples|period", periods, false, "of flame and --folded: how wide a box is"),
	OPT_FLAG(0, "icicle", icicle, "of flame: the outermost functions at the top"),
	OPT_NUMBER(0, "max-nodes", "N", max_nodes, 16, TREE_NODES, "of flame: at most N boxes; rare ones are then in (other)"),
	OPT_CALL(0, "term", "[=ascii]", "ascii", take_term, "pictures as text"),
	OPT_WORD(0, "theme", "light|dark", theme, THEME_LIGHT, "colours of pictures (default: as the reader's system)"),
	OPT_WORD(0, "scale", "linear|log|rank", scale, SCALE_LINEAR,
	    "how colours follow from counts (linear, or rank if all are alike)"),
	OPT_TEXT(0, "report", "FILE.html", page, OF_FILE,
	    "write pictures, tables, and what --check and --privacy find as one page"),
	OPT_NEEDS("event", "picture,report,folded"),
	OPT_NEEDS("cpumode,term,theme,scale", "picture,report"),
	OPT_NEEDS("flame-by,icicle,max-nodes", "picture"),
	OPT_NEEDS("weight", "picture,folded"),
	OPT_NOT_WITH("term,theme,scale,icicle", FORMS_OF_TABLES, ", which draws nothing"),
	/* a page has all that there is, of the whole recording; only how it is drawn can be chosen, and names; for --diff see check_diff() */
	OPT_ONLY_WITH("report", "diff,sort,event,cpumode,symbols,demangle,time-quantum,theme,scale,input,manifest,allow-missing,force,max-expand,"
	    "piece,index-file,no-index,verify-index,quiet,verbose,no-sandbox"),
	OPT_HEAD("While the input is read"),
	OPT_DURATION(0, "interval", "DURATION", every, 1000000, "print a line of each interval of the recording's time"),
	OPT_FLAG(0, "live", live, "show the last minute on the terminal"),
	OPT_FLAG(0, "tee", tee, "write the input to standard output, the report to standard error"),
	OPT_NOT_WITH("interval", "format=openmetrics", "; its lines are for the screen, JSON or CSV"),
	OPT_HEAD("Several reports"),
	OPT_FLAG(0, "merge", merge, "add up reports of pstat --json: FILE..., or - with one after the other"),
	OPT_FLAG(0, "diff", diff, "compare two recordings or reports by comm, --sort, --picture flame or --report"),
	OPT_NOT_WITH("merge", "sort,hist,columns,time-quantum,top,check,privacy,picture," VIEWS,
	    "; that was chosen when the reports were made"),
	OPT_NOT_WITH("merge", "max-expand,index-file,no-index,verify-index", "; it reads reports, not recordings"),
	OPT_NOT_WITH("diff", "merge,hist,columns,time-quantum,check,privacy,scale," VIEWS, ""),
	OPT_NOT_WITH("diff", "index-file", "; that is the index of one recording"),
	OPT_NOT_WITH("interval,live,tee", "merge,diff", "; it needs a single recording"),
	OPT_NOT_WITH("manifest", "merge,diff", "; it lists recordings"),
	OPT_HEAD("Form of the report"),
	OPT_CALL_ON(0, "format", "FORM", OUTPUT_FORMS, output_form, form, "screen (default), json, csv, tsv or openmetrics"),
	OPT_CALL_AS(0, "json", NULL, NULL, output_form, form, OUTPUT_JSON, "--format=json: all tables as one object"),
	OPT_CALL_AS(0, "csv", NULL, NULL, output_form, form, OUTPUT_CSV, "--format=csv: the table named by --table"),
	OPT_TEXT(0, "table", "NAME", table, NULL, "the table that csv and tsv have: a member of the JSON"),
	OPT_NEEDS("table", "csv,format=csv,format=tsv"),
	/* what is not a sum over samples, or has no --merge */
	OPT_NOT_IN_PIECES("columns,check,privacy,picture,report,interval,live,tee,merge,diff,top,manifest,folded,children," VIEWS),
	TOOL_OPT_JOBS("symbols", ""),
	OPT_HEAD("Input"),
	TOOL_OPTS_IN, TOOL_OPTS_MANIFEST("read the parts that FILE lists, as one recording"),
	OPT_HEAD("Output"),
	TOOL_OPTS_OUT,
	OPT_HEAD("Messages, and the process"),
	TOOL_OPTS_COMMON, TOOL_OPTS_END
};

static const char examples[] =
    "  $ pstat all.data\n"
    "  $ perf record -a -o - -- sleep 2 | pstat\n"
    "  $ perf record -a -o - -- sleep 2 | pstat --tee --interval 1s | pfilter --pid 42 >selected.data\n"
    "  $ pstat --json -o counts.json all.data\n"
    "  $ pstat --csv --table pids all.data >pids.csv\n"
    "  $ pstat --report all.html all.data\n";

/* What depends on the words of lists. */
static void
check_symbols(const struct tool *t, const struct asked *a)
{
	static const char *const of_flame[] = { "flame-by", "icicle", "max-nodes", "weight" };
	bool flame = a->picture && sort_has_key(a->picture, "flame");
	bool symbol = a->keys && sort_has_key(a->keys, "symbol");

	if (symbol && !a->symbols.n && !a->diff)
		tool_wrong(t, "--sort symbol: needs --symbols DIR");
	if (!symbol && !flame && a->symbols.n && !a->folded && !a->privacy && !a->page)
		tool_wrong(t, "--symbols: needs --sort symbol, --folded, --picture flame, --report or --privacy");
	for (size_t i = 0; !flame && i < sizeof of_flame / sizeof *of_flame; i++)
		if (tool_given(t, of_flame[i]) && !(a->folded && !strcmp(of_flame[i], "weight")))
			tool_wrong(t, "--%s: needs --picture flame", of_flame[i]);
}

/* Of pictures, --diff has flame, by itself.  Only of its page can be chosen what is counted. */
static void
check_diff(const struct tool *t, const struct asked *a)
{
	static const char *const of_page[] = { "sort", "event", "cpumode" };

	for (size_t i = 0; a->page && !a->diff && i < sizeof of_page / sizeof *of_page; i++)
		if (tool_given(t, of_page[i]))
			tool_wrong(t, "--%s: with --report, needs --diff", of_page[i]);
	if (!a->diff || !a->picture)
		return;
	if (strcmp(a->picture, "flame") != 0)
		tool_wrong(t, "--diff: of --picture, only flame can be compared");
	if (a->keys || a->top >= 0)
		tool_wrong(t, "--diff: --picture flame has no rows of --sort");
	if (a->periods)
		tool_wrong(t, "--diff: cannot be combined with --weight=period; what is noise is known only for samples");
}

void
read_options(struct tool *t, struct asked *a, int argc, char **argv)
{
	bool raw;

	t->opts = opts;
	t->examples = examples;
	a->symbols.demangle = DEMANGLE_SHORT;
	tool_options(t, a, argc, argv);
	check_symbols(t, a);
	check_diff(t, a);
	raw = a->keys && strstr(a->keys, "raw.");
	if (a->hist && sort_hist_is_between(a->hist))
		tool_piece_refuse(t, "--hist %.*s", (int)strcspn(a->hist, ":"), a->hist);
	if (raw)
		tool_piece_refuse(t, "--sort raw.FIELD");
	if (a->page)
		t->out_name = a->page;
	a->check = a->page || tool_given(t, "check");
	a->privacy |= a->page != NULL;
	if (!a->form)
		a->form = screen;
	if (a->every && !a->live && a->picture)
		tool_wrong(t, "--interval: cannot be combined with --picture, except with --live");
	if (a->diff && raw)
		tool_wrong(t, "--diff: cannot compare by fields of payloads");
	if (!a->merge && !a->diff && !t->manifest && t->nnames > 1)
		tool_wrong(t, "one input only: '%s' and '%s'", t->names[0], t->names[1]);
}
