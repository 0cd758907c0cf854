/* SPDX-License-Identifier: ISC */
/* TODO: not built yet */
#include "thin.h"

void
thin_share(const struct tool *t, struct thin *h, const char *text)
{
	(void)h;
	tool_wrong(t, "%s '%s': not built yet", t->optname, text);
}
