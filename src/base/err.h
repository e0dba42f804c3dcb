/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors with words.
 *
 * A function that can fail takes a `struct err *` as its last parameter, returns a negative errno
 * value (or NULL) and leaves in *err what a person can act on: the thing, the reason and, where
 * known, the remedy.  Library code never prints; cmd/ and server/ show err.text.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

struct err {
	int code; /* a positive errno value; 0 while nothing has failed */
	char text[1000];
};

/* Sets *err (which may be NULL) and returns -code, so that callers write `return err_set(...)`. */
int err_set(struct err *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "WORDS: " in front of what *err (which may be NULL) says already; returns -err->code. */
int err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
