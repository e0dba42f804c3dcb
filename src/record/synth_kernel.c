// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"
#include "base/file.h"
#include "base/map.h"
#include "record/synth_record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#define CHUNK (256 * 1024)

/* The ends of the kernel's text; a symbol that is missing or hidden is 0. */
struct kernel_text {
	uint64_t start, end;
	char first[16]; /* the symbol at the start: perf puts it behind the mapping's name */
};

/* "ffffffff81000000 T _text\n" */
static void look_at_symbol(struct kernel_text *text, const char *line)
{
	const char *name = line + 19; /* 16 digits, blank, type, blank */

	if (line[16] != ' ' || line[18] != ' ' || name[0] != '_')
		return;
	if (!text->start && (!strncmp(name, "_text\n", 6) || !strncmp(name, "_stext\n", 7))) {
		text->start = strtoull(line, NULL, 16);
		snprintf(text->first, sizeof(text->first), "%.*s", (int)strcspn(name, "\n"), name);
	} else if (!strncmp(name, "_etext\n", 7)) {
		text->end = strtoull(line, NULL, 16);
	}
}

/*
 * Reads kallsyms until both symbols were met: it is in order of addresses, and the kernel takes a
 * third of a microsecond for every line.
 */
static int find_text(struct kernel_text *text, struct err *err)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	char *chunk = mem_alloc(CHUNK + 1);
	size_t kept = 0;
	ssize_t got = -1;

	*text = (struct kernel_text){ 0 };
	while (fd >= 0 && !text->end && (got = read(fd, chunk + kept, CHUNK - kept)) > 0) {
		char *line = chunk, *next;

		chunk[kept + (size_t)got] = '\0';
		kept += (size_t)got;
		while ((next = memchr(line, '\n', kept - (size_t)(line - chunk)))) {
			if (next - line > 20)
				look_at_symbol(text, line);
			line = next + 1;
		}
		kept -= (size_t)(line - chunk);
		memmove(chunk, line, kept);
		if (kept == CHUNK) /* a line as long as that is none */
			kept = 0;
	}
	free(chunk);
	if (fd >= 0)
		close(fd);
	if (!text->start || text->end <= text->start)
		return err_set(err, EACCES,
			       "/proc/kallsyms does not show the kernel's addresses "
			       "(kernel.kptr_restrict, or kernel.perf_event_paranoid above 1); its "
			       "functions will have no names");
	return 0;
}

static void add_kernel(const struct synth *synth, const struct kernel_text *text, struct buf *into)
{
	struct build_id id = { 0 };
	char name[64];

	if (synth->build_ids)
		build_id_of_kernel(&id);
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", text->first);
	synth_mapping(synth, into,
		      &(struct synth_mapping){
			      .pid = -1,
			      .start = text->start,
			      .size = text->end - text->start,
			      .offset = text->start,
			      .protection = PROT_EXEC,
			      .misc = PERF_RECORD_MISC_KERNEL,
			      .id = &id,
			      .path = name,
		      });
}

/* Where the modules' files are: "kernel/fs/ext4/ext4.ko.xz: ..." a line. */
struct module_files {
	char *text; /* of modules.dep, cut into paths */
	char folder[256];
	struct map path_of; /* name to offset in text */
	VEC(char *) names;
};

/* "kernel/net/nf-tables.ko.xz" is the module nf_tables. */
static char *module_name(const char *path)
{
	const char *base = strrchr(path, '/');
	char *name;

	base = base ? base + 1 : path;
	name = mem_strndup(base, strcspn(base, "."));
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

static void open_module_files(struct module_files *files)
{
	char path[512], *line, *next;
	struct utsname uts;
	size_t size;

	*files = (struct module_files){ 0 };
	if (uname(&uts))
		return;
	snprintf(files->folder, sizeof(files->folder), "/lib/modules/%s", uts.release);
	snprintf(path, sizeof(path), "%s/modules.dep", files->folder);
	files->text = file_read(path, &size, NULL);
	for (line = files->text; line && *line; line = next) {
		char *end = line + strcspn(line, ":\n"), *name;

		next = end + strcspn(end, "\n");
		next += *next == '\n';
		*end = '\0';
		name = module_name(line);
		*vec_push(&files->names) = name;
		map_add(&files->path_of, name, strlen(name), (uint32_t)(line - files->text));
	}
}

static void close_module_files(struct module_files *files)
{
	vec_each (name, &files->names)
		free(*name);
	vec_free(&files->names);
	map_free(&files->path_of);
	free(files->text);
}

static void add_module(const struct synth *synth, const struct module_files *files,
		       const char *name, uint64_t start, uint64_t size, struct buf *into)
{
	uint32_t at = map_find(&files->path_of, name, strlen(name));
	struct build_id id = { 0 };
	char path[PATH_MAX];

	if (at == MAP_NONE)
		snprintf(path, sizeof(path), "[%s]", name);
	else
		snprintf(path, sizeof(path), "%s/%s", files->folder, files->text + at);
	if (synth->build_ids)
		build_id_of_module(&id, name);
	synth_mapping(synth, into,
		      &(struct synth_mapping){
			      .pid = -1,
			      .start = start,
			      .size = size,
			      .protection = PROT_EXEC,
			      .misc = PERF_RECORD_MISC_KERNEL,
			      .id = &id,
			      .path = path,
		      });
}

/* "ext4 1003520 2 - Live 0xffffffffc0a00000" */
static void add_modules(const struct synth *synth, struct buf *into)
{
	size_t size;
	char *text = file_read("/proc/modules", &size, NULL), *rest = text, *line;
	struct module_files files;

	if (!text)
		return;
	open_module_files(&files);
	while ((line = strsep(&rest, "\n"))) {
		char name[128];
		uint64_t start, length;

		if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &length, &start) ==
			    3 &&
		    start)
			add_module(synth, &files, name, start, length, into);
	}
	close_module_files(&files);
	free(text);
}

int synth_kernel(const struct synth *synth, struct err *err)
{
	struct kernel_text text;
	struct buf records = { 0 };
	int rc = find_text(&text, err);

	if (rc)
		return rc;
	add_kernel(synth, &text, &records);
	add_modules(synth, &records);
	rc = synth->take(synth->user, records.data, records.len, err);
	buf_free(&records);
	return rc;
}
