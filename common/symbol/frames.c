/* SPDX-License-Identifier: ISC */
/* frames.c - see frames.h */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field/field.h"
#include "set.h"
#include "symbol/frames.h"
#include "symbol/ids.h"

static const char kernel_name[] = "[kernel.kallsyms]";

struct entry {			/* a frame, by its text */
	struct link	 link;
	uint32_t	 number;
	char		 text[];
};
struct shown {			/* a name as it stands in a file, and its frame */
	struct link	 link;
	uint32_t	 number;
	uint8_t		 kind;
	size_t		 len;
	char		 text[];
};

struct known_file {		/* the first file that has the BUILD_ID of its name */
	struct link	 link;
	const struct known_id *known;
	uint32_t	 maj, min;
	uint64_t	 ino;
	bool		 several;	/* another one has that name */
};

struct coverage { uint64_t in[2], named[2], all, mapless; };	/* frames: innermost ones of user and kernel, ...; all */
enum { MANY_NAMES = 128 << 10, MANY_BYTES = 16 << 20, KEPT_NAMELESS = 1024 };

/* What is known by numbers of a pp_state: each state gives its own. */
struct view {
	const struct pp_state *state;
	uint32_t	*file;		/* of symbols_file(), by index of a pp_dso; SYMBOLS_NONE: not known yet */
	size_t		 nfiles;
	/* what addresses are called that have no name, by index of a pp_dso; of those of the kernel, too; 0: not known yet */
	uint32_t	*nameless[2];
	size_t		 nnameless[2];
	/* the map of the kernel itself, found in the maps of that version */
	uint64_t	 version;
	struct pp_map	 kernel;	/* len 0: none */
};
enum { VIEWS = 4 };			/* states of parts that count functions in one run; more work, but each anew */

struct frames {
	struct symbols	*symbols;
	const struct ids *ids;
	struct ids	 own;
	struct table	 by_name;	/* struct shown */
	struct table	 by_text;	/* struct entry */
	struct table	 known;		/* struct known_file */
	uint64_t	 several;	/* of them */
	const struct known_id *first_several;
	struct frame	*frame;		/* by number - 1; side by side, as each frame of a sample is counted there */
	uint32_t	 n;
	bool		 named;		/* one is the name of a function */
	struct view	 view[VIEWS], *v;	/* that of the state in use */
	unsigned	 nviews;
	bool		 late;		/* the last number is preliminary */
	uint64_t	 lates;		/* so many were */
	size_t		 bytes;		/* of all texts */
	struct coverage	 past;		/* of what was forgotten */
};

struct frames *
frames_new(struct symbols *symbols, const struct ids *ids)
{
	struct frames *f = tool_alloc(1, sizeof *f);

	f->symbols = symbols;
	f->ids = ids ? ids : &f->own;
	pp_table_init(&f->own.table);
	pp_table_init(&f->by_name);
	pp_table_init(&f->by_text);
	pp_table_init(&f->known);
	return f;
}

static void
view_end(struct view *v)
{
	free(v->file);
	free(v->nameless[0]);
	free(v->nameless[1]);
}

static void
frames_view(struct frames *f, const struct pp_state *state)
{
	for (f->v = f->view; f->v < f->view + VIEWS; f->v++)
		if (f->v->state == state)
			return;
	f->v = &f->view[f->nviews++ % VIEWS];
	view_end(f->v);
	*f->v = (struct view){ .state = state };
}

void
frames_free(struct frames *f)
{
	if (!f)
		return;
	pp_table_free(&f->by_name, true);
	pp_table_free(&f->by_text, true);
	pp_table_free(&f->known, true);
	ids_free(&f->own);
	free(f->frame);
	for (int i = 0; i < VIEWS; i++)
		view_end(&f->view[i]);
	free(f);
}

int
frames_learn(struct frames *f, const struct pp_rec *r, bool swap)
{
	if (f->symbols && r->type == PP_HEADER_FEATURE)
		symbols_machine(f->symbols, r, swap);
	return r->type == PP_HEADER_BUILD_ID && f->ids == &f->own ? ids_learn(&f->own, r) : 1;
}

struct frame *
frames_get(const struct frames *f, uint32_t number)
{
	return &f->frame[number - 1];
}

uint32_t
frames_n(const struct frames *f)
{
	return f->n;
}

bool
frames_named(const struct frames *f)
{
	return f->named;
}

/* ---- texts --------------------------------------------------------------------------------------- */

static struct frame *
frame_of(struct frames *f, const char *text, size_t len, enum frame_kind kind, bool kernel)
{
	uint64_t key = pp_table_hash(&f->by_text, kind * 2u + kernel, (const uint8_t *)text, len);
	struct entry *e;
	struct frame *x;

	for (struct link *l = pp_table_first(&f->by_text, key); l; l = pp_table_next(l)) {
		x = frames_get(f, ((struct entry *)l)->number);
		if (x->len == len && x->kind == kind && x->kernel == kernel && !memcmp(x->text, text, len))
			return x;
	}
	f->frame = tool_need(array_more(f->frame, f->n, 1, sizeof *f->frame));
	f->bytes += len;
	e = tool_alloc(1, sizeof *e + len + 1);
	memcpy(e->text, text, len);
	e->number = f->n + 1;
	if (pp_table_add(&f->by_text, &e->link, key) < 0)
		tool_no_memory();
	x = &f->frame[f->n++];
	*x = (struct frame){ .number = e->number, .kind = (uint8_t)kind, .kernel = kernel, .len = len, .text = e->text };
	return x;
}

uint32_t
frames_other(struct frames *f, const char *text, size_t len)
{
	return frame_of(f, text, len, FRAME_OTHER, false)->number;
}

/* A function, by its name in the file: each is demangled once.  0: the demangled one is late. */
static uint32_t
frame_named(struct frames *f, const char *name, size_t len, enum frame_kind kind)
{
	uint64_t key = pp_table_hash(&f->by_name, kind, (const uint8_t *)name, len);
	const char *text;
	struct shown *x;

	for (struct link *l = pp_table_first(&f->by_name, key); l; l = pp_table_next(l)) {
		x = (struct shown *)l;
		if (x->len == len && x->kind == kind && !memcmp(x->text, name, len))
			return x->number;
	}
	x = tool_alloc(1, sizeof *x + len + 1);
	x->kind = (uint8_t)kind;
	x->len = len;
	memcpy(x->text, name, len);
	if (!(text = kind == FRAME_KERNEL ? x->text : symbols_shown(f->symbols, x->text))) {
		free(x);
		return 0;
	}
	f->bytes += len;
	x->number = frame_of(f, text, strlen(text), kind, false)->number;
	f->named = true;
	if (pp_table_add(&f->by_name, &x->link, key) < 0)
		tool_no_memory();
	return x->number;
}

static uint32_t
frame_mapless(struct frames *f, bool kernel)
{
	static const char text[] = "[no map]";

	return frame_of(f, text, sizeof text - 1, FRAME_MAPLESS, kernel)->number;
}

/* "libfoo.so", "[vdso]" */
static const char *
file_name(const struct pp_dso *d)
{
	const char *name = field_dso_name(d), *slash = strrchr(name, '/');

	return slash && slash[1] ? slash + 1 : name;
}

/* "[libfoo.so]" */
static struct frame *
frame_of_file(struct frames *f, const struct pp_dso *d, bool kernel)
{
	const char *name = file_name(d);
	char text[300];

	if (d->jit)
		snprintf(text, sizeof text, "[perf-%" PRIu32 ".map]", d->jit);
	else
		snprintf(text, sizeof text, *name == '[' ? "%s" : "[%.256s]", name);
	return frame_of(f, text, strlen(text), FRAME_NAMELESS, kernel);
}

static uint32_t
frame_nameless(struct frames *f, const struct pp_dso *d, bool kernel, bool idless)
{
	uint32_t *number;

	f->v->nameless[kernel] = tool_need(array_reach(f->v->nameless[kernel], &f->v->nnameless[kernel], d->index, sizeof *number));
	number = &f->v->nameless[kernel][d->index];
	if (!*number)
		*number = frame_of_file(f, d, kernel)->number;
	frames_get(f, *number)->idless |= idless;
	return *number;
}

/* ---- files --------------------------------------------------------------------------------------- */

/* A BUILD_ID goes by name, but is of one file: is this another one? */
static void
learn_known(struct frames *f, const struct known_id *known, const struct pp_dso *d)
{
	uint64_t key = pp_table_hash(&f->known, 0, (const uint8_t *)&known, sizeof known);
	struct known_file *x;

	if (!d->ino)
		return;
	for (struct link *l = pp_table_first(&f->known, key); l; l = pp_table_next(l)) {
		x = (struct known_file *)l;
		if (x->known != known)
			continue;
		if (!x->several && (x->ino != d->ino || x->maj != d->maj || x->min != d->min)) {
			x->several = true;
			if (!f->several++)
				f->first_several = known;
		}
		return;
	}
	x = tool_alloc(1, sizeof *x);
	*x = (struct known_file){ .known = known, .maj = d->maj, .min = d->min, .ino = d->ino };
	if (pp_table_add(&f->known, &x->link, key) < 0)
		tool_no_memory();
}

/* By the build-id of the map's own record, or else that of BUILD_ID records. */
static uint32_t
file_of(struct frames *f, const struct pp_dso *d, bool kernel)
{
	const struct known_id *known;

	if (!f->symbols)
		return SYMBOLS_NONE;
	f->v->file = tool_need(array_reach(f->v->file, &f->v->nfiles, d->index, sizeof *f->v->file));
	if (f->v->file[d->index] == SYMBOLS_NONE && !d->jit) {
		if (d->id_len)
			f->v->file[d->index] = symbols_file(f->symbols, d->id, d->id_len, d->name, kernel);
		else if ((known = ids_find(f->ids, field_dso_name(d)))) {
			f->v->file[d->index] = symbols_file(f->symbols, known->id, known->len, d->name, kernel);
			learn_known(f, known, d);
		}
	}
	return f->v->file[d->index];
}

static bool
is_kernel(const struct pp_dso *d)
{
	return !strncmp(d->name, kernel_name, sizeof kernel_name - 1);
}

struct looking { const struct pp_state *state; struct pp_map found; };

static int
kernel_map(void *arg, const struct pp_map *m)
{
	struct looking *x = arg;

	if (!is_kernel(pp_state_dso(x->state, m)))
		return 1;
	x->found = *m;
	return -1;
}

/* The map of the kernel itself.  NULL: none. */
static const struct pp_map *
the_kernel(struct frames *f, const struct pp_state *state)
{
	const struct pp_maps *maps = pp_state_maps(state, 0, PP_MISC_KERNEL);
	struct looking x = { .state = state };

	if (!maps)
		return NULL;
	if (f->v->version != pp_maps_version(maps)) {
		pp_maps_each(state, maps, kernel_map, &x);
		f->v->kernel = x.found;
		f->v->version = pp_maps_version(maps);
	}
	return f->v->kernel.len ? &f->v->kernel : NULL;
}

/* Is "[xfs]" the module of that map: "[xfs]", "/lib/modules/.../xfs.ko.xz"?  In a name `-' is as good as `_'. */
static bool
is_module(const char *module, const struct pp_dso *d)
{
	const char *slash = strrchr(d->name, '/'), *p = slash ? slash + 1 : d->name;

	p += *p == '[';
	for (module++; *module && *module != ']'; module++, p++)
		if (*p != *module && !(*p == '-' && *module == '_') && !(*p == '_' && *module == '-'))
			return false;
	return !*p || *p == ']' || !strncmp(p, ".ko", 3);
}

static uint32_t
frame_kernel(struct frames *f, const struct pp_state *state, const struct pp_map *m, uint64_t ip)
{
	const struct pp_map *kernel = the_kernel(f, state);
	const struct pp_dso *k = kernel ? pp_state_dso(state, kernel) : NULL, *d = m ? pp_state_dso(state, m) : k;
	const char *name, *tab, *symbol;
	uint64_t anchor;
	uint32_t file;

	if (!d)
		return frame_mapless(f, true);
	if (!k || !(file = file_of(f, k, true)))
		return frame_nameless(f, d, true, true);
	symbol = k->name + sizeof kernel_name - 1;
	anchor = !*symbol ? kernel->start : !strcmp(symbol, "_text") || !strcmp(symbol, "_stext") ? kernel->pgoff : 0;
	name = symbols_find_kernel(f->symbols, file, ip, anchor, !strcmp(symbol, "_stext"));
	if (!name) {
		f->late = symbols_late(f->symbols);
		return frame_nameless(f, d, true, false);
	}
	tab = strchr(name, '\t');
	if (!is_kernel(d) && (!tab || !is_module(tab + 1, d)))
		return frame_nameless(f, d, true, false);
	return frame_named(f, name, tab ? (size_t)(tab - name) : strlen(name), FRAME_KERNEL);
}

static uint32_t
frame_at(struct frames *f, const struct pp_state *state, const struct pp_map *m, unsigned mode, uint64_t ip)
{
	const struct pp_dso *d;
	const char *name;
	uint32_t file, number;

	if (mode == PP_MISC_KERNEL) {
		if (!m && (name = pp_state_ksymbol(state, ip)))
			return frame_named(f, name, strlen(name), FRAME_KERNEL);
		return m || ip >> 63 ? frame_kernel(f, state, m, ip) : frame_mapless(f, true);
	}
	if (!m)
		return frame_mapless(f, false);
	d = pp_state_dso(state, m);
	file = file_of(f, d, false);
	if (file == SYMBOLS_NONE)
		return frame_nameless(f, d, false, true);
	if ((name = symbols_find(f->symbols, file, ip - m->start + m->pgoff, ip)) &&
	    (number = frame_named(f, name, strlen(name), strstr(d->name, "/jitted-") ? FRAME_JIT : FRAME_USER)))
		return number;
	f->late = symbols_late(f->symbols);
	return frame_nameless(f, d, false, false);
}

uint32_t
frames_number(struct frames *f, const struct pp_state *state, const struct pp_map *m, unsigned mode, uint64_t ip)
{
	uint32_t number;

	f->late = false;
	if (!f->v || f->v->state != state)
		frames_view(f, state);
	number = frame_at(f, state, m, mode, ip);
	f->lates += f->late;
	return number;
}

bool
frames_late(const struct frames *f)
{
	return f->late;
}

/* ---- forgetting ---------------------------------------------------------------------------------- */

static void
cover(struct coverage *c, const struct frame *x)
{
	bool kernel = x->kernel || x->kind == FRAME_KERNEL;

	c->in[kernel] += x->innermost;
	c->named[kernel] += x->kind < FRAME_NAMELESS ? x->innermost : 0;
	c->all += x->all;
	c->mapless += x->kind == FRAME_MAPLESS ? x->all : 0;
}

bool
frames_many(const struct frames *f)
{
	return f->n > MANY_NAMES || f->bytes > MANY_BYTES;
}

/* Files without names stay, with their counts, the first KEPT_NAMELESS of them. */
void
frames_forget(struct frames *f)
{
	struct table old = f->by_text;
	struct frame *frame = f->frame;
	uint32_t n = f->n, kept = 0;

	pp_table_free(&f->by_name, true);
	pp_table_init(&f->by_name);
	pp_table_init(&f->by_text);
	f->frame = NULL;
	f->n = 0;
	f->bytes = 0;
	for (int k = 0; k < 2 * VIEWS; k++) {
		struct view *v = &f->view[k / 2];

		if (v->nameless[k % 2])
			memset(v->nameless[k % 2], 0, v->nnameless[k % 2] * sizeof *v->nameless[0]);
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct frame *x = &frame[i];
		struct frame *to;

		if (x->kind != FRAME_NAMELESS || !x->innermost || kept == KEPT_NAMELESS) {
			cover(&f->past, x);
			continue;
		}
		kept++;
		to = frame_of(f, x->text, x->len, (enum frame_kind)x->kind, x->kernel);
		to->idless = x->idless;
		to->innermost = x->innermost;
		to->all = x->all;
	}
	pp_table_free(&old, true);
	free(frame);
}

bool
frames_place(const struct pp_state *state, const struct pp_map *m, unsigned mode, uint64_t ip, char to[static FRAMES_PLACE])
{
	const struct pp_dso *d = m ? pp_state_dso(state, m) : NULL;

	if (!d || d->jit)
		return false;
	snprintf(to, FRAMES_PLACE, "%.256s+0x%" PRIx64, file_name(d), ip - m->start + (mode == PP_MISC_KERNEL ? 0 : m->pgoff));
	return true;
}

/* ---- how much has names -------------------------------------------------------------------------- */

enum { WORST = 3 };			/* files that are named */

static uint64_t
tenths(uint64_t part, uint64_t all)
{
	return all ? (uint64_t)((double)part / (double)all * 1000) : 0;
}

static int
by_innermost(const void *va, const void *vb)
{
	const struct frame *a = *(const struct frame *const *)va, *b = *(const struct frame *const *)vb;

	if (a->innermost != b->innermost)
		return a->innermost > b->innermost ? -1 : 1;
	return strcmp(a->text, b->text);
}

/* The files without names, those first of which there are most samples. */
static void
say_files(const struct frames *f, const struct tool *t, uint64_t samples)
{
	const struct frame **worst = tool_alloc(f->n + 1, sizeof *worst);
	char text[WORST * 340] = "";
	size_t n = 0, at = 0;
	bool idless = false;

	for (uint32_t i = 0; i < f->n; i++)
		if (f->frame[i].kind == FRAME_NAMELESS && f->frame[i].innermost) {
			worst[n++] = &f->frame[i];
			idless |= f->frame[i].idless;
		}
	if (n)
		qsort(worst, n, sizeof *worst, by_innermost);
	for (size_t i = 0; i < n && i < WORST; i++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%s%s (%" PRIu64 " %%)", i ? ", " : "", worst[i]->text,
		    tenths(worst[i]->innermost, samples) / 10);
	if (n)
		tool_warn(t, "--symbols: %zu files have samples without names: %s%s", n, text, n > WORST ? " ..." : "");
	if (idless)
		tool_warn(t, "--symbols: of some no build-id is known: pinject -b adds them, and pinject --archive makes a DIR that has "
		    "all");
	else if (n)
		tool_warn(t, "--symbols: pinject --archive on the recorded machine makes a DIR that has all");
	free(worst);
}

void
frames_say(const struct frames *f, const struct tool *t, bool frames)
{
	struct coverage c = f->past;

	for (uint32_t i = 0; i < f->n; i++)
		cover(&c, &f->frame[i]);
	for (int k = 0; k < 2; k++)
		if (c.named[k] != c.in[k])
			tool_warn(t, "--symbols: names for %" PRIu64 ".%" PRIu64 " %% of %s samples", tenths(c.named[k], c.in[k]) / 10,
			    tenths(c.named[k], c.in[k]) % 10, k ? "kernel" : "user");
	if (f->lates)
		tool_warn(t, "--symbols: %" PRIu64 " frames were counted before the names of their files were known: their rows are those "
		    "of the files", f->lates);
	if (f->several)
		tool_warn(t, "--symbols: %" PRIu64 " names are of several files, and have a BUILD_ID of only one: functions of the others may have "
		    "wrong names; pinject -B tells them apart. The first is '%.*s'", f->several, (int)f->first_several->nname,
		    f->first_several->name);
	if (c.named[0] != c.in[0] || c.named[1] != c.in[1])
		say_files(f, t, c.in[0] + c.in[1]);
	if (frames && tenths(c.mapless, c.all) >= 10)
		tool_warn(t, "--symbols: %" PRIu64 " %% of frames are in no map: the programs were compiled without frame pointers "
		    "(-fno-omit-frame-pointer)", tenths(c.mapless, c.all) / 10);
}
