/* SPDX-License-Identifier: Apache-2.0 */
/* What the routes of files share. */
#ifndef SERVER_FILES_H
#define SERVER_FILES_H

#include "base/arena.h"
#include "base/wordlist.h"
#include "store/filerows.h"

struct app;
struct err;
struct request;
struct run;

/* The newest complete file of a kind that a run has; -ENOENT without one. */
int run_file_open(struct app *app, int64_t run, const char *kind, struct arena *arena,
		  struct file_row *row, struct err *err);

/* What is known of a run as NAME=VALUE, for files that are read without the server; all: with the
 * values of its environment. */
void run_attributes(const struct run *run, bool all, struct arena *arena, struct wordlist *into);

/* Whether a format holds raw data of the measured program; of others names and times. */
bool export_is_raw(const char *format);

int files_session_hdf5(struct request *request, struct err *err);

#endif
