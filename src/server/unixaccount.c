// SPDX-License-Identifier: Apache-2.0
#include "server/unixaccount.h"
#include "base/err.h"
#include "jobs/unixaccounts.h"
#include "server/app.h"
#include "store/datadir.h"

#include <string.h>

const char *unix_account_of(const struct app *app, const char *person, struct arena *arena)
{
	struct unixaccounts list = { 0 };
	struct err err = { 0 };
	const char *account;

	if (!app->dir)
		return app->policy.workload_user;
	if (unixaccounts_read(&list, datadir_path(app->dir), &err))
		return "";
	account = unixaccounts_find(&list, person);
	account = arena_strdup(arena, account ? account : app->policy.workload_user);
	unixaccounts_free(&list);
	return account;
}

bool unix_account_same(const struct app *app, const char *person, const char *other)
{
	struct arena arena = { 0 };
	const char *one = unix_account_of(app, person, &arena);
	bool same = *one && !strcmp(one, unix_account_of(app, other, &arena));

	arena_free(&arena);
	return same;
}
