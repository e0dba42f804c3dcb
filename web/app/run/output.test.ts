// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { StreamPiece } from "../api/schema";
import { append } from "./output";

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
