// SPDX-License-Identifier: Apache-2.0
#include "jobs/ownfolder.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *ownfolder_name(void)
{
	static char name[32];

	if (!geteuid())
		return "supervisor";
	snprintf(name, sizeof(name), "supervisor-%u", (unsigned)geteuid());
	return name;
}

int ownfolder_below(int folder, const char *name, bool make, struct err *err)
{
	struct stat info;
	int fd;

	/* The web side may look: its list of accounts is there.  Others don't get this far. */
	if (make && mkdirat(folder, name, 0755) && errno != EEXIST)
		return err_set(err, errno, "the supervisor's folder '%s' can't be made: %s", name,
			       strerror(errno));
	fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "the supervisor's folder '%s': %s", name,
			       strerror(errno));
	if (fstat(fd, &info) || info.st_uid != geteuid() || info.st_mode & 022) {
		close(fd);
		return err_set(err, EPERM,
			       "the supervisor's folder '%s' in the data folder is not %s, or "
			       "others may change it; move it away",
			       name, geteuid() ? "ours" : "root's");
	}
	return fd;
}

int ownfolder_open(const char *data, bool make, struct err *err)
{
	int above = open(data, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (above < 0)
		return err_set(err, errno, "%s: %s", data, strerror(errno));
	fd = ownfolder_below(above, ownfolder_name(), make, err);
	close(above);
	return fd;
}
