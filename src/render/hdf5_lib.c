// SPDX-License-Identifier: Apache-2.0
#include "render/hdf5_lib.h"
#include "base/err.h"
#include "base/mem.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

static struct hdf5_lib lib;
static bool loaded;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

/* Debian's name first, then those of others, which have several versions. */
static void *find_library(void)
{
	static const char *const names[] = { "libhdf5_serial.so.103", "libhdf5.so.103",
					     "libhdf5.so.200",	      "libhdf5_serial.so.310",
					     "libhdf5.so.310",	      "libhdf5_serial.so.320",
					     "libhdf5.so.320",	      "libhdf5.so" };
	void *library = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

static void load(void)
{
	const struct {
		void *at;
		const char *name;
	} symbols[] = {
		{ &lib.open, "H5open" },
		{ &lib.set_auto, "H5Eset_auto2" },
		{ &lib.file_create, "H5Fcreate" },
		{ &lib.file_close, "H5Fclose" },
		{ &lib.group_create, "H5Gcreate2" },
		{ &lib.group_close, "H5Gclose" },
		{ &lib.space_create, "H5Screate" },
		{ &lib.space_simple, "H5Screate_simple" },
		{ &lib.space_select, "H5Sselect_hyperslab" },
		{ &lib.space_close, "H5Sclose" },
		{ &lib.data_create, "H5Dcreate2" },
		{ &lib.data_write, "H5Dwrite" },
		{ &lib.data_close, "H5Dclose" },
		{ &lib.list_create, "H5Pcreate" },
		{ &lib.list_chunk, "H5Pset_chunk" },
		{ &lib.list_deflate, "H5Pset_deflate" },
		{ &lib.list_close, "H5Pclose" },
		{ &lib.type_create, "H5Tcreate" },
		{ &lib.type_copy, "H5Tcopy" },
		{ &lib.type_insert, "H5Tinsert" },
		{ &lib.type_set_size, "H5Tset_size" },
		{ &lib.type_set_cset, "H5Tset_cset" },
		{ &lib.type_close, "H5Tclose" },
		{ &lib.attribute_create, "H5Acreate2" },
		{ &lib.attribute_write, "H5Awrite" },
		{ &lib.attribute_close, "H5Aclose" },
		{ &lib.u8, "H5T_NATIVE_UINT8_g" },
		{ &lib.u16, "H5T_NATIVE_UINT16_g" },
		{ &lib.u32, "H5T_NATIVE_UINT32_g" },
		{ &lib.i32, "H5T_NATIVE_INT32_g" },
		{ &lib.u64, "H5T_NATIVE_UINT64_g" },
		{ &lib.f64, "H5T_NATIVE_DOUBLE_g" },
		{ &lib.text, "H5T_C_S1_g" },
		{ &lib.dataset_list, "H5P_CLS_DATASET_CREATE_ID_g" },
	};
	void *library = find_library();

	loaded = library;
	for (size_t i = 0; i < ARRAY_SIZE(symbols) && loaded; i++) {
		*(void **)symbols[i].at = dlsym(library, symbols[i].name);
		loaded = *(void **)symbols[i].at;
	}
	/* Its own messages on stderr would be a second voice. */
	loaded = loaded && lib.open() >= 0 && lib.set_auto(0, NULL, NULL) >= 0;
}

const struct hdf5_lib *hdf5_lib(struct err *err)
{
	pthread_once(&load_once, load);
	if (loaded)
		return &lib;
	err_set(err, ENOENT,
		"HDF5 is written by libhdf5, which is not installed: "
		"apt-get install libhdf5-103-1");
	return NULL;
}
