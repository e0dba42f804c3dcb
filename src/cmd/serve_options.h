/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `serve`, from the command line and from --config. */
#ifndef CMD_SERVE_OPTIONS_H
#define CMD_SERVE_OPTIONS_H

#include "base/options.h"
#include "base/vec.h"

struct serve_options {
	const char *listen, *data, *config;
	struct strlist names, webhooks;
	const char *tls_cert, *tls_key;
	const char *user, *web_user, *deny, *allow, *run_network;
	bool as_root, open, insecure, gc, private_tmp;
	int64_t max_runtime_ns;
	uint64_t max_output, max_disk, max_share, max_export;
	uint64_t run_memory, run_tasks, run_cpu; /* run_cpu: thousandths */
	uint64_t analyser_memory;
	int64_t analyser_ns;
	const char *role; /* of a process that the server started */
	bool imported;
	const char *run_user; /* "UID:GID:SHIELD": sandbox_read_user() */

	struct strlist kept; /* the words of the file, which texts above point into */
};

extern const struct option_spec serve_option_specs[];
extern const struct serve_options serve_option_defaults;

/* What --config says, below what the command line says. */
int serve_options_read(struct serve_options *options, struct err *err);
int serve_options_check(const struct serve_options *options, struct err *err);
void serve_options_release(void *options);

#endif
