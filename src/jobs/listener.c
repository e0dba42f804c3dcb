// SPDX-License-Identifier: Apache-2.0
#include "jobs/listener.h"
#include "base/err.h"
#include "base/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define FIRST_PORT   7700
#define PORTS	     100
#define BACKLOG	     1024
#define SYSTEMD_FD   3
#define HTTP_NAME(t) ((t) ? "https" : "http")

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un local;
};

/* ---- unix sockets ---- */

/* One that nobody listens on any more is in the way; one that answers is somebody's. */
static int remove_stale(const struct sockaddr_un *address, struct err *err)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool refused = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) &&
		       errno == ECONNREFUSED;
	struct stat info;

	if (fd >= 0)
		close(fd);
	if (!refused || lstat(address->sun_path, &info) || !S_ISSOCK(info.st_mode))
		return err_set(err, EADDRINUSE, "unix:%s: there is something already",
			       address->sun_path);
	return unlink(address->sun_path)
		       ? err_set(err, errno, "unix:%s: %s", address->sun_path, strerror(errno))
		       : 0;
}

static int open_unix(struct listener *listener, const char *path, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	mode_t mask;
	int rc = 0;

	if (!*path || strlen(path) >= sizeof(address.sun_path))
		return err_set(err, EINVAL, "unix:%s: a path of 1 to %zu letters", path,
			       sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	if (!access(path, F_OK))
		rc = remove_stale(&address, err);
	if (rc)
		return rc;
	listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mask = umask(0177); /* who may connect is a matter of the file */
	rc = listener->fd < 0 || bind(listener->fd, (struct sockaddr *)&address, sizeof(address)) ||
	     listen(listener->fd, BACKLOG);
	umask(mask);
	if (rc)
		return err_set(err, errno, "unix:%s: %s", path, strerror(errno));
	listener->path = mem_strdup(path);
	return 0;
}

/* ---- TCP ---- */

static int bind_to(const struct addrinfo *at)
{
	int on = 1;
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, BACKLOG)) {
		int code = errno;

		close(fd);
		return -code;
	}
	return fd;
}

static int open_tcp(struct listener *listener, const char *host, const char *port, struct err *err)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC,
				  .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *found = NULL;
	int rc = getaddrinfo(*host ? host : NULL, port, &hints, &found);

	if (rc)
		return err_set(err, EINVAL, "--listen %s:%s: %s", host, port, gai_strerror(rc));
	listener->fd = -EADDRNOTAVAIL;
	for (struct addrinfo *at = found; at && listener->fd < 0; at = at->ai_next)
		listener->fd = bind_to(at);
	freeaddrinfo(found);
	if (listener->fd >= 0)
		return 0;
	return err_set(err, -listener->fd, "--listen %s:%s: %s", host, port,
		       strerror(-listener->fd));
}

static int open_first_free(struct listener *listener, struct err *err)
{
	char port[16];
	int rc = -EADDRINUSE;

	for (int i = 0; i < PORTS && rc == -EADDRINUSE; i++) {
		snprintf(port, sizeof(port), "%d", FIRST_PORT + i);
		rc = open_tcp(listener, "127.0.0.1", port, err);
	}
	return rc;
}

/* "HOST:PORT", "[V6]:PORT" or "PORT". */
static int open_given(struct listener *listener, const char *text, struct err *err)
{
	const char *colon = strrchr(text, ':');
	const char *port = colon ? colon + 1 : text;
	char *host, *end;
	unsigned long number = strtoul(port, &end, 10);
	int rc;

	if (!*port || *end || number > 65535)
		return err_set(err, EINVAL, "--listen %s: ADDRESS:PORT, or unix:PATH", text);
	if (!colon)
		host = mem_strdup("127.0.0.1");
	else if (*text == '[' && colon > text + 1 && colon[-1] == ']')
		host = mem_strndup(text + 1, (size_t)(colon - text) - 2);
	else
		host = mem_strndup(text, (size_t)(colon - text));
	rc = open_tcp(listener, host, port, err);
	free(host);
	return rc;
}

/* ---- systemd ---- */

/* 1: there was one. */
static int take_activated(struct listener *listener, struct err *err)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
	int listening = 0;
	socklen_t size = sizeof(listening);

	if (!pid || !count || atoi(pid) != getpid() || atoi(count) < 1)
		return 0;
	if (atoi(count) > 1)
		return err_set(err, EINVAL, "systemd passed %s sockets; one is enough", count);
	if (getsockopt(SYSTEMD_FD, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) || !listening)
		return err_set(err, EINVAL,
			       "systemd passed something other than a listening socket");
	listener->fd = fcntl(SYSTEMD_FD, F_DUPFD_CLOEXEC, SYSTEMD_FD + 1);
	close(SYSTEMD_FD);
	if (listener->fd < 0)
		return err_set(err, errno, "the socket from systemd: %s", strerror(errno));
	fcntl(listener->fd, F_SETFL, fcntl(listener->fd, F_GETFL) | O_NONBLOCK);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	return 1;
}

/* ---- names ---- */

static void add_host(struct listener *listener, const char *name, unsigned port, bool tls)
{
	char *host = mem_printf("%s:%u", name, port);

	strlist_add(&listener->hosts, host);
	if (port == (tls ? 443 : 80)) /* browsers leave it out then */
		strlist_add(&listener->hosts, name);
	free(host);
}

/* The address as it stands in a URL; whether it is the loopback, or stands for all of them. */
static void spell(const union address *address, char *into, size_t room, bool *loopback, bool *any)
{
	char text[INET6_ADDRSTRLEN] = "";

	if (address->any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &address->v6.sin6_addr, text, sizeof(text));
		snprintf(into, room, "[%s]", text);
		*loopback = IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
		*any = IN6_IS_ADDR_UNSPECIFIED(&address->v6.sin6_addr);
		return;
	}
	inet_ntop(AF_INET, &address->v4.sin_addr, into, (socklen_t)room);
	*loopback = ntohl(address->v4.sin_addr.s_addr) >> 24 == 127;
	*any = address->v4.sin_addr.s_addr == htonl(INADDR_ANY);
}

/*
 * "localhost" is 127.0.0.1 and ::1, and browsers ask the one that answers: who listens on the port
 * of the other one is the same origin, and gets its cookies and storage.  So that port is held,
 * without listening; false: somebody else has it.  Without SO_REUSEADDR nobody can join us there.
 */
static bool hold_other(struct listener *listener, const union address *address)
{
	const struct sockaddr_in v4 = { .sin_family = AF_INET,
					.sin_port = address->v6.sin6_port,
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
					 .sin6_port = address->v4.sin_port,
					 .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	bool is_v4 = address->any.sa_family == AF_INET;

	listener->held = socket(is_v4 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener->held < 0)
		return errno == EAFNOSUPPORT;
	if (is_v4)
		return !bind(listener->held, (const struct sockaddr *)&v6, sizeof(v6)) ||
		       errno == EADDRNOTAVAIL;
	return !bind(listener->held, (const struct sockaddr *)&v4, sizeof(v4));
}

static void name_tcp(struct listener *listener, const union address *address,
		     const struct listener_options *options)
{
	char shown[80] = "", machine[256] = "localhost";
	unsigned port = ntohs(address->any.sa_family == AF_INET6 ? address->v6.sin6_port
								 : address->v4.sin_port);
	bool any = false;

	spell(address, shown, sizeof(shown), &listener->loopback, &any);
	gethostname(machine, sizeof(machine) - 1);
	listener->origin = mem_printf("%s://%s:%u", HTTP_NAME(options->tls), any ? machine : shown,
				      port);
	if (!any)
		add_host(listener, shown, port, options->tls);
	if (any) {
		add_host(listener, "127.0.0.1", port, options->tls);
		if (address->any.sa_family == AF_INET6)
			add_host(listener, "[::1]", port, options->tls);
	}
	/* what listens on all of IPv6 has IPv4, too */
	if ((any && address->any.sa_family == AF_INET6) ||
	    ((any || listener->loopback) && hold_other(listener, address)))
		add_host(listener, "localhost", port, options->tls);
	if (!listener->loopback)
		add_host(listener, machine, port, options->tls);
	for (size_t i = 0; options->names && i < options->names->len; i++)
		add_host(listener, options->names->data[i], port, options->tls);
}

static int find_names(struct listener *listener, const struct listener_options *options,
		      struct err *err)
{
	union address address = { 0 };
	socklen_t size = sizeof(address);

	if (getsockname(listener->fd, &address.any, &size))
		return err_set(err, errno, "the listening socket: %s", strerror(errno));
	if (address.any.sa_family == AF_UNIX) {
		listener->loopback = true;
		listener->origin = mem_printf("%s://localhost", HTTP_NAME(options->tls));
		strlist_add(&listener->hosts, "localhost");
	} else if (address.any.sa_family == AF_INET || address.any.sa_family == AF_INET6) {
		name_tcp(listener, &address, options);
	} else {
		return err_set(err, EINVAL, "the listening socket: neither TCP nor unix");
	}
	/* behind a proxy the port is the proxy's */
	for (size_t i = 0; options->names && i < options->names->len; i++)
		strlist_add(&listener->hosts, options->names->data[i]);
	return 0;
}

int listener_open(struct listener *listener, const struct listener_options *options,
		  struct err *err)
{
	int rc;

	*listener = (struct listener){ .fd = -1, .held = -1 };
	rc = take_activated(listener, err);
	if (rc == 0 && !options->address)
		rc = open_first_free(listener, err);
	else if (rc == 0 && !strncmp(options->address, "unix:", 5))
		rc = open_unix(listener, options->address + 5, err);
	else if (rc == 0)
		rc = open_given(listener, options->address, err);
	if (rc >= 0)
		rc = find_names(listener, options, err);
	if (rc < 0)
		listener_close(listener);
	return rc < 0 ? rc : 0;
}

void listener_close(struct listener *listener)
{
	if (listener->fd >= 0)
		close(listener->fd);
	if (listener->held >= 0)
		close(listener->held);
	if (listener->path)
		unlink(listener->path);
	free(listener->path);
	free(listener->origin);
	strlist_free(&listener->hosts);
	*listener = (struct listener){ .fd = -1, .held = -1 };
}
