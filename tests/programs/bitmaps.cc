// SPDX-License-Identifier: Apache-2.0
/*
 * C++ names that hold more than is shown of them: filters must go by what is shown.  "bitmap" stands in
 * the readable names of some functions, and of others only in the mangled ones, as a parameter's type.
 */
#include <cstdio>
#include <cstdlib>
#include <ctime>

#define ALONE __attribute__((noinline, noclone))

struct bitmap {
	unsigned long words[64];
};

template <typename Set> ALONE unsigned long fill(Set &set, unsigned long seed)
{
	for (int i = 0; i < 6400; i++)
		set.words[i & 63] ^= seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed;
}

/* Shown as "count_bits". */
ALONE unsigned long count_bits(const bitmap &set)
{
	unsigned long bits = 0;

	for (int i = 0; i < 6400; i++)
		bits += (set.words[i & 63] >> (i & 31)) & 1;
	return bits;
}

/* Shown as "bitmap_or". */
ALONE void bitmap_or(bitmap &to, const bitmap &from)
{
	for (int i = 0; i < 6400; i++)
		to.words[i & 63] |= from.words[(i + 1) & 63] >> (i & 7);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	unsigned long seed = 1, bits = 0;
	bitmap one = {}, other = {};

	while ((double)clock() / CLOCKS_PER_SEC < seconds) {
		seed = fill(one, seed);
		bits += count_bits(one);
		bits += count_bits(other);
		bitmap_or(other, one);
	}
	printf("%lu\n", bits);
	return 0;
}
