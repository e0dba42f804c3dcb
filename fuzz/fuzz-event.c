// SPDX-License-Identifier: Apache-2.0
/* The event grammar, over a machine with every kind of event; what it makes keeps its promises. */
#include "base/file.h"
#include "base/mem.h"
#include "event/catalog.h"
#include "event/parse.h"
#include "fuzz.h"

#include <unistd.h>

static char root[] = "/tmp/perfolio-fuzz-event-XXXXXX";

static void add_file(const char *path, const char *text)
{
	char *full = mem_printf("%s/%s", root, path), *slash = strrchr(full, '/');
	FILE *file;

	*slash = '\0';
	FUZZ_HOLDS(!dir_make(full, NULL));
	*slash = '/';
	file = fopen(full, "w");
	FUZZ_HOLDS(file && fputs(text, file) >= 0 && !fclose(file));
	free(full);
}

static void remove_machine(void)
{
	char *command = mem_printf("rm -rf '%s'", root);

	FUZZ_HOLDS(!system(command));
	free(command);
}

/* Made once: a core PMU, two uncore ones, tracepoints; the vendor's table is for this CPU. */
static struct catalog *machine(void)
{
#define PMU "bus/event_source/devices/"
	struct catalog_options options = { .sysfs = root, .tracefs = root, .data_dir = root };
	static struct catalog *catalog;

	if (catalog)
		return catalog;
	FUZZ_HOLDS(mkdtemp(root));
	atexit(remove_machine);
	add_file(PMU "cpu/type", "4");
	add_file(PMU "cpu/format/event", "config:0-7,32-35");
	add_file(PMU "cpu/format/umask", "config:8-15");
	add_file(PMU "cpu/format/edge", "config:18");
	add_file(PMU "cpu/events/mem-loads", "event=0xcd,umask=0x1");
	add_file(PMU "cpu/events/wants", "event=1,umask=?");
	add_file(PMU "uncore_imc_0/type", "20");
	add_file(PMU "uncore_imc_0/cpumask", "0");
	add_file(PMU "uncore_imc_0/format/event", "config1:0-7");
	add_file(PMU "uncore_imc_1/type", "21");
	add_file(PMU "uncore_imc_1/format/event", "config2:0-63");
	add_file("events/sched/sched_switch/id", "372");
	add_file("events/sched/sched_wakeup/id", "373");
	add_file("events/syscalls/sys_enter_read/id", "374");
	add_file("devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000410fd0c0");
	add_file("events/n1.events", "perfolio-events 1\nname\tn1\ncpus\t0x00000000410fd0c0\n"
				     "shape\tarm\n\nL1D.REFILL\t\tevent=0x3\t1\t\trefills\t\n"
				     "UNC_X\tuncore_imc\tevent=0x3\t64Bytes\t\t\t\n");
	catalog = catalog_new(&options);
	return catalog;
}

static void check(const struct event_list *list)
{
	FUZZ_HOLDS(list->events.len > 0 && list->last_parsed == 0);
	for (size_t i = 0; i < list->events.len; i++) {
		const struct event *event = &list->events.data[i];
		const struct event *before = i ? event - 1 : event;

		FUZZ_HOLDS(event->name && event->unit && event->scale > 0);
		FUZZ_HOLDS(event->leader <= i && event_is_leader(list, event->leader));
		FUZZ_HOLDS(event->leader == i || before->leader == event->leader);
		FUZZ_HOLDS(event->same_as <= i);
		FUZZ_HOLDS(event->attr.base.precise_ip <= 3);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct event_list list = { 0 };
	struct err err = { 0 };
	/* Looking for the nearest names takes most of the time: only now and then. */
	bool with_words = size % 8 == 0;
	int rc = event_list_parse(&list, machine(), text, with_words ? &err : NULL);

	FUZZ_HOLDS(!with_words || err.code == -rc);
	if (rc)
		FUZZ_HOLDS(rc < 0 && !list.events.len && !*err.text == !with_words);
	else
		check(&list);
	event_list_free(&list);
	free(text);
	return 0;
}
