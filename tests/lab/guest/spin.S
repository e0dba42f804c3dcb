// SPDX-License-Identifier: Apache-2.0
/*
 * spin TURNS: 8 + 5 * digits(TURNS) + 4 * TURNS instructions in user space.
 */
#include "count.inc"

	.global	_start
_start:
	number	x19, 1
	spin	x19
	leave
