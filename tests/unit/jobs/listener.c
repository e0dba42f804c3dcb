// SPDX-License-Identifier: Apache-2.0
#include "jobs/listener.h"
#include "base/err.h"
#include "base/mem.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
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

/* "localhost" is both loopback addresses: who has the port of the other one would be us. */
TEST(listener_other_loopback)
{
	struct sockaddr_in6 other = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct listener_options options = { .address = "127.0.0.1:0" };
	socklen_t size = sizeof(other);
	struct listener listener;
	struct err err = { 0 };
	int on = 1, fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char address[32];

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, (struct sockaddr *)&other, size) || listen(fd, 1)) {
		if (fd >= 0)
			close(fd);
		return; /* this machine has no IPv6, and so nobody has */
	}
	getsockname(fd, (struct sockaddr *)&other, &size);
	snprintf(address, sizeof(address), "127.0.0.1:%d", ntohs(other.sin6_port));
	options.address = address;
	EXPECT_INT(listener_open(&listener, &options, &err), 0);
	EXPECT(!has_host(&listener, "localhost:%d", port_of(&listener)));
	EXPECT(has_host(&listener, "127.0.0.1:%d", port_of(&listener)));
	listener_close(&listener);
	close(fd);

	EXPECT_INT(listener_open(&listener, &options, &err), 0);
	EXPECT(has_host(&listener, "localhost:%d", port_of(&listener)));
	fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	EXPECT(bind(fd, (struct sockaddr *)&other, size) && errno == EADDRINUSE);
	close(fd);
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
