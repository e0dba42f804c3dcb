// SPDX-License-Identifier: Apache-2.0
/*
 * threads N TURNS: N threads, of which the first makes N * TURNS turns and the last one TURNS.
 * Each of them, and the main thread before it ends, first takes a byte from standard input: a
 * fifo there is a gate at which they wait until somebody watches them.  In user space
 *	a thread runs	10 + 4 * its turns
 *	the main thread	18 + 5 * digits(N) + 5 * digits(TURNS) + 10 * N
 */
#include "count.inc"

	.bss
byte:	.skip	8

	.text
	.macro	gate
	mov	x0, #0
	ldr	x1, =byte
	mov	x2, #1
	mov	x8, #63			// read
	svc	#0
	.endm

	.global	_start
_start:
	number	x19, 1
	number	x20, 2
1:	ldr	x0, =0x50f00		// CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM
	mov	x1, #0			// no stack of its own: none of them uses any
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #220		// clone
	svc	#0
	cbz	x0, thread
	subs	x19, x19, #1
	b.ne	1b
	gate
	leave

thread:
	gate
	mul	x19, x19, x20
	spin	x19
	leave
