// SPDX-License-Identifier: Apache-2.0
/*
 * `perf script` text.  A frame's line is worked out once for what follows its address: most
 * addresses of frame-pointer stacks are garbage, so whole lines hardly ever come twice, while
 * "function+0x12 (object)" does.  A sample ends where the next one begins: some texts hold blank
 * lines between frames.  Only where no line is a head do blank lines end samples; and where there
 * is none of these either, each line is one (perf ends every stack with a blank line).
 *
 * stackcollapse-perf.pl takes a sample only when a blank line comes behind it, so the last one of a
 * text without such an end is lost, and calls a function without any name " ".  For those who
 * compare with it (as_perl) so do we.
 */
#include "base/buf.h"
#include "base/err.h"
#include "import/parts.h"
#include "import/perfscript_line.h"

#include <ctype.h>

/* What a line of a frame stands for: a run of links; of none for lines that say nothing. */
struct script_links {
	uint32_t first, count;
	bool is_sample; /* the line is all of it */
	int64_t offset; /* of the outermost in its function; -1: not told */
};

struct script {
	struct import_job *job;
	struct rawtab frames; /* to links */
	VEC(struct script_links) links;
	VEC(uint32_t) pool;
	struct rawtab threads, events;
	/* import_options.places: of the sample's links, and what was seen before. */
	VEC(struct import_place) places;
	struct rawtab chains;
	bool in_sample, any_head, any_time, any_blank;
	bool frame_in_head; /* the sample's only frame stands there: callers below replace it */
	struct buf bare;    /* a line that is a head if a frame follows: "prog 12"; empty: none */
	uint64_t bare_line;
	bool tabbed; /* a line of the sample began with a tab: perf's own text */
	bool ended;  /* a blank line came, or the sample is a single line */
	struct profile_row row;
};

/* The leaf that stands for where the sample's frames were. */
static uint32_t leaf_of_places(struct script *s)
{
	struct import_places *kept = &s->job->result->places;
	size_t size = s->places.len * sizeof(*s->places.data);
	uint32_t id = rawtab_find(&s->chains, (char *)s->places.data, size);
	struct profile *profile = s->job->sink.profile;

	if (id == RAW_NONE) {
		if (!kept->first.len) /* of samples without frames */
			*vec_push(&kept->first) = 0;
		id = (uint32_t)kept->first.len;
		*vec_push(&kept->first) = kept->pool.len;
		vec_each (place, &s->places)
			*vec_push(&kept->pool) = *place;
		rawtab_add(&s->chains, (char *)s->places.data, size, id);
	}
	return profile_leaf(profile, import_object(profile, ""), id);
}

static void finish_sample(struct script *s)
{
	struct profile *profile = s->job->sink.profile;

	if (!s->in_sample)
		return;
	s->in_sample = false;
	if (s->job->sink.chain.len) {
		uint32_t leaf = s->job->sink.chain.data[0] >> 1;

		profile->quality.unknown_leaves += profile->functions.data[leaf].kind ==
						   FRAME_UNKNOWN;
	}
	if (s->places.len)
		s->row.leaf = leaf_of_places(s);
	s->places.len = 0;
	s->row.stack = sink_stack(&s->job->sink, true);
	profile->quality.cut_stacks += s->job->sink.cut;
	sink_add(&s->job->sink, &s->row);
}

static char *piece_text(struct piece piece)
{
	return mem_strndup(piece.at, piece_length(piece));
}

static uint32_t thread_of(struct script *s, const struct script_head *head)
{
	struct profile *profile = s->job->sink.profile;
	struct profile_thread thread = { head->pid, head->tid,
					 head->has_pid ? 0 : GENERATION_UNKNOWN, 0 };
	struct {
		uint32_t pid, tid;
		char comm[64];
	} key = { head->has_pid ? head->pid : UINT32_MAX, head->tid, "" };
	size_t length = piece_length(head->comm);
	bool fits = length <= sizeof(key.comm);
	uint32_t id;
	char *comm;

	if (fits) {
		memcpy(key.comm, head->comm.at, length);
		id = rawtab_find(&s->threads, (char *)&key, sizeof(key));
		if (id != RAW_NONE)
			return id;
	}
	comm = piece_text(head->comm);
	thread.comm = interner_add(&profile->strings, comm);
	free(comm);
	id = profile_thread(profile, &thread);
	if (fits)
		rawtab_add(&s->threads, (char *)&key, sizeof(key), id);
	return id;
}

static uint16_t event_of(struct script *s, struct piece name)
{
	uint32_t id = rawtab_find(&s->events, name.at, piece_length(name));
	char *text;

	if (id != RAW_NONE)
		return (uint16_t)id;
	text = name.at < name.end ? piece_text(name) : mem_strdup("samples");
	id = sink_event(&s->job->sink, text, "");
	free(text);
	rawtab_add(&s->events, name.at, piece_length(name), id);
	return (uint16_t)id;
}

/* Adds the function of a piece of a name to the pool; a JIT writes "outer->inlined->inlined". */
static void add_links(struct script *s, char *name, uint32_t object, bool inlined)
{
	struct profile *profile = s->job->sink.profile;
	bool split = import_kind(profile, object) == FRAME_JIT;
	char *arrow = split ? strstr(name, "->") : NULL;

	/* The chain goes from the leaf to the root: what was inlined comes first. */
	if (arrow && arrow > name && arrow[2]) {
		*arrow = '\0';
		add_links(s, arrow + 2, object, true);
	}
	*vec_push(&s->pool) = link_of(import_function(profile, name, object), inlined);
}

static uint32_t new_frame(struct script *s, const struct script_frame *frame)
{
	struct script_links links = { (uint32_t)s->pool.len, 0, frame->has_branches,
				      frame->offset };
	bool known = frame->object.at < frame->object.end && !frame->inlined;
	char *path = known ? piece_text(frame->object) : mem_strdup("");
	char *name = piece_text(frame->name);

	if (s->job->options->as_perl && known && !*name) {
		free(name);
		name = mem_strdup(" ");
	}
	if (s->job->options->addresses && (!*name || !strcmp(name, UNKNOWN_NAME))) {
		free(name);
		name = mem_printf(UNKNOWN_NAME "@%.*s", (int)piece_length(frame->address),
				  frame->address.at);
	}
	add_links(s, name, import_object(s->job->sink.profile, path), frame->inlined);
	free(path);
	free(name);
	links.count = (uint32_t)s->pool.len - links.first;
	*vec_push(&s->links) = links;
	return (uint32_t)s->links.len - 1;
}

static void begin_sample(struct script *s)
{
	finish_sample(s);
	s->in_sample = true;
	s->ended = s->frame_in_head = s->tabbed = false;
}

static uint64_t hex_of(const char *at, const char *end)
{
	uint64_t value = 0;

	for (; at < end && isxdigit((unsigned char)*at); at++)
		value = value << 4 | (uint64_t)(*at <= '9' ? *at - '0' : (*at | 32) - 'a' + 10);
	return value;
}

/* `at`: the address in the line. */
static void push_places(struct script *s, const struct script_links *links, const char *at,
			const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	for (uint32_t i = 0; i < links->count; i++)
		*vec_push(&s->places) = (struct import_place){ hex_of(at, end),
							       i + 1 == links->count ? links->offset
										     : -1 };
}

static void push_links(struct script *s, uint32_t id, const char *at, const char *end)
{
	struct script_links links = s->links.data[id];

	if (!s->in_sample) { /* a text without heads */
		struct script_head none = { .comm = no_piece, .event = no_piece, .period = 1 };

		s->row = (struct profile_row){ .weight = 1,
					       .thread = thread_of(s, &none),
					       .cpu = UINT16_MAX };
		s->row.event = event_of(s, none.event);
		s->in_sample = true;
	}
	if (s->frame_in_head) /* it was that of the address which was accessed (-F addr) */
		s->job->sink.chain.len = s->places.len = 0;
	s->frame_in_head = false;
	if (s->job->options->places)
		push_places(s, &links, at, end);
	for (uint32_t i = 0; i < links.count; i++) {
		uint32_t link = s->pool.data[links.first + i];

		/* without heads each line may turn out to be a sample (finish_lines) */
		if (s->any_head && !s->job->options->places)
			sink_push(&s->job->sink, link);
		else
			*vec_push(&s->job->sink.chain) = link;
	}
	if (links.is_sample && !s->any_head)
		finish_sample(s);
}

/* The one frame of a sample, in its own line. */
static void push_own_frame(struct script *s, const struct script_frame *frame, const char *end)
{
	const char *key = s->job->options->addresses ? frame->address.at : frame->address.end;
	uint32_t id = rawtab_find(&s->frames, key, (size_t)(end - key));

	if (id == RAW_NONE) {
		id = new_frame(s, frame);
		rawtab_add(&s->frames, key, (size_t)(end - key), id);
	}
	push_links(s, id, frame->address.at, frame->address.end);
	s->ended = s->frame_in_head = true;
}

static void take_head(struct script *s, const struct script_head *head)
{
	struct script_frame frame;

	begin_sample(s);
	s->job->result->has_times |= head->has_time;
	s->job->result->has_cpus |= head->has_cpu;
	s->row = (struct profile_row){
		.time = head->time_ns,
		.weight = head->period,
		.thread = thread_of(s, head),
		.cpu = head->has_cpu ? head->cpu : UINT16_MAX,
		.event = event_of(s, head->event),
	};
	if (head->rest.at < head->rest.end && script_frame_in_head(head, &frame))
		push_own_frame(s, &frame, head->rest.end);
}

/* What was kept for a head is one now, or has been none. */
static void use_bare_head(struct script *s, bool frame_follows)
{
	struct script_head head;

	if (!s->bare.len)
		return;
	if (frame_follows) {
		script_head_bare(s->bare.data, s->bare.data + s->bare.len, &head);
		take_head(s, &head);
	} else {
		import_broken_at(s->job->result, s->bare_line, s->bare.data,
				 s->bare.data + s->bare.len);
	}
	s->bare.len = 0;
}

/* The first line of a block that is nothing else is a head without time and event, or broken. */
static void keep_bare_head(struct script *s, const char *line, const char *end)
{
	use_bare_head(s, false);
	if (s->any_head || (s->in_sample && !s->ended) || *line == ' ' || *line == '\t') {
		import_broken(s->job->result, line, end);
		return;
	}
	finish_sample(s);
	s->bare.len = 0;
	buf_add(&s->bare, line, (size_t)(end - line));
	s->bare_line = s->job->result->lines;
}

static inline bool is_hex_digit(unsigned char c)
{
	return (unsigned)(c - '0') < 10 || (unsigned)((c | 32) - 'a') < 6;
}

static bool piece_is_hex(struct piece piece)
{
	for (const char *p = piece.at; p < piece.end; p++)
		if (!is_hex_digit((unsigned char)*p))
			return false;
	return true;
}

/* A thread's name can be one too ("cc1", "ed"), but not so long. */
static bool begins_with_address(const char *line, const char *end)
{
	struct script_frame frame;

	return script_frame_parse(line, end, &frame) && piece_is_hex(frame.address) &&
	       (frame.object.at < frame.object.end || piece_length(frame.address) >= 6);
}

/*
 * At the beginning of a line "cc1 12" is a thread; frames that lost their blanks have objects.
 * Where heads have times (`timed`) none looks like a thread alone, and a short address will do.
 */
static bool is_frame(const char *line, const char *end, bool timed, struct script_frame *frame)
{
	bool indented = *line == ' ' || *line == '\t';

	return script_frame_parse(line, end, frame) &&
	       (indented || timed || frame->object.at < frame->object.end ||
		piece_length(frame->address) >= 8);
}

/* LOST_SAMPLES mostly tells once more what LOST did (see perf_reader_lost). */
static void take_lost(struct profile_quality *quality, const char *line, const char *end)
{
	bool samples;
	uint64_t lost = script_record_lost(line, end, &samples);

	if (!lost)
		return;
	*(samples ? &quality->lost_samples : &quality->lost_records) += lost;
	quality->lost = quality->lost_samples > quality->lost_records ? quality->lost_samples
								      : quality->lost_records;
}

/* A line that was not seen before, or not like that. */
static void take_new_line(struct script *s, const char *line, const char *end, struct piece key)
{
	struct script_head head;
	struct script_frame frame;
	bool indented = *line == ' ' || *line == '\t';
	bool is_head = script_head_parse(line, end, &head);

	if (script_is_dump(line, end))
		return;
	if (script_is_record(line, end) || script_is_branches(line, end)) {
		take_lost(&s->job->sink.profile->quality, line, end);
		s->ended = true;
		if (!s->any_head && (s->any_blank || !script_is_record(line, end)))
			finish_sample(s);
	} else if (is_head && (head.has_time || !indented || !begins_with_address(line, end))) {
		use_bare_head(s, false);
		s->any_head = true;
		s->any_time |= head.has_time;
		take_head(s, &head);
	} else if (!is_head && script_line_parse(line, end, &head, &frame)) {
		use_bare_head(s, false);
		take_head(s, &head);
		push_own_frame(s, &frame, frame.line_end);
	} else if (!script_is_noise(line, end) && is_frame(line, end, s->any_time, &frame)) {
		uint32_t id = new_frame(s, &frame);

		use_bare_head(s, true);
		if (key.at)
			rawtab_add(&s->frames, key.at, piece_length(key), id);
		push_links(s, id, frame.address.at, frame.address.end);
	} else if (is_head) {
		s->any_head = true;
		take_head(s, &head);
	} else if (!script_is_noise(line, end)) {
		keep_bare_head(s, line, end);
	}
}

/* What the meaning of a frame's line depends on; nothing if it does not look like one. */
static inline struct piece frame_key(const char *line, const char *end, bool addresses)
{
	const char *address, *rest;

	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	address = line;
	while (line < end && is_hex_digit((unsigned char)*line))
		line++;
	rest = line;
	if (rest == address || (rest < end && *rest != ' ' && *rest != '\t'))
		return (struct piece){ 0 };
	return (struct piece){ addresses ? address : rest, end };
}

static void take_line(void *state, const char *line, const char *end)
{
	struct script *s = state;
	struct piece key = { 0 };

	while (end > line && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (line == end || *line == '#') {
		s->ended = true;
		s->any_blank |= line == end;
		if (!s->any_head)
			finish_sample(s);
		return;
	}
	if (s->tabbed && script_is_columns(line, end)) {
		s->ended = true;
		if (!s->any_head)
			finish_sample(s);
		return;
	}
	if (*line == ' ' || *line == '\t') {
		uint32_t id;

		s->tabbed |= *line == '\t';
		key = frame_key(line, end, s->job->options->addresses);
		id = key.at ? rawtab_find(&s->frames, key.at, piece_length(key)) : RAW_NONE;
		if (id != RAW_NONE) {
			use_bare_head(s, true);
			push_links(s, id, line, end);
			return;
		}
	}
	take_new_line(s, line, end, key);
}

/* A text of frames alone, without a blank line: each line is a sample of its own. */
static void finish_lines(struct script *s)
{
	VEC(uint32_t) links = { 0 };
	VEC(struct import_place) places = { 0 };

	if (!s->in_sample || s->frame_in_head)
		return;
	vec_each (link, &s->job->sink.chain)
		*vec_push(&links) = *link;
	vec_each (place, &s->places)
		*vec_push(&places) = *place;
	for (size_t i = 0; i < links.len; i++) {
		s->job->sink.chain.len = s->places.len = 0;
		*vec_push(&s->job->sink.chain) = links.data[i];
		if (places.len)
			*vec_push(&s->places) = places.data[i];
		s->in_sample = true;
		finish_sample(s);
	}
	vec_free(&links);
	vec_free(&places);
}

int import_perfscript(struct import_job *job, struct err *err)
{
	struct script s = { .job = job };
	int rc = import_each_line(job, take_line, &s, err);

	use_bare_head(&s, false);
	if (!s.any_head && !s.any_blank)
		finish_lines(&s);
	if (job->options->as_perl && s.in_sample && !s.ended)
		job->result->cut_end = true;
	else
		finish_sample(&s);
	job->sink.chain.len = 0;
	buf_free(&s.bare);
	rawtab_free(&s.frames);
	rawtab_free(&s.threads);
	rawtab_free(&s.events);
	rawtab_free(&s.chains);
	vec_free(&s.places);
	vec_free(&s.links);
	vec_free(&s.pool);
	return rc;
}

int perfscript_line_speaks(const char *line, const char *end, bool *timed)
{
	bool indented = *line == ' ' || *line == '\t';
	struct script_frame frame;
	struct script_head head;
	bool is_head;

	if (*line == '#' || script_is_dump(line, end) || script_is_record(line, end))
		return 0;
	is_head = script_head_parse(line, end, &head);
	if (is_head && head.has_time && head.event.at < head.event.end) {
		*timed = true;
		return 1;
	}
	if (script_is_noise(line, end))
		return 0;
	if (is_head)
		return head.has_time || isalpha((unsigned char)*head.event.at) ? 1 : -1;
	if (script_line_parse(line, end, &head, &frame))
		return 1;
	if (is_frame(line, end, *timed, &frame) &&
	    (indented || *timed || piece_length(frame.address) >= 6))
		return 1;
	return script_is_columns(line, end) ? 0 : -1;
}

bool perfscript_looks_so(const char *bytes, size_t size)
{
	const char *end = bytes + size, *next;
	int good = 0, bad = 0, records = 0;
	bool timed = false;

	if (memchr(bytes, 0, size))
		return false;
	for (const char *line = bytes; line < end && good + bad < 200; line = next + 1) {
		int speaks;

		next = memchr(line, '\n', (size_t)(end - line));
		if (!next && line > bytes)
			break; /* cut by the end of what we look at */
		if (!next)
			next = end;
		speaks = next > line && *line != '\r' ? perfscript_line_speaks(line, next, &timed)
						      : 0;
		good += speaks > 0;
		bad += speaks < 0;
		records += !speaks && script_is_record(line, next);
	}
	/* All mappings come first (--show-mmap-events), and may be more than we look at. */
	return good > bad || (records && !bad);
}
