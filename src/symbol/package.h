/* SPDX-License-Identifier: Apache-2.0 */
/* Which Debian package a file came with, so that a remedy can name what to install. */
#ifndef SYMBOL_PACKAGE_H
#define SYMBOL_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

#define PACKAGE_LISTS "/var/lib/dpkg/info" /* one NAME.list or NAME:ARCH.list a package */

/* The package's name without its architecture; false if no list in the folder holds the path. */
bool package_of(const char *lists, const char *path, char *into, size_t room);

/* The package with the debug symbols of another, as Debian names them: libc6 has libc6-dbg. */
void package_of_symbols(const char *package, char *into, size_t room);

#endif
