// SPDX-License-Identifier: Apache-2.0
/*
 * The texts: heap and growth profiles, contention and mutexes, counts of Go (goroutines, threads),
 * threads, and Java's heap and contention.
 *
 *	heap profile: 13: 1595680 [47: 258459] @ heap/1048576
 *	1: 524288 [3: 1572864] @ 0x420cef 0x422151
 *
 * Heap profiles that hold only some of the allocations are scaled to all of them, with the same
 * arithmetic as pprof, which cuts each sample to a whole number.
 */
#include "base/err.h"
#include "import/legacy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define JAVA_HEAP_RATE 524288

enum form { FORM_NONE, FORM_HEAP, FORM_COUNT, FORM_THREADS, FORM_CONTENTION, FORM_JAVA_HEAP };

struct reader {
	struct legacy *legacy;
	struct scan text, line;
	int64_t period;	   /* of the samples; for heaps the mean of bytes between them */
	int64_t hertz;	   /* of contentions told in cycles */
	bool scaled, both; /* heaps: only some were seen; what was allocated and freed again too */
};

static bool is_comment(const struct scan *line)
{
	return line->at == line->end || *line->at == '#';
}

static bool is_mappings(const struct scan *line)
{
	size_t length = (size_t)(line->end - line->at);

	return memmem(line->at, length, "--- Memory map: ---", 19) ||
	       memmem(line->at, length, "MAPPED_LIBRARIES:", 17);
}

/* "goroutine profile: total 7": the name. */
static bool is_count(struct scan line, struct scan *name)
{
	const char *blank = memchr(line.at, ' ', (size_t)(line.end - line.at));
	int64_t total;

	*name = (struct scan){ line.at, blank };
	line.at = blank ? blank : line.end;
	return scan_skip(&line, "profile: total ") && scan_number(&line, &total) &&
	       line.at == line.end && name->end > name->at;
}

static enum form form_of(const struct scan *line)
{
	struct scan name;

	if (scan_starts(line, "heap profile:"))
		return FORM_HEAP;
	if (scan_starts(line, "--- contentionz ") || scan_starts(line, "--- mutex:") ||
	    scan_starts(line, "--- contention:"))
		return FORM_CONTENTION;
	if (scan_starts(line, "--- heapz 1 ---"))
		return FORM_JAVA_HEAP;
	if (scan_starts(line, "--- threadz ") || scan_starts(line, "--- Thread "))
		return FORM_THREADS;
	return is_count(*line, &name) ? FORM_COUNT : FORM_NONE;
}

/* The first line that says something. */
static bool first_line(struct scan *text, struct scan *line)
{
	while (scan_line(text, line))
		if (!is_comment(line))
			return true;
	return false;
}

bool legacy_is_text(const char *bytes, size_t size)
{
	struct scan text = { bytes, bytes + size }, line;

	return first_line(&text, &line) && form_of(&line) != FORM_NONE;
}

static bool next_line(struct reader *r)
{
	if (!scan_line(&r->text, &r->line))
		return false;
	r->legacy->job->result->lines++;
	return true;
}

static void broken(struct reader *r)
{
	import_broken(r->legacy->job->result, r->line.at, r->line.end);
}

static void set_type(struct reader *r, const char *name, const char *unit)
{
	struct legacy_type *type = &r->legacy->types[r->legacy->type_count++];

	type->name = name;
	snprintf(type->unit, sizeof(type->unit), "%s", unit);
}

/* A sample of the addresses in what is left of the line. */
static struct legacy_sample *add_sample(struct reader *r, struct scan rest)
{
	uint32_t first = (uint32_t)r->legacy->addresses.len;
	uint32_t count = legacy_addresses(r->legacy, rest);
	struct legacy_sample *sample = vec_push(&r->legacy->samples);

	*sample = (struct legacy_sample){ .first = first,
					  .count = count,
					  .thread = r->legacy->thread };
	return sample;
}

/* ---- heap and growth ---- */

static uint64_t whole(double value)
{
	return value >= 1 && value < 9.2e18 ? (uint64_t)value : 0;
}

/* An allocation of this size is seen with the probability 1 - exp(-size / rate). */
static void scale(int64_t rate, uint64_t *count, uint64_t *size)
{
	double factor;

	if (!*count || !*size) {
		*count = *size = 0;
		return;
	}
	if (rate <= 1)
		return;
	factor = 1 / (1 - exp(-((double)*size / (double)*count) / (double)rate));
	*count = whole((double)*count * factor);
	*size = whole((double)*size * factor);
}

/* "13: 1595680 [47: 258459] @" */
static bool read_heap_numbers(struct scan *line, int64_t numbers[4])
{
	return scan_number(line, &numbers[0]) && scan_skip(line, ":") &&
	       scan_number(line, &numbers[1]) && scan_skip(line, "[") &&
	       scan_number(line, &numbers[2]) && scan_skip(line, ":") &&
	       scan_number(line, &numbers[3]) && scan_skip(line, "]") && scan_skip(line, "@");
}

static int read_heap_head(struct reader *r, struct err *err)
{
	struct scan line = r->line;
	int64_t numbers[4];
	bool halved = false;

	if (!scan_skip(&line, "heap profile:") || !read_heap_numbers(&line, numbers))
		return err_set(err, EBADMSG, "the heap profile's first line is damaged");
	r->period = 1;
	if (scan_skip(&line, "growth") || scan_skip(&line, "fragmentation"))
		return 0;
	if (scan_skip(&line, "heapz_v2") || scan_skip(&line, "heap_v2"))
		r->scaled = true;
	else if (!scan_skip(&line, "heapprofile"))
		r->scaled = halved = scan_skip(&line, "heap");
	scan_skip(&line, "/");
	if (r->scaled && !scan_number(&line, &r->period))
		r->period = 0;
	if (halved) /* Go tells twice the rate */
		r->period /= 2;
	r->both = (numbers[2] != numbers[0] && numbers[2]) ||
		  (numbers[3] != numbers[1] && numbers[3]);
	return 0;
}

static void put_heap_values(struct reader *r, uint64_t *values, int64_t count, int64_t size)
{
	values[0] = count > 0 ? (uint64_t)count : 0;
	values[1] = count > 0 && size > 0 ? (uint64_t)size : 0;
	if (r->scaled)
		scale(r->period, &values[0], &values[1]);
}

static int read_heap(struct reader *r, struct err *err)
{
	int rc = read_heap_head(r, err);

	if (rc)
		return rc;
	if (r->both) {
		set_type(r, "alloc_objects", "count");
		set_type(r, "alloc_space", "bytes");
	}
	set_type(r, r->both ? "inuse_objects" : "objects", "count");
	set_type(r, r->both ? "inuse_space" : "space", "bytes");
	r->legacy->leaf_is_call = true;
	while (next_line(r) && !is_mappings(&r->line)) {
		struct scan line = r->line;
		struct legacy_sample *sample;
		int64_t numbers[4];

		if (is_comment(&line))
			continue;
		if (!read_heap_numbers(&line, numbers)) {
			broken(r);
			continue;
		}
		sample = add_sample(r, line);
		if (r->both)
			put_heap_values(r, sample->values, numbers[2], numbers[3]);
		put_heap_values(r, sample->values + (r->both ? 2 : 0), numbers[0], numbers[1]);
	}
	return 0;
}

/* ---- counts ---- */

static int read_counts(struct reader *r)
{
	struct profile *profile = r->legacy->job->sink.profile;
	struct scan name;
	char *text;

	is_count(r->line, &name);
	text = mem_strndup(name.at, (size_t)(name.end - name.at));
	set_type(r, profile_text(profile, interner_add(&profile->strings, text)), "count");
	free(text);
	r->legacy->leaf_is_call = true;
	while (next_line(r) && !scan_starts(&r->line, "---")) {
		struct scan line = r->line;
		int64_t count;

		if (is_comment(&line))
			continue;
		if (scan_number(&line, &count) && count >= 0 && scan_skip(&line, "@"))
			add_sample(r, line)->values[0] = (uint64_t)count;
		else
			broken(r);
	}
	return 0;
}

/* ---- threads ---- */

/* "--- Thread 7f794ab90940 (name: main/14748) stack: ---" */
static uint32_t thread_of(struct reader *r)
{
	struct profile *profile = r->legacy->job->sink.profile;
	struct scan line = r->line;
	struct profile_thread thread = { .generation = GENERATION_UNKNOWN };
	const char *name = memmem(line.at, (size_t)(line.end - line.at), "(name: ", 7), *slash;
	int64_t id = 0;
	char *text;

	if (!name)
		return r->legacy->thread;
	name += 7;
	slash = memrchr(name, '/', (size_t)(line.end - name));
	if (!slash)
		return r->legacy->thread;
	line.at = slash + 1;
	scan_number(&line, &id);
	thread.pid = thread.tid = id > 0 && id <= UINT32_MAX ? (uint32_t)id : 0;
	text = mem_strndup(name, (size_t)(slash - name));
	thread.comm = interner_add(&profile->strings, text);
	free(text);
	return profile_thread(profile, &thread);
}

/* "0x0040be31: main" tells what the address is called. */
static void read_thread_line(struct reader *r, struct legacy_sample *sample)
{
	const char *colon = memmem(r->line.at, (size_t)(r->line.end - r->line.at), ": ", 2);
	uint32_t count = legacy_addresses(r->legacy, r->line);
	uint64_t address = count ? *vec_last(&r->legacy->addresses) : UINT64_MAX;

	sample->count += count;
	if (colon && scan_starts(&r->line, "PC:"))
		colon = memmem(colon + 2, (size_t)(r->line.end - colon - 2), ": ", 2);
	if (count != 1 || !colon || address == UINT64_MAX || scan_starts(&r->line, "creator"))
		return;
	colon += 2;
	if (colon < r->line.end) {
		char *name = mem_strndup(colon, (size_t)(r->line.end - colon));

		idmap_add(&r->legacy->name_of, address, interner_add(&r->legacy->names, name));
		free(name);
	}
}

/* The lines of one thread; r->line is then what ended it, or empty. */
static void read_thread(struct reader *r)
{
	uint32_t thread = thread_of(r), before = (uint32_t)r->legacy->samples.len;
	struct legacy_sample sample = { .first = (uint32_t)r->legacy->addresses.len,
					.thread = thread };

	sample.values[0] = 1;
	while (next_line(r) && !scan_starts(&r->line, "---")) {
		if (memmem(r->line.at, (size_t)(r->line.end - r->line.at),
			   "same as previous thread", 23) &&
		    before) {
			sample.first = vec_last(&r->legacy->samples)->first;
			sample.count = vec_last(&r->legacy->samples)->count;
		} else {
			read_thread_line(r, &sample);
		}
	}
	if (sample.count)
		*vec_push(&r->legacy->samples) = sample;
}

static int read_threads(struct reader *r, struct err *err)
{
	set_type(r, "thread", "count");
	while (!scan_starts(&r->line, "--- Thread ")) {
		if (is_mappings(&r->line))
			return 0;
		if (!next_line(r))
			return err_set(err, EBADMSG, "no thread in the list of threads");
	}
	while (scan_starts(&r->line, "--- Thread ") && r->text.at < r->text.end)
		read_thread(r);
	return 0;
}

/* ---- contention ---- */

/* "sampling period = 100" */
static bool read_attribute(struct reader *r, char unit[static 24])
{
	const char *equal = memchr(r->line.at, '=', (size_t)(r->line.end - r->line.at));
	struct scan value = { equal ? equal + 1 : r->line.end, r->line.end };
	int64_t number = 0;

	if (!equal)
		return false;
	if (scan_starts(&r->line, "format")) {
		r->legacy->is_java = scan_skip(&value, "java");
	} else if (scan_starts(&r->line, "resolution")) {
		scan_skip(&value, " ");
		snprintf(unit, 24, "%.*s", (int)(value.end - value.at), value.at);
	} else if (scan_number(&value, &number) && number > 0) {
		if (scan_starts(&r->line, "cycles/second"))
			r->hertz = number;
		else if (scan_starts(&r->line, "sampling period"))
			r->period = number;
	}
	return true;
}

static void multiply(uint64_t *value, uint64_t by)
{
	if (__builtin_mul_overflow(*value, by, value))
		*value = UINT64_MAX;
}

/* Two numbers, the second of them a count, and addresses. */
static void read_pair(struct reader *r, bool heap)
{
	struct scan line = r->line;
	struct legacy_sample *sample;
	int64_t amount, count;

	if (!scan_number(&line, &amount) || !scan_number(&line, &count) || amount < 0 ||
	    count < 0 || !scan_skip(&line, "@")) {
		broken(r);
		return;
	}
	sample = add_sample(r, line);
	sample->values[0] = (uint64_t)count;
	sample->values[1] = (uint64_t)amount;
	if (heap) {
		scale(JAVA_HEAP_RATE, &sample->values[0], &sample->values[1]);
		return;
	}
	multiply(&sample->values[0], (uint64_t)r->period);
	if (r->legacy->is_java)
		multiply(&sample->values[1], (uint64_t)r->period);
	else if (r->hertz)
		sample->values[1] =
			whole((double)amount * (double)r->period / ((double)r->hertz / 1e9));
}

static int read_pairs(struct reader *r, bool heap)
{
	char unit[24] = "";
	bool more;

	r->period = heap ? 0 : 1;
	while ((more = next_line(r)) && !scan_starts(&r->line, "---"))
		if (!is_comment(&r->line) && !read_attribute(r, unit))
			break;
	set_type(r, heap ? "inuse_objects" : "contentions", "count");
	set_type(r, heap ? "inuse_space" : "delay", *unit ? unit : heap ? "bytes" : "nanoseconds");
	r->legacy->leaf_is_call = true;
	for (; more && !scan_starts(&r->line, "---"); more = next_line(r)) {
		if (r->legacy->is_java && scan_starts(&r->line, "0x"))
			break; /* the methods' names */
		if (!is_comment(&r->line))
			read_pair(r, heap);
	}
	return 0;
}

static int read_form(struct reader *r, enum form form, struct err *err)
{
	switch (form) {
	case FORM_HEAP: return read_heap(r, err);
	case FORM_COUNT: return read_counts(r);
	case FORM_THREADS: return read_threads(r, err);
	case FORM_CONTENTION: return read_pairs(r, false);
	case FORM_JAVA_HEAP: return read_pairs(r, true);
	case FORM_NONE: break;
	}
	return err_set(err, EBADMSG, "no profile of pprof's older forms");
}

int legacy_read_text(struct legacy *legacy, struct scan text, struct err *err)
{
	struct reader r = { .legacy = legacy, .text = text };
	int rc;

	while (next_line(&r) && is_comment(&r.line))
		;
	rc = read_form(&r, form_of(&r.line), err);
	if (rc)
		return rc;
	if (legacy->is_java) {
		legacy_java_names(legacy, (struct scan){ r.line.at, r.text.end });
		return 0;
	}
	while (!is_mappings(&r.line) && next_line(&r))
		;
	legacy_mappings(legacy, r.text);
	return 0;
}
