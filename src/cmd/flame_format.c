// SPDX-License-Identifier: Apache-2.0
#include "cmd/flame_format.h"
#include "base/buf.h"
#include "base/err.h"
#include "cmd/flame_options.h"

#include <errno.h>

const struct flame_format_spec flame_formats[FORMATS] = {
	[FORMAT_SVG] = { "svg", .is_picture = true },
	[FORMAT_FOLDED] = { "folded", .ends = "txt" },
	[FORMAT_JSON] = { "json" },
};

/* Whether a word is one of those in a list with blanks between. */
static bool is_among(const char *word, const char *list)
{
	size_t length = strlen(word);

	for (const char *at = list; at && *at; at += strspn(at, " ")) {
		size_t here = strcspn(at, " ");

		if (here == length && !strncmp(at, word, length))
			return true;
		at += here;
	}
	return false;
}

static int no_such_format(const char *name, struct err *err)
{
	struct buf names = { 0 };

	for (int i = 0; i < FORMATS; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", flame_formats[i].name);
	err_set(err, EINVAL, "--format '%s': there are: %s", name, buf_text(&names));
	buf_free(&names);
	return -EINVAL;
}

int flame_format_of(const struct flame_args *args, enum flame_format standard,
		    enum flame_format *format, struct err *err)
{
	const char *point = args->output ? strrchr(args->output, '.') : NULL;

	*format = standard;
	for (int i = 0; args->format && i < FORMATS; i++)
		if (!strcmp(args->format, flame_formats[i].name)) {
			*format = (enum flame_format)i;
			return 0;
		}
	if (args->format)
		return no_such_format(args->format, err);
	for (int i = 0; point && i < FORMATS; i++)
		if (!strcmp(point + 1, flame_formats[i].name) ||
		    is_among(point + 1, flame_formats[i].ends))
			*format = (enum flame_format)i;
	return 0;
}
