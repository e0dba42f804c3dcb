// SPDX-License-Identifier: Apache-2.0
/* What is in the files is read by h5py in tests/web/formats.py; here is what only the calls show.
 */
#include "render/hdf5.h"
#include "base/err.h"
#include "base/outbuf.h"
#include "profile/made.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRUNCATE 2u

static const struct selection_options everything = { .event = ALL_EVENTS };

/* Runs side by side in one file, as a session has them; a run of 40,000 samples is packed. */
TEST(hdf5_two_runs)
{
	static const struct hdf5_attribute attributes[] = { { "host", "here" }, { 0 } };
	struct profile *profile = made_profile();
	char path[] = "/tmp/perfolio-unit-XXXXXX";
	int fd = mkstemp(path);
	const struct hdf5_lib *lib = hdf5_lib(NULL);
	struct selection selection;
	struct hdf5_run run = { .samples = &selection, .title = "two", .attributes = attributes };
	struct err err = { 0 };
	hdf5_id file, group;
	struct stat st;

	for (uint64_t i = 0; i < 40000; i++)
		made_sample(profile, i, i % 3 ? "main;work" : "main", 1 + i % 7);
	EXPECT_INT(selection_make(&selection, profile, &everything, &err), 0);
	if (lib) {
		file = lib->file_create(path, TRUNCATE, 0, 0);
		EXPECT(file >= 0);
		for (int i = 0; i < 2; i++) {
			group = lib->group_create(file, i ? "second" : "first", 0, 0, 0);
			EXPECT(group >= 0);
			EXPECT_INT(hdf5_write_run(&run, group, &err), 0);
			/* A second time into the same group it fails, with words. */
			EXPECT_INT(hdf5_write_run(&run, group, &err), -EIO);
			EXPECT_CONTAINS(err.text, "libhdf5");
			EXPECT(lib->group_close(group) >= 0);
		}
		EXPECT(lib->file_close(file) >= 0);
		EXPECT_INT(stat(path, &st), 0);
		EXPECT(st.st_size > 40000 && st.st_size < 2 * 40000 * 20);
	}
	selection_free(&selection);
	profile_free(profile);
	unlink(path);
	close(fd);
}

TEST(hdf5_nowhere_to_write)
{
	struct profile *profile = made_profile();
	struct selection selection;
	struct export_source source = { .selection = &selection, .title = "" };
	struct err err = { 0 };
	struct outbuf out;
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	EXPECT_INT(selection_make(&selection, profile, &everything, &err), 0);
	outbuf_init(&out, fd);
	setenv("TMPDIR", "/nonexistent", 1);
	EXPECT_INT(export_hdf5(&source, &out, &err), -ENOENT);
	unsetenv("TMPDIR");
	EXPECT_INT(outbuf_fini(&out), 0);
	selection_free(&selection);
	profile_free(profile);
	close(fd);
}
