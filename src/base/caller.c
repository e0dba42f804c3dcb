// SPDX-License-Identifier: Apache-2.0
#include "base/caller.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static bool parse(const char *text, unsigned *into)
{
	char *end;
	unsigned long value;

	if (!text || !*text)
		return false;
	value = strtoul(text, &end, 10);
	*into = (unsigned)value;
	return !*end && value < UINT_MAX;
}

bool caller_of_sudo(uid_t *user, gid_t *group)
{
	return !geteuid() && parse(getenv("SUDO_UID"), user) && parse(getenv("SUDO_GID"), group);
}
