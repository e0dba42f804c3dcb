// SPDX-License-Identifier: Apache-2.0
#include "render/out_json.h"
#include "base/buf.h"
#include "base/json.h"

#include <inttypes.h>

void out_json_text(struct outbuf *out, const char *text)
{
	struct buf quoted = { 0 };

	json_quote_into(&quoted, text);
	out_bytes(out, quoted.data, quoted.len);
	buf_free(&quoted);
}

void out_json_ns(struct outbuf *out, const char *key, uint64_t value)
{
	out_printf(out, "\"%s\":\"%" PRIu64 "\",", key, value);
}

void out_json_member(struct outbuf *out, const char *key, const char *text)
{
	out_printf(out, "\"%s\":", key);
	if (text)
		out_json_text(out, text);
	else
		out_text(out, "null");
	out_char(out, ',');
}
