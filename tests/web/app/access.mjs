// SPDX-License-Identifier: Apache-2.0
// Every screen, light and dark and on a phone: axe-core finds nothing serious, also in what opens and in what
// went wrong; nothing moves by itself while it loads or streams in; no screen is wider than its window.
import { readFileSync } from "node:fs";
import { axeSource, check, checkShifts, endless, run, SHELL, unfold, until, watchShifts } from "./lib.mjs";
import { prepare, screens, settled } from "./screens.mjs";

const AXE = readFileSync(axeSource(), "utf8");
// What may differ in the dark and at the other width; the markup is the same.
const DARK = ["color-contrast", "link-in-text-block", "label-content-name-mismatch", "scrollable-region-focusable"];

async function faults(page, rules) {
	if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
	const found = await page.evaluate((rules) => globalThis.axe.run(document, { resultTypes: ["violations"], elementRef: false, ...(rules ? { runOnly: rules } : {}) }), rules);
	return found.violations
		.filter((one) => one.impact === "serious" || one.impact === "critical")
		.map((one) => `${one.id}: ${one.nodes.slice(0, 4).map((node) => `${node.html.slice(0, 160)} (${node.any[0]?.message ?? ""})`).join(" | ")}`);
}

async function clean(name, page) {
	// What is still fading in has other colours for a moment.
	await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== "running" || one.effect?.getComputedTiming().iterations === Infinity));
	const bad = await faults(page, name.endsWith("dark") ? DARK : null);
	check(name, !bad.length, bad.join("\n"));
}

async function beforehand({ server, browser }, colorScheme) {
	const page = await browser.open(server.base, { colorScheme, bypassCSP: true });
	await page.getByRole("button", { name: "Sign in" }).waitFor();
	await clean(`sign in, ${colorScheme}`, page);
	await page.getByLabel("Token", { exact: true }).fill("wrong");
	await page.getByRole("button", { name: "Sign in" }).click();
	await page.getByRole("alert").waitFor();
	await clean(`a wrong token, ${colorScheme}`, page);
	await page.goto(server.link);
	await page.locator(".empty").waitFor();
	await clean(`no sessions, ${colorScheme}`, page);
	await page.context().close();
}

// Menus, dialogs, pickers, notes and errors: what is there only after a click.
async function opened({ server, what }, page, colorScheme) {
	const look = (name) => clean(`${name}, ${colorScheme}`, page);
	await page.goto(`${server.base}/`);
	const card = page.locator(".card", { hasText: colorScheme === "light" ? "Compile times" : "Checkout" }); // both are at it
	await card.getByRole("button", { name: /Actions/ }).click();
	await look("menu of a session");
	await page.getByRole("menuitem", { name: "Archive" }).click();
	await page.locator(".toast").hover(); // it stays as long
	await look("a note with its way back");
	await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
	await card.waitFor();
	await page.keyboard.press("?");
	await page.getByRole("dialog").waitFor();
	await look("keys");
	await page.goto(`${server.base}/s/${what.session}?run=${what.run}&tab=output`);
	await page.getByRole("radio", { name: "Both", exact: true }).click();
	await unfold(page);
	await page.getByLabel("Events to count: expression").fill("no-such-event");
	await page.locator(".expression p.bad").waitFor();
	await page.locator(".picker .events li").first().hover();
	await page.getByLabel("Rate", { exact: false }).first().fill("often");
	await page.locator("#command").fill("true");
	await page.locator(".plan .trouble").waitFor();
	const rail = page.getByRole("button", { name: "History", exact: true }); // folded in a narrow window
	if (await rail.count()) await rail.click();
	await page.locator(`[data-run="${what.run}"]`).getByRole("button", { name: /^Download/ }).click();
	await look("event pickers, refusals and downloads");
	await page.keyboard.press("Escape");
	await page.getByRole("button", { name: /notes/ }).click();
	await page.getByRole("radio", { name: "Thread", exact: true }).click();
	await page.locator(".processes li").first().waitFor();
	await look("threads, notes and tags");
	await page.goto(`${server.base}/r/${what.run}/flame?search=word`);
	await page.locator(".flame-frames canvas").waitFor();
	await settled(page);
	await page.locator(".flame-view summary").click();
	await page.locator(".flame-frames").click({ button: "right", position: { x: 300, y: (await page.locator(".flame-frames").evaluate((one) => one.clientHeight)) - 48 } });
	await page.locator(".popup").waitFor();
	await look("how a graph is drawn, and the menu of a frame");
	await page.keyboard.press("Escape");
	await page.goto(`${server.base}/r/99999`);
	await page.locator(".trouble").waitFor();
	await look("a run that is not there");
	await page.goto(`${server.base}/r/${what.failed}`);
	await page.locator(".hint h2", { hasText: "Nothing was measured" }).waitFor();
	await look("a run that failed");
}

async function wide({ server, browser, what, top }, colorScheme) {
	const person = await browser.person({ colorScheme, bypassCSP: true, viewport: colorScheme === "light" ? { width: 1440, height: 900 } : { width: 1280, height: 720 } });
	await watchShifts(person);
	const page = await browser.tab(person, server.link);
	for (const [name, address] of Object.entries(screens(what, top))) {
		await page.goto(server.base + address);
		await settled(page);
		await checkShifts(`${name} does not move while it loads, ${colorScheme}`, page);
		const [has, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
		if (has > room) check(`${name} fits into ${room} pixels`, false, has);
		await clean(`${name}, ${colorScheme}`, page);
	}
	return page;
}

// On a phone everything is in its width, and every control is large enough and within reach.
async function phone({ server, browser, what, top }) {
	const person = await browser.person({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 });
	await watchShifts(person);
	const page = await browser.tab(person, server.link);
	for (const [name, address] of Object.entries({ ...screens(what, top), missing: "/r/99999" })) {
		await page.goto(server.base + address);
		await settled(page);
		const [has, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
		check(`${name} fits a phone`, has <= room, { has, room });
		await checkShifts(`${name} does not move on a phone`, page);
		const lost = await page.evaluate(() => [...document.querySelectorAll("button, a, input, select, textarea, summary")].filter((one) => {
			const box = one.getBoundingClientRect();
			if (!box.width || one.matches(".skip, :disabled") || !one.checkVisibility()) return false;
			const scrolls = (element) => element && (/(auto|scroll)/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
			return (box.right > innerWidth + 1 || box.left < -1) && !scrolls(one.parentElement);
		}).map((one) => one.outerHTML.slice(0, 120)));
		check(`${name}: every control is within reach on a phone`, !lost.length, lost);
	}
	await page.goto(`${server.base}/s/${what.session}?run=${what.run}`);
	await page.locator(`[data-run="${what.run}"]`).getByRole("button", { name: /^Download/ }).tap();
	const menu = await page.getByRole("menu").boundingBox();
	check("a menu opens inside of a phone", menu.x >= 0 && menu.x + menu.width <= 390, menu);
	await person.close();
}

// A run that streams in, with its history, its tabs and its end: what is there stays where it is.
async function streaming({ server, browser, what }) {
	const person = await browser.person();
	await watchShifts(person);
	const program = endless(server, "watched", "n=$((n+1)); echo line $n; timeout 0.4 sh -c 'while :; do :; done'");
	const form = { tool: "both", live: true, interval_ms: 50, rate: "497", target: { ...SHELL, command: program.command } };
	await (await browser.tab(person, server.link)).close();
	const id = (await server.post(`/sessions/${what.session}/runs`, form)).items[0].id;
	await until("it to run", async () => (await server.get(`/runs/${id}`)).state === "running");
	const tabs = await Promise.all(["/", `/s/${what.session}`, ...["counters", "flame", "time", "time?lanes=thread", "output"].map((name) => `/r/${id}/${name}`)].map(async (address) => [address, await browser.tab(person, server.base + address)]));
	await tabs.at(-1)[1].locator(".terminal", { hasText: "line 8\n" }).waitFor(); // all of them were there for a while
	program.enough();
	await server.ended(id);
	for (const [address, tab] of tabs) {
		await settled(tab);
		await checkShifts(`${address} does not move while a run streams in`, tab, address.includes("/time") ? 0.01 : undefined);
	}
	await lateLanes({ server, browser, person, id });
	await person.close();
}

// Lanes that take their time, of a run that is over: what is below them does not come before them.
async function lateLanes({ server, browser, person, id }) {
	await person.route(/\/heatmap\?.*lanes=/, async (route) => {
		await new Promise((done) => setTimeout(done, 800));
		await route.continue();
	});
	for (const address of [`/r/${id}/time?lanes=thread`, `/r/${id}/time?lanes=cpu`, `/r/${id}/time`]) {
		const tab = await browser.tab(person, server.base + address);
		await tab.locator(".flame-frames canvas").waitFor();
		await settled(tab);
		await checkShifts(`${address} does not move when its lanes come late`, tab, 0.01);
		await tab.close();
	}
}

await run(async ({ server, browser }) => {
	for (const colorScheme of ["light", "dark"]) await beforehand({ server, browser }, colorScheme);
	const what = await prepare(server);
	const top = (await server.get(`/runs/${what.run}/top?limit=1`)).rows[0].function ?? "";
	what.failed = (await server.measure(what.session, { tool: "count", target: { kind: "command", command: "./nothing-here" } })).id;
	const world = { server, browser, what, top };
	await streaming(world);
	const [light, dark] = await Promise.all([wide(world, "light"), wide(world, "dark"), phone(world)]);
	await Promise.all([opened(world, light, "light"), opened(world, dark, "dark")]); // these change what others see
});
