// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"

#include <stdio.h>
#include <string.h>

int err_vset(struct err *err, int code, const char *format, va_list args)
{
	char text[sizeof(err->text)]; /* the arguments may point into err->text */

	if (err) {
		vsnprintf(text, sizeof(text), format, args);
		memcpy(err->text, text, strlen(text) + 1);
		err->code = code;
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
	char words[sizeof(err->text)];
	va_list args;

	if (!err)
		return 0;
	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	return err_set(err, err->code, "%s: %s", words, err->text);
}
