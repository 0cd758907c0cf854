/* SPDX-License-Identifier: ISC */
/*
 * demangle.h - names of C++ and Rust functions as their sources have them: by libiberty; built without it (DEMANGLE=no), none
 *
 * libiberty takes any bytes.  It ends when its text is too long; that its time has a bound otherwise nobody promises: call it in a process
 * that may end (symbols_serve.c).
 */
#ifndef PP_DEMANGLE_H
#define PP_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

enum { DEMANGLE_MAX = 4096 };		/* bytes of a name, and of what becomes of it; longer ones stay as they are */
enum demangle { DEMANGLE_NONE, DEMANGLE_SHORT, DEMANGLE_FULL };	/* SHORT: C++ without parameters */
#define DEMANGLE_WORDS "none|short|full"

/* May the name be one? */
bool	demangle_may(const char *name, size_t len);
/* Its text, with a NUL, in `to'.  False: it is none, or stays as it is. */
bool	demangle(const char *name, enum demangle, char to[static DEMANGLE_MAX + 1]);
/* Is there a demangler? */
extern const bool demangle_built;

#endif
