// SPDX-License-Identifier: Apache-2.0
#include "render/series_read.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static bool read_names(struct series *series, const char *bytes, size_t size)
{
	const char *at = bytes + sizeof(*series->head), *end = bytes + size;

	series->names = mem_alloc((series->head->events + 1) * sizeof(*series->names));
	for (uint32_t i = 0; i < series->head->events; i++) {
		const char *nul = memchr(at, 0, (size_t)(end - at));

		if (!nul)
			return false;
		series->names[i] = at;
		at = nul + 1;
	}
	return true;
}

int series_of(struct series *series, const void *bytes, size_t size, struct err *err)
{
	const struct series_head *head = bytes;

	*series = (struct series){ .head = head };
	if (size < sizeof(*head))
		return err_set(err, EAGAIN, "nothing is counted yet");
	if (head->magic != SERIES_MAGIC)
		return err_set(err, EBADMSG, "not a file of counters");
	if (head->version != SERIES_VERSION)
		return err_set(err, EBADMSG, "counters of version %u, wanted %u", head->version,
			       SERIES_VERSION);
	if (head->rows_at < sizeof(*head) || head->rows_at % 8 || head->events > SERIES_EVENTS)
		return err_set(err, EBADMSG, "the head of the counters is damaged");
	if (head->rows_at > size)
		return err_set(err, EAGAIN, "nothing is counted yet");
	if (!read_names(series, bytes, head->rows_at)) {
		series_close(series);
		return err_set(err, EBADMSG, "the names of the counters are damaged");
	}
	series->rows = (const void *)((const char *)bytes + head->rows_at);
	series->count = (size - head->rows_at) / sizeof(*series->rows);
	return 0;
}

int series_open_fd(struct series *series, int fd, struct err *err)
{
	struct stat st;
	void *base;
	int rc;

	*series = (struct series){ 0 };
	if (fstat(fd, &st))
		return err_set(err, errno, "the counters: %s", strerror(errno));
	if (!st.st_size)
		return err_set(err, EAGAIN, "nothing is counted yet");
	base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (base == MAP_FAILED)
		return err_set(err, errno, "the counters: %s", strerror(errno));
	rc = series_of(series, base, (size_t)st.st_size, err);
	if (rc) {
		munmap(base, (size_t)st.st_size);
		return rc;
	}
	series->base = base;
	series->size = (size_t)st.st_size;
	return 0;
}

void series_close(struct series *series)
{
	free(series->names);
	if (series->base)
		munmap(series->base, series->size);
	*series = (struct series){ 0 };
}

size_t series_row_at(const struct series *series, uint64_t time_ns)
{
	size_t low = 0, high = series->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (series->rows[middle].time_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
