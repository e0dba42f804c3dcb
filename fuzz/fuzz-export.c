// SPDX-License-Identifier: Apache-2.0
/* Whatever can be imported, written in every format; pprof and text are read back with equal
 * totals. */
#include "base/jsonread.h"
#include "base/outbuf.h"
#include "fuzz.h"
#include "import/import.h"
#include "import/input.h"
#include "render/export.h"

#include <sys/mman.h>
#include <unistd.h>

typedef int write_function(const struct export_source *source, struct outbuf *out, struct err *err);

/* Samples of a text; more take too long to try many. */
#define MOST_SAMPLES 2000

static char *written(write_function *write, const struct selection *selection, bool per_thread,
		     size_t *size)
{
	struct export_source source = { .selection = selection,
					.title = "x",
					.per_thread = per_thread };
	int fd = memfd_create("export", MFD_CLOEXEC);
	struct outbuf out;
	char *bytes;

	outbuf_init(&out, fd);
	FUZZ_HOLDS(!write(&source, &out, NULL));
	FUZZ_HOLDS(!outbuf_fini(&out));
	*size = (size_t)lseek(fd, 0, SEEK_END);
	bytes = malloc(*size + 1);
	FUZZ_HOLDS(bytes && pread(fd, bytes, *size, 0) == (ssize_t)*size);
	bytes[*size] = '\0';
	close(fd);
	return bytes;
}

static void is_json(write_function *write, const struct selection *selection, bool per_thread)
{
	struct err err = { 0 };
	size_t size;
	char *text = written(write, selection, per_thread, &size);
	struct json_object *json = jsonread(text, size, "export", &err);

	FUZZ_HOLDS(json);
	json_object_put(json);
	free(text);
}

/* A profile opens on what was written, its last type; the count of samples comes behind it. */
static void is_read_back(write_function *write, const struct selection *selection)
{
	struct import_options options = { 0 };
	struct import_result result;
	const struct profile_event *event;
	struct err err = { 0 };
	size_t size;
	char *bytes = written(write, selection, false, &size);
	struct input *input = input_of(bytes, size);

	FUZZ_HOLDS(!import_read(input, &options, &result, &err));
	FUZZ_HOLDS(result.profile->events.len);
	event = &result.profile->events.data[0];
	FUZZ_HOLDS(event->weight == selection->totals[0].weight);
	profile_free(result.profile);
	input_close(input);
	free(bytes);
}

static void export_all(const struct profile *profile, bool per_thread)
{
	const struct selection_options everything = { .event = ALL_EVENTS };
	const struct profile_event *event = profile->events.data;
	struct selection selection;
	size_t size;

	FUZZ_HOLDS(!selection_make(&selection, profile, &everything, NULL));
	is_json(export_speedscope, &selection, per_thread);
	is_json(export_firefox, &selection, per_thread);
	free(written(export_csv, &selection, false, &size));
	/* Values past 2^63 are below zero for pprof; the same name twice is one event. */
	if (profile->events.len == 1 && event->samples && event->weight < INT64_MAX / 2)
		is_read_back(export_pprof, &selection);
	else
		free(written(export_pprof, &selection, false, &size));
	if (profile->events.len && event->samples < MOST_SAMPLES)
		free(written(export_script, &selection, false, &size));
	selection_free(&selection);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import_options options = { .times = true, .cpus = true, .most_bytes = 1 << 20 };
	struct import_result result;
	struct input *input;
	struct err err = { 0 };

	if (!size)
		return 0;
	input = input_of(data + 1, size - 1);
	if (!import_read(input, &options, &result, &err)) {
		export_all(result.profile, data[0] & 1);
		profile_free(result.profile);
	}
	input_close(input);
	return 0;
}
