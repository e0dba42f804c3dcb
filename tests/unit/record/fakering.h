/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake kernel with rings: memory that a test writes records into as the kernel would.
 */
#ifndef UNIT_RECORD_FAKERING_H
#define UNIT_RECORD_FAKERING_H

#include "fakekernel.h"
#include <linux/perf_event.h>

struct fake_ring {
	int fd;
	struct perf_event_mmap_page *page;
	unsigned char *data;
	size_t size;
	uint64_t lost; /* records that found no room; the next one that does is told of it */
};

struct fake_rings {
	VEC(struct fake_ring) rings;
	size_t most_bytes; /* that may be mapped in all; EPERM beyond */
	int kernel;	   /* 600 for 6.0: what is newer gives EINVAL; 0: all is known */
	size_t polls;
	VEC(int) outputs;      /* target of each SET_OUTPUT */
	uint64_t lost_samples; /* what reading an event says */
	int paused;
};

extern struct fake_rings fake_rings;
extern const struct perf_sys fake_ring_sys;

void fake_rings_boot(void); /* after fake_boot */
void fake_rings_shutdown(void);

/* Writes a record into the n-th ring; false if there was no room. */
bool fake_rings_put(size_t ring, uint32_t type, const void *body, size_t size);

#endif
