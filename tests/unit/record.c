/* SPDX-License-Identifier: ISC */
/*
 * Every record type: its name, its least size, its fields as they are shown, and that no count, string or size is
 * believed.  Layouts are written down here once more, by hand, from the kernel's and perf's headers.
 */
#include "record/event.h"
#include "record/judge.h"
#include "bytes.h"

/*
 * fields: NAME:N a number of N bytes, NAME:s a string (here "text", 8 bytes), NAME:bN bytes.
 * list: the fields of an entry, of which there are two (the field before counts them).  least: smallest legal size.
 */
static const struct row {
	uint32_t	 type;
	const char	*name;
	bool		 trailer;
	unsigned	 least;
	const char	*fields, *list;
} rows[] = {
	{ 1, "MMAP", 1, 41, "pid:4 tid:4 start:8 len:8 pgoff:8 filename:s", NULL },
	{ 2, "LOST", 1, 24, "id:8 lost:8", NULL },
	{ 3, "COMM", 1, 17, "pid:4 tid:4 comm:s", NULL },
	{ 4, "EXIT", 1, 32, "pid:4 ppid:4 tid:4 ptid:4 time:8", NULL },
	{ 5, "THROTTLE", 1, 32, "time:8 id:8 stream_id:8", NULL },
	{ 6, "UNTHROTTLE", 1, 32, "time:8 id:8 stream_id:8", NULL },
	{ 7, "FORK", 1, 32, "pid:4 ppid:4 tid:4 ptid:4 time:8", NULL },
	{ 8, "READ", 1, 16, "pid:4 tid:4 value:8 time_enabled:8 time_running:8 id:8 lost:8", NULL },
	{ 10, "MMAP2", 1, 73, "pid:4 tid:4 start:8 len:8 pgoff:8 inode_or_build_id:b24 prot:4 flags:4 filename:s", NULL },
	{ 11, "AUX", 1, 32, "aux_offset:8 aux_size:8 flags:8", NULL },
	{ 12, "ITRACE_START", 1, 16, "pid:4 tid:4", NULL },
	{ 13, "LOST_SAMPLES", 1, 16, "lost:8", NULL },
	{ 14, "SWITCH", 1, 8, "", NULL },
	{ 15, "SWITCH_CPU_WIDE", 1, 16, "next_prev_pid:4 next_prev_tid:4", NULL },
	{ 16, "NAMESPACES", 1, 24, "pid:4 tid:4 nr_namespaces:8", "dev:8 ino:8" },
	{ 17, "KSYMBOL", 1, 25, "addr:8 len:4 ksym_type:2 flags:2 name:s", NULL },
	{ 18, "BPF_EVENT", 1, 24, "bpf_type:2 flags:2 id:4 tag:b8", NULL },
	{ 19, "CGROUP", 1, 17, "id:8 path:s", NULL },
	{ 20, "TEXT_POKE", 1, 20, "addr:8 old_len:2=3 new_len:2=5 old_bytes:b3 new_bytes:b5", NULL },
	{ 21, "AUX_OUTPUT_HW_ID", 1, 16, "hw_id:8", NULL },
	{ 22, "CALLCHAIN_DEFERRED", 1, 24, "cookie:8 nr:8", "ip:8" },
	{ 65, "HEADER_EVENT_TYPE", 0, 16, "event_id:8 name:b64", NULL },
	{ 66, "HEADER_TRACING_DATA", 0, 12, "tracing_size:4 pad:4", NULL },
	{ 67, "HEADER_BUILD_ID", 0, 36, "pid:4 build_id:b20 id_size:b4 filename:s", NULL },
	{ 68, "FINISHED_ROUND", 0, 8, "", NULL },
	{ 69, "ID_INDEX", 0, 16, "nr:8", "id:8 idx:8 cpu:8 tid:8" },
	{ 70, "AUXTRACE_INFO", 0, 16, "auxtrace_type:4 reserved:4 priv:b24", NULL },
	{ 71, "AUXTRACE", 0, 48, "aux_size:8 offset:8 reference:8 idx:4 tid:4 cpu:4 reserved:4", NULL },
	{ 72, "AUXTRACE_ERROR", 0, 49, "error_type:4 code:4 cpu:4 pid:4 tid:4 fmt:4 ip:8 time:8 msg:s", NULL },
	{ 73, "THREAD_MAP", 0, 16, "nr:8", "pid:8 comm:b16" },
	{ 75, "STAT_CONFIG", 0, 16, "nr:8", "tag:8 val:8" },
	{ 76, "STAT", 0, 48, "id:8 cpu:4 thread:4 val:8 ena:8 run:8", NULL },
	{ 77, "STAT_ROUND", 0, 24, "round_type:8 time:8", NULL },
	{ 78, "EVENT_UPDATE", 0, 24, "update_type:8=0 id:8 unit:s", NULL },
	{ 78, "EVENT_UPDATE", 0, 24, "update_type:8=1 id:8 scale:8", NULL },
	{ 78, "EVENT_UPDATE", 0, 24, "update_type:8=2 id:8 name:s", NULL },
	{ 78, "EVENT_UPDATE", 0, 24, "update_type:8=9 id:8 data:b8", NULL },
	{ 79, "TIME_CONV", 0, 32, "time_shift:8 time_mult:8 time_zero:8 time_cycles:8 time_mask:8 cap_user_time:b2 unused:b6", NULL },
	{ 80, "HEADER_FEATURE", 0, 16, "feat_id:8 payload:b13", NULL },
	{ 81, "COMPRESSED", 0, 8, "data:b5", NULL },
	{ 82, "FINISHED_INIT", 0, 8, "", NULL },
	{ 83, "COMPRESSED2", 0, 16, "data_size:8 data:b8", NULL },
	{ 84, "BPF_METADATA", 0, 528, "prog_name:b512 nr_entries:8", "key:b64 value:b256" },
	{ 85, "SCHEDSTAT_CPU", 0, 24, "timestamp:8 cpu:4 version:2 pad:2 counters:b48", NULL },
	{ 86, "SCHEDSTAT_DOMAIN", 0, 24, "timestamp:8 cpu:4 version:2 domain:2 counters:b184", NULL },
};
enum { TRAILER = 48 };		/* TID TIME ID STREAM_ID CPU IDENTIFIER */

struct shown {			/* what the visitor saw, in the manner of rows[]; and the bytes it covered */
	char	 text[4096];
	const uint8_t *next;	/* NULL: fields may leave gaps */
};

static int
see(void *arg, const struct pp_value *v)
{
	struct shown *s = arg;
	size_t n = strlen(s->text);
	bool number = v->kind == PP_K_UINT || v->kind == PP_K_SINT || v->kind == PP_K_HEX || v->kind == PP_K_F64;

	if (s->next) {
		assert_ptr_equal(v->p, s->next);
		s->next += v->kind == PP_K_STR ? 8 : v->len;
	}
	if (v->kind == PP_K_STR) {
		assert_true(v->len == 4 && !memcmp(v->p, "text", 5));
		snprintf(s->text + n, sizeof s->text - n, "%s:s ", v->name);
	} else
		snprintf(s->text + n, sizeof s->text - n, "%s:%s%zu ", v->name, number ? "" : "b", v->len);
	return 1;
}

/* Put the fields down with made-up values; the text that the visitor should see goes to `want'. */
static void
put_fields(struct bytes *b, const char *fields, uint64_t count, char *want)
{
	char all[512], *w, *p = all, *next;

	snprintf(all, sizeof all, "%s", fields);
	while ((w = strsep(&p, " "))) {
		char *kind = strchr(w, ':'), *is;
		uint64_t v = 0x4142434445464748;

		if (!kind)
			continue;
		if ((is = strchr(w, '='))) {
			*is = 0;
			v = strtoull(is + 1, NULL, 0);
		} else if (count && p == NULL)
			v = count;
		sprintf(want + strlen(want), "%s ", w);
		kind++;
		if (*kind == 's')
			put_text(b, "text", 8);
		else if (*kind == 'b')
			put_text(b, "", strtoul(kind + 1, &next, 10));
		else
			put(b, v, (unsigned)strtoul(kind, &next, 10));
	}
}

static struct pp_event *
event(struct pp_events *e, struct bytes *b)
{
	struct pp_attr a = { .type = 1, .size = 64, .read_format = 0x17, .flags = 1 << 18, .sample_type = PP_SAMPLE_TID |
	    PP_SAMPLE_TIME | PP_SAMPLE_ID | PP_SAMPLE_STREAM_ID | PP_SAMPLE_CPU | PP_SAMPLE_IDENTIFIER };
	struct pp_err err;
	struct pp_rec r = put_attr(b, &a, 0, NULL);

	assert_int_equal(pp_events_learn(e, &r, &err), 1);
	b->n = 0;
	return e->ev[0];
}

struct stop { unsigned at, seen; };

static int
stop(void *arg, const struct pp_value *v)
{
	struct stop *s = arg;

	(void)v;
	return ++s->seen < s->at;
}

/* A visitor that has seen enough is not called again, wherever it stops. */
static void
stops(const struct pp_rec *r, const struct pp_event *ev, bool swap)
{
	struct stop all = { .at = UINT32_MAX };
	struct pp_err err = { 0 };

	assert_int_equal(pp_walk(r, ev, swap, stop, &all, &err), 1);
	for (unsigned at = 1; at <= all.seen; at++) {
		struct stop s = { .at = at };

		assert_int_equal(pp_walk(r, ev, swap, stop, &s, &err), 0);
		assert_int_equal(s.seen, at);
	}
}

static void
one(const struct row *row, bool swap)
{
	static struct bytes b;
	struct pp_events *e = pp_events_new(swap);
	struct pp_event *ev = event(e, (b.n = 0, b.swap = swap, &b));
	struct shown s = { .text = "" };
	struct pp_err err = { 0 };
	struct pp_rec r;
	char want[4096] = "";
	size_t at = begin_rec(&b, row->type, 0);

	put_fields(&b, row->fields, row->list ? 2 : 0, want);
	for (int i = 0; i < 2 && row->list; i++)
		put_fields(&b, row->list, 0, want);
	if (row->trailer) {
		put_text(&b, "", TRAILER);
		strcat(want, "pid:4 tid:4 time:8 id:8 stream_id:8 cpu:4 reserved:4 identifier:8 ");
	}
	r = end_rec(&b, at);
	s.next = r.raw + 8;
	if (pp_walk(&r, ev, swap, see, &s, &err) != 1)
		fail_msg("%s: %s", row->name, err.what);
	assert_string_equal(s.text, want);
	assert_ptr_equal(s.next, r.raw + r.size);
	assert_int_equal(pp_check(&r, swap, &err), 1);
	stops(&r, ev, swap);

	/* Without its event the same, but for READ's values and the trailer. */
	assert_int_equal(pp_walk(&r, NULL, swap, NULL, NULL, &err), 1);
	/* Of every size: no read behind the end; under the least never sound. */
	for (uint16_t n = 8; n < r.size; n++) {
		uint8_t *cut = malloc(n);
		struct pp_rec c = { .raw = cut, .type = row->type, .size = n };

		memcpy(cut, r.raw, n);
		err.what[0] = 0;
		assert_int_equal(pp_check(&c, swap, &err) > 0 && n < row->least, 0);
		s.text[0] = 0;
		s.next = NULL;
		err.what[0] = 0;
		if (pp_walk(&c, ev, swap, see, &s, &err) < 0)
			assert_true(err.what[0]);
		free(cut);
	}
	pp_events_free(e);
}

static void
test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int swap = 0; swap < 2; swap++)
			one(&rows[i], swap);
}

/* An attr of each size that perf has written, or will, and ids behind it. */
static void
test_attr(void **state)
{
	static const uint64_t ids[] = { 1, 2, 3 };
	static struct bytes b;

	(void)state;
	for (unsigned i = 0; i < 2 * 12; i++) {
		struct pp_attr a = { .type = 1, .size = 64 + 8 * (i / 2) };
		struct pp_rec r;

		b.n = 0;
		b.swap = i % 2;
		r = put_attr(&b, &a, 3, ids);
		stops(&r, NULL, b.swap);
	}
}

static void
test_names(void **state)
{
	char text[64];
	bool known[256] = { [9] = true, [64] = true, [74] = true };

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];

		known[row->type] = true;
		assert_string_equal(pp_type_name(row->type), row->name);
		assert_int_equal(pp_type_number(row->name), row->type);
		snprintf(text, sizeof text, "perf_record_%s", row->name);
		assert_int_equal(pp_type_number(text), row->type);
		assert_int_equal(pp_type_min(row->type), row->least);
		assert_int_equal(pp_type_has_trailer(row->type), row->trailer);
	}
	assert_string_equal(pp_type_name(9), "SAMPLE");
	assert_false(pp_type_has_trailer(9));
	for (unsigned type = 0; type < 256; type++)	/* a type of record.def without a row here? */
		assert_int_equal(pp_type_name(type) != NULL, known[type]);
	assert_null(pp_type_name(UINT32_MAX));
	assert_int_equal(pp_type_min(4711), 8);
	assert_int_equal(pp_type_number("4711"), 4711);
	assert_int_equal(pp_type_number("0"), 0);
	assert_int_equal(pp_type_number("9"), 9);
	assert_int_equal(pp_type_number("99"), 99);
	assert_int_equal(pp_type_number("4294967295"), UINT32_MAX);
	assert_int_equal(pp_type_number("4294967296"), -1);
	assert_int_equal(pp_type_number("/1"), -1);
	assert_int_equal(pp_type_number(":1"), -1);
	assert_int_equal(pp_type_number("PERF_RECORD_"), -1);
	assert_int_equal(pp_type_number("nosuch"), -1);
	assert_int_equal(pp_type_number(""), -1);
	assert_int_equal(pp_type_number("9x"), -1);
	assert_int_equal(pp_type_number("99999999999"), -1);
	assert_int_equal(pp_type_number("-1"), -1);
}

/* Counts and strings that are larger than the record. */
static void
test_lies(void **state)
{
	static const struct { uint32_t type; const char *fields; unsigned entry; } lists[] = {
		{ 16, "pid:4 tid:4 nr:8", 16 }, { 22, "cookie:8 nr:8", 8 }, { 69, "nr:8", 32 }, { 73, "nr:8", 24 },
		{ 75, "nr:8", 16 },
	};
	static const uint64_t counts[] = { 3, 1 << 20, UINT64_C(1) << 59, UINT64_C(1) << 61, UINT64_MAX };
	static const struct { uint32_t type; unsigned before; } strings[] = { { 1, 32 }, { 3, 8 }, { 10, 64 }, { 17, 16 },
	    { 19, 8 }, { 72, 40 } };
	struct bytes *b = calloc(1, sizeof *b);
	char want[256] = "";

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		b->swap = swap;
		for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
			for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
				struct pp_err err = { 0 };
				struct pp_rec r;
				size_t at;

				b->n = 0;
				at = begin_rec(b, lists[i].type, 0);
				put_fields(b, lists[i].fields, counts[k], want);
				put_text(b, "", 2 * lists[i].entry);
				r = end_rec(b, at);
				assert_int_equal(pp_check(&r, swap, &err), -1);
				assert_non_null(strstr(err.what, "counts "));
				want[0] = 0;
			}
		for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
			struct pp_err err = { 0 };
			struct pp_rec r;
			size_t at = b->n = 0;

			begin_rec(b, strings[i].type, 0);
			memset(bytes_p(b) + 8, 'x', strings[i].before + 16);
			b->n += strings[i].before + 16;
			r = end_rec(b, at);
			assert_int_equal(pp_check(&r, swap, &err), -1);
			assert_non_null(strstr(err.what, "has no NUL"));
			store(b, r.size - 1u, 0, 1);
			assert_int_equal(pp_check(&r, swap, &err), 1);
		}
	}
	free(b);
}

/* Where the event is known, its trailer is no part of the fields: no string or list goes on in it. */
static void
test_trailer(void **state)
{
	static struct bytes b;

	(void)state;
	for (int swap = 0; swap < 2; swap++)
		for (unsigned list = 0; list < 2; list++)
			for (unsigned lies = 0; lies < 2; lies++) {
				struct pp_events *e = pp_events_new(swap);
				struct pp_event *ev = event(e, (b.n = 0, b.swap = swap, &b));
				struct pp_err err = { 0 };
				struct stop all = { .at = UINT32_MAX };
				struct pp_rec r;
				size_t at = begin_rec(&b, list ? PP_CALLCHAIN_DEFERRED : PP_COMM, 0);

				if (list) {
					put(&b, 77, 8);
					put(&b, 2 + lies, 8);
				} else
					put(&b, 1, 8);
				put_text(&b, lies ? "0123456789abcdef" : "0123456789abcde", 16);
				put_text(&b, "", TRAILER);
				r = end_rec(&b, at);
				assert_int_equal(pp_walk(&r, ev, swap, stop, &all, &err), lies ? -1 : 1);
				assert_string_equal(err.what, !lies ? "" : list ? "counts 3 entries, only 2 fit" : "comm has no NUL");
				assert_int_equal(pp_walk(&r, NULL, swap, NULL, NULL, &err), 1);	/* it is not known where they end */
				/* the trailer itself, if there is room for it */
				r.size = (uint16_t)(8 + TRAILER - 8);
				all.seen = 0;
				err.what[0] = 0;
				if (!list)
					assert_int_equal(pp_walk(&r, ev, swap, stop, &all, &err), 1);
				pp_events_free(e);
			}
}

static void
test_cpu_map(void **state)
{
	/* Behind the header: bytes, in little endian; what is seen, or NULL: not sound, and why. */
	static const struct { const char *hex, *want, *error; } maps[] = {
		{ "0000 0200 0300 0400", "map_type:2 nr:2 cpu:2 cpu:2 ", NULL },
		{ "0000 0300 0300 0400", NULL, "counts 3 entries, only 2 fit" },
		{ "0100 0100 0400 ff000000 0000 0000 0000", "map_type:2 nr:2 long_size:2 cpu:4 ", NULL },
		{ "0100 0100 0800 00000000 ff00000000000000", "map_type:2 nr:2 long_size:2 pad:b4 cpu:8 ", NULL },
		{ "0100 0200 0800 00000000 ff00000000000000", NULL, "counts 2 entries, only 1 fit" },
		{ "0100 0100 0300 00000000 ff00000000000000", NULL, NULL },
		{ "0200 00 00 0000 0100", "map_type:2 any_cpu:1 pad:1 start_cpu:2 end_cpu:2 ", NULL },
		{ "0700 0102 0304 0506", "map_type:2 map:b6 ", NULL },
		{ "0000 0000", NULL, NULL },
	};
	struct bytes *b = calloc(1, sizeof *b);

	(void)state;
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
		struct shown s = { .text = "" };
		struct pp_err err = { 0 };
		struct pp_rec r;
		size_t at = b->n = 0;
		unsigned byte;

		begin_rec(b, 74, 0);
		for (const char *p = maps[i].hex; *p; p += *p == ' ' ? 1 : 2)
			if (*p != ' ' && sscanf(p, "%2x", &byte) == 1)
				put(b, byte, 1);
		r = end_rec(b, at);
		s.next = r.raw + 8;
		assert_int_equal(pp_walk(&r, NULL, BIG_HERE, see, &s, &err), maps[i].want ? 1 : -1);
		if (maps[i].want)
			assert_string_equal(s.text, maps[i].want);
		else if (maps[i].error)
			assert_string_equal(err.what, maps[i].error);
	}
	free(b);
}

static void
test_payload(void **state)
{
	static const struct { uint32_t type; unsigned width, body; uint64_t n; } says[] = {
		{ 66, 4, 16, 1234567 }, { 66, 4, 12, 1234567 }, { 71, 8, 48, UINT64_C(0x123456789a) }, { 71, 8, 48, 0 },
	};
	struct bytes *b = calloc(1, sizeof *b);

	(void)state;
	for (size_t i = 0; i < 2 * sizeof says / sizeof *says; i++) {
		struct pp_rec r;
		size_t at = b->n = 0;

		b->swap = i & 1;
		begin_rec(b, says[i / 2].type, 0);
		put(b, says[i / 2].n, says[i / 2].width);
		put_text(b, "", says[i / 2].body - 8 - says[i / 2].width);
		r = end_rec(b, at);
		assert_int_equal(pp_payload_size(&r, b->swap), says[i / 2].n);
	}
	free(b);
}

/*
 * Strings of all lengths up to two words: the fields end at a multiple of 8 behind the NUL.  What fits exactly needs no walk: records of
 * fields of fixed size and strings do so, if nothing lacks and nothing is too much.
 */
static void
test_ends(void **state)
{
	static const char text[] = "0123456789abcdef";
	static struct bytes b;
	struct pp_err err;

	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i / 2];
		const char *last = strstr(row->fields, ":s");

		b.swap = i & 1;
		for (size_t n = 0; last && n <= 16; n++) {
			char fields[256], want[512] = "";
			struct pp_rec r;
			size_t at = b.n = 0, ends;

			begin_rec(&b, row->type, 0);
			snprintf(fields, sizeof fields, "%.*s", (int)(last - row->fields), row->fields);
			*(strrchr(fields, ' ') ? strrchr(fields, ' ') : fields) = 0;
			put_fields(&b, fields, 0, want);
			ends = (b.n + n + 1 + 7) & ~(size_t)7;
			put_text(&b, text + 16 - n, ends - b.n);
			put_text(&b, "", row->trailer ? TRAILER : 0);
			r = end_rec(&b, at);
			assert_int_equal(pp_fields_end(&r, b.swap, &err), ends);
			assert_int_equal(pp_check(&r, b.swap, &err), 1);
			if (!row->trailer)
				continue;
			assert_true(pp_fits(&r, TRAILER));
			assert_false(pp_fits(&r, TRAILER - 8));
			assert_false(pp_fits(&r, TRAILER + 8));
		}
	}
}

static void
test_fits(void **state)
{
	static const uint32_t fixed[] = { 2, 4, 5, 6, 7, 11, 12, 14, 15, 18 };
	uint8_t raw[256] = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		for (uint16_t size = 8; size < sizeof raw; size += 8) {
			struct pp_rec r = { .raw = raw, .type = fixed[i], .size = size };

			assert_int_equal(pp_fits(&r, TRAILER), size == pp_type_min(fixed[i]) + TRAILER);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows), cmocka_unit_test(test_attr), cmocka_unit_test(test_names), cmocka_unit_test(test_lies),
		cmocka_unit_test(test_trailer), cmocka_unit_test(test_cpu_map), cmocka_unit_test(test_payload), cmocka_unit_test(test_ends), cmocka_unit_test(test_fits),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
