// SPDX-License-Identifier: Apache-2.0
/* `doctor --server URL`: what a server says of itself. */
#include "base/buf.h"
#include "base/err.h"
#include "base/jsonread.h"
#include "cmd/doctor_server.h"
#include "doctor/doctor.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define ANSWER_MOST (1 << 20)
#define WAIT_S	    90

struct address {
	char host[256], port[16], token[256];
};

/* The link that the server prints: http://HOST:PORT/#token=TOKEN. */
static int parse(const char *url, struct address *address, struct err *err)
{
	const char *token = strstr(url, "token=");

	if (strncmp(url, "http://", 7) != 0)
		return err_set(err, EINVAL,
			       "--server %s: ask a server with TLS on its own machine, by its data "
			       "folder",
			       url);
	if (sscanf(url, "http://%255[^:/?]:%15[0-9]", address->host, address->port) != 2)
		return err_set(err, EINVAL, "--server %s: http://HOST:PORT/#token=TOKEN", url);
	if (!token || sscanf(token, "token=%255[A-Za-z0-9_-]", address->token) != 1)
		return err_set(err, EINVAL,
			       "--server: the link that the server prints, with its token, or one "
			       "of `perfolio user token`");
	return 0;
}

static int connect_to(const struct address *address, struct err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list = NULL;
	struct timeval wait = { .tv_sec = WAIT_S };
	int fd = -1, code = getaddrinfo(address->host, address->port, &hints, &list);

	if (code)
		return err_set(err, EIO, "%s: %s", address->host, gai_strerror(code));
	for (struct addrinfo *one = list; one && fd < 0; one = one->ai_next) {
		fd = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd >= 0 && connect(fd, one->ai_addr, one->ai_addrlen)) {
			code = errno;
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	if (fd < 0)
		return err_set(err, EIO, "%s:%s: %s", address->host, address->port, strerror(code));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	return fd;
}

static int ask(const struct address *address, struct buf *answer, struct err *err)
{
	struct buf request = { 0 };
	char bytes[4096];
	ssize_t got;
	int fd = connect_to(address, err);

	if (fd < 0)
		return fd;
	buf_printf(&request,
		   "GET /api/v1/server HTTP/1.1\r\nHost: %s:%s\r\nAuthorization: Bearer "
		   "%s\r\nConnection: close\r\n\r\n",
		   address->host, address->port, address->token);
	got = send(fd, request.data, request.len, MSG_NOSIGNAL);
	while (got > 0 && answer->len < ANSWER_MOST &&
	       (got = recv(fd, bytes, sizeof(bytes), 0)) > 0)
		buf_add(answer, bytes, (size_t)got);
	buf_free(&request);
	close(fd);
	return got < 0 ? err_set(err, EIO, "%s:%s: no answer", address->host, address->port) : 0;
}

static const char *take(struct doctor *doctor, struct json_object *row, const char *name)
{
	const char *text = jsonread_text(row, name, NULL);

	return text ? arena_strdup(&doctor->arena, text) : NULL;
}

static void take_findings(struct doctor *doctor, struct json_object *list)
{
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i);
		struct finding finding = {
			.id = take(doctor, row, "id"),
			.area = take(doctor, row, "area"),
			.title = take(doctor, row, "title"),
			.what = take(doctor, row, "what"),
			.remedy = take(doctor, row, "remedy"),
			.state = DOCTOR_UNKNOWN,
		};
		const char *state = jsonread_text(row, "state", "");

		for (int j = DOCTOR_OK; j <= DOCTOR_UNKNOWN; j++)
			if (!strcmp(state, doctor_state_name((enum doctor_state)j)))
				finding.state = (enum doctor_state)j;
		if (finding.id && finding.area && finding.title && finding.what)
			*vec_push(&doctor->findings) = finding;
		doctor->works = doctor->works && finding.state != DOCTOR_MISSING;
	}
}

/* Its own words where it refuses: {"error": {"message": ...}}. */
static int understand(struct doctor *doctor, struct buf *answer, struct err *err)
{
	const char *body = strstr(buf_text(answer), "\r\n\r\n");
	struct json_object *object, *part;
	int status = 0, rc = 0;

	sscanf(buf_text(answer), "HTTP/1.%*d %d", &status);
	object = body ? jsonread(body + 4, answer->len - (size_t)(body + 4 - answer->data),
				 "the server's answer", err)
		      : NULL;
	if (!object)
		return err_set(err, EIO, "the server's answer can't be understood");
	if (status == 200 && json_object_object_get_ex(object, "findings", &part) &&
	    json_object_is_type(part, json_type_array))
		take_findings(doctor, part);
	else if (json_object_object_get_ex(object, "error", &part))
		rc = err_set(err, EIO, "the server refuses: %s",
			     jsonread_text(part, "message", "it does not say why"));
	else
		rc = err_set(err, EIO, "the server answers with status %d", status);
	json_object_put(object);
	return rc;
}

int doctor_remote(struct doctor *doctor, const char *url, struct err *err)
{
	struct address address = { 0 };
	struct buf answer = { 0 };
	int rc = parse(url, &address, err);

	*doctor = (struct doctor){ .works = true };
	if (!rc)
		rc = ask(&address, &answer, err);
	if (!rc)
		rc = understand(doctor, &answer, err);
	explicit_bzero(&address, sizeof(address));
	buf_free(&answer);
	return rc;
}
