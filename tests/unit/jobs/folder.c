// SPDX-License-Identifier: Apache-2.0
#include "jobs/folder.h"
#include "base/err.h"
#include "base/mem.h"
#include "jobs/identity.h"
#include "jobs/ownfolder.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define OTHER 4711

static char *inside(const char *folder, const char *name)
{
	return mem_printf("%s/%s", folder, name);
}

static void make_file(const char *folder, const char *name)
{
	char *path = inside(folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	EXPECT(fd >= 0);
	close(fd);
	free(path);
}

static uid_t owner_of(const char *folder, const char *name)
{
	char *path = inside(folder, name);
	struct stat info = { 0 };

	EXPECT(!lstat(path, &info));
	free(path);
	return info.st_uid;
}

static void remove_file(const char *folder, const char *name)
{
	char *path = inside(folder, name);

	remove(path);
	free(path);
}

/* Root's supervisor has a part of it. */
static void remove_own(const char *path)
{
	char *own = inside(path, ownfolder_name());

	rmdir(own);
	free(own);
}

TEST(folder_given_by_root)
{
	static const struct {
		const char *file; /* beside "sub"; NULL: it is empty */
		int rc;
	} cases[] = {
		{ NULL, 0 },
		{ "passwd", -EEXIST },
		{ "perfolio.db", 0 },
	};
	char name[] = "other", home[] = "/", shell[] = "/bin/sh";
	struct identity owner = {
		.uid = OTHER, .gid = OTHER, .name = name, .home = home, .shell = shell
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases) && !geteuid(); i++) {
		char path[] = "/tmp/perfolio-folder-XXXXXX";
		struct folder folder;
		struct err err = { 0 };
		uid_t wanted = cases[i].rc ? 0 : OTHER;

		EXPECT(mkdtemp(path));
		if (cases[i].file) {
			char *sub = inside(path, "sub");

			make_file(path, cases[i].file);
			EXPECT(!mkdir(sub, 0700));
			make_file(sub, "file");
			free(sub);
		}
		EXPECT(folder_open(&folder, path, &owner, &err) == cases[i].rc);
		EXPECT(owner_of(path, ".") == wanted);
		if (cases[i].file) {
			EXPECT(owner_of(path, cases[i].file) == wanted);
			EXPECT(owner_of(path, "sub/file") == wanted);
			remove_file(path, "sub/file");
			remove_file(path, "sub");
			remove_file(path, cases[i].file);
		}
		if (!cases[i].rc)
			folder_close(&folder);
		remove_own(path);
		rmdir(path);
	}
}

TEST(folder_is_made_private)
{
	static const struct {
		mode_t mode;
		const char *file;
		int rc;
		mode_t then;
	} cases[] = {
		{ 0755, NULL, 0, 0700 },
		{ 0777, "lost+found", 0, 0700 },
		{ 0700, "perfolio.db", 0, 0700 },
		{ 0755, "perfolio.db", -EACCES, 0755 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char path[] = "/tmp/perfolio-folder-XXXXXX";
		struct identity owner = { 0 };
		struct folder folder;
		struct err err = { 0 };
		struct stat info;

		test_case("%zu", i);
		identity_of(&owner, geteuid(), getegid());
		EXPECT(mkdtemp(path));
		if (cases[i].file)
			make_file(path, cases[i].file);
		EXPECT(!chmod(path, cases[i].mode));
		EXPECT_INT(folder_open(&folder, path, &owner, &err), cases[i].rc);
		EXPECT_CONTAINS(err.text, cases[i].rc ? "others may look into it; `chmod 700" : "");
		EXPECT(!stat(path, &info));
		EXPECT_INT(info.st_mode & 0777, cases[i].then);
		folder_close(&folder);
		identity_fini(&owner);
		if (cases[i].file)
			remove_file(path, cases[i].file);
		remove_own(path);
		EXPECT(!rmdir(path));
	}
}
