/* SPDX-License-Identifier: ISC */
/* Fields of tracepoints by format texts, and their values in payloads. */
#include <stdlib.h>

#include "check.h"
#include "record/format.h"
#include "record/payload_role.h"
#include "record/tracing.h"

#define HEAD "name: e\nID: 7\nformat:\n"

static struct pp_format *
parsed(const char *lines)
{
	char text[8192];
	const char *why = NULL;
	struct pp_format *f;
	int n = snprintf(text, sizeof text, HEAD "%s\nprint fmt: \"%%d field:int no;\", REC->x\n\tfield:int no;\toffset:0;\tsize:4;\n",
	    lines);

	assert_true(n > 0 && (size_t)n < sizeof text);
	f = pp_format_parse("sys", text, (size_t)n, 8, &why);
	if (!f)
		print_message("%s: %s\n", lines, why);
	assert_non_null(f);
	assert_null(pp_format_field(f, "no", 2));
	return f;
}

/* Declaration, size, `signed' (NULL: the line has none), and the type that the field has; NULL: the line gives no field. */
static const struct { const char *decl; unsigned size; const char *sign, *type; } decls[] = {
	/* as kernels of 4.19 to 6.18 write them */
	{ "unsigned short x", 2, "0", "u16" },
	{ "int x", 4, "1", "s32" },
	{ "int x", 8, "0", "u64" },		/* arguments of system calls are 8 bytes */
	{ "pid_t x", 4, "1", "s32" },
	{ "unsigned x", 4, "0", "u32" },
	{ "dev_t x", 4, "0", "u32" },
	{ "enum xfs_group_type x", 1, "0", "u8" },
	{ "bool x", 1, "0", "u8" },
	{ "char x", 1, "0", "u8" },
	{ "char x", 1, "1", "s8" },
	{ "long long x", 8, "1", "s64" },
	{ "char x[16]", 16, "0", "char[16]" },
	{ "char x[16]", 16, "1", "char[16]" },
	{ "char x[TASK_COMM_LEN]", 16, "1", "char[16]" },
	{ "const char x[16]", 16, "1", "char[16]" },
	{ "unsigned char x[6]", 6, "0", "u8[6]" },
	{ "__u8 x[28]", 28, "0", "u8[28]" },
	{ "unsigned long x[6]", 48, "0", "u64[6]" },
	{ "long x[3]", 24, "1", "s64[3]" },
	{ "unsigned int x[10]", 40, "0", "u32[10]" },
	{ "u32 x[MANY]", 40, "0", "u32[10]" },
	{ "thing_t x[2]", 8, "0", "u32[2]" },
	{ "const char * x", 8, "0", "u64" },
	{ "const char *const * x", 8, "0", "u64" },
	{ "void* x", 8, "1", "u64" },
	{ "void *x", 4, "0", "u32" },
	{ "void __seg_gs * x", 8, "0", "u64" },
	{ "struct mm_struct * x", 8, "0", "u64" },
	{ "void * x[2]", 16, "1", "u64[2]" },
	{ "__data_loc char[] x", 4, "0", "__data_loc char[]" },
	{ "__data_loc u64[] x", 4, "0", "__data_loc u64[]" },
	{ "__data_loc unsigned int[] x", 4, "0", "__data_loc u32[]" },
	{ "__data_loc __s32[] x", 4, "1", "__data_loc s32[]" },
	{ "__data_loc unsigned long[] x", 4, "0", "__data_loc u64[]" },
	{ "__data_loc cpumask_t x", 4, "0", "__data_loc cpumask" },
	{ "__data_loc cpumask_t[] x", 4, "0", "__data_loc cpumask" },
	{ "__rel_loc char[] x", 4, "0", "__rel_loc char[]" },
	{ "__rel_loc char x[]", 4, "0", "__rel_loc char[]" },
	{ "__rel_loc cpumask_t x", 4, "0", "__rel_loc cpumask" },
	/* no number, no text */
	{ "struct in6_addr x", 16, "0", "bytes[16]" },
	{ "struct timespec x", 8, "0", "bytes[8]" },
	{ "union u x", 4, "0", "bytes[4]" },
	{ "struct s x[2]", 8, "0", "bytes[8]" },
	{ "unsigned long x[]", 0, "0", "bytes[0]" },
	{ "char x[]", 0, "0", "bytes[0]" },
	{ "int x:3", 4, "1", "bytes[4]" },
	{ "int x : 3", 4, "1", "bytes[4]" },
	{ "u32 x[3]", 10, "0", "bytes[10]" },
	{ "u32 x[2]", 6, "0", "bytes[6]" },
	{ "thing_t x[MANY]", 8, "0", "bytes[8]" },
	{ "u64 x", 3, "0", "bytes[3]" },
	{ "char x[2][8]", 16, "0", "bytes[16]" },
	{ "char[8] x", 8, "0", "bytes[8]" },
	{ "void (*fn)(int) x", 8, "0", "bytes[8]" },
	{ "cpumask_t x", 8, "0", "bytes[8]" },
	{ "__data_loc struct s[] x", 4, "0", "__data_loc bytes[]" },
	{ "__data_loc thing_t[] x", 4, "0", "__data_loc bytes[]" },
	{ "__data_loc char[] x", 8, "0", "__data_loc bytes[]" },
	/* without `signed', as before 2.6.31 */
	{ "int x", 4, NULL, "s32" },
	{ "unsigned int x", 4, NULL, "u32" },
	{ "long unsigned int x", 8, NULL, "u64" },
	{ "long int x", 8, NULL, "s64" },
	{ "short int x", 2, NULL, "s16" },
	{ "unsigned long long x", 8, NULL, "u64" },
	{ "pid_t x", 4, NULL, "s32" },
	{ "u8 x", 1, NULL, "u8" },
	{ "__s16 x", 2, NULL, "s16" },
	{ "void * x", 8, NULL, "u64" },
	{ "bool x", 1, NULL, "u8" },
	{ "thing_t x", 4, NULL, "u32" },
	/* no name */
	{ "", 4, "0", NULL },
	{ "int 9", 4, "0", NULL },
	{ "int (*x)", 4, "0", NULL },
	{ "int x]", 4, "0", NULL },
};

static void
declarations(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof decls / sizeof *decls; i++) {
		char line[256], type[PP_FORMAT_TYPE];
		const struct pp_payload_field *x;
		struct pp_format *f;

		snprintf(line, sizeof line, "\tfield:%s;\toffset:12;\tsize:%u;%s%s%s\n", decls[i].decl, decls[i].size,
		    decls[i].sign ? "\tsigned:" : "", decls[i].sign ? decls[i].sign : "", decls[i].sign ? ";" : "");
		f = parsed(line);
		x = pp_format_field(f, "x", 1);
		if (f->n != (decls[i].type != NULL))
			print_message("%s\n", decls[i].decl);
		assert_int_equal(f->n, decls[i].type != NULL);
		if (decls[i].type) {
			assert_non_null(x);
			pp_payload_type(x, type, sizeof type);
			if (strcmp(type, decls[i].type))
				print_message("%s\n", decls[i].decl);
			assert_string_equal(type, decls[i].type);
			assert_int_equal(x->off, 12);
			assert_int_equal(x->size, decls[i].size);
			assert_int_equal(x->pointer, strchr(decls[i].decl, '*') && !strchr(decls[i].decl, '('));
		}
		pp_format_free(f);
	}
}

#define SWITCH HEAD							\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"	\
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"	\
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"	\
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"		\
	"\tfield:u64 pid;\toffset:32;\tsize:8;\tsigned:0;\n"		\
	"\nprint fmt: \"x\"\n"

static void
whole(void **state)
{
	const char *why;
	struct pp_format *f = pp_format_parse("sched", SWITCH, strlen(SWITCH), 8, &why);

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->id, 7);
	assert_string_equal(f->event, "sched:e");
	assert_int_equal(f->ntext, strlen(SWITCH));
	assert_memory_equal(f->text, SWITCH, f->ntext);
	assert_int_equal(f->n, 4);		/* the first `pid' counts */
	assert_int_equal(pp_format_field(f, "pid", 3)->off, 24);
	assert_null(pp_format_field(f, "pi", 2));
	assert_null(pp_format_field(f, "pidx", 4));
	assert_null(pp_format_field(f, "", 0));
	pp_format_free(f);

	/* a long of 4 bytes */
	f = pp_format_parse("s", HEAD "\tfield:__data_loc unsigned long[] x;\toffset:0;\tsize:4;\tsigned:0;", 22 + 64, 4, &why);
	assert_non_null(f);
	assert_int_equal(f->field[0].width, 4);
	pp_format_free(f);
	pp_format_free(NULL);
}

#define NAME64 "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
static const struct { const char *text, *why; } refused[] = {
	{ "", "a text without name and ID" },
	{ "name: e\n", "a text without name and ID" },
	{ "name: \nID: 7\n", "a text without name and ID" },
	{ "name: e\nID: 7", "a text without name and ID" },
	{ "name: e\nID: -7\n", "a text without name and ID" },
	{ "name: e\nID: 7a\n", "a text without name and ID" },
	{ "name: e\nID: 99999999999999999999\n", "a text without name and ID" },
	{ "name: " NAME64 NAME64 "\nID: 7\n", "a text without name and ID" },
	{ HEAD "\tfield:int x", "a field without `;'" },
	{ HEAD "\tfield:int x\n;", "a field without `;'" },
	{ HEAD "\tfield:int x;", "a field without a valid offset and size" },
	{ HEAD "\tfield:int x;\toffset:0;", "a field without a valid offset and size" },
	{ HEAD "\tfield:int x;\tsize:4;\toffset:0;", "a field without a valid offset and size" },
	{ HEAD "\tfield:int x;\toffset:-1;\tsize:4;", "a field without a valid offset and size" },
	{ HEAD "\tfield:int x;\toffset:0x1;\tsize:4;", "a field without a valid offset and size" },
	{ HEAD "\tfield:int x;\toffset:18446744073709551616;\tsize:4;", "a field without a valid offset and size" },
	{ HEAD "\tfield:int x;\toffset:0;\tsize:4", "a field without a valid offset and size" },
	{ HEAD "\tfield:int x;\toffset:65532;\tsize:4;", "a field beyond 65535 bytes" },
	{ HEAD "\tfield:int x;\toffset:4294967;\tsize:4;", "a field without a valid offset and size" },
	{ HEAD "\tfield:int " NAME64 NAME64 NAME64 NAME64 ";\toffset:0;\tsize:4;", "a field with a name of more than 255 bytes" },
};

static void
limits(void **state)
{
	static char text[PP_FORMAT_TEXT + 2];
	const char *why;
	struct pp_format *f;
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		why = NULL;
		f = pp_format_parse("s", refused[i].text, strlen(refused[i].text), 8, &why);
		if (f)
			print_message("%s\n", refused[i].text);
		assert_null(f);
		assert_string_equal(why, refused[i].why);
	}
	for (unsigned fields = PP_FORMAT_FIELDS; fields <= PP_FORMAT_FIELDS + 1; fields++) {
		n = (size_t)sprintf(text, HEAD);
		for (unsigned i = 0; i < fields; i++)
			n += (size_t)sprintf(text + n, "\tfield:int f%u;\toffset:%u;\tsize:4;\tsigned:1;\n", i, 4 * i);
		f = pp_format_parse("s", text, n, 8, &why);
		assert_true((f != NULL) == (fields == PP_FORMAT_FIELDS));
		if (f)
			assert_int_equal(pp_format_field(f, "f255", 4)->off, 1020);
		else
			assert_string_equal(why, "more than 256 fields");
		pp_format_free(f);
	}
	memset(text, '#', sizeof text);
	memcpy(text, HEAD, strlen(HEAD));
	f = pp_format_parse("s", text, PP_FORMAT_TEXT, 8, &why);
	assert_non_null(f);
	pp_format_free(f);
	assert_null(pp_format_parse("s", text, PP_FORMAT_TEXT + 1, 8, &why));
	assert_string_equal(why, "a text of more than 64 KiB");
}

/* Each prefix of a text is parsed or refused, and reads no byte behind it. */
static void
prefixes(void **state)
{
	const char *why;

	(void)state;
	for (size_t n = 0; n <= strlen(SWITCH); n++) {
		char *copy = malloc(n ? n : 1);

		memcpy(copy, SWITCH, n);
		pp_format_free(pp_format_parse("s", copy, n, 8, &why));
		free(copy);
	}
}

static void
values(void **state)
{
	/* common_type 7, s16 -2 at 2, dynamic at 4: 3 bytes at 12, relative at 8: 4 bytes at 12 + 3 */
	static const uint8_t little[20] = { 7, 0, 0xfe, 0xff, 12, 0, 3, 0, 3, 0, 4, 0, 'a', 'b', 0, 'w', 'x', 'y', 'z', 9 };
	static const uint8_t big[20] = { 0, 7, 0xff, 0xfe, 0, 3, 0, 12, 0, 4, 0, 3, 'a', 'b', 0, 'w', 'x', 'y', 'z', 9 };
	struct pp_format *f = parsed("\tfield:unsigned short t;\toffset:0;\tsize:2;\tsigned:0;\n"
	    "\tfield:short s;\toffset:2;\tsize:2;\tsigned:1;\n\tfield:__data_loc char[] d;\toffset:4;\tsize:4;\tsigned:0;\n"
	    "\tfield:__rel_loc char[] r;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:char c[4];\toffset:12;\tsize:4;\tsigned:0;\n"
	    "\tfield:u64 last;\toffset:12;\tsize:8;\tsigned:0;\n");

	(void)state;
	for (int order = 0; order <= 1; order++) {
		const uint8_t *raw = order ? big : little, *p;
		const bool swap = order != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
		size_t len;

		for (size_t n = 0; n <= sizeof little; n++) {
			uint8_t *copy = malloc(n ? n : 1);

			memcpy(copy, raw, n);
			p = pp_payload_get(&f->field[0], copy, n, swap, &len);
			assert_int_equal(p != NULL, n >= 2);
			if (p)
				assert_int_equal(pp_payload_number(p, 2, false, swap), 7);
			p = pp_payload_get(&f->field[1], copy, n, swap, &len);
			assert_int_equal(p != NULL, n >= 4);
			if (p) {
				assert_int_equal(pp_payload_number(p, 2, true, swap), (uint64_t)-2);
				assert_int_equal(pp_payload_number(p, 2, false, swap), 65534);
			}
			p = pp_payload_get(&f->field[2], copy, n, swap, &len);
			assert_int_equal(p != NULL, n >= 15);
			if (p) {
				assert_int_equal(len, 2);
				assert_memory_equal(p, "ab", 2);
			}
			p = pp_payload_get(&f->field[3], copy, n, swap, &len);
			assert_int_equal(p != NULL, n >= 19);
			if (p) {
				assert_int_equal(len, 4);
				assert_memory_equal(p, "wxyz", 4);
			}
			p = pp_payload_get(&f->field[4], copy, n, swap, &len);
			assert_int_equal(p != NULL, n >= 16);
			if (p)
				assert_int_equal(len, 2);
			assert_int_equal(pp_payload_get(&f->field[5], copy, n, swap, &len) != NULL, n >= 20);
			free(copy);
		}
	}
	pp_format_free(f);
}

static void
numbers(void **state)
{
	static const uint8_t b[8] = { 0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0xf8 };
	const bool swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;		/* big endian */

	(void)state;
	assert_int_equal(pp_payload_number(b, 1, false, swap), 0xff);
	assert_int_equal(pp_payload_number(b, 1, true, swap), UINT64_MAX);
	assert_int_equal(pp_payload_number(b, 2, false, swap), 0xfffe);
	assert_int_equal(pp_payload_number(b, 4, false, swap), 0xfffefdfc);
	assert_int_equal(pp_payload_number(b, 4, true, swap), 0xfffffffffffefdfc);
	assert_int_equal(pp_payload_number(b, 8, true, swap), 0xfffefdfcfbfaf9f8);
	assert_int_equal(pp_payload_number(b, 8, false, !swap), 0xf8f9fafbfcfdfeff);
	assert_int_equal(pp_payload_number(b, 2, false, !swap), 0xfeff);
}

/* ---- tracing data -------------------------------------------------------------------------------- */

struct payload {
	uint8_t	*b;
	size_t	 n;
	bool	 big;
};

static void
bytes(struct payload *p, const void *b, size_t n)
{
	p->b = realloc(p->b, p->n + n);
	assert_non_null(p->b);
	memcpy(p->b + p->n, b, n);
	p->n += n;
}

static void
number(struct payload *p, uint64_t v, unsigned width)
{
	for (unsigned i = 0; i < width; i++) {
		uint8_t b = (uint8_t)(v >> (8 * (p->big ? width - 1 - i : i)));

		bytes(p, &b, 1);
	}
}

static void
text(struct payload *p, const char *s, size_t n)
{
	number(p, n, 8);
	bytes(p, s, n);
}

/* One system with so many formats to follow. */
static struct payload
head(bool big, unsigned sizeof_long, unsigned n)
{
	struct payload p = { .big = big };

	bytes(&p, "\027\010\104tracing0.6", 14);
	number(&p, big, 1);
	number(&p, sizeof_long, 1);
	number(&p, 4096, 4);
	bytes(&p, "header_page", 12);
	text(&p, "", 0);
	bytes(&p, "header_event", 13);
	text(&p, "", 0);
	number(&p, 1, 4);
	text(&p, "name: function\nID: 1\nformat:\n\tfield:u64 ip;\toffset:8;\tsize:8;\n", 62);
	number(&p, 1, 4);
	bytes(&p, "sys", 4);
	number(&p, n, 4);
	return p;
}

static void
tracing(void **state)
{
	static const char longs[] = "name: longs\nID: 8\nformat:\n\tfield:__data_loc long[] x;\toffset:0;\tsize:4;\n";
	static const char wrong[] = "name: wrong\nID: 9\nformat:\n\tfield:int x;\toffset:0;\n";
	static char large[PP_FORMAT_TEXT + 1];

	(void)state;
	memset(large, '#', sizeof large);
	memcpy(large, "name: large\nID: 10\n", 19);
	for (int big = 0; big <= 1; big++) {
		struct payload p = head(big, big ? 4 : 8, 5);

		text(&p, SWITCH, strlen(SWITCH));
		text(&p, longs, strlen(longs));
		text(&p, wrong, strlen(wrong));
		text(&p, large, sizeof large);
		text(&p, "name: e\nID: 7\n", 14);		/* a second one of that number does not count */
		for (size_t piece = 1; piece < p.n + 7; piece = piece < 20 ? piece + 1 : 2 * piece + 1) {
			struct pp_tracing *t = pp_tracing_new();
			const struct pp_format *f;

			assert_int_equal(pp_tracing_keep_formats(t), 1);
			for (size_t at = 0; at < p.n; at += piece)
				pp_tracing_feed(t, p.b + at, piece < p.n - at ? piece : p.n - at);
			assert_int_equal(pp_tracing_count(t), 5);
			assert_int_equal(pp_tracing_swap(t), big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
			f = pp_tracing_format(t, 7);
			assert_non_null(f);
			assert_memory_equal(f->text, SWITCH, strlen(SWITCH));
			assert_string_equal(pp_tracing_format(t, 1)->event, "ftrace:function");
			assert_int_equal(pp_tracing_format(t, 8)->field[0].width, big ? 4 : 8);
			assert_null(pp_tracing_format(t, 9));
			assert_string_equal(pp_tracing_name(t, 9), "sys:wrong");
			assert_string_equal(pp_tracing_format_error(t, 9), "a field without a valid offset and size");
			assert_string_equal(pp_tracing_format_error(t, 10), "a text of more than 64 KiB");
			assert_null(pp_tracing_format_error(t, 7));
			assert_null(pp_tracing_format_error(t, 11));
			assert_null(pp_tracing_format(t, 11));
			pp_tracing_free(t);
		}
		free(p.b);
	}
}

static void
tracing_at_most_16_mib(void **state)
{
	static char large[PP_FORMAT_TEXT];
	enum { TEXTS = PP_FORMATS_BYTES / PP_FORMAT_TEXT };
	struct payload p = head(false, 8, TEXTS + 1);
	struct pp_tracing *t = pp_tracing_new();

	(void)state;
	pp_tracing_keep_formats(t);
	pp_tracing_feed(t, p.b, p.n);
	memset(large, '#', sizeof large);
	for (unsigned i = 0; i <= TEXTS; i++) {
		p.n = 0;
		memcpy(large, "name: large\nID: ", 16);
		sprintf(large + 16, "%4u\n", 1000 + i);
		large[21] = '#';
		text(&p, large, sizeof large);
		pp_tracing_feed(t, p.b, p.n);
	}
	assert_int_equal(pp_tracing_count(t), TEXTS + 2);
	assert_non_null(pp_tracing_format(t, 1000));
	assert_null(pp_tracing_format(t, 1000 + TEXTS));
	assert_string_equal(pp_tracing_format_error(t, 1000 + TEXTS), "texts of more than 16 MiB together");
	pp_tracing_free(t);
	free(p.b);
}

/* Two fields that share a byte, whichever begins first; those that touch share none. */
static void
overlaps(void **state)
{
	enum { SIZE = 4, FIRST = 8 };

	(void)state;
	for (unsigned off = 0; off < 20; off++)
		for (unsigned size = 1; size <= 8; size++)
			for (int turned = 0; turned < 2; turned++) {
				char one[64], other[64], lines[256];
				struct pp_format *f;

				snprintf(one, sizeof one, "\tfield:int x;\toffset:%u;\tsize:%u;\n", FIRST, SIZE);
				snprintf(other, sizeof other, "\tfield:char y[%u];\toffset:%u;\tsize:%u;\n", size, off, size);
				snprintf(lines, sizeof lines, "%s%s", turned ? other : one, turned ? one : other);
				f = parsed(lines);
				assert_int_equal(pp_payload_overlaps(f), off < FIRST + SIZE && off + size > FIRST);
				pp_format_free(f);
			}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(declarations),
		cmocka_unit_test(whole),
		cmocka_unit_test(limits),
		cmocka_unit_test(prefixes),
		cmocka_unit_test(values),
		cmocka_unit_test(numbers),
		cmocka_unit_test(overlaps),
		cmocka_unit_test(tracing),
		cmocka_unit_test(tracing_at_most_16_mib),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
