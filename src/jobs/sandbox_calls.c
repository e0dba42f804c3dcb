// SPDX-License-Identifier: Apache-2.0
/*
 * Lists of what a role needs, not of what is known to be dangerous: the kernel grows.  What is not
 * listed fails with EPERM, and not by a signal: a library that tries something newer has a way
 * back.
 */
#include "base/err.h"
#include "jobs/sandbox_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/fs.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Memory, threads, time, and descriptors that are open already. */
static const char *const calls_of_all[] = {
	"access",
	"arch_prctl",
	"brk",

	"clock_getres",
	"clock_gettime",
	"clock_nanosleep",
	"close",
	"close_range",
	"dup",
	"dup2",
	"dup3",
	"epoll_create1",
	"epoll_ctl",
	"epoll_pwait",
	"epoll_pwait2",
	"epoll_wait",
	"eventfd2",
	"exit",
	"exit_group",
	"faccessat",
	"faccessat2",
	"fadvise64",
	"fallocate",
	"fcntl",
	"fdatasync",
	"flock",
	"fstat",
	"fstatfs",
	"fsync",
	"ftruncate",
	"futex",
	"futex_waitv",
	"get_robust_list",
	"getcpu",
	"getcwd",
	"getdents64",
	"getegid",
	"geteuid",
	"getgid",
	"getgroups",
	"getpid",
	"getppid",
	"getpriority",
	"getrandom",
	"getresgid",
	"getresuid",
	"getrlimit",
	"getrusage",
	"getsockopt",
	"gettid",
	"gettimeofday",
	"getuid",

	"landlock_add_rule",
	"landlock_create_ruleset",
	"landlock_restrict_self",
	"lseek",
	"lstat",
	"madvise",
	"membarrier",
	"memfd_create",
	"mincore",
	"mlock",
	"mmap",
	"mprotect",
	"mremap",
	"msync",
	"munlock",
	"munmap",
	"nanosleep",
	"newfstatat",
	"pipe",
	"pipe2",
	"poll",
	"ppoll",
	"prctl",
	"pread64",
	"preadv",
	"preadv2",

	"pselect6",
	"pwrite64",
	"pwritev",
	"pwritev2",
	"read",
	"readlink",
	"readlinkat",
	"readv",
	"recvfrom",
	"recvmmsg",
	"recvmsg",
	"restart_syscall",
	"rseq",
	"rt_sigaction",
	"rt_sigpending",
	"rt_sigprocmask",

	"rt_sigreturn",
	"rt_sigsuspend",
	"rt_sigtimedwait",
	"sched_getaffinity",
	"sched_getparam",
	"sched_getscheduler",
	"sched_yield",
	"seccomp",
	"select",
	"sendfile",
	"sendmmsg",
	"sendmsg",
	"sendto",
	"set_robust_list",
	"set_tid_address",
	"shutdown",
	"sigaltstack",
	"signalfd4",
	"splice",
	"stat",
	"statfs",
	"statx",
	"sync_file_range",
	"sysinfo",
	"time",
	"timerfd_create",
	"timerfd_gettime",
	"timerfd_settime",
	"umask",
	"unlink",
	"unlinkat",
	"uname",
	"write",
	"writev",
};

/* The data folder is the web side's own, and its database. */
static const char *const calls_of_web[] = {
	"accept",
	"accept4",
	"copy_file_range",
	"fchmod",
	"fchmodat",
	"fchown",
	"fchownat",
	"getpeername",
	"getsockname",
	"inotify_add_watch",
	"inotify_init1",
	"inotify_rm_watch",
	"link",
	"linkat",
	"mkdir",
	"mkdirat",
	"rename",
	"renameat",
	"renameat2",
	"rmdir",
	"setsockopt",
	"socketpair",

	"truncate",
	"utimensat",
};

/* Events and their rings, the end of what is measured, and turns of the CPU in time. */
static const char *const calls_of_measuring[] = {
	"name_to_handle_at", "perf_event_open",	   "pidfd_open",  "sched_setaffinity",
	"sched_setattr",     "sched_setscheduler", "setpriority",
};

static const char *const calls_of_opening[] = { "open", "openat" };

/* How a container's files are opened; its flags are where no filter sees them. */
static const char *const calls_of_opener[] = { "openat2" };

/* A program is looked for from the folder that it would be started in. */
static const char *const calls_of_looker[] = { "chdir" };

/* A name of a later kernel than the library's, or of another machine, has a pseudo number. */
static int decide(scmp_filter_ctx *filter, uint32_t action, const char *name, unsigned count,
		  const struct scmp_arg_cmp *arguments)
{
	int call = seccomp_syscall_resolve_name(name);

	return call < 0 ? 0 : seccomp_rule_add_array(filter, action, call, count, arguments);
}

static int add(scmp_filter_ctx *filter, const char *name, unsigned count,
	       const struct scmp_arg_cmp *arguments)
{
	return decide(filter, SCMP_ACT_ALLOW, name, count, arguments);
}

static int add_list(scmp_filter_ctx *filter, const char *const *names, size_t count)
{
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++)
		rc = add(filter, names[i], 0, NULL);
	return rc;
}
#define ADD_LIST(filter, list) add_list(filter, list, sizeof(list) / sizeof((list)[0]))

/*
 * Threads, not processes: clone3 hides its flags in memory, and glibc goes back to clone where it
 * is not there.  Signals and limits only for itself.
 */
static int add_limited(scmp_filter_ctx *filter)
{
	const scmp_datum_t flags = CLONE_THREAD | CLONE_VM;
	const struct scmp_arg_cmp thread = SCMP_A0(SCMP_CMP_MASKED_EQ, flags, flags);
	const struct scmp_arg_cmp itself = SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid());
	const struct scmp_arg_cmp caller = SCMP_A0(SCMP_CMP_EQ, 0);
	static const scmp_datum_t requests[] = { FIONREAD, FIONBIO, TCGETS, FS_IOC_GETVERSION };
	int rc = add(filter, "clone", 1, &thread);

	if (!rc)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	if (!rc)
		rc = add(filter, "kill", 1, &itself);
	if (!rc)
		rc = add(filter, "tgkill", 1, &itself);
	if (!rc)
		rc = add(filter, "prlimit64", 1, &caller);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]) && !rc; i++) {
		const struct scmp_arg_cmp request = SCMP_A1(SCMP_CMP_EQ, requests[i]);

		rc = add(filter, "ioctl", 1, &request);
	}
	return rc;
}

static int add_web(scmp_filter_ctx *filter, bool network)
{
	static const int families[] = { AF_INET, AF_INET6 };
	int rc = ADD_LIST(filter, calls_of_web);

	for (size_t i = 0; network && i < 2 && !rc; i++) {
		const struct scmp_arg_cmp family = SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)families[i]);

		rc = add(filter, "socket", 1, &family);
	}
	if (!rc && network)
		rc = add(filter, "connect", 0, NULL);
	return rc;
}

/* Requests of events, and of bpf() those that only tell what is there. */
static int add_measuring(scmp_filter_ctx *filter)
{
	static const scmp_datum_t commands[] = {
		BPF_PROG_GET_NEXT_ID, BPF_PROG_GET_FD_BY_ID, BPF_OBJ_GET_INFO_BY_FD,
		BPF_BTF_GET_FD_BY_ID, BPF_MAP_GET_FD_BY_ID,
	};
	const struct scmp_arg_cmp event = SCMP_A1(SCMP_CMP_MASKED_EQ, 0xff00, '$' << 8);
	int rc = ADD_LIST(filter, calls_of_measuring);

	if (!rc)
		rc = add(filter, "ioctl", 1, &event);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]) && !rc; i++) {
		const struct scmp_arg_cmp command = SCMP_A0(SCMP_CMP_EQ, commands[i]);

		rc = add(filter, "bpf", 1, &command);
	}
	return rc;
}

static int load(scmp_filter_ctx *filter, int rc, struct err *err)
{
	if (!rc)
		rc = seccomp_load(filter);
	seccomp_release(filter);
	if (rc == -EINVAL) /* also for a kernel without filters */
		rc = -ENOSYS;
	if (rc && rc != -ENOSYS)
		err_set(err, -rc, "sandbox: seccomp: %s", strerror(-rc));
	return rc;
}

static scmp_filter_ctx *begin(int *rc)
{
	scmp_filter_ctx *filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));

	*rc = filter ? 0 : -ENOMEM;
	if (!*rc)
		*rc = ADD_LIST(filter, calls_of_all);
	if (!*rc)
		*rc = ADD_LIST(filter, calls_of_opening);
	if (!*rc)
		*rc = add_limited(filter);
	return filter;
}

int seccomp_measuring(struct err *err)
{
	int rc;
	scmp_filter_ctx *filter = begin(&rc);

	return load(filter, rc ? rc : add_measuring(filter), err);
}

int seccomp_role(const struct sandbox *sandbox, struct err *err)
{
	int rc;
	scmp_filter_ctx *filter = begin(&rc);

	if (!rc && sandbox->profile == SANDBOX_WEB)
		rc = add_web(filter, sandbox->network);
	if (!rc && sandbox->profile == SANDBOX_OPENER)
		rc = ADD_LIST(filter, calls_of_opener);
	if (!rc && sandbox->profile == SANDBOX_LOOKER)
		rc = ADD_LIST(filter, calls_of_looker);
	return load(filter, rc, err);
}

static int forbid(scmp_filter_ctx *filter, const char *name, unsigned count,
		  const struct scmp_arg_cmp *arguments)
{
	return decide(filter, SCMP_ACT_ERRNO(EACCES), name, count, arguments);
}

/* What a name says of a file; fstat() is among these with an empty name. */
int seccomp_no_names(struct err *err)
{
	static const char *const names[] = { "access", "faccessat", "faccessat2", "getdents64",
					     "lstat",  "readlink",  "readlinkat", "stat",
					     "statfs", "unlink",    "unlinkat" };
	const struct scmp_arg_cmp named = SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, 0);
	const struct scmp_arg_cmp x_named = SCMP_A2(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, 0);
	scmp_filter_ctx *filter = seccomp_init(SCMP_ACT_ALLOW);
	int rc = filter ? 0 : -ENOMEM;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !rc; i++)
		rc = forbid(filter, names[i], 0, NULL);
	for (size_t i = 0; i < 2 && !rc; i++)
		rc = forbid(filter, calls_of_opening[i], 0, NULL);
	if (!rc)
		rc = forbid(filter, "newfstatat", 1, &named);
	if (!rc)
		rc = forbid(filter, "statx", 1, &x_named);
	return load(filter, rc, err);
}

int seccomp_reading(struct err *err)
{
	static const scmp_datum_t writing[][2] = {
		{ O_ACCMODE, O_WRONLY }, { O_ACCMODE, O_RDWR }, { O_ACCMODE, O_ACCMODE },
		{ O_TRUNC, O_TRUNC },	 { O_CREAT, O_CREAT },
	};
	scmp_filter_ctx *filter = seccomp_init(SCMP_ACT_ALLOW);
	int rc = filter ? 0 : -ENOMEM;

	for (size_t i = 0; i < sizeof(writing) / sizeof(writing[0]) && !rc; i++) {
		const struct scmp_arg_cmp open_flags = SCMP_A1(SCMP_CMP_MASKED_EQ, writing[i][0],
							       writing[i][1]);
		const struct scmp_arg_cmp openat_flags = SCMP_A2(SCMP_CMP_MASKED_EQ, writing[i][0],
								 writing[i][1]);

		rc = forbid(filter, "open", 1, &open_flags);
		if (!rc)
			rc = forbid(filter, "openat", 1, &openat_flags);
	}
	if (!rc)
		rc = forbid(filter, "unlink", 0, NULL);
	if (!rc)
		rc = forbid(filter, "unlinkat", 0, NULL);
	return load(filter, rc, err);
}
