// SPDX-License-Identifier: Apache-2.0
/* The database itself: opening, transactions, and what its failures mean. */
#include "store/sqlite.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "store/migrate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_MS	     5000
#define SHRINK_FROM  (1 << 20)
#define SHRINK_PAGES "256"
#define SHRINK_WHOLE (32 << 20) /* also in memory, and in the journal */

/*
 * WAL lets readers go on while something is written.  FULL: what was committed outlives a power
 * cut, for a run that is taken from the queue must not be taken again after it.  Sorting and the
 * journals of statements happen in memory: the fence lets no temporary file be made.  The first has
 * to come first: a database that is older has it from its next VACUUM on.
 */
#define SETTINGS                            \
	"PRAGMA auto_vacuum = INCREMENTAL;" \
	"PRAGMA journal_mode = WAL;"        \
	"PRAGMA synchronous = FULL;"        \
	"PRAGMA foreign_keys = ON;"         \
	"PRAGMA trusted_schema = OFF;"      \
	"PRAGMA secure_delete = ON;"        \
	"PRAGMA temp_store = MEMORY;"       \
	"PRAGMA cell_size_check = ON;"

static int no_space(struct store *store, struct err *err)
{
	if (store->full)
		store->full(store->full_user);
	return err_set(err, ENOSPC, "the disk is full: %s can't grow", store->path);
}

int db_fail(struct store *store, int code, struct err *err)
{
	int cause = sqlite3_system_errno(store->db);

	/* a journal or its index that can't be extended is an I/O error there, not SQLITE_FULL */
	if ((code & 0xff) == SQLITE_FULL || code == SQLITE_IOERR_SHMSIZE ||
	    (((code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN) &&
	     (cause == ENOSPC || cause == EDQUOT)))
		return no_space(store, err);
	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(err, EBUSY, "%s: another program holds the database; try again",
			       store->path);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return err_set(err, EBADMSG, "%s: damaged, or no database of perfolio's: %s",
			       store->path, sqlite3_errstr(code));
	case SQLITE_READONLY: return err_set(err, EROFS, "%s: can't be written to", store->path);
	case SQLITE_CONSTRAINT:
		return err_set(err, EINVAL, "%s: %s", store->path, sqlite3_errmsg(store->db));
	case SQLITE_TOOBIG: return err_set(err, E2BIG, "%s: text is too long", store->path);
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		if (cause)
			return err_set(err, cause, "%s: %s", store->path, strerror(cause));
		break;
	default: break;
	}
	return err_set(err, EIO, "%s: %s", store->path, sqlite3_errmsg(store->db));
}

int db_run(struct store *store, const char *sql, struct err *err)
{
	int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : db_fail(store, code, err);
}

/* SQLite would go on writing into a file that has no name any more. */
static int check_in_place(struct store *store, struct err *err)
{
	int moved = 0;

	sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	if (!moved)
		return 0;
	return err_set(err, ESTALE, "%s: the database was removed or replaced; start again",
		       store->path);
}

static int begin(struct store *store, const char *how, struct err *err)
{
	int rc;

	pthread_mutex_lock(&store->lock);
	if (store->depth++)
		return store->begun ? 0 : err_set(err, EIO, "nothing was begun");
	rc = check_in_place(store, err);
	if (!rc)
		rc = db_run(store, how, err);
	store->begun = !rc;
	return rc;
}

int db_read(struct store *store, struct err *err)
{
	return begin(store, "BEGIN", err);
}

int db_write(struct store *store, struct err *err)
{
	return begin(store, "BEGIN IMMEDIATE", err);
}

static int end(struct store *store, int rc, struct err *err)
{
	if (store->begun && rc >= 0) {
		int failed = db_run(store, "COMMIT", err);

		rc = failed ? failed : rc;
	}
	/* some failures have rolled back already */
	if (store->begun && rc < 0 && !sqlite3_get_autocommit(store->db))
		db_run(store, "ROLLBACK", NULL);
	store->begun = false;
	return rc;
}

int db_done(struct store *store, int rc, struct err *err)
{
	if (!--store->depth)
		rc = end(store, rc, err);
	pthread_mutex_unlock(&store->lock);
	return rc;
}

int store_begin(struct store *store, struct err *err)
{
	return db_write(store, err);
}

int store_end(struct store *store, int rc, struct err *err)
{
	return db_done(store, rc, err);
}

int64_t db_before(const struct page *page)
{
	return page->before > 0 ? page->before : INT64_MAX;
}

int db_limit(int limit)
{
	return limit > 0 ? limit : 100;
}

/* A column's words with the NULs between them as blanks; the caller frees it. */
static char *column_text(sqlite3_value *value)
{
	const char *bytes = sqlite3_value_blob(value);
	int size = sqlite3_value_bytes(value);
	char *text = mem_alloc((size_t)size + 1);

	for (int i = 0; i < size; i++)
		text[i] = bytes[i] ? bytes[i] : ' ';
	return text;
}

static bool in_some_column(const char *word, sqlite3_value **columns, int count)
{
	bool found = false;

	for (int i = 0; i < count && !found; i++) {
		char *text = column_text(columns[i]);

		found = text_contains(text, word);
		free(text);
	}
	return found;
}

/* has_words(SEARCH, COLUMN...): whether every word of SEARCH is in some column, case aside. */
static void has_words(sqlite3_context *context, int count, sqlite3_value **values)
{
	char *search = column_text(values[0]), *rest = search, *word;
	bool all = true;

	while (all && (word = strsep(&rest, " \t\n")))
		all = !*word || in_some_column(word, values + 1, count - 1);
	free(search);
	sqlite3_result_int(context, all);
}

/* Made before SQLite does, which would let everybody read it; the journals take its mode over. */
static int make_file(const char *path, struct err *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct stat info;
	int rc = 0;

	if (fd < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (fstat(fd, &info))
		rc = err_set(err, errno, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(info.st_mode))
		rc = err_set(err, EINVAL, "%s: not a file", path);
	else if ((info.st_mode & 077) && fchmod(fd, 0600))
		rc = err_set(err, errno, "%s: others may read it: %s", path, strerror(errno));
	close(fd);
	return rc;
}

static int prepare(struct store *store, const struct store_options *options, struct err *err)
{
	int code = sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READWRITE, NULL);

	if (code != SQLITE_OK)
		return db_fail(store, code, err);
	sqlite3_extended_result_codes(store->db, 1);
	sqlite3_busy_timeout(store->db, options && options->busy_ms ? options->busy_ms : BUSY_MS);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	code = sqlite3_create_function(store->db, "has_words", -1,
				       SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, has_words, NULL,
				       NULL);
	if (code != SQLITE_OK)
		return db_fail(store, code, err);
	return db_run(store, SETTINGS, err);
}

static void init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

static struct store *connect(const char *path, const struct store_options *options, struct err *err)
{
	struct store *store = mem_alloc(sizeof(*store));

	store->path = mem_strdup(path);
	init_lock(&store->lock);
	if (options) {
		store->full = options->full;
		store->full_user = options->user;
	}
	if (!prepare(store, options, err))
		return store;
	store_close(store);
	return NULL;
}

struct store *store_open(const char *path, const struct store_options *options, struct err *err)
{
	struct store *store = make_file(path, err) ? NULL : connect(path, options, err);

	if (store && migrate(store, store_migrations, store_migration_count, err)) {
		store_close(store);
		return NULL;
	}
	return store;
}

/* Not as the first: to open and close the file ourselves would take the locks of that one away. */
struct store *store_open_again(const struct store *store, struct err *err)
{
	return connect(store->path, NULL, err);
}

int store_version(struct store *store, int64_t *version, struct err *err)
{
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store, "PRAGMA data_version");
		rc = stmt_number(&q, version, err);
	}
	return db_done(store, rc, err);
}

static int pragma_number(struct store *store, const char *sql, int64_t *into, struct err *err)
{
	struct stmt q;

	stmt_open(&q, store, sql);
	return stmt_number(&q, into, err);
}

int store_size(struct store *store, int64_t *used, int64_t *spare, struct err *err)
{
	int64_t page = 0, pages = 0, free_pages = 0;
	int rc = db_read(store, err);

	if (!rc)
		rc = pragma_number(store, "PRAGMA page_size", &page, err);
	if (!rc)
		rc = pragma_number(store, "PRAGMA page_count", &pages, err);
	if (!rc)
		rc = pragma_number(store, "PRAGMA freelist_count", &free_pages, err);
	*used = (pages - free_pages) * page;
	*spare = free_pages * page;
	return db_done(store, rc, err);
}

/* One step; what it leaves is the new *spare. */
static int shrink(struct store *store, int64_t *spare, struct err *err)
{
	int64_t used;
	int rc = db_write(store, err);

	if (!rc)
		rc = db_run(store, "PRAGMA incremental_vacuum(" SHRINK_PAGES ")", err);
	rc = db_done(store, rc, err);
	return rc ? rc : store_size(store, &used, spare, err);
}

/* Of an older one: all of it is written anew, in memory at first. */
static int shrink_whole(struct store *store, struct err *err)
{
	int64_t used, spare;
	int rc = store_size(store, &used, &spare, err);

	return rc || spare < used || used > SHRINK_WHOLE ? rc : store_scrub(store, err);
}

int store_shrink(struct store *store, struct err *err)
{
	int64_t used, before, spare;
	int rc = store_size(store, &used, &spare, err);

	if (rc || spare < SHRINK_FROM)
		return rc;
	do {
		before = spare;
		rc = shrink(store, &spare, err);
	} while (!rc && spare && spare < before);
	if (!rc && spare >= SHRINK_FROM)
		return shrink_whole(store, err);
	pthread_mutex_lock(&store->lock);
	if (!rc) /* until then the file is as long as before */
		rc = db_run(store, "PRAGMA wal_checkpoint(TRUNCATE)", err);
	pthread_mutex_unlock(&store->lock);
	return rc;
}

int store_scrub(struct store *store, struct err *err)
{
	int rc;

	pthread_mutex_lock(&store->lock);
	/* in memory: the web side may make no files elsewhere */
	rc = db_run(store, "PRAGMA temp_store = MEMORY; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)",
		    err);
	pthread_mutex_unlock(&store->lock);
	return rc;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	sqlite3_close(store->db);
	pthread_mutex_destroy(&store->lock);
	free(store->path);
	free(store);
}
