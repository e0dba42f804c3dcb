// SPDX-License-Identifier: Apache-2.0
#include "doctor/doctor.h"
#include "base/buf.h"
#include "base/file.h"
#include "doctor/probe.h"

#include <stdio.h>
#include <string.h>

/* The page, from top to bottom.  A probe that looks into /proc or /sys is not asked without it. */
static const struct probe {
	const char *id, *area, *title;
	const char *gives;
	bool (*run)(struct checkup *c, struct finding *f);
	const char *looks_into;
} probes[] = {
	{ "cpu", "Processor", "CPU", NULL, probe_cpu, NULL },
	{ "machine", "Processor", "Machine", NULL, probe_machine, NULL },
	{ "hardware-counters", "Processor", "Hardware counters", "hardware counters",
	  probe_counters, NULL },
	{ "counter-sampling", "Processor", "Counter sampling", NULL, probe_counter_sampling, NULL },
	{ "nmi-watchdog", "Processor", "NMI watchdog", NULL, probe_watchdog, NULL },
	{ "cpu-frequency", "Processor", "CPU frequency", NULL, probe_frequency, "/sys" },

	{ "clock-sampling", "Measuring", "Clock sampling", "clock sampling", probe_clock, NULL },
	{ "permission", "Measuring", "Permission", "all programs and the kernel", probe_permission,
	  NULL },
	{ "container", "Measuring", "Container", NULL, probe_container, "/proc" },
	{ "sample-rate", "Measuring", "Sample rate", NULL, probe_rate, NULL },
	{ "ring-buffer", "Measuring", "Ring buffer", NULL, probe_ring, NULL },
	{ "cgroups", "Measuring", "Control groups", NULL, probe_cgroups, "/proc" },

	{ "tracepoints", "Tracing", "Tracepoints", "tracepoints", probe_tracepoints, "/proc" },
	{ "uprobes", "Tracing", "User probes", "user probes", probe_uprobes, "/sys" },
	{ "kprobes", "Tracing", "Kernel probes", "kernel probes", probe_kprobes, "/sys" },
	{ "function-tracing", "Tracing", "Function tracing", "function tracing", probe_functions,
	  NULL },
	{ "lockdown", "Tracing", "Kernel lockdown", NULL, probe_lockdown, NULL },
	{ "bpf", "Tracing", "BPF programs", "BPF", probe_bpf, NULL },
	{ "btf", "Tracing", "Kernel types (BTF)", NULL, probe_btf, "/sys" },

	{ "kernel-symbols", "Names", "Kernel functions", "names of kernel functions",
	  probe_kernel_symbols, "/proc" },
	{ "library-symbols", "Names", "Library functions", NULL, probe_library_symbols, NULL },
	{ "debug-info", "Names", "Source lines", NULL, probe_debug_info, NULL },
	{ "frame-pointers", "Names", "Frame pointers", NULL, probe_frame_pointers, NULL },
};

int probe_open(const struct checkup *c, const struct event_attr *attr, int cpu)
{
	struct event_attr copy = *attr;
	int fd;

	copy.base.disabled = 1;
	fd = c->perf->open(&copy, cpu < 0 ? 0 : -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return fd;
	c->perf->close(fd);
	return 0;
}

const char *probe_result(int code)
{
	const char *name = strerrorname_np(code < 0 ? -code : code);

	return code == 0 ? "yes" : name ? name : "no";
}

bool probe_mount(const struct checkup *c, const char *type, const char *option, char *into,
		 size_t room)
{
	char path[PATH_MAX], line[2048], where[1024], kind[64], options[512];
	bool found = false;
	FILE *mounts;

	snprintf(path, sizeof(path), "%s/proc/self/mounts", c->root);
	mounts = fopen(path, "re");
	if (!mounts)
		return false;
	while (!found && fgets(line, sizeof(line), mounts))
		found = sscanf(line, "%*s %1023s %63s %511s", where, kind, options) == 3 &&
			!strcmp(kind, type) && (!option || strstr(options, option));
	fclose(mounts);
	if (found)
		snprintf(into, room, "%s%s", c->root, where);
	return found;
}

/* "a, b", or "a: reason; b: reason", of the findings in a state that the verdict names. */
static const char *list_findings(struct doctor *doctor, enum doctor_state state)
{
	const char *separator = state == DOCTOR_OK ? ", " : "; ";
	struct buf text = { 0 };
	const char *kept;

	vec_each (f, &doctor->findings) {
		if (!f->gives || f->state != state)
			continue;
		buf_printf(&text, "%s%s", text.len ? separator : "", f->gives);
		if (state != DOCTOR_OK && f->because)
			buf_printf(&text, ": %s", f->because);
	}
	kept = arena_strdup(&doctor->arena, buf_text(&text));
	buf_free(&text);
	return kept;
}

/* setcap replaces what was given before, so all grants must be one. */
static const char *join_grants(struct checkup *c)
{
	unsigned grants = 0;
	char text[5000];

	vec_each (f, &c->doctor->findings)
		grants |= f->grants;
	return grants ? SAY(c, "%s", host_grant(&c->host, grants, text, sizeof(text))) : NULL;
}

/* Without /proc or /sys (a bare chroot) what is there can't be told from what is only not seen. */
static bool is_visible(const struct checkup *c, const char *folder)
{
	return file_exists("%s%s", c->root,
			   strcmp(folder, "/sys") ? "/proc/self/status" : "/sys/bus/event_source");
}

static void say_invisible(struct checkup *c, struct finding *f, const char *folder)
{
	const char *type = strcmp(folder, "/sys") ? "proc" : "sysfs";

	f->state = DOCTOR_UNKNOWN;
	f->what = SAY(c, "not visible: %s is not mounted here", folder);
	f->remedy = SAY(c, "sudo mount -t %s %s %s", type, type, folder);
}

static void run_probe(struct checkup *c, const struct probe *probe)
{
	struct finding f = {
		.id = probe->id,
		.area = probe->area,
		.title = probe->title,
		.gives = probe->gives,
		.state = DOCTOR_OK,
	};
	char names[200];

	if (probe->looks_into && !is_visible(c, probe->looks_into))
		say_invisible(c, &f, probe->looks_into);
	else if (!probe->run(c, &f))
		return;
	if (f.grants)
		f.needs = SAY(c, "%s", host_grant_names(&c->host, f.grants, names, sizeof(names)));
	*vec_push(&c->doctor->findings) = f;
}

void doctor_examine(struct doctor *doctor, const struct doctor_options *options)
{
	struct checkup c = {
		.doctor = doctor,
		.source = options->source ? options->source : &host_source_live,
		.kernel = options->kernel ? options->kernel : &doctor_kernel_live,
	};

	*doctor = (struct doctor){ 0 };
	c.root = c.source->root;
	c.perf = c.source->perf;
	host_look(&c.host, c.source);
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
		run_probe(&c, &probes[i]);
	doctor->works = c.samples || c.measures;
	doctor->works_text = list_findings(doctor, DOCTOR_OK);
	doctor->limited_text = list_findings(doctor, DOCTOR_LIMITED);
	doctor->missing_text = list_findings(doctor, DOCTOR_MISSING);
	doctor->grant_text = join_grants(&c);
}

void doctor_free(struct doctor *doctor)
{
	vec_free(&doctor->findings);
	arena_free(&doctor->arena);
}

const char *doctor_state_name(enum doctor_state state)
{
	switch (state) {
	case DOCTOR_OK: return "ok";
	case DOCTOR_LIMITED: return "limited";
	case DOCTOR_MISSING: return "missing";
	case DOCTOR_UNKNOWN: break;
	}
	return "unknown";
}

const struct finding *doctor_find(const struct doctor *doctor, const char *id)
{
	vec_each (f, &doctor->findings)
		if (!strcmp(f->id, id))
			return f;
	return NULL;
}
