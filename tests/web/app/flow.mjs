// SPDX-License-Identifier: Apache-2.0
// A newcomer: from the printed link to the flame graph of an own command; the same by keyboard alone; the
// sign-in page; how large the page is.
import { becomes, check, endless, equal, run, until } from "./lib.mjs";

// Every action counts: a click, or typing into a field.
async function fourActions({ server, browser }) {
	const page = await browser.open(server.link); // 1: opens the link
	await page.getByRole("button", { name: "New session" }).first().click(); // 2
	await until("the field of the command to have the focus", () => page.evaluate(() => document.activeElement.id === "command"));
	const program = endless(server, "seen");
	await page.keyboard.type(`sh -c "${program.command}"`); // 3
	await page.keyboard.press("Enter"); // 4
	await page.waitForSelector(".flame-tab canvas");
	check("four actions lead from the link to a flame graph", true);
	check("it is there while the run goes on", (await page.locator(".run-panel .state").first().textContent()) !== "done");
	program.enough();
	const id = Number(new URL(page.url()).searchParams.get("run"));
	const ended = await server.ended(id);
	equal("the run is done", ended.state, "done");
	await page.waitForSelector(".run-panel .state.good, .run-panel .state.warn");
	equal("at the end the flame graph stays in sight", await page.getByRole("tab", { selected: true }).textContent(), "Flame");
	await becomes("and what limited it is told above", () => page.locator(".result .ellipsis").textContent(), (await server.get(`/runs/${id}/overview`)).sentence.replace(/`/g, ""));
	const tree = await server.get(`/runs/${id}/flame`);
	check("the server has a graph with samples", tree.samples > 0, tree);
	await page.getByRole("tab", { name: "Overview" }).click();
	const overview = await server.get(`/runs/${id}/overview`);
	await becomes("the overview says what the API says", () => page.locator(".sentence h2").textContent(), overview.sentence.replace(/`/g, ""));
	await page.close();
}

async function byKeyboard({ server, browser }) {
	const page = await browser.open(server.link);
	const press = async (...keys) => {
		for (const key of keys) await page.keyboard.press(key);
	};
	const tabTo = async (what) => {
		for (let step = 0; step < 80; step++) {
			await page.keyboard.press("Tab");
			if (await page.evaluate(what)) return true;
		}
		throw new Error(`no way by Tab to: ${what}`);
	};
	await page.getByRole("heading", { name: "Sessions" }).waitFor();
	const dialog = (state) => page.getByRole("dialog").waitFor({ state }).then(() => true, () => false);
	await until("somebody listens to keys", async () => {
		await press("?");
		return page.getByRole("dialog").isVisible();
	});
	check("? shows the keys", await dialog("visible"));
	await press("Escape");
	check("Escape closes them", await dialog("hidden"));
	await press("/");
	await until("the focus in the search", () => page.evaluate(() => document.activeElement.matches("[data-search]")));
	check("/ goes to the search", true);
	await tabTo(() => document.activeElement.textContent === "New session");
	await press("Enter");
	await page.waitForURL(/\/s\/\d+/);
	await page.locator("#command").waitFor();
	await until("the field of the command to have the focus", () => page.evaluate(() => document.activeElement.id === "command"));
	await page.keyboard.type("seq 200000");
	await press("Control+Enter");
	await page.waitForURL(/run=\d+/);
	const id = Number(new URL(page.url()).searchParams.get("run"));
	await server.ended(id);
	check("a run was started and ended by keys alone", true);
	await page.goto(`${server.base}/r/${id}`);
	await page.getByRole("tab", { name: "Raw" }).waitFor();
	await tabTo(() => document.activeElement.getAttribute("role") === "tab");
	await press("End");
	await page.waitForURL(/\/raw/);
	await until("the focus in the last tab", () => page.evaluate(() => document.activeElement.id === "tab-raw"));
	check("arrow keys and End go through the tabs", true);
	await press("1");
	await page.waitForURL(/\/overview/);
	check("1 is the first tab", true);
	await press("g", "m");
	await page.waitForURL(/\/hosts/);
	check("g m are the machines", true);
	await page.close();
}

async function signIn({ server, browser }) {
	const page = await browser.open(server.base);
	await page.getByRole("button", { name: "Sign in" }).waitFor();
	check("without a token there is the page to sign in", true);
	await page.getByLabel("Token", { exact: true }).fill("wrong");
	await page.getByRole("button", { name: "Sign in" }).click();
	const words = await until("what is said of it", () => page.getByRole("alert").textContent());
	check("a wrong token is refused in words, where it was typed", words.length > 10, words);
	await page.getByLabel("Token", { exact: true }).fill(server.token);
	await page.getByRole("button", { name: "Sign in" }).click();
	await page.getByRole("heading", { name: "Sessions" }).waitFor();
	check("the right one signs in", true);
	check("scripts can't see the cookie", !(await page.evaluate(() => document.cookie)).includes("perfolio"));
	await page.getByRole("button", { name: /Signed in as/ }).click();
	await page.getByRole("menuitem", { name: "Sign out" }).click();
	await page.getByRole("button", { name: "Sign in" }).waitFor();
	check("and out", true);
	await page.close();
}

// How quickly it is painted is measured by bench/paint.py.
async function size({ server }) {
	let bytes = 0;
	const names = new Set(["/"]);
	const seen = new Set();
	for (const name of names) {
		if (seen.has(name)) continue;
		seen.add(name);
		const answer = await fetch(server.base + name, { headers: { "Accept-Encoding": "gzip" } });
		bytes += Number(answer.headers.get("content-length"));
		for (const [, found] of (await answer.text()).matchAll(/["'`](?:\.?\/)?(assets\/[\w.-]+|[\w-]+-[\w-]{8}\.(?:js|css))["'`]/g))
			names.add(found.startsWith("assets/") ? `/${found}` : `/assets/${found}`);
	}
	console.log(`# ${seen.size} files, ${bytes} bytes packed`);
	check("all files together are below 400 KB, packed", bytes > 30000 && bytes < 400000 && seen.size > 5, { bytes, files: [...seen] });
}

await run(async (world) => {
	await signIn(world);
	await fourActions(world);
	await byKeyboard(world);
	await size(world);
});
