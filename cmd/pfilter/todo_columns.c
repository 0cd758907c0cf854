/* SPDX-License-Identifier: ISC */
/* TODO: not built yet; goes when columns.c comes */
#include "columns.h"

void columns_strip(const struct tool *t, struct columns *c, const char *text) { (void)c; tool_wrong(t, "--strip '%s': not built yet", text); }
bool columns_any(const struct columns *c) { (void)c; return false; }
struct out *columns_new(const struct tool *t, const struct columns *c, struct pp_source *in, struct out *next, struct pp_err *err) { (void)t; (void)c; (void)in; (void)err; return next; }
