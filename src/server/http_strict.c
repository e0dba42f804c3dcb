// SPDX-License-Identifier: Apache-2.0
/*
 * Heads of requests that two readers may understand differently are refused: behind a proxy they
 * are how one request is smuggled in another's.
 *
 * libmicrohttpd before 0.9.76 takes lines that end with a bare LF and values that go on in the next
 * line, and shows neither.  But it parses in place: in a head as it should be each name stands
 * where the line before it ended, two bytes of CRLF behind the value.  So the addresses tell.
 */
#include "server/http_inside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct head {
	const char *next; /* where the next name has to begin; NULL: the library looks itself */
	const char *why;  /* what is wrong, the first of it */
	int hosts, lengths, encodings;
	const char *encoding;
};

static void wrong(struct head *head, const char *why)
{
	if (!head->why)
		head->why = why;
}

static bool is_token(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("!#$%&'*+-.^_`|~", *c))
			return false;
	return *name;
}

static bool is_plain(const char *value)
{
	for (const unsigned char *c = (const unsigned char *)value; *c; c++)
		if ((*c < ' ' && *c != '\t') || *c == 0x7f)
			return false;
	return true;
}

static enum MHD_Result look_at(void *cls, enum MHD_ValueKind kind, const char *name,
			       const char *value)
{
	struct head *head = cls;

	(void)kind;
	value = value ? value : "";
	if (head->next && name != head->next)
		wrong(head, "a line of its head does not end with CRLF, or is continued");
	if (head->next)
		head->next = value + strlen(value) + 2;
	if (!is_token(name) || !is_plain(value))
		wrong(head, "there is a character in its head that can't be there");
	head->hosts += !strcasecmp(name, "Host");
	head->lengths += !strcasecmp(name, "Content-Length");
	if (!strcasecmp(name, "Transfer-Encoding")) {
		head->encodings++;
		head->encoding = value;
	}
	return MHD_YES;
}

static void check_uri(struct head *head, const char *uri)
{
	if (!is_plain(uri) || strchr(uri, '\t') || strstr(uri, "%00"))
		wrong(head, "there is a character in its address that can't be there");
}

static void check_counts(struct head *head)
{
	if (head->hosts > 1)
		wrong(head, "it has more than one Host");
	if (head->lengths > 1)
		wrong(head, "it has more than one Content-Length");
	if (head->encodings && head->lengths)
		wrong(head, "it has Transfer-Encoding and Content-Length");
	if (head->encodings > 1 || (head->encodings && strcasecmp(head->encoding, "chunked") != 0))
		wrong(head, "its Transfer-Encoding is not `chunked`");
}

int strict_check(struct http_exchange *exchange, const char *version, struct err *err)
{
	const struct mhd *mhd = exchange->http->mhd;
	const union MHD_ConnectionInfo *size;
	struct head head = { 0 };

	if (mhd->in_place)
		head.next = version + strlen(version) + 2;
	check_uri(&head, exchange->uri);
	/* the address is ended by a NUL of the library's, one byte before the version */
	if (mhd->in_place && exchange->uri_end && exchange->uri_end + 1 != version)
		wrong(&head, "there is a NUL in its first line");
	mhd->each_value(exchange->connection, MHD_HEADER_KIND, look_at, &head);
	size = mhd->connection_info(exchange->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	if (head.next && size && exchange->method + size->header_size != head.next + 2)
		wrong(&head, "a line of its head does not end with CRLF, or is continued");
	check_counts(&head);
	/*
	 * In chunks too that library takes lines with a bare LF, and shows none of them: whatever
	 * it and a proxy think to be the end of the body, no other request comes behind it.
	 */
	if (head.encodings && mhd->in_place)
		reply_header(&exchange->request, "Connection", "close");
	if (!head.why)
		return 0;
	reply_header(&exchange->request, "Connection", "close");
	return reply_error(&exchange->request, 400, "bad-request",
			   "Send it as RFC 9112 has it; a proxy may have changed it.", err,
			   "the request can be understood in two ways: %s", head.why);
}
