// SPDX-License-Identifier: Apache-2.0
/*
 * Samples as comma-separated values (RFC 4180).  What a row shows is quoted once for each function,
 * object, thread and event.
 */
#include "base/outbuf.h"
#include "render/export.h"
#include "render/series_csv.h"

/* A function as part of a stack: as folded lines have it, its quotes doubled. */
struct csv_frame {
	char *text;
	bool quoted; /* a field with it needs quotes */
};

struct csv {
	const struct selection *s;
	struct outbuf *out;
	char **functions, **objects, **comms, **events; /* as fields */
	struct csv_frame *frames;			/* by function */
	VEC(uint32_t) path;
	bool has_times;
};

/* Free it. */
static char *quote(const char *text)
{
	char *quoted, *at;

	if (!text || !text[strcspn(text, ",\"\r\n")])
		return mem_strdup(text ? text : "");
	at = quoted = mem_alloc(2 * strlen(text) + 3);
	*at++ = '"';
	for (; *text; text++) {
		if (*text == '"')
			*at++ = '"';
		*at++ = *text;
	}
	*at = '"';
	return quoted;
}

/* A name that a spreadsheet would calculate has an apostrophe before it, which says: a text. */
static char *field(const char *text)
{
	char *safe = text && csv_is_formula(text) ? mem_printf("'%s", text) : NULL;
	char *made = quote(safe ? safe : text);

	free(safe);
	return made;
}

static struct csv_frame *frames_of(char *const *names, size_t count)
{
	struct csv_frame *made = mem_alloc((count + 1) * sizeof(*made));

	for (size_t i = 0; i < count; i++) {
		char *folded = names[i] ? folded_name(names[i]) : NULL;
		char *whole = quote(folded ? folded : names[i]);

		made[i].quoted = *whole == '"';
		if (made[i].quoted) {
			whole[strlen(whole) - 1] = '\0';
			memmove(whole, whole + 1, strlen(whole));
		}
		made[i].text = whole;
		free(folded);
	}
	return made;
}

static char **fields(char *const *texts, size_t count)
{
	char **made = mem_alloc((count + 1) * sizeof(*made));

	for (size_t i = 0; i < count; i++)
		made[i] = field(texts[i]);
	return made;
}

static char **event_fields(const struct profile *profile)
{
	char **made = mem_alloc((profile->events.len + 1) * sizeof(*made));

	for (uint16_t i = 0; i < profile->events.len; i++)
		made[i] = field(export_event_name(profile, i));
	return made;
}

static void free_fields(char **made)
{
	for (size_t i = 0; made[i]; i++)
		free(made[i]);
	free(made);
}

static void put_thread(struct csv *csv, uint32_t thread)
{
	const struct profile_thread *facts = &csv->s->profile->threads.data[thread];

	if (!thread_is_unknown(facts))
		out_int(csv->out, (int32_t)facts->pid, 0);
	out_char(csv->out, ',');
	if (!thread_is_unknown(facts) || facts->tid)
		out_int(csv->out, (int32_t)facts->tid, 0);
	out_char(csv->out, ',');
	out_text(csv->out, csv->comms[thread]);
	out_char(csv->out, ',');
}

/* "main;work;f", the outermost first. */
static void put_stack(struct csv *csv, uint32_t stack)
{
	const struct profile_stacks *stacks = &csv->s->stacks;
	bool quoted = false;

	csv->path.len = 0;
	for (; stack != STACK_ROOT; stack = stacks->parent[stack]) {
		*vec_push(&csv->path) = stacks->function[stack];
		quoted |= csv->frames[stacks->function[stack]].quoted;
	}
	if (quoted)
		out_char(csv->out, '"');
	if (csv->path.len && csv_is_formula(csv->frames[csv->path.data[csv->path.len - 1]].text))
		out_char(csv->out, '\'');
	while (csv->path.len) {
		out_text(csv->out, csv->frames[csv->path.data[--csv->path.len]].text);
		if (csv->path.len)
			out_char(csv->out, ';');
	}
	if (quoted)
		out_char(csv->out, '"');
}

static void put_place(struct csv *csv, size_t row)
{
	const struct profile_leaf *leaf = selection_leaf(csv->s, row);
	uint32_t stack = selection_stack(csv->s, row);
	uint32_t function = csv->s->stacks.function[stack];
	uint32_t object = csv->s->profile->functions.data[function].object;

	if (leaf) {
		out_text(csv->out, "0x");
		out_hex(csv->out, leaf->offset, 0);
	}
	out_char(csv->out, ',');
	if (stack != STACK_ROOT)
		out_text(csv->out, csv->functions[function]);
	out_char(csv->out, ',');
	if (stack != STACK_ROOT)
		out_text(csv->out, csv->objects[object]);
	out_char(csv->out, ',');
	put_stack(csv, stack);
	out_char(csv->out, '\n');
}

static void put_row(struct csv *csv, size_t row)
{
	const struct profile_samples *rows = &csv->s->profile->samples;

	if (csv->has_times)
		out_u64(csv->out, rows->time[row], 0);
	out_char(csv->out, ',');
	out_text(csv->out, csv->events[rows->event[row]]);
	out_char(csv->out, ',');
	out_u64(csv->out, rows->weight[row], 0);
	out_char(csv->out, ',');
	out_u64(csv->out, profile_row_count(rows, row), 0);
	out_char(csv->out, ',');
	put_thread(csv, rows->thread[row]);
	if (selection_cpu(csv->s, row) >= 0)
		out_int(csv->out, selection_cpu(csv->s, row), 0);
	out_char(csv->out, ',');
	put_place(csv, row);
}

int export_csv(const struct export_source *source, struct outbuf *out, struct err *err)
{
	const struct selection *s = source->selection;
	size_t functions = s->profile->functions.len;
	struct csv csv = { .s = s,
			   .out = out,
			   .functions = fields(s->names, functions),
			   .frames = frames_of(s->names, functions),
			   .objects = fields(s->paths, s->profile->objects.len),
			   .comms = fields(s->comms, s->profile->threads.len),
			   .events = event_fields(s->profile),
			   .has_times = s->last_time > 0 };

	(void)err;
	out_text(out, "time_ns,event,period,samples,pid,tid,comm,cpu,ip,function,object,stack\n");
	for (size_t i = s->sieve.first; i < s->sieve.last && !out->error; i++)
		if (selection_takes(s, i))
			put_row(&csv, i);
	for (size_t i = 0; i < functions; i++)
		free(csv.frames[i].text);
	free(csv.frames);
	vec_free(&csv.path);
	free_fields(csv.functions);
	free_fields(csv.objects);
	free_fields(csv.comms);
	free_fields(csv.events);
	return 0;
}
