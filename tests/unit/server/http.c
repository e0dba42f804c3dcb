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

/* Signs in as the page does; the lines that it sends from then on, "" for what is left out. */
static char *sign_in(bool with_proof, bool with_origin)
{
	const char *answer = site_ask("POST", "/api/v1/sign-in", "",
				      "{\"token\":\"" SITE_TOKEN "\"}");
	const char *cookie = strstr(answer, "Set-Cookie: "),
		   *proof = strstr(answer, "\"proof\":\"");
	struct buf head = { 0 };

	EXPECT_INT(site_status(answer), 200);
	EXPECT_CONTAINS(answer, "HttpOnly; SameSite=Strict");
	EXPECT(cookie && proof && !strstr(answer, SITE_TOKEN));
	buf_printf(&head, "Cookie: a=b; %.*s\r\n", (int)strcspn(cookie + 12, ";"), cookie + 12);
	if (with_proof)
		buf_printf(&head, "Perfolio-Proof: %.*s\r\n", (int)strcspn(proof + 9, "\""),
			   proof + 9);
	if (with_origin)
		buf_printf(&head, "Origin: http://%s\r\n", site_host());
	return head.data;
}

TEST(http_cookie_needs_its_proof)
{
	char *page, *other, *stolen, *nowhere, *mixed;

	site_open(NULL);
	page = sign_in(true, true);
	other = sign_in(true, true);
	stolen = sign_in(false, true);
	nowhere = sign_in(true, false);
	EXPECT_CONTAINS(site_ask("GET", "/api/v1/me", page, NULL), "\"name\":\"owner\"");
	EXPECT_CONTAINS(site_ask("GET", "/api/v1/me", stolen, NULL), "\"code\":\"no-proof\"");
	/* a proof of another cookie is none */
	mixed = mem_printf("%s%s", stolen, strstr(page, "Perfolio-Proof"));
	EXPECT_INT(site_status(site_ask("GET", "/api/v1/me", mixed, NULL)), 401);

	/* with a cookie, what changes something must come from our own page */
	EXPECT_INT(site_status(site_ask("POST", "/api/v1/sign-out", nowhere, "")), 403);
	EXPECT_INT(site_status(site_ask("POST", "/api/v1/sign-out", stolen, "")), 401);
	EXPECT_INT(site_status(site_ask("POST", "/api/v1/sign-out", page, "")), 204);
	EXPECT_INT(site_status(site_ask("GET", "/api/v1/me", page, NULL)), 401);
	EXPECT_INT(site_status(site_ask("GET", "/api/v1/me", other, NULL)), 200);
	free(page);
	free(other);
	free(stolen);
	free(nowhere);
	free(mixed);
	site_close();
}

/* The address of a ticket for the path; holds until the next call. */
static const char *ticket_for(const char *path)
{
	static char address[200];
	char *body = mem_printf("{\"path\":\"%s\"}", path);
	const char *answer = site_call("POST", "/api/v1/tickets", body);
	const char *found = strstr(answer, "\"address\":\"");

	EXPECT_INT(site_status(answer), 200);
	snprintf(address, sizeof(address), "%.*s", found ? (int)strcspn(found + 11, "\"") : 0,
		 found ? found + 11 : "");
	free(body);
	return address;
}

TEST(http_ticket_is_for_one_request)
{
	static const char *const bad[] = { "", "/", "/api/v2/me", "http://evil.example/",
					   "api/v1/me" };
	char other[200];
	const char *ticket;

	site_open(NULL);
	ticket = ticket_for("/api/v1/me");
	EXPECT_INT(site_status(site_ask("GET", ticket, "", NULL)), 200);
	EXPECT_INT(site_status(site_ask("GET", ticket, "", NULL)), 401);
	ticket = ticket_for("/api/v1/runs?limit=5");
	EXPECT_CONTAINS(ticket, "/api/v1/runs?limit=5&ticket=");
	EXPECT_INT(site_status(site_ask("GET", ticket, "", NULL)), 200);

	/* one that is shown at another address is spent, too */
	ticket = ticket_for("/api/v1/me");
	snprintf(other, sizeof(other), "/api/v1/tags%s", strchr(ticket, '?'));
	EXPECT_INT(site_status(site_ask("GET", other, "", NULL)), 401);
	EXPECT_INT(site_status(site_ask("GET", ticket, "", NULL)), 401);
	/* only GET, and only as the last parameter */
	ticket = ticket_for("/api/v1/sessions");
	EXPECT_INT(site_status(site_ask("POST", ticket, "", "{}")), 401);
	snprintf(other, sizeof(other), "%s&limit=1", ticket);
	EXPECT_INT(site_status(site_ask("GET", other, "", NULL)), 401);
	EXPECT_INT(site_status(site_ask("GET", ticket, "", NULL)), 200);

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char *body = mem_printf("{\"path\":\"%s\"}", bad[i]);

		test_case("%s", bad[i]);
		EXPECT_INT(site_status(site_call("POST", "/api/v1/tickets", body)), 400);
		free(body);
	}
	for (int i = 0; i < 64; i++)
		ticket_for("/api/v1/me");
	EXPECT_INT(site_status(site_call("POST", "/api/v1/tickets", "{\"path\":\"/api/v1/me\"}")),
		   429);
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
		{ "{\"token\":\"" SITE_TOKEN "\"}", "\"role\":\"owner\"", 200 },
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
