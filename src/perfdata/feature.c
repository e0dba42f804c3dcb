// SPDX-License-Identifier: Apache-2.0
#include "perfdata/feature.h"
#include "base/mem.h"
#include "perfdata/impl.h"
#include "perfdata/swap.h"

#include <string.h>

bool feature_open(struct feature_bytes *bytes, struct perf_reader *reader,
		  enum perf_feature feature)
{
	const void *data;
	size_t size;

	if (!perf_reader_feature(reader, feature, &data, &size))
		return false;
	*bytes = (struct feature_bytes){ .c = cursor_of(data, size), .swapped = reader->swapped };
	return true;
}

uint32_t feature_u32(struct feature_bytes *bytes)
{
	uint32_t value = cursor_u32(&bytes->c);

	return bytes->swapped ? __builtin_bswap32(value) : value;
}

uint64_t feature_u64(struct feature_bytes *bytes)
{
	uint64_t value = cursor_u64(&bytes->c);

	return bytes->swapped ? __builtin_bswap64(value) : value;
}

const char *feature_string(struct feature_bytes *bytes)
{
	uint32_t length = feature_u32(bytes);
	const char *text = cursor_bytes(&bytes->c, length);

	if (!text || !memchr(text, 0, length)) {
		bytes->c.broken = true;
		return NULL;
	}
	return text;
}

uint32_t feature_count(struct feature_bytes *bytes, size_t size)
{
	uint32_t count = feature_u32(bytes);

	if (count > cursor_left(&bytes->c) / size) {
		bytes->c.broken = true;
		return 0;
	}
	return count;
}

const char *feature_text(struct perf_reader *reader, enum perf_feature feature)
{
	struct feature_bytes bytes;

	return feature_open(&bytes, reader, feature) ? feature_string(&bytes) : NULL;
}

static struct feature_strings load_strings(struct perf_env *env, struct feature_bytes *bytes)
{
	struct feature_strings strings = { .count = feature_count(bytes, sizeof(uint32_t)) };

	strings.data = arena_alloc(&env->arena, (strings.count + 1) * sizeof(*strings.data));
	for (uint32_t i = 0; i < strings.count; i++)
		strings.data[i] = feature_string(bytes);
	if (bytes->c.broken)
		strings.count = 0;
	return strings;
}

/* Memory for a list whose length stands next in the bytes. */
#define LOAD_LIST(env, list, bytes, size)                \
	((list)->count = feature_count((bytes), (size)), \
	 (list)->data = arena_alloc(&(env)->arena,       \
				    ((size_t)(list)->count + 1) * sizeof(*(list)->data)))
#define DROP_IF_BROKEN(list, bytes) ((list)->count = (bytes)->c.broken ? 0 : (list)->count)

static void load_event(struct perf_env *env, struct perf_reader *reader,
		       struct feature_bytes *bytes, uint32_t attr_size, struct feature_event *event)
{
	const void *attr = cursor_bytes(&bytes->c, attr_size);
	uint64_t *ids;

	if (!attr)
		return;
	header_parse_attr(reader, attr, attr_size, &event->attr);
	event->ids_count = feature_u32(bytes);
	event->name = feature_string(bytes);
	if (event->ids_count > cursor_left(&bytes->c) / sizeof(*ids)) {
		bytes->c.broken = true;
		event->ids_count = 0;
	}
	ids = arena_alloc(&env->arena, event->ids_count * sizeof(*ids));
	for (uint32_t i = 0; i < event->ids_count; i++)
		ids[i] = feature_u64(bytes);
	event->ids = ids;
}

void feature_load_events(struct perf_env *env, struct perf_reader *reader)
{
	struct feature_bytes bytes;
	uint32_t attr_size;

	if (!feature_open(&bytes, reader, FEATURE_EVENT_DESC))
		return;
	LOAD_LIST(env, &env->events, &bytes, PERF_ATTR_SIZE_VER0);
	attr_size = feature_u32(&bytes);
	for (uint32_t i = 0; i < env->events.count; i++)
		load_event(env, reader, &bytes, attr_size, &env->events.data[i]);
	DROP_IF_BROKEN(&env->events, &bytes);
	env->events_known = !bytes.c.broken;
}

void feature_load_groups(struct perf_env *env, struct perf_reader *reader)
{
	struct feature_bytes bytes;

	if (!feature_open(&bytes, reader, FEATURE_GROUP_DESC))
		return;
	LOAD_LIST(env, &env->groups, &bytes, 3 * sizeof(uint32_t));
	for (uint32_t i = 0; i < env->groups.count; i++) {
		struct feature_group *group = &env->groups.data[i];

		group->name = feature_string(&bytes);
		group->leader = feature_u32(&bytes);
		group->members = feature_u32(&bytes);
	}
	DROP_IF_BROKEN(&env->groups, &bytes);
}

/* CPUs: which of them share a core, a die, a socket.  perf has appended to it twice. */
static void load_topology(struct perf_env *env, struct perf_reader *reader)
{
	struct feature_bytes bytes;

	if (!feature_open(&bytes, reader, FEATURE_CPU_TOPOLOGY))
		return;
	env->sockets = load_strings(env, &bytes);
	env->threads = load_strings(env, &bytes);
	if (cursor_left(&bytes.c) / (2 * sizeof(uint32_t)) < env->cpus_available)
		return;
	env->cpus.count = env->cpus_available;
	env->cpus.data = arena_alloc(&env->arena,
				     ((size_t)env->cpus.count + 1) * sizeof(*env->cpus.data));
	for (uint32_t i = 0; i < env->cpus.count; i++) {
		env->cpus.data[i].core = feature_u32(&bytes);
		env->cpus.data[i].socket = feature_u32(&bytes);
	}
	if (!cursor_left(&bytes.c))
		return;
	env->dies = load_strings(env, &bytes);
	for (uint32_t i = 0; i < env->cpus.count; i++)
		env->cpus.data[i].die = feature_u32(&bytes);
	if (bytes.c.broken)
		env->cpus.count = env->dies.count = 0;
}

static void load_numa(struct perf_env *env, struct perf_reader *reader)
{
	struct feature_bytes bytes;

	if (!feature_open(&bytes, reader, FEATURE_NUMA_TOPOLOGY))
		return;
	LOAD_LIST(env, &env->numa, &bytes, 24);
	for (uint32_t i = 0; i < env->numa.count; i++) {
		struct feature_numa *node = &env->numa.data[i];

		node->node = feature_u32(&bytes);
		node->total_kb = feature_u64(&bytes);
		node->free_kb = feature_u64(&bytes);
		node->cpus = feature_string(&bytes);
	}
	DROP_IF_BROKEN(&env->numa, &bytes);
}

static void load_pmus(struct perf_env *env, struct perf_reader *reader)
{
	struct feature_bytes bytes;

	if (!feature_open(&bytes, reader, FEATURE_PMU_MAPPINGS))
		return;
	LOAD_LIST(env, &env->pmus, &bytes, 2 * sizeof(uint32_t));
	for (uint32_t i = 0; i < env->pmus.count; i++) {
		env->pmus.data[i].type = feature_u32(&bytes);
		env->pmus.data[i].name = feature_string(&bytes);
	}
	DROP_IF_BROKEN(&env->pmus, &bytes);
}

static void load_caches(struct perf_env *env, struct perf_reader *reader)
{
	struct feature_bytes bytes;

	if (!feature_open(&bytes, reader, FEATURE_CACHE) || feature_u32(&bytes) != 1)
		return;
	LOAD_LIST(env, &env->caches, &bytes, 7 * sizeof(uint32_t));
	for (uint32_t i = 0; i < env->caches.count; i++) {
		struct feature_cache *cache = &env->caches.data[i];

		cache->level = feature_u32(&bytes);
		cache->line_size = feature_u32(&bytes);
		cache->sets = feature_u32(&bytes);
		cache->ways = feature_u32(&bytes);
		cache->type = feature_string(&bytes);
		cache->size = feature_string(&bytes);
		cache->cpus = feature_string(&bytes);
	}
	DROP_IF_BROKEN(&env->caches, &bytes);
}

static void load_memory_node(struct perf_env *env, struct feature_bytes *bytes,
			     struct feature_memory *node)
{
	uint64_t words, *set;

	node->node = feature_u64(bytes);
	node->size = feature_u64(bytes);
	node->bits = feature_u64(bytes);
	words = node->bits / 64 + !!(node->bits % 64);
	if (words > cursor_left(&bytes->c) / sizeof(*set)) {
		bytes->c.broken = true;
		return;
	}
	set = arena_alloc(&env->arena, (size_t)words * sizeof(*set));
	for (uint64_t i = 0; i < words; i++)
		set[i] = feature_u64(bytes);
	node->set = set;
}

static void load_memory(struct perf_env *env, struct perf_reader *reader)
{
	struct feature_bytes bytes;
	uint64_t count;

	if (!feature_open(&bytes, reader, FEATURE_MEM_TOPOLOGY) || feature_u64(&bytes) != 1)
		return;
	env->memory_block = feature_u64(&bytes);
	count = feature_u64(&bytes);
	if (count > cursor_left(&bytes.c) / (3 * sizeof(uint64_t)))
		return;
	env->memory.count = (uint32_t)count;
	env->memory.data = arena_alloc(&env->arena,
				       ((size_t)count + 1) * sizeof(*env->memory.data));
	for (uint32_t i = 0; i < env->memory.count; i++)
		load_memory_node(env, &bytes, &env->memory.data[i]);
	DROP_IF_BROKEN(&env->memory, &bytes);
}

static void load_clocks(struct perf_env *env, struct perf_reader *reader)
{
	struct feature_bytes bytes;

	if (feature_open(&bytes, reader, FEATURE_SAMPLE_TIME)) {
		env->first_sample_ns = feature_u64(&bytes);
		env->last_sample_ns = feature_u64(&bytes);
	}
	if (feature_open(&bytes, reader, FEATURE_CLOCKID))
		env->clock_resolution_ns = feature_u64(&bytes);
	if (feature_open(&bytes, reader, FEATURE_CLOCK_DATA) && feature_u32(&bytes) == 1) {
		env->clock = feature_u32(&bytes);
		env->clock_wall_ns = feature_u64(&bytes);
		env->clock_ns = feature_u64(&bytes);
		env->clock_known = !bytes.c.broken;
	}
}

static struct feature_strings load_caps(struct perf_env *env, struct feature_bytes *bytes)
{
	struct feature_strings caps = { .count = feature_count(bytes, 2 * sizeof(uint32_t)) };

	caps.data = arena_alloc(&env->arena, (caps.count + 1) * sizeof(*caps.data));
	for (uint32_t i = 0; i < caps.count && !bytes->c.broken; i++) {
		const char *name = feature_string(bytes), *value = feature_string(bytes);

		if (value)
			caps.data[i] = arena_printf(&env->arena, "%s=%s", name, value);
	}
	if (bytes->c.broken)
		caps.count = 0;
	return caps;
}

static void load_pmu_caps(struct perf_env *env, struct perf_reader *reader)
{
	struct feature_bytes bytes;

	if (feature_open(&bytes, reader, FEATURE_CPU_PMU_CAPS))
		env->cpu_caps = load_caps(env, &bytes);
	if (!feature_open(&bytes, reader, FEATURE_PMU_CAPS))
		return;
	LOAD_LIST(env, &env->pmu_caps, &bytes, 2 * sizeof(uint32_t));
	for (uint32_t i = 0; i < env->pmu_caps.count && !bytes.c.broken; i++) {
		env->pmu_caps.data[i].caps = load_caps(env, &bytes);
		env->pmu_caps.data[i].pmu = feature_string(&bytes);
	}
	DROP_IF_BROKEN(&env->pmu_caps, &bytes);
}

static void load_hybrid(struct perf_env *env, struct perf_reader *reader)
{
	struct feature_bytes bytes;

	if (!feature_open(&bytes, reader, FEATURE_HYBRID_TOPOLOGY))
		return;
	LOAD_LIST(env, &env->hybrid, &bytes, 2 * sizeof(uint32_t));
	for (uint32_t i = 0; i < env->hybrid.count; i++) {
		env->hybrid.data[i].pmu = feature_string(&bytes);
		env->hybrid.data[i].cpus = feature_string(&bytes);
	}
	DROP_IF_BROKEN(&env->hybrid, &bytes);
}

static void load_numbers(struct perf_env *env, struct perf_reader *reader)
{
	struct feature_bytes bytes;

	if (feature_open(&bytes, reader, FEATURE_NRCPUS)) {
		env->cpus_available = feature_u32(&bytes);
		env->cpus_online = feature_u32(&bytes);
	}
	if (feature_open(&bytes, reader, FEATURE_TOTAL_MEM))
		env->total_mem_kb = feature_u64(&bytes);
	if (feature_open(&bytes, reader, FEATURE_CMDLINE))
		env->cmdline = load_strings(env, &bytes);
	if (feature_open(&bytes, reader, FEATURE_DIR_FORMAT))
		env->directory_version = feature_u64(&bytes);
	if (feature_open(&bytes, reader, FEATURE_COMPRESSED)) {
		feature_u32(&bytes); /* the version of this feature, always 1 */
		env->compress_type = feature_u32(&bytes);
		env->compress_level = feature_u32(&bytes);
		env->compress_ratio = feature_u32(&bytes);
	}
}

void perf_env_load(struct perf_env *env, struct perf_reader *reader)
{
	*env = (struct perf_env){
		.hostname = feature_text(reader, FEATURE_HOSTNAME),
		.osrelease = feature_text(reader, FEATURE_OSRELEASE),
		.version = feature_text(reader, FEATURE_VERSION),
		.arch = feature_text(reader, FEATURE_ARCH),
		.cpudesc = feature_text(reader, FEATURE_CPUDESC),
		.cpuid = feature_text(reader, FEATURE_CPUID),
	};
	load_numbers(env, reader);
	feature_load_events(env, reader);
	load_topology(env, reader);
	load_numa(env, reader);
	load_pmus(env, reader);
	feature_load_groups(env, reader);
	load_caches(env, reader);
	load_memory(env, reader);
	load_clocks(env, reader);
	load_pmu_caps(env, reader);
	load_hybrid(env, reader);
	feature_load_build_ids(env, reader);
}

void perf_env_free(struct perf_env *env)
{
	arena_free(&env->arena);
}
