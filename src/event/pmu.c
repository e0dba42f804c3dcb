// SPDX-License-Identifier: Apache-2.0
#include "event/pmu.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "event/source.h"

#include <errno.h>
#include <stdlib.h>

#define LINE 4096 /* sysfs gives no longer ones */

/* "config1:0-7,32-35" */
static int parse_format(struct pmu_format *format, const char *text)
{
	const char *colon = strchr(text, ':');
	struct cpuset bits = { 0 };
	int rc = 0;

	if (!colon || strncmp(text, "config", 6) != 0)
		return -EINVAL;
	if (colon - text > 7 || (colon - text == 7 && !strchr("123", text[6])))
		return -EINVAL;
	format->word = colon - text == 7 ? text[6] - '0' : 0;
	/* The same notation as a list of CPUs, and the same answer wanted: numbers in order. */
	if (cpuset_parse(&bits, colon + 1, NULL))
		rc = -EINVAL;
	vec_each (bit, &bits) {
		if (*bit > 63)
			rc = -EINVAL;
		else
			format->mask |= UINT64_C(1) << *bit;
	}
	cpuset_free(&bits);
	return rc;
}

static void load_formats(struct catalog *catalog, struct pmu *pmu)
{
	char *dir = mem_printf("%s/bus/event_source/devices/%s/format", catalog->sysfs, pmu->name);
	struct strlist names = { 0 };

	dir_names(dir, &names, NULL);
	vec_each (name, &names) {
		struct pmu_format format = { 0 };
		char line[LINE];

		if (file_line(line, sizeof(line), "%s/%s", dir, *name) <= 0 ||
		    parse_format(&format, line))
			continue;
		format.name = arena_strdup(&catalog->arena, *name);
		*vec_push(&pmu->formats) = format;
	}
	strlist_free(&names);
	free(dir);
}

/* Files beside an event's own: tsc, tsc.scale, tsc.unit, tsc.snapshot, tsc.per-pkg. */
static bool is_attribute(const char *name)
{
	static const char *const endings[] = { ".scale", ".unit", ".snapshot", ".per-pkg" };
	size_t length = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t size = strlen(endings[i]);

		if (length > size && !strcmp(name + length - size, endings[i]))
			return true;
	}
	return false;
}

static void load_event(struct catalog *catalog, struct pmu *pmu, const char *dir, const char *name)
{
	struct pmu_event event = { .unit = "", .scale = 1.0 };
	char line[LINE], *end;

	if (file_line(line, sizeof(line), "%s/%s", dir, name) <= 0)
		return;
	event.name = arena_strdup(&catalog->arena, name);
	event.terms = arena_strdup(&catalog->arena, line);
	if (file_line(line, sizeof(line), "%s/%s.unit", dir, name) > 0)
		event.unit = arena_strdup(&catalog->arena, line);
	if (file_line(line, sizeof(line), "%s/%s.scale", dir, name) > 0) {
		event.scale = strtod(line, &end);
		if (end == line || !(event.scale > 0))
			event.scale = 1.0;
	}
	event.snapshot = file_exists("%s/%s.snapshot", dir, name);
	*vec_push(&pmu->events) = event;
}

static void load_events(struct catalog *catalog, struct pmu *pmu)
{
	char *dir = mem_printf("%s/bus/event_source/devices/%s/events", catalog->sysfs, pmu->name);
	struct strlist names = { 0 };

	dir_names(dir, &names, NULL);
	vec_each (name, &names)
		if (!is_attribute(*name))
			load_event(catalog, pmu, dir, *name);
	strlist_free(&names);
	free(dir);
}

static void load_cpus(struct catalog *catalog, struct pmu *pmu)
{
	static const char *const files[] = { "cpumask", "cpus" };
	char line[LINE];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (file_line(line, sizeof(line), "%s/bus/event_source/devices/%s/%s",
			      catalog->sysfs, pmu->name, files[i]) <= 0)
			continue;
		if (cpuset_parse(&pmu->cpus, line, NULL))
			cpuset_free(&pmu->cpus);
		pmu->cpu_wide_only = !strcmp(files[i], "cpumask");
		return;
	}
}

static void load_caps(struct catalog *catalog, struct pmu *pmu)
{
	char *dir = mem_printf("%s/bus/event_source/devices/%s/caps", catalog->sysfs, pmu->name);
	struct strlist names = { 0 };
	struct buf caps = { 0 };

	dir_names(dir, &names, NULL);
	vec_each (name, &names) {
		char line[LINE];

		if (file_line(line, sizeof(line), "%s/%s", dir, *name) > 0)
			buf_printf(&caps, "%s%s=%s", caps.len ? " " : "", *name, line);
	}
	pmu->caps = arena_strdup(&catalog->arena, buf_text(&caps));
	buf_free(&caps);
	strlist_free(&names);
	free(dir);
}

static void pmu_load(struct catalog *catalog, struct pmu *pmu)
{
	if (pmu->loaded)
		return;
	pmu->loaded = true;
	load_formats(catalog, pmu);
	load_events(catalog, pmu);
	load_cpus(catalog, pmu);
	load_caps(catalog, pmu);
}

struct pmus *pmus_get(struct catalog *catalog)
{
	struct strlist names = { 0 };
	char *dir;

	if (catalog->pmus)
		return catalog->pmus;
	catalog->pmus = mem_alloc(sizeof(*catalog->pmus));
	dir = mem_printf("%s/bus/event_source/devices", catalog->sysfs);
	dir_names(dir, &names, NULL);
	vec_each (name, &names) {
		struct pmu *pmu;
		int64_t type;

		if (file_number(&type, "%s/%s/type", dir, *name) || type < 0 || type > UINT32_MAX)
			continue;
		pmu = vec_push(catalog->pmus);
		pmu->name = arena_strdup(&catalog->arena, *name);
		pmu->type = (uint32_t)type;
		pmu->core = type == PERF_TYPE_RAW || file_exists("%s/%s/cpus", dir, *name);
	}
	strlist_free(&names);
	free(dir);
	return catalog->pmus;
}

void pmus_free(struct pmus *pmus)
{
	if (!pmus)
		return;
	vec_each (pmu, pmus) {
		vec_free(&pmu->formats);
		vec_free(&pmu->events);
		cpuset_free(&pmu->cpus);
	}
	vec_free(pmus);
	free(pmus);
}

struct pmu *pmu_get(struct catalog *catalog, const char *name)
{
	vec_each (pmu, pmus_get(catalog)) {
		if (strcmp(pmu->name, name) != 0)
			continue;
		pmu_load(catalog, pmu);
		return pmu;
	}
	return NULL;
}

/* "" or "_12" or "12"; newer drivers number by address, so hexadecimal from three digits on. */
static bool is_instance(const char *text)
{
	size_t decimal, hex;

	text += *text == '_';
	decimal = strspn(text, "0123456789");
	hex = strspn(text, "0123456789abcdef");
	return !text[decimal] || (hex >= 3 && !text[hex]);
}

bool pmu_matches(const char *given, const char *name)
{
	static const char uncore[] = "uncore_";
	size_t length = strlen(given);

	if (!strncmp(name, uncore, strlen(uncore)) && strncmp(given, uncore, strlen(uncore)) != 0)
		name += strlen(uncore);
	if (strpbrk(given, "*?["))
		return text_glob(given, name);
	return !strncmp(name, given, length) && is_instance(name + length);
}
