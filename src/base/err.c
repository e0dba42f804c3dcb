// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"

#include <stdio.h>
#include <string.h>

int err_vset(struct err *err, int code, const char *format, va_list args)
{
	if (err) {
		err->code = code;
		vsnprintf(err->text, sizeof(err->text), format, args);
	}
	return -code;
}

int err_set(struct err *err, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	err_vset(err, code, format, args);
	va_end(args);
	return -code;
}

int err_prefix(struct err *err, const char *format, ...)
{
	char old[sizeof(err->text)];
	va_list args;
	size_t used;

	if (!err)
		return 0;
	memcpy(old, err->text, sizeof(old));
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", old);
	return -err->code;
}
