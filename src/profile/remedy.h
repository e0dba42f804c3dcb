/* SPDX-License-Identifier: Apache-2.0 */
/* What to do about a fault of an object: a flag, a package, a compiler's option. */
#ifndef PROFILE_REMEDY_H
#define PROFILE_REMEDY_H

#include "profile/panel.h"

/* For the kernels of virtual machines, that they are shown and named. */
#define REMEDY_GUESTS                                                                         \
	"give a copy of the virtual machine's /proc/kallsyms by --guestkallsyms, of several " \
	"by --guestmount"

struct remedy_facts {
	uint32_t copy_size;   /* bytes of stack that were copied; 0: not known */
	const char *packages; /* folder of the package lists, to name one; NULL: not looked into */
};

/* A sentence without its full stop, or NULL if nothing can be done.  Free it. */
char *remedy_for(enum panel_reason reason, const struct profile *profile,
		 const struct profile_object *object, const struct remedy_facts *facts);

/* The one for copies of stacks that were too small: of this many bytes, 0 if not known.  Free it.
 */
char *remedy_larger_copy(uint32_t size);

#endif
