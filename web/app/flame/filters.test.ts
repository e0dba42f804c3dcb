// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { byThread } from "./filters";

test("a thread is one choice, whatever names it has had", () => {
	const row = (comm: string, tid: number, percent: number) => ({ comm, pid: 7, tid, samples: percent, percent });
	expect(byThread([row("perfolio", 7, 1), row("sh", 7, 60), row("ls", 8, 39)]).map(({ comm, tid, percent }) => [comm, tid, percent])).toEqual([["sh", 7, 61], ["ls", 8, 39]]);
});
