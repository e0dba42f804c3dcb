// SPDX-License-Identifier: Apache-2.0
/*
 * The server with a web side that somebody has taken over: a test.
 *
 * It is `perfolio serve`, but the web side that its supervisor starts connects to the socket
 * $PERFOLIO_PEER, and whoever listens there speaks runner_protocol through it.  A line is a
 * message: {"type": "start", "run": 1, "argv": ["true"], "output": "/path"} with descriptors as
 * paths that it opens, or {"raw": "00ff"} for bytes as they are.  What the supervisor says comes
 * back as lines of the same kind.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/jsonread.h"
#include "base/options.h"
#include "cmd/command.h"
#include "ipc/channel.h"
#include "jobs/protocol.h"
#include "jobs/roles.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

extern const struct command cmd_serve;

static const struct ipc_type *find_type(const char *name)
{
	for (size_t i = 0; i < runner_protocol.count; i++)
		if (!strcmp(runner_protocol.types[i]->name, name))
			return runner_protocol.types[i];
	return NULL;
}

static void set_words(struct wordlist *words, struct json_object *list)
{
	for (size_t i = 0; i < json_object_array_length(list); i++)
		*vec_push(words) = json_object_get_string(json_object_array_get_idx(list, i));
}

static void set_field(const struct ipc_field *field, char *at, struct json_object *value)
{
	switch (field->kind) {
	case IPC_U64: *(uint64_t *)at = json_object_get_uint64(value); break;
	case IPC_I64: *(int64_t *)at = json_object_get_int64(value); break;
	case IPC_BOOL: *(bool *)at = json_object_get_boolean(value); break;
	case IPC_TEXT: *(const char **)at = json_object_get_string(value); break;
	case IPC_WORDS: set_words((struct wordlist *)at, value); break;
	case IPC_FD:
		*(int *)at = open(json_object_get_string(value), O_RDWR | O_CREAT | O_CLOEXEC,
				  0600);
		if (*(int *)at < 0)
			*(int *)at = open(json_object_get_string(value), O_RDONLY | O_CLOEXEC);
		break;
	default: break;
	}
}

static void send_message(struct channel *channel, struct json_object *line)
{
	const struct ipc_type *type = find_type(jsonread_text(line, "type", ""));
	char *message = type ? mem_alloc(type->size) : NULL;
	struct json_object *value;
	struct err err = { 0 };

	for (const struct ipc_field *f = type ? type->fields : NULL; f && f->kind; f++) {
		if (f->kind == IPC_FD)
			*(int *)(message + f->offset) = -1;
		if (json_object_object_get_ex(line, f->name, &value))
			set_field(f, message + f->offset, value);
	}
	if (type && channel_send(channel, type, message, &err))
		fprintf(stderr, "peer: %s\n", err.text);
	for (const struct ipc_field *f = type ? type->fields : NULL; f && f->kind; f++)
		if (f->kind == IPC_WORDS)
			vec_free((struct wordlist *)(message + f->offset));
	if (type)
		ipc_release(type, message);
	free(message);
}

static void send_raw(struct channel *channel, const char *hex)
{
	for (; hex[0] && hex[1]; hex += 2) {
		unsigned byte;
		char c;

		sscanf(hex, "%2x", &byte);
		c = (char)byte;
		if (write(channel_fd(channel), &c, 1) < 0)
			return;
	}
}

static void take_line(struct channel *channel, char *text)
{
	struct json_object *line = jsonread(text, strlen(text), "line", NULL);
	const char *raw = line ? jsonread_text(line, "raw", NULL) : NULL;

	if (raw)
		send_raw(channel, raw);
	else if (line)
		send_message(channel, line);
	json_object_put(line);
}

static void show(FILE *out, const struct ipc_type *type, const char *message)
{
	struct json json = json_to(out);

	json_open(&json, NULL, '{');
	json_text(&json, "type", type->name);
	for (const struct ipc_field *f = type->fields; f->kind; f++) {
		const char *at = message + f->offset;

		if (f->kind == IPC_U64)
			json_u64(&json, f->name, *(const uint64_t *)at);
		else if (f->kind == IPC_BOOL)
			json_flag(&json, f->name, *(const bool *)at);
		else if (f->kind == IPC_TEXT)
			json_text(&json, f->name, *(const char *const *)at);
		if (f->kind != IPC_WORDS)
			continue;
		json_open(&json, f->name, '[');
		vec_each (word, (const struct wordlist *)at)
			json_text(&json, NULL, *word);
		json_close(&json);
	}
	json_close(&json);
	fflush(out);
}

static int show_received(struct channel *channel, FILE *out)
{
	const struct ipc_type *type;
	struct arena arena = { 0 };
	struct err err = { 0 };
	void *message;
	int rc;

	while ((rc = channel_receive(channel, &arena, &type, &message, &err)) > 0) {
		show(out, type, message);
		if (type == &msg_ready)
			channel_send(channel, &msg_up, &(struct msg_up){ 0 }, &err);
		ipc_release(type, message);
		arena_free(&arena);
	}
	return rc;
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		perror(path);
		exit(1);
	}
	return fd;
}

static int be_web(void)
{
	struct channel *channel = channel_new(ROLE_CHANNEL, &runner_protocol);
	int fd = connect_to(getenv("PERFOLIO_PEER"));
	FILE *in = fdopen(fd, "r"), *out = fdopen(dup(fd), "w");
	static char line[1 << 20];
	int rc = 0;

	setvbuf(in, NULL, _IONBF, 0); /* so that poll tells of every line */
	while (!rc) {
		struct pollfd fds[] = { { ROLE_CHANNEL, channel_wants(channel), 0 },
					{ fd, POLLIN, 0 } };

		poll(fds, 2, -1);
		if (fds[0].revents & POLLOUT)
			rc = channel_flush(channel, NULL);
		if (!rc && fds[0].revents & (POLLIN | POLLHUP))
			rc = show_received(channel, out);
		if (fds[1].revents) {
			if (!fgets(line, sizeof(line), in))
				break;
			take_line(channel, line);
		}
	}
	channel_free(channel);
	fclose(in);
	fclose(out);
	return 0;
}

static int be_server(int argc, char **argv)
{
	struct options_result result;
	struct err err = { 0 };
	void *options = mem_alloc(cmd_serve.options_size);
	int rc;

	memcpy(options, cmd_serve.defaults, cmd_serve.options_size);
	rc = options_parse(cmd_serve.options, options, argc, argv, false, &result, &err);
	if (!rc)
		rc = cmd_serve.run(options, argc - result.next, argv + result.next, &err);
	if (rc < 0)
		fprintf(stderr, "perfolio: %s\n", err.text);
	cmd_serve.release(options);
	free(options);
	return rc < 0 ? 1 : rc;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[2], "--role=web"))
		return be_web();
	if (argc > 1 && !strcmp(argv[1], "serve") &&
	    (argc == 2 || strncmp(argv[2], "--role=", 7) != 0))
		return be_server(argc - 1, argv + 1);
	execv(getenv("PERFOLIO_REAL"), argv); /* what measures and analyses is the real one */
	return 127;
}
