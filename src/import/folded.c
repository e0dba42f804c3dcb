// SPDX-License-Identifier: Apache-2.0
/*
 * Folded stacks: "outermost;...;leaf COUNT", a line a stack.  Nothing says whether the first frame
 * is a program's name, so it stays a frame.  Names may end in FlameGraph's marks: _[k] kernel, _[j]
 * JIT, _[i] inlined.
 */
#include "base/err.h"
#include "import/parts.h"

#include <stdlib.h>

struct folded {
	struct import_job *job;
	struct rawtab frames; /* to links */
	uint32_t thread;
	uint16_t event;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A number with or without a fraction at the end of [line, *end), behind a blank; moves *end. */
static bool take_number(const char *line, const char **end, uint64_t *value, bool *fraction)
{
	const char *last = *end, *at;
	bool point = false;
	char text[40];

	while (last > line && is_blank(last[-1]))
		last--;
	for (at = last; at > line && (is_digit(at[-1]) || (at[-1] == '.' && !point)); at--)
		point |= at[-1] == '.';
	if (at == line || at == last || !is_blank(at[-1]) || !is_digit(*at) ||
	    (size_t)(last - at) >= sizeof(text))
		return false;
	memcpy(text, at, (size_t)(last - at));
	text[last - at] = '\0';
	*fraction = point && strspn(strchr(text, '.') + 1, "0") != strlen(strchr(text, '.') + 1);
	if (*fraction) {
		double number = strtod(text, NULL);

		*value = number < 1.8e19 ? (uint64_t)(number + 0.5) : UINT64_MAX;
	} else {
		*value = strtoull(text, NULL, 10);
	}
	*end = at - 1;
	return true;
}

static bool ends_in(const char *name, const char *mark)
{
	size_t length = strlen(name), tail = strlen(mark);

	return length > tail && !strcmp(name + length - tail, mark);
}

static uint32_t new_link(struct folded *f, const char *at, size_t length)
{
	struct profile *profile = f->job->sink.profile;
	uint32_t nowhere = import_object(profile, "");
	char *name = mem_strndup(at, length);
	enum frame_kind kind = FRAME_USER;
	uint32_t function;
	bool inlined = ends_in(name, "_[i]");

	if (!*name || !strcmp(name, UNKNOWN_NAME))
		kind = FRAME_UNKNOWN;
	else if (ends_in(name, "_[k]"))
		kind = FRAME_KERNEL;
	else if (ends_in(name, "_[j]"))
		kind = FRAME_JIT;
	else if (*name == '[' && ends_in(name, "]"))
		kind = FRAME_UNKNOWN; /* "[libc.so.6]": a function of it without a name */
	function = profile_function(profile, *name ? name : UNKNOWN_NAME, nowhere, kind);
	free(name);
	rawtab_add(&f->frames, at, length, link_of(function, inlined));
	return link_of(function, inlined);
}

static void push_frame(struct folded *f, const char *at, const char *end)
{
	size_t length = (size_t)(end - at);
	uint32_t link = rawtab_find(&f->frames, at, length);

	*vec_push(&f->job->sink.chain) = link != RAW_NONE ? link : new_link(f, at, length);
}

static void take_line(void *state, const char *line, const char *end)
{
	struct folded *f = state;
	struct import_result *result = f->job->result;
	struct profile *profile = f->job->sink.profile;
	uint64_t value, before;
	bool fraction, ignored;
	uint32_t leaf;

	while (line < end && is_blank(end[-1]))
		end--;
	if (line == end || *line == '#')
		return;
	if (!take_number(line, &end, &value, &fraction)) {
		import_broken(result, line, end);
		return;
	}
	result->rounded += fraction;
	/* Two values are before and after; widths are those after. */
	result->two_columns += take_number(line, &end, &before, &ignored);
	while (end > line && is_blank(end[-1]))
		end--;
	if (!value || line == end)
		return;
	for (const char *at = line, *next; at <= end; at = next + 1) {
		next = memchr(at, ';', (size_t)(end - at));
		if (!next)
			next = end;
		push_frame(f, at, next);
	}
	leaf = *vec_last(&f->job->sink.chain) >> 1;
	if (profile->functions.data[leaf].kind == FRAME_UNKNOWN)
		profile->quality.unknown_leaves += value;
	profile->quality.cut_stacks += f->job->sink.chain.len > SINK_DEPTH;
	sink_add(&f->job->sink, &(struct profile_row){ .stack = sink_stack(&f->job->sink, false),
						       .thread = f->thread,
						       .event = f->event,
						       .weight = value,
						       .count = value });
}

int import_folded(struct import_job *job, struct err *err)
{
	struct profile *profile = job->sink.profile;
	struct folded f = { .job = job, .event = sink_event(&job->sink, "samples", "") };
	int rc;

	f.thread = profile_thread(profile, &(struct profile_thread){
						   .comm = interner_add(&profile->strings, ""),
						   .generation = GENERATION_UNKNOWN,
					   });
	rc = import_each_line(job, take_line, &f, err);
	rawtab_free(&f.frames);
	return rc;
}

bool folded_looks_so(const char *bytes, size_t size)
{
	const char *end = bytes + size, *next;
	int good = 0, bad = 0;

	for (const char *line = bytes; line < end && good + bad < 200; line = next + 1) {
		const char *stop;
		uint64_t value;
		bool fraction;

		next = memchr(line, '\n', (size_t)(end - line));
		if (!next && good + bad)
			break; /* cut by the end of what we look at */
		if (!next)
			next = end;
		stop = next;
		if (next == line || *line == '#' || (next == line + 1 && *line == '\r'))
			continue;
		if (*line != ' ' && *line != '\t' && take_number(line, &stop, &value, &fraction) &&
		    memchr(line, 0, (size_t)(stop - line)) == NULL)
			good++;
		else
			bad++;
	}
	return good > bad;
}
