// SPDX-License-Identifier: Apache-2.0
/*
 * Index files from outside: whatever is in them, they are refused or every question to them can be
 * answered.  Checksum and identity are put right first, or nothing would get past them.
 */
#include "base/mem.h"
#include "fuzz.h"
#include "profile/breakdown.h"
#include "profile/histogram.h"
#include "profile/index.h"
#include "profile/trust.h"

static void ask(const struct profile *profile)
{
	struct breakdown_options options = { .keys = 1 << BY_COMM | 1 << BY_FUNCTION,
					     .children = true };
	struct breakdown breakdown;
	struct histogram histogram;
	struct trust trust;
	struct err err = { 0 };

	trust_of(&trust, profile, profile_main_event(profile), 0);
	FUZZ_HOLDS(!breakdown_make(&breakdown, profile, &options, &err));
	for (uint32_t i = 0; i < breakdown.rows.len && i < 16; i++) {
		struct calltree tree;

		breakdown_tree(&breakdown, i, &tree);
		calltree_free(&tree);
	}
	breakdown_free(&breakdown);
	if (profile->samples.len &&
	    profile->samples.time[profile->samples.len - 1] - profile->samples.time[0] <
		    1000000000000u) {
		FUZZ_HOLDS(
			!profile_histogram(profile, &options.filter, NULL, 10, &histogram, &err));
		histogram_free(&histogram);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct index_identity identity = { .device = 1 };
	struct profile *profile = NULL;
	struct err err = { 0 };
	char *bytes = mem_alloc(size ? size : 1);

	if (size)
		memcpy(bytes, data, size);
	profile_index_mend(bytes, size, &identity);
	if (!profile_index_of(&profile, &identity, bytes, size, &err)) {
		ask(profile);
		profile_free(profile);
	} else {
		FUZZ_HOLDS(*err.text);
	}
	free(bytes);
	return 0;
}
