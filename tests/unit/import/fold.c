// SPDX-License-Identifier: Apache-2.0
#include "import/fold.h"
#include "base/outbuf.h"
#include "import/input.h"
#include "render/folded.h"
#include "test.h"

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

static char *fold_profile(const struct profile *profile)
{
	struct flametree_options options = { .group = GROUP_THREAD, .show_idle = true };
	struct folded_options folded = { .annotate = true };
	int fd = memfd_create("folded", MFD_CLOEXEC);
	struct flametree tree;
	struct outbuf out;

	outbuf_init(&out, fd);
	for (uint16_t i = 0; i < profile->events.len; i++) {
		options.filter.event = i;
		EXPECT_INT(flametree_build(&tree, profile, &options, NULL), 0);
		folded_write(&tree, &folded, &out);
		flametree_free(&tree);
	}
	EXPECT_INT(outbuf_fini(&out), 0);
	return read_back(fd);
}

char *fold_bytes(const void *bytes, size_t size, const struct import_options *options,
		 struct import_result *result)
{
	struct input *input = input_of(bytes, size);
	struct err err = { 0 };
	char *text;

	EXPECT_INT(import_read(input, options, result, &err), 0);
	EXPECT_TEXT(err.text, "");
	text = fold_profile(result->profile);
	profile_free(result->profile);
	result->profile = NULL;
	input_close(input);
	return text;
}

char *fold_text(const char *text, struct import_result *result)
{
	return fold_bytes(text, strlen(text), &(struct import_options){ 0 }, result);
}
