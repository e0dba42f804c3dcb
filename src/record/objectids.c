// SPDX-License-Identifier: Apache-2.0
#include "record/objectids.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "record/procmaps.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct file_key {
	uint64_t inode;
	uint32_t major, minor;
};

struct objectids {
	pthread_mutex_t lock;
	struct arena arena; /* the keys */
	struct map known;   /* file_key to index */
	VEC(struct build_id) ids;
};

struct objectids *objectids_new(void)
{
	struct objectids *ids = mem_alloc(sizeof(*ids));

	pthread_mutex_init(&ids->lock, NULL);
	return ids;
}

void objectids_free(struct objectids *ids)
{
	if (!ids)
		return;
	map_free(&ids->known);
	vec_free(&ids->ids);
	arena_free(&ids->arena);
	pthread_mutex_destroy(&ids->lock);
	free(ids);
}

/* A FIFO or device under the name must not hold us up. */
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static int open_by_path(int proc_dir, const struct procmap *map)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (map->path[0] != '/')
		return -1;
	if (snprintf(path, sizeof(path), "root%s", map->path) >= (int)sizeof(path))
		return -1;
	fd = openat(proc_dir, path, OPEN_FLAGS);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_ino != map->inode)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int open_by_mapping(int proc_dir, const struct procmap *map)
{
	char path[128];

	snprintf(path, sizeof(path), "map_files/%" PRIx64 "-%" PRIx64, map->start, map->end);
	return openat(proc_dir, path, OPEN_FLAGS);
}

/* The program itself needs no privilege, unlike the other mappings. */
static int open_program(int proc_dir, const struct procmap *map)
{
	int fd = openat(proc_dir, "exe", OPEN_FLAGS);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || st.st_ino != map->inode)) {
		close(fd);
		return -1;
	}
	return fd;
}

int objectids_open(int proc_dir, const struct procmap *map)
{
	int fd = open_by_path(proc_dir, map);

	if (fd < 0)
		fd = open_by_mapping(proc_dir, map);
	return fd < 0 ? open_program(proc_dir, map) : fd;
}

static void read_id(int proc_dir, const struct procmap *map, struct build_id *id)
{
	int fd = objectids_open(proc_dir, map);

	*id = (struct build_id){ 0 };
	if (fd < 0)
		return;
	if (build_id_of_fd(id, fd))
		*id = (struct build_id){ 0 };
	close(fd);
}

static bool find_known(struct objectids *ids, const struct file_key *key, struct build_id *id)
{
	uint32_t index;

	pthread_mutex_lock(&ids->lock);
	index = map_find(&ids->known, (const char *)key, sizeof(*key));
	if (index != MAP_NONE)
		*id = ids->ids.data[index];
	pthread_mutex_unlock(&ids->lock);
	return index != MAP_NONE;
}

void objectids_find(struct objectids *ids, int proc_dir, const struct procmap *map,
		    struct build_id *id)
{
	struct file_key key = { map->inode, map->major, map->minor }, *kept;

	if (find_known(ids, &key, id))
		return;
	read_id(proc_dir, map, id); /* two threads may read the same one: no harm */
	pthread_mutex_lock(&ids->lock);
	kept = arena_alloc(&ids->arena, sizeof(*kept));
	*kept = key;
	if (map_add(&ids->known, (const char *)kept, sizeof(*kept), (uint32_t)ids->ids.len) ==
	    ids->ids.len)
		*vec_push(&ids->ids) = *id;
	pthread_mutex_unlock(&ids->lock);
}
