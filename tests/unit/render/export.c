// SPDX-License-Identifier: Apache-2.0
#include "render/export.h"
#include "base/jsonread.h"
#include "base/outbuf.h"
#include "import/import.h"
#include "import/input.h"
#include "profile/made.h"
#include "test.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int write_function(const struct export_source *source, struct outbuf *out, struct err *err);

#define HOSTILE "a<b>&\"c\",\n\t(d) \xff\xc3\xa9;'\\"

/* Two events, two threads of a process, an inlined function, a nameless one, hostile names. */
static struct profile *make(void)
{
	struct profile *profile = made_profile();
	struct build_id id = { .size = 20, .bytes = { 0xab, 0xcd, 0xef } };
	uint32_t library = profile_object(profile, "/lib/l,\"x\".so", &id, DSO_FILE);
	uint32_t hostile = profile_function(profile, HOSTILE, library, FRAME_LIBRARY);
	uint32_t nameless = profile_function(profile, UNKNOWN_NAME, library, FRAME_UNKNOWN);
	uint32_t main_stack = made_stack(profile, "main");
	uint32_t second = made_thread(profile, 1, 7, "wor\nker");
	uint32_t inlined = profile_stack(profile, main_stack, hostile, true);
	uint32_t unknown = profile_stack(profile, inlined, nameless, false);

	profile->events.data[0].unit = interner_add(&profile->strings, "");
	*vec_push(&profile->events) = (struct profile_event){
		.name = interner_add(&profile->strings, "faults"),
		.unit = interner_add(&profile->strings, ""),
		.scale = 1,
	};
	profile_leaf(profile, 0, 0);
	profile_leaf(profile, library, 0x1234);
	profile_add(profile,
		    &(struct profile_row){
			    .time = 1000000000, .weight = 500, .stack = inlined, .leaf = 1 });
	profile_add(profile, &(struct profile_row){ .time = 1000000500,
						    .weight = 1000,
						    .stack = unknown,
						    .thread = second,
						    .cpu = 3,
						    .count = 3 });
	profile_add(profile,
		    &(struct profile_row){
			    .time = 2000000000, .weight = 1, .stack = main_stack, .event = 1 });
	profile_add(profile, &(struct profile_row){ .time = 2000000001, .weight = 7 });
	return profile;
}

static char *written(write_function *write, const struct profile *profile,
		     const struct selection_options *options, bool per_thread, size_t *size)
{
	int fd = memfd_create("export", MFD_CLOEXEC);
	struct selection selection;
	struct export_source source = { .selection = &selection,
					.title = HOSTILE,
					.per_thread = per_thread };
	struct err err = { 0 };
	struct outbuf out;
	char *bytes;

	EXPECT_INT(selection_make(&selection, profile, options, &err), 0);
	outbuf_init(&out, fd);
	EXPECT_INT(write(&source, &out, &err), 0);
	EXPECT_INT(outbuf_fini(&out), 0);
	selection_free(&selection);
	*size = (size_t)lseek(fd, 0, SEEK_END);
	bytes = mem_alloc(*size + 1);
	EXPECT_INT(pread(fd, bytes, *size, 0), *size);
	close(fd);
	return bytes;
}

static const struct selection_options everything = { .event = ALL_EVENTS };

static struct profile *read_back(const void *bytes, size_t size, enum import_format format)
{
	struct import_options options = { .times = true, .cpus = true };
	struct input *input = input_of(bytes, size);
	struct import_result result;
	struct err err = { 0 };

	EXPECT_INT(import_read(input, &options, &result, &err), 0);
	EXPECT_INT(result.format, format);
	EXPECT_INT(result.broken, 0);
	input_close(input);
	return result.profile;
}

static const struct profile_event *event_of(const struct profile *profile, const char *name)
{
	vec_each (event, &profile->events)
		if (!strcmp(profile_text(profile, event->name), name))
			return event;
	return NULL;
}

static void expect_totals(const struct profile *profile, const char *name, uint64_t samples,
			  uint64_t weight)
{
	const struct profile_event *event = event_of(profile, name);

	test_case("%s", name);
	EXPECT(event);
	EXPECT_INT(event->samples, samples);
	EXPECT_INT(event->weight, weight);
}

static bool has_thread(const struct profile *profile, uint32_t pid, uint32_t tid, const char *comm)
{
	vec_each (thread, &profile->threads)
		if (thread->pid == pid && thread->tid == tid &&
		    !strcmp(profile_text(profile, thread->comm), comm))
			return true;
	return false;
}

static bool has_function(const struct profile *profile, const char *name)
{
	for (uint32_t i = 0; i < profile->functions.len; i++)
		if (!strcmp(profile_function_name(profile, i), name))
			return true;
	return false;
}

static bool has_build_id(const struct profile *profile)
{
	vec_each (object, &profile->objects)
		if (object->build_id.size == 20 && object->build_id.bytes[2] == 0xef)
			return true;
	return false;
}

TEST(export_pprof_is_read_back)
{
	struct profile *profile = make(), *again;
	size_t size;
	char *bytes = written(export_pprof, profile, &everything, false, &size);

	again = read_back(bytes, size, IMPORT_PPROF);
	expect_totals(again, "cpu-clock_samples", 5, 5);
	expect_totals(again, "cpu-clock", 5, 1507);
	expect_totals(again, "faults", 1, 1);
	EXPECT(has_thread(again, 1, 1, "prog"));
	EXPECT(has_thread(again, 1, 7, "wor\nker"));
	EXPECT(has_function(again, "a<b>&\"c\",\n\t(d) \xef\xbf\xbd\xc3\xa9;'\\"));
	EXPECT(has_function(again, UNKNOWN_NAME));
	EXPECT(has_build_id(again));
	profile_free(again);
	profile_free(profile);
	free(bytes);
}

TEST(export_script_is_read_back)
{
	struct profile *profile = make(), *again;
	size_t size;
	char *bytes = written(export_script, profile, &everything, false, &size);

	again = read_back(bytes, size, IMPORT_PERFSCRIPT);
	expect_totals(again, "cpu-clock", 5, 1507);
	expect_totals(again, "faults", 1, 1);
	EXPECT(has_thread(again, 1, 7, "wor ker"));
	EXPECT_INT(again->samples.time[0], 1000000000);
	EXPECT_INT(again->samples.time[again->samples.len - 1], 2000000001);
	EXPECT_INT(again->samples.cpu[1], 3);
	EXPECT_CONTAINS(bytes, "            1234 a<b>");
	EXPECT_CONTAINS(bytes, "(inlined)\n");
	profile_free(again);
	profile_free(profile);
	free(bytes);
}

TEST(export_csv_lines)
{
	struct profile *profile = make();
	size_t size;
	char *bytes = written(export_csv, profile, &everything, false, &size);

	EXPECT_TEXT(bytes,
		    "time_ns,event,period,samples,pid,tid,comm,cpu,ip,function,object,stack\n"
		    "1000000000,cpu-clock,500,1,1,1,prog,0,0x1234,"
		    "\"a<b>&\"\"c\"\",\n\t(d) \xef\xbf\xbd\xc3\xa9;'\\\",\"/lib/l,\"\"x\"\".so\","
		    "\"main;a<b>&\"\"c\"\",  (d) \xef\xbf\xbd\xc3\xa9:'\\\"\n"
		    "1000000500,cpu-clock,1000,3,1,7,\"wor\nker\",3,,"
		    "\"[l,\"\"x\"\".so]\",\"/lib/l,\"\"x\"\".so\","
		    "\"main;a<b>&\"\"c\"\",  (d) \xef\xbf\xbd\xc3\xa9:'\\;[l,\"\"x\"\".so]\"\n"
		    "2000000000,faults,1,1,1,1,prog,0,,main,/bin/prog,main\n"
		    "2000000001,cpu-clock,7,1,1,1,prog,0,,,,\n");
	profile_free(profile);
	free(bytes);
}

static struct json_object *json_of(write_function *write, const struct profile *profile,
				   bool per_thread)
{
	struct json_object *json;
	struct err err = { 0 };
	size_t size;
	char *bytes = written(write, profile, &everything, per_thread, &size);

	json = jsonread(bytes, size, "export", &err);
	EXPECT_TEXT(err.text, "");
	free(bytes);
	return json;
}

/* A member, by keys with points between: "shared.frames"; a number is a place in an array. */
static struct json_object *at(struct json_object *json, const char *path)
{
	char *copy = mem_strdup(path), *rest = copy, *key;

	while ((key = strsep(&rest, "."))) {
		char *end;
		size_t index = strtoul(key, &end, 10);

		json = *end ? json_object_object_get(json, key)
			    : json_object_array_get_idx(json, index);
	}
	free(copy);
	return json;
}

static size_t length_at(struct json_object *json, const char *path)
{
	return json_object_array_length(at(json, path));
}

static double sum_at(struct json_object *json, const char *path)
{
	struct json_object *array = at(json, path);
	double sum = 0;

	for (size_t i = 0; i < json_object_array_length(array); i++)
		sum += json_object_get_double(json_object_array_get_idx(array, i));
	return sum;
}

TEST(export_speedscope_profiles)
{
	struct profile *profile = make();
	struct json_object *json = json_of(export_speedscope, profile, false);

	EXPECT_INT(length_at(json, "profiles"), 2);
	EXPECT_INT(length_at(json, "profiles.0.samples"), 3);
	EXPECT_NEAR(sum_at(json, "profiles.0.weights"), 1507, 0.001);
	EXPECT_INT(json_object_get_int(at(json, "profiles.0.endValue")), 1507);
	EXPECT_TEXT(json_object_get_string(at(json, "profiles.0.unit")), "nanoseconds");
	EXPECT_TEXT(json_object_get_string(at(json, "profiles.1.unit")), "none");
	/* main, the hostile one and the nameless one, and two programs. */
	EXPECT_INT(length_at(json, "shared.frames"), 5);
	EXPECT_INT(length_at(json, "profiles.0.samples.1"), 4);
	json_object_put(json);

	json = json_of(export_speedscope, profile, true);
	EXPECT_INT(length_at(json, "profiles"), 3);
	EXPECT_INT(length_at(json, "shared.frames"), 3);
	EXPECT_TEXT(json_object_get_string(at(json, "profiles.0.name")), "prog-1/1 cpu-clock");
	json_object_put(json);
	profile_free(profile);
}

TEST(export_firefox_tables)
{
	struct profile *profile = make();
	struct json_object *json = json_of(export_firefox, profile, false);

	EXPECT_INT(json_object_get_int(at(json, "meta.preprocessedProfileVersion")), 60);
	EXPECT_INT(length_at(json, "threads"), 3);
	EXPECT_INT(length_at(json, "threads.0.samples.stack"), 2);
	EXPECT(!at(json, "threads.0.samples.stack.1")); /* null: an empty stack */
	EXPECT_TEXT(json_object_get_string(at(json, "threads.0.samples.weightType")), "tracing-ms");
	EXPECT_NEAR(sum_at(json, "threads.0.samples.weight"), 507e-6, 1e-12);
	EXPECT_NEAR(json_object_get_double(at(json, "threads.1.samples.time.0")), 0.0005, 1e-9);
	EXPECT_INT(length_at(json, "shared.stackTable.frame"), 3);
	EXPECT_INT(json_object_get_int(at(json, "shared.frameTable.inlineDepth.1")), 1);
	EXPECT_TEXT(json_object_get_string(at(json, "libs.2.codeId")),
		    "abcdef0000000000000000000000000000000000");
	EXPECT_TEXT(json_object_get_string(at(json, "libs.2.breakpadId")),
		    "00EFCDAB0000000000000000000000000");
	json_object_put(json);
	profile_free(profile);
}

/* Filters of samples, and of frames. */
TEST(export_of_a_selection)
{
	static const struct {
		const char *label;
		struct selection_options options;
		uint64_t samples, weight;
	} cases[] = {
		{ "event", { .event = 0 }, 5, 1507 },
		{ "thread", { .event = ALL_EVENTS, .filter.tids = "7" }, 3, 1000 },
		{ "stacks", { .event = 0, .filter.keep = "^main$" }, 4, 1500 },
		{ "focus", { .event = ALL_EVENTS, .stacks.focus = "^a<b" }, 4, 1500 },
		{ "reverse", { .event = 0, .stacks.from_leaf = true }, 5, 1507 },
	};
	struct profile *profile = make();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *again;
		size_t size;
		char *bytes = written(export_script, profile, &cases[i].options, false, &size);

		again = read_back(bytes, size, IMPORT_PERFSCRIPT);
		test_case("%s", cases[i].label);
		EXPECT_INT(again->events.len, 1);
		expect_totals(again, "cpu-clock", cases[i].samples, cases[i].weight);
		profile_free(again);
		free(bytes);
	}
	profile_free(profile);
}

TEST(export_refuses_a_bad_expression)
{
	struct selection_options options = { .event = 0, .stacks.hide = "(" };
	struct profile *profile = make();
	struct selection selection;
	struct err err = { 0 };

	EXPECT_INT(selection_make(&selection, profile, &options, &err), -EINVAL);
	profile_free(profile);
}

TEST(export_of_nothing)
{
	static write_function *const writers[] = { export_pprof, export_speedscope, export_firefox,
						   export_csv, export_script };
	struct profile *empty = profile_new();

	for (size_t i = 0; i < ARRAY_SIZE(writers); i++) {
		size_t size;
		char *bytes = written(writers[i], empty, &everything, false, &size);

		test_case("writer %zu", i);
		EXPECT_BOOL(size == 0, writers[i] == export_script);
		free(bytes);
	}
	profile_free(empty);
}
