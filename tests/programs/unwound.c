// SPDX-License-Identifier: Apache-2.0
/*
 * A door to unwind/ for the live tests.
 *
 * unwound TID unwinds a thread of a stopped process: one frame a line, "ADDRESS NAME", leaf first;
 * then "end N", the number of the reason why there are no more.
 *
 * unwound rows FILE prints every row of a file: "START REGISTER+OFFSET REGISTER:WHERE..." with
 * DWARF's numbers; what expressions compute is "exp".
 */
#include "base/mem.h"
#include "base/vec.h"
#include "symbol/elf.h"
#include "symbol/symbol.h"
#include "unwind/object.h"
#include "unwind/unwind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#define STACK_BYTES (64 * 1024)

struct area {
	uint64_t start, end, offset;
	struct dso *dso;
};

struct process {
	struct symbol_store *store;
	VEC(struct area) areas;
};

static void add_area(struct process *p, const char *line, pid_t pid)
{
	struct area area = { 0 };
	char mode[8], path[4096] = "";

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095[^\n]", &area.start,
		   &area.end, mode, &area.offset, path) < 4 ||
	    mode[2] != 'x')
		return;
	if (path[0] == '/' || !strcmp(path, "[vdso]"))
		area.dso = symbol_dso(
			p->store, &(struct dso_key){ .kind = path[0] == '/' ? DSO_FILE : DSO_VDSO,
						     .path = path,
						     .pid = pid });
	*vec_push(&p->areas) = area;
}

static void read_areas(struct process *p, pid_t pid)
{
	char path[64], *line = NULL;
	size_t room = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	while (maps && getline(&line, &room, maps) > 0)
		add_area(p, line, pid);
	free(line);
	if (maps)
		fclose(maps);
}

static bool find(void *context, uint64_t pc, struct unwind_place *place)
{
	const struct process *p = context;

	vec_each (area, &p->areas) {
		if (pc < area->start || pc >= area->end)
			continue;
		*place = (struct unwind_place){ area->dso, pc - area->start + area->offset };
		return true;
	}
	return false;
}

#if defined(__x86_64__)
#define MASK 0xff01ffull
static void read_registers(pid_t tid, uint64_t *values)
{
	struct user_regs_struct r;
	uint64_t all[17];

	if (ptrace(PTRACE_GETREGS, tid, NULL, &r))
		exit(1);
	memcpy(all,
	       (uint64_t[]){ r.rax, r.rbx, r.rcx, r.rdx, r.rsi, r.rdi, r.rbp, r.rsp, r.rip, r.r8,
			     r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15 },
	       sizeof(all));
	memcpy(values, all, sizeof(all));
}
#define SP 7
#else
#include <elf.h>
#define MASK 0x1ffffffffull
static void read_registers(pid_t tid, uint64_t *values)
{
	struct iovec io = { values, 33 * sizeof(*values) };

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &io))
		exit(1);
}
#define SP   31
#endif

static void print_frames(const struct process *p, const struct unwound *unwound)
{
	for (size_t i = 0; i < unwound->count; i++) {
		uint64_t address = unwound->frames[i].address;
		struct unwind_place place = { 0 };
		struct symbol symbol;
		bool named = find((void *)p, address, &place) && place.dso &&
			     dso_find(place.dso, place.file_off, &symbol);

		printf("%" PRIx64 " %s\n", address, named ? symbol.name : "??");
	}
	printf("end %d\n", unwound->end);
}

static void print_rule(const struct cfi_rule *rule)
{
	static const char letters[] = { [CFI_UNDEFINED] = 'u', [CFI_SAME] = 's' };

	printf(" %u:", rule->reg);
	switch ((enum cfi_where)rule->where) {
	case CFI_AT: printf("c%+d", rule->value); break;
	case CFI_IS: printf("v%+d", rule->value); break;
	case CFI_IN: printf("r%d", rule->value); break;
	case CFI_AT_RESULT: fputs("exp", stdout); break;
	case CFI_IS_RESULT: fputs("vexp", stdout); break;
	default: putchar(letters[rule->where]);
	}
}

static int print_rows(const char *path)
{
	struct cfi_rows rows = { 0 };
	struct unwind_object *object;
	struct elf_file elf;
	struct image image;

	if (image_open(&image, path) || elf_file_open(&elf, image))
		return 1;
	object = unwind_object_new(&elf, NULL);
	unwind_object_compile(object, &rows);
	vec_each (row, &rows.list) {
		if (row->frame == CFI_NO_FRAME)
			continue;
		printf("%" PRIx64, row->start);
		if (row->frame == CFI_FRAME_RESULT)
			fputs(" exp", stdout);
		else
			printf(" %u%+d", row->reg, row->value);
		for (unsigned i = 0; i < row->rule_count; i++)
			print_rule(&rows.rules.data[row->rule_first + i]);
		putchar('\n');
	}
	cfi_rows_free(&rows);
	unwind_object_free(object);
	elf_file_close(&elf);
	return 0;
}

static int unwind_thread(pid_t tid)
{
	size_t bytes = STACK_BYTES;
	unsigned char *stack = mem_alloc(bytes);
	struct process p = { .store = symbol_store_new(
				     &(struct symbol_options){ .cache_dir = "" }) };
	struct unwinder *unwinder = unwinder_new();
	struct unwind_space space = { find, &p };
	struct unwind_input input = { .mask = MASK, .stack = stack };
	struct unwound unwound;
	uint64_t values[33];
	ssize_t got = -1;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) ||
	    waitpid(tid, NULL, __WALL) != tid) {
		perror("unwound: ptrace");
		return 1;
	}
	read_registers(tid, values);
	/* Less than asked for where the stack ends. */
	for (; got < 0 && bytes >= 8; bytes -= got < 0 ? 8 : 0)
		got = process_vm_readv(tid, &(struct iovec){ stack, bytes }, 1,
				       &(struct iovec){ (void *)(uintptr_t)values[SP], bytes }, 1,
				       0);
	read_areas(&p, tid);
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	input.values = values;
	input.stack_size = got < 0 ? 0 : (uint64_t)got;
	unwind_arch_of(NULL, 2, &input.arch);
	unwinder_run(unwinder, &input, &space, &unwound);
	print_frames(&p, &unwound);
	unwinder_free(unwinder);
	symbol_store_free(p.store);
	vec_free(&p.areas);
	free(stack);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "rows"))
		return print_rows(argv[2]);
	if (argc == 2)
		return unwind_thread(atoi(argv[1]));
	fprintf(stderr, "unwound TID, or unwound rows FILE\n");
	return 2;
}
