/* SPDX-License-Identifier: ISC */
/* TODO: not built yet; goes when drop.c comes */
#include "drop.h"

void drop_events(const struct tool *t, struct drop *d, const char *text) { (void)d; tool_wrong(t, "--drop-event '%s': not built yet", text); }
void drop_types(const struct tool *t, struct drop *d, const char *text) { (void)d; tool_wrong(t, "--drop-type '%s': not built yet", text); }
bool drop_any(const struct drop *d) { (void)d; return false; }
struct out *drop_new(const struct tool *t, const struct drop *d, struct pp_source *in, struct out *next, struct pp_err *err) { (void)t; (void)d; (void)in; (void)err; return next; }
