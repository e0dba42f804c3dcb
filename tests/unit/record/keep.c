// SPDX-License-Identifier: Apache-2.0
#include "record/keep.h"
#include "base/file.h"
#include "fake.h"
#include "perfdata/buildid.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that maps a copy of this program as code; it is there when this returns. */
static pid_t start_mapping(const char *path)
{
	struct build_id id;
	size_t size;
	char *program = file_read("/proc/self/exe", &size, NULL);
	int ready[2], fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0755);
	char byte = 0;
	pid_t pid = -1;

	EXPECT_INT(fd_write_all(fd, program, size), 0);
	if (!build_id_of_fd(&id, fd) && id.size && !geteuid() && !pipe(ready)) {
		pid = fork();
		if (!pid) {
			void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

			byte = code != MAP_FAILED;
			_exit(write(ready[1], &byte, 1) == 1 ? pause() : 1);
		}
		EXPECT_INT(read(ready[0], &byte, 1), 1);
		EXPECT_INT(byte, 1);
		close(ready[0]);
		close(ready[1]);
	}
	close(fd);
	free(program);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(keep_copies_what_is_deleted_and_nothing_else)
{
	struct keep_result result;
	char *path, *dir;
	struct keep *keep;
	pid_t pid;

	fake_machine();
	fake_file("/here", "");
	path = mem_strdup(fake_path("/prog"));
	dir = mem_strdup(fake_path("/kept"));
	pid = start_mapping(path);
	if (pid > 0) { /* else: no privilege to look, or linked without a build-id */
		keep = keep_start(dir);
		keep_look_at(keep, &pid, 1);
		keep_stop(keep, &result);
		EXPECT_INT(result.files, 0);
		EXPECT(!file_exists("%s", dir));

		unlink(path);
		keep = keep_start(dir);
		for (int i = 0; i < 1000; i++) /* once is enough */
			keep_look_at(keep, &pid, 1);
		keep_stop(keep, &result);
		EXPECT_INT(result.files, 1);
		EXPECT(file_exists("%s%s", dir, path));
		end(pid);

		/* Gone, and never there: nothing happens. */
		keep = keep_start(dir);
		keep_look_at(keep, (pid_t[]){ pid, 0, -1, 1 << 30 }, 4);
		keep_stop(keep, &result);
		EXPECT_INT(result.files, 0);
	}
	free(path);
	free(dir);
	fake_remove();
}
