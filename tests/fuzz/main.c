/* SPDX-License-Identifier: ISC */
/*
 * main() for a target of libFuzzer: runs each file that is an argument, or in a directory that is one, once.  One line says how many.
 *
 *	target [-mutate=N[,SEED,FILE]] DIR|FILE...
 *
 * -mutate: then N inputs that the target's own mutator has made of them.  It needs no clang, and a build without sanitizers is fast and
 * shows how much memory is used; but nothing leads it to new code.  The input at which it ends by a signal goes to FILE.
 */
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((weak)) int LLVMFuzzerInitialize(int *, char ***);
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *, size_t, size_t, unsigned);
__attribute__((weak)) size_t LLVMFuzzerCustomCrossOver(const uint8_t *, size_t, const uint8_t *, size_t, uint8_t *, size_t, unsigned);
int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

enum { INPUT_MAX = 1 << 16 };

static struct input { uint8_t *p; size_t n; } *inputs;
static size_t ninputs;
/* What is tried: its name, or where it goes */
static const char *name, *found;
static struct input tried;

static void
caught(int sig)
{
	int fd;

	dprintf(2, "%s: signal %d\n", name, sig);
	if (found && (fd = open(found, O_CREAT | O_TRUNC | O_WRONLY, 0666)) >= 0 && write(fd, tried.p, tried.n) == (ssize_t)tried.n)
		dprintf(2, "the input is in %s\n", found);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* In memory of its own size, so that a sanitizer sees each byte that is read behind it. */
static void
run(const char *path)
{
	uint8_t *data;
	size_t len;
	FILE *f;

	if (!(f = fopen(path, "r")) || fseek(f, 0, SEEK_END))
		err(1, "%s", path);
	len = ftell(f);
	rewind(f);
	if (!(data = malloc(len ? len : 1)) || fread(data, 1, len, f) != len)
		err(1, "%s", path);
	name = path;
	LLVMFuzzerTestOneInput(data, len);
	if (!(inputs = reallocarray(inputs, ninputs + 1, sizeof *inputs)))
		err(1, NULL);
	inputs[ninputs++] = (struct input){ data, len };
	fclose(f);
}

/* n inputs, each made of one or two others. */
static void
mutate(unsigned n, unsigned seed)
{
	uint8_t *p = malloc(INPUT_MAX);

	if (!p || !LLVMFuzzerCustomMutator || !LLVMFuzzerCustomCrossOver)
		errx(1, "-mutate: the target has no mutator");
	srandom(seed);
	name = "-mutate";
	for (unsigned i = 0; i < n; i++) {
		const struct input *a = &inputs[(size_t)random() % ninputs], *b = &inputs[(size_t)random() % ninputs];
		size_t len = a->n;

		if (len > INPUT_MAX / 2 || b->n > INPUT_MAX / 2)
			continue;
		if (random() % 4) {
			memcpy(p, a->p, len);
		} else if (!(len = LLVMFuzzerCustomCrossOver(a->p, a->n, b->p, b->n, p, INPUT_MAX, (unsigned)random()))) {
			continue;
		}
		for (long k = 1 + random() % 3; k--;)
			len = LLVMFuzzerCustomMutator(p, len, INPUT_MAX, (unsigned)random());
		if (!(tried.p = malloc(len ? len : 1)))
			err(1, NULL);
		memcpy(tried.p, p, tried.n = len);
		LLVMFuzzerTestOneInput(tried.p, len);
		free(tried.p);
	}
	free(p);
	printf("%u mutations\n", n);
}

int
main(int argc, char *argv[])
{
	static const char mutates[] = "-mutate=";
	unsigned n = 0;
	char *more = "";

	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	signal(SIGABRT, caught);
	for (int i = 1; i < argc; i++) {
		DIR *d;

		if (!strncmp(argv[i], mutates, sizeof mutates - 1)) {
			n = (unsigned)strtoul(argv[i] + sizeof mutates - 1, &more, 10);
			continue;
		}
		if (!(d = opendir(argv[i]))) {
			run(argv[i]);
			continue;
		}
		for (struct dirent *e; (e = readdir(d));) {
			char *path;

			if (e->d_name[0] == '.')
				continue;
			if (asprintf(&path, "%s/%s", argv[i], e->d_name) < 0)
				err(1, NULL);
			run(path);
			free(path);
		}
		closedir(d);
	}
	if (!ninputs)
		errx(1, "no inputs");
	printf("%zu inputs\n", ninputs);
	if (n) {
		unsigned seed = *more == ',' ? (unsigned)strtoul(more + 1, &more, 10) : 1;

		found = *more == ',' ? more + 1 : NULL;
		mutate(n, seed);
	}
	for (size_t i = 0; i < ninputs; i++)
		free(inputs[i].p);
	free(inputs);
}
