// SPDX-License-Identifier: Apache-2.0
#include "bpf/states.h"
#include "base/err.h"

#include <errno.h>

#ifdef HAVE_BPF

#include "base/file.h"
#include "symbol/kallsyms.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define PROGRAMS     6
#define FIRST_PID_NS 0xeffffffc /* the number of /proc/self/ns/pid where processes have one id */

extern const unsigned char states_object[];
extern const size_t states_object_size;

struct states {
	struct bpf_object *object;
	struct bpf_link *links[PROGRAMS];
	size_t link_count;
	int rows, names, all, stacks, cpus;
	uint64_t begin_ns; /* the first thread was added */
};

/* ---- loading ---- */

static int print_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

/* Our numbers are the kernel's own only there. */
static bool in_first_pid_namespace(void)
{
	struct stat facts;

	return !stat("/proc/self/ns/pid", &facts) && facts.st_ino == FIRST_PID_NS;
}

/* The kernel tells the state with the switch since 5.18; else it is looked up. */
static int load_object(struct states *states, bool old)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "states");
	struct bpf_object *object = bpf_object__open_mem(states_object, states_object_size,
							 &options);
	const char *unused = old ? "on_switch" : "on_switch_old";
	int rc;

	if (!object)
		return -errno;
	bpf_program__set_autoload(bpf_object__find_program_by_name(object, unused), false);
	rc = bpf_object__load(object);
	if (rc) {
		bpf_object__close(object);
		return rc;
	}
	states->object = object;
	return 0;
}

int states_open(struct states **into, struct err *err)
{
	struct states *states;
	int rc;

	*into = NULL;
	if (!in_first_pid_namespace())
		return err_set(err, EOPNOTSUPP, "process ids here are those of a namespace");
	libbpf_set_print(print_nothing);
	libbpf_set_strict_mode(LIBBPF_STRICT_ALL & ~LIBBPF_STRICT_AUTO_RLIMIT_MEMLOCK);
	states = mem_alloc(sizeof(*states));
	rc = load_object(states, false);
	if (rc && rc != -EPERM)
		rc = load_object(states, true);
	if (rc) {
		free(states);
		return err_set(err, -rc, "the kernel takes no BPF program: %s", strerror(-rc));
	}
	states->rows = bpf_object__find_map_fd_by_name(states->object, "rows");
	states->names = bpf_object__find_map_fd_by_name(states->object, "names");
	states->all = bpf_object__find_map_fd_by_name(states->object, "all");
	states->stacks = bpf_object__find_map_fd_by_name(states->object, "stacks");
	states->cpus = bpf_object__find_map_fd_by_name(states->object, "cpus");
	*into = states;
	return 0;
}

static void detach(struct states *states)
{
	while (states->link_count)
		bpf_link__destroy(states->links[--states->link_count]);
}

void states_close(struct states *states)
{
	if (!states)
		return;
	detach(states);
	bpf_object__close(states->object);
	free(states);
}

/* ---- a measurement ---- */

static void clear(int map)
{
	char key[16]; /* as large as the largest */

	while (!bpf_map_get_next_key(map, NULL, key))
		if (bpf_map_delete_elem(map, key))
			break;
}

int states_begin(struct states *states, struct err *err)
{
	struct states_all none = { 0 };
	struct states_row rest = { 0 };
	struct states_cpu nobody = { 0 };
	struct bpf_program *program;
	char no_name[16] = "";
	uint32_t first = 0;

	detach(states);
	states->begin_ns = 0;
	clear(states->rows);
	clear(states->names);
	clear(states->stacks);
	bpf_map_update_elem(states->all, &first, &none, BPF_ANY);
	bpf_map_update_elem(states->names, no_name, &rest, BPF_ANY);
	for (uint32_t i = 0; i < STATES_CPUS && i < (uint32_t)get_nprocs_conf(); i++)
		bpf_map_update_elem(states->cpus, &i, &nobody, BPF_ANY);
	bpf_object__for_each_program(program, states->object)
	{
		struct bpf_link *link;

		if (!bpf_program__autoload(program))
			continue;
		link = bpf_program__attach(program);
		if (!link) {
			int code = errno;

			detach(states);
			return err_set(err, code, "%s can't be attached: %s",
				       bpf_program__name(program), strerror(code));
		}
		states->links[states->link_count++] = link;
	}
	return 0;
}

int states_add(struct states *states, pid_t pid, pid_t tid, bool runs, uint64_t since_ns)
{
	struct states_row row = {
		.since_ns = since_ns,
		.begin_ns = since_ns,
		.tid = (uint32_t)tid,
		.pid = (uint32_t)pid,
		.threads = 1,
		.added = 1,
		.state = runs ? STATE_RAN : STATE_OTHER,
	};
	uint32_t key = (uint32_t)tid;

	if (!states->begin_ns || since_ns < states->begin_ns)
		states->begin_ns = since_ns;
	return bpf_map_update_elem(states->rows, &key, &row, BPF_NOEXIST) ? -errno : 0;
}

/* ---- what a thread waited for that told no more than that it can't be interrupted ---- */

static bool starts_with_any(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (!strncmp(name, *words, strlen(*words)))
			return true;
	return false;
}

/*
 * From the innermost function outwards.  Files and disks wait for a journal or a log without
 * saying so; a lock that is waited for within a file system is another thread's.
 */
static enum state judge_function(const char *name)
{
	static const char *const locks[] = { "__mutex_lock", "mutex_lock",     "rwsem_down_",
					     "down_read",    "down_write",     "rt_mutex",
					     "__down",	     "percpu_rwsem_",  "__lock_sock",
					     "lock_sock",    "wait_for_vfork", NULL };
	static const char *const pages[] = { "do_swap_page",	     "swap_readpage",
					     "swap_read_folio",	     "try_to_free_",
					     "do_try_to_free_pages", "shrink_",
					     "reclaim_throttle",     "mem_cgroup_handle_over_high",
					     "throttle_direct_",     NULL };
	static const char *const disks[] = { "jbd2_",
					     "ext4_",
					     "xfs_",
					     "xlog_",
					     "btrfs_",
					     "f2fs_",
					     "nfs",
					     "fuse_",
					     "ceph_",
					     "cifs_",
					     "p9_",
					     "v9fs_",
					     "blk_",
					     "blkdev_",
					     "submit_bio",
					     "bio_",
					     "dm_",
					     "md_",
					     "vfs_fsync",
					     "do_fsync",
					     "ksys_sync",
					     "sync_file",
					     "writeback_",
					     "wb_wait",
					     "iomap_",
					     "dio_",
					     "__sync_",
					     "sync_inodes",
					     "filemap_",
					     "folio_wait",
					     "wait_on_buffer",
					     NULL };

	return starts_with_any(name, locks)   ? STATE_OTHER
	       : starts_with_any(name, pages) ? STATE_PAGES
	       : starts_with_any(name, disks) ? STATE_DISK
					      : STATE_UNKNOWN;
}

static const char *name_of(const struct symbol_sheet *names, uint64_t address)
{
	size_t low = 0, high = names->rows.len;
	const struct symbol_row *row;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names->rows.data[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	row = low ? &names->rows.data[low - 1] : NULL;
	return row && !(row->name & NAME_IS_CHOICE) ? names->strings.data + row->name : "";
}

/* With 24 functions of the kernel one that starts a child is among them. */
static bool waits_for_child(const struct states *states, const struct symbol_sheet *names,
			    int stack)
{
	uint64_t frames[STATES_DEPTH] = { 0 };
	uint32_t id = (uint32_t)stack - 1;

	if (stack <= 0 || bpf_map_lookup_elem(states->stacks, &id, frames))
		return false;
	for (int i = 0; i < STATES_DEPTH && frames[i]; i++)
		if (!strcmp(name_of(names, frames[i]), "kernel_clone"))
			return true;
	return false;
}

static enum state judge_stack(const struct states *states, const struct symbol_sheet *names,
			      int stack)
{
	uint64_t frames[STATES_DEPTH] = { 0 };
	uint32_t id = (uint32_t)stack - 1;

	if (stack <= 0 || bpf_map_lookup_elem(states->stacks, &id, frames))
		return STATE_OTHER;
	for (int i = 0; i < STATES_DEPTH && frames[i]; i++) {
		enum state state = judge_function(name_of(names, frames[i]));

		if (state != STATE_UNKNOWN)
			return state;
	}
	return STATE_OTHER;
}

static void read_names(struct symbol_sheet *names)
{
	struct kallsyms facts = { 0 };
	size_t size = 0;
	char *text = kallsyms_load(KALLSYMS_RUNNING, &size);

	if (text)
		kallsyms_read(&facts, names, text, size, KALLSYMS_NO_BPF);
}

static void add_call(struct states_row *row, int call, uint64_t ns)
{
	for (int i = 0; i < STATES_CALLS; i++)
		if (!row->calls[i] || row->calls[i] == call) {
			row->calls[i] = call;
			row->call_ns[i] += ns;
			return;
		}
}

/* By stack: most threads wait at the same few places. */
static void settle_unclear(struct states *states, struct states_result *result, uint64_t unknown_ns)
{
	enum state judged[STATES_STACKS + 1];
	uint64_t sums[STATES] = { 0 }, all = 0;
	struct symbol_sheet names = { 0 };

	for (size_t i = 0; i <= STATES_STACKS; i++)
		judged[i] = STATES;
	vec_each (row, &result->rows)
		for (int i = 0; i < STATES_UNCLEAR; i++) {
			int stack = row->unclear_stack[i];
			enum state state = STATE_OTHER;

			if (!row->unclear_ns[i])
				continue;
			if (!names.rows.len)
				read_names(&names);
			if (stack > 0 && stack <= STATES_STACKS) {
				if (judged[stack] == STATES)
					judged[stack] = judge_stack(states, &names, stack);
				state = judged[stack];
			}
			row->ns[state] += row->unclear_ns[i];
			if (state == STATE_OTHER)
				add_call(row,
					 waits_for_child(states, &names, stack) ? STATES_CHILDREN
										: STATES_KERNEL,
					 row->unclear_ns[i]);
			sums[state] += row->unclear_ns[i];
			all += row->unclear_ns[i];
		}
	/* of all together it is known that they waited so, not at which place */
	for (int i = 0; i < STATE_PARTS; i++)
		if (all)
			result->all_ns[i] +=
				(uint64_t)((double)unknown_ns * (double)sums[i] / (double)all);
	if (!all)
		result->all_ns[STATE_OTHER] += unknown_ns;
	sheet_free(&names);
}

/* ---- reading ---- */

static void close_row(struct states_row *row, uint64_t now_ns)
{
	uint64_t ns = now_ns > row->since_ns ? now_ns - row->since_ns : 0;

	if (!row->begin_ns || row->end_ns)
		return;
	row->end_ns = row->since_ns + ns;
	if (row->state == STATE_OTHER && row->call)
		add_call(row, row->call, ns);
	if (row->state != STATE_UNKNOWN) {
		row->ns[row->state < STATES ? row->state : STATE_OTHER] += ns;
		return;
	}
	for (int i = 0; i < STATES_UNCLEAR; i++)
		if (!row->unclear_stack[i] || row->unclear_stack[i] == row->stack) {
			row->unclear_stack[i] = row->stack;
			row->unclear_ns[i] += ns;
			return;
		}
	row->ns[STATE_OTHER] += ns;
}

static void read_rows(int map, uint64_t now_ns, struct states_result *result)
{
	char key[16], next[16], *before = NULL;
	struct states_row row;

	while (!bpf_map_get_next_key(map, before, next)) {
		memcpy(key, next, sizeof(key));
		before = key;
		if (bpf_map_lookup_elem(map, key, &row) || !row.threads)
			continue;
		close_row(&row, now_ns);
		*vec_push(&result->rows) = row;
	}
}

/*
 * Threads that were added are not among those of their state before their first change: nothing
 * else has counted the time until then.  end_ns: the last one that ended did so, with a row or not.
 */
static void add_first(const struct states *states, uint64_t now_ns, uint64_t end_ns,
		      struct states_result *result)
{
	uint64_t sum = 0;
	bool runs = false;

	vec_each (row, &result->rows) {
		runs |= row->begin_ns && !row->counted && row->state == STATE_RAN;
		if (row->begin_ns && row->end_ns > end_ns)
			end_ns = row->end_ns;
	}
	end_ns = end_ns ? end_ns : now_ns;
	for (int i = 0; i < STATE_PARTS; i++)
		sum += result->all_ns[i];
	if (states->begin_ns && end_ns > states->begin_ns + sum)
		result->all_ns[runs ? STATE_RAN : STATE_OTHER] += end_ns - states->begin_ns - sum;
}

/* Those that wait at the end: nobody has ended that, but where they all wait in one way it is
 * known. */
static void add_last(struct states_all *all, uint64_t now_ns, const struct states_result *result)
{
	uint64_t ns = all->last_ns && now_ns > all->last_ns ? now_ns - all->last_ns : 0;
	int call = 0;

	for (int i = 0; i < STATE_PARTS; i++)
		if (i != STATE_OTHER && all->threads[i])
			return;
	vec_each (row, &result->rows) {
		if (row->state != STATE_OTHER || !row->counted || row->end_ns < now_ns)
			continue;
		if (!row->call || (call && row->call != call))
			return;
		call = row->call;
	}
	for (int i = 0; i < STATES_ENDERS && call && ns; i++)
		if (!all->calls[i] || all->calls[i] == call) {
			all->calls[i] = call;
			all->call_ns[i] += ns;
			return;
		}
}

static void read_all(struct states *states, uint64_t now_ns, struct states_result *result)
{
	/* as the kernel's side does at each change */
	static const enum state order[] = { STATE_RAN,	 STATE_RUNNABLE, STATE_DISK,
					    STATE_PAGES, STATE_UNKNOWN,	 STATE_OTHER };
	struct states_all all = { 0 };
	uint32_t first = 0;

	bpf_map_lookup_elem(states->all, &first, &all);
	for (size_t i = 0; i < ARRAY_SIZE(order) && all.last_ns && now_ns > all.last_ns; i++)
		if (all.threads[order[i]]) {
			all.ns[order[i]] += now_ns - all.last_ns;
			break;
		}
	add_last(&all, now_ns, result);
	for (int i = 0; i < STATE_PARTS; i++)
		result->all_ns[i] = all.ns[i];
	for (int i = 0; i < STATES_ENDERS; i++) {
		result->call_ns[i] = all.call_ns[i];
		result->calls[i] = all.calls[i];
	}
	result->overflow = all.overflow;
	settle_unclear(states, result, all.ns[STATE_UNKNOWN]);
	add_first(states, now_ns, all.end_ns, result);
}

void states_end(struct states *states, uint64_t now_ns, struct states_result *result)
{
	detach(states);
	if (!result)
		return;
	*result = (struct states_result){ .knows_pages = file_exists("/proc/pressure/memory") };
	read_rows(states->rows, now_ns, result);
	read_rows(states->names, now_ns, result);
	read_all(states, now_ns, result);
}

#else

int states_open(struct states **states, struct err *err)
{
	*states = NULL;
	return err_set(err, ENOSYS, "this perfolio was built without BPF");
}

void states_close(struct states *states)
{
	(void)states;
}

int states_begin(struct states *states, struct err *err)
{
	(void)states;
	return err_set(err, ENOSYS, "this perfolio was built without BPF");
}

int states_add(struct states *states, pid_t pid, pid_t tid, bool runs, uint64_t since_ns)
{
	(void)states, (void)pid, (void)tid, (void)runs, (void)since_ns;
	return -ENOSYS;
}

void states_end(struct states *states, uint64_t now_ns, struct states_result *result)
{
	(void)states, (void)now_ns;
	if (result)
		*result = (struct states_result){ 0 };
}

#endif
