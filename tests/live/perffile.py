# SPDX-License-Identifier: Apache-2.0
"""A second pair of eyes on perf.data: header, features and records, read without any of our code."""
import struct

FEATURES = ("RESERVED TRACING_DATA BUILD_ID HOSTNAME OSRELEASE VERSION ARCH NRCPUS CPUDESC CPUID TOTAL_MEM "
            "CMDLINE EVENT_DESC CPU_TOPOLOGY NUMA_TOPOLOGY BRANCH_STACK PMU_MAPPINGS GROUP_DESC AUXTRACE STAT "
            "CACHE SAMPLE_TIME MEM_TOPOLOGY CLOCKID DIR_FORMAT BPF_PROG_INFO BPF_BTF COMPRESSED CPU_PMU_CAPS "
            "CLOCK_DATA HYBRID_TOPOLOGY PMU_CAPS").split()
SAMPLE, MMAP2, COMM, FORK, LOST_SAMPLES, FINISHED_ROUND = 9, 10, 3, 7, 13, 68


class PerfFile:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        (self.magic, self.size, self.attr_size, attrs, attrs_size, self.data_offset, self.data_size,
         _, _, *self.bits) = struct.unpack_from("<8s8Q4Q", self.bytes)
        self.attrs = attrs, attrs_size

    def features(self):
        at, found = self.data_offset + self.data_size, {}
        for bit in range(256):
            if self.bits[bit // 64] >> (bit % 64) & 1:
                offset, size = struct.unpack_from("<QQ", self.bytes, at)
                at += 16
                if bit:
                    found[FEATURES[bit]] = self.bytes[offset:offset + size]
        return found

    def records(self):
        """(type, misc, body) of each; the records have to fill the data exactly."""
        at, end = self.data_offset, self.data_offset + self.data_size
        while at < end:
            kind, misc, size = struct.unpack_from("<IHH", self.bytes, at)
            if size < 8 or at + size > end:
                raise ValueError(f"record of {size} bytes at {at}, data ends at {end}")
            yield kind, misc, self.bytes[at + 8:at + size]
            at += size

    def count(self, kind):
        return sum(record[0] == kind for record in self.records())


def texts(payload):
    """The texts of a payload that is a count and that many of them."""
    count, = struct.unpack_from("<I", payload)
    at, found = 4, []
    for _ in range(count):
        size, = struct.unpack_from("<I", payload, at)
        found.append(payload[at + 4:at + 4 + size].split(b"\0")[0].decode())
        at += 4 + size
    return found


def samples_in(path):
    """How many samples are in it by now; none while there is no file, or no header in it yet."""
    try:
        return PerfFile(path).count(SAMPLE)
    except (OSError, ValueError, struct.error):
        return 0
