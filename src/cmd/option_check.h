/* SPDX-License-Identifier: Apache-2.0 */
/* Whether `stat` or `record` understands some options, by its own table; nothing of it is run. */
#ifndef CMD_OPTION_CHECK_H
#define CMD_OPTION_CHECK_H

struct err;
struct wordlist;

/* -EINVAL says which of them it does not; so do words that are no option. */
int option_check(const char *command, const struct wordlist *options, struct err *err);

#endif
