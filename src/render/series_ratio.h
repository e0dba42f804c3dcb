/* SPDX-License-Identifier: Apache-2.0 */
/* The ratios that counted events allow; render/series_plot.h is the door. */
#ifndef RENDER_SERIES_RATIO_H
#define RENDER_SERIES_RATIO_H

#include "render/series_plot.h"

/* Adds the ratios of the lines that there are, with empty cells. */
void series_ratios_find(struct series_plot *plot, const struct series *series, size_t columns);

/* Empty ones, one a column and one more. */
struct plot_cell *series_cells_new(size_t columns);

#endif
