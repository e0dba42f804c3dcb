// SPDX-License-Identifier: Apache-2.0
/*
 * Folded stacks: "outermost;...;leaf COUNT", a line a stack.  Nothing says whether the first frame
 * is a program's name, so it stays a frame.  Names may end in FlameGraph's marks: _[k] kernel, _[j]
 * JIT, _[i] inlined.
 */
#include "base/err.h"
#include "import/parts.h"

#include <endian.h>
#include <stdlib.h>

#define NUMBER_SIZE 40

/* A frame of the line before. */
struct folded_step {
	size_t end; /* where it ends in the line */
	uint32_t link;
	uint32_t stack; /* that ends in it */
};

/*
 * Lines are mostly sorted, so a line begins like the one before: what both have in common is found
 * by comparing bytes, and only frames that differ are looked up.
 */
struct folded {
	struct import_job *job;
	struct rawtab frames;	       /* to links */
	VEC(char) last;		       /* the stack of the line before */
	VEC(struct folded_step) steps; /* and its frames */
	VEC(uint32_t) rows;	       /* by stack; NO_ROW: none yet */
	uint64_t total;
	unsigned int digits; /* values are kept in 10^-digits */
	uint32_t thread, nowhere;
	uint16_t event;
};

#define NO_ROW UINT32_MAX

#define MOST_COUNTED ((uint64_t)1 << 63) /* in all: sums must not overflow */

#define MOST_EXPECTED ((size_t)1 << 16) /* rows */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static uint64_t whole(const char *at, const char *end)
{
	uint64_t value = 0;

	if (end - at < 19)
		for (; at < end; at++)
			value = value * 10 + (uint64_t)(*at - '0');
	for (; at < end; at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
			return UINT64_MAX;
	return value;
}

#define DIGITS 6 /* of a fraction that are kept: the rest is rounded */

struct folded_number {
	uint64_t whole;
	uint32_t parts;	     /* millionths */
	unsigned int digits; /* of these, that say something */
	bool rounded;
};

/* What is behind the point, up to the last digit that is not 0. */
static void take_fraction(const char *at, const char *end, struct folded_number *number)
{
	bool up = end - at > DIGITS && at[DIGITS] >= '5';

	while (end > at && end[-1] == '0')
		end--;
	number->rounded = end - at > DIGITS;
	for (int i = 0; i < DIGITS; i++)
		number->parts = number->parts * 10 + (at + i < end ? (uint32_t)(at[i] - '0') : 0);
	number->parts += up;
	number->digits = end - at < DIGITS ? (unsigned int)(end - at) : DIGITS;
	if (number->parts == 1000000) {
		number->parts = 0;
		number->whole += number->whole < UINT64_MAX;
	}
}

/* A number with or without a fraction at the end of [line, *end), behind a blank; moves *end. */
static bool take_number(const char *line, const char **end, struct folded_number *number)
{
	const char *last = *end, *at, *point = NULL;

	while (last > line && is_blank(last[-1]))
		last--;
	at = last;
	while (at > line && is_digit(at[-1]))
		at--;
	if (at > line && at[-1] == '.')
		for (point = --at; at > line && is_digit(at[-1]);)
			at--;
	if (at == line || at == last || !is_blank(at[-1]) || !is_digit(*at) ||
	    last - at >= NUMBER_SIZE)
		return false;
	*number = (struct folded_number){ .whole = whole(at, point ? point : last) };
	if (point)
		take_fraction(point + 1, last, number);
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
	struct raw_slot *slot = rawtab_add(&f->frames, at, length, 0);
	const char *name = slot->text;
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
	function = profile_function(profile, *name ? name : UNKNOWN_NAME, f->nowhere, kind);
	slot->value = link_of(function, inlined);
	return slot->value;
}

/* How many bytes two texts begin with that are the same. */
static size_t common_bytes(const char *a, const char *b, size_t most)
{
	uint64_t x, y;
	size_t i = 0;

	for (; i + sizeof(x) <= most; i += sizeof(x)) {
		memcpy(&x, a + i, sizeof(x));
		memcpy(&y, b + i, sizeof(y));
		if (x != y)
			return i + (size_t)__builtin_ctzll(le64toh(x ^ y)) / 8;
	}
	while (i < most && a[i] == b[i])
		i++;
	return i;
}

/* Leaves the steps that the line has in common with the one before; gives where the next begins. */
static size_t keep_common(struct folded *f, const char *line, size_t length)
{
	size_t last = f->last.len, most = last < length ? last : length;
	size_t common = common_bytes(f->last.data, line, most);

	while (f->steps.len) {
		size_t end = vec_last(&f->steps)->end;

		if (end < common || (end == common && (end == length || line[end] == ';')))
			return end + 1;
		f->steps.len--;
	}
	return 0;
}

static void push_frame(struct folded *f, const char *line, size_t start, size_t end)
{
	uint32_t link = rawtab_find(&f->frames, line + start, end - start);
	uint32_t stack = f->steps.len ? vec_last(&f->steps)->stack : STACK_ROOT;

	if (link == RAW_NONE)
		link = new_link(f, line + start, end - start);
	if (f->steps.len < SINK_DEPTH)
		stack = profile_stack(f->job->sink.profile, stack, link >> 1, link & 1);
	*vec_push(&f->steps) = (struct folded_step){ end, link, stack };
}

/* The stack of a text without its number. */
static uint32_t take_stack(struct folded *f, const char *line, size_t length)
{
	size_t start = keep_common(f, line, length), end;

	for (; start <= length; start = end + 1) {
		const char *next = memchr(line + start, ';', length - start);

		end = next ? (size_t)(next - line) : length;
		push_frame(f, line, start, end);
	}
	vec_reserve(&f->last, length);
	memcpy(f->last.data, line, length);
	f->last.len = length;
	return vec_last(&f->steps)->stack;
}

/* Lines of one stack become one row. */
static void add_row(struct folded *f, uint32_t stack, uint64_t value)
{
	struct profile *profile = f->job->sink.profile;

	while (f->rows.len <= stack)
		*vec_push(&f->rows) = NO_ROW;
	if (f->rows.data[stack] != NO_ROW) {
		profile_add_to(profile, f->rows.data[stack], value, value);
		return;
	}
	f->rows.data[stack] = (uint32_t)profile->samples.len;
	profile_add(profile, &(struct profile_row){ .cpu = UINT16_MAX,
						    .stack = stack,
						    .thread = f->thread,
						    .event = f->event,
						    .weight = value,
						    .count = value });
}

static uint64_t power_of_ten(unsigned int digits)
{
	uint64_t power = 1;

	while (digits--)
		power *= 10;
	return power;
}

/* Counts in smaller parts, as a value needs them; what is there already becomes that many more. */
static void count_finer(struct folded *f, unsigned int digits)
{
	struct profile *profile = f->job->sink.profile;
	struct profile_samples *rows = &profile->samples;
	uint64_t times;

	/* room for a thousand times of what came so far: fine parts are no use without the whole */
	while (digits > f->digits &&
	       f->total > MOST_COUNTED / 1000 / power_of_ten(digits - f->digits))
		digits--;
	if (digits <= f->digits)
		return;
	times = power_of_ten(digits - f->digits);
	for (size_t i = 0; i < rows->len; i++)
		profile_add_to(profile, i, profile_row_count(rows, i) * (times - 1),
			       rows->weight[i] * (times - 1));
	profile->quality.unknown_leaves *= times;
	profile->quality.cut_stacks *= times;
	f->total *= times;
	f->digits = digits;
}

/* In the parts that are counted; UINT64_MAX: more than can be. */
static uint64_t value_of(const struct folded *f, const struct folded_number *number)
{
	uint64_t part = power_of_ten(DIGITS - f->digits), value;

	if (__builtin_mul_overflow(number->whole, power_of_ten(f->digits), &value) ||
	    __builtin_add_overflow(value, (number->parts + part / 2) / part, &value))
		return UINT64_MAX;
	return value;
}

static void take_line(void *state, const char *line, const char *end)
{
	struct folded *f = state;
	struct import_result *result = f->job->result;
	struct profile *profile = f->job->sink.profile;
	const char *all = end;
	struct folded_number number, before;
	uint64_t value;
	uint32_t stack, leaf;

	while (line < end && is_blank(end[-1]))
		end--;
	if (line == end || *line == '#')
		return;
	if (!take_number(line, &end, &number)) {
		import_broken(result, line, all);
		return;
	}
	if (number.digits > f->digits)
		count_finer(f, number.digits);
	value = value_of(f, &number);
	if (value > MOST_COUNTED - f->total) {
		import_broken(result, line, all);
		return;
	}
	f->total += value;
	result->rounded += number.rounded || number.digits > f->digits;
	/* Two values are before and after; widths are those after. */
	result->two_columns += take_number(line, &end, &before);
	while (end > line && is_blank(end[-1]))
		end--;
	if (!value || line == end)
		return;
	stack = take_stack(f, line, (size_t)(end - line));
	leaf = vec_last(&f->steps)->link >> 1;
	if (profile->functions.data[leaf].kind == FRAME_UNKNOWN)
		profile->quality.unknown_leaves += value;
	if (f->steps.len > SINK_DEPTH)
		profile->quality.cut_stacks += value;
	add_row(f, stack, value);
}

/*
 * By the size of the text: lines have a hundred bytes, of their frames two are new, and in one of
 * four lines a name is.
 */
static void expect(struct folded *f, uint64_t size)
{
	size_t rows = size < MOST_EXPECTED * 128 ? (size_t)size / 128 : MOST_EXPECTED;

	rawtab_expect(&f->frames, rows / 4);
	profile_expect(f->job->sink.profile, rows / 4, rows * 2, rows);
	vec_reserve(&f->rows, rows * 2);
	mem_populate(f->rows.data, rows * 2 * sizeof(*f->rows.data));
}

/* What the values are then, for everybody who shows one. */
static void name_parts(struct folded *f)
{
	static const char *const names[DIGITS + 1] = { UNTOLD_NOUN,	  "tenths",
						       "hundredths",	  "thousandths",
						       "ten-thousandths", "hundred-thousandths",
						       "millionths" };
	struct profile *profile = f->job->sink.profile;

	profile->events.data[f->event].noun = interner_add(&profile->strings, names[f->digits]);
	f->job->result->parts = f->digits ? names[f->digits] : NULL;
}

int import_folded(struct import_job *job, struct err *err)
{
	struct profile *profile = job->sink.profile;
	struct folded f = { .job = job, .event = sink_event(&job->sink, UNTOLD_NOUN, "") };
	int rc;

	f.nowhere = import_object(profile, "");
	f.thread = profile_thread(profile, &(struct profile_thread){
						   .comm = interner_add(&profile->strings, ""),
						   .generation = GENERATION_UNKNOWN,
					   });
	expect(&f, input_size(job->input));
	rc = import_each_line(job, take_line, &f, err);
	name_parts(&f);
	rawtab_free(&f.frames);
	vec_free(&f.last);
	vec_free(&f.steps);
	vec_free(&f.rows);
	return rc;
}

int folded_line_speaks(const char *line, const char *end)
{
	const char *stop = end;
	struct folded_number number;

	if (end == line || *line == '#' || (end == line + 1 && *line == '\r'))
		return 0;
	return *line != ' ' && *line != '\t' && take_number(line, &stop, &number) &&
			       !memchr(line, 0, (size_t)(stop - line))
		       ? 1
		       : -1;
}

bool folded_looks_so(const char *bytes, size_t size)
{
	const char *end = bytes + size, *next;
	int good = 0, bad = 0;

	for (const char *line = bytes; line < end && good + bad < 200; line = next + 1) {
		int speaks;

		next = memchr(line, '\n', (size_t)(end - line));
		if (!next && good + bad)
			break; /* cut by the end of what we look at */
		if (!next)
			next = end;
		speaks = folded_line_speaks(line, next);
		good += speaks > 0;
		bad += speaks < 0;
	}
	return good > bad;
}
