// SPDX-License-Identifier: Apache-2.0
#include "event/model.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ALL_MODES (PFM_PLM0 | PFM_PLM3)

static bool ready;

static void set_up(void)
{
	static const char inactive[] = "LIBPFM_ENCODE_INACTIVE";
	bool given = getenv(inactive) != NULL;

	/* Lets it encode for other CPUs than this one.  Programs that we start need not see it. */
	setenv(inactive, "1", 0);
	ready = pfm_initialize() == PFM_SUCCESS;
	if (!given)
		unsetenv(inactive);
}

static bool initialize(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, set_up);
	return ready;
}

bool model_next_pmu(int *next, struct model_pmu *pmu)
{
	for (int id = *next; initialize() && id < PFM_PMU_MAX; id++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (pfm_get_pmu_info((pfm_pmu_t)id, &info) != PFM_SUCCESS)
			continue;
		/* Not the kernel's generic names, and not architectural PMUs, which are empty
		 * unless they are this machine's. */
		if ((info.type != PFM_PMU_TYPE_CORE && info.type != PFM_PMU_TYPE_UNCORE) ||
		    !info.nevents)
			continue;
		*pmu = (struct model_pmu){ .name = info.name,
					   .title = info.desc,
					   .id = id,
					   .core = info.type == PFM_PMU_TYPE_CORE,
					   .present = info.is_present };
		*next = id + 1;
		return true;
	}
	return false;
}

static int visit_event(const pfm_event_info_t *info, model_visit *visit, void *user)
{
	struct model_event event = { .event = info->name, .about = info->desc };
	bool has_umasks = false;
	int rc = 0, i;

	pfm_for_each_event_attr(i, info)
	{
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (pfm_get_event_attr_info(info->idx, i, PFM_OS_NONE, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		has_umasks = true;
		event.umask = attr.name;
		event.umask_about = attr.desc;
		rc = visit(&event, user);
		if (rc)
			return rc;
	}
	return has_umasks ? 0 : visit(&event, user);
}

int model_each(const struct model_pmu *pmu, model_visit *visit, void *user)
{
	pfm_pmu_info_t pmu_info = { .size = sizeof(pmu_info) };

	if (!initialize() || pfm_get_pmu_info((pfm_pmu_t)pmu->id, &pmu_info) != PFM_SUCCESS)
		return 0;
	for (int i = pmu_info.first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t info = { .size = sizeof(info) };
		int rc;

		if (pfm_get_event_info(i, PFM_OS_NONE, &info) != PFM_SUCCESS)
			continue;
		rc = visit_event(&info, visit, user);
		if (rc)
			return rc;
	}
	return 0;
}

/* libpfm's index of the event that text begins with; negative if there is none. */
static int find_event(const struct model_pmu *pmu, const char *text)
{
	char *name = mem_printf("%s::%.*s", pmu->name, (int)strcspn(text, ":."), text);
	int index = initialize() ? pfm_find_event(name) : -1;
	pfm_event_info_t info = { .size = sizeof(info) };

	free(name);
	/* A PMU that it does not know, it leaves aside: make sure that it looked at ours. */
	if (index < 0 || pfm_get_event_info(index, PFM_OS_NONE, &info) != PFM_SUCCESS ||
	    info.pmu != (pfm_pmu_t)pmu->id)
		return -1;
	return index;
}

bool model_has_umask(const struct model_pmu *pmu, const char *text, const char *word)
{
	pfm_event_info_t info = { .size = sizeof(info) };
	int index = find_event(pmu, text), i;

	if (index < 0 || pfm_get_event_info(index, PFM_OS_NONE, &info) != PFM_SUCCESS)
		return false;
	pfm_for_each_event_attr(i, &info)
	{
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (pfm_get_event_attr_info(index, i, PFM_OS_NONE, &attr) == PFM_SUCCESS &&
		    attr.type == PFM_ATTR_UMASK && !strcasecmp(attr.name, word))
			return true;
	}
	return false;
}

static int explain(int index, const char *text, int reason, struct err *err)
{
	pfm_event_info_t info = { .size = sizeof(info) };
	struct buf names = { 0 };
	int i, rc;

	pfm_get_event_info(index, PFM_OS_NONE, &info);
	pfm_for_each_event_attr(i, &info)
	{
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (pfm_get_event_attr_info(index, i, PFM_OS_NONE, &attr) == PFM_SUCCESS &&
		    names.len < 600)
			buf_printf(&names, " %s%s", attr.name,
				   attr.type == PFM_ATTR_UMASK ? "" : "=");
	}
	rc = err_set(err, EINVAL, "%s: %s; %s takes:%s", text, pfm_strerror(reason), info.name,
		     buf_text(&names));
	buf_free(&names);
	return rc;
}

static int encode_perf(const char *text, struct model_code *code)
{
	struct perf_event_attr attr = { 0 };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	int rc = pfm_get_os_event_encoding(text, ALL_MODES, PFM_OS_PERF_EVENT, &arg);

	if (rc == PFM_SUCCESS)
		*code = (struct model_code){ .type = attr.type,
					     .config = attr.config,
					     .config1 = attr.config1,
					     .config2 = attr.config2,
					     .no_user = attr.exclude_user,
					     .no_kernel = attr.exclude_kernel };
	return rc;
}

/* Uncore PMUs have types of their own, known only where they are: other machines' have none. */
static int encode_elsewhere(const char *text, struct model_code *code)
{
	uint64_t codes[8];
	char *full = NULL;
	pfm_pmu_encode_arg_t arg = {
		.codes = codes, .count = 8, .fstr = &full, .size = sizeof(arg)
	};
	int rc = pfm_get_os_event_encoding(text, ALL_MODES, PFM_OS_NONE, &arg);

	if (rc == PFM_SUCCESS)
		*code = (struct model_code){ .type = MODEL_ELSEWHERE,
					     .config = codes[0],
					     .config1 = arg.count > 1 ? codes[1] : 0,
					     .config2 = arg.count > 2 ? codes[2] : 0 };
	free(full);
	return rc;
}

int model_encode(const struct model_pmu *pmu, const char *text, struct model_code *code,
		 struct err *err)
{
	int index = find_event(pmu, text), rc;
	char *full;

	if (index < 0)
		return -ENOENT;
	full = mem_printf("%s::%s", pmu->name, text);
	rc = pmu->present || pmu->core ? encode_perf(full, code) : encode_elsewhere(full, code);
	free(full);
	return rc == PFM_SUCCESS ? 0 : explain(index, text, rc, err);
}
