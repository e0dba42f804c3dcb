// SPDX-License-Identifier: Apache-2.0
#include "cmd/analyser.h"
#include "cmd/command.h"

#include <poll.h>

int analyser_main(int channel, bool imported, struct err *err)
{
	struct pollfd ended = { .fd = channel, .events = POLLRDHUP };

	(void)imported, (void)err;
	poll(&ended, 1, -1);
	return EXIT_FAILED;
}
