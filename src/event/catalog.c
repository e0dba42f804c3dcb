// SPDX-License-Identifier: Apache-2.0
#include "event/catalog.h"
#include "base/file.h"
#include "event/model.h"
#include "event/modifier.h"
#include "event/pmu.h"
#include "event/source.h"
#include "event/vendor.h"

#include <ctype.h>
#include <errno.h>
#include <strings.h>

/* In the order in which a name is looked up: cheap ones first. */
static const struct event_source *const sources[] = {
	&source_hardware, &source_cache,      &source_software, &source_tool,
	&source_raw,	  &source_breakpoint, &source_pmu,	&source_tracepoint,
	&source_probe,	  &source_vendor,     &source_model,
};

struct catalog *catalog_new(const struct catalog_options *options)
{
	static const struct catalog_options defaults;
	const struct catalog_options *o = options ? options : &defaults;
	struct catalog *catalog = mem_alloc(sizeof(*catalog));

	catalog->sysfs = arena_strdup(&catalog->arena, o->sysfs ? o->sysfs : "/sys");
	catalog->cpu = o->cpu ? arena_strdup(&catalog->arena, o->cpu) : NULL;
	catalog->tracefs.asked = o->tracefs ? mem_strdup(o->tracefs) : NULL;
	if (o->data_dir) {
		catalog->data_dir = arena_strdup(&catalog->arena, o->data_dir);
	} else {
		char *dir = dir_user_data();

		catalog->data_dir = arena_strdup(&catalog->arena, dir);
		free(dir);
	}
	return catalog;
}

void catalog_free(struct catalog *catalog)
{
	if (!catalog)
		return;
	pmus_free(catalog->pmus);
	tracefs_fini(&catalog->tracefs);
	vendor_tables_free(catalog->vendor);
	arena_free(&catalog->arena);
	free(catalog);
}

int catalog_each(struct catalog *catalog, struct arena *texts, catalog_visit *visit, void *user)
{
	struct catalog_walk walk = { visit, user, texts };

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		bool listed = sources[i]->of_model || !catalog->cpu;
		int rc = listed ? sources[i]->each(catalog, &walk) : 0;

		if (rc)
			return rc;
	}
	return 0;
}

int catalog_each_model(struct catalog *catalog, catalog_model_visit *visit, void *user)
{
	struct model_pmu pmu;
	int rc = vendor_each_model(catalog, visit, user);

	for (int next = 0; !rc && model_next_pmu(&next, &pmu);) {
		struct catalog_model model = { pmu.name, pmu.title, "" };

		if (pmu.core)
			rc = visit(&model, user);
	}
	return rc;
}

size_t source_word(const char *name)
{
	return strcspn(name, ":");
}

bool source_ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), size = strlen(end);

	return size >= 4 && length > size && !strcasecmp(name + length - size, end);
}

int source_number(const char *text, size_t length, int base, uint64_t *value)
{
	uint64_t sum = 0;

	if (!base) {
		base = length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10;
		if (base == 16)
			text += 2, length -= 2;
	}
	if (!length)
		return -EINVAL;
	for (size_t i = 0; i < length; i++) {
		int digit = isdigit((unsigned char)text[i])    ? text[i] - '0'
			    : isxdigit((unsigned char)text[i]) ? (text[i] | 0x20) - 'a' + 10
							       : base;

		if (digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(sum, (uint64_t)base, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)digit, &sum))
			return -ERANGE;
	}
	*value = sum;
	return 0;
}

int catalog_find(struct catalog *catalog, const char *name, struct event_list *list,
		 struct err *err)
{
	size_t before = list->events.len;
	int best = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		int used = sources[i]->find(catalog, name, list, err);

		if (used < 0 || (used && modifiers_follow(name + used)))
			return used;
		event_list_truncate(list, before);
		best = used > best ? used : best;
	}
	return best;
}

bool catalog_pmu_has(const struct catalog *catalog, const char *pmu, const char *file)
{
	return file_exists("%s/bus/event_source/devices/%s/%s", catalog->sysfs, pmu, file);
}
