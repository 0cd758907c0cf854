/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"
#include "perfpipe_inline.h"
#include "set.h"
#include "tracing.h"

enum {
	HEAD = 200,		/* of a format text; name and number are in its first two lines */
	NAME = PP_FORMAT_EVENT,	/* longest system */
	PIECE = 256,		/* bytes of an item that are collected */
};

enum state {			/* the next item, in the order of the payload */
	MAGIC, VERSION, ORDER,
	PAGE_MARK, PAGE_SIZE, PAGE,
	EVENT_MARK, EVENT_SIZE, EVENT,
	FTRACE_COUNT, FTRACE_SIZE, FTRACE,
	SYSTEM_COUNT, SYSTEM, FORMAT_COUNT, FORMAT_SIZE, FORMAT,
	KALLSYMS_SIZE, KALLSYMS, PRINTK_SIZE, PRINTK, TASKS_SIZE, TASKS,
	DONE,
};

enum shape { FIXED, STRING, TEXT };
static const struct {
	uint8_t shape, size;	/* size of FIXED */
} items[] = {
	[MAGIC] = { FIXED, 10 }, [VERSION] = { STRING, 0 }, [ORDER] = { FIXED, 6 },
	[PAGE_MARK] = { STRING, 0 }, [PAGE_SIZE] = { FIXED, 8 }, [PAGE] = { TEXT, 0 },
	[EVENT_MARK] = { STRING, 0 }, [EVENT_SIZE] = { FIXED, 8 }, [EVENT] = { TEXT, 0 },
	[FTRACE_COUNT] = { FIXED, 4 }, [FTRACE_SIZE] = { FIXED, 8 }, [FTRACE] = { TEXT, 0 },
	[SYSTEM_COUNT] = { FIXED, 4 }, [SYSTEM] = { STRING, 0 }, [FORMAT_COUNT] = { FIXED, 4 },
	[FORMAT_SIZE] = { FIXED, 8 }, [FORMAT] = { TEXT, 0 },
	[KALLSYMS_SIZE] = { FIXED, 4 }, [KALLSYMS] = { TEXT, 0 }, [PRINTK_SIZE] = { FIXED, 4 }, [PRINTK] = { TEXT, 0 },
	[TASKS_SIZE] = { FIXED, 8 }, [TASKS] = { TEXT, 0 },
};

struct name {
	uint64_t id;
	char	*text;
	struct pp_format *format;	/* NULL: not kept, or `why' not */
	const char *why;
};

struct pp_tracing {
	enum state state;
	bool	 swap;
	uint32_t systems, formats;	/* not read yet */
	uint64_t left;			/* bytes of the text not read yet */
	size_t	 have;			/* bytes in piece */
	uint8_t	 piece[PIECE];
	char	 system[NAME + 1];
	bool	 nameless;		/* its name is longer than any valid one: what is of it is left out */
	uint8_t	 sizeof_long;
	char	*whole;			/* PP_FORMAT_TEXT bytes for a text; NULL: formats are not kept */
	uint64_t size;			/* of the text */
	size_t	 bytes;			/* of all texts with a format */
	bool	 has_tasks, ended;	/* ended: by its last item */
	bool	 no_memory;
	uint64_t read;			/* bytes of all items */
	struct pp_tracing_behind behind;
	struct name *names;		/* by id */
	size_t	 n;
};

struct pp_tracing *
pp_tracing_new(void)
{
	return calloc(1, sizeof(struct pp_tracing));
}

void
pp_tracing_free(struct pp_tracing *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++) {
		free(t->names[i].text);
		pp_format_free(t->names[i].format);
	}
	free(t->names);
	free(t->whole);
	free(t);
}

size_t
pp_tracing_count(const struct pp_tracing *t)
{
	return t->n;
}

/* The index of the id, or where to insert it. */
static size_t
place(const struct pp_tracing *t, uint64_t id)
{
	size_t lo = 0, hi = t->n;

	ORDER_FIND(lo, hi, i, t->names[i].id >= id);
	return lo;
}

static const struct name *
find(const struct pp_tracing *t, uint64_t id)
{
	size_t at = place(t, id);

	return at < t->n && t->names[at].id == id ? &t->names[at] : NULL;
}

const char *
pp_tracing_name(const struct pp_tracing *t, uint64_t id)
{
	const struct name *n = find(t, id);

	return n ? n->text : NULL;
}

int
pp_tracing_keep_formats(struct pp_tracing *t)
{
	return t->whole || (t->whole = malloc(PP_FORMAT_TEXT)) ? 1 : -1;
}

const struct pp_format *
pp_tracing_format(const struct pp_tracing *t, uint64_t id)
{
	const struct name *n = find(t, id);

	return n ? n->format : NULL;
}

const char *
pp_tracing_format_error(const struct pp_tracing *t, uint64_t id)
{
	const struct name *n = find(t, id);

	return n && !n->format ? n->why : NULL;
}

bool
pp_tracing_swap(const struct pp_tracing *t)
{
	return t->swap;
}

/* Parse the text that was collected. */
static void
keep(struct pp_tracing *t, struct name *name)
{
	if (t->size > PP_FORMAT_TEXT)
		name->why = "a text of more than 64 KiB";
	else if (t->size > PP_FORMATS_BYTES - t->bytes)
		name->why = "texts of more than 16 MiB together";
	else if ((name->format = pp_format_parse(t->system, t->whole, (size_t)t->size, t->sizeof_long, &name->why)))
		t->bytes += (size_t)t->size;
	else if (!name->why)
		t->no_memory = true;
}

/* Add a name, unless the id has one. */
static void
remember(struct pp_tracing *t, uint64_t id, const char *name, size_t len)
{
	size_t at = place(t, id), size = strlen(t->system) + len + 2;
	struct name *names;
	char *text;

	if (t->n == PP_TRACING_MAX || (at < t->n && t->names[at].id == id))
		return;
	if ((names = array_more(t->names, t->n, 1, sizeof *names)))
		t->names = names;
	if (!names || !(text = malloc(size))) {
		t->no_memory = true;
		return;
	}
	snprintf(text, size, "%s:%.*s", t->system, (int)len, name);
	memmove(&t->names[at + 1], &t->names[at], (t->n - at) * sizeof *t->names);
	t->names[at] = (struct name){ .id = id, .text = text };
	t->n++;
	if (t->whole)
		keep(t, &t->names[at]);
}

/* A format text is complete.  Without names and number it is left out. */
static void
learn(struct pp_tracing *t)
{
	const char *name;
	size_t len;
	uint64_t id;

	if (!t->nameless && pp_format_head((const char *)t->piece, t->have, &name, &len, &id))
		remember(t, id, name, len);
}

/* The state after the last entry of a list of format texts, or of systems. */
static enum state
next_format(struct pp_tracing *t, enum state size)
{
	if (t->formats) {
		t->formats--;
		return size;
	}
	if (size == FTRACE_SIZE)
		return SYSTEM_COUNT;
	if (!t->systems)
		return KALLSYMS_SIZE;
	t->systems--;
	return SYSTEM;
}

bool
pp_tracing_has_tasks(const char *version)
{
	version += strspn(version, "0");
	return (*version >= '1' && *version <= '9') || (*version == '.' && version[1] >= '6' && version[1] <= '9');
}

/* The item is complete: process it, and set the next state. */
static enum state
complete(struct pp_tracing *t)
{
	const char *text = (const char *)t->piece;

	switch (t->state) {
	case MAGIC:
		return memcmp(t->piece, "\027\010\104tracing", 10) == 0 ? VERSION : DONE;
	case VERSION:
		t->has_tasks = pp_tracing_has_tasks(text);
		return ORDER;
	case ORDER:
		if (t->piece[0] > 1)
			return DONE;
		t->swap = (t->piece[0] == 1) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
		t->sizeof_long = t->piece[1];
		return PAGE_MARK;
	case PAGE_MARK:
		return strcmp(text, "header_page") == 0 ? PAGE_SIZE : DONE;
	case EVENT_MARK:
		return strcmp(text, "header_event") == 0 ? EVENT_SIZE : DONE;
	case PAGE_SIZE:
	case EVENT_SIZE:
	case FTRACE_SIZE:
	case FORMAT_SIZE:
		t->left = t->size = pp_get_u64(t->piece, t->swap);
		return t->state + 1;
	case FTRACE_COUNT:
		t->formats = pp_get_u32(t->piece, t->swap);
		strcpy(t->system, "ftrace");
		t->nameless = false;
		return next_format(t, FTRACE_SIZE);
	case FTRACE:
		learn(t);
		return next_format(t, FTRACE_SIZE);
	case SYSTEM_COUNT:
		t->systems = pp_get_u32(t->piece, t->swap);
		return next_format(t, FORMAT_SIZE);
	case SYSTEM:
		t->nameless = t->have > NAME + 1;
		if (!t->nameless)
			memcpy(t->system, t->piece, t->have);
		return FORMAT_COUNT;
	case FORMAT_COUNT:
		t->formats = pp_get_u32(t->piece, t->swap);
		return next_format(t, FORMAT_SIZE);
	case FORMAT:
		learn(t);
		return next_format(t, FORMAT_SIZE);
	case KALLSYMS_SIZE:
		t->left = t->size = t->behind.kallsyms = pp_get_u32(t->piece, t->swap);
		return KALLSYMS;
	case PRINTK_SIZE:
		t->left = t->size = t->behind.printk = pp_get_u32(t->piece, t->swap);
		return PRINTK;
	case PRINTK:
		return t->has_tasks ? TASKS_SIZE : DONE;
	case TASKS_SIZE:
		t->left = t->size = t->behind.tasks = pp_get_u64(t->piece, t->swap);
		return TASKS;
	default:		/* PAGE, EVENT and what is behind the formats are not used */
		return t->state + 1;
	}
}

/* Collect up to `want' bytes of the item.  Returns the number taken. */
static size_t
collect(struct pp_tracing *t, const uint8_t *p, size_t n, size_t want)
{
	if (n > want - t->have)
		n = want - t->have;
	memcpy(t->piece + t->have, p, n);
	t->have += n;
	return n;
}

uint64_t
pp_tracing_size(const struct pp_tracing *t)
{
	return t->ended ? t->read : 0;
}

uint64_t
pp_tracing_read(const struct pp_tracing *t)
{
	return t->read;
}

void
pp_tracing_again(struct pp_tracing *t)
{
	t->state = MAGIC;
	t->have = 0;
	t->read = 0;
	t->ended = false;
}

struct pp_tracing_behind
pp_tracing_behind(const struct pp_tracing *t)
{
	return t->behind;
}

/* Can names come yet? */
static bool
expects(const struct pp_tracing *t)
{
	return t->state < KALLSYMS_SIZE;
}

int
pp_tracing_feed(struct pp_tracing *t, const uint8_t *p, size_t n)
{
	const bool fed = n > 0;		/* not n: behind the last byte there may be items without any */

	while (fed && t->state != DONE) {
		enum state was = t->state;
		bool whole;
		size_t took;

		switch (items[t->state].shape) {
		case FIXED:
			took = collect(t, p, n, items[t->state].size);
			whole = t->have == items[t->state].size;
			break;
		case STRING: {
			const uint8_t *nul = n ? memchr(p, 0, n) : NULL;

			took = nul ? (size_t)(nul - p) + 1 : n;
			collect(t, p, took, PIECE);
			t->piece[PIECE - 1] = 0;
			whole = nul != NULL;
			break;
		}
		default:
			took = n < t->left ? n : (size_t)t->left;
			if (t->whole && t->size <= PP_FORMAT_TEXT && expects(t))
				memcpy(t->whole + (t->size - t->left), p, took);
			if (t->have < HEAD)
				collect(t, p, took, HEAD);
			t->left -= took;
			whole = t->left == 0;
			break;
		}
		p += took;
		n -= took;
		t->read += took;
		if (!whole)
			break;
		t->state = complete(t);
		t->ended = t->state == DONE && was >= PRINTK;
		t->have = 0;
	}
	return t->no_memory ? -1 : expects(t);
}
