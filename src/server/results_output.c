// SPDX-License-Identifier: Apache-2.0
/* What the program printed, page by page. */
#include "base/err.h"
#include "base/jsonread.h"
#include "jobs/output_read.h"
#include "render/out_json.h"
#include "server/results.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json_object.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_BYTES     (256 << 10)
#define PAGE_BYTES_MAX (16 << 20)

enum wanted { WANT_ALL, WANT_STDOUT, WANT_STDERR };

static void put_piece(struct outbuf *out, const struct output_text *piece, bool first)
{
	out_text(out, first ? "{" : ",{");
	out_json_ns(out, "time_ns", piece->time_ns);
	out_printf(out, "\"stream\":\"%s\",\"text\":",
		   piece->stream == OUTPUT_STDERR ? "stderr" : "stdout");
	out_json_text(out, buf_text(&piece->text));
	out_char(out, '}');
}

static bool is_wanted(const struct output_text *piece, enum wanted wanted)
{
	return piece->text.len &&
	       (wanted == WANT_ALL || (piece->stream == OUTPUT_STDERR) == (wanted == WANT_STDERR));
}

/* 1: the limit was reached, there may be more; 0: that was all, or a negative errno value. */
static int put_pieces(struct outbuf *out, struct output_reader *reader, enum wanted wanted,
		      uint32_t limit, struct err *err)
{
	struct output_text piece = { 0 };
	size_t bytes = 0;
	bool first = true;
	int rc = 1;

	while (bytes < limit) {
		rc = output_read(reader, &piece, err);
		if (rc <= 0)
			break;
		if (!is_wanted(&piece, wanted))
			continue;
		put_piece(out, &piece, first);
		bytes += piece.bytes;
		first = false;
	}
	buf_free(&piece.text);
	return rc;
}

/* What was over the limit, as the run's end told. */
static int64_t bytes_cut(const struct run *run)
{
	struct json_object *usage = jsonread(run->facts.usage, strlen(run->facts.usage), "", NULL);
	int64_t cut = 0;

	if (usage)
		cut = json_object_get_int64(json_object_object_get(usage, "output_cut"));
	json_object_put(usage);
	return cut;
}

static void put_end(struct outbuf *out, const struct run *run, const struct output_reader *reader,
		    bool more, uint64_t size)
{
	char place[OUTPUT_PLACE];

	out_printf(out, "],\"next\":\"%s\",\"end\":%s,\"running\":%s,", output_place(reader, place),
		   more ? "false" : "true", result_is_growing(run) ? "true" : "false");
	out_json_ns(out, "bytes", size);
	out_printf(out, "\"cut\":\"%" PRId64 "\"}", bytes_cut(run));
}

static int put_output(struct request *request, const struct run *run, int fd,
		      struct output_reader *reader, struct err *err)
{
	static const char *const streams[] = { "all", "stdout", "stderr", NULL };
	struct answer answer;
	unsigned wanted;
	uint32_t limit, last;
	uint64_t from;
	int rc = result_choice(request, "stream", streams, &wanted, err);

	if (!rc)
		rc = result_number(request, "limit", PAGE_BYTES, 1, PAGE_BYTES_MAX, &limit, err);
	if (!rc)
		rc = result_number(request, "last", 0, 0, PAGE_BYTES_MAX, &last, err);
	if (!rc && last)
		rc = output_skip_to_last(reader, last, err);
	if (rc)
		return rc;
	from = output_before(fd, reader->at);
	answer_begin(&answer, request);
	out_printf(&answer.out, "{\"run\":%" PRId64 ",", run->id);
	out_json_ns(&answer.out, "from", from);
	out_text(&answer.out, "\"pieces\":[");
	rc = put_pieces(&answer.out, reader, (enum wanted)wanted, limit, err);
	if (rc >= 0)
		put_end(&answer.out, run, reader, rc > 0, output_before(fd, UINT64_MAX));
	return answer_end(&answer, rc < 0 ? rc : 0);
}

/* A program that printed nothing has no file. */
static int put_nothing(struct request *request, const struct run *run)
{
	struct answer answer;

	if (reply_etag(request, arena_printf(&request->arena, "%" PRId64 "-0", run->change)))
		return 0;
	answer_begin(&answer, request);
	out_printf(&answer.out,
		   "{\"run\":%" PRId64 ",\"from\":\"0\",\"pieces\":[],\"next\":\"\",\"end\":true,"
		   "\"running\":%s,\"bytes\":\"0\",\"cut\":\"0\"}",
		   run->id, result_is_growing(run) ? "true" : "false");
	return answer_end(&answer, 0);
}

static int get_output(struct request *request, struct err *err)
{
	const char *after = request_text(request, "after", "");
	struct output_reader reader;
	struct run run;
	int fd, rc = store_run_get(request->store, request->ids[0], &request->arena, &run, err);

	if (rc)
		return rc;
	fd = result_file(request, "output", "output", err);
	if (fd == -ENOENT && run.argv.len)
		return put_nothing(request, &run);
	if (fd < 0)
		return fd;
	if (!result_same_file(request, &run, fd)) {
		rc = output_reader_init(&reader, fd, after, err);
		if (!rc) {
			rc = put_output(request, &run, fd, &reader, err);
			output_reader_fini(&reader);
		}
	}
	close(fd);
	/* a place that nobody gave out is no fault of the file's */
	return rc == -EBADMSG && *after
		       ? err_set(err, EINVAL, "after=%.100s: no piece begins there", after)
		       : rc;
}

const struct route output_routes[] = {
	{ "GET", "/api/v1/runs/{id}/output", RIGHT_RAW, get_output },
	{ 0 },
};
