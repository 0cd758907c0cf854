/* SPDX-License-Identifier: ISC */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats_dir.h"
#include "perfpipe_inline.h"
#include "set.h"

enum { TEXT_MAX = 1 << 20 };

/* ---- reading ------------------------------------------------------------------------------------------ */

/* The contents of a file whose st_size is not its size, such as one of /sys, and a NUL.  NULL: failure, see errno. */
static char *
read_text(const char *path, size_t *n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *p = NULL;
	ssize_t got = 1;

	if (fd < 0)
		return NULL;
	for (*n = 0; got > 0 && *n < TEXT_MAX; *n += (size_t)got) {
		p = tool_need(array_more(p, *n, 4097, 1));
		while ((got = read(fd, p + *n, 4096)) < 0 && errno == EINTR)
			;
		if (got < 0)
			break;
	}
	close(fd);
	if (got < 0) {
		free(p);
		return NULL;
	}
	p[*n] = 0;
	return p;
}

/* "name: sched_switch\nID: 316\n" */
static bool
id_of(const char *text, uint64_t *id)
{
	const char *p = strstr(text, "\nID: ");
	char *end;

	if (strncmp(text, "name: ", 6) != 0 || !p)
		return false;
	*id = strtoull(p + 5, &end, 10);
	return end > p + 5 && *end == '\n';
}

static void
add_format(struct formats_dir *d, const char *system, const char *path)
{
	struct formats_text t = { 0 };

	if (!(t.text = read_text(path, &t.n)))
		return;
	if (!id_of(t.text, &t.id)) {
		free(t.text);
		return;
	}
	t.system = tool_alloc(strlen(system) + 1, 1);
	strcpy(t.system, system);
	d->texts = tool_need(array_more(d->texts, d->n, 1, sizeof *d->texts));
	d->texts[d->n++] = t;
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int
visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Call `fn' for each name in a directory, in alphabetical order.  The number of names; -1: failure, see errno. */
static int
each_name(struct formats_dir *d, const char *dir, void (*fn)(struct formats_dir *, const char *dir, const char *name))
{
	struct dirent **names;
	int n = scandir(dir, &names, visible, by_name);

	for (int i = 0; i < n; i++) {
		fn(d, dir, names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return n;
}

static void
add_event(struct formats_dir *d, const char *dir, const char *name)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof path, "%s/%s/format", dir, name) < sizeof path)
		add_format(d, strrchr(dir, '/') + 1, path);
}

static void
add_system(struct formats_dir *d, const char *dir, const char *name)
{
	char path[PATH_MAX];

	if (strcmp(name, "ftrace") && (size_t)snprintf(path, sizeof path, "%s/%s", dir, name) < sizeof path)
		each_name(d, path, add_event);
}

static char *
read_header(const char *dir, const char *name, size_t *n, struct pp_err *err)
{
	char path[PATH_MAX], *text;

	if ((size_t)snprintf(path, sizeof path, "%s/%s", dir, name) >= sizeof path)
		errno = ENAMETOOLONG;
	else if ((text = read_text(path, n)))
		return text;
	pp_fail(err, "events/%s: %s", name, strerror(errno));
	return NULL;
}

int
formats_dir_read(struct formats_dir *d, const char *path, struct pp_err *err)
{
	char dir[PATH_MAX];

	if ((size_t)snprintf(dir, sizeof dir, "%s/events", path) >= sizeof dir)
		return pp_fail(err, "%s", strerror(ENAMETOOLONG));
	if (!(d->page = read_header(dir, "header_page", &d->npage, err)) ||
	    !(d->event = read_header(dir, "header_event", &d->nevent, err)))
		return -1;
	if (each_name(d, dir, add_system) < 0)
		return pp_fail(err, "events: %s", strerror(errno));
	return d->n ? 1 : pp_fail(err, "no events/SYSTEM/EVENT/format can be read");
}

void
formats_dir_free(struct formats_dir *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->texts[i].system);
		free(d->texts[i].text);
	}
	free(d->texts);
	free(d->page);
	free(d->event);
}

/* ---- as a payload -------------------------------------------------------------------------------------- */

struct payload {
	uint8_t		*p;
	size_t		 n;
	bool		 swap;
};

static void
put(struct payload *b, const void *p, size_t n)
{
	b->p = tool_need(array_more(b->p, b->n, n, 1));
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void
put_u32(struct payload *b, uint32_t v)
{
	uint8_t p[4];

	pp_set_u32(p, v, b->swap);
	put(b, p, sizeof p);
}

/* The length of the text as a u64, then the text. */
static void
put_text(struct payload *b, const char *text, size_t n)
{
	uint8_t p[8];

	pp_set_u64(p, n, b->swap);
	put(b, p, sizeof p);
	put(b, text, n);
}

static bool
is_in(uint64_t id, const uint64_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* The recorder's sizeof(long): header_page has "field: local_t commit; offset:8; size:8;". */
static uint8_t
long_size(const struct formats_dir *d)
{
	const char *p = strstr(d->page, "commit;");

	return (p = p ? strstr(p, "size:") : NULL) && p[5] == '4' ? 4 : 8;
}

bool
formats_dir_has(const struct formats_dir *d, uint64_t id)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->texts[i].id == id)
			return true;
	return false;
}

/* Put the formats of the system that begins at index `from', and count them in *n; b NULL: only count.  The next system's index. */
static size_t
put_system(struct payload *b, const struct formats_dir *d, size_t from, const uint64_t *ids, size_t nids, uint32_t *n)
{
	const char *name = d->texts[from].system;
	size_t i;

	for (i = from, *n = 0; i < d->n && !strcmp(d->texts[i].system, name); i++)
		*n += is_in(d->texts[i].id, ids, nids);
	if (!b || !*n)
		return i;
	put(b, name, strlen(name) + 1);
	put_u32(b, *n);
	for (size_t k = from; k < i; k++)
		if (is_in(d->texts[k].id, ids, nids))
			put_text(b, d->texts[k].text, d->texts[k].n);
	return i;
}

uint8_t *
formats_dir_payload(const struct formats_dir *d, const uint64_t *ids, size_t nids, bool swap, size_t *n)
{
	struct payload b = { .swap = swap };
	uint8_t order = swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__), size = long_size(d);
	uint32_t systems = 0, count;

	for (size_t i = 0; i < d->n; systems += count > 0)
		i = put_system(NULL, d, i, ids, nids, &count);
	put(&b, "\027\010\104tracing", 10);
	put(&b, "0.6", 4);
	put(&b, &order, 1);
	put(&b, &size, 1);
	put_u32(&b, (uint32_t)sysconf(_SC_PAGESIZE));
	put(&b, "header_page", 12);
	put_text(&b, d->page, d->npage);
	put(&b, "header_event", 13);
	put_text(&b, d->event, d->nevent);
	put_u32(&b, 0);			/* number of formats of ftrace itself */
	put_u32(&b, systems);
	for (size_t i = 0; i < d->n;)
		i = put_system(&b, d, i, ids, nids, &count);
	put_u32(&b, 0);			/* kallsyms, printk formats, command lines: none */
	put_u32(&b, 0);
	put_text(&b, "", 0);
	while (b.n & 7)
		put(&b, "", 1);
	*n = b.n;
	return b.p;
}
