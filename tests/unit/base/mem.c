// SPDX-License-Identifier: Apache-2.0
#include "base/mem.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(mem_gives_zeroed_memory_and_copies)
{
	unsigned char *bytes = mem_alloc(1000);
	char *text = mem_strdup("alpha"), *part = mem_strndup("alpha", 2);
	char *made = mem_printf("%s-%03d", "n", 7);

	for (int i = 0; i < 1000; i++)
		EXPECT_INT(bytes[i], 0);
	EXPECT_TEXT(text, "alpha");
	EXPECT_TEXT(part, "al");
	EXPECT_TEXT(made, "n-007");
	free(bytes);
	free(text);
	free(part);
	free(made);
	free(mem_alloc(0));
	free(mem_resize(NULL, 0, 8));
}

TEST(mem_aligned_takes_any_size)
{
	static const size_t sizes[] = { 0, 1, 7, 100, 4097 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (size_t alignment = 8; alignment <= 4096; alignment *= 8) {
			char *bytes = mem_alloc_aligned(alignment, sizes[i]);

			test_case("%zu bytes at %zu", sizes[i], alignment);
			EXPECT_INT((uintptr_t)bytes % alignment, 0);
			memset(bytes, 1, sizes[i]);
			free(bytes);
		}
}

TEST(mem_large_takes_any_size)
{
	static const size_t sizes[] = { 0, 1, 1 << 20, (4 << 20) + 1 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char *bytes = mem_alloc_large(sizes[i]);

		test_case("%zu bytes", sizes[i]);
		memset(bytes, 1, sizes[i]);
		free(bytes);
	}
}

TEST(mem_resize_keeps_what_was_there)
{
	int *numbers = mem_resize(NULL, 2, sizeof(*numbers));

	numbers[0] = 3;
	numbers[1] = 4;
	numbers = mem_resize(numbers, 100000, sizeof(*numbers));
	EXPECT_INT(numbers[0], 3);
	EXPECT_INT(numbers[1], 4);
	free(numbers);
}

/* Asks in a child for more than there is: it must end by abort, with words, and not return. */
TEST(mem_ends_the_program_when_there_is_none)
{
	static const size_t counts[] = { SIZE_MAX / 2, SIZE_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		int status, out[2];
		char said[100] = "";
		pid_t child;

		test_case("%zu times 16 bytes", counts[i]);
		EXPECT_INT(pipe(out), 0);
		child = fork();
		if (!child) {
			const struct rlimit none = { 0, 0 };

			setrlimit(RLIMIT_CORE, &none);
			dup2(out[1], STDERR_FILENO);
			signal(SIGABRT, SIG_DFL);
			mem_resize(NULL, counts[i], 16);
			_exit(0);
		}
		close(out[1]);
		EXPECT(read(out[0], said, sizeof(said) - 1) > 0);
		close(out[0]);
		waitpid(child, &status, 0);
		EXPECT_INT(WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGABRT);
		EXPECT_TEXT(said, "perfolio: out of memory\n");
	}
}
