// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Run } from "../api/core";
import { type Page, withAnswer, withRun } from "./runlist";

const run = (id: number, more: Partial<Run> = {}) => ({ id, state: "done", ...more }) as Run;
const page = (ids: number[], more: Partial<Page> = {}): Page => ({ items: ids.map((id) => run(id)), next: null, before: null, ...more });
const ids = (of: Page) => of.items.map((one) => one.id);

test("a run is put where it belongs, or changed there", () => {
	const all = page([9, 5, 2]);
	expect(ids(withRun(all, run(12)))).toEqual([12, 9, 5, 2]);
	expect(ids(withRun(all, run(7)))).toEqual([9, 7, 5, 2]);
	expect(ids(withRun(all, run(1)))).toEqual([9, 5, 2, 1]);
	expect(withRun(all, run(5, { state: "failed" })).items[1]!.state).toBe("failed");
	expect(ids(withRun(page([]), run(4)))).toEqual([4]);
});

test("what is on another page stays away from this one", () => {
	expect(ids(withRun(page([9, 5], { next: 5 }), run(2)))).toEqual([9, 5]);
	expect(ids(withRun(page([9, 5], { before: 10 }), run(12)))).toEqual([9, 5]);
	expect(ids(withRun(page([9, 5], { before: 10 }), run(7)))).toEqual([9, 7, 5]);
});

test("a page that grows hands its oldest runs to the next one", () => {
	const grown = withRun(page([9, 5, 2]), run(12), 3);
	expect([ids(grown), grown.next]).toEqual([[12, 9, 5], 5]);
});

test("what only this person sees is kept when the stream tells what all see", () => {
	const own = { may: { change: true, repeat: true, raw: true }, masked: false, environment: ["A=1"], form: { environment: "A=1" } } as Partial<Run>;
	const told = { may: null, masked: true, environment: ["A=•••"], form: { environment: "A=•••" } } as Partial<Run>;
	const after = withRun({ ...page([]), items: [run(9, { ...own, change: 4 })] }, run(9, { ...told, state: "failed", change: 5 }));
	expect(after.items[0]).toMatchObject({ ...own, state: "failed" });
	const early = withAnswer({ ...page([]), items: [run(9, { ...told, state: "failed", change: 5 })] }, { items: [run(9, { ...own, change: 4 })], next: null }, null);
	expect(early.items[0]).toMatchObject({ ...own, state: "failed" });
});

test("what is older than the known does not replace it", () => {
	const known = { ...page([]), items: [run(9, { state: "done", change: 40 })] };
	const late = run(9, { state: "running", change: 39 });
	expect(withRun(known, late).items[0]!.state).toBe("done");
	expect(withAnswer(known, { items: [late], next: null }, null).items[0]!.state).toBe("done");
	expect(withAnswer(known, { items: [run(9, { state: "failed", change: 41 })], next: 3 }, 10)).toMatchObject({ next: 3, before: 10, items: [{ state: "failed" }] });
});
