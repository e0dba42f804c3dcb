// SPDX-License-Identifier: Apache-2.0
#include "record/freq.h"
#include "base/clock.h"
#include "event/host.h"
#include "fake.h"
#include "test.h"

#define CPU "/sys/devices/system/cpu/"

static void set_khz(const char *cpu0, const char *cpu1)
{
	fake_file(CPU "cpu0/cpufreq/scaling_cur_freq", cpu0);
	fake_file(CPU "cpu1/cpufreq/scaling_cur_freq", cpu1);
}

TEST(freq_fastest_cpu_counts)
{
	const char *root;
	struct freq freq;
	int64_t now;

	root = fake_machine()->root;
	fake_file(CPU "online", "0-1\n");
	set_khz("800000\n", "3000000\n");
	freq_start(&freq, root);
	set_khz("3300000\n", "800000\n"); /* the work has moved to the other CPU */
	now = clock_now_ns();
	freq_tick(&freq, now); /* too early */
	EXPECT_INT(freq.samples, 1);
	freq_tick(&freq, now + 2 * NS_PER_SEC);
	set_khz("2700000\n", "2700000\n");
	freq_end(&freq);
	EXPECT_INT(freq.samples, 3);
	EXPECT_NEAR(freq.min_mhz, 2700, 0.01);
	EXPECT_NEAR(freq.max_mhz, 3300, 0.01);
	EXPECT_NEAR(freq_mean_mhz(&freq), 3000, 0.01);
	EXPECT_NEAR(freq_drift(&freq), 0.2, 1e-9);
	fake_remove();
}

TEST(freq_from_cpuinfo)
{
	const char *root;
	struct freq freq;

	root = fake_machine()->root;
	fake_file(CPU "online", "0-1\n");
	fake_file("/proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2000.500\n\n"
				   "processor\t: 1\ncpu MHz\t\t: 1000.000\n");
	freq_start(&freq, root);
	freq_end(&freq);
	EXPECT_NEAR(freq_mean_mhz(&freq), 2000.5, 0.001);
	EXPECT_NEAR(freq_drift(&freq), 0, 1e-9);
	fake_remove();
}

TEST(freq_unknown)
{
	const char *root;
	struct freq freq;

	root = fake_machine()->root; /* an Arm machine without cpufreq says nothing */
	fake_file("/proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 125.00\n");
	freq_start(&freq, root);
	freq_end(&freq);
	EXPECT_INT(freq.samples, 0);
	EXPECT_NEAR(freq_mean_mhz(&freq), 0, 0);
	EXPECT_NEAR(freq_drift(&freq), 0, 0);
	fake_remove();
}
