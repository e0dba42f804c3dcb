// SPDX-License-Identifier: Apache-2.0
#include "cmd/record_notes.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "record/proctree.h"

#include <inttypes.h>

#define LOSSES_SHOWN 8

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* -p records what a process starts from now on; children that it has already are others. */
static void note_children(const struct target *target, struct buf *out)
{
	struct proctree_ids children = { 0 };

	if (target->kind != TARGET_TASKS || target->source != TARGET_FROM_PIDS || target->tree)
		return;
	proctree_descendants(target->ids.data, target->ids.len, &children);
	if (children.len)
		buf_printf(out,
			   "note: %zu existing child process%s left out; --tree takes "
			   "%s in\n",
			   children.len, children.len == 1 ? " is" : "es are",
			   children.len == 1 ? "it" : "them");
	vec_free(&children);
}

static void note_left_out(const struct target *target, struct buf *out)
{
	if (target->left_out)
		buf_printf(out, "note: %zu process%s of a perfolio server %s left out\n",
			   target->left_out, target->left_out == 1 ? "" : "es",
			   target->left_out == 1 ? "is" : "are");
	if (target->others)
		buf_printf(out,
			   "note: %zu process%s left out: another user's, or closed to its own\n",
			   target->others, target->others == 1 ? " is" : "es are");
}

static void note_tasks(const struct sampling_census *census, struct buf *out)
{
	if (census->vanished)
		buf_printf(out, "note: %zu thread%s ended before recording began\n",
			   census->vanished, plural(census->vanished));
	if (census->late)
		buf_printf(out, "note: %zu thread%s started meanwhile and %s caught\n",
			   census->late, plural(census->late), census->late == 1 ? "was" : "were");
	if (census->missed)
		buf_printf(out, "note: up to %zu thread%s started meanwhile and may be missing\n",
			   census->missed, plural(census->missed));
}

static void note_machine(const struct recording *recording, const struct record_options *o,
			 struct buf *out)
{
	const struct sampling_census *census = recording_census(recording);
	char rate[TEXT_NUMBER];

	if (census->frequency && census->frequency < o->choice.frequency)
		buf_printf(out, "note: the kernel has lowered its limit to %s samples a second\n",
			   text_grouped(rate, census->frequency));
	if (census->user_only)
		buf_puts(out, "note: only user mode is recorded; `perfolio doctor` says what would "
			      "allow the kernel\n");
	else if (recording_kernel_note(recording) && !o->choice.all_user)
		buf_printf(out, "note: %s\n", recording_kernel_note(recording));
	if (census->kernel_is_old && o->verbose)
		buf_puts(out, "note: this kernel does not know everything that we ask for; some "
			      "records (build-ids, losses by event, namespaces) are left out\n");
	if (recording_priority(recording) == DRAIN_NORMAL)
		buf_puts(out,
			 "note: recording at normal priority (more needs CAP_SYS_NICE): on a busy "
			 "machine samples may be lost\n");
	if (o->verbose)
		buf_printf(out, "note: rings of %zu KB for each CPU%s\n", census->ring_bytes / 1024,
			   census->ring_bytes < RING_BYTES && !o->ring_bytes
				   ? ": more may not be locked here"
				   : "");
}

void record_notes_opened(const struct recording *recording, const struct record_options *options,
			 const struct target *target, struct buf *out)
{
	if (target->overrides)
		buf_printf(out, "note: %s\n", target->overrides);
	note_left_out(target, out);
	note_children(target, out);
	note_tasks(recording_census(recording), out);
	note_machine(recording, options, out);
}

static const char *state_in_words(char state)
{
	switch (state) {
	case 'S': return "asleep, waiting for something";
	case 'D': return "waiting for a disk or another device";
	case 'T':
	case 't': return "stopped";
	case 'Z':
	case 'X': return "over";
	default: return NULL;
	}
}

/* The state of a process at present, from behind the name in its stat file, which may hold
 * anything. */
static char state_of(pid_t pid)
{
	char line[512];
	const char *end;

	if (file_line(line, sizeof(line), "/proc/%d/stat", (int)pid) <= 0)
		return 'X';
	end = strrchr(line, ')');
	return end && end[1] == ' ' ? end[2] : '?';
}

void record_notes_asleep(const struct recording_result *result, const struct target *target,
			 struct buf *out)
{
	double seconds = (double)result->duration_ns / NS_PER_SEC;
	const char *state = NULL;
	char cpu[TEXT_NUMBER], time[TEXT_NUMBER];
	size_t pids = target->source == TARGET_FROM_PIDS ? target->ids.len : 0;

	if (result->samples || result->lost || target->kind != TARGET_TASKS ||
	    !(result->counts->flags & COUNTS_CPU))
		return;
	if (pids == 1)
		state = state_in_words(state_of(target->ids.data[0]));
	buf_printf(out, "note: no samples: ");
	if (pids == 1)
		buf_printf(out, "process %d", (int)target->ids.data[0]);
	else
		buf_puts(out, "these processes");
	buf_printf(out, " used %s ms of CPU time in %s s",
		   text_decimal(cpu, (double)result->counts->cpu_ns / NS_PER_MSEC, 1, true),
		   text_decimal(time, seconds, 1, true));
	if (state)
		buf_printf(out, " and %s now %s", pids == 1 ? "is" : "are", state);
	buf_printf(out,
		   "; record longer, while %s busy, or what %s for (-e sched:sched_switch -g)\n",
		   pids == 1 ? "it is" : "they are", pids == 1 ? "it waits" : "they wait");
}

static void add_samples(const struct recording_result *result, struct buf *out)
{
	char number[TEXT_NUMBER];

	buf_printf(out, "%s sample%s", text_grouped(number, result->samples),
		   plural(result->samples));
	if (result->events_count == 1) {
		buf_printf(out, " of %s", result->events[0].name);
		return;
	}
	for (size_t i = 0; i < result->events_count && i < LOSSES_SHOWN; i++)
		buf_printf(out, "%s%s %s", i ? ", " : " (", result->events[i].name,
			   text_grouped(number, result->events[i].samples));
	buf_puts(out, result->events_count > LOSSES_SHOWN ? ", ...)" : ")");
}

static void add_loss(const struct recording_result *result, struct buf *out)
{
	char number[TEXT_NUMBER];
	size_t shown = 0;

	if (!result->lost) {
		buf_puts(out, ", none lost");
	} else {
		buf_printf(out, ", %s LOST", text_grouped(number, result->lost));
		vec_each (loss, &result->losses) {
			if (loss->side || shown == LOSSES_SHOWN)
				continue;
			buf_printf(out, "%s%s of %s on CPU %d", shown++ ? ", " : " (",
				   text_grouped(number, loss->lost),
				   result->events[loss->event].name, loss->cpu);
		}
		buf_puts(out, shown == LOSSES_SHOWN ? ", ...)" : shown ? ")" : "");
	}
	if (result->lost_side)
		buf_printf(out, ", %s record%s of processes LOST",
			   text_grouped(number, result->lost_side), plural(result->lost_side));
}

static void add_size(const struct recording_result *result, const struct record_options *o,
		     struct buf *out)
{
	char size[TEXT_NUMBER], raw[TEXT_NUMBER];

	buf_printf(out, "[ perfolio record: wrote %s MB",
		   text_decimal(size, (double)result->bytes / 1e6, 3, true));
	if (o->compress && result->bytes)
		buf_printf(out, ", compressed from %s MB",
			   text_decimal(raw, (double)result->raw_bytes / 1e6, 3, true));
	if (result->files > 1)
		buf_printf(out, " to %zu files, the last of them %s", result->files, result->path);
	else if (result->path)
		buf_printf(out, " to %s", result->path);
	if (result->path)
		buf_printf(out, "; next: perfolio %s%s", o->summary ? "script " : "report",
			   o->summary ? o->summary : "");
	if (result->path && strcmp(result->path, "perf.data"))
		buf_printf(out, " -i %s", result->path);
	buf_puts(out, " ]\n");
}

static void add_kept(const struct keep_result *kept, struct buf *out)
{
	char size[TEXT_NUMBER];

	if (kept->files)
		buf_printf(
			out,
			"note: kept %zu file%s that would vanish (%s MB, in %s); -N keeps none\n",
			kept->files, plural(kept->files),
			text_decimal(size, (double)kept->bytes / 1e6, 1, true), kept->dir);
	if (kept->left_out)
		buf_printf(out, "note: %zu file%s that will vanish %s too large to keep\n",
			   kept->left_out, plural(kept->left_out),
			   kept->left_out == 1 ? "is" : "are");
}

void record_closing_lines(const struct recording_result *result,
			  const struct record_options *options, struct buf *out)
{
	char seconds[TEXT_NUMBER];

	if (result->reached_limit)
		buf_printf(out,
			   "[ perfolio record: stopped at the size limit of %s MB (--max-size) ]\n",
			   text_decimal(seconds, (double)options->most_bytes / 1e6, 3, true));
	buf_puts(out, "[ perfolio record: ");
	add_samples(result, out);
	buf_printf(out, " in %s s",
		   text_decimal(seconds, (double)result->duration_ns / NS_PER_SEC, 2, true));
	add_loss(result, out);
	buf_puts(out, " ]\n");
	if (!options->announcement)
		add_size(result, options, out);
	add_kept(&result->kept, out);
	if (result->blanked && (options->verbose || result->blanked > result->samples / 10))
		buf_printf(out,
			   "note: %s sample%s of perfolio's own processes %s no copy of the stack, "
			   "which may hold passwords and sessions\n",
			   text_grouped(seconds, result->blanked), plural(result->blanked),
			   result->blanked == 1 ? "has" : "have");
	if (result->lost)
		buf_printf(out,
			   "note: what was lost is counted in the file; larger rings (-m 64M) or a "
			   "lower rate (-F) lose less\n");
	if (result->throttled)
		buf_printf(out,
			   "note: the kernel held events back %" PRIu64 " time%s because they came "
			   "too fast; there are fewer samples than requested\n",
			   result->throttled, plural(result->throttled));
}
