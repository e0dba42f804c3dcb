// SPDX-License-Identifier: Apache-2.0
// Room: at 1280 by 720 the run has it, columns fold away and stay so, nothing is cut off, light and dark can be chosen.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { becomes, busy, check, endless, equal, PERFOLIO, run, sampleForm, SHELL, until } from "./lib.mjs";
import { settled } from "./screens.mjs";

const SMALL = { width: 1280, height: 720 };
const box = (page, selector) => page.locator(selector).first().evaluate((one) => one.getBoundingClientRect().toJSON());
const seen = (page, selector) => page.locator(selector).evaluateAll((all) => all.filter((one) => one.checkVisibility()).length);

async function importFolded(server, session, text) {
	const answer = await fetch(`${server.base}/api/v1/sessions/${session}/import?name=made.folded`, { method: "POST", headers: { Authorization: `Bearer ${server.token}`, "Content-Type": "application/octet-stream" }, body: text });
	return server.ended((await answer.json()).id);
}

// What a window of 1280 by 720 leaves of the flames, as it is opened first.
async function roomForFlames({ server, browser, session, sampled }) {
	const page = await browser.open(server.link, { viewport: SMALL });
	await page.goto(`${server.base}/s/${session}?run=${sampled}&tab=flame`);
	await page.locator(".flame-frames canvas").waitFor();
	await settled(page);
	const panel = await box(page, ".run-panel");
	const frames = await box(page, ".flame-frames");
	check("in the bench the run is at least 760 wide", panel.width >= 760, panel);
	check("and its flames at least 330 high, in the window", frames.height >= 330 && frames.bottom <= 720, frames);
	const tops = await page.locator(".flame-bar > *").evaluateAll((all) => all.filter((one) => one.clientWidth > 0 && !one.matches(".flame-grow")).map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => (top + bottom) / 2));
	check("the graph's tools are in one row", Math.max(...tops) - Math.min(...tops) < 6, tops);
	const tabs = await page.getByRole("tab").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
	check("every tab is whole, Raw too", Math.max(...tabs) <= panel.right && (await page.getByRole("tab", { name: "Raw" }).isVisible()), { tabs, panel });

	// In larger windows both columns are open, and there is no less room.
	for (const width of [1440, 1920]) {
		const large = await browser.tab(page.context(), page.url());
		await large.setViewportSize({ width, height: 900 });
		await large.locator(".flame-frames canvas").waitFor();
		await settled(large);
		const middles = await large.locator(".flame-bar > *").evaluateAll((all) => all.filter((one) => one.clientWidth > 0 && !one.matches(".flame-grow")).map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => (top + bottom) / 2));
		check(`${width}: one row of tools, the table beside the graph, the history open`, Math.max(...middles) - Math.min(...middles) < 6 && (await large.locator(".flame-table").isVisible()) && (await large.locator(".history").isVisible()), middles);
		const over = await large.locator(".history-actions").evaluateAll((all) => all.filter((one) => one.clientHeight > 34 || one.scrollWidth > one.clientWidth).length);
		equal(`${width}: what can be done with an earlier run is in one row`, over, 0);
		await large.close();
	}
	await page.getByRole("button", { name: "Expand", exact: true }).click();
	await settled(page);
	const wide = await box(page, ".flame-frames");
	check("Expand gives the run the window", (await box(page, ".run-panel")).width > 1200 && wide.height >= 380 && wide.bottom <= 720, wide);
	check("and stands in the address", page.url().includes("wide=1") && (await page.locator("aside.column").count()) === 0);
	const other = await browser.tab(page.context(), page.url());
	await other.locator(".flame-frames canvas").waitFor();
	check("which shows the same to others", (await other.locator("aside.column").count()) === 0);
	await other.close();
	await page.getByRole("button", { name: "Shrink", exact: true }).click();
	await becomes("Shrink brings the form back", () => page.locator("form.bench").count(), 1);
	await page.context().close();
}

// All columns open in a window of 1280 by 720: rows stay rows.
async function crowded({ server, browser, session, sampled }) {
	const page = await browser.open(server.link, { viewport: SMALL });
	await page.evaluate(() => localStorage.setItem("bench.history", "open"));
	const rowsOf = (selector) => page.locator(selector).evaluateAll((all) => {
		const middles = all.filter((one) => one.clientWidth > 0 && !one.matches(".flame-grow")).map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => (top + bottom) / 2);
		return Math.round(Math.max(...middles) - Math.min(...middles)) < 8 ? 1 : middles;
	});
	await page.goto(`${server.base}/s/${session}?run=${sampled}&tab=flame`);
	await page.locator(".flame-frames canvas").waitFor();
	await settled(page);
	equal("with the history open: the graph's tools are one row", await rowsOf(".flame-bar > *"), 1);
	equal("so are the tabs", await rowsOf("[role=tab]"), 1);
	for (const row of await page.locator(".history-actions").all()) equal("and what can be done with an earlier run", await row.evaluate((one) => one.clientHeight < 34 && one.scrollWidth <= one.clientWidth), true);
	await page.getByRole("radio", { name: "Whole host", exact: true }).click();
	const [whole, host] = await Promise.all([".bench .segments", ".bench .segments [aria-checked=true]"].map((selector) => box(page, selector)));
	check("what is measured is within its box", host.right <= whole.right && host.bottom <= whole.bottom, { whole, host });
	await page.goto(`${server.base}/r/${sampled}/overview`);
	await page.locator(".overview .figures dd").first().waitFor();
	await settled(page);
	const figures = await page.locator(".overview .figures > div").evaluateAll((all) => Object.values(Object.groupBy(all, (one) => Math.round(one.getBoundingClientRect().top))).map((row) => row.length));
	check("no figure is alone in a row", Math.max(...figures) - Math.min(...figures) <= figures.length, figures);
	equal("the legend of the time is one row", await rowsOf(".budget-parts > li"), 1);
	const labels = await page.locator(".overview .figures dt").allTextContents();
	const chips = await page.locator(".sentence .chip .dim").allTextContents();
	check("nothing stands among the figures and beside the sentence", !chips.some((chip) => labels.some((label) => label.toLowerCase() === chip.toLowerCase())), { chips, labels });
	await page.context().close();
}

// Folded columns are rails; the browser remembers them.
async function folding({ server, browser, session, sampled }) {
	const page = await browser.open(server.link, { viewport: { width: 1440, height: 900 } });
	await page.goto(`${server.base}/s/${session}?run=${sampled}&tab=overview`);
	await page.locator(".history li").first().waitFor();
	const before = (await box(page, ".run-panel")).width;
	await page.getByRole("button", { name: "Fold away: New run" }).click();
	await page.getByRole("button", { name: "Fold away: History" }).click();
	await becomes("the form and the history fold away", async () => [await page.locator("form.bench").count(), await page.locator(".history").count()], [0, 0]);
	check("and the run has their room", (await box(page, ".run-panel")).width > before + 500, before);
	await page.reload();
	await page.locator(".run-title").waitFor();
	equal("that is remembered", [await page.locator("form.bench").count(), await page.locator(".rail").count()], [0, 2]);
	await page.goto(`${server.base}/s/${session}?run=${sampled}`);
	await page.getByRole("button", { name: "History", exact: true }).focus();
	await page.keyboard.press("Enter");
	await page.locator(".history li").first().waitFor();
	await page.locator(`[data-run="${sampled}"]`).getByRole("button", { name: "Use settings" }).click();
	await becomes("Use settings brings the form back", () => page.locator("form.bench").count(), 1);
	await page.context().close();
}

// Who may only look has no form, and no empty column in its place.
async function viewing({ server, browser, session, sampled }) {
	const tool = (...words) => spawnSync(PERFOLIO, ["user", ...words, "--data", join(server.folder, "data"), "vera"], { encoding: "utf8" });
	tool("add", "--no-password", "--role", "viewer");
	const page = await browser.open(`${server.base}/#token=${tool("token").stdout.trim().split("\n").pop()}`, { viewport: SMALL });
	await page.goto(`${server.base}/s/${session}?run=${sampled}&tab=overview`);
	await page.locator(".bar .chip").waitFor();
	await becomes("a viewer's run begins at the left", async () => Math.round((await box(page, ".run-panel")).x) < 40, true);
	equal("without a form or its rail", await page.locator("form.bench, [aria-label='New run']").count(), 0);
	await page.context().close();
}

async function queueOnce({ server, browser, session }) {
	const long = endless(server, "enough-queue", "sleep 0.1");
	const make = async (command) => (await server.post(`/sessions/${session}/runs`, { tool: "count", live: true, target: { ...SHELL, command }, events: { count: "task-clock", sample: "" } })).items[0].id;
	const first = await make(long.command);
	const waiting = [await make("true 1"), await make("true 2")];
	await until("the first to run", async () => (await server.get(`/runs/${first}`)).state === "running");
	const page = await browser.open(server.link);
	await page.goto(`${server.base}/s/${session}?run=${first}`);
	await page.locator(`.queue [data-run="${waiting[1]}"]`).waitFor();
	equal("a run that waits is listed once, in the queue", await Promise.all(waiting.map((id) => page.locator(`[data-run="${id}"]`).count())), [1, 1]);
	await page.locator(`.queue [data-run="${waiting[1]}"] .link`).click();
	await becomes("and can be chosen there", async () => new URL(page.url()).searchParams.get("run"), String(waiting[1]));
	long.enough();
	for (const id of [first, ...waiting]) await server.ended(id);
	await becomes("when they are over they are in the history", () => page.locator(waiting.map((id) => `.history [data-run="${id}"]`).join(", ")).count(), 2);
	await page.context().close();
}

const TOKENS = () => Object.fromEntries([...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => rule.selectorText === ":root").flatMap((rule) => [...rule.style]).filter((name) => name.startsWith("--")).map((name) => [name, getComputedStyle(document.documentElement).getPropertyValue(name).trim()]));
const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

async function themes({ server, browser, sampled }) {
	const dark = await browser.open(server.link, { colorScheme: "dark" });
	await dark.locator(".bar").waitFor();
	const asSystem = await dark.evaluate(TOKENS);
	const night = await paper(dark);
	await dark.getByRole("button", { name: /^Colours/ }).click();
	await dark.getByRole("menuitemradio", { name: /Light/ }).click();
	const day = await paper(dark);
	check("light can be chosen where the system is dark", day !== night, [day, night]);
	const light = await browser.open(server.link, { colorScheme: "light" });
	await light.locator(".bar").waitFor();
	equal("and is the light of a light system", day, await paper(light));
	await light.getByRole("button", { name: /^Colours/ }).click();
	await light.getByRole("menuitemradio", { name: /Dark/ }).click();
	equal("dark that is chosen is the dark of the system, token by token", await light.evaluate(TOKENS), asSystem);
	await light.goto(`${server.base}/r/${sampled}/time`);
	await light.locator(".time-map canvas").first().waitFor();
	equal("it is remembered, and holds in every view", [await paper(light), await light.evaluate(() => document.documentElement.dataset.theme)], [night, "dark"]);
	await light.getByRole("button", { name: /^Colours/ }).click();
	await light.getByRole("menuitemradio", { name: /system/ }).click();
	equal("the system's can be had again", await paper(light), day);
	await dark.context().close();
	await light.context().close();
}

// A small graph that does not begin at its root says so.
async function smallGraph({ server, browser, session }) {
	const deep = Array.from({ length: 24 }, (_, at) => `caller${at}`).join(";");
	const { id } = await importFolded(server, session, `${deep};left 40\n${deep};right;leaf 60\n`);
	const page = await browser.open(server.link, { viewport: SMALL });
	await page.goto(`${server.base}/r/${id}/overview`);
	await page.locator(".mini-foot", { hasText: "caller0" }).waitFor();
	const words = await page.locator(".mini-foot").textContent();
	check("what is left out at its foot is said, with the names", /^Not shown: .*\d+ rows at the bottom/.test(words) && words.includes("caller1 → caller2"), words);
	const high = await importFolded(server, session, `start 60\nstart;${Array.from({ length: 30 }, (_, at) => `deep${at}`).join(";")} 40\n`);
	await page.goto(`${server.base}/r/${high.id}/overview`);
	await page.locator(".mini-foot", { hasText: "Not shown" }).waitFor();
	const top = await page.locator(".mini-foot").textContent();
	check("so is what does not fit at its top", /^Not shown: \d+ rows at the top/.test(top), top);
	await page.context().close();
}

async function axisSeen({ server, browser, counted }) {
	const page = await browser.open(server.link, { viewport: SMALL });
	await page.goto(`${server.base}/r/${counted}/counters`);
	await page.locator(".plot canvas").first().waitFor();
	await settled(page);
	const plots = await page.locator(".plot").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom));
	check("four counters and their axis are in a window of 720", plots.length === 4 && Math.max(...plots) <= 720, plots);
	const names = await page.locator(".legend-item").allTextContents();
	check("no curve repeats another, and none is noise", !names.some((name) => /CPUs in use|migrations per/.test(name)), names);
	const rows = await page.locator(".legend-item").evaluateAll((all) => new Set(all.map((one) => one.getBoundingClientRect().top)).size);
	equal("their legend is one row", rows, 1);
	await page.context().close();
}

// On a phone nothing is wider than the window, and every tab can be reached.
async function phone({ server, browser, session, sampled }) {
	const page = await browser.open(server.link, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
	const wider = [];
	for (const path of [`/s/${session}?run=${sampled}`, ...["overview", "flame", "calltree", "time", "functions", "output", "raw"].map((tab) => `/r/${sampled}/${tab}`)]) {
		await page.goto(server.base + path);
		await page.getByRole("tab").first().waitFor();
		await settled(page);
		const [width, room] = await page.evaluate(() => [document.scrollingElement.scrollWidth, document.documentElement.clientWidth]);
		if (width > room + 1) wider.push([path, width, room]);
		const cut = await page.getByRole("tab").evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth).length);
		if (cut) wider.push([path, "tabs cut off", cut]);
	}
	equal("nothing is wider than a phone", wider, []);
	check("the flames are there", (await page.goto(`${server.base}/r/${sampled}/flame`)) && (await page.locator(".flame-frames canvas").waitFor(), (await seen(page, ".flame-frames canvas")) === 1));
	await page.context().close();
}

await run(async ({ server, browser }) => {
	const session = (await server.post("/sessions", { title: "Room" })).id;
	const sampled = (await server.measure(session, sampleForm(busy(0.6)))).id;
	const counted = (await server.measure(session, { tool: "count", live: true, interval_ms: 50, target: { ...SHELL, command: busy(0.5) }, events: { count: "task-clock,context-switches,page-faults,cpu-migrations", sample: "" } })).id;
	const world = { server, browser, session, sampled, counted };
	await roomForFlames(world);
	await crowded(world);
	await folding(world);
	await viewing(world);
	await queueOnce(world);
	await themes(world);
	await smallGraph(world);
	await axisSeen(world);
	await phone(world);
});
