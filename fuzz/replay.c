// SPDX-License-Identifier: Apache-2.0
/*
 * The corpus without libFuzzer: gives every file of the folders named to the target once, whole and
 * cut short at each of its first bytes, since a cut input is the commonest damage.
 */
#include "base/file.h"
#include "base/mem.h"
#include "fuzz.h"

#include <stdio.h>

#define CUTS 64

/* A copy of exactly that size, so that the sanitizer sees a read past the end. */
static void give(const char *bytes, size_t size)
{
	uint8_t *copy = mem_alloc(size);

	memcpy(copy, bytes, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static int replay(const char *folder)
{
	struct strlist names = { 0 };
	struct err err = { 0 };
	int count = 0;

	if (dir_names(folder, &names, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 0;
	}
	vec_each (name, &names) {
		char *path = mem_printf("%s/%s", folder, *name);
		size_t size;
		char *bytes = file_read(path, &size, &err);

		if (bytes) {
			for (size_t cut = 0; cut < size && cut < CUTS; cut++)
				give(bytes, cut);
			give(bytes, size);
			count++;
		}
		free(bytes);
		free(path);
	}
	strlist_free(&names);
	return count;
}

int main(int argc, char **argv)
{
	int count = 0;

	for (int i = 1; i < argc; i++)
		count += replay(argv[i]);
	printf("%d inputs\n", count);
	return count ? 0 : 1;
}
