// SPDX-License-Identifier: Apache-2.0
#include "server/share.h"
#include "base/err.h"
#include "server/app.h"
#include "store/datadir.h"

/* Negative: there is none. */
static int64_t share_of(struct app *app, int64_t maker)
{
	int64_t percent = (int64_t)app->policy.max_share, used = 0;

	if (!maker || !percent || percent >= 100 || datadir_bytes(app->dir, &used, NULL))
		return -1;
	return (used + datadir_left(app->dir, (int64_t)app->policy.max_disk)) / 100 * percent;
}

int share_room(struct app *app, int64_t maker, int64_t wanted, struct err *err)
{
	int64_t share = share_of(app, maker);
	int rc = share < 0 ? 0 : datadir_share(app->dir, maker, wanted, share, err);

	return rc ? rc : datadir_room(app->dir, wanted, (int64_t)app->policy.max_disk, err);
}

int64_t share_left(struct app *app, int64_t maker)
{
	int64_t share = share_of(app, maker), used = 0;

	if (share < 0 || datadir_bytes_of(app->dir, maker, &used, NULL))
		return -1;
	return used < share ? share - used : 0;
}
