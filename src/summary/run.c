// SPDX-License-Identifier: Apache-2.0
#include "summary/run.h"
#include "base/cursor.h"
#include "base/err.h"
#include "base/text.h"
#include "machine/machine.h"
#include "perfdata/feature.h"
#include "perfdata/sort.h"
#include "perfdata/tracing.h"

#include <errno.h>
#include <stdio.h>

#define EVENT_NAME 128

/* An event of the recording, and what of it the summary wants. */
struct bound {
	const struct summary_need *need; /* NULL: nothing */
	char event[EVENT_NAME];
	struct tracing_field numbers[SUMMARY_FIELDS], text;
};

struct run {
	struct summary_context context; /* first: the summary's pointer to it leads back here */
	const struct summary *summary;
	const struct summary_choice *choice;
	struct perf_reader *reader;
	const char *path;
	struct tracing *tracing;
	struct machine *machine;
	struct record_sort *sort;
	struct summary_result *result;
	void *state; /* NULL until the first sample */
	char *arch;
	VEC(struct bound) bound; /* by index of the event */
	uint64_t broken, unknown;
	uint64_t lost_records, lost_samples; /* mostly the same ones, told twice */
};

static bool takes(const struct summary_context *context, const struct summary_who *who)
{
	const struct run *run = (const struct run *)context;

	return !run->choice->takes || run->choice->takes(run->choice->user, who);
}

static uint32_t pid_of(const struct summary_context *context, uint32_t tid)
{
	const struct run *run = (const struct run *)context;

	return machine_thread(run->machine, SUMMARY_NO_PID, tid)->process->pid;
}

/* The tracepoint's own name: an event of a recording may be called anything. */
static bool event_name(struct run *run, size_t index, char into[static EVENT_NAME])
{
	const struct perf_attr *attr = perf_reader_attr(run->reader, index);

	return attr->attr.base.type == PERF_TYPE_TRACEPOINT &&
	       tracing_event(run->tracing, attr->attr.base.config, into, EVENT_NAME);
}

static bool has_event(struct run *run, const char *pattern)
{
	char name[EVENT_NAME];

	for (size_t i = 0; i < perf_reader_attr_count(run->reader); i++)
		if (event_name(run, i, name) && text_glob(pattern, name))
			return true;
	return false;
}

/* Those before it in the list that it may stand in for. */
static bool is_wanted(struct run *run, const struct summary_need *need)
{
	return !need->instead || !has_event(run, need[-1].event);
}

static bool is_missing(struct run *run, const struct summary_need *need)
{
	const struct summary_need *end = run->summary->kind->needs + run->summary->kind->need_count;

	if (need->optional || need->instead || need->extra || has_event(run, need->event))
		return false;
	return need + 1 == end || !need[1].instead || !has_event(run, need[1].event);
}

static bool lacks_extras(struct run *run)
{
	bool any = false;

	for (size_t i = 0; i < run->summary->kind->need_count; i++) {
		const struct summary_need *need = &run->summary->kind->needs[i];

		if (!need->extra || need->optional)
			continue;
		if (has_event(run, need->event))
			return false;
		any = true;
	}
	return any;
}

static int complain(struct run *run, const char *missing, struct err *err)
{
	return err_set(err, ENODATA,
		       "%s: %s needs the event %s, which was not recorded; `perfolio script record "
		       "%s%s` records what it needs",
		       run->path, run->summary->name, missing, run->summary->name,
		       run->summary->kind->whole_machine ? " -a -- sleep 10" : " COMMAND");
}

static int check_events(struct run *run, struct err *err)
{
	for (size_t i = 0; i < run->summary->kind->need_count; i++)
		if (is_missing(run, &run->summary->kind->needs[i]))
			return complain(run, run->summary->kind->needs[i].event, err);
	if (lacks_extras(run))
		return complain(run, run->summary->kind->needs[0].event, err);
	return 0;
}

/* "__syscall_nr|nr": the first that there is, kernels having changed their mind. */
static bool find_field(struct run *run, uint64_t id, const char *names, struct tracing_field *field)
{
	char name[64];

	for (; *names; names += *names == '|') {
		size_t length = strcspn(names, "|");

		snprintf(name, sizeof(name), "%.*s", (int)length, names);
		if (tracing_field(run->tracing, id, name, field))
			return true;
		names += length;
	}
	return false;
}

static int bind_fields(struct run *run, const struct perf_attr *attr, struct bound *bound,
		       struct err *err)
{
	const struct summary_need *need = bound->need;
	uint64_t id = attr->attr.base.config;
	const char *bad = NULL;

	for (size_t i = 0; i < SUMMARY_FIELDS && need->numbers[i] && !bad; i++)
		if (!find_field(run, id, need->numbers[i], &bound->numbers[i]) ||
		    bound->numbers[i].is_text)
			bad = need->numbers[i];
	if (!bad && need->text &&
	    (!find_field(run, id, need->text, &bound->text) || !bound->text.is_text))
		bad = need->text;
	if (!bad)
		return 0;
	return err_set(err, ENODATA, "%s: %s needs the field %s of %s, which it does not have here",
		       run->path, run->summary->name, bad, bound->event);
}

static int bind(struct run *run, const struct perf_attr *attr, struct err *err)
{
	struct bound *bound = vec_push(&run->bound);
	char name[EVENT_NAME];

	if (!event_name(run, attr->index, name))
		return 0;
	for (size_t i = 0; i < run->summary->kind->need_count && !bound->need; i++) {
		const struct summary_need *need = &run->summary->kind->needs[i];

		if (text_glob(need->event, name) && is_wanted(run, need))
			bound->need = need;
	}
	if (!bound->need)
		return 0;
	snprintf(bound->event, sizeof(bound->event), "%s", strchr(name, ':') + 1);
	return bind_fields(run, attr, bound, err);
}

/* A pipe tells of itself by records before the first sample, so that is when to look. */
static int start(struct run *run, struct err *err)
{
	const char *arch = feature_text(run->reader, FEATURE_ARCH);

	run->arch = arch ? mem_strdup(arch) : NULL;
	run->tracing = tracing_new(run->reader);
	run->context =
		(struct summary_context){ .takes = takes, .pid_of = pid_of, .arch = run->arch };
	run->state = run->summary->kind->start(run->summary, &run->context);
	return check_events(run, err);
}

static int bind_events(struct run *run, struct err *err)
{
	int rc = run->state ? 0 : start(run, err);

	while (!rc && run->bound.len < perf_reader_attr_count(run->reader))
		rc = bind(run, perf_reader_attr(run->reader, run->bound.len), err);
	return rc;
}

static bool take_fields(const struct bound *bound, const struct sample *sample,
			struct summary_record *record)
{
	for (size_t i = 0; i < SUMMARY_FIELDS && bound->need->numbers[i]; i++)
		if (!tracing_number(&bound->numbers[i], sample->raw, sample->raw_size,
				    &record->numbers[i]))
			return false;
	return true;
}

static int take_sample(struct run *run, const struct sorted_record *rec, struct err *err)
{
	struct summary_record record = { 0 };
	char text[SUMMARY_TEXT] = "";
	const struct bound *bound;
	struct sample sample;
	int rc = bind_events(run, err);

	if (rc)
		return rc;
	if (!rec->attr || rec->attr->index >= run->bound.len) {
		run->unknown++;
		return 0;
	}
	bound = &run->bound.data[rec->attr->index];
	if (!bound->need)
		return 0;
	if (sample_parse(rec->attr, rec->rec.header, &sample) || !sample.raw ||
	    !take_fields(bound, &sample, &record)) {
		run->broken++;
		return 0;
	}
	if (bound->need->text)
		tracing_text(&bound->text, sample.raw, sample.raw_size, text, sizeof(text));
	record.role = bound->need->role;
	record.event = bound->event;
	record.text = text;
	record.who = (struct summary_who){
		.comm = machine_thread(run->machine, sample.pid, sample.tid)->comm,
		.pid = sample.pid,
		.tid = sample.tid,
		.cpu = sample.cpu,
		.time = sample.time,
	};
	run->result->samples++;
	run->summary->kind->take(run->state, &record);
	return 0;
}

static void take_other(struct run *run, const struct sorted_record *rec)
{
	const struct perf_event_header *header = rec->rec.header;
	size_t trailer = rec->attr ? rec->attr->trailer_size : 0;
	struct cursor c = cursor_of(header + 1, header->size - sizeof(*header));

	if (header->type == PERF_RECORD_LOST)
		cursor_u64(&c); /* the event's id */
	if (header->type == PERF_RECORD_LOST)
		run->lost_records += cursor_u64(&c);
	if (header->type == PERF_RECORD_LOST_SAMPLES)
		run->lost_samples += cursor_u64(&c);
	if (header->size >= trailer + sizeof(*header))
		machine_take(run->machine, header, header->size - trailer);
}

static int read_all(struct run *run, struct err *err)
{
	struct sorted_record rec;
	int rc;

	while ((rc = record_sort_next(run->sort, &rec, err)) > 0) {
		if (rec.rec.header->type == PERF_RECORD_SAMPLE)
			rc = take_sample(run, &rec, err);
		else
			take_other(run, &rec);
		if (rc < 0)
			return rc;
	}
	return rc ? rc : bind_events(run, err); /* there may have been no sample */
}

/* Each event that is sampled once in so many, or was given twice, is not what the counts say. */
static void note_events(struct run *run)
{
	for (size_t i = 0; i < run->bound.len; i++) {
		const struct event_attr *attr = &perf_reader_attr(run->reader, i)->attr;
		const char *name = perf_reader_attr(run->reader, i)->name;

		if (!run->bound.data[i].need)
			continue;
		if (attr->base.freq || attr->base.sample_period > 1)
			summary_note(run->result,
				     "%s was recorded now and then, not every time; record it "
				     "with -c 1",
				     name);
		for (size_t before = 0; before < i; before++)
			if (run->bound.data[before].need &&
			    perf_reader_attr(run->reader, before)->attr.base.config ==
				    attr->base.config)
				summary_note(run->result,
					     "%s is in the recording twice and counted twice",
					     name);
	}
}

static void note_losses(struct run *run)
{
	struct summary_result *result = run->result;
	uint64_t late = record_sort_out_of_order(run->sort);

	result->lost = perf_reader_lost(run->reader, run->lost_records, run->lost_samples);
	if (result->lost)
		summary_note(result,
			     "%llu sample%s lost while recording: counts are too low; a larger "
			     "ring helps (record -m 64M)",
			     (unsigned long long)result->lost, text_plural(result->lost));
	if (late)
		summary_note(result, "%llu record%s came too late to be put in order",
			     (unsigned long long)late, text_plural(late));
	if (run->broken || run->unknown)
		summary_note(result, "samples left out: %llu damaged, %llu of unknown events",
			     (unsigned long long)run->broken, (unsigned long long)run->unknown);
}

int summary_run(const struct summary *summary, struct perf_reader *reader, const char *path,
		const struct summary_choice *choice, struct summary_result *result, struct err *err)
{
	struct run run = {
		.summary = summary,
		.choice = choice,
		.reader = reader,
		.path = path,
		.machine = machine_new(),
		.sort = record_sort_new(reader, 0),
		.result = result,
	};
	int rc = read_all(&run, err);

	if (!rc) {
		summary->kind->finish(run.state, result);
		note_events(&run);
		note_losses(&run);
	}
	if (run.state)
		summary->kind->free(run.state);
	record_sort_free(run.sort);
	machine_free(run.machine);
	tracing_free(run.tracing);
	vec_free(&run.bound);
	free(run.arch);
	return rc;
}
