/* SPDX-License-Identifier: Apache-2.0 */
/* Units whose entries were split off into a .dwo file, or a package of those (.dwp). */
#ifndef DWARF_SPLIT_H
#define DWARF_SPLIT_H

#include "dwarf/file.h"

/* The unit that holds the entries: the unit itself if it was not split; NULL if it can't be had. */
struct unit *split_unit(struct unit *unit);

#endif
