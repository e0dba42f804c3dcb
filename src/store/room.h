/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room on the disk of the data folder.
 *
 * Files may take all but a floor, which only the database may use: recordings, outputs, indexes,
 * exports and uploads end there, so that how they ended can still be noted.  Others can fill the
 * disk all the same.  Against that there is a file that holds some room: it is given up when the
 * database finds none, so that what has ended is noted and somebody can remove runs.
 */
#ifndef STORE_ROOM_H
#define STORE_ROOM_H

#include <stdint.h>

struct disk {
	int64_t total, left; /* for everybody but root */
	int64_t floor;	     /* of what is left, the database's */
};

/* Of the file system that fd is on; negative on failure. */
int disk_look(int fd, struct disk *disk);

#endif
