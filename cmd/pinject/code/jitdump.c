/* SPDX-License-Identifier: ISC */
/* jitdump.c - see jitdump.h */
#include <sys/stat.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jitdump.h"
#include "set.h"
#include "tool/tool.h"

enum jitdump_id { LOAD, MOVE, DEBUG_INFO, CLOSE, UNWINDING_INFO, JITDUMP_IDS };

enum {
	MAGIC = 0x4a695444, MAGIC_SWAPPED = 0x4454694a,
	VERSION = 1,
	FLAG_CYCLES = 1,		/* of the header: JITDUMP_FLAGS_ARCH_TIMESTAMP */
	HEADER = 40, HEADER_MAX = 4096,
	PREFIX = 16,
	LOAD_NAME = 56,			/* offset of the name in a CODE_LOAD */
	LINE = 16,			/* a line of DEBUG_INFO in front of its file name */
	BUFFER = 64 << 10,
};

struct jitdump {
	int		 fd;
	struct pp_err	*err;
	struct jitdump_head head;
	bool		 has_head, swap, closed;
	bool		 given;		/* the last call has returned the CODE_LOAD of the group */
	uint64_t	 off;		/* of buf[0] in the file */
	uint8_t		*buf;
	size_t		 have, cap;	/* bytes in buf */
	size_t		 pos;		/* where the next record begins in buf */
	uint64_t	 group;		/* in the file: the first record that belongs to the next CODE_LOAD */
	/* for the next CODE_LOAD; nlines and unwind_size 0: none */
	uint64_t	 lines_of;	/* the address of its function */
	struct image_line *lines;
	size_t		 nlines;
	bool		 unsorted;	/* the lines are not ascending */
	uint8_t		*texts;		/* a copy of the DEBUG_INFO, with the names of files */
	uint8_t		*unwind;
	size_t		 unwind_size, unwind_hdr_size;
};

/* ---- bytes -------------------------------------------------------------------------------------- */

struct jitdump *
jitdump_new(int fd, const char *name, struct pp_err *err)
{
	struct jitdump *j = tool_alloc(1, sizeof *j);

	j->fd = fd;
	j->err = err;
	*err = (struct pp_err){ .file = name };
	return j;
}

static void
jitdump_drop(struct jitdump *j)
{
	free(j->lines);
	free(j->texts);
	free(j->unwind);
	j->lines = NULL;
	j->texts = j->unwind = NULL;
	j->nlines = j->unwind_size = 0;
}

void
jitdump_free(struct jitdump *j)
{
	if (!j)
		return;
	jitdump_drop(j);
	close(j->fd);
	free(j->buf);
	free(j);
}

/* Fail at the record that begins at buf[pos]. */
static int
jitdump_damaged(struct jitdump *j, const char *what)
{
	j->err->at = true;
	j->err->off = j->off + j->pos;
	return pp_fail(j->err, "%s", what);
}

/* Let buf have n bytes from pos on.  1; 0: the file has not as many yet; -1. */
static int
jitdump_need(struct jitdump *j, size_t n)
{
	struct stat st;
	ssize_t got;

	if (j->have - j->pos >= n)
		return 1;
	if (fstat(j->fd, &st) < 0)
		return pp_fail(j->err, "%s", strerror(errno));
	if ((uint64_t)st.st_size < j->off + j->have && j->have)
		return jitdump_damaged(j, "the file has become shorter");
	if ((uint64_t)st.st_size < j->off + j->pos + n)
		return 0;
	if (j->have)
		memmove(j->buf, j->buf + j->pos, j->have - j->pos);
	j->off += j->pos;
	j->have -= j->pos;
	j->pos = 0;
	if (n > j->cap || (j->cap > BUFFER && n <= BUFFER && j->have <= BUFFER)) {
		j->cap = n > BUFFER ? n : BUFFER;
		j->buf = tool_need(realloc(j->buf, j->cap));
	}
	while (j->have < n) {
		got = pread(j->fd, j->buf + j->have, j->cap - j->have, (off_t)(j->off + j->have));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return pp_fail(j->err, "read: %s", strerror(errno));
		if (!got)
			return jitdump_damaged(j, "the file has become shorter");
		j->have += (size_t)got;
	}
	return 1;
}

/* Step over n bytes, which need not be there yet. */
static void
jitdump_skip(struct jitdump *j, uint64_t n)
{
	if (n <= j->have - j->pos) {
		j->pos += n;
		return;
	}
	j->off += j->pos + n;
	j->pos = j->have = 0;
}

void
jitdump_again(struct jitdump *j)
{
	j->off = j->group;
	j->pos = j->have = 0;
	j->given = false;
	jitdump_drop(j);
	if (j->cap > BUFFER) {
		free(j->buf);
		j->buf = NULL;
		j->cap = 0;
	}
}

/* ---- header ------------------------------------------------------------------------------------- */

static int
jitdump_read_head(struct jitdump *j)
{
	struct pp_cur c;
	uint32_t magic, version, size;
	int rc;

	if ((rc = jitdump_need(j, HEADER)) <= 0)
		return rc;
	magic = pp_get_u32(j->buf, false);
	if (magic != MAGIC && magic != MAGIC_SWAPPED)
		return jitdump_damaged(j, "not a jitdump");
	j->swap = magic == MAGIC_SWAPPED;
	j->head.big_endian = j->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	c = pp_cur(j->buf + 4, HEADER - 4, j->swap);
	version = pp_take_u32(&c);
	size = pp_take_u32(&c);
	j->head.machine = (uint16_t)pp_take_u32(&c);
	pp_take(&c, 4);
	j->head.pid = pp_take_u32(&c);
	j->head.time = pp_take_u64(&c);
	j->head.cycles = pp_take_u64(&c) & FLAG_CYCLES;
	if (version > VERSION)
		return pp_fail(j->err, "a jitdump of unknown version %" PRIu32, version);
	if (size < HEADER || size > HEADER_MAX)
		return pp_fail(j->err, "jitdump: header of %" PRIu32 " bytes, not %d", size, HEADER);
	jitdump_skip(j, size);
	j->group = j->off + j->pos;
	j->has_head = true;
	return 1;
}

int
jitdump_head(struct jitdump *j, struct jitdump_head *head)
{
	int rc = j->has_head ? 1 : j->err->what[0] ? -1 : jitdump_read_head(j);

	if (rc > 0)
		*head = j->head;
	return rc;
}

/* ---- records: `c' is what follows the prefix ------------------------------------------------------- */

static int
jitdump_load(struct jitdump *j, struct jitdump_code *code, struct pp_cur *c)
{
	const uint8_t *name, *nul;

	code->kind = JITDUMP_LOAD;
	code->pid = pp_take_u32(c);
	code->tid = pp_take_u32(c);
	pp_take(c, 8);			/* vma: the same as the address, in every known producer */
	code->fn.addr = pp_take_u64(c);
	code->fn.size = pp_take_u64(c);
	pp_take(c, 8);			/* the number of the function */
	if (c->bad)
		return jitdump_damaged(j, "CODE_LOAD: too short");
	name = c->p;
	if (!(nul = memchr(name, '\0', pp_left(c))))
		return jitdump_damaged(j, "CODE_LOAD: its name has no NUL");
	pp_take(c, (uint64_t)(nul - name) + 1);
	if (code->fn.size > JITDUMP_CODE_MAX)
		return jitdump_damaged(j, "CODE_LOAD: more than 16 MiB of code");
	if (!(code->fn.code = pp_take(c, code->fn.size)))
		return jitdump_damaged(j, "CODE_LOAD: its code exceeds the record");
	if (code->fn.addr + code->fn.size < code->fn.addr)
		return jitdump_damaged(j, "CODE_LOAD: its code exceeds the address space");
	code->fn.name = (const char *)name;
	if (j->nlines && j->lines_of == code->fn.addr) {
		code->fn.lines = j->lines;
		code->fn.nlines = j->nlines;
	}
	if (j->unwind_size) {
		code->fn.unwind = j->unwind;
		code->fn.unwind_size = j->unwind_size;
		code->fn.unwind_hdr_size = j->unwind_hdr_size;
	}
	return 1;
}

static int
jitdump_move(struct jitdump *j, struct jitdump_code *code, struct pp_cur *c)
{
	code->kind = JITDUMP_MOVE;
	code->pid = pp_take_u32(c);
	code->tid = pp_take_u32(c);
	pp_take(c, 8);
	code->from = pp_take_u64(c);
	code->fn.addr = pp_take_u64(c);
	code->fn.size = pp_take_u64(c);
	if (c->bad)
		return jitdump_damaged(j, "CODE_MOVE: too short");
	if (code->fn.addr + code->fn.size < code->fn.addr)
		return jitdump_damaged(j, "CODE_MOVE: its code exceeds the address space");
	return 1;
}

/* Add a line.  A name of 0xff alone is that of the line before. */
static int
jitdump_line(struct jitdump *j, struct pp_cur *c)
{
	struct image_line *l;
	const uint8_t *name, *nul;
	uint64_t addr = pp_take_u64(c);
	uint32_t line = pp_take_u32(c);

	pp_take(c, 4);			/* discriminator */
	name = c->p;
	if (c->bad || !(nul = memchr(name, '\0', pp_left(c))))
		return -1;
	pp_take(c, (uint64_t)(nul - name) + 1);
	j->lines = tool_need(array_more(j->lines, j->nlines, 1, sizeof *j->lines));
	l = &j->lines[j->nlines++];
	*l = (struct image_line){ .addr = addr, .line = line, .file = (const char *)name };
	if (!strcmp(l->file, "\xff"))
		l->file = l > j->lines ? l[-1].file : "";
	if (l > j->lines && l[-1].addr > addr)
		j->unsorted = true;
	return 1;
}

static int
jitdump_by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct image_line *)a)->addr, y = ((const struct image_line *)b)->addr;

	return x < y ? -1 : x > y;
}

static int
jitdump_debug_info(struct jitdump *j, struct pp_cur *c)
{
	size_t size = pp_left(c);
	uint64_t n;

	j->nlines = 0;
	j->unsorted = false;
	free(j->texts);
	j->texts = tool_alloc(size, 1);
	memcpy(j->texts, c->p, size);
	*c = pp_cur(j->texts, size, c->swap);
	j->lines_of = pp_take_u64(c);
	n = pp_take_u64(c);
	if (c->bad)
		return jitdump_damaged(j, "DEBUG_INFO: too short");
	if (n > pp_left(c) / (LINE + 1))
		return jitdump_damaged(j, "DEBUG_INFO: its lines exceed the record");
	for (; n; n--)
		if (jitdump_line(j, c) < 0)
			return jitdump_damaged(j, "DEBUG_INFO: its lines exceed the record");
	if (j->unsorted && mergesort(j->lines, j->nlines, sizeof *j->lines, jitdump_by_address) < 0)
		j->nlines = 0;
	return 1;
}

static int
jitdump_unwinding_info(struct jitdump *j, struct pp_cur *c)
{
	uint64_t size = pp_take_u64(c), header = pp_take_u64(c);
	const uint8_t *p;

	pp_take(c, 8);			/* how much of it the process has mapped behind the code */
	if (c->bad)
		return jitdump_damaged(j, "UNWINDING_INFO: too short");
	if (!(p = pp_take(c, size)) || header > size)
		return jitdump_damaged(j, "UNWINDING_INFO: its tables exceed the record");
	j->unwind = tool_need(realloc(j->unwind, size ? size : 1));
	memcpy(j->unwind, p, size);
	j->unwind_size = size;
	j->unwind_hdr_size = header;
	return 1;
}

/* The record of that id and size, which is in buf.  1: *code is set; 0: it was another one; -1. */
static int
jitdump_record(struct jitdump *j, struct jitdump_code *code, enum jitdump_id id, size_t size)
{
	const uint8_t *p = j->buf + j->pos;
	struct pp_cur c = pp_cur(p + PREFIX, size - PREFIX, j->swap);

	*code = (struct jitdump_code){ .at = j->off + j->pos, .time = pp_get_u64(p + 8, j->swap) };
	switch (id) {
	case LOAD:		return jitdump_load(j, code, &c);
	case MOVE:		return jitdump_move(j, code, &c);
	case DEBUG_INFO:	return jitdump_debug_info(j, &c) < 0 ? -1 : 0;
	case UNWINDING_INFO:	return jitdump_unwinding_info(j, &c) < 0 ? -1 : 0;
	case CLOSE:		j->closed = true; break;
	case JITDUMP_IDS:	break;
	}
	return 0;
}

/* A record that is not read. */
static bool
jitdump_ignores(uint32_t id, uint32_t size)
{
	return id >= JITDUMP_IDS || ((id == DEBUG_INFO || id == UNWINDING_INFO) && size > JITDUMP_TABLE_MAX);
}

/* Read the record at pos.  1: *code is set; 0: nothing more is there; 2: it was another one; -1. */
static int
jitdump_step(struct jitdump *j, struct jitdump_code *code)
{
	uint32_t id, size;
	int rc;

	if ((rc = jitdump_need(j, PREFIX)) <= 0)
		return rc;
	id = pp_get_u32(j->buf + j->pos, j->swap);
	size = pp_get_u32(j->buf + j->pos + 4, j->swap);
	if (size < PREFIX)
		return jitdump_damaged(j, "a record of less than 16 bytes");
	if (jitdump_ignores(id, size)) {
		jitdump_skip(j, size);
		return 2;
	}
	if (size > JITDUMP_RECORD_MAX)
		return jitdump_damaged(j, "a record of more than 32 MiB");
	if ((rc = jitdump_need(j, size)) <= 0 || (rc = jitdump_record(j, code, id, size)) < 0)
		return rc;
	jitdump_skip(j, size);
	return rc ? 1 : 2;
}

int
jitdump_next(struct jitdump *j, struct jitdump_code *code)
{
	int rc = 2;

	if (j->err->what[0])
		return -1;
	if (j->given)
		jitdump_drop(j);
	j->given = false;
	while (rc == 2 && !j->closed) {
		if (!j->texts && !j->unwind)
			j->group = j->off + j->pos;
		rc = jitdump_step(j, code);
	}
	j->given = rc == 1;
	return rc == 2 ? 0 : rc;
}
