/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How CPUs, caches, memory and PMUs of the machine lie, as sysfs tells and as perf.data holds it.
 * Each returns false where sysfs does not tell; what it added to *into is then of no use.
 */
#ifndef PERFDATA_HOSTTOPOLOGY_H
#define PERFDATA_HOSTTOPOLOGY_H

#include "base/buf.h"
#include <stdbool.h>

bool hosttopology_cpus(const char *sysfs, struct buf *into);
bool hosttopology_numa(const char *sysfs, struct buf *into);
bool hosttopology_caches(const char *sysfs, struct buf *into);
bool hosttopology_memory(const char *sysfs, struct buf *into);
bool hosttopology_pmus(const char *sysfs, struct buf *into);

#endif
