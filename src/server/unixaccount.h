/* SPDX-License-Identifier: Apache-2.0 */
/* Which Unix account a person's programs run as, for those who show it or decide by it. */
#ifndef SERVER_UNIXACCOUNT_H
#define SERVER_UNIXACCOUNT_H

#include "base/arena.h"
#include <stdbool.h>

struct app;

/* Its name; "" where the list can't be read, and then that person's programs can't be started. */
const char *unix_account_of(const struct app *app, const char *person, struct arena *arena);

/* Whether programs of both run as the same one, so that each can read what the other's wrote. */
bool unix_account_same(const struct app *app, const char *person, const char *other);

#endif
