// SPDX-License-Identifier: Apache-2.0
#include "base/leaks.h"

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define CAN_LOOK 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CAN_LOOK 1
#endif
#endif

#ifdef CAN_LOOK
#include <sanitizer/lsan_interface.h>

bool leaks_wanted(void)
{
	return getenv("PERFOLIO_LEAKS") != NULL;
}

bool leaks_found(void)
{
	return leaks_wanted() && __lsan_do_recoverable_leak_check();
}
#else
bool leaks_wanted(void)
{
	return false;
}

bool leaks_found(void)
{
	return false;
}
#endif
