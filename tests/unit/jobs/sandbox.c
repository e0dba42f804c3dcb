// SPDX-License-Identifier: Apache-2.0
/* Each test lets a process of its own in and looks at what it still can do. */
#include "jobs/sandbox.h"
#include "base/buf.h"
#include "symbol/folder.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static const char *top;
static char data[300], inside[330], outside[300];
static struct sandbox_files files;
static int answers[2];

/* One line for the test: what failed that should work, or worked that should fail. */
static void wrong(const char *what)
{
	dprintf(answers[1], "%s: %s\n", what, strerror(errno));
}

#define REFUSED(call)                 \
	do {                          \
		errno = 0;            \
		if ((call) != -1)     \
			wrong(#call); \
	} while (0)
#define WORKS(call)                   \
	do {                          \
		if ((call) == -1)     \
			wrong(#call); \
	} while (0)

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	EXPECT(file);
	fputs(text, file);
	fclose(file);
}

static void prepare(void)
{
	top = folder_new();
	EXPECT_INT(chmod(top, 0777), 0);
	snprintf(data, sizeof(data), "%s/data", top);
	EXPECT_INT(mkdir(data, 0777), 0);
	EXPECT_INT(chmod(data, 0777), 0);
	snprintf(inside, sizeof(inside), "%s/inside", data);
	snprintf(outside, sizeof(outside), "%s/outside", top);
	write_file(inside, "inside");
	write_file(outside, "outside");
	EXPECT_INT(chmod(inside, 0666), 0);
	EXPECT_INT(chmod(outside, 0666), 0);
}

static bool have_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1u) >= 0;
}

static int enter(const struct sandbox *sandbox, struct err *err)
{
	int rc = sandbox_enter(sandbox, NULL, err);

	if (!rc && sandbox->profile == SANDBOX_ANALYSER)
		rc = sandbox_files(&files, NULL, err);
	return rc;
}

/* Runs `then` in there, in that of what measures for NULL; what went wrong comes out as text. */
static void look_inside(const struct sandbox *sandbox, void (*then)(void))
{
	char said[4000];
	ssize_t size;
	pid_t child;
	int status;

	EXPECT_INT(pipe(answers), 0);
	child = fork();
	EXPECT(child >= 0);
	if (!child) {
		struct err err = { 0 };

		if (sandbox ? enter(sandbox, &err) : sandbox_measuring(&err))
			dprintf(answers[1], "%s\n", err.text);
		else
			then();
		_exit(0);
	}
	close(answers[1]);
	size = read(answers[0], said, sizeof(said) - 1);
	said[size < 0 ? 0 : size] = '\0';
	close(answers[0]);
	EXPECT_INT(waitpid(child, &status, 0), child);
	EXPECT_TEXT(said, "");
	EXPECT_INT(status, 0);
}

static void look_into(struct sandbox sandbox, void (*then)(void))
{
	if (geteuid()) {
		sandbox.uid = SANDBOX_STAY;
	} else {
		sandbox.uid = NOBODY;
		sandbox.gid = NOBODY;
	}
	look_inside(&sandbox, then);
}

static void *in_thread(void *argument)
{
	return argument;
}

static void try_what_nobody_may(void)
{
	char *const words[] = { (char *)"true", NULL };
	pthread_t thread;

	REFUSED(execve("/bin/true", words, NULL));
	REFUSED(fork());
	REFUSED(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
	REFUSED(mount("none", "/mnt", "tmpfs", 0, NULL));
	REFUSED(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
	REFUSED(syscall(SYS_bpf, 0, NULL, 0));
	REFUSED(syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0));
	REFUSED(syscall(SYS_unshare, CLONE_NEWUSER));
	REFUSED(syscall(SYS_pidfd_open, getppid(), 0));
	REFUSED(syscall(SYS_io_uring_setup, 1, NULL));
	REFUSED(kill(getppid(), 0));
	REFUSED(setuid(0));
	REFUSED(chroot("/"));
	REFUSED(socket(AF_UNIX, SOCK_STREAM, 0));
	REFUSED(socket(AF_NETLINK, SOCK_RAW, 0));
	if (pthread_create(&thread, NULL, in_thread, NULL))
		wrong("pthread_create");
	else
		pthread_join(thread, NULL);
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		wrong("no_new_privs");
}

static void try_as_web(void)
{
	char made[340], named[340];
	int pair[2];

	try_what_nobody_may();
	snprintf(made, sizeof(made), "%s/made", data);
	snprintf(named, sizeof(named), "%s/named", data);
	WORKS(open(inside, O_RDWR));
	WORKS(open(made, O_CREAT | O_WRONLY, 0600));
	WORKS(rename(made, named));
	WORKS(truncate(named, 0));
	WORKS(unlink(named));
	WORKS(mkdir(made, 0700));
	WORKS(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	REFUSED(socket(AF_INET, SOCK_STREAM, 0));
	if (!have_landlock())
		return;
	REFUSED(open(outside, O_RDONLY));
	REFUSED(open(outside, O_WRONLY));
	REFUSED(truncate(outside, 0));
	REFUSED(unlink(outside));
	REFUSED(open("/etc/passwd", O_RDONLY));
	REFUSED(open("/proc/self/environ", O_RDONLY));
	REFUSED(rename(inside, outside));
}

TEST(sandbox_web)
{
	prepare();
	look_into((struct sandbox){ .profile = SANDBOX_WEB, .writable = data }, try_as_web);
	folder_remove();
}

static void try_the_network(void)
{
	WORKS(socket(AF_INET, SOCK_STREAM, 0));
	WORKS(socket(AF_INET6, SOCK_STREAM, 0));
	REFUSED(socket(AF_UNIX, SOCK_STREAM, 0));
	REFUSED(socket(AF_PACKET, SOCK_RAW, 0));
}

TEST(sandbox_web_with_network)
{
	prepare();
	look_into((struct sandbox){ .profile = SANDBOX_WEB, .writable = data, .network = true },
		  try_the_network);
	folder_remove();
}

static void try_as_measuring(void)
{
	char *const words[] = { (char *)"true", NULL };
	char made[330];

	snprintf(made, sizeof(made), "%s/made", top);
	WORKS(open(outside, O_RDONLY));
	WORKS(getpriority(PRIO_PROCESS, 0));
	REFUSED(open(outside, O_WRONLY));
	REFUSED(open(outside, O_RDWR));
	REFUSED(open(made, O_CREAT | O_RDONLY, 0600));
	REFUSED(truncate(outside, 0));
	REFUSED(unlink(outside));
	REFUSED(chmod(outside, 0777));
	REFUSED(execve("/bin/true", words, NULL));
	REFUSED(fork());
	REFUSED(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
	REFUSED(kill(getppid(), 0));
	REFUSED(mount("none", "/mnt", "tmpfs", 0, NULL));
	REFUSED(syscall(SYS_bpf, 5 /* BPF_PROG_LOAD */, NULL, 0));
	REFUSED(syscall(SYS_process_vm_writev, getppid(), NULL, 0, NULL, 0, 0));
	REFUSED(syscall(SYS_setuid, 0)); /* setuid() would ask all threads, also a checker's */
	REFUSED(socket(AF_INET, SOCK_STREAM, 0));
	/* the kernel's own word, not the filter's */
	errno = 0;
	if (syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) != -1 || errno == EPERM)
		wrong("perf_event_open");
}

TEST(sandbox_measuring)
{
	prepare();
	look_inside(NULL, try_as_measuring);
	folder_remove();
}

static void try_as_analyser(void)
{
	int pair[2];

	try_what_nobody_may();
	WORKS(open(outside, O_RDONLY));
	WORKS(open("/etc/passwd", O_RDONLY));
	REFUSED(open(outside, O_WRONLY));
	REFUSED(open(outside, O_RDONLY | O_TRUNC));
	REFUSED(unlink(outside));
	REFUSED(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	REFUSED(socket(AF_INET, SOCK_STREAM, 0));
	if (!have_landlock())
		return;
	REFUSED(open(inside, O_RDONLY));
	REFUSED(open(data, O_RDONLY | O_DIRECTORY));
}

TEST(sandbox_analyser)
{
	prepare();
	files = (struct sandbox_files){ .readable = true, .forbidden = data };
	look_into((struct sandbox){ .profile = SANDBOX_ANALYSER }, try_as_analyser);
	folder_remove();
}

/* A link that leads there does not help, nor does the way around by "..". */
static void try_ways_around(void)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/link", top);
	REFUSED(open(path, O_RDONLY));
	snprintf(path, sizeof(path), "%s/link/inside", top);
	REFUSED(open(path, O_RDONLY));
	snprintf(path, sizeof(path), "/proc/self/root%s", inside);
	REFUSED(open(path, O_RDONLY));
	snprintf(path, sizeof(path), "/usr/..%s", inside);
	REFUSED(open(path, O_RDONLY));
}

TEST(sandbox_ways_around)
{
	char link[400];

	if (!have_landlock())
		return;
	prepare();
	snprintf(link, sizeof(link), "%s/link", top);
	EXPECT_INT(symlink(data, link), 0);
	files = (struct sandbox_files){ .readable = true, .forbidden = link };
	look_into((struct sandbox){ .profile = SANDBOX_ANALYSER }, try_ways_around);
	folder_remove();
}

static int kept;

static void try_without_names(void)
{
	struct stat st;
	char text[20];

	try_what_nobody_may();
	REFUSED(open(outside, O_RDONLY));
	REFUSED(open("/", O_RDONLY | O_DIRECTORY));
	REFUSED(stat(outside, &st));
	REFUSED(unlink(outside));
	REFUSED(access(outside, F_OK));
	REFUSED(readlink("/proc/self/exe", text, sizeof(text)));
	snprintf(text, sizeof(text), "/proc/self/fd/%d", kept);
	REFUSED(open(text, O_RDONLY));
	WORKS(fstat(kept, &st));
	if (pread(kept, text, sizeof(text), 0) != 7)
		wrong("reading what is open");
}

TEST(sandbox_no_files_at_all)
{
	prepare();
	kept = open(outside, O_RDONLY);
	files = (struct sandbox_files){ 0 };
	look_into((struct sandbox){ .profile = SANDBOX_ANALYSER }, try_without_names);
	close(kept);
	folder_remove();
}

TEST(sandbox_limits)
{
	struct sandbox sandbox = { .profile = SANDBOX_ANALYSER,
				   .uid = SANDBOX_STAY,
				   .memory = (uint64_t)1 << 30,
				   .cpu_s = 1 };
	pid_t child = fork();
	int status;

	if (!child) {
		struct err err = { 0 };
		volatile unsigned spin = 0;

		if (sandbox_enter(&sandbox, NULL, &err))
			_exit(1);
		for (;;)
			spin++;
	}
	EXPECT_INT(waitpid(child, &status, 0), child);
	EXPECT_INT(WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGXCPU);
}

static void try_memory(void)
{
	void *much = mmap(NULL, (size_t)2 << 30, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct rlimit core;

	if (much != MAP_FAILED)
		wrong("2 GiB of a limit of 1");
	if (getrlimit(RLIMIT_CORE, &core) || core.rlim_max)
		wrong("core files");
}

TEST(sandbox_memory)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
	return;
#endif
#endif
	files = (struct sandbox_files){ 0 };
	look_into((struct sandbox){ .profile = SANDBOX_ANALYSER, .memory = (uint64_t)1 << 30 },
		  try_memory);
}
