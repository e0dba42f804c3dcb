// SPDX-License-Identifier: Apache-2.0
/* Reading the list that a JIT wrote of its code. */
#include "symbol/image.h"
#include "symbol/perfmap.h"
#include "symbol/process.h"
#include "symbol/store.h"
#include "symbol/table.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* -ELOOP, as for a link, if somebody else may have put it there; it is closed then. */
static int believe(const struct dso *object, struct image *image)
{
	const struct symbol_options *options = &object->store->options;
	struct stat st;

	if (process_wrote(object->key.pid, image, options->recorded_ns))
		return 0;
	/* Who made the recording could have written anything into it. */
	if (options->has_owner && !fstat(image->fd, &st) && st.st_uid == options->owner &&
	    st.st_nlink == 1 && !(st.st_mode & S_IWOTH))
		return 0;
	image_close(image);
	return -ELOOP;
}

/*
 * A process in a container writes into its own /tmp, under the pid that it has there.  When it is
 * gone, what lies in our /tmp under the pid that we know may be left.
 */
static int open_map(struct dso *object, struct image *image, char *path, size_t room)
{
	const struct symbol_options *options = &object->store->options;
	pid_t pid = object->key.pid, own;
	char root[64], name[64];
	int rc = -ENOENT;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", pid);
	if (options->symfs) {
		snprintf(path, room, "%s%s", options->symfs, name);
		return image_open_in(image, options->symfs, name);
	}
	if (options->other_machine)
		return -ENOENT;
	own = process_own_pid(pid);
	if (own && store_root_of(object->store, pid, root, sizeof(root))) {
		char inner[64];

		snprintf(inner, sizeof(inner), "/tmp/perf-%d.map", own);
		snprintf(path, room, "%s%s", root, inner);
		rc = image_open_plain_in(image, root, inner);
	}
	if (rc) {
		snprintf(path, room, "%s", name);
		rc = image_open_plain_in(image, "", name);
	}
	return rc ? rc : believe(object, image);
}

/* Where its list has code of several names: what ran there when is not in it. */
static void find_reused(struct reading *r, struct symbol_sheet *sheet)
{
	VEC(struct stretch) reused = { 0 };
	const struct symbol_row *last = NULL; /* of those so far, the one that reaches furthest */

	sheet_sort(sheet);
	vec_each (row, &sheet->rows) {
		uint64_t end = row->start + row->size,
			 last_end = last ? last->start + last->size : 0;

		if (last_end > row->start &&
		    strcmp(sheet->strings.data + last->name, sheet->strings.data + row->name)) {
			uint64_t both = end < last_end ? end : last_end;
			struct stretch *before = reused.len ? vec_last(&reused) : NULL;

			if (before && before->end >= row->start)
				before->end = before->end > both ? before->end : both;
			else
				*vec_push(&reused) = (struct stretch){ row->start, both };
		}
		if (end > last_end)
			last = row;
	}
	r->reused = reused.data;
	r->reused_count = reused.len;
}

void read_jit_object(struct dso *object, struct reading *r)
{
	struct symbol_sheet sheet = { 0 };
	char path[PATH_MAX + 64];
	struct image image;
	char *text;
	int rc = open_map(object, &image, path, sizeof(path));

	r->state = rc == -ELOOP			   ? DSO_DISTRUSTED
		   : rc == -EACCES || rc == -EPERM ? DSO_UNREADABLE
						   : DSO_MISSING;
	if (rc)
		return;
	text = (char *)image_load(&image, 0, image.size);
	if (text) {
		perfmap_read(&sheet, text, image.size);
		r->state = sheet.rows.len ? DSO_FULL : DSO_STRIPPED;
		find_reused(r, &sheet);
		r->table = table_build(&sheet, OVERLAP_NEWEST);
		r->source = mem_strdup(path);
		r->size = image.size;
	}
	image_close(&image);
}

bool jit_has_grown(struct dso *object, const struct reading *r)
{
	char path[PATH_MAX + 64];
	struct image image;
	bool grown;

	if (open_map(object, &image, path, sizeof(path)))
		return false;
	grown = image.size > r->size;
	image_close(&image);
	return grown;
}
