// SPDX-License-Identifier: Apache-2.0
#include "record/freq.h"
#include "base/clock.h"
#include "base/file.h"

#include <stdbool.h>
#include <stdio.h>

#define CPUS_MOST 16 /* each costs a read of sysfs, which may interrupt the CPU */
#define EVERY_NS  NS_PER_SEC

static bool has_cpufreq(const struct freq *freq, int cpu)
{
	return file_exists("%s/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", freq->root,
			   cpu);
}

/* Spread over the machine when there are more than we look at. */
static void choose_cpus(struct freq *freq)
{
	struct cpuset online = { 0 };
	char text[4096];
	size_t step;

	file_line(text, sizeof(text), "%s/sys/devices/system/cpu/online", freq->root);
	if (cpuset_parse(&online, text, NULL) == 0) {
		step = (online.len + CPUS_MOST - 1) / CPUS_MOST;
		for (size_t i = 0; i < online.len; i += step)
			if (has_cpufreq(freq, online.data[i]))
				*vec_push(&freq->cpus) = online.data[i];
	}
	cpuset_free(&online);
}

static double fastest_of_cpufreq(const struct freq *freq)
{
	double fastest = 0;

	vec_each (cpu, &freq->cpus) {
		int64_t khz;

		if (file_number(&khz, "%s/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
				freq->root, *cpu) == 0 &&
		    (double)khz / 1000 > fastest)
			fastest = (double)khz / 1000;
	}
	return fastest;
}

static double fastest_of_cpuinfo(const struct freq *freq)
{
	char path[4096], *text;
	double fastest = 0;
	size_t size;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", freq->root);
	text = file_read(path, &size, NULL);
	for (const char *at = text; at && (at = strstr(at, "\ncpu MHz")); at++) {
		double mhz;

		if (sscanf(at, "\ncpu MHz : %lf", &mhz) == 1 && mhz > fastest)
			fastest = mhz;
	}
	free(text);
	return fastest;
}

static void sample(struct freq *freq)
{
	double mhz = freq->cpus.len ? fastest_of_cpufreq(freq) : fastest_of_cpuinfo(freq);

	if (mhz <= 0)
		return;
	if (!freq->samples || mhz < freq->min_mhz)
		freq->min_mhz = mhz;
	if (!freq->samples || mhz > freq->max_mhz)
		freq->max_mhz = mhz;
	freq->sum_mhz += mhz;
	freq->samples++;
}

void freq_start(struct freq *freq, const char *root)
{
	*freq = (struct freq){ .root = root };
	choose_cpus(freq);
	sample(freq);
	freq->next_ns = clock_now_ns() + EVERY_NS;
}

void freq_tick(struct freq *freq, int64_t now_ns)
{
	if (now_ns < freq->next_ns)
		return;
	sample(freq);
	freq->next_ns = now_ns + EVERY_NS;
}

void freq_end(struct freq *freq)
{
	sample(freq);
	cpuset_free(&freq->cpus);
}

double freq_mean_mhz(const struct freq *freq)
{
	return freq->samples ? freq->sum_mhz / freq->samples : 0;
}

double freq_drift(const struct freq *freq)
{
	return freq->samples ? (freq->max_mhz - freq->min_mhz) / freq_mean_mhz(freq) : 0;
}
