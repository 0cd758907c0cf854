/* SPDX-License-Identifier: ISC */
/* A program to be profiled: known functions, one in a recursion, most of the time in two. */
#include <stdio.h>
#include <time.h>

static volatile double sink;

__attribute__((noinline)) static double
adds(int n)
{
	double x = 1;

	for (int i = 0; i < n; i++)
		x = x * 1.0000001 + i;
	return x;
}

__attribute__((noinline)) static double
divides(int n)
{
	double x = 1;

	for (int i = 0; i < n; i++)
		x = x / 1.0000001 - i;
	return x;
}

__attribute__((noinline)) static double
both(int n)
{
	double x = adds(n) + divides(n / 2);

	sink += x;
	return x;
}

__attribute__((noinline)) static double
recurse(int depth, int n)
{
	double x = depth ? recurse(depth - 1, n) + 1 : adds(n);

	sink += x;
	return x;
}

int
main(void)
{
	for (int i = 0; clock() < CLOCKS_PER_SEC; i++) {
		both(100000);
		recurse(i % 20, 50000);
	}
	printf("%g\n", sink);
	return 0;
}
