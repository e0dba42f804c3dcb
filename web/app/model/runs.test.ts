// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Run } from "../api/core";
import { asShown, stateWord } from "./runs";

const run = (part: Partial<Run>) => ({ state: "done", started_ns: "5", facts: { tabs: ["overview"] }, ...part }) as Run;

test("what has ended is being read until it is known what there is", () => {
	for (const state of ["cancelled", "failed", "done"] as const) {
		expect(stateWord(asShown(run({ state, facts: null })))).toBe("reading");
		expect(stateWord(asShown(run({ state })))).toBe(state);
	}
	// one that never began has nothing to be read
	expect(stateWord(asShown(run({ state: "cancelled", started_ns: null, facts: null })))).toBe("cancelled");
	expect(stateWord(asShown(run({ state: "running", facts: null })))).toBe("running");
});
