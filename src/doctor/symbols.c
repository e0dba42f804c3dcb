// SPDX-License-Identifier: Apache-2.0
/* Whether addresses can be turned into names and source lines. */
#include "base/file.h"
#include "doctor/elf.h"
#include "doctor/probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kallsyms { KALLSYMS_ABSENT, KALLSYMS_HIDDEN, KALLSYMS_SHOWN };

/* The first function tells: its address is 0 where they are hidden (data may truly lie at 0). */
static enum kallsyms read_kallsyms(const struct checkup *c)
{
	char path[PATH_MAX], line[600], type;
	enum kallsyms result = KALLSYMS_ABSENT;
	uint64_t address;
	FILE *in;

	snprintf(path, sizeof(path), "%s/proc/kallsyms", c->root);
	in = fopen(path, "re");
	while (in && result == KALLSYMS_ABSENT && fgets(line, sizeof(line), in))
		if (sscanf(line, "%" SCNx64 " %c", &address, &type) == 2 && strchr("tTwW", type))
			result = address ? KALLSYMS_SHOWN : KALLSYMS_HIDDEN;
	if (in)
		fclose(in);
	return result;
}

/* What would show the addresses: kptr_restrict decides which privilege counts. */
static void say_hidden(struct finding *f, int64_t restrict_level)
{
	if (restrict_level >= 2) {
		f->remedy = "sudo sysctl kernel.kptr_restrict=1, then root sees them";
		return;
	}
	f->grants = HOST_GRANT_SYSLOG;
	if (restrict_level == 0)
		f->remedy = "for everybody: sudo sysctl kernel.perf_event_paranoid=1";
}

bool probe_kernel_symbols(struct checkup *c, struct finding *f)
{
	enum kallsyms found = read_kallsyms(c);
	int64_t restrict_level = 0;

	file_number(&restrict_level, "%s/proc/sys/kernel/kptr_restrict", c->root);
	f->evidence = SAY(c, "addresses in /proc/kallsyms; kptr_restrict is %lld",
			  (long long)restrict_level);
	switch (found) {
	case KALLSYMS_SHOWN:
		f->what = SAY(c, "appear by name (kptr_restrict is %lld)",
			      (long long)restrict_level);
		break;
	case KALLSYMS_HIDDEN:
		f->state = DOCTOR_MISSING;
		f->what = SAY(c, "appear as numbers (kptr_restrict is %lld)",
			      (long long)restrict_level);
		f->because = "addresses are hidden";
		say_hidden(f, restrict_level);
		break;
	case KALLSYMS_ABSENT:
		f->state = DOCTOR_MISSING;
		f->what = "appear as numbers: there is no /proc/kallsyms";
		f->because = "no kallsyms";
		f->remedy = "use a kernel with CONFIG_KALLSYMS";
	}
	return true;
}

static bool look_at_file(struct elf_facts *facts, const char *path)
{
	struct image image;

	return !image_open(&image, path) && elf_look(facts, image);
}

/* The C library that this program itself runs with; false if it is linked statically. */
static bool find_libc(const struct checkup *c, char *into, size_t room)
{
	char path[PATH_MAX], line[PATH_MAX + 200], *name;
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "%s/proc/self/maps", c->root);
	maps = fopen(path, "re");
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		name = strchr(line, '/');
		found = name &&
			(strstr(name, "/libc.so") || strstr(name, "/ld-musl") ||
			 strstr(name, "/libc-2.")) &&
			snprintf(into, room, "%s%s", c->root, name) < (int)room;
	}
	if (maps)
		fclose(maps);
	return found;
}

static bool has_debug_file(const struct checkup *c, const char *build_id)
{
	return strlen(build_id) > 2 && file_exists("%s/usr/lib/debug/.build-id/%.2s/%s.debug",
						   c->root, build_id, build_id + 2);
}

bool probe_library_symbols(struct checkup *c, struct finding *f)
{
	struct elf_facts facts;
	char libc[PATH_MAX];
	bool separate;

	if (!find_libc(c, libc, sizeof(libc)) || !look_at_file(&facts, libc))
		return false;
	separate = has_debug_file(c, facts.build_id);
	f->evidence = SAY(c, "%s: .symtab %s, .gnu_debugdata %s, separate debug file %s", libc,
			  facts.symtab ? "yes" : "no", facts.mini_debug ? "yes" : "no",
			  separate ? "yes" : "no");
	if (facts.symtab || facts.mini_debug || separate) {
		f->what = "appear by name (tried on the C library)";
		return true;
	}
	f->state = DOCTOR_LIMITED;
	f->what = "only exported ones appear by name";
	f->meaning = "tried on the C library";
	f->remedy = getenv("DEBUGINFOD_URLS")
			    ? "DEBUGINFOD_URLS is set: they can be fetched from there when needed"
			    : "install the -dbg or -debuginfo package (libc6-dbg), or set "
			      "DEBUGINFOD_URLS";
	return true;
}

static const char *find_vmlinux(struct checkup *c)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux",
		"/usr/lib/debug/lib/modules/%s/vmlinux.debug",
		"/lib/modules/%s/build/vmlinux",
		"/boot/vmlinux-%s",
	};
	char release[120], path[PATH_MAX], full[PATH_MAX + 200];

	if (file_line(release, sizeof(release), "%s/proc/sys/kernel/osrelease", c->root) <= 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const char *percent = strchr(places[i], '%');

		snprintf(path, sizeof(path), "%.*s%s%s", (int)(percent - places[i]), places[i],
			 release, percent + 2);
		snprintf(full, sizeof(full), "%s%s", c->root, path);
		if (!access(full, R_OK))
			return SAY(c, "%s", path);
	}
	return NULL;
}

bool probe_debug_info(struct checkup *c, struct finding *f)
{
	const char *urls = getenv("DEBUGINFOD_URLS"), *vmlinux = find_vmlinux(c);
	bool folder = file_exists("%s/usr/lib/debug/.build-id", c->root);

	f->evidence = SAY(c, "/usr/lib/debug/.build-id: %s; DEBUGINFOD_URLS: %s; vmlinux: %s",
			  folder ? "yes" : "no", urls ? urls : "not set",
			  vmlinux ? vmlinux : "none found");
	if (folder || (urls && urls[0])) {
		f->what = SAY(c, "for programs built with -g, and from %s%s",
			      folder ? "/usr/lib/debug" : "debuginfod",
			      vmlinux ? "; for the kernel too" : "");
		return true;
	}
	f->state = DOCTOR_LIMITED;
	f->what = SAY(c, "only for programs built with -g%s",
		      vmlinux ? ", and for the kernel" : "");
	f->remedy = "for libraries: export DEBUGINFOD_URLS=https://debuginfod.elfutils.org/ or "
		    "install debug packages";
	return true;
}
