// SPDX-License-Identifier: Apache-2.0
#include "symbol/find.h"
#include "symbol/debugfile.h"
#include "symbol/debuginfod.h"
#include "symbol/elfsyms.h"
#include "symbol/process.h"
#include "symbol/unpack.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct finder finder_of(struct dso *object)
{
	return (struct finder){ .store = object->store,
				.path = object->key.path,
				.wanted = object->key.build_id,
				.guest = object->key.guest,
				.pids = object->pids.data,
				.pid_count = object->pids.len,
				.inode = object->key.inode,
				.mapped = object->key.mapped,
				.trouble = DSO_MISSING };
}

static void note_trouble(struct finder *f, enum dso_state trouble)
{
	/* A file of another build says more than one that could not be read. */
	if (f->trouble != DSO_MISMATCH)
		f->trouble = trouble;
}

static int64_t time_ns(const struct timespec *time)
{
	return time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
}

/* Either time: what unpacks or copies files sets the one to the past, and nobody the other. */
static bool is_newer(const struct finder *f, const struct image_stamp *stamp)
{
	int64_t recorded = f->store->options.recorded_ns;

	return recorded && (time_ns(&stamp->mtime) > recorded || time_ns(&stamp->ctime) > recorded);
}

/* On layered file systems stat() and mappings know a file by different devices: it tells nothing.
 */
static bool is_replaced(const struct finder *f, const struct image_stamp *stamp)
{
	const struct dso_mapped *mapped = &f->mapped;

	if (!mapped->inode || stamp->device != makedev(mapped->major, mapped->minor))
		return false;
	return stamp->inode != mapped->inode ||
	       (stamp->generation && mapped->generation && stamp->generation != mapped->generation);
}

enum fit { FITS, MAY_FIT, FITS_NOT };

/* All that is loaded, in one piece: loaders map that with the rights of what comes first. */
static uint64_t whole_size(const struct elf_file *elf, uint64_t page)
{
	uint64_t start = UINT64_MAX, end = 0;

	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];

		if (segment->type != PT_LOAD)
			continue;
		start = start == UINT64_MAX ? segment->addr & ~(page - 1) : start;
		end = segment->addr + segment->memory_size;
	}
	return (end - start + page - 1) & ~(page - 1);
}

static enum fit fit_in_pages(const struct elf_file *elf, const struct dso_mapped *mapped,
			     uint64_t page)
{
	enum fit fit = FITS_NOT;
	bool first = true;

	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];
		uint64_t start = segment->offset & ~(page - 1);
		uint64_t end = (segment->offset + segment->file_size + page - 1) & ~(page - 1);

		if (segment->type != PT_LOAD)
			continue;
		if (segment->flags & PF_X && mapped->offset == start &&
		    (mapped->size == end - start ||
		     (first && mapped->size == whole_size(elf, page))))
			return FITS;
		/* A part whose rights were changed for a while is a mapping of its own. */
		if (mapped->offset >= start && mapped->offset <= end &&
		    mapped->size <= end - mapped->offset)
			fit = MAY_FIT;
		first = false;
	}
	return first ? FITS : fit; /* nothing to load: who mapped it has other rules */
}

/* Whether its program headers make such a mapping, with the pages of any machine. */
static enum fit fit_of(const struct elf_file *elf, const struct dso_mapped *mapped)
{
	static const uint64_t pages[] = { 4096, 16384, 65536 };
	uint64_t edges = mapped->offset | mapped->size;
	enum fit best = FITS_NOT;

	if (!mapped->size || edges & (pages[0] - 1))
		return FITS;
	for (size_t i = 0; i < ARRAY_SIZE(pages) && !(edges & (pages[i] - 1)); i++) {
		enum fit fit = fit_in_pages(elf, mapped, pages[i]);

		best = fit < best ? fit : best;
	}
	return best;
}

/* Takes the image over. */
static bool accept(struct finder *f, struct image image, struct elf_file *elf)
{
	bool by_path = f->by_path && !f->wanted.size && !f->guest && !f->store->options.symfs;
	bool doubted = by_path && (is_newer(f, &image.stamp) || is_replaced(f, &image.stamp));
	enum fit fit;
	struct build_id id;

	if (f->inode && !f->wanted.size && image.stamp.inode != f->inode) {
		image_close(&image);
		note_trouble(f, DSO_MISMATCH);
		return false;
	}
	if (unpack_image(&image)) {
		image_close(&image);
		note_trouble(f, DSO_UNREADABLE);
		return false;
	}
	if (elf_file_open(elf, image)) {
		note_trouble(f, DSO_UNREADABLE);
		return false;
	}
	elf_file_build_id(elf, &id);
	fit = by_path ? fit_of(elf, &f->mapped) : FITS;
	if ((f->wanted.size && !build_id_same(&id, &f->wanted)) || fit == FITS_NOT) {
		note_trouble(f, DSO_MISMATCH);
		elf_file_close(elf);
		return false;
	}
	f->wanted = id;
	f->inode = 0;
	f->doubted = doubted || fit == MAY_FIT;
	return true;
}

/*
 * A fence refuses whatever is asked for, be it there or not.  What can't even be looked at is in no
 * way the file of another machine.
 */
static bool is_absent(const struct finder *f, const char *root, const char *path)
{
	char *whole = mem_printf("%s%s", root, path);
	struct stat st;
	bool absent = stat(whole, &st) &&
		      (f->store->options.other_machine || errno == ENOENT || errno == ENOTDIR);

	free(whole);
	return absent;
}

bool find_try(struct finder *f, const char *root, const char *path, struct elf_file *elf)
{
	struct image image;
	int rc = image_open_in(&image, root, path);

	if ((rc == -EACCES || rc == -EPERM || rc == -EIO) && !is_absent(f, root, path))
		note_trouble(f, DSO_UNREADABLE);
	if (rc || !accept(f, image, elf))
		return false;
	buf_clear(&f->source);
	buf_printf(&f->source, "%s%s", root, path);
	return true;
}

/* "DIR/.build-id/ab/cdef", behind which come the kinds of file; false without a build-id. */
static bool build_id_path(const struct finder *f, const char *dir, char *into, size_t room)
{
	char text[BUILD_ID_TEXT];

	build_id_text(text, &f->wanted);
	return f->wanted.size > 1 &&
	       snprintf(into, room, "%s/.build-id/%.2s/%s", dir, text, text + 2) < (int)room;
}

bool find_try_cached(struct finder *f, const char *name, struct elf_file *elf)
{
	char link[PATH_MAX - 16], path[PATH_MAX];
	struct stat st;

	if (!f->store->buildid_dir || !build_id_path(f, f->store->buildid_dir, link, sizeof(link)))
		return false;
	/* Before 2016 the file itself stood there. */
	if (!stat(link, &st) && S_ISREG(st.st_mode))
		return find_try(f, "", link, elf);
	snprintf(path, sizeof(path), "%s/%s", link, name);
	return find_try(f, "", path, elf);
}

/* A file that is still mapped, but has lost its name or has another by now. */
static bool try_mapped(struct finder *f, struct elf_file *elf)
{
	const struct symbol_options *options = &f->store->options;

	if (options->other_machine || options->symfs)
		return false; /* these pids are other processes here */
	for (size_t i = 0; i < f->pid_count; i++) {
		struct image image;

		if (process_open_mapped(f->pids[i], f->path, &image, &f->source))
			continue;
		if (accept(f, image, elf))
			return true;
	}
	return false;
}

static bool try_process_roots(struct finder *f, const char *path, struct elf_file *elf)
{
	char root[64];

	for (size_t i = 0; i < f->pid_count; i++)
		if (store_root_of(f->store, f->pids[i], root, sizeof(root)) &&
		    find_try(f, root, path, elf))
			return true;
	return false;
}

static bool try_guest_root(struct finder *f, const char *path, struct elf_file *elf)
{
	const char *mount = f->store->options.guest.mount;
	char root[PATH_MAX];

	if (!f->guest || !mount)
		return false;
	snprintf(root, sizeof(root), "%s/%u", mount, f->guest - 1);
	return find_try(f, root, path, elf);
}

bool find_place(struct finder *f, const char *path, struct elf_file *elf)
{
	const struct symbol_options *options = &f->store->options;

	if (try_guest_root(f, path, elf))
		return true;
	if (options->symfs)
		return find_try(f, options->symfs, path, elf);
	if ((options->other_machine || f->guest) && !f->wanted.size)
		return false;
	return (!options->other_machine && try_process_roots(f, path, elf)) ||
	       find_try(f, "", path, elf);
}

static bool is_hot(const struct symbol_options *options, const struct build_id *id)
{
	bool hot = !options->hot;

	for (size_t i = 0; i < options->hot_count && !hot; i++)
		hot = build_id_same(&options->hot[i], id);
	return hot && id->size;
}

bool find_try_debuginfod(struct finder *f, enum debuginfod_kind kind, struct elf_file *elf)
{
	char *path = NULL;
	bool found;

	if (f->store->options.debuginfod && is_hot(&f->store->options, &f->wanted))
		path = debuginfod_find(&f->store->asking, &f->wanted, kind, f->path);
	found = path && find_try(f, "", path, elf);
	free(path);
	return found;
}

static bool is_deleted(const char *path, size_t *length)
{
	static const char mark[] = " (deleted)";

	*length = strlen(path);
	if (*length < sizeof(mark) || strcmp(path + *length - (sizeof(mark) - 1), mark))
		return false;
	*length -= sizeof(mark) - 1;
	return true;
}

bool find_code(struct finder *f, struct elf_file *code)
{
	size_t length;
	bool deleted = is_deleted(f->path, &length), found;
	char *path = mem_strndup(f->path, length);

	/* Without a build-id, the name of a deleted file belongs to another one if to any. */
	found = deleted && try_mapped(f, code);
	f->by_path = true;
	found = found ||
		((!deleted || f->wanted.size) && path[0] == '/' && find_place(f, path, code));
	f->by_path = false;
	found = found || (!deleted && f->wanted.size && try_mapped(f, code)) ||
		find_try_cached(f, "elf", code) ||
		find_try_debuginfod(f, DEBUGINFOD_EXECUTABLE, code);
	free(path);
	return found;
}

bool find_useful(const struct finder *f, struct elf_file *elf, bool found)
{
	if (found &&
	    !(f->wish == FIND_LINES ? debugfile_has_lines(elf) : elfsyms_symtab(elf) != NULL)) {
		elf_file_close(elf);
		return false;
	}
	return found;
}

/* The checksum that a debug link has, of the whole file; for files without a build-id. */
static uint32_t crc_of(const struct image *image)
{
	static const uint32_t polynomial = 0xedb88320;
	unsigned char part[16 * 1024];
	uint32_t table[256], crc = UINT32_MAX;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? polynomial : 0);
	}
	for (uint64_t at = 0; at < image->size;) {
		size_t size = image->size - at < sizeof(part) ? image->size - at : sizeof(part);

		if (!image_read(image, at, part, size))
			return 0;
		for (size_t i = 0; i < size; i++)
			crc = table[(crc ^ part[i]) & 0xff] ^ crc >> 8;
		at += size;
	}
	return ~crc;
}

static bool try_link(struct finder *f, const char *path, uint32_t crc, struct elf_file *debug)
{
	bool by_id = f->wanted.size;

	if (!find_useful(f, debug, find_place(f, path, debug)))
		return false;
	if (by_id || crc_of(&debug->image) == crc)
		return true;
	elf_file_close(debug);
	note_trouble(f, DSO_MISMATCH);
	return false;
}

/* Beside the program, in .debug there, or below /usr/lib/debug. */
static bool try_debug_link(struct finder *f, const struct elf_file *code, struct elf_file *debug)
{
	static const struct {
		const char *before, *behind;
	} places[] = { { "", "" }, { "", "/.debug" }, { "/usr/lib/debug", "" } };
	const struct elf_section *section = elf_section_find(code, ".gnu_debuglink");
	const char *slash = strrchr(f->path, '/');
	struct build_id own = f->wanted;
	unsigned char *link;
	bool found = false;
	size_t length;

	link = section && slash ? elf_section_load(code, section) : NULL;
	length = link ? strlen((char *)link) : 0;
	if (length && !strchr((char *)link, '/') && (length + 4) / 4 * 4 + 4 <= section->size) {
		uint32_t crc = elf_u32(code, link + (length + 4) / 4 * 4);

		for (size_t i = 0; i < ARRAY_SIZE(places) && !found; i++) {
			char *path = mem_printf("%s%.*s%s/%s", places[i].before,
						(int)(slash - f->path), f->path, places[i].behind,
						(char *)link);

			f->wanted = own;
			found = try_link(f, path, crc, debug);
			free(path);
		}
	}
	f->wanted = own;
	free(link);
	return found;
}

/* The ways of distributions that use neither; only a build-id tells that it is the right file. */
static bool try_by_name(struct finder *f, struct elf_file *debug)
{
	char *paths[] = {
		mem_printf("/usr/lib/debug%s.debug", f->path),
		mem_printf("/usr/lib/debug%s", f->path),
		mem_printf("/usr/lib/debug%s",
			   strncmp(f->path, "/usr/", 5) ? f->path : f->path + 4),
	};
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		found = found || (f->path[0] == '/' &&
				  find_useful(f, debug, find_place(f, paths[i], debug)));
		free(paths[i]);
	}
	return found;
}

static bool try_debug_folder(struct finder *f, struct elf_file *debug)
{
	char path[PATH_MAX], debug_path[PATH_MAX + 16];

	if (!build_id_path(f, "/usr/lib/debug", path, sizeof(path)))
		return false;
	snprintf(debug_path, sizeof(debug_path), "%s.debug", path);
	return find_useful(f, debug, find_place(f, debug_path, debug));
}

bool find_debug(struct finder *f, const struct elf_file *code, struct elf_file *debug)
{
	enum dso_state trouble = f->trouble; /* the code was found; this is no trouble of its */
	bool found = try_debug_folder(f, debug) || (code && try_debug_link(f, code, debug));

	if (!found && f->wanted.size)
		found = find_useful(f, debug, find_try_cached(f, "debug", debug)) ||
			find_useful(f, debug, find_try_cached(f, "elf", debug)) ||
			try_by_name(f, debug) ||
			find_useful(f, debug, find_try_debuginfod(f, DEBUGINFOD_DEBUGINFO, debug));
	f->trouble = trouble;
	return found;
}
