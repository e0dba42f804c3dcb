/* SPDX-License-Identifier: Apache-2.0 */
/* Where in the source a function was sampled most. */
#ifndef PROFILE_PLACES_H
#define PROFILE_PLACES_H

#include "profile/profile.h"

#define NO_PLACE UINT32_MAX

/*
 * For each function the string of its hottest line ("file.c:12") in samples of an event, NO_PLACE
 * where no line is known.  NULL if the profile was built without lines.  Free it.
 */
uint32_t *profile_hot_places(const struct profile *profile, uint16_t event);

#endif
