// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_reasons.h"
#include "base/buf.h"

#include <stdio.h>

#define NAMES 4 /* so many are named, the rest is counted */

void reasons_add(struct reasons *reasons, const char *text, const char *name)
{
	struct reason *found = NULL;

	vec_each (reason, reasons)
		if (!strcmp(reason->text, text))
			found = reason;
	if (!found) {
		found = vec_push(reasons);
		snprintf(found->text, sizeof(found->text), "%s", text);
	}
	vec_each (known, &found->names)
		if (!strcmp(*known, name))
			return;
	*vec_push(&found->names) = name;
}

static void put_names(struct buf *out, const struct reason *reason)
{
	size_t shown = reason->names.len > NAMES + 1 ? NAMES : reason->names.len;

	for (size_t i = 0; i < shown; i++)
		buf_printf(out, "%s%s", i ? ", " : "", reason->names.data[i]);
	if (shown < reason->names.len)
		buf_printf(out, " and %zu more", reason->names.len - shown);
}

void reasons_say(struct reasons *reasons, struct buf *out)
{
	vec_each (reason, reasons) {
		buf_puts(out, "note: ");
		put_names(out, reason);
		buf_printf(out, ": %s\n", reason->text);
		vec_free(&reason->names);
	}
	vec_free(reasons);
}
