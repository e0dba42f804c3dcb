// SPDX-License-Identifier: Apache-2.0
/*
 * forks N TURNS: N children, of which the first makes N * TURNS turns, the next one (N - 1) *
 * TURNS, and the last one TURNS.  In user space
 *	a child runs	5 + 4 * its turns
 *	the parent	21 + 5 * digits(N) + 5 * digits(TURNS) + 18 * N
 */
#include "count.inc"

	.global	_start
_start:
	number	x19, 1
	number	x20, 2
1:	mov	x0, #17			// SIGCHLD
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #220		// clone
	svc	#0
	cbz	x0, child
	subs	x19, x19, #1
	b.ne	1b

	// until there is no child any more
2:	mov	x0, #-1
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x8, #260		// wait4
	svc	#0
	cmp	x0, #0
	b.gt	2b
	leave

child:
	mul	x19, x19, x20
	spin	x19
	leave
