/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How CPUs, caches, memory and PMUs of the machine lie, as sysfs tells and as perf.data holds it.
 * Each returns false where sysfs does not tell; what it added to *into is then of no use.
 */
#ifndef PERFDATA_TOPOLOGY_H
#define PERFDATA_TOPOLOGY_H

#include "base/buf.h"
#include <stdbool.h>

bool topology_cpus(const char *sysfs, struct buf *into);
bool topology_numa(const char *sysfs, struct buf *into);
bool topology_caches(const char *sysfs, struct buf *into);
bool topology_memory(const char *sysfs, struct buf *into);
bool topology_pmus(const char *sysfs, struct buf *into);

#endif
