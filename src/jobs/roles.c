// SPDX-License-Identifier: Apache-2.0
#include "jobs/roles.h"
#include "base/vec.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static bool passes(const char *entry)
{
	static const char *const begins[] = {
		"PATH=",	  "LANG=",	   "LC_",	    "TZ=",
		"PERFOLIO_",	  "ASAN_OPTIONS=", "LSAN_OPTIONS=", "TSAN_OPTIONS=",
		"UBSAN_OPTIONS=", "LLVM_PROFILE_", "DEBUGINFOD_",
	};

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(entry, begins[i], strlen(begins[i])))
			return true;
	return false;
}

char **role_environment(void)
{
	struct strlist list = { 0 };

	for (char **entry = environ; *entry; entry++)
		if (passes(*entry))
			strlist_add(&list, *entry);
	vec_push(&list);
	return list.data;
}

void role_environment_free(char **environment)
{
	for (char **entry = environment; entry && *entry; entry++)
		free(*entry);
	free(environment);
}
