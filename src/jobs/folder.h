/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data folder as the supervisor sees it: whose it is, and that nobody else serves it.  What is
 * in it is the web side's business.
 */
#ifndef JOBS_FOLDER_H
#define JOBS_FOLDER_H

#include <stdint.h>
#include <sys/types.h>

struct err;
struct identity;

struct folder {
	char *path;   /* absolute */
	int fd;	      /* holds the lock, for us and for those who inherit it */
	int own;      /* as root: our part of it, wherever the web side moves that; else -1 */
	dev_t device; /* files of runs are on it */
	ino_t inode;
};

/* Makes it if it is missing, and gives it to `owner`.  -EBUSY: it is served already. */
int folder_open(struct folder *folder, const char *path, const struct identity *owner,
		struct err *err);
void folder_close(struct folder *folder);

/* A name for what belongs to this folder's server, the same at every start. */
void folder_tag(const struct folder *folder, char *into, size_t room);

#endif
