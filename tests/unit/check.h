/* SPDX-License-Identifier: ISC */
/*
 * check.h - cmocka, whose assertions say the expression and both values when they fail.  Each argument is evaluated once.
 */
#ifndef PP_TEST_CHECK_H
#define PP_TEST_CHECK_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* cmocka itself says "not ok 1 # SKIP" (1.1.5), which is a failure to prove. */
#undef skip
#define skip() do { print_message("# %s is skipped\n", __func__); return; } while (0)

/* The bytes around the first that differs, in hex. */
static inline const char *
check_hex(char text[64], const uint8_t *p, size_t n, size_t at)
{
	size_t from = at < 4 ? 0 : at - 4, used = 0;

	for (size_t i = from; i < n && i < from + 16; i++)
		used += (size_t)snprintf(text + used, 64 - used, i == at ? "[%02x]" : " %02x", p[i]);
	return text;
}

static inline size_t
check_differ(const uint8_t *a, const uint8_t *b, size_t n)
{
	size_t at = 0;

	while (at < n && a[at] == b[at])
		at++;
	return at;
}

#undef assert_int_equal
#define assert_int_equal(a, b) do {										\
	const uint64_t a_ = (uint64_t)(a), b_ = (uint64_t)(b);							\
	if (a_ != b_)												\
		fail_msg("%s == %s: %" PRId64 " (0x%" PRIx64 ") and %" PRId64 " (0x%" PRIx64 ")", #a, #b,	\
		    (int64_t)a_, a_, (int64_t)b_, b_);								\
} while (0)

/* cmocka 2 calls its own obsolete. */
#undef assert_in_range
#define assert_in_range(n, from, to) do {									\
	const uint64_t n_ = (uint64_t)(n), from_ = (uint64_t)(from), to_ = (uint64_t)(to);			\
	if (n_ < from_ || n_ > to_)										\
		fail_msg("%s from %s to %s: %" PRIu64 ", %" PRIu64 " and %" PRIu64, #n, #from, #to, n_, from_, to_);	\
} while (0)

#undef assert_string_equal
#define assert_string_equal(a, b) do {										\
	const char *a_ = (const char *)(a), *b_ = (const char *)(b);								\
	if (!a_ || !b_ || strcmp(a_, b_))									\
		fail_msg("%s equals %s: \"%s\" and \"%s\"", #a, #b, a_ ? a_ : "(null)", b_ ? b_ : "(null)");	\
} while (0)

#undef assert_memory_equal
#define assert_memory_equal(a, b, n) do {									\
	const void *a_ = (a), *b_ = (b);									\
	const size_t n_ = (n), at_ = check_differ(a_, b_, n_);							\
	char x_[64], y_[64];											\
	if (at_ < n_)												\
		fail_msg("%zu bytes %s equal %s: byte %zu:%s and%s", n_, #a, #b, at_, check_hex(x_, a_, n_, at_),	\
		    check_hex(y_, b_, n_, at_));								\
} while (0)

#undef assert_ptr_equal
#define assert_ptr_equal(a, b) do {										\
	const void *a_ = (a), *b_ = (b);									\
	if (a_ != b_)												\
		fail_msg("%s == %s: %p and %p", #a, #b, a_, b_);						\
} while (0)

#endif
