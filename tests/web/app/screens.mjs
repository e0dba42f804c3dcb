// SPDX-License-Identifier: Apache-2.0
// Every screen, for the pictures and for the check of accessibility.

export async function prepare(server) {
	const session = (await server.post("/sessions", { title: "sort: which way is quicker" })).id;
	const form = { live: true, target: { kind: "command", shell: true, who: "", children: true }, interval_ms: 20, rate: "997", call_graph: "fp" };
	const events = { count: "task-clock,context-switches,page-faults,cpu-migrations", sample: "" };
	const command = "for n in 1 2 3; do seq 150000 | sort -r | gzip -9 | md5sum; sleep 0.2; done";
	const run = await server.measure(session, { ...form, tool: "both", events, target: { ...form.target, command } });
	await server.measure(session, { ...form, tool: "count", events, target: { ...form.target, command: "seq 200000 | sort -n | tail -1; exit 3" } });
	await server.post("/sessions", { title: "Compile times", notes: "before and after" });
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
	await page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 250)));
}
