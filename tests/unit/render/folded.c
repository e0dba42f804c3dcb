// SPDX-License-Identifier: Apache-2.0
#include "render/folded.h"
#include "base/err.h"
#include "base/outbuf.h"
#include "profile/made.h"
#include "test.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static char *read_back(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = mem_alloc((size_t)size + 1);

	EXPECT_INT(pread(fd, text, (size_t)size, 0), size);
	close(fd);
	return text;
}

TEST(folded_escapes)
{
	struct profile *profile = made_profile();
	struct flametree_options options = { .group = GROUP_NONE };
	struct folded_options folded = { 0 };
	int fd = memfd_create("folded", MFD_CLOEXEC);
	struct flametree tree;
	struct outbuf out;
	uint32_t stack;
	char *got;

	made_thread(profile, 1, 1, "p");
	stack = profile_stack(profile, STACK_ROOT,
			      profile_function(profile, "Lx;.y\nz", 0, FRAME_JIT), false);
	profile_add(profile, &(struct profile_row){ .stack = stack, .weight = 3 });
	EXPECT_INT(flametree_build(&tree, profile, &options, NULL), 0);
	outbuf_init(&out, fd);
	EXPECT_INT(folded_write(&tree, &folded, &out), 1);
	EXPECT_INT(outbuf_fini(&out), 0);
	got = read_back(fd);
	EXPECT_TEXT(got, "Lx:.y z 3\n");
	free(got);
	flametree_free(&tree);
	profile_free(profile);
}

TEST(collapse_words)
{
	struct collapse_options options = { 0 };
	struct err err = { 0 };

	EXPECT_INT(collapse_parse("all,pid", &options, &err), 0);
	EXPECT(options.kernel && options.jit && options.pid && !options.tid);
	EXPECT_INT(collapse_parse("", &options, &err), 0);
	EXPECT_INT(collapse_parse("kernel,colour", &options, &err), -EINVAL);
	EXPECT_CONTAINS(err.text, "'colour'");
}
