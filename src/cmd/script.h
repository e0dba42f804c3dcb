/* SPDX-License-Identifier: Apache-2.0 */
/* The text of `script` for other commands that keep it. */
#ifndef CMD_SCRIPT_H
#define CMD_SCRIPT_H

#include "cmd/symbols.h"

struct err;

/* All samples of a recording as `script` prints them, to a descriptor. */
int script_print(const char *input, int fd, struct err *err);

/* All samples of a recording as `script --header` prints them, into the file `output`. */
int script_write(const char *input, const struct symbol_args *names, const char *output,
		 struct err *err);

#endif
