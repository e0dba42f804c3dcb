// SPDX-License-Identifier: Apache-2.0
#include "cmd/doctor_server.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/jsonread.h"
#include "base/text.h"
#include "cmd/server_folder.h"
#include "doctor/doctor.h"
#include "jobs/identity.h"
#include "jobs/serving.h"
#include "jobs/unixaccounts.h"
#include "store/datadir.h"
#include "store/people.h"
#include "store/room.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json_c_version.h>
#include <linux/landlock.h>
#include <pwd.h>
#include <seccomp.h>
#include <sodium.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOW_SHARE 10 /* of the disk, in hundredths: less is little */

/* What is known before anything is said. */
struct installation {
	struct doctor *doctor;
	const char *data;
	struct json_object *serving; /* how the last server was set up; NULL: nobody knows */
	bool runs;
	struct stat folder;
	struct users users;
	struct unixaccounts accounts;
	size_t runners; /* users who may run programs */
	size_t sharing; /* of them, those without a Unix account of their own */
	int64_t used;
	struct disk disk;
};

static void __attribute__((format(printf, 6, 7)))
say(struct installation *i, const char *area, const char *id, const char *title,
    enum doctor_state state, const char *format, ...)
{
	struct buf text = { 0 };
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	*vec_push(&i->doctor->findings) = (struct finding){
		.id = id,
		.area = area,
		.title = title,
		.state = state,
		.what = arena_strdup(&i->doctor->arena, buf_text(&text)),
	};
	buf_free(&text);
}

static void remedy(struct installation *i, const char *text)
{
	vec_last(&i->doctor->findings)->remedy = text;
}

static bool flag(const struct installation *i, const char *name)
{
	struct json_object *value;

	return i->serving && json_object_object_get_ex(i->serving, name, &value) &&
	       json_object_get_boolean(value);
}

static const char *text(const struct installation *i, const char *name)
{
	return i->serving ? jsonread_text(i->serving, name, "") : "";
}

static int64_t number(const struct installation *i, const char *name)
{
	struct json_object *value;

	return i->serving && json_object_object_get_ex(i->serving, name, &value)
		       ? json_object_get_int64(value)
		       : 0;
}

/* ---- who gets in ---- */

static void look_at_address(struct installation *i)
{
	const char *origin = text(i, "origin"), *socket = text(i, "socket");
	bool loopback = flag(i, "loopback"), tls = flag(i, "tls");

	say(i, "Reach", "server-runs", "Server", i->runs ? DOCTOR_OK : DOCTOR_UNKNOWN,
	    i->runs ? "it runs" : "it does not run; this is how it was set up last");
	if (*socket)
		say(i, "Reach", "server-address", "Address", DOCTOR_OK,
		    "%s: a socket of this machine", socket);
	else
		say(i, "Reach", "server-address", "Address", DOCTOR_OK, "%s: %s", origin,
		    loopback ? "only this machine reaches it" : "other machines reach it");
	if (tls)
		say(i, "Reach", "server-tls", "Encryption", DOCTOR_OK, "TLS");
	else if (loopback || *socket)
		say(i, "Reach", "server-tls", "Encryption", DOCTOR_OK,
		    "none, which is fine on one machine");
	else {
		say(i, "Reach", "server-tls", "Encryption", DOCTOR_MISSING,
		    "plain HTTP goes to other machines: passwords and results can be read on the "
		    "way");
		remedy(i, "give --tls-cert and --tls-key, or --listen 127.0.0.1 behind a proxy "
			  "with TLS");
	}
	if (flag(i, "open")) {
		say(i, "Reach", "server-sign-in", "Signing in", DOCTOR_LIMITED,
		    "nobody need sign in (--open): every program of this machine can start "
		    "others here");
		remedy(i, "serve without --open where others use this machine");
	} else {
		say(i, "Reach", "server-sign-in", "Signing in", DOCTOR_OK, "everybody has to");
	}
}

static void look_at_accounts(struct installation *i)
{
	const char *workload = text(i, "workload_user");

	if (!i->users.len)
		say(i, "People", "server-accounts", "Accounts", DOCTOR_OK, "the owner alone");
	else if (!i->runners)
		say(i, "People", "server-accounts", "Accounts", DOCTOR_OK,
		    "%zu besides the owner, who may only look: no program runs for %s",
		    i->users.len, i->users.len == 1 ? "this one" : "these");
	else if (!i->sharing)
		say(i, "People", "server-accounts", "Accounts", DOCTOR_OK,
		    "%zu besides the owner; %s a Unix account of their own", i->users.len,
		    i->runners == 1 ? "the one who may run programs has"
				    : "those who may run programs have each");
	else if (i->users.len == 1 && unixaccounts_find(&i->accounts, "owner"))
		say(i, "People", "server-accounts", "Accounts", DOCTOR_OK,
		    "one besides the owner, who has a Unix account of their own");
	else {
		say(i, "People", "server-accounts", "Accounts", DOCTOR_LIMITED,
		    "%zu besides the owner, of whom %zu run programs as %s, as the owner does: "
		    "these can read and stop each other's",
		    i->users.len, i->sharing, *workload ? workload : "one Unix account");
		remedy(i, "`perfolio user change --unix ACCOUNT NAME`, as root");
	}
	vec_each (line, &i->accounts) {
		struct identity who = { 0 };
		struct err why = { 0 };

		if (identity_find(&who, line->account, &why) || unixaccount_check(&who, &why)) {
			say(i, "People", "server-unix-account", "Unix account", DOCTOR_MISSING,
			    "runs of %s fail: %s", line->person, why.text);
			remedy(i, "`perfolio user change --unix ACCOUNT NAME` with another");
		}
		identity_fini(&who);
	}
	if (!i->users.len)
		return;
	if (flag(i, "allow_others")) {
		say(i, "People", "server-others", "Others' processes", DOCTOR_LIMITED,
		    "--allow: runners may measure what others run, with what is on its stacks");
		remedy(i, "serve without --allow where that is not meant");
	} else {
		say(i, "People", "server-others", "Others' processes", DOCTOR_OK,
		    "runners measure their own alone");
	}
}

/* ---- what runs may do ---- */

static const char *size_text(struct installation *i, int64_t bytes)
{
	char room[TEXT_NUMBER];

	return arena_strdup(&i->doctor->arena, text_bytes(room, (uint64_t)bytes));
}

/* A limit of control groups: said, and held by the machine. */
static void look_at_limit(struct installation *i, const char *id, const char *title,
			  const char *most, bool held, const char *option)
{
	if (*most && held) {
		say(i, "Runs", id, title, DOCTOR_OK, "%s", most);
		return;
	}
	say(i, "Runs", id, title, DOCTOR_LIMITED,
	    *most ? "%s, which nothing here holds runs to: there is no control group for it"
		  : "%snone: a run can take what the server needs",
	    most);
	remedy(i, *most ? "serve as root, or have systemd delegate that controller" : option);
}

static void look_at_limits(struct installation *i)
{
	int64_t memory = number(i, "run_memory"), tasks = number(i, "run_tasks");
	char count[TEXT_NUMBER] = "";

	if (tasks)
		text_grouped(count, (uint64_t)tasks);
	look_at_limit(i, "server-memory", "Memory", memory ? size_text(i, memory) : "",
		      flag(i, "memory_held"), "--run-memory");
	look_at_limit(i, "server-tasks", "Processes", count, flag(i, "tasks_held"), "--run-tasks");
}

static void look_at_runs(struct installation *i)
{
	const char *network = text(i, "run_network"), *why = text(i, "private_tmp_why");
	char time[TEXT_NUMBER];
	int64_t runtime = strtoll(text(i, "max_runtime_ns"), NULL, 10);

	if (flag(i, "as_root")) {
		say(i, "Runs", "server-user", "Run as", DOCTOR_MISSING,
		    "root (--as-root): whoever starts a run can do everything on this machine");
		remedy(i, "serve with --user NAME");
	} else {
		say(i, "Runs", "server-user", "Run as", DOCTOR_OK, "%s", text(i, "workload_user"));
	}
	if (flag(i, "private_tmp")) {
		say(i, "Runs", "server-private-tmp", "Their /tmp", DOCTOR_OK, "their own");
	} else {
		say(i, "Runs", "server-private-tmp", "Their /tmp", DOCTOR_LIMITED,
		    "the machine's, which others read and write%s%s", *why ? ": " : "", why);
		remedy(i, *why ? NULL : "private-tmp = yes");
	}
	say(i, "Runs", "server-network", "Their network",
	    i->users.len && !strcmp(network, "full") ? DOCTOR_LIMITED : DOCTOR_OK, "%s%s", network,
	    !strcmp(network, "full") ? ": they reach all that the machine reaches" : "");
	if (i->users.len && !strcmp(network, "full"))
		remedy(i, "--run-network loopback, if they need none");
	if (runtime) {
		say(i, "Runs", "server-runtime", "Time limit", DOCTOR_OK, "%s",
		    text_duration(time, runtime));
	} else {
		say(i, "Runs", "server-runtime", "Time limit", DOCTOR_LIMITED,
		    "none: a run that hangs holds up the queue");
		remedy(i, "--max-runtime");
	}
}

/* ---- where it is kept ---- */

static void look_at_room(struct installation *i)
{
	int64_t quota = number(i, "max_disk"), left = i->disk.left;
	enum doctor_state state = left < i->disk.floor			   ? DOCTOR_MISSING
				  : left < i->disk.total * LOW_SHARE / 100 ? DOCTOR_LIMITED
									   : DOCTOR_OK;

	say(i, "Disk", "server-space", "Free space", state,
	    "%s of %s; the last %s are the database's", size_text(i, left),
	    size_text(i, i->disk.total), size_text(i, i->disk.floor));
	if (state != DOCTOR_OK)
		remedy(i, "remove runs, or make room on the disk of the data folder");
	if (!quota) {
		say(i, "Disk", "server-quota", "Limit", DOCTOR_LIMITED,
		    "none: results take %s, and may take all there is", size_text(i, i->used));
		remedy(i, "--max-disk");
		return;
	}
	state = i->used >= quota	    ? DOCTOR_MISSING
		: i->used >= quota * 9 / 10 ? DOCTOR_LIMITED
					    : DOCTOR_OK;
	say(i, "Disk", "server-quota", "Limit", state, "%s of %s are used", size_text(i, i->used),
	    size_text(i, quota));
	if (state != DOCTOR_OK)
		remedy(i, "remove runs, or raise --max-disk");
}

static void look_at_modes(struct installation *i)
{
	struct passwd *owner = getpwuid(i->folder.st_uid);
	char *database = mem_printf("%s/perfolio.db", i->data);
	struct stat info = { 0 };
	bool open = i->folder.st_mode & 077 || (!stat(database, &info) && info.st_mode & 077);

	free(database);
	say(i, "Disk", "server-folder", "Data folder", open ? DOCTOR_MISSING : DOCTOR_OK,
	    "%s, of user %s, mode %03o%s", i->data, owner ? owner->pw_name : "?",
	    (unsigned)i->folder.st_mode & 0777, open ? ": others may look into it" : "");
	if (open)
		remedy(i, "chmod 700 the folder, and 600 its perfolio.db");
}

static void look_at_versions(struct installation *i)
{
	long landlock = syscall(SYS_landlock_create_ruleset, NULL, 0,
				LANDLOCK_CREATE_RULESET_VERSION);
	const struct scmp_version *seccomp = seccomp_version();
	const char *version = text(i, "perfolio");

	say(i, "Versions", "server-version", "perfolio",
	    strcmp(version, PERFOLIO_VERSION) ? DOCTOR_LIMITED : DOCTOR_OK, "%s%s%s", version,
	    strcmp(version, PERFOLIO_VERSION) ? "; this program is " : "",
	    strcmp(version, PERFOLIO_VERSION) ? PERFOLIO_VERSION : "");
	if (strcmp(version, PERFOLIO_VERSION) != 0)
		remedy(i, "restart the server");
	say(i, "Versions", "server-libraries", "Libraries", DOCTOR_OK,
	    "SQLite %s, libsodium %s, libseccomp %u.%u.%u, json-c %s", sqlite3_libversion(),
	    sodium_version_string(), seccomp->major, seccomp->minor, seccomp->micro,
	    json_c_version());
	if (landlock > 0) {
		say(i, "Versions", "server-landlock", "Fences", DOCTOR_OK,
		    "the kernel has Landlock (version %ld) and seccomp", landlock);
	} else {
		say(i, "Versions", "server-landlock", "Fences", DOCTOR_LIMITED,
		    "the kernel has no Landlock: a web side that is taken over can read what its "
		    "user may");
		remedy(i, "Linux 5.13 or later, with landlock among its security modules");
	}
}

/* ---- all of it ---- */

/* A server holds the lock of the folder itself: jobs/folder.h. */
static bool is_served(const char *data)
{
	int fd = open(data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool served = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return served;
}

/* The supervisor's part as who it belongs to, the rows as the folder's owner. */
static int learn(struct installation *i, struct err *err)
{
	struct datadir *dir;
	struct err why = { 0 };
	int fd, rc;

	if (stat(i->data, &i->folder) || !file_exists("%s/perfolio.db", i->data))
		return err_set(err, ENOENT, "%s: no server has used this folder", i->data);
	i->runs = is_served(i->data);
	i->serving = serving_read(i->data, &why);
	rc = server_folder_become_owner(i->data, err);
	if (!rc && !i->serving) /* of a server that its owner started */
		i->serving = serving_read(i->data, &why);
	if (!rc)
		rc = unixaccounts_read(&i->accounts, i->data, err);
	dir = rc ? NULL : datadir_open(i->data, DATADIR_ROWS, err);
	if (!rc && !dir)
		rc = -err->code;
	if (!rc)
		rc = store_user_list(datadir_store(dir), &i->doctor->arena, &i->users, err);
	if (!rc)
		rc = datadir_bytes(dir, &i->used, err);
	datadir_close(dir);
	fd = open(i->data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!rc && (fd < 0 || disk_look(fd, &i->disk)))
		rc = err_set(err, errno, "%s: %s", i->data, strerror(errno));
	if (fd >= 0)
		close(fd);
	server_folder_leave();
	vec_each (user, &i->users) {
		i->runners += user->role != ROLE_VIEWER;
		i->sharing += user->role != ROLE_VIEWER &&
			      !unixaccounts_find(&i->accounts, user->name);
	}
	return rc;
}

int doctor_server(struct doctor *doctor, const char *data, struct err *err)
{
	char *path = server_folder(data);
	struct installation i = { .doctor = doctor };
	int rc;

	*doctor = (struct doctor){
		.works = true, .works_text = "", .limited_text = "", .missing_text = ""
	};
	i.data = arena_strdup(&doctor->arena, path);
	free(path);
	rc = learn(&i, err);
	if (!rc && i.serving) {
		look_at_address(&i);
		look_at_accounts(&i);
		look_at_runs(&i);
		look_at_limits(&i);
	} else if (!rc) {
		say(&i, "Reach", "server-runs", "Server", DOCTOR_UNKNOWN,
		    "how it is set up is not known: none of this version has served the folder");
		remedy(&i, "start it, and look again");
		look_at_accounts(&i);
	}
	if (!rc) {
		look_at_room(&i);
		look_at_modes(&i);
	}
	if (!rc && i.serving)
		look_at_versions(&i);
	vec_each (finding, &doctor->findings)
		doctor->works = doctor->works && finding->state != DOCTOR_MISSING;
	json_object_put(i.serving);
	unixaccounts_free(&i.accounts);
	vec_free(&i.users);
	return rc == -EINVAL ? -EIO : rc; /* never wrong usage */
}
