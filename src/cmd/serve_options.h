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
	const char *user, *web_user, *deny;
	bool as_root, open, gc;
	int64_t max_runtime_ns;
	uint64_t max_output, max_disk;
	uint64_t analyser_memory;
	int64_t analyser_ns;
	const char *role; /* of a process that the server started */
	bool imported;
	const char *analyser_user; /* "UID:GID:SHIELD" */

	struct strlist kept; /* the words of the file, which texts above point into */
};

extern const struct option_spec serve_option_specs[];
extern const struct serve_options serve_option_defaults;

/* What --config says, below what the command line says. */
int serve_options_read(struct serve_options *options, struct err *err);
int serve_options_check(const struct serve_options *options, struct err *err);
void serve_options_release(void *options);

#endif
