// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { EVERY, FIRST_FORM, formOf, hasHappeningsOnly, isOfTime, isReady, quoted, sentForm, splitEvents, toggleEvent, withSampled } from "./form";

test("events are split at the outermost commas only", () => {
	expect(splitEvents("cycles,{a,b}:u, cpu/event=1,umask=2/ ")).toEqual(["cycles", "{a,b}:u", "cpu/event=1,umask=2/"]);
	expect(splitEvents("")).toEqual([]);
});

test("an event is put in and taken out", () => {
	expect(toggleEvent("", "cycles")).toBe("cycles");
	expect(toggleEvent("cycles,faults", "cycles")).toBe("faults");
	expect(toggleEvent("{cycles,faults}", "cycles")).toBe("{cycles,faults},cycles");
});

test("a run brings the whole form back", () => {
	const form = formOf({ form: { tool: "count", target: { kind: "process", who: "7", shell: false, children: false } } });
	expect(form.tool).toBe("count");
	expect(form.target.who).toBe("7");
	expect(form.target.command).toBe("");
	expect(form.events).toEqual(FIRST_FORM.events);
});

test("an empty rate is the usual one, and of tracepoints every event", () => {
	const form = { tool: "sample" as const, rate: "", target: { kind: "host" as const, who: "", shell: false, children: false } };
	expect(formOf({ form }).rate).toBe(FIRST_FORM.rate);
	expect(formOf({ form: { ...form, events: { count: "", sample: "sched:sched_switch" } } }).rate).toBe(EVERY);
});

test("a place in a batch is not sent again", () => {
	expect(sentForm({ ...FIRST_FORM, batch: { batch: "b", index: 1, of: 3 } })).toEqual(FIRST_FORM);
});

test("what has no target is not ready", () => {
	expect(isReady(FIRST_FORM)).toBe(false);
	expect(isReady({ ...FIRST_FORM, target: { ...FIRST_FORM.target, command: " ls " } })).toBe(true);
	expect(isReady({ ...FIRST_FORM, target: { ...FIRST_FORM.target, kind: "host" } })).toBe(true);
	expect(isReady({ ...FIRST_FORM, target: { ...FIRST_FORM.target, kind: "process" } })).toBe(false);
});

test("words are quoted as a shell reads them", () => {
	expect(quoted(["ls", "-l", "a b", "it's"])).toBe(`ls -l 'a b' 'it'\\''s'`);
});

test("what happens is told from what goes on, also with modifiers", () => {
	for (const text of ["sched:sched_switch", "sched:sched_switch:k", "raw_syscalls:*", "{sched:one,sched:two}:S, block:three", "page-faults", "cs:u,sched:sched_switch", "{faults,migrations}:S"]) expect(hasHappeningsOnly(text), text).toBe(true);
	for (const text of ["", "cycles", "cycles:u", "cpu-clock:uk,sched:sched_switch", "cpu/event=1,name=a:b/", "task-clock", "faults,cpu-clock", "faultsx"]) expect(hasHappeningsOnly(text), text).toBe(false);
});

test("how many samples a rate gives is known of what is time", () => {
	for (const text of ["", "cycles", "{cpu-clock:u,task-clock}:S"]) expect(isOfTime(text), text).toBe(true);
	for (const text of ["page-faults", "cycles,cs", "sched:sched_switch", "cache-misses"]) expect(isOfTime(text), text).toBe(false);
});

test("of a tracepoint every event is taken until somebody asks for less", () => {
	const traced = { ...FIRST_FORM, ...withSampled(FIRST_FORM, "sched:sched_switch") };
	expect(traced.rate).toBe(EVERY);
	expect(withSampled({ ...traced, rate: "c100" }, "sched:*").rate).toBeUndefined();
	expect(withSampled(traced, "").rate).toBe(FIRST_FORM.rate);
	expect(withSampled({ ...FIRST_FORM, rate: "c5000" }, "sched:sched_switch").rate).toBeUndefined();
});
