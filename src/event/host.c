// SPDX-License-Identifier: Apache-2.0
#include "event/host.h"
#include "base/err.h"
#include "base/file.h"
#include "base/vec.h"
#include "event/open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The kernel's fixed inode numbers of the first namespaces (include/linux/proc_ns.h). */
#define FIRST_CGROUP_NS "cgroup:[4026531835]"
#define FIRST_PID_NS	"pid:[4026531836]"
#define FIRST_USER_NS	"user:[4026531837]"

static bool in_first_namespace(const char *root, const char *kind, const char *first)
{
	char path[PATH_MAX], link[64];
	ssize_t length;

	if (snprintf(path, sizeof(path), "%s/proc/self/ns/%s", root, kind) >= (int)sizeof(path))
		return true;
	length = readlink(path, link, sizeof(link) - 1);
	if (length < 0)
		return true; /* a kernel without this kind of namespace */
	link[length] = '\0';
	return !strcmp(link, first);
}

/*
 * The files that container engines leave are no proof: images are unpacked onto machines, too.
 * Namespaces of its own are what makes a container, the files only name it.
 */
static enum host_container find_container(const struct host_source *source, bool user_namespace)
{
	const char *root = source->root;

	if (!user_namespace && in_first_namespace(root, "pid", FIRST_PID_NS) &&
	    in_first_namespace(root, "cgroup", FIRST_CGROUP_NS))
		return HOST_NO_CONTAINER;
	if (file_exists("%s/var/run/secrets/kubernetes.io", root) ||
	    host_file_holds(source, "/proc/self/environ", "KUBERNETES_SERVICE_HOST="))
		return HOST_KUBERNETES;
	if (file_exists("%s/.dockerenv", root))
		return HOST_DOCKER;
	if (file_exists("%s/run/.containerenv", root))
		return HOST_PODMAN;
	return HOST_OTHER_CONTAINER;
}

/* A core PMU is the one called "cpu", or one that says which of the CPUs are its (Arm, hybrids). */
static void find_core_pmu(struct host *host, const char *root)
{
	struct strlist names = { 0 };
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices", root);
	dir_names(path, &names, NULL);
	vec_each (name, &names) {
		if (strcmp(*name, "cpu") && strcmp(*name, "cpum_cf") &&
		    !file_exists("%s/%s/cpus", path, *name))
			continue;
		snprintf(host->core_pmu, sizeof(host->core_pmu), "%s", *name);
		break;
	}
	strlist_free(&names);
}

static void read_status(struct host *host, const char *root)
{
	char path[PATH_MAX], *text, *at;
	size_t size;

	snprintf(path, sizeof(path), "%s/proc/self/status", root);
	text = file_read(path, &size, NULL);
	if (!text)
		return;
	at = strstr(text, "\nCapEff:");
	if (at)
		host->capabilities = strtoull(at + strlen("\nCapEff:"), NULL, 16);
	at = strstr(text, "\nSeccomp:");
	if (at)
		host->seccomp = strtol(at + strlen("\nSeccomp:"), NULL, 10) == 2;
	free(text);
}

/* Upstream kernels treat every level from 2 on alike; Debian's and Ubuntu's have one that closes
 * all.  The number does not tell which, so it is tried. */
static bool all_is_closed(const struct host *host, const struct perf_sys *perf)
{
	struct event_attr attr = { .base = { .type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_DUMMY,
					     .disabled = 1,
					     .exclude_kernel = 1,
					     .exclude_hv = 1 } };
	int fd;

	if (host->paranoid < 3 || host_may_perf(host) || !perf)
		return false;
	fd = perf->open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		perf->close(fd);
	return fd == -EACCES;
}

/* "none [integrity] confidentiality": the one in brackets holds. */
static void read_lockdown(struct host *host, const char *root)
{
	char line[128], *open, *close;

	if (file_line(line, sizeof(line), "%s/sys/kernel/security/lockdown", root) < 0)
		return;
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		snprintf(host->lockdown, sizeof(host->lockdown), "%.*s", (int)(close - open - 1),
			 open + 1);
}

/* A number of /proc/sys/kernel, or `otherwise`. */
static int64_t kernel_knob(const char *root, const char *name, int64_t otherwise)
{
	int64_t value;

	return file_number(&value, "%s/proc/sys/kernel/%s", root, name) ? otherwise : value;
}

static void find_program(struct host *host, const char *root)
{
	char path[PATH_MAX];
	ssize_t length;

	snprintf(path, sizeof(path), "%s/proc/self/exe", root);
	length = readlink(path, host->program, sizeof(host->program) - 1);
	host->program[length < 0 ? 0 : length] = '\0';
}

void host_look(struct host *host, const struct host_source *source)
{
	const char *root = source->root;

	*host = (struct host){
		.paranoid = (int)kernel_knob(root, "perf_event_paranoid", HOST_NO_PARANOID),
		.last_capability = (int)kernel_knob(root, "cap_last_cap", 0),
		.nmi_watchdog = kernel_knob(root, "nmi_watchdog", 0) == 1,
		.most_freq = kernel_knob(root, "perf_event_max_sample_rate", 0),
	};
	hypervisor_find(&host->hypervisor, source);
	find_core_pmu(host, root);
	read_status(host, root);
	host->user_namespace = !in_first_namespace(root, "user", FIRST_USER_NS);
	if (host->user_namespace)
		host->capabilities = 0;
	host->all_closed = all_is_closed(host, source->perf);
	host->container = find_container(source, host->user_namespace);
	read_lockdown(host, root);
	find_program(host, root);
}

bool host_has(const struct host *host, enum host_capability capability)
{
	return host->capabilities >> capability & 1;
}

bool host_may_perf(const struct host *host)
{
	return host_has(host, HOST_CAP_PERFMON) || host_has(host, HOST_CAP_SYS_ADMIN);
}

const char *host_container_name(enum host_container container)
{
	switch (container) {
	case HOST_NO_CONTAINER: return "none";
	case HOST_DOCKER: return "Docker";
	case HOST_PODMAN: return "Podman";
	case HOST_KUBERNETES: return "Kubernetes";
	case HOST_OTHER_CONTAINER: break;
	}
	return "a container or sandbox";
}

static const struct {
	unsigned bit;
	int capability;
	const char *lower, *upper;
} grants[] = {
	{ HOST_GRANT_PERFMON, HOST_CAP_PERFMON, "perfmon", "PERFMON" },
	{ HOST_GRANT_BPF, HOST_CAP_BPF, "bpf", "BPF" },
	{ HOST_GRANT_SYSLOG, HOST_CAP_SYSLOG, "syslog", "SYSLOG" },
};

/* The names of a set, each after prefix, with between between them. */
static const char *join_grants(const struct host *host, unsigned set, bool upper,
			       const char *prefix, const char *between, char *into, size_t room)
{
	const char *old = upper ? "SYS_ADMIN" : "sys_admin";
	bool had_old = false;
	size_t used = 0;

	into[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(grants) && used < room; i++) {
		bool is_old = grants[i].capability > host->last_capability;

		if (!(set & grants[i].bit) || (is_old && had_old))
			continue;
		had_old |= is_old;
		used += (size_t)snprintf(into + used, room - used, "%s%s%s", used ? between : "",
					 prefix,
					 is_old	 ? old
					 : upper ? grants[i].upper
						 : grants[i].lower);
	}
	return into;
}

const char *host_grant_names(const struct host *host, unsigned set, char *into, size_t room)
{
	return join_grants(host, set, true, "CAP_", " and ", into, room);
}

const char *host_grant(const struct host *host, unsigned set, char *into, size_t room)
{
	char names[120];

	if (host->user_namespace) {
		snprintf(into, room,
			 "run it outside the user namespace (rootless container), "
			 "inside which no capability counts");
		return into;
	}
	switch (host->container) {
	case HOST_NO_CONTAINER:
		join_grants(host, set, false, "cap_", ",", names, sizeof(names));
		snprintf(into, room, "sudo setcap %s+ep %s", names,
			 host->program[0] ? host->program : "perfolio");
		break;
	case HOST_DOCKER:
	case HOST_PODMAN:
		join_grants(host, set, true, "--cap-add ", " ", names, sizeof(names));
		snprintf(into, room, "start the container with %s", names);
		break;
	case HOST_KUBERNETES:
		join_grants(host, set, true, "", ", ", names, sizeof(names));
		snprintf(into, room, "add %s to the container's securityContext.capabilities.add",
			 names);
		break;
	case HOST_OTHER_CONTAINER:
		snprintf(into, room, "start the container with %s",
			 host_grant_names(host, set, names, sizeof(names)));
		break;
	}
	return into;
}

const char *host_paranoid_meaning(const struct host *host)
{
	if (host->all_closed)
		return "ordinary users may measure nothing";
	if (host->paranoid < 0)
		return "ordinary users may measure their own programs, the kernel and whole CPUs";
	if (host->paranoid == 0)
		return "ordinary users may measure their own programs, the kernel and whole CPUs, "
		       "but "
		       "not read the data of tracepoints";
	if (host->paranoid == 1)
		return "ordinary users may measure their own programs, with the kernel's part";
	return "ordinary users may measure their own programs, without the kernel's part";
}

const char *host_no_pmu_reason(const struct host *host, char *into, size_t room)
{
	if (host->hypervisor.name)
		snprintf(into, room, "no hardware counters: %s hides the CPU's PMU",
			 host->hypervisor.name);
	else
		snprintf(into, room, "no hardware counters: the kernel drives no PMU on this CPU");
	return into;
}

const char *host_no_pmu_remedy(const struct host *host)
{
	if (host->hypervisor.name)
		return host->hypervisor.pmu_remedy;
	return "see what the kernel says: sudo dmesg | grep -iE 'perf ?events'";
}
