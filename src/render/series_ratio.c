// SPDX-License-Identifier: Apache-2.0
#include "render/series_ratio.h"

/* Only what says more than its curves: a clock by time would be that clock's own curve again. */
static const struct ratio_kind kinds[] = {
	{ "IPC", "instructions per cycle", "instructions", "cycles", 1 },
	{ "IPC", "instructions per cycle", "instructions", "cpu-cycles", 1 },
	{ "clock rate", "GHz", "cycles", "task-clock", 1 },
	{ "clock rate", "GHz", "cycles", "cpu-clock", 1 },
	{ "cache misses", "%", "cache-misses", "cache-references", 100 },
	{ "branch misses", "%", "branch-misses", "branches", 100 },
	{ "branch misses", "%", "branch-misses", "branch-instructions", 100 },
	{ "L1 data cache misses", "%", "L1-dcache-load-misses", "L1-dcache-loads", 100 },
	{ "last-level cache misses", "%", "LLC-load-misses", "LLC-loads", 100 },
	{ "data TLB misses", "%", "dTLB-load-misses", "dTLB-loads", 100 },
	{ "instruction TLB misses", "%", "iTLB-load-misses", "iTLB-loads", 100 },
	{ "cycles stalled at the front", "%", "stalled-cycles-frontend", "cycles", 100 },
	{ "cycles stalled at the back", "%", "stalled-cycles-backend", "cycles", 100 },
};

/* Where the modifiers of "cycles:u" begin; its end if it has none. */
static const char *modifiers_of(const char *name)
{
	const char *colon = strrchr(name, ':');

	return colon && colon > name ? colon : name + strlen(name);
}

static bool is_event(const char *name, const char *plain)
{
	size_t length = (size_t)(modifiers_of(name) - name);

	return strlen(plain) == length && !strncmp(name, plain, length);
}

static uint32_t find_partner(const struct series_plot *plot, const struct series *series,
			     const struct plot_line *line, const char *plain)
{
	const char *modifiers = modifiers_of(series->names[line->event]);

	for (uint32_t i = 0; i < plot->lines.len; i++) {
		const struct plot_line *other = &plot->lines.data[i];
		const char *name = series->names[other->event];

		if (other->cpu == line->cpu && is_event(name, plain) &&
		    (!strcmp(modifiers_of(name), modifiers) || strstr(plain, "clock")))
			return i;
	}
	return NO_LINE;
}

static bool is_known(const struct series_plot *plot, const struct ratio_kind *kind, uint32_t of)
{
	vec_each (ratio, &plot->ratios)
		if (ratio->kind == kind && ratio->of == of)
			return true;
	return false;
}

void series_ratios_find(struct series_plot *plot, const struct series *series, size_t columns)
{
	for (uint32_t i = 0; i < plot->lines.len; i++) {
		const struct plot_line *line = &plot->lines.data[i];

		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			uint32_t by;

			if (!is_event(series->names[line->event], kinds[k].of) ||
			    is_known(plot, &kinds[k], i))
				continue;
			by = find_partner(plot, series, line, kinds[k].by);
			if (by == NO_LINE)
				continue;
			*vec_push(&plot->ratios) = (struct plot_ratio){
				.kind = &kinds[k],
				.cpu = line->cpu,
				.of = i,
				.by = by,
				.cells = series_cells_new(columns),
			};
		}
	}
}
