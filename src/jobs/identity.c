// SPDX-License-Identifier: Apache-2.0
#include "jobs/identity.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static void take(struct identity *identity, const struct passwd *account)
{
	*identity = (struct identity){
		.uid = account->pw_uid,
		.gid = account->pw_gid,
		.name = mem_strdup(account->pw_name),
		.home = mem_strdup(account->pw_dir),
		.shell = mem_strdup(*account->pw_shell ? account->pw_shell : "/bin/sh"),
	};
}

int identity_find(struct identity *identity, const char *user, struct err *err)
{
	struct passwd *account = getpwnam(user);
	char *end;
	unsigned long number = strtoul(user, &end, 10);

	if (!account && *user && !*end && number < (uid_t)-1)
		account = getpwuid((uid_t)number);
	if (!account)
		return err_set(err, ENOENT, "there is no user '%s' on this machine", user);
	take(identity, account);
	return 0;
}

void identity_of(struct identity *identity, uid_t uid, gid_t gid)
{
	struct passwd *account = getpwuid(uid);

	if (account) {
		take(identity, account);
		identity->gid = gid;
		return;
	}
	*identity = (struct identity){
		.uid = uid,
		.gid = gid,
		.name = mem_printf("%u", (unsigned)uid),
		.home = mem_strdup("/"),
		.shell = mem_strdup("/bin/sh"),
	};
}

void identity_copy(struct identity *identity, const struct identity *from)
{
	*identity = (struct identity){
		.uid = from->uid,
		.gid = from->gid,
		.name = mem_strdup(from->name),
		.home = mem_strdup(from->home),
		.shell = mem_strdup(from->shell),
	};
}

void identity_fini(struct identity *identity)
{
	free(identity->name);
	free(identity->home);
	free(identity->shell);
	*identity = (struct identity){ 0 };
}

int identity_become(const struct identity *identity)
{
	if (identity->uid == geteuid() && identity->uid == getuid())
		return 0;
	if (setgroups(1, &identity->gid) ||
	    setresgid(identity->gid, identity->gid, identity->gid) ||
	    setresuid(identity->uid, identity->uid, identity->uid))
		return -errno;
	return setuid(0) == 0 ? -EPERM : 0; /* a way back would be a hole */
}

int identity_stay(const struct identity *identity)
{
	return identity->uid && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}
