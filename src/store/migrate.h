/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing a database to the version that this program knows, one step after the other. */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include <stddef.h>

struct err;
struct store;

/* Each text makes version n + 1 out of version n. */
extern const char *const store_migrations[];
extern const size_t store_migration_count;

/*
 * Every step is one transaction with its version, so that a crash leaves either.  A database of a
 * later version than the last step's is refused.
 */
int migrate(struct store *store, const char *const *steps, size_t count, struct err *err);

#endif
