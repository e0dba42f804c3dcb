/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd, loaded by the web side alone: with its TLS it brings a dozen libraries along,
 * which no other role and no other command should pay for.
 */
#ifndef SERVER_MHD_H
#define SERVER_MHD_H

#include <microhttpd.h>
#include <stdbool.h>

struct err;

struct mhd {
	bool in_place; /* parses heads in place and takes what it should not: http_strict.c */
	__typeof__(MHD_start_daemon) *start_daemon;
	__typeof__(MHD_stop_daemon) *stop_daemon;
	__typeof__(MHD_quiesce_daemon) *quiesce_daemon;
	__typeof__(MHD_create_response_from_buffer) *response_from_buffer;
	__typeof__(MHD_create_response_from_buffer_with_free_callback) *response_from_owned;
	__typeof__(MHD_create_response_from_fd_at_offset64) *response_from_fd;
	__typeof__(MHD_create_response_from_callback) *response_from_callback;
	__typeof__(MHD_add_response_header) *add_header;
	__typeof__(MHD_get_response_header) *response_header;
	__typeof__(MHD_queue_response) *queue_response;
	__typeof__(MHD_destroy_response) *destroy_response;
	__typeof__(MHD_suspend_connection) *suspend;
	__typeof__(MHD_resume_connection) *resume;
	__typeof__(MHD_lookup_connection_value) *lookup;
	__typeof__(MHD_get_connection_values) *each_value;
	__typeof__(MHD_get_connection_info) *connection_info;
	__typeof__(MHD_is_feature_supported) *has_feature;
};

/* NULL, with what to install, where there is none.  For all threads. */
const struct mhd *mhd_load(struct err *err);

#endif
