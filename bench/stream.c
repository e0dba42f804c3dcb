// SPDX-License-Identifier: Apache-2.0
/*
 * The web side with many event streams: what it costs to tell all of them of a run.
 *
 *	stream [CLIENTS [SECONDS]]
 *
 * The server is this process: its HTTP, hub and live data, with a run whose counters (8, ten times
 * a second) and tree (2 KB of growth, ten times a second) come as they do in earnest, from a file
 * and from the analyser's messages.  The clients are a process of their own, which is not counted.
 * Prints one line of JSON.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "jobs/protocol.h"
#include "render/series.h"
#include "server/app.h"
#include "server/http.h"
#include "server/hub.h"
#include "server/live.h"
#include "server/mhd.h"
#include "server/signin.h"
#include "store/content.h"
#include "store/datadir.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOKEN	 "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
#define COUNTERS 8
#define UPDATES	 10 /* a second */
#define NODES	 24 /* new ones of an update, with CHANGED other counts about 2 KB */
#define CHANGED	 40

static struct app app;
static struct err err;
static char host[32];
static int64_t run;

static void need(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "stream: %s: %s %s\n", what, err.text, strerror(errno));
	exit(EXIT_FAILURE);
}

/* The clients */

static int connect_one(const struct sockaddr_in *address)
{
	struct buf text = { 0 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	need(!connect(fd, (const struct sockaddr *)address, sizeof(*address)), "connect");
	buf_printf(&text,
		   "GET /api/v1/stream?topics=run:%" PRId64 ":counters,run:%" PRId64 ":tree "
		   "HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer " TOKEN "\r\n\r\n",
		   run, run, host);
	need(write(fd, text.data, text.len) == (ssize_t)text.len, "write");
	buf_free(&text);
	return fd;
}

struct told {
	uint64_t events, bytes;
	size_t matched; /* of the mark, when a read ended in it */
};

/* Events by the lines of their names. */
static void count(struct told *told, const char *bytes, size_t size)
{
	static const char mark[] = "\nevent: ";

	told->bytes += size;
	for (size_t i = 0; i < size; i++) {
		if (!mark[told->matched] || bytes[i] != mark[told->matched])
			told->matched = bytes[i] == mark[0];
		else if (!mark[++told->matched])
			told->events++;
	}
}

/* Reads all of them until the server ends; what each got goes to the pipe. */
static void be_clients(const struct sockaddr_in *address, size_t clients, int out)
{
	struct told *told = mem_alloc(clients * sizeof(*told));
	int *fds = mem_alloc(clients * sizeof(*fds)), queue = epoll_create1(0);
	static char bytes[256 << 10];
	struct epoll_event ready[64];
	size_t left = clients;

	for (size_t i = 0; i < clients; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u64 = i };

		fds[i] = connect_one(address);
		epoll_ctl(queue, EPOLL_CTL_ADD, fds[i], &event);
	}
	while (left) {
		int found = epoll_wait(queue, ready, 64, -1);

		for (int i = 0; i < found; i++) {
			size_t client = ready[i].data.u64;
			ssize_t got = read(fds[client], bytes, sizeof(bytes));

			if (got > 0) {
				count(&told[client], bytes, (size_t)got);
				continue;
			}
			close(fds[client]);
			left--;
		}
	}
	need(write(out, told, clients * sizeof(*told)) > 0, "write");
	_exit(0);
}

/* The run */

static void write_run(struct json *json, const struct run *of)
{
	json_open(json, NULL, '{');
	json_int(json, "id", of->id);
	json_close(json);
}

static void make_run(void)
{
	struct session_patch session = { .title = "bench" };
	struct run first = { .state = RUN_QUEUED, .host = "here", .form = "{}" };

	need(!store_session_add(app.store, &session, &first.session, &err), "session");
	need(!store_run_add(app.store, &first, &run, &err), "run");
	need(!store_run_step(app.store, run, RUN_QUEUED, RUN_STARTING, NULL, &err), "step");
	need(!store_run_step(app.store, run, RUN_STARTING, RUN_RUNNING, NULL, &err), "step");
}

static int begin_series(struct content *series)
{
	struct buf names = { 0 };
	struct series_head head = { .magic = SERIES_MAGIC,
				    .version = SERIES_PLAIN,
				    .events = COUNTERS,
				    .start_ns = (uint64_t)clock_now_ns(),
				    .interval_ns = NS_PER_SEC / UPDATES };

	for (int i = 0; i < COUNTERS; i++) {
		buf_printf(&names, "some-event-%d", i);
		buf_putc(&names, '\0');
	}
	while (names.len % 8)
		buf_putc(&names, '\0');
	head.rows_at = sizeof(head) + names.len;
	need(write(content_fd(series), &head, sizeof(head)) == sizeof(head), "series");
	need(write(content_fd(series), names.data, names.len) == (ssize_t)names.len, "series");
	buf_free(&names);
	return content_fd(series);
}

static void add_points(int fd, uint64_t number)
{
	struct series_row rows[COUNTERS];

	for (uint32_t i = 0; i < COUNTERS; i++)
		rows[i] = (struct series_row){ (uint64_t)clock_now_ns(), i,	    -1,
					       299120441 + number * i,	 100000000, 100000000 };
	need(write(fd, rows, sizeof(rows)) == sizeof(rows), "series");
}

/* A growth as an analyser sends it; the first is the root. */
static void grow_tree(uint64_t number)
{
	uint32_t parents[NODES], name_ids[NODES], changed[CHANGED];
	uint64_t self[CHANGED], counts[CHANGED], first = number ? 1 + (number - 1) * NODES : 0;
	size_t nodes = number ? NODES : 1, changes = number ? CHANGED : 1;
	uint8_t kinds[NODES] = { 0 };
	const char *names[NODES];
	struct arena arena = { 0 };

	for (uint32_t i = 0; i < nodes; i++) {
		names[i] = arena_printf(&arena, "function_%" PRIu64 "(int, char const*)",
					first + i);
		parents[i] = (uint32_t)(first + i) / 2;
		name_ids[i] = (uint32_t)(first + i);
	}
	for (uint32_t i = 0; i < changes; i++) {
		changed[i] = (uint32_t)((first + nodes - 1) * i / CHANGED);
		self[i] = number + i;
		counts[i] = (number + i) * 101010101;
	}
	need(!live_tree_feed(
		     app.live, run,
		     &(struct msg_live_tree){ .event_name = "cycles",
					      .first_node = first,
					      .names = { names, nodes, nodes },
					      .parents = { parents, nodes * sizeof(*parents) },
					      .name_ids = { name_ids, nodes * sizeof(*name_ids) },
					      .kinds = { kinds, nodes },
					      .changed = { changed, changes * sizeof(*changed) },
					      .self_samples = { self, changes * sizeof(*self) },
					      .self_counts = { counts, changes * sizeof(*counts) },
					      .samples = number },
		     &err),
	     "tree");
	arena_free(&arena);
}

/* The server */

static int listen_anywhere(struct sockaddr_in *address)
{
	socklen_t length = sizeof(*address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*address = (struct sockaddr_in){ .sin_family = AF_INET,
					 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	need(!bind(fd, (struct sockaddr *)address, length) && !listen(fd, 512), "listen");
	need(!getsockname(fd, (struct sockaddr *)address, &length), "listen");
	snprintf(host, sizeof(host), "127.0.0.1:%u", ntohs(address->sin_port));
	return fd;
}

static void serve(const char *folder, int listener)
{
	static const char *hosts[] = { host };
	struct http_options options = { .listen = listener, .per_second = 100000 };
	static char hash[TOKEN_HASH];

	app.dir = datadir_open(folder, DATADIR_SERVE, &err);
	need(app.dir, folder);
	app.store = datadir_store(app.dir);
	make_run();
	token_hash(TOKEN, hash);
	app.policy = (struct msg_policy){ .host = "here",
					  .kernel = "",
					  .cpu_model = "",
					  .perfolio = "",
					  .workload_user = "",
					  .token_hash = hash,
					  .origin = "",
					  .hosts = { hosts, 1, 1 } };
	app.hub = hub_new(1, NULL);
	app.live = live_new(app.dir, app.hub, write_run);
	need(!live_start(app.live, &err), "live");
	app.signins = signins_new(&app, &err);
	need(mhd_load(&err), "libmicrohttpd");
	app.http = http_start(&app, &options, &err);
	need(app.http, "http");
}

static double cpu_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double memory_mb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

struct cost {
	double cpu_s, elapsed_s;
};

static struct cost tell(int series, size_t seconds)
{
	int64_t began_ns = clock_now_ns();
	double before_s = cpu_s();

	for (uint64_t i = 1; i <= seconds * UPDATES; i++) {
		int64_t due_ns = began_ns + (int64_t)i * NS_PER_SEC / UPDATES;
		struct timespec due = { due_ns / NS_PER_SEC, due_ns % NS_PER_SEC };

		add_points(series, i);
		grow_tree(i);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
	}
	return (struct cost){ cpu_s() - before_s, (double)(clock_now_ns() - began_ns) / 1e9 };
}

static void print(const struct cost *cost, const struct told *told, size_t clients)
{
	uint64_t least = UINT64_MAX, bytes = 0;

	for (size_t i = 0; i < clients; i++) {
		least = told[i].events < least ? told[i].events : least;
		bytes += told[i].bytes;
	}
	printf("{\"clients\":%zu,\"cores\":%.4f,\"memory_mb\":%.1f,\"seconds\":%.2f,"
	       "\"events_least\":%" PRIu64 ",\"mb_sent\":%.1f,\"dropped\":%" PRIu64 "}\n",
	       clients, cost->cpu_s / cost->elapsed_s, memory_mb(), cost->elapsed_s, least,
	       (double)bytes / 1e6, hub_stats(app.hub).dropped);
}

/* All is read into memory at once: a pipe may not hold it. */
static void read_all(int fd, void *into, size_t size)
{
	for (ssize_t got; size && (got = read(fd, into, size)) > 0;
	     into = (char *)into + got, size -= (size_t)got)
		;
}

int main(int argc, char **argv)
{
	size_t clients = argc > 1 ? strtoul(argv[1], NULL, 10) : 500;
	size_t seconds = argc > 2 ? strtoul(argv[2], NULL, 10) : 10;
	char folder[] = "/tmp/perfolio-stream-XXXXXX", data[sizeof(folder) + 8], *clean;
	struct told *told = mem_alloc(clients * sizeof(*told));
	struct sockaddr_in address;
	struct content *series;
	struct cost cost;
	int results[2], listener;
	pid_t child;

	need(mkdtemp(folder) && !pipe(results), "set-up");
	snprintf(data, sizeof(data), "%s/data", folder);
	run = 1; /* the first of a new store */
	listener = listen_anywhere(&address);
	child = fork();
	if (!child)
		be_clients(&address, clients, results[1]);
	serve(data, listener);
	series = content_begin(app.dir, run, "series", &err);
	need(series, "series");
	begin_series(series);
	grow_tree(0);
	while (hub_stats(app.hub).clients < clients)
		usleep(10000);
	usleep(500000);
	cost = tell(content_fd(series), seconds);
	usleep(500000);

	hub_stop(app.hub);
	http_stop(app.http);
	read_all(results[0], told, clients * sizeof(*told));
	waitpid(child, NULL, 0);
	print(&cost, told, clients);

	content_abandon(series, &err);
	live_free(app.live);
	hub_free(app.hub);
	signins_free(app.signins);
	datadir_close(app.dir);
	free(told);
	clean = mem_printf("rm -rf %s", folder);
	return system(clean) ? EXIT_FAILURE : EXIT_SUCCESS;
}
