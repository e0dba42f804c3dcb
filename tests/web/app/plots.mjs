// SPDX-License-Identifier: Apache-2.0
// The Counters tab: pan, zoom, hover, legend, ratios, saving, histogram, samples; live without growing; a
// million points; and the Functions tab against the API.
import { readFileSync } from "node:fs";
import { busy, check, equal, LONG, run, SHELL, until } from "./lib.mjs";

const COMMAND = "for n in 1 2 3 4 5 6; do seq 60000 | sort -r >/dev/null; sleep 0.1; done";

async function shownRange(page) {
	const text = await page.locator(".range-words").textContent();
	const [from, to] = [...text.matchAll(/([\d.]+) s/g)].map((one) => Number(one[1]));
	return [from, to, to - from];
}

async function zooming({ server, page, id }) {
	await page.goto(`${server.base}/r/${id}/counters`);
	await page.locator(".u-over").first().waitFor();
	const data = await server.get(`/runs/${id}/counters?width=1500`);
	const names = [...data.lines.map((line) => line.event), ...data.ratios.map((ratio) => ratio.name)];
	equal("every counter and ratio has its plot", await page.locator(".one-line figcaption b").allTextContents(), names);
	const whole = await shownRange(page);
	const over = page.locator(".u-over").first();
	const box = await over.boundingBox();
	const y = box.y + box.height / 2;
	const at = (part) => box.x + box.width * part;

	await page.mouse.move(at(0.5), y);
	await until("the readout", async () => /^\d/.test(await page.locator(".readout").first().textContent()));
	const words = await page.locator(".readout").first().textContent();
	const seconds = Number(/([\d.]+) s/.exec(words)[1]);
	const near = data.t.reduce((best, t, index) => (Math.abs(t / 1e9 - seconds) < Math.abs(data.t[best] / 1e9 - seconds) ? index : best), 0);
	const rate = data.lines[0].mean[near] / (Number(data.interval_ns) / 1e9) / 1e6; // task-clock is in ms
	const said = Number(/: ([\d.,]+)/.exec(words)[1].replace(/,/g, "")) * (/: [\d.,]+ G/.test(words) ? 1e9 : /: [\d.,]+ M/.test(words) ? 1e6 : /: [\d.,]+ k/.test(words) ? 1e3 : 1);
	check("hovering tells the value that the API has there", Math.abs(said - rate) <= 0.02 * Math.max(rate, 1) + 1, { words, rate });
	equal("all plots show the same moment", new Set((await page.locator(".readout").allTextContents()).filter(Boolean).map((text) => text.split(":")[0])).size, 1);

	await page.mouse.move(at(0.25), y);
	await page.mouse.down();
	await page.mouse.move(at(0.5), y, { steps: 4 });
	await page.mouse.up();
	const boxed = await until("the zoom", async () => {
		const now = await shownRange(page);
		return now[2] < whole[2] * 0.4 && now;
	});
	check("a box zooms to a quarter", Math.abs(boxed[2] - whole[2] / 4) < whole[2] * 0.03, { whole, boxed });
	await page.waitForURL(/from=\d+/);
	check("the range is in the address", /to=\d+/.test(page.url()));
	await page.reload();
	await page.locator(".u-over").first().waitFor();
	await until("the same range again", async () => Math.abs((await shownRange(page))[2] - boxed[2]) < 0.02);
	check("and comes back from there", true);

	await page.mouse.move(at(0.5), y);
	await page.mouse.wheel(0, -240);
	await until("the wheel", async () => (await shownRange(page))[2] < boxed[2] * 0.9);
	check("the wheel zooms in", true);
	await page.mouse.wheel(0, 240);
	await page.getByRole("radio", { name: "Drag: pan" }).click();
	const before = await shownRange(page);
	await page.mouse.move(at(0.5), y);
	await page.mouse.down();
	await page.mouse.move(at(0.6), y, { steps: 4 });
	await page.mouse.up();
	const panned = await until("the pan", async () => {
		const now = await shownRange(page);
		return now[0] < before[0] - 0.001 && now;
	});
	check("dragging pans, the span stays", Math.abs(panned[2] - before[2]) < 0.02, { before, panned });
	await page.locator(".plot").first().focus();
	await page.keyboard.press("ArrowRight");
	await until("the key", async () => (await shownRange(page))[0] > panned[0] + 0.001);
	check("arrow keys pan", true);
	await page.getByRole("button", { name: "Whole run" }).click();
	await until("the whole", async () => Math.abs((await shownRange(page))[2] - whole[2]) < 0.02);
	check("and the whole run comes back", true);
	return names;
}

async function legend({ page, names }) {
	await page.locator(".legend").getByRole("button", { name: names[1] }).click();
	await until("the curve to go", async () => !(await page.locator(".one-line figcaption b").allTextContents()).includes(names[1]));
	check("the legend hides a curve, and the address says so", page.url().includes("hide="));
	await page.locator(".legend").getByRole("button", { name: names[1] }).click();
	await page.getByRole("radio", { name: "Together" }).click();
	await until("one plot", async () => (await page.locator(".plot").count()) === 1);
	check("all curves on one axis", true);
	await page.getByRole("radio", { name: "Apart" }).click();
}

async function saving({ page, names }) {
	const save = async (name) => {
		await page.getByRole("button", { name: "Save the plot" }).click();
		const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: new RegExp(`^${name}`) }).click()]);
		return readFileSync(await file.path());
	};
	await until("all plots", async () => (await page.locator(".u-over").count()) === names.length);
	const png = await save("PNG");
	check("saves as PNG", png.subarray(1, 4).toString() === "PNG" && png.length > 3000, png.length);
	const svg = (await save("SVG")).toString();
	equal("saves as SVG with a curve each", svg.match(/<polyline/g)?.length, names.length);
	const csv = (await save("CSV")).toString().trim().split("\n");
	check("saves as CSV with a column each", csv[0].split(",").length >= names.length + 1 && csv.length > 5, csv.slice(0, 3));
	await page.getByText("As a table").click();
	await page.locator(".as-table tbody tr").nth(6).waitFor();
	check("there is a table for who does not see the curves", true);
	await page.getByRole("button", { name: "Full screen" }).click();
	await until("the frame to go", async () => !(await page.locator(".run-head").count()));
	check("full screen has an address of its own", page.url().includes("full=1"));
	await page.getByRole("button", { name: "Back" }).click();
}

async function histogram({ server, page, id, names }) {
	await page.getByRole("radio", { name: "Histogram" }).click();
	await page.locator(".histogram rect").first().waitFor();
	const data = await server.get(`/runs/${id}/counters/histogram?event=${encodeURIComponent(names[0])}&bins=50`);
	await page.getByText("As a table").click();
	const counts = (await page.locator(".as-table tbody td:nth-child(3)").allTextContents()).map((text) => Number(text.replace(/,/g, "")));
	equal("the histogram has the API's bars", counts, data.counts);
}

async function samples({ server, page, id }) {
	await page.goto(`${server.base}/r/${id}/counters?view=samples`);
	await page.locator(".u-over").first().waitFor();
	const data = await server.get(`/runs/${id}/samples?width=1400`);
	await page.getByText("As a table").click();
	await page.locator(".as-table tbody tr").first().waitFor();
	const first = await page.locator(".as-table tbody tr").first().locator("td").allTextContents();
	equal("a sampled run has its samples over time, with address and function", [first[2], first[3]], [data.ip[0], data.functions[data.function[0]]?.name ?? ""]);
	const box = await page.locator(".u-over").first().boundingBox();
	await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
	await page.locator(".readout.wide").waitFor();
	check("hovering names the function", await hoverSamples(page, box, data));
}

// Somewhere in the plot there is a sample: what is said of it is one of the API's.
async function hoverSamples(page, box, data) {
	const readout = page.locator(".readout.wide");
	for (let at = 0.1; at < 0.95; at += 0.04)
		for (const level of [0.1, 0.5, 0.9]) {
			await page.mouse.move(box.x + box.width * at, box.y + box.height * level);
			const [seconds, value, name, ip] = (await readout.textContent()).split("   ");
			if (!ip) continue;
			return data.t.some((t, i) => Math.abs(t / 1e9 - parseFloat(seconds)) < 1e-4 && data.ip[i] === ip && (data.functions[data.function[i]]?.name || "[unknown]") === name) || { seconds, value, name, ip };
		}
	return false;
}

async function functions({ server, page, id }) {
	await page.goto(`${server.base}/r/${id}/functions`);
	await page.locator(".wide tbody tr").first().waitFor();
	const top = await server.get(`/runs/${id}/top?limit=100`);
	equal("the table has the API's functions", await page.locator(".wide tbody td:nth-child(3)").allTextContents(), top.rows.map((row) => row.function ?? "[unknown]"));
	equal("and its shares", await page.locator(".wide tbody td:nth-child(1)").allTextContents(), top.rows.map((row) => `${row.self_percent.toFixed(2)} %`));
	await page.getByRole("button", { name: "Total" }).click();
	const total = await server.get(`/runs/${id}/top?limit=100&sort=total`);
	await until("the order", async () => (await page.locator(".wide tbody td:nth-child(3)").first().textContent()) === (total.rows[0].function ?? "[unknown]"));
	check("it is sorted by total on demand", true);
	const chosen = top.rows.find((row) => row.function);
	await page.locator(".wide tbody button", { hasText: chosen.function }).first().click();
	const callers = await server.get(`/runs/${id}/callers?limit=50&function=${encodeURIComponent(chosen.function)}`);
	const wanted = callers.functions.flatMap((one) => one.rows).map((row) => row.function ?? "[unknown]");
	await page.locator(".around").waitFor();
	await until("the callers", async () => JSON.stringify(await page.getByRole("table", { name: "Called by" }).locator("td:nth-child(2)").allTextContents()) === JSON.stringify(wanted));
	check("callers are those of the API", true);
}

async function live({ server, page, session }) {
	const seconds = LONG ? 600 : 6;
	const made = await server.post(`/sessions/${session}/runs`, { tool: "count", live: true, interval_ms: 10, limit_s: seconds + 5, target: { ...SHELL, command: busy(seconds) }, events: { count: "task-clock,context-switches,page-faults" } });
	const id = made.items[0].id;
	await page.goto(`${server.base}/r/${id}/counters`);
	await page.locator(".u-over").first().waitFor();
	const end = async () => (await shownRange(page))[1];
	await until("a second of points", async () => (await end()) > 1);
	const heap = async () => {
		const cdp = await page.context().newCDPSession(page);
		await cdp.send("HeapProfiler.collectGarbage");
		const { usedSize } = await cdp.send("Runtime.getHeapUsage");
		await cdp.detach();
		return usedSize;
	};
	const early = await heap();
	const first = await end();
	await until("more points", async () => (await end()) > first + (LONG ? seconds * 0.9 : 2.5), seconds * 1000 + 20000);
	check("the plot follows live, 100 points a second", true);
	const late = await heap();
	console.log(`# heap after the first second ${Math.round(early / 1024)} KiB, later ${Math.round(late / 1024)} KiB`);
	check("without growing", late - early < 6 << 20, { early, late });
	await page.getByRole("button", { name: "Stop" }).click();
	await server.ended(id);
	await until("the run to be over here", async () => (await page.locator(".run-head .state").textContent()) !== "running");
}

// Frames while a plot of many points is panned. How long they take depends on what else the machine does, so
// it is only told; the long form holds it to account.
async function smooth({ server, page, session }) {
	const seconds = LONG ? 130 : 2;
	const events = "task-clock,context-switches,page-faults,minor-faults,major-faults,cpu-migrations,alignment-faults,emulation-faults";
	const done = await server.measure(session, { tool: "count", live: false, interval_ms: 1, target: { ...SHELL, command: busy(seconds) }, events: { count: events } });
	await page.goto(`${server.base}/r/${done.id}/counters`);
	await page.locator(".u-over").first().waitFor();
	const data = await server.get(`/runs/${done.id}/counters?width=1400`);
	await page.getByRole("radio", { name: "Drag: pan" }).click();
	const box = await page.locator(".u-over").first().boundingBox();
	const y = box.y + box.height / 2;
	await page.mouse.move(box.x + box.width / 2, y);
	for (let step = 0; step < 6; step++) await page.mouse.wheel(0, -120);
	await page.waitForURL(/from=/);
	await page.waitForTimeout(500);
	await page.evaluate(() => {
		globalThis.frames = [];
		let last = performance.now();
		const tick = (now) => {
			globalThis.frames.push(now - last);
			last = now;
			if (globalThis.frames) requestAnimationFrame(tick);
		};
		requestAnimationFrame(tick);
	});
	await page.mouse.down();
	for (let step = 0; step < 90; step++) await page.mouse.move(box.x + box.width / 2 + 300 * Math.sin(step / 8), y);
	await page.mouse.up();
	const frames = await page.evaluate(() => globalThis.frames.slice(1).sort((a, b) => a - b));
	const p95 = frames[Math.floor(frames.length * 0.95)];
	console.log(`# ${data.points} points in ${data.lines.length} curves: 95 % of ${frames.length} frames within ${p95.toFixed(1)} ms`);
	check("many points can be panned", frames.length > 20 && data.points > 1000 && (!LONG || p95 <= 17.5), { points: data.points, p95 });
}

await run(async ({ server, browser }) => {
	const page = await browser.open(server.link);
	const session = (await server.post("/sessions", { title: "Plots" })).id;
	const measured = await server.measure(session, { tool: "both", live: false, interval_ms: 20, rate: "997", target: { ...SHELL, command: COMMAND }, events: { count: "task-clock,context-switches,page-faults,minor-faults" } });
	equal("the run is done", measured.state, "done");
	const world = { server, page, session, id: measured.id };
	const names = await zooming(world);
	await legend({ page, names });
	await saving({ page, names });
	await histogram({ ...world, names });
	await samples(world);
	await functions(world);
	await live(world);
	await smooth(world);
});
