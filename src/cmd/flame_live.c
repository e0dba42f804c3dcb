// SPDX-License-Identifier: Apache-2.0
#include "cmd/flame_live.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "cmd/record_options.h"
#include "cmd/script.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Copied stacks of more CPUs than this are more than a disk is likely to take. */
#define MOST_CPUS_COPIED 16

/* What a file's name may hold of it. */
static void add_clean(struct buf *into, const char *text)
{
	for (const char *c = text; *c; c++)
		buf_putc(into, isalnum((unsigned char)*c) || strchr("._-+", *c) ? *c : '_');
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "HOST.YYYYMMDD_HHMMSS_UTC.pid_12" */
static char *make_base(const struct flame_args *args, char **command)
{
	struct buf name = { 0 };
	char host[256] = "host", stamp[40];
	time_t now = time(NULL);
	struct tm tm;

	gethostname(host, sizeof(host) - 1);
	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d_%H%M%S_UTC", &tm);
	add_clean(&name, host);
	buf_printf(&name, ".%s.", stamp);
	if (args->pids) {
		buf_puts(&name, "pid_");
		add_clean(&name, args->pids);
	} else if (args->tids) {
		buf_puts(&name, "tid_");
		add_clean(&name, args->tids);
	} else if (args->user) {
		buf_puts(&name, "user_");
		add_clean(&name, args->user);
	} else if (args->all_cpus) {
		buf_puts(&name, "all");
	} else {
		buf_puts(&name, "cmd_");
		add_clean(&name, base_name(command[0]));
	}
	return name.data;
}

static char *make_title(const struct flame_args *args, char **command)
{
	struct buf title = { 0 };
	char host[256] = "this host", comm[64] = "";
	char *end;

	if (args->pids) {
		strtoul(args->pids, &end, 10);
		if (!*end)
			file_line(comm, sizeof(comm), "/proc/%s/comm", args->pids);
		buf_printf(&title, "%s%sPID %s", comm, *comm ? ", " : "", args->pids);
	} else if (args->tids) {
		buf_printf(&title, "TID %s", args->tids);
	} else if (args->user) {
		buf_printf(&title, "user %s", args->user);
	} else if (args->all_cpus) {
		gethostname(host, sizeof(host) - 1);
		buf_printf(&title, "all of %s", host);
	} else {
		for (size_t i = 0; command[i] && title.len < 100; i++)
			buf_printf(&title, "%s%s", i ? " " : "",
				   i ? command[i] : base_name(command[i]));
	}
	return title.data;
}

/* Stack copies give whole stacks of programs without frame pointers; of very many CPUs they are too
 * much. */
static const char *choose_stacks(const struct flame_args *args)
{
	if (args->call_graph || args->frame_pointers)
		return args->call_graph ? args->call_graph : "fp";
	return args->all_cpus && sysconf(_SC_NPROCESSORS_ONLN) > MOST_CPUS_COPIED ? "fp" : "dwarf";
}

static const char *stacks_in_words(const struct flame_args *args)
{
	if (args->call_graph || args->frame_pointers)
		return args->call_graph ? "as --call-graph says" : "by frame pointers (-g)";
	return !strcmp(choose_stacks(args), "fp")
		       ? "by frame pointers, since copies of so many CPUs' stacks are too much "
			 "(--call-graph dwarf takes them)"
		       : "copied and unwound (--call-graph dwarf), so programs need no frame "
			 "pointers";
}

/*
 * Of a program that is over in half a second 99 samples a second are 50: so it begins with many,
 * and with few once there are some thousand.
 */
static bool slows_down(const struct flame_args *args, char **command)
{
	bool target = args->pids || args->user || args->all_cpus;

	return args->rate == FLAME_NO_RATE && command && !target;
}

static int rate_of(const struct flame_args *args, char **command)
{
	if (args->rate != FLAME_NO_RATE)
		return args->rate;
	return slows_down(args, command) ? FLAME_RATE_FIRST : FLAME_RATE;
}

static bool is_timed(const struct flame_args *args)
{
	return args->duration_ns > 0;
}

static int64_t duration_of(const struct flame_args *args)
{
	return is_timed(args) ? args->duration_ns : FLAME_DURATION * NS_PER_SEC;
}

/* Whoever waits for a minute wants to know for what. */
static char *announce(const struct flame_args *args, const char *title, char **command)
{
	char duration[TEXT_NUMBER];
	char *until = is_timed(args) || !command
			      ? mem_printf("for %s", text_duration(duration, duration_of(args)))
			      : mem_printf("until %s ends", base_name(command[0]));
	char *fall = slows_down(args, command)
			     ? mem_printf(" (%d after the first %d)", FLAME_RATE, RECORD_ENOUGH)
			     : mem_strdup("");
	char *text = mem_printf("recording %s %s, %d samples a second%s; Ctrl-C ends it earlier\n"
				"stacks: %s\n",
				title, until, rate_of(args, command), fall, stacks_in_words(args));

	free(fall);
	free(until);
	return text;
}

static void add_option(struct strlist *words, const char *name, const char *value)
{
	if (!value)
		return;
	strlist_add(words, name);
	strlist_add(words, value);
}

/* The command line of `record` that does it. */
static void make_words(struct strlist *words, const struct flame_args *args, const char *path,
		       char **command)
{
	char rate[24], later[24], limit[32];

	snprintf(rate, sizeof(rate), "%d", rate_of(args, command));
	snprintf(later, sizeof(later), "%d", FLAME_RATE);
	snprintf(limit, sizeof(limit), "%lldms", (long long)(duration_of(args) / NS_PER_MSEC));
	strlist_add(words, "record");
	add_option(words, "-F", rate);
	add_option(words, "--later-freq", slows_down(args, command) ? later : NULL);
	add_option(words, "--call-graph", choose_stacks(args));
	add_option(words, "-e", args->event);
	add_option(words, "-p", args->pids);
	add_option(words, "-t", args->tids);
	if (args->tree)
		strlist_add(words, "--tree");
	add_option(words, "-u", args->user);
	if (args->all_cpus)
		strlist_add(words, "-a");
	if (is_timed(args) || !command)
		add_option(words, "--timeout", limit);
	add_option(words, "-o", path);
	strlist_add(words, "--");
	for (size_t i = 0; command && command[i]; i++)
		strlist_add(words, command[i]);
}

static int run_record(struct strlist *words, const char *announcement, struct err *err)
{
	const struct command *record = command_find("record");
	struct record_options options = record_option_defaults;
	struct options_result parsed;
	int count = (int)words->len, rc;

	options.announcement = announcement;
	vec_push(words); /* NULL ends it */
	words->len--;
	rc = options_parse(record_option_specs, &options, count, words->data, true, &parsed, err);
	if (!rc)
		rc = record->run(&options, count - parsed.next, words->data + parsed.next, err);
	record_options_release(&options);
	return rc;
}

/* "out" of "out.svg": what is kept lies beside the picture. */
static char *base_of_output(const char *output)
{
	const char *name = base_name(output), *point = strrchr(name, '.');

	return mem_strndup(output,
			   point && point > name ? (size_t)(point - output) : strlen(output));
}

/*
 * A picture on standard output is not to be mixed with what the command prints there: that goes to
 * standard error, as with `record -o -`.  The descriptor of what was standard output, or -1.
 */
static int set_stdout_aside(const struct flame_args *args)
{
	int kept;

	if (!args->output || strcmp(args->output, "-"))
		return -1;
	fflush(stdout);
	kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (kept >= 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	return kept;
}

static void put_stdout_back(int kept)
{
	if (kept < 0)
		return;
	fflush(stdout);
	dup2(kept, STDOUT_FILENO);
	close(kept);
}

int flame_record(struct flame_recorded *recorded, const struct flame_args *args, int argc,
		 char **argv, struct err *err)
{
	char **command = argc ? argv : NULL;
	bool target = args->pids || args->tids || args->user || args->all_cpus;
	bool beside = args->output && !output_is_special(args->output);
	struct strlist words = { 0 };
	char *announcement;
	int rc, aside;

	*recorded = (struct flame_recorded){
		.base = beside ? base_of_output(args->output) : make_base(args, command),
		.title = make_title(args, command),
	};
	recorded->path = mem_printf("%s.perf.data", recorded->base);
	make_words(&words, args, recorded->path, command);
	announcement = announce(args, recorded->title, command);
	aside = set_stdout_aside(args);
	rc = run_record(&words, announcement, err);
	put_stdout_back(aside);
	free(announcement);
	strlist_free(&words);
	if (rc < 0)
		return rc;
	/*
	 * Ended from outside (Ctrl-C) or since the time is up it is over, not failed; else a
	 * command's own status is kept.
	 */
	recorded->status = command && !target && !(is_timed(args) && rc == 128 + SIGTERM)
				   ? rc
				   : EXIT_DONE;
	recorded->made = file_exists("%s", recorded->path);
	if (!recorded->made)
		recorded->status = rc;
	return 0;
}

void flame_recorded_free(struct flame_recorded *recorded)
{
	free(recorded->title);
	free(recorded->base);
	free(recorded->path);
	*recorded = (struct flame_recorded){ 0 };
}

int flame_keep(const struct flame_recorded *recorded, const struct flame_args *args,
	       struct err *err)
{
	char *text = mem_printf("%s.perf-script.txt", recorded->base);
	int rc = args->save_script ? script_write(recorded->path, &args->names, text, err) : 0;

	if (!rc && args->save_script)
		fprintf(stderr, "%s\n", text);
	if (args->no_keep)
		unlink(recorded->path);
	else
		fprintf(stderr, "%s\n", recorded->path);
	free(text);
	return rc;
}
