// SPDX-License-Identifier: Apache-2.0
#include "import/perfscript_line.h"
#include "import/perfscript_word.h"

#include <ctype.h>
#include <string.h>

/* perf's widths of what whose code it was (-F misc) and of an address. */
#define MISC_COLUMNS	6
#define ADDRESS_COLUMNS 16

static const char nothing[] = "";
const struct piece no_piece = { nothing, nothing };

/* Digits up to `end`; false if there is anything else, or too much. */
static bool read_number(const char *at, const char *end, uint64_t *value)
{
	*value = 0;
	if (at == end)
		return false;
	for (; at < end; at++) {
		if (!is_digit(*at) || *value > (UINT64_MAX - 9) / 10)
			return false;
		*value = *value * 10 + (uint64_t)(*at - '0');
	}
	return true;
}

/* "4794564.109216" in nanoseconds. */
static bool read_seconds(struct piece word, uint64_t *ns)
{
	const char *point = memchr(word.at, '.', piece_length(word));
	uint64_t seconds, part;
	size_t digits;

	if (!point || !read_number(word.at, point, &seconds) ||
	    !read_number(point + 1, word.end, &part))
		return false;
	digits = (size_t)(word.end - point - 1);
	if (digits > 9 || seconds > UINT64_MAX / 1000000000 - 1)
		return false;
	for (; digits < 9; digits++)
		part *= 10;
	*ns = seconds * 1000000000 + part;
	return true;
}

/* Where the time stands: the first word of digits, a point and digits that a colon ends. */
static bool find_time(struct piece line, struct piece *time, uint64_t *ns)
{
	const char *colon = line.at;

	while ((colon = memchr(colon, ':', (size_t)(line.end - colon)))) {
		*time = last_word((struct piece){ line.at, colon });
		if ((colon + 1 == line.end || is_blank(colon[1])) && read_seconds(*time, ns))
			return true;
		colon++;
	}
	return false;
}

/* A number of a thread; perf calls one that it does not know -1. */
static bool read_id(const char *at, const char *end, uint32_t *id)
{
	uint64_t value;

	if (end - at == 2 && !memcmp(at, "-1", 2)) {
		*id = UINT32_MAX;
		return true;
	}
	if (!read_number(at, end, &value) || value > UINT32_MAX)
		return false;
	*id = (uint32_t)value;
	return true;
}

/* "12" or "12/13": a thread, or a process and its thread. */
static bool read_thread(struct piece word, struct script_head *head)
{
	const char *slash = memchr(word.at, '/', piece_length(word));
	uint32_t pid = 0, tid;

	if (slash && !read_id(word.at, slash, &pid))
		return false;
	if (!read_id(slash ? slash + 1 : word.at, word.end, &tid))
		return false;
	head->tid = tid;
	head->pid = slash ? pid : tid;
	head->has_tid = true;
	head->has_pid = slash;
	return true;
}

static bool read_cpu(struct piece word, struct script_head *head)
{
	uint64_t cpu;

	if (piece_length(word) < 3 || *word.at != '[' || word.end[-1] != ']' ||
	    !read_number(word.at + 1, word.end - 1, &cpu) || cpu > UINT16_MAX)
		return false;
	head->cpu = (uint16_t)cpu;
	head->has_cpu = true;
	return true;
}

static bool looks_like(struct piece word, const char *pattern)
{
	const char *p = word.at;

	for (; *pattern && p < word.end; p++, pattern++)
		if (*pattern == '0' ? !is_digit(*p) : *p != *pattern)
			return false;
	return !*pattern;
}

/* "U", "K" (-F misc): whose code it was. */
static bool is_misc(struct piece word)
{
	for (const char *p = word.at; p < word.end; p++)
		if (!strchr("KUHGgMESp", *p))
			return false;
	return word.at < word.end;
}

/* "2026-11-16 22:40:05.123456" (-F tod). */
static bool is_date(struct piece day, struct piece clock)
{
	return looks_like(day, "0000-00-00") && looks_like(clock, "00:00:00");
}

/*
 * Both may stand between the CPU, or thread, and what is `next`: the time.  Right behind a name the
 * letters are only told from a word of it by the six columns that perf gives them.
 */
static struct piece without_between(struct piece text, const char *next)
{
	struct script_head unused = { 0 };
	struct piece word = last_word(text), front = trim(text.at, word.at);
	struct piece day = last_word(front);

	if (is_date(day, word)) {
		text = trim(front.at, day.at);
		next = day.at;
		word = last_word(text);
		front = trim(text.at, word.at);
	}
	if (!is_misc(word))
		return text;
	if (next - word.at >= MISC_COLUMNS && front.at < front.end)
		return front;
	word = last_word(front);
	return read_cpu(word, &unused) || read_thread(word, &unused) ? front : text;
}

/* The same from its beginning, where there is no time. */
static const char *behind_between(const char *at, const char *end)
{
	struct piece text = trim(at, end), day, clock;

	day = (struct piece){ text.at, word_end(text.at, text.end) };
	if (is_misc(day)) {
		text = trim(day.end, text.end);
		day = (struct piece){ text.at, word_end(text.at, text.end) };
	}
	clock = trim(day.end, text.end);
	clock.end = word_end(clock.at, clock.end);
	return is_date(day, clock) ? clock.end : text.at;
}

/* Everything in front of `next`, from its end: CPU, thread, and what is left is the name. */
static void read_before(struct piece text, const char *next, struct script_head *head)
{
	struct piece word;

	text = without_between(text, next);
	word = last_word(text);

	if (read_cpu(word, head)) {
		text = trim(text.at, word.at);
		word = last_word(text);
	}
	if (read_thread(word, head))
		text = trim(text.at, word.at);
	head->comm = text;
}

/* Without a time: the first word after the name that is a thread; gives what follows it, or NULL.
 */
static const char *read_without_time(struct piece line, struct script_head *head)
{
	struct piece word = { word_end(line.at, line.end), line.end };
	const char *next;

	while (word.at < line.end) {
		word = trim(word.at, line.end);
		next = word_end(word.at, line.end);
		if (next > word.at && read_thread((struct piece){ word.at, next }, head)) {
			head->comm = trim(line.at, word.at);
			word = trim(next, line.end);
			next = word_end(word.at, line.end);
			return behind_between(
				read_cpu((struct piece){ word.at, next }, head) ? next : word.at,
				line.end);
		}
		word.at = next;
	}
	return NULL;
}

/* "PERIOD EVENT: rest", of which each may be missing. */
static void read_after(const char *at, const char *end, struct script_head *head)
{
	struct piece text = trim(at, end);
	const char *word = word_end(text.at, text.end);
	uint64_t period;

	if (read_number(text.at, word, &period)) {
		head->period = period ? period : 1;
		text = trim(word, end);
		word = word_end(text.at, text.end);
	}
	if (word > text.at + 1 && word[-1] == ':') {
		head->event = (struct piece){ text.at, word - 1 };
		text = trim(word, end);
	}
	head->rest = text;
}

bool script_head_parse(const char *at, const char *end, struct script_head *head)
{
	struct piece line = trim(at, end), time;
	const char *after;

	*head = (struct script_head){
		.comm = no_piece, .event = no_piece, .rest = no_piece, .period = 1
	};
	head->has_time = find_time(line, &time, &head->time_ns);
	if (head->has_time) {
		read_before(trim(line.at, time.at), time.at, head);
		after = time.end + 1;
	} else {
		after = read_without_time(line, head);
	}
	if (!after)
		return false;
	read_after(after, end, head);
	/* Many texts hold a number somewhere; without a time only an event makes it a head. */
	return head->has_time || head->event.at < head->event.end;
}

/* The "(" that belongs to the ")" at the end: objects hold brackets too ("/memfd:x (deleted)"). */
static const char *opening(const char *at, const char *end)
{
	int depth = 0;

	for (const char *p = end; p > at; p--) {
		if (p[-1] == ')')
			depth++;
		else if (p[-1] == '(' && --depth == 0)
			return p - 1;
	}
	return NULL;
}

static struct piece without_offset(struct piece name)
{
	const char *at = name.end;

	while (at > name.at && is_hex(at[-1]))
		at--;
	if (at < name.end && at >= name.at + 3 && !memcmp(at - 3, "+0x", 3))
		return trim(name.at, at - 3);
	return name;
}

/* What without_offset left out. */
static int64_t offset_behind(struct piece whole, struct piece name)
{
	const char *p = name.end;
	int64_t offset = 0;

	while (p < whole.end && is_blank(*p))
		p++;
	if (whole.end - p < 4 || memcmp(p, "+0x", 3))
		return -1;
	for (p += 3; p < whole.end && is_hex(*p) && offset <= INT64_MAX >> 8; p++)
		offset = offset << 4 | (*p <= '9' ? *p - '0' : (*p | 32) - 'a' + 10);
	return offset;
}

static void take_name(struct script_frame *frame, struct piece whole)
{
	frame->name = without_offset(whole);
	frame->offset = offset_behind(whole, frame->name);
}

/* Our own mark at the end of a frame's line. */
static struct piece without_mark(struct piece text)
{
	static const char mark[] = " [spliced]";
	size_t length = sizeof(mark) - 1;

	if (piece_length(text) > length && !memcmp(text.end - length, mark, length))
		return trim(text.at, text.end - length);
	return text;
}

/* What tracepoints print in brackets is no object: "NR 59 (7ffd12a0, 55d0e8, 0)". */
static bool is_object(struct piece name)
{
	if (name.at == name.end)
		return false;
	if (*name.at == '/' || *name.at == '[')
		return true;
	for (const char *p = name.at; p < name.end; p++)
		if (*p == ',' || *p == '=' || is_blank(*p))
			return false;
	return true;
}

/*
 * The bracket at the end of a frame if an object is in it, else NULL.  Others are the name's own:
 * "operator()", "double Hot.work(int)", "StubRoutines (1)", "StubRoutines (final stubs)".
 */
static const char *object_at_end(struct piece text, const char *open)
{
	static const char deleted[] = " (deleted)";
	struct piece object = { open + 1, text.end - 1 };
	size_t length = sizeof(deleted) - 1;
	uint64_t number;

	if (open > text.at && !is_blank(open[-1]))
		return NULL;
	if (piece_length(object) > length && !memcmp(object.end - length, deleted, length))
		return open;
	if (object.at < object.end &&
	    (!is_object(object) || read_number(object.at, object.end, &number)))
		return NULL;
	return open;
}

/* "ADDRESS name" (-F ip,sym): only the address makes it a frame. */
static bool parse_without_object(struct script_frame *frame, struct piece text)
{
	if (!is_address(frame->address.at, frame->address.end))
		return false;
	/* Branches may follow instead of a name (-F ip,brstack). */
	frame->has_branches = piece_length(text) >= 2 && !memcmp(text.at, "0x", 2);
	if (!frame->has_branches)
		take_name(frame, text);
	return piece_length(frame->address) >= 3 || frame->name.at < frame->name.end;
}

bool script_frame_parse(const char *at, const char *end, struct script_frame *frame)
{
	struct piece text = without_mark(trim(at, end));
	const char *word = word_end(text.at, text.end), *open;

	*frame = (struct script_frame){ .address = { text.at, word },
					.name = no_piece,
					.object = no_piece,
					.offset = -1,
					.line_end = text.end };
	if (word == text.at)
		return false;
	for (const char *p = text.at; p < word; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return false;
	text = trim(word, text.end);
	if (text.at == text.end || text.end[-1] != ')')
		return parse_without_object(frame, text);
	open = opening(text.at, text.end);
	if (!open) /* two lines that were written into each other */
		return false;
	open = object_at_end(text, open);
	if (!open)
		return parse_without_object(frame, text);
	frame->object = without_offset((struct piece){ open + 1, text.end - 1 }); /* -F dsoff */
	take_name(frame, trim(text.at, open));
	frame->inlined = piece_length(frame->object) == 7 && !memcmp(open + 1, "inlined", 7);
	return true;
}

/*
 * The frame that ends a text: the last address with a name and an object, if any, behind it.  What
 * stands in front of it (the words of a tracepoint, the address that was accessed, with its own
 * name and object) begins at `text` and ends where the frame does.
 */
static bool last_frame(struct piece text, struct script_frame *frame)
{
	const char *word;

	for (const char *p = text.end; p > text.at; p = word) {
		word = last_word(trim(text.at, p)).at;
		if (is_long_address(word, word_end(word, text.end)))
			return script_frame_parse(word, text.end, frame);
		if (word <= text.at)
			break;
	}
	return false;
}

static bool last_frame_with_object(struct piece text, struct script_frame *frame)
{
	return last_frame(text, frame) && is_object(frame->object);
}

/* "sched:sched_switch", not "cycles:u" or "cpu/cycles/u": words of its own follow it. */
static bool names_tracepoint(struct piece event)
{
	const char *colon = memchr(event.at, ':', piece_length(event));
	static const char modifiers[] = "ukhpPGHSDIWeb";

	for (const char *p = colon ? colon + 1 : event.end; p < event.end; p++)
		if (!strchr(modifiers, *p))
			return true;
	return false;
}

bool script_frame_in_head(const struct script_head *head, struct script_frame *frame)
{
	struct piece rest = head->rest;
	const char *arrow = memmem(rest.at, piece_length(rest), " => ", 4);
	bool is_tracepoint = names_tracepoint(head->event);
	const char *word, *next;
	int words = 0;

	if (arrow)
		rest = trim(rest.at, arrow);
	if (!is_tracepoint || rest.at == rest.end || rest.end[-1] != ')')
		rest = script_without_columns(rest);
	/* Objects (-F dso) tell frames from the words of a tracepoint. */
	if (rest.at < rest.end && rest.end[-1] != ')')
		return !is_tracepoint && last_frame(rest, frame);
	if (rest.at == rest.end)
		return false;
	if (last_frame_with_object(rest, frame))
		return true;
	if (is_tracepoint)
		return false;
	if (last_frame(rest, frame)) /* "4005dc operator()" */
		return true;
	/* Short addresses only where nothing but the kind of a branch ("tr strt", "call") and
	 * another address stand in front of them. */
	for (word = rest.at; word < rest.end && words < 4; words++) {
		next = word_end(word, rest.end);
		if (is_address(word, next)) {
			struct piece second = { trim(next, rest.end).at, rest.end };

			second.end = word_end(second.at, rest.end);
			if (second.end < rest.end && is_address(second.at, second.end) &&
			    *trim(second.end, rest.end).at != '(')
				word = second.at;
			return script_frame_parse(word, rest.end, frame) &&
			       is_object(frame->object);
		}
		word = trim(next, rest.end).at;
	}
	return false;
}

bool script_line_parse(const char *at, const char *end, struct script_head *head,
		       struct script_frame *frame)
{
	struct piece line = trim(at, end);
	const char *arrow = memmem(line.at, piece_length(line), " => ", 4);

	if (arrow)
		line = trim(line.at, arrow);
	line = script_without_columns(line);
	if (line.at == line.end || line.end[-1] != ')' || !last_frame_with_object(line, frame) ||
	    frame->address.at == line.at)
		return false;
	script_head_bare(line.at, frame->address.at, head);
	return true;
}

/* Without the address that was accessed (-F addr) and its name: a number so wide is no thread. */
static struct piece without_accessed(struct piece text)
{
	const char *before = word_end(text.at, text.end), *at, *next;

	for (; before < text.end; before = next) {
		at = trim(before, text.end).at;
		next = word_end(at, text.end);
		if (next - before >= ADDRESS_COLUMNS && is_address(at, next))
			return (struct piece){ text.at, before };
	}
	return text;
}

void script_head_bare(const char *at, const char *end, struct script_head *head)
{
	struct piece text = without_accessed(trim(at, end)), word = last_word(text);
	const char *next = text.end;

	*head = (struct script_head){
		.comm = no_piece, .event = no_piece, .rest = no_piece, .period = 1
	};
	if (piece_length(word) > 1 && word.end[-1] == ':') {
		head->event = (struct piece){ word.at, word.end - 1 };
		next = word.at;
		text = trim(text.at, next);
	}
	read_before(text, next, head);
}

bool script_is_record(const char *at, const char *end)
{
	static const char mark[] = "PERF_RECORD_";
	const char *found = memmem(at, (size_t)(end - at), mark, sizeof(mark) - 1);

	return found && (found == at || is_blank(found[-1]));
}

uint64_t script_record_lost(const char *at, const char *end, bool *samples)
{
	static const char mark[] = "PERF_RECORD_LOST", more[] = "_SAMPLES", word[] = " lost ";
	const char *p = memmem(at, (size_t)(end - at), mark, sizeof(mark) - 1);
	uint64_t lost = 0;

	if (!p)
		return 0;
	p += sizeof(mark) - 1;
	*samples = (size_t)(end - p) >= sizeof(more) - 1 && !memcmp(p, more, sizeof(more) - 1);
	p += *samples ? sizeof(more) - 1 : 0;
	if ((size_t)(end - p) < sizeof(word) - 1 || memcmp(p, word, sizeof(word) - 1))
		return 0;
	for (p += sizeof(word) - 1; p < end && is_digit(*p) && lost < UINT64_MAX / 100; p++)
		lost = lost * 10 + (uint64_t)(*p - '0');
	return lost;
}

bool script_is_dump(const char *at, const char *end)
{
	struct piece text = trim(at, end);

	return text.at < text.end &&
	       (*text.at == '.' ||
		(*text.at == '|' && text.end > text.at + 1 && is_digit(text.at[1])));
}

bool script_is_branches(const char *at, const char *end)
{
	struct piece text = trim(at, end);
	const char *p = text.at + 2;

	if (piece_length(text) < 4 || memcmp(text.at, "0x", 2) != 0)
		return false;
	while (p < text.end && is_hex(*p))
		p++;
	return p < text.end && *p == '/';
}

/* "libc-2.33.so[16351b]": where a source line was asked for and there is none.  A thread's name in
 * brackets ("+ 8 [dd]") stands alone. */
static bool is_place(struct piece text)
{
	const char *open = memrchr(text.at, '[', piece_length(text));

	return open && open > text.at && !is_blank(open[-1]) && text.end[-1] == ']' &&
	       is_address(open + 1, text.end - 1);
}

static bool begins_frame(struct piece text)
{
	const char *word = word_end(text.at, text.end);

	return word < text.end && is_long_address(text.at, word);
}

bool script_is_noise(const char *at, const char *end)
{
	static const char inlined[] = " (inlined)";
	static const char *const starts[] = { "instruction trace error", ";", "//" };
	struct piece text = trim(at, end);
	const char *digits = text.end;
	struct script_frame frame;

	/* Branches; but some tools write the addresses of frames so. */
	if (piece_length(text) >= 2 && !memcmp(text.at, "0x", 2))
		return !script_frame_parse(at, end, &frame) || !is_object(frame.object);
	/* A name may end like a source line: "7f12a0b0c0d0 JS:*fib /tmp/hot.js:1:13". */
	if (begins_frame(text))
		return false;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (piece_length(text) >= strlen(starts[i]) &&
		    !memcmp(text.at, starts[i], strlen(starts[i])))
			return true;
	if (text.end > text.at && is_place(text))
		return true;
	if (piece_length(text) > strlen(inlined) &&
	    !memcmp(text.end - strlen(inlined), inlined, strlen(inlined)))
		digits = text.end = text.end - strlen(inlined);
	while (digits > text.at && is_digit(digits[-1]))
		digits--;
	return digits < text.end && digits > text.at && digits[-1] == ':'; /* "file.cpp:137" */
}
