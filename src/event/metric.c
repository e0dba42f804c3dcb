// SPDX-License-Identifier: Apache-2.0
#include "event/metric.h"

/* What an event stands for in a formula. */
enum role {
	ROLE_NONE,
	ROLE_CLOCK, /* counts ns: cpu-clock, task-clock */
	ROLE_CYCLES,
	ROLE_INSTRUCTIONS,
	ROLE_STALLED_FRONT,
	ROLE_STALLED_BACK,
	ROLE_BRANCHES,
	ROLE_BRANCH_MISSES,
	ROLE_CACHE_REFS,
	ROLE_CACHE_MISSES,
	ROLE_L1D,
	ROLE_L1D_MISSES,
	ROLE_L1I,
	ROLE_L1I_MISSES,
	ROLE_LL,
	ROLE_LL_MISSES,
	ROLE_DTLB,
	ROLE_DTLB_MISSES,
	ROLE_ITLB,
	ROLE_ITLB_MISSES,
	/* by their names in sysfs: */
	ROLE_SLOTS,
	ROLE_RETIRING,
	ROLE_BAD_SPECULATION,
	ROLE_FRONT_BOUND,
	ROLE_BACK_BOUND,
	ROLE_HEAVY_OPS,
	ROLE_MISPREDICTS,
	ROLE_FETCH_LATENCY,
	ROLE_MEMORY_BOUND,
	ROLE_TX_CYCLES,
	ROLE_TX_STARTS,
	ROLE_ELISIONS,
	ROLE_COMMITTED_CYCLES,
	ROLE_APERF,
};

#define CACHE(which, result)                                              \
	(PERF_COUNT_HW_CACHE_##which | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct {
	uint32_t type;
	uint64_t config;
	enum role role;
} roles[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, ROLE_CLOCK },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, ROLE_CLOCK },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, ROLE_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, ROLE_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, ROLE_STALLED_FRONT },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, ROLE_STALLED_BACK },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, ROLE_BRANCHES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, ROLE_BRANCH_MISSES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, ROLE_CACHE_REFS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, ROLE_CACHE_MISSES },
	{ PERF_TYPE_HW_CACHE, CACHE(L1D, ACCESS), ROLE_L1D },
	{ PERF_TYPE_HW_CACHE, CACHE(L1D, MISS), ROLE_L1D_MISSES },
	{ PERF_TYPE_HW_CACHE, CACHE(L1I, ACCESS), ROLE_L1I },
	{ PERF_TYPE_HW_CACHE, CACHE(L1I, MISS), ROLE_L1I_MISSES },
	{ PERF_TYPE_HW_CACHE, CACHE(LL, ACCESS), ROLE_LL },
	{ PERF_TYPE_HW_CACHE, CACHE(LL, MISS), ROLE_LL_MISSES },
	{ PERF_TYPE_HW_CACHE, CACHE(DTLB, ACCESS), ROLE_DTLB },
	{ PERF_TYPE_HW_CACHE, CACHE(DTLB, MISS), ROLE_DTLB_MISSES },
	{ PERF_TYPE_HW_CACHE, CACHE(ITLB, ACCESS), ROLE_ITLB },
	{ PERF_TYPE_HW_CACHE, CACHE(ITLB, MISS), ROLE_ITLB_MISSES },
};

static const struct {
	const char *name;
	enum role role;
} named_roles[] = {
	{ "/slots/", ROLE_SLOTS },
	{ "/topdown-retiring/", ROLE_RETIRING },
	{ "/topdown-bad-spec/", ROLE_BAD_SPECULATION },
	{ "/topdown-fe-bound/", ROLE_FRONT_BOUND },
	{ "/topdown-be-bound/", ROLE_BACK_BOUND },
	{ "/topdown-heavy-ops/", ROLE_HEAVY_OPS },
	{ "/topdown-br-mispredict/", ROLE_MISPREDICTS },
	{ "/topdown-fetch-lat/", ROLE_FETCH_LATENCY },
	{ "/topdown-mem-bound/", ROLE_MEMORY_BOUND },
	{ "/cycles-t/", ROLE_TX_CYCLES },
	{ "/tx-start/", ROLE_TX_STARTS },
	{ "/el-start/", ROLE_ELISIONS },
	{ "/cycles-ct/", ROLE_COMMITTED_CYCLES },
	{ "msr/aperf/", ROLE_APERF },
};

/* Figures that are one count as a share of another, in percent. */
static const struct share {
	enum role part, whole;
	const char *unit;
	int width, decimals;
	const char *suffix;
	double fair, poor, bad; /* above these the tone changes; 0: it never does */
} shares[] = {
	{ ROLE_STALLED_FRONT, ROLE_CYCLES, "frontend cycles idle", 7, 2, "%", 10, 30, 50 },
	{ ROLE_STALLED_BACK, ROLE_CYCLES, "backend cycles idle", 7, 2, "%", 20, 50, 75 },
	{ ROLE_BRANCH_MISSES, ROLE_BRANCHES, "of all branches", 7, 2, "%", 5, 10, 20 },
	{ ROLE_CACHE_MISSES, ROLE_CACHE_REFS, "of all cache refs", 8, 3, " %", 0, 0, 0 },
	{ ROLE_L1D_MISSES, ROLE_L1D, "of all L1-dcache accesses", 7, 2, "%", 5, 10, 20 },
	{ ROLE_L1I_MISSES, ROLE_L1I, "of all L1-icache accesses", 7, 2, "%", 5, 10, 20 },
	{ ROLE_LL_MISSES, ROLE_LL, "of all LL-cache accesses", 7, 2, "%", 5, 10, 20 },
	{ ROLE_DTLB_MISSES, ROLE_DTLB, "of all dTLB cache accesses", 7, 2, "%", 5, 10, 20 },
	{ ROLE_ITLB_MISSES, ROLE_ITLB, "of all iTLB cache accesses", 7, 2, "%", 5, 10, 20 },
	{ ROLE_RETIRING, ROLE_SLOTS, "retiring", 7, 1, "%", 0, 0, 0 },
	{ ROLE_BAD_SPECULATION, ROLE_SLOTS, "bad speculation", 7, 1, "%", 5, 10, 20 },
	{ ROLE_FRONT_BOUND, ROLE_SLOTS, "frontend bound", 7, 1, "%", 20, 30, 50 },
	{ ROLE_BACK_BOUND, ROLE_SLOTS, "backend bound", 7, 1, "%", 20, 50, 75 },
	{ ROLE_HEAVY_OPS, ROLE_SLOTS, "heavy operations", 7, 1, "%", 0, 0, 0 },
	{ ROLE_MISPREDICTS, ROLE_SLOTS, "branch mispredict", 7, 1, "%", 5, 10, 20 },
	{ ROLE_FETCH_LATENCY, ROLE_SLOTS, "fetch latency", 7, 1, "%", 20, 30, 50 },
	{ ROLE_MEMORY_BOUND, ROLE_SLOTS, "memory bound", 7, 1, "%", 20, 50, 75 },
	{ ROLE_TX_CYCLES, ROLE_CYCLES, "transactional cycles", 7, 2, "%", 0, 0, 0 },
};

/* Where a machine has cores of two kinds, the upper half of a generic event says which are meant.
 */
static uint64_t kind_of_core(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr.base;
	bool generic = attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE;

	return generic ? attr->config >> 32 : 0;
}

static enum role role_of(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr.base;
	uint64_t config = attr->config - (kind_of_core(event) << 32);

	if (event->kind == EVENT_TOOL)
		return ROLE_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		if (roles[i].type == attr->type && roles[i].config == config)
			return roles[i].role;
	for (size_t i = 0; event->name && i < ARRAY_SIZE(named_roles); i++)
		if (strstr(event->name, named_roles[i].name))
			return named_roles[i].role;
	return ROLE_NONE;
}

/* Whether both events count in the same modes on the same cores, so that one may be set against the
 * other. */
static bool comparable(const struct event *a, const struct event *b)
{
	const struct perf_event_attr *x = &a->attr.base, *y = &b->attr.base;

	return kind_of_core(a) == kind_of_core(b) && x->exclude_user == y->exclude_user &&
	       x->exclude_kernel == y->exclude_kernel && x->exclude_hv == y->exclude_hv &&
	       x->exclude_host == y->exclude_host && x->exclude_idle == y->exclude_idle;
}

struct counts {
	const struct metric_source *sources;
	size_t count;
	const struct event *event; /* the one whose figures are wanted */
	double elapsed_ns;
};

/*
 * The count that plays a role beside the event, the mean where several do.  Clocks have no modes.
 * false if none was counted.
 */
static bool find(const struct counts *counts, enum role role, double *value)
{
	double sum = 0;
	int found = 0;

	for (size_t i = 0; i < counts->count; i++) {
		const struct metric_source *source = &counts->sources[i];

		if (!source->counted || role_of(source->event) != role)
			continue;
		if (role != ROLE_CLOCK && !comparable(source->event, counts->event))
			continue;
		sum += source->count;
		found++;
	}
	*value = found ? sum / found : 0;
	return found > 0;
}

static enum metric_tone tone_of(const struct share *share, double percent)
{
	if (share->bad == 0)
		return METRIC_PLAIN;
	return percent > share->bad    ? METRIC_BAD
	       : percent > share->poor ? METRIC_POOR
	       : percent > share->fair ? METRIC_FAIR
				       : METRIC_PLAIN;
}

static struct metric share_of(const struct counts *counts, const struct share *share, double part)
{
	struct metric metric = { .unit = share->unit,
				 .width = share->width,
				 .decimals = share->decimals,
				 .suffix = share->suffix };
	double whole;

	metric.known = find(counts, share->whole, &whole);
	metric.value = whole > 0 ? 100 * part / whole : 0;
	metric.tone = tone_of(share, metric.value);
	return metric;
}

static struct metric ratio(double above, double below, int width, int decimals, const char *suffix,
			   const char *unit)
{
	return (struct metric){ .unit = unit,
				.value = below > 0 ? above / below : 0,
				.known = below > 0,
				.width = width,
				.decimals = decimals,
				.suffix = suffix };
}

static int instruction_figures(struct metric into[static METRIC_MAX], const struct counts *counts,
			       double instructions)
{
	double cycles, front, back;

	find(counts, ROLE_CYCLES, &cycles);
	find(counts, ROLE_STALLED_FRONT, &front);
	find(counts, ROLE_STALLED_BACK, &back);
	into[0] = ratio(instructions, cycles, 7, 2, " ", "insn per cycle");
	if ((front <= 0 && back <= 0) || instructions <= 0)
		return 1;
	into[1] = ratio(front > back ? front : back, instructions, 7, 2, " ",
			"stalled cycles per insn");
	return 2;
}

/* Events a second of CPU time, with K, M or G. */
static struct metric rate(double count, double clock_ns)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	struct metric metric = ratio(1e9 * count, clock_ns, 8, 3, "", NULL);
	size_t unit = 0;

	/* perf turns 1,500 into 1.500 K, but leaves 1,000 alone */
	for (; metric.value > 1000 && unit + 1 < ARRAY_SIZE(units); unit++)
		metric.value /= 1000;
	metric.unit = units[unit];
	metric.known = true;
	return metric;
}

int metric_of(struct metric into[static METRIC_MAX], const struct metric_source *sources,
	      size_t count, size_t index, double elapsed_ns)
{
	const struct event *event = sources[index].event;
	struct counts counts = { sources, count, event, elapsed_ns };
	enum role role = role_of(event);
	double value = sources[index].count, clock_ns;

	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		if (shares[i].part == role) {
			into[0] = share_of(&counts, &shares[i], value);
			return 1;
		}
	}
	if (role == ROLE_TX_STARTS || role == ROLE_ELISIONS) {
		double inside;

		find(&counts, ROLE_TX_CYCLES, &inside);
		into[0] = ratio(inside, value, 7, 0, "",
				role == ROLE_TX_STARTS ? "cycles / transaction"
						       : "cycles / elision");
		return 1;
	}
	if (role == ROLE_COMMITTED_CYCLES) {
		double inside, cycles;

		find(&counts, ROLE_TX_CYCLES, &inside);
		find(&counts, ROLE_CYCLES, &cycles);
		into[0] = ratio(inside > value ? 100 * (inside - value) : 0, cycles, 7, 2, "%",
				"aborted cycles");
		return 1;
	}
	if (role == ROLE_APERF) {
		double cycles;

		if (!find(&counts, ROLE_CYCLES, &cycles))
			return 0;
		into[0] = ratio(value > cycles ? 100 * (value - cycles) : 0, value, 7, 1, "%",
				"SMI cycles%");
		return 1;
	}
	if (role == ROLE_INSTRUCTIONS)
		return instruction_figures(into, &counts, value);
	if (role == ROLE_CLOCK) {
		into[0] = ratio(value, elapsed_ns, 8, 3, "", "CPUs utilized");
		return 1;
	}
	if (event->kind == EVENT_TOOL) /* a time has no rate */
		return 0;
	if (!find(&counts, ROLE_CLOCK, &clock_ns) && role != ROLE_CYCLES)
		return 0;
	if (role == ROLE_CYCLES)
		into[0] = ratio(value, clock_ns, 8, 3, "", "GHz");
	else
		into[0] = rate(value * event->scale, clock_ns);
	return 1;
}

bool metric_stands_alone(const struct metric *metric)
{
	return !strstr(metric->unit, "/sec") && strcmp(metric->unit, "CPUs utilized") != 0;
}
