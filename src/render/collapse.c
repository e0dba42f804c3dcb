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
#include <stdio.h>

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

static bool is_anonymous_namespace(const char *name)
{
	static const char anonymous[] = "(anonymous namespace)";

	return !strncmp(name, anonymous, strlen(anonymous));
}

/* Everything from the first parenthesis on that does not open "(anonymous namespace)". */
static void cut_parameters(char *name)
{
	for (char *c = name; *c; c++) {
		if (*c != '(' || is_anonymous_namespace(c))
			continue;
		*c = '\0';
		return;
	}
}

/* The same as inferno does it: not inside brackets of any kind, nor Go's receivers (".(*T)"). */
static void cut_outer_parameters(char *name)
{
	int depth = 0;

	for (char *c = name; *c; c++) {
		bool receiver = c > name && c[-1] == '.';

		if (*c == '(' && !depth && !receiver && !is_anonymous_namespace(c)) {
			*c = '\0';
			return;
		}
		depth += strchr("<{[(", *c) ? 1 : strchr(">}])", *c) ? -1 : 0;
	}
}

static void drop_quotes(char *name)
{
	char *to = name;

	for (char *c = name; *c; c++)
		if (*c != '"' && *c != '\'')
			*to++ = *c;
	*to = '\0';
}

static void tidy(char *name, bool java, bool inferno)
{
	for (char *c = name; *c; c++)
		if (*c == ';')
			*c = ':';
	if (inferno)
		cut_outer_parameters(name);
	else if (!is_go_method(name))
		cut_parameters(name);
	if (!inferno)
		drop_quotes(name);
	if (java && *name == 'L' && strchr(name, '/'))
		memmove(name, name + 1, strlen(name));
}

/*
 * The character that an escape of Rust's older mangling stands for ("$LT$"), and the escape's
 * length; 0 for those that inferno does not know.
 */
static char rust_escape(const char *text, size_t *length)
{
	static const char *const words[] = { "$SP$", "$BP$", "$RF$", "$LT$",
					     "$GT$", "$LP$", "$RP$", "$C$" };
	static const char meanings[] = "@*&<>(),", coded[] = " !\"'+;=[]{}~";
	char code[8];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		*length = strlen(words[i]);
		if (!strncmp(text, words[i], *length))
			return meanings[i];
	}
	for (const char *c = coded; *c; c++) {
		*length = (size_t)snprintf(code, sizeof(code), "$u%x$", (unsigned char)*c);
		if (!strncmp(text, code, *length))
			return *c;
	}
	return 0;
}

/*
 * Older perfs leave Rust's names half demangled, "_$LT$T$GT$::f::h0123456789abcdef", and inferno
 * reads them on.  Names only get shorter.
 */
static void finish_rust_name(char *name)
{
	static const size_t hash = 17; /* 'h' and 16 digits */
	size_t length = strlen(name), escape;
	char *end = name + (length < hash ? 0 : length - hash), *from = name, *to = name, c;

	if (*end != 'h' || strspn(end + 1, "0123456789abcdefABCDEF") != hash - 1 || end[hash])
		return;
	if (end - name >= 2 && !strncmp(end - 2, "::", 2))
		end -= 2;
	*end = '\0';
	from += !strncmp(name, "_$", 2);
	while (*from) {
		if (!strncmp(from, "..", 2)) {
			from += 2;
			*to++ = ':';
			*to++ = ':';
		} else if (*from != '$') {
			*to++ = *from++;
		} else if ((c = rust_escape(from, &escape))) {
			from += escape;
			*to++ = c;
		} else {
			break; /* the rest stays as it is */
		}
	}
	memmove(to, from, strlen(from) + 1);
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

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

/* Kernel code by its module's name, as the script tells it. */
static bool is_kernel_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (strstr(path, "unknown"))
		return false;
	return *path == '[' || !strcmp(slash ? slash + 1 : path, "vmlinux");
}

/* The same as inferno tells it, which knows modules' files and "vmlinux-6.1" too. */
static bool is_inferno_kernel_path(const char *path)
{
	static const char path_letters[] = "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
	const char *image = NULL;

	for (const char *at = path; (at = strstr(at, "vmlinux")); at++)
		image = at;
	if (image && image[strspn(image, path_letters)])
		image = NULL;
	return (*path == '[' || ends_with(path, ".ko") || image) && strcmp(path, UNKNOWN_NAME);
}

/* "/tmp/perf-123.map"; for inferno what `perf inject --jit` has made too, "/tmp/jitted-123-4.so" */
static bool is_jit_path(const char *path, bool inferno)
{
	const char *at = strstr(path, "/tmp/perf-");

	if (inferno)
		return (at == path && ends_with(path, ".map")) ||
		       (strstr(path, "/jitted-") && ends_with(path, ".so"));
	if (!at)
		return false;
	at += strlen("/tmp/perf-");
	return strspn(at, "0123456789") && !strncmp(at + strspn(at, "0123456789"), ".map", 4);
}

static const char *mark_of(const struct collapse *c, uint32_t function, bool inlined)
{
	const struct profile_function *facts = &c->profile->functions.data[function];
	const char *path = object_path(c, function);
	bool inferno = c->options->inferno;

	if (facts->kind == FRAME_JIT && inlined)
		return "_[i]";
	if (c->options->kernel && (inferno ? is_inferno_kernel_path(path) : is_kernel_path(path)))
		return "_[k]";
	if (c->options->jit && is_jit_path(path, inferno))
		return "_[j]";
	return "";
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
	if (*raw == '(')
		rest = NULL;
	else if (c->options->inferno)
		finish_rust_name(raw);
	while ((part = rest)) {
		char *arrow = strstr(part, "->");
		const char *mark;

		if (arrow)
			*arrow = '\0';
		/* The script drops what is empty behind the last arrow. */
		rest = arrow && (arrow[2] || c->options->inferno) ? arrow + 2 : NULL;
		/* A module keeps its whole name, in the script. */
		if (c->options->inferno || *raw != '[' || raw[strlen(raw) - 1] != ']')
			tidy(part, java, c->options->inferno);
		mark = part == raw ? mark_of(c, function, inlined) : "_[i]";
		/* inferno does not say twice what it inlined or jitted. */
		if (c->options->inferno && strcmp(mark, "_[k]") && strstr(part, mark))
			mark = "";
		buf_printf(&text, "%s%s%s", part == raw ? "" : ";", part, mark);
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
	/* With numbers in the program's name the script leaves Java's signatures as they are. */
	bool numbers = c->options->pid || c->options->tid;
	bool java = (c->options->inferno || !numbers) && !strncmp(program, "java", 4);
	size_t length = strlen(program);
	struct buf line = { 0 };

	c->path.len = 0;
	for (; stack != STACK_ROOT; stack = c->profile->stacks.parent[stack])
		*vec_push(&c->path) = stack;
	buf_puts(&line, program);
	while (c->path.len)
		add_frame(c, c->path.data[--c->path.len], java, &line);
	free(program);
	if (c->options->inferno && line.len == length) { /* which leaves empty stacks out */
		buf_free(&line);
		return;
	}
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
