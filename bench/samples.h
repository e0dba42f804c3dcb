/* SPDX-License-Identifier: Apache-2.0 */
/* More samples than a recording has, for what is to be measured with many. */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include "profile/profile.h"

/* The samples once more and once more, each time later, until there are so many rows. */
void samples_repeat(struct profile *profile, size_t rows);

#endif
