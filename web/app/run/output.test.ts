// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { StreamPiece } from "../api/schema";
import { append, joined } from "./output";

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

test("neighbours of one stream are one piece, with the time of the last", () => {
	const pieces: StreamPiece[] = [piece("a\n"), piece("b"), { time_ns: "3", stream: "stderr", text: "!" }, piece("c")];
	expect(joined(pieces).map((one) => [one.stream, one.text])).toEqual([["stdout", "a\nb"], ["stderr", "!"], ["stdout", "c"]]);
	expect(joined([])).toEqual([]);
});
