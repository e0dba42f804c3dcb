// SPDX-License-Identifier: Apache-2.0
#include "summary/sysnames.h"
#include "test.h"

#include <errno.h>
#include <sys/syscall.h>

TEST(sysnames_of_architectures)
{
	static const struct {
		const char *arch;
		int64_t number;
		const char *event, *name;
	} cases[] = {
		{ "x86_64", 0, "sys_enter", "read" },
		{ "x86_64", 202, "sys_enter", "futex" },
		{ "aarch64", 63, "sys_enter", "read" },
		{ "aarch64", 98, "sys_exit", "futex" },
		{ "i686", 3, "sys_enter", "read" },
		{ "armv7l", 3, "sys_enter", "read" },
		{ NULL, SYS_openat, "sys_enter", "openat" },
		/* The kernel's word for it is not the call's. */
		{ "x86_64", 5, "sys_enter_newfstat", "fstat" },
		{ "x86_64", 9999, "sys_enter_new_one", "new_one" },
		{ "x86_64", 9999, "sys_enter", "syscall 9999" },
		{ "x86_64", -1, "sys_exit", "rt_sigreturn" },
		{ "pdp11", 4, "sys_enter", "syscall 4" },
		{ "pdp11", 4, "sys_exit_write", "write" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sysnames names;
		uint32_t name;

		test_case("%s %lld", cases[i].arch ? cases[i].arch : "this machine",
			  (long long)cases[i].number);
		sysnames_init(&names, cases[i].arch);
		name = sysnames_call(&names, cases[i].number, cases[i].event);
		EXPECT_TEXT(sysnames_text(&names, name), cases[i].name);
		EXPECT_INT(sysnames_call(&names, cases[i].number, cases[i].event), name);
		sysnames_fini(&names);
	}
}

TEST(sysnames_of_errors)
{
	static const struct {
		const char *arch;
		unsigned error;
		const char *name;
	} cases[] = {
		{ "x86_64", ENOENT, "ENOENT" },	   { "x86_64", EAGAIN, "EAGAIN" },
		{ "x86_64", 512, "ERESTARTSYS" },  { "x86_64", 4000, "error 4000" },
		{ "mips64", EDEADLK, "error 35" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[SYSERROR_TEXT];
		struct sysnames names;

		test_case("%s %u", cases[i].arch, cases[i].error);
		sysnames_init(&names, cases[i].arch);
		EXPECT_TEXT(sysnames_error(&names, cases[i].error, text), cases[i].name);
		sysnames_fini(&names);
	}
}

TEST(sysnames_know_failures)
{
	EXPECT(syscall_failed(0, -1));
	EXPECT(syscall_failed(0, -4095));
	EXPECT(!syscall_failed(0, -4096)); /* an address */
	EXPECT(!syscall_failed(0, 0));
	EXPECT(!syscall_failed(SYSCALL_NONE, -4)); /* what the signal had interrupted */
}
