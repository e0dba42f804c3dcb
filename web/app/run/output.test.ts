// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { StreamPiece } from "../api/schema";
import { append, findIn } from "./output";
import { shownText } from "./terminal";

const piece = (text: string): StreamPiece => ({ time_ns: "0", stream: "stdout", text });

test("pieces follow each other", () => {
	expect(append({ pieces: [piece("a")], skipped: 3 }, [piece("b")], 2)).toEqual({ pieces: [piece("a"), piece("b")], skipped: 5 });
});

test("output without end stays within its bounds, and says what is gone", () => {
	let shown = { pieces: [] as StreamPiece[], skipped: 0 };
	for (let round = 0; round < 100; round++) shown = append(shown, [piece("x".repeat(65536))]);
	const kept = shown.pieces.reduce((sum, one) => sum + one.text.length, 0);
	expect(kept).toBeLessThanOrEqual(1 << 20);
	expect(kept + shown.skipped).toBe(100 * 65536);
});

test("what is searched for is found across styles, and capitals count where one is typed", () => {
	const spans = shownText([piece("Red \x1b[31mre\x1b[0md and RED\n")], false);
	expect(findIn(spans, "red")).toEqual([{ at: 0, length: 3 }, { at: 4, length: 3 }, { at: 12, length: 3 }]);
	expect(findIn(spans, "RED")).toEqual([{ at: 12, length: 3 }]);
	expect(findIn(spans, "")).toEqual([]);
	expect(findIn(shownText([piece("İstanbul x")], false), "x")).toEqual([{ at: 9, length: 1 }]); // its small form is two letters
});
