// SPDX-License-Identifier: Apache-2.0
/*
 * CPU profiles of gperftools and of Java: words of 32 or 64 bits in either byte order.
 *
 *	0, 3, 0 (1: Java), the period in microseconds, 0
 *	count, depth, addresses ...
 *	0, 1, 0, and text: mappings, or the methods of Java
 */
#include "base/cursor.h"
#include "base/err.h"
#include "import/legacy.h"

#include <errno.h>

struct words {
	struct cursor c;
	bool wide, swapped;
};

static uint64_t next_word(struct words *words)
{
	uint64_t value;

	if (words->wide) {
		value = cursor_u64(&words->c);
		return words->swapped ? __builtin_bswap64(value) : value;
	}
	value = cursor_u32(&words->c);
	return words->swapped ? __builtin_bswap32((uint32_t)value) : value;
}

/* Reads the head in the form that it has; false if it is none. */
static bool read_head(struct words *words, const char *bytes, size_t size, uint64_t *period,
		      bool *java)
{
	for (int form = 0; form < 4; form++) {
		uint64_t head[5];

		*words = (struct words){ cursor_of(bytes, size), form >= 2, form & 1 };
		for (size_t i = 0; i < ARRAY_SIZE(head); i++)
			head[i] = next_word(words);
		*java = head[2] == 1;
		*period = head[3];
		if (!words->c.broken && !head[0] && head[1] == 3 && head[2] <= 1 && head[3] &&
		    !head[4])
			return true;
	}
	return false;
}

bool legacy_is_cpu(const char *bytes, size_t size)
{
	struct words words;
	uint64_t period;
	bool java;

	return read_head(&words, bytes, size, &period, &java);
}

static void add_sample(struct legacy *legacy, struct words *words, uint64_t count, uint64_t depth,
		       uint64_t period_ns)
{
	struct legacy_sample *sample = vec_push(&legacy->samples);

	sample->first = (uint32_t)legacy->addresses.len;
	sample->count = (uint32_t)depth;
	sample->thread = legacy->thread;
	sample->values[0] = count;
	if (__builtin_mul_overflow(count, period_ns, &sample->values[1]))
		sample->values[1] = UINT64_MAX;
	for (uint64_t i = 0; i < depth; i++)
		*vec_push(&legacy->addresses) = next_word(words);
}

static int read_samples(struct legacy *legacy, struct words *words, uint64_t period_ns,
			struct err *err)
{
	size_t width = words->wide ? 8 : 4;

	while (cursor_left(&words->c)) {
		uint64_t count = next_word(words), depth = next_word(words);

		if (words->c.broken || depth > cursor_left(&words->c) / width)
			return err_set(err, EBADMSG, "the CPU profile is cut or damaged");
		if (!count && depth == 1) {
			struct words end = *words;

			if (!next_word(&end)) {
				*words = end;
				break;
			}
		}
		add_sample(legacy, words, count, depth, period_ns);
		legacy->job->result->lines++;
	}
	return 0;
}

int legacy_read_cpu(struct legacy *legacy, const char *bytes, size_t size, struct err *err)
{
	struct words words;
	struct scan rest;
	uint64_t period;
	int rc;

	if (!read_head(&words, bytes, size, &period, &legacy->is_java))
		return err_set(err, EBADMSG, "no CPU profile");
	legacy->types[0] = (struct legacy_type){ "samples", "count" };
	legacy->types[1] = (struct legacy_type){ "cpu", "nanoseconds" };
	legacy->type_count = 2;
	if (__builtin_mul_overflow(period, 1000, &period))
		return err_set(err, EBADMSG, "the period of the CPU profile is out of range");
	rc = read_samples(legacy, &words, period, err);
	if (rc)
		return rc;
	rest = (struct scan){ (const char *)words.c.at, (const char *)words.c.end };
	if (legacy->is_java)
		legacy_java_names(legacy, rest);
	else
		legacy_mappings(legacy, rest);
	return 0;
}
