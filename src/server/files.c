// SPDX-License-Identifier: Apache-2.0
/*
 * Downloads: a run's data as it is, and what analysers make of it in the formats of others.  What
 * they make is a file without a name, so the client takes it at its own pace, and in parts if it
 * likes; a failure comes before the first byte.
 */
#include "server/files.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/map.h"
#include "server/app.h"
#include "server/jobs.h"
#include "server/profiles.h"
#include "server/results.h"
#include "server/rights.h"
#include "store/content.h"
#include "store/datadir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what there is ---- */

int run_file_open(struct app *app, int64_t run, const char *kind, struct arena *arena,
		  struct file_row *row, struct err *err)
{
	struct file_rows rows = { 0 };
	const struct file_row *found = NULL;
	int rc = content_list(app->dir, run, arena, &rows, err);

	if (!rc)
		found = content_find(&rows, kind, true);
	if (found)
		rc = content_open(app->dir, found->id, arena, row, err);
	if (rc == -ENOENT || (!rc && !found))
		rc = err_set(err, ENOENT, "run %lld has no %s", (long long)run, kind);
	vec_free(&rows);
	return rc;
}

/* An index that is missing or old is made again; until then the client has to come back. */
static int open_index(struct request *request, const struct run *run, struct file_row *row,
		      struct err *err)
{
	const struct profile *profile;
	int rc;

	if (run->state < RUN_PROCESSING)
		return err_set(err, EAGAIN, "the run has not ended yet");
	rc = profiles_get(request->app->profiles, run->id, &profile, err);
	if (rc)
		return rc;
	profiles_put(request->app->profiles, profile);
	return run_file_open(request->app, run->id, "index", &request->arena, row, err);
}

/* ---- formats ---- */

enum needs { NEEDS_INDEX, NEEDS_SERIES, NEEDS_RECORDING };

static const struct format {
	const char *name;   /* in the address */
	const char *job;    /* what the analyser calls it */
	const char *suffix; /* of the file's name */
	const char *type;
	enum needs needs;
	bool raw; /* server/rights.h */
} formats[] = {
	{ "script", "script", "script.txt", "text/plain; charset=utf-8", NEEDS_RECORDING, true },
	{ "folded", "folded", "folded", "text/plain; charset=utf-8", NEEDS_INDEX },
	{ "svg", "svg", "svg", "image/svg+xml", NEEDS_INDEX },
	{ "html", "html", "html", "text/html; charset=utf-8", NEEDS_INDEX },
	{ "json", "json", "json", "application/json", NEEDS_INDEX },
	{ "pprof", "pprof", "pb.gz", "application/octet-stream", NEEDS_INDEX },
	{ "speedscope", "speedscope", "speedscope.json", "application/json", NEEDS_INDEX },
	{ "firefox", "firefox", "firefox.json", "application/json", NEEDS_INDEX },
	{ "csv", "csv", "csv", "text/csv; charset=utf-8", NEEDS_INDEX },
	{ "hdf5", "hdf5", "h5", "application/x-hdf5", NEEDS_INDEX },
	{ "counters.csv", "counters", "counters.csv", "text/csv; charset=utf-8", NEEDS_SERIES },
};

static const struct format *find_format(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

bool export_is_raw(const char *name)
{
	const struct format *format = find_format(name);

	return format ? format->raw : !strcmp(name, "perf.data");
}

static int no_such_format(struct request *request, const char *name, struct err *err)
{
	struct buf names = { 0 };
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		buf_printf(&names, ", %s", formats[i].name);
	rc = reply_error(request, 404, "not-found", "Choose one of these.", err,
			 "no such format: '%s'; there are perf.data%s", name, buf_text(&names));
	buf_free(&names);
	return rc;
}

/* What a picture is called unless somebody says: the command, or the file that was imported. */
static const char *title_of(struct request *request, const struct run *run)
{
	struct buf words = { 0 };
	const char *title;

	vec_each (word, &run->argv)
		buf_printf(&words, "%s%s", words.len ? " " : "", *word);
	title = words.len && words.len < 200
			? arena_strdup(&request->arena, words.data)
			: arena_printf(&request->arena, "run %lld", (long long)run->id);
	buf_free(&words);
	return title;
}

/* Names as cmd/analyser_export.c knows them. */
static int read_options(struct request *request, struct wordlist *options, struct err *err)
{
	static const char *const texts[] = { "event", "weight", "title", "keep",  "drop",
					     "focus", "hide",	"comm",	 "pid",	  "tid",
					     "cpu",   "from",	"to",	 "color", "changes" };
	static const char *const flags[] = { "reversed", "inverted", "idle", "per_thread",
					     "collapse" };
	uint64_t from, to; /* the analyser reads them: only looked at here */
	int rc = result_range(request, &from, &to, err);

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const char *value = request_text(request, texts[i], NULL);

		if (value)
			*vec_push(options) = arena_printf(&request->arena, "%s=%s", texts[i],
							  value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(flags) && !rc; i++) {
		bool on = false;

		if (!request_text(request, flags[i], NULL))
			continue;
		rc = request_flag(request, flags[i], false, &on, err);
		*vec_push(options) = arena_printf(&request->arena, "%s=%s", flags[i],
						  on ? "true" : "false");
	}
	return rc;
}

/* Whether all samples are wanted with all their frames: other options say how things look. */
static bool wants_all(const struct wordlist *options)
{
	static const char *const looks[] = { "title=", "color=", "weight=" };

	vec_each (word, options) {
		bool known = false;

		for (size_t i = 0; i < ARRAY_SIZE(looks); i++)
			known |= !strncmp(*word, looks[i], strlen(looks[i]));
		if (!known)
			return false;
	}
	return true;
}

static bool same_as_before(struct request *request, const struct file_row *row,
			   const struct format *format, const struct wordlist *options)
{
	struct buf tag = { 0 };
	bool same;

	buf_printf(&tag, "%.32s-%s", row->hash, format->name);
	vec_each (word, options)
		buf_printf(&tag, "&%s", *word);
	same = reply_etag(request, arena_printf(&request->arena, "%.32s-%016llx", row->hash,
						(unsigned long long)map_hash(tag.data, tag.len)));
	buf_free(&tag);
	return same;
}

/* ---- downloads ---- */

struct files {
	struct msg_input inputs[3];
	size_t count;
	struct file_row row; /* what the reply depends on */
};

static void add_input(struct files *files, const char *kind, const char *name, int64_t run, int fd)
{
	files->inputs[files->count++] =
		(struct msg_input){ .kind = kind, .name = name, .run = (uint64_t)run, .fd = fd };
}

static void close_inputs(struct files *files)
{
	for (size_t i = 0; i < files->count; i++)
		close(files->inputs[i].fd);
	vec_free(&files->inputs[0].attributes);
}

/*
 * The text of `perf script` is made of a recording where we have one; of some of its samples, and
 * where there is none, of the samples.
 */
static int open_inputs(struct request *request, const struct run *run, const struct format *format,
		       bool whole, struct files *files, struct err *err)
{
	struct app *app = request->app;
	const char *title = title_of(request, run);
	int fd;

	if (format->needs == NEEDS_RECORDING && whole && run->state >= RUN_PROCESSING) {
		fd = run_file_open(app, run->id, "recording", &request->arena, &files->row, NULL);
		if (fd >= 0) {
			add_input(files, "recording", title, run->id, fd);
			return 0;
		}
	}
	if (format->needs == NEEDS_SERIES) {
		fd = run_file_open(app, run->id, "series", &request->arena, &files->row, err);
		if (fd < 0)
			return fd;
		add_input(files, "series", title, run->id, fd);
		return 0;
	}
	fd = open_index(request, run, &files->row, err);
	if (fd >= 0)
		add_input(files, "index", title, run->id, fd);
	if (!strcmp(format->name, "hdf5") && (fd >= 0 || fd == -ENOENT)) {
		struct file_row series;
		int counters = run_file_open(app, run->id, "series", &request->arena, &series,
					     NULL);

		if (counters >= 0)
			add_input(files, "series", title, run->id, counters);
		if (files->count)
			run_attributes(run, rights_of_run(request, run).raw, &request->arena,
				       &files->inputs[0].attributes);
	}
	return files->count ? 0 : fd;
}

static int make_file(struct request *request, const struct format *format, struct files *files,
		     const struct wordlist *asked, struct err *err)
{
	struct app *app = request->app;
	struct job_spec spec = { .kind = ANALYSE_EXPORT,
				 .inputs = files->inputs,
				 .input_count = files->count,
				 .most = app->policy.max_export,
				 .unwanted = request_gone,
				 .asker = request };
	int rc = datadir_room(app->dir, 0, 0, err);

	if (rc)
		return rc;
	spec.out = datadir_scratch(app->dir, err);
	if (spec.out < 0)
		return spec.out;
	*vec_push(&spec.options) = format->job;
	vec_each (word, asked)
		*vec_push(&spec.options) = *word;
	rc = jobs_run(app->jobs, &spec, err);
	rights_note_too_large(request, rc, err);
	vec_free(&spec.options);
	if (rc)
		close(spec.out);
	return rc ? rc : spec.out;
}

/* "-12.0s-14.5s", since the run's start: which part of it a file has; "" for all of it. */
static const char *range_in_name(struct request *request, const struct run *run)
{
	uint64_t from = 0, to = 0;
	const struct profile *profile = NULL;
	struct profile_span span;
	double begin, end;
	int digits;

	if (result_range(request, &from, &to, NULL) || (!from && !to))
		return "";
	profiles_get(request->app->profiles, run->id, &profile, NULL);
	span = result_span(run, profile);
	profiles_put(request->app->profiles, profile);
	begin = from > span.start ? (double)(from - span.start) / NS_PER_SEC : 0;
	end = !to		? (double)(span.last - span.start) / NS_PER_SEC
	      : to > span.start ? (double)(to - span.start) / NS_PER_SEC
				: 0;
	digits = end - begin >= 1 ? 1 : end - begin >= 0.1 ? 2 : 3;
	return arena_printf(&request->arena, "-%.*fs-%.*fs", digits, begin, digits, end);
}

static int send_format(struct request *request, const struct run *run, const struct format *format,
		       struct err *err)
{
	struct wordlist options = { 0 };
	struct files files = { 0 };
	bool same;
	int rc = read_options(request, &options, err), fd;

	if (!rc)
		rc = open_inputs(request, run, format, wants_all(&options), &files, err);
	/* What is known of a run, which goes into HDF5, changes without its samples. */
	same = !rc && strcmp(format->name, "hdf5") &&
	       same_as_before(request, &files.row, format, &options);
	if (!rc && !same) {
		fd = make_file(request, format, &files, &options, err);
		if (fd >= 0)
			reply_file(request, fd, format->type,
				   arena_printf(&request->arena, "run-%lld%s.%s",
						(long long)run->id, range_in_name(request, run),
						format->suffix));
		rc = fd < 0 ? fd : 0;
	}
	close_inputs(&files);
	vec_free(&options);
	return rc;
}

/* The recording as it is, or what was imported. */
static int send_recording(struct request *request, const struct run *run, struct err *err)
{
	struct file_row row;
	const char *name = "perf.data";
	int fd = run_file_open(request->app, run->id, "recording", &request->arena, &row, err);

	if (fd == -ENOENT) {
		name = "import";
		fd = run_file_open(request->app, run->id, "import", &request->arena, &row, err);
	}
	if (fd == -ENOENT && run->state < RUN_PROCESSING)
		return err_set(err, EAGAIN, "the run has not ended yet");
	if (fd == -ENOENT)
		return err_set(err, ENOENT, "run %lld has no recording", (long long)run->id);
	if (fd < 0)
		return fd;
	if (reply_etag(request, arena_printf(&request->arena, "%.32s", row.hash)))
		close(fd);
	else
		reply_file(request, fd, "application/octet-stream",
			   arena_printf(&request->arena, "run-%lld.%s", (long long)run->id, name));
	return 0;
}

static int get_export(struct request *request, struct err *err)
{
	const struct format *format = find_format(request->names[0]);
	struct run run;
	int rc = store_run_get(request->store, request->ids[0], &request->arena, &run, err);

	if (rc)
		return rc;
	if (!strcmp(request->names[0], "perf.data"))
		return send_recording(request, &run, err);
	return format ? send_format(request, &run, format, err)
		      : no_such_format(request, request->names[0], err);
}

const struct route file_routes[] = {
	{ "GET", "/api/v1/runs/{id}/export/{format}", RIGHT_EXPORT, get_export, ROUTE_MADE },
	{ "GET", "/api/v1/sessions/{id}/hdf5", RIGHT_LOOK, files_session_hdf5, ROUTE_MADE },
	{ 0 },
};
