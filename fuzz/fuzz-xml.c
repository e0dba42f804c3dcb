// SPDX-License-Identifier: Apache-2.0
/* Any bytes as XML text: nothing is left that XML gives a meaning or does not allow. */
#include "base/outbuf.h"
#include "fuzz.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *made;
	int fd = memfd_create("xml", MFD_CLOEXEC);
	struct outbuf out;
	off_t length;

	FUZZ_HOLDS(fd >= 0);
	outbuf_init(&out, fd);
	xml_text(&out, text);
	xml_text_cut(&out, text, 3 + size % 7);
	FUZZ_HOLDS(!outbuf_fini(&out));
	length = lseek(fd, 0, SEEK_END);
	made = calloc(1, (size_t)length + 1);
	FUZZ_HOLDS(made && pread(fd, made, (size_t)length, 0) == length);
	check(made, (size_t)length);
	close(fd);
	free(made);
	free(text);
	return 0;
}
