/* SPDX-License-Identifier: ISC */
/*
 * frames.h - what the frames of a stack are called
 *
 * A frame is called as its function, or else, as nothing is guessed, by one of these texts:
 *
 *	[libfoo.so]	the file of the map has no symbols, is not found, or its build-id is not known; no function is there
 *	[no map]	the address is in no map that is known
 *
 * An address of the kernel is looked for as it is, in the symbols of the kernel with the recorded build-id; where these lie
 * elsewhere (it was another boot), by the distance of the symbol that the kernel's map names; then modules have no names.
 *
 * Frames of one text and kind have one number.
 */
#ifndef PP_FRAMES_H
#define PP_FRAMES_H

#include "state/state.h"
#include "symbol/symbols.h"

enum frame_kind { FRAME_KERNEL, FRAME_USER, FRAME_JIT, FRAME_NAMELESS, FRAME_MAPLESS, FRAME_OTHER, FRAME_KINDS };
struct frame {				/* what is called so */
	uint32_t	 number;	/* from 1 */
	uint8_t		 kind;		/* enum frame_kind */
	bool		 kernel;	/* of NAMELESS and MAPLESS: it is an address of the kernel */
	bool		 idless;	/* NAMELESS: no build-id of the file was known */
	uint64_t	 innermost, all;	/* for frames_coverage(): frames that were the innermost of a sample, and all */
	size_t		 len;
	const char	*text;		/* any bytes but NUL */
};

struct frames;
struct ids;
/*
 * symbols: NULL: functions have no names but those that KSYMBOL records give.
 * ids: those of BUILD_ID records, which may change; NULL: those of frames_learn().
 */
struct frames *frames_new(struct symbols *, const struct ids *);
/* Take in a record, if it is a sound BUILD_ID or the header feature ARCH.  1, or -1: no memory. */
int	frames_learn(struct frames *, const struct pp_rec *, bool swap);
void	frames_free(struct frames *);
/* The number of the frame at an address, by its map; NULL: it is in none. */
uint32_t frames_number(struct frames *, const struct pp_state *, const struct pp_map *, unsigned mode, uint64_t ip);
/*
 * Was the last number preliminary, as a name that symbols_hurry() does not wait for is still to come?  Do not remember it, then.
 */
bool	frames_late(const struct frames *);
/*
 * Are there so many names that those who go on for hours should forget them?  Then all numbers are void, and begin anew; what
 * frames_say() says stays, but for files with few samples.
 */
bool	frames_many(const struct frames *);
void	frames_forget(struct frames *);
/* The number of a text that is no frame, but stands beside them: kind FRAME_OTHER. */
uint32_t frames_other(struct frames *, const char *text, size_t len);
/* Valid until the next number is asked for. */
struct frame *frames_get(const struct frames *, uint32_t number);
uint32_t frames_n(const struct frames *);
/* Has any of them the name of a function? */
bool	frames_named(const struct frames *);
/*
 * The place of an address in the file of its map: "libfoo.so+0x1234"; of the kernel in its memory: "[kernel.kallsyms]+0x1234".  False:
 * it is in no file.
 */
enum { FRAMES_PLACE = 300 };
bool	frames_place(const struct pp_state *, const struct pp_map *, unsigned mode, uint64_t ip, char to[static FRAMES_PLACE]);

/*
 * Say by tool_warn() which share of the frames that were counted has names, and what is missing, with what mends it.  frames:
 * all were counted, not only innermost ones.
 */
void	frames_say(const struct frames *, const struct tool *, bool frames);

#endif
