// SPDX-License-Identifier: Apache-2.0
/*
 * The wall's clock jumps: this program has one of its own, which the C library and SQLite ask too.
 * What waits by the kernel's would wait for hours.
 */
#include "base/clock.h"
#include "server/site.h"
#include "test.h"

#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int64_t ahead_s;

int clock_gettime(clockid_t clock, struct timespec *into)
{
	long rc = syscall(SYS_clock_gettime, clock, into);

	if (clock == CLOCK_REALTIME)
		into->tv_sec += ahead_s;
	return (int)rc;
}

static void expect_slow_ones_go(void)
{
	struct pollfd gone = { .fd = site_connect(), .events = POLLIN };
	int64_t began = clock_now_ns();
	char byte;

	while (send(gone.fd, "G", 1, MSG_NOSIGNAL) == 1 && !poll(&gone, 1, 50))
		EXPECT(clock_now_ns() - began < 60 * NS_PER_SEC);
	EXPECT(recv(gone.fd, &byte, 1, 0) <= 0);
	close(gone.fd);
}

TEST(clock_jumps_delay_nothing)
{
	static const int64_t jumps_s[] = { 3600, -7200, 86400 * 400 };

	site_open(&(struct http_options){ .head_ms = 300 });
	for (size_t i = 0; i < ARRAY_SIZE(jumps_s); i++) {
		const char *answer;

		test_case("%lld s", (long long)jumps_s[i]);
		ahead_s = jumps_s[i];
		answer = site_call("POST", "/api/v1/sessions", "{\"title\":\"then\"}");
		EXPECT_INT(site_status(answer), 201);
		answer = site_call("DELETE", "/api/v1/sessions/1", NULL);
		EXPECT_INT(site_status(answer), 204);
		answer = site_call("POST", "/api/v1/sessions/1/restore", "");
		EXPECT_INT(site_status(answer), 200);
		expect_slow_ones_go();
	}
	ahead_s = 0;
	site_close();
}
