// SPDX-License-Identifier: Apache-2.0
#include "symbol/modules.h"
#include "base/file.h"
#include "base/map.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MODULE_NAME 64 /* the kernel's own limit */

/* The next "ext4 1003520 1 - Live 0xffffffffc0a00000"; the numbers between change with use. */
static bool next_module(FILE *in, char name[static MODULE_NAME], uint64_t *base, uint64_t *size)
{
	char line[4096];

	while (fgets(line, sizeof(line), in)) {
		const char *address = strstr(line, " 0x");

		if (address && sscanf(line, "%63s %" SCNu64, name, size) == 2 &&
		    sscanf(address, " %" SCNx64, base) == 1)
			return true;
	}
	return false;
}

/* Files have dashes where modules have underscores. */
static void module_name(const char *path, char name[static MODULE_NAME])
{
	const char *slash = strrchr(path, '/');
	size_t length;

	path = slash ? slash + 1 : path + (path[0] == '[');
	length = strcspn(path, "].");
	if (length >= MODULE_NAME)
		length = MODULE_NAME - 1;
	memcpy(name, path, length);
	name[length] = '\0';
	for (char *at = name; *at; at++)
		if (*at == '-')
			*at = '_';
}

uint64_t modules_base(const char *path)
{
	char wanted[MODULE_NAME], name[MODULE_NAME];
	uint64_t base = 0, size, found = 0;
	FILE *in = fopen("/proc/modules", "re");

	module_name(path, wanted);
	while (in && !found && next_module(in, name, &base, &size))
		found = strcmp(name, wanted) ? 0 : base;
	if (in)
		fclose(in);
	return found;
}

uint64_t modules_stamp(void)
{
	char name[MODULE_NAME], boot[64];
	uint64_t base, size, stamp;
	FILE *in;

	if (file_line(boot, sizeof(boot), "/proc/sys/kernel/random/boot_id") <= 0)
		return 0;
	stamp = map_hash(boot, strlen(boot));
	in = fopen("/proc/modules", "re"); /* absent where the kernel takes none */
	while (in && next_module(in, name, &base, &size))
		stamp = map_hash(name, strlen(name)) + stamp * 31 + base;
	if (in)
		fclose(in);
	return stamp ? stamp : 1;
}

void modules_each(const char *path,
		  void (*take)(void *context, const char *name, uint64_t base, uint64_t size),
		  void *context)
{
	FILE *in = fopen(path, "re");
	char name[MODULE_NAME];
	uint64_t base, size;

	while (in && next_module(in, name, &base, &size))
		take(context, name, base, size);
	if (in)
		fclose(in);
}
