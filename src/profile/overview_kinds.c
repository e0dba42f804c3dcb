// SPDX-License-Identifier: Apache-2.0
/* Functions of the kernel that tell what a stack is about. */
#include "profile/overview_kinds.h"

#include <string.h>

static const struct {
	const char *function;
	enum work work;
} kernel_work[] = {
	{ "begin_new_exec", WORK_PROCESS },
	{ "bprm_execve", WORK_PROCESS },
	{ "copy_process", WORK_PROCESS },
	{ "do_execveat_common.isra.0", WORK_PROCESS },
	{ "do_exit", WORK_PROCESS },
	{ "do_group_exit", WORK_PROCESS },
	{ "do_wait", WORK_PROCESS },
	{ "exit_mmap", WORK_PROCESS },
	{ "kernel_clone", WORK_PROCESS },
	{ "kernel_wait4", WORK_PROCESS },
	{ "load_elf_binary", WORK_PROCESS },
	{ "ret_from_fork", WORK_PROCESS },
	{ "ret_from_fork_asm", WORK_PROCESS },
	{ "schedule_tail", WORK_PROCESS },
	{ "__x64_sys_execve", WORK_PROCESS },
	{ "__arm64_sys_execve", WORK_PROCESS },
	{ "__do_page_fault", WORK_FAULT },
	{ "asm_exc_page_fault", WORK_FAULT },
	{ "clear_page_erms", WORK_FAULT },
	{ "clear_page_orig", WORK_FAULT },
	{ "clear_page_rep", WORK_FAULT },
	{ "do_mem_abort", WORK_FAULT },
	{ "do_page_fault", WORK_FAULT },
	{ "do_translation_fault", WORK_FAULT },
	{ "do_user_addr_fault", WORK_FAULT },
	{ "el0_da", WORK_FAULT },
	{ "exc_page_fault", WORK_FAULT },
	{ "handle_mm_fault", WORK_FAULT },
	{ "madvise_vma_behavior", WORK_FAULT },
	{ "do_madvise", WORK_FAULT },
	{ "do_madvise.part.0", WORK_FAULT },
	{ "page_fault", WORK_FAULT },
	{ "unmap_page_range", WORK_FAULT },
	{ "unmap_region", WORK_FAULT },
	{ "unmap_vmas", WORK_FAULT },
	{ "__x64_sys_munmap", WORK_FAULT },
	{ "__vm_munmap", WORK_FAULT },
	{ "do_el0_svc", WORK_CALL },
	{ "do_fast_syscall_32", WORK_CALL },
	{ "do_syscall_64", WORK_CALL },
	{ "el0_svc", WORK_CALL },
	{ "el0_svc_common", WORK_CALL },
	{ "el0_svc_common.constprop.0", WORK_CALL },
	{ "entry_SYSCALL_64", WORK_CALL },
	{ "entry_SYSCALL_64_after_hwframe", WORK_CALL },
	{ "entry_SYSCALL_64_fastpath", WORK_CALL }, /* of older kernels */
	{ "entry_SYSCALL_64_safe_stack", WORK_CALL },
	{ "entry_SYSRETQ_unsafe_stack", WORK_CALL },
	{ "invoke_syscall", WORK_CALL },
	{ "syscall_enter_from_user_mode", WORK_CALL },
	{ "syscall_exit_to_user_mode", WORK_CALL },
	{ "syscall_return_via_sysret", WORK_CALL },
	{ "system_call_fastpath", WORK_CALL }, /* of older kernels */
	{ "x64_sys_call", WORK_CALL },
};

/* Of stacks that are about to leave their CPU, or come back to it. */
static const struct {
	const char *function;
	enum overview_wait wait;
} kernel_waits[] = {
	{ "do_futex", WAIT_LOCK },
	{ "futex_wait", WAIT_LOCK },
	{ "futex_wake", WAIT_LOCK },
	{ "anon_pipe_read", WAIT_PIPE },
	{ "anon_pipe_write", WAIT_PIPE },
	{ "pipe_read", WAIT_PIPE },
	{ "pipe_write", WAIT_PIPE },
	{ "inet_recvmsg", WAIT_SOCKET },
	{ "inet6_recvmsg", WAIT_SOCKET },
	{ "sock_recvmsg", WAIT_SOCKET },
	{ "sock_sendmsg", WAIT_SOCKET },
	{ "tcp_recvmsg", WAIT_SOCKET },
	{ "unix_stream_read_generic", WAIT_SOCKET },
	{ "unix_stream_sendmsg", WAIT_SOCKET },
	{ "core_sys_select", WAIT_POLL },
	{ "do_epoll_wait", WAIT_POLL },
	{ "do_poll", WAIT_POLL },
	{ "do_select", WAIT_POLL },
	{ "do_sys_poll", WAIT_POLL },
	{ "ep_poll", WAIT_POLL },
	{ "blkdev_issue_flush", WAIT_DISK },
	{ "file_write_and_wait_range", WAIT_DISK },
	{ "folio_wait_bit_common", WAIT_DISK },
	{ "io_schedule", WAIT_DISK },
	{ "submit_bio_wait", WAIT_DISK },
	{ "wait_on_page_bit_common", WAIT_DISK },
	{ "clock_nanosleep", WAIT_SLEEP },
	{ "common_nsleep", WAIT_SLEEP },
	{ "do_nanosleep", WAIT_SLEEP },
	{ "hrtimer_nanosleep", WAIT_SLEEP },
	{ "do_wait", WAIT_CHILD },
	{ "kernel_wait4", WAIT_CHILD },
};

static const char *const kernel_switches[] = { "__schedule",
					       "finish_task_switch",
					       "finish_task_switch.isra.0",
					       "schedule",
					       "schedule_hrtimeout_range_clock",
					       "try_to_wake_up" };

uint32_t signs_of(const char *name)
{
	uint32_t signs = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kernel_work); i++)
		if (!strcmp(kernel_work[i].function, name))
			signs |= SIGN_WORK(kernel_work[i].work);
	for (size_t i = 0; i < ARRAY_SIZE(kernel_waits); i++)
		if (!strcmp(kernel_waits[i].function, name))
			signs |= SIGN_WAIT(kernel_waits[i].wait);
	for (size_t i = 0; i < ARRAY_SIZE(kernel_switches); i++)
		if (!strcmp(kernel_switches[i], name))
			signs |= SIGN_SWITCH;
	return signs;
}
