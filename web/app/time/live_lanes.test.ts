// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { LiveLanes } from "./live_lanes";

const HEAD = { event: 0, start_ns: "1000000000", left_out: 0, full: false };

function made(): LiveLanes {
	const lanes = new LiveLanes(HEAD.start_ns);
	lanes.add({ ...HEAD, first: 0, lanes: [{ cpu: 1 }, { pid: 7, tid: 7, comm: "a" }, { pid: 7, tid: 8, comm: "a" }], cells: [[0, 0, 2], [1, 0, 1], [2, 0, 1]] });
	lanes.add({ ...HEAD, first: 3, lanes: [{ cpu: 0 }], cells: [[0, 0, 3], [2, 0, 2], [2, 99, 5], [3, 99, 5]], left_out: 4 });
	return lanes;
}

describe("lanes of a recording that goes on", () => {
	it("are those of CPUs in their order, of threads as they came", () => {
		const cpus = made().lanesBy("cpu");
		expect(cpus.items!.map(({ cpu, samples }) => [cpu, samples])).toEqual([[0, 5], [1, 3]]);
		expect(cpus.items![0]!.counts).toHaveLength(100);
		expect([cpus.most, cpus.samples, cpus.left_out, cpus.to_ns]).toEqual([5, 8, 0, "3000000000"]);
		const threads = made().lanesBy("thread");
		expect(threads.items!.map(({ tid, samples }) => [tid, samples])).toEqual([[7, 1], [8, 7]]);
		expect(threads.left_out).toBe(4);
	});

	it("give the heatmap of a thread, a process and a CPU", () => {
		const heat = made().heatOf("t8");
		expect([heat.columns, heat.samples, heat.most, heat.counts[0], heat.counts[99]]).toEqual([2, 7, 5, 2, 5]);
		expect(made().heatOf("p7").samples).toBe(8);
		expect(made().heatOf("c1").samples).toBe(3);
	});
});
