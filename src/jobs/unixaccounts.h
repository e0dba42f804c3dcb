/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose programs are started as which Unix account: one file in the supervisor's folder, which
 * only root writes (`perfolio user --unix`).
 *
 * Everybody who is not in it shares the account of serve's --user.  A web side that was taken over
 * can say that anybody asks, so it can start programs as the accounts that stand here and as the
 * shared one, and never as another.
 */
#ifndef JOBS_UNIXACCOUNTS_H
#define JOBS_UNIXACCOUNTS_H

#include "base/vec.h"

struct err;
struct identity;

struct unixaccount {
	char *person, *account;
};
struct unixaccounts VEC_OF(struct unixaccount);

/* `data` is the data folder.  A file that is not there is an empty list. */
int unixaccounts_read(struct unixaccounts *list, const char *data, struct err *err);
/* The same of the supervisor's part of it, which was opened before. */
int unixaccounts_read_in(struct unixaccounts *list, int folder, struct err *err);
void unixaccounts_free(struct unixaccounts *list);
/* NULL: the shared one. */
const char *unixaccounts_find(const struct unixaccounts *list, const char *person);

/* As root: puts a line in place of the person's; account NULL: takes it out. */
int unixaccounts_set(const char *data, const char *person, const char *account, struct err *err);

/*
 * Whether programs of people may run as it: an account of a person and of nothing else.  root,
 * those of the system (below UID_MIN of /etc/login.defs) and nobody are not: what they own is not
 * one person's.  -EPERM with the reason.
 */
int unixaccount_check(const struct identity *who, struct err *err);

#endif
