// SPDX-License-Identifier: Apache-2.0
#include "record/procmaps.h"

#include <string.h>
#include <sys/mman.h>

/* A number in the base, and the one character that has to follow it (which may be several blanks
 * after a number of base 10). */
static bool take_number(char **at, unsigned base, char end, uint64_t *into)
{
	const char *start = *at;
	uint64_t value = 0;

	for (;; ++*at) {
		unsigned char c = (unsigned char)**at;
		unsigned digit = c >= '0' && c <= '9'	? c - '0'
				 : c >= 'a' && c <= 'f' ? c - 'a' + 10
							: 99;

		if (digit >= base)
			break;
		value = value * base + digit;
	}
	*into = value;
	if (*at == start || (**at != end && !(end == ' ' && !**at)))
		return false;
	*at += **at == end;
	return true;
}

static bool take_modes(char **at, struct procmap *map)
{
	const char *modes = *at;

	if (strnlen(modes, 5) < 5)
		return false;
	map->protection = (modes[0] == 'r' ? PROT_READ : 0) | (modes[1] == 'w' ? PROT_WRITE : 0) |
			  (modes[2] == 'x' ? PROT_EXEC : 0);
	map->flags = modes[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	*at += 5;
	return true;
}

bool procmap_next(char **at, struct procmap *map)
{
	char *line = *at, *end = strchr(line, '\n');
	uint64_t major, minor;

	if (!end)
		return false;
	*end = '\0';
	*at = end + 1;
	if (!take_number(&line, 16, '-', &map->start) || !take_number(&line, 16, ' ', &map->end) ||
	    !take_modes(&line, map) || !take_number(&line, 16, ' ', &map->offset) ||
	    !take_number(&line, 16, ':', &major) || !take_number(&line, 16, ' ', &minor) ||
	    !take_number(&line, 10, ' ', &map->inode))
		return false;
	map->major = (uint32_t)major;
	map->minor = (uint32_t)minor;
	map->path = line + strspn(line, " ");
	return true;
}
