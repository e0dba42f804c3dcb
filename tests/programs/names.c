// SPDX-License-Identifier: Apache-2.0
/*
 * Asks symbol/ for names, for the live tests: names [OPTION=VALUE...] KIND PATH, with addresses in
 * hexadecimal on standard input.  Answers "ADDRESS START NAME" or "ADDRESS -" each, and first how
 * the reading went: "STATE SOURCE MICROSECONDS".
 */
#include "base/clock.h"
#include "base/mem.h"
#include "symbol/symbol.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = { "file", "kernel", "module", "vdso", "bpf", "jit" };
static const char *const states[] = { "unread",	 "full",     "partial", "stripped",
				      "missing", "mismatch", "hidden",	"unreadable" };

struct question {
	struct symbol_options options;
	struct dso_key key;
	bool demangle;
};

static void set_build_id(struct build_id *id, const char *text)
{
	unsigned byte;

	for (; id->size < BUILD_ID_SIZE && sscanf(text, "%2x", &byte) == 1; text += 2)
		id->bytes[id->size++] = (uint8_t)byte;
}

static void set_option(struct question *q, char *word)
{
	char *value = strchr(word, '=') + 1;
	const struct {
		const char *name;
		const char **field;
	} texts[] = {
		{ "symfs=", &q->options.symfs },     { "kallsyms=", &q->options.kallsyms },
		{ "vmlinux=", &q->options.vmlinux }, { "buildid-dir=", &q->options.buildid_dir },
		{ "cache=", &q->options.cache_dir }, { "anchor=", &q->key.anchor }
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strncmp(word, texts[i].name, strlen(texts[i].name)))
			*texts[i].field = value;
	if (!strncmp(word, "pid=", 4))
		q->key.pid = atoi(value);
	if (!strncmp(word, "base=", 5))
		q->key.base = strtoull(value, NULL, 16);
	if (!strncmp(word, "build-id=", 9))
		set_build_id(&q->key.build_id, value);
	q->options.debuginfod |= !strcmp(word, "debuginfod=1");
	q->demangle |= !strcmp(word, "demangle=1");
}

static void answer(struct dso *dso, bool demangle)
{
	struct symbol symbol;
	uint64_t address;

	while (scanf("%" SCNx64, &address) == 1) {
		char *readable = NULL;

		if (!dso_find(dso, address, &symbol)) {
			printf("%" PRIx64 " -\n", address);
			continue;
		}
		if (demangle)
			readable = symbol_demangle(symbol.name, DEMANGLE_NAME, 100000);
		printf("%" PRIx64 " %" PRIx64 " %s\n", address, symbol.start,
		       readable ? readable : symbol.name);
		free(readable);
	}
}

int main(int argc, char **argv)
{
	struct question q = { .options.cache_dir = "" };
	struct symbol_store *store;
	const char *source;
	struct dso *dso;
	int64_t started;
	int at = 1;

	for (; at < argc && strchr(argv[at], '=') && argv[at][0] != '/'; at++)
		set_option(&q, argv[at]);
	if (argc - at != 2) {
		fprintf(stderr, "names [OPTION=VALUE...] KIND PATH < addresses\n");
		return 2;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(argv[at], kinds[i]))
			q.key.kind = (enum dso_kind)i;
	q.key.path = argv[at + 1];
	store = symbol_store_new(&q.options);
	dso = symbol_dso(store, &q.key);
	started = clock_now_ns();
	dso_read(dso);
	source = dso_source(dso);
	printf("%s %s %" PRId64 "\n", states[dso_state(dso)], source ? source : "-",
	       (clock_now_ns() - started) / 1000);
	answer(dso, q.demangle);
	symbol_store_free(store);
	return 0;
}
