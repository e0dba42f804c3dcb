// SPDX-License-Identifier: Apache-2.0
#include "cmd/output.h"
#include "base/err.h"
#include "base/outbuf.h"
#include "cmd/command.h"

#include <errno.h>

int output_end_as(struct outbuf *out, const char *name, int rc, struct err *err)
{
	int written = outbuf_fini(out);

	if (rc || !written)
		return rc;
	return written == -EPIPE ? EXIT_FAILED
				 : err_set(err, -written, "%s: %s", name, strerror(-written));
}

int output_end(struct outbuf *out, int rc, struct err *err)
{
	return output_end_as(out, "standard output", rc, err);
}
