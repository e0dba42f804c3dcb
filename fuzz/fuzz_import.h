/* SPDX-License-Identifier: Apache-2.0 */
/* What the importers' targets have in common: import, fold, compare, keep as an index. */
#ifndef FUZZ_FUZZ_IMPORT_H
#define FUZZ_FUZZ_IMPORT_H

#include "base/outbuf.h"
#include "fuzz.h"
#include "import/import.h"
#include "import/input.h"
#include "profile/index.h"
#include "render/folded.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static inline void fuzz_fold(const struct profile *profile, uint16_t event)
{
	struct flametree_options options = { .filter.event = event, .show_idle = true };
	struct folded_options folded = { .annotate = true };
	struct collapse_options collapse = { .filter.event = event, .kernel = true, .jit = true };
	struct flametree tree;
	struct outbuf out;
	static int null = -1;

	if (null < 0)
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	outbuf_init(&out, null);
	FUZZ_HOLDS(!flametree_build(&tree, profile, &options, NULL));
	FUZZ_HOLDS(tree.nodes.data[0].total.samples == profile->events.data[event].samples);
	FUZZ_HOLDS(tree.nodes.data[0].total.weight == profile->events.data[event].weight);
	folded_write(&tree, &folded, &out);
	FUZZ_HOLDS(!collapse_write(profile, &collapse, &out, NULL));
	flametree_free(&tree);
	outbuf_fini(&out);
}

/* The server keeps what it imports as an index: whatever an importer makes, that is to take. */
static inline void fuzz_index(const struct profile *profile)
{
	int fd = memfd_create("index", MFD_CLOEXEC);
	struct profile *again = NULL;
	struct err err = { 0 };

	FUZZ_HOLDS(!profile_index_write_fd(profile, fd, &err));
	FUZZ_HOLDS(!profile_index_open_fd(&again, fd, &err));
	FUZZ_HOLDS(again->samples.len == profile->samples.len);
	profile_free(again);
	close(fd);
}

static inline void fuzz_import(const uint8_t *data, size_t size, uint8_t how)
{
	struct import_options options = { .times = how & 1,
					  .cpus = how & 2,
					  .addresses = how & 4,
					  .as_perl = how & 8,
					  .most_bytes = 1 << 20 };
	struct input *input = input_of(data, size);
	struct import_result result;
	struct err err = { 0 };
	int rc = import_read(input, &options, &result, &err);

	FUZZ_HOLDS(!rc == !err.code && !rc == !!result.profile);
	if (result.profile && result.profile->events.len)
		fuzz_fold(result.profile, 0);
	if (result.profile)
		fuzz_index(result.profile);
	profile_free(result.profile);
	input_close(input);
}

#endif
