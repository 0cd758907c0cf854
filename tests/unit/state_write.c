/* SPDX-License-Identifier: ISC */
/* What is written of single tasks, processes and maps, as text, and as a reader of these records has it then. */
#include "record/raw.h"
#include "state_bench.h"

enum { TRAILER = 24 };

static struct {
	char		 text[4096];
	size_t		 n;
	unsigned	 calls, fail;	/* put() fails at that call */
	bool		 swap, named;	/* the trailer has the task */
	struct pp_state	*to;		/* NULL: none is fed */
} out;
static const uint8_t trailer[TRAILER] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 };

static void
say_number(uint32_t n)
{
	if (n == UINT32_MAX)
		out.text[out.n++] = '?';
	else
		out.n += (size_t)sprintf(out.text + out.n, "%u", n);
}

static void
say_task(const char *in_front, uint32_t pid, uint32_t tid)
{
	out.n += (size_t)sprintf(out.text + out.n, "%s", in_front);
	say_number(pid);
	out.text[out.n++] = '/';
	say_number(tid);
}

static size_t
say_text(const uint8_t *text)
{
	out.n += (size_t)sprintf(out.text + out.n, " %s", text);
	return strlen((const char *)text);
}

/* One line: the record, and `@ task' of its trailer. */
static int
say(void *arg, const struct pp_rec *r)
{
	struct pp_err err = { .what = "" };
	const uint8_t *p = r->raw, *end = p + r->size - TRAILER;
	size_t size = r->size - TRAILER;
	bool swap = out.swap;

	(void)arg;
	if (++out.calls == out.fail)
		return -1;
	assert_int_equal(pp_get_u32(p, swap), r->type);
	assert_int_equal(pp_get_u16(p + 4, swap), r->misc);
	assert_int_equal(pp_get_u16(p + 6, swap), r->size);
	assert_int_equal(pp_check(r, swap, &err), 1);
	if (out.to)
		assert_int_equal(pp_state_feed(out.to, r, TRAILER), 1);
	assert_int_equal(r->misc, r->type == PP_MMAP ? PP_MISC_USER : r->type == PP_FORK ? r->misc & PP_MISC_FORK_EXEC : 0);
	switch (r->type) {
	case PP_COMM:
		say_task("COMM ", PP_RAW_GET(p, COMM, pid, swap), PP_RAW_GET(p, COMM, tid, swap));
		size = PP_RAW_AT(COMM, comm) + say_text(p + PP_RAW_AT(COMM, comm)) + 1;
		break;
	case PP_NAMESPACES:
		say_task("NAMESPACES ", PP_RAW_GET(p, NAMESPACES, pid, swap), PP_RAW_GET(p, NAMESPACES, tid, swap));
		out.n += (size_t)sprintf(out.text + out.n, " %u", (unsigned)PP_RAW_GET(p, NAMESPACES, ino, swap));
		break;
	case PP_MMAP:
		say_task("MMAP ", PP_RAW_GET(p, MMAP, pid, swap), PP_RAW_GET(p, MMAP, tid, swap));
		out.n += (size_t)sprintf(out.text + out.n, " %x+%x %x", (unsigned)PP_RAW_GET(p, MMAP, start, swap),
		    (unsigned)PP_RAW_GET(p, MMAP, len, swap), (unsigned)PP_RAW_GET(p, MMAP, pgoff, swap));
		size = PP_RAW_AT(MMAP, filename) + say_text(p + PP_RAW_AT(MMAP, filename)) + 1;
		break;
	default:
		say_task(r->type == PP_FORK ? "FORK " : "EXIT ", PP_RAW_GET(p, FORK, pid, swap), PP_RAW_GET(p, FORK, tid, swap));
		say_task(" by ", PP_RAW_GET(p, FORK, ppid, swap), PP_RAW_GET(p, FORK, ptid, swap));
		assert_int_equal(PP_RAW_GET(p, FORK, time, swap), 4711);
	}
	if (r->misc & PP_MISC_FORK_EXEC && r->type == PP_FORK)
		out.n += (size_t)sprintf(out.text + out.n, " without maps");
	if (out.named && memcmp(end, trailer, 8) != 0)
		say_task(" @ ", pp_get_u32(end, swap), pp_get_u32(end + 4, swap));
	assert_int_equal(r->size, (size + 7) / 8 * 8 + TRAILER);	/* no more than it needs */
	assert_memory_equal(end + 8 * out.named, trailer + 8 * out.named, TRAILER - 8 * out.named);
	out.text[out.n++] = '\n';
	out.text[out.n] = '\0';
	return 1;
}

/* Marks: 1, the reader knows it; 2, it knows the FORK of it. */
static struct pp_stamp
stamp(struct bench *w)
{
	out.n = out.calls = 0;
	out.text[0] = '\0';
	out.swap = w->swap;
	return (struct pp_stamp){ .time = 4711, .known = 1, .forked = 2, .trailer = trailer, .len = TRAILER, .task = out.named ? TRAILER : 0 };
}

static const char *
task_text(struct bench *w, uint32_t tid)
{
	struct pp_stamp s = stamp(w);

	assert_int_equal(pp_state_write_task(w->s, pp_state_task(w->s, tid), &s, say, NULL), 1);
	return out.text;
}

static const char *
exit_text(struct bench *w, uint32_t tid)
{
	struct pp_stamp s = stamp(w);

	assert_int_equal(pp_state_write_exit(w->s, pp_state_task(w->s, tid), &s, say, NULL), 1);
	return out.text;
}

static const char *
process_text(struct bench *w, uint32_t pid)
{
	struct pp_stamp s = stamp(w);

	assert_int_equal(pp_state_write_process(w->s, pp_state_process(w->s, pid), &s, say, NULL), 1);
	return out.text;
}

static const char *
map_text(struct bench *w, uint32_t pid, uint64_t addr)
{
	struct pp_stamp s = stamp(w);

	assert_int_equal(pp_state_write_map(w->s, pid, pp_state_map(w->s, pid, PP_MISC_USER, addr), &s, say, NULL), 1);
	return out.text;
}

static void
namespaces(struct bench *w, uint32_t pid, uint32_t tid, uint64_t ino)
{
	begin(w, PP_NAMESPACES, 0);
	put(w, pid, 4);
	put(w, tid, 4);
	put(w, 1, 8);
	put(w, 4, 8);
	put(w, ino, 8);
	feed(w, 0);
}

/* sh, pid 10, with maps and a thread 11. */
static void
shell(struct bench *w, bool swap)
{
	open_bench(w, swap);
	out.named = false;
	out.to = NULL;
	comm(w, 10, 10, "sh");
	map_at(w, 2, 10, 0x1000, 0x8000, 0x500, "/bin/sh");
	task_rec(w, PP_FORK, 0, 10, 10, 11, 10);
}

static void
single_tasks(void **state)
{
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		shell(&w, swap);
		assert_string_equal(task_text(&w, 10), "COMM 10/10 sh\n");
		assert_string_equal(task_text(&w, 11), "FORK 10/11 by 10/10 without maps\nCOMM 10/11 sh\n");
		comm(&w, 10, 11, "a longer name than any of the kernel");
		comm(&w, 10, 11, "seven__");		/* which fills its words, with its NUL */
		assert_string_equal(task_text(&w, 11), "FORK 10/11 by 10/10 without maps\nCOMM 10/11 seven__\n");
		comm(&w, 10, 11, "a longer name than any of the kernel");
		namespaces(&w, 10, 11, 77);
		namespaces(&w, 10, 10, 78);
		assert_string_equal(task_text(&w, 11), "FORK 10/11 by 10/10 without maps\n"
		    "COMM 10/11 a longer name than any of the kernel\nNAMESPACES 10/11 77\n");
		assert_string_equal(task_text(&w, 10), "COMM 10/10 sh\nNAMESPACES 10/10 78\n");
		assert_string_equal(exit_text(&w, 11), "EXIT 10/11 by 10/10\n");
		assert_string_equal(exit_text(&w, 10), "EXIT 10/10 by ?/?\n");
		task_rec(&w, PP_FORK, 0, 20, 10, 20, 11);
		assert_string_equal(task_text(&w, 20), "FORK 20/20 by 10/10 without maps\nCOMM 20/20 a longer name than any of the kernel\n");
		assert_string_equal(exit_text(&w, 20), "EXIT 20/20 by 10/11\n");
		out.named = true;		/* in the trailer: of a FORK who does it */
		assert_string_equal(task_text(&w, 11), "FORK 10/11 by 10/10 without maps @ 10/10\n"
		    "COMM 10/11 a longer name than any of the kernel @ 10/11\nNAMESPACES 10/11 77 @ 10/11\n");
		assert_string_equal(exit_text(&w, 20), "EXIT 20/20 by 10/11 @ 20/20\n");
		assert_string_equal(exit_text(&w, 11), "EXIT 10/11 by 10/10 @ 10/11\n");
		assert_string_equal(map_text(&w, 10, 0x1000), "MMAP 10/10 1000+8000 500 /bin/sh @ 10/10\n");
		comm(&w, 99, 10, "of another");	/* a reader would take it for the parent */
		assert_string_equal(task_text(&w, 20), "FORK 20/20 by ?/? without maps\nCOMM 20/20 a longer name than any of the kernel @ 20/20\n");
		pp_state_free(w.s);
	}
}

/* A reader gives the child the name of the parent: so a child without a name has no parent that has one. */
static void
nameless(void **state)
{
	struct bench w;

	(void)state;
	shell(&w, false);
	map_at(&w, 2, 30, 0x1000, 0x1000, 0, "a");
	task_rec(&w, PP_FORK, 0, 31, 30, 31, 30);
	assert_string_equal(task_text(&w, 30), "");
	assert_string_equal(task_text(&w, 31), "FORK 31/31 by ?/? without maps\n");	/* the reader may know a name of an earlier 30 */
	pp_state_task(w.s, 30)->mark = 2;
	assert_string_equal(task_text(&w, 31), "FORK 31/31 by ?/? without maps\n");
	pp_state_task(w.s, 30)->mark = 1;
	assert_string_equal(task_text(&w, 31), "FORK 31/31 by 30/30 without maps\n");
	comm(&w, 30, 30, "a");
	assert_string_equal(task_text(&w, 31), "FORK 31/31 by ?/? without maps\n");
	comm(&w, 31, 31, "b");
	assert_string_equal(task_text(&w, 31), "FORK 31/31 by 30/30 without maps\nCOMM 31/31 b\n");
	task_rec(&w, PP_FORK, 0, 41, 40, 41, 40);		/* of a parent that is not known */
	assert_string_equal(task_text(&w, 41), "FORK 41/41 by ?/? without maps\n");
	comm(&w, 41, 41, "c");
	assert_string_equal(task_text(&w, 41), "FORK 41/41 by 40/40 without maps\nCOMM 41/41 c\n");
	pp_state_free(w.s);
}

/* Maps that the FORK of a process copies are not written again, if the reader has them. */
static void
single_processes(void **state)
{
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		shell(&w, swap);
		namespaces(&w, 10, 10, 78);
		assert_string_equal(process_text(&w, 10), "COMM 10/10 sh\nNAMESPACES 10/10 78\nMMAP 10/10 1000+8000 500 /bin/sh\n");
		task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
		assert_string_equal(process_text(&w, 20), "FORK 20/20 by 10/10 without maps\nCOMM 20/20 sh\nMMAP 20/20 1000+8000 500 /bin/sh\n");
		pp_state_process(w.s, 10)->mark = 2;
		assert_string_equal(process_text(&w, 20), "FORK 20/20 by 10/10 without maps\nCOMM 20/20 sh\nMMAP 20/20 1000+8000 500 /bin/sh\n");
		pp_state_process(w.s, 10)->mark = 1;
		assert_string_equal(process_text(&w, 20), "FORK 20/20 by 10/10\nCOMM 20/20 sh\n");
		map_at(&w, 2, 20, 0x3000, 0x1000, 0, "lib");
		assert_string_equal(process_text(&w, 20), "FORK 20/20 by 10/10\nCOMM 20/20 sh\nMMAP 20/20 1000+2000 500 /bin/sh\n"
		    "MMAP 20/20 3000+1000 0 lib\nMMAP 20/20 4000+5000 3500 /bin/sh\n");
		map_at(&w, 2, 10, 0x1000, 0x1000, 0, "other");	/* the parent has not what was copied */
		assert_string_equal(process_text(&w, 20), "FORK 20/20 by 10/10 without maps\nCOMM 20/20 sh\n"
		    "MMAP 20/20 1000+2000 500 /bin/sh\nMMAP 20/20 3000+1000 0 lib\nMMAP 20/20 4000+5000 3500 /bin/sh\n");
		pp_state_process(w.s, 20)->mark = 2;		/* the reader has had that FORK, when the parent had them */
		assert_string_equal(process_text(&w, 20), "COMM 20/20 sh\nMMAP 20/20 1000+2000 500 /bin/sh\n"
		    "MMAP 20/20 3000+1000 0 lib\nMMAP 20/20 4000+5000 3500 /bin/sh\n");
		map_at(&w, 2, 20, 0x1000, 0x8000, 0, "sevenletters_15");
		assert_string_equal(map_text(&w, 20, 0x4000), "MMAP 20/20 1000+8000 0 sevenletters_15\n");
		namespaces(&w, 40, 40, 7);			/* without a name */
		assert_string_equal(process_text(&w, 40), "NAMESPACES 40/40 7\n");
		comm(&w, 50, 51, "thread");			/* the first thread is not known */
		map_by(&w, 2, 50, 51, 0x1000, 0x1000, 0, "a");
		assert_string_equal(process_text(&w, 50), "MMAP 50/50 1000+1000 0 a\n");
		pp_state_free(w.s);
	}
}

/* ---- the forker ------------------------------------------------------------------------------------------ */

/* Which process can the maps of 20 be copied from?  A reader has them in any case, whether it knows that process and its first thread or not. */
static uint32_t
forker(struct bench *w)
{
	struct pp_process *by = pp_state_forker(w->s, pp_state_process(w->s, 20));
	char was[128];

	snprintf(was, sizeof was, "%s", at(w, 20, 0x1000));
	for (unsigned mark = 0; mark < 4; mark++) {
		struct pp_stamp s = stamp(w);
		struct bench r;

		open_bench(&r, w->swap);
		out.to = r.s;
		if (by && mark & 1) {
			assert_int_equal(pp_state_write_process(w->s, by, &s, say, NULL), 1);
			by->mark = 1;
			pp_process_first(by)->mark = mark & 2 ? 1 : 0;		/* another thread may have its number since */
		}
		assert_int_equal(pp_state_write_process(w->s, pp_state_process(w->s, 20), &s, say, NULL), 1);
		assert_string_equal(at(&r, 20, 0x1000), was);
		if (by)
			by->mark = pp_process_first(by)->mark = 0;
		pp_state_free(r.s);
	}
	out.to = NULL;
	return by ? pp_process_first(by)->pid : 0;
}

static void
forkers(void **state)
{
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		shell(&w, swap);
		task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
		assert_int_equal(forker(&w), 10);
		assert_null(pp_state_forker(w.s, pp_state_process(w.s, 10)));
		comm(&w, 10, 10, "");				/* any name, as long as both have one */
		assert_int_equal(forker(&w), 10);
		map_at(&w, 2, 20, 0x5000, 0x1000, 0, "mine");
		assert_int_equal(forker(&w), 10);
		task_rec(&w, PP_EXIT, 0, 10, 10, 11, 10);
		assert_int_equal(forker(&w), 10);
		map_at(&w, 2, 10, 0x5000, 0x1000, 0, "other");
		assert_int_equal(forker(&w), 0);
		pp_state_free(w.s);

		shell(&w, swap);			/* it has ended */
		task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
		task_rec(&w, PP_EXIT, 0, 10, 1, 10, 1);
		assert_int_equal(forker(&w), 0);
		pp_state_free(w.s);

		open_bench(&w, swap);			/* it has no maps */
		comm(&w, 10, 10, "sh");
		task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
		assert_int_equal(forker(&w), 0);
		pp_state_free(w.s);

		shell(&w, swap);			/* perf's FORK copies nothing */
		task_rec(&w, PP_FORK, PP_MISC_FORK_EXEC, 20, 10, 20, 10);
		assert_int_equal(forker(&w), 0);
		pp_state_free(w.s);

		open_bench(&w, swap);			/* it has a name, which the child would get */
		map_at(&w, 2, 10, 0x1000, 0x1000, 0, "a");
		task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
		assert_int_equal(forker(&w), 10);
		comm(&w, 10, 10, "late");
		assert_int_equal(forker(&w), 0);
		comm(&w, 20, 20, "late");
		assert_int_equal(forker(&w), 10);
		pp_state_free(w.s);

		open_bench(&w, swap);			/* or had one when it forked, and is another's thread now */
		map_at(&w, 2, 10, 0x1000, 0x1000, 0, "a");
		task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
		comm(&w, 99, 10, "thread");
		comm(&w, 20, 20, "child");
		assert_int_equal(forker(&w), 0);
		pp_state_free(w.s);
	}
}

/* Numbers that have been used again: the process of that number is not the one that forked. */
static void
forkers_reused(void **state)
{
	struct bench w;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		shell(&w, swap);			/* the child has forked the parent, which shares the maps */
		task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
		task_rec(&w, PP_EXIT, 0, 10, 1, 10, 1);
		task_rec(&w, PP_FORK, 0, 10, 20, 10, 20);
		assert_int_equal(forker(&w), 0);
		pp_state_free(w.s);

		shell(&w, swap);			/* it has forked itself */
		task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
		task_rec(&w, PP_FORK, 0, 20, 20, 21, 20);
		task_rec(&w, PP_FORK, 0, 20, 20, 20, 20);
		assert_int_equal(forker(&w), 0);
		pp_state_free(w.s);

		shell(&w, swap);			/* its first thread is another process's now */
		task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
		task_rec(&w, PP_FORK, 0, 20, 20, 21, 20);
		comm(&w, 99, 20, "taken");
		assert_int_equal(forker(&w), 0);
		pp_state_free(w.s);

		shell(&w, swap);			/* its first thread was not forked, and -1 has the same maps */
		task_rec(&w, PP_FORK, 0, UINT32_MAX, 10, UINT32_MAX, 10);
		task_rec(&w, PP_FORK, 0, 20, 10, 21, 10);
		comm(&w, 20, 20, "first");
		assert_int_equal(forker(&w), 0);
		pp_state_free(w.s);
	}
}

/* ---- limits ---------------------------------------------------------------------------------------------- */

/* A record that would be too large with its trailer is left out. */
static void
too_large(void **state)
{
	struct bench w;
	struct pp_stamp s;
	char *name = malloc(1 << 16);
	size_t fits = (PP_RECORD_MAX - TRAILER) / 8 * 8 - PP_RAW_AT(MMAP, filename) - 1;

	(void)state;
	assert_non_null(name);
	memset(name, 'x', 1 << 16);
	for (unsigned more = 0; more < 2; more++) {
		open_bench(&w, false);
		s = stamp(&w);
		name[fits + more] = '\0';
		begin(&w, PP_MMAP, 2);
		put(&w, 10, 4);
		put(&w, 10, 4);
		put(&w, 0x1000, 8);
		put(&w, 0x1000, 8);
		put(&w, 0, 8);
		text(&w, name);
		feed(&w, 0);
		out.fail = 1;		/* which shows whether there is a record */
		assert_int_equal(pp_state_write_map(w.s, 10, pp_state_map(w.s, 10, PP_MISC_USER, 0x1000), &s, say, NULL), more ? 1 : -1);
		assert_int_equal(out.calls, !more);
		name[fits + more] = 'x';
		pp_state_free(w.s);
	}
	out.fail = 0;
	free(name);
}

static int
counted(void *arg, const struct pp_rec *r)
{
	unsigned *calls = arg;

	(void)r;
	return ++calls[0] == calls[1] ? -1 : 1;
}

/* Where put() fails, that is the end, and it is said. */
static void
put_fails(void **state)
{
	struct pp_stamp s;
	struct bench w;

	(void)state;
	shell(&w, false);
	task_rec(&w, PP_FORK, 0, 20, 10, 20, 10);
	namespaces(&w, 20, 20, 7);
	pp_state_process(w.s, 10)->mark = 1;
	map_at(&w, 2, 20, 0x9000, 0x1000, 0, "lib");
	s = stamp(&w);
	for (unsigned at = 1; at <= 5; at++) {		/* FORK, COMM, NAMESPACES, MMAP */
		unsigned calls[2] = { 0, at };

		assert_int_equal(pp_state_write_process(w.s, pp_state_process(w.s, 20), &s, counted, calls), at <= 4 ? -1 : 1);
		assert_int_equal(calls[0], at <= 4 ? at : 4);
		calls[0] = 0;
		assert_int_equal(pp_state_write_task(w.s, pp_state_task(w.s, 20), &s, counted, calls), at <= 3 ? -1 : 1);
		assert_int_equal(calls[0], at <= 3 ? at : 3);
		calls[0] = 0;
		assert_int_equal(pp_state_write_exit(w.s, pp_state_task(w.s, 20), &s, counted, calls), at <= 1 ? -1 : 1);
		calls[0] = 0;
		assert_int_equal(pp_state_write_map(w.s, 20, pp_state_map(w.s, 20, 2, 0x9000), &s, counted, calls), at <= 1 ? -1 : 1);
	}
	pp_state_free(w.s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_tasks), cmocka_unit_test(nameless), cmocka_unit_test(single_processes), cmocka_unit_test(forkers),
		cmocka_unit_test(forkers_reused), cmocka_unit_test(too_large), cmocka_unit_test(put_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
