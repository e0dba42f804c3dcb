// SPDX-License-Identifier: Apache-2.0
#include "record/trial.h"
#include "base/clock.h"
#include "base/cursor.h"

#include <errno.h>
#include <sys/ioctl.h>

#define COUNTERS_MOST 64     /* more than any PMU has; for drivers that refuse no group */
#define RUN_NS	      200000 /* a timer tick is not needed: enabling puts the group on at once */

void trial_init(struct trial *trial, const struct perf_sys *sys)
{
	*trial = (struct trial){ .sys = sys };
}

void trial_fini(struct trial *trial)
{
	vec_free(&trial->cpu_types);
	vec_free(&trial->other_types);
}

static int open_member(struct trial *trial, const struct event *event, int leader)
{
	struct event_attr attr = event->attr;
	bool wide = event->cpu_wide_only;
	int cpu = wide ? (event->cpus.len ? event->cpus.data[0] : 0) : -1;

	attr.base.disabled = leader < 0;
	attr.base.inherit = 0;
	attr.base.freq = 0;
	attr.base.sample_period = 0;
	attr.base.sample_type = 0;
	attr.base.pinned = attr.base.exclusive = 0;
	attr.base.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (event->precise_max)
		attr.base.precise_ip = 0;
	if (trial->user_only && !event->explicit_modes)
		attr.base.exclude_kernel = attr.base.exclude_hv = 1;
	return trial->sys->open(&attr, wide ? -1 : 0, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

int trial_open_one(struct trial *trial, const struct event *event)
{
	int fd = open_member(trial, event, -1);

	if ((fd == -EACCES || fd == -EPERM) && !trial->user_only) {
		trial->user_only = true;
		fd = open_member(trial, event, -1);
	}
	if (fd < 0)
		return fd;
	trial->sys->close(fd);
	return 0;
}

/* Runs the group for a moment: false if it had to wait for a counter. */
static bool is_counted(struct trial *trial, int leader)
{
	int64_t until = clock_now_ns() + RUN_NS;
	uint64_t words[3] = { 0 };
	struct cursor bytes = cursor_of(words, sizeof(words));
	uint64_t enabled, running;

	if (trial->sys->ioctl(leader, PERF_EVENT_IOC_ENABLE, 0))
		return true;
	while (clock_now_ns() < until)
		;
	trial->sys->ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	if (trial->sys->read(leader, words, sizeof(words)) != sizeof(words))
		return true;
	cursor_u64(&bytes);
	enabled = cursor_u64(&bytes);
	running = cursor_u64(&bytes);
	return !enabled || running > 0;
}

static bool open_all(struct trial *trial, const struct trial_group *group, int *fds, size_t *opened)
{
	for (*opened = 0; *opened < group->len; ++*opened) {
		fds[*opened] = open_member(trial, group->data[*opened], *opened ? fds[0] : -1);
		if (fds[*opened] < 0)
			return false;
	}
	return true;
}

bool trial_fits(struct trial *trial, const struct trial_group *group)
{
	int fds[COUNTERS_MOST];
	size_t opened;
	bool fits;

	if (group->len > COUNTERS_MOST)
		return false;
	fits = open_all(trial, group, fds, &opened);
	if (fits && opened)
		fits = is_counted(trial, fds[0]);
	while (opened--)
		trial->sys->close(fds[opened]);
	return fits;
}

static struct event generic(uint32_t type, uint64_t config)
{
	struct event event = { .kind = EVENT_HARDWARE };

	event.attr.base.type = type;
	event.attr.base.config = config;
	return event;
}

static bool has_type(const uint32_t *types, size_t n, uint32_t type)
{
	for (size_t i = 0; i < n; i++)
		if (types[i] == type)
			return true;
	return false;
}

/*
 * The CPU's PMU goes by several type numbers: those of the generic events, raw ones, and its own in
 * sysfs, which only some architectures give as PERF_TYPE_RAW.  Two PMUs can't be in one group, so
 * what can be grouped with a generic event is of the same PMU.
 */
static bool is_cpu_type(struct trial *trial, const struct event *event)
{
	static const uint64_t witnesses[] = { PERF_COUNT_HW_INSTRUCTIONS,
					      PERF_COUNT_HW_CPU_CYCLES };
	uint32_t type = event->attr.base.type;
	bool cpu = false;

	if (event->cpu_wide_only)
		return false;
	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW)
		return true;
	if (has_type(trial->cpu_types.data, trial->cpu_types.len, type))
		return true;
	if (has_type(trial->other_types.data, trial->other_types.len, type))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(witnesses) && !cpu; i++) {
		struct event witness = generic(PERF_TYPE_HARDWARE, witnesses[i]);
		struct trial_group pair = { 0 };

		*vec_push(&pair) = &witness;
		*vec_push(&pair) = event;
		cpu = trial_fits(trial, &pair);
		vec_free(&pair);
	}
	if (cpu)
		*vec_push(&trial->cpu_types) = type;
	else
		*vec_push(&trial->other_types) = type;
	return cpu;
}

/* On CPUs of two kinds the generic events say in their upper half which PMU they mean. */
static uint32_t hybrid_type(const struct event *event)
{
	uint32_t type = event->attr.base.type;

	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE)
		return (uint32_t)(event->attr.base.config >> 32);
	return type == PERF_TYPE_RAW ? 0 : type;
}

bool trial_same_pmu(struct trial *trial, const struct event *a, const struct event *b)
{
	bool hybrid = hybrid_type(a) && hybrid_type(b);

	if (a == b || a->attr.base.type == b->attr.base.type)
		return !hybrid || hybrid_type(a) == hybrid_type(b);
	if (hybrid && hybrid_type(a) != hybrid_type(b))
		return false;
	return is_cpu_type(trial, a) && is_cpu_type(trial, b);
}

/* How many of `event` beside `others` can be counted at once. */
static int most_of(struct trial *trial, const struct event *event, struct trial_group *others)
{
	size_t before = others->len;
	int n = 0;

	while (others->len < COUNTERS_MOST) {
		*vec_push(others) = event;
		if (!trial_fits(trial, others)) {
			others->len--;
			break;
		}
		n++;
	}
	if (!n)
		others->len = before;
	return n;
}

void trial_size(struct trial *trial, int *general, int *fixed)
{
	/* Events that no CPU has a counter of its own for, as far as that can be known. */
	static const uint64_t plain[] = { PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
					  PERF_COUNT_HW_CACHE_REFERENCES,
					  PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES };
	static const uint64_t special[] = { PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
					    PERF_COUNT_HW_REF_CPU_CYCLES };
	struct trial_group group = { 0 };
	struct event event, extra[ARRAY_SIZE(special)];

	*general = *fixed = 0;
	for (size_t i = 0; i < ARRAY_SIZE(plain) && !*general; i++) {
		event = generic(PERF_TYPE_HARDWARE, plain[i]);
		if (trial_open_one(trial, &event) == 0)
			*general = most_of(trial, &event, &group);
	}
	for (size_t i = 0; *general && i < ARRAY_SIZE(special); i++) {
		extra[i] = generic(PERF_TYPE_HARDWARE, special[i]);
		*vec_push(&group) = &extra[i];
		if (trial_fits(trial, &group))
			++*fixed;
		else
			group.len--;
	}
	vec_free(&group);
}
