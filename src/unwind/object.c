// SPDX-License-Identifier: Apache-2.0
#include "unwind/object.h"
#include "base/idmap.h"
#include "symbol/elf.h"
#include "symbol/symbol.h"
#include "unwind/frametable.h"

#define VDSO_MAX (64 * 1024)
#define PAGE	 4096
#define PAGES_MAX \
	1000 /* of constant data that are read of one file: a hostile one could want any */
/* Bytes of programs that are run, for each byte of the tables and beyond: entries of a hostile file
 * may overlap, or share a long beginning.  Those of real ones run twice at most.
 */
#define RULES_WORK	8
#define RULES_WORK_MORE (1 << 20)
#define TABLES_MAX	3 /* .eh_frame, .debug_frame, and that of the debug file */

/* The rows of an entry that has been run. */
struct compiled {
	uint32_t first, count; /* a count of 0: damaged */
};

/*
 * What files say.  All but new tables is there from the start: an object knows how many it may look
 * at, so that those who follow can use them while one more is added.
 */
struct unwind_tables {
	struct frame_table list[TABLES_MAX];
	struct elf_segment *segments;
	size_t segment_count;
	uint16_t machine;
	uint64_t sigreturn; /* where arm64's trampoline of signals is; 0: it is not in here */
	struct dso *dso;    /* to be told of what is given up; may be NULL */
};

struct unwind_object {
	struct dso *dso;     /* whose other files are still to be opened; NULL: none are */
	struct dso *data;    /* whose file holds constant data; NULL: nobody's */
	unsigned char *page; /* of these, what was read last */
	uint64_t page_off;
	unsigned page_reads;
	struct unwind_tables *own; /* NULL: another one's */
	const struct unwind_tables *tables;
	size_t table_count;
	bool behind; /* it follows one that has more files to open */
	struct cfi_rows rows;
	VEC(struct compiled) compiled;
	struct idmap by_entry; /* table and offset to compiled */
	struct idmap by_pc;    /* to row + 1; 0: none */
	uint64_t work;
};

static void keep_segments(struct unwind_tables *tables, const struct elf_file *elf)
{
	tables->segments = mem_resize(NULL, elf->segment_count + 1, sizeof(*elf->segments));
	for (uint32_t i = 0; i < elf->segment_count; i++)
		if (elf->segments[i].type == PT_LOAD)
			tables->segments[tables->segment_count++] = elf->segments[i];
}

uint16_t unwind_object_machine(const struct unwind_object *object)
{
	return object->tables->machine;
}

uint64_t unwind_object_address(const struct unwind_object *object, uint64_t file_off)
{
	for (size_t i = 0; i < object->tables->segment_count; i++) {
		const struct elf_segment *s = &object->tables->segments[i];

		if (file_off >= s->offset && file_off - s->offset < s->file_size)
			return file_off - s->offset + s->addr;
	}
	return file_off;
}

/* The instructions of arm64's trampoline of signals: mov x8, #139; svc #0. */
static const unsigned char sigreturn_code[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };

/* It lies in the vdso, and newer kernels give no rules for it: it is known by its instructions. */
static void find_sigreturn(struct unwind_object *object, const struct elf_file *elf)
{
	unsigned char *bytes = NULL, *found = NULL;

	if (elf->machine == EM_AARCH64 && elf->image.size <= VDSO_MAX)
		bytes = image_load(&elf->image, 0, elf->image.size);
	if (bytes)
		found = memmem(bytes, elf->image.size, sigreturn_code, sizeof(sigreturn_code));
	if (found)
		object->own->sigreturn = unwind_object_address(object, (uint64_t)(found - bytes));
	free(bytes);
}

/* The first rows of every object that has it. */
static void add_sigreturn(struct unwind_object *object)
{
	uint64_t start = object->tables->sigreturn;

	if (!start)
		return;
	*vec_push(&object->rows.list) = (struct cfi_row){ .start = start,
							  .frame = CFI_FRAME_REGISTER,
							  .reg = 31,
							  .signal = true,
							  .return_column = 30 };
	*vec_push(&object->rows.list) = (struct cfi_row){ .start = start + sizeof(sigreturn_code) };
}

static void add_eh_frame(struct unwind_object *object, const struct elf_file *elf)
{
	object->table_count += frame_table_load_eh(&object->own->list[object->table_count], elf);
}

static void add_debug_frame(struct unwind_object *object, const struct elf_file *elf)
{
	if (object->table_count < TABLES_MAX)
		object->table_count +=
			frame_table_load_debug(&object->own->list[object->table_count], elf);
}

static struct unwind_object *new_object(const struct elf_file *code)
{
	struct unwind_object *object = mem_alloc(sizeof(*object));

	object->tables = object->own = mem_alloc(sizeof(*object->own));
	object->own->machine = code->machine;
	keep_segments(object->own, code);
	find_sigreturn(object, code);
	add_sigreturn(object);
	add_eh_frame(object, code);
	return object;
}

struct unwind_object *unwind_object_new(const struct elf_file *code, const struct elf_file *debug)
{
	struct unwind_object *object = new_object(code);

	add_debug_frame(object, code);
	if (debug)
		add_debug_frame(object, debug);
	return object;
}

struct unwind_object *unwind_object_open(struct dso *dso)
{
	struct unwind_object *object;
	struct elf_file code = { 0 };

	if (!dso_open_code(dso, &code))
		return NULL;
	object = new_object(&code);
	object->dso = object->data = object->own->dso = dso;
	elf_file_close(&code);
	return object;
}

struct unwind_share unwind_object_share(const struct unwind_object *object)
{
	return (struct unwind_share){ object->tables, (uint8_t)object->table_count,
				      object->dso != NULL };
}

struct unwind_object *unwind_object_follow(const struct unwind_share *share)
{
	struct unwind_object *object = mem_alloc(sizeof(*object));

	object->tables = share->tables;
	add_sigreturn(object);
	unwind_object_catch_up(object, share);
	return object;
}

void unwind_object_catch_up(struct unwind_object *object, const struct unwind_share *share)
{
	object->table_count = share->count;
	object->behind = share->more;
}

bool unwind_object_is_behind(const struct unwind_object *object)
{
	return object->behind;
}

/* What is not in .eh_frame may be in .debug_frame: of programs built without unwind tables. */
static bool open_more(struct unwind_object *object)
{
	size_t before = object->table_count;
	struct elf_file elf = { 0 };

	if (!object->dso)
		return false;
	if (dso_open_code(object->dso, &elf)) {
		add_debug_frame(object, &elf);
		elf_file_close(&elf);
	}
	if (object->table_count == before && dso_open_debug(object->dso, &elf)) {
		add_debug_frame(object, &elf);
		elf_file_close(&elf);
	}
	object->dso = NULL;
	return object->table_count > before;
}

void unwind_object_free(struct unwind_object *object)
{
	if (!object)
		return;
	if (object->own) {
		for (size_t i = 0; i < object->table_count; i++)
			frame_table_free(&object->own->list[i]);
		free(object->own->segments);
		free(object->own);
	}
	free(object->page);
	cfi_rows_free(&object->rows);
	vec_free(&object->compiled);
	idmap_free(&object->by_entry);
	idmap_free(&object->by_pc);
	free(object);
}

static bool is_constant(const struct unwind_object *object, uint64_t file_off, size_t size)
{
	for (size_t i = 0; i < object->tables->segment_count; i++) {
		const struct elf_segment *s = &object->tables->segments[i];

		if (!(s->flags & PF_W) && file_off >= s->offset && s->file_size >= size &&
		    file_off - s->offset <= s->file_size - size)
			return true;
	}
	return false;
}

static bool load_page(struct unwind_object *object, uint64_t offset)
{
	struct elf_file code = { 0 };

	free(object->page);
	object->page = NULL;
	object->page_off = offset;
	if (!object->data || object->page_reads++ == PAGES_MAX ||
	    !dso_open_code(object->data, &code)) {
		object->data = NULL;
		return false;
	}
	/* The last one of a file is shorter. */
	if (offset < code.image.size) {
		uint64_t left = code.image.size - offset;

		object->page = mem_alloc(PAGE);
		if (!image_read(&code.image, offset, object->page, left < PAGE ? left : PAGE))
			memset(object->page, 0, PAGE);
	}
	elf_file_close(&code);
	return object->page != NULL;
}

bool unwind_object_read(struct unwind_object *object, uint64_t file_off, size_t size,
			uint64_t *value)
{
	uint64_t page = file_off / PAGE * PAGE;

	if (!is_constant(object, file_off, size) || file_off - page > PAGE - size)
		return false;
	if ((!object->page || object->page_off != page) && !load_page(object, page))
		return false;
	*value = 0;
	memcpy(value, object->page + (file_off - page), size);
	return true;
}

bool unwind_object_has_rules(struct unwind_object *object)
{
	return object->table_count || open_more(object);
}

/* Whether an entry's programs may still be run. */
static bool spend(struct unwind_object *object, const struct cfi_entry *entry)
{
	uint64_t most = RULES_WORK_MORE;

	for (size_t i = 0; i < object->table_count; i++)
		most += RULES_WORK * (uint64_t)object->tables->list[i].section.size;
	if (object->work > most)
		return false;
	object->work += cursor_left(&entry->common.program) + cursor_left(&entry->program);
	if (object->work > most && object->tables->dso)
		dso_give_up_rules(object->tables->dso);
	return object->work <= most;
}

static struct compiled compile(struct unwind_object *object, size_t table,
			       const struct cfi_entry *entry)
{
	uint64_t key = (uint64_t)table << 56 | entry->offset;
	uint32_t next = (uint32_t)object->compiled.len;
	uint32_t at = idmap_add(&object->by_entry, key, next);
	struct compiled *made;

	if (at != next)
		return object->compiled.data[at];
	made = vec_push(&object->compiled);
	made->first = (uint32_t)object->rows.list.len;
	if (spend(object, entry))
		cfi_rows_add(&object->rows, &object->tables->list[table].section, entry);
	made->count = (uint32_t)object->rows.list.len - made->first;
	return *made;
}

/* The row + 1, or 0. */
static uint32_t search(struct unwind_object *object, uint64_t pc)
{
	struct cfi_entry entry;

	if (object->tables->sigreturn && pc - object->tables->sigreturn < sizeof(sigreturn_code))
		return 1;
	for (size_t i = 0; i < object->table_count || open_more(object); i++) {
		struct compiled made;
		const struct cfi_row *row;

		if (!frame_table_find(&object->tables->list[i], pc, &entry))
			continue;
		made = compile(object, i, &entry);
		row = cfi_rows_find(object->rows.list.data + made.first, made.count, pc);
		if (row && row->frame != CFI_NO_FRAME)
			return (uint32_t)(row - object->rows.list.data) + 1;
	}
	return 0;
}

const struct cfi_row *unwind_object_find(struct unwind_object *object, uint64_t pc)
{
	uint32_t found;

	if (pc == UINT64_MAX)
		return NULL;
	found = idmap_find(&object->by_pc, pc);
	if (found == IDMAP_NONE) {
		found = search(object, pc);
		if (found || !object->behind)
			idmap_add(&object->by_pc, pc, found);
	}
	return found ? &object->rows.list.data[found - 1] : NULL;
}

const struct cfi_rows *unwind_object_rows(const struct unwind_object *object)
{
	return &object->rows;
}

/* An entry among those of all tables; of two that begin alike the earlier table's goes first. */
struct listed {
	struct indexed entry;
	size_t table;
};

static int by_start_and_table(const void *left, const void *right)
{
	const struct listed *a = left, *b = right;

	if (a->entry.start != b->entry.start)
		return a->entry.start < b->entry.start ? -1 : 1;
	return a->table < b->table ? -1 : a->table > b->table;
}

void unwind_object_compile(struct unwind_object *object, struct cfi_rows *all)
{
	VEC(struct listed) list = { 0 };
	struct cfi_entry entry;
	uint64_t reached = 0;
	size_t next;

	open_more(object);
	for (size_t i = 0; i < object->table_count; i++)
		vec_each (it, frame_table_index(&object->own->list[i]))
			*vec_push(&list) = (struct listed){ *it, i };
	if (list.len)
		qsort(list.data, list.len, sizeof(*list.data), by_start_and_table);
	vec_each (it, &list) {
		const struct cfi_section *section = &object->tables->list[it->table].section;

		if (it->entry.start >= reached &&
		    cfi_read(section, it->entry.offset, &entry, &next) == CFI_ENTRY &&
		    cfi_rows_add(all, section, &entry))
			reached = it->entry.end;
	}
	vec_free(&list);
}
