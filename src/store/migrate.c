// SPDX-License-Identifier: Apache-2.0
#include "store/migrate.h"
#include "base/err.h"
#include "store/sqlite.h"

#include <errno.h>
#include <stdio.h>

/* migrations/, by tools/embed.py */
extern const char store_migration_0001[], store_migration_0002[], store_migration_0003[],
	store_migration_0004[], store_migration_0005[], store_migration_0006[],
	store_migration_0007[];

const char *const store_migrations[] = { store_migration_0001, store_migration_0002,
					 store_migration_0003, store_migration_0004,
					 store_migration_0005, store_migration_0006,
					 store_migration_0007 };
const size_t store_migration_count = ARRAY_SIZE(store_migrations);

static int read_version(struct store *store, int64_t *version, struct err *err)
{
	struct stmt q;

	stmt_open(&q, store, "PRAGMA user_version");
	return stmt_number(&q, version, err);
}

static int check_version(const struct store *store, int64_t version, size_t count, struct err *err)
{
	if (version >= 0 && (size_t)version <= count)
		return 0;
	return err_set(err, EPROTONOSUPPORT,
		       "%s: made by a newer perfolio (version %lld of the store, this one knows "
		       "%zu); use that one",
		       store->path, (long long)version, count);
}

/* Another process may have done it since: the version is read again inside the transaction. */
static int step(struct store *store, const char *const *steps, size_t count, struct err *err)
{
	char set_version[64];
	int64_t version = 0;
	int rc = db_write(store, err);

	if (!rc)
		rc = read_version(store, &version, err);
	if (!rc)
		rc = check_version(store, version, count, err);
	if (!rc && (size_t)version < count) {
		rc = db_run(store, steps[version], err);
		/* no value can be bound in a PRAGMA; this one is a number of ours */
		snprintf(set_version, sizeof(set_version), "PRAGMA user_version = %lld",
			 (long long)version + 1);
		if (!rc)
			rc = db_run(store, set_version, err);
	}
	return db_done(store, rc, err);
}

int migrate(struct store *store, const char *const *steps, size_t count, struct err *err)
{
	int64_t version;
	int rc;

	do {
		rc = read_version(store, &version, err);
		if (!rc)
			rc = check_version(store, version, count, err);
		if (!rc && (size_t)version < count)
			rc = step(store, steps, count, err);
	} while (!rc && (size_t)version < count);
	return rc;
}
