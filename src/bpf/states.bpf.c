// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0)
/*
 * The kernel's side of bpf/states.h: at every switch and wakeup of a thread that is followed, the
 * time since the last one is added to the state that it was in.
 */
#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/states.h"

#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_STOPPED	     0xc /* by a signal, or traced */
#define TASK_DEAD	     0x80
#define PASSES		     8 /* tries to take the time, while other CPUs do */

struct sched_info {
	unsigned long long run_delay;
} __attribute__((preserve_access_index));

struct thread_info {
	unsigned int cpu;
} __attribute__((preserve_access_index));

/* What is used of the kernel's own; where each field is, the loader finds out. */
struct task_struct {
	struct thread_info thread_info;
	int pid, tgid;
	unsigned int __state;
	unsigned in_iowait : 1;
	unsigned in_memstall : 1;
	struct sched_info sched_info;
	char comm[16];
} __attribute__((preserve_access_index));

struct task_struct___before_5_14 {
	long state;
} __attribute__((preserve_access_index));

struct task_struct___before_5_16 {
	unsigned int cpu;
} __attribute__((preserve_access_index));

struct pt_regs___x86 {
	long orig_ax;
	unsigned long cs;
} __attribute__((preserve_access_index));

struct pt_regs___arm64 {
	int syscallno;
} __attribute__((preserve_access_index));

enum bpf_func_id___now {
	BPF_FUNC_task_pt_regs___now = 175,
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STATES_ROWS);
	__type(key, __u32);
	__type(value, struct states_row);
} rows SEC(".maps");

struct states_name {
	char comm[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STATES_NAMES);
	__type(key, struct states_name);
	__type(value, struct states_row);
} names SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct states_all);
} all SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, STATES_CPUS);
	__type(key, __u32);
	__type(value, struct states_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, STATES_STACKS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, STATES_DEPTH * sizeof(__u64));
} stacks SEC(".maps");

static const struct states_row empty_row;

static __always_inline struct states_row *row_of(__u32 tid)
{
	return bpf_map_lookup_elem(&rows, &tid);
}

/* ---- all of them together ---- */

/* The first state that any of them is in: unknown ones come before those that just sleep. */
static __always_inline int first_state(const struct states_all *sum)
{
	const volatile __u32 *threads = sum->threads;

#pragma unroll
	for (int i = 0; i < STATES; i++) {
		int state = i < STATE_OTHER ? i : i == STATE_OTHER ? STATE_UNKNOWN : STATE_OTHER;

		if (threads[state])
			return state;
	}
	return STATES;
}

/*
 * What the time since the last change was.  Two CPUs may come at once: the state is looked at
 * before the time is taken, and again if somebody else took it meanwhile.  The other way round
 * a CPU that finds its time taken already would change what the time is about to be counted as.
 * So what may go to a wrong state is what lies between the two, and all is counted once.
 * How long all of them did nothing but wait is returned.
 */
static __always_inline __u64 pass_time(struct states_all *sum, __u64 now)
{
#pragma unroll
	for (int i = 0; i < PASSES; i++) {
		__u64 last = *(volatile __u64 *)&sum->last_ns;
		int state = first_state(sum);

		if (now <= last) /* another CPU was here meanwhile */
			return 0;
		if (__sync_val_compare_and_swap(&sum->last_ns, last, now) != last)
			continue;
		if (!last || state >= STATES)
			return 0;
		__sync_fetch_and_add(&sum->ns[state & 7], now - last);
		return state == STATE_OTHER ? now - last : 0;
	}
	return 0; /* others did it all the time */
}

static __always_inline void count_one(struct states_all *sum, __u32 state, int by)
{
	__sync_fetch_and_add(&sum->threads[state & 7], by);
}

static __always_inline struct states_all *sum_of_all(void)
{
	__u32 first = 0;

	return bpf_map_lookup_elem(&all, &first);
}

static __always_inline struct states_all *sum_at(__u64 now)
{
	struct states_all *sum = sum_of_all();

	if (sum)
		pass_time(sum, now);
	return sum;
}

/* What all of them waited for is what the first to go on had waited for. */
static __always_inline void add_ender(struct states_all *sum, __s32 call, __u64 ns)
{
#pragma unroll
	for (int i = 0; i < STATES_ENDERS; i++) {
		__s32 was = sum->calls[i];

		if (!was)
			was = __sync_val_compare_and_swap(&sum->calls[i], 0, call);
		if (was && was != call)
			continue;
		__sync_fetch_and_add(&sum->call_ns[i], ns);
		return;
	}
}

/* ---- who has the CPUs ---- */

static __always_inline struct states_cpu *cpu_of(__u32 cpu)
{
	return bpf_map_lookup_elem(&cpus, &cpu);
}

static __always_inline void hand_cpu(__u32 number, bool own, bool others, __u64 now)
{
	struct states_cpu *cpu = cpu_of(number);
	__u64 ns;

	if (!cpu)
		return;
	ns = now > cpu->since_ns && cpu->since_ns ? now - cpu->since_ns : 0;
	if (cpu->own)
		cpu->own_ns += ns;
	if (cpu->others)
		cpu->others_ns += ns;
	cpu->since_ns = now;
	cpu->own = own;
	cpu->others = others;
}

static __always_inline __u32 cpu_of_task(struct task_struct *task)
{
	struct task_struct___before_5_16 *old = (void *)task;

	if (bpf_core_field_exists(task->thread_info.cpu))
		return BPF_CORE_READ(task, thread_info.cpu);
	return bpf_core_field_exists(old->cpu) ? BPF_CORE_READ(old, cpu) : STATES_CPUS;
}

/* A CPU counts at its switches: what has passed since the last one is added here. */
static __always_inline void queue_up(struct states_row *row, __u32 number, __u64 now)
{
	struct states_cpu *cpu = cpu_of(number);
	__u64 ns;

	row->queue = 0;
	if (!cpu)
		return;
	ns = now > cpu->since_ns && cpu->since_ns ? now - cpu->since_ns : 0;
	row->own_before = cpu->own_ns + (cpu->own ? ns : 0);
	row->others_before = cpu->others_ns + (cpu->others ? ns : 0);
	row->queue = number + 1;
}

static __always_inline void leave_queue(struct states_row *row, __u64 now)
{
	__u64 own = row->own_before, others = row->others_before;

	if (!row->queue)
		return;
	queue_up(row, row->queue - 1, now);
	if (row->own_before > own)
		row->own_ns += row->own_before - own;
	if (row->others_before > others)
		row->others_ns += row->others_before - others;
	row->queue = 0;
}

/* ---- one ---- */

static __always_inline void add_call(struct states_row *row, __s32 call, __u64 ns)
{
#pragma unroll
	for (int i = 0; i < STATES_CALLS; i++) {
		if (row->calls[i] && row->calls[i] != call)
			continue;
		row->calls[i] = call;
		row->call_ns[i] += ns;
		return;
	}
}

/* 1 more than the number of the system call that it is in; 0: none, or of another architecture. */
static __always_inline __s32 call_of(struct task_struct *task)
{
	struct pt_regs___x86 *x86;
	struct pt_regs___arm64 *arm64;
	void *regs;

	if (!bpf_core_enum_value_exists(enum bpf_func_id___now, BPF_FUNC_task_pt_regs___now))
		return 0;
	regs = (void *)bpf_task_pt_regs(task);
	x86 = regs;
	arm64 = regs;
	if (bpf_core_field_exists(x86->orig_ax))
		return BPF_CORE_READ(x86, cs) == 0x33 ? (__s32)BPF_CORE_READ(x86, orig_ax) + 1 : 0;
	return bpf_core_field_exists(arm64->syscallno) ? BPF_CORE_READ(arm64, syscallno) + 1 : 0;
}

static __always_inline void add_unclear(struct states_row *row, __s32 stack, __u64 ns)
{
#pragma unroll
	for (int i = 0; i < STATES_UNCLEAR; i++) {
		if (row->unclear_stack[i] && row->unclear_stack[i] != stack)
			continue;
		row->unclear_stack[i] = stack;
		row->unclear_ns[i] += ns;
		return;
	}
	row->ns[STATE_OTHER] += ns;
}

/* The time in its state is over. */
static __always_inline void leave(struct states_row *row, __u64 now)
{
	__u64 ns = now > row->since_ns ? now - row->since_ns : 0;

	row->since_ns = now;
	if (row->state == STATE_RUNNABLE) {
		row->queued_ns += ns;
		leave_queue(row, now);
	}
	if (row->state == STATE_OTHER && row->call)
		add_call(row, row->call, ns);
	if (row->state == STATE_UNKNOWN)
		add_unclear(row, row->stack, ns);
	else
		row->ns[row->state < STATES ? row->state : STATE_OTHER] += ns;
}

static __always_inline void go(struct states_row *row, __u32 state, __u64 now)
{
	struct states_all *sum = sum_of_all();
	__u64 waited = sum ? pass_time(sum, now) : 0, since = row->since_ns;

	if (waited && row->state == STATE_OTHER && row->call)
		add_ender(sum, row->call, waited);
	if (sum && row->state == STATE_RUNNABLE && sum->ns[STATE_RUNNABLE] > row->run_before)
		row->run_queued_ns += sum->ns[STATE_RUNNABLE] - row->run_before;
	if (sum && state == STATE_RUNNABLE)
		row->run_before = sum->ns[STATE_RUNNABLE];
	leave(row, now);
	if (sum && row->counted)
		count_one(sum, row->state, -1);
	else if (sum && row->state == STATE_RAN && now > since) /* since it was added */
		__sync_fetch_and_add(&sum->ns[STATE_RAN], now - since);
	if (sum)
		count_one(sum, state, 1);
	row->counted = 1;
	row->state = state;
}

/* Of all together it was running, too, where no other one ran: what they waited for a CPU then. */
static __always_inline void settle_all(struct states_row *row)
{
	__u64 moved = row->moved_ns < row->run_queued_ns ? row->moved_ns : row->run_queued_ns;
	__u64 by = moved -
		   row->run_moved_ns; /* less than before: it wraps around, and so do the sums */
	struct states_all *sum = sum_of_all();

	row->run_moved_ns = moved;
	if (!sum || !by)
		return;
	__sync_fetch_and_add(&sum->ns[STATE_RUNNABLE], -by);
	__sync_fetch_and_add(&sum->ns[STATE_RAN], by);
}

/*
 * The kernel looks at its clock when it begins to switch, and we some microseconds later: what its
 * account does not have as waiting for a CPU is the switch itself, and that is running.
 */
static __always_inline void settle_queue(struct states_row *row, struct task_struct *task)
{
	__u64 delay, told, moved;

	if (!bpf_core_field_exists(task->sched_info))
		return;
	delay = BPF_CORE_READ(task, sched_info.run_delay);
	if (!row->knows_delay) {
		row->knows_delay = 1;
		row->delay_ns = delay;
		row->queued_ns = row->moved_ns = 0;
		row->run_queued_ns = row->run_moved_ns = 0;
		return;
	}
	/* Sums since the beginning, not pieces: one that one account has a switch later than the
	 * other must not be taken for running. */
	told = delay - row->delay_ns;
	moved = row->queued_ns > told ? row->queued_ns - told : 0;
	row->ns[STATE_RUNNABLE] -= moved - row->moved_ns;
	row->ns[STATE_RAN] += moved - row->moved_ns;
	row->moved_ns = moved;
	settle_all(row);
}

/* ---- their ends ---- */

static __always_inline void add_row(struct states_row *into, const struct states_row *row)
{
	for (int i = 0; i < STATES; i++)
		__sync_fetch_and_add(&into->ns[i], row->ns[i]);
	for (int i = 0; i < STATES_UNCLEAR; i++)
		if (row->unclear_stack[i])
			add_unclear(into, row->unclear_stack[i], row->unclear_ns[i]);
	for (int i = 0; i < STATES_CALLS; i++)
		if (row->calls[i])
			add_call(into, row->calls[i], row->call_ns[i]);
	__sync_fetch_and_add(&into->own_ns, row->own_ns);
	__sync_fetch_and_add(&into->others_ns, row->others_ns);
	__sync_fetch_and_add(&into->switches, row->switches);
	__sync_fetch_and_add(&into->preemptions, row->preemptions);
	__sync_fetch_and_add(&into->end_ns, row->end_ns - row->begin_ns);
	__sync_fetch_and_add(&into->threads, 1);
}

/* A sum's begin_ns is 0, its end_ns how long all of them lived. */
static __noinline int sum_up(struct states_row *row)
{
	struct states_name name = {};
	struct states_row *into;

	if (!row)
		return 0;
	__builtin_memcpy(name.comm, row->comm, sizeof(name.comm));
	into = bpf_map_lookup_elem(&names, &name);
	if (!into) {
		bpf_map_update_elem(&names, &name, &empty_row, BPF_NOEXIST);
		into = bpf_map_lookup_elem(&names, &name);
	}
	if (!into) { /* there was no room for another name: the last one takes it */
		__builtin_memset(&name, 0, sizeof(name));
		into = bpf_map_lookup_elem(&names, &name);
	}
	if (into) {
		__builtin_memcpy(into->comm, name.comm, sizeof(name.comm));
		add_row(into, row);
	}
	return 0;
}

/* The end of a process is that of its last thread, which may have no row of its own then. */
static __always_inline void note_end(const struct states_row *row, __u64 now)
{
	struct states_row *first = row_of(row->pid);

	if (first && first->added)
		first->process_end_ns = now;
}

static __always_inline void end(struct states_row *row, __u32 tid, __u64 now)
{
	struct states_all *sum = sum_at(now);

	leave(row, now);
	row->end_ns = now;
	note_end(row, now);
	if (!sum)
		return;
	sum->end_ns = now > sum->end_ns ? now : sum->end_ns;
	if (row->counted)
		count_one(sum, row->state, -1);
	if (sum->ended >= STATES_ENDED && !row->added) {
		sum_up(row);
		bpf_map_delete_elem(&rows, &tid);
	} else {
		__sync_fetch_and_add(&sum->ended, 1);
	}
}

/* ---- what happens ---- */

static __always_inline __u32 blocked_state(struct task_struct *task, unsigned int state)
{
	if (!(state & TASK_UNINTERRUPTIBLE))
		return STATE_OTHER;
	if (bpf_core_field_exists(task->in_memstall) && BPF_CORE_READ_BITFIELD(task, in_memstall))
		return STATE_PAGES;
	return BPF_CORE_READ_BITFIELD(task, in_iowait) ? STATE_DISK : STATE_UNKNOWN;
}

static __always_inline int switched(void *ctx, bool preempt, struct task_struct *prev,
				    struct task_struct *next, unsigned int prev_state)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 prev_tid = prev->pid, next_tid = next->pid, cpu = bpf_get_smp_processor_id();
	struct states_row *row = prev_tid ? row_of(prev_tid) : NULL;
	struct states_row *after = next_tid ? row_of(next_tid) : NULL;
	bool own = after && !after->end_ns;

	hand_cpu(cpu, own, next_tid && !own, now);
	if (row && !row->end_ns) {
		bpf_probe_read_kernel(row->comm, sizeof(row->comm), prev->comm);
		/* Not every kernel tells of each switch.  Who leaves a CPU has had it: since when
		 * is what the kernel's account knows. */
		if (row->state == STATE_RUNNABLE)
			go(row, STATE_RAN, now);
		settle_queue(row, prev);
		if (prev_state & TASK_DEAD) {
			end(row, prev_tid, now);
		} else if (preempt || !prev_state) {
			row->preemptions++;
			go(row, STATE_RUNNABLE, now);
			queue_up(row, cpu, now);
		} else {
			__u32 state = blocked_state(prev, prev_state);

			row->switches++;
			go(row, state, now);
			if (state == STATE_OTHER)
				row->call = prev_state & TASK_STOPPED ? STATES_STOPPED
								      : call_of(prev);
			if (state == STATE_UNKNOWN) {
				long id = bpf_get_stackid(ctx, &stacks, BPF_F_FAST_STACK_CMP);

				row->stack = id >= 0 ? (__s32)id + 1 : -1;
			}
		}
	}
	if (own) {
		if (!after->counted && after->state == STATE_RAN) /* ready when it was added */
			after->state = STATE_RUNNABLE;
		go(after, STATE_RAN, now);
	}
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	return switched(ctx, preempt, prev, next, prev_state);
}

/* Before Linux 5.18 the state has to be looked up, and may be that of the next wakeup already. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch_old, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct task_struct___before_5_14 *old = (void *)prev;
	unsigned int state = bpf_core_field_exists(prev->__state)
				     ? BPF_CORE_READ(prev, __state)
				     : (unsigned int)BPF_CORE_READ(old, state);

	return switched(ctx, preempt, prev, next, state);
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
	struct states_row *row = row_of(task->pid);
	__u64 now = bpf_ktime_get_ns();

	if (row && !row->end_ns && row->state != STATE_RAN && row->state != STATE_RUNNABLE) {
		go(row, STATE_RUNNABLE, now);
		queue_up(row, cpu_of_task(task), now);
	}
	return 0;
}

/* One that is ready may be sent to the queue of another CPU. */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *task, int to)
{
	struct states_row *row = row_of(task->pid);
	__u64 now = bpf_ktime_get_ns();

	if (row && !row->end_ns && row->state == STATE_RUNNABLE) {
		leave_queue(row, now);
		queue_up(row, to, now);
	}
	return 0;
}

/* Whoever starts it is the current one, and is followed or not. */
SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_start, struct task_struct *task)
{
	__u32 parent = (__u32)bpf_get_current_pid_tgid(), tid = task->pid;
	__u64 now = bpf_ktime_get_ns();
	struct states_all *sum;
	struct states_row *row = row_of(parent);

	if (!row || row->end_ns)
		return 0;
	sum = sum_at(now);
	row = row_of(tid);
	if (row && row->end_ns) /* its number was another's */
		sum_up(row);
	else if (sum && bpf_map_update_elem(&rows, &tid, &empty_row, BPF_NOEXIST))
		__sync_fetch_and_add(&sum->overflow, 1);
	row = row_of(tid);
	if (!row || !sum)
		return 0;
	__builtin_memcpy(row, &empty_row, sizeof(*row));
	row->begin_ns = row->since_ns = now;
	row->tid = tid;
	row->pid = task->tgid;
	row->threads = 1;
	row->knows_delay = 1; /* it has not waited yet */
	row->counted = 1;
	row->state = STATE_RUNNABLE;
	row->run_before = sum->ns[STATE_RUNNABLE];
	bpf_probe_read_kernel(row->comm, sizeof(row->comm), task->comm);
	queue_up(row, cpu_of_task(task), now);
	count_one(sum, STATE_RUNNABLE, 1);
	return 0;
}

/* A thread that execs becomes its process's first one, whose number it takes. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_tid)
{
	__u32 tid = task->pid, before = old_tid;
	__u64 now = bpf_ktime_get_ns();
	struct states_row *row;
	struct states_all *sum;

	if (tid == before)
		return 0;
	row = row_of(before);
	if (!row || row->end_ns)
		return 0;
	end(row, before, now);
	row = row_of(tid);
	sum = sum_at(now);
	if (!row || !row->end_ns || !sum)
		return 0;
	sum_up(row);
	__builtin_memset(row->ns, 0, sizeof(row->ns));
	__builtin_memset(row->unclear_ns, 0, sizeof(row->unclear_ns));
	__builtin_memset(row->unclear_stack, 0, sizeof(row->unclear_stack));
	__builtin_memset(row->call_ns, 0, sizeof(row->call_ns));
	__builtin_memset(row->calls, 0, sizeof(row->calls));
	row->own_ns = row->others_ns = row->queue = 0;
	row->end_ns = 0;
	row->counted = 1;
	row->begin_ns = row->since_ns = now;
	row->knows_delay = 0; /* its account is that of the thread it was */
	row->state = STATE_RAN;
	count_one(sum, STATE_RAN, 1);
	return 0;
}

char states_license[] SEC("license") = "Dual BSD/GPL";
