/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which CPU this is, spelled as perf's and the vendors' map files do:
 * "GenuineIntel-6-4F-1" (family in decimal, model and stepping in hexadecimal), or on Arm the MIDR
 * without variant and revision, "0x00000000410fd0c0".
 */
#ifndef EVENT_CPUID_H
#define EVENT_CPUID_H

#include <stdbool.h>
#include <stddef.h>

/* "" if it can't be found out.  Gives into. */
const char *cpuid_this(const char *sysfs, char *into, size_t room);

/* The same from the text of /proc/cpuinfo. */
const char *cpuid_from_cpuinfo(const char *text, char *into, size_t room);

/* Whether one of the patterns (extended regular expressions, by spaces) means this id; the
 * stepping may be left out on either side. */
bool cpuid_matches(const char *patterns, const char *id);

#endif
