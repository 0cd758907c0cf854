/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dict.h"
#include "tool/atomic.h"
#include "set.h"
#include "state/table.h"

/* After so many pseudonyms duplicates are possible, which is harmless: bounds the memory. */
enum { KNOWN_MAX = 1 << 20 };

struct anon_dict {
	struct pp_err	 err;
	struct atomic	 file;
	FILE		*out;
	struct table	 known;		/* of links only: hashes of pseudonyms */
	struct link	*links;		/* KNOWN_MAX of them */
};

struct anon_dict *
anon_dict_new(struct tool *t, const char *path)
{
	struct anon_dict *d = tool_alloc(1, sizeof *d);
	int fd;

	if (!strcmp(path, "-"))
		tool_wrong(t, "--anon-map: needs a file of its own");
	d->links = tool_alloc(KNOWN_MAX, sizeof *d->links);
	d->known.mul = pp_seed() | 1;
	tool_refuse_file(t, path);
	tool_create(t, &d->file, path, &d->err);
	if ((fd = fcntl(d->file.fd, F_DUPFD_CLOEXEC, 3)) < 0 || !(d->out = fdopen(fd, "w")))
		tool_wrong(t, "--anon-map %s: %s", path, strerror(errno));
	fputs("# pfilter --anon-map: kind, pseudonym, name\n", d->out);
	return d;
}

/* Add a pseudonym to the known ones: is it new? */
static bool
is_new(struct anon_dict *d, enum anon_domain domain, const char *pseudonym, size_t n)
{
	uint64_t key = pp_table_hash(&d->known, domain, (const uint8_t *)pseudonym, n);

	if (pp_table_first(&d->known, key))
		return false;
	if (d->known.n < KNOWN_MAX && pp_table_add(&d->known, &d->links[d->known.n], key) < 0)
		pp_fail_memory(&d->err);
	return true;
}

void
anon_dict_put(struct anon_dict *d, enum anon_domain domain, const char *pseudonym, size_t n, const char *name, size_t m)
{
	static const char *const kinds[] = {
		[ANON_D_COMM] = "comm", [ANON_D_PATH] = "path", [ANON_D_MODULE] = "module", [ANON_D_SYMBOL] = "symbol",
		[ANON_D_EVENT] = "event", [ANON_D_CGROUP] = "cgroup", [ANON_D_HOST] = "host", [ANON_D_ARG] = "argument",
		[ANON_D_BUILD_ID] = "build-id", [ANON_D_TAG] = "tag", [ANON_D_PID] = "pid",
	};
	char *safe;

	if (!n || !is_new(d, domain, pseudonym, n))
		return;
	safe = tool_vis(name, m);
	if (fprintf(d->out, "%s\t%.*s\t%s\n", kinds[domain], (int)n, pseudonym, safe) < 0)
		pp_fail(&d->err, "write: %s", strerror(errno));
	free(safe);
}

void
anon_dict_finish(struct anon_dict *d)
{
	if (d && fclose(d->out))
		pp_fail(&d->err, "write: %s", strerror(errno));
}

void
anon_dict_free(struct anon_dict *d)
{
	if (!d)
		return;
	free(d->known.slot);
	free(d->links);
	free(d);
}
