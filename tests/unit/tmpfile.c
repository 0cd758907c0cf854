/* SPDX-License-Identifier: ISC */
/* Temporary files of which a call fails, is interrupted or takes one byte; on a file system that has no O_TMPFILE. */
#include "refused.h"

#include <string.h>

#include "check.h"
#include "sink/tmpfile.h"

static const uint8_t bytes[] = "a temporary file";

enum { OFF = 7, SIZE = sizeof bytes };

/* Write by that function, and read it again; the nth call of these is refused.  Of the failures the place: 1 or 2; 0: none. */
static unsigned
write_and_read(int fd, bool at, enum refused what, long nth, bool *once)
{
	uint8_t got[SIZE] = "";
	int rc;

	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(lseek(fd, OFF, SEEK_SET), OFF);
	refuse(what, nth);
	rc = at ? pp_tmpfile_write_at(fd, bytes, SIZE, OFF) : pp_tmpfile_write(fd, bytes, SIZE);
	if (rc < 0) {
		*once = refused_once();
		assert_int_equal(errno, EIO);
		return 1;
	}
	assert_int_equal(rc, 1);
	rc = pp_tmpfile_read_at(fd, got, SIZE, OFF);
	*once = refused_once();
	if (rc < 0) {
		assert_int_equal(errno, EIO);
		return 2;
	}
	assert_int_equal(rc, 1);
	assert_memory_equal(got, bytes, SIZE);
	assert_int_equal(pp_tmpfile_read_at(fd, got, SIZE + 1, OFF), 0);
	return 0;
}

static void
test_transfers(void **state)
{
	static const enum refused kinds[] = { REFUSE_CALL, REFUSE_NOW, REFUSE_MOST };
	int fd = pp_tmpfile(NULL);
	bool once;

	(void)state;
	assert_true(fd >= 0);
	if (!REFUSES)
		skip();
	for (unsigned i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
		for (long nth = 1; nth <= 2; nth++) {
			unsigned failed = write_and_read(fd, i % 2, kinds[i / 2], nth, &once);

			assert_true(once);
			assert_int_equal(failed, kinds[i / 2] == REFUSE_CALL ? nth : 0);
		}
		assert_int_equal(write_and_read(fd, i % 2, kinds[i / 2], 5, &once), 0);
		assert_false(once);
	}
	close(fd);
}

/* The first call opens the directory, the second is refused as by a file system without O_TMPFILE; then the file has a name for a moment. */
static void
test_unlinked(void **state)
{
	char dir[] = "/tmp/tmpfile.XXXXXX";
	struct stat st;
	bool once;
	int fd, of;

	(void)state;
	if (!REFUSES)
		skip();
	assert_non_null(mkdtemp(dir));
	for (long nth = 1; nth <= 2; nth++) {
		refuse(REFUSE_CALL, nth);
		fd = pp_tmpfile(dir);
		assert_true(refused_once());
		assert_int_equal(fd >= 0, nth == 2);
		if (fd < 0) {
			assert_int_equal(errno, EIO);
			continue;
		}
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_nlink, 0);
		assert_int_equal(st.st_mode & 07777, 0600);
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		write_and_read(fd, false, REFUSE_NOTHING, 1, &once);
		close(fd);
	}
	/* the first descriptor that is free is 0 */
	assert_true((of = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC)) > 0);
	close(STDIN_FILENO);
	refuse(REFUSE_CALL, 1);
	fd = pp_tmpfile_at(of);
	assert_true(refused_once());
	assert_int_equal(fd, 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	close(of);
	assert_int_equal(rmdir(dir), 0);		/* it is empty */
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_transfers), cmocka_unit_test(test_unlinked) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
