// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as XML text: nothing is left that XML gives a meaning or does not allow.  And as JSON
 * inside a script element: it is JSON, and ends nothing.
 */
#include "base/jsonread.h"
#include "base/outbuf.h"
#include "fuzz.h"
#include "render/flame_columns.h"
#include "render/xml.h"

#include <sys/mman.h>
#include <unistd.h>

static void check(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		FUZZ_HOLDS((unsigned char)text[i] >= ' ');
		FUZZ_HOLDS(!strchr("<>\"'", text[i]));
		if (text[i] == '&')
			FUZZ_HOLDS(!strncmp(text + i, "&lt;", 4) || !strncmp(text + i, "&gt;", 4) ||
				   !strncmp(text + i, "&amp;", 5) ||
				   !strncmp(text + i, "&#39;", 5) ||
				   !strncmp(text + i, "&quot;", 6));
	}
}

static void check_script(const char *text, size_t size)
{
	struct json_object *read = jsonread(text, size, "text", NULL);

	FUZZ_HOLDS(!memchr(text, '<', size));
	FUZZ_HOLDS(read && json_object_is_type(read, json_type_string));
	json_object_put(read);
}

/* What was written into a file; free it. */
static char *written(struct outbuf *out, int fd, size_t *size)
{
	char *made;
	off_t length;

	FUZZ_HOLDS(!outbuf_fini(out));
	length = lseek(fd, 0, SEEK_END);
	made = calloc(1, (size_t)length + 1);
	FUZZ_HOLDS(made && pread(fd, made, (size_t)length, 0) == length);
	close(fd);
	*size = (size_t)length;
	return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *made;
	int fds[] = { memfd_create("xml", MFD_CLOEXEC), memfd_create("script", MFD_CLOEXEC) };
	struct outbuf out;
	size_t length;

	FUZZ_HOLDS(fds[0] >= 0 && fds[1] >= 0);
	outbuf_init(&out, fds[0]);
	xml_text(&out, text);
	xml_text_cut(&out, text, 3 + size % 7);
	made = written(&out, fds[0], &length);
	check(made, length);
	free(made);
	outbuf_init(&out, fds[1]);
	flame_script_text(&out, text);
	made = written(&out, fds[1], &length);
	check_script(made, length);
	free(made);
	free(text);
	return 0;
}
