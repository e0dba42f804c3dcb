/* SPDX-License-Identifier: Apache-2.0 */
/* A picture in the browser (--open). */
#ifndef CMD_FLAME_SHOW_H
#define CMD_FLAME_SHOW_H

/* Starts what shows files here: $BROWSER, or the desktop's own.  Where there is none it says so. */
void flame_show(const char *path);

#endif
