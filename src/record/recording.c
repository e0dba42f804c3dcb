// SPDX-License-Identifier: Apache-2.0
#include "record/recording.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "perfdata/hostinfo.h"
#include "perfdata/payload.h"
#include "perfdata/tracing_data.h"
#include "record/cgroup.h"
#include "record/outfile.h"
#include "record/synth.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* One file and what is known of its contents. */
struct take {
	struct outfile file;
	struct perf_writer *writer;
	struct account account;
};

struct recording {
	struct recording_options options;
	struct target *target;
	struct sampling *sampling;
	const struct perf_writer_attr *attrs;
	size_t attrs_count;
	struct take *take;
	struct drain *drain;
	struct tuck *tuck;	 /* the drain's, as is the sieve */
	struct ownproc *own;	 /* NULL: no event copies memory */
	uint64_t blanked;	 /* samples of our own in dumps of --overwrite */
	struct tasksieve *sieve; /* NULL: all that is sampled is wanted */
	struct keep *keep;	 /* NULL: nothing is kept */
	struct keep_result vanishing;
	char kernel_note[300];

	int64_t enabled_ns, duration_ns; /* enabled_ns: since when; 0: not enabled */
	uint64_t samples_before, bytes_before, throttled_before; /* in files closed already */
	uint64_t raw_before;
	struct perf_counts counts; /* of all files */
	const uint64_t *budget; /* for the counts, once it is known; the drain's thread reads it */
	size_t budget_words;
	uint64_t ending; /* as flags of the counts; 0: it has not ended by itself */
	uint64_t *by_event;
	size_t files;	     /* before this one */
	struct strlist kept; /* names of the files, oldest first */
	char *path;
	VEC(struct recording_event) events;
	struct sampling_losses losses;
};

/* ---- opening a file ---- */

static int add_formats(struct recording *r, struct perf_writer *writer, struct err *err)
{
	VEC(const char *) names = { 0 };
	struct buf payload = { 0 };
	int rc = 0;

	for (size_t i = 0; i < r->attrs_count; i++)
		if (r->attrs[i].attr.base.type == PERF_TYPE_TRACEPOINT)
			*vec_push(&names) = r->attrs[i].name;
	if (names.len && r->options.tracefs)
		rc = tracing_data_make(r->options.tracefs, names.data, names.len, &payload, err);
	if (!rc && payload.len)
		rc = perf_writer_feature(writer, FEATURE_TRACING_DATA, payload.data, payload.len,
					 err);
	buf_free(&payload);
	vec_free(&names);
	return rc;
}

static int take_records(void *user, const void *records, size_t size, struct err *err)
{
	struct take *take = user;
	struct iovec part = { (void *)records, size };

	account_records(&take->account, records, size);
	return perf_writer_append(take->writer, &part, 1, err);
}

static int describe_cgroups(const struct synth *synth, struct err *err)
{
	size_t size;
	char *mounts = file_read("/proc/mounts", &size, NULL);
	char *mount = mounts ? cgroup_mount(mounts) : NULL;
	int rc = mount ? synth_cgroups(synth, mount, err) : 0;

	free(mount);
	free(mounts);
	return rc;
}

static int by_pid(const void *a, const void *b)
{
	const pid_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The process that a thread belongs to. */
static pid_t process_of(const struct target_task *task)
{
	char path[64], *text, *line;
	size_t size;
	int pid = task->pid;

	if (task->pid != task->tid)
		return task->pid;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)task->tid);
	text = file_read(path, &size, NULL);
	line = text ? strstr(text, "\nTgid:") : NULL;
	if (line && sscanf(line, "\nTgid: %d", &pid) != 1)
		pid = task->pid;
	free(text);
	return pid;
}

static int describe_tasks(struct recording *r, const struct synth *synth, struct err *err)
{
	VEC(pid_t) pids = { 0 };
	size_t kept = 0;
	int rc = 0;

	vec_each (task, &r->target->tasks)
		*vec_push(&pids) = process_of(task);
	if (pids.len)
		qsort(pids.data, pids.len, sizeof(*pids.data), by_pid);
	for (size_t i = 0; i < pids.len; i++)
		if (!kept || pids.data[kept - 1] != pids.data[i])
			pids.data[kept++] = pids.data[i];
	if (kept)
		rc = synth_processes(synth, pids.data, kept, err);
	vec_free(&pids);
	return rc;
}

/* What is there already when the file begins. */
static int describe_machine(struct recording *r, struct take *take, struct err *err)
{
	const struct perf_event_attr *attr = &r->attrs[0].attr.base;
	struct err kernel = { 0 };
	struct synth synth = {
		.take = take_records,
		.user = take,
		.id_bytes = sampling_id_bytes(r->sampling),
		.build_ids = attr->build_id,
		.data_maps = attr->mmap_data,
		.namespaces = attr->namespaces,
		.threads = r->options.describe_threads,
		.no_maps = r->options.no_maps,
		.map_limit_ns = r->options.map_limit_ns,
		.owner = &r->target->owner,
	};
	int rc = synth_kernel(&synth, &kernel);

	if (rc == -EACCES) {
		snprintf(r->kernel_note, sizeof(r->kernel_note), "%.299s", kernel.text);
		rc = 0;
	}
	if (rc)
		return err_set(err, -rc, "%s", kernel.text);
	if (attr->bpf_event)
		rc = synth_bpf(&synth, err);
	if (!rc && attr->cgroup && !r->options.no_cgroups)
		rc = describe_cgroups(&synth, err);
	if (rc || r->options.no_tasks)
		return rc;
	/* What a later file has to do with may be anybody's child by now. */
	if (r->files)
		return synth_processes(&synth, NULL, 0, err);
	switch (r->target->kind) {
	case TARGET_COMMAND: return synth_command(&synth, r->options.sampling.command, err);
	case TARGET_TASKS: return describe_tasks(r, &synth, err);
	default: return synth_processes(&synth, NULL, 0, err);
	}
}

static int begin_file(struct recording *r, struct take *take, struct err *err)
{
	struct hostinfo info = { .argv = r->options.argv,
				 .clock = r->options.sampling.choice.clock };
	struct perf_writer_options options = { .compress = r->options.compress,
					       .compress_level = r->options.compress_level };
	int rc;

	take->writer = perf_writer_new(take->file.fd, r->attrs, r->attrs_count, &options, err);
	if (!take->writer)
		return -err->code;
	rc = hostinfo_add(&info, take->writer, err);
	if (!rc)
		rc = add_formats(r, take->writer, err);
	if (!rc)
		rc = perf_writer_begin(take->writer, err);
	if (!rc && !r->options.describe_last)
		rc = describe_machine(r, take, err);
	if (!rc)
		rc = perf_writer_round(take->writer, err);
	account_mark(&take->account);
	return rc ? rc : outfile_publish(&take->file, err);
}

static void free_take(struct take *take)
{
	if (!take)
		return;
	perf_writer_free(take->writer);
	account_fini(&take->account);
	outfile_close(&take->file);
	free(take);
}

static struct take *open_take(struct recording *r, struct err *err)
{
	struct take *take = mem_alloc(sizeof(*take));
	int rc = 0;

	account_init(&take->account, r->attrs, r->attrs_count);
	if (r->options.output)
		rc = outfile_open(&take->file, r->options.output, err);
	else
		outfile_use(&take->file, r->options.output_fd);
	if (!rc)
		rc = begin_file(r, take, err);
	if (rc) {
		free_take(take);
		return NULL;
	}
	return take;
}

static struct drain_sink sink_of(struct take *take)
{
	return (struct drain_sink){ .writer = take->writer,
				    .account = &take->account,
				    .sync_fd = take->file.special ? -1 : take->file.fd };
}

/* ---- the life of a recording ---- */

static void read_counts(void *user, struct perf_counts *counts)
{
	struct recording *r = user;
	const uint64_t *budget = __atomic_load_n(&r->budget, __ATOMIC_ACQUIRE);

	sampling_read_counts(r->sampling, counts);
	counts->flags |= __atomic_load_n(&r->ending, __ATOMIC_ACQUIRE);
	for (size_t i = 0; budget && i < r->budget_words; i++)
		*vec_push(&counts->budget) = budget[i];
}

void recording_budget(struct recording *r, const uint64_t *words, size_t count)
{
	r->budget_words = count;
	__atomic_store_n(&r->budget, words, __ATOMIC_RELEASE);
}

void recording_ended(struct recording *r, int wait_status)
{
	uint64_t ending = COUNTS_ENDED | (uint64_t)(uint16_t)wait_status << COUNTS_STATUS_SHIFT;

	__atomic_store_n(&r->ending, ending, __ATOMIC_RELEASE);
}

void recording_used(struct recording *r, uint64_t ns)
{
	sampling_used(r->sampling, ns);
}

static int start_drain(struct recording *r, struct err *err)
{
	struct drain_sink sink = sink_of(r->take);
	struct drain_options options = {
		.sys = r->options.sampling.sys,
		.priority = r->options.priority,
		.most_bytes = r->options.most_bytes,
		.tuck = r->tuck,
		.own = r->own,
		.sieve = r->sieve,
		.keep = r->keep,
		.soon = r->options.sampling.choice.no_buffering ||
			r->options.sampling.choice.read_along,
		.read_counts = read_counts,
		.counts_of = r,
		.one_round = r->options.sampling.choice.overwrite,
		.flush_bytes = r->options.flush_bytes,
		.affinity = r->options.affinity,
	};
	size_t count;

	options.rings = sampling_rings(r->sampling, &count, &options.count);
	r->drain = drain_start(&options, &sink, err);
	return r->drain ? 0 : -err->code;
}

/* Our threads by their ids, now that they run. */
static int exclude_self(struct recording *r, struct err *err)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	VEC(pid_t) tids = { 0 };
	int rc;

	while (tasks && (entry = readdir(tasks)))
		if (isdigit((unsigned char)entry->d_name[0]))
			*vec_push(&tids) = (pid_t)atoi(entry->d_name);
	if (tasks)
		closedir(tasks);
	rc = sampling_exclude(r->sampling, tids.data, tids.len, err);
	vec_free(&tids);
	return rc;
}

/* Whoever names a perfolio command as what to record means it; -u, -a and cgroups do not. */
static void watch_own(struct recording *r)
{
	bool tasks = r->target->kind == TARGET_TASKS && r->target->source != TARGET_FROM_USER;
	struct ownproc_options options = {
		.asked_for = tasks || r->target->kind == TARGET_COMMAND,
	};

	if (!tuck_holds_memory(r->attrs, r->attrs_count))
		return;
	r->own = ownproc_new(&options, r->attrs, r->attrs_count);
	if (!options.asked_for)
		ownproc_scan(r->own);
}

struct recording *recording_open(const struct event_list *events, struct target *target,
				 const struct recording_options *options, struct err *err)
{
	struct recording *r = mem_alloc(sizeof(*r));

	r->options = *options;
	r->target = target;
	r->sampling = sampling_open(events, target, &options->sampling, err);
	if (r->sampling) {
		r->attrs = sampling_attrs(r->sampling, &r->attrs_count);
		r->by_event = mem_alloc(r->attrs_count * sizeof(*r->by_event));
		watch_own(r);
		r->tuck = tuck_new(r->attrs, r->attrs_count, r->own);
		if (sampling_census(r->sampling)->by_task)
			r->sieve = tasksieve_new(options->sampling.command, r->attrs,
						 r->attrs_count);
		r->take = open_take(r, err);
	}
	if (r->take && options->keep_vanishing)
		r->keep = keep_start(NULL);
	if (!r->take || start_drain(r, err) || (options->exclude_self && exclude_self(r, err))) {
		recording_free(r);
		return NULL;
	}
	return r;
}

/* The drain has ended, so nobody else tells it anything. */
static void stop_keep(struct recording *r)
{
	const pid_t *pids;
	size_t count = r->take ? account_take_pids(&r->take->account, &pids) : 0;

	if (!r->keep)
		return;
	if (count) /* those of --overwrite */
		keep_look_at(r->keep, pids, count);
	keep_stop(r->keep, &r->vanishing);
	r->keep = NULL;
}

void recording_free(struct recording *r)
{
	if (!r)
		return;
	if (r->drain)
		drain_stop(r->drain, NULL);
	stop_keep(r);
	tuck_free(r->tuck);
	ownproc_free(r->own);
	tasksieve_free(r->sieve);
	free_take(r->take);
	sampling_close(r->sampling);
	strlist_free(&r->kept);
	vec_free(&r->events);
	vec_free(&r->losses);
	perf_counts_fini(&r->counts);
	free(r->by_event);
	free(r->path);
	free(r);
}

void recording_withdraw(struct recording *r)
{
	drain_stop(r->drain, NULL);
	r->drain = NULL;
	outfile_withdraw(&r->take->file);
}

int recording_begin(struct recording *r, struct err *err)
{
	if (!r->options.sampling.start_disabled && !r->enabled_ns)
		r->enabled_ns = clock_now_ns();
	return r->target->kind == TARGET_COMMAND ? sampling_begin(r->sampling, err) : 0;
}

int recording_enable(struct recording *r, struct err *err)
{
	int rc = sampling_enable(r->sampling, err);

	if (!rc && !r->enabled_ns)
		r->enabled_ns = clock_now_ns();
	return rc;
}

int recording_disable(struct recording *r, struct err *err)
{
	int rc = sampling_disable(r->sampling, err);

	if (r->enabled_ns)
		r->duration_ns += clock_now_ns() - r->enabled_ns;
	r->enabled_ns = 0;
	return rc;
}

int recording_switch_event(struct recording *r, size_t event, bool on, struct err *err)
{
	int rc = sampling_switch_event(r->sampling, event, on, err);

	if (!rc && on && !r->enabled_ns)
		r->enabled_ns = clock_now_ns();
	return rc;
}

int recording_slow_down(struct recording *r, struct err *err)
{
	return sampling_slow_down(r->sampling, err);
}

const struct perf_writer_attr *recording_attrs(const struct recording *r, size_t *count)
{
	*count = r->attrs_count;
	return r->attrs;
}

int recording_fd(const struct recording *r)
{
	return drain_fd(r->drain);
}

struct drain_progress recording_progress(struct recording *r)
{
	struct drain_progress progress = drain_progress(r->drain);

	progress.file_bytes = progress.bytes;
	progress.samples += r->samples_before;
	progress.bytes += r->bytes_before;
	return progress;
}

const struct sampling_census *recording_census(const struct recording *r)
{
	return sampling_census(r->sampling);
}

enum drain_priority recording_priority(const struct recording *r)
{
	return drain_priority(r->drain);
}

const char *recording_kernel_note(const struct recording *r)
{
	bool kernel = false;

	for (size_t i = 0; i < r->attrs_count; i++)
		kernel |= !r->attrs[i].attr.base.exclude_kernel;
	return kernel && *r->kernel_note ? r->kernel_note : NULL;
}

/* ---- closing a file ---- */

/* --overwrite: the newest records, from rings that stand still. */
static int dump_backward(struct recording *r, struct take *take, struct err *err)
{
	size_t count, forward;
	struct ring *rings = sampling_rings(r->sampling, &count, &forward);
	struct tuck *tuck = tuck_new(r->attrs, r->attrs_count, r->own);
	int rc = 0;

	for (size_t i = forward; i < count && !rc; i++) {
		unsigned char *copy = mem_alloc(rings[i].size);
		size_t size = ring_copy_backward(&rings[i], copy);

		if (tuck)
			size = tuck_records(tuck, copy, size);
		if (size)
			rc = take_records(take, copy, size, err);
		free(copy);
	}
	r->blanked += tuck_blanked(tuck);
	tuck_free(tuck);
	return rc;
}

/* The ids at the end of a record, in the kernel's order. */
static void add_ids(struct buf *into, uint64_t sample_type, uint64_t time, uint64_t id, int cpu)
{
	if (sample_type & PERF_SAMPLE_TID)
		payload_u64(into, 0);
	if (sample_type & PERF_SAMPLE_TIME)
		payload_u64(into, time);
	if (sample_type & PERF_SAMPLE_ID)
		payload_u64(into, id);
	if (sample_type & PERF_SAMPLE_STREAM_ID)
		payload_u64(into, id);
	if (sample_type & PERF_SAMPLE_CPU)
		payload_u64(into, (uint32_t)cpu);
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		payload_u64(into, id);
}

/* What was lost, by event and CPU, as the kernel's own counts say it. */
static int write_losses(struct recording *r, struct take *take, struct err *err)
{
	struct buf records = { 0 };
	int rc = 0;

	vec_each (loss, &r->losses) {
		uint64_t sample_type = r->attrs[loss->event].attr.base.sample_type;
		struct perf_event_header header = { .type = PERF_RECORD_LOST_SAMPLES };
		size_t start = records.len;

		if (loss->side)
			continue;
		buf_add(&records, &header, sizeof(header));
		payload_u64(&records, loss->lost);
		add_ids(&records, sample_type, take->account.now.last_ns, loss->id, loss->cpu);
		header.size = (uint16_t)(records.len - start);
		memcpy(records.data + start, &header, sizeof(header));
	}
	if (records.len)
		rc = perf_writer_append(take->writer, &(struct iovec){ records.data, records.len },
					1, err);
	buf_free(&records);
	return rc;
}

static void add_late_features(const struct recording *r, struct take *take)
{
	struct buf payload = { 0 };

	account_build_ids(&take->account, &payload);
	if (payload.len)
		perf_writer_feature(take->writer, FEATURE_BUILD_ID, payload.data, payload.len,
				    NULL);
	buf_clear(&payload);
	payload_u64(&payload, take->account.now.first_ns);
	payload_u64(&payload, take->account.now.last_ns);
	if (!r->options.no_sample_times)
		perf_writer_feature(take->writer, FEATURE_SAMPLE_TIME, payload.data, payload.len,
				    NULL);
	buf_free(&payload);
}

/* "perf.data.2024061012345678": the time to hundredths, as perf names them. */
static char *numbered_path(const char *path)
{
	struct timespec now;
	struct tm local;
	char text[32];

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &local);
	strftime(text, sizeof(text), "%Y%m%d%H%M%S", &local);
	return mem_printf("%s.%s%02d", path, text, (int)(now.tv_nsec / 10000000));
}

static void forget_oldest(struct recording *r)
{
	while (r->options.keep_files && r->kept.len > r->options.keep_files) {
		unlink(r->kept.data[0]);
		free(r->kept.data[0]);
		memmove(r->kept.data, r->kept.data + 1, --r->kept.len * sizeof(*r->kept.data));
	}
}

static int number_file(struct recording *r, struct take *take, struct err *err)
{
	char *path;
	int rc;

	if (!r->options.numbered || take->file.special ||
	    strcmp(take->file.path, r->options.output)) /* it has its number already */
		return 0;
	path = numbered_path(r->options.output);
	rc = outfile_rename(&take->file, path, err);
	if (!rc) {
		strlist_add(&r->kept, path);
		forget_oldest(r);
	}
	free(path);
	return rc;
}

/*
 * After a failed write: what was counted since the last commit is not all in the file, and what is
 * in the file after it was not all counted.  So those records are counted again, from the file.
 */
static void count_anew(struct take *take)
{
	uint64_t from, to;
	void *bytes;

	account_rewind(&take->account);
	perf_writer_uncommitted(take->writer, &from, &to);
	if (to <= from)
		return;
	bytes = mem_alloc(to - from);
	if (pread(take->file.fd, bytes, to - from, (off_t)from) == (ssize_t)(to - from))
		account_records(&take->account, bytes, to - from);
	free(bytes);
}

/* Closes a file that nobody writes to any more; failed: the drain could not write everything. */
static int close_take(struct recording *r, struct take *take, bool failed, struct err *err)
{
	struct err unused = { 0 };
	int rc = 0;

	if (!failed && r->options.describe_last)
		rc = describe_machine(r, take, err);
	if (!failed && !rc)
		rc = write_losses(r, take, err);
	add_late_features(r, take);
	if (perf_writer_finish(take->writer, rc || failed ? &unused : err) && !rc && !failed)
		rc = -err->code;
	if (failed)
		count_anew(take);
	r->samples_before += take->account.now.samples;
	r->throttled_before += take->account.now.throttled;
	r->bytes_before += perf_writer_size(take->writer);
	r->raw_before += perf_writer_raw_bytes(take->writer);
	for (size_t i = 0; i < r->attrs_count; i++)
		r->by_event[i] += take->account.by_event[i];
	if (!rc)
		rc = number_file(r, take, failed ? &unused : err);
	free(r->path);
	r->path = take->file.path ? mem_strdup(take->file.path) : NULL;
	return rc;
}

int recording_switch(struct recording *r, const char **path, struct err *err)
{
	struct take *next, *old = r->take;
	struct drain_sink sink;
	int rc;

	/* The new file takes the name, so the old one gives it up first. */
	rc = number_file(r, old, err);
	r->files++;
	next = rc ? NULL : open_take(r, err);
	if (!next)
		return -err->code;
	sink = sink_of(next);
	/* First, so that the drain has learned of every process with a sample in the dump. */
	rc = sampling_pause(r->sampling, true, err);
	if (!rc)
		rc = drain_switch(r->drain, &sink, err);
	if (rc) {
		sampling_pause(r->sampling, false, NULL);
		free_take(next);
		return rc;
	}
	r->take = next;
	rc = dump_backward(r, old, err);
	sampling_pause(r->sampling, false, NULL);
	if (!rc)
		rc = close_take(r, old, false, err);
	free_take(old);
	*path = r->path;
	return rc;
}

static void fill_result(struct recording *r, struct recording_result *result)
{
	*result = (struct recording_result){
		.samples = r->samples_before,
		.bytes = r->bytes_before,
		.raw_bytes = r->raw_before,
		.throttled = r->throttled_before,
		.duration_ns = r->duration_ns,
		.path = r->path,
		.files = r->files + 1,
		.losses = r->losses,
		.counts = &r->counts,
		.kept = r->vanishing,
		.blanked = r->blanked + tuck_blanked(r->tuck),
	};
	for (size_t i = 0; i < r->attrs_count; i++)
		*vec_push(&r->events) = (struct recording_event){ .name = r->attrs[i].name,
								  .samples = r->by_event[i] };
	vec_each (loss, &r->losses) {
		if (loss->side) {
			result->lost_side += loss->lost;
		} else {
			result->lost += loss->lost;
			r->events.data[loss->event].lost += loss->lost;
		}
	}
	result->events = r->events.data;
	result->events_count = r->events.len;
}

int recording_stop(struct recording *r, struct recording_result *result, struct err *err)
{
	struct err closing = { 0 };
	bool counted;
	int rc;

	recording_disable(r, NULL);
	sampling_pause(r->sampling, true, NULL);
	rc = drain_stop(r->drain, err);
	r->drain = NULL;
	counted = sampling_read_losses(r->sampling, &r->losses);
	sampling_read_counts(r->sampling, &r->counts);
	if (rc == -EFBIG)
		perf_writer_late_counts(r->take->writer, COUNTS_FULL | r->ending, r->budget,
					r->budget ? r->budget_words : 0);
	if (!rc)
		rc = dump_backward(r, r->take, err);
	stop_keep(r);
	if (close_take(r, r->take, rc && rc != -EFBIG, &closing) && !rc)
		rc = err_set(err, closing.code, "%s", closing.text);
	fill_result(r, result);
	if (!counted)
		result->lost = r->take->account.now.lost_records +
			       r->take->account.now.lost_samples;
	result->reached_limit = rc == -EFBIG;
	result->full = rc == -ENOSPC || rc == -EFBIG || rc == -EDQUOT;
	return rc == -EFBIG ? 0 : rc;
}
