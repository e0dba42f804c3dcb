/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that a recording goes to.
 *
 * It is made without a name, or where the file system can't do that under another one beside its
 * place, and gets its name once it can be read: at no moment something half-made stands there.
 * What stood there before becomes NAME.old.
 * It is for its owner's eyes only, and under sudo that is the user who called sudo.
 */
#ifndef RECORD_OUTFILE_H
#define RECORD_OUTFILE_H

#include <stdbool.h>
#include <stdint.h>

struct err;

struct outfile {
	int fd;
	char *path;   /* where it belongs; NULL: a descriptor that was given */
	char *making; /* its name until outfile_publish; "" without one, NULL afterwards */
	bool special; /* a device or a pipe: written where it is */
	bool kept_older;
};

int outfile_open(struct outfile *file, const char *path, struct err *err);
/* For a descriptor of the caller's, which stays open. */
void outfile_use(struct outfile *file, int fd);

/* Moves it to its place. */
int outfile_publish(struct outfile *file, struct err *err);
/* Gives the published file another name (--switch-output). */
int outfile_rename(struct outfile *file, const char *path, struct err *err);

/* Takes a published file away again and gives the older one its name back. */
void outfile_withdraw(struct outfile *file);

/* Closes it; what was not published is removed. */
void outfile_close(struct outfile *file);

#endif
