// SPDX-License-Identifier: Apache-2.0
#include "render/hdf5_table.h"
#include "base/err.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>

enum { CLASS_COMPOUND = 6, SPACE_SCALAR = 0, SELECT_SET = 0, SET_UTF8 = 1, TRUNCATE = 2 };
#define VARIABLE ((size_t)-1)

static hdf5_id good(struct hdf5_writer *w, hdf5_id id)
{
	w->failed |= id < 0;
	return id;
}

static hdf5_id make_type(struct hdf5_writer *w, const struct hdf5_column *columns, size_t count,
			 size_t size)
{
	hdf5_id type = good(w, w->lib->type_create(CLASS_COMPOUND, size));

	for (size_t i = 0; i < count; i++)
		good(w, w->lib->type_insert(type, columns[i].name, columns[i].offset,
					    *columns[i].type));
	return type;
}

/* Packed where there is enough of it; no library is without deflate, but if one is, unpacked. */
static hdf5_id make_list(struct hdf5_writer *w, hdf5_size len)
{
	hdf5_id list = good(w, w->lib->list_create(*w->lib->dataset_list));
	hdf5_size chunk = HDF5_CHUNK;

	if (len >= HDF5_CHUNK) {
		good(w, w->lib->list_chunk(list, 1, &chunk));
		w->lib->list_deflate(list, 1);
	}
	return list;
}

void hdf5_table_open(struct hdf5_writer *w, struct hdf5_table *table, const char *name,
		     const struct hdf5_column *columns, size_t count, size_t size, hdf5_size len)
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
void hdf5_table_write(struct hdf5_writer *w, struct hdf5_table *table, hdf5_size first,
		      hdf5_size count, const void *rows)
{
	hdf5_id memory;

	if (!count || w->failed)
		return;
	memory = good(w, w->lib->space_simple(1, &count, NULL));
	good(w, w->lib->space_select(table->space, SELECT_SET, &first, NULL, &count, NULL));
	good(w, w->lib->data_write(table->data, table->type, memory, table->space, 0, rows));
	w->lib->space_close(memory);
}

void hdf5_table_close(struct hdf5_writer *w, struct hdf5_table *table)
{
	if (table->data >= 0)
		good(w, w->lib->data_close(table->data));
	w->lib->space_close(table->space);
	w->lib->type_close(table->type);
}

/* A table in one piece. */
void hdf5_put_table(struct hdf5_writer *w, const char *name, const struct hdf5_column *columns,
		    size_t count, size_t size, size_t len, const void *rows)
{
	struct hdf5_table table;

	hdf5_table_open(w, &table, name, columns, count, size, len);
	hdf5_table_write(w, &table, 0, len, rows);
	hdf5_table_close(w, &table);
}

void hdf5_put_attribute(struct hdf5_writer *w, const char *name, const char *text)
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

int hdf5_writer_init(struct hdf5_writer *w, hdf5_id group, struct err *err)
{
	*w = (struct hdf5_writer){ .lib = hdf5_lib(err), .group = group };
	if (!w->lib)
		return -err->code;
	w->text = good(w, w->lib->type_copy(*w->lib->text));
	good(w, w->lib->type_set_size(w->text, VARIABLE));
	good(w, w->lib->type_set_cset(w->text, SET_UTF8));
	return 0;
}

int hdf5_writer_fini(struct hdf5_writer *w, struct err *err)
{
	w->lib->type_close(w->text);
	return w->failed ? err_set(err, EIO, "libhdf5 could not write the file") : 0;
}

hdf5_id hdf5_file_begin(const char *path, struct err *err)
{
	const struct hdf5_lib *lib = hdf5_lib(err);
	hdf5_id file = lib ? lib->file_create(path, TRUNCATE, 0, 0) : -err->code;

	if (lib && file < 0)
		file = err_set(err, EIO, "%s: libhdf5 could not begin the file", path);
	return file;
}

int hdf5_file_end(hdf5_id file, int rc, struct err *err)
{
	if (hdf5_lib(NULL)->file_close(file) < 0 && !rc)
		rc = err_set(err, EIO, "libhdf5 could not end the file");
	return rc;
}
