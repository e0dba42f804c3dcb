// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Run } from "../api/core";
import { withPage, withRun } from "./runlist";

const run = (id: number, more: Partial<Run> = {}) => ({ id, state: "done", ...more }) as Run;
const ids = (runs: Run[]) => runs.map((one) => one.id);

test("a run is put where it belongs, or changed there", () => {
	const list = [run(9), run(5), run(2)];
	expect(ids(withRun(list, run(12)))).toEqual([12, 9, 5, 2]);
	expect(ids(withRun(list, run(7)))).toEqual([9, 7, 5, 2]);
	expect(ids(withRun(list, run(1)))).toEqual([9, 5, 2, 1]);
	expect(withRun(list, run(5, { state: "failed" }))[1]!.state).toBe("failed");
	expect(ids(withRun([], run(4)))).toEqual([4]);
});

test("what is older than the known does not replace it", () => {
	const list = [run(9, { state: "done", change: 40 })];
	const late = run(9, { state: "running", change: 39 });
	expect(withRun(list, late)[0]!.state).toBe("done");
	expect(withPage(list, { items: [late], next: null })[0]!.state).toBe("done");
	expect(withPage(list, { items: [run(9, { state: "failed", change: 41 })], next: null })[0]!.state).toBe("failed");
});

test("the newest page replaces what it covers and leaves what is older", () => {
	const list = [run(9), run(8), run(5), run(2)];
	expect(ids(withPage(list, { items: [run(10), run(9), run(5)], next: 5 }))).toEqual([10, 9, 5, 2]);
	expect(ids(withPage(list, { items: [run(10), run(9)], next: null }))).toEqual([10, 9]);
	expect(ids(withPage(list, { items: [], next: null }))).toEqual([]);
});
