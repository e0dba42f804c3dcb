// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

/* A fresh folder for one test; forget_folder takes it away with what is in it. */
static void make_folder(void)
{
	strcpy(folder, "/tmp/perfolio-test-XXXXXX");
	EXPECT(mkdtemp(folder) != NULL);
}

static void forget_folder(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	EXPECT_INT(system(command), 0);
}

static char *put(const char *name, const void *bytes, size_t size)
{
	char *path = mem_printf("%s/%s", folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	EXPECT(fd >= 0);
	EXPECT_INT(fd_write_all(fd, bytes, size), 0);
	close(fd);
	return path;
}

TEST(file_read_gives_the_whole_file)
{
	static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 300000 };

	make_folder();
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char *bytes = mem_alloc(sizes[i]), *path, *got;
		size_t size = 99;

		test_case("%zu bytes", sizes[i]);
		for (size_t at = 0; at < sizes[i]; at++)
			bytes[at] = (char)(at * 7);
		path = put("file", bytes, sizes[i]);
		got = file_read(path, &size, NULL);
		EXPECT(got != NULL);
		EXPECT_INT(size, sizes[i]);
		EXPECT_INT(memcmp(got, bytes, size), 0);
		EXPECT_INT(got[size], 0);
		free(got);
		free(path);
		free(bytes);
	}
	forget_folder();
}

TEST(file_read_says_what_is_wrong)
{
	static const struct {
		const char *path;
		int code;
		const char *text;
	} cases[] = {
		{ "/nonexistent/file", ENOENT, "/nonexistent/file: No such file or directory" },
		{ "/proc", EISDIR, "/proc: Is a directory" },
		{ "/dev/zero", EFBIG, "/dev/zero: larger than 256 MiB" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };
		size_t size;

		test_case("%s", cases[i].path);
		EXPECT(file_read(cases[i].path, &size, &err) == NULL);
		EXPECT_INT(err.code, cases[i].code);
		EXPECT_TEXT(err.text, cases[i].text);
	}
}

TEST(file_line_gives_the_first_line)
{
	char line[8], *path;

	make_folder();
	path = put("lines", "first\nsecond\n", 13);
	EXPECT_INT(file_line(line, sizeof(line), "%s/%s", folder, "lines"), 5);
	EXPECT_TEXT(line, "first");
	EXPECT_INT(file_line(line, 4, "%s", path), 3);
	EXPECT_TEXT(line, "fir");
	free(path);
	path = put("empty", "", 0);
	EXPECT_INT(file_line(line, sizeof(line), "%s", path), 0);
	EXPECT_TEXT(line, "");
	free(path);
	EXPECT_INT(file_line(line, sizeof(line), "%s/absent", folder), -ENOENT);
	EXPECT_TEXT(line, "");
	EXPECT_INT(file_line(line, sizeof(line), "/%*s", 5000, "x"), -ENAMETOOLONG);
	forget_folder();
}

TEST(file_number_takes_a_number_alone)
{
	static const struct {
		const char *text;
		int code;
		int64_t number;
	} cases[] = {
		{ "7\n", 0, 7 },	   { "-1\n", 0, -1 },
		{ "0x1f\n", 0, 31 },	   { "010\n", 0, 10 },
		{ "42", 0, 42 },	   { "9223372036854775807\n", 0, INT64_MAX },
		{ "", -EINVAL, 0 },	   { "max\n", -EINVAL, 0 },
		{ "12 kB\n", -EINVAL, 0 }, { "1-3\n", -EINVAL, 0 },
		{ "0x\n", -EINVAL, 0 },	   { "9223372036854775808\n", -EINVAL, 0 },
	};

	make_folder();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *path = put("number", cases[i].text, strlen(cases[i].text));
		int64_t number = 0;

		test_case("%s", cases[i].text);
		EXPECT_INT(file_number(&number, "%s", path), cases[i].code);
		if (!cases[i].code)
			EXPECT_INT(number, cases[i].number);
		free(path);
	}
	forget_folder();
}

TEST(file_exists_by_format)
{
	make_folder();
	free(put("knob", "", 0));
	EXPECT(file_exists("%s/%s", folder, "knob"));
	EXPECT(!file_exists("%s/absent", folder));
	EXPECT(!file_exists("/%*s", 5000, "x"));
	forget_folder();
}

TEST(dir_names_are_sorted)
{
	struct strlist names = { 0 };
	struct err err = { 0 };

	make_folder();
	free(put("b", "", 0));
	free(put(".hidden", "", 0));
	free(put("a", "", 0));
	strlist_add(&names, "z");
	EXPECT_INT(dir_names(folder, &names, &err), 0);
	EXPECT_INT(names.len, 4);
	EXPECT_TEXT(names.data[0], "z"); /* what was there before stays in front */
	EXPECT_TEXT(names.data[1], ".hidden");
	EXPECT_TEXT(names.data[2], "a");
	EXPECT_TEXT(names.data[3], "b");
	strlist_free(&names);
	forget_folder();
	EXPECT_INT(dir_names(folder, &names, &err), -ENOENT);
	EXPECT_INT(names.len, 0);
}

TEST(dir_make_makes_all_of_the_path)
{
	static const char *const paths[] = { "a", "a/b/c", "a/b/c", "a/b/c/", "d//e/./f" };
	struct err err = { 0 };
	struct stat info;
	char *file;

	make_folder();
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		char *path = mem_printf("%s/%s", folder, paths[i]);

		test_case("%s", paths[i]);
		EXPECT_INT(dir_make(path, &err), 0);
		EXPECT_INT(stat(path, &info), 0);
		EXPECT(S_ISDIR(info.st_mode));
		EXPECT_INT(info.st_mode & 0777, 0700);
		free(path);
	}
	EXPECT_INT(dir_make("/", &err), 0);
	EXPECT_INT(dir_make("", &err), -ENOENT);

	file = put("file", "", 0);
	EXPECT_INT(dir_make(file, &err), -ENOTDIR);
	EXPECT_CONTAINS(err.text, "/file: Not a directory");
	free(file);
	file = mem_printf("%s/file/below", folder);
	EXPECT_INT(dir_make(file, &err), -ENOTDIR);
	free(file);
	forget_folder();
}

TEST(dir_user_data_follows_the_environment)
{
	static const struct {
		const char *xdg, *home, *want;
	} cases[] = {
		{ "/data", "/home/x", "/data/perfolio" },
		{ "relative", "/home/x", "/home/x/.local/share/perfolio" },
		{ "", "/home/x", "/home/x/.local/share/perfolio" },
		{ NULL, "/home/x", "/home/x/.local/share/perfolio" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *path;

		test_case("%s", cases[i].want);
		if (cases[i].xdg)
			setenv("XDG_DATA_HOME", cases[i].xdg, 1);
		else
			unsetenv("XDG_DATA_HOME");
		setenv("HOME", cases[i].home, 1);
		path = dir_user_data();
		EXPECT_TEXT(path, cases[i].want);
		free(path);
	}
}

TEST(fd_write_all_reports_failure)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	EXPECT_INT(fd_write_all(full, "x", 1), -ENOSPC);
	EXPECT_INT(fd_write_all(full, "", 0), 0);
	close(full);
	EXPECT_INT(fd_write_all(-1, "x", 1), -EBADF);
}
