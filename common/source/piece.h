/* SPDX-License-Identifier: ISC */
/*
 * piece.h - a source that yields one of n equal shares of the SAMPLEs of a recording, for jobs that run in parallel
 *
 * A share is measured in bytes of SAMPLE records: a SAMPLE in front of which there are c bytes of them is of piece k (from 1) of n
 * if (k - 1) * total <= c * n < k * total.  So each SAMPLE is of one piece, whatever chunks or an index the recording has.
 *
 * Records about the state of the machine (tasks, maps, names, cgroups, code), those of the head, and marks come in all pieces,
 * since newer ones may stand behind older samples.  All others (LOST, THROTTLE, READ, SWITCH, AUX ...) come in one: that of their
 * place between SAMPLEs.
 *
 * SAMPLEs of other shares are stepped over by their headers: what is malformed in one is told by the piece that it is of, and the others
 * go on behind it.
 */
#ifndef PP_PIECE_H
#define PP_PIECE_H

#include "perfpipe_inline.h"

/*
 * After pp_begin(), before the first pp_next().  total: bytes of all SAMPLEs (chunk.h tells them); if that is too small, the last
 * piece has the rest.  Not for a source with PP_OPEN_RAW, PP_OPEN_REPAIR or PP_OPEN_FOLLOW, nor for one of a join.  1, or -1.
 */
int	pp_piece(struct pp_source *, uint64_t k, uint64_t n, uint64_t total);
/* Step over the SAMPLEs that pp_next() would yield next without reading; the number of their bytes. */
uint64_t pp_pass_samples(struct pp_source *);
/* pp_when_absent() tells of SAMPLEs: are they behind the share, and not in front of it? */
bool	pp_piece_behind(const struct pp_source *);
/* Does the record, just yielded, come in all pieces, and is this not the first?  Then counting it here would count it again. */
bool	pp_again(const struct pp_source *, const struct pp_rec *);

/*
 * After pp_piece(): yield a mark (record/mark.h) where the share begins, unless it is the first, and where it ends, unless it is the last.
 * The source ends when the second has arrived at the sink and two FINISHED_ROUNDs have come behind it: by then those who put records in
 * time order are done with the share.  Records with a payload between the samples come too early for the marks: the source fails.
 * The marks belong to the source.
 */
struct pp_piece_marks;
struct pp_piece_marks *pp_piece_mark(struct pp_source *);

/*
 * For one who leaves bytes of the stream out that hold whole records, when all records before them have been yielded: of the next
 * SAMPLEs, of so many bytes, are none of the piece, some, or all (also if there is no piece)?  PP_PIECE_SOME: they must be read.  Of
 * those that are left out call pp_piece_passed(), before what comes in their place.
 */
enum pp_piece_has { PP_PIECE_NONE, PP_PIECE_SOME, PP_PIECE_ALL };
enum pp_piece_has pp_piece_has(const struct pp_source *, uint64_t sample_bytes);
void	pp_piece_passed(struct pp_source *, uint64_t sample_bytes);
/* Of a piece: bytes of the SAMPLEs in front of the place where the source is. */
uint64_t pp_piece_done(const struct pp_source *);
/* Nothing was yielded yet.  Are the first SAMPLEs, of so many bytes, in front of the piece, and what comes between them and the next, too? */
bool	pp_piece_starts_behind(const struct pp_source *, uint64_t sample_bytes);

#endif
