// SPDX-License-Identifier: Apache-2.0
#include "render/series_write.h"
#include "base/err.h"
#include "render/series_read.h"
#include "test.h"

#include <stdio.h>
#include <unistd.h>

TEST(series_write_and_read)
{
	const struct series_event events[] = { { "cycles", "", 1 },
					       { "power/energy-pkg/", "Joules", 0x1p-32 } };
	struct series_row row = { .time_ns = 1500, .event = 1, .cpu = -1, .value = 7 };
	FILE *file = tmpfile();
	struct series_writer writer;
	struct series series;
	struct err err = { 0 };

	EXPECT_INT(series_begin(&writer, fileno(file), events, 2, 1000, 500, &err), 0);
	EXPECT_INT(series_open_fd(&series, fileno(file), &err), 0);
	EXPECT_INT(series.head->events, 2);
	EXPECT_TEXT(series.names[1], "power/energy-pkg/");
	EXPECT_TEXT(series_unit(&series, 0), "");
	EXPECT_TEXT(series_unit(&series, 1), "Joules");
	EXPECT(series_scale(&series, 0) == 1);
	EXPECT(series_scale(&series, 1) == 0x1p-32);
	EXPECT_INT(series.count, 0);
	series_close(&series);

	series_add(&writer, &row);
	lseek(fileno(file), 3, SEEK_SET); /* somebody reads through the same descriptor */
	EXPECT_INT(series_flush(&writer, &err), 0);
	row.time_ns = 2000;
	series_add(&writer, &row);
	EXPECT_INT(series_flush(&writer, &err), 0);
	EXPECT_INT(series_open_fd(&series, fileno(file), &err), 0);
	EXPECT_INT(series.count, 2);
	EXPECT_INT(series.rows[0].value, 7);
	EXPECT_INT(series.rows[1].time_ns, 2000);
	EXPECT_INT(series.head->start_ns, 1000);
	series_close(&series);
	series_end(&writer);
	fclose(file);
}

TEST(series_full_disk)
{
	const struct series_event events[] = { { "cycles", "", 1 } };
	FILE *file = fopen("/dev/full", "r+");
	struct series_writer writer;
	struct err err = { 0 };

	EXPECT_INT(series_begin(&writer, fileno(file), events, 1, 1000, 500, &err), -28);
	EXPECT_TEXT(err.text, "the file of counters: No space left on device");
	series_end(&writer);
	fclose(file);
}
