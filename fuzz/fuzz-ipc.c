// SPDX-License-Identifier: Apache-2.0
/* Messages of our own processes: what is understood, written again, is the same bytes. */
#include "../tests/unit/ipc/talk.h"
#include "base/arena.h"
#include "base/buf.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int given[IPC_MOST_FDS] = { 100, 101, 102, 103, 104, 105, 106, 107 };
	int fds[IPC_MOST_FDS];
	struct ipc_header header;
	struct arena arena = { 0 };
	struct buf again = { 0 };
	struct err err = { 0 };
	void *message;

	if (size < sizeof(header))
		return 0;
	memcpy(&header, data, sizeof(header));
	header.size = (uint32_t)(size - sizeof(header)); /* as a channel has it when it is whole */
	if (ipc_check_header(&talk, &header, &err))
		return 0;
	message = ipc_decode(&talk, &header, data + sizeof(header), given, &arena, &err);
	FUZZ_HOLDS(message || err.text[0]);
	if (message) {
		FUZZ_HOLDS(!ipc_encode(&talk, talk.types[header.type], message, &again, fds, &err));
		FUZZ_HOLDS(again.len == size);
		FUZZ_HOLDS(!memcmp(again.data, &header, sizeof(header)));
		FUZZ_HOLDS(!memcmp(again.data + sizeof(header), data + sizeof(header),
				   size - sizeof(header)));
		for (unsigned i = 0; i < header.fds; i++)
			FUZZ_HOLDS(fds[i] == given[i]);
	}
	arena_free(&arena);
	buf_free(&again);
	return 0;
}
