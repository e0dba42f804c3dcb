// SPDX-License-Identifier: Apache-2.0
#include "cmd/script.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "cmd/command.h"
#include "cmd/flame_options.h"
#include "cmd/load.h"
#include "cmd/output.h"
#include "cmd/script_dlfilter.h"
#include "cmd/script_records.h"
#include "cmd/script_summary.h"
#include "cmd/symbols.h"
#include "machine/samplequeue.h"
#include "perfdata/sort.h"
#include "profile/selection.h"
#include "render/export.h"
#include "render/script_dump.h"
#include "render/script_header.h"
#include "render/script_text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

struct script_options {
	const char *input;
	struct strlist fields;
	bool header, header_only, full_header, dump, explain, follow;
	bool no_chains, ns, reltime, deltatime;
	int max_stack;
	const char *times, *comms, *pids, *tids, *cpus, *events, *symbols, *objects, *stop_at;
	const char *switch_on, *switch_off, *dlfilter;
	struct strlist dlargs;
	bool list_dlfilters;
	uint64_t address_range;
	bool show_switches, raw_names, demangle_kernel, full_paths, kernel_paths, latency;
	bool per_event, debug, unsorted;
	int verbose;
	bool force, itrace; /* perf's, without meaning here */
	bool list, json;    /* of summaries */
	struct symbol_args names;
	struct script_shown shown;
};

/* What --per-event-dump writes to. */
struct event_file {
	struct outbuf *out; /* NULL: no sample yet */
	int fd;
	char *path;
	uint64_t samples;
};

/* One run over a recording. */
struct script {
	struct loaded in;
	struct perf_reader *reader; /* of it */
	struct record_sort *sort;
	const struct symbol_args *names;
	const char *input; /* NULL if it can't be read twice */
	/* NULL until the first sample: by then a pipe has told what it is of. */
	struct symbol_store *store;
	const struct script_shown *shown;
	struct script_text text;
	struct unwinding unwinding;
	struct sample_queue queue;
	struct script_filter filter;
	struct outbuf out;
	bool dumping;
	struct script_dump dump;
	struct strlist stop_at;
	struct dlfilter *dlfilter; /* NULL: none */
	struct err failure;	   /* of that, which ends the output */
	bool per_event;
	VEC(struct event_file) files; /* --per-event-dump: by the event's index */
	bool debug;
	uint64_t last_time, misordered;
	bool features; /* a pipe's are printed as they arrive */
	bool full_features;
	bool no_samples;
	uint64_t unknown_ids, broken;
};

#define FOLLOW_MS 200

/* The sample's thread, or NULL if the sample is not to be printed. */
static const struct thread *choose(struct script *script, const struct perf_attr *attr,
				   const struct sample *sample)
{
	const struct thread *thread;

	if (!script_filter_takes(&script->filter, attr, sample))
		return NULL;
	/* None: it ran in a guest, and those were not asked for. */
	thread = machine_sample_thread(script->text.machine, sample);
	return thread && script_filter_takes_thread(&script->filter, thread) ? thread : NULL;
}

/* "perf.data.cpu-clock.dump", as perf names it; a slash of an event's name can't be in a file's. */
static bool open_event_file(struct script *script, const struct perf_attr *attr,
			    struct event_file *file)
{
	char *name = mem_strdup(attr->name);
	struct err err = { 0 };

	for (char *at = name; *at; at++)
		if (*at == '/')
			*at = '_';
	file->path = mem_printf("%s.%s.dump", script->input ? script->input : "perf.data", name);
	free(name);
	file->fd = file_create(file->path, 0, &err);
	if (file->fd < 0) {
		log_line(LOG_WARN, "%s", err.text);
		free(file->path);
		file->path = NULL;
		return false;
	}
	file->out = mem_alloc(sizeof(*file->out));
	outbuf_init(file->out, file->fd);
	return true;
}

static bool use_event_file(struct script *script, const struct perf_attr *attr)
{
	struct event_file *file;

	while (script->files.len <= attr->index)
		*vec_push(&script->files) = (struct event_file){ .fd = -1 };
	file = &script->files.data[attr->index];
	if (!file->out && !open_event_file(script, attr, file))
		return false;
	file->samples++;
	script->text.out = file->out;
	return true;
}

static int close_event_files(struct script *script, struct err *err)
{
	int rc = 0;

	vec_each (file, &script->files) {
		off_t size;

		if (!file->out)
			continue;
		rc = output_end_as(file->out, file->path, rc, err);
		size = lseek(file->fd, 0, SEEK_END);
		if (!rc)
			fprintf(stderr, "[ perfolio script: Wrote %.3f MB %s (%llu samples) ]\n",
				(double)size / 1024 / 1024, file->path,
				(unsigned long long)file->samples);
		close(file->fd);
		free(file->path);
		free(file->out);
	}
	vec_free(&script->files);
	return rc;
}

static void print_one(struct script *script, const struct perf_attr *attr, struct sample *sample)
{
	const struct thread *thread = choose(script, attr, sample);

	if (!thread ||
	    !script_filter_takes_place(&script->filter, &script->text.symbols, thread, sample) ||
	    !script_filter_is_on(&script->filter, attr))
		return;
	if (script->dlfilter &&
	    (script->failure.code ||
	     dlfilter_takes(script->dlfilter, attr, sample, thread, &script->failure) <= 0))
		return;
	if (script->debug) { /* as perf: the order is looked at, nothing is printed */
		script->misordered += sample->time < script->last_time;
		script->last_time = sample->time;
		return;
	}
	if (script->per_event && !use_event_file(script, attr))
		return;
	script_text_sample(&script->text, attr, sample, thread);
}

/* Leader sampling: one record holds the totals of the whole group, and is a sample of each. */
static void print_group(struct script *script, const struct perf_attr *leader,
			struct sample *sample)
{
	for (uint64_t i = 0; i < sample->read_count; i++) {
		struct sample_read_value value = sample_read_value_at(leader, sample, i);
		const struct perf_attr *attr = perf_reader_read_delta(script->reader, value.id,
								      value.value, &sample->period);

		sample->id = value.id;
		if (!attr)
			script->unknown_ids++;
		else if (sample->period)
			print_one(script, attr, sample);
	}
}

static void print_sample(struct script *script, const struct perf_attr *attr, struct sample *sample)
{
	if (attr->attr.base.sample_type & PERF_SAMPLE_READ)
		print_group(script, attr, sample);
	else
		print_one(script, attr, sample);
}

static void print_queued(struct script *script, bool all)
{
	struct queued_sample *queued;

	while ((queued = sample_queue_next(&script->queue, all)))
		print_sample(script, queued->attr, &queued->sample);
}

/* It was parsed into the queue's slot; what nobody wants to see is not unwound either. */
static void queue_sample(struct script *script, const struct sorted_record *rec)
{
	struct queued_sample *slot = sample_queue_slot(&script->queue);
	bool group = rec->attr->attr.base.sample_type & PERF_SAMPLE_READ;

	slot->attr = rec->attr;
	slot->thread = group ? machine_sample_thread(script->text.machine, &slot->sample)
			     : choose(script, rec->attr, &slot->sample);
	if (!slot->thread)
		return;
	sample_queue_push(&script->queue,
			  !script->text.no_chains && !misc_is_of_guest(slot->sample.misc));
	print_queued(script, !rec->lasting);
}

static void open_store(struct script *script)
{
	if (script->store)
		return;
	script->store = symbols_open(script->names, script->reader, script->input);
	script->text.symbols.naming.store = script->store;
}

static int take_sample(struct script *script, const struct sorted_record *rec, struct err *err)
{
	struct sample *sample, direct;
	bool queued;
	int rc;

	if (!rec->attr) {
		script->unknown_ids++;
		return 0;
	}
	rc = script_fields_check(&script->text.fields, script->reader, !script->text.no_chains,
				 err);
	/* a pipe tells of its events one by one */
	if (!rc && script->filter.cpus.len && !(rec->attr->attr.base.sample_type & PERF_SAMPLE_CPU))
		rc = script_filter_check_cpus(script->reader, err);
	if (rc)
		return rc;
	open_store(script);
	queued = rec->attr->attr.base.sample_type & PERF_SAMPLE_STACK_USER ||
		 !sample_queue_is_empty(&script->queue);
	sample = queued ? &sample_queue_slot(&script->queue)->sample : &direct;
	if (sample_parse(rec->attr, rec->rec.header, sample))
		script->broken++;
	else if (queued)
		queue_sample(script, rec);
	else
		print_sample(script, rec->attr, sample);
	return 0;
}

static void take_other(struct script *script, const struct sorted_record *rec)
{
	const struct perf_event_header *header = rec->rec.header;
	size_t trailer = rec->attr ? rec->attr->trailer_size : 0;
	uint64_t feature;

	if (machine_passes_over(header->type) && !script_records_shows(script->shown, header->type))
		return;
	print_queued(script, true);
	if (script->features && header->type == USER_RECORD_FEATURE &&
	    header->size >= sizeof(*header) + sizeof(feature)) {
		memcpy(&feature, header + 1, sizeof(feature));
		if (feature < FEATURE_LAST)
			script_header_feature(&script->out, script->reader,
					      (enum perf_feature)feature, script->full_features);
	}
	if (header->size < trailer + sizeof(*header))
		return;
	/* The end of a thread is told before it is forgotten, anything else once it has happened.
	 */
	if (header->type == PERF_RECORD_EXIT && !script->dumping)
		script_records_print(script->shown, &script->filter, &script->text, rec);
	machine_take(script->text.machine, header, header->size - trailer);
	if (header->type == PERF_RECORD_TEXT_POKE && script->shown->pokes)
		open_store(script);
	if (header->type != PERF_RECORD_EXIT && !script->dumping)
		script_records_print(script->shown, &script->filter, &script->text, rec);
}

/* Every record as it stands in the file. */
static int run_unsorted(struct script *script, struct err *err)
{
	struct sorted_record rec = { 0 };
	int rc;

	while (!script->out.error && (rc = perf_reader_next(script->reader, &rec.rec, err))) {
		if (rc < 0)
			return rc;
		rec.attr = perf_reader_attr_of(script->reader, rec.rec.header);
		rec.time = 0;
		script_dump(&script->dump, &rec);
		if (rec.rec.header->type != PERF_RECORD_SAMPLE)
			take_other(script, &rec);
	}
	return 0;
}

static int run(struct script *script, bool follow, struct err *err)
{
	struct sorted_record rec;
	int rc;

	while (!script->out.error) {
		rc = record_sort_next(script->sort, &rec, err);
		sample_queue_tick(&script->queue);
		print_queued(script, false);
		if (rc < 0)
			return rc;
		if (!rc) {
			if (!follow || !perf_reader_growing(script->reader))
				return 0;
			print_queued(script, true);
			outbuf_flush(&script->out);
			poll(NULL, 0, FOLLOW_MS);
			continue;
		}
		if (script->dumping)
			script_dump(&script->dump, &rec);
		if (rec.rec.header->type != PERF_RECORD_SAMPLE) {
			take_other(script, &rec);
			continue;
		}
		if (script->no_samples)
			return 0; /* all that a pipe tells of itself comes before them */
		rc = script->dumping ? 0 : take_sample(script, &rec, err);
		if (rc)
			return rc;
	}
	return 0;
}

static void complain(const struct script *script, const char *input)
{
	const char *damage = perf_reader_damage(script->reader);

	if (damage)
		log_line(LOG_WARN, "%s: %s", input, damage);
	if (script->broken || script->unknown_ids)
		log_line(LOG_WARN,
			 "%s: samples that can't be shown: %llu damaged, %llu of unknown events",
			 input, (unsigned long long)script->broken,
			 (unsigned long long)script->unknown_ids);
}

static int take_filters(struct script_filter *filter, struct perf_reader *reader, const char *input,
			const struct script_options *o, struct err *err)
{
	int rc = 0;

	script_filter_names(&filter->comms, o->comms);
	script_filter_names(&filter->events, o->events);
	if (o->pids)
		rc = script_filter_ids(&filter->pids, "pid", o->pids, err);
	if (!rc && o->tids)
		rc = script_filter_ids(&filter->tids, "tid", o->tids, err);
	if (!rc && o->cpus)
		rc = script_filter_cpus(&filter->cpus, o->cpus, err);
	if (!rc && o->times)
		rc = script_filter_times(filter, o->times,
					 o->follow || perf_reader_is_pipe(reader) ? NULL : input,
					 reader, err);
	script_filter_symbols(filter, o->symbols, o->address_range);
	script_filter_names(&filter->objects, o->objects);
	filter->shows_switches = o->show_switches;
	if (!rc)
		rc = script_filter_switches(filter, o->switch_on, o->switch_off, reader, err);
	return rc;
}

static int take_fields(struct script_fields *fields, const struct strlist *wanted, struct err *err)
{
	int rc = 0;

	*fields = script_fields_default();
	for (size_t i = 0; i < wanted->len && !rc; i++)
		rc = script_fields_parse(fields, wanted->data[i], err);
	return rc;
}

/*
 * What is no recording has no records to print, but samples: as text that `perf script` could have
 * written, with what is known of them.
 */
static int print_other(struct script *script, const struct script_options *o, struct err *err)
{
	const struct {
		const char *name;
		bool given;
	} needed[] = {
		{ "-F", o->fields.len },
		{ "-G", o->no_chains },
		{ "-D", o->dump },
		{ "--header", o->header || o->header_only },
		{ "--reltime", o->reltime },
		{ "--deltatime", o->deltatime },
		{ "--max-stack", o->max_stack != SCRIPT_MAX_STACK },
		{ "--show-task-events", o->shown.tasks },
		{ "--show-mmap-events", o->shown.mmaps },
		{ "--show-switch-events", o->shown.switches },
		{ "--show-namespace-events", o->shown.namespaces },
		{ "--show-cgroup-events", o->shown.cgroups },
		{ "--show-lost-events", o->shown.lost },
		{ "--show-bpf-events", o->shown.bpf },
	};
	struct selection_options wanted = {
		.event = ALL_EVENTS,
		.filter = { .comms = o->comms, .pids = o->pids, .tids = o->tids, .cpus = o->cpus },
	};
	struct selection selection;
	uint64_t merged = 0;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(needed) && !rc; i++)
		if (needed[i].given)
			rc = load_need_recording(&script->in, needed[i].name, err);
	if (!rc)
		rc = load_read(
			&script->in,
			&(struct load_options){ .times = true, .cpus = true, .places = true }, err);
	if (!rc)
		rc = load_check_told(&script->in, o->cpus, o->times, err);
	if (!rc && o->events)
		rc = flame_event_find(script->in.profile, o->events, &wanted.event, err);
	if (!rc && o->times) {
		struct time_range range, whole;

		profile_times(script->in.profile, &whole);
		rc = time_range_parse(&range, o->times, &whole, err);
		wanted.filter.time_from = range.start;
		wanted.filter.time_to = range.end ? range.end + 1 : 0;
	}
	if (!rc)
		rc = selection_make(&selection, script->in.profile, &wanted, err);
	if (rc)
		return rc;
	rc = export_script(&(struct export_source){ .selection = &selection,
						    .places = &script->in.imported.places,
						    .merged = &merged },
			   &script->out, err);
	if (merged)
		log_line(LOG_NOTE,
			 "%s: %llu samples were printed as one with others that agree, with "
			 "their sum as period",
			 script->in.name, (unsigned long long)merged);
	selection_free(&selection);
	return rc;
}

static int script_over(struct script *script, const struct script_options *o, const char *input,
		       struct err *err)
{
	const struct perf_reader_options reading = { .follow = o->follow };
	const struct load_words words = { o->cpus, o->pids, o->tids, o->times };
	int rc = load_check_words(&words, err);

	if (!rc)
		rc = load_open(&script->in, input, &reading, err);
	if (rc)
		return rc;
	if (!script->in.reader)
		return print_other(script, o, err);
	script->reader = script->in.reader;
	script->text.reader = script->reader;
	script->input = o->follow || script->in.is_stream || perf_reader_is_pipe(script->reader)
				? NULL
				: script->in.place;
	script->text.machine = machine_new();
	machine_use_guests(script->text.machine, &o->names.guest);
	script_symbols_init(&script->text.symbols, script->text.machine);
	unwinding_init(&script->unwinding, &script->text.symbols.naming, script->reader);
	script->unwinding.needs_file = true;
	script->unwinding.limit = o->max_stack > 0 ? (size_t)o->max_stack : 0; /* as perf */
	sample_queue_init(&script->queue, &script->unwinding);
	machine_take_build_ids(script->text.machine, script->reader);
	script->sort = record_sort_new(script->reader, 0);
	script->dumping = o->dump || o->unsorted;
	script->per_event = o->per_event;
	script->debug = o->debug;
	script->text.symbols.raw_names = o->raw_names;
	script->text.symbols.demangle_kernel = o->demangle_kernel;
	script->text.symbols.full_paths = o->full_paths;
	script->text.symbols.kernel_paths = o->kernel_paths;
	script_filter_names(&script->stop_at, o->stop_at);
	script->text.stop_at = o->stop_at ? &script->stop_at : NULL;
	script->dump = (struct script_dump){ .out = &script->out,
					     .reader = script->reader,
					     .machine = script->text.machine,
					     .path = input,
					     .arch = feature_text(script->reader, FEATURE_ARCH) };
	if (o->header || o->header_only) {
		script_header(&script->out, script->reader, input, o->full_header);
		script->features = perf_reader_is_pipe(script->reader);
		script->full_features = o->full_header;
		script->no_samples = o->header_only;
		if (o->header_only && !script->features)
			return 0;
	}
	rc = take_filters(&script->filter, script->reader,
			  script->in.is_stream ? NULL : script->in.place, o, err);
	if (!rc && o->cpus)
		rc = script_filter_check_cpus(script->reader, err);
	if (!rc && !perf_reader_is_pipe(script->reader))
		rc = script_fields_check(&script->text.fields, script->reader, !o->no_chains, err);
	if (!rc && o->dlfilter) {
		script->dlfilter = dlfilter_open(o->dlfilter, &o->dlargs, &script->text.symbols,
						 err);
		rc = script->dlfilter ? 0 : -err->code;
	}
	if (!rc)
		rc = o->unsorted ? run_unsorted(script, err) : run(script, o->follow, err);
	print_queued(script, true);
	dlfilter_close(script->dlfilter);
	if (!rc && script->failure.code)
		rc = err_set(err, script->failure.code, "%s", script->failure.text);
	return rc;
}

/* `script NAME [FILE]`; the words are those after NAME. */
static int run_summary(const struct summary *summary, const struct script_options *o, int argc,
		       char **argv, struct err *err)
{
	const char *input = load_path(o->input ? o->input : argc ? argv[0] : NULL);
	struct script_filter filter = { 0 };
	struct loaded in;
	int rc;

	if (argc > (o->input ? 0 : 1))
		return err_set(err, EINVAL, "one recording at a time");
	if (o->events || o->follow)
		return err_set(err, EINVAL, "%s: a summary looks at its own events, to the end",
			       o->events ? "-e" : "--follow");
	rc = load_check_words(&(struct load_words){ o->cpus, o->pids, o->tids, o->times }, err);
	if (!rc)
		rc = load_open(&in, input, NULL, err);
	if (rc)
		return rc;
	rc = load_need_recording(&in, "a summary of events", err);
	if (!rc)
		rc = take_filters(&filter, in.reader, in.is_stream ? NULL : in.place, o, err);
	if (!rc)
		rc = script_summary_print(summary, in.reader, in.name, &filter, o->json, err);
	script_filter_free(&filter);
	loaded_close(&in);
	return rc;
}

/* -v: where the names of each object come from. */
static void tell_sources(const struct script *script)
{
	vec_each (object, &script->text.symbols.naming.objects) {
		const char *source = object->dso ? dso_source(object->dso) : NULL;

		if (object->dso)
			fprintf(stderr, "%s: %s%s\n", dso_path(object->dso),
				source ? "names from " : "no names", source ? source : "");
	}
}

/* Every sample of a recording into a descriptor that errors call `name`. */
static int print_samples(const struct script_options *o, const char *input, int fd,
			 const char *name, struct err *err)
{
	struct script script = { .in.spool = -1,
				 .names = &o->names,
				 .shown = &o->shown,
				 .text = { .ns = o->ns,
					   .no_chains = o->no_chains,
					   .reltime = o->reltime,
					   .deltatime = o->deltatime,
					   .latency = o->latency,
					   .max_stack = (unsigned)o->max_stack } };
	int rc;

	outbuf_init(&script.out, fd);
	script.text.out = &script.out;
	rc = take_fields(&script.text.fields, &o->fields, err);
	if (!rc)
		rc = script_over(&script, o, input, err);
	rc = output_end_as(&script.out, name, rc, err);
	if (script.per_event) {
		int closed = close_event_files(&script, err);

		rc = rc ? rc : closed;
	}
	if (script.debug)
		fprintf(stderr, "Misordered timestamps: %llu\n",
			(unsigned long long)script.misordered);
	if (o->verbose)
		tell_sources(&script);
	strlist_free(&script.stop_at);
	if (script.reader)
		complain(&script, input);
	record_sort_free(script.sort);
	sample_queue_fini(&script.queue);
	unwinding_fini(&script.unwinding);
	script_text_free(&script.text);
	symbols_close(script.store);
	machine_free(script.text.machine);
	loaded_close(&script.in);
	script_filter_free(&script.filter);
	return rc;
}

static int explain_fields(struct err *err)
{
	struct outbuf out;

	outbuf_init(&out, STDOUT_FILENO);
	script_fields_explain(&out);
	return output_end(&out, EXIT_DONE, err);
}

static int script_run(void *options, int argc, char **argv, struct err *err)
{
	const struct script_options *o = options;
	const struct summary *summary = script_summary_named(&argc, &argv);
	const char *input = load_path(o->input ? o->input : argc ? argv[0] : NULL);

	if (o->list)
		return script_summary_list(o->json);
	if (summary)
		return run_summary(summary, o, argc, argv, err);
	if (argc && !o->input && script_summary_mistyped(argv[0], argc > 1, err))
		return -err->code;
	if (o->json)
		return err_set(err, EINVAL, "--json is for summaries; `script -l` lists them");
	if (argc > (o->input ? 0 : 1))
		return err_set(err, EINVAL, "one recording at a time");
	if (o->explain)
		return explain_fields(err);
	if (o->list_dlfilters) {
		dlfilter_list();
		return EXIT_DONE;
	}
	if (o->dlargs.len && !o->dlfilter)
		return err_set(err, EINVAL, "--dlarg needs --dlfilter");
	if (o->address_range && !o->symbols)
		return err_set(err, EINVAL, "--addr-range needs -S with an address, as 0x401000");
	if (o->show_switches && !o->switch_on && !o->switch_off)
		return err_set(err, EINVAL,
			       "--show-on-off-events needs --switch-on or --switch-off");
	return print_samples(o, input, STDOUT_FILENO, "standard output", err);
}

static void script_release(void *options)
{
	strlist_free(&((struct script_options *)options)->fields);
	strlist_free(&((struct script_options *)options)->dlargs);
}

#define FIELD(name) offsetof(struct script_options, name)
#define NAMES(name) FIELD(names.name)

static const struct option_spec script_specs[] = {
	{ OPT_TEXT, 'i', "input", FIELD(input), "FILE",
	  "read FILE instead of perf.data; - is standard input" },
	{ OPT_LIST, 'F', "fields", FIELD(fields), "FIELDS",
	  "print these fields, with commas between; +FIELD and -FIELD change the usual list; hw:, "
	  "sw:, "
	  "trace:, raw: or break: in front: of that kind of event only; --explain tells all "
	  "fields" },
	{ OPT_FLAG, 'G', "hide-call-graph", FIELD(no_chains), NULL,
	  "the address alone, not the stack" },
	{ OPT_FLAG, 0, "ns", FIELD(ns), NULL, "times to the nanosecond" },
	{ OPT_FLAG, 0, "reltime", FIELD(reltime), NULL, "times since the first sample" },
	{ OPT_FLAG, 0, "deltatime", FIELD(deltatime), NULL, "times since the sample before" },
	{ OPT_INT, 0, "max-stack", FIELD(max_stack), "N",
	  "at most N frames of a stack; of copied ones N of the kernel and N of the program" },
	{ OPT_TEXT, 0, "stop-bt", FIELD(stop_at), "NAMES",
	  "show no frames outside of these functions" },
	{ OPT_FLAG, 'L', "Latency", FIELD(latency), NULL,
	  "names of at most 8 letters, and CPUs without brackets" },
	{ OPT_FLAG, 0, "no-demangle", FIELD(raw_names), NULL,
	  "names of C++, Rust and D as they stand in the file" },
	{ OPT_FLAG, 0, "demangle-kernel", FIELD(demangle_kernel), NULL,
	  "demangle the kernel's names, too" },
	{ OPT_FLAG, 0, "full-source-path", FIELD(full_paths), NULL,
	  "srcline with the whole path of the file" },
	{ OPT_FLAG, 0, "show-kernel-path", FIELD(kernel_paths), NULL,
	  "the file of the kernel or a module instead of its name in brackets" },
	{ OPT_FLAG, 'f', "force", FIELD(force), NULL,
	  "taken and ignored: files of others are read anyway" },
	{ OPT_FLAG, 0, "itrace", FIELD(itrace), NULL,
	  "taken and ignored: hardware traces are not decoded", .hidden = true },
	{ OPT_HEADING, .help = "Which samples" },
	{ OPT_TEXT, 0, "time", FIELD(times), "RANGE",
	  "START,STOP in seconds of its clock, 10s-20s after the start, or 10%-20%" },
	{ OPT_TEXT, 'c', "comms", FIELD(comms), "NAMES", "of threads with these names" },
	{ OPT_TEXT, 0, "pid", FIELD(pids), "PIDS", "of these processes" },
	{ OPT_TEXT, 0, "tid", FIELD(tids), "TIDS", "of these threads" },
	{ OPT_TEXT, 'C', "cpu", FIELD(cpus), "CPUS", "on these CPUs: 0-3,8" },
	{ OPT_TEXT, 'e', "event", FIELD(events), "EVENTS", "of these events" },
	{ OPT_TEXT, 'S', "symbols", FIELD(symbols), "NAMES",
	  "in these functions, or at these addresses: 0x401000" },
	{ OPT_U64, 0, "addr-range", FIELD(address_range), "BYTES",
	  "with -S ADDRESS: and up to this many bytes after it" },
	{ OPT_TEXT, 0, "dsos", FIELD(objects), "NAMES", "in these objects: libc.so.6" },
	{ OPT_TEXT, 0, "switch-on", FIELD(switch_on), "EVENT", "after a sample of this event" },
	{ OPT_TEXT, 0, "switch-off", FIELD(switch_off), "EVENT", "until a sample of this one" },
	{ OPT_FLAG, 0, "show-on-off-events", FIELD(show_switches), NULL,
	  "and the samples of these two events themselves" },
	{ OPT_TEXT, 0, "dlfilter", FIELD(dlfilter), "FILE",
	  "that this library takes: a filter as perf-dlfilter(1) describes them" },
	{ OPT_LIST, 0, "dlarg", FIELD(dlargs), "TEXT", "an argument for it; may be repeated" },
	{ OPT_FLAG, 0, "list-dlfilters", FIELD(list_dlfilters), NULL,
	  "list the filters of this folder and those that come with perf" },
	SYMBOL_OPTIONS(NAMES),
	{ OPT_HEADING, .help = "Records between the samples" },
	{ OPT_FLAG, 0, "show-task-events", FIELD(shown.tasks), NULL,
	  "threads that begin, end, take a name" },
	{ OPT_FLAG, 0, "show-mmap-events", FIELD(shown.mmaps), NULL, "mappings" },
	{ OPT_FLAG, 0, "show-switch-events", FIELD(shown.switches), NULL, "switches of context" },
	{ OPT_FLAG, 0, "show-namespace-events", FIELD(shown.namespaces), NULL, "namespaces" },
	{ OPT_FLAG, 0, "show-cgroup-events", FIELD(shown.cgroups), NULL, "cgroups" },
	{ OPT_FLAG, 0, "show-lost-events", FIELD(shown.lost), NULL, "losses" },
	{ OPT_FLAG, 0, "show-bpf-events", FIELD(shown.bpf), NULL,
	  "BPF programs and other code that the kernel makes at run time" },
	{ OPT_FLAG, 0, "show-text-poke-events", FIELD(shown.pokes), NULL,
	  "code that the kernel changed" },
	{ OPT_FLAG, 0, "show-round-events", FIELD(shown.rounds), NULL,
	  "ends of rounds, which bound how far records are sorted" },
	{ OPT_HEADING, .help = "Something else" },
	{ OPT_FLAG, 0, "per-event-dump", FIELD(per_event), NULL,
	  "write each event's samples to a file of its own: perf.data.EVENT.dump" },
	{ OPT_FLAG, 'd', "debug-mode", FIELD(debug), NULL,
	  "print no samples, but how many are out of order" },
	{ OPT_FLAG, 0, "header", FIELD(header), NULL,
	  "first, what the recording tells about itself" },
	{ OPT_FLAG, 0, "header-only", FIELD(header_only), NULL, "that alone" },
	{ OPT_FLAG, 'I', "show-info", FIELD(full_header), NULL,
	  "with the long parts of it: CPUs, memory, caches" },
	{ OPT_FLAG, 'D', "dump-raw-trace", FIELD(dump), NULL,
	  "every record, byte by byte and taken apart" },
	{ OPT_FLAG, 0, "dump-unsorted-raw-trace", FIELD(unsorted), NULL,
	  "the same in the order of the file" },
	{ OPT_COUNT, 'v', "verbose", FIELD(verbose), NULL,
	  "say which file each object's names came from" },
	{ OPT_FLAG, 0, "follow", FIELD(follow), NULL,
	  "go on while the recording is being written" },
	{ OPT_FLAG, 0, "explain", FIELD(explain), NULL, "every field's meaning and unit" },
	{ OPT_HEADING, .help = "Summaries (script NAME; script record NAME records for one)" },
	{ OPT_FLAG, 'l', "list", FIELD(list), NULL,
	  "the summaries that there are, and how to record for them" },
	{ OPT_FLAG, 0, "json", FIELD(json), NULL, "a summary, or the list of them, as JSON" },
	{ 0 },
};

static const struct script_options script_defaults = { .max_stack = SCRIPT_MAX_STACK };

int script_print(const char *input, int fd, struct err *err)
{
	return print_samples(&script_defaults, input, fd, "the output", err);
}

int script_write(const char *input, const struct symbol_args *names, const char *output,
		 struct err *err)
{
	struct script_options options = script_defaults;
	int fd = file_create(output, 0, err), rc;

	if (fd < 0)
		return fd;
	options.names = *names;
	options.header = true; /* as people keep it: what it was recorded on and how */
	rc = print_samples(&options, input, fd, output, err);
	if (close(fd) && !rc)
		rc = err_set(err, errno, "%s: %s", output, strerror(errno));
	return rc;
}

const struct command cmd_script = {
	.name = "script",
	.args = "[SUMMARY] [FILE]",
	.summary = "print every sample of a recording as text, or a summary of them",
	.example = "perfolio script | less",
	.stands_for = script_summary_record,
	.flags = CMD_PAGER,
	.options = script_specs,
	.options_size = sizeof(struct script_options),
	.defaults = &script_defaults,
	.run = script_run,
	.release = script_release,
};
