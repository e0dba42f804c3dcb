// SPDX-License-Identifier: Apache-2.0
#include "cmd/analyser_hdf5.h"
#include "base/err.h"
#include "base/file.h"
#include "cmd/export_output.h"
#include "profile/selection.h"
#include "render/hdf5.h"
#include "render/hdf5_table.h"
#include "render/series_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct attributes VEC_OF(struct hdf5_attribute);

/* "kernel=6.1.0" is an attribute; the last is without a name. */
static void read_attributes(struct analyser *a, const struct msg_input *input,
			    struct attributes *into)
{
	for (size_t i = 0; input && i < input->attributes.len; i++) {
		char *word = arena_strdup(&a->arena, input->attributes.data[i]);
		char *equals = strchr(word, '=');

		if (!equals || equals == word)
			continue;
		*equals = '\0';
		*vec_push(into) = (struct hdf5_attribute){ word, equals + 1 };
	}
	vec_push(into);
}

/* What a run has: samples, counters or both. */
static int write_group(struct analyser *a, const struct msg_input *about,
		       const struct msg_input *counters, const struct selection *samples,
		       hdf5_id group, struct err *err)
{
	struct attributes attributes = { 0 };
	struct hdf5_run run = { .title = about->name, .samples = samples };
	struct series series = { 0 };
	int rc = 0;

	read_attributes(a, about, &attributes);
	run.attributes = attributes.data;
	if (counters && counters->fd >= 0) {
		rc = series_open_fd(&series, counters->fd, err);
		run.counters = rc ? NULL : &series;
		if (rc == -EAGAIN) /* it was ended before its first interval */
			rc = 0;
	}
	if (!rc)
		rc = hdf5_write_run(&run, group, err);
	if (run.counters)
		series_close(&series);
	vec_free(&attributes);
	return rc;
}

int analyser_hdf5_begin(struct analyser_hdf5 *file, struct err *err)
{
	char path[] = "/tmp/perfolio-XXXXXX";

	*file = (struct analyser_hdf5){ .fd = -1 };
	if (!hdf5_lib(err))
		return -err->code;
	file->fd = mkostemp(path, O_CLOEXEC);
	if (file->fd < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	file->file = hdf5_file_begin(path, err);
	unlink(path);
	return file->file < 0 ? (int)file->file : 0;
}

static int copy_out(int from, int to, struct err *err)
{
	size_t room = (size_t)1 << 20;
	char *piece = mem_alloc(room);
	off_t at = 0;
	ssize_t got;
	int rc = 0;

	while (!rc && (got = pread(from, piece, room, at))) {
		rc = got < 0 ? -errno : fd_write_all(to, piece, (size_t)got);
		at += got;
	}
	free(piece);
	return rc ? err_set(err, -rc, "the output: %s", strerror(-rc)) : 0;
}

int analyser_hdf5_end(struct analyser *a, struct analyser_hdf5 *file, int rc, struct err *err)
{
	rc = hdf5_file_end(file->file, rc, err);
	return rc ? rc : copy_out(file->fd, a->job->out, err);
}

int analyser_write_run(struct analyser *a, const struct flame_job *job, struct analyser_hdf5 *file,
		       struct err *err)
{
	struct selection selection = { 0 };
	int rc = export_select(&selection, job, err);

	if (rc)
		return rc;
	rc = write_group(a, analyser_input(a, "index"), analyser_input(a, "series"), &selection,
			 file->file, err);
	selection_free(&selection);
	return analyser_hdf5_end(a, file, rc, err);
}

int analyser_write_counters(struct analyser *a, struct analyser_hdf5 *file, struct err *err)
{
	const struct msg_input *counters = analyser_input(a, "series");
	int rc = counters ? write_group(a, counters, counters, NULL, file->file, err)
			  : err_set(err, ENODATA, "the run has neither samples nor counters");

	return analyser_hdf5_end(a, file, rc, err);
}

/* ---- a whole session ---- */

static int write_samples(struct analyser *a, const struct msg_input *index,
			 const struct msg_input *counters, hdf5_id group, struct err *err)
{
	struct flame_args args = { .idle = true };
	struct loaded in;
	struct flame_job job = { .args = &args, .input = &in, .format = FORMAT_HDF5 };
	struct selection selection = { 0 };
	int rc = analyser_open_index(index, &in, err);

	if (rc)
		return rc;
	rc = export_select(&selection, &job, err);
	if (!rc)
		rc = write_group(a, index, counters, &selection, group, err);
	selection_free(&selection);
	loaded_close(&in);
	return rc;
}

/* The inputs of one run, which all come one after another; they are done with then. */
static int write_run(struct analyser *a, hdf5_id file, struct err *err)
{
	const struct msg_input *index = analyser_input(a, "index");
	const struct msg_input *counters = analyser_input(a, "series");
	const struct hdf5_lib *lib = hdf5_lib(err);
	hdf5_id group;
	char name[40];
	int rc;

	snprintf(name, sizeof(name), "run_%llu", (unsigned long long)a->inputs.data[0]->run);
	group = lib->group_create(file, name, 0, 0, 0);
	if (group < 0)
		return err_set(err, EIO, "%s: libhdf5 could not begin the group", name);
	rc = index && index->fd >= 0
		     ? write_samples(a, index, counters, group, err)
		     : write_group(a, a->inputs.data[0], counters, NULL, group, err);
	lib->group_close(group);
	vec_each (input, &a->inputs)
		ipc_release(&msg_input, *input);
	a->inputs.len = 0;
	return rc ? err_prefix(err, "%s", name) : 0;
}

/* The number of inputs at the beginning that are of the same run. */
static size_t first_run(const struct analyser *a)
{
	size_t count = 0;

	while (count < a->inputs.len && a->inputs.data[count]->run == a->inputs.data[0]->run)
		count++;
	return count;
}

/* A run is written when the next one's inputs come, or there are no more. */
static int write_runs(struct analyser *a, hdf5_id file, struct err *err)
{
	int rc = 0;

	while (!rc && (!a->complete || a->inputs.len)) {
		size_t count = first_run(a), later = a->inputs.len - count;

		if (!count || (!later && !a->complete)) {
			rc = analyser_listen(a, -1, err);
			continue;
		}
		a->inputs.len = count;
		rc = write_run(a, file, err);
		memmove(a->inputs.data, a->inputs.data + count, later * sizeof(*a->inputs.data));
		a->inputs.len = later;
	}
	return rc;
}

int analyse_session(struct analyser *a, struct err *err)
{
	struct analyser_hdf5 file;
	struct hdf5_writer w;
	int rc = analyser_hdf5_begin(&file, err);

	if (!rc)
		rc = analyser_fence(a, false, err);
	if (!rc)
		rc = hdf5_writer_init(&w, file.file, err);
	if (rc)
		return rc;
	hdf5_put_attribute(&w, "title", a->job->options.len ? a->job->options.data[0] : "");
	hdf5_put_attribute(&w, "writer", "perfolio " PERFOLIO_VERSION);
	rc = hdf5_writer_fini(&w, err);
	if (!rc)
		rc = write_runs(a, file.file, err);
	return analyser_hdf5_end(a, &file, rc, err);
}
