// SPDX-License-Identifier: Apache-2.0
#include "cmd/serve_options.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "jobs/policy.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MOST (1ULL << 62) /* sums of two still fit into a signed number */

static int parse_bytes(const char *text, uint64_t *bytes, struct err *err)
{
	static const char units[] = "KMGT";
	char *end;
	const char *unit;
	unsigned long long value;
	unsigned shift;

	errno = 0;
	value = strtoull(text, &end, 10);
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (!isdigit((unsigned char)*text) || errno || (*end && (!unit || end[1])))
		return err_set(err, EINVAL, "needs a size like 500M or 20G; 0: no limit");
	shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	if (value > SIZE_MOST >> shift)
		return err_set(err, EINVAL, "%s is more than any disk holds; 0: no limit", text);
	*bytes = value << shift;
	return 0;
}

static int set_output(void *options, const char *text, bool unset, struct err *err)
{
	(void)unset;
	return parse_bytes(text, &((struct serve_options *)options)->max_output, err);
}

static int set_disk(void *options, const char *text, bool unset, struct err *err)
{
	(void)unset;
	return parse_bytes(text, &((struct serve_options *)options)->max_disk, err);
}

static int set_share(void *options, const char *text, bool unset, struct err *err)
{
	char *end;
	unsigned long percent = strtoul(text, &end, 10);

	(void)unset;
	if (!isdigit((unsigned char)*text) || *end || percent < 1 || percent > 100)
		return err_set(err, EINVAL, "needs a percentage from 1 to 100");
	((struct serve_options *)options)->max_share = percent;
	return 0;
}

static int set_export(void *options, const char *text, bool unset, struct err *err)
{
	(void)unset;
	return parse_bytes(text, &((struct serve_options *)options)->max_export, err);
}

static int set_run_memory(void *options, const char *text, bool unset, struct err *err)
{
	(void)unset;
	return parse_bytes(text, &((struct serve_options *)options)->run_memory, err);
}

static int set_run_cpu(void *options, const char *text, bool unset, struct err *err)
{
	struct serve_options *o = options;
	char *end;
	double cpus = strtod(text, &end);

	(void)unset;
	if (!isdigit((unsigned char)*text) || *end || !(cpus >= 0 && cpus <= 1e6))
		return err_set(err, EINVAL, "needs a number of CPUs like 2 or 0.5; 0: no limit");
	o->run_cpu = (uint64_t)(cpus * 1000 + 0.5);
	return 0;
}

static int set_memory(void *options, const char *text, bool unset, struct err *err)
{
	(void)unset;
	return parse_bytes(text, &((struct serve_options *)options)->analyser_memory, err);
}

#define FIELD(name) offsetof(struct serve_options, name)

const struct option_spec serve_option_specs[] = {
	{ OPT_HEADING, .help = "Where" },
	{ OPT_TEXT, 0, "listen", FIELD(listen), "ADDRESS",
	  "ADDR:PORT, PORT or unix:PATH; default: 127.0.0.1 and the first free port from 7700 on" },
	{ OPT_TEXT, 0, "data", FIELD(data), "DIR",
	  "the folder of sessions and recordings; $XDG_DATA_HOME/perfolio, root: "
	  "/var/lib/perfolio" },
	{ OPT_LIST, 0, "name", FIELD(names), "HOST",
	  "a further name by which browsers reach it; may be repeated" },
	{ OPT_TEXT, 0, "tls-cert", FIELD(tls_cert), "FILE", "the certificate for https, PEM" },
	{ OPT_TEXT, 0, "tls-key", FIELD(tls_key), "FILE", "and its key" },
	{ OPT_TEXT, 0, "config", FIELD(config), "FILE",
	  "lines of NAME = VALUE with the names of these options; the command line counts more" },

	{ OPT_FLAG, 0, "insecure", FIELD(insecure), NULL,
	  "plain HTTP for other machines: behind a proxy or tunnel that encrypts" },

	{ OPT_HEADING, .help = "Who" },
	{ OPT_FLAG, 0, "open", FIELD(open), NULL,
	  "nobody need sign in; only for addresses of this machine" },
	{ OPT_TEXT, 0, "user", FIELD(user), "NAME",
	  "start programs as this user; default: the one who called sudo, nobody or daemon" },
	{ OPT_FLAG, 0, "as-root", FIELD(as_root), NULL, "start programs as root" },
	{ OPT_TEXT, 0, "web-user", FIELD(web_user), "NAME",
	  "answer requests as this user; default: perfolio, or nobody" },

	{ OPT_HEADING, .help = "What is allowed" },
	{ OPT_TEXT, 0, "deny", FIELD(deny), "LIST",
	  "attach (to processes that run already), users (other than --user), host (all of it)" },
	{ OPT_TEXT, 0, "allow", FIELD(allow), "LIST",
	  "the same words: also when others have accounts; default: only one's own processes "
	  "then" },
	{ OPT_FLAG, 0, "private-tmp", FIELD(private_tmp), NULL,
	  "give each run a /tmp, /var/tmp and /dev/shm of its own; default: yes" },
	{ OPT_TEXT, 0, "run-network", FIELD(run_network), "WHICH",
	  "what runs reach: none, loopback (one of their own) or full; default: full" },
	{ OPT_LIST, 0, "webhook", FIELD(webhooks), "URL",
	  "runs may have addresses that begin so told of their end: http://127.0.0.1:9000/ci; may "
	  "be repeated" },
	{ OPT_DURATION, 0, "max-runtime", FIELD(max_runtime_ns), "TIME",
	  "end a run after this time; default: 1h", .unit_ns = NS_PER_SEC },
	{ OPT_CALL, 0, "max-output", 0, "SIZE",
	  "how much of a program's output to keep; default: 64M", .call = set_output },
	{ OPT_CALL, 0, "max-disk", 0, "SIZE",
	  "how much files and database may take: runs end there, and others wait; default: 20G",
	  .call = set_disk },
	{ OPT_CALL, 0, "max-share", 0, "PERCENT",
	  "of that disk space one person may have, the owner aside; default: 50",
	  .call = set_share },
	{ OPT_CALL, 0, "max-export", 0, "SIZE",
	  "refuse downloads in other formats that would be larger; default: 2G",
	  .call = set_export },
	{ OPT_CALL, 0, "run-memory", 0, "SIZE",
	  "memory of a run, all its processes together; default: three quarters of the machine's",
	  .call = set_run_memory },
	{ OPT_U64, 0, "run-tasks", FIELD(run_tasks), "N",
	  "processes and threads of a run at the same time; 0: no limit; default: 4096" },
	{ OPT_CALL, 0, "run-cpu", 0, "CPUS", "CPUs that a run may use: 2, 0.5; default: all",
	  .call = set_run_cpu },
	{ OPT_CALL, 0, "analyser-memory", 0, "SIZE",
	  "memory for analysing one recording or import; default: half of the machine's",
	  .call = set_memory },
	{ OPT_DURATION, 0, "analyser-time", FIELD(analyser_ns), "TIME",
	  "and CPU time; default: 10min", .unit_ns = NS_PER_SEC },

	{ OPT_HEADING, .help = "Instead of serving" },
	{ OPT_FLAG, 0, "gc", FIELD(gc), NULL,
	  "delete what was removed and files that nothing refers to, and end" },
	{ OPT_TEXT, 0, "role", FIELD(role), "ROLE", "", .hidden = true },
	{ OPT_FLAG, 0, "imported", FIELD(imported), NULL, "", .hidden = true },
	{ OPT_TEXT, 0, "run-user", FIELD(run_user), "", "", .hidden = true },
	{ 0 },
};

const struct serve_options serve_option_defaults = {
	.private_tmp = true,
	.max_runtime_ns = 3600 * NS_PER_SEC,
	.max_output = 64ULL << 20,
	.max_disk = 20ULL << 30,
	.max_share = 50,
	.max_export = 2ULL << 30,
	.run_memory = POLICY_BY_MACHINE,
	.run_tasks = 4096,
	.analyser_ns = 600 * NS_PER_SEC,
};

static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

/* A line as an option: "open = yes" is a flag, "open = no" its opposite. */
static int add_line(struct strlist *words, char *line, struct err *err)
{
	char *equals = strchr(line, '='), *name, *value, *word;

	if (!equals)
		return err_set(err, EINVAL, "'%s': must be NAME = VALUE", line);
	*equals = '\0';
	name = trim(line);
	value = trim(equals + 1);
	for (const struct option_spec *spec = serve_option_specs; spec->kind; spec++) {
		if (!spec->long_name || spec->hidden || strcmp(spec->long_name, name) != 0 ||
		    !strcmp(name, "config") || !strcmp(name, "gc"))
			continue;
		if (spec->kind != OPT_FLAG)
			word = mem_printf("--%s=%s", name, value);
		else if (!strcmp(value, "yes") || !strcmp(value, "no"))
			word = mem_printf("--%s%s", *value == 'y' ? "" : "no-", name);
		else
			return err_set(err, EINVAL, "%s: yes or no", name);
		strlist_add(words, word);
		free(word);
		return 0;
	}
	return err_set(err, EINVAL, "unknown setting '%s' of the server", name);
}

static int read_file(struct strlist *words, const char *path, struct err *err)
{
	char *text = file_read(path, NULL, err), *next = text, *line;
	int rc = text ? 0 : -err->code;

	for (int number = 1; !rc && (line = strsep(&next, "\n")); number++) {
		line[strcspn(line, "#")] = '\0';
		line = trim(line);
		if (*line)
			rc = add_line(words, line, err);
		if (rc)
			err_prefix(err, "%s:%d", path, number);
	}
	free(text);
	return rc;
}

/* The command line again, since the words of the file come before it. */
static void add_own_words(struct strlist *words)
{
	size_t size = 0, at;
	char *text = file_read("/proc/self/cmdline", &size, NULL);

	/* without the program's name and the command's */
	at = text && size ? strlen(text) + 1 : 0;
	if (at < size)
		at += strlen(text + at) + 1;
	for (; text && at < size; at += strlen(text + at) + 1)
		strlist_add(words, text + at);
	free(text);
}

int serve_options_read(struct serve_options *options, struct err *err)
{
	struct serve_options again = serve_option_defaults;
	struct options_result result;
	int rc;

	if (!options->config)
		return 0;
	strlist_add(&again.kept, "serve");
	rc = read_file(&again.kept, options->config, err);
	add_own_words(&again.kept);
	if (!rc)
		rc = options_parse(serve_option_specs, &again, (int)again.kept.len, again.kept.data,
				   false, &result, err);
	serve_options_release(options);
	*options = again;
	return rc;
}

int serve_options_check(const struct serve_options *o, struct err *err)
{
	if (!o->tls_cert != !o->tls_key)
		return err_set(err, EINVAL, "--tls-cert and --tls-key go together");
	if (o->max_runtime_ns < 0)
		return err_set(err, EINVAL, "--max-runtime: how long a run may take; 0: any time");
	if (o->analyser_ns < NS_PER_SEC)
		return err_set(err, EINVAL, "--analyser-time: a second or more");
	return 0;
}

void serve_options_release(void *options)
{
	struct serve_options *o = options;

	strlist_free(&o->names);
	strlist_free(&o->webhooks);
	strlist_free(&o->kept);
}
