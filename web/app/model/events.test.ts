// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { cannot, encodingOf, whyNever } from "./events";

test("an encoding is in terms where there are some, else in numbers", () => {
	const event = { name: "e", kind: "hw" };
	expect(encodingOf(event)).toBe("");
	expect(encodingOf({ ...event, type: 4, config: "0x1b1", encoding: "cpu/event=0xb1,umask=0x1/" })).toBe("cpu/event=0xb1,umask=0x1/");
	expect(encodingOf({ ...event, type: 1, config: "0x2", config1: "0x0", config2: "0x7" })).toBe("type 1, config 0x2, config2 0x7");
});

test("what can't be measured is told in few words", () => {
	expect(cannot([])).toBe("");
	expect(cannot([{ name: "a", why: "no counters: the machine hides them; ask" }, { name: "b" }])).toBe("a, b can't be measured here (no counters)");
});

test("clocks of the run are counted only, and patterns have to be filled in", () => {
	const never = (name: string, kind: string, sampled: boolean) => !!whyNever({ name, kind }, sampled);
	expect(never("duration_time", "tool", true)).toBe(true);
	expect(never("duration_time", "tool", false)).toBe(false);
	expect(never("TYPE:CONFIG", "raw", false)).toBe(true);
	expect(never("mem:ADDRESS[/LENGTH][:rwx]", "breakpoint", true)).toBe(true);
	expect(never("cycles", "hw", true)).toBe(false);
});
