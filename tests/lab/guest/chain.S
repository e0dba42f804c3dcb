// SPDX-License-Identifier: Apache-2.0
/*
 * chain TURNS: as spin, three calls deep and with frame pointers: _start, outer, middle, inner;
 * 15 instructions more than spin.
 */
#include "count.inc"

	.global	_start
_start:
	number	x19, 1
	bl	outer
	leave

.macro	enter
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
.endm

.macro	return
	ldp	x29, x30, [sp], #16
	ret
.endm

outer:
	enter
	bl	middle
	return

middle:
	enter
	bl	inner
	return

inner:
	enter
	spin	x19
	return
