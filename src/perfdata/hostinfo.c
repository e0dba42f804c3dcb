// SPDX-License-Identifier: Apache-2.0
#include "perfdata/hostinfo.h"
#include "base/clock.h"
#include "base/file.h"
#include "perfdata/hosttopology.h"
#include "perfdata/payload.h"
#include "perfdata/writer.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char *sysfs(const struct hostinfo *info)
{
	return info->sysfs ? info->sysfs : "/sys";
}

static const char *proc(const struct hostinfo *info)
{
	return info->proc ? info->proc : "/proc";
}

/* The text after "KEY : " in the first such line of a file in /proc; false if there is none. */
static bool proc_value(const struct hostinfo *info, const char *file, const char *key, char *into,
		       size_t room)
{
	char path[PATH_MAX], *text, *line;
	size_t size, length = strlen(key);
	bool found = false;

	snprintf(path, sizeof(path), "%s/%s", proc(info), file);
	text = file_read(path, &size, NULL);
	for (line = text; line && !found; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) || !strchr(" \t:", line[length]))
			continue;
		line += length + strspn(line + length, " \t:");
		snprintf(into, room, "%.*s", (int)strcspn(line, "\n"), line);
		found = true;
	}
	free(text);
	return found;
}

static bool add_hostname(const struct hostinfo *info, struct buf *into)
{
	struct utsname name;

	(void)info;
	if (uname(&name))
		return false;
	payload_text(into, name.nodename);
	return true;
}

static bool add_osrelease(const struct hostinfo *info, struct buf *into)
{
	struct utsname name;

	(void)info;
	if (uname(&name))
		return false;
	payload_text(into, name.release);
	return true;
}

static bool add_version(const struct hostinfo *info, struct buf *into)
{
	(void)info;
	payload_text(into, "perfolio " PERFOLIO_VERSION);
	return true;
}

static bool add_arch(const struct hostinfo *info, struct buf *into)
{
	struct utsname name;

	(void)info;
	if (uname(&name))
		return false;
	payload_text(into, name.machine);
	return true;
}

static bool add_nrcpus(const struct hostinfo *info, struct buf *into)
{
	long configured = sysconf(_SC_NPROCESSORS_CONF), online = sysconf(_SC_NPROCESSORS_ONLN);

	(void)info;
	payload_u32(into, (uint32_t)configured);
	payload_u32(into, (uint32_t)online);
	return configured > 0 && online > 0;
}

/* Runs of blanks made one, in place, as perf does with the model's name. */
static void squeeze_blanks(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (!isspace((unsigned char)*from) || !isspace((unsigned char)from[1]))
			*to++ = *from;
	*to = '\0';
}

static bool add_cpudesc(const struct hostinfo *info, struct buf *into)
{
	static const char *const keys[] = { "model name", "Processor", "cpu model", "cpu" };
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!proc_value(info, "cpuinfo", keys[i], text, sizeof(text)))
			continue;
		squeeze_blanks(text);
		payload_text(into, text);
		return true;
	}
	return false;
}

#if defined(__aarch64__)
/* perf writes the identification register of the first CPU, its revision bits included. */
static bool add_cpuid(const struct hostinfo *info, struct buf *into)
{
	char text[64];

	if (file_line(text, sizeof(text), "%s/devices/system/cpu/cpu0/regs/identification/midr_el1",
		      sysfs(info)) <= 0)
		return false;
	payload_text(into, text);
	return true;
}
#else
static bool add_cpuid(const struct hostinfo *info, struct buf *into)
{
	char vendor[64], family[16], model[16], stepping[16], text[128];

	if (!proc_value(info, "cpuinfo", "vendor_id", vendor, sizeof(vendor)) ||
	    !proc_value(info, "cpuinfo", "cpu family", family, sizeof(family)) ||
	    !proc_value(info, "cpuinfo", "model", model, sizeof(model)) ||
	    !proc_value(info, "cpuinfo", "stepping", stepping, sizeof(stepping)))
		return false;
	snprintf(text, sizeof(text), "%s,%s,%s,%s", vendor, family, model, stepping);
	payload_text(into, text);
	return true;
}
#endif

static bool add_total_mem(const struct hostinfo *info, struct buf *into)
{
	char text[64];

	if (!proc_value(info, "meminfo", "MemTotal", text, sizeof(text)))
		return false;
	payload_u64(into, strtoull(text, NULL, 10));
	return true;
}

static bool add_cmdline(const struct hostinfo *info, struct buf *into)
{
	uint32_t count = 0;

	while (info->argv && info->argv[count])
		count++;
	payload_u32(into, count);
	for (uint32_t i = 0; i < count; i++)
		payload_text(into, info->argv[i]);
	return count > 0;
}

static bool add_clockid(const struct hostinfo *info, struct buf *into)
{
	struct timespec resolution;

	if (clock_getres(info->clock, &resolution))
		return false;
	payload_u64(into, (uint64_t)resolution.tv_sec * NS_PER_SEC + (uint64_t)resolution.tv_nsec);
	return true;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

static bool add_clock_data(const struct hostinfo *info, struct buf *into)
{
	int64_t wall = info->wall_ns, clock = info->clock_ns;

	if (!wall) {
		wall = clock_ns(CLOCK_REALTIME);
		clock = clock_ns(info->clock);
	}
	payload_u32(into, 1); /* version */
	payload_u32(into, (uint32_t)info->clock);
	payload_u64(into, (uint64_t)wall);
	payload_u64(into, (uint64_t)clock);
	return true;
}

static bool add_cpu_topology(const struct hostinfo *info, struct buf *into)
{
	return hosttopology_cpus(sysfs(info), into);
}

static bool add_numa(const struct hostinfo *info, struct buf *into)
{
	return hosttopology_numa(sysfs(info), into);
}

static bool add_caches(const struct hostinfo *info, struct buf *into)
{
	return hosttopology_caches(sysfs(info), into);
}

static bool add_memory(const struct hostinfo *info, struct buf *into)
{
	return hosttopology_memory(sysfs(info), into);
}

static bool add_pmus(const struct hostinfo *info, struct buf *into)
{
	return hosttopology_pmus(sysfs(info), into);
}

static const struct {
	enum perf_feature feature;
	bool (*add)(const struct hostinfo *info, struct buf *into);
} makers[] = {
	{ FEATURE_HOSTNAME, add_hostname },  { FEATURE_OSRELEASE, add_osrelease },
	{ FEATURE_VERSION, add_version },    { FEATURE_ARCH, add_arch },
	{ FEATURE_NRCPUS, add_nrcpus },	     { FEATURE_CPUDESC, add_cpudesc },
	{ FEATURE_CPUID, add_cpuid },	     { FEATURE_TOTAL_MEM, add_total_mem },
	{ FEATURE_CMDLINE, add_cmdline },    { FEATURE_CPU_TOPOLOGY, add_cpu_topology },
	{ FEATURE_NUMA_TOPOLOGY, add_numa }, { FEATURE_PMU_MAPPINGS, add_pmus },
	{ FEATURE_CACHE, add_caches },	     { FEATURE_MEM_TOPOLOGY, add_memory },
	{ FEATURE_CLOCKID, add_clockid },    { FEATURE_CLOCK_DATA, add_clock_data },
};

bool hostinfo_payload(const struct hostinfo *info, enum perf_feature feature, struct buf *into)
{
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++)
		if (makers[i].feature == feature)
			return makers[i].add(info, into);
	return false;
}

int hostinfo_add(const struct hostinfo *info, struct perf_writer *writer, struct err *err)
{
	struct buf payload = { 0 };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(makers) && !rc; i++) {
		buf_clear(&payload);
		if (makers[i].add(info, &payload))
			rc = perf_writer_feature(writer, makers[i].feature, payload.data,
						 payload.len, err);
	}
	buf_free(&payload);
	return rc;
}
