// SPDX-License-Identifier: Apache-2.0
/* libpfm's events as the catalogue finds and lists them. */
#include "base/err.h"
#include "event/model.h"
#include "event/modifier.h"
#include "event/source.h"

#include <ctype.h>
#include <errno.h>
#include <strings.h>

/* Models by the names of Intel's and AMD's own tables, which perf uses, and libpfm's for them. */
static const char *known_model(const char *name)
{
	static const struct {
		const char *vendor, *pfm;
	} models[] = {
		{ "nehalemep", "nhm" },
		{ "nehalemex", "nhm_ex" },
		{ "westmereep-dp", "wsm_dp" },
		{ "westmereep-sp", "wsm" },
		{ "sandybridge", "snb" },
		{ "jaketown", "snb_ep" },
		{ "ivybridge", "ivb" },
		{ "ivytown", "ivb_ep" },
		{ "haswell", "hsw" },
		{ "haswellx", "hsw_ep" },
		{ "broadwell", "bdw" },
		{ "broadwellx", "bdw_ep" },
		{ "broadwellde", "bdw_ep" },
		{ "skylake", "skl" },
		{ "skylakex", "skx" },
		{ "cascadelakex", "clx" },
		{ "icelake", "icl" },
		{ "icelakex", "icx" },
		{ "sapphirerapids", "spr" },
		{ "knightslanding", "knl" },
		{ "goldmont", "glm" },
		{ "tremontx", "tmt" },
		{ "amdzen1", "amd64_fam17h_zen1" },
		{ "amdzen2", "amd64_fam17h_zen2" },
		{ "amdzen3", "amd64_fam19h_zen3" },
		{ "amdzen4", "amd64_fam19h_zen4" },
	};

	for (size_t k = 0; k < ARRAY_SIZE(models); k++)
		if (!strcasecmp(name, models[k].vendor))
			return models[k].pfm;
	return name;
}

/* Whether a PMU belongs to the catalogue: this machine's, or of the model asked for. */
static bool wanted(const struct catalog *catalog, const struct model_pmu *pmu)
{
	const char *cpu;
	size_t length;

	if (!catalog->cpu)
		return pmu->present;
	cpu = known_model(catalog->cpu);
	length = strlen(cpu);
	if (!strcasecmp(pmu->name, cpu) || !strcasecmp(pmu->title, cpu) ||
	    (pmu->core && source_ends_with(pmu->name, cpu)))
		return true;
	return !pmu->core && !strncasecmp(pmu->name, cpu, length) &&
	       !strncmp(pmu->name + length, "_unc", 4);
}

static void add_event(const struct model_pmu *pmu, const struct model_code *code,
		      struct event_list *list)
{
	struct event *event = event_list_add(list, EVENT_MODEL, code->type, code->config);

	event->attr.base.config1 = code->config1;
	event->attr.base.config2 = code->config2;
	event->attr.base.exclude_guest = pmu->core;
	event->attr.base.exclude_user = code->no_user;
	event->attr.base.exclude_kernel = code->no_kernel;
	event->explicit_modes = code->no_user || code->no_kernel;
}

/* Adds text[0..length) for the first PMU that has it: 1, 0 if none has, or a negative errno. */
static int try_length(struct catalog *catalog, const char *text, size_t length,
		      struct event_list *list, struct err *err)
{
	char *name = mem_strndup(text, length);
	struct model_pmu pmu;
	int rc = 0;

	for (int next = 0; !rc && model_next_pmu(&next, &pmu);) {
		struct model_code code;

		if (!wanted(catalog, &pmu))
			continue;
		rc = model_encode(&pmu, name, &code, err);
		if (!rc)
			add_event(&pmu, &code, list);
		rc = rc == -ENOENT ? 0 : rc ? rc : 1;
	}
	free(name);
	return rc;
}

static bool is_umask(struct catalog *catalog, const char *text, const char *word)
{
	struct model_pmu pmu;

	for (int next = 0; model_next_pmu(&next, &pmu);)
		if (wanted(catalog, &pmu) && model_has_umask(&pmu, text, word))
			return true;
	return false;
}

/*
 * The last word may be perf's modifiers or one of the event's masks (some are called M, E, S and
 * I).  A mask of that very event it is then; libpfm's own e (edge) is spelled e=1.
 */
static int model_find(struct catalog *catalog, const char *name, struct event_list *list,
		      struct err *err)
{
	const char *last = strrchr(name, ':');
	size_t length = strlen(name);
	int rc;

	if (!isalnum((unsigned char)name[0]))
		return 0;
	if (last && modifiers_follow(last) && !is_umask(catalog, name, last + 1))
		length = (size_t)(last - name);
	rc = try_length(catalog, name, length, list, err);
	return rc > 0 ? (int)length : rc;
}

struct listing {
	const struct catalog_walk *walk;
	const char *family;
};

static int list_event(const struct model_event *event, void *user)
{
	const struct listing *l = user;
	struct arena *texts = l->walk->texts;
	struct catalog_entry entry = { .family = l->family, .kind = EVENT_MODEL };

	entry.name = event->event;
	entry.brief = event->about ? event->about : "";
	if (event->umask) {
		entry.name = arena_printf(texts, "%s:%s", event->event, event->umask);
		entry.brief = arena_printf(texts, "%s: %s", entry.brief, event->umask_about);
	}
	return l->walk->visit(&entry, l->walk->user);
}

static int model_list(struct catalog *catalog, const struct catalog_walk *walk)
{
	struct model_pmu pmu;
	int rc = 0;

	for (int next = 0; !rc && model_next_pmu(&next, &pmu);) {
		struct listing listing = { .walk = walk };

		if (!wanted(catalog, &pmu))
			continue;
		listing.family = arena_printf(walk->texts, "%s, %s, from libpfm", pmu.name,
					      pmu.title);
		rc = model_each(&pmu, list_event, &listing);
	}
	return rc;
}

const struct event_source source_model = { model_find, model_list, true };
