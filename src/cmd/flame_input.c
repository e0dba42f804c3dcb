// SPDX-License-Identifier: Apache-2.0
#include "cmd/flame_input.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/text.h"
#include "cmd/report_load.h"
#include "cmd/script_filter.h"
#include "import/input.h"
#include "perfdata/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* A recording that is packed or comes through a pipe is put where it can be read as one. */
static int spool(struct flame_input *in, struct input *from, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	size_t room = (size_t)1 << 20;
	char *piece = mem_alloc(room);
	ssize_t got = 0;

	folder = folder && *folder ? folder : "/tmp";
	in->spool = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (in->spool < 0)
		got = err_set(err, errno, "%s: %s", folder, strerror(errno));
	while (!got && (got = input_read(from, piece, room, err)) > 0) {
		int rc = fd_write_all(in->spool, piece, (size_t)got);

		got = rc ? err_set(err, -rc, "%s: %s", folder, strerror(-rc)) : 0;
	}
	free(piece);
	return (int)got;
}

/* `name` is what people call it. */
static int open_recording(struct flame_input *in, const char *path, const char *name,
			  const struct flame_args *args, struct err *err)
{
	struct report_args report = report_defaults;
	const char *damage;
	int rc;

	report.names = args->names;
	report.no_index = args->no_index || in->spool >= 0;
	if (args->lines)
		report.sort = "srcline";
	in->reader = perf_reader_open(path, NULL, err);
	if (!in->reader)
		return -err->code;
	rc = report_load(&in->profile, &report, path, in->reader, err);
	if (!rc && args->cpus)
		rc = script_filter_check_cpus(in->reader, err);
	damage = perf_reader_damage(in->reader);
	/* A recording that was cut short may be empty; one without events is none. */
	if (!rc && damage && !perf_reader_attr_count(in->reader))
		return err_set(err, EBADMSG, "%s: %s", name, damage);
	if (!rc && damage)
		log_line(LOG_WARN, "%s: %s", name, damage);
	return rc;
}

static void show_progress(void *progress, uint64_t done)
{
	progress_at(progress, done);
}

static void say_what_is_missing(const struct import_result *result, const char *name)
{
	char number[TEXT_NUMBER];

	if (result->broken)
		log_line(LOG_WARN, "%s: lines not understood: %s; the first, line %llu: %s", name,
			 text_grouped(number, result->broken),
			 (unsigned long long)result->broken_line, result->broken_text);
	if (result->cut_end)
		log_line(LOG_NOTE,
			 "%s: no blank line ends the last sample, so it is left out as "
			 "stackcollapse-perf.pl does",
			 name);
	if (result->rounded)
		log_line(LOG_NOTE, "%s: %s values have a fraction and were rounded", name,
			 text_grouped(number, result->rounded));
	if (result->two_columns)
		log_line(LOG_NOTE, "%s: %s lines have two values; the second is shown", name,
			 text_grouped(number, result->two_columns));
}

/* Whether what is written needs the samples one by one. */
static bool wants_samples(const struct flame_args *args)
{
	enum flame_format format;

	return !flame_format_of(args, FORMAT_SVG, &format, NULL) &&
	       flame_formats[format].keeps_samples;
}

static int import_text(struct flame_input *in, struct input *from, const struct flame_args *args,
		       const struct collapse_options *like, struct err *err)
{
	struct progress progress = progress_start("reading", input_size(from));
	struct import_options options = {
		.times = args->time || wants_samples(args),
		.cpus = args->cpus || wants_samples(args),
		.addresses = like && like->addresses,
		.as_perl = like && !like->inferno,
		.progress = show_progress,
		.user = &progress,
	};
	int rc = import_read(from, &options, &in->imported, err);

	progress_end(&progress);
	if (rc)
		return rc;
	in->profile = in->imported.profile;
	say_what_is_missing(&in->imported, input_name(from));
	return 0;
}

static int read_recording(struct flame_input *in, struct input *from, const char *path,
			  const struct flame_args *args, struct err *err)
{
	char place[40];
	int rc;

	if (strcmp(path, "-") && !input_is_packed(from))
		return open_recording(in, path, path, args, err);
	rc = spool(in, from, err);
	if (rc)
		return rc;
	snprintf(place, sizeof(place), "/proc/self/fd/%d", in->spool);
	return open_recording(in, place, input_name(from), args, err);
}

int flame_input_open(struct flame_input *in, const char *path, const struct flame_args *args,
		     const struct collapse_options *like, struct err *err)
{
	struct input *from = input_open(path, err);
	int rc;

	*in = (struct flame_input){ .spool = -1 };
	if (!from)
		return -err->code;
	rc = import_detect(from, &in->format, err);
	if (!rc)
		rc = in->format == IMPORT_PERFDATA ? read_recording(in, from, path, args, err)
						   : import_text(in, from, args, like, err);
	input_close(from);
	if (rc)
		flame_input_close(in);
	return rc;
}

void flame_input_close(struct flame_input *in)
{
	profile_free(in->profile);
	perf_reader_close(in->reader);
	if (in->spool >= 0)
		close(in->spool);
	*in = (struct flame_input){ .spool = -1 };
}
