// SPDX-License-Identifier: Apache-2.0
#include "cmd/server_folder.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Root's home is closed to the user whom the server uses it as. */
#define SYSTEM_FOLDER "/var/lib/perfolio"

char *server_folder(const char *given)
{
	const char *base = getenv("XDG_DATA_HOME");

	if (given)
		return mem_strdup(given);
	return geteuid() == 0 && !(base && *base) ? mem_strdup(SYSTEM_FOLDER) : dir_user_data();
}

int server_folder_become_owner(const char *path, struct err *err)
{
	struct stat info;

	if (geteuid() || stat(path, &info) || !info.st_uid)
		return 0;
	if (setgroups(1, &info.st_gid) || setegid(info.st_gid) || seteuid(info.st_uid))
		return err_set(err, errno, "%s: can't be used as its owner: %s", path,
			       strerror(errno));
	return 0;
}

void server_folder_leave(void)
{
	if (!getuid() && (seteuid(0) || setegid(0)))
		return; /* then as the owner to the end, which is not far */
}
