/* SPDX-License-Identifier: ISC */
/*
 * Names of tracepoints from the tracing data payload.  The payloads are put together here, in both byte
 * orders, from texts as Linux 6.1 wrote them into a recording of perf 6.1.
 */
#include <stdlib.h>

#include "check.h"
#include "record/format.h"
#include "record/tracing.h"

#define HEADER_PAGE							\
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"	\
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"	\
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"	\
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n"
#define HEADER_EVENT							\
	"# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"	\
	"\tarray       :   32 bits\n\n\tpadding     : type == 29\n\ttime_extend : type == 30\n"	\
	"\ttime_stamp : type == 31\n\tdata max type_len  == 28\n"
#define FORMAT(name, id) "name: " name "\nID: " id "\nformat:\n"		\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"	\
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"	\
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"	\
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"		\
	"print fmt: \"comm=%s pid=%d\", REC->comm, REC->pid\n"

struct payload {
	uint8_t	 b[64 * 1024];
	size_t	 n;
	bool	 big;
};

static void
bytes(struct payload *p, const void *b, size_t n)
{
	assert_true(n <= sizeof p->b - p->n);
	memcpy(p->b + p->n, b, n);
	p->n += n;
}

static void
number(struct payload *p, uint64_t v, unsigned width)
{
	for (unsigned i = 0; i < width; i++) {
		unsigned at = p->big ? width - 1 - i : i;
		uint8_t b = (uint8_t)(v >> (8 * at));

		bytes(p, &b, 1);
	}
}

static void
text(struct payload *p, const char *s)
{
	number(p, strlen(s), 8);
	bytes(p, s, strlen(s));
}

static void
head(struct payload *p, bool big)
{
	*p = (struct payload){ .big = big };
	bytes(p, "\027\010\104tracing", 10);
	bytes(p, "0.6", 4);
	number(p, big, 1);
	number(p, 8, 1);
	number(p, 4096, 4);
	bytes(p, "header_page", 12);
	text(p, HEADER_PAGE);
	bytes(p, "header_event", 13);
	text(p, HEADER_EVENT);
}

static void
whole(struct payload *p, bool big)
{
	head(p, big);
	number(p, 2, 4);			/* ftrace's own */
	text(p, FORMAT("function", "1"));
	text(p, "");				/* an empty text names nothing */
	number(p, 3, 4);			/* systems */
	bytes(p, "sched", 6);
	number(p, 2, 4);
	text(p, FORMAT("sched_switch", "316"));
	text(p, FORMAT("sched_wakeup", "314"));
	bytes(p, "empty", 6);
	number(p, 0, 4);
	bytes(p, "syscalls", 9);
	number(p, 5, 4);
	text(p, FORMAT("sys_enter_openat", "697"));
	text(p, FORMAT("second_of_its_number", "697"));
	text(p, "name: no number\nformat:\n");
	text(p, "name: not_a_number\nID: 12a\n");
	text(p, "name: too_large\nID: 99999999999999999999\n");
	number(p, 26, 4);			/* kallsyms: not looked at */
	bytes(p, "ffffffff81000000 T _stext\n", 26);
	number(p, 5, 4);			/* printk formats */
	bytes(p, "%s %d", 5);
	number(p, 7, 8);			/* names of tasks */
	bytes(p, "1 init\n", 7);
}

static const struct { uint64_t id; const char *name; } want[] = {
	{ 1, "ftrace:function" }, { 314, "sched:sched_wakeup" }, { 316, "sched:sched_switch" },
	{ 697, "syscalls:sys_enter_openat" }, { 0, NULL }, { 12, NULL }, { 315, NULL }, { UINT64_MAX, NULL },
};

static void
is_whole(const struct pp_tracing *t)
{
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		const char *name = pp_tracing_name(t, want[i].id);

		if (want[i].name) {
			assert_non_null(name);
			assert_string_equal(name, want[i].name);
		} else
			assert_null(name);
	}
	assert_int_equal(pp_tracing_count(t), 4);
	assert_int_equal(pp_tracing_behind(t).kallsyms, 26);
	assert_int_equal(pp_tracing_behind(t).printk, 5);
	assert_int_equal(pp_tracing_behind(t).tasks, 7);
}

static struct payload p;

static void
pieces_of_any_size(void **state)
{
	(void)state;
	for (int big = 0; big <= 1; big++) {
		whole(&p, big);
		for (size_t piece = 1; piece < p.n + 7; piece = piece < 20 ? piece + 1 : 2 * piece + 1) {
			struct pp_tracing *t = pp_tracing_new();
			int rc = 1;

			assert_non_null(t);
			for (size_t at = 0; at < p.n; at += piece)
				rc = pp_tracing_feed(t, p.b + at, piece < p.n - at ? piece : p.n - at);
			assert_int_equal(rc, 0);
			is_whole(t);
			assert_int_equal(pp_tracing_feed(t, p.b, p.n), 0);	/* and stays so */
			is_whole(t);
			pp_tracing_free(t);
		}
	}
}

/* A prefix names what stood in it, and an allocation of its length shows any look beyond its end. */
static void
every_prefix(void **state)
{
	(void)state;
	whole(&p, false);
	size_t known = 0;
	for (size_t n = 0; n <= p.n; n++) {
		struct pp_tracing *t = pp_tracing_new();
		uint8_t *copy = malloc(n ? n : 1);

		memcpy(copy, p.b, n);
		pp_tracing_feed(t, copy, n);
		assert_true(pp_tracing_count(t) >= known);
		known = pp_tracing_count(t);
		free(copy);
		/* another payload begins anew, wherever the one before it has ended */
		pp_tracing_again(t);
		assert_int_equal(pp_tracing_read(t), 0);
		assert_int_equal(pp_tracing_size(t), 0);
		assert_true(pp_tracing_feed(t, p.b, p.n) >= 0);
		assert_int_equal(pp_tracing_size(t), p.n);
		assert_int_equal(pp_tracing_count(t), 4);
		pp_tracing_free(t);
	}
	assert_int_equal(known, 4);
}

static void
every_byte_flipped(void **state)
{
	(void)state;
	whole(&p, true);
	for (size_t i = 0; i < p.n; i++)
		for (unsigned flip = 1; flip <= 0xff; flip = 2 * flip + 1) {
			struct pp_tracing *t = pp_tracing_new();

			p.b[i] ^= (uint8_t)flip;
			pp_tracing_feed(t, p.b, p.n);
			assert_true(pp_tracing_count(t) <= 6);
			p.b[i] ^= (uint8_t)flip;
			pp_tracing_free(t);
		}
}

static void
not_a_payload(void **state)
{
	static const struct { const char *why, *b; size_t n; } rows[] = {
		{ "zeros", "\0\0\0\0\0\0\0\0\0\0\0\0", 12 },
		{ "another magic", "\027\010\104tracinh0.6\0\0\10\0\20\0\0header_page", 32 },
		{ "a pipe header", "PERFILE2\20\0\0\0\0\0\0\0", 16 },
		{ "a byte order of 2", "\027\010\104tracing0.6\0\2\10\0\20\0\0header_page", 32 },
		{ "another mark", "\027\010\104tracing0.6\0\0\10\0\20\0\0header_pag3", 32 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pp_tracing *t = pp_tracing_new();

		assert_int_equal(pp_tracing_feed(t, (const uint8_t *)rows[i].b, rows[i].n), 0);
		assert_int_equal(pp_tracing_count(t), 0);
		pp_tracing_free(t);
	}
}

static void
versions(void **state)
{
	static const char *const with[] = { "0.6", "0.60", "0.7", "0.9", ".6", "1", "1.0", "6", "10.1", "00.6" };
	static const char *const without[] = { "", "0", "0.5", "0.59", "0.10", "0.", ".", "x", "-1", "0x6" };

	(void)state;
	for (size_t i = 0; i < sizeof with / sizeof *with; i++)
		assert_true(pp_tracing_has_tasks(with[i]));
	for (size_t i = 0; i < sizeof without / sizeof *without; i++)
		assert_false(pp_tracing_has_tasks(without[i]));
}

/* Strings without an end and counts without entries take no memory and no time. */
static void
hostile(void **state)
{
	char name[400];
	struct pp_tracing *t = pp_tracing_new();

	(void)state;
	head(&p, false);
	number(&p, 0, 4);
	number(&p, UINT32_MAX, 4);
	memset(name, 'x', sizeof name);
	bytes(&p, name, sizeof name);
	assert_int_equal(pp_tracing_feed(t, p.b, p.n), 1);
	p.n = 0;				/* a system's name beyond any limit: nothing of it has a name, but the payload goes on */
	number(&p, 0, 1);
	number(&p, 1, 4);
	text(&p, FORMAT("nameless", "7"));
	bytes(&p, "named", 6);
	number(&p, 1, 4);
	text(&p, FORMAT("event", "8"));
	assert_int_equal(pp_tracing_feed(t, p.b, p.n), 1);
	assert_null(pp_tracing_name(t, 7));
	assert_string_equal(pp_tracing_name(t, 8), "named:event");
	pp_tracing_free(t);

	t = pp_tracing_new();
	head(&p, false);
	number(&p, 1, 4);
	number(&p, UINT64_MAX, 8);
	bytes(&p, "name: ", 6);
	bytes(&p, name, sizeof name);		/* a name beyond any limit */
	assert_int_equal(pp_tracing_feed(t, p.b, p.n), 1);
	assert_int_equal(pp_tracing_count(t), 0);
	pp_tracing_free(t);
}

static void
number_of_names_is_bounded(void **state)
{
	struct pp_tracing *t = pp_tracing_new();
	char format[64];

	(void)state;
	head(&p, false);
	number(&p, 0, 4);
	number(&p, 1, 4);
	bytes(&p, "many", 5);
	number(&p, UINT32_MAX, 4);
	assert_int_equal(pp_tracing_feed(t, p.b, p.n), 1);
	for (unsigned i = 0; i < 2 * PP_TRACING_MAX; i++) {
		p.n = 0;
		snprintf(format, sizeof format, "name: e%u\nID: %u\n", i, i);
		text(&p, format);
		assert_int_equal(pp_tracing_feed(t, p.b, p.n), 1);
	}
	assert_int_equal(pp_tracing_count(t), PP_TRACING_MAX);
	assert_string_equal(pp_tracing_name(t, 77), "many:e77");
	pp_tracing_free(t);
}

/* A second payload is read like the first, also if that ended in a system whose name is too long. */
static void
a_second_payload(void **state)
{
	struct pp_tracing *t = pp_tracing_new();
	char name[300];

	(void)state;
	memset(name, 'x', sizeof name);
	name[sizeof name - 1] = '\0';
	head(&p, false);
	number(&p, 0, 4);
	number(&p, 1, 4);
	bytes(&p, name, sizeof name);
	number(&p, 1, 4);
	text(&p, FORMAT("left_out", "5"));
	number(&p, 0, 4);
	number(&p, 0, 4);
	number(&p, 0, 8);
	assert_int_equal(pp_tracing_feed(t, p.b, p.n), 0);	/* it has ended */
	assert_int_equal(pp_tracing_size(t), p.n);
	assert_int_equal(pp_tracing_count(t), 0);
	pp_tracing_again(t);
	whole(&p, false);
	assert_int_equal(pp_tracing_feed(t, p.b, p.n), 0);	/* it has ended */
	is_whole(t);
	pp_tracing_free(t);
}

/* A text of that event, filled up to so many bytes, fed as an item of its own. */
static void
feed_format(struct pp_tracing *t, const char *name, unsigned id, size_t size)
{
	static uint8_t raw[8 + PP_FORMAT_TEXT + 2];
	int n = snprintf((char *)raw + 8, sizeof raw - 8, "name: %s\nID: %u\nformat:\n\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n\n"
	    "print fmt: \"", name, id);

	assert_true(n > 0 && (size_t)n <= size && size <= sizeof raw - 8);
	memset(raw + 8 + n, 'x', size - (size_t)n);
	for (unsigned i = 0; i < 8; i++)
		raw[i] = (uint8_t)((uint64_t)size >> 8 * i);
	assert_int_equal(pp_tracing_feed(t, raw, 8 + size), 1);
}

/* Little endian, with so many formats of one system to follow. */
static struct pp_tracing *
keeps(unsigned formats)
{
	struct pp_tracing *t = pp_tracing_new();

	assert_int_equal(pp_tracing_keep_formats(t), 1);
	assert_int_equal(pp_tracing_keep_formats(t), 1);		/* again */
	head(&p, false);
	number(&p, 0, 4);
	number(&p, 1, 4);
	bytes(&p, "sys", 4);
	number(&p, formats, 4);
	assert_int_equal(pp_tracing_feed(t, p.b, p.n), 1);
	return t;
}

/* Formats are kept up to 64 KiB, and 16 MiB together; of others there is the name, and the reason. */
static void
formats_are_bounded(void **state)
{
	enum { MANY = PP_FORMATS_BYTES / PP_FORMAT_TEXT };
	struct pp_tracing *t = keeps(MANY + 4);
	const struct pp_format *f;
	char name[16];

	(void)state;
	feed_format(t, "large", 5000, PP_FORMAT_TEXT + 1);
	assert_string_equal(pp_tracing_name(t, 5000), "sys:large");
	assert_null(pp_tracing_format(t, 5000));
	assert_string_equal(pp_tracing_format_error(t, 5000), "a text of more than 64 KiB");
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "e%u", i);
		feed_format(t, name, 100 + i, PP_FORMAT_TEXT);
		assert_non_null(f = pp_tracing_format(t, 100 + i));
		assert_null(pp_tracing_format_error(t, 100 + i));
		assert_int_equal(f->id, 100 + i);
		assert_int_equal(f->ntext, PP_FORMAT_TEXT);
		assert_string_equal(f->event, pp_tracing_name(t, 100 + i));
		assert_true(f->n == 1 && f->field->off == 8 && f->field->size == 4);
	}
	feed_format(t, "more", 6000, 128);
	assert_null(pp_tracing_format(t, 6000));
	assert_string_equal(pp_tracing_format_error(t, 6000), "texts of more than 16 MiB together");
	assert_non_null(pp_tracing_format(t, 100));
	assert_null(pp_tracing_format(t, 99));
	assert_null(pp_tracing_format_error(t, 99));
	assert_int_equal(pp_tracing_count(t), MANY + 2);
	pp_tracing_free(t);
}

/* Without being asked for none is kept; nor is one that is not sound, or the second of a number. */
static void
formats_kept(void **state)
{
	struct pp_tracing *t;

	(void)state;
	for (int big = 0; big <= 1; big++)
		for (int kept = 0; kept <= 1; kept++)
			for (size_t piece = 1; piece < 3000; piece *= 3) {
				t = pp_tracing_new();
				if (kept)
					assert_int_equal(pp_tracing_keep_formats(t), 1);
				whole(&p, big);
				for (size_t at = 0; at < p.n; at += piece)
					pp_tracing_feed(t, p.b + at, piece < p.n - at ? piece : p.n - at);
				is_whole(t);
				assert_int_equal(pp_tracing_swap(t), big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
				assert_int_equal(pp_tracing_format(t, 314) != NULL, kept);
				assert_null(pp_tracing_format_error(t, 314));
				if (kept) {
					const struct pp_format *f = pp_tracing_format(t, 697);

					assert_string_equal(f->event, "syscalls:sys_enter_openat");
					assert_int_equal(f->n, 4);
					assert_int_equal(f->ntext, strlen(FORMAT("sys_enter_openat", "697")));
					assert_memory_equal(f->text, FORMAT("sys_enter_openat", "697"), f->ntext);
				}
				pp_tracing_free(t);
			}
	t = pp_tracing_new();
	assert_int_equal(pp_tracing_keep_formats(t), 1);
	head(&p, false);
	number(&p, 0, 4);
	number(&p, 1, 4);
	bytes(&p, "sys", 4);
	number(&p, 1, 4);
	text(&p, "name: bad\nID: 9\nformat:\n\tfield:int x\n\n");
	assert_int_equal(pp_tracing_feed(t, p.b, p.n), 0);
	assert_string_equal(pp_tracing_name(t, 9), "sys:bad");
	assert_null(pp_tracing_format(t, 9));
	assert_string_equal(pp_tracing_format_error(t, 9), "a field without `;'");
	pp_tracing_free(t);
}

/* Names of systems and events may have 100 bytes; what has more is left out. */
static void
names_are_bounded(void **state)
{
	(void)state;
	for (size_t system = PP_FORMAT_EVENT - 1; system <= PP_FORMAT_EVENT + 1; system++)
		for (size_t event = PP_FORMAT_EVENT - 1; event <= PP_FORMAT_EVENT + 1; event++) {
			struct pp_tracing *t = pp_tracing_new();
			char name[2][PP_FORMAT_EVENT + 2], want_name[2 * sizeof *name], format[300];

			memset(name[0], 's', sizeof name[0]);
			memset(name[1], 'e', sizeof name[1]);
			name[0][system] = name[1][event] = 0;
			snprintf(format, sizeof format, "name: %s\nID: 4294967295\n", name[1]);
			snprintf(want_name, sizeof want_name, "%s:%s", name[0], name[1]);
			head(&p, false);
			number(&p, 0, 4);
			number(&p, 1, 4);
			bytes(&p, name[0], system + 1);
			number(&p, 1, 4);
			text(&p, format);
			assert_int_equal(pp_tracing_feed(t, p.b, p.n), 0);	/* names can come no more */
			if (system <= PP_FORMAT_EVENT && event <= PP_FORMAT_EVENT)
				assert_string_equal(pp_tracing_name(t, UINT32_MAX), want_name);
			else
				assert_int_equal(pp_tracing_count(t), 0);
			pp_tracing_free(t);
		}
}

/* Before version 0.6 there are no tasks: the payload ends behind the printk formats.  It has no size until it has ended. */
static void
ends(void **state)
{
	(void)state;
	for (unsigned tasks = 0; tasks < 2; tasks++)
		for (unsigned n = 0; n < 4; n += 3) {
			struct pp_tracing *t = pp_tracing_new();

			head(&p, false);
			p.b[12] = tasks ? '6' : '5';
			number(&p, 0, 4);
			number(&p, 0, 4);
			number(&p, n, 4);
			bytes(&p, "abc", n);
			number(&p, n, 4);
			bytes(&p, "abc", n);
			if (tasks) {
				number(&p, n, 8);
				bytes(&p, "abc", n);
			}
			for (size_t i = 0; i < p.n; i++) {
				assert_int_equal(pp_tracing_size(t), 0);
				assert_int_equal(pp_tracing_read(t), i);
				pp_tracing_feed(t, p.b + i, 1);
			}
			assert_int_equal(pp_tracing_size(t), p.n);
			assert_int_equal(pp_tracing_read(t), p.n);
			pp_tracing_feed(t, p.b, p.n);
			assert_int_equal(pp_tracing_size(t), p.n);
			assert_int_equal(pp_tracing_behind(t).kallsyms, n);
			assert_int_equal(pp_tracing_behind(t).printk, n);
			assert_int_equal(pp_tracing_behind(t).tasks, tasks ? n : 0);
			pp_tracing_free(t);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_of_any_size),
		cmocka_unit_test(every_prefix),
		cmocka_unit_test(every_byte_flipped),
		cmocka_unit_test(not_a_payload),
		cmocka_unit_test(versions),
		cmocka_unit_test(hostile),
		cmocka_unit_test(a_second_payload),
		cmocka_unit_test(number_of_names_is_bounded),
		cmocka_unit_test(formats_are_bounded),
		cmocka_unit_test(formats_kept),
		cmocka_unit_test(names_are_bounded),
		cmocka_unit_test(ends),
	};

	return cmocka_run_group_tests_name("tracing", tests, NULL, NULL);
}
