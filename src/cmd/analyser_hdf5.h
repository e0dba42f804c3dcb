/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in an HDF5 file; render/hdf5.h has its tables. */
#ifndef CMD_ANALYSER_HDF5_H
#define CMD_ANALYSER_HDF5_H

#include "cmd/analyser_inside.h"
#include "cmd/flame_output.h"
#include "render/hdf5_lib.h"

/* The run's index, mapped. */
int analyser_open_index(const struct msg_input *input, struct loaded *in, struct err *err);

/*
 * libhdf5 wants to know its file by a name, so it gets one for a moment: before the fence, and
 * before anything is read.
 */
struct analyser_hdf5 {
	hdf5_id file;
	int fd;
};
int analyser_hdf5_begin(struct analyser_hdf5 *file, struct err *err);
/* rc, or why it could not be ended and copied to the job's output. */
int analyser_hdf5_end(struct analyser *a, struct analyser_hdf5 *file, int rc, struct err *err);

/* One run is the whole of the file, which is then ended. */
int analyser_write_run(struct analyser *a, const struct flame_job *job, struct analyser_hdf5 *file,
		       struct err *err);
/* The same of a run that only counted. */
int analyser_write_counters(struct analyser *a, struct analyser_hdf5 *file, struct err *err);

#endif
