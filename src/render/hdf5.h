/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run's samples and counters in a group of an HDF5 file.
 *
 *	samples    time, event, period, samples, pid, tid, cpu, ip, function, stack
 *	stacks     parent, function, inlined; row 0 is the empty stack, and its own parent
 *	functions  name, object, kind
 *	objects    path, build_id
 *	threads    pid, tid, comm
 *	events     name, unit, samples, period
 *	counters   time, event, cpu, value, enabled, running: counts of an interval, its end
 *	counter_events	name
 *
 * Each is a table (a compound type), which h5py reads as a structured array and pandas takes for a
 * frame.  `event`, `function`, `object` and `stack` are rows of the other tables, of
 * counters of counter_events; times are in ns.  What nobody told of pid, tid and cpu is -1, as is
 * the function of an empty stack.  Facts of the run are attributes of the group.
 */
#ifndef RENDER_HDF5_H
#define RENDER_HDF5_H

#include "render/export.h"
#include "render/hdf5_lib.h"

struct hdf5_attribute {
	const char *name, *text;
};

struct selection;
struct series;

struct hdf5_run {
	const char *title;
	const struct selection *samples; /* NULL: none */
	const struct series *counters;	 /* NULL: none */
	/* The last has no name; NULL: none but those that the run itself tells. */
	const struct hdf5_attribute *attributes;
};

int hdf5_write_run(const struct hdf5_run *run, hdf5_id group, struct err *err);

#endif
