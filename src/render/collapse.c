// SPDX-License-Identifier: Apache-2.0
/*
 * stackcollapse-perf.pl's and inferno-collapse-perf's lines, for those who compare: its names
 * without parameters, its marks, its module in brackets for functions without a name.  Where we do
 * not follow them tests/corpus/folded.py tells why.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/outbuf.h"
#include "render/folded.h"

#include <errno.h>

/* All samples of one stack in one program. */
struct collapse_line {
	char *text;
	uint64_t value;
};

struct collapse {
	const struct profile *profile;
	const struct collapse_options *options;
	char **names; /* by function and how it is shown there: name_index */
	VEC(struct collapse_line) lines;
	VEC(uint32_t) path;
};

int collapse_parse(const char *words, struct collapse_options *options, struct err *err)
{
	while (words && *words) {
		size_t length = strcspn(words, ",");
		char *word = mem_strndup(words, length);
		bool all = !strcmp(word, "all");
		bool known = true;

		if (all || !strcmp(word, "kernel"))
			options->kernel = true;
		if (all || !strcmp(word, "jit"))
			options->jit = true;
		else if (!strcmp(word, "pid"))
			options->pid = true;
		else if (!strcmp(word, "tid"))
			options->tid = true;
		else if (!strcmp(word, "addrs"))
			options->addresses = true;
		else
			known = !strcmp(word, "kernel");
		if (!known)
			err_set(err, EINVAL,
				"stackcollapse-perf has no '%s'; known are all, kernel, jit, pid, "
				"tid and addrs",
				word);
		free(word);
		if (!known)
			return -EINVAL;
		words += length;
		words += *words == ',';
	}
	return 0;
}

/* Whether it looks like a Go method: "net/http.(*Client).Do". */
static bool is_go_method(const char *name)
{
	const char *open = strstr(name, ".(");

	return open && strstr(open + 2, ").");
}

/*
 * Everything from the first parenthesis on that does not open "(anonymous namespace)".  inferno
 * passes over those inside angle brackets.
 */
static void cut_parameters(char *name, bool inferno)
{
	static const char anonymous[] = "(anonymous namespace)";
	int depth = 0;

	for (char *c = name; *c; c++) {
		if (inferno && (*c == '<' || *c == '>'))
			depth += *c == '<' ? 1 : -1;
		if (*c != '(' || depth > 0 || !strncmp(c, anonymous, strlen(anonymous)))
			continue;
		*c = '\0';
		return;
	}
}

static void tidy(char *name, bool java, bool inferno)
{
	char *to = name;

	for (char *c = name; *c; c++)
		if (*c == ';')
			*c = ':';
	if (!is_go_method(name))
		cut_parameters(name, inferno);
	for (char *c = name; *c; c++)
		if (*c != '"' && *c != '\'')
			*to++ = *c;
	*to = '\0';
	if (java && *name == 'L' && strchr(name, '/'))
		memmove(name, name + 1, strlen(name));
}

static const char *object_path(const struct collapse *c, uint32_t function)
{
	uint32_t object = c->profile->functions.data[function].object;

	return profile_text(c->profile, c->profile->objects.data[object].path);
}

/* A function without a name is its module, with the address if that is asked for and known. */
static char *unknown_name(const struct collapse *c, uint32_t function, const char *address)
{
	const char *path = object_path(c, function);
	const char *slash = strrchr(path, '/');
	const char *module = !*path || !strcmp(path, UNKNOWN_NAME) ? "unknown"
			     : slash				   ? slash + 1
								   : path;

	return address ? mem_printf("[%s <%s>]", module, address) : mem_printf("[%s]", module);
}

/* Kernel code by its module's name, as the script tells it; inferno knows modules' files too. */
static bool is_kernel_path(const char *path, bool inferno)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path, *point = strrchr(name, '.');

	if (strstr(path, "unknown"))
		return false;
	if (*path == '[' || !strcmp(name, "vmlinux"))
		return true;
	return inferno && (!strncmp(name, "vmlinux-", 8) || (point && !strcmp(point, ".ko")));
}

/* "/tmp/perf-123.map" */
static bool is_jit_path(const char *path)
{
	const char *at = strstr(path, "/tmp/perf-");

	if (!at)
		return false;
	at += strlen("/tmp/perf-");
	return strspn(at, "0123456789") && !strncmp(at + strspn(at, "0123456789"), ".map", 4);
}

static const char *mark_of(const struct collapse *c, uint32_t function, bool inlined)
{
	const struct profile_function *facts = &c->profile->functions.data[function];

	if (facts->kind == FRAME_JIT && inlined)
		return "_[i]";
	if (c->options->kernel && is_kernel_path(object_path(c, function), c->options->inferno))
		return "_[k]";
	return c->options->jit && is_jit_path(object_path(c, function)) ? "_[j]" : "";
}

/* The raw name of a function: what the script would have found in perf's text. */
static char *raw_name(const struct collapse *c, uint32_t function)
{
	static const char unknown[] = UNKNOWN_NAME "@";
	const char *plain = profile_function_name(c->profile, function);
	char *readable = NULL;

	if (!strcmp(plain, UNKNOWN_NAME))
		return unknown_name(c, function, NULL);
	if (!strncmp(plain, unknown, strlen(unknown)))
		return unknown_name(c, function, plain + strlen(unknown));
	if (c->options->demangle)
		readable = symbol_demangle(plain, DEMANGLE_NAME, 16384);
	return readable ? readable : mem_strdup(plain);
}

/*
 * A frame's text.  "a->b" is an inlined call in the script's eyes, also in names of C++ operators;
 * names that begin with a parenthesis it leaves out.
 */
static char *frame_text(const struct collapse *c, uint32_t function, bool java, bool inlined)
{
	char *raw = raw_name(c, function), *rest = raw, *part;
	struct buf text = { 0 };

	buf_puts(&text, "");
	while (*raw != '(' && (part = rest)) {
		char *arrow = strstr(part, "->");

		if (arrow)
			*arrow = '\0';
		rest = arrow && arrow[2] ? arrow + 2 : NULL;
		if (*raw != '[' || raw[strlen(raw) - 1] != ']') /* a module keeps its whole name */
			tidy(part, java, c->options->inferno);
		buf_printf(&text, "%s%s%s", part == raw ? "" : ";", part,
			   part == raw ? mark_of(c, function, inlined) : "_[i]");
	}
	free(raw);
	return text.data;
}

/* Names differ where frames were inlined and in programs called java*. */
static size_t name_index(uint32_t function, bool java, bool inlined)
{
	return (size_t)function * 4 + (java ? 2 : 0) + inlined;
}

static void add_frame(struct collapse *c, uint32_t stack, bool java, struct buf *line)
{
	const struct profile_stacks *stacks = &c->profile->stacks;
	uint32_t function = stacks->function[stack];
	bool inlined = stacks->flags[stack] & STACK_INLINED;
	char **name = &c->names[name_index(function, java, inlined)];

	if (!*name)
		*name = frame_text(c, function, java, inlined);
	if (!**name)
		return;
	buf_putc(line, ';');
	buf_puts(line, *name);
}

static char *program_name(const struct collapse *c, uint32_t thread)
{
	enum flame_group group = c->options->tid   ? GROUP_THREAD
				 : c->options->pid ? GROUP_PROCESS
						   : GROUP_COMM;
	char *name = flame_group_name(c->profile, thread, group);

	for (char *at = name; *at; at++)
		if (*at == ' ')
			*at = '_';
	return name;
}

static void add_line(struct collapse *c, uint32_t thread, uint32_t stack, uint64_t value)
{
	char *program = program_name(c, thread);
	/* With numbers in the program's name Java's signatures stay as they are. */
	bool java = !c->options->pid && !c->options->tid && !strncmp(program, "java", 4);
	struct buf line = { 0 };

	c->path.len = 0;
	for (; stack != STACK_ROOT; stack = c->profile->stacks.parent[stack])
		*vec_push(&c->path) = stack;
	buf_puts(&line, program);
	while (c->path.len)
		add_frame(c, c->path.data[--c->path.len], java, &line);
	free(program);
	if (!line.len)
		buf_puts(&line, UNKNOWN_NAME);
	*vec_push(&c->lines) = (struct collapse_line){ line.data, value };
}

/* Samples of the same thread and stack first become one. */
static void collect(struct collapse *c, const struct sieve *sieve)
{
	const struct profile_samples *rows = &c->profile->samples;
	VEC(uint64_t) values = { 0 };
	VEC(uint64_t) keys = { 0 };
	struct idmap known = { 0 };

	for (size_t i = sieve->first; i < sieve->last; i++) {
		uint64_t key = (uint64_t)rows->thread[i] << 32 | rows->stack[i];
		uint32_t at;

		if (!sieve_takes(sieve, c->profile, i))
			continue;
		at = idmap_add(&known, key, (uint32_t)keys.len);
		if (at == keys.len) {
			*vec_push(&keys) = key;
			*vec_push(&values) = 0;
		}
		values.data[at] += c->options->weight == WEIGH_SAMPLES ? profile_row_count(rows, i)
								       : rows->weight[i];
	}
	for (size_t i = 0; i < keys.len; i++)
		add_line(c, (uint32_t)(keys.data[i] >> 32), (uint32_t)keys.data[i], values.data[i]);
	idmap_free(&known);
	vec_free(&keys);
	vec_free(&values);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct collapse_line *)a)->text,
		      ((const struct collapse_line *)b)->text);
}

/* Different stacks can come to the same line. */
static void print(struct collapse *c, struct outbuf *out)
{
	if (c->lines.len)
		qsort(c->lines.data, c->lines.len, sizeof(*c->lines.data), by_text);
	for (size_t i = 0; i < c->lines.len; i++) {
		const struct collapse_line *line = &c->lines.data[i];

		if (i + 1 < c->lines.len && !strcmp(line->text, line[1].text)) {
			c->lines.data[i + 1].value += line->value;
			continue;
		}
		out_text(out, line->text);
		out_char(out, ' ');
		out_u64(out, line->value, 0);
		out_char(out, '\n');
	}
}

int collapse_write(const struct profile *profile, const struct collapse_options *options,
		   struct outbuf *out, struct err *err)
{
	struct collapse c = { .profile = profile, .options = options };
	size_t names = 4 * profile->functions.len;
	struct sieve sieve;
	int rc = sieve_make(&sieve, profile, &options->filter, err);

	if (rc)
		return rc;
	c.names = mem_alloc((names + 1) * sizeof(*c.names));
	collect(&c, &sieve);
	sieve_free(&sieve);
	print(&c, out);
	for (size_t i = 0; i < names; i++)
		free(c.names[i]);
	free(c.names);
	vec_each (line, &c.lines)
		free(line->text);
	vec_free(&c.lines);
	vec_free(&c.path);
	return 0;
}
