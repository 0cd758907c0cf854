/* SPDX-License-Identifier: ISC */
/* pcat - any perf recording in, one pipe-mode stream out */
#include "tool.h"

static const struct tool_opt opts[] = { TOOL_OPTS_COMMON, TOOL_OPT_OUT, TOOL_OPTS_END };

int
main(int argc, char **argv)
{
	struct tool t = { .name = "pcat", .purpose = "Turn a perf recording into a pipe-mode stream.", .opts = opts };
	struct pp_rec r;

	while (tool_getopt(&t, argc, argv) != -1)
		;
	tool_open(&t, 0);
	while (pp_next(t.in, &r) > 0)
		if (pp_put(t.out, t.in, &r) < 0)
			break;
	return tool_close(&t);
}
