// SPDX-License-Identifier: Apache-2.0
#include "cmd/script_dlfilter.h"
#include "base/err.h"
#include "base/mem.h"
#include "dwarf/dwarf.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PERF_FILTERS "/usr/lib/perf-core/dlfilters"

/* The layouts are the interface's; a library of a later perf looks at `size`. */
struct filter_sample {
	uint32_t size;
	uint16_t ins_lat, p_stage_cyc;
	uint64_t ip;
	int32_t pid, tid;
	uint64_t time, addr, id, stream_id, period, weight, transaction, insn_cnt, cyc_cnt;
	int32_t cpu;
	uint32_t flags;
	uint64_t data_src, phys_addr, data_page_size, code_page_size, cgroup;
	uint8_t cpumode, addr_correlates_sym;
	uint16_t misc;
	uint32_t raw_size;
	const void *raw_data;
	uint64_t brstack_nr;
	const struct perf_branch_entry *brstack;
	uint64_t raw_callchain_nr;
	const uint64_t *raw_callchain;
	const char *event;
	int32_t machine_pid, vcpu;
};

struct filter_location {
	uint32_t size, symoff;
	const char *sym;
	uint64_t addr, sym_start, sym_end;
	const char *dso;
	uint8_t sym_binding, is_64_bit, is_kernel_ip;
	uint32_t buildid_size;
	const uint8_t *buildid;
	uint8_t filtered;
	const char *comm;
};

/* What the library may call; it has one of these under the name perf_dlfilter_fns. */
struct filter_calls {
	const struct filter_location *(*resolve_ip)(void *context);
	const struct filter_location *(*resolve_addr)(void *context);
	char **(*args)(void *context, int *count);
	int32_t (*resolve_address)(void *context, uint64_t address, struct filter_location *into);
	const uint8_t *(*insn)(void *context, uint32_t *length);
	const char *(*srcline)(void *context, uint32_t *line);
	struct perf_event_attr *(*attr)(void *context);
	int32_t (*object_code)(void *context, uint64_t ip, void *into, uint32_t length);
};

struct dlfilter {
	void *library;
	void *data; /* the library's own */
	int (*start)(void **data, void *context);
	int (*stop)(void *data, void *context);
	int (*early)(void *data, const struct filter_sample *sample, void *context);
	int (*late)(void *data, const struct filter_sample *sample, void *context);
	struct script_symbols *symbols;
	const struct strlist *args;

	/* The sample that it is asked about. */
	const struct perf_attr *attr;
	const struct sample *sample;
	const struct thread *thread;
	struct filter_location ip, addr;
};

static bool locate(struct dlfilter *f, uint64_t address, struct filter_location *into)
{
	struct place place;

	if (!f->sample)
		return false;
	place = script_symbols_find_any(f->symbols, f->thread, f->sample->cpumode, address);
	*into = (struct filter_location){
		.size = sizeof(*into),
		.addr = place.object ? place.address : address,
		.is_64_bit = 1,
		.is_kernel_ip = address >> 63,
		.comm = f->thread->comm,
	};
	if (place.object) {
		into->dso = place.object->name;
		into->buildid_size = place.object->build_id_size;
		into->buildid = place.object->build_id;
	}
	if (place.symbol) {
		into->sym = script_symbols_name(f->symbols, &place);
		into->symoff = (uint32_t)place.offset;
		into->sym_start = into->sym_end = place.address - place.offset;
	}
	return place.object != NULL;
}

static const struct filter_location *resolve_ip(void *context)
{
	struct dlfilter *f = context;

	if (!f->sample)
		return NULL;
	locate(f, f->sample->ip, &f->ip);
	return &f->ip;
}

static const struct filter_location *resolve_addr(void *context)
{
	struct dlfilter *f = context;

	return f->sample && locate(f, f->sample->addr, &f->addr) ? &f->addr : NULL;
}

static int32_t resolve_address(void *context, uint64_t address, struct filter_location *into)
{
	return locate(context, address, into) ? 0 : -1;
}

static char **give_args(void *context, int *count)
{
	struct dlfilter *f = context;

	*count = (int)f->args->len;
	return f->args->data;
}

/* Code is not read here. */
static const uint8_t *give_insn(void *context, uint32_t *length)
{
	(void)context;
	*length = 0;
	return NULL;
}

static int32_t give_code(void *context, uint64_t ip, void *into, uint32_t length)
{
	(void)context, (void)ip, (void)into, (void)length;
	return -1;
}

static const char *give_srcline(void *context, uint32_t *line)
{
	struct dlfilter *f = context;
	struct place place = script_symbols_find(f->symbols, f->thread, f->sample->cpumode,
						 f->sample->ip);
	struct dwarf_frame frame = { 0 };

	if (!place.dso || !dso_frames(place.dso, place.address, &frame, 1) || !frame.line)
		return NULL;
	*line = frame.line;
	return frame.file;
}

static struct perf_event_attr *give_attr(void *context)
{
	return (struct perf_event_attr *)&((struct dlfilter *)context)->attr->attr.base;
}

static char *path_of(const char *file)
{
	struct stat st;

	if (strchr(file, '/'))
		return mem_strdup(file);
	return stat(file, &st) ? mem_printf(PERF_FILTERS "/%s", file) : mem_printf("./%s", file);
}

struct dlfilter *dlfilter_open(const char *file, const struct strlist *args,
			       struct script_symbols *symbols, struct err *err)
{
	const struct filter_calls calls = {
		.resolve_ip = resolve_ip,
		.resolve_addr = resolve_addr,
		.args = give_args,
		.resolve_address = resolve_address,
		.insn = give_insn,
		.srcline = give_srcline,
		.attr = give_attr,
		.object_code = give_code,
	};
	struct dlfilter *f = mem_alloc(sizeof(*f));
	char *path = path_of(file);
	void *theirs;

	f->symbols = symbols;
	f->args = args;
	f->library = dlopen(path, RTLD_NOW);
	if (!f->library) {
		err_set(err, EINVAL, "--dlfilter: %s", dlerror());
	} else {
		f->start = dlsym(f->library, "start");
		f->stop = dlsym(f->library, "stop");
		f->early = dlsym(f->library, "filter_event_early");
		f->late = dlsym(f->library, "filter_event");
		theirs = dlsym(f->library, "perf_dlfilter_fns");
		if (theirs)
			memcpy(theirs, &calls, sizeof(calls));
		if (!f->early && !f->late)
			err_set(err, EINVAL, "--dlfilter: %s has no function filter_event", path);
		else if (f->start && f->start(&f->data, f))
			err_set(err, EIO, "--dlfilter: %s: its start failed", path);
	}
	free(path);
	if (err->code) {
		f->stop = NULL;
		dlfilter_close(f);
		return NULL;
	}
	return f;
}

int dlfilter_takes(struct dlfilter *f, const struct perf_attr *attr, const struct sample *sample,
		   const struct thread *thread, struct err *err)
{
	struct filter_sample asked = {
		.size = sizeof(asked),
		.ip = sample->ip,
		.pid = (int32_t)sample->pid,
		.tid = (int32_t)sample->tid,
		.time = sample->time,
		.addr = sample->addr,
		.id = sample->id,
		.period = sample->period,
		.weight = sample->weight,
		.ins_lat = (uint16_t)sample->weight_ins_lat,
		.cpu = (int32_t)sample->cpu,
		.data_src = sample->data_src,
		.phys_addr = sample->phys_addr,
		.data_page_size = sample->data_page_size,
		.code_page_size = sample->code_page_size,
		.cgroup = sample->cgroup,
		.cpumode = sample->cpumode,
		.misc = sample->misc,
		.raw_size = (uint32_t)sample->raw_size,
		.raw_data = sample->raw,
		.brstack_nr = sample->branch_count,
		.brstack = sample->branches,
		.raw_callchain_nr = sample->chain_len,
		.raw_callchain = sample->chain,
		.event = attr->name,
	};
	int out;

	f->attr = attr;
	f->sample = sample;
	f->thread = thread;
	out = f->early ? f->early(f->data, &asked, f) : 0;
	if (!out && f->late)
		out = f->late(f->data, &asked, f);
	if (out < 0)
		return err_set(err, EIO, "--dlfilter: the filter failed with %d", out);
	return !out;
}

void dlfilter_close(struct dlfilter *f)
{
	if (!f)
		return;
	f->sample = NULL;
	if (f->stop)
		f->stop(f->data, f);
	if (f->library)
		dlclose(f->library);
	free(f);
}

static void list_folder(const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		char *path = mem_printf("%s/%s", folder, entries[i]->d_name);
		size_t length = strlen(path);
		bool fits = length > 3 && !strcmp(path + length - 3, ".so");
		void *library = fits ? dlopen(path, RTLD_NOW) : NULL;
		const char *(*describe)(const char **rest) =
			library ? dlsym(library, "filter_description") : NULL;
		const char *rest = NULL;

		if (library && (describe || dlsym(library, "filter_event")))
			printf("  %-36s %s\n", entries[i]->d_name, describe ? describe(&rest) : "");
		if (library)
			dlclose(library);
		free(path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

void dlfilter_list(void)
{
	puts("List of available dlfilters:");
	list_folder(".");
	list_folder(PERF_FILTERS);
}
