// SPDX-License-Identifier: Apache-2.0
// The Counters tab: pan, zoom, hover, legend, ratios, saving, permalink, fingers, histogram, samples, CPUs; live without
// growing; more points than pixels; and the Functions tab; all against the API.
import { readFileSync } from "node:fs";
import { becomes, busy, check, equal, LONG, run, SHELL, until } from "./lib.mjs";

const COMMAND = "for n in 1 2 3 4 5 6; do seq 60000 | sort -r >/dev/null; sleep 0.1; done";

async function shownRange(page) {
	const text = await page.locator(".range-words").textContent();
	const [from, to] = [...text.matchAll(/([\d.]+) s/g)].map((one) => Number(one[1]));
	return [from, to, to - from];
}

// The range once nothing moves it any more: what a hand did is drawn, and stands in the address.
async function restingRange(page) {
	let before = [];
	return until("the range to rest", async () => {
		const now = await shownRange(page);
		await page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 400)));
		const same = JSON.stringify(now) === JSON.stringify(before);
		before = now;
		return same && now;
	});
}

// 12.3 k/s as a number.
function spoken(text) {
	const [, digits, letter] = /([\d.,]+)(?: ([kMGT])\b)?/.exec(text) ?? [];
	return Number(digits?.replace(/,/g, "")) * ({ k: 1e3, M: 1e6, G: 1e9, T: 1e12 }[letter] ?? 1);
}

async function zooming({ server, page, id }) {
	await page.goto(`${server.base}/r/${id}/counters`);
	await page.locator(".u-over").first().waitFor();
	const data = await server.get(`/runs/${id}/counters?width=1500&per=second`);
	const names = [...data.lines.map((line) => line.event), ...data.ratios.map((ratio) => ratio.name)];
	equal("every counter and ratio has its plot", await page.locator(".one-line figcaption b").allTextContents(), names);
	const whole = await shownRange(page);
	const faults = data.lines.findIndex((line) => line.event === "page-faults");
	const said = await until("what is said of the range", async () => {
		const text = await page.locator(".readout").nth(faults).textContent();
		return text.startsWith("mean ") && text.split(", ");
	});
	const mean = Number(data.lines[faults].total) / (data.t[data.t.length - 1] / 1e9);
	const highest = Math.max(...data.lines[faults].mean);
	check("a curve says its mean and its highest, which are the API's", Math.abs(spoken(said[0]) - mean) < 0.01 * mean && Math.abs(spoken(said[1]) / highest - 1) < 0.01, { said, mean, highest });
	const over = page.locator(".u-over").first();
	const box = await over.boundingBox();
	const y = box.y + box.height / 2;
	const at = (part) => box.x + box.width * part;

	await page.mouse.move(at(0.5), y);
	await until("the readout", async () => /^\d/.test(await page.locator(".readout").first().textContent()));
	const words = await page.locator(".readout").first().textContent();
	const seconds = Number(/([\d.]+) s/.exec(words)[1]);
	const near = data.t.reduce((best, t, index) => (Math.abs(t / 1e9 - seconds) < Math.abs(data.t[best] / 1e9 - seconds) ? index : best), 0);
	const rate = data.lines[0].mean[near] / 1e6; // task-clock is in ms
	const told = spoken(words.split(": ")[1]);
	check("hovering tells the value that the API has there", Math.abs(told - rate) <= 0.02 * Math.max(rate, 1) + 1, { words, rate });
	await becomes("all plots show the same moment", async () => new Set((await page.locator(".readout").allTextContents()).filter(Boolean).map((text) => text.split(":")[0])).size, 1);

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
	await page.getByRole("radio", { name: "Pan" }).click();
	const before = await restingRange(page);
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

// In one plot of all: what is pointed at in the legend stands out, and hovering tells the value of each.
async function oneOfAll({ page, names }) {
	const picture = () => page.locator(".plot canvas").evaluate((canvas) => canvas.toDataURL());
	const before = await picture();
	await page.locator(".legend").getByRole("button", { name: names[0] }).hover();
	await until("another picture", async () => (await picture()) !== before);
	const box = await page.locator(".u-over").boundingBox();
	await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
	await until("a value for each curve", async () => (await page.locator(".legend b").allTextContents()).every((text) => /\d|–/.test(text)));
	check("the legend makes one curve stand out, and tells all values", /at [\d.]+ s/.test(await page.locator(".legend [data-moment]").textContent()));
}

async function legend({ page, names }) {
	await page.locator(".legend").getByRole("button", { name: names[1] }).click();
	await until("the curve to go", async () => !(await page.locator(".one-line figcaption b").allTextContents()).includes(names[1]));
	check("the legend hides a curve, and the address says so", page.url().includes("hide="));
	await page.locator(".legend").getByRole("button", { name: names[1] }).click();
	const item = page.locator(".legend").getByRole("button", { name: names[2] });
	await item.click({ modifiers: ["Shift"] });
	await until("only one", async () => JSON.stringify(await page.locator(".one-line figcaption b").allTextContents()) === JSON.stringify([names[2]]));
	await item.click({ modifiers: ["Shift"] });
	await until("all of them", async () => (await page.locator(".one-line figcaption b").count()) === names.length);
	check("with Shift it shows one curve alone, and all again", true);
	await page.getByRole("radio", { name: "Together" }).click();
	await until("one plot", async () => (await page.locator(".plot").count()) === 1);
	check("all curves on one axis", true);
	await oneOfAll({ page, names });
	await page.getByRole("radio", { name: "Apart" }).click();
}

// A file of the Save menu.
async function save(page, name) {
	await page.getByRole("button", { name: "Save the plot" }).click();
	const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: new RegExp(`^${name}`) }).click()]);
	return readFileSync(await file.path());
}

// Columns of a CSV by their names.
function columnsOf(text) {
	const [head, ...rows] = text.trim().split("\n").map((line) => line.split(","));
	return Object.fromEntries(head.map((name, at) => [name, rows.map((row) => (row[at] === "" ? null : Number(row[at])))]));
}

const near = (a, b) => (a === null || b === null ? a === b : Math.abs(a - b) <= 1e-5 * Math.max(1, Math.abs(b))); // the API tells six digits

// Rows whose numbers are not those of the API, which tells each tick.
function wrongRows(csv, data) {
	const columns = columnsOf(csv);
	const place = new Map(data.t.map((t, at) => [(t / 1e9).toFixed(6), at]));
	const unit = (event) => (event.includes("clock") ? ["ms of CPU time per second", 1e-6] : ["per second", 1]);
	const lines = [...data.lines.map(({ event, mean }) => [`${event} ${unit(event)[0]}`, mean, unit(event)[1]]), ...data.ratios.map((ratio) => [`${ratio.name} ${ratio.unit}`, ratio.mean, 1])];
	return columns.seconds.flatMap((seconds, row) => {
		const at = [0, 1e-6, -1e-6].map((by) => place.get((seconds + by).toFixed(6))).find((found) => found !== undefined); // rounded twice
		const wrong = lines.filter(([name, mean, factor]) => at === undefined || !columns[name] || !near(columns[name][row], mean[at] === null ? null : mean[at] * factor));
		return wrong.length ? [[seconds, wrong.map(([name]) => [name, columns[name]?.[row]])]] : [];
	});
}

async function saving({ server, page, id, names }) {
	await until("all plots", async () => (await page.locator(".u-over").count()) === names.length);
	const png = await save(page, "PNG");
	const wide = Math.round((await page.locator(".plot").first().boundingBox()).width);
	check("saves as PNG, as wide as the plots", png.subarray(1, 4).toString() === "PNG" && png.length > 3000 && Math.abs(png.readUInt32BE(16) - wide) <= 1, [png.readUInt32BE(16), wide]);
	const data = await server.get(`/runs/${id}/counters?width=4000&per=second`);
	const svg = (await save(page, "SVG")).toString();
	const points = [...svg.matchAll(/ d="([^"]*)"/g)].map(([, text]) => text.match(/[ML]/g)?.length ?? 0);
	equal("saves as SVG with every point of each curve", points, [...data.lines, ...data.ratios].map(({ mean }) => mean.filter((value) => value !== null).length));
	const csv = (await save(page, "CSV")).toString();
	const wrong = wrongRows(csv, data);
	check("saves as CSV with the API's numbers", columnsOf(csv).seconds.length === data.t.length && !wrong.length, { rows: columnsOf(csv).seconds.length, ticks: data.t.length, wrong: wrong.slice(0, 3) });
	await page.getByText("As a table").click();
	await page.locator(".as-table tbody tr").nth(6).waitFor();
	check("there is a table for who does not see the curves", (await page.locator(".as-table thead th").count()) === names.length + 1);
}

// An address that was sent to somebody: the same range, curves and look.
async function permalink({ page, names }) {
	await page.locator(".legend").getByRole("button", { name: names[1] }).click();
	await page.locator(".plot").first().focus();
	await page.keyboard.press("+");
	await page.waitForURL(/from=\d+.*to=\d+|to=\d+.*from=\d+/);
	await page.getByRole("button", { name: "Full screen" }).click();
	await until("the frame to go", async () => !(await page.locator(".run-head").count()));
	const before = await page.locator(".range-words").textContent();
	const other = await page.context().newPage();
	await other.goto(page.url());
	await until("the same range", async () => (await other.locator(".range-words").textContent().catch(() => "")) === before);
	await other.locator(".u-over").first().waitFor();
	equal("an address in full screen gives the same view", [await other.locator(".run-head").count(), await other.locator(".one-line figcaption b").allTextContents()], [0, names.filter((name) => name !== names[1])]);
	await other.close();
	await page.getByRole("button", { name: "Back" }).click();
	await page.locator(".legend").getByRole("button", { name: names[1] }).click();
	await page.getByRole("button", { name: "Whole run" }).click();
	await page.waitForURL((url) => !url.search.includes("from="));
}

// Fingers: one pans, two zoom. Nothing in Chromium's emulation but their events is needed for that.
async function touching({ page }) {
	const whole = await restingRange(page);
	await page.evaluate(() => {
		const over = document.querySelector(".u-over");
		const box = over.getBoundingClientRect();
		const send = (type, pointerId, part) => over.dispatchEvent(new PointerEvent(type, { pointerId, pointerType: "touch", clientX: box.left + box.width * part, clientY: box.top + 20, bubbles: true }));
		for (const [type, id, part] of [["pointerdown", 5, 0.4], ["pointerdown", 6, 0.6], ["pointermove", 5, 0.3], ["pointermove", 6, 0.7], ["pointerup", 5, 0.3], ["pointerup", 6, 0.7]]) send(type, id, part);
	});
	const pinched = await until("two fingers", async () => {
		const now = await shownRange(page);
		return now[2] < whole[2] * 0.9 && now;
	});
	check("two fingers zoom by how far they part", Math.abs(pinched[2] - whole[2] / 2) < whole[2] * 0.03, { whole, pinched });
	await page.getByRole("button", { name: "Whole run" }).click();
	await until("the whole", async () => Math.abs((await shownRange(page))[2] - whole[2]) < 0.02);
}

const numbers = async (locator) => (await locator.allTextContents()).map((text) => Number(text.replace(/,/g, "")));

async function histogram({ server, page, id, names }) {
	await page.getByRole("radio", { name: "Histogram" }).click();
	await page.locator(".histogram rect").first().waitFor();
	const data = await server.get(`/runs/${id}/counters/histogram?event=${encodeURIComponent(names[0])}&bins=50`);
	await page.getByText("As a table").click();
	await becomes("the histogram has the API's bars", () => numbers(page.locator(".as-table tbody td:nth-child(3)")), data.counts);
	const most = parseFloat(await page.locator(".figures div", { hasText: "Maximum" }).locator("dd").textContent());
	check("its figures are the API's, with their unit", near(most, Number((data.max / 1e6).toPrecision(3))) && (await page.locator(".figures dd").first().textContent()).endsWith(" ms"), { most, data: data.max });
	await page.locator(".tools select").selectOption("page-faults");
	await page.getByLabel("Logarithmic values").check();
	const other = await server.get(`/runs/${id}/counters/histogram?event=page-faults&bins=50&scale=log`);
	await until("the other counter, by powers", async () => JSON.stringify(await numbers(page.locator(".as-table tbody td:nth-child(3)"))) === JSON.stringify(other.counts));
	check("another counter, on a logarithmic axis", page.url().includes("scale=log"));
}

async function samples({ server, page, id }) {
	await page.goto(`${server.base}/r/${id}/counters?view=samples`);
	await page.locator(".u-over").first().waitFor();
	await page.getByText("As a table").click();
	for (const event of ["cpu-clock", "page-faults"]) {
		await page.locator(".tools select").selectOption({ label: event });
		const data = await server.get(`/runs/${id}/samples?width=1400&event=${event}`);
		await until(`samples of ${event}`, async () => (await page.locator(".one-line figcaption b").textContent()) === event);
		const row = page.locator(".as-table tbody tr").first().locator("td");
		await until("its table", async () => (await row.nth(2).textContent()) === data.ip[0]);
		equal(`${event}: each sample over time, with value, address and function`, (await row.allTextContents()).slice(1, 4), [data.value[0].toLocaleString("en"), data.ip[0], data.functions[data.function[0]]?.name ?? ""]);
		const box = await until("the plot, which is another with each event", () => page.locator(".u-over").first().boundingBox().catch(() => null));
		check(`${event}: hovering names value, address and function`, (await hoverSamples(page, box, data)) === true);
	}
	const csv = (await save(page, "CSV")).toString().trim().split("\n");
	const all = await server.get(`/runs/${id}/samples?width=1400&event=page-faults`);
	check("samples are saved as CSV", csv.length - 1 === all.t.length && csv[1].includes(all.ip[0]), [csv.length, all.t.length]);
}

// Where there is a sample, what is said of it is one of the API's: all of them may lie in a few pixels.
async function hoverSamples(page, box, data) {
	const readout = page.locator(".readout.wide");
	const whole = Number(BigInt(data.to_ns) - BigInt(data.start_ns));
	for (let round = 0; round < 60; round++) // a busy machine tells it late: once more along it
		for (const level of [0.1, 0.5, 0.9]) {
			const part = data.t[Math.floor((data.t.length * (round % 20)) / 20)] / whole;
			await page.mouse.move(box.x + box.width * part, box.y + box.height * level);
			const [seconds, value, name, ip] = (await readout.textContent()).split("   ");
			// What was said of the event before may still stand there for a moment.
			const told = (i) => Math.abs(data.t[i] / 1e9 - parseFloat(seconds)) < 1e-4 && data.ip[i] === ip && (data.functions[data.function[i]]?.name || "[unknown]") === name;
			if (ip && value && data.t.some((_, i) => told(i))) return true;
		}
	return false;
}

async function functions({ server, page, id }) {
	await page.goto(`${server.base}/r/${id}/functions`);
	await page.locator(".wide tbody tr").first().waitFor();
	const top = await server.get(`/runs/${id}/top?limit=100`);
	await becomes("the table has the API's functions", () => page.locator(".wide tbody td:nth-child(5)").allTextContents(), top.rows.map((row) => row.function ?? "[unknown]"));
	equal("and its shares", await page.locator(".wide tbody td:nth-child(1)").allTextContents(), top.rows.map((row) => `${row.self_percent.toFixed(2)} %`));
	await page.getByRole("button", { name: "Total" }).click();
	const total = await server.get(`/runs/${id}/top?limit=100&sort=total`);
	await until("the order", async () => (await page.locator(".wide tbody td:nth-child(5)").first().textContent()) === (total.rows[0].function ?? "[unknown]"));
	check("it is sorted by total on demand", true);
	const chosen = top.rows.find((row) => row.function);
	await page.locator(".wide tbody button", { hasText: chosen.function }).first().click();
	const callers = await server.get(`/runs/${id}/callers?limit=50&function=${encodeURIComponent(chosen.function)}`);
	const wanted = callers.functions.flatMap((one) => one.rows).map((row) => row.function ?? "[unknown]");
	await page.locator(".around").waitFor();
	await until("the callers", async () => JSON.stringify(await page.getByRole("table", { name: "Called by" }).locator("td:nth-child(2)").allTextContents()) === JSON.stringify(wanted));
	check("callers are those of the API", true);
}

async function heap(page) {
	const cdp = await page.context().newCDPSession(page);
	await cdp.send("HeapProfiler.collectGarbage");
	const { usedSize } = await cdp.send("Runtime.getHeapUsage");
	await cdp.detach();
	return usedSize;
}

// What moves by itself in the tab, from now on.
function watchShifts(page) {
	return page.evaluate(() => {
		globalThis.shifts = [];
		new PerformanceObserver((list) => {
			for (const { sources } of list.getEntries())
				for (const { node, previousRect, currentRect } of sources)
					if (node?.parentElement?.closest(".counters")) globalThis.shifts.push([node.className ?? node.nodeName, previousRect.x, currentRect.x, previousRect.y, currentRect.y]);
		}).observe({ type: "layout-shift" });
	});
}

async function live({ server, page, session }) {
	const seconds = 1000; // until it is stopped here
	const made = await server.post(`/sessions/${session}/runs`, { tool: "count", live: true, interval_ms: 10, limit_s: seconds + 5, target: { ...SHELL, command: busy(seconds) }, events: { count: "task-clock,context-switches,page-faults" } });
	const id = made.items[0].id;
	// As if the page were there before the first point.
	await page.route(/\/counters\?/, (route) => route.fulfill({ status: 404, json: { error: { code: "not-found", message: `run ${id} has no counters`, remedy: "" } } }), { times: 1 });
	await page.goto(`${server.base}/r/${id}/counters`);
	await page.locator(".u-over").first().waitFor();
	check("a plot comes with the first points, and nothing is refused before", !(await page.locator(".trouble").count()));
	const end = async () => (await shownRange(page))[1];
	await until("a second of points", async () => (await end()) > 1);
	const early = await heap(page);
	const first = await end();
	await watchShifts(page);
	await until("more points", async () => (await end()) > first + (LONG ? 540 : 2), LONG ? 700000 : undefined);
	const late = await heap(page);
	console.log(`# heap after the first second ${Math.round(early / 1024)} KiB, later ${Math.round(late / 1024)} KiB`);
	check("a live plot does not grow", late - early < 2 << 20, { early, late });
	equal("and nothing moves in it but the curves", await page.evaluate(() => globalThis.shifts), []);
	const fetched = await page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/counters?")).length);
	check("it gets new points only, from the stream", fetched <= 4, fetched);
	await until("enough points", async () => (await server.get(`/runs/${id}/counters?width=20000`)).t.length > 120);
	if ((await end()) < 15) { // later columns of several ticks are shown
		const csv = (await save(page, "CSV")).toString();
		// what was a part of an interval when the page asked belongs to the next one now: both differ
		const wrong = wrongRows(csv, await server.get(`/runs/${id}/counters?width=20000&per=second`));
		check("its points, ratios too, are the API's", columnsOf(csv).seconds.length > 100 && wrong.length <= 2, { rows: columnsOf(csv).seconds.length, wrong: wrong.slice(0, 3) });
	}
	await page.locator(".plot").first().focus();
	for (const key of ["+", "+", "End"]) await page.keyboard.press(key);
	await page.waitForURL(/from=\d+/); // it rests
	const held = await shownRange(page);
	const step = held[2] > 20 ? 1 : 0.2; // of long spans a tenth of a second is told
	await until("the end to be followed", async () => (await shownRange(page))[1] > held[1] + step);
	check("at the end of the run the view follows it", Math.abs((await shownRange(page))[2] - held[2]) < step / 4, held);
	await page.getByRole("button", { name: "Stop" }).click();
	await server.ended(id);
	await until("the run to be over here", async () => (await page.locator(".run-head .state").textContent()) !== "running");
}

// Counts of single CPUs, and their sum.
async function eachCpu({ server, page, session }) {
	if (process.getuid() !== 0) return console.log("# not root: CPUs are not counted by themselves");
	const done = await server.measure(session, { tool: "count", live: false, interval_ms: 20, limit_s: 1, target: { kind: "host", shell: false, who: "", children: true }, events: { count: "context-switches,page-faults" }, options: { stat: "-A", record: "" } });
	await page.goto(`${server.base}/r/${done.id}/counters`);
	await page.getByRole("radio", { name: "Each CPU" }).click();
	const data = await server.get(`/runs/${done.id}/counters?cpus=each&width=4000`);
	await until("a key for each CPU", async () => (await page.locator(".legend-key").count()) === data.cpus.length);
	equal("the plots of events stay, with a curve for each CPU", await page.locator(".one-line figcaption b").allTextContents(), [...new Set(data.lines.map((line) => line.event)), ...new Set(data.ratios.map((ratio) => ratio.name))]);
	const head = (await save(page, "CSV")).toString().split("\n")[0].split(",");
	equal("and all of them are saved", head.length - 1, data.lines.length + data.ratios.length);
}

// While it is panned only what comes into sight is drawn: there and back again it must be the same picture.
async function sameAfterPan({ page, box, y }) {
	const pixels = () => page.evaluate(() => {
		const board = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
		const now = [...document.querySelectorAll(".plot canvas")].map((plot) => {
			board.canvas.width = plot.width;
			board.canvas.height = plot.height;
			board.drawImage(plot, 0, 0);
			return board.getImageData(0, 0, plot.width, plot.height).data;
		});
		const before = globalThis.pictures;
		globalThis.pictures = now;
		return before?.map((data, plot) => data.reduce((sum, value, at) => sum + (Math.abs(value - now[plot][at]) > 8 ? 1 : 0), 0) / data.length);
	});
	const drawn = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	const middle = box.x + box.width / 2;
	await page.mouse.move(middle, y);
	await page.mouse.down();
	await drawn();
	await pixels();
	for (let step = 1; step <= 12; step++) {
		await page.mouse.move(middle + 9 * step, y);
		await drawn();
	}
	const away = await pixels();
	await page.evaluate(() => (globalThis.pictures = null));
	for (let step = 11; step >= -12; step--) {
		await page.mouse.move(middle + 9 * step, y);
		await drawn();
	}
	await pixels();
	for (let step = -11; step <= 12; step++) {
		await page.mouse.move(middle + 9 * step, y);
		await drawn();
	}
	for (let step = 11; step >= -12; step--) {
		await page.mouse.move(middle + 9 * step, y);
		await drawn();
	}
	const back = await pixels();
	await page.mouse.up();
	check("panned there and back it is the same picture", Math.max(...away) > 0.01 && Math.max(...back) < 0.002, { away, back });
}

// There may be no PMU with a unit here: the answers about one event are given as if it counted 1/128 of a Joule.
async function units({ server, page, id }) {
	const [from, to] = ["minor-faults", "power/energy-pkg/"];
	const relabel = async (route) => {
		const answer = await route.fetch();
		const body = await answer.json();
		const at = body.events?.indexOf(from) ?? -1;
		if (at >= 0 && body.units) [body.events[at], body.units[at], body.scales[at]] = [to, "Joules", 1 / 128];
		for (const one of [...(body.lines ?? []), ...(body.counters ?? [])]) if (one.event === from) Object.assign(one, { event: to }, body.counters && { unit: "Joules", scale: 1 / 128 });
		await route.fulfill({ response: answer, json: body });
	};
	await page.route(/\/runs\/\d+\/(counters\?|summary)/, relabel);
	const { total } = (await server.get(`/runs/${id}/summary`)).counters.find((one) => one.event === from);
	const plot = await server.get(`/runs/${id}/counters?per=second&width=1500`);
	const highest = Math.max(...plot.lines.find((line) => line.event === from).mean) / 128;
	await page.goto(`${server.base}/r/${id}/counters`);
	const figure = page.locator(".one-line", { hasText: to });
	const said = await until("its curve", async () => /highest ([\d.,]+(?: k)?) W, ([\d.,]+(?: k)?) Joules in all/.exec(await figure.locator(".readout").textContent().catch(() => "")));
	check("an event with a scale is shown in its unit", Math.abs(spoken(said[1]) / highest - 1) < 0.02 && Math.abs(spoken(said[2]) / (total / 128) - 1) < 0.02, { said, highest, total });
	const csv = (await save(page, "CSV")).toString().split("\n");
	const at = csv[0].split(",").indexOf(`${to} watts: Joules per second`);
	check("and saved so", at > 0 && Math.abs(Math.max(...csv.slice(1, -1).map((line) => Number(line.split(",")[at]))) / highest - 1) < 0.02, csv.slice(0, 3));
	await page.goto(`${server.base}/r/${id}/overview`);
	const row = page.locator(".totals tr", { hasText: to }).locator("td.number");
	await row.waitFor();
	check("the overview has it too, with the count at hand", Math.abs(spoken(await row.textContent()) / (total / 128) - 1) < 0.02 && (await row.getAttribute("title")).includes(Number(total).toLocaleString("en")), [await row.textContent(), total]);
	await page.unrouteAll({ behavior: "wait" });
}

// More points than pixels: what is panned to and zoomed into is told tick by tick again.
async function manyPoints({ server, page, session }) {
	const events = "task-clock,context-switches,page-faults,minor-faults,major-faults,cpu-migrations,alignment-faults,emulation-faults";
	const done = await server.measure(session, { tool: "count", live: false, interval_ms: 1, target: { ...SHELL, command: busy(3) }, events: { count: events } });
	await page.goto(`${server.base}/r/${done.id}/counters`);
	await page.locator(".u-over").first().waitFor();
	const data = await server.get(`/runs/${done.id}/counters?width=20000&per=second`);
	await page.getByRole("radio", { name: "Pan" }).click();
	const box = await page.locator(".u-over").first().boundingBox();
	const y = box.y + box.height / 2;
	await page.mouse.move(box.x + box.width / 2, y);
	for (let step = 0; step < 8; step++) await page.mouse.wheel(0, -120);
	await page.waitForURL(/from=/);
	const zoomed = await restingRange(page);
	await page.mouse.down();
	for (let step = 0; step <= 40; step++) await page.mouse.move(box.x + box.width / 2 - 6 * step, y);
	await page.mouse.up();
	const panned = await until("the pan", async () => {
		const now = await shownRange(page);
		return now[0] > zoomed[0] + zoomed[2] / 10 && now;
	});
	check("many points are panned, the span stays", Math.abs(panned[2] - zoomed[2]) < 0.01, { zoomed, panned });
	const ticks = data.t.filter((t) => t / 1e9 >= panned[0] && t / 1e9 <= panned[1]).length;
	const rows = await until("each tick of the range", async () => {
		const csv = (await save(page, "CSV")).toString();
		const { seconds } = columnsOf(csv);
		return Math.abs(seconds.length - ticks) <= 2 + ticks * 0.02 && { seconds, wrong: wrongRows(csv, data) };
	});
	await sameAfterPan({ page, box, y });
	check("and the ticks that are seen are the API's", rows.seconds.length > 20 && !rows.wrong.length, { rows: rows.seconds.length, ticks, wrong: rows.wrong.slice(0, 3) });
}

await run(async ({ server, browser }) => {
	const page = await browser.open(server.link);
	const session = (await server.post("/sessions", { title: "Plots" })).id;
	const measured = await server.measure(session, { tool: "both", live: false, interval_ms: 20, rate: "997", target: { ...SHELL, command: COMMAND }, events: { count: "task-clock,context-switches,page-faults,minor-faults", sample: "cpu-clock,page-faults" } });
	equal("the run is done", measured.state, "done");
	const world = { server, page, session, id: measured.id };
	const names = await zooming(world);
	await legend({ page, names });
	await saving({ ...world, names });
	await permalink({ page, names });
	await touching(world);
	await histogram({ ...world, names });
	await samples(world);
	await functions(world);
	await units(world);
	await live(world);
	await eachCpu(world);
	await manyPoints(world);
});
