// SPDX-License-Identifier: Apache-2.0
/*
 * Arm: the CPU's name, and what the firmware says about its PMU.
 *
 * On Arm the kernel can't ask the CPU whether it has a PMU; the device tree or ACPI must say so,
 * with the PMU's interrupt.  So "no PMU" has several causes, each with a remedy of its own.
 */
#include "base/cursor.h"
#include "base/file.h"
#include "base/vec.h"
#include "doctor/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool arm_is_arm(const struct checkup *c)
{
	return host_file_holds(c->source, "/proc/cpuinfo", "CPU implementer");
}

static const struct {
	unsigned implementer, part;
	const char *name;
} parts[] = {
	{ 0x41, 0xd03, "Cortex-A53" },	{ 0x41, 0xd05, "Cortex-A55" },
	{ 0x41, 0xd07, "Cortex-A57" },	{ 0x41, 0xd08, "Cortex-A72" },
	{ 0x41, 0xd09, "Cortex-A73" },	{ 0x41, 0xd0a, "Cortex-A75" },
	{ 0x41, 0xd0b, "Cortex-A76" },	{ 0x41, 0xd0c, "Neoverse N1" },
	{ 0x41, 0xd0d, "Cortex-A77" },	{ 0x41, 0xd40, "Neoverse V1" },
	{ 0x41, 0xd41, "Cortex-A78" },	{ 0x41, 0xd49, "Neoverse N2" },
	{ 0x41, 0xd4f, "Neoverse V2" }, { 0xc0, 0xac3, "Ampere-1" },
	{ 0x46, 0x001, "A64FX" },	{ 0x48, 0xd01, "Kunpeng 920" },
};

static unsigned cpuinfo_number(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	at = at ? strchr(at, ':') : NULL;
	return at ? (unsigned)strtoul(at + 1, NULL, 0) : 0;
}

const char *arm_cpu_name(struct checkup *c)
{
	char path[PATH_MAX], board[100], *text;
	unsigned implementer, part;
	const char *name = NULL;
	size_t size;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", c->root);
	text = file_read(path, &size, NULL);
	if (!text)
		return NULL;
	implementer = cpuinfo_number(text, "CPU implementer");
	part = cpuinfo_number(text, "CPU part");
	free(text);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i].implementer == implementer && parts[i].part == part)
			name = parts[i].name;
	if (!name)
		name = SAY(c, "Arm CPU (implementer 0x%x, part 0x%x)", implementer, part);
	if (!c->host.hypervisor.name &&
	    file_line(board, sizeof(board), "%s/proc/device-tree/model", c->root) > 0)
		return SAY(c, "%s (%s)", name, board);
	return name;
}

/* A node with "pmu" in its name and an Arm PMU in its `compatible`, at most two levels down. */
static bool find_pmu_node(struct checkup *c, const char *folder, int depth, char *into, size_t room)
{
	struct strlist names = { 0 };
	char path[PATH_MAX];
	bool found = false;

	snprintf(path, sizeof(path), "%s%s", c->root, folder);
	dir_names(path, &names, NULL);
	vec_each (name, &names) {
		if (snprintf(path, sizeof(path), "%s/%s/compatible", folder, *name) >=
		    (int)sizeof(path))
			continue;
		if (strstr(*name, "pmu") && (host_file_holds(c->source, path, "-pmu"))) {
			snprintf(into, room, "%s/%s", folder, *name);
			found = true;
			break;
		}
		path[strlen(path) - strlen("/compatible")] = '\0';
		if (depth > 0 && find_pmu_node(c, path, depth - 1, into, room)) {
			found = true;
			break;
		}
	}
	strlist_free(&names);
	return found;
}

/*
 * The PMU's interrupt in ACPI's MADT: 1 if a CPU (a GICC structure, type 11) has one, 0 if none
 * has, -1 if there is no such table or it can't be read.
 */
static int madt_has_pmu(struct checkup *c)
{
	char path[PATH_MAX];
	struct cursor at;
	int result = -1;
	char *table;
	size_t size;

	snprintf(path, sizeof(path), "%s/sys/firmware/acpi/tables/APIC", c->root);
	table = file_read(path, &size, NULL);
	if (!table)
		return -1;
	at = cursor_of(table, size);
	cursor_bytes(&at, 44); /* the table's head */
	while (cursor_left(&at) >= 2) {
		const unsigned char *entry = at.at;

		if (entry[1] < 2 || !cursor_bytes(&at, entry[1]))
			break;
		if (entry[0] == 11 && entry[1] >= 24) {
			uint32_t interrupt;

			memcpy(&interrupt, entry + 20, sizeof(interrupt));
			result = result == 1 || interrupt ? 1 : 0;
		}
	}
	free(table);
	return result;
}

static void explain_no_driver(struct finding *f)
{
	f->because = "no driver bound";
	f->remedy = "use a kernel with CONFIG_ARM_PMUV3; sudo dmesg | grep -i pmu says why it is "
		    "not bound";
}

static void explain_not_described(struct checkup *c, struct finding *f, const char *where)
{
	if (c->host.hypervisor.name) {
		f->what = SAY(c, "none: %s hides the CPU's PMU", c->host.hypervisor.name);
		f->because = SAY(c, "hidden by %s", c->host.hypervisor.name);
		f->remedy = c->host.hypervisor.pmu_remedy;
		return;
	}
	f->what = SAY(c, "none: %s has no PMU", where);
	f->because = SAY(c, "not in %s", where);
	f->remedy = "add the PMU and its interrupts there, or update the firmware";
}

void arm_explain_no_pmu(struct checkup *c, struct finding *f)
{
	char node[PATH_MAX];
	int madt;

	if (file_exists("%s/proc/device-tree", c->root)) {
		if (find_pmu_node(c, "/proc/device-tree", 1, node, sizeof(node))) {
			f->what = "none: the device tree has a PMU, but no driver is bound to it";
			f->evidence = SAY(c, "%s; node %s", f->evidence, node);
			explain_no_driver(f);
		} else {
			explain_not_described(c, f, "the device tree");
		}
		return;
	}
	madt = madt_has_pmu(c);
	if (madt == 1) {
		f->what = "none: ACPI describes a PMU, but no driver is bound to it";
		explain_no_driver(f);
	} else if (madt == 0) {
		explain_not_described(c, f, "ACPI's MADT");
	} else if (c->host.hypervisor.name) {
		explain_not_described(c, f, "the firmware");
	} else {
		f->what = "none, and the firmware's tables can't be read";
		f->because = "unknown why";
		f->remedy = "run this as root to learn whether ACPI describes a PMU";
	}
}
