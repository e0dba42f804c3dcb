/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed files and sections: .gnu_debugdata, modules as .ko.xz or .ko.zst.
 */
#ifndef SYMBOL_UNPACK_H
#define SYMBOL_UNPACK_H

#include "symbol/image.h"
#include <stddef.h>

#define UNPACK_MAX ((size_t)256 << 20) /* a small input can claim to be anything */

/*
 * If the image is compressed (xz, zstd), puts what it holds in its place.  0, also where it is not
 * compressed; -EBADMSG if it is damaged, -EFBIG if it is larger than UNPACK_MAX.
 */
int unpack_image(struct image *image);

#endif
