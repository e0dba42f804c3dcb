// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Run } from "../api/core";
import { asShown, endedBadly, stateTone, stateWord } from "./runs";

const run = (part: Partial<Run>) => ({ state: "done", started_ns: "5", form: {}, reason: "", facts: { tabs: ["overview"] }, ...part }) as Run;

test("what has ended is being read until it is known what there is", () => {
	for (const state of ["cancelled", "failed", "done"] as const) {
		expect(stateWord(asShown(run({ state, facts: null })))).toBe("reading");
		expect(stateWord(asShown(run({ state })))).toBe(state === "cancelled" ? "stopped" : state);
	}
	// one that never began has nothing to be read
	expect(stateWord(asShown(run({ state: "cancelled", started_ns: null, facts: null })))).toBe("cancelled");
	expect(stateWord(asShown(run({ state: "running", facts: null })))).toBe("running");
});

test("what a limit of the form ended did not fail", () => {
	const ending = { kind: "signal" as const, code: 15 };
	const limited = run({ ending, reason: "ended after 2 s, its time limit", form: { limit_s: 2 } });
	expect([stateWord(limited), endedBadly(limited)]).toEqual(["time limit", false]);
	expect(stateWord({ ...limited, form: { limit_s: 0 } })).toBe("signal 15"); // the server's own
	expect(stateWord({ ...limited, reason: "other words", usage: { limited: true } })).toBe("time limit");
	expect(stateWord({ ...limited, usage: { limited: false } })).toBe("signal 15");
	expect(stateWord({ ...limited, reason: "" })).toBe("signal 15");
	expect(stateWord(run({ ending, usage: { limit: "memory" } }))).toBe("memory limit");
	expect(stateTone(run({ ending, usage: { limit: "disk" } }))).toBe("warn");
});

test("what is cut short is not shown as good", () => {
	const cut = run({ facts: { tabs: ["overview"], damage: "the file ends in the middle of its data" } });
	expect([stateWord(cut), stateTone(cut)]).toEqual(["incomplete", "warn"]);
	expect(stateTone(run({}))).toBe("good");
});
