// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { placeAfterStep } from "./queue";

test("moving by a step names the run to stand before", () => {
	expect(placeAfterStep([1, 2, 3], 3, -1)).toBe(2);
	expect(placeAfterStep([1, 2, 3], 1, 1)).toBe(3);
	expect(placeAfterStep([1, 2, 3], 2, 1)).toBe(null);
	expect(placeAfterStep([1, 2, 3], 1, -1)).toBe(undefined);
	expect(placeAfterStep([1, 2, 3], 3, 1)).toBe(undefined);
});
