// SPDX-License-Identifier: Apache-2.0
#include "render/hdf5.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "base/text.h"
#include "render/flame_layout.h"
#include "render/hdf5_table.h"
#include "render/series_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct sample_row {
	uint64_t time, period, samples, ip;
	uint32_t stack;
	int32_t pid, tid, cpu, function;
	uint16_t event;
};

struct stack_row {
	uint32_t parent;
	int32_t function;
	uint8_t inlined;
};

struct function_row {
	const char *name;
	uint32_t object;
	const char *kind;
};

struct object_row {
	const char *path, *build_id;
};

struct thread_row {
	int32_t pid, tid;
	const char *comm;
};

struct event_row {
	const char *name, *unit;
	uint64_t samples, period;
};

struct writer {
	struct hdf5_writer out;
	const struct selection *s;
};

static void fill_sample(const struct selection *s, size_t row, struct sample_row *into)
{
	const struct profile_samples *rows = &s->profile->samples;
	const struct profile_thread *thread = &s->profile->threads.data[rows->thread[row]];
	const struct profile_leaf *leaf = selection_leaf(s, row);
	uint32_t stack = selection_stack(s, row);
	bool unknown = thread_is_unknown(thread);

	*into = (struct sample_row){
		.time = rows->time[row],
		.event = rows->event[row],
		.period = rows->weight[row],
		.samples = profile_row_count(rows, row),
		.pid = unknown ? -1 : (int32_t)thread->pid,
		.tid = unknown && !thread->tid ? -1 : (int32_t)thread->tid,
		.cpu = selection_cpu(s, row),
		.ip = leaf ? leaf->offset : 0,
		.function = stack == STACK_ROOT ? -1 : (int32_t)s->stacks.function[stack],
		.stack = stack,
	};
}

static void put_samples(struct writer *w)
{
	const struct hdf5_lib *lib = w->out.lib;
	const struct hdf5_column columns[] = {
		{ "time", offsetof(struct sample_row, time), lib->u64 },
		{ "event", offsetof(struct sample_row, event), lib->u16 },
		{ "period", offsetof(struct sample_row, period), lib->u64 },
		{ "samples", offsetof(struct sample_row, samples), lib->u64 },
		{ "pid", offsetof(struct sample_row, pid), lib->i32 },
		{ "tid", offsetof(struct sample_row, tid), lib->i32 },
		{ "cpu", offsetof(struct sample_row, cpu), lib->i32 },
		{ "ip", offsetof(struct sample_row, ip), lib->u64 },
		{ "function", offsetof(struct sample_row, function), lib->i32 },
		{ "stack", offsetof(struct sample_row, stack), lib->u32 },
	};
	struct sample_row *rows = mem_alloc(HDF5_CHUNK * sizeof(*rows));
	hdf5_size written = 0, count = 0;
	struct hdf5_table table;

	hdf5_table_open(&w->out, &table, "samples", columns, ARRAY_SIZE(columns), sizeof(*rows),
			w->s->rows);
	for (size_t i = w->s->sieve.first; i < w->s->sieve.last && !w->out.failed; i++) {
		if (!selection_takes(w->s, i))
			continue;
		fill_sample(w->s, i, &rows[count++]);
		if (count == HDF5_CHUNK || written + count == w->s->rows) {
			hdf5_table_write(&w->out, &table, written, count, rows);
			written += count;
			count = 0;
		}
	}
	hdf5_table_close(&w->out, &table);
	free(rows);
}

static void put_stacks(struct writer *w)
{
	const struct profile_stacks *stacks = &w->s->stacks;
	const struct hdf5_column columns[] = {
		{ "parent", offsetof(struct stack_row, parent), w->out.lib->u32 },
		{ "function", offsetof(struct stack_row, function), w->out.lib->i32 },
		{ "inlined", offsetof(struct stack_row, inlined), w->out.lib->u8 },
	};
	struct stack_row *rows = mem_alloc((stacks->len + 1) * sizeof(*rows));

	for (size_t i = 0; i < stacks->len; i++)
		rows[i] = (struct stack_row){
			.parent = stacks->parent[i],
			.function = i == STACK_ROOT ? -1 : (int32_t)stacks->function[i],
			.inlined = (stacks->flags[i] & STACK_INLINED) != 0,
		};
	hdf5_put_table(&w->out, "stacks", columns, ARRAY_SIZE(columns), sizeof(*rows), stacks->len,
		       rows);
	free(rows);
}

static void put_functions(struct writer *w)
{
	static const char *const kinds[] = { "user", "library", "kernel", "jit", "unknown" };
	const struct profile *profile = w->s->profile;
	const struct hdf5_column columns[] = {
		{ "name", offsetof(struct function_row, name), &w->out.text },
		{ "object", offsetof(struct function_row, object), w->out.lib->u32 },
		{ "kind", offsetof(struct function_row, kind), &w->out.text },
	};
	size_t len = profile->functions.len;
	struct function_row *rows = mem_alloc((len + 1) * sizeof(*rows));

	for (size_t i = 0; i < len; i++)
		rows[i] = (struct function_row){
			.name = w->s->names[i] ? w->s->names[i] : "",
			.object = profile->functions.data[i].object,
			.kind = kinds[profile->functions.data[i].kind],
		};
	hdf5_put_table(&w->out, "functions", columns, ARRAY_SIZE(columns), sizeof(*rows), len,
		       rows);
	free(rows);
}

static void put_objects(struct writer *w)
{
	const struct profile *profile = w->s->profile;
	const struct hdf5_column columns[] = {
		{ "path", offsetof(struct object_row, path), &w->out.text },
		{ "build_id", offsetof(struct object_row, build_id), &w->out.text },
	};
	size_t len = profile->objects.len;
	struct object_row *rows = mem_alloc((len + 1) * sizeof(*rows));
	char(*ids)[BUILD_ID_TEXT] = mem_alloc((len + 1) * sizeof(*ids));

	for (size_t i = 0; i < len; i++)
		rows[i] = (struct object_row){
			.path = w->s->paths[i],
			.build_id = build_id_text(ids[i], &profile->objects.data[i].build_id),
		};
	hdf5_put_table(&w->out, "objects", columns, ARRAY_SIZE(columns), sizeof(*rows), len, rows);
	free(ids);
	free(rows);
}

static void put_threads(struct writer *w)
{
	const struct profile *profile = w->s->profile;
	const struct hdf5_column columns[] = {
		{ "pid", offsetof(struct thread_row, pid), w->out.lib->i32 },
		{ "tid", offsetof(struct thread_row, tid), w->out.lib->i32 },
		{ "comm", offsetof(struct thread_row, comm), &w->out.text },
	};
	size_t len = profile->threads.len;
	struct thread_row *rows = mem_alloc((len + 1) * sizeof(*rows));

	for (size_t i = 0; i < len; i++) {
		const struct profile_thread *thread = &profile->threads.data[i];
		bool unknown = thread_is_unknown(thread);

		rows[i] = (struct thread_row){
			.pid = unknown ? -1 : (int32_t)thread->pid,
			.tid = unknown && !thread->tid ? -1 : (int32_t)thread->tid,
			.comm = w->s->comms[i],
		};
	}
	hdf5_put_table(&w->out, "threads", columns, ARRAY_SIZE(columns), sizeof(*rows), len, rows);
	free(rows);
}

static void put_events(struct writer *w)
{
	const struct profile *profile = w->s->profile;
	const struct hdf5_column columns[] = {
		{ "name", offsetof(struct event_row, name), &w->out.text },
		{ "unit", offsetof(struct event_row, unit), &w->out.text },
		{ "samples", offsetof(struct event_row, samples), w->out.lib->u64 },
		{ "period", offsetof(struct event_row, period), w->out.lib->u64 },
	};
	size_t len = profile->events.len;
	struct event_row *rows = mem_alloc((len + 1) * sizeof(*rows));
	struct strlist names = { 0 };

	for (uint16_t i = 0; i < len; i++) {
		*vec_push(&names) = text_utf8(export_event_name(profile, i));
		*vec_push(&names) = text_utf8(flame_unit(profile, i, WEIGH_PERIOD));
		rows[i] = (struct event_row){
			.name = names.data[2 * i],
			.unit = names.data[2 * i + 1],
			.samples = w->s->totals[i].samples,
			.period = w->s->totals[i].weight,
		};
	}
	hdf5_put_table(&w->out, "events", columns, ARRAY_SIZE(columns), sizeof(*rows), len, rows);
	strlist_free(&names);
	free(rows);
}

/* Rows of events that the head does not name are left out; hardly anybody has ever seen one. */
static void put_counters(struct writer *w, const struct series *series)
{
	const struct hdf5_lib *lib = w->out.lib;
	const struct hdf5_column columns[] = {
		{ "time", offsetof(struct series_row, time_ns), lib->u64 },
		{ "event", offsetof(struct series_row, event), lib->u32 },
		{ "cpu", offsetof(struct series_row, cpu), lib->i32 },
		{ "value", offsetof(struct series_row, value), lib->u64 },
		{ "enabled", offsetof(struct series_row, enabled_ns), lib->u64 },
		{ "running", offsetof(struct series_row, running_ns), lib->u64 },
	};
	struct series_row *rows = mem_alloc(HDF5_CHUNK * sizeof(*rows));
	hdf5_size written = 0, count = 0, good = 0;
	struct hdf5_table table;

	for (size_t i = 0; i < series->count; i++)
		good += series_row_good(series, &series->rows[i]);
	hdf5_table_open(&w->out, &table, "counters", columns, ARRAY_SIZE(columns), sizeof(*rows),
			good);
	for (size_t i = 0; i < series->count && !w->out.failed && written < good; i++) {
		if (!series_row_good(series, &series->rows[i]))
			continue;
		rows[count++] = series->rows[i];
		if (count == HDF5_CHUNK || written + count == good) {
			hdf5_table_write(&w->out, &table, written, count, rows);
			written += count;
			count = 0;
		}
	}
	hdf5_table_close(&w->out, &table);
	free(rows);
}

struct counter_row {
	const char *name, *unit;
	double scale;
};

static void put_counter_events(struct writer *w, const struct series *series)
{
	const struct hdf5_column columns[] = {
		{ "name", offsetof(struct counter_row, name), &w->out.text },
		{ "unit", offsetof(struct counter_row, unit), &w->out.text },
		{ "scale", offsetof(struct counter_row, scale), w->out.lib->f64 },
	};
	VEC(struct counter_row) rows = { 0 };
	struct strlist texts = { 0 };

	for (uint32_t i = 0; i < series->head->events; i++) {
		char *name = text_utf8(series->names[i]);
		char *unit = text_utf8(series_unit(series, i));

		*vec_push(&texts) = name;
		*vec_push(&texts) = unit;
		*vec_push(&rows) = (struct counter_row){ name, unit, series_scale(series, i) };
	}
	hdf5_put_table(&w->out, "counter_events", columns, ARRAY_SIZE(columns),
		       sizeof(struct counter_row), rows.len, rows.data);
	vec_free(&rows);
	strlist_free(&texts);
}

static void put_profile(struct writer *w)
{
	put_events(w);
	put_objects(w);
	put_functions(w);
	put_threads(w);
	put_stacks(w);
	put_samples(w);
}

int hdf5_write_run(const struct hdf5_run *run, hdf5_id group, struct err *err)
{
	const struct hdf5_attribute *attributes = run->attributes;
	struct writer w = { .s = run->samples };
	int rc = hdf5_writer_init(&w.out, group, err);

	if (rc)
		return rc;
	hdf5_put_attribute(&w.out, "title", run->title);
	hdf5_put_attribute(&w.out, "writer", "perfolio " PERFOLIO_VERSION);
	for (; attributes && attributes->name; attributes++)
		hdf5_put_attribute(&w.out, attributes->name, attributes->text);
	if (run->samples)
		put_profile(&w);
	if (run->counters) {
		put_counter_events(&w, run->counters);
		put_counters(&w, run->counters);
	}
	return hdf5_writer_fini(&w.out, err);
}

static int copy_out(int fd, struct outbuf *out, struct err *err)
{
	char *piece = mem_alloc(OUTBUF_SIZE);
	off_t at = 0;
	ssize_t got;

	while ((got = pread(fd, piece, OUTBUF_SIZE, at)) > 0) {
		out_bytes(out, piece, (size_t)got);
		at += got;
	}
	free(piece);
	return got ? err_set(err, errno, "the HDF5 file: %s", strerror(errno)) : 0;
}

static int write_file(const struct export_source *source, const char *path, struct err *err)
{
	struct hdf5_run run = { .title = source->title, .samples = source->selection };
	hdf5_id file = hdf5_file_begin(path, err);

	return file < 0 ? (int)file : hdf5_file_end(file, hdf5_write_run(&run, file, err), err);
}

/*
 * The library seeks about in its file and wants to know it by name, so it gets one of its own,
 * which is copied to the output.
 */
int export_hdf5(const struct export_source *source, struct outbuf *out, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	char *path;
	int fd, rc;

	if (!hdf5_lib(err))
		return -err->code;
	path = mem_printf("%s/perfolio-XXXXXX", folder && *folder ? folder : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0) {
		rc = err_set(err, errno, "%s: %s", path, strerror(errno));
	} else {
		rc = write_file(source, path, err);
		if (!rc)
			rc = copy_out(fd, out, err);
		unlink(path);
		close(fd);
	}
	free(path);
	return rc;
}
