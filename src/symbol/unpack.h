/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed files and sections: .gnu_debugdata, modules as .ko.xz or .ko.zst.
 */
#ifndef SYMBOL_UNPACK_H
#define SYMBOL_UNPACK_H

#include "symbol/elf.h"
#include "symbol/image.h"
#include <stddef.h>

#define UNPACK_MAX ((size_t)256 << 20) /* a small input can claim to be anything */

/*
 * If the image is compressed (xz, zstd), puts what it holds in its place.  0, also where it is not
 * compressed; -EBADMSG if it is damaged, -EFBIG if it is larger than UNPACK_MAX.
 */
int unpack_image(struct image *image);

/*
 * The bytes of a section, unpacked if it is compressed (zlib, zstd), ended by a NUL; NULL if it has
 * none or is damaged.  Free it.
 */
#define UNPACK_SECTION_MAX ((uint64_t)1 << 30)
unsigned char *unpack_section(const struct elf_file *elf, const struct elf_section *section,
			      uint64_t *size);

#endif
