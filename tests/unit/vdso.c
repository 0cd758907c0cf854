/* SPDX-License-Identifier: ISC */
/* Build-ids of vdsos: that of this program is that of processes of its own width only. */
#include <sys/auxv.h>

#include <link.h>
#include <unistd.h>

#include "lookup/buildid.h"
#include "check.h"

/* Between 32-bit and 64-bit processes: a vdso of the first is below, one of the second above. */
#define BOUND UINT64_C(0x100000000)
enum { NARROW = sizeof(void *) == 4 };

/* The id of this program's vdso, found another way: by its note's name. */
static size_t
own(uint8_t id[static BUILD_ID_MAX])
{
	const char *image = (const char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *eh = (const void *)image;

	if (!image)
		return 0;			/* an emulator has none */
	for (size_t i = 0; i < eh->e_phnum; i++) {
		const ElfW(Phdr) *ph = (const void *)(image + eh->e_phoff + i * sizeof *ph);

		if (ph->p_type != PT_NOTE)
			continue;
		for (size_t at = 0; at + 16 + BUILD_ID_MAX <= ph->p_filesz; at += 4) {
			uint32_t size, type;

			memcpy(&size, image + ph->p_offset + at + 4, 4);
			memcpy(&type, image + ph->p_offset + at + 8, 4);
			if (type != NT_GNU_BUILD_ID || size != BUILD_ID_MAX || memcmp(image + ph->p_offset + at + 12, "GNU", 4) != 0)
				continue;
			memcpy(id, image + ph->p_offset + at + 16, BUILD_ID_MAX);
			return BUILD_ID_MAX;
		}
	}
	return 0;
}

static void
test_own(void **state)
{
	struct build_id id = { .len = 0 };
	uint8_t want[BUILD_ID_MAX];
	const char *why = NULL;
	size_t n = own(want);

	(void)state;
	if (!n)
		skip();
	assert_int_equal(buildid_vdso(&id, (uint32_t)getpid(), getauxval(AT_SYSINFO_EHDR), &why), 1);
	assert_int_equal(id.len, n);
	assert_memory_equal(id.b, want, n);
}

/* Of another width, of a process that is not there: it has none, above all not that of this program. */
static void
test_other_width(void **state)
{
	struct build_id id = { .len = 0 };
	const char *why = NULL;

	(void)state;
	assert_int_equal(buildid_vdso(&id, (uint32_t)INT32_MAX, NARROW ? BOUND + 0x7ffc1000 : BOUND - 0x1000, &why), 0);
	assert_string_equal(why, NARROW ? "the vdso of a 64-bit process, which a 32-bit program does not see" :
	    "the vdso of a 32-bit process that has ended");
	assert_int_equal(buildid_vdso(&id, (uint32_t)getpid(), 0, &why), 0);
	assert_string_equal(why, "its address is unknown");
	assert_int_equal(id.len, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_other_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
