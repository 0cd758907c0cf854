/* SPDX-License-Identifier: ISC */
/*
 * when.c - see when.h
 *
 * The clock of recordings without -k is the kernel's sched_clock(): ns since the machine was started, without the time that it was
 * suspended.  It begins some ms before or after CLOCK_MONOTONIC, and is not slewed by NTP.  No system call reads it, but the kernel
 * puts it into records of perf events: so we make an event of our own and rename this thread, to the name that it has.  Where perf
 * events are not permitted, it is estimated from CLOCK_MONOTONIC.
 */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "join/clock.h"
#include "when.h"

enum {
	SECOND = 1000000000,
	LATE = 60,			/* seconds by which the records of a live stream may be old */
	ATTEMPTS = 8,
	SLEW = 2000,			/* 1/2000: by how much NTP may slew the wall clock */
	DRIFT = 20000,			/* 1/20000: by how much sched_clock() may differ, in the long run, from the monotonic clocks */
	COMM_MAX = 16,
};

static uint64_t
when_ns(clockid_t id)
{
	struct timespec t;

	return clock_gettime(id, &t) < 0 ? 0 : (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static bool
when_is_readable(int64_t clock)
{
	switch (clock) {
	case CLOCK_REALTIME: case CLOCK_MONOTONIC: case CLOCK_MONOTONIC_RAW: case CLOCK_BOOTTIME: case CLOCK_TAI:
		return true;
	default:
		return false;
	}
}

/* The shortest of some attempts is the most exact one. */
static bool
when_read(int64_t clock, struct when_pair *to)
{
	clockid_t id = (clockid_t)clock;
	uint64_t best = UINT64_MAX;

	*to = (struct when_pair){ 0 };
	for (int i = 0; i < ATTEMPTS && when_is_readable(clock); i++) {
		uint64_t before = when_ns(id), wall = when_ns(CLOCK_REALTIME), after = when_ns(id);

		if (before && after - before < best) {
			best = after - before;
			*to = (struct when_pair){ before + best / 2, wall, best };
		}
	}
	return to->clock != 0;
}

/* ---- sched_clock() ------------------------------------------------------------------------------------- */

/* The time of the COMM that the kernel writes when the thread gets a name: header, pid, tid, name, time.  0: none */
static uint64_t
when_event_time(const uint8_t *ring, size_t page)
{
	const struct perf_event_mmap_page *head = (const void *)ring;
	struct perf_event_header h;
	uint64_t time = 0, end = __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE);

	memcpy(&h, ring + page, sizeof h);
	if (end >= sizeof h && h.type == PERF_RECORD_COMM && h.size >= sizeof h + sizeof time && h.size <= page && h.size <= end)
		memcpy(&time, ring + page + h.size - sizeof time, sizeof time);
	return time;
}

static bool
when_read_perf(struct when_pair *to)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = PERF_ATTR_SIZE_VER1, .config = PERF_COUNT_SW_DUMMY,
	    .sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1, .comm = 1, .exclude_kernel = 1, .exclude_hv = 1 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	uint8_t *ring = fd >= 0 ? mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
	char name[COMM_MAX] = "";
	uint64_t after;

	*to = (struct when_pair){ 0 };
	if (ring != MAP_FAILED) {
		prctl(PR_GET_NAME, name);
		to->wall = when_ns(CLOCK_REALTIME);
		prctl(PR_SET_NAME, name);
		after = when_ns(CLOCK_REALTIME);
		to->clock = when_event_time(ring, page);
		to->error = after > to->wall ? after - to->wall : 0;
		munmap(ring, 2 * page);
	}
	if (fd >= 0)
		close(fd);
	return to->clock != 0;
}

static void
when_estimate_perf(struct when_pair *to)
{
	uint64_t raw = when_ns(CLOCK_MONOTONIC_RAW);

	if (when_read(CLOCK_MONOTONIC, to))
		to->error += 2 * (uint64_t)SECOND + to->clock / DRIFT + (raw > to->clock ? raw - to->clock : to->clock - raw);
}

/* ---- for others ---------------------------------------------------------------------------------------- */

void
when_start(struct when *w)
{
	uint64_t mono = when_ns(CLOCK_MONOTONIC), boot = when_ns(CLOCK_BOOTTIME);

	*w = (struct when){ .clock = CLOCK_NONE, .slept = boot > mono + SECOND ? boot - mono : 0 };
	if (!when_read_perf(&w->perf))
		when_estimate_perf(&w->perf);
}

bool
when_is(struct when *w, int64_t clock)
{
	w->clock = clock;
	if (clock != CLOCK_PERF)
		return when_read(clock, &w->ref);
	w->ref = w->perf;
	return w->ref.clock != 0;
}

bool
when_can_be(const struct when *w, uint64_t time)
{
	uint64_t now = when_ns(CLOCK_REALTIME);

	/* no perf runs in the first second; the clock goes on as the wall clock does, nearly */
	return w->ref.clock && time >= SECOND && (time < w->ref.clock ||
	    time - w->ref.clock <= (now > w->ref.wall ? now - w->ref.wall : 0) + w->ref.error + SECOND);
}

uint64_t
when_latest(const struct when *w, uint64_t time)
{
	bool stops = w->clock != CLOCK_REALTIME && w->clock != CLOCK_BOOTTIME && w->clock != CLOCK_TAI;
	bool before = time < w->ref.clock;
	uint64_t far = before ? w->ref.clock - time : time - w->ref.clock;
	uint64_t error = w->ref.error + far / SLEW, wall;

	if (!w->ref.clock)
		return 0;
	/* it may have been suspended between that time and now */
	if (before && stops && far > LATE * (uint64_t)SECOND)
		error += w->slept;
	wall = before ? w->ref.wall - far : w->ref.wall + far;
	return wall > error ? wall - error : 1;
}
