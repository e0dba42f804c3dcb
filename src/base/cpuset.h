/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of CPU numbers as the kernel and perf write them: "0-3,8,10-11".
 */
#ifndef BASE_CPUSET_H
#define BASE_CPUSET_H

#include "base/vec.h"
#include <stdbool.h>

struct err;

struct cpuset VEC_OF(int); /* sorted, each once */

/* Adds the numbers of text to *set; on failure none. */
int cpuset_parse(struct cpuset *set, const char *text, struct err *err);
int cpuset_online(struct cpuset *set, struct err *err);
bool cpuset_has(const struct cpuset *set, int cpu);
void cpuset_free(struct cpuset *set);

#endif
