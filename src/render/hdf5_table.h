/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables (compound types) and attributes of a group of an HDF5 file.
 *
 * A writer remembers that something failed, so that only its end need be looked at.
 */
#ifndef RENDER_HDF5_TABLE_H
#define RENDER_HDF5_TABLE_H

#include "render/hdf5_lib.h"
#include <stdbool.h>

/* Rows that go out at once, which is also how much is packed together. */
#define HDF5_CHUNK 16384

struct hdf5_column {
	const char *name;
	size_t offset; /* in a row */
	const hdf5_id *type;
};

struct hdf5_writer {
	const struct hdf5_lib *lib;
	hdf5_id group, text; /* text: UTF-8 of any length */
	bool failed;
};

/* A table that is being written. */
struct hdf5_table {
	hdf5_id type, space, data;
	hdf5_size len;
};

/* A new file; its root is a group.  Negative on failure. */
hdf5_id hdf5_file_begin(const char *path, struct err *err);
/* rc, or why it could not be ended. */
int hdf5_file_end(hdf5_id file, int rc, struct err *err);

int hdf5_writer_init(struct hdf5_writer *w, hdf5_id group, struct err *err);
int hdf5_writer_fini(struct hdf5_writer *w, struct err *err);

void hdf5_table_open(struct hdf5_writer *w, struct hdf5_table *table, const char *name,
		     const struct hdf5_column *columns, size_t count, size_t size, hdf5_size len);
/* `count` rows from row `first` on. */
void hdf5_table_write(struct hdf5_writer *w, struct hdf5_table *table, hdf5_size first,
		      hdf5_size count, const void *rows);
void hdf5_table_close(struct hdf5_writer *w, struct hdf5_table *table);

/* A table in one piece. */
void hdf5_put_table(struct hdf5_writer *w, const char *name, const struct hdf5_column *columns,
		    size_t count, size_t size, size_t len, const void *rows);
void hdf5_put_attribute(struct hdf5_writer *w, const char *name, const char *text);

#endif
