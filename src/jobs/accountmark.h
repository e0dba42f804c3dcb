/* SPDX-License-Identifier: Apache-2.0 */
/*
 * That somebody besides the owner has an account, as the supervisor knows it.
 *
 * The rows of accounts are the web side's, which may have been taken over, and are read by code
 * that the supervisor does without.  So `perfolio user add` leaves a mark in the supervisor's own
 * part of the data folder.  The web side could move that away; a supervisor that has seen the mark
 * once does not forget it, and `serve` looks at the rows before there is a web side.
 */
#ifndef JOBS_ACCOUNTMARK_H
#define JOBS_ACCOUNTMARK_H

#include <stdbool.h>

struct err;

int accountmark_set(const char *data, bool there, struct err *err);
/* Also where nobody can tell. */
bool accountmark_there(const char *data);

#endif
