// SPDX-License-Identifier: Apache-2.0
#include "event/modifier.h"

#include "base/mem.h"
#include <string.h>

static const char known[] = EVENT_MODIFIERS;

bool modifiers_follow(const char *text)
{
	return !*text || (*text == ':' && strspn(text + 1, known) == strlen(text + 1));
}

int modifiers_check(const char *letters, size_t length)
{
	int precise = 0;

	for (size_t i = 0; i < length; i++) {
		if (!letters[i] || !strchr(known, letters[i]))
			return (int)i;
		if (letters[i] == 'p' ? ++precise > 3 : memchr(letters, letters[i], i) != NULL)
			return (int)i;
	}
	return -1;
}

/* The first of u, k and h turns the meaning round: from everything to nothing but these. */
static void only_mode(struct perf_event_attr *attr, bool *chosen)
{
	if (*chosen)
		return;
	attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 1;
	*chosen = true;
}

static void only_machine(struct perf_event_attr *attr, bool *chosen)
{
	if (*chosen)
		return;
	attr->exclude_host = attr->exclude_guest = 1;
	*chosen = true;
}

static void apply_flag(struct event *event, char letter)
{
	switch (letter) {
	case 'P': event->precise_max = true; break;
	case 'S': event->sample_read = true; break;
	case 'D': event->attr.base.pinned = 1; break;
	case 'W': event->weak = true; break;
	case 'e': event->attr.base.exclusive = 1; break;
	case 'I': event->attr.base.exclude_idle = 1; break;
	case 'b': event->use_bpf = true; break;
	}
}

void modifiers_apply(struct event *event, const char *letters, size_t length, bool of_group)
{
	struct perf_event_attr *attr = &event->attr.base;
	bool modes = attr->exclude_user || attr->exclude_kernel || attr->exclude_hv;
	bool machines = of_group && event->explicit_machine;

	/* perf's rule, not obvious: an event's own letters forget the default "no guests", and u
	 * and p bring it back unless G or H stand before them. */
	if (!of_group && length)
		attr->exclude_guest = 0;
	for (size_t i = 0; i < length; i++) {
		switch (letters[i]) {
		case 'u':
			only_mode(attr, &modes);
			attr->exclude_user = 0;
			attr->exclude_guest |= !machines;
			break;
		case 'k':
			only_mode(attr, &modes);
			attr->exclude_kernel = 0;
			break;
		case 'h':
			only_mode(attr, &modes);
			attr->exclude_hv = 0;
			break;
		case 'G':
			only_machine(attr, &machines);
			attr->exclude_guest = 0;
			break;
		case 'H':
			only_machine(attr, &machines);
			attr->exclude_host = 0;
			break;
		case 'p':
			attr->precise_ip += attr->precise_ip < 3;
			attr->exclude_guest |= !machines;
			break;
		default: apply_flag(event, letters[i]);
		}
	}
	event->explicit_machine = machines;
	event->explicit_modes |= modes || machines;
}

const char *modifiers_of(const char *name)
{
	const char *colon = strrchr(name, ':'), *slash = strrchr(name, '/');
	const char *at = colon > slash ? colon : slash;

	return at && !at[1 + strspn(at + 1, known)] ? at + 1 : NULL;
}

char *modifiers_name(const char *name, const struct perf_event_attr *attr)
{
	const char *has = modifiers_of(name);
	const char *mode = attr->exclude_kernel == attr->exclude_user ? ""
			   : attr->exclude_kernel		      ? "u"
								      : "k";

	if (!*mode || (has && strstr(has, mode)))
		return mem_strdup(name);
	return mem_printf("%s%s%s", name, has ? "" : ":", mode);
}
