/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of the disk a person may have: --max-share of what the server's files take and could
 * still take.  By the number of the account; the owner (0), who can remove everything, has no
 * share.
 */
#ifndef SERVER_SHARE_H
#define SERVER_SHARE_H

#include <stdint.h>

struct app;
struct err;

/* Whether `wanted` more bytes of that person may be written: as datadir_room(). */
int share_room(struct app *app, int64_t maker, int64_t wanted, struct err *err);
/* What is left of the share; negative: there is none. */
int64_t share_left(struct app *app, int64_t maker);

#endif
