/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of vendor tables; for event/vendorjson.c, which knows the shapes around them. */
#ifndef EVENT_VENDORROW_H
#define EVENT_VENDORROW_H

struct err;
struct json_object;
struct vendor_table;

/* Adds the event of a row of Intel's or perf's shape, or of Arm's: 1, or 0 if it is none. */
int vendor_row_read(struct vendor_table *table, struct json_object *row, struct err *err);
int vendor_row_read_arm(struct vendor_table *table, struct json_object *row, struct err *err);

/* Text without tabs and newlines, which would break the compact form; the table's. */
const char *vendor_one_line(struct vendor_table *table, const char *text);

#endif
