/* SPDX-License-Identifier: ISC */
/* TODO: not built yet; goes when anon.c comes */
#include "anon.h"

void anon_list(const struct tool *t, struct anon *a, const char *text) { (void)a; tool_wrong(t, "--anon '%s': not built yet", text); }
bool anon_any(const struct anon *a) { (void)a; return false; }
void anon_ready(const struct tool *t, struct anon *a, struct columns *c) { (void)t; (void)a; (void)c; }
struct out *anon_new(const struct tool *t, const struct anon *a, struct pp_source *in, struct out *next, struct pp_err *err) { (void)t; (void)a; (void)in; (void)err; return next; }
