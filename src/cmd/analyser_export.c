// SPDX-License-Identifier: Apache-2.0
/*
 * Downloads: what `flame`, `fold`, `export` and `script` write, made of a run's files.  All but the
 * text of `script` is made of the index, for which no other file is needed.
 */
#include "base/err.h"
#include "base/outbuf.h"
#include "cmd/analyser_hdf5.h"
#include "cmd/analyser_inside.h"
#include "cmd/flame_output.h"
#include "cmd/script.h"
#include "profile/index.h"
#include "render/series_csv.h"
#include "render/series_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options that a download takes, by the names that the API has for them. */
static const struct {
	const char *name;
	size_t offset;
} texts[] = {
	{ "event", FLAME_FIELD(event) },     { "weight", FLAME_FIELD(weight) },
	{ "title", FLAME_FIELD(title) },     { "keep", FLAME_FIELD(keep) },
	{ "drop", FLAME_FIELD(drop) },	     { "focus", FLAME_FIELD(focus) },
	{ "hide", FLAME_FIELD(hide) },	     { "comm", FLAME_FIELD(comms) },
	{ "pid", FLAME_FIELD(pids) },	     { "tid", FLAME_FIELD(tids) },
	{ "cpu", FLAME_FIELD(cpus) },	     { "color", FLAME_FIELD(color) },
	{ "changes", FLAME_FIELD(changes) },
};
static const struct {
	const char *name;
	size_t offset;
} flags[] = {
	{ "reversed", FLAME_FIELD(reverse) },
	{ "inverted", FLAME_FIELD(inverted) },
	{ "per_thread", FLAME_FIELD(per_thread) },
	{ "collapse", FLAME_FIELD(collapse_recursion) },
	{ "idle", FLAME_FIELD(idle) },
};

/* By the clock of the samples and counters; to 0: no end. */
static void read_range(const struct analyser *a, uint64_t *from, uint64_t *to)
{
	const struct wordlist *options = &a->job->options;

	*from = *to = 0;
	for (size_t i = 1; i < options->len; i++) {
		const char *word = options->data[i];

		if (!strncmp(word, "from=", 5))
			*from = strtoull(word + 5, NULL, 10);
		else if (!strncmp(word, "to=", 3))
			*to = strtoull(word + 3, NULL, 10);
	}
}

/* The same as commands have it: they count from the first sample. */
static char *range_of(struct analyser *a, const struct profile *profile)
{
	uint64_t first = profile->samples.len ? profile->samples.time[0] : 0, from, to;

	read_range(a, &from, &to);
	if (!from && !to)
		return NULL;
	from = from > first ? from - first : 0;
	to = to > first ? to - first : 0;
	return to ? arena_printf(&a->arena, "%" PRIu64 "ns-%" PRIu64 "ns", from, to)
		  : arena_printf(&a->arena, "%" PRIu64 "ns-", from);
}

static int set_option(struct flame_args *args, const char *word, struct err *err)
{
	const char *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : 0;

	if (!strncmp(word, "from=", 5) || !strncmp(word, "to=", 3))
		return 0; /* the samples tell what they mean */

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (strlen(texts[i].name) == length && !memcmp(word, texts[i].name, length)) {
			*(const char **)((char *)args + texts[i].offset) = equals + 1;
			return 0;
		}
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (strlen(flags[i].name) == length && !memcmp(word, flags[i].name, length)) {
			*(bool *)((char *)args + flags[i].offset) = !strcmp(equals + 1, "true");
			return 0;
		}
	return err_set(err, EINVAL, "unknown option '%s' of a download", word);
}

/* As `flame` for pictures and as `export` for all others: idle CPUs are no part of a picture. */
static int read_options(struct analyser *a, struct flame_args *args, enum flame_format format,
			struct err *err)
{
	int rc = 0;

	*args = (struct flame_args){ .width = 1200, .idle = !flame_formats[format].is_picture };
	for (size_t i = 1; i < a->job->options.len && !rc; i++)
		rc = set_option(args, a->job->options.data[i], err);
	return rc;
}

static int find_format(const char *name, enum flame_format *format, struct err *err)
{
	return flame_format_of(&(struct flame_args){ .format = name }, FORMATS, format, err);
}

int analyser_open_index(const struct msg_input *input, struct loaded *in, struct err *err)
{
	int rc;

	*in = (struct loaded){ .format = IMPORT_PERFDATA, .spool = -1 };
	if (!input || input->fd < 0)
		return err_set(err, ENODATA, "the run has no samples");
	rc = profile_index_open_fd(&in->profile, input->fd, err);
	/* Whoever draws an empty profile gives it an event, which must not lie in the file. */
	if (!rc && !in->profile->events.len)
		in->profile->events.data = NULL;
	return rc;
}

static int export_profile(struct analyser *a, enum flame_format format, struct analyser_hdf5 *file,
			  struct err *err)
{
	const struct msg_input *index = analyser_input(a, "index");
	struct flame_args args;
	struct loaded in;
	struct flame_job job = { .args = &args,
				 .input = &in,
				 .path = "-",
				 .name = index ? index->name : "",
				 .output = "-",
				 .format = format };
	int rc = read_options(a, &args, format, err);

	if (!rc)
		rc = analyser_open_index(index, &in, err);
	if (rc)
		return rc;
	args.time = range_of(a, in.profile);
	if (format == FORMAT_HDF5)
		rc = analyser_write_run(a, &job, file, err);
	else
		rc = flame_draw(&job, err);
	loaded_close(&in);
	return rc;
}

static int export_counters(struct analyser *a, struct err *err)
{
	const struct msg_input *input = analyser_input(a, "series");
	struct series series;
	struct outbuf out;
	uint64_t from, to;
	int rc;

	if (!input || input->fd < 0)
		return err_set(err, ENODATA, "the run has no counters");
	read_range(a, &from, &to);
	rc = series_open_fd(&series, input->fd, err);
	if (rc)
		return rc;
	outbuf_init(&out, a->job->out);
	series_csv(&series, from, to, &out);
	rc = outbuf_fini(&out);
	series_close(&series);
	return rc ? err_set(err, -rc, "the output: %s", strerror(-rc)) : 0;
}

/* The recording's own text, whose names come from files of this host. */
static int export_script_text(struct analyser *a, const struct msg_input *recording,
			      struct err *err)
{
	int rc = analyser_fence(a, true, err);

	if (!rc && (lseek(recording->fd, 0, SEEK_SET) < 0 || dup2(recording->fd, STDIN_FILENO) < 0))
		rc = err_set(err, errno, "the recording: %s", strerror(errno));
	return rc ? rc : script_print("-", a->job->out, err);
}

int analyse_export(struct analyser *a, struct err *err)
{
	const struct msg_input *recording = analyser_input(a, "recording");
	const char *name = a->job->options.len ? a->job->options.data[0] : "";
	enum flame_format format = FORMATS;
	struct analyser_hdf5 file;
	int rc;

	if (!strcmp(name, "script") && recording && recording->fd >= 0)
		return export_script_text(a, recording, err);
	rc = strcmp(name, "counters") ? find_format(name, &format, err) : 0;
	if (!rc && format == FORMAT_HDF5)
		rc = analyser_hdf5_begin(&file, err);
	if (!rc)
		rc = analyser_fence(a, false, err);
	if (!rc && dup2(a->job->out, STDOUT_FILENO) < 0)
		rc = err_set(err, errno, "the output: %s", strerror(errno));
	if (!rc && format == FORMAT_HDF5 && !analyser_input(a, "index"))
		rc = analyser_write_counters(a, &file, err);
	else if (!rc)
		rc = format == FORMATS ? export_counters(a, err)
				       : export_profile(a, format, &file, err);
	return rc > 0 ? err_set(err, EIO, "nobody takes the output") : rc;
}
