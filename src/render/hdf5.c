// SPDX-License-Identifier: Apache-2.0
#include "render/hdf5.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "base/text.h"
#include "render/flame_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Rows that go out at once, which is also how much is packed together. */
#define CHUNK 16384

enum { CLASS_COMPOUND = 6, SPACE_SCALAR = 0, SELECT_SET = 0, SET_UTF8 = 1, TRUNCATE = 2 };
#define VARIABLE ((size_t)-1)

struct column {
	const char *name;
	size_t offset;
	const hdf5_id *type;
};

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
	const struct hdf5_lib *lib;
	const struct selection *s;
	hdf5_id group, text; /* text: UTF-8 of any length */
	bool failed;
};

/* A table that is being written. */
struct table {
	hdf5_id type, space, data;
	hdf5_size len;
};

static hdf5_id good(struct writer *w, hdf5_id id)
{
	w->failed |= id < 0;
	return id;
}

static hdf5_id make_type(struct writer *w, const struct column *columns, size_t count, size_t size)
{
	hdf5_id type = good(w, w->lib->type_create(CLASS_COMPOUND, size));

	for (size_t i = 0; i < count; i++)
		good(w, w->lib->type_insert(type, columns[i].name, columns[i].offset,
					    *columns[i].type));
	return type;
}

/* Packed where there is enough of it; no library is without deflate, but if one is, unpacked. */
static hdf5_id make_list(struct writer *w, hdf5_size len)
{
	hdf5_id list = good(w, w->lib->list_create(*w->lib->dataset_list));
	hdf5_size chunk = CHUNK;

	if (len >= CHUNK) {
		good(w, w->lib->list_chunk(list, 1, &chunk));
		w->lib->list_deflate(list, 1);
	}
	return list;
}

static void table_open(struct writer *w, struct table *table, const char *name,
		       const struct column *columns, size_t count, size_t size, hdf5_size len)
{
	hdf5_id list = make_list(w, len);

	table->len = len;
	table->type = make_type(w, columns, count, size);
	table->space = good(w, w->lib->space_simple(1, &len, NULL));
	table->data =
		good(w, w->lib->data_create(w->group, name, table->type, table->space, 0, list, 0));
	w->lib->list_close(list);
}

/* `count` rows from row `first` on. */
static void table_write(struct writer *w, struct table *table, hdf5_size first, hdf5_size count,
			const void *rows)
{
	hdf5_id memory;

	if (!count || w->failed)
		return;
	memory = good(w, w->lib->space_simple(1, &count, NULL));
	good(w, w->lib->space_select(table->space, SELECT_SET, &first, NULL, &count, NULL));
	good(w, w->lib->data_write(table->data, table->type, memory, table->space, 0, rows));
	w->lib->space_close(memory);
}

static void table_close(struct writer *w, struct table *table)
{
	if (table->data >= 0)
		good(w, w->lib->data_close(table->data));
	w->lib->space_close(table->space);
	w->lib->type_close(table->type);
}

/* A table in one piece. */
static void put_table(struct writer *w, const char *name, const struct column *columns,
		      size_t count, size_t size, size_t len, const void *rows)
{
	struct table table;

	table_open(w, &table, name, columns, count, size, len);
	table_write(w, &table, 0, len, rows);
	table_close(w, &table);
}

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
	const struct hdf5_lib *lib = w->lib;
	const struct column columns[] = {
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
	struct sample_row *rows = mem_alloc(CHUNK * sizeof(*rows));
	hdf5_size written = 0, count = 0;
	struct table table;

	table_open(w, &table, "samples", columns, ARRAY_SIZE(columns), sizeof(*rows), w->s->rows);
	for (size_t i = w->s->sieve.first; i < w->s->sieve.last && !w->failed; i++) {
		if (!selection_takes(w->s, i))
			continue;
		fill_sample(w->s, i, &rows[count++]);
		if (count == CHUNK || written + count == w->s->rows) {
			table_write(w, &table, written, count, rows);
			written += count;
			count = 0;
		}
	}
	table_close(w, &table);
	free(rows);
}

static void put_stacks(struct writer *w)
{
	const struct profile_stacks *stacks = &w->s->stacks;
	const struct column columns[] = {
		{ "parent", offsetof(struct stack_row, parent), w->lib->u32 },
		{ "function", offsetof(struct stack_row, function), w->lib->i32 },
		{ "inlined", offsetof(struct stack_row, inlined), w->lib->u8 },
	};
	struct stack_row *rows = mem_alloc((stacks->len + 1) * sizeof(*rows));

	for (size_t i = 0; i < stacks->len; i++)
		rows[i] = (struct stack_row){
			.parent = stacks->parent[i],
			.function = i == STACK_ROOT ? -1 : (int32_t)stacks->function[i],
			.inlined = (stacks->flags[i] & STACK_INLINED) != 0,
		};
	put_table(w, "stacks", columns, ARRAY_SIZE(columns), sizeof(*rows), stacks->len, rows);
	free(rows);
}

static void put_functions(struct writer *w)
{
	static const char *const kinds[] = { "user", "library", "kernel", "jit", "unknown" };
	const struct profile *profile = w->s->profile;
	const struct column columns[] = {
		{ "name", offsetof(struct function_row, name), &w->text },
		{ "object", offsetof(struct function_row, object), w->lib->u32 },
		{ "kind", offsetof(struct function_row, kind), &w->text },
	};
	size_t len = profile->functions.len;
	struct function_row *rows = mem_alloc((len + 1) * sizeof(*rows));

	for (size_t i = 0; i < len; i++)
		rows[i] = (struct function_row){
			.name = w->s->names[i] ? w->s->names[i] : "",
			.object = profile->functions.data[i].object,
			.kind = kinds[profile->functions.data[i].kind],
		};
	put_table(w, "functions", columns, ARRAY_SIZE(columns), sizeof(*rows), len, rows);
	free(rows);
}

static void put_objects(struct writer *w)
{
	const struct profile *profile = w->s->profile;
	const struct column columns[] = {
		{ "path", offsetof(struct object_row, path), &w->text },
		{ "build_id", offsetof(struct object_row, build_id), &w->text },
	};
	size_t len = profile->objects.len;
	struct object_row *rows = mem_alloc((len + 1) * sizeof(*rows));
	char(*ids)[BUILD_ID_TEXT] = mem_alloc((len + 1) * sizeof(*ids));

	for (size_t i = 0; i < len; i++)
		rows[i] = (struct object_row){
			.path = w->s->paths[i],
			.build_id = build_id_text(ids[i], &profile->objects.data[i].build_id),
		};
	put_table(w, "objects", columns, ARRAY_SIZE(columns), sizeof(*rows), len, rows);
	free(ids);
	free(rows);
}

static void put_threads(struct writer *w)
{
	const struct profile *profile = w->s->profile;
	const struct column columns[] = {
		{ "pid", offsetof(struct thread_row, pid), w->lib->i32 },
		{ "tid", offsetof(struct thread_row, tid), w->lib->i32 },
		{ "comm", offsetof(struct thread_row, comm), &w->text },
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
	put_table(w, "threads", columns, ARRAY_SIZE(columns), sizeof(*rows), len, rows);
	free(rows);
}

static void put_events(struct writer *w)
{
	const struct profile *profile = w->s->profile;
	const struct column columns[] = {
		{ "name", offsetof(struct event_row, name), &w->text },
		{ "unit", offsetof(struct event_row, unit), &w->text },
		{ "samples", offsetof(struct event_row, samples), w->lib->u64 },
		{ "period", offsetof(struct event_row, period), w->lib->u64 },
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
	put_table(w, "events", columns, ARRAY_SIZE(columns), sizeof(*rows), len, rows);
	strlist_free(&names);
	free(rows);
}

static void put_attribute(struct writer *w, const char *name, const char *text)
{
	hdf5_id space = good(w, w->lib->space_create(SPACE_SCALAR));
	hdf5_id attribute = good(w, w->lib->attribute_create(w->group, name, w->text, space, 0, 0));
	char *clean = text_utf8(text);
	const char *value = clean;

	if (attribute >= 0) {
		good(w, w->lib->attribute_write(attribute, w->text, &value));
		w->lib->attribute_close(attribute);
	}
	w->lib->space_close(space);
	free(clean);
}

int hdf5_write_run(const struct export_source *source, hdf5_id group,
		   const struct hdf5_attribute *attributes, struct err *err)
{
	struct writer w = { .lib = hdf5_lib(err), .s = source->selection, .group = group };

	if (!w.lib)
		return -err->code;
	w.text = good(&w, w.lib->type_copy(*w.lib->text));
	good(&w, w.lib->type_set_size(w.text, VARIABLE));
	good(&w, w.lib->type_set_cset(w.text, SET_UTF8));
	put_attribute(&w, "title", source->title);
	put_attribute(&w, "writer", "perfolio " PERFOLIO_VERSION);
	for (; attributes && attributes->name; attributes++)
		put_attribute(&w, attributes->name, attributes->text);
	put_events(&w);
	put_objects(&w);
	put_functions(&w);
	put_threads(&w);
	put_stacks(&w);
	put_samples(&w);
	w.lib->type_close(w.text);
	return w.failed ? err_set(err, EIO, "libhdf5 could not write the samples") : 0;
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
	const struct hdf5_lib *lib = hdf5_lib(err);
	hdf5_id file = lib->file_create(path, TRUNCATE, 0, 0);
	int rc;

	if (file < 0)
		return err_set(err, EIO, "%s: libhdf5 could not begin the file", path);
	rc = hdf5_write_run(source, file, NULL, err);
	if (lib->file_close(file) < 0 && !rc)
		rc = err_set(err, EIO, "%s: libhdf5 could not end the file", path);
	return rc;
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
