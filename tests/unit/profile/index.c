// SPDX-License-Identifier: Apache-2.0
#include "profile/index.h"
#include "base/file.h"
#include "made.h"
#include "profile/filter.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static const struct index_identity identity = { .device = 1, .inode = 2, .size = 3 };

static struct profile *sample_profile(void)
{
	struct profile *profile = made_profile();

	made_sample(profile, 10, "main;fib;fib", 5);
	made_sample(profile, 20, "main;write", 3);
	profile_leaf(profile, 1, 0x1234);
	profile->quality.lost = 42;
	return profile;
}

/* As imports are. */
TEST(index_of_samples_without_addresses)
{
	struct profile *profile = made_profile(), *again = NULL;
	struct err err = { 0 };
	char path[] = "/tmp/perfolio-index-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	made_sample(profile, 10, "main", 5);
	EXPECT_INT(profile_index_write_fd(profile, fd, &err), 0);
	EXPECT_INT(profile_index_open_fd(&again, fd, &err), 0);
	EXPECT_INT(again->samples.len, 1);
	profile_free(again);
	close(fd);
	profile_free(profile);
}

static void temporary(char *path, size_t room)
{
	snprintf(path, room, "/tmp/perfolio-index-XXXXXX");
	close(mkstemp(path));
}

TEST(index_gives_back_what_was_written)
{
	struct profile *profile = sample_profile(), *again = NULL;
	struct stack_weights weights;
	struct err err = { 0 };
	char path[64];

	temporary(path, sizeof(path));
	EXPECT_INT(profile_index_write(profile, &identity, path, &err), 0);
	EXPECT_INT(profile_index_open(&again, &identity, path, &err), 0);
	EXPECT_INT(again->samples.len, 2);
	EXPECT_INT(again->samples.time[1], 20);
	EXPECT_INT(again->quality.lost, 42);
	EXPECT_INT(again->events.data[0].weight, 8);
	EXPECT_INT(again->leaves.data[0].offset, 0x1234);
	EXPECT_TEXT(profile_text(again, again->threads.data[0].comm), "prog");
	EXPECT_TEXT(profile_function_name(again, again->stacks.function[again->samples.stack[1]]),
		    "write");
	EXPECT_INT(profile_weigh(again, &(struct profile_filter){ .keep = "fib" }, &weights, &err),
		   0);
	EXPECT_INT(weights.total_weight, 5);
	stack_weights_free(&weights);
	profile_free(again);
	profile_free(profile);
	unlink(path);
}

TEST(index_of_something_else_is_stale)
{
	struct index_identity other = identity;
	struct profile *profile = sample_profile(), *again = NULL;
	struct err err = { 0 };
	char path[64];

	temporary(path, sizeof(path));
	EXPECT_INT(profile_index_write(profile, &identity, path, &err), 0);
	other.settings = 1;
	EXPECT_INT(profile_index_open(&again, &other, path, &err), -ESTALE);
	EXPECT(!again);
	EXPECT_INT(profile_index_open(&again, &identity, "/nonexistent", &err), -ENOENT);
	EXPECT_INT(profile_index_write(profile, &identity, "/nonexistent/x", &err), -ENOENT);
	profile_free(profile);
	unlink(path);
}

/* Whichever byte is wrong, and wherever the file ends, it is seen. */
TEST(index_that_is_damaged_is_refused)
{
	struct profile *profile = sample_profile(), *again = NULL;
	struct err err = { 0 };
	char path[64], *bytes, *copy;
	size_t size;

	temporary(path, sizeof(path));
	EXPECT_INT(profile_index_write(profile, &identity, path, &err), 0);
	bytes = file_read(path, &size, &err);
	copy = mem_alloc(size);
	for (size_t i = 0; i < size; i++) {
		memcpy(copy, bytes, size);
		copy[i] ^= 0x41;
		/* The zeros between parts are the only bytes that say nothing. */
		if (!profile_index_of(&again, &identity, copy, size, &err)) {
			EXPECT_INT(bytes[i], 0);
			EXPECT_INT(again->samples.len, 2);
			profile_free(again);
		}
	}
	for (size_t length = 0; length < size; length++) {
		char *cut = mem_alloc(length ? length : 1);

		memcpy(cut, bytes, length);
		EXPECT(profile_index_of(&again, &identity, cut, length, &err) < 0);
		free(cut);
	}
	free(copy);
	free(bytes);
	profile_free(profile);
	unlink(path);
}

/* Walks from an inlined frame to the one it is in would not end at the root. */
TEST(index_with_an_inlined_root_is_refused)
{
	for (uint32_t node = 0; node < 2; node++) {
		struct profile *profile = sample_profile(), *again = NULL;
		struct err err = { 0 };
		char path[64];

		temporary(path, sizeof(path));
		profile->stacks.flags[node] |= STACK_INLINED;
		EXPECT_INT(profile->stacks.parent[node], STACK_ROOT);
		EXPECT_INT(profile_index_write(profile, &identity, path, &err), 0);
		EXPECT(profile_index_open(&again, &identity, path, &err) < 0);
		EXPECT(!again);
		profile_free(profile);
		unlink(path);
	}
}

/* What imports and lines add, by way of a descriptor. */
TEST(index_keeps_counts_and_lines)
{
	struct profile *profile = sample_profile(), *again = NULL;
	struct err err = { 0 };
	char path[64];
	int fd;

	profile_add_to(profile, 1, 4, 40);
	while (profile->lines.len < profile->leaves.len)
		*vec_push(&profile->lines) = (struct profile_line){
			.place = interner_add(&profile->strings, "prog.c:7"),
			.file = interner_add(&profile->strings, "prog.c"),
			.path = interner_add(&profile->strings, "/src/prog.c"),
		};
	snprintf(path, sizeof(path), "/tmp/perfolio-index-XXXXXX");
	fd = mkstemp(path);
	unlink(path);
	EXPECT_INT(profile_index_write_fd(profile, fd, &err), 0);
	EXPECT_INT(profile_index_open_fd(&again, fd, &err), 0);
	EXPECT_INT(profile_row_count(&again->samples, 0), 1);
	EXPECT_INT(profile_row_count(&again->samples, 1), 5);
	EXPECT_INT(again->lines.len, again->leaves.len);
	EXPECT_TEXT(profile_text(again, again->lines.data[0].place), "prog.c:7");
	EXPECT_TEXT(profile_text(again, again->lines.data[0].path), "/src/prog.c");
	profile_free(again);
	again = NULL;
	EXPECT_INT(ftruncate(fd, 100), 0);
	EXPECT_INT(profile_index_open_fd(&again, fd, &err), -EBADMSG);
	EXPECT(!again);
	close(fd);
	profile_free(profile);
}
