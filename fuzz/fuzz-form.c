// SPDX-License-Identifier: Apache-2.0
/* Forms of runs: any JSON. */
#include "base/arena.h"
#include "base/jsonread.h"
#include "fuzz.h"
#include "server/form.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_object *object = jsonread((const char *)data, size, "form", NULL);
	struct wordlist events = { 0 };
	struct arena arena = { 0 };
	struct err err = { 0 };
	struct form form;

	if (json_object_is_type(object, json_type_object)) {
		if (form_parse(object, &arena, &form, &err)) {
			FUZZ_HOLDS(err.code && *err.text);
		} else {
			struct msg_start start = form_start(&form, 1);

			FUZZ_HOLDS(start.target != TARGET_COMMAND || start.argv.len);
			FUZZ_HOLDS(form.repeats >= 1 && form.repeats <= 1000);
			form_events(&form, &arena, &events);
			form_fini(&form);
		}
	}
	vec_free(&events);
	json_object_put(object);
	arena_free(&arena);
	return 0;
}
