// SPDX-License-Identifier: Apache-2.0
#include "base/vec.h"

void strlist_add(struct strlist *list, const char *text)
{
	*vec_push(list) = mem_strdup(text);
}

void strlist_free(struct strlist *list)
{
	vec_each (text, list)
		free(*text);
	vec_free(list);
}
