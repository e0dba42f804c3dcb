// SPDX-License-Identifier: Apache-2.0
#include "record/outfile.h"
#include "base/file.h"
#include "fake.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char *path;

static void set_up(void)
{
	fake_machine();
	fake_file("/here", "");
	free(path);
	path = mem_strdup(fake_path("/perf.data"));
}

static void clear_up(void)
{
	free(path);
	path = NULL;
	fake_remove();
}

static size_t files_in_folder(void)
{
	struct strlist names = { 0 };
	char *folder = mem_strndup(path, (size_t)(strrchr(path, '/') - path));
	size_t count;

	dir_names(folder, &names, NULL);
	count = names.len;
	strlist_free(&names);
	free(folder);
	return count;
}

static void write_one(const char *text)
{
	struct outfile file;
	struct err err = { 0 };

	EXPECT_INT(outfile_open(&file, path, &err), 0);
	EXPECT_INT(fd_write_all(file.fd, text, strlen(text)), 0);
	EXPECT_INT(outfile_publish(&file, &err), 0);
	outfile_close(&file);
}

static const char *text_of(const char *suffix)
{
	static char text[100];

	file_line(text, sizeof(text), "%s%s", path, suffix);
	return text;
}

TEST(outfile_is_there_only_when_published)
{
	struct outfile file;
	struct err err = { 0 };
	size_t before;

	set_up();
	before = files_in_folder();
	EXPECT_INT(outfile_open(&file, path, &err), 0);
	EXPECT(!file_exists("%s", path));
	EXPECT_INT(outfile_publish(&file, &err), 0);
	EXPECT(file_exists("%s", path));
	outfile_close(&file);
	EXPECT_INT(files_in_folder(), before + 1);

	EXPECT_INT(outfile_open(&file, path, &err), 0);
	outfile_close(&file);
	test_case("one that was not published leaves nothing");
	EXPECT_INT(files_in_folder(), before + 1);
	clear_up();
}

TEST(outfile_keeps_the_older_one)
{
	struct stat st;

	set_up();
	write_one("first");
	EXPECT_TEXT(text_of(""), "first");
	EXPECT_INT(stat(path, &st), 0);
	EXPECT_INT(st.st_mode & 07777, 0600);
	write_one("second");
	EXPECT_TEXT(text_of(""), "second");
	EXPECT_TEXT(text_of(".old"), "first");
	write_one("third");
	EXPECT_TEXT(text_of(".old"), "second");
	clear_up();
}

TEST(outfile_withdrawn_gives_the_name_back)
{
	struct outfile file;
	struct err err = { 0 };

	set_up();
	write_one("first");
	EXPECT_INT(outfile_open(&file, path, &err), 0);
	EXPECT_INT(outfile_publish(&file, &err), 0);
	outfile_withdraw(&file);
	outfile_close(&file);
	EXPECT_TEXT(text_of(""), "first");
	EXPECT(!file_exists("%s.old", path));
	clear_up();
}

TEST(outfile_under_sudo_is_the_callers)
{
	struct stat st;

	if (geteuid())
		return;
	set_up();
	setenv("SUDO_UID", "4711", 1);
	setenv("SUDO_GID", "4712", 1);
	write_one("mine");
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	EXPECT_INT(stat(path, &st), 0);
	EXPECT_INT(st.st_uid, 4711);
	EXPECT_INT(st.st_gid, 4712);
	clear_up();
}

TEST(outfile_devices_are_written_in_place)
{
	struct outfile file;
	struct err err = { 0 };

	EXPECT_INT(outfile_open(&file, "/dev/null", &err), 0);
	EXPECT(file.special);
	EXPECT_INT(outfile_publish(&file, &err), 0);
	outfile_close(&file);
	EXPECT(file_exists("/dev/null"));
}

TEST(outfile_says_what_is_wrong)
{
	struct outfile file;
	struct err err = { 0 };

	EXPECT_INT(outfile_open(&file, "/no/such/folder/perf.data", &err), -ENOENT);
	EXPECT_CONTAINS(err.text, "/no/such/folder/perf.data");
}
