/* SPDX-License-Identifier: Apache-2.0 */
/* What `record` says besides recording: notes at the start, the closing lines. */
#ifndef CMD_RECORD_NOTES_H
#define CMD_RECORD_NOTES_H

#include "base/buf.h"
#include "cmd/record_loop.h"

/* What opening came to, each note a line that begins with "note: ". */
void record_notes_opened(const struct recording *recording, const struct record_options *options,
			 const struct target *target, struct buf *out);

/* Processes without a sample: whether they slept, and what can be done. */
void record_notes_asleep(const struct recording_result *result, const struct target *target,
			 struct buf *out);

/* "[ perfolio record: ... ]": samples, loss, duration, size, and the command to type next. */
void record_closing_lines(const struct recording_result *result,
			  const struct record_options *options, struct buf *out);

#endif
