/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of runs and their way through the queue share. */
#ifndef STORE_SQLITE_RUN_H
#define STORE_SQLITE_RUN_H

struct stmt;
struct run_facts;

/* Binds the eleven columns from started_ns to facts; text that is not given is SQL's NULL. */
void run_bind_facts(struct stmt *q, const struct run_facts *facts);

#endif
