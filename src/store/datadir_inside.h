/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about the data folder share. */
#ifndef STORE_DATADIR_INSIDE_H
#define STORE_DATADIR_INSIDE_H

#include "base/err.h"
#include "store/datadir.h"
#include "store/filerows.h"
#include <pthread.h>

struct datadir {
	char *path;
	enum datadir_use use;
	int fd, lock_fd, partial_fd, files_fd;
	struct store *store;
	/*
	 * Held from a change of rows to that of their files.  Otherwise a content could lose its
	 * last row and be deleted just after somebody else has found it to be there already.
	 */
	pthread_mutex_t lock;
	pthread_mutex_t asking; /* datadir_hold() */
	struct {
		pthread_mutex_t lock; /* for all below */
		int reserve_fd;	      /* -1: this folder is only looked into */
		bool reserved;	      /* it holds its room */
		struct err trouble;   /* what keeps files from being written; code 0: nothing */
	} room;
};

#define PARTIAL_NAME  24	      /* an id */
#define CONTENT_NAME  (HASH_TEXT + 1) /* "AB/CDEF..." */
#define UPLOAD_PREFIX "upload-"	      /* what is partial and has no row yet */

/* room.c */
void room_begin(struct datadir *dir);
void room_release(void *dir); /* gives the reserve to the database */

void partial_name(char into[static PARTIAL_NAME], int64_t id);
void content_name(char into[static CONTENT_NAME], const char *hash);

/* These are for the holder of the lock. */

/* Hashes the unfinished file of a row, notes that in the row and gives it its last name. */
int content_settle(struct datadir *dir, int64_t id, struct err *err);
/* Gives it its last name, its row being right already. */
int content_place(struct datadir *dir, int64_t id, const char *hash, struct err *err);
int content_unlink(struct datadir *dir, const char *hash, struct err *err);

#endif
