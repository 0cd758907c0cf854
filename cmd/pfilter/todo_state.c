/* SPDX-License-Identifier: ISC */
/* TODO: not built yet; goes when state.c, state_keys.c, hold.c, needed.c come */
#include <stdlib.h>

#include "hold.h"
#include "needed.h"
#include "state_keys.h"


struct state_keys *state_keys_add(struct state_keys *k, const struct tool *t, enum state_key key, const char *text) { (void)k; (void)key; (void)text; tool_wrong(t, "%s: not built yet", t->optname); }
void state_keys_ready(struct state_keys *k, const struct tool *t, struct tool_list *pid) { (void)k; (void)t; (void)pid; }
bool state_keys_select(const struct state_keys *k) { (void)k; return false; }
void state_keys_bind(struct state_keys *k, const struct tool *t, const struct pp_source *in) { (void)k; (void)t; (void)in; }
int state_keys_feed(struct state_keys *k, const struct state *s, const struct pp_rec *r) { (void)k; (void)s; (void)r; return 1; }
enum reason state_keys_match(struct state_keys *k, const struct state *s, const struct pp_event *ev, const struct pp_rec *r, bool swap) { (void)k; (void)s; (void)ev; (void)r; (void)swap; return KEPT; }
bool state_keys_switched(struct state_keys *k, const struct pp_event *ev) { (void)k; (void)ev; return true; }
void state_keys_free(struct state_keys *k) { (void)k; }

struct hold *hold_new(struct pp_source *in, const struct hold_user *u, size_t memory, struct pp_err *err) { (void)in; (void)u; (void)memory; pp_fail(err, "not built yet"); return NULL; }
int hold_put(struct hold *h, const struct pp_rec *r) { (void)h; (void)r; return 1; }
int hold_finish(struct hold *h) { (void)h; return 1; }
uint64_t hold_early(const struct hold *h) { (void)h; return 0; }
void hold_free(struct hold *h) { (void)h; }

struct needed *needed_new(struct pp_source *in, struct state *s, struct pp_err *err) { (void)in; (void)s; pp_fail(err, "not built yet"); return NULL; }
void needed_free(struct needed *n) { (void)n; }
int needed_sideband(struct needed *n, const struct pp_event *ev, const struct pp_rec *r) { (void)n; (void)ev; (void)r; return 1; }
int needed_sample(struct needed *n, const struct pp_event *ev, const struct pp_rec *r, int (*put)(void *arg, const struct pp_rec *), void *arg) { (void)n; (void)ev; (void)r; (void)put; (void)arg; return 1; }
