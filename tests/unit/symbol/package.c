// SPDX-License-Identifier: Apache-2.0
#include "symbol/package.h"
#include "folder.h"
#include "test.h"

static void put(const char *name, const char *text)
{
	folder_put(name, text, strlen(text));
}

TEST(package_is_found_by_a_whole_line)
{
	static const struct {
		const char *path, *want; /* NULL: none */
	} cases[] = {
		{ "/usr/bin/sqlite3", "sqlite3" },
		{ "/usr/bin/sqlite", NULL },
		{ "/usr/bin/sqlite3x", NULL },
		{ "/lib/x86_64-linux-gnu/libc.so.6", "libc6" },
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "libc6" }, /* the same by its new name */
		{ "/usr/bin/last", "last" },
		{ "[kernel.kallsyms]", NULL },
		{ "", NULL },
	};
	const char *lists = folder_new();

	put("sqlite3.list", "/.\n/usr\n/usr/bin\n/usr/bin/sqlite3\n/usr/share/doc\n");
	put("libc6:amd64.list", "/lib\n/lib/x86_64-linux-gnu/libc.so.6\n");
	put("libc6:amd64.md5sums", "/usr/bin/last\n");
	put("last.list", "/usr/bin/last"); /* without an end of its line */
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char name[64] = "";

		test_case("%s", cases[i].path);
		EXPECT_BOOL(package_of(lists, cases[i].path, name, sizeof(name)),
			    cases[i].want != NULL);
		EXPECT_TEXT(name, cases[i].want ? cases[i].want : "");
	}
	EXPECT_BOOL(package_of(folder_path("nowhere"), "/usr/bin/last", (char[8]){ 0 }, 8), false);
	folder_remove();
}

TEST(package_of_symbols_as_debian_names_them)
{
	static const char *const cases[][2] = {
		{ "libc6", "libc6-dbg" },
		{ "libsqlite3-0", "libsqlite3-0-dbgsym" },
		{ "python3.11-minimal", "python3.11-dbg" },
		{ "vim-minimal", "vim-minimal-dbgsym" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char name[64];

		package_of_symbols(cases[i][0], name, sizeof(name));
		EXPECT_TEXT(name, cases[i][1]);
	}
}
