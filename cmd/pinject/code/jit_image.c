/* SPDX-License-Identifier: ISC */
/* jit_image.c - see jit.h: the ELF files, and the MMAP2s */
#include <stdlib.h>
#include <string.h>

#include "jit_in.h"
#include "make/make.h"
#include "set.h"

static bool
jit_image_is64(uint16_t machine)
{
	enum { SPARC = 2, I386 = 3, M68K = 4, MIPS = 8, PPC = 20, ARM = 40, SH = 42 };	/* <elf.h> */

	return machine != SPARC && machine != I386 && machine != M68K && machine != MIPS && machine != PPC && machine != ARM &&
	    machine != SH;
}

static int
jit_image_name(char *to, const struct jit_image *im)
{
	return snprintf(to, JIT_NAME, "jitted-%u-%u.so", im->pid, im->number);
}

uint32_t
jit_image_of(const struct jit *j, const struct pp_map *m)
{
	return m->dso < j->ndsos ? j->by_dso[m->dso] - 1 : UINT32_MAX;
}

bool
jit_is_put(const void *jit, const struct pp_map *m)
{
	return jit_image_of(jit, m) != UINT32_MAX;
}

/* ---- images ------------------------------------------------------------------------------------- */

static void
jit_image_begin(struct jit *j, struct jit_process *p)
{
	j->images = tool_need(array_more(j->images, j->nimages, 1, sizeof *j->images));
	p->image = j->nimages++;
	j->images[p->image] = (struct jit_image){ .pid = p->pid, .number = ++p->images,
	    .image = image_new(p->head.machine, p->head.big_endian, jit_image_is64(p->head.machine)) };
}

void
jit_image_end(struct jit *j, struct jit_process *p)
{
	struct jit_image *im;
	uint8_t *bytes;
	size_t n;

	if (p->image == UINT32_MAX)
		return;
	im = &j->images[p->image];
	p->image = UINT32_MAX;
	j->open_bytes -= im->bytes;
	image_finish(im->image, &im->id, &bytes, &n);
	im->image = NULL;
	if (!j->off && store_put(j->store, &im->id, "elf", bytes, n) > 0) {
		j->nimages_written++;
	} else {
		j->off = true;
		im->id.len = 0;
	}
	free(bytes);
}

/* Has the image of the process no space for that many bytes? */
static bool
jit_image_full(const struct jit *j, const struct jit_process *p, size_t code, size_t bytes)
{
	const struct jit_image *im = &j->images[p->image];
	size_t n = image_functions(im->image);

	return n && (image_code_size(im->image) + code > JIT_IMAGE_CODE || im->bytes + bytes > JIT_IMAGE_BYTES ||
	    n >= JIT_IMAGE_FUNCTIONS);
}

int
jit_image_load(struct jit *j, struct jit_process *p, uint32_t pid, uint64_t time, const struct image_fn *fn)
{
	size_t bytes = fn->size + strlen(fn->name) + 24 * fn->nlines + fn->unwind_size + 64;
	uint64_t offset;

	if (p->image != UINT32_MAX && jit_image_full(j, p, fn->size, bytes))
		jit_image_end(j, p);
	if (p->image == UINT32_MAX)
		jit_image_begin(j, p);
	if (!image_function(j->images[p->image].image, fn, &offset)) {
		jit_image_end(j, p);
		jit_image_begin(j, p);
		if (!image_function(j->images[p->image].image, fn, &offset)) {
			j->excess++;
			return 1;
		}
	}
	j->images[p->image].bytes += bytes;
	j->open_bytes += bytes;
	j->functions++;
	if (jit_image_map(j, &(struct jit_put){ time, fn->addr, fn->size, offset, pid, p->image }) < 0)
		return -1;
	return j->open_bytes > JIT_OPEN_BYTES || j->nputs >= JIT_PUTS ? jit_image_flush(j) : 1;
}

/* ---- maps --------------------------------------------------------------------------------------- */

enum { RECORD_MAX = PP_RAW_AT(MMAP2, filename) + JIT_NAME + 8 + PP_TRAILER_MAX };

static int
jit_image_make(const struct jit *j, struct pp_rec *r, uint8_t *buf, const struct jit_put *m, struct pp_text trailer)
{
	enum { READ_EXEC = 5, PRIVATE = 2 };	/* PROT_, MAP_ */
	const struct jit_image *im = &j->images[m->image];
	uint8_t id[24] = { (uint8_t)(im->id.len ? im->id.len : sizeof m->image) };
	char name[JIT_NAME];
	size_t n = (size_t)jit_image_name(name, im);

	memcpy(id + 4, im->id.b, im->id.len);
	if (!im->id.len)
		memcpy(id + 4, &m->image, sizeof m->image);
	return PP_MAKE(r, buf, RECORD_MAX, MMAP2, .swap = j->t->in->swap, .misc = PP_MISC_USER | PP_MISC_MMAP_BUILD_ID,
	    .pid = m->pid, .tid = m->pid, .start = m->start, .len = m->len, .pgoff = m->pgoff,
	    .inode_or_build_id = { id, sizeof id }, .prot = READ_EXEC, .flags = PRIVATE, .filename = { name, n },
	    .trailer = trailer);
}

static void
jit_image_learn_dso(struct jit *j, uint32_t dso, uint32_t image)
{
	j->by_dso = tool_need(array_reach(j->by_dso, &j->ndsos, dso, sizeof *j->by_dso));
	j->by_dso[dso] = image + 1;
}

/* The state of the walk learns the map at once, as a file with a build-id: for the time being its number is the id. */
int
jit_image_map(struct jit *j, const struct jit_put *m)
{
	struct pp_state *state = walk_state(j->walk);
	struct build_id id = j->images[m->image].id;
	uint8_t buf[RECORD_MAX];
	const struct pp_map *map;
	struct pp_rec r;
	int rc;

	j->images[m->image].id.len = 0;
	rc = jit_image_make(j, &r, buf, m, (struct pp_text){ 0 });
	j->images[m->image].id = id;
	if (rc < 0)
		return pp_fail(&j->t->in_err, "MMAP2 of jitted code: too long");
	if (pp_state_feed(state, &r, 0) < 0)
		return -1;
	map = pp_state_map(state, m->pid, PP_MISC_USER, m->start);
	if (map)
		jit_image_learn_dso(j, map->dso, m->image);
	j->puts = tool_need(array_more(j->puts, j->nputs, 1, sizeof *j->puts));
	j->puts[j->nputs++] = *m;
	j->made++;
	return 1;
}

/* Write the MMAP2s of complete images.  One whose time has been delivered already gets the earliest that is not late. */
static int
jit_image_write(struct jit *j)
{
	uint64_t earliest = walk_earliest(j->walk);

	for (size_t i = 0; i < j->nputs; i++) {
		struct jit_put *m = &j->puts[i];
		uint8_t buf[RECORD_MAX], trailer[PP_TRAILER_MAX];
		struct pp_rec r;

		if (!j->images[m->image].id.len)	/* the store is full */
			continue;
		if (m->time < earliest) {
			m->time = earliest;
			j->late++;
		}
		if (jit_image_make(j, &r, buf, m, walk_trailer(j->walk, trailer, m->pid, m->pid, m->time)) < 0)
			return pp_fail(&j->t->in_err, "MMAP2 of jitted code: too long");
		if (j->pub.next->put(j->pub.next, j->t->in, &r, false) < 0)
			return -1;
	}
	j->nputs = 0;
	return 1;
}

int
jit_image_flush(struct jit *j)
{
	struct jit_process *p;

	LIST_FOREACH(p, &j->dumps, dumps)
		jit_image_end(j, p);
	return jit_image_write(j);
}
