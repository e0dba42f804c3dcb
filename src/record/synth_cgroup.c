// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "record/synth_record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MOST 64

/* The folder behind fd and all below it; path is its name as seen from the mount. */
static void add_folder(const struct synth *synth, int fd, const char *path, int depth,
		       struct buf *into)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	struct stat st;
	uint64_t id;

	if (!dir) {
		close(fd);
		return;
	}
	if (!fstat(fd, &st)) {
		id = st.st_ino; /* which is what the kernel's records say on 64-bit machines */
		synth_record(synth, into, PERF_RECORD_CGROUP, 0, &id, sizeof(id), path);
	}
	while (depth < DEPTH_MOST && (entry = readdir(dir))) {
		char *below;
		int next;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		next = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (next < 0)
			continue;
		below = mem_printf("%s/%s", strcmp(path, "/") ? path : "", entry->d_name);
		add_folder(synth, next, below, depth + 1, into);
		free(below);
	}
	closedir(dir);
}

int synth_cgroups(const struct synth *synth, const char *mount, struct err *err)
{
	int fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct buf records = { 0 };
	int rc;

	if (fd < 0)
		return err_set(err, errno, "%s: %s", mount, strerror(errno));
	add_folder(synth, fd, "/", 0, &records);
	rc = synth->take(synth->user, records.data, records.len, err);
	buf_free(&records);
	return rc;
}
