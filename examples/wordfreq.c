// SPDX-License-Identifier: Apache-2.0
/*
 * Counts the words of a text that it makes up itself: a small program with a few hot functions
 *whose names say what they do, for trying perfolio out.  examples/README.md tells what to look for.
 *
 *	wordfreq [WORDS [THREADS]]	50,000,000 words, 1 thread
 *
 * The same arguments always give the same text and the same result.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The compiler would fold these into their callers, and their names would be lost to a profiler. */
#define NAMED __attribute__((noinline)) static

enum { TABLE = 1 << 14, TEXT = 1 << 20, LONGEST = 8, SHOWN = 5 };

struct entry {
	char word[LONGEST];
	uint64_t count;
};

struct job {
	pthread_t thread;
	uint64_t words, seed;
	struct entry *table;
};

static void *must(void *pointer)
{
	if (!pointer) {
		perror("wordfreq");
		exit(1);
	}
	return pointer;
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* One to three syllables, some far more often than others, as in a real language. */
NAMED char *make_word(char *at, uint64_t *state)
{
	static const char syllables[][3] = { "an", "be", "co", "do", "el", "fi", "go", "hu",
					     "in", "jo", "ka", "li", "mo", "ne", "or", "pa" };
	uint64_t draw = next_random(state) & next_random(state);

	for (int i = 0; i == 0 || (i < 3 && draw & 3); i++) {
		memcpy(at, syllables[draw & 15], 2);
		at += 2;
		draw >>= 4;
	}
	return at;
}

/* Fills text with words and returns how many; the last byte is a NUL. */
NAMED uint64_t make_text(char *text, uint64_t words, uint64_t *state)
{
	char *at = text;
	uint64_t made = 0;

	while (made < words && at < text + TEXT - 64) {
		at = make_word(at, state);
		*at++ = ' ';
		made++;
	}
	*at = '\0';
	return made;
}

NAMED uint32_t hash_word(const char *word, size_t length)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)word[i]) * 16777619u;
	return hash;
}

NAMED struct entry *find_entry(struct entry *table, const char *word, size_t length)
{
	uint32_t at = hash_word(word, length) % TABLE;

	while (table[at].count && (memcmp(table[at].word, word, length) || table[at].word[length]))
		at = (at + 1) % TABLE;
	return &table[at];
}

NAMED void count_word(struct entry *table, const char *word, size_t length, uint64_t times)
{
	struct entry *entry = find_entry(table, word, length);

	if (!entry->count)
		memcpy(entry->word, word, length);
	entry->count += times;
}

NAMED void count_text(struct entry *table, const char *text)
{
	for (const char *end; *text; text = end + 1) {
		for (end = text; *end != ' ';)
			end++;
		count_word(table, text, (size_t)(end - text), 1);
	}
}

static void *run_job(void *argument)
{
	struct job *job = argument;
	char *text = must(malloc(TEXT));

	for (uint64_t left = job->words; left;) {
		left -= make_text(text, left, &job->seed);
		count_text(job->table, text);
	}
	free(text);
	return NULL;
}

static int by_count(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return strcmp(left->word, right->word);
}

NAMED void merge_tables(struct entry *into, const struct entry *from)
{
	for (size_t i = 0; i < TABLE; i++)
		if (from[i].count)
			count_word(into, from[i].word, strlen(from[i].word), from[i].count);
}

static void print_top(struct entry *table)
{
	qsort(table, TABLE, sizeof(*table), by_count);
	for (int i = 0; i < SHOWN && table[i].count; i++)
		printf("%10llu %s\n", (unsigned long long)table[i].count, table[i].word);
}

static uint64_t number(const char *text, uint64_t most)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);

	if (!*text || *end || value < 1 || value > most) {
		fprintf(stderr, "usage: wordfreq [WORDS [THREADS]]\n");
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	uint64_t words = argc > 1 ? number(argv[1], UINT64_MAX / 2) : 50000000;
	uint64_t threads = argc > 2 ? number(argv[2], 256) : 1;
	struct entry *total = must(calloc(TABLE, sizeof(*total)));
	struct job *jobs = must(calloc(threads, sizeof(*jobs)));

	for (uint64_t i = 0; i < threads; i++) {
		struct job *job = &jobs[i];

		job->words = words / threads + (i < words % threads);
		job->seed = i;
		job->table = must(calloc(TABLE, sizeof(*job->table)));
		if (pthread_create(&job->thread, NULL, run_job, job)) {
			fprintf(stderr, "wordfreq: no more threads\n");
			return 1;
		}
	}
	for (uint64_t i = 0; i < threads; i++) {
		pthread_join(jobs[i].thread, NULL);
		merge_tables(total, jobs[i].table);
		free(jobs[i].table);
	}
	print_top(total);
	free(jobs);
	free(total);
	return 0;
}
