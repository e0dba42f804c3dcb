// SPDX-License-Identifier: Apache-2.0
#include "server/field.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool field_cookie(const char *text, const char *name, char *into, size_t room)
{
	size_t length = strlen(name), value;

	while (text) {
		text += strspn(text, " ;");
		if (!strncmp(text, name, length) && text[length] == '=') {
			text += length + 1;
			value = strcspn(text, "; ");
			if (value >= room)
				return false;
			memcpy(into, text, value);
			into[value] = '\0';
			return true;
		}
		text = strchr(text, ';');
	}
	return false;
}

/* A number and what follows it; false if there is none or it is too large. */
static bool take_number(const char **text, uint64_t *number)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*number = strtoull(*text, &end, 10);
	*text = end;
	return !errno;
}

int field_range(const char *text, uint64_t size, uint64_t *first, uint64_t *length)
{
	uint64_t from, to;

	if (!text || strncmp(text, "bytes=", 6))
		return 0;
	text += 6;
	if (*text == '-') { /* the last so many */
		text++;
		if (!take_number(&text, &to) || *text)
			return 0;
		*length = to < size ? to : size;
		*first = size - *length;
		return *length ? 1 : -1;
	}
	if (!take_number(&text, &from) || *text++ != '-')
		return 0;
	to = UINT64_MAX;
	if (*text && (!take_number(&text, &to) || *text || to < from))
		return 0;
	if (from >= size)
		return -1;
	*first = from;
	*length = (to < size - 1 ? to : size - 1) - from + 1;
	return 1;
}

bool field_has_etag(const char *text, const char *quoted)
{
	return text && (!strcmp(text, "*") || strstr(text, quoted));
}

bool field_takes_gzip(const char *text)
{
	const char *gzip = text ? strstr(text, "gzip") : NULL;
	double q = 1;

	if (gzip)
		sscanf(gzip + 4, " ; q=%lf", &q);
	return gzip && q > 0;
}
