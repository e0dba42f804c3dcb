// SPDX-License-Identifier: Apache-2.0
#include "import/import.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/text.h"
#include "import/parts.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

#define PROGRESS_BYTES ((uint64_t)1 << 20)

const char *import_format_name(enum import_format format)
{
	switch (format) {
	case IMPORT_PERFDATA: return "a recording";
	case IMPORT_PERFSCRIPT: return "perf script text";
	case IMPORT_FOLDED: return "folded stacks";
	case IMPORT_PPROF: return "a pprof profile";
	case IMPORT_LEGACY: return "a pprof profile of an older form";
	case IMPORT_UNKNOWN: break;
	}
	return "nothing known";
}

const char *import_address(const char *name)
{
	size_t length = strlen(UNKNOWN_NAME);

	return !strncmp(name, UNKNOWN_NAME "@", length + 1) ? name + length + 1 : NULL;
}

void import_broken(struct import_result *result, const char *line, const char *end)
{
	import_broken_at(result, result->lines, line, end);
}

void import_broken_at(struct import_result *result, uint64_t number, const char *line,
		      const char *end)
{
	static const char more[] = "…";
	size_t length = (size_t)(end - line);
	bool cut = length >= sizeof(result->broken_text);

	if (result->broken++)
		return;
	result->broken_line = number;
	if (cut)
		length = sizeof(result->broken_text) - sizeof(more);
	for (size_t i = 0; i < length; i++)
		result->broken_text[i] = isprint((unsigned char)line[i]) ? line[i] : '?';
	strcpy(result->broken_text + length, cut ? more : "");
}

static const char *skip_bom(const char *at, const char *end)
{
	return end - at >= 3 && !memcmp(at, "\xef\xbb\xbf", 3) ? at + 3 : at;
}

int import_each_line(struct import_job *job,
		     void (*take)(void *state, const char *line, const char *end), void *state,
		     struct err *err)
{
	const struct import_options *options = job->options;
	const char *at, *end, *next;
	uint64_t shown = 0;
	struct lines lines;
	int rc;

	lines_init(&lines, job->input);
	while ((rc = lines_next(&lines, &at, &end, err)) > 0) {
		if (!job->result->lines)
			at = skip_bom(at, end);
		for (; at < end; at = next + 1) {
			next = memchr(at, '\n', (size_t)(end - at));
			job->result->lines++;
			take(state, at, next);
		}
		if (options->progress && input_position(job->input) - shown >= PROGRESS_BYTES) {
			shown = input_position(job->input);
			options->progress(options->user, shown);
		}
	}
	for (uint64_t i = 0; i < lines.too_long; i++)
		import_broken(job->result, "(a line of more than 16 MB)",
			      strchr("(a line of more than 16 MB)", '\0'));
	lines_fini(&lines);
	return rc;
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool has_suffix(const char *text, const char *suffix)
{
	size_t length = strlen(text), tail = strlen(suffix);

	return length >= tail && !strcmp(text + length - tail, suffix);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static enum dso_kind bracketed_kind(const char *path)
{
	static const char *const none[] = { "[unknown]", "[heap]", "[stack",	"[anon",
					    "[uprobes]", "[vvar]", "[vsyscall]" };

	if (starts(path, "[vdso"))
		return DSO_VDSO;
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		if (starts(path, none[i]))
			return DSO_NONE;
	return starts(path, "[kernel") || starts(path, "[guest.kernel") ? DSO_KERNEL : DSO_MODULE;
}

static enum dso_kind object_kind(const char *path)
{
	const char *name = base_name(path);

	if (!*path)
		return DSO_NONE;
	if (*path == '[')
		return bracketed_kind(path);
	if (starts(name, "vmlinux") || starts(name, "vmlinuz"))
		return DSO_KERNEL;
	if (starts(name, "bpf_prog_") || starts(name, "bpf_trampoline_"))
		return DSO_BPF;
	if (has_suffix(name, ".ko") || strstr(name, ".ko."))
		return DSO_MODULE;
	if ((starts(name, "perf-") && has_suffix(name, ".map")) || starts(name, "jitted-") ||
	    starts(path, "//anon") || starts(path, "/memfd:") || starts(path, "anon_inode"))
		return DSO_JIT;
	return DSO_FILE;
}

uint32_t import_object(struct profile *profile, const char *path)
{
	return import_object_of(profile, path, "");
}

uint32_t import_object_of(struct profile *profile, const char *path, const char *build_id)
{
	struct build_id id = { 0 };

	/* What is no such number (Go writes words there) is none. */
	for (const char *c = build_id; *c; c += 2, id.size++) {
		if (text_hex_digit(c[0]) < 0 || text_hex_digit(c[1]) < 0 ||
		    id.size == BUILD_ID_SIZE) {
			id = (struct build_id){ 0 };
			break;
		}
		id.bytes[id.size] = (uint8_t)(text_hex_digit(c[0]) << 4 | text_hex_digit(c[1]));
	}
	return profile_object(profile, path, &id, object_kind(path));
}

enum frame_kind import_kind(const struct profile *profile, uint32_t object)
{
	const char *path = profile_text(profile, profile->objects.data[object].path);

	switch ((enum dso_kind)profile->objects.data[object].kind) {
	case DSO_KERNEL:
	case DSO_MODULE:
	case DSO_BPF: return FRAME_KERNEL;
	case DSO_JIT: return FRAME_JIT;
	case DSO_VDSO: return FRAME_LIBRARY;
	case DSO_NONE: return FRAME_USER;
	case DSO_FILE: break;
	}
	return strstr(base_name(path), ".so") ? FRAME_LIBRARY : FRAME_USER;
}

uint32_t import_function(struct profile *profile, const char *name, uint32_t object)
{
	if (!*name || !strcmp(name, UNKNOWN_NAME) || import_address(name))
		return profile_function(profile, *name ? name : UNKNOWN_NAME, object,
					FRAME_UNKNOWN);
	return profile_function(profile, name, object, import_kind(profile, object));
}

/* Other control characters than blanks are none of a text; a line of them says nothing. */
static bool is_text(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)bytes[i] < ' ' && !isspace((unsigned char)bytes[i]))
			return false;
	return true;
}

/* "; line 3: hello", the first line of a text that no format has; "" if it is no text. */
static void name_bad_line(const char *bytes, size_t size, struct buf *into)
{
	const char *end = bytes + size, *next;
	struct import_result result = { 0 };
	bool timed = false;

	if (!is_text(bytes, size))
		return;
	for (const char *line = bytes; line < end; line = next + 1) {
		next = memchr(line, '\n', (size_t)(end - line));
		if (!next)
			next = end;
		result.lines++;
		if (folded_line_speaks(line, next) >= 0 ||
		    perfscript_line_speaks(line, next, &timed) >= 0)
			continue;
		while (next > line && (next[-1] == '\r' || next[-1] == ' '))
			next--;
		import_broken(&result, line, next);
		buf_printf(into, "; line %" PRIu64 ": %s", result.lines, result.broken_text);
		return;
	}
}

const char *import_noun(const char *type)
{
	return has_suffix(type, "samples") ? "" : type;
}

uint32_t import_no_stack(struct profile *profile)
{
	return profile_function(profile, NO_STACK_NAME, import_object(profile, ""), FRAME_USER);
}

static int unknown_format(struct input *input, const char *bytes, size_t size, struct err *err)
{
	const char *what = NULL, *text = skip_bom(bytes, bytes + size);
	struct buf line = { 0 };
	int rc;

	if (!size)
		return err_set(err, ENODATA, "%s is empty", input_name(input));
	if (size >= 10 && !memcmp(bytes, "SIMPLEPERF", 10))
		what = "simpleperf's own format; `simpleperf report-sample --show-callchain` "
		       "makes text of it";
	else if (size >= 2 && (!memcmp(bytes, "\xfe\xff", 2) || !memcmp(bytes, "\xff\xfe", 2)))
		what = "UTF-16 text; `iconv -f UTF-16 -t UTF-8` makes it readable";
	else if (size >= 4 && !memcmp(bytes, "\177ELF", 4))
		what = "a program, not a profile";
	if (what)
		return err_set(err, EBADMSG, "%s: %s", input_name(input), what);
	name_bad_line(text, (size_t)(bytes + size - text), &line);
	rc = err_set(err, EBADMSG,
		     "%s isn't a profile we can read (perf.data, perf script, folded, pprof)%s",
		     input_name(input), buf_text(&line));
	buf_free(&line);
	return rc;
}

/* Of both byte orders, and of the format's first version, whose magic has one. */
static bool is_recording(const char *bytes, size_t size)
{
	return size >= 8 && (!memcmp(bytes, "PERFILE2", 8) || !memcmp(bytes, "2ELIFREP", 8) ||
			     !memcmp(bytes, "PERFFILE", 8));
}

int import_detect(struct input *input, enum import_format *format, struct err *err)
{
	const char *bytes, *text;
	size_t size;
	int rc = input_peek(input, &bytes, &size, err);

	*format = IMPORT_UNKNOWN;
	if (rc)
		return rc;
	text = skip_bom(bytes, bytes + size);
	if (is_recording(bytes, size))
		*format = IMPORT_PERFDATA;
	else if (pprof_looks_so(bytes, size, size < INPUT_PEEK))
		*format = IMPORT_PPROF;
	else if (legacy_looks_so(text, (size_t)(bytes + size - text)))
		*format = IMPORT_LEGACY;
	else if (folded_looks_so(text, (size_t)(bytes + size - text)))
		*format = IMPORT_FOLDED;
	else if (perfscript_looks_so(text, (size_t)(bytes + size - text)))
		*format = IMPORT_PERFSCRIPT;
	return *format == IMPORT_UNKNOWN ? unknown_format(input, bytes, size, err) : 0;
}

static int read_format(struct import_job *job, struct err *err)
{
	switch (job->result->format) {
	case IMPORT_PERFSCRIPT: return import_perfscript(job, err);
	case IMPORT_FOLDED: return import_folded(job, err);
	case IMPORT_PPROF: return import_pprof(job, err);
	case IMPORT_LEGACY: return import_legacy(job, err);
	default: return err_set(err, EINVAL, "%s: a recording", input_name(job->input));
	}
}

static void count_without_stack(struct profile *profile)
{
	const struct profile_samples *rows = &profile->samples;

	for (size_t i = 0; i < rows->len; i++) {
		uint32_t function = profile->stacks.function[rows->stack[i]];

		if (!strcmp(profile_text(profile, profile->functions.data[function].name),
			    NO_STACK_NAME))
			profile->quality.without_stack += profile_row_count(rows, i);
	}
}

void import_places_free(struct import_places *places)
{
	vec_free(&places->pool);
	vec_free(&places->first);
}

int import_read(struct input *input, const struct import_options *options,
		struct import_result *result, struct err *err)
{
	struct import_job job = { .input = input, .options = options, .result = result };
	int rc;

	*result = (struct import_result){ 0 };
	rc = import_detect(input, &result->format, err);
	if (rc)
		return rc;
	result->profile = profile_new();
	profile_leaf(result->profile, import_object(result->profile, ""), 0);
	sink_init(&job.sink, result->profile);
	job.sink.times = options->times;
	job.sink.cpus = options->cpus && result->format == IMPORT_PERFSCRIPT;
	rc = read_format(&job, err);
	result->profile->quality.origin = result->format == IMPORT_PPROF ||
							  result->format == IMPORT_LEGACY
						  ? ORIGIN_VALUES
						  : ORIGIN_SAMPLES;
	count_without_stack(result->profile);
	sink_fini(&job.sink);
	if (rc) {
		profile_free(result->profile);
		result->profile = NULL;
	}
	return rc;
}
