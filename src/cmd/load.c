// SPDX-License-Identifier: Apache-2.0
#include "cmd/load.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/text.h"
#include "cmd/script_filter.h"
#include "import/input.h"
#include "import/sink.h"
#include "perfdata/reader.h"
#include "profile/build.h"
#include "profile/index.h"
#include "render/flame_layout.h"
#include "render/flame_svg.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

const char *load_path(const char *named)
{
	struct stat st;

	if (named)
		return named;
	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

/* Smaller recordings are read as fast as an index; their folders stay tidy. */
#define INDEX_FROM ((uint64_t)4 << 20)

/* Everything but the recording that the names in a profile depend on. */
static uint64_t settings_hash(const struct symbol_args *names)
{
	const char *const texts[] = { PERFOLIO_VERSION,	    names->symfs,
				      names->kallsyms,	    names->vmlinux,
				      names->buildid_dir,   names->guest.kallsyms,
				      names->guest.vmlinux, names->guest.modules,
				      names->guest.mount };
	uint64_t hash = (uint64_t)names->ignore_vmlinux << 8 | (uint64_t)names->no_modules << 9 |
			names->debuginfod | names->inlined << 1 | names->not_inlined << 2 |
			(uint64_t)names->guest.code << 3;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i])
			hash = (hash ^ map_hash(texts[i], strlen(texts[i])) ^ i) *
			       0x9e3779b97f4a7c15u;
	return hash;
}

static bool newer_than(const char *path, const struct timespec *time)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	return st.st_ctim.tv_sec > time->tv_sec ||
	       (st.st_ctim.tv_sec == time->tv_sec && st.st_ctim.tv_nsec > time->tv_nsec);
}

/* The kernel shows its addresses by now: not to everybody, and not while kptr_restrict says no. */
static bool kernel_is_shown(void)
{
	FILE *list = fopen("/proc/kallsyms", "re");
	bool shown = false;
	char line[512];

	/* The first symbols can be at 0 in truth. */
	for (int i = 0; list && i < 100 && !shown && fgets(line, sizeof(line), list); i++)
		shown = strspn(line, "0") < strspn(line, "0123456789abcdef");
	if (list)
		fclose(list);
	return shown;
}

/* Whether a folder of build-ids got a file for an object, at one of perf's places. */
static bool is_newly_kept(const struct profile_object *object, const char *dir,
			  const struct timespec *since)
{
	static const char *const names[] = { ".debug", "/elf", "/debug", "/kallsyms", "/vdso" };
	char id[BUILD_ID_TEXT], path[4096];

	build_id_text(id, &object->build_id);
	for (size_t i = 0; i < ARRAY_SIZE(names) && *id; i++) {
		snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s%s", dir, id, id + 2, names[i]);
		if (newer_than(path, since))
			return true;
	}
	return false;
}

/*
 * Whether an object that gave not all names may give more by now: a file of its debug symbols was
 * installed, or itself was put back, after the index was written.  A JIT's list is never complete.
 */
static bool has_new_symbols(const struct profile *profile, const char *index,
			    const char *buildid_dir)
{
	struct stat st;

	if (stat(index, &st))
		return true;
	vec_each (object, &profile->objects) {
		if (object->state == DSO_UNREAD ||
		    (object->state == DSO_FULL && object->kind != DSO_JIT))
			continue;
		if (newer_than(profile_text(profile, object->path), &st.st_ctim) ||
		    is_newly_kept(object, "/usr/lib/debug", &st.st_ctim) ||
		    is_newly_kept(object, buildid_dir, &st.st_ctim) ||
		    (object->state == DSO_HIDDEN && kernel_is_shown()))
			return true;
	}
	return false;
}

static struct profile *from_index(const struct symbol_args *names,
				  const struct index_identity *identity, const char *path)
{
	const char *home = getenv("HOME");
	struct profile *profile = NULL;
	char *dir;

	if (profile_index_open(&profile, identity, path, NULL))
		return NULL;
	dir = names->buildid_dir ? mem_strdup(names->buildid_dir)
				 : mem_printf("%s/.debug", home ? home : "");
	if (has_new_symbols(profile, path, dir)) {
		profile_free(profile);
		profile = NULL;
	}
	free(dir);
	return profile;
}

/* `again` is where the recording can be read a second time, or NULL. */
static int from_records(struct loaded *in, const struct load_options *options, const char *again,
			struct err *err)
{
	struct symbol_args names = options->names;
	struct symbol_store *store;

	names.lines |= options->lines;
	store = symbols_open(&names, in->reader, again);
	in->profile = options->wishes ? profile_read_with(in->reader, store, options->wishes, err)
				      : profile_read(in->reader, store, err);
	symbols_close(store);
	return in->profile ? 0 : -err->code;
}

static int read_recording(struct loaded *in, const struct load_options *options, struct err *err)
{
	bool lines = options->lines || options->names.lines;
	bool again = !in->is_stream && !perf_reader_is_pipe(in->reader);
	struct index_identity identity = { 0 };
	struct err why = { 0 };
	char *path = mem_printf("%s.index", in->place);
	bool indexed = again && in->spool < 0 && !options->no_index && !lines && !options->wishes &&
		       !index_identify(&identity, in->place, settings_hash(&options->names)) &&
		       identity.size >= INDEX_FROM;
	int rc = 0;

	in->profile = indexed ? from_index(&options->names, &identity, path) : NULL;
	if (!in->profile) {
		rc = from_records(in, options, again ? in->place : NULL, err);
		/* A folder that cannot be written to only means that the next time is as slow. */
		if (!rc && indexed && profile_index_write(in->profile, &identity, path, &why))
			log_line(LOG_DEBUG, "no index: %s", why.text);
	}
	free(path);
	return rc;
}

static void show_progress(void *progress, uint64_t done)
{
	progress_at(progress, done);
}

/* What is left out when it is not understood; no line of a binary file can be looked up. */
static const char *import_noun(enum import_format format)
{
	return format == IMPORT_PPROF ? "sample" : "line";
}

/* "288 samples have negative values, which are left out: 1.2 MiB of inuse_space" */
static void add_negative(const struct import_result *result, struct buf *into)
{
	const struct profile *profile = result->profile;
	const char *before = ": ";
	char number[TEXT_NUMBER];

	buf_printf(into, "%s sample%s negative values, which are left out",
		   text_grouped(number, result->negative),
		   result->negative == 1 ? " has" : "s have");
	for (uint16_t i = 0; i < profile->events.len && i < IMPORT_TYPES; i++) {
		const char *unit = flame_unit(profile, i, WEIGH_PERIOD);
		const char *name = profile_text(profile, profile->events.data[i].name);
		char *amount = flame_amount(result->negative_weight[i], unit);

		if (result->negative_weight[i]) {
			buf_printf(into, "%s%s%s%s", before, amount,
				   strcmp(unit, name) ? " of " : "",
				   strcmp(unit, name) ? name : "");
			before = ", ";
		}
		free(amount);
	}
}

static void say_what_is_missing(const struct import_result *result, const char *name)
{
	char number[TEXT_NUMBER];

	if (result->broken)
		log_line(LOG_WARN, "%s: %ss not understood: %s; the first, %s %llu: %s", name,
			 import_noun(result->format), text_grouped(number, result->broken),
			 import_noun(result->format), (unsigned long long)result->broken_line,
			 result->broken_text);
	if (result->negative) {
		struct buf words = { 0 };

		add_negative(result, &words);
		log_line(LOG_WARN, "%s: %s; is it the difference of two profiles?", name,
			 buf_text(&words));
		buf_free(&words);
	}
	if (result->cut_end)
		log_line(LOG_NOTE,
			 "%s: no blank line ends the last sample, so it is left out as "
			 "stackcollapse-perf.pl does",
			 name);
	if (result->parts)
		log_line(LOG_NOTE, "%s: values have fractions and are shown in %s", name,
			 result->parts);
	if (result->rounded)
		log_line(LOG_NOTE, "%s: %s value%s more digits than are kept and %s rounded", name,
			 text_grouped(number, result->rounded),
			 result->rounded == 1 ? " has" : "s have",
			 result->rounded == 1 ? "was" : "were");
	if (result->two_columns)
		log_line(LOG_NOTE, "%s: %s line%s two values; the second is shown", name,
			 text_grouped(number, result->two_columns),
			 result->two_columns == 1 ? " has" : "s have");
}

static int read_other(struct loaded *in, const struct load_options *options, struct err *err)
{
	struct progress progress = progress_start("reading", input_size(in->from));
	struct import_options import = {
		.times = options->times,
		.cpus = options->cpus,
		.addresses = options->addresses,
		.places = options->places,
		.as_perl = options->as_perl,
		.progress = show_progress,
		.user = &progress,
	};
	int rc = import_read(in->from, &import, &in->imported, err);

	progress_end(&progress);
	if (rc)
		return rc;
	in->profile = in->imported.profile;
	say_what_is_missing(&in->imported, in->name);
	return 0;
}

/* A recording that is packed or comes through a pipe is put where it can be read as one. */
static int spool(struct loaded *in, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	size_t room = (size_t)1 << 20;
	char *piece = mem_alloc(room);
	ssize_t got = 0;

	folder = folder && *folder ? folder : "/tmp";
	in->spool = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (in->spool < 0)
		got = err_set(err, errno, "%s: %s", folder, strerror(errno));
	while (!got && (got = input_read(in->from, piece, room, err)) > 0) {
		int rc = fd_write_all(in->spool, piece, (size_t)got);

		got = rc ? err_set(err, -rc, "%s: %s", folder, strerror(-rc)) : 0;
	}
	free(piece);
	free(in->place);
	in->place = mem_printf("/proc/self/fd/%d", in->spool);
	return (int)got;
}

/* The first bytes of a pipe, which stay in it; how many. */
static size_t peek_pipe(int fd, char *bytes, size_t size)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	ssize_t got = 0;
	int copy[2];

	if (pipe2(copy, O_CLOEXEC))
		return 0;
	for (;;) {
		got = tee(fd, copy[1], size, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got > 0)
			got = read(copy[0], bytes, size);
		if (got <= 0 || (size_t)got == size)
			break;
		/* Less than that, and more may come: the next look begins at the front again. */
		if (poll(&ready, 1, 0) > 0 && ready.revents & POLLHUP)
			break;
		poll(NULL, 0, 1);
	}
	close(copy[0]);
	close(copy[1]);
	return got > 0 ? (size_t)got : 0;
}

/* A recording on standard input is read as it comes: `perfolio record -o - | perfolio script`. */
static bool is_streamed_recording(const char *path)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP" };
	char magic[8];
	struct stat st;

	if (strcmp(path, "-") || fstat(STDIN_FILENO, &st) || !S_ISFIFO(st.st_mode) ||
	    peek_pipe(STDIN_FILENO, magic, sizeof(magic)) < sizeof(magic))
		return false;
	return !memcmp(magic, magics[0], sizeof(magic)) || !memcmp(magic, magics[1], sizeof(magic));
}

/* What can only be a recording: the folder of `record --threads`, a file that still grows. */
static bool is_recording(const char *path, const struct perf_reader_options *reading)
{
	return (reading && reading->follow) || is_streamed_recording(path) ||
	       (strcmp(path, "-") && file_exists("%s/data", path));
}

static bool is_regular(const char *path)
{
	struct stat st;

	return !(strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st)) &&
	       S_ISREG(st.st_mode);
}

static int find_out(struct loaded *in, const char *path, const struct perf_reader_options *reading,
		    struct err *err)
{
	int rc;

	if (is_recording(path, reading)) {
		in->format = IMPORT_PERFDATA;
		return 0;
	}
	in->from = input_open(path, err);
	rc = in->from ? import_detect(in->from, &in->format, err) : -err->code;
	if (!rc && in->format == IMPORT_PERFDATA) {
		if (input_is_packed(in->from) || !is_regular(path))
			rc = spool(in, err);
		input_close(in->from);
		in->from = NULL;
	}
	return rc;
}

int load_open(struct loaded *in, const char *path, const struct perf_reader_options *reading,
	      struct err *err)
{
	bool standard = !strcmp(path, "-");
	int rc;

	*in = (struct loaded){ .spool = -1,
			       .name = standard ? "standard input" : path,
			       .place = mem_strdup(path),
			       .is_stream = standard };
	rc = find_out(in, path, reading, err);
	if (!rc && in->format == IMPORT_PERFDATA) {
		in->reader = perf_reader_open(in->place, reading, err);
		if (!in->reader)
			rc = -err->code;
	}
	if (rc)
		loaded_close(in);
	return rc;
}

int load_read(struct loaded *in, const struct load_options *options, struct err *err)
{
	const char *damage;
	int rc;

	if (!in->reader)
		return read_other(in, options, err);
	rc = read_recording(in, options, err);
	damage = perf_reader_damage(in->reader);
	/* A recording that was cut short may be empty; one without events is none. */
	if (!rc && damage && !perf_reader_attr_count(in->reader))
		rc = err_set(err, EBADMSG, "%s: %s", in->name, damage);
	return rc;
}

int load_profile(struct loaded *in, const char *path, const struct load_options *options,
		 struct err *err)
{
	int rc = load_open(in, path, NULL, err);

	if (rc)
		return rc;
	rc = load_read(in, options, err);
	if (!rc)
		loaded_warn(in);
	if (rc)
		loaded_close(in);
	return rc;
}

void loaded_warn(const struct loaded *in)
{
	const char *damage = in->reader ? perf_reader_damage(in->reader) : NULL;

	if (damage)
		log_line(LOG_WARN, "%s: %s", in->name, damage);
}

void loaded_close(struct loaded *in)
{
	profile_free(in->profile);
	import_places_free(&in->imported.places);
	perf_reader_close(in->reader);
	input_close(in->from);
	free(in->place);
	if (in->spool >= 0)
		close(in->spool);
	*in = (struct loaded){ .spool = -1 };
}

int load_need_recording(const struct loaded *in, const char *what, struct err *err)
{
	return in->reader
		       ? 0
		       : err_set(err, EINVAL, "%s: %s is %s; only a recording (perf.data) has that",
				 what, in->name, import_format_name(in->format));
}

/* Ranges are checked with those of a recording that takes a second. */
static int check_times(const char *text, struct err *err)
{
	const struct time_range whole = { 1000000000, 2000000000 };
	struct time_range range;
	int rc = 0;

	while (*text && !rc) {
		size_t length = time_range_length(text);
		char *part = mem_strndup(text, length);

		if (length)
			rc = time_range_parse(&range, part, &whole, err);
		free(part);
		text += length + !!text[length];
	}
	return rc;
}

int load_check_words(const struct load_words *words, struct err *err)
{
	struct cpuset set = { 0 };
	int rc = 0;

	if (words->pids)
		rc = script_filter_ids(&set, "pid", words->pids, err);
	if (!rc && words->tids)
		rc = script_filter_ids(&set, "tid", words->tids, err);
	set.len = 0; /* IDs are no CPUs */
	if (!rc && words->cpus)
		rc = script_filter_cpus(&set, words->cpus, err);
	if (!rc && words->time)
		rc = check_times(words->time, err);
	cpuset_free(&set);
	return rc;
}

int load_check_told(const struct loaded *in, bool cpus, bool times, struct err *err)
{
	if (in->reader)
		return cpus ? script_filter_check_cpus(in->reader, err) : 0;
	if (cpus && !in->imported.has_cpus)
		return err_set(err, EINVAL,
			       "--cpu: %s does not say on which CPU its samples were taken",
			       in->name);
	if (times && !in->imported.has_times)
		return err_set(err, EINVAL, "--time: %s does not say when its samples were taken",
			       in->name);
	return 0;
}

uint64_t loaded_samples(const struct loaded *in)
{
	uint64_t sum = 0, most = 0;

	vec_each (event, &in->profile->events) {
		sum += event->samples;
		most = event->samples > most ? event->samples : most;
	}
	/* A pprof's types of values are of the same samples. */
	return in->format == IMPORT_PPROF || in->format == IMPORT_LEGACY ? most : sum;
}

/* Of what the first event counts, that whose innermost function has no name. */
static double nameless_share(const struct profile *profile)
{
	const struct profile_samples *rows = &profile->samples;
	uint64_t nameless = 0, all = 0;

	for (size_t i = 0; i < rows->len; i++) {
		uint32_t function = profile->stacks.function[rows->stack[i]];

		if (rows->event[i])
			continue;
		all += rows->weight[i];
		if (rows->stack[i] != STACK_ROOT &&
		    profile->functions.data[function].kind == FRAME_UNKNOWN)
			nameless += rows->weight[i];
	}
	return all ? (double)nameless / (double)all : 0;
}

/* The same of what has no stack. */
static double stackless_share(const struct profile *profile)
{
	const struct profile_samples *rows = &profile->samples;
	uint64_t without = 0, all = 0;

	for (size_t i = 0; i < rows->len; i++) {
		uint32_t function = profile->stacks.function[rows->stack[i]];

		if (rows->event[i])
			continue;
		all += rows->weight[i];
		if (rows->stack[i] == STACK_ROOT ||
		    !strcmp(profile_text(profile, profile->functions.data[function].name),
			    NO_STACK_NAME))
			without += rows->weight[i];
	}
	return all ? (double)without / (double)all : 0;
}

void loaded_amount(const struct loaded *in, struct buf *into)
{
	const struct profile *profile = in->profile;
	uint64_t samples = loaded_samples(in);
	char number[TEXT_NUMBER], *amount;

	if (!profile->events.len || !profile->events.data[0].noun) {
		buf_printf(into, "%s sample%s", text_grouped(number, samples),
			   text_plural(samples));
		return;
	}
	amount = flame_amount(profile->events.data[0].weight, flame_unit(profile, 0, WEIGH_PERIOD));
	buf_puts(into, amount);
	if (strcmp(flame_unit(profile, 0, WEIGH_PERIOD),
		   profile_text(profile, profile->events.data[0].name)))
		buf_printf(into, " of %s", profile_text(profile, profile->events.data[0].name));
	free(amount);
}

void loaded_trust_text(const struct loaded *in, struct buf *into)
{
	const struct profile *profile = in->profile;
	double nameless = nameless_share(profile), stackless = stackless_share(profile);
	char number[TEXT_NUMBER], depth[TEXT_NUMBER];

	loaded_amount(in, into);
	buf_printf(into, " from %s", import_format_name(in->format));
	if (in->format == IMPORT_FOLDED)
		buf_puts(into, ", which do not say what they count");
	buf_printf(into, "; %.2f %% without a name", 100 * nameless);
	if (stackless > 0)
		buf_printf(into, ", %.2f %% of all without a stack", 100 * stackless);
	if (in->imported.broken)
		buf_printf(into, ", %s %s%s not understood",
			   text_grouped(number, in->imported.broken), import_noun(in->format),
			   text_plural(in->imported.broken));
	if (in->imported.negative) {
		buf_puts(into, "; ");
		add_negative(&in->imported, into);
	}
	if (profile->quality.cut_stacks)
		buf_printf(into, ", %s with a stack of more than %s frames, which is cut",
			   text_grouped(number, profile->quality.cut_stacks),
			   text_grouped(depth, SINK_DEPTH));
	if (profile->quality.lost)
		buf_printf(into, "; at least %s lost; can't tell whether stacks are whole",
			   text_grouped(number, profile->quality.lost));
	else
		buf_puts(into, "; can't tell how many were lost or whether stacks are whole");
}

void loaded_trust_json(const struct loaded *in, struct json *json)
{
	uint64_t samples = loaded_samples(in);
	double nameless = nameless_share(in->profile);

	json_text(json, "format", import_format_name(in->format));
	json_text(json, "good", NULL);
	json_u64(json, "samples", samples);
	if (in->profile->quality.lost)
		json_u64(json, "lost", in->profile->quality.lost);
	else
		json_text(json, "lost", NULL);
	json_text(json, "cut_percent", NULL);
	json_double(json, "unknown_percent", 100 * nameless);
	json_u64(json, "broken_lines", in->imported.broken);
	json_u64(json, "negative_samples", in->imported.negative);
}

uint32_t load_copy_size(const struct loaded *in)
{
	for (size_t i = 0; in->reader && i < perf_reader_attr_count(in->reader); i++) {
		const struct perf_event_attr *attr = &perf_reader_attr(in->reader, i)->attr.base;

		if (attr->sample_type & PERF_SAMPLE_STACK_USER)
			return attr->sample_stack_user;
	}
	return 0;
}

bool profile_times(const struct profile *profile, struct time_range *whole)
{
	*whole = (struct time_range){ 0 };
	if (!profile->samples.len)
		return false;
	whole->start = profile->samples.time[0];
	whole->end = profile->samples.time[profile->samples.len - 1];
	return true;
}
