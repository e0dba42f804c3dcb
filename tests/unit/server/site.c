// SPDX-License-Identifier: Apache-2.0
#include "server/site.h"
#include "base/buf.h"
#include "server/rights.h"
#include "server/signin.h"
#include "store/scene.h"
#include "test.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct app site_app;
static char host[32], origin[64], hash[TOKEN_HASH];
static const char *hosts[1] = { host };
static struct buf answer;
static uint16_t port;

static int listen_anywhere(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	EXPECT(!bind(fd, (struct sockaddr *)&address, sizeof(address)));
	EXPECT(!listen(fd, 64));
	EXPECT(!getsockname(fd, (struct sockaddr *)&address, &length));
	port = ntohs(address.sin_port);
	return fd;
}

void site_open(const struct http_options *options)
{
	struct http_options all = options ? *options : (struct http_options){ 0 };
	struct err err = { 0 };

	scene_open();
	all.listen = listen_anywhere();
	snprintf(host, sizeof(host), "127.0.0.1:%u", port);
	snprintf(origin, sizeof(origin), "http://%s", host);
	token_hash(SITE_TOKEN, hash);
	site_app = (struct app){ .dir = scene_dir, .store = scene_store };
	site_app.policy = (struct msg_policy){ .host = "here",
					       .kernel = "6.1",
					       .cpu_model = "cpu",
					       .perfolio = "0",
					       .workload_user = "nobody",
					       .token_hash = hash,
					       .origin = origin,
					       .hosts = { hosts, 1, 1 } };
	site_app.rights = rights_new();
	site_app.signins = signins_new(&site_app, &err);
	site_app.http = http_start(&site_app, &all, &err);
	EXPECT_TEXT(err.text, "");
}

void site_close(void)
{
	http_stop(site_app.http);
	signins_free(site_app.signins);
	rights_free(site_app.rights);
	buf_free(&answer);
	scene_close();
}

const char *site_host(void)
{
	return host;
}

int site_connect(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	EXPECT(!connect(fd, (struct sockaddr *)&address, sizeof(address)));
	return fd;
}

const char *site_ask(const char *method, const char *path, const char *head, const char *body)
{
	struct buf text = { 0 };
	int fd = site_connect();
	char bytes[4096];
	ssize_t got;

	buf_printf(&text, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s", method, path,
		   host, head);
	if (body)
		buf_printf(&text, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
	else
		buf_puts(&text, "\r\n");
	EXPECT(send(fd, text.data, text.len, MSG_NOSIGNAL) == (ssize_t)text.len);
	buf_clear(&answer);
	while ((got = recv(fd, bytes, sizeof(bytes), 0)) > 0)
		buf_add(&answer, bytes, (size_t)got);
	close(fd);
	buf_free(&text);
	return buf_text(&answer);
}

const char *site_call(const char *method, const char *path, const char *body)
{
	return site_ask(method, path, "Authorization: Bearer " SITE_TOKEN "\r\n", body);
}

int site_status(const char *text)
{
	return strncmp(text, "HTTP/1.1 ", 9) ? 0 : atoi(text + 9);
}

const char *site_body(const char *text)
{
	const char *end = strstr(text, "\r\n\r\n");

	return end ? end + 4 : "";
}
