// SPDX-License-Identifier: Apache-2.0
/* Hardware breakpoints: mem:ADDRESS[/LENGTH][:rwx]. */
#include "base/err.h"
#include "event/source.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>

#define PREFIX "mem:"

/* Letters of r, w and x, each once; 0 if it is anything else (modifiers, say). */
static uint32_t access_of(const char *text, size_t length)
{
	uint32_t type = 0;

	for (size_t i = 0; i < length; i++) {
		uint32_t bit = text[i] == 'r'	? HW_BREAKPOINT_R
			       : text[i] == 'w' ? HW_BREAKPOINT_W
			       : text[i] == 'x' ? HW_BREAKPOINT_X
						: 0;

		if (!bit || type & bit)
			return 0;
		type |= bit;
	}
	return type;
}

static int breakpoint_find(struct catalog *catalog, const char *name, struct event_list *list,
			   struct err *err)
{
	uint64_t address, length = 0;
	uint32_t type = 0;
	const char *at = name + strlen(PREFIX);
	struct event *event;
	size_t size;

	(void)catalog;
	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return 0;
	size = strcspn(at, "/:");
	if (source_number(at, size, 0, &address))
		return err_set(err, EINVAL, "a breakpoint is mem:ADDRESS[/LENGTH][:rwx]");
	at += size;
	if (*at == '/') {
		size = source_word(++at);
		if (source_number(at, size, 0, &length) || length < 1 || length > 8)
			return err_set(err, EINVAL, "a breakpoint is 1 to 8 bytes long");
		at += size;
	}
	if (*at == ':') {
		size = source_word(at + 1);
		type = access_of(at + 1, size);
		at += type ? size + 1 : 0;
	}
	event = event_list_add(list, EVENT_BREAKPOINT, PERF_TYPE_BREAKPOINT, 0);
	event->attr.base.bp_addr = address;
	event->attr.base.bp_type = type ? type : HW_BREAKPOINT_RW;
	event->attr.base.bp_len = length ? length : type == HW_BREAKPOINT_X ? sizeof(long) : 4;
	return (int)(at - name);
}

static int breakpoint_each(struct catalog *catalog, const struct catalog_walk *walk)
{
	static const struct catalog_entry form = {
		.name = "mem:ADDRESS[/LENGTH][:rwx]",
		.example = "mem:0x1000/4:w",
		.brief = "accesses to memory: reads, writes, execution",
		.kind = EVENT_BREAKPOINT,
	};

	(void)catalog;
	return walk->visit(&form, walk->user);
}

const struct event_source source_breakpoint = { breakpoint_find, breakpoint_each };
