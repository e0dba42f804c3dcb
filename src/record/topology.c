// SPDX-License-Identifier: Apache-2.0
#include "record/topology.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int number_or_zero(const char *root, int cpu, const char *name)
{
	int64_t value;

	/* virtual machines without such a thing say -1 */
	if (file_number(&value, "%s/devices/system/cpu/cpu%d/topology/%s", root, cpu, name) ||
	    value < 0)
		return 0;
	return (int)value;
}

/* The folder of a CPU holds a link that is called after its node: "node0". */
static int node_of(const char *root, int cpu)
{
	struct strlist names = { 0 };
	char path[4096];
	int node = 0;

	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%d", root, cpu);
	dir_names(path, &names, NULL);
	vec_each (name, &names)
		if (!strncmp(*name, "node", 4))
			node = atoi(*name + 4);
	strlist_free(&names);
	return node;
}

struct topology topology_of(const char *root, int cpu)
{
	return (struct topology){
		.socket = number_or_zero(root, cpu, "physical_package_id"),
		.die = number_or_zero(root, cpu, "die_id"),
		.core = number_or_zero(root, cpu, "core_id"),
		.node = node_of(root, cpu),
	};
}
