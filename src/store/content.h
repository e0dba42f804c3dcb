/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of runs: recordings, series, outputs, indexes.
 *
 *	struct content *content = content_begin(dir, run, "recording", err);
 *	content_write(content, bytes, size, err);
 *	content_end(content, err);
 *
 * Until its end a file can be read as far as it is written, and belongs to its run already.  At its
 * end it is on the disk and named by what is in it; two that are equal are one.
 */
#ifndef STORE_CONTENT_H
#define STORE_CONTENT_H

#include "store/filerows.h"

struct content;
struct datadir;

struct content *content_begin(struct datadir *dir, int64_t run, const char *kind, struct err *err);
/* Goes on with an unfinished one that somebody else may be writing still. */
struct content *content_resume(struct datadir *dir, int64_t id, struct err *err);
/*
 * A file that comes before its run is known, as an upload does: a descriptor to write it with, and
 * its name, by which it is then made a run's or dropped.  maker: whose share it counts to; the
 * owner's is 0.
 */
#define CONTENT_UPLOAD_NAME 64
int content_upload(struct datadir *dir, int64_t maker, char name[static CONTENT_UPLOAD_NAME],
		   struct err *err);
struct content *content_adopt(struct datadir *dir, int64_t run, const char *kind, const char *name,
			      struct err *err);
void content_upload_drop(struct datadir *dir, const char *name);

int64_t content_id(const struct content *content);
/* For others to write to, at any place; it is then read again at the end. */
int content_fd(struct content *content);
int content_write(struct content *content, const void *bytes, size_t size, struct err *err);

/*
 * They free it.  After a failed end what was written stays, unfinished; datadir_recover() tries
 * again.
 */
int content_end(struct content *content, struct err *err);
int content_abandon(struct content *content, struct err *err); /* no trace is left */
/* Lets go of it: others write it, and content_resume() comes back to it. */
void content_leave(struct content *content);

/* Opens the file of a row to be read; a descriptor, and the row in *row, or negative. */
int content_open(struct datadir *dir, int64_t id, struct arena *arena, struct file_row *row,
		 struct err *err);
/* The files of a run; size is as far as it is written.  Adds to *into. */
int content_list(struct datadir *dir, int64_t run, struct arena *arena, struct file_rows *into,
		 struct err *err);
/* Of those the newest of a kind; complete: not one that is being written.  NULL: there is none. */
const struct file_row *content_find(const struct file_rows *rows, const char *kind, bool complete);
int content_remove(struct datadir *dir, int64_t id, struct err *err);

#endif
