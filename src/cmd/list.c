// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"
#include "cmd/command.h"

#include <errno.h>

static int run(void *options, int argc, char **argv, struct err *err)
{
	(void)options, (void)argc, (void)argv;
	return err_set(err, ENOSYS, "not there yet");
}

const struct command cmd_list = { .name = "list", .summary = "", .example = "", .run = run };
