// SPDX-License-Identifier: Apache-2.0
#include "perfdata/hosttopology.h"
#include "base/cpuset.h"
#include "base/file.h"
#include "perfdata/payload.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define CACHE_LEVELS_MAX 10

/* CPUs 0 to n-1 that the machine could have: the last number of "0-3,8-11" and one more. */
static int cpus_possible(const char *sysfs)
{
	struct cpuset set = { 0 };
	char text[4096];
	int count = 0;

	if (file_line(text, sizeof(text), "%s/devices/system/cpu/possible", sysfs) > 0 &&
	    !cpuset_parse(&set, text, NULL) && set.len)
		count = *vec_last(&set) + 1;
	cpuset_free(&set);
	return count;
}

static void add_unique(struct strlist *list, const char *text)
{
	vec_each (have, list)
		if (!strcmp(*have, text))
			return;
	strlist_add(list, text);
}

/* The different lists that the CPUs name in one of these files, the first that there is. */
static void sibling_lists(const char *sysfs, int cpus, const char *const names[2],
			  struct strlist *lists)
{
	char text[4096];

	for (int cpu = 0; cpu < cpus; cpu++)
		for (int i = 0; i < 2; i++)
			if (file_line(text, sizeof(text), "%s/devices/system/cpu/cpu%d/topology/%s",
				      sysfs, cpu, names[i]) > 0) {
				add_unique(lists, text);
				break;
			}
}

static void add_list(struct buf *into, const struct strlist *lists)
{
	payload_u32(into, (uint32_t)lists->len);
	vec_each (text, lists)
		payload_text(into, *text);
}

/* An offline CPU tells no number; perf writes -1 for it. */
static uint32_t topology_number(const char *sysfs, int cpu, const char *name)
{
	int64_t number;

	if (file_number(&number, "%s/devices/system/cpu/cpu%d/topology/%s", sysfs, cpu, name))
		return UINT32_MAX;
	return (uint32_t)number;
}

bool hosttopology_cpus(const char *sysfs, struct buf *into)
{
	static const char *const packages[] = { "package_cpus_list", "core_siblings_list" };
	static const char *const cores[] = { "core_cpus_list", "thread_siblings_list" };
	static const char *const dies[] = { "die_cpus_list", "die_cpus_list" };
	struct strlist package_lists = { 0 }, core_lists = { 0 }, die_lists = { 0 };
	int cpus = cpus_possible(sysfs);

	sibling_lists(sysfs, cpus, packages, &package_lists);
	sibling_lists(sysfs, cpus, cores, &core_lists);
	sibling_lists(sysfs, cpus, dies, &die_lists);
	add_list(into, &package_lists);
	add_list(into, &core_lists);
	for (int cpu = 0; cpu < cpus; cpu++) {
		payload_u32(into, topology_number(sysfs, cpu, "core_id"));
		payload_u32(into, topology_number(sysfs, cpu, "physical_package_id"));
	}
	if (die_lists.len) {
		add_list(into, &die_lists);
		for (int cpu = 0; cpu < cpus; cpu++)
			payload_u32(into, topology_number(sysfs, cpu, "die_id"));
	}
	strlist_free(&die_lists);
	strlist_free(&core_lists);
	strlist_free(&package_lists);
	return cpus > 0;
}

static int by_number(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

struct numbers VEC_OF(int64_t);

/* The numbers in the names of a folder that begin with `prefix`: node0, memory12. */
static void numbered_names(const char *path, const char *prefix, struct numbers *into)
{
	struct strlist names = { 0 };

	dir_names(path, &names, NULL);
	vec_each (name, &names) {
		char *end;
		long number;

		if (strncmp(*name, prefix, strlen(prefix)))
			continue;
		number = strtol(*name + strlen(prefix), &end, 10);
		if (!*end && end > *name + strlen(prefix) && number >= 0)
			*vec_push(into) = number;
	}
	strlist_free(&names);
	if (into->len)
		qsort(into->data, into->len, sizeof(*into->data), by_number);
}

static uint64_t node_memory(const char *sysfs, int64_t node, const char *key)
{
	char path[PATH_MAX], *text, *at;
	uint64_t value = 0;
	size_t size;

	snprintf(path, sizeof(path), "%s/devices/system/node/node%lld/meminfo", sysfs,
		 (long long)node);
	text = file_read(path, &size, NULL);
	at = text ? strstr(text, key) : NULL;
	if (at)
		value = strtoull(at + strlen(key), NULL, 10);
	free(text);
	return value;
}

bool hosttopology_numa(const char *sysfs, struct buf *into)
{
	struct numbers nodes = { 0 };
	char path[PATH_MAX], cpus[4096];
	bool any;

	snprintf(path, sizeof(path), "%s/devices/system/node", sysfs);
	numbered_names(path, "node", &nodes);
	payload_u32(into, (uint32_t)nodes.len);
	vec_each (node, &nodes) {
		file_line(cpus, sizeof(cpus), "%s/node%lld/cpulist", path, (long long)*node);
		payload_u32(into, (uint32_t)*node);
		payload_u64(into, node_memory(sysfs, *node, "MemTotal:"));
		payload_u64(into, node_memory(sysfs, *node, "MemFree:"));
		payload_text(into, cpus);
	}
	any = nodes.len > 0;
	vec_free(&nodes);
	return any;
}

struct cache {
	uint32_t level, line_size, sets, ways;
	char type[32], size[32], cpus[256];
};

struct caches VEC_OF(struct cache);

static bool read_cache(const char *sysfs, int cpu, int index, struct cache *cache)
{
	char path[PATH_MAX];
	int64_t number;

	*cache = (struct cache){ 0 };
	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%d/cache/index%d", sysfs, cpu,
		 index);
	if (file_number(&number, "%s/level", path))
		return false;
	cache->level = (uint32_t)number;
	if (!file_number(&number, "%s/coherency_line_size", path))
		cache->line_size = (uint32_t)number;
	if (!file_number(&number, "%s/number_of_sets", path))
		cache->sets = (uint32_t)number;
	if (!file_number(&number, "%s/ways_of_associativity", path))
		cache->ways = (uint32_t)number;
	file_line(cache->type, sizeof(cache->type), "%s/type", path);
	file_line(cache->size, sizeof(cache->size), "%s/size", path);
	file_line(cache->cpus, sizeof(cache->cpus), "%s/shared_cpu_list", path);
	return true;
}

static bool same_cache(const struct cache *a, const struct cache *b)
{
	return a->level == b->level && a->line_size == b->line_size && a->sets == b->sets &&
	       a->ways == b->ways && !strcmp(a->type, b->type) && !strcmp(a->size, b->size) &&
	       !strcmp(a->cpus, b->cpus);
}

static void add_cache(struct caches *caches, const struct cache *cache)
{
	vec_each (have, caches)
		if (same_cache(have, cache))
			return;
	*vec_push(caches) = *cache;
}

static int by_level(const void *a, const void *b)
{
	const struct cache *x = a, *y = b;

	return (x->level > y->level) - (x->level < y->level);
}

/* By level, and within a level as the CPUs named them: qsort does not keep that, insertion does. */
static void sort_caches(struct caches *caches)
{
	for (size_t i = 1; i < caches->len; i++)
		for (size_t j = i; j && by_level(&caches->data[j - 1], &caches->data[j]) > 0; j--) {
			struct cache swap = caches->data[j];

			caches->data[j] = caches->data[j - 1];
			caches->data[j - 1] = swap;
		}
}

bool hosttopology_caches(const char *sysfs, struct buf *into)
{
	struct caches caches = { 0 };
	int cpus = cpus_possible(sysfs);
	struct cache cache;
	bool any;

	for (int cpu = 0; cpu < cpus; cpu++)
		for (int index = 0; index < CACHE_LEVELS_MAX; index++)
			if (read_cache(sysfs, cpu, index, &cache))
				add_cache(&caches, &cache);
	sort_caches(&caches);
	payload_u32(into, 1); /* version */
	payload_u32(into, (uint32_t)caches.len);
	vec_each (each, &caches) {
		payload_u32(into, each->level);
		payload_u32(into, each->line_size);
		payload_u32(into, each->sets);
		payload_u32(into, each->ways);
		payload_text(into, each->type);
		payload_text(into, each->size);
		payload_text(into, each->cpus);
	}
	any = caches.len > 0;
	vec_free(&caches);
	return any;
}

/* The blocks of a node as perf holds them: how many bits, how many bits again, the words. */
static void add_blocks(struct buf *into, const struct numbers *blocks)
{
	uint64_t bits = blocks->len ? (uint64_t)*vec_last(blocks) + 1 : 0;
	VEC(uint64_t) words = { 0 };

	for (uint64_t i = 0; i < (bits + 63) / 64; i++)
		*vec_push(&words) = 0;
	vec_each (block, blocks)
		words.data[*block / 64] |= 1ULL << (*block % 64);
	payload_u64(into, bits);
	payload_u64(into, bits);
	buf_add(into, words.data, words.len * sizeof(*words.data));
	vec_free(&words);
}

bool hosttopology_memory(const char *sysfs, struct buf *into)
{
	struct numbers nodes = { 0 };
	char text[64], path[PATH_MAX];
	bool any;

	if (file_line(text, sizeof(text), "%s/devices/system/memory/block_size_bytes", sysfs) <= 0)
		return false;
	snprintf(path, sizeof(path), "%s/devices/system/node", sysfs);
	numbered_names(path, "node", &nodes);
	payload_u64(into, 1); /* version */
	payload_u64(into, strtoull(text, NULL, 16));
	payload_u64(into, nodes.len);
	vec_each (node, &nodes) {
		struct numbers blocks = { 0 };

		snprintf(path, sizeof(path), "%s/devices/system/node/node%lld", sysfs,
			 (long long)*node);
		numbered_names(path, "memory", &blocks);
		payload_u64(into, (uint64_t)*node);
		add_blocks(into, &blocks);
		vec_free(&blocks);
	}
	any = nodes.len > 0;
	vec_free(&nodes);
	return any;
}

bool hosttopology_pmus(const char *sysfs, struct buf *into)
{
	struct strlist names = { 0 };
	char path[PATH_MAX];
	uint32_t count = 0;
	int64_t type;

	snprintf(path, sizeof(path), "%s/bus/event_source/devices", sysfs);
	dir_names(path, &names, NULL);
	vec_each (name, &names)
		count += !file_number(&type, "%s/%s/type", path, *name);
	payload_u32(into, count);
	vec_each (name, &names)
		if (!file_number(&type, "%s/%s/type", path, *name)) {
			payload_u32(into, (uint32_t)type);
			payload_text(into, *name);
		}
	strlist_free(&names);
	return count > 0;
}
