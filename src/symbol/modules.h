/* SPDX-License-Identifier: Apache-2.0 */
/* Where a kernel's modules are: the running one's, or as a copy of its list says. */
#ifndef SYMBOL_MODULES_H
#define SYMBOL_MODULES_H

#include <stdint.h>

/* By "[ext4]" or "/lib/modules/.../ext4.ko.xz"; 0 if it is not loaded or that is hidden. */
uint64_t modules_base(const char *path);

/* Differs after a boot and when modules were loaded or unloaded; 0 if it can't be told. */
uint64_t modules_stamp(void);

/* Each of a list in the form of /proc/modules: its name, where it begins, how long it is. */
void modules_each(const char *path,
		  void (*take)(void *context, const char *name, uint64_t base, uint64_t size),
		  void *context);

#endif
