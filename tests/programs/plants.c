// SPDX-License-Identifier: Apache-2.0
/*
 * Programs that know where their own time goes, for about so many milliseconds (800):
 *
 *	plants WHAT [MILLISECONDS [FILE]]
 *
 * At its end each prints what the kernel has counted for its own threads: "truth WALL RAN QUEUED"
 *in nanoseconds, summed over those that still live.  tests/live/plants.py says what each is.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 4096

static int64_t started_ns, end_ns;
static const char *file_path;
static volatile uint64_t sink;

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool goes_on(void)
{
	return now_ns() < end_ns;
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

/* About 20 us. */
__attribute__((noinline)) static void spin(void)
{
	uint64_t x = sink | 1;

	for (int i = 0; i < 20000; i++)
		x = (x ^ x << 13) * 3;
	sink = x;
}

__attribute__((noinline)) static void critical(void)
{
	for (int i = 0; i < 10; i++)
		spin();
}

/* ---- running ---- */

static void run_spin(void)
{
	while (goes_on())
		spin();
}

#define FLAT(n)                                                \
	__attribute__((noinline)) static void spread_##n(void) \
	{                                                      \
		uint64_t x = sink | n;                         \
		for (int i = 0; i < 20000; i++)                \
			x = (x ^ x << 13) * (3 + 2 * n);       \
		sink = x;                                      \
	}
#define FLAT_10(n) \
	FLAT(n##0) \
	FLAT(n##1) \
	FLAT(n##2) FLAT(n##3) FLAT(n##4) FLAT(n##5) FLAT(n##6) FLAT(n##7) FLAT(n##8) FLAT(n##9)
FLAT_10(1)
FLAT_10(2)
FLAT_10(3)
FLAT_10(4)
#define NAMES_10(n)                                                                               \
	spread_##n##0, spread_##n##1, spread_##n##2, spread_##n##3, spread_##n##4, spread_##n##5, \
		spread_##n##6, spread_##n##7, spread_##n##8, spread_##n##9

static void run_flat(void)
{
	static void (*const all[])(void) = { NAMES_10(1), NAMES_10(2), NAMES_10(3), NAMES_10(4) };
	uint32_t at = 1;

	while (goes_on()) {
		at = at * 1664525 + 1013904223; /* in no order that could go along with a clock */
		all[(at >> 16) % 40]();
	}
}

static void run_calls(void)
{
	while (goes_on())
		for (int i = 0; i < 1000; i++)
			syscall(SYS_getppid);
}

static void run_faults(void)
{
	size_t size = (size_t)8 << 20;

	while (goes_on()) {
		char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1, 0);

		if (memory == MAP_FAILED)
			exit(1);
		madvise(memory, size, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < size; i += BLOCK)
			memory[i] = 1;
		munmap(memory, size);
	}
}

static void run_bandwidth(void)
{
	size_t size = (size_t)64 << 20;
	char *memory = malloc(size);

	memset(memory, 1, size);
	while (goes_on())
		for (size_t i = 0; i < size; i += (size_t)1 << 20)
			memmove(memory + i, memory + (size - i - ((size_t)1 << 20)),
				(size_t)1 << 20);
	sink = (uint64_t)memory[7];
	free(memory);
}

static void run_nice(void)
{
	if (nice(5) == -1)
		exit(1);
	run_spin();
}

static void run_segfault(void)
{
	run_spin();
	raise(SIGSEGV);
}

static void run_abort(void)
{
	run_spin();
	abort();
}

static void run_status(void)
{
	run_spin();
	exit(3);
}

static void run_forever(void)
{
	for (;;)
		spin();
}

/* ---- threads ---- */

static void *spinning_thread(void *unused)
{
	run_spin();
	return unused;
}

static void start_threads(int count, void *(*body)(void *), bool join)
{
	pthread_t threads[16];

	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, body, NULL);
	for (int i = 0; i < count && join; i++)
		pthread_join(threads[i], NULL);
}

static void run_threads(void)
{
	start_threads(4, spinning_thread, true);
}

/* It lets others go first. */
static void *nice_thread(void *unused)
{
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 5);
	run_spin();
	return unused;
}

static void run_nice_thread(void)
{
	start_threads(1, nice_thread, true);
}

static void *idle_thread(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void run_pool(void)
{
	start_threads(8, idle_thread, false);
	run_spin();
}

/* One of eight is busy; the others have something to do now and then. */
static void *lazy_thread(void *unused)
{
	while (goes_on()) {
		sleep_ms(20);
		spin();
	}
	return unused;
}

static void run_one_of_eight(void)
{
	start_threads(7, lazy_thread, false);
	run_spin();
}

static void run_idle_pool(void)
{
	start_threads(8, idle_thread, false);
	sleep_ms((end_ns - now_ns()) / 1000000);
}

/* A futex without any spinning: who does not get it sleeps. */
static atomic_int futex_word;

static void futex_lock(void)
{
	int free_word = 0;

	if (atomic_compare_exchange_strong(&futex_word, &free_word, 1))
		return;
	while (atomic_exchange(&futex_word, 2))
		syscall(SYS_futex, &futex_word, 0 /* FUTEX_WAIT */, 2, NULL, NULL, 0);
}

static void futex_unlock(void)
{
	if (atomic_exchange(&futex_word, 0) == 2)
		syscall(SYS_futex, &futex_word, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
}

static void *lock_thread(void *unused)
{
	while (goes_on()) {
		futex_lock();
		critical();
		futex_unlock();
		spin();
	}
	return unused;
}

static void run_locks(void)
{
	start_threads(4, lock_thread, true);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void take_turns(int mine)
{
	while (goes_on()) {
		pthread_mutex_lock(&lock);
		while (turn != mine && goes_on())
			pthread_cond_wait(&changed, &lock);
		turn = !mine;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	pthread_cond_broadcast(&changed);
}

static void *other_player(void *unused)
{
	take_turns(1);
	return unused;
}

static void run_turns(void)
{
	start_threads(1, other_player, false);
	take_turns(0);
}

/* One short thread at a time: the work is theirs. */
static void *short_thread(void *unused)
{
	for (int i = 0; i < 5; i++)
		critical();
	return unused;
}

static void run_short_threads(void)
{
	while (goes_on())
		start_threads(1, short_thread, true);
}

/* More than have a row each in the kernel's count, and their sleeping parent outlives them. */
static void *empty_thread(void *unused)
{
	return unused;
}

static void run_many_threads(void)
{
	for (int i = 0; i < 2500; i++)
		start_threads(1, empty_thread, true);
	sleep_ms((end_ns - started_ns) / 1000000);
}

/* Two threads on two CPUs, of which one works at a time, for some milliseconds each. */
static sem_t hand[2];

static void hand_over(int mine)
{
	int cpu = mine % (int)sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	while (goes_on()) {
		sem_wait(&hand[mine]);
		for (int i = 0; i < 15; i++)
			critical();
		sem_post(&hand[!mine]);
	}
	sem_post(&hand[!mine]);
}

static void *second_hand(void *unused)
{
	hand_over(1);
	return unused;
}

static void run_hands(void)
{
	pthread_t second;

	sem_init(&hand[0], 0, 1);
	sem_init(&hand[1], 0, 0);
	pthread_create(&second, NULL, second_hand, NULL);
	hand_over(0);
	pthread_join(second, NULL);
}

/* ---- waiting ---- */

static void run_sleeps(void)
{
	while (goes_on())
		sleep_ms(10);
}

static void run_sleep_work_sleep(void)
{
	int64_t whole = end_ns - now_ns(), end = end_ns;

	sleep_ms(whole * 45 / 100 / 1000000);
	end_ns = now_ns() + whole / 10;
	run_spin();
	end_ns = end;
	sleep_ms((end_ns - now_ns()) / 1000000);
}

/* By CPU time, so that a machine with other things to do makes it longer, not another thing. */
static void work_for_ms(int64_t ms)
{
	struct timespec cpu;
	int64_t end = 0, now;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
		now = cpu.tv_sec * 1000000000 + cpu.tv_nsec;
		end = end ? end : now + ms * 1000000;
		spin();
	} while (now < end);
}

/* A half of each. */
static void run_tie(void)
{
	while (goes_on()) {
		work_for_ms(20);
		sleep_ms(20);
	}
}

static void run_sleep_mix(void)
{
	for (int i = 0; goes_on(); i++) {
		work_for_ms(3);
		sleep_ms(i % 3 ? 4 : 25);
	}
}

/* Somebody stops it for half of the time. */
static void run_stops(void)
{
	pid_t self = getpid(), helper = fork();

	if (!helper) {
		while (goes_on()) {
			sleep_ms(50);
			kill(self, SIGSTOP);
			sleep_ms(50);
			kill(self, SIGCONT);
		}
		_exit(0);
	}
	run_spin();
	wait(NULL);
}

/* Nobody calls. */
static void run_epoll(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct epoll_event event = { .events = EPOLLIN };
	int server = socket(AF_INET, SOCK_STREAM, 0), epoll = epoll_create1(0);

	if (bind(server, (struct sockaddr *)&address, sizeof(address)) || listen(server, 8) ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, server, &event))
		exit(1);
	while (goes_on())
		epoll_wait(epoll, &event, 1, 100);
}

static void run_timers(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec every = { { 0, 2000000 }, { 0, 2000000 } };
	uint64_t times;

	timerfd_settime(fd, 0, &every, NULL);
	while (goes_on() && read(fd, &times, sizeof(times)) > 0)
		;
}

static void run_poll(void)
{
	int fds[2];

	if (pipe(fds))
		exit(1);
	while (goes_on())
		poll(&(struct pollfd){ .fd = fds[0], .events = POLLIN }, 1, 50);
}

/* Bytes to and fro between two processes. */
static void play(int in, int out, bool first)
{
	char byte = 1;

	if (first && write(out, &byte, 1) != 1)
		return;
	while (goes_on() && read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1)
		;
	close(out);
}

static void run_pipes(void)
{
	int to[2], back[2];

	signal(SIGPIPE, SIG_IGN);
	if (pipe(to) || pipe(back))
		exit(1);
	if (!fork()) {
		close(to[1]), close(back[0]);
		play(to[0], back[1], false);
		_exit(0);
	}
	close(to[0]), close(back[1]);
	play(back[0], to[1], true);
	wait(NULL);
}

/* What comes through a pipe comes slowly. */
static void run_slow_pipe(void)
{
	int fds[2];
	char byte = 1;

	if (pipe(fds))
		exit(1);
	if (!fork()) {
		close(fds[0]);
		while (goes_on() && write(fds[1], &byte, 1) == 1)
			sleep_ms(20);
		_exit(0);
	}
	close(fds[1]);
	while (read(fds[0], &byte, 1) == 1)
		;
	wait(NULL);
}

static void run_sockets(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int server = socket(AF_INET, SOCK_STREAM, 0), one = 1, fd;

	signal(SIGPIPE, SIG_IGN);
	if (bind(server, (struct sockaddr *)&address, size) || listen(server, 1) ||
	    getsockname(server, (struct sockaddr *)&address, &size))
		exit(1);
	if (!fork()) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd, (struct sockaddr *)&address, size))
			_exit(1);
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		play(fd, fd, false);
		_exit(0);
	}
	fd = accept(server, NULL, NULL);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	play(fd, fd, true);
	wait(NULL);
}

/* A socket that nothing comes in from. */
static void run_socket_idle(void)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		exit(1);
	while (goes_on())
		poll(&(struct pollfd){ .fd = fds[0], .events = POLLIN }, 1,
		     (int)((end_ns - now_ns()) / 1000000) + 1);
}

/* ---- the disk ---- */

static char block[64 << 10] __attribute__((aligned(4096)));

static int open_file(int flags)
{
	int fd = open(file_path, O_RDWR | O_CREAT | flags, 0600);

	if (fd < 0) {
		perror(file_path);
		exit(1);
	}
	return fd;
}

static void run_fsync(void)
{
	int fd = open_file(O_TRUNC);

	while (goes_on())
		if (write(fd, block, BLOCK) != BLOCK || fsync(fd))
			exit(1);
}

static void write_round(int flags)
{
	int fd = open_file(O_TRUNC | flags);

	for (int i = 0; goes_on(); i++)
		if (pwrite(fd, block, sizeof(block), (off_t)(i % 256) * (off_t)sizeof(block)) < 0)
			exit(1);
}

static void run_direct(void)
{
	write_round(O_DIRECT);
}

static void run_dsync(void)
{
	write_round(O_DIRECT | O_DSYNC);
}

static void run_osync(void)
{
	write_round(O_SYNC);
}

static void run_direct_reads(void)
{
	int fd = open_file(O_TRUNC), direct;
	uint32_t at = 1;

	for (int i = 0; i < 256; i++)
		if (write(fd, block, sizeof(block)) < 0)
			exit(1);
	fsync(fd);
	direct = open_file(O_DIRECT);
	while (goes_on()) {
		at = at * 1664525 + 1013904223;
		if (pread(direct, block, BLOCK, (off_t)((at >> 12) % 4000) * BLOCK) != BLOCK)
			exit(1);
	}
}

/* Direct reads that are started, and then waited for. */
static int open_read(void)
{
	int fd = open_file(O_TRUNC);

	for (int i = 0; i < 256; i++)
		if (write(fd, block, sizeof(block)) < 0)
			exit(1);
	fsync(fd);
	return open_file(O_DIRECT);
}

static void run_aio(void)
{
	aio_context_t context = 0;
	int fd = open_read();

	if (syscall(SYS_io_setup, 16, &context))
		exit(1);
	for (int i = 0; goes_on(); i++) {
		struct iocb read = { .aio_fildes = (uint32_t)fd,
				     .aio_lio_opcode = IOCB_CMD_PREAD,
				     .aio_buf = (uintptr_t)block,
				     .aio_nbytes = sizeof(block),
				     .aio_offset = i % 256 * (int64_t)sizeof(block) };
		struct iocb *one = &read;
		struct io_event event;

		if (syscall(SYS_io_submit, context, 1, &one) != 1 ||
		    syscall(SYS_io_getevents, context, 1, 1, &event, NULL) != 1)
			exit(1);
	}
}

static void *map_ring(int fd, size_t size, off_t what)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, what);

	if (memory == MAP_FAILED)
		exit(1);
	return memory;
}

static void run_uring(void)
{
	struct io_uring_params params = { 0 };
	int fd = open_read(), ring = (int)syscall(SYS_io_uring_setup, 4, &params);
	struct io_uring_sqe *entries;
	char *submitted, *done;

	if (ring < 0) { /* some machines forbid it */
		puts("no io_uring");
		exit(77);
	}
	entries = map_ring(ring, params.sq_entries * sizeof(*entries), IORING_OFF_SQES);
	submitted = map_ring(ring, params.sq_off.array + params.sq_entries * sizeof(uint32_t),
			     IORING_OFF_SQ_RING);
	done = map_ring(ring, params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
			IORING_OFF_CQ_RING);
	for (uint32_t i = 0; goes_on(); i++) {
		uint32_t slot = i & (params.sq_entries - 1);

		entries[slot] = (struct io_uring_sqe){ .opcode = IORING_OP_READ,
						       .fd = fd,
						       .addr = (uintptr_t)block,
						       .len = sizeof(block),
						       .off = i % 256 * sizeof(block) };
		((uint32_t *)(submitted + params.sq_off.array))[slot] = slot;
		__atomic_store_n((uint32_t *)(submitted + params.sq_off.tail), i + 1,
				 __ATOMIC_RELEASE);
		if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
			exit(1);
		__atomic_store_n((uint32_t *)(done + params.cq_off.head), i + 1, __ATOMIC_RELEASE);
	}
}

/* Pages of a file that are dropped each time. */
static void run_cold_map(void)
{
	size_t size = (size_t)16 << 20;
	int fd = open_file(O_TRUNC);

	for (size_t i = 0; i < size; i += sizeof(block))
		if (write(fd, block, sizeof(block)) < 0)
			exit(1);
	fsync(fd);
	while (goes_on()) {
		char *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

		madvise(memory, size, MADV_RANDOM);
		for (size_t i = 0; i < size && goes_on(); i += 16 * BLOCK)
			sink += (uint64_t)memory[i];
		munmap(memory, size);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
}

/* Pages of a file that are in memory, mapped again and again. */
static void run_map(void)
{
	size_t size = (size_t)16 << 20;
	int fd = open_file(O_TRUNC);

	for (size_t i = 0; i < size; i += sizeof(block))
		if (write(fd, block, sizeof(block)) < 0)
			exit(1);
	while (goes_on()) {
		char *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

		madvise(memory, size, MADV_RANDOM);
		for (size_t i = 0; i < size; i += BLOCK)
			sink += (uint64_t)memory[i];
		munmap(memory, size);
	}
}

/* ---- processes ---- */

static void run_processes(void)
{
	while (goes_on()) {
		pid_t child = vfork();

		if (!child) {
			execl("/proc/self/exe", "plants", "nothing", (char *)NULL);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
}

static void run_forks(void)
{
	while (goes_on()) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
}

static void spin_for(int64_t ns)
{
	end_ns = now_ns() + ns;
	run_spin();
}

/* One after the other, a tenth of the time each. */
static void run_children(void)
{
	int64_t part = (end_ns - now_ns()) / 10;

	for (int i = 0; i < 10; i++) {
		if (!fork()) {
			spin_for(part);
			_exit(0);
		}
		wait(NULL);
	}
}

/* The busiest thread is one that works for a moment; what all wait for is a child's sleep. */
static void run_sleeping_children(void)
{
	int64_t part = (end_ns - now_ns()) / 4;

	for (int i = 0; i < 4; i++) {
		if (!fork()) {
			if (i == 1)
				spin_for(part / 4);
			else
				sleep_ms(part / 1000000);
			_exit(0);
		}
		wait(NULL);
	}
}

static void run_200_children(void)
{
	for (int i = 0; i < 200; i++) {
		if (!fork()) {
			work_for_ms(5);
			_exit(0);
		}
		wait(NULL);
	}
}

/* So many on one CPU. */
static void crowd(int count)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 1; i < count; i++)
		if (!fork()) {
			run_spin();
			_exit(0);
		}
	run_spin();
	while (wait(NULL) > 0)
		;
}

static void run_two_on_one(void)
{
	crowd(2);
}

static void run_siblings(void)
{
	crowd(4);
}

/* Its children do the work, and go on when it is told to end. */
static void run_children_forever(void)
{
	for (int i = 0; i < 2; i++)
		if (!fork()) {
			signal(SIGTERM, SIG_IGN);
			run_forever();
		}
	for (;;)
		pause();
}

static void run_nothing(void)
{
}

static const struct {
	const char *name;
	void (*run)(void);
} plants[] = {
	{ "spin", run_spin },
	{ "flat", run_flat },
	{ "calls", run_calls },
	{ "faults", run_faults },
	{ "bandwidth", run_bandwidth },
	{ "nice", run_nice },
	{ "segfault", run_segfault },
	{ "status", run_status },
	{ "forever", run_forever },
	{ "threads", run_threads },
	{ "pool", run_pool },
	{ "idlepool", run_idle_pool },
	{ "locks", run_locks },
	{ "turns", run_turns },
	{ "sleeps", run_sleeps },
	{ "sleepwork", run_sleep_work_sleep },
	{ "timers", run_timers },
	{ "poll", run_poll },
	{ "pipes", run_pipes },
	{ "sockets", run_sockets },
	{ "socketidle", run_socket_idle },
	{ "fsync", run_fsync },
	{ "direct", run_direct },
	{ "dsync", run_dsync },
	{ "osync", run_osync },
	{ "directread", run_direct_reads },
	{ "coldmap", run_cold_map },
	{ "processes", run_processes },
	{ "forks", run_forks },
	{ "children", run_children },
	{ "childsleeps", run_sleeping_children },
	{ "twoonone", run_two_on_one },
	{ "childrenforever", run_children_forever },
	{ "abort", run_abort },
	{ "nicethread", run_nice_thread },
	{ "oneofeight", run_one_of_eight },
	{ "tie", run_tie },
	{ "sleepmix", run_sleep_mix },
	{ "stops", run_stops },
	{ "epoll", run_epoll },
	{ "slowpipe", run_slow_pipe },
	{ "map", run_map },
	{ "children200", run_200_children },
	{ "siblings", run_siblings },
	{ "shortthreads", run_short_threads },
	{ "manythreads", run_many_threads },
	{ "hands", run_hands },
	{ "aio", run_aio },
	{ "uring", run_uring },
	{ "nothing", run_nothing },
};

static void print_truth(void)
{
	unsigned long long ran, queued;
	FILE *file = fopen("/proc/self/schedstat", "re");

	if (file && fscanf(file, "%llu %llu", &ran, &queued) == 2)
		printf("truth %lld %llu %llu\n", (long long)(now_ns() - started_ns), ran, queued);
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "spin";

	started_ns = now_ns();
	end_ns = started_ns + (argc > 2 ? atol(argv[2]) : 800) * 1000000;
	file_path = argc > 3 ? argv[3] : "plants.tmp";
	for (size_t i = 0; i < sizeof(plants) / sizeof(plants[0]); i++)
		if (!strcmp(what, plants[i].name)) {
			plants[i].run();
			if (plants[i].run != run_nothing)
				print_truth();
			return 0;
		}
	fprintf(stderr, "plants: no such plant: %s\n", what);
	return 2;
}
