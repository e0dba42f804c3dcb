/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine that isn't there: a tree of files that stands for /proc and /sys, and a CPU whose CPUID
 * says what the test wants.  One at a time.
 */
#ifndef UNIT_FAKE_H
#define UNIT_FAKE_H

#include "event/hypervisor.h"
#include <stddef.h>

/* An empty tree, and a CPU that says "bare metal"; perf events are refused with ENOENT. */
const struct host_source *fake_machine(void);
void fake_file(const char *path, const char *text);
void fake_bytes(const char *path, const void *bytes, size_t size);
void fake_link(const char *path, const char *to);
const char *fake_path(const char *path); /* holds until the next call */

/* The twelve letters a hypervisor shows in CPUID. */
void fake_hypervisor(const char *signature);
void fake_cpuid_leaf(uint32_t leaf, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
void fake_no_cpuid(void); /* as on Arm */
void fake_remove(void);

#endif
