/* SPDX-License-Identifier: ISC */
/* fuzz.h - what must hold, in all targets */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By write(): the target may have an output of its own, and be about to end. */
#define MUST(cond) do { if (!(cond)) { dprintf(2, "%s:%d: %s\n", strrchr("/" __FILE__, '/') + 1, __LINE__, #cond); abort(); } } while (0)

#endif
