/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libhdf5, loaded when it is first asked for: it brings curl, OpenSSL and a dozen others along,
 * which no other run should pay for.  Only what we call is here, with the types of HDF5 1.10 and
 * later, so that a build needs no header of it.
 */
#ifndef RENDER_HDF5_LIB_H
#define RENDER_HDF5_LIB_H

#include <stddef.h>
#include <stdint.h>

struct err;

typedef int64_t hdf5_id; /* below 0: a failure */
typedef unsigned long long hdf5_size;

struct hdf5_lib {
	int (*open)(void);
	int (*set_auto)(hdf5_id stack, void *function, void *data);
	hdf5_id (*file_create)(const char *name, unsigned flags, hdf5_id create, hdf5_id access);
	int (*file_close)(hdf5_id file);
	hdf5_id (*group_create)(hdf5_id at, const char *name, hdf5_id link, hdf5_id create,
				hdf5_id access);
	int (*group_close)(hdf5_id group);
	hdf5_id (*space_create)(int kind);
	hdf5_id (*space_simple)(int rank, const hdf5_size *size, const hdf5_size *most);
	int (*space_select)(hdf5_id space, int how, const hdf5_size *start, const hdf5_size *stride,
			    const hdf5_size *count, const hdf5_size *block);
	int (*space_close)(hdf5_id space);
	hdf5_id (*data_create)(hdf5_id at, const char *name, hdf5_id type, hdf5_id space,
			       hdf5_id link, hdf5_id create, hdf5_id access);
	int (*data_write)(hdf5_id data, hdf5_id type, hdf5_id memory, hdf5_id file,
			  hdf5_id transfer, const void *rows);
	int (*data_close)(hdf5_id data);
	hdf5_id (*list_create)(hdf5_id class);
	int (*list_chunk)(hdf5_id list, int rank, const hdf5_size *size);
	int (*list_deflate)(hdf5_id list, unsigned level);
	int (*list_close)(hdf5_id list);
	hdf5_id (*type_create)(int class, size_t size);
	hdf5_id (*type_copy)(hdf5_id type);
	int (*type_insert)(hdf5_id type, const char *name, size_t offset, hdf5_id member);
	int (*type_set_size)(hdf5_id type, size_t size);
	int (*type_set_cset)(hdf5_id type, int set);
	int (*type_close)(hdf5_id type);
	hdf5_id (*attribute_create)(hdf5_id at, const char *name, hdf5_id type, hdf5_id space,
				    hdf5_id create, hdf5_id access);
	int (*attribute_write)(hdf5_id attribute, hdf5_id type, const void *value);
	int (*attribute_close)(hdf5_id attribute);
	/* Set by open(). */
	const hdf5_id *u8, *u16, *u32, *i32, *u64, *f64, *text, *dataset_list;
};

/* NULL, with what to install, where there is none.  For all threads. */
const struct hdf5_lib *hdf5_lib(struct err *err);

#endif
