// SPDX-License-Identifier: Apache-2.0
/*
 * Whether the C library keeps frame pointers, tried by calling through it.
 *
 * qsort calls back into this program.  If it keeps frame pointers, the chain of frames that starts
 * in the callback passes at least one frame of the library before it reaches the caller's; without
 * them it goes straight to the caller, or nowhere.
 */
#include "doctor/probe.h"

#include <stdlib.h>

#if defined(__x86_64__) || defined(__aarch64__)

#define MOST_FRAMES 16

/* qsort hands nothing through to its callback. */
static _Thread_local uintptr_t *outer_frame;
static _Thread_local int frames_between; /* -1: the chain broke */

static int __attribute__((noinline)) walk_frames(const void *a, const void *b)
{
	uintptr_t *frame = __builtin_frame_address(0);

	(void)a, (void)b;
	frames_between = -1;
	for (int i = 0; i < MOST_FRAMES; i++) {
		uintptr_t *next = (uintptr_t *)frame[0]; /* both architectures keep it there */

		if (next == outer_frame) {
			frames_between = i;
			break;
		}
		/* Frames lie between the callback's and the caller's, upwards: else it is no frame.
		 */
		if (next <= frame || next > outer_frame || (uintptr_t)next % sizeof(*next))
			break;
		frame = next;
	}
	return 0;
}

static int __attribute__((noinline)) try_qsort(void)
{
	int numbers[2] = { 1, 2 };

	outer_frame = __builtin_frame_address(0);
	qsort(numbers, 2, sizeof(numbers[0]), walk_frames);
	return frames_between;
}

bool probe_frame_pointers(struct checkup *c, struct finding *f)
{
	int frames = try_qsort();

	f->evidence = SAY(c, "frames between qsort's callback and its caller: %d", frames);
	if (frames > 0) {
		f->what = "the C library keeps them";
		f->meaning = "--call-graph fp gives whole stacks";
		return true;
	}
	f->state = DOCTOR_LIMITED;
	f->what = "the C library keeps none";
	f->meaning = "stacks through libraries break";
	f->remedy = "use --call-graph dwarf, which is DWARF in the page's form; build your own "
		    "programs "
		    "with -fno-omit-frame-pointer";
	return true;
}

#else

bool probe_frame_pointers(struct checkup *c, struct finding *f)
{
	(void)c, (void)f;
	return false;
}

#endif
