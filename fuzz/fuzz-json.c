// SPDX-License-Identifier: Apache-2.0
/* Whatever bytes we write as JSON text are read back as valid JSON; reading never trips. */
#include "base/json.h"
#include "base/jsonread.h"
#include "fuzz.h"

/* Valid UTF-8 without control characters comes back as it was; anything else at least parses. */
static void write_and_read(const char *text)
{
	struct json_object *root;
	struct json json;
	char *out = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&out, &size);

	FUZZ_HOLDS(file);
	json = json_to(file);
	json_open(&json, NULL, '{');
	json_text(&json, text, text);
	json_close(&json);
	fclose(file);
	root = jsonread(out, size, "written", NULL);
	FUZZ_HOLDS(root);
	json_object_put(root);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct json_object *root = jsonread(text, size, "input", NULL);

	json_object_put(root);
	write_and_read(text);
	free(text);
	return 0;
}
