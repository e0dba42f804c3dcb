/* SPDX-License-Identifier: Apache-2.0 */
/* Where the running kernel's modules are. */
#ifndef SYMBOL_MODULES_H
#define SYMBOL_MODULES_H

#include <stdint.h>

/* By "[ext4]" or "/lib/modules/.../ext4.ko.xz"; 0 if it is not loaded or that is hidden. */
uint64_t modules_base(const char *path);

/* Differs after a boot and when modules were loaded or unloaded; 0 if it can't be told. */
uint64_t modules_stamp(void);

#endif
