// SPDX-License-Identifier: Apache-2.0
/* One that is fenced in asks its opener, for what it may have and for what it may not. */
#include "jobs/opener.h"
#include "base/leaks.h"
#include "jobs/sandbox.h"
#include "symbol/folder.h"
#include "symbol/image.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static int opened(int rc, struct image *image)
{
	if (!rc)
		image_close(image);
	return rc;
}

static int try_path(const char *path)
{
	struct image image;

	return opened(image_open(&image, path), &image);
}

static int fence(const char *forbidden)
{
	struct sandbox sandbox = { .profile = SANDBOX_ANALYSER, .uid = SANDBOX_STAY };
	struct sandbox_files files = { .readable = true, .forbidden = forbidden };
	struct err err = { 0 };
	int fd, rc;

	if (!geteuid())
		sandbox.uid = sandbox.gid = NOBODY;
	fd = opener_start(&sandbox, &err);
	rc = fd < 0 ? fd : sandbox_enter(&sandbox, NULL, &err);
	if (!rc)
		rc = sandbox_files(&files, NULL, &err);
	return rc ? rc : opener_use(fd, forbidden, &err);
}

/* Which of its attempts went wrong, by number. */
static int attempts(const char *later, const char *inside, const char *link)
{
	struct image image;
	char around[400];

	snprintf(around, sizeof(around), "/usr/..%s", inside);
	if (try_path(later))
		return 1;
	if (try_path(inside) != -EACCES || try_path(link) != -EACCES || try_path(around) != -EACCES)
		return 2;
	if (opened(image_open_refused(&image, -EACCES, IMAGE_IN, 0, "/proc/self/environ"),
		   &image) != -EACCES)
		return 3;
	if (opened(image_open_refused(&image, -EACCES, IMAGE_IN, 0, "etc/passwd"), &image) !=
	    -EINVAL)
		return 4;
	if (opened(image_open_refused(&image, -EACCES, IMAGE_IN, 0, "/etc"), &image) != -EINVAL)
		return 5;
	/* what is not a question of permission is not asked */
	if (opened(image_open_refused(&image, -ENOENT, IMAGE_IN, 0, later), &image) != -ENOENT)
		return 6;
	/* and it is there again after all that */
	return try_path(later) ? 7 : 0;
}

TEST(opener_gives_what_was_made_later)
{
	char *top, data[300], inside[330], later[330], link[330], byte = 0;
	int ready[2], go[2], status;
	pid_t child;

	/* without fences nobody asks */
	if (leaks_wanted() || syscall(SYS_landlock_create_ruleset, NULL, 0, 1U) < 0)
		return;
	top = folder_new();
	snprintf(data, sizeof(data), "%s/data", top);
	snprintf(inside, sizeof(inside), "%s/data/inside", top);
	snprintf(later, sizeof(later), "%s/later", top);
	snprintf(link, sizeof(link), "%s/link", top);
	EXPECT_INT(chmod(top, 0755), 0);
	folder_put("data/inside", "x", 1);
	EXPECT_INT(chmod(data, 0755), 0);
	EXPECT_INT(chmod(inside, 0644), 0);
	EXPECT_INT(pipe(ready) | pipe(go), 0);
	child = fork();
	if (!child) {
		if (fence(data))
			_exit(100);
		if (write(ready[1], "r", 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(101);
		_exit(attempts(later, inside, link));
	}
	close(ready[1]);
	EXPECT_INT(read(ready[0], &byte, 1), 1);
	folder_put("later", "x", 1);
	EXPECT_INT(chmod(later, 0644), 0);
	folder_link("link", inside);
	EXPECT_INT(write(go[1], "g", 1), 1);
	EXPECT_INT(waitpid(child, &status, 0), child);
	EXPECT_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
	close(ready[0]);
	close(go[0]);
	close(go[1]);
	folder_remove();
}
