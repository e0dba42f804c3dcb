// SPDX-License-Identifier: Apache-2.0
#include "summary/sysnames.h"

#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where uname's word is not libseccomp's. */
static const struct {
	const char *machine, *seccomp;
} spellings[] = {
	{ "i386", "x86" },   { "i486", "x86" },	  { "i586", "x86" },   { "i686", "x86" },
	{ "armv6l", "arm" }, { "armv7l", "arm" }, { "armv8l", "arm" }, { "arm64", "aarch64" },
};

static uint32_t arch_token(const char *machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++)
		if (!strcmp(machine, spellings[i].machine))
			machine = spellings[i].seccomp;
	return seccomp_arch_resolve_name(machine);
}

/* Those that number their errors in ways of their own. */
static bool has_other_errors(const char *machine)
{
	static const char *const others[] = { "alpha", "mips", "parisc", "sparc" };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strncmp(machine, others[i], strlen(others[i])))
			return true;
	return false;
}

void sysnames_init(struct sysnames *sysnames, const char *arch)
{
	*sysnames = (struct sysnames){ .arch = arch ? arch_token(arch) : seccomp_arch_native() };
	sysnames->other_errors = arch && has_other_errors(arch);
}

/* What follows "sys_enter_" or "sys_exit_"; NULL if nothing does. */
static const char *name_in_event(const char *event)
{
	static const char *const starts[] = { "sys_enter_", "sys_exit_" };

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (!strncmp(event, starts[i], strlen(starts[i])))
			return event + strlen(starts[i]);
	return NULL;
}

static uint32_t new_name(struct sysnames *sysnames, int64_t number, const char *event)
{
	char *known = number >= 0 && number <= INT32_MAX && sysnames->arch
			      ? seccomp_syscall_resolve_num_arch(sysnames->arch, (int)number)
			      : NULL;
	const char *told = name_in_event(event);
	char text[40];
	uint32_t name;

	snprintf(text, sizeof(text), number == SYSCALL_NONE ? "rt_sigreturn" : "syscall %lld",
		 (long long)number);
	name = interner_add(&sysnames->names, known ? known : told ? told : text);
	free(known);
	return name;
}

uint32_t sysnames_call(struct sysnames *sysnames, int64_t number, const char *event)
{
	uint64_t key = (uint64_t)number & UINT32_MAX; /* ~0 is no key */
	uint32_t name = idmap_find(&sysnames->by_number, key);

	if (name == IDMAP_NONE)
		name = idmap_add(&sysnames->by_number, key, new_name(sysnames, number, event));
	return name;
}

const char *sysnames_text(const struct sysnames *sysnames, uint32_t name)
{
	return interner_text(&sysnames->names, name);
}

void sysnames_fini(struct sysnames *sysnames)
{
	interner_free(&sysnames->names);
	idmap_free(&sysnames->by_number);
}

/* Results that the kernel turns into others, or into a new start, before the program sees them. */
static const char *inside_error(unsigned error)
{
	switch (error) {
	case 512: return "ERESTARTSYS";
	case 513: return "ERESTARTNOINTR";
	case 514: return "ERESTARTNOHAND";
	case 515: return "ENOIOCTLCMD";
	case 516: return "ERESTART_RESTARTBLOCK";
	case 517: return "EPROBE_DEFER";
	case 524: return "ENOTSUPP";
	default: return NULL;
	}
}

const char *sysnames_error(const struct sysnames *sysnames, unsigned error,
			   char into[static SYSERROR_TEXT])
{
	const char *name = inside_error(error);

	if (!name && !sysnames->other_errors)
		name = strerrorname_np((int)error);
	snprintf(into, SYSERROR_TEXT, "%s", name ? name : "");
	if (!name)
		snprintf(into, SYSERROR_TEXT, "error %u", error);
	return into;
}
