// SPDX-License-Identifier: Apache-2.0
#include "jobs/unixaccounts.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "jobs/identity.h"
#include "jobs/ownfolder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME	    "unix-accounts"
#define NEW_NAME    NAME ".new"
#define SIZE_MOST   (1 << 20)
#define UID_MIN	    1000 /* where /etc/login.defs says nothing */
#define UID_NOBODY  65534
#define LOGIN_DEFS  "/etc/login.defs"
#define ROOT_FOLDER "supervisor"

/* "PERSON ACCOUNT" a line; a line that is anything else was not written by us. */
static int parse(struct unixaccounts *list, char *text, struct err *err)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		char *space = strchr(line, ' ');

		if (!*line)
			continue;
		if (!space || space == line || !space[1] || strchr(space + 1, ' '))
			return err_set(err, EBADMSG, NAME ": '%s' is not PERSON ACCOUNT", line);
		*vec_push(list) = (struct unixaccount){
			.person = mem_printf("%.*s", (int)(space - line), line),
			.account = mem_strdup(space + 1),
		};
	}
	return 0;
}

static int read_fd(struct unixaccounts *list, int fd, struct err *err)
{
	struct stat info;
	ssize_t got;
	char *text;
	int rc;

	if (fstat(fd, &info) || !S_ISREG(info.st_mode) || info.st_uid || info.st_mode & 022 ||
	    info.st_size > SIZE_MOST)
		return err_set(err, EPERM, NAME ": is not a file that only root may write");
	text = mem_alloc((size_t)info.st_size + 1);
	got = pread(fd, text, (size_t)info.st_size, 0);
	rc = got == info.st_size ? parse(list, text, err)
				 : err_set(err, EIO, NAME ": can't be read");
	free(text);
	return rc;
}

int unixaccounts_read_in(struct unixaccounts *list, int folder, struct err *err)
{
	int fd = openat(folder, NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), rc;

	*list = (struct unixaccounts){ 0 };
	if (fd < 0)
		return errno == ENOENT ? 0 : err_set(err, errno, NAME ": %s", strerror(errno));
	rc = read_fd(list, fd, err);
	close(fd);
	if (rc)
		unixaccounts_free(list);
	return rc;
}

/* Also by the web side, to show it: who reads need not be root, who wrote must be. */
int unixaccounts_read(struct unixaccounts *list, const char *data, struct err *err)
{
	char *path = mem_printf("%s/" ROOT_FOLDER, data);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc;
	struct stat info;

	free(path);
	*list = (struct unixaccounts){ 0 };
	if (folder < 0)
		return errno == ENOENT ? 0
				       : err_set(err, errno, ROOT_FOLDER ": %s", strerror(errno));
	if (fstat(folder, &info) || info.st_uid || info.st_mode & 022)
		rc = err_set(err, EPERM,
			     ROOT_FOLDER " in the data folder is not root's; move it away");
	else
		rc = unixaccounts_read_in(list, folder, err);
	close(folder);
	return rc;
}

void unixaccounts_free(struct unixaccounts *list)
{
	vec_each (line, list) {
		free(line->person);
		free(line->account);
	}
	vec_free(list);
}

const char *unixaccounts_find(const struct unixaccounts *list, const char *person)
{
	vec_each (line, list)
		if (!strcmp(line->person, person))
			return line->account;
	return NULL;
}

static int write_new(int folder, const struct unixaccounts *list, const char *person,
		     const char *account, struct err *err)
{
	int fd = openat(folder, NEW_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
			0644);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int rc = 0;

	if (!out)
		return err_set(err, errno, NEW_NAME ": %s", strerror(errno));
	vec_each (line, list)
		if (strcmp(line->person, person) != 0)
			fprintf(out, "%s %s\n", line->person, line->account);
	if (account)
		fprintf(out, "%s %s\n", person, account);
	fchmod(fd, 0644); /* whatever the umask is: the web side shows it */
	if (fflush(out) || fsync(fd))
		rc = err_set(err, errno, NEW_NAME ": %s", strerror(errno));
	fclose(out);
	return rc;
}

/* The folder's lock: two who add somebody at the same time keep both. */
int unixaccounts_set(const char *data, const char *person, const char *account, struct err *err)
{
	struct unixaccounts list = { 0 };
	int folder = ownfolder_open(data, true, err), rc;

	if (folder < 0)
		return folder;
	flock(folder, LOCK_EX);
	rc = unixaccounts_read_in(&list, folder, err);
	if (!rc)
		rc = write_new(folder, &list, person, account, err);
	if (!rc && renameat(folder, NEW_NAME, folder, NAME))
		rc = err_set(err, errno, NAME ": %s", strerror(errno));
	unixaccounts_free(&list);
	close(folder);
	return rc;
}

static uid_t first_of_people(void)
{
	char *text = file_read(LOGIN_DEFS, NULL, NULL), *line, *rest = text;
	unsigned least = UID_MIN, found;

	while (text && (line = strsep(&rest, "\n")))
		if (sscanf(line, "UID_MIN %u", &found) == 1)
			least = found;
	free(text);
	return least ? least : UID_MIN;
}

int unixaccount_check(const struct identity *who, struct err *err)
{
	if (!who->uid)
		return err_set(err, EPERM,
			       "%s: nobody's programs run as root that way; "
			       "`serve --as-root` is for all of them",
			       who->name);
	if (who->uid < first_of_people() || who->uid == UID_NOBODY || who->uid == (uid_t)-1)
		return err_set(err, EPERM,
			       "%s: is an account of the system (uid %u); choose a person's",
			       who->name, (unsigned)who->uid);
	return 0;
}
