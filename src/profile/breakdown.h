/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples broken down by keys (thread, CPU, object, function ...): the rows of a report, each with
 * what it weighs itself and with what it called, and with a call tree of its own on request.
 */
#ifndef PROFILE_BREAKDOWN_H
#define PROFILE_BREAKDOWN_H

#include "profile/calltree.h"

enum breakdown_key {
	BY_COMM,
	BY_PID,
	BY_TID,
	BY_CPU,
	BY_PARENT, /* the innermost caller whose name matches an expression */
	BY_OBJECT,
	BY_FUNCTION,
	BY_SRCLINE, /* without children only, as a leaf's, if the profile has lines */
	BY_SRCFILE,
	BY_TRAIT, /* the profile's first trait, and so on */
	BREAKDOWN_KEYS = BY_TRAIT + 12,
};

#define TRAITS_MAX (BREAKDOWN_KEYS - BY_TRAIT)

struct breakdown_options {
	unsigned keys;	     /* 1 << enum breakdown_key */
	bool children;	     /* rows for callers too, which weigh what they call */
	bool from_leaf;	     /* trees go from the leaf to its callers */
	const char *parent;  /* regular expression for BY_PARENT */
	bool outer_parent;   /* the outermost function that matches it, not the innermost */
	const uint8_t *rows; /* for each row of the profile: it is taken; NULL: all */
	struct profile_filter filter;
};

/* Fields of keys that were not asked for are 0. */
struct breakdown_row {
	uint32_t comm; /* string; of the first thread, if not asked for */
	uint32_t pid, tid, cpu;
	uint32_t parent;		/* function, or NO_FUNCTION */
	uint32_t object;		/* also set BY_FUNCTION */
	uint32_t function;		/* NO_FUNCTION if not asked for */
	uint32_t srcline, srcfile;	/* strings */
	uint32_t traits[TRAITS_MAX];	/* strings */
	bool inlined;			/* the function, where it was inlined */
	uint32_t leaf;			/* the first address that was sampled in it */
	uint32_t depth;			/* frames of its longest stack */
	struct weight_pair self, total; /* the same without `children` */
	uint64_t kernel, user, guest_kernel, guest_user; /* of what it weighs itself */
};

struct breakdown {
	const struct profile *profile;
	struct breakdown_options options;
	VEC(struct breakdown_row) rows;
	struct weight_pair
		total; /* of all samples that the filter takes; guests', unless there is one */
	struct breakdown_work *work;
};

/* On failure (a bad expression or list) *breakdown needs no breakdown_free. */
int breakdown_make(struct breakdown *breakdown, const struct profile *profile,
		   const struct breakdown_options *options, struct err *err);
void breakdown_free(struct breakdown *breakdown);

/* The stacks of one row as a tree, below a root that has no function; calltree_free it. */
void breakdown_tree(struct breakdown *breakdown, uint32_t row, struct calltree *tree);

#endif
