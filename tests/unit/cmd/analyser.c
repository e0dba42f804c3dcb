// SPDX-License-Identifier: Apache-2.0
/* An analyser in a process of its own, fenced in as in the server, and the web side's end of it. */
#include "cmd/analyser.h"
#include "base/arena.h"
#include "ipc/channel.h"
#include "jobs/protocol.h"
#include "profile/index.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

static struct channel *web;
static struct arena arena;
static struct err err;
static pid_t analyser;
static int index_fd;

static int file_with(const void *bytes, size_t size)
{
	char path[] = "/tmp/perfolio-analyser-XXXXXX"; /* not every file system has O_TMPFILE */
	int fd = mkostemp(path, O_CLOEXEC);

	EXPECT(fd >= 0);
	unlink(path);
	EXPECT_INT(write(fd, bytes, size), size);
	return fd;
}

static void start(struct analyser_start how)
{
	int fds[2];

	err = (struct err){ 0 };
	EXPECT_INT(channel_pair(fds, &err), 0);
	analyser = fork();
	EXPECT(analyser >= 0);
	if (!analyser) {
		close(fds[0]);
		how.channel = fds[1];
		analyser_main(&how);
	}
	close(fds[1]);
	web = channel_new(fds[0], &analysis_protocol);
	index_fd = file_with("", 0);
}

static void give(const char *kind, int fd)
{
	struct msg_input input = { .kind = kind, .name = "a file", .run = 1, .fd = fd };

	EXPECT_INT(channel_send(web, &msg_input, &input, &err), 0);
	close(fd);
}

static void ask(enum analysis_kind kind)
{
	struct msg_job job = { .kind = kind, .out = index_fd };

	EXPECT_INT(channel_send(web, &msg_job, &job, &err), 0);
}

/* The next message; NULL when the analyser has gone. */
static void *hear(const struct ipc_type **type)
{
	void *message = NULL;
	int rc;

	while (!(rc = channel_receive(web, &arena, type, &message, &err))) {
		struct pollfd p = { .fd = channel_fd(web), .events = channel_wants(web) };

		EXPECT(poll(&p, 1, 300000) > 0); /* a busy machine gives little CPU time */
		channel_flush(web, &err);
	}
	return rc > 0 ? message : NULL;
}

static struct msg_finished *hear_end(void)
{
	const struct ipc_type *type;
	void *message;

	do {
		message = hear(&type);
	} while (message && type != &msg_finished);
	return message;
}

static int end(void)
{
	int status;

	EXPECT_INT(waitpid(analyser, &status, 0), analyser);
	channel_free(web);
	arena_free(&arena);
	close(index_fd);
	return status;
}

static struct profile *open_index(void)
{
	struct profile *profile = NULL;

	EXPECT_INT(profile_index_open_fd(&profile, index_fd, &err), 0);
	return profile;
}

TEST(analyser_makes_an_index_of_text)
{
	static const char folded[] = "prog;main;work 3\nprog;main;rest 1\n";
	struct msg_finished *finished;
	struct profile *profile;

	start((struct analyser_start){ .imported = true });
	give("import", file_with(folded, sizeof(folded) - 1));
	ask(ANALYSE_INDEX);
	finished = hear_end();
	EXPECT(finished);
	EXPECT_TEXT(finished->reason, "");
	EXPECT_BOOL(finished->failed, false);
	EXPECT_CONTAINS(finished->facts, "\"samples\":4");
	EXPECT_CONTAINS(finished->facts, "\"folded stacks\"");
	EXPECT_CONTAINS(finished->facts, "\"flame\"");
	EXPECT_CONTAINS(finished->quality, "\"query\":\"quality\"");
	profile = open_index();
	EXPECT_INT(profile->events.data[0].samples, 4);
	profile_free(profile);
	EXPECT_INT(end(), 0);
}

TEST(analyser_refuses_what_it_does_not_know)
{
	static const char *const texts[] = { "", "PERFILE2", "\x1f\x8b\x08garbage",
					     "\x28\xb5\x2f\xfdgarbage",
					     "no format has lines like\nthese two" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct msg_finished *finished;

		test_case("%zu", i);
		start((struct analyser_start){ .imported = true });
		give("import", file_with(texts[i], strlen(texts[i])));
		ask(ANALYSE_INDEX);
		finished = hear_end();
		EXPECT(finished);
		EXPECT_BOOL(finished->failed, true);
		EXPECT(*finished->reason);
		EXPECT_INT(end(), 0);
	}
}

TEST(analyser_job_without_its_file)
{
	struct msg_finished *finished;

	start((struct analyser_start){ .imported = true });
	ask(ANALYSE_INDEX);
	finished = hear_end();
	EXPECT(finished);
	EXPECT_CONTAINS(finished->reason, "without its file");
	EXPECT_INT(end(), 0);
}

/* A web side that goes takes its analysers along. */
TEST(analyser_ends_without_a_web_side)
{
	int status;

	start((struct analyser_start){ 0 });
	channel_free(web);
	EXPECT_INT(waitpid(analyser, &status, 0), analyser);
	test_case("without a job, status %#x", status);
	EXPECT_INT(status, 0);
	close(index_fd);

	start((struct analyser_start){ 0 });
	give("recording", file_with("", 0));
	ask(ANALYSE_FOLLOW);
	channel_free(web);
	EXPECT_INT(waitpid(analyser, &status, 0), analyser);
	test_case("with one, status %#x", status);
	EXPECT(WIFEXITED(status));
	close(index_fd);
}

/* Frames that never end: unique names, each a new stack. */
static int much_text(size_t lines)
{
	int fd = file_with("", 0);
	FILE *file = fdopen(dup(fd), "w");

	for (size_t i = 0; i < lines; i++)
		fprintf(file, "prog;f%zu;g%zu;h%zu 1\n", i, i * 7, i * 13);
	fclose(file);
	return fd;
}

static bool sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
	return true;
#endif
#endif
	return false;
}

TEST(analyser_out_of_memory)
{
	struct msg_finished *finished;

	if (sanitized()) /* their shadow takes terabytes of addresses */
		return;
	start((struct analyser_start){ .imported = true, .memory = (uint64_t)64 << 20 });
	give("import", much_text(400000));
	ask(ANALYSE_INDEX);
	finished = hear_end();
	EXPECT(finished);
	EXPECT_BOOL(finished->failed, true);
	EXPECT_CONTAINS(finished->reason, "more memory than an analyser may have (64 MiB)");
	EXPECT(WEXITSTATUS(end()));
}

/* A small file that unpacks to 16 gigabytes: one packed part, again and again. */
static int bomb(void)
{
	static const char line[] = "prog;main;work 1\n";
	size_t size = (size_t)32 << 20, packed_size;
	char *text = mem_alloc(size), *packed;
	z_stream z = { .next_in = (unsigned char *)text, .avail_in = (unsigned)size };
	int fd = file_with("", 0);

	for (size_t at = 0; at + sizeof(line) - 1 <= size; at += sizeof(line) - 1)
		memcpy(text + at, line, sizeof(line) - 1);
	deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	packed_size = deflateBound(&z, size);
	packed = mem_alloc(packed_size);
	z.next_out = (unsigned char *)packed;
	z.avail_out = (unsigned)packed_size;
	EXPECT_INT(deflate(&z, Z_FINISH), Z_STREAM_END);
	for (int i = 0; i < 500; i++)
		EXPECT_INT(write(fd, packed, z.total_out), z.total_out);
	deflateEnd(&z);
	free(packed);
	free(text);
	return fd;
}

TEST(analyser_out_of_time)
{
	struct msg_finished *finished;

	start((struct analyser_start){ .imported = true, .cpu_s = 1 });
	give("import", bomb());
	ask(ANALYSE_INDEX);
	finished = hear_end();
	EXPECT(finished);
	EXPECT_BOOL(finished->failed, true);
	EXPECT_CONTAINS(finished->reason, "more than 1 s of CPU time");
	EXPECT(WEXITSTATUS(end()));
}
