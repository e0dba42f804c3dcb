/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of files that would vanish, in the build-id folder as perf lays it out:
 * ~/.debug/PATH/ID/elf, and .build-id/ab/cdef... as a link to that folder.  perf and symbol/find.c
 * look there.
 *
 * Under sudo it is the folder of the user who called, and everything in it is made with that user's
 * rights: a link that they have put there leads root nowhere.
 */
#ifndef RECORD_KEEPFOLDER_H
#define RECORD_KEEPFOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define KEEP_FILE_MOST ((uint64_t)256 << 20) /* bytes of one file */
#define KEEP_ALL_MOST  ((uint64_t)512 << 20) /* of all of a recording */

struct keepfolder {
	char *dir; /* NULL: there is no home */
	bool as_caller;
	uid_t user;
	gid_t group;
	size_t files, left_out; /* left_out: too large */
	uint64_t bytes;
};

/* dir: NULL for ~/.debug. */
void keepfolder_init(struct keepfolder *folder, const char *dir);
void keepfolder_fini(struct keepfolder *folder);

/*
 * Keeps the program or library that fd has open, known by that path.  0: done, or not needed
 * because it is there already; -ENOENT: it has no build-id; -EFBIG: it is too large.
 */
int keepfolder_add(struct keepfolder *folder, int fd, const char *path);

/*
 * Keeps a JIT's list that fd has open as `target`, in the place of an older one.  *size is how much
 * of it was kept before, and is now; the same size means that there is nothing to do.
 */
int keepfolder_add_list(struct keepfolder *folder, int fd, const char *target, uint64_t *size);

#endif
