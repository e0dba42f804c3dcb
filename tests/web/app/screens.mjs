// SPDX-License-Identifier: Apache-2.0
// Every screen, for the pictures and for the check of accessibility.

import { chmodSync, copyFileSync, existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXAMPLE } from "./lib.mjs";

// In a folder that any user can reach, under a name that does not tell where this was built.
function place(server) {
	if (!existsSync(EXAMPLE)) return { folder: "", command: "perl -e '$n{$_ % 7919} += $_ for 1 .. 4000000; print 1'" };
	const folder = mkdtempSync(join(tmpdir(), "demo-"));
	chmodSync(folder, 0o755);
	copyFileSync(EXAMPLE, join(folder, "wordfreq"));
	server.folders.push(folder);
	return { folder, command: "./wordfreq 40000000 2" };
}

// A recording of another machine, as it is dropped on the page.
async function imported(server) {
	const session = (await server.post("/sessions", { title: "Checkout, slow on Friday evening" })).id;
	const stacks = ["main;serve;route;checkout;price;round 31", "main;serve;route;checkout;price;tax_of;lookup 58", "main;serve;route;checkout;stock;query;recv 44", "main;serve;route;cart;render;escape 27", "main;serve;route;cart;render;append 19", "main;serve;accept 8", "main;log;write 13"];
	const answer = await fetch(`${server.base}/api/v1/sessions/${session}/import?name=checkout.folded`, { method: "POST", headers: { Authorization: `Bearer ${server.token}`, "Content-Type": "application/octet-stream" }, body: `${stacks.join("\n")}\n` });
	await server.ended((await answer.json()).id);
}

export async function prepare(server) {
	const fresh = (await server.post("/sessions", { title: "Compile times", notes: "before and after" })).id;
	await imported(server);
	const session = (await server.post("/sessions", { title: "wordfreq: is it the hash?" })).id;
	const form = { live: true, target: { kind: "command", shell: true, who: "", children: true }, interval_ms: 20, rate: "997", call_graph: "dwarf" };
	const events = { count: "task-clock,context-switches,page-faults,cpu-migrations", sample: "" };
	const { folder, command } = place(server);
	await server.measure(session, { ...form, tool: "count", events, target: { ...form.target, command: "seq 200000 | sort -n | tail -1; exit 3" } });
	const failed = await server.measure(session, { ...form, tool: "sample", folder, target: { ...form.target, shell: false, command: "./wordferq" } });
	const run = await server.measure(session, { ...form, tool: "both", events, folder, target: { ...form.target, shell: false, command } });
	return { session, fresh, run: run.id, failed: failed.id, folder };
}

export function screens({ session, run, fresh, failed }, top) {
	return {
		sessions: "/",
		session: `/s/${session}?run=${run}&tab=overview`,
		new: `/s/${fresh}`,
		failed: `/s/${session}?run=${failed}`,
		missing: "/s/999999",
		overview: `/r/${run}/overview`,
		counters: `/r/${run}/counters`,
		together: `/r/${run}/counters?view=together`,
		histogram: `/r/${run}/counters?view=histogram`,
		samples: `/r/${run}/counters?view=samples`,
		flame: `/r/${run}/flame`,
		time: `/r/${run}/time`,
		calltree: `/r/${run}/calltree`,
		"bottom-up": `/r/${run}/calltree?changes=reverse&search=word`,
		functions: `/r/${run}/functions?function=${encodeURIComponent(top)}`,
		output: `/r/${run}/output`,
		raw: `/r/${run}/raw`,
		machines: "/hosts",
	};
}

// Until nothing is fetched any more and all is drawn.
export async function settled(page) {
	await page.waitForLoadState("load");
	await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"), null, { timeout: 60000 }).catch(() => {});
	await page.waitForFunction(() => ![...document.querySelectorAll(".plan p, .expression p")].some((one) => one.textContent === "…"), null, { timeout: 60000 }).catch(() => {});
	await page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 250)));
}
