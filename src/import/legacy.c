// SPDX-License-Identifier: Apache-2.0
#include "import/legacy.h"
#include "base/err.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>

bool scan_line(struct scan *text, struct scan *line)
{
	const char *end;

	if (text->at >= text->end)
		return false;
	end = memchr(text->at, '\n', (size_t)(text->end - text->at));
	if (!end)
		end = text->end;
	*line = (struct scan){ text->at, end };
	text->at = end < text->end ? end + 1 : end;
	while (line->at < line->end && isspace((unsigned char)*line->at))
		line->at++;
	while (line->end > line->at && isspace((unsigned char)line->end[-1]))
		line->end--;
	return true;
}

bool scan_starts(const struct scan *line, const char *with)
{
	size_t length = strlen(with);

	return (size_t)(line->end - line->at) >= length && !memcmp(line->at, with, length);
}

static void skip_blanks(struct scan *line)
{
	while (line->at < line->end && isspace((unsigned char)*line->at))
		line->at++;
}

bool scan_skip(struct scan *line, const char *text)
{
	skip_blanks(line);
	if (!scan_starts(line, text))
		return false;
	line->at += strlen(text);
	return true;
}

bool scan_number(struct scan *line, int64_t *value)
{
	bool minus = scan_skip(line, "-");
	const char *start = line->at;

	for (*value = 0; line->at < line->end && isdigit((unsigned char)*line->at); line->at++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, *line->at - '0', value))
			return false;
	if (minus)
		*value = -*value;
	return line->at > start;
}

/* Hexadecimal digits, at least one and no more than an address has. */
static bool scan_hex(struct scan *line, uint64_t *value)
{
	const char *start = line->at;

	for (*value = 0; line->at < line->end && isxdigit((unsigned char)*line->at); line->at++) {
		if (*value >> 60)
			return false;
		*value = *value << 4 | (uint64_t)text_hex_digit(*line->at);
	}
	return line->at > start;
}

uint32_t legacy_addresses(struct legacy *legacy, struct scan line)
{
	uint32_t count = 0;
	uint64_t address;

	while ((size_t)(line.end - line.at) > 2) {
		const char *next = memmem(line.at, (size_t)(line.end - line.at), "0x", 2);

		if (!next)
			break;
		line.at = next + 2;
		if (scan_hex(&line, &address)) {
			*vec_push(&legacy->addresses) = address;
			count++;
		}
	}
	return count;
}

static void name_address(struct legacy *legacy, uint64_t address, const char *at, const char *end)
{
	char *name = mem_strndup(at, (size_t)(end - at));

	if (address != UINT64_MAX)
		idmap_add(&legacy->name_of, address, interner_add(&legacy->names, name));
	free(name);
}

/* The file behind a method's name is left out. */
static const char *name_end(struct scan line)
{
	const char *open = memrchr(line.at, '(', (size_t)(line.end - line.at));

	if (!open || open == line.at || line.end[-1] != ')' || !isspace((unsigned char)open[-1]))
		return line.end;
	while (open > line.at && isspace((unsigned char)open[-1]))
		open--;
	return open;
}

void legacy_java_names(struct legacy *legacy, struct scan text)
{
	struct scan line;
	uint64_t address;

	while (scan_line(&text, &line)) {
		if (!scan_skip(&line, "0x") || !scan_hex(&line, &address) || line.at == line.end)
			continue;
		skip_blanks(&line);
		if (line.at < line.end)
			name_address(legacy, address, line.at, name_end(line));
	}
}

/* What stands behind the two addresses; the file's name is the last that has no use here. */
static void read_mapping(struct legacy *legacy, struct scan line, uint64_t start, uint64_t end)
{
	struct scan perm = line;
	struct profile *profile = legacy->job->sink.profile;
	const char *at;
	char *path;

	while (perm.at < perm.end && strchr("rwxps-", *perm.at))
		perm.at++;
	if (perm.at - line.at == 4) {
		if (!memchr(line.at, 'x', 4))
			return; /* no code */
		/* Offset, device and inode come before the name. */
		for (int i = 0; i < 3; i++) {
			skip_blanks(&perm);
			while (perm.at < perm.end && !isspace((unsigned char)*perm.at))
				perm.at++;
		}
		line.at = perm.at;
		skip_blanks(&line);
	}
	for (at = line.at; at < line.end && !isspace((unsigned char)*at);)
		at++;
	path = mem_strndup(line.at, (size_t)(at - line.at));
	*vec_push(&legacy->mappings) = (struct legacy_mapping){ start, end,
								import_object(profile, path) };
	free(path);
}

void legacy_mappings(struct legacy *legacy, struct scan text)
{
	struct scan line;

	while (scan_line(&text, &line)) {
		uint64_t start, end;

		scan_skip(&line, "0x");
		if (!scan_hex(&line, &start))
			continue;
		if (!scan_skip(&line, "-"))
			skip_blanks(&line);
		scan_skip(&line, "0x");
		if (!scan_hex(&line, &end))
			continue;
		scan_skip(&line, ":");
		skip_blanks(&line);
		read_mapping(legacy, line, start, end);
	}
}

static uint32_t object_of(const struct legacy *legacy, uint64_t address, uint32_t nowhere)
{
	vec_each (mapping, &legacy->mappings)
		if (address >= mapping->start && address < mapping->end)
			return mapping->object;
	return nowhere;
}

/* The function of an address, made once for each. */
static uint32_t function_of(struct legacy *legacy, struct idmap *known, uint64_t address,
			    bool is_call)
{
	struct profile *profile = legacy->job->sink.profile;
	uint64_t place = is_call ? address - 1 : address; /* in the call, not behind it */
	uint32_t name = idmap_find(&legacy->name_of, address), object, function;
	char *text;

	if (place == UINT64_MAX)
		place = 0;
	function = idmap_find(known, place);
	if (function != IDMAP_NONE)
		return function;
	object = object_of(legacy, place, import_object(profile, ""));
	if (name != IDMAP_NONE)
		return idmap_add(
			known, place,
			import_function(profile, interner_text(&legacy->names, name), object));
	text = mem_printf("0x%llx", (unsigned long long)place);
	function = profile_function(profile, text, object, FRAME_UNKNOWN);
	free(text);
	return idmap_add(known, place, function);
}

static uint32_t stack_of(struct legacy *legacy, struct idmap *known,
			 const struct legacy_sample *sample, bool *unknown)
{
	struct sink *sink = &legacy->job->sink;
	/* Without any address there is nothing to add to. */
	const uint64_t *addresses = sample->count ? legacy->addresses.data + sample->first : NULL;

	for (uint32_t i = 0; i < sample->count; i++) {
		bool is_call = !legacy->is_java && (i || legacy->leaf_is_call);

		/* A leaf that the unwinder found once more is one. */
		if (i == 1 && addresses[1] == addresses[0] && !legacy->is_java &&
		    !legacy->leaf_is_call)
			continue;
		sink_push(sink, link_of(function_of(legacy, known, addresses[i], is_call), false));
	}
	if (!sink->chain.len)
		*vec_push(&sink->chain) = link_of(import_no_stack(sink->profile), false);
	*unknown = sink->profile->functions.data[sink->chain.data[0] >> 1].kind == FRAME_UNKNOWN;
	return sink_stack(sink, true);
}

/* How many samples a value stands for: itself if it counts, else the count before it. */
static uint64_t count_of(const struct legacy *legacy, const struct legacy_sample *sample,
			 size_t type)
{
	for (size_t i = type + 1; i-- > 0;)
		if (!strcmp(legacy->types[i].unit, "count") && sample->values[i])
			return sample->values[i];
	return 1;
}

static void add_samples(struct legacy *legacy)
{
	struct sink *sink = &legacy->job->sink;
	struct idmap known = { 0 };
	uint16_t events[LEGACY_TYPES];
	const char *noun = "stacks"; /* each of them once */

	/* The last is what pprof opens on, so it comes first; the same name is the same event. */
	if (legacy->type_count)
		sink_event(sink, legacy->types[legacy->type_count - 1].name,
			   legacy->types[legacy->type_count - 1].unit);
	for (size_t i = 0; i < legacy->type_count; i++) {
		events[i] = sink_event(sink, legacy->types[i].name, legacy->types[i].unit);
		if (!strcmp(legacy->types[i].unit, "count"))
			noun = import_noun(legacy->types[i].name);
		sink->profile->events.data[events[i]].noun = interner_add(&sink->profile->strings,
									  noun);
	}
	vec_each (sample, &legacy->samples) {
		bool unknown;
		uint32_t stack = stack_of(legacy, &known, sample, &unknown);

		for (size_t i = 0; i < legacy->type_count; i++) {
			uint64_t count = count_of(legacy, sample, i);

			if (!sample->values[i])
				continue;
			if (unknown)
				sink->profile->quality.unknown_leaves += count;
			sink_add(sink, &(struct profile_row){ .stack = stack,
							      .thread = sample->thread,
							      .event = events[i],
							      .weight = sample->values[i],
							      .count = count });
		}
	}
	idmap_free(&known);
}

int import_legacy(struct import_job *job, struct err *err)
{
	uint64_t most = job->options->most_bytes ? job->options->most_bytes : IMPORT_MOST_BYTES;
	struct profile *profile = job->sink.profile;
	struct legacy legacy = { .job = job };
	struct buf bytes = { 0 };
	int rc = input_read_all(job->input, &bytes, most, err);

	legacy.thread = profile_thread(
		profile, &(struct profile_thread){ .generation = GENERATION_UNKNOWN,
						   .comm = interner_add(&profile->strings, "") });
	if (!rc)
		rc = legacy_is_cpu(bytes.data, bytes.len)
			     ? legacy_read_cpu(&legacy, bytes.data, bytes.len, err)
			     : legacy_read_text(&legacy,
						(struct scan){ bytes.data, bytes.data + bytes.len },
						err);
	if (rc)
		err_prefix(err, "%s", input_name(job->input));
	else
		add_samples(&legacy);
	vec_free(&legacy.addresses);
	vec_free(&legacy.samples);
	vec_free(&legacy.mappings);
	interner_free(&legacy.names);
	idmap_free(&legacy.name_of);
	buf_free(&bytes);
	return rc;
}

bool legacy_looks_so(const char *bytes, size_t size)
{
	return legacy_is_cpu(bytes, size) || legacy_is_text(bytes, size);
}
