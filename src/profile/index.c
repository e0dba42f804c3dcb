// SPDX-License-Identifier: Apache-2.0
#include "profile/index.h"
#include "base/err.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define INDEX_MAGIC   0x58444e494f494c46ull /* "FLIOINDX" */
#define INDEX_VERSION 20
#define INDEX_ORDER   0x01020304

/* The parts of the file, in their order; each begins at a multiple of 8. */
enum part {
	PART_STRING_ENDS, /* where the NUL of each string stands */
	PART_STRINGS,
	PART_OBJECTS,
	PART_FUNCTIONS,
	PART_THREADS,
	PART_EVENTS,
	PART_LEAVES,
	PART_PARENTS, /* of stacks */
	PART_STACK_FUNCTIONS,
	PART_FLAGS,
	PART_TIMES,
	PART_WEIGHTS,
	PART_STACKS,
	PART_SAMPLE_THREADS,
	PART_SAMPLE_LEAVES,
	PART_CPUS,
	PART_SAMPLE_EVENTS,
	/* These may be empty. */
	PART_COUNTS, /* of samples that rows stand for */
	PART_LINES,  /* of leaves */
	PART_SKIPS,
	PARTS,
};

static const size_t part_sizes[PARTS] = {
	[PART_STRING_ENDS] = sizeof(uint32_t),
	[PART_STRINGS] = 1,
	[PART_OBJECTS] = sizeof(struct profile_object),
	[PART_FUNCTIONS] = sizeof(struct profile_function),
	[PART_THREADS] = sizeof(struct profile_thread),
	[PART_EVENTS] = sizeof(struct profile_event),
	[PART_LEAVES] = sizeof(struct profile_leaf),
	[PART_PARENTS] = sizeof(uint32_t),
	[PART_STACK_FUNCTIONS] = sizeof(uint32_t),
	[PART_FLAGS] = sizeof(uint8_t),
	[PART_TIMES] = sizeof(uint64_t),
	[PART_WEIGHTS] = sizeof(uint64_t),
	[PART_STACKS] = sizeof(uint32_t),
	[PART_SAMPLE_THREADS] = sizeof(uint32_t),
	[PART_SAMPLE_LEAVES] = sizeof(uint32_t),
	[PART_CPUS] = sizeof(uint16_t),
	[PART_SAMPLE_EVENTS] = sizeof(uint16_t),
	[PART_COUNTS] = sizeof(uint64_t),
	[PART_LINES] = sizeof(struct profile_line),
	[PART_SKIPS] = sizeof(struct profile_skips),
};

struct index_header {
	uint64_t magic;
	uint32_t version, order;
	uint64_t checksum; /* of all that follows it */
	struct index_identity identity;
	struct profile_quality quality;
	struct profile_coverage coverage;
	uint64_t budget[BUDGET_WORDS];
	uint64_t counts[PARTS]; /* elements */
};

struct profile_file {
	void *base; /* NULL: the bytes are somebody else's */
	size_t size;
};

#define CHECKED_FROM offsetof(struct index_header, identity)

/* Four lanes, since each multiplication waits for the one before: as fast as memory. */
static uint64_t checksum(uint64_t sum, const void *bytes, size_t size)
{
	uint64_t lanes[4] = { sum, ~sum, sum * 3, sum ^ size };
	const unsigned char *at = bytes;
	uint64_t words[4];

	for (; size >= sizeof(words); at += sizeof(words), size -= sizeof(words)) {
		memcpy(words, at, sizeof(words));
		for (size_t i = 0; i < 4; i++) {
			lanes[i] = (lanes[i] ^ words[i]) * 0x9e3779b97f4a7c15u;
			lanes[i] ^= lanes[i] >> 29;
		}
	}
	for (; size; at++, size--)
		lanes[0] = (lanes[0] ^ *at) * 0x100000001b3u;
	for (size_t i = 0; i < 4; i++)
		sum = (sum ^ lanes[i] ^ lanes[i] >> 32) * 0xbf58476d1ce4e5b9u;
	return sum;
}

int index_identify(struct index_identity *identity, const char *path, uint64_t settings)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	*identity = (struct index_identity){
		.device = st.st_dev,
		.inode = st.st_ino,
		.size = (uint64_t)st.st_size,
		.mtime_s = st.st_mtim.tv_sec,
		.mtime_ns = st.st_mtim.tv_nsec,
		.settings = settings,
	};
	return 0;
}

/* Strings as one block with a NUL behind each; *ends says where those stand. */
static void pack_strings(const struct interner *strings, uint32_t **ends, char **block,
			 size_t *size)
{
	size_t at = 0;

	for (size_t i = 0; i < strings->strings.len; i++)
		at += strlen(strings->strings.data[i]) + 1;
	*block = mem_alloc(at + 1);
	*ends = mem_resize(NULL, strings->strings.len + 1, sizeof(**ends));
	*size = at;
	at = 0;
	for (size_t i = 0; i < strings->strings.len; i++) {
		size_t length = strlen(strings->strings.data[i]);

		memcpy(*block + at, strings->strings.data[i], length + 1);
		at += length;
		(*ends)[i] = (uint32_t)at++;
	}
}

struct index_parts {
	const void *data[PARTS];
	uint64_t counts[PARTS];
};

static void collect_parts(const struct profile *p, struct index_parts *parts)
{
	const struct profile_samples *rows = &p->samples;
	const struct {
		const void *data;
		size_t count;
	} all[PARTS] = {
		[PART_OBJECTS] = { p->objects.data, p->objects.len },
		[PART_FUNCTIONS] = { p->functions.data, p->functions.len },
		[PART_THREADS] = { p->threads.data, p->threads.len },
		[PART_EVENTS] = { p->events.data, p->events.len },
		[PART_LEAVES] = { p->leaves.data, p->leaves.len },
		[PART_PARENTS] = { p->stacks.parent, p->stacks.len },
		[PART_STACK_FUNCTIONS] = { p->stacks.function, p->stacks.len },
		[PART_FLAGS] = { p->stacks.flags, p->stacks.len },
		[PART_TIMES] = { rows->time, rows->len },
		[PART_WEIGHTS] = { rows->weight, rows->len },
		[PART_STACKS] = { rows->stack, rows->len },
		[PART_SAMPLE_THREADS] = { rows->thread, rows->len },
		[PART_SAMPLE_LEAVES] = { rows->leaf, rows->len },
		[PART_CPUS] = { rows->cpu, rows->len },
		[PART_SAMPLE_EVENTS] = { rows->event, rows->len },
		[PART_COUNTS] = { rows->count, rows->count ? rows->len : 0 },
		[PART_LINES] = { p->lines.data, p->lines.len },
		[PART_SKIPS] = { p->skips.data, p->skips.len },
	};

	for (size_t i = PART_OBJECTS; i < PARTS; i++) {
		parts->data[i] = all[i].data;
		parts->counts[i] = all[i].count;
	}
}

static size_t padding(uint64_t size)
{
	return -size & 7;
}

static uint64_t sum_parts(const struct index_header *header, const void *const data[PARTS])
{
	uint64_t sum = checksum(INDEX_MAGIC, &header->identity, sizeof(*header) - CHECKED_FROM);

	for (size_t i = 0; i < PARTS; i++)
		sum = checksum(sum, data[i], header->counts[i] * part_sizes[i]);
	return sum;
}

static int write_parts(int fd, const struct index_header *header, const void *const data[PARTS])
{
	static const char zeros[8];
	int rc = fd_write_all(fd, header, sizeof(*header));

	for (size_t i = 0; i < PARTS && !rc; i++) {
		uint64_t size = header->counts[i] * part_sizes[i];

		rc = fd_write_all(fd, data[i], size);
		if (!rc)
			rc = fd_write_all(fd, zeros, padding(size));
	}
	return rc;
}

static int write_file(const char *path, const struct index_header *header,
		      const void *const data[PARTS], struct err *err)
{
	char *name = mem_printf("%s.%d.new", path, (int)getpid());
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int rc;

	if (fd < 0) {
		rc = -errno;
	} else {
		rc = write_parts(fd, header, data);
		if (close(fd) && !rc)
			rc = -errno;
		if (!rc && rename(name, path))
			rc = -errno;
		if (rc)
			unlink(name);
	}
	if (rc)
		err_set(err, -rc, "%s: %s", name, strerror(-rc));
	free(name);
	return rc;
}

/* Strings in one block, and a header for all parts. */
struct prepared {
	struct index_header header;
	struct index_parts parts;
	uint32_t *ends;
	char *block;
};

static int prepare(struct prepared *ready, const struct profile *profile,
		   const struct index_identity *identity, struct err *err)
{
	struct index_header *header = &ready->header;
	struct index_parts *parts = &ready->parts;
	size_t size;

	*header = (struct index_header){
		.magic = INDEX_MAGIC,
		.version = INDEX_VERSION,
		.order = INDEX_ORDER,
		.quality = profile->quality,
		.coverage = profile->coverage,
	};
	memcpy(header->budget, profile->budget, sizeof(header->budget));
	if (identity)
		header->identity = *identity;
	collect_parts(profile, parts);
	pack_strings(&profile->strings, &ready->ends, &ready->block, &size);
	parts->data[PART_STRING_ENDS] = ready->ends;
	parts->counts[PART_STRING_ENDS] = profile->strings.strings.len;
	parts->data[PART_STRINGS] = ready->block;
	parts->counts[PART_STRINGS] = size;
	memcpy(header->counts, parts->counts, sizeof(header->counts));
	header->checksum = sum_parts(header, parts->data);
	return size > UINT32_MAX ? err_set(err, EFBIG, "too many names for an index") : 0;
}

static void unprepare(struct prepared *ready)
{
	free(ready->ends);
	free(ready->block);
}

int profile_index_write(const struct profile *profile, const struct index_identity *identity,
			const char *path, struct err *err)
{
	struct prepared ready;
	int rc = prepare(&ready, profile, identity, err);

	if (!rc)
		rc = write_file(path, &ready.header, ready.parts.data, err);
	unprepare(&ready);
	return rc;
}

int profile_index_write_fd(const struct profile *profile, int fd, struct err *err)
{
	struct prepared ready;
	int rc = prepare(&ready, profile, NULL, err);

	if (!rc) {
		rc = write_parts(fd, &ready.header, ready.parts.data);
		if (rc)
			err_set(err, -rc, "the index: %s", strerror(-rc));
	}
	unprepare(&ready);
	return rc;
}

/* Finds the parts; false if they do not fill the bytes exactly. */
static bool find_parts(const struct index_header *header, size_t size, const void *data[PARTS])
{
	uint64_t at = sizeof(*header);

	for (size_t i = 0; i < PARTS; i++) {
		uint64_t length;

		if (header->counts[i] > size / part_sizes[i])
			return false;
		length = header->counts[i] * part_sizes[i];
		if (length + padding(length) > size - at)
			return false;
		data[i] = (const char *)header + at;
		at += length + padding(length);
	}
	return at == size;
}

/* Whether all ids are below the limit.  No early end: the loop is done in vectors. */
static bool below(const uint32_t *ids, size_t count, size_t limit)
{
	uint32_t largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = ids[i] > largest ? ids[i] : largest;
	return !count || largest < limit;
}

static bool below16(const uint16_t *ids, size_t count, size_t limit)
{
	uint16_t largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = ids[i] > largest ? ids[i] : largest;
	return !count || largest < limit;
}

static bool check_strings(const uint32_t *ends, const char *block, size_t count, size_t size)
{
	uint64_t at = 0;

	for (size_t i = 0; i < count; i++) {
		if (ends[i] < at || ends[i] >= size || memchr(block + at, 0, ends[i] - at) ||
		    block[ends[i]])
			return false;
		at = (uint64_t)ends[i] + 1;
	}
	return at == size;
}

static bool check_tables(const struct profile *p)
{
	size_t strings = p->strings.strings.len, objects = p->objects.len;

	vec_each (object, &p->objects)
		if (object->path >= strings || object->name >= strings || object->kind > DSO_NONE ||
		    object->state > DSO_DISTRUSTED || object->side >= SIDES ||
		    object->build_id.size > BUILD_ID_SIZE)
			return false;
	vec_each (function, &p->functions)
		if (function->name >= strings || function->object >= objects ||
		    function->kind > FRAME_UNKNOWN)
			return false;
	vec_each (thread, &p->threads)
		if (thread->comm >= strings)
			return false;
	vec_each (event, &p->events)
		if (event->name >= strings || event->unit >= strings ||
		    (event->noun && event->noun >= strings))
			return false;
	if (p->quality.damage >= strings && (p->quality.damage || strings))
		return false;
	vec_each (leaf, &p->leaves)
		if (leaf->object >= objects ||
		    (leaf->function >= p->functions.len && leaf->function != NO_FUNCTION))
			return false;
	vec_each (skips, &p->skips)
		if (skips->object >= objects || skips->event >= p->events.len)
			return false;
	vec_each (line, &p->lines)
		if (line->place >= strings || line->file >= strings || line->path >= strings)
			return false;
	return true;
}

/* A parent stands before its children, so that a walk up ends; nothing is inlined into the root. */
static bool check_stacks(const struct profile_stacks *stacks, size_t functions)
{
	bool good = stacks->len && stacks->parent[STACK_ROOT] == STACK_ROOT &&
		    !stacks->flags[STACK_ROOT];

	for (size_t i = 1; i < stacks->len; i++)
		good &= stacks->parent[i] < i &&
			(stacks->parent[i] != STACK_ROOT || !(stacks->flags[i] & STACK_INLINED));
	return good && below(stacks->function, stacks->len, functions);
}

/* Samples of texts have no addresses: their leaf is 0, and there is none. */
static bool check_samples(const struct profile *p)
{
	const struct profile_samples *rows = &p->samples;
	bool sorted = true;

	for (size_t i = 1; i < rows->len; i++)
		sorted &= rows->time[i - 1] <= rows->time[i];
	return sorted && below(rows->stack, rows->len, p->stacks.len) &&
	       below(rows->thread, rows->len, p->threads.len) &&
	       below(rows->leaf, rows->len, p->leaves.len ? p->leaves.len : 1) &&
	       below16(rows->event, rows->len, p->events.len);
}

#define ATTACH(vec, part) \
	((vec)->data = (void *)(uintptr_t)data[part], (vec)->len = header->counts[part])

/* Lets the profile's columns lie in the bytes. */
static void attach(struct profile *p, const struct index_header *header,
		   const void *const data[PARTS])
{
	ATTACH(&p->objects, PART_OBJECTS);
	ATTACH(&p->functions, PART_FUNCTIONS);
	ATTACH(&p->threads, PART_THREADS);
	ATTACH(&p->events, PART_EVENTS);
	ATTACH(&p->leaves, PART_LEAVES);
	ATTACH(&p->lines, PART_LINES);
	ATTACH(&p->skips, PART_SKIPS);
	p->stacks = (struct profile_stacks){
		.len = header->counts[PART_PARENTS],
		.parent = (void *)(uintptr_t)data[PART_PARENTS],
		.function = (void *)(uintptr_t)data[PART_STACK_FUNCTIONS],
		.flags = (void *)(uintptr_t)data[PART_FLAGS],
	};
	p->samples = (struct profile_samples){
		.len = header->counts[PART_TIMES],
		.time = (void *)(uintptr_t)data[PART_TIMES],
		.weight = (void *)(uintptr_t)data[PART_WEIGHTS],
		.stack = (void *)(uintptr_t)data[PART_STACKS],
		.thread = (void *)(uintptr_t)data[PART_SAMPLE_THREADS],
		.leaf = (void *)(uintptr_t)data[PART_SAMPLE_LEAVES],
		.cpu = (void *)(uintptr_t)data[PART_CPUS],
		.event = (void *)(uintptr_t)data[PART_SAMPLE_EVENTS],
	};
	if (header->counts[PART_COUNTS])
		p->samples.count = (void *)(uintptr_t)data[PART_COUNTS];
	p->quality = header->quality;
	p->coverage = header->coverage;
	memcpy(p->budget, header->budget, sizeof(p->budget));
}

/* Columns of one table have one length. */
static bool check_counts(const uint64_t counts[PARTS])
{
	for (size_t i = PART_TIMES; i <= PART_COUNTS; i++)
		if (counts[i] != counts[PART_TIMES] && (i != PART_COUNTS || counts[i]))
			return false;
	if (counts[PART_LINES] && counts[PART_LINES] != counts[PART_LEAVES])
		return false;
	return counts[PART_STACK_FUNCTIONS] == counts[PART_PARENTS] &&
	       counts[PART_FLAGS] == counts[PART_PARENTS] && counts[PART_PARENTS] < UINT32_MAX &&
	       counts[PART_STRING_ENDS] < UINT32_MAX && counts[PART_FUNCTIONS] < UINT32_MAX / 2;
}

static void attach_strings(struct profile *p, const uint32_t *ends, const char *block, size_t count)
{
	size_t at = 0;

	vec_reserve(&p->strings.strings, count);
	p->strings.strings.len = count;
	for (size_t i = 0; i < count; i++) {
		p->strings.strings.data[i] = block + at;
		at = (size_t)ends[i] + 1;
	}
}

static int check_header(const struct index_header *header, size_t size,
			const struct index_identity *identity, struct err *err)
{
	if (size < sizeof(*header) || header->magic != INDEX_MAGIC)
		return err_set(err, EBADMSG, "not an index");
	if (header->order != INDEX_ORDER || header->version != INDEX_VERSION)
		return err_set(err, ESTALE, "an index of another version");
	if (identity && memcmp(&header->identity, identity, sizeof(*identity)))
		return err_set(err, ESTALE, "an index of another recording");
	return 0;
}

int profile_index_of(struct profile **profile, const struct index_identity *identity,
		     const void *bytes, size_t size, struct err *err)
{
	const struct index_header *header = bytes;
	int rc = check_header(header, size, identity, err);
	const void *data[PARTS];
	struct profile *p;

	if (rc)
		return rc;
	if (!check_counts(header->counts) || !find_parts(header, size, data) ||
	    header->checksum != sum_parts(header, data) ||
	    !check_strings(data[PART_STRING_ENDS], data[PART_STRINGS],
			   header->counts[PART_STRING_ENDS], header->counts[PART_STRINGS]))
		return err_set(err, EBADMSG, "a damaged index");
	p = profile_new_bare();
	p->file = mem_alloc(sizeof(*p->file));
	attach(p, header, data);
	attach_strings(p, data[PART_STRING_ENDS], data[PART_STRINGS],
		       header->counts[PART_STRING_ENDS]);
	if (!check_tables(p) || !check_stacks(&p->stacks, p->functions.len) || !check_samples(p)) {
		profile_free(p);
		return err_set(err, EBADMSG, "an index whose rows do not fit together");
	}
	*profile = p;
	return 0;
}

void profile_index_mend(void *bytes, size_t size, const struct index_identity *identity)
{
	struct index_header *header = bytes;
	const void *data[PARTS];

	if (size < sizeof(*header))
		return;
	header->magic = INDEX_MAGIC;
	header->version = INDEX_VERSION;
	header->order = INDEX_ORDER;
	header->identity = *identity;
	if (check_counts(header->counts) && find_parts(header, size, data))
		header->checksum = sum_parts(header, data);
}

static int open_mapped(struct profile **profile, const struct index_identity *identity, int fd,
		       struct err *err)
{
	struct stat st;
	void *base;
	int rc;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return err_set(err, EBADMSG, "not an index");
	base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (base == MAP_FAILED)
		return err_set(err, errno, "%s", strerror(errno));
	rc = profile_index_of(profile, identity, base, (size_t)st.st_size, err);
	if (rc) {
		munmap(base, (size_t)st.st_size);
		return rc;
	}
	(*profile)->file->base = base;
	(*profile)->file->size = (size_t)st.st_size;
	return 0;
}

int profile_index_open(struct profile **profile, const struct index_identity *identity,
		       const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	rc = open_mapped(profile, identity, fd, err);
	close(fd);
	if (rc)
		err_prefix(err, "%s", path);
	return rc;
}

int profile_index_open_fd(struct profile **profile, int fd, struct err *err)
{
	return open_mapped(profile, NULL, fd, err);
}

void profile_index_detach(struct profile *p)
{
	p->objects.data = NULL;
	p->functions.data = NULL;
	p->threads.data = NULL;
	p->events.data = NULL;
	p->leaves.data = NULL;
	p->lines.data = NULL;
	p->skips.data = NULL;
	p->stacks = (struct profile_stacks){ 0 };
	p->samples = (struct profile_samples){ 0 };
	if (p->file->base)
		munmap(p->file->base, p->file->size);
	free(p->file);
	p->file = NULL;
}
