// SPDX-License-Identifier: Apache-2.0
#include "record/kcore.h"
#include "base/caller.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE	 ((uint64_t)4096)
#define CHUNK	 ((size_t)1 << 20)
#define SEGMENTS 4096 /* of kcore; it has as many as the memory has pieces */
/* More than any kernel's code; what claims more is no list of symbols. */
#define CODE_MOST ((uint64_t)1 << 31)

static const char *const copies[] = { "kallsyms", "modules" };

struct span {
	uint64_t start, end;
};

/* Where code is: the kernel's own, and from the first to the last module's. */
struct code {
	struct span kernel, modules;
	uint64_t stext, etext;
};

static void grow(struct span *span, uint64_t address)
{
	if (!span->start || address < span->start)
		span->start = address;
	if (address > span->end)
		span->end = address;
}

static void round_out(struct span *span, uint64_t more)
{
	span->start &= ~(PAGE - 1);
	span->end = (span->end + PAGE - 1) / PAGE * PAGE + more;
}

/* Symbols say where code begins, not where the last of it ends: a page more is taken there. */
static int find_code(const char *proc, struct code *code, struct err *err)
{
	char *path = mem_printf("%s/kallsyms", proc);
	FILE *list = fopen(path, "re");
	char line[1024], kind, name[512], module[8];
	uint64_t address;

	*code = (struct code){ 0 };
	while (list && fgets(line, sizeof(line), list)) {
		int words = sscanf(line, "%" SCNx64 " %c %511s %7s", &address, &kind, name, module);

		if (words < 3 || !address || !strchr("tTwW", kind))
			continue;
		grow(words > 3 ? &code->modules : &code->kernel, address);
		if (!strcmp(name, "_stext"))
			code->stext = address;
		else if (!strcmp(name, "_etext"))
			code->etext = address;
	}
	if (list)
		fclose(list);
	free(path);
	if (!code->kernel.start)
		return err_set(err, EPERM,
			       "--kcore: the kernel hides its addresses; be root, or set "
			       "kernel.kptr_restrict to 0");
	if (code->stext)
		code->kernel.start = code->stext;
	if (code->etext)
		code->kernel.end = code->etext;
	round_out(&code->kernel, code->etext ? 0 : PAGE);
	if (code->modules.start)
		round_out(&code->modules, PAGE);
	return 0;
}

static int open_kcore(const char *proc, struct err *err)
{
	char *path = mem_printf("%s/kcore", proc);
	int fd = open(path, O_RDONLY | O_CLOEXEC), code = errno;

	if (fd < 0 && code == ENOENT)
		err_set(err, ENOENT,
			"--kcore: no %s: the kernel was built without CONFIG_PROC_KCORE, or it is "
			"hidden here; record without --kcore",
			path);
	else if (fd < 0)
		err_set(err, code, "--kcore: %s: %s; root may read it", path, strerror(code));
	free(path);
	return fd < 0 ? -code : fd;
}

int kcore_check(const char *proc, struct err *err)
{
	int fd = open_kcore(proc, err);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* The pieces of the kernel's memory that hold code; p_offset is where they are in kcore. */
struct pieces VEC_OF(Elf64_Phdr);

/* arm64 tells of its kernel twice, as such and as a part of vmalloc's memory. */
static bool is_there(const struct pieces *pieces, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < pieces->len; i++) {
		const Elf64_Phdr *piece = &pieces->data[i];

		if (start < piece->p_vaddr + piece->p_filesz && piece->p_vaddr < end)
			return true;
	}
	return false;
}

static int find_pieces(int fd, const struct code *code, Elf64_Ehdr *head, struct pieces *pieces,
		       struct err *err)
{
	const struct span spans[] = { code->kernel, code->modules };

	if (pread(fd, head, sizeof(*head), 0) != (ssize_t)sizeof(*head) ||
	    memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
	    head->e_phentsize != sizeof(Elf64_Phdr) || head->e_phnum > SEGMENTS)
		return err_set(err, EBADMSG, "--kcore: kcore is not a 64-bit ELF file");
	for (size_t s = 0; s < ARRAY_SIZE(spans); s++) {
		for (size_t i = 0; i < head->e_phnum; i++) {
			uint64_t at = head->e_phoff + i * sizeof(Elf64_Phdr), start, end;
			Elf64_Phdr piece;

			if (pread(fd, &piece, sizeof(piece), (off_t)at) != (ssize_t)sizeof(piece))
				return err_set(err, EBADMSG, "--kcore: kcore is cut short");
			if (piece.p_type != PT_LOAD)
				continue;
			start = piece.p_vaddr > spans[s].start ? piece.p_vaddr : spans[s].start;
			end = piece.p_vaddr + piece.p_filesz;
			end = end < spans[s].end ? end : spans[s].end;
			if (start >= end || end - start > CODE_MOST || is_there(pieces, start, end))
				continue;
			piece.p_offset += start - piece.p_vaddr;
			piece.p_paddr = 0;
			piece.p_vaddr = start;
			piece.p_filesz = piece.p_memsz = end - start;
			*vec_push(pieces) = piece;
		}
	}
	return pieces->len ? 0 : err_set(err, ENODATA, "--kcore: kcore has no code of the kernel");
}

static int copy_bytes(int from, uint64_t at, int to, uint64_t into, uint64_t size, struct err *err)
{
	char *bytes = mem_alloc(CHUNK);
	int rc = 0;

	while (size && !rc) {
		size_t want = size < CHUNK ? (size_t)size : CHUNK;
		ssize_t got = pread(from, bytes, want, (off_t)at);

		if (got <= 0)
			rc = err_set(err, got ? errno : EIO, "--kcore: kcore can't be read: %s",
				     got ? strerror(errno) : "it ends too early");
		else if (pwrite(to, bytes, (size_t)got, (off_t)into) != got)
			rc = err_set(err, errno ? errno : EIO,
				     "--kcore: the copy can't be written: %s", strerror(errno));
		else {
			at += (uint64_t)got;
			into += (uint64_t)got;
			size -= (uint64_t)got;
		}
	}
	free(bytes);
	return rc;
}

/* The copy: head, one program header for each piece, and the pieces at whole pages. */
static int write_pieces(int from, int to, Elf64_Ehdr *head, const struct pieces *pieces,
			struct err *err)
{
	uint64_t end = sizeof(*head) + pieces->len * sizeof(Elf64_Phdr);
	int rc = 0;

	head->e_phoff = sizeof(*head);
	head->e_phnum = (Elf64_Half)pieces->len;
	head->e_shoff = head->e_shnum = head->e_shstrndx = 0;
	if (pwrite(to, head, sizeof(*head), 0) != (ssize_t)sizeof(*head))
		rc = err_set(err, errno, "--kcore: the copy can't be written: %s", strerror(errno));
	for (size_t i = 0; i < pieces->len && !rc; i++) {
		Elf64_Phdr piece = pieces->data[i];
		off_t at = (off_t)(sizeof(*head) + i * sizeof(piece));

		end = (end + PAGE - 1) / PAGE * PAGE;
		rc = copy_bytes(from, piece.p_offset, to, end, piece.p_filesz, err);
		piece.p_offset = end;
		end += piece.p_filesz;
		if (!rc && pwrite(to, &piece, sizeof(piece), at) != (ssize_t)sizeof(piece))
			rc = err_set(err, errno, "--kcore: the copy can't be written: %s",
				     strerror(errno));
	}
	return rc;
}

/* Under sudo all of it is for the user who called it. */
static void give_to_caller(const char *path)
{
	uid_t user;
	gid_t group;

	if (caller_of_sudo(&user, &group) && lchown(path, user, group))
		return; /* a file system without owners: nothing to be done */
}

static int create(const char *folder, const char *name, struct err *err)
{
	char *path = mem_printf("%s/%s", folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400);

	if (fd < 0)
		err_set(err, errno, "%s: %s", path, strerror(errno));
	else
		give_to_caller(path);
	free(path);
	return fd < 0 ? -err->code : fd;
}

static int copy_kcore(const char *proc, const char *folder, struct err *err)
{
	struct pieces pieces = { 0 };
	struct code code;
	Elf64_Ehdr head;
	int from = -1, to = -1, rc = find_code(proc, &code, err);

	if (!rc) {
		from = open_kcore(proc, err);
		rc = from < 0 ? from : find_pieces(from, &code, &head, &pieces, err);
	}
	if (!rc) {
		to = create(folder, "kcore", err);
		rc = to < 0 ? to : write_pieces(from, to, &head, &pieces, err);
	}
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	vec_free(&pieces);
	return rc;
}

/* A file of /proc has no size: it is read to its end.  Without modules there may be none. */
static int copy_text(const char *proc, const char *folder, const char *name, struct err *err)
{
	char *path = mem_printf("%s/%s", proc, name), *bytes = mem_alloc(CHUNK);
	int from = open(path, O_RDONLY | O_CLOEXEC);
	int to = from < 0 && errno == ENOENT ? -ENOENT : create(folder, name, err);
	ssize_t got;
	int rc = to < 0 && from >= 0 ? to : 0;

	while (!rc && from >= 0 && (got = read(from, bytes, CHUNK)) != 0)
		if (got < 0 || write(to, bytes, (size_t)got) != got)
			rc = err_set(err, errno ? errno : EIO, "--kcore: %s can't be copied: %s",
				     path, strerror(errno));
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	free(path);
	free(bytes);
	return rc;
}

int kcore_copy(const char *proc, const char *folder, struct err *err)
{
	int rc = copy_kcore(proc, folder, err);

	for (size_t i = 0; i < ARRAY_SIZE(copies) && !rc; i++)
		rc = copy_text(proc, folder, copies[i], err);
	return rc;
}

static void remove_in(const char *folder, const char *name, int (*remove)(const char *))
{
	char *path = mem_printf("%s/%s", folder, name);

	remove(path);
	free(path);
}

void kcore_withdraw(const char *path)
{
	static const char *const names[] = { "kcore_dir/kcore", "kcore_dir/kallsyms",
					     "kcore_dir/modules" };
	char *old = mem_printf("%s.old", path);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		remove_in(path, names[i], unlink);
	remove_in(path, "kcore_dir", rmdir);
	if (!rmdir(path))
		rename(old, path);
	free(old);
}

void recording_remove(const char *path)
{
	struct stat st;
	char *data;

	if (lstat(path, &st))
		return;
	if (!S_ISDIR(st.st_mode)) {
		unlink(path);
		return;
	}
	data = mem_printf("%s/data", path);
	if (!lstat(data, &st)) {
		static const char *const names[] = { "data", "kcore_dir/kcore",
						     "kcore_dir/kallsyms", "kcore_dir/modules" };

		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			remove_in(path, names[i], unlink);
		remove_in(path, "kcore_dir", rmdir);
		rmdir(path);
	}
	free(data);
}

int kcore_begin(const char *proc, const char *path, struct err *err)
{
	char *old = mem_printf("%s.old", path), *folder = mem_printf("%s/kcore_dir", path);
	struct stat st;
	int rc = kcore_check(proc, err);

	if (!rc && !lstat(path, &st)) {
		recording_remove(old);
		if (rename(path, old))
			rc = err_set(err, errno, "%s: the older one can't be renamed to %s: %s",
				     path, old, strerror(errno));
	}
	if (!rc && mkdir(path, 0700)) {
		rc = err_set(err, errno, "can't create %s: %s", path, strerror(errno));
		rename(old, path);
	} else if (!rc) {
		give_to_caller(path);
		if (mkdir(folder, 0700))
			rc = err_set(err, errno, "can't create %s: %s", folder, strerror(errno));
		give_to_caller(folder);
		if (!rc)
			rc = kcore_copy(proc, folder, err);
		if (rc)
			kcore_withdraw(path);
	}
	free(folder);
	free(old);
	return rc;
}
