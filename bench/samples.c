// SPDX-License-Identifier: Apache-2.0
#include "samples.h"

void samples_repeat(struct profile *profile, size_t rows)
{
	const struct profile_samples *samples = &profile->samples;
	size_t real = samples->len;
	uint64_t span = samples->time[real - 1] - samples->time[0] + 1;

	for (size_t i = real; i < rows; i++) {
		size_t from = i % real;

		profile_add(profile, &(struct profile_row){
					     .time = samples->time[from] + i / real * span,
					     .weight = samples->weight[from],
					     .stack = samples->stack[from],
					     .thread = samples->thread[from],
					     .leaf = samples->leaf[from],
					     .cpu = samples->cpu[from],
					     .event = samples->event[from],
				     });
	}
}
