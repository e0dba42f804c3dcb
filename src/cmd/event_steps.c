// SPDX-License-Identifier: Apache-2.0
#include "cmd/event_steps.h"
#include "base/err.h"
#include "event/parse.h"

#include <errno.h>

void event_steps_add(struct event_steps *steps, const char *text)
{
	*vec_push(steps) = (struct event_step){ .text = text };
}

int event_steps_add_filter(struct event_steps *steps, const char *text, struct err *err)
{
	if (!steps->len)
		return err_set(err, EINVAL, "it filters the -e before it, and there is none");
	*vec_push(steps) = (struct event_step){ .is_filter = true, .text = text };
	return 0;
}

int event_steps_parse(const struct event_steps *steps, struct event_list *list,
		      struct catalog *catalog, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < steps->len && !rc; i++) {
		const struct event_step *step = &steps->data[i];

		rc = step->is_filter ? event_list_set_filter(list, step->text, err)
				     : event_list_parse(list, catalog, step->text, err);
	}
	return rc;
}
