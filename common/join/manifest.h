/* SPDX-License-Identifier: ISC */
/*
 * manifest.h - the list of the parts of a whole, so that none is missing, changed or too many when they are joined
 *
 * A manifest is a text with a line of names and a line for each part; fields are separated by tabs:
 *
 *	name		of the file, relative to the directory of the manifest and below it
 *	bytes, sha256	of the file
 *	records, samples, first_ns, last_ns	of the recording; the times of its samples, -: none has a time
 *	host		of HOSTNAME, -: unknown
 *	pid_base, pids	its pids and tids are so many, and become pid_base, pid_base + 1 ... in ascending order; -: they are kept
 *
 *	m = manifest_open(&t, &join, NULL)		before tool_lock(): the inputs of the tool are those of the manifest
 *	join_allow(&t, t.names, t.nnames)
 *	manifest_verify(m)				after it
 *	manifest_close(m)
 *
 * Memory: the text, and with pid_base about 50 bytes for each pid.
 */
#ifndef PP_MANIFEST_H
#define PP_MANIFEST_H

#include <sys/stat.h>

#include "join.h"
#include "pid_block.h"

enum { MANIFEST_PARTS_MAX = 100000, MANIFEST_SIZE_MAX = 64 << 20, MANIFEST_SHA = 64 };

#define MANIFEST_HEAD "name\tbytes\tsha256\trecords\tsamples\tfirst_ns\tlast_ns\thost\tpid_base\tpids\n"

struct manifest_part {
	const char	*name;			/* relative to the manifest */
	char		*path;
	uint64_t	 bytes, records, samples, first, last;	/* last 0: no sample has a time */
	char		 sha256[MANIFEST_SHA + 1];
	const char	*host;			/* NULL: unknown */
	uint32_t	 pid_base, pids;	/* pid_base 0: pids are kept */
	struct pid_block *block;		/* manifest_measure(), manifest_verify(): its pids; NULL: they are kept */
	struct stat	 was;			/* manifest_hash(): the file, before it was read; st_ino 0: it was not */
};

struct manifest;

/* May a part have this name?  Not if it is not below the directory of the manifest, or has control characters. */
bool	manifest_is_name(const char *);
/*
 * Before tool_lock(), after tool_check(): read t->manifest, and make the parts the tool's inputs, one (`part') or, if that is NULL, all
 * that are there; t->allow_missing says how many need not be.  If inputs are named they must be the parts.  The join gets what a manifest implies: equal events become one, and pids are
 * as the manifest says.  What does not fit exits 1, options that contradict it exit 2.
 */
struct manifest *manifest_open(struct tool *, struct join_options *, const char *part);
/*
 * After tool_lock(), before the inputs are read: are the parts those that the manifest lists?  1, or -1 after a message.  Only that
 * makes the pids known.
 */
int	manifest_verify(struct manifest *);
/* 0, or 1: a part has changed since manifest_verify(), after a message. */
int	manifest_close(struct manifest *);

/*
 * Fill in bytes, sha256 and what the recording says, of the file at part->path.  pids: with its pids, in part->block.  The caller
 * frees host and block.  1, or -1: err has the reason.
 */
int	manifest_measure(const struct tool *, struct manifest_part *, bool pids, struct pp_err *err);
/* Only bytes and sha256. */
int	manifest_hash(struct manifest_part *, struct pp_err *err);

#endif
