// SPDX-License-Identifier: Apache-2.0
#include "server/webhook.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/jsonread.h"
#include "base/log.h"
#include "server/app.h"
#include "server/resource.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define WAITING_MOST 256
#define ATTEMPTS     3
#define PATIENCE_S   5

struct webhook {
	struct app *app;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	int64_t runs[WAITING_MOST];
	size_t first, count;
	_Atomic bool stopping;
};

struct place {
	struct sockaddr_storage address;
	socklen_t length;
	char host[80];
	const char *path;
};

/* "127.0.0.1", "[::1]" or "localhost". */
static int read_host(struct place *place, const char *host, uint16_t port)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)&place->address;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)&place->address;
	char inside[64];

	if (!strcmp(host, "localhost"))
		host = "127.0.0.1";
	if (sscanf(host, "[%63[0-9a-fA-F:.]]", inside) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		place->length = sizeof(*v6);
		return inet_pton(AF_INET6, inside, &v6->sin6_addr) == 1 ? 0 : -EINVAL;
	}
	v4->sin_family = AF_INET;
	v4->sin_port = htons(port);
	place->length = sizeof(*v4);
	return inet_pton(AF_INET, host, &v4->sin_addr) == 1 ? 0 : -EINVAL;
}

static int read_url(const char *url, struct place *place, struct err *err)
{
	bool http = !strncmp(url, "http://", 7);
	const char *at = http ? url + 7 : url;
	size_t length = strcspn(at, "/");
	char host[80], *colon;
	long port = 80;

	*place = (struct place){ .path = at[length] ? at + length : "/" };
	if (!http || length >= sizeof(host) || strlen(url) > 2000)
		return err_set(err, EINVAL, "webhook: `%.100s` is not http://ADDRESS:PORT/...",
			       url);
	for (const char *c = url; *c; c++)
		if (*c <= ' ' || *c >= 0x7f)
			return err_set(err, EINVAL, "webhook: a character that no address has");
	/* what is allowed is the beginning of an address, which these would lead out of again */
	if (strstr(place->path, "/..") || strcasestr(place->path, "%2e"))
		return err_set(err, EINVAL, "webhook: no address with /.. in it");
	memcpy(host, at, length);
	host[length] = '\0';
	strcpy(place->host, host);
	colon = strrchr(host, ':');
	if (colon && !strchr(colon, ']')) {
		char *end;

		port = strtol(colon + 1, &end, 10);
		*colon = '\0';
		if (*end || port < 1 || port > 65535)
			return err_set(err, EINVAL, "webhook: `%.100s` has no port", url);
	}
	if (read_host(place, host, (uint16_t)port))
		return err_set(err, EINVAL,
			       "webhook: `%.80s` must be an address in numbers, or localhost",
			       host);
	return 0;
}

/* "http://127.0.0.1:9000/ci" allows itself and what is below it, and not .../cinema. */
static bool begins_with(const char *url, const char *allowed)
{
	size_t length = strlen(allowed);

	if (strncmp(url, allowed, length))
		return false;
	return !url[length] || url[length] == '/' || url[length] == '?' ||
	       (length && allowed[length - 1] == '/');
}

int webhook_check(const struct app *app, const char *url, struct err *err)
{
	const struct wordlist *allowed = &app->policy.webhooks;
	struct place place;
	int rc;

	if (!*url)
		return 0;
	rc = read_url(url, &place, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < allowed->len; i++)
		if (begins_with(url, allowed->data[i]))
			return 0;
	return err_set(err, EACCES, "webhooks to %.200s are not allowed (serve --webhook)", url);
}

static int post(const struct place *place, const char *body, size_t size, struct err *err)
{
	struct timeval patience = { .tv_sec = PATIENCE_S };
	int fd = socket(place->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct buf text = { 0 };
	char answer[64] = "";
	int rc = 0, status = 0;

	if (fd < 0)
		return err_set(err, errno, "%s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	buf_printf(&text,
		   "POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: perfolio\r\nConnection: close\r\n"
		   "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
		   place->path, place->host, size);
	buf_add(&text, body, size);
	if (connect(fd, (const struct sockaddr *)&place->address, place->length))
		rc = -errno;
	if (!rc)
		rc = fd_write_all(fd, text.data, text.len);
	if (!rc && recv(fd, answer, sizeof(answer) - 1, 0) < 0)
		rc = -errno;
	close(fd);
	buf_free(&text);
	if (rc)
		return err_set(err, -rc, "%s", strerror(-rc));
	if (sscanf(answer, "HTTP/%*d.%*d %d", &status) != 1 || status < 200 || status > 299)
		return err_set(err, EIO, "it answered %.20s", answer);
	return 0;
}

static char *body_of(const struct run *run, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	struct json json = json_to(out);

	if (!out)
		abort(); /* out of memory, as in base/mem.c */
	json_open(&json, NULL, '{');
	json_text(&json, "event", "run-ended");
	json_open(&json, "runs", '[');
	run_write_masked(&json, run);
	json_close(&json);
	json_close(&json);
	fclose(out);
	return text;
}

static void tell(struct webhook *webhook, const struct run *run, const char *url)
{
	struct err err = { 0 };
	struct place place;
	size_t size;
	char *body;
	int rc = webhook_check(webhook->app, url, &err);

	if (rc || read_url(url, &place, &err)) {
		log_line(LOG_WARN, "run %lld: %s", (long long)run->id, err.text);
		return;
	}
	body = body_of(run, &size);
	rc = post(&place, body, size, &err);
	for (unsigned i = 1; rc && i < ATTEMPTS && !webhook->stopping; i++) {
		sleep(i);
		rc = post(&place, body, size, &err);
	}
	if (rc)
		log_line(LOG_WARN, "run %lld: %.200s was not told: %s", (long long)run->id, url,
			 err.text);
	free(body);
}

static void tell_run(struct webhook *webhook, int64_t id)
{
	struct json_object *form = NULL;
	struct arena arena = { 0 };
	const char *url = "";
	struct run run;

	if (!store_run_get(webhook->app->store, id, &arena, &run, NULL)) {
		form = jsonread(run.form, strlen(run.form), "its form", NULL);
		url = form ? jsonread_text(form, "webhook", "") : "";
		if (*url)
			tell(webhook, &run, url);
	}
	json_object_put(form);
	arena_free(&arena);
}

static void *webhook_thread(void *arg)
{
	struct webhook *webhook = arg;

	pthread_mutex_lock(&webhook->lock);
	while (!webhook->stopping) {
		if (webhook->count) {
			int64_t run = webhook->runs[webhook->first];

			webhook->first = (webhook->first + 1) % WAITING_MOST;
			webhook->count--;
			pthread_mutex_unlock(&webhook->lock);
			tell_run(webhook, run);
			pthread_mutex_lock(&webhook->lock);
		} else {
			pthread_cond_wait(&webhook->more, &webhook->lock);
		}
	}
	pthread_mutex_unlock(&webhook->lock);
	return NULL;
}

struct webhook *webhook_new(struct app *app)
{
	struct webhook *webhook;

	if (!app->policy.webhooks.len)
		return NULL;
	webhook = mem_alloc(sizeof(*webhook));
	webhook->app = app;
	pthread_mutex_init(&webhook->lock, NULL);
	pthread_cond_init(&webhook->more, NULL);
	if (!pthread_create(&webhook->thread, NULL, webhook_thread, webhook))
		return webhook;
	free(webhook);
	return NULL;
}

void webhook_free(struct webhook *webhook)
{
	if (!webhook)
		return;
	pthread_mutex_lock(&webhook->lock);
	webhook->stopping = true;
	pthread_cond_signal(&webhook->more);
	pthread_mutex_unlock(&webhook->lock);
	pthread_join(webhook->thread, NULL);
	pthread_cond_destroy(&webhook->more);
	pthread_mutex_destroy(&webhook->lock);
	free(webhook);
}

void webhook_tell(struct app *app, int64_t run)
{
	struct webhook *webhook = app->webhook;

	if (!webhook)
		return;
	pthread_mutex_lock(&webhook->lock);
	if (webhook->count < WAITING_MOST) {
		webhook->runs[(webhook->first + webhook->count++) % WAITING_MOST] = run;
		pthread_cond_signal(&webhook->more);
	}
	pthread_mutex_unlock(&webhook->lock);
}
