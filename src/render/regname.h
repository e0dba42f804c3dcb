/* SPDX-License-Identifier: Apache-2.0 */
/* Names of registers by their number in sample_regs_user and sample_regs_intr. */
#ifndef RENDER_REGNAME_H
#define RENDER_REGNAME_H

/* arch as uname says it ("x86_64", "aarch64"); NULL is this machine's.  Never NULL. */
const char *reg_name(const char *arch, unsigned reg);

#endif
