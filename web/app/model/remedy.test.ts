// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { commandIn } from "./remedy";

test("the command is taken out of the sentence around it", () => {
	expect(commandIn("sudo sysctl kernel.kptr_restrict=1, then root sees them")).toBe("sudo sysctl kernel.kptr_restrict=1");
	expect(commandIn("for everybody: sudo sysctl kernel.perf_event_paranoid=1 (0: whole CPUs too)")).toBe("sudo sysctl kernel.perf_event_paranoid=1");
	expect(commandIn("sudo sysctl kernel.nmi_watchdog=0 frees it")).toBe("sudo sysctl kernel.nmi_watchdog=0");
	expect(commandIn("sudo mount -o remount,gid=$(id -g),mode=750 /sys/kernel/tracing opens it to you")).toBe("sudo mount -o remount,gid=$(id -g),mode=750 /sys/kernel/tracing");
	expect(commandIn("look into the kernel's log: sudo dmesg | grep -i perf")).toBe("sudo dmesg | grep -i perf");
	expect(commandIn("use a kernel with CONFIG_TRACING")).toBe("");
	expect(commandIn(null)).toBe("");
});
