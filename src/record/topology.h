/* SPDX-License-Identifier: Apache-2.0 */
/* Where a CPU sits: its core, die, socket and memory node, as sysfs says. */
#ifndef RECORD_TOPOLOGY_H
#define RECORD_TOPOLOGY_H

struct topology {
	int socket, die, core, node; /* 0 where the machine does not say */
};

/* root is "/sys" but in tests. */
struct topology topology_of(const char *root, int cpu);

#endif
