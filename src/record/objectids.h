/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build-ids of mapped files, each file read once, whoever maps it.  Safe to use from many threads.
 */
#ifndef RECORD_OBJECTIDS_H
#define RECORD_OBJECTIDS_H

#include "perfdata/buildid.h"

struct objectids;
struct procmap;

struct objectids *objectids_new(void);
void objectids_free(struct objectids *ids);

/*
 * The id of the file that a process maps; empty if it has none or can't be read.  proc_dir is the
 * process's folder in /proc: the path is looked up as that process sees it, in its container, and
 * where the path now names another file or none, the mapping itself is asked.
 */
void objectids_find(struct objectids *ids, int proc_dir, const struct procmap *map,
		    struct build_id *id);

/*
 * The mapped file itself, for reading; -1 if it can't be opened.  Through the path that the process
 * sees, or the mapping, or as its program.
 */
int objectids_open(int proc_dir, const struct procmap *map);

#endif
