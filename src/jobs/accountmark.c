// SPDX-License-Identifier: Apache-2.0
#include "jobs/accountmark.h"
#include "base/err.h"
#include "jobs/ownfolder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "people"

int accountmark_set(const char *data, bool there, struct err *err)
{
	int folder = ownfolder_open(data, there, err), fd, rc = 0;

	if (folder < 0)
		return !there && folder == -ENOENT ? 0 : folder;
	if (there) {
		fd = openat(folder, NAME, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (fd < 0)
			rc = err_set(err, errno, NAME ": %s", strerror(errno));
		else
			close(fd);
	} else if (unlinkat(folder, NAME, 0) && errno != ENOENT) {
		rc = err_set(err, errno, NAME ": %s", strerror(errno));
	}
	close(folder);
	return rc;
}

bool accountmark_there(const char *data)
{
	struct err err = { 0 };
	int folder = ownfolder_open(data, false, &err);
	struct stat info;
	bool there;

	if (folder < 0)
		return folder != -ENOENT;
	there = !fstatat(folder, NAME, &info, AT_SYMLINK_NOFOLLOW) || errno != ENOENT;
	close(folder);
	return there;
}
