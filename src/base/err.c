// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *format, ...)
{
	char text[sizeof(err->text)]; /* the arguments may point into err->text */
	va_list args;

	if (err) {
		va_start(args, format);
		vsnprintf(text, sizeof(text), format, args);
		va_end(args);
		memcpy(err->text, text, strlen(text) + 1);
		err->code = code;
	}
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
