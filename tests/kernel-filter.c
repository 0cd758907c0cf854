/* SPDX-License-Identifier: ISC */
/*
 * kernel-filter - does the kernel take these filters?
 *
 *	kernel-filter <LIST
 *
 * A line of LIST is EVENT, a tab and a filter; a line "taken" or "refused" is written for each, and "missing" for an event that
 * this kernel does not have.  Status 3: it cannot be asked here.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
open_event(char *event)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof attr, .disabled = 1, .sample_period = 1 };
	char path[512], *colon = strchr(event, ':');
	unsigned long long id;
	FILE *f;

	if (!colon)
		return -1;
	snprintf(path, sizeof path, "/sys/kernel/tracing/events/%.*s/%s/id", (int)(colon - event), event, colon + 1);
	if (!(f = fopen(path, "r")))
		return -1;
	if (fscanf(f, "%llu", &id) != 1)
		id = 0;
	fclose(f);
	attr.config = id;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int
main(void)
{
	char line[4096], *tab;
	int fd;

	if (access("/sys/kernel/tracing/events", R_OK | X_OK))
		return 3;
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = 0;
		if (!(tab = strchr(line, '\t')))
			return 1;
		*tab = 0;
		if ((fd = open_event(line)) < 0) {
			puts("missing");
			continue;
		}
		puts(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, tab + 1) < 0 ? "refused" : "taken");
		close(fd);
	}
	return 0;
}
