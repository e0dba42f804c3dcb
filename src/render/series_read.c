// SPDX-License-Identifier: Apache-2.0
#include "render/series_read.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* One text for each event, from *at on; false: they don't end before `end`. */
static bool read_texts(const char **texts, uint32_t count, const char **at, const char *end)
{
	for (uint32_t i = 0; i < count; i++) {
		const char *nul = memchr(*at, 0, (size_t)(end - *at));

		if (!nul)
			return false;
		texts[i] = *at;
		*at = nul + 1;
	}
	return true;
}

static bool read_names(struct series *series, const char *bytes, size_t size)
{
	const char *at = bytes + sizeof(*series->head), *end = bytes + size;
	uint32_t events = series->head->events;
	size_t scales = events * sizeof(*series->scales);

	series->names = mem_alloc((events + 1) * sizeof(*series->names));
	if (series->head->version == SERIES_PLAIN)
		return read_texts(series->names, events, &at, end);
	if ((size_t)(end - at) < scales)
		return false;
	end -= scales;
	series->scales = (const void *)end;
	series->units = mem_alloc((events + 1) * sizeof(*series->units));
	return read_texts(series->names, events, &at, end) &&
	       read_texts(series->units, events, &at, end);
}

/* Once for all that is asked later: it reads every row. */
static void find_pauses(struct series *series)
{
	bool paused = false;

	for (size_t i = 0; i < series->count; i++) {
		const struct series_row *row = &series->rows[i];

		if (row->event == SERIES_PAUSE && !paused)
			*vec_push(&series->pauses) = (struct series_pause){ row->time_ns,
									    UINT64_MAX };
		else if (row->event == SERIES_RESUME && paused)
			vec_last(&series->pauses)->to_ns = row->time_ns;
		else
			continue;
		paused = !paused;
	}
}

int series_of(struct series *series, const void *bytes, size_t size, struct err *err)
{
	const struct series_head *head = bytes;

	*series = (struct series){ .head = head };
	if (size < sizeof(*head))
		return err_set(err, EAGAIN, "nothing is counted yet");
	if (head->magic != SERIES_MAGIC)
		return err_set(err, EBADMSG, "not a file of counters");
	if (head->version != SERIES_VERSION && head->version != SERIES_PLAIN)
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
	find_pauses(series);
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
	free(series->units);
	vec_free(&series->pauses);
	if (series->base)
		munmap(series->base, series->size);
	*series = (struct series){ 0 };
}

const char *series_unit(const struct series *series, uint32_t event)
{
	return series->units ? series->units[event] : "";
}

/* A file may say anything. */
double series_scale(const struct series *series, uint32_t event)
{
	double scale = series->scales ? series->scales[event] : 1;

	return isfinite(scale) && scale > 0 ? scale : 1;
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
