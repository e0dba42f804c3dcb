// SPDX-License-Identifier: Apache-2.0
#include "event/cpuid.h"
#include "base/file.h"
#include "base/mem.h"

#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Variant and revision of a MIDR: what tables do not tell apart. */
#define MIDR_STEPPING 0x00f0000fULL

/* The value of "KEY : VALUE" in cpuinfo's first entry, or NULL. */
static const char *value_of(const char *text, const char *key)
{
	for (size_t length = strlen(key); text && *text;) {
		const char *colon = strchr(text, ':'), *end = strchr(text, '\n');

		if (!strncmp(text, key, length) && (text[length] == '\t' || text[length] == ' ') &&
		    colon && (!end || colon < end))
			return colon + 1 + strspn(colon + 1, " \t");
		text = end ? end + 1 : NULL;
	}
	return NULL;
}

static long number_of(const char *text, const char *key, long otherwise)
{
	const char *value = value_of(text, key);

	return value ? strtol(value, NULL, 0) : otherwise;
}

const char *cpuid_from_cpuinfo(const char *text, char *into, size_t room)
{
	const char *vendor = value_of(text, "vendor_id");
	long implementer = number_of(text, "CPU implementer", -1);

	into[0] = '\0';
	if (vendor && number_of(text, "cpu family", -1) >= 0)
		snprintf(into, room, "%.*s-%ld-%lX-%lX", (int)strcspn(vendor, " \t\n"), vendor,
			 number_of(text, "cpu family", 0), number_of(text, "model", 0),
			 number_of(text, "stepping", 0));
	else if (implementer >= 0)
		snprintf(into, room, "0x%016lx",
			 implementer << 24 | 0xf0000 | number_of(text, "CPU part", 0) << 4);
	return into;
}

const char *cpuid_this(const char *sysfs, char *into, size_t room)
{
	char line[4096];
	ssize_t got;
	int fd;

	if (file_line(line, sizeof(line), "%s/devices/system/cpu/cpu0/regs/identification/midr_el1",
		      sysfs) > 0) {
		snprintf(into, room, "0x%016llx", strtoull(line, NULL, 16) & ~MIDR_STEPPING);
		return into;
	}
	/* The first CPU's entry is enough: with hundreds of them the whole file takes a while. */
	fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);
	line[got > 0 ? got : 0] = '\0';
	if (fd >= 0)
		close(fd);
	return cpuid_from_cpuinfo(line, into, room);
}

static bool one_matches(const char *pattern, size_t length, const char *id)
{
	char *whole = mem_printf("^(%.*s)(-[0-9A-Fa-f]+)?$", (int)length, pattern);
	regex_t regex;
	bool matches = false;

	if (!regcomp(&regex, whole, REG_EXTENDED | REG_ICASE | REG_NOSUB)) {
		matches = regexec(&regex, id, 0, NULL, 0) == 0;
		regfree(&regex);
	}
	free(whole);
	return matches;
}

bool cpuid_matches(const char *patterns, const char *id)
{
	while (*patterns) {
		size_t length = strcspn(patterns, " ");

		if (length && one_matches(patterns, length, id))
			return true;
		patterns += length + (patterns[length] == ' ');
	}
	return false;
}
