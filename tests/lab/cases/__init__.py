# SPDX-License-Identifier: Apache-2.0
"""
What the guest runs and what must come out, a file a subject; a case is described in case.py.
"""

# In the order of the report.
from . import machine, doctor, catalogue, count, multiplex, over_time, derived, recording, twin, \
    unwinding

# The guests, and QEMU's -icount shift of each: one instruction takes 1 cycle, or 2.  The last one
# has perf and the unit tests, too; it is for the full run.
BOOTS = {"even": 0, "slow": 1, "rich": 0}
