/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small helpers for files: whole ones, those of /proc and /sys, and folders.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/vec.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

/* The whole file, ended by a NUL that *size (may be NULL) does not count; NULL on failure.  Free
 * it. */
char *file_read(const char *path, size_t *size, struct err *err);
/* The same from where a descriptor is; it stays open. */
char *fd_read_all(int fd, const char *name, size_t *size, struct err *err);

/*
 * The first line of a small file of /proc or /sys, without its end; path is a format.  Returns its
 * length, or a negative errno value, and then into is "".
 */
int file_line(char *into, size_t room, const char *path, ...) __attribute__((format(printf, 3, 4)));

/* A number alone in a small file; 0 or a negative errno value. */
int file_number(int64_t *into, const char *path, ...) __attribute__((format(printf, 2, 3)));

bool file_exists(const char *path, ...) __attribute__((format(printf, 1, 2)));

/* The names in a folder but "." and "..", sorted; *names is added to. */
int dir_names(const char *path, struct strlist *names, struct err *err);
int dir_subdirs(const char *path, struct strlist *names, struct err *err); /* folders only */

/* mkdir -p with mode 0700 for what is new. */
int dir_make(const char *path, struct err *err);

/* Where the user's data is kept: $XDG_DATA_HOME/perfolio or ~/.local/share/perfolio.  Free it. */
char *dir_user_data(void);

/* For what can be made again: NAME in $XDG_CACHE_HOME/perfolio or ~/.cache/perfolio.  Free it. */
char *dir_user_cache(const char *name);

/*
 * Files that are written for the user.  In a folder where others may write (/tmp, or one that is
 * another user's), anybody can put a link, a pipe or a file of theirs under the name: those are not
 * followed and not written to, but refused with -EACCES.  Elsewhere, and where they are our own or
 * root's (under sudo also the caller's), it is as always: links lead on, devices take what comes.
 */

/* The name that the links lead to, whether there is such a file or not; NULL on failure.  Free it.
 */
char *file_lead(const char *path, struct err *err);

/*
 * Opens it for writing; it is made if need be, and empty.  how: 0, O_APPEND to keep what it has, or
 * O_RDWR to read it as well.  -errno on failure.
 */
int file_create(const char *path, int how, struct err *err);

/* Whether it is no file of that name but an open descriptor, be it a file's: /dev/stdout. */
bool file_is_descriptor(const char *path);

/*
 * A new file beside the one at `path` (which file_lead gave), that takes its place by rename.
 * *making is its name; free it.
 */
int file_beside(const char *path, char **making, struct err *err);

/* write(2) until all is out; 0 or a negative errno value. */
int fd_write_all(int fd, const void *bytes, size_t size);
/* The same without the guard of terminals (base/terminal.h), which writes by this. */
int fd_write_plain(int fd, const void *bytes, size_t size);

#endif
