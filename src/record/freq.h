/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the CPUs run while something is measured, and whether that stays the same.
 *
 * A sample is the clock rate of the fastest CPU: idle ones are slow and say nothing about the
 * program.  It comes from cpufreq, or from /proc/cpuinfo where there is no cpufreq (virtual
 * machines), or from nowhere; then there is no drift to speak of.
 */
#ifndef RECORD_FREQ_H
#define RECORD_FREQ_H

#include "base/cpuset.h"
#include <stdint.h>

struct freq {
	const char *root;   /* before /sys and /proc */
	struct cpuset cpus; /* those with cpufreq that are looked at */
	int64_t next_ns;
	unsigned samples;
	double min_mhz, max_mhz, sum_mhz;
};

/* Takes the first sample; root is "" but in tests, and borrowed. */
void freq_start(struct freq *freq, const char *root);
/* Takes another one if the last is a second old; cheap otherwise. */
void freq_tick(struct freq *freq, int64_t now_ns);
/* Takes the last one. */
void freq_end(struct freq *freq);

double freq_mean_mhz(const struct freq *freq); /* 0 if it is not known */
/* (fastest - slowest) / mean; 0.05 is worth a note. */
double freq_drift(const struct freq *freq);

#endif
