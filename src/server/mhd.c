// SPDX-License-Identifier: Apache-2.0
#include "server/mhd.h"
#include "base/err.h"
#include "base/mem.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static struct mhd lib;
static bool loaded;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void)
{
	const struct {
		void *at;
		const char *name;
	} symbols[] = {
		{ &lib.start_daemon, "MHD_start_daemon" },
		{ &lib.stop_daemon, "MHD_stop_daemon" },
		{ &lib.quiesce_daemon, "MHD_quiesce_daemon" },
		{ &lib.response_from_buffer, "MHD_create_response_from_buffer" },
		{ &lib.response_from_owned, "MHD_create_response_from_buffer_with_free_callback" },
		{ &lib.response_from_fd, "MHD_create_response_from_fd_at_offset64" },
		{ &lib.response_from_callback, "MHD_create_response_from_callback" },
		{ &lib.add_header, "MHD_add_response_header" },
		{ &lib.response_header, "MHD_get_response_header" },
		{ &lib.queue_response, "MHD_queue_response" },
		{ &lib.destroy_response, "MHD_destroy_response" },
		{ &lib.suspend, "MHD_suspend_connection" },
		{ &lib.resume, "MHD_resume_connection" },
		{ &lib.lookup, "MHD_lookup_connection_value" },
		{ &lib.each_value, "MHD_get_connection_values" },
		{ &lib.connection_info, "MHD_get_connection_info" },
		{ &lib.has_feature, "MHD_is_feature_supported" },
	};
	const char *(*version)(void) = NULL;
	void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);

	loaded = library;
	for (size_t i = 0; i < ARRAY_SIZE(symbols) && loaded; i++) {
		*(void **)symbols[i].at = dlsym(library, symbols[i].name);
		loaded = *(void **)symbols[i].at;
	}
	if (loaded)
		*(void **)&version = dlsym(library, "MHD_get_version");
	lib.in_place = version && strverscmp(version(), "0.9.76") < 0;
}

const struct mhd *mhd_load(struct err *err)
{
	pthread_once(&load_once, load);
	if (loaded)
		return &lib;
	err_set(err, ENOENT,
		"the server needs libmicrohttpd, which is not installed: "
		"apt-get install libmicrohttpd12");
	return NULL;
}
