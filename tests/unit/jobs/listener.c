// SPDX-License-Identifier: Apache-2.0
#include "jobs/listener.h"
#include "base/err.h"
#include "base/mem.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static bool has_host(const struct listener *listener, const char *format, int port)
{
	char wanted[128];

	snprintf(wanted, sizeof(wanted), format, port);
	vec_each (host, &listener->hosts)
		if (!strcmp(*host, wanted))
			return true;
	return false;
}

static int port_of(const struct listener *listener)
{
	return atoi(strrchr(listener->origin, ':') + 1);
}

TEST(listener_loopback)
{
	struct listener_options options = { .address = "127.0.0.1:0" };
	struct listener listener;
	struct err err = { 0 };

	EXPECT_INT(listener_open(&listener, &options, &err), 0);
	EXPECT(listener.loopback);
	EXPECT_CONTAINS(listener.origin, "http://127.0.0.1:");
	EXPECT(has_host(&listener, "127.0.0.1:%d", port_of(&listener)));
	EXPECT(has_host(&listener, "localhost:%d", port_of(&listener)));
	EXPECT(!has_host(&listener, "example.org:%d", port_of(&listener)));
	listener_close(&listener);
}

TEST(listener_everywhere)
{
	struct strlist names = { 0 };
	struct listener_options options = { .address = "0.0.0.0:0", .tls = true, .names = &names };
	struct listener listener;
	struct err err = { 0 };

	strlist_add(&names, "example.org");
	EXPECT_INT(listener_open(&listener, &options, &err), 0);
	EXPECT(!listener.loopback);
	EXPECT_CONTAINS(listener.origin, "https://");
	EXPECT(has_host(&listener, "example.org:%d", port_of(&listener)));
	EXPECT(has_host(&listener, "example.org", 0));
	listener_close(&listener);
	strlist_free(&names);
}

TEST(listener_refuses)
{
	static const struct {
		const char *address;
		int rc;
	} cases[] = {
		{ "", -EINVAL },
		{ "127.0.0.1", -EINVAL },
		{ "127.0.0.1:", -EINVAL },
		{ "127.0.0.1:x", -EINVAL },
		{ "127.0.0.1:65536", -EINVAL },
		{ "unix:", -EINVAL },
		{ "unix:/no/such/folder/x", -ENOENT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct listener_options options = { .address = cases[i].address };
		struct listener listener;
		struct err err = { 0 };

		test_case("%s", cases[i].address);
		EXPECT_INT(listener_open(&listener, &options, &err), cases[i].rc);
		EXPECT_INT(listener.fd, -1);
	}
}

/* One that is listened on is somebody's; one that is not was left by a server that was killed. */
TEST(listener_unix)
{
	char path[64], address[80];
	struct listener_options options = { .address = address };
	struct listener first, second;
	struct err err = { 0 };

	snprintf(path, sizeof(path), "/tmp/perfolio-unit-%d.sock", (int)getpid());
	snprintf(address, sizeof(address), "unix:%s", path);
	EXPECT_INT(listener_open(&first, &options, &err), 0);
	EXPECT_INT(listener_open(&second, &options, &err), -EADDRINUSE);
	close(first.fd);
	first.fd = -1;
	EXPECT_INT(listener_open(&second, &options, &err), 0);
	listener_close(&second);
	EXPECT(access(path, F_OK) != 0);
	listener_close(&first);
}
