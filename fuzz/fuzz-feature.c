// SPDX-License-Identifier: Apache-2.0
/*
 * The features of a recording.  The first byte is the feature's number, the rest its payload; the
 * high bit of the number says that it comes from a machine of the other byte order.
 */
#include "base/outbuf.h"
#include "fuzz.h"
#include "perfdata/bpfinfo.h"
#include "perfdata/feature.h"
#include "render/script_header.h"

#include <fcntl.h>
#include <unistd.h>

#define ORDER_BIT 0x80
#define MOST	  65000 /* what a record has room for */

static uint64_t in_order(uint64_t value, unsigned width, bool swapped)
{
	return swapped ? __builtin_bswap64(value) >> (64 - 8 * width) : value;
}

/* A pipe with an event and the feature: 16 bytes of header, then records. */
static size_t make_pipe(unsigned char *into, uint8_t feature, const uint8_t *payload, size_t size)
{
	bool swapped = feature & ORDER_BIT;
	uint64_t words[] = {
		in_order(0x32454c4946524550, 8, swapped),
		in_order(16, 8, swapped),
		in_order(80, 4, swapped),		     /* type */
		in_order((uint16_t)(16 + size), 2, swapped), /* size */
		in_order(feature & ~ORDER_BIT, 8, swapped),
	};
	unsigned char *at = into;

	memcpy(at, &words[0], 8);
	memcpy(at + 8, &words[1], 8);
	memcpy(at + 16, &words[2], 4);
	memset(at + 20, 0, 2);
	memcpy(at + 22, &words[3], 2);
	memcpy(at + 24, &words[4], 8);
	memcpy(at + 32, payload, size);
	return 32 + size;
}

static void print_features(struct perf_reader *reader, enum perf_feature feature)
{
	struct bpf_functions functions;
	struct perf_env env;
	struct outbuf out;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	outbuf_init(&out, null);
	script_header_feature(&out, reader, feature, true);
	outbuf_fini(&out);
	close(null);
	perf_env_load(&env, reader);
	for (uint32_t i = 0; i < env.build_ids.count; i++)
		FUZZ_HOLDS(env.build_ids.data[i].path);
	perf_env_free(&env);
	bpf_functions_load(&functions, reader);
	for (uint32_t i = 0; i < functions.count; i++)
		FUZZ_HOLDS(functions.data[i].index < functions.data[i].count);
	bpf_functions_free(&functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned char pipe_bytes[32 + MOST];
	struct perf_reader *reader;
	struct record rec;
	struct err err = { 0 };

	if (size < 1 || size > MOST)
		return 0;
	reader = perf_reader_open_mem(pipe_bytes,
				      make_pipe(pipe_bytes, data[0], data + 1, size - 1), &err);
	FUZZ_HOLDS(reader);
	FUZZ_HOLDS(perf_reader_next(reader, &rec, &err) == 1);
	print_features(reader, (enum perf_feature)(data[0] & ~ORDER_BIT));
	perf_reader_close(reader);
	return 0;
}
