/* SPDX-License-Identifier: Apache-2.0 */
/* Languages whose names libiberty does not know.  NULL if the name is none of theirs. */
#ifndef SYMBOL_MANGLING_H
#define SYMBOL_MANGLING_H

char *mangling_ocaml(const char *name); /* camlStdlib__List__map_317: Stdlib.List.map_317 */
char *mangling_java(const char *name);	/* Ljava/lang/Math;abs(I)I: java.lang.Math.abs(int) */

#endif
