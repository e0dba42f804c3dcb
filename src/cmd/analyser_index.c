// SPDX-License-Identifier: Apache-2.0
/* From a recording or an import to its index, and what can be said of it in a few words. */
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "cmd/analyser_inside.h"
#include "cmd/load.h"
#include "import/input.h"
#include "perfdata/feature.h"
#include "profile/build.h"
#include "profile/index.h"
#include "profile/remedy.h"
#include "profile/trust.h"
#include "render/query_json.h"
#include "symbol/package.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define QUALITY_ROWS 40
#define QUALITY_MOST (60 << 10) /* the message takes 64 KiB */

/* What reads by a name reads standard input by "-": the descriptor that was passed. */
static int become_input(int fd, struct err *err)
{
	if (fd < 0)
		return err_set(err, EPROTO, "a job without its file");
	if (lseek(fd, 0, SEEK_SET) < 0 || dup2(fd, STDIN_FILENO) < 0)
		return err_set(err, errno, "the file: %s", strerror(errno));
	return 0;
}

int analyser_open_recording(struct loaded *in, bool follow, struct err *err)
{
	struct perf_reader_options options = { .follow = follow };

	*in = (struct loaded){ .format = IMPORT_PERFDATA, .spool = -1 };
	in->reader = perf_reader_open("-", &options, err);
	return in->reader ? 0 : -err->code;
}

struct symbol_store *analyser_symbols(struct loaded *in)
{
	struct symbol_args names = { .lines = true };

	return symbols_open(&names, in->reader, NULL);
}

/* A recording that was cut short may be empty; one without events is none. */
static int read_recording(struct loaded *in, struct err *err)
{
	struct symbol_store *store = analyser_symbols(in);
	const char *damage;

	in->profile = profile_read(in->reader, store, err);
	symbols_close(store);
	damage = perf_reader_damage(in->reader);
	if (in->profile && damage && !perf_reader_attr_count(in->reader))
		return err_set(err, EBADMSG, "%s", damage);
	return in->profile ? 0 : -err->code;
}

/* A packed recording is read at many places, so it is unpacked into the file that was given. */
static int unpack(struct analyser *a, struct input *from, struct err *err)
{
	const struct msg_input *scratch = analyser_input(a, "scratch");
	size_t room = (size_t)1 << 20;
	char *piece = mem_alloc(room);
	ssize_t got = scratch ? 0 : err_set(err, EPROTO, "a packed recording, and no room for it");

	while (!got && (got = input_read(from, piece, room, err)) > 0) {
		int rc = fd_write_all(scratch->fd, piece, (size_t)got);

		got = rc ? err_set(err, -rc, "unpacking it: %s", strerror(-rc)) : 0;
	}
	free(piece);
	return got ? (int)got : become_input(scratch->fd, err);
}

/*
 * A recording that says to be of this host gets its names from this host's files, as far as the
 * user may read them; it was brought by somebody who may run programs as that user.  Everything
 * else is parsed without any.
 */
static int import_recording(struct analyser *a, struct loaded *in, struct input *from,
			    struct err *err)
{
	int rc = input_is_packed(from) ? unpack(a, from, err) : 0;

	if (!rc)
		rc = analyser_open_recording(in, false, err);
	if (!rc && symbols_of_another_machine(in->reader))
		rc = analyser_fence(a, false, err);
	return rc ? rc : read_recording(in, err);
}

static int import_other(struct analyser *a, struct loaded *in, struct input *from, struct err *err)
{
	struct import_options options = { .times = true, .cpus = true };
	int rc = analyser_fence(a, false, err);

	if (!rc)
		rc = import_read(from, &options, &in->imported, err);
	if (!rc)
		in->profile = in->imported.profile;
	return rc;
}

static int load_import(struct analyser *a, struct loaded *in, struct err *err)
{
	struct input *from = input_open("-", err);
	int rc;

	if (!from)
		return -err->code;
	rc = import_detect(from, &in->format, err);
	if (!rc)
		rc = in->format == IMPORT_PERFDATA ? import_recording(a, in, from, err)
						   : import_other(a, in, from, err);
	input_close(from);
	return rc;
}

static int load(struct analyser *a, struct loaded *in, struct err *err)
{
	const struct msg_input *file = analyser_input(a, a->imported ? "import" : "recording");
	int rc = become_input(file ? file->fd : -1, err);

	*in = (struct loaded){ .spool = -1 };
	if (!rc)
		rc = analyser_fence(a, true, err);
	if (!rc && a->imported)
		return load_import(a, in, err);
	if (!rc)
		rc = analyser_open_recording(in, false, err);
	return rc ? rc : read_recording(in, err);
}

static void write_quality(const struct analyser *a, const struct loaded *in, uint32_t rows,
			  struct buf *into)
{
	struct remedy_facts facts = { .packages = PACKAGE_LISTS,
				      .form = !a->imported,
				      .imported = a->imported };
	struct query query = { .profile = in->profile,
			       .limit = rows,
			       .view.filter.event = profile_main_event(in->profile) };
	struct json json;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	json = json_to(out);
	if (in->reader)
		facts.copy_size = load_copy_size(in);
	query_quality(&query, in->reader ? NULL : &in->imported, &facts, &json);
	fclose(out);
	buf_clear(into);
	buf_add(into, text, size);
	free(text);
}

/* Paths and remedies may be long; the message is not. */
static void make_quality(const struct analyser *a, const struct loaded *in, struct buf *into)
{
	uint32_t rows = QUALITY_ROWS;

	do {
		write_quality(a, in, rows, into);
		rows /= 2;
	} while (into->len > QUALITY_MOST && rows);
}

static void put_events(const struct profile *profile, struct json *json)
{
	size_t most = 200; /* of thousands of tracepoints the page shows no more */

	json_open(json, "events", '[');
	vec_each (event, &profile->events) {
		if (!event->samples || !most--)
			continue;
		json_open(json, NULL, '{');
		json_text(json, "event", profile_text(profile, event->name));
		json_text(json, "unit", profile_text(profile, event->unit));
		json_u64(json, "samples", event->samples);
		json_u64_text(json, "count", event->weight);
		json_close(json);
	}
	json_close(json);
}

static void put_times(const struct profile_samples *rows, struct json *json)
{
	uint64_t first = rows->len ? rows->time[0] : 0;
	uint64_t last = rows->len ? rows->time[rows->len - 1] : 0;

	json_u64_text(json, "start_ns", first);
	json_u64_text(json, "end_ns", last);
	json_u64_text(json, "duration_ns", last - first);
}

/* Pages of the run's view that its samples can fill; counters and output are files of their own. */
static void put_tabs(const struct profile *profile, struct json *json)
{
	const struct profile_samples *rows = &profile->samples;

	json_open(json, "tabs", '[');
	json_text(json, NULL, "overview");
	if (rows->len) {
		json_text(json, NULL, "flame");
		if (rows->time[rows->len - 1] > rows->time[0])
			json_text(json, NULL, "time");
		json_text(json, NULL, "functions");
	}
	json_text(json, NULL, "raw");
	json_close(json);
}

/* Where and how a recording was made, as it says itself. */
static void put_origin(struct perf_reader *reader, struct json *json)
{
	struct perf_env env = { 0 };

	perf_env_load(&env, reader);
	json_text(json, "host", env.hostname);
	json_text(json, "kernel", env.osrelease);
	json_text(json, "cpu_model", env.cpudesc);
	json_text(json, "recorder", env.version);
	json_open(json, "command", '[');
	for (uint32_t i = 0; i < env.cmdline.count && i < 100; i++)
		json_text(json, NULL, env.cmdline.data[i]);
	json_close(json);
	perf_env_free(&env);
}

static void make_facts(const struct loaded *in, struct buf *into)
{
	const struct profile *profile = in->profile;
	uint64_t samples = 0;
	bool has_stacks = false;
	struct json json;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	json = json_to(out);
	vec_each (event, &profile->events)
		samples += event->samples;
	for (size_t i = 1; i < profile->stacks.len && !has_stacks; i++)
		has_stacks = profile->stacks.parent[i] != STACK_ROOT;
	json_open(&json, NULL, '{');
	json_text(&json, "format", import_format_name(in->format));
	json_u64(&json, "samples", samples);
	json_u64(&json, "lost", profile->quality.lost);
	put_times(&profile->samples, &json);
	put_events(profile, &json);
	json_u64(&json, "threads", profile->threads.len);
	json_flag(&json, "has_stacks", has_stacks);
	put_tabs(profile, &json);
	if (in->reader)
		put_origin(in->reader, &json);
	json_text(&json, "damage", in->reader ? perf_reader_damage(in->reader) : NULL);
	json_close(&json);
	fclose(out);
	buf_add(into, text, size);
	free(text);
}

int analyser_conclude(struct analyser *a, const struct loaded *in, struct err *err)
{
	make_quality(a, in, &a->quality);
	make_facts(in, &a->facts);
	analyser_limit_output(a); /* what is followed may have begun long ago */
	return profile_index_write_fd(in->profile, a->job->out, err);
}

/* A recording's header is read too: it says in a moment what else would fail later. */
int analyse_check(struct analyser *a, struct err *err)
{
	const struct msg_input *file = analyser_input(a, "import");
	struct loaded in = { .spool = -1 };
	struct input *from = NULL;
	int rc = become_input(file ? file->fd : -1, err);

	if (!rc)
		rc = analyser_fence(a, false, err);
	if (!rc && !(from = input_open("-", err)))
		rc = -err->code;
	if (!rc)
		rc = import_detect(from, &in.format, err);
	if (!rc && in.format == IMPORT_PERFDATA && !input_is_packed(from))
		rc = analyser_open_recording(&in, false, err);
	if (from)
		input_close(from);
	loaded_close(&in);
	return rc;
}

int analyse_index(struct analyser *a, struct err *err)
{
	struct loaded in;
	int rc = load(a, &in, err);

	if (!rc)
		rc = analyser_conclude(a, &in, err);
	loaded_close(&in);
	return rc;
}
