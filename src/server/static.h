/* SPDX-License-Identifier: Apache-2.0 */
/* What is no part of the API: the page's own files (server/page.h). */
#ifndef SERVER_STATIC_H
#define SERVER_STATIC_H

#include "server/route.h"

extern const struct route static_route;

#endif
