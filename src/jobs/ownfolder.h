/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The supervisor's own part of the data folder.
 *
 * The data folder is the web side's, which may have been taken over: it can rename or remove what
 * lies in there, but it owns nothing below this folder and can put nothing into it.  So whoever
 * opens it looks whose it is, each time, and goes on from the descriptor.
 */
#ifndef JOBS_OWNFOLDER_H
#define JOBS_OWNFOLDER_H

#include <stdbool.h>

struct err;

/* Its name in the data folder: one for root, and one for each user who serves without root. */
const char *ownfolder_name(void);

/*
 * A descriptor of it, with its content only for root (or that user) to change; make: where there
 * is none it is made.  -ENOENT: there is none; -EPERM: it is somebody else's.
 */
int ownfolder_open(const char *data, bool make, struct err *err);

/* The same of a folder in it: `name` root's or that user's as well. */
int ownfolder_below(int folder, const char *name, bool make, struct err *err);

#endif
