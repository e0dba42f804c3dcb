// SPDX-License-Identifier: Apache-2.0
// Two people on one session, ten tabs of one browser, and a server that goes and comes back.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { check, endless, equal, PERFOLIO, run, SHELL, until } from "./lib.mjs";

const count = (command) => ({ tool: "count", live: true, target: { ...SHELL, command } });

async function twoPeople({ server, browser, session }) {
	const one = await browser.open(server.link);
	const other = await browser.open(server.link);
	await one.goto(`${server.base}/s/${session}`);
	await other.goto(`${server.base}/s/${session}`);
	await one.locator("#command").fill("sleep 1000");
	await one.getByRole("radio", { name: "Count", exact: true }).click();
	await one.getByRole("button", { name: "Start", exact: true }).click();
	await other.locator(".history li", { hasText: "sleep 1000" }).waitFor();
	check("who else is here sees the run begin", true);
	for (const name of ["a", "b"]) await server.post(`/sessions/${session}/runs`, count(`true ${name}`));
	const order = (page) => page.locator(".queue li .mono").allTextContents().then((all) => all.map((text) => /true (\w)/.exec(text)?.[1]).join(""));
	await until("the queue there", async () => (await order(other)) === "ab");
	await one.locator(".queue li").nth(1).focus();
	await one.keyboard.press("Alt+ArrowUp");
	await until("the move there", async () => (await order(other)) === "ba");
	check("and moves in the queue", true);
	await one.locator(".queue li", { hasText: "true b" }).getByRole("button", { name: /Cancel/ }).click();
	await until("the cancel there", async () => (await order(other)) === "a");
	check("and who is cancelled", true);
	const running = (await server.get("/queue")).items[0].id;
	await one.locator(`[data-run="${running}"]`).getByRole("button", { name: "Stop" }).click();
	await until("all to end", async () => !(await server.get("/queue")).items.length);
	await until("the end there", async () => (await other.locator(`[data-run="${running}"] .state`).textContent()) !== "running");
	check("and ends", true);
	await one.locator(`[data-run="${running}"]`).getByRole("button", { name: /^Remove/ }).click();
	await one.getByRole("button", { name: "Undo" }).hover(); // the note stays as long
	await until("it to go there", async () => !(await other.locator(`[data-run="${running}"]`).count()));
	check("and removals", true);
	await one.getByRole("button", { name: "Undo" }).click();
	await other.locator(`[data-run="${running}"]`).waitFor();
	check("and that one was brought back", true);
	await other.goto(`${server.base}/r/${running}`);
	await other.locator(".run-head").waitFor();
	await one.locator(`[data-run="${running}"]`).getByRole("button", { name: /^Remove/ }).click();
	await other.getByRole("button", { name: `Restore run ${running}` }).click();
	await one.locator(`[data-run="${running}"]`).waitFor();
	check("who looks at a run that is removed is told, and can bring it back", (await other.locator(".run-head").count()) === 1);
	const asked = other.waitForResponse(/removed=true/).then((response) => response.finished());
	await other.goto(`${server.base}/r/999999`);
	await Promise.all([asked, other.locator(".trouble").waitFor()]);
	await other.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
	equal("one that never was is not offered to be brought back", await other.getByRole("button", { name: /^Restore/ }).count(), 0);
	await other.goto(`${server.base}/r/${running}`);
	await tagsSeen({ server, one, other, running });
	await lookingOnly({ server, browser, session, running });
	await sessionsSeen({ server, one, other });
	await one.context().close();
	await other.context().close();
}

// Tags of a run are changed after it, and others see them.
async function tagsSeen({ server, one, other, running }) {
	await one.goto(`${server.base}/r/${running}`);
	await one.getByRole("button", { name: "Add tags" }).click();
	await one.getByRole("textbox", { name: "Tags" }).fill("before fix, <b>x</b>");
	await one.keyboard.press("Enter");
	await until("the tags there", async () => (await other.locator(".run-head .tag").allTextContents()).sort().join("|") === "<b>x</b>|before fix");
	equal("tags of a run that is over are changed, and seen by others", (await server.get(`/runs/${running}`)).tags.sort(), ["<b>x</b>", "before fix"]);
	await one.getByRole("button", { name: "Change tags" }).click();
	await one.getByRole("textbox", { name: "Tags" }).fill("");
	await one.getByRole("button", { name: "Save" }).click();
	await until("them to go there", async () => !(await other.locator(".run-head .tag").count()));
	check("and taken away", (await server.get(`/runs/${running}`)).tags.length === 0);
}

const CHANGES = /^(New session|Import a file|Start|Add |Change |Rename|Remove|Use settings|Again|Stop|Cancel|Pause|Resume|Reset|Run the example)/;

// Who may only look is offered nothing else, and told why.
async function lookingOnly({ server, browser, session, running }) {
	const tool = (...words) => spawnSync(PERFOLIO, ["user", ...words, "--data", join(server.folder, "data"), "vera"], { encoding: "utf8" });
	tool("add", "--no-password", "--role", "viewer");
	const page = await browser.open(`${server.base}/#token=${tool("token").stdout.trim().split("\n").pop()}`);
	const live = (await server.post(`/sessions/${session}/runs`, count("sleep 1000"))).items[0].id;
	const told = page.locator(".bar .chip", { hasText: "View only" });
	const offered = async (path, there) => {
		await page.goto(server.base + path);
		await told.waitFor();
		await page.locator(there).first().waitFor();
		const names = await page.locator("main").getByRole("button").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? one.textContent.trim()));
		return names.filter((name) => CHANGES.test(name));
	};
	await told.waitFor();
	check("who may only look is told so", (await told.getAttribute("title")).includes("role viewer"));
	equal("and offered nothing else: sessions", await offered("/", ".card"), []);
	equal("a session", await offered(`/s/${session}?run=${running}`, `[data-run="${live}"]`), []);
	equal("there is no form, nor an empty place for it", [await page.locator("form.bench").count(), await page.locator("aside").count()], [0, 1]);
	equal("a run that goes on", await offered(`/r/${live}`, ".run-head .state"), []);
	equal("one that is over", await offered(`/r/${running}`, ".run-head .state"), []);
	await server.post(`/runs/${live}/cancel`);
	await server.ended(live);
	await page.context().close();
}

// The list of sessions is live as well: a new one, its new name, its removal.
async function sessionsSeen({ server, one, other }) {
	await other.goto(`${server.base}/`);
	await other.locator(".card").first().waitFor();
	await one.goto(`${server.base}/`);
	await one.getByRole("button", { name: "New session" }).first().click();
	await one.waitForURL(/\/s\/\d+/);
	const id = /\/s\/(\d+)/.exec(one.url())[1];
	const card = other.locator(".card", { has: other.locator(`a[href="/s/${id}"]`) });
	await card.waitFor();
	await one.locator("h1 .title").click();
	await one.getByLabel("Title").fill("Seen by both");
	await one.keyboard.press("Enter");
	await card.locator(".card-title", { hasText: "Seen by both" }).waitFor();
	check("a session and its new name are seen by others", true);
	await one.getByRole("button", { name: "More actions for this session" }).click();
	await one.getByRole("menuitem", { name: "Remove" }).click();
	await one.getByRole("button", { name: "Undo" }).hover();
	await until("it to go there", async () => !(await card.count()));
	await one.getByRole("button", { name: "Undo" }).click();
	await card.waitFor();
	check("its removal and its return too", true);
}

async function tenTabs({ server, browser, session }) {
	const person = await browser.person();
	const tabs = [await browser.tab(person, server.link)];
	while (tabs.length < 10) tabs.push(await browser.tab(person, `${server.base}/s/${session}`));
	await tabs[0].goto(`${server.base}/s/${session}`);
	for (const tab of tabs) await tab.locator(".connection.open").waitFor();
	const made = await server.post(`/sessions/${session}/runs`, count("sleep 1"));
	const id = made.items[0].id;
	for (const tab of tabs) await tab.locator(`[data-run="${id}"]`).first().waitFor();
	check("ten tabs see a new run", true);
	await server.ended(id);
	for (const tab of tabs) await until("the end", async () => (await tab.locator(`[data-run="${id}"] .state`).textContent()) === "done");
	check("and its end", true);
	const own = await Promise.all(tabs.map((tab) => tab.evaluate(() => performance.getEntriesByType("resource").filter((one) => one.name.includes("/api/v1/stream?")).length)));
	equal("through one shared stream: no tab has one of its own", own, tabs.map(() => 0));
	await server.end();
	for (const tab of tabs) await tab.locator(".connection.lost").waitFor();
	await server.start();
	for (const tab of tabs) await tab.locator(".connection.open").waitFor();
	const back = (await server.post(`/sessions/${session}/runs`, count("true back"))).items[0].id;
	for (const tab of tabs) await tab.locator(`[data-run="${back}"]`).first().waitFor();
	check("all ten go on after a restart of the server", true);
	// Whose cookie holds no more signs in in one tab, and is signed in in all.
	await server.end();
	await person.clearCookies();
	await server.start();
	await tabs[0].getByLabel("Token", { exact: true }).fill(server.token);
	await tabs[0].getByRole("button", { name: "Sign in" }).click();
	for (const tab of tabs) await tab.locator(".connection.open").waitFor();
	const known = (await server.post(`/sessions/${session}/runs`, count("true known"))).items[0].id;
	for (const tab of tabs) await tab.locator(`[data-run="${known}"]`).first().waitFor();
	check("and after one has signed in again", true);
	for (const tab of tabs.slice(5)) await tab.close();
	const again = (await server.post(`/sessions/${session}/runs`, count("true"))).items[0].id;
	for (const tab of tabs.slice(0, 5)) await tab.locator(`[data-run="${again}"]`).first().waitFor();
	check("those left go on when others are closed", true);
	await person.close();
}

// Without SharedWorker a tab has a stream of its own.
async function alone({ server, browser, session }) {
	const person = await browser.person();
	await person.addInitScript(() => delete globalThis.SharedWorker);
	const page = await browser.tab(person, server.link);
	await page.goto(`${server.base}/s/${session}`);
	await page.locator(".connection.open").waitFor();
	const id = (await server.post(`/sessions/${session}/runs`, count("true"))).items[0].id;
	await page.locator(`[data-run="${id}"]`).first().waitFor();
	check("a browser without shared workers is live too", true);
	await person.close();
}

// Ends the web side alone; the runner and what it measures go on.
function killWebSide(server) {
	const mine = (words) => words.includes("--role=web") && words.includes(join(server.folder, "data"));
	for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
		try {
			if (mine(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0"))) process.kill(Number(pid), "SIGKILL");
		} catch {
			// it has ended by itself
		}
	}
}

// The web side is killed while a run streams what it prints: the page goes on, and no line is missing or there twice.
async function killed({ server, browser, session }) {
	const page = await browser.open(server.link);
	await page.goto(`${server.base}/s/${session}`);
	await page.locator(".connection.open").waitFor();
	const program = endless(server, "printed", "n=$((n+1)); echo line $n; sleep 0.1");
	const id = (await server.post(`/sessions/${session}/runs`, count(`${program.command}; echo last`))).items[0].id;
	await page.locator(`[data-run="${id}"] .history-main`).click();
	await page.getByRole("tab", { name: "Output" }).click();
	await page.locator(".terminal", { hasText: "line 5\n" }).waitFor();
	await page.evaluate(() => {
		globalThis.untouched = true;
		new MutationObserver(() => (globalThis.wasLost ||= !!document.querySelector(".connection.lost"))).observe(document.querySelector(".connection"), { attributes: true });
	});
	killWebSide(server);
	await page.waitForFunction(() => globalThis.wasLost && document.querySelector(".connection.open")); // it may be back at once
	check("the page finds the web side again that was killed", true);
	program.enough();
	await page.locator(".terminal", { hasText: "last\n" }).waitFor();
	const lines = (await page.locator(".terminal").textContent()).trim().split("\n");
	equal("what was printed meanwhile is there, once", lines, [...lines.slice(0, -1).map((_, at) => `line ${at + 1}`), "last"]);
	await until("the end", async () => (await page.locator(`[data-run="${id}"] .state`).textContent()) === "done");
	equal("the run is in the history once", await page.locator(`[data-run="${id}"]`).count(), 1);
	check("all of it without loading the page again", await page.evaluate(() => globalThis.untouched === true));
	await page.context().close();
}

// The page says that it has lost the server, and goes on by itself when that is back.
async function restart({ server, browser, session }) {
	const page = await browser.open(server.link);
	await page.goto(`${server.base}/s/${session}`);
	await page.locator(".connection.open").waitFor();
	await page.evaluate(() => (globalThis.untouched = true));
	await server.end();
	await page.locator(".connection.lost").waitFor();
	check("a server that is gone is told", true);
	await page.locator("#command").fill("kept while it was away");
	await server.start();
	await page.locator(".connection.open").waitFor();
	check("the page goes on by itself when it is back", await page.evaluate(() => globalThis.untouched === true));
	const first = (await server.post(`/sessions/${session}/runs`, count("true"))).items[0].id;
	await page.locator(`[data-run="${first}"]`).first().waitFor();
	// Whose cookie holds no more finds everything as it was after signing in.
	await server.end();
	await page.context().clearCookies();
	await server.start();
	await page.getByLabel("Token", { exact: true }).fill(server.token);
	await page.getByRole("button", { name: "Sign in" }).click();
	await page.locator(".connection.open").waitFor();
	equal("what was typed is still there", await page.locator("#command").inputValue(), "kept while it was away");
	const id = (await server.post(`/sessions/${session}/runs`, count("true"))).items[0].id;
	await page.locator(`[data-run="${id}"]`).first().waitFor();
	check("and the page goes on without reloading", true);
	await page.context().close();
}

const watchNotifications = (person) =>
	person.addInitScript(() => {
		globalThis.told = [];
		globalThis.Notification = class {
			static permission = "granted";
			static requestPermission = async () => "granted";
			constructor(title, more) {
				globalThis.told.push(`${title}: ${more.body}`);
			}
		};
	});

// Told at the end, by whoever asked to be.
async function notified({ server, browser, session }) {
	const person = await browser.person({ permissions: ["notifications"] });
	await watchNotifications(person);
	const page = await browser.tab(person, server.link);
	await page.goto(`${server.base}/s/${session}`);
	await page.getByLabel("Notify me when done").check();
	await page.locator(".connection.open").waitFor();
	const short = endless(server, "told", "sleep 0.1");
	const first = (await server.post(`/sessions/${session}/runs`, count(`${short.command}; exit 4`))).items[0].id;
	await page.locator(`[data-run="${first}"] .state`, { hasText: "running" }).waitFor();
	short.enough();
	await until("the notification", async () => (await page.evaluate(() => globalThis.told.length)) > 0);
	equal("a notification tells of the end, once", await page.evaluate(() => globalThis.told), [`perfolio: exit 4: sh: ${short.command}; exit 4`]);
	const long = endless(server, "told-there", "sleep 0.1");
	const id = (await server.post(`/sessions/${session}/runs`, count(long.command))).items[0].id;
	const alone = await browser.tab(person, `${server.base}/r/${id}`);
	await alone.getByLabel("Notify me when done").waitFor();
	await alone.locator(".connection.open").waitFor();
	long.enough();
	await until("the notification there", async () => (await alone.evaluate(() => globalThis.told.length)) > 0);
	equal("on the page of a run too", await alone.evaluate(() => globalThis.told), [`perfolio: done: sh: ${long.command}`]);
	await person.close();
}

// An answer may overtake the stream: the end is told by whichever is first.
async function notifiedByAnswer({ server, browser, session }) {
	const person = await browser.person({ permissions: ["notifications"] });
	await watchNotifications(person);
	await person.addInitScript(() => {
		const real = globalThis.fetch;
		delete globalThis.SharedWorker; // so that the stream is the tab's
		globalThis.holdStream = () => (globalThis.held = new Promise((done) => (globalThis.goOn = done)));
		globalThis.fetch = async (url, init) => {
			const answer = await real(url, init);
			if (!String(url).startsWith("/api/v1/stream?") || !answer.ok) return answer;
			const late = new TransformStream({ transform: async (some, to) => (await globalThis.held, to.enqueue(some)) });
			return new Response(answer.body.pipeThrough(late), answer);
		};
	});
	const page = await browser.tab(person, server.link);
	await page.goto(`${server.base}/s/${session}`);
	await page.getByLabel("Notify me when done").check();
	await page.locator(".connection.open").waitFor();
	await page.locator(".history-main").first().waitFor();
	let letThrough;
	const over = new Promise((done) => (letThrough = done));
	const asked = page.waitForRequest("**/api/v1/runs?*");
	await page.route("**/api/v1/runs?*", async (route) => (await over, await route.continue()));
	const program = endless(server, "told-late", "sleep 0.1");
	const id = (await server.post(`/sessions/${session}/runs`, count(program.command))).items[0].id;
	const state = page.locator(`[data-run="${id}"] .state`);
	await state.filter({ hasText: "running" }).waitFor();
	await page.evaluate(() => void globalThis.holdStream());
	await asked; // what one may do with the new run
	program.enough();
	await server.ended(id);
	letThrough();
	await state.filter({ hasText: "done" }).waitFor();
	await page.evaluate(() => globalThis.goOn());
	await until("the notification of an answer", async () => (await page.evaluate(() => globalThis.told.length)) > 0);
	equal("a notification tells of an end that an answer told first", await page.evaluate(() => globalThis.told), [`perfolio: done: sh: ${program.command}`]);
	await person.close();
}

await run(async ({ server, browser }) => {
	const session = (await server.post("/sessions", { title: "Together" })).id;
	await twoPeople({ server, browser, session });
	await tenTabs({ server, browser, session });
	await alone({ server, browser, session });
	await notified({ server, browser, session });
	await notifiedByAnswer({ server, browser, session });
	await killed({ server, browser, session });
	await restart({ server, browser, session });
});
