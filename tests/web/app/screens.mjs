// SPDX-License-Identifier: Apache-2.0
// Every screen, for the pictures and for the check of accessibility.

import { chmodSync, copyFileSync, existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXAMPLE } from "./lib.mjs";

// In a folder that any user can reach, under a name that does not tell where this was built.
function place(server) {
	if (!existsSync(EXAMPLE)) return { folder: "", command: "perl -e '$n{$_ % 7919} += $_ for 1 .. 4000000'" };
	const folder = mkdtempSync(join(tmpdir(), "demo-"));
	chmodSync(folder, 0o755);
	copyFileSync(EXAMPLE, join(folder, "wordfreq"));
	server.folders.push(folder);
	return { folder, command: "./wordfreq" };
}

export async function prepare(server) {
	await server.post("/sessions", { title: "Compile times", notes: "before and after" });
	const session = (await server.post("/sessions", { title: "wordfreq: is it the hash?" })).id;
	const form = { live: true, target: { kind: "command", shell: true, who: "", children: true }, interval_ms: 20, rate: "997", call_graph: "fp" };
	const events = { count: "task-clock,context-switches,page-faults,cpu-migrations", sample: "" };
	const { folder, command } = place(server);
	await server.measure(session, { ...form, tool: "count", events, target: { ...form.target, command: "seq 200000 | sort -n | tail -1; exit 3" } });
	const run = await server.measure(session, { ...form, tool: "both", events, folder, target: { ...form.target, shell: false, command } });
	return { session, run: run.id };
}

export function screens({ session, run }, top) {
	return {
		sessions: "/",
		session: `/s/${session}?run=${run}&tab=overview`,
		overview: `/r/${run}/overview`,
		counters: `/r/${run}/counters`,
		together: `/r/${run}/counters?view=together`,
		histogram: `/r/${run}/counters?view=histogram`,
		samples: `/r/${run}/counters?view=samples`,
		flame: `/r/${run}/flame`,
		time: `/r/${run}/time`,
		functions: `/r/${run}/functions?function=${encodeURIComponent(top)}`,
		output: `/r/${run}/output`,
		raw: `/r/${run}/raw`,
		machines: "/hosts",
	};
}

// Until nothing is fetched any more and all is drawn.
export async function settled(page) {
	await page.waitForLoadState("load");
	await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"), null, { timeout: 8000 }).catch(() => {});
	await page.waitForFunction(() => ![...document.querySelectorAll(".plan p, .expression p")].some((one) => one.textContent === "…"), null, { timeout: 8000 }).catch(() => {});
	await page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 250)));
}
