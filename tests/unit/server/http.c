// SPDX-License-Identifier: Apache-2.0
#include "server/http.h"
#include "base/buf.h"
#include "base/clock.h"
#include "server/site.h"
#include "test.h"

#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static char *with_host(const char *format, const char *origin)
{
	return mem_printf(format, site_host(), origin);
}

TEST(http_who_may_come_in)
{
	static const struct {
		const char *method, *path, *head;
		int status;
	} cases[] = {
		{ "GET", "/api/v1/me", "", 401 },
		{ "GET", "/api/v1/me", "Authorization: Bearer " SITE_TOKEN "\r\n", 200 },
		{ "GET", "/api/v1/me", "Authorization: Bearer " SITE_TOKEN "x\r\n", 401 },
		{ "GET", "/api/v1/me", "Authorization: Bearer \r\n", 401 },
		{ "GET", "/api/v1/me", "Authorization: Basic abc\r\n", 401 },
		{ "GET", "/api/v1/nothing", "Authorization: Bearer " SITE_TOKEN "\r\n", 404 },
		{ "DELETE", "/api/v1/me", "Authorization: Bearer " SITE_TOKEN "\r\n", 405 },
		{ "GET", "/../../etc/passwd", "", 404 },
		{ "GET", "/%2e%2e/%2e%2e/etc/passwd", "", 404 },
		{ "GET", "/", "", 200 },
		{ "POST", "/api/v1/sign-out",
		  "Authorization: Bearer " SITE_TOKEN "\r\nOrigin: http://evil.example\r\n", 403 },
	};

	site_open(NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%s %s %s", cases[i].method, cases[i].path, cases[i].head);
		EXPECT_INT(
			site_status(site_ask(cases[i].method, cases[i].path, cases[i].head, NULL)),
			cases[i].status);
	}
	site_close();
}

TEST(http_link_becomes_cookie)
{
	char cookie[200] = "", other[200] = "", *head;
	const char *answer, *found;

	site_open(NULL);
	EXPECT_INT(site_status(site_ask("GET", "/?token=wrong", "", NULL)), 401);
	answer = site_ask("GET", "/?token=wrong", "Accept: text/html,*/*\r\n", NULL);
	EXPECT_INT(site_status(answer), 303);
	EXPECT_CONTAINS(answer, "Location: /sign-in\r\n");
	EXPECT(!strstr(answer, "Set-Cookie"));
	answer = site_ask("GET", "/?token=" SITE_TOKEN, "", NULL);
	EXPECT_INT(site_status(answer), 303);
	EXPECT_CONTAINS(answer, "Location: /\r\n");
	EXPECT_CONTAINS(answer, "HttpOnly; SameSite=Strict");
	found = strstr(answer, "Set-Cookie: ");
	EXPECT(found && !strstr(answer, SITE_TOKEN));
	snprintf(cookie, sizeof(cookie), "Cookie: a=b; %.*s\r\n", (int)strcspn(found + 12, ";"),
		 found + 12);
	answer = site_ask("GET", "/api/v1/me", cookie, NULL);
	EXPECT_CONTAINS(answer, "\"name\":\"owner\"");

	/* with a cookie, what changes something must come from our own page */
	EXPECT_INT(site_status(site_ask("POST", "/api/v1/sign-out", cookie, "")), 403);
	head = mem_printf("%sOrigin: http://%s\r\n", cookie, site_host());
	answer = site_ask("GET", "/?token=" SITE_TOKEN, "", NULL);
	snprintf(other, sizeof(other), "Cookie: %.*s\r\n",
		 (int)strcspn(strstr(answer, "Set-Cookie: ") + 12, ";"),
		 strstr(answer, "Set-Cookie: ") + 12);
	EXPECT_INT(site_status(site_ask("POST", "/api/v1/sign-out", head, "")), 204);
	EXPECT_INT(site_status(site_ask("GET", "/api/v1/me", cookie, NULL)), 401);
	EXPECT_INT(site_status(site_ask("GET", "/api/v1/me", other, NULL)), 200);
	free(head);
	site_close();
}

TEST(http_refuses_parameters_that_nobody_reads)
{
	static const struct {
		const char *path, *says;
		int status;
	} cases[] = {
		{ "/api/v1/runs?session=1&limit=5", "", 200 },
		{ "/api/v1/runs?sesion=1", "unknown parameter `sesion` of GET /api/v1/runs", 400 },
		{ "/api/v1/runs?session=1&x", "It takes session, state,", 400 },
		{ "/api/v1/me?x=1", "It takes no parameters.", 400 },
		{ "/sign-in?anything=1", "", 200 },
	};

	site_open(NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *answer;

		test_case("%s", cases[i].path);
		answer = site_ask("GET", cases[i].path, "Authorization: Bearer " SITE_TOKEN "\r\n",
				  NULL);
		EXPECT_INT(site_status(answer), cases[i].status);
		EXPECT_CONTAINS(answer, cases[i].says);
	}
	site_close();
}

TEST(http_refuses_other_hosts)
{
	char *text;
	char bytes[300] = "";
	int fd;

	site_open(NULL);
	fd = site_connect();
	text = with_host("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n%.0s%.0s", "");
	EXPECT(write(fd, text, strlen(text)) > 0);
	EXPECT(read(fd, bytes, sizeof(bytes) - 1) > 0);
	EXPECT_CONTAINS(bytes, "HTTP/1.1 421");
	close(fd);
	free(text);
	site_close();
}

TEST(http_bodies)
{
	static const struct {
		const char *body, *says;
		int status;
	} cases[] = {
		{ "{\"token\":", "the body", 400 },
		{ "[1]", "not a JSON object", 400 },
		{ "{\"token\":7}", "`token` must be a text", 400 },
		{ "{\"token\":\"a\\u0000b\"}", "without NUL", 400 },
		{ "{}", "give a token", 400 },
		{ "{\"token\":\"x\"}", "is unknown", 401 },
		{ "{\"token\":\"" SITE_TOKEN "\"}", "\"role\":\"runner\"", 200 },
	};
	char *large = mem_alloc((1 << 20) + 2);

	site_open(NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *answer = site_ask("POST", "/api/v1/sign-in", "", cases[i].body);

		test_case("%s", cases[i].body);
		EXPECT_INT(site_status(answer), cases[i].status);
		EXPECT_CONTAINS(site_body(answer), cases[i].says);
	}
	memset(large, ' ', (1 << 20) + 1);
	EXPECT_INT(site_status(site_ask("POST", "/api/v1/sign-in", "", large)), 413);
	free(large);
	site_close();
}

/* A byte now and then keeps no connection: its head has to come in time. */
TEST(http_cuts_off_the_slow)
{
	int64_t began = clock_now_ns();
	struct pollfd gone;
	char byte;

	site_open(&(struct http_options){ .head_ms = 300 });
	gone = (struct pollfd){ .fd = site_connect(), .events = POLLIN };
	while (send(gone.fd, "G", 1, MSG_NOSIGNAL) == 1 && !poll(&gone, 1, 50))
		EXPECT(clock_now_ns() - began < 60 * NS_PER_SEC);
	EXPECT(recv(gone.fd, &byte, 1, 0) <= 0);
	close(gone.fd);
	site_close();
}

TEST(http_limits_the_rate)
{
	int refused = 0;

	/* 30 at once, where the machine is slow within some seconds, in which only a few are let in
	 */
	site_open(&(struct http_options){ .per_second = 1 });
	for (int i = 0; i < 30; i++)
		refused += site_status(site_ask("GET", "/", "", NULL)) == 429;
	EXPECT(refused >= 10);
	site_close();
}

TEST(http_tags_and_packs)
{
	const char *answer, *etag;
	char head[200];

	site_open(NULL);
	answer = site_ask("GET", "/api/v1/openapi.json",
			  "Accept-Encoding: gzip\r\nAuthorization: Bearer " SITE_TOKEN "\r\n",
			  NULL);
	EXPECT_CONTAINS(answer, "Content-Encoding: gzip");
	EXPECT_CONTAINS(answer, "X-Content-Type-Options: nosniff");
	EXPECT_CONTAINS(answer, "frame-ancestors 'none'");
	answer = site_ask("GET", "/", "", NULL);
	etag = strstr(answer, "ETag: ");
	EXPECT(etag);
	snprintf(head, sizeof(head), "If-None-Match: %.*s\r\n", (int)strcspn(etag + 6, "\r"),
		 etag + 6);
	EXPECT_INT(site_status(site_ask("GET", "/", head, NULL)), 304);
	site_close();
}
