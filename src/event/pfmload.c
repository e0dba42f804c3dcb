// SPDX-License-Identifier: Apache-2.0
/*
 * libpfm, loaded when it is first asked for.  Its tables of all CPU models are 40,000 pointers that
 * the loader has to put in place: half of what starting a command costs, and few commands need one
 * of them.  A static program (-Dstatic=true) is linked with the library itself instead of this.
 */
#include "base/log.h"
#include "base/mem.h"

#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <stdbool.h>

static struct {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_strerror) *strerror;
	__typeof__(pfm_find_event) *find_event;
	__typeof__(pfm_get_event_info) *event_info;
	__typeof__(pfm_get_event_next) *event_next;
	__typeof__(pfm_get_event_attr_info) *attr_info;
	__typeof__(pfm_get_os_event_encoding) *encoding;
	__typeof__(pfm_get_pmu_info) *pmu_info;
} lib;

static bool load(void)
{
	const struct {
		void *at;
		const char *name;
	} symbols[] = {
		{ &lib.initialize, "pfm_initialize" },
		{ &lib.strerror, "pfm_strerror" },
		{ &lib.find_event, "pfm_find_event" },
		{ &lib.event_info, "pfm_get_event_info" },
		{ &lib.event_next, "pfm_get_event_next" },
		{ &lib.attr_info, "pfm_get_event_attr_info" },
		{ &lib.encoding, "pfm_get_os_event_encoding" },
		{ &lib.pmu_info, "pfm_get_pmu_info" },
	};
	void *library = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library && i < ARRAY_SIZE(symbols); i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (!symbol)
			return false;
		*(void **)symbols[i].at = symbol;
	}
	return library != NULL;
}

/* The caller sees to it that this comes first, once, and that nothing else comes if it fails. */
pfm_err_t pfm_initialize(void)
{
	if (load())
		return lib.initialize();
	log_once(LOG_NOTE, "no names of the CPU model's own events: libpfm.so.4 is not installed");
	return PFM_ERR_NOTSUPP;
}

const char *pfm_strerror(int code)
{
	return lib.strerror(code);
}

int pfm_find_event(const char *str)
{
	return lib.find_event(str);
}

pfm_err_t pfm_get_event_info(int idx, pfm_os_t os, pfm_event_info_t *output)
{
	return lib.event_info(idx, os, output);
}

int pfm_get_event_next(int idx)
{
	return lib.event_next(idx);
}

pfm_err_t pfm_get_event_attr_info(int eidx, int aidx, pfm_os_t os, pfm_event_attr_info_t *output)
{
	return lib.attr_info(eidx, aidx, os, output);
}

pfm_err_t pfm_get_os_event_encoding(const char *str, int dfl_plm, pfm_os_t os, void *args)
{
	return lib.encoding(str, dfl_plm, os, args);
}

pfm_err_t pfm_get_pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *output)
{
	return lib.pmu_info(pmu, output);
}
