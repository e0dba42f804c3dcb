// SPDX-License-Identifier: Apache-2.0
#include "fake.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "event/open.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char root[PATH_MAX];
static struct host_source source;
static struct {
	uint32_t leaf, regs[4];
} leaves[8];
static size_t leaf_count;

static void must(bool done)
{
	if (!done) {
		perror("fake machine");
		abort();
	}
}

static bool fake_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t regs[static 4])
{
	(void)subleaf;
	for (size_t i = 0; i < leaf_count; i++)
		if (leaves[i].leaf == leaf) {
			memcpy(regs, leaves[i].regs, sizeof(leaves[i].regs));
			return true;
		}
	return false;
}

static int refuse_open(const struct event_attr *attr, pid_t pid, int cpu, int group_fd,
		       unsigned long flags)
{
	(void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	return -ENOENT;
}

static const struct perf_sys refusing = { .open = refuse_open };

const struct host_source *fake_machine(void)
{
	fake_remove();
	snprintf(root, sizeof(root), "/tmp/perfolio-fake-XXXXXX");
	must(mkdtemp(root));
	leaf_count = 0;
	fake_cpuid_leaf(1, 0, 0, 0, 0);
	source = (struct host_source){ .root = root, .cpuid = fake_cpuid, .perf = &refusing };
	return &source;
}

const char *fake_path(const char *path)
{
	static char full[PATH_MAX + 200];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return full;
}

static const char *make_parent(const char *path)
{
	const char *full = fake_path(path);
	char *parent = mem_strndup(full, (size_t)(strrchr(full, '/') - full));

	must(!dir_make(parent, NULL));
	free(parent);
	return full;
}

void fake_bytes(const char *path, const void *bytes, size_t size)
{
	FILE *out = fopen(make_parent(path), "w");

	must(out && fwrite(bytes, 1, size, out) == size);
	fclose(out);
}

void fake_file(const char *path, const char *text)
{
	fake_bytes(path, text, strlen(text));
}

void fake_link(const char *path, const char *to)
{
	must(!symlink(to, make_parent(path)));
}

void fake_cpuid_leaf(uint32_t leaf, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	size_t i = 0;

	while (i < leaf_count && leaves[i].leaf != leaf)
		i++;
	must(i < ARRAY_SIZE(leaves));
	leaf_count = i == leaf_count ? i + 1 : leaf_count;
	leaves[i].leaf = leaf;
	memcpy(leaves[i].regs, (uint32_t[]){ a, b, c, d }, sizeof(leaves[i].regs));
}

void fake_hypervisor(const char *signature)
{
	uint32_t words[3] = { 0 };

	memcpy(words, signature, strnlen(signature, sizeof(words)));
	fake_cpuid_leaf(1, 0, 0, 1u << 31, 0);
	fake_cpuid_leaf(0x40000000, 0x40000001, words[0], words[1], words[2]);
}

void fake_no_cpuid(void)
{
	leaf_count = 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st, (void)kind, (void)ftw;
	return remove(path);
}

void fake_remove(void)
{
	if (root[0])
		nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	root[0] = '\0';
}
