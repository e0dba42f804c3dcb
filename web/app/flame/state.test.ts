// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { directionOf } from "./keys";
import { Quality, noteOf } from "./quality";
import { FlameState, STANDARD, filterOf, readState, writeState } from "./state";
import { after, seconds, since } from "./times";

function through(state: FlameState): FlameState {
	const params = new URLSearchParams();
	for (const [name, value] of Object.entries(writeState(state))) if (value !== null) params.set(name, value);
	return readState(new URLSearchParams(params.toString()));
}

describe("the view in the address", () => {
	it("comes back as it was", () => {
		const state: FlameState = {
			event: "cycles:u", who: "t812", from: "18446744073709551615", to: "5",
			changes: [{ what: "focus", name: "a<b, c>::f(int) %2C" }, { what: "hide", name: "x:y,z" }, { what: "only", name: "a:b" }, { what: "without", name: "c,d" }, { what: "keep", name: "^(x|y:z),%$" }, { what: "drop", name: "e" }, { what: "collapse" }, { what: "reverse" }],
			zoom: 0xdeadbeef, search: "^(a|b)&c=d", exact: true, marked: "é€🔥", palette: "object", inverted: true, table: false, order: "name", sandwich: "main", most: "100000",
		};
		expect(through(state)).toEqual(state);
		expect(through(STANDARD)).toEqual(STANDARD);
		expect(Object.values(writeState(STANDARD)).every((value) => value === null)).toBe(true);
	});

	it("is harmless when it is wrong", () => {
		const bad = "event=&who=x9&from=-1&to=1e9&changes=focus:,nonsense,hide:%25zz&zoom=zz&colours=none&icicle=7&order=up&most=lots";
		expect(readState(new URLSearchParams(bad))).toMatchObject({ who: "", from: "", to: "", zoom: 0, palette: "kind", inverted: false, order: "self", most: "" });
	});

	it("asks for samples of a process, a thread or a CPU", () => {
		expect(filterOf({ ...STANDARD, who: "p7" })).toMatchObject({ pid: "7", tid: undefined });
		expect(filterOf({ ...STANDARD, who: "t8", from: "3" })).toMatchObject({ tid: "8", from: "3" });
		expect(filterOf({ ...STANDARD, who: "c0" })).toMatchObject({ cpu: "0", pid: undefined });
	});
});

describe("times", () => {
	it("keep nanoseconds that pass 2^53", () => {
		expect(after("9007199254740993123", 7)).toBe("9007199254740993130");
		expect(since("9007199254740993130", "9007199254740993123")).toBe(7);
		expect(seconds("3500000000", "1000000000")).toBe("2.500 s");
	});
});

describe("what is said of the stacks", () => {
	const quality = (has_stacks: boolean, trust: object): Quality =>
		({ has_stacks, trust: { samples: 9, remedy: null, faults: [], ...trust } });

	it("is nothing, or the worst with its remedy", () => {
		expect(noteOf(quality(true, {}))).toBe("");
		const whole = "copy the whole file";
		const faults = [{ text: "the file is not whole: it is cut", percent: 40, remedy: whole }, { text: "3.00 % have no name in x: stripped", percent: 3 }];
		const cut = { text: "100.00 % of the stacks are cut short in x: no frame pointers", percent: 100, remedy: "choose DWARF" };
		expect(noteOf(quality(true, { faults: [cut, ...faults], remedy: whole }))).toBe("The file is not whole: it is cut. What helps most: copy the whole file.");
		expect(noteOf(quality(true, { faults, remedy: "copy the whole file" }))).toBe("The file is not whole: it is cut. What helps most: copy the whole file.");
		expect(noteOf(quality(true, { faults: faults.slice(1) }))).toBe("3.00 % have no name in x: stripped.");
		expect(noteOf(quality(true, { samples: 0, faults: [{ text: "all 9 samples were lost", percent: 100 }] }))).toBe("All 9 samples were lost.");
		expect(noteOf(quality(false, {}))).toMatch(/without stacks/);
	});
});

describe("arrows", () => {
	it("follow the picture", () => {
		expect(["ArrowUp", "ArrowDown", "ArrowLeft", "x"].map((key) => directionOf(key, false))).toEqual(["callee", "caller", "left", null]);
		expect(directionOf("ArrowUp", true)).toBe("caller");
	});
});
