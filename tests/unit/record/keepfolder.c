// SPDX-License-Identifier: Apache-2.0
#include "record/keepfolder.h"
#include "base/file.h"
#include "fake.h"
#include "perfdata/buildid.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct keepfolder folder;
static char *dir;
static char id[BUILD_ID_TEXT];
static int program; /* this one: an ELF file with a build-id */

static bool set_up(void)
{
	struct build_id own;

	fake_machine();
	fake_file("/here", "");
	dir = mem_strdup(fake_path("/.debug"));
	keepfolder_init(&folder, dir);
	program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (build_id_of_fd(&own, program) || !own.size)
		return false; /* linked without one */
	build_id_text(id, &own);
	return true;
}

static void clear_up(void)
{
	close(program);
	keepfolder_fini(&folder);
	free(dir);
	fake_remove();
}

static uint64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

TEST(keepfolder_lays_files_out_as_perf_does)
{
	char path[1100], link[1000], target[1000] = "", wanted[1000];
	struct stat st;

	if (set_up()) {
		EXPECT_INT(keepfolder_add(&folder, program, "/app/prog"), 0);
		EXPECT_INT(folder.files, 1);
		snprintf(path, sizeof(path), "%s/app/prog/%s/elf", dir, id);
		EXPECT_INT(fstat(program, &st), 0);
		EXPECT_INT(size_of(path), st.st_size);
		EXPECT_INT(folder.bytes, st.st_size);
		snprintf(link, sizeof(link), "%s/.build-id/%.2s/%s", dir, id, id + 2);
		EXPECT(readlink(link, target, sizeof(target) - 1) > 0);
		snprintf(wanted, sizeof(wanted), "../../app/prog/%s", id);
		EXPECT_TEXT(target, wanted);
		snprintf(path, sizeof(path), "%s/elf", link);
		EXPECT_INT(size_of(path), st.st_size);

		/* The same build again, under whatever name, is there already. */
		EXPECT_INT(keepfolder_add(&folder, program, "/other/name"), 0);
		EXPECT_INT(folder.files, 1);
	}
	clear_up();
}

TEST(keepfolder_takes_only_what_can_be_found_again)
{
	int fd;

	if (set_up()) {
		fd = open(fake_path("/here"), O_RDONLY | O_CLOEXEC);
		EXPECT_INT(keepfolder_add(&folder, fd, "/here"), -ENOENT); /* no program */
		close(fd);
		EXPECT_INT(keepfolder_add(&folder, program, "memfd:x"), -EINVAL);
		EXPECT_INT(keepfolder_add(&folder, program, "/.build-id/ab/cd"), -EINVAL);
		EXPECT(!file_exists("%s", dir));
	}
	clear_up();
}

TEST(keepfolder_has_a_limit)
{
	if (set_up()) {
		folder.bytes = KEEP_ALL_MOST - 1;
		EXPECT_INT(keepfolder_add(&folder, program, "/app/prog"), -EFBIG);
		EXPECT_INT(folder.left_out, 1);
		EXPECT(!file_exists("%s/app", dir));
	}
	clear_up();
}

TEST(keepfolder_copies_a_list_as_it_grows)
{
	uint64_t size = 0;
	char text[100], *target;
	int fd;

	set_up();
	target = mem_strdup(fake_path("/perf-7.map"));
	fd = open(fake_path("/here"), O_RDWR | O_CLOEXEC);
	EXPECT_INT(keepfolder_add_list(&folder, fd, target, &size), 0);
	EXPECT(!file_exists("%s", target)); /* empty: nothing to keep */
	EXPECT_INT(fd_write_all(fd, "10 4 a\n", 7), 0);
	EXPECT_INT(keepfolder_add_list(&folder, fd, target, &size), 0);
	EXPECT_INT(size, 7);
	EXPECT_INT(fd_write_all(fd, "14 4 b\n", 7), 0);
	EXPECT_INT(keepfolder_add_list(&folder, fd, target, &size), 0);
	EXPECT_INT(size_of(target), 14);
	file_line(text, sizeof(text), "%s", target);
	EXPECT_TEXT(text, "10 4 a");
	EXPECT_INT(folder.files, 1);
	EXPECT_INT(folder.bytes, 14);
	close(fd);
	free(target);
	clear_up();
}

/* Under sudo everything is made with the caller's rights: their links lead root nowhere. */
TEST(keepfolder_has_the_rights_of_the_caller)
{
	struct stat st;
	char link[1000];

	if (set_up() && !geteuid()) {
		folder.as_caller = true;
		folder.user = folder.group = 65534;
		EXPECT(keepfolder_add(&folder, program, "/app/prog") < 0); /* root's folder */
		EXPECT(!file_exists("%s", dir));

		EXPECT_INT(mkdir(dir, 0755), 0);
		EXPECT_INT(chown(dir, 65534, 65534), 0);
		EXPECT_INT(chmod(fake_path("/"), 0755), 0);
		snprintf(link, sizeof(link), "%s/app", dir);
		EXPECT_INT(mkdir(fake_path("/secret"), 0755), 0);
		EXPECT_INT(symlink(fake_path("/secret"), link), 0);
		EXPECT(keepfolder_add(&folder, program, "/app/prog") < 0);
		EXPECT(!file_exists("%s/prog", fake_path("/secret")));

		EXPECT_INT(keepfolder_add(&folder, program, "/own/prog"), 0);
		snprintf(link, sizeof(link), "%s/own/prog/%s/elf", dir, id);
		EXPECT_INT(stat(link, &st), 0);
		EXPECT_INT(st.st_uid, 65534);
		EXPECT_INT(st.st_gid, 65534);
	}
	clear_up();
}
