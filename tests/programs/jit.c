// SPDX-License-Identifier: Apache-2.0
/*
 * jit LIST END [keep]: a program that vanishes and makes code, as a JIT does.
 *
 * It deletes its own file, computes a fifth of its time in a function of its own and the rest in a
 * page that it wrote, names that page in /tmp/perf-PID.map as soon as there is a file LIST, and
 * ends when there is a file END, taking its list along.  With `keep` it stays where it is, leaves
 * its list, and ends after 200 rounds.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Counts down and returns. */
#if defined(__x86_64__)
static const unsigned char code[] = { 0xb8, 0, 0, 0x20, 0, 0xff, 0xc8, 0x75, 0xfc, 0xc3 };
#elif defined(__aarch64__)
static const unsigned code[] = { 0x52a00400, 0x71000400, 0x54ffffe1, 0xd65f03c0 };
#else
#error "the code of this machine is missing"
#endif

static volatile unsigned long sum;

__attribute__((noinline)) static void spin_in_deleted(void)
{
	for (unsigned long i = 0; i < 500000; i++)
		sum += i;
}

static bool write_list(const char *path, const void *page)
{
	FILE *list = fopen(path, "w");

	if (!list)
		return false;
	fprintf(list, "%lx %zx made_by_jit\n", (unsigned long)page, sizeof(code));
	return !fclose(list);
}

int main(int argc, char **argv)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool written = false, keep = argc == 4;
	int rounds = 0;
	char path[64];

	if (argc < 3 || page == MAP_FAILED)
		return 2;
	if (!keep)
		unlink(argv[0]);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	memcpy(page, code, sizeof(code));
	__builtin___clear_cache(page, (char *)page + sizeof(code));
	while (keep ? rounds++ < 200 : access(argv[2], F_OK)) {
		spin_in_deleted();
		((void (*)(void))page)();
		if (!written && !access(argv[1], F_OK) && !(written = write_list(path, page)))
			return 1;
	}
	if (!keep)
		unlink(path);
	return 0;
}
