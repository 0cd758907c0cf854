/* SPDX-License-Identifier: ISC */
/* manifest_part.c - what a manifest says about one part */
#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in.h"
#include "manifest.h"
#include "record/event.h"

static int
part_hash(struct manifest_part *p, int fd, struct pp_err *err)
{
	enum { SIZE = 256 << 10 };
	uint8_t *buf = tool_alloc(1, SIZE), sum[SHA256_DIGEST_LENGTH];
	SHA2_CTX c;
	ssize_t n;

	_Static_assert(2 * sizeof sum == MANIFEST_SHA, "hexadecimal digits");
	SHA256Init(&c);
	for (p->bytes = 0; (n = read(fd, buf, SIZE)) > 0 || (n < 0 && errno == EINTR); p->bytes += n > 0 ? (size_t)n : 0)
		if (n > 0)
			SHA256Update(&c, buf, (size_t)n);
	free(buf);
	if (n < 0)
		return pp_fail_system(err, "read");
	SHA256Final(sum, &c);
	tool_hex(p->sha256, sum, sizeof sum);
	return 1;
}

int
manifest_hash(struct manifest_part *p, struct pp_err *err)
{
	int fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc;

	err->file = p->path;
	if (fd < 0)
		return pp_fail_system(err, NULL);
	if (fstat(fd, &p->was) < 0)
		rc = pp_fail_system(err, NULL);
	else if (!S_ISREG(p->was.st_mode))
		rc = pp_fail(err, "is not a regular file: a part of a manifest is one");
	else
		rc = part_hash(p, fd, err);
	close(fd);
	return rc;
}

static int
part_record(struct manifest_part *p, const struct pp_source *in, const struct pp_rec *r, struct pp_err *err)
{
	struct pp_err ignored = { .what = "" };
	const struct pp_event *ev;
	struct pp_feature f;
	uint64_t time;

	p->records++;
	if (r->type == PP_HEADER_FEATURE) {
		if (!p->host && pp_feature_of(&f, r, in->swap, 0, &ignored) > 0 && f.number == PP_FEAT_HOSTNAME)
			p->host = join_feature_string(&f);
		return 1;
	}
	if (r->type == PP_HEADER_ATTR)
		return 1;
	if (r->type == PP_SAMPLE) {
		p->samples++;
		if (!(ev = pp_event_find(in->events, r, err)))
			return -1;
		if (pp_time(ev, r, in->swap, &time)) {
			p->first = p->last && p->first < time ? p->first : time;
			p->last = p->last > time ? p->last : time;
		}
	}
	return p->block ? pid_block_add(p->block, in, r, err) : 1;
}

static void
part_fault(void *arg, const struct pp_err *fault)
{
	struct pp_err *err = arg;

	if (!err->what[0])
		*err = *fault;
}

int
manifest_measure(const struct tool *t, struct manifest_part *p, bool pids, struct pp_err *err)
{
	struct pp_source *in;
	struct pp_rec r;
	int rc;

	if (manifest_hash(p, err) < 0 || !(in = tool_source(t, p->path, 0, err)))
		return -1;
	pp_on_fault(in, part_fault, err);
	if (pids)
		p->block = pid_block_new();
	while ((rc = pp_next(in, &r)) > 0)
		if (part_record(p, in, &r, err) < 0) {
			rc = pp_reject(in, &r);
			break;
		}
	if (pp_close(in) < 0 || err->what[0])
		rc = -1;
	if (p->block)
		p->pids = pid_block_size(p->block);
	return rc < 0 ? -1 : 1;
}
