// SPDX-License-Identifier: Apache-2.0
#include "render/script_header.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "perfdata/bpfinfo.h"
#include "perfdata/feature.h"
#include "render/attr_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static void print_cmdline(struct outbuf *out, const struct perf_env *env)
{
	out_text(out, "# cmdline : ");
	for (uint32_t i = 0; i < env->cmdline.count; i++) {
		for (const char *at = env->cmdline.data[i]; *at; at++) {
			if (*at == '\'')
				out_char(out, '\\');
			out_char(out, *at);
		}
		out_char(out, ' ');
	}
	out_char(out, '\n');
}

static void print_events(struct outbuf *out, const struct perf_env *env)
{
	if (!env->events_known)
		out_text(out, "# event desc: not available or unable to read\n");
	for (uint32_t i = 0; i < env->events.count; i++) {
		const struct feature_event *event = &env->events.data[i];

		out_printf(out, "# event : name = %s, ", event->name);
		for (uint32_t k = 0; k < event->ids_count; k++)
			out_printf(out, "%s %" PRIu64, k ? "," : ", id = {", event->ids[k]);
		if (event->ids_count)
			out_text(out, " }");
		attr_text(out, &event->attr, ", ", " = ");
		out_char(out, '\n');
	}
}

static void print_list(struct outbuf *out, const char *what, const struct feature_strings *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		out_printf(out, "# sibling %s : %s\n", what, list->data[i]);
}

static void print_topology(struct outbuf *out, const struct perf_env *env)
{
	const char *die = env->dies.count ? "Core ID, Die ID and Socket ID"
					  : "Core ID and Socket ID";

	print_list(out, "sockets", &env->sockets);
	print_list(out, "dies   ", &env->dies);
	print_list(out, "threads", &env->threads);
	if (!env->cpus.count)
		out_printf(out, "# %s information is not available\n", die);
	for (uint32_t i = 0; i < env->cpus.count; i++) {
		const struct feature_cpu *cpu = &env->cpus.data[i];

		out_printf(out, "# CPU %u: Core ID %d, ", i, (int)cpu->core);
		if (env->dies.count)
			out_printf(out, "Die ID %d, ", (int)cpu->die);
		out_printf(out, "Socket ID %d\n", (int)cpu->socket);
	}
}

static void print_numa(struct outbuf *out, const struct perf_env *env)
{
	for (uint32_t i = 0; i < env->numa.count; i++) {
		const struct feature_numa *node = &env->numa.data[i];

		out_printf(out,
			   "# node%u meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB\n",
			   node->node, node->total_kb, node->free_kb);
		out_printf(out, "# node%u cpu list : %s\n", node->node, node->cpus);
	}
}

static void print_pmus(struct outbuf *out, const struct perf_env *env)
{
	out_text(out, env->pmus.count ? "# pmu mappings: " : "# pmu mappings: not available");
	for (uint32_t i = 0; i < env->pmus.count; i++)
		out_printf(out, "%s%s = %u", i ? ", " : "", env->pmus.data[i].name,
			   env->pmus.data[i].type);
	out_char(out, '\n');
}

static void print_groups(struct outbuf *out, const struct perf_env *env,
			 const struct perf_reader *reader)
{
	for (uint32_t i = 0; i < env->groups.count; i++) {
		const struct feature_group *group = &env->groups.data[i];
		bool named = strcmp(group->name, "{anon_group}");

		out_printf(out, "# group: %s{", named ? group->name : "");
		for (uint32_t k = 0; k < group->members; k++) {
			const struct perf_attr *attr = perf_reader_attr(reader,
									(size_t)group->leader + k);

			if (!attr)
				break;
			out_printf(out, "%s%s", k ? "," : "", attr->name);
		}
		out_text(out, "}\n");
	}
}

static void print_caches(struct outbuf *out, const struct perf_env *env)
{
	out_text(out, "# CPU cache info:\n");
	for (uint32_t i = 0; i < env->caches.count; i++) {
		const struct feature_cache *cache = &env->caches.data[i];

		out_printf(out, "#  L%d %-15s %8s [%s]\n", (int)cache->level, cache->type,
			   cache->size, cache->cpus);
	}
}

static void print_seconds(struct outbuf *out, const char *what, uint64_t ns)
{
	out_printf(out, "# time of %s sample : %" PRIu64 ".%06" PRIu64 "\n", what,
		   (uint64_t)(ns / NS_PER_SEC), (uint64_t)(ns % NS_PER_SEC / 1000));
}

static void print_sample_time(struct outbuf *out, const struct perf_env *env)
{
	print_seconds(out, "first", env->first_sample_ns);
	print_seconds(out, "last", env->last_sample_ns);
	out_printf(out, "# sample duration : %10.3f ms\n",
		   (double)(env->last_sample_ns - env->first_sample_ns) / NS_PER_MSEC);
}

/* "0-7,32-47", cut as perf cuts it. */
static void add_ranges(struct buf *into, const uint64_t *set, uint64_t bits)
{
	for (uint64_t i = 0; i < bits && into->len < 99; i++) {
		uint64_t start = i;

		if (!(set[i / 64] >> (i % 64) & 1))
			continue;
		while (i + 1 < bits && set[(i + 1) / 64] >> ((i + 1) % 64) & 1)
			i++;
		buf_printf(into, into->len ? ",%" PRIu64 : "%" PRIu64, start);
		if (i > start)
			buf_printf(into, "-%" PRIu64, i);
	}
	if (into->len > 99)
		into->data[into->len = 99] = 0;
}

static void print_memory(struct outbuf *out, const struct perf_env *env)
{
	out_printf(out, "# memory nodes (nr %u, block size 0x%" PRIx64 "):\n", env->memory.count,
		   env->memory_block);
	for (uint32_t i = 0; i < env->memory.count; i++) {
		const struct feature_memory *node = &env->memory.data[i];
		struct buf ranges = { 0 };
		uint64_t size = 0;
		unsigned unit = 0;

		for (uint64_t word = 0; word < (node->bits + 63) / 64; word++)
			size += (uint64_t)__builtin_popcountll(node->set[word]);
		size *= env->memory_block;
		for (; size / 1024 > 1 && unit < 3; unit++)
			size /= 1024;
		add_ranges(&ranges, node->set, node->bits);
		out_printf(out, "#  %3" PRIu64 " [%" PRIu64 "%c]: %s\n", node->node, size,
			   "BKMG"[unit], buf_text(&ranges));
		buf_free(&ranges);
	}
}

static const char *clock_name(uint32_t clock)
{
	switch (clock) {
	case CLOCK_MONOTONIC: return "monotonic";
	case CLOCK_MONOTONIC_RAW: return "monotonic_raw";
	case CLOCK_REALTIME: return "realtime";
	case CLOCK_BOOTTIME: return "boottime";
	case CLOCK_TAI: return "tai";
	default: return "(not found)";
	}
}

static void print_clock(struct outbuf *out, const struct perf_env *env)
{
	time_t seconds = (time_t)(env->clock_wall_ns / NS_PER_SEC);
	uint64_t us = env->clock_wall_ns % NS_PER_SEC / 1000;
	char date[64] = "<error>";
	struct tm local;

	if (!env->clock_known) {
		out_text(out, "# reference time disabled\n");
		return;
	}
	if (localtime_r(&seconds, &local))
		strftime(date, sizeof(date), "%F %T", &local);
	out_printf(out, "# clockid: %s (%u)\n", clock_name(env->clock), env->clock);
	out_printf(out,
		   "# reference time: %s.%06" PRIu64 " = %lld.%06" PRIu64 " (TOD) = %" PRIu64
		   ".%09" PRIu64 " (%s)\n",
		   date, us, (long long)seconds, us, (uint64_t)(env->clock_ns / NS_PER_SEC),
		   (uint64_t)(env->clock_ns % NS_PER_SEC), clock_name(env->clock));
}

static void print_caps(struct outbuf *out, const char *pmu, const struct feature_strings *caps)
{
	out_printf(out, "# %s pmu capabilities: %s", pmu, caps->count ? "" : "not available");
	for (uint32_t i = 0; i < caps->count; i++)
		out_printf(out, "%s%s", i ? ", " : "", caps->data[i]);
	out_char(out, '\n');
}

static void print_hybrid(struct outbuf *out, const struct perf_env *env)
{
	out_text(out, "# hybrid cpu system:\n");
	for (uint32_t i = 0; i < env->hybrid.count; i++)
		out_printf(out, "# %s cpu list : %s\n", env->hybrid.data[i].pmu,
			   env->hybrid.data[i].cpus);
}

static void print_bpf(struct outbuf *out, struct perf_reader *reader, bool types)
{
	struct bpf_functions bpf;

	bpf_functions_load(&bpf, reader);
	for (uint32_t i = 0; types && i < bpf.btf_count; i++)
		out_printf(out, "# btf info of id %u\n", bpf.btf_ids[i]);
	for (uint32_t i = 0; !types && i < bpf.count; i++) {
		const struct bpf_function *f = &bpf.data[i];

		if (!f->index)
			out_printf(out, "# bpf_prog_info %u:%s", f->program,
				   f->count > 1 ? "\n" : "");
		if (f->count > 1)
			out_printf(out, "# \tsub_prog %u:", f->index);
		out_printf(out, " %s addr 0x%" PRIx64 " size %u\n", f->name, f->address, f->size);
	}
	bpf_functions_free(&bpf);
}

static const char *known(const char *text)
{
	return text ? text : "unknown";
}

static void print_machine(struct outbuf *out, const struct perf_env *env, enum perf_feature feature)
{
	switch (feature) {
	case FEATURE_HOSTNAME: out_printf(out, "# hostname : %s\n", known(env->hostname)); break;
	case FEATURE_OSRELEASE:
		out_printf(out, "# os release : %s\n", known(env->osrelease));
		break;
	case FEATURE_VERSION: out_printf(out, "# perf version : %s\n", known(env->version)); break;
	case FEATURE_ARCH: out_printf(out, "# arch : %s\n", known(env->arch)); break;
	case FEATURE_NRCPUS:
		out_printf(out, "# nrcpus online : %u\n# nrcpus avail : %u\n", env->cpus_online,
			   env->cpus_available);
		break;
	case FEATURE_CPUDESC: out_printf(out, "# cpudesc : %s\n", known(env->cpudesc)); break;
	case FEATURE_CPUID: out_printf(out, "# cpuid : %s\n", known(env->cpuid)); break;
	case FEATURE_TOTAL_MEM:
		out_printf(out, "# total memory : %" PRIu64 " kB\n", env->total_mem_kb);
		break;
	case FEATURE_CPU_TOPOLOGY: print_topology(out, env); break;
	case FEATURE_NUMA_TOPOLOGY: print_numa(out, env); break;
	case FEATURE_CACHE: print_caches(out, env); break;
	case FEATURE_MEM_TOPOLOGY: print_memory(out, env); break;
	case FEATURE_HYBRID_TOPOLOGY: print_hybrid(out, env); break;
	default: break;
	}
}

static void print_recording(struct outbuf *out, const struct perf_env *env,
			    struct perf_reader *reader, enum perf_feature feature)
{
	switch (feature) {
	case FEATURE_CMDLINE: print_cmdline(out, env); break;
	case FEATURE_EVENT_DESC: print_events(out, env); break;
	case FEATURE_BRANCH_STACK: out_text(out, "# contains samples with branch stack\n"); break;
	case FEATURE_PMU_MAPPINGS: print_pmus(out, env); break;
	case FEATURE_GROUP_DESC: print_groups(out, env, reader); break;
	case FEATURE_AUXTRACE:
		out_text(out, "# contains AUX area data (e.g. instruction trace)\n");
		break;
	case FEATURE_STAT: out_text(out, "# contains stat data\n"); break;
	case FEATURE_SAMPLE_TIME: print_sample_time(out, env); break;
	case FEATURE_CLOCKID:
		out_printf(out, "# clockid frequency: %" PRIu64 " MHz\n",
			   env->clock_resolution_ns * 1000);
		break;
	case FEATURE_DIR_FORMAT:
		out_printf(out, "# directory data version : %" PRIu64 "\n", env->directory_version);
		break;
	case FEATURE_BPF_PROG_INFO: print_bpf(out, reader, false); break;
	case FEATURE_BPF_BTF: print_bpf(out, reader, true); break;
	case FEATURE_COMPRESSED:
		out_printf(out, "# compressed : %s, level = %d, ratio = %d\n",
			   env->compress_type == 1 ? "Zstd" : "Unknown", (int)env->compress_level,
			   (int)env->compress_ratio);
		break;
	case FEATURE_CPU_PMU_CAPS: print_caps(out, "cpu", &env->cpu_caps); break;
	case FEATURE_CLOCK_DATA: print_clock(out, env); break;
	case FEATURE_PMU_CAPS:
		for (uint32_t i = 0; i < env->pmu_caps.count; i++)
			print_caps(out, env->pmu_caps.data[i].pmu, &env->pmu_caps.data[i].caps);
		break;
	default: break;
	}
}

/* The names of those that only -I shows, and of all in the list of what is missing. */
static const char *const names[FEATURE_LAST] = {
	[FEATURE_TRACING_DATA] = "TRACING_DATA",
	[FEATURE_BUILD_ID] = "BUILD_ID",
	[FEATURE_HOSTNAME] = "HOSTNAME",
	[FEATURE_OSRELEASE] = "OSRELEASE",
	[FEATURE_VERSION] = "VERSION",
	[FEATURE_ARCH] = "ARCH",
	[FEATURE_NRCPUS] = "NRCPUS",
	[FEATURE_CPUDESC] = "CPUDESC",
	[FEATURE_CPUID] = "CPUID",
	[FEATURE_TOTAL_MEM] = "TOTAL_MEM",
	[FEATURE_CMDLINE] = "CMDLINE",
	[FEATURE_EVENT_DESC] = "EVENT_DESC",
	[FEATURE_CPU_TOPOLOGY] = "CPU_TOPOLOGY",
	[FEATURE_NUMA_TOPOLOGY] = "NUMA_TOPOLOGY",
	[FEATURE_BRANCH_STACK] = "BRANCH_STACK",
	[FEATURE_PMU_MAPPINGS] = "PMU_MAPPINGS",
	[FEATURE_GROUP_DESC] = "GROUP_DESC",
	[FEATURE_AUXTRACE] = "AUXTRACE",
	[FEATURE_STAT] = "STAT",
	[FEATURE_CACHE] = "CACHE",
	[FEATURE_SAMPLE_TIME] = "SAMPLE_TIME",
	[FEATURE_MEM_TOPOLOGY] = "MEM_TOPOLOGY",
	[FEATURE_CLOCKID] = "CLOCKID",
	[FEATURE_DIR_FORMAT] = "DIR_FORMAT",
	[FEATURE_BPF_PROG_INFO] = "BPF_PROG_INFO",
	[FEATURE_BPF_BTF] = "BPF_BTF",
	[FEATURE_COMPRESSED] = "COMPRESSED",
	[FEATURE_CPU_PMU_CAPS] = "CPU_PMU_CAPS",
	[FEATURE_CLOCK_DATA] = "CLOCK_DATA",
	[FEATURE_HYBRID_TOPOLOGY] = "HYBRID_TOPOLOGY",
	[FEATURE_PMU_CAPS] = "PMU_CAPS",
};

static bool is_long(enum perf_feature feature)
{
	return feature == FEATURE_CPU_TOPOLOGY || feature == FEATURE_NUMA_TOPOLOGY ||
	       feature == FEATURE_CACHE || feature == FEATURE_MEM_TOPOLOGY ||
	       feature == FEATURE_HYBRID_TOPOLOGY;
}

static void print_feature(struct outbuf *out, struct perf_env *env, struct perf_reader *reader,
			  enum perf_feature feature, bool full)
{
	if (is_long(feature) && !full) {
		out_printf(out, "# %s info available, use -I to display\n", names[feature]);
		return;
	}
	print_machine(out, env, feature);
	print_recording(out, env, reader, feature);
}

static bool is_readable(struct perf_reader *reader, int feature)
{
	const void *data;
	size_t size;

	return perf_reader_feature(reader, (enum perf_feature)feature, &data, &size);
}

static void print_features(struct outbuf *out, struct perf_reader *reader, bool full)
{
	struct perf_env env;

	perf_env_load(&env, reader);
	for (int feature = 1; feature < FEATURE_LAST; feature++)
		if (is_readable(reader, feature))
			print_feature(out, &env, reader, (enum perf_feature)feature, full);
	perf_env_free(&env);
	out_text(out, "# missing features: ");
	for (int feature = 1; feature < FEATURE_LAST; feature++)
		if (!(perf_reader_header(reader)->features[0] >> feature & 1))
			out_printf(out, "%s ", names[feature]);
	out_char(out, '\n');
}

/* When the file was last written: nothing in it tells. */
static void print_date(struct outbuf *out, const char *path)
{
	char *data = mem_printf("%s/data", path), date[32] = "unknown\n";
	struct stat info;

	if (!stat(data, &info) || !(strcmp(path, "-") ? stat(path, &info) : fstat(0, &info)))
		ctime_r(&info.st_mtime, date);
	out_printf(out, "# captured on    : %s", date);
	free(data);
}

void script_header(struct outbuf *out, struct perf_reader *reader, const char *path, bool full)
{
	const struct perf_file_header *header = perf_reader_header(reader);
	bool pipe = perf_reader_is_pipe(reader);
	uint64_t offset = pipe ? 0 : header->data.offset, size = pipe ? 0 : header->data.size;

	out_text(out, "# ========\n");
	print_date(out, path);
	out_printf(out, "# header version : %d\n", header->magic != PERF_MAGIC_OLD);
	out_printf(out, "# data offset    : %" PRIu64 "\n", offset);
	out_printf(out, "# data size      : %" PRIu64 "\n", size);
	out_printf(out, "# feat offset    : %" PRIu64 "\n", offset + size);
	if (!pipe)
		print_features(out, reader, full);
	out_text(out, "# ========\n#\n");
}

void script_header_feature(struct outbuf *out, struct perf_reader *reader,
			   enum perf_feature feature, bool full)
{
	struct perf_env env;

	if (feature >= FEATURE_LAST)
		return;
	perf_env_load(&env, reader);
	print_feature(out, &env, reader, feature, full);
	perf_env_free(&env);
}
