/* SPDX-License-Identifier: ISC */
/* main() for a target of libFuzzer: runs each file of the directories that are its arguments once.  One line says how many. */
#include <dirent.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((weak)) int LLVMFuzzerInitialize(int *, char ***);
int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* In memory of its own size, so that a sanitizer sees each byte that is read behind it. */
static void
run(const char *dir, const char *name)
{
	char *path;
	uint8_t *data;
	size_t len;
	FILE *f;

	if (asprintf(&path, "%s/%s", dir, name) < 0 || !(f = fopen(path, "r")) || fseek(f, 0, SEEK_END))
		err(1, "%s", path);
	len = ftell(f);
	rewind(f);
	if (!(data = malloc(len ? len : 1)) || fread(data, 1, len, f) != len)
		err(1, "%s", path);
	LLVMFuzzerTestOneInput(data, len);
	free(data);
	fclose(f);
	free(path);
}

int
main(int argc, char *argv[])
{
	size_t n = 0;

	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++) {
		DIR *d = opendir(argv[i]);

		if (!d)
			err(1, "%s", argv[i]);
		for (struct dirent *e; (e = readdir(d));)
			if (e->d_name[0] != '.') {
				run(argv[i], e->d_name);
				n++;
			}
		closedir(d);
	}
	if (!n)
		errx(1, "no inputs");
	printf("%zu inputs\n", n);
}
