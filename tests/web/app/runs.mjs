// SPDX-License-Identifier: Apache-2.0
// Runs while they run: pause, resume, reset, their output; whom one can measure; the queue.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { busy, check, downloaded, equal, run, SHELL, start, until } from "./lib.mjs";

const counted = (command, more = {}) => ({ tool: "count", live: true, interval_ms: 20, target: { ...SHELL, command }, events: { count: "task-clock" }, ...more });

// What was counted in the newest points, as the API has them, null in a pause; null until there are some.
async function newest(server, id, many = 8) {
	const data = await server.get(`/runs/${id}/counters?width=4000`).catch(() => null);
	const mean = data?.lines?.[0]?.mean ?? [];
	return mean.length < many ? null : mean.slice(-many);
}

const inSeconds = (words) => Number(/([\d.]+) m?s/.exec(words)?.[1] ?? NaN) / (/[\d.]+ ms/.test(words) ? 1000 : 1);

// The page's totals begin anew at the reset, the curves go on over it.
async function resetSeen({ server, page, made }) {
	const readout = page.locator(".readout").first();
	await page.mouse.move(0, 0);
	const said = await until("a total since the reset", async () => /[\d.]+ m?s since the reset at ([\d.]+) s/.exec(await readout.textContent()));
	const plot = await server.get(`/runs/${made}/counters`); // asked later: it may have grown
	const { rows } = await server.get(`/runs/${made}/counters/raw?limit=100000`);
	const before = rows.slice(0, rows.findIndex(([, event]) => event === -1)).reduce((sum, row) => sum + Number(row[3]), 0);
	check("after Reset the page's totals begin anew", before > 0 && inSeconds(said[0]) <= plot.lines[0].total / 1e9 + 0.006 && plot.lines[0].total <= rows.reduce((sum, row) => sum + Number(row[3]), 0) - before, { said, total: plot.lines[0].total, before });
	check("where it was is told", Math.abs(Number(said[1]) - (plot.resets[0] - plot.start_ns) / 1e9) < 0.006 && plot.resets.length === 1, { said, resets: plot.resets });
	check("what was counted before stays in the curve", plot.t[0] / 1e9 < Number(said[1]));
}

async function pausing({ server, page, session }) {
	const made = (await server.post(`/sessions/${session}/runs`, counted(busy(1000)))).items[0].id;
	await page.goto(`${server.base}/r/${made}/counters`);
	const button = (name) => page.locator(".run-actions").getByRole("button", { name, exact: true });
	await button("Pause").waitFor();
	equal("only what applies is offered", [await button("Resume").count(), await button("Reset").count(), await button("Stop").count(), await button("Remove").count(), await button("Again").count()], [0, 1, 1, 0, 0]);
	await until("counts", async () => (await newest(server, made))?.some((value) => value > 0));
	await button("Pause").click();
	await button("Resume").waitFor();
	equal("pause is shown as the run's state", [await page.locator(".run-head .state").textContent(), await button("Pause").count()], ["paused", 0]);
	check("and known to the server", (await server.get(`/runs/${made}`)).paused);
	await until("a gap", async () => (await newest(server, made))?.every((value) => value === null));
	check("a paused run counts nothing, which is not zero", true);
	await page.reload();
	await button("Resume").waitFor();
	check("who comes later sees that it is paused", (await page.locator(".run-head .state").textContent()) === "paused");
	await button("Resume").click();
	await button("Pause").waitFor();
	await until("counts again", async () => (await newest(server, made))?.some((value) => value > 0)); // all were null before
	check("resume counts again", (await server.get(`/runs/${made}`)).paused === false);
	const answer = page.waitForResponse((one) => one.url().endsWith(`/runs/${made}/reset`));
	await button("Reset").click();
	equal("reset is taken", (await answer).status(), 200);
	await resetSeen({ server, page, made });
	await page.goto(`${server.base}/r/${made}/overview`);
	await watchFor(page, "Nothing was measured");
	await button("Stop").click();
	const over = await server.ended(made);
	equal("stop ends it", [over.state, over.paused], ["cancelled", false]);
	await until("what was measured", async () => (await server.get(`/runs/${made}`)).facts?.tabs?.includes("counters")); // it is read at the end
	await button("Remove").waitFor();
	await page.getByText(/Measuring was paused for .* of its .*: samples and counters are of the rest/).first().waitFor();
	await page.getByText(/in all, but for .* that it was paused|since the reset at/).first().waitFor();
	check("the overview says for how long it was paused", true);
	equal("it is called stopped, and no key presses what came in the button's place", [await page.locator(".run-head .state").textContent(), await page.evaluate(() => document.activeElement.id)], ["stopped", "tab-panel"]);
	await page.locator(".overview .sentence h2").waitFor();
	const summary = await server.get(`/runs/${made}/summary`);
	const [words, total] = [await page.locator(".totals h3").textContent(), await page.locator(".totals td.number").first().textContent()];
	check("the overview counts from the reset on", words.includes("since the reset at") && Math.abs(inSeconds(total) - summary.counters[0].total / 1e9) < 0.051, { words, total, counters: summary.counters });
	check("until its data are read nobody says that there are none", !(await page.evaluate(() => globalThis.met)));
	equal("then other things apply", [await button("Pause").count(), await button("Stop").count(), await button("Again").count()], [0, 0, 1]);
}

// Notes whether these words are on the page at any time from now on, however short.
const watchFor = (page, words) => page.evaluate((words) => {
	const look = () => (globalThis.met ||= document.body.textContent.includes(words));
	new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
	look();
}, words);

// Why a run failed is said once, where it matters.
async function failing({ server, page, session }) {
	const { id, reason } = await server.measure(session, { tool: "count", target: { kind: "command", command: "./nothing-here" } });
	const said = async () => (await page.locator("main").innerText()).split(reason.split("; ")[0]).length - 1;
	await page.goto(`${server.base}/r/${id}`);
	await page.locator(".hint h2", { hasText: "Nothing was measured" }).waitFor();
	equal("the overview says why it failed, once", await said(), 1);
	await page.getByRole("tab", { name: "Raw" }).click();
	await page.locator(".raw").waitFor();
	equal("so do other tabs", await said(), 1);
	// What ran and failed at once: how it ended and what it printed, and no advice to let it run longer.
	let hint = "";
	for (let tries = 0; tries < 6 && !/ too soon/.test(hint); tries++) { // on a busy machine it may not be at once
		const short = await server.measure(session, { tool: "sample", rate: "1", target: { ...SHELL, command: "echo the disk is on fire >&2; exit 7" } });
		await page.goto(`${server.base}/r/${short.id}`);
		await page.locator(".last-words", { hasText: "the disk is on fire" }).waitFor();
		hint = await page.locator(".hint").innerText();
	}
	check("a program that fails at once: its ending and what it printed", /^It ended with exit status 7 after .* too soon/.test(hint) && !hint.includes("longer"), hint);
}

// stdout and stderr as they come, apart and with their times.
async function output({ server, page, session }) {
	const go = join(server.folder, "go"); // until it is there the program waits
	await page.goto(`${server.base}/s/${session}`);
	await page.locator("#command").fill(`echo first; echo wrong >&2; until [ -e ${go} ]; do sleep 0.05; done; echo last`);
	await page.getByLabel(/Run in a shell/).check();
	await page.getByRole("radio", { name: "Both", exact: true }).click();
	await page.getByLabel("Live").uncheck();
	const [{ id }] = await start(page);
	await page.goto(`${server.base}/r/${id}/output`);
	const terminal = page.locator(".terminal");
	await until("the first line", async () => (await terminal.textContent()).includes("first"));
	equal("output is shown while the program runs", (await server.get(`/runs/${id}`)).state, "running");
	equal("what is not to be live shows no results before its end", await page.getByRole("tab").allTextContents(), ["Overview", "Output", "Raw"]);
	await until("the error", async () => (await terminal.locator(".stderr").allTextContents()).join("").includes("wrong"));
	writeFileSync(go, "");
	await until("the last line", async () => (await terminal.textContent()).includes("last"));
	check("and goes on by itself", true);
	await server.ended(id);
	await page.getByRole("tab", { name: "Counters" }).waitFor();
	check("at its end they are there", (await page.getByRole("tab").allTextContents()).includes("Counters"));
	await page.locator(".output select").selectOption("stderr");
	await until("one stream", async () => (await terminal.textContent()).trim() === "wrong");
	check("stderr alone, and the address says so", page.url().includes("stream=stderr"));
	await page.getByLabel("Times").check();
	await until("times", async () => /^\d+\.\d{3} wrong/.test((await terminal.textContent()).trim()));
	check("with the time of each line", page.url().includes("times=1"));
	await page.locator(".output .chip", { hasText: "exit 0" }).waitFor();
	check("and how it ended", true);
}

// Colours, carriage returns and what a terminal would not print; search and download of it.
async function terminal({ server, page, session }) {
	const command = "printf 'plain \\033[1;31mred\\033[0m \\033[38;5;33mblue\\033[0m\\n'; for n in 10 50 100; do printf '\\r%s %% done' $n; done; echo; printf '\\033]0;title\\007\\033[2J\\033[?25lneedle one\\nNeedle two\\n'; echo 'needle on stderr' >&2";
	const { id } = await server.measure(session, counted(command));
	await page.goto(`${server.base}/r/${id}/output`);
	const terminal = page.locator(".terminal");
	await terminal.getByText("Needle two").waitFor();
	const text = await terminal.textContent();
	check("escape codes are not shown", !/[\x00-\x08\x0b-\x1f]|\[[0-9;?]*[a-zA-Z]|title/.test(text), JSON.stringify(text));
	check("a carriage return writes over the line", text.includes("\n100 % done\n") && !text.includes("50 %"), JSON.stringify(text));
	equal("colours are kept", [await terminal.locator(".t-color1.t-bold").textContent(), (await terminal.locator("span[style*=color]").textContent()).trim()], ["red", "blue"]);
	await page.keyboard.press("/");
	await page.keyboard.type("needle");
	await page.locator(".found", { hasText: "1 of 3" }).waitFor();
	equal("what is searched for is marked, small letters find capitals", await terminal.locator("mark").allTextContents(), ["needle", "Needle", "needle"]);
	await page.keyboard.press("Enter");
	await page.locator(".found", { hasText: "2 of 3" }).waitFor();
	check("Enter goes on, and the address has it", page.url().includes("find=needle") && (await terminal.locator("mark.chosen").textContent()) === "Needle");
	await page.getByLabel("Search the output").fill("Needle");
	await page.locator(".found", { hasText: "1 of 1" }).waitFor();
	const save = async (label) => {
		await page.getByRole("button", { name: "Download the output" }).click();
		return String((await downloaded(page, () => page.getByRole("menuitem", { name: label }).click())).bytes);
	};
	const sorted = (words) => words.split("\n").sort();
	equal("the download is what is shown", sorted(await save(/Plain text/)), sorted(text));
	check("or what was printed", (await save(/As it was printed/)).includes("\x1b[1;31mred\x1b[0m"));
}

async function queue({ server, page, session }) {
	await page.goto(`${server.base}/s/${session}`);
	const first = (await server.post(`/sessions/${session}/runs`, counted("sleep 1000", { limit_s: 1000 }))).items[0].id;
	const ids = [];
	for (const name of ["true a", "true b", "true c"]) ids.push((await server.post(`/sessions/${session}/runs`, counted(name))).items[0].id);
	const order = async () => (await page.locator(".queue li .mono").allTextContents()).map((text) => /true (\w)/.exec(text)?.[1]).join("");
	await until("the queue", async () => (await order()) === "abc");
	check("what waits is shown in its order", true);
	const progress = page.locator(`[data-run="${first}"] progress`);
	await until("progress", async () => (await progress.getAttribute("max")) === "1000" && (await progress.evaluate((bar) => bar.value)) > 0.5);
	check("what runs shows how far it is, and since when", /^\d+(\.\d+)? (m?s|min)/.test(await page.locator(`[data-run="${first}"] .number`).textContent()));
	await page.locator(".queue li").nth(2).focus();
	await page.keyboard.press("Alt+ArrowUp");
	await until("the move", async () => (await order()) === "acb");
	equal("Alt and an arrow move it", (await server.get("/queue")).items.filter((one) => one.state === "queued").map((one) => one.id), [ids[0], ids[2], ids[1]]);
	await page.locator(".queue li").nth(2).dragTo(page.locator(".queue li").nth(0));
	await until("the drag", async () => (await order()) === "bac");
	check("so does dragging", true);
	await page.locator(".queue li").nth(0).getByRole("button", { name: /Cancel/ }).click();
	await until("the cancel", async () => (await order()) === "ac");
	equal("cancel takes one out", (await server.get(`/runs/${ids[1]}`)).state, "cancelled");
	await page.locator(`[data-run="${first}"]`).getByRole("button", { name: "Stop" }).click();
	for (const id of ids) await server.ended(id);
	equal("the one that ran is stopped, the rest is run", (await server.get(`/runs/${ids[2]}`)).state, "done");
}

// Fills in the form but for whom to measure, and gives the run that it makes.
async function measured({ server, page }) {
	await page.getByRole("radio", { name: "Sample", exact: true }).click();
	await page.getByRole("button", { name: "497 Hz" }).click(); // enough of them in a second on a busy machine, too
	await page.getByLabel("Time limit").fill("1");
	const [{ id }] = await start(page);
	const done = await server.ended(id);
	const { samples } = await server.get(`/runs/${id}/summary`).catch(() => ({ samples: 0 }));
	return { done, samples, target: done.form.target };
}

// The one of that id, and none whose id or command line holds it as well.
const listed = (page, id) => page.locator(".processes li").filter({ has: page.getByText(String(id), { exact: true }) }).getByRole("radio");

async function targets(world) {
	const { server, page, session } = world;
	// Two threads that compute, as a user of their own.
	const program = "import threading\nthreading.Thread(target=lambda: [x for x in iter(int, 1)], name='spinner', daemon=True).start()\nwhile True: pass";
	const victim = spawn("/usr/bin/python3", ["-c", program], { stdio: "ignore", uid: 65534, gid: 65534 });
	const choose = async (kind, name) => {
		await page.goto(`${server.base}/s/${session}`);
		await page.getByRole("radio", { name: kind, exact: true }).click();
		if (name) await page.getByLabel(new RegExp(`^Search running`)).fill(name);
	};
	try {
		await choose("Process", String(victim.pid));
		await listed(page, victim.pid).check();
		let made = await measured(world);
		equal("a running process is attached to", [made.done.state, made.target.kind, made.target.who], ["done", "process", String(victim.pid)]);
		check("with samples of it", made.samples > 5, made.samples);
		const called = await page.locator(".run-title").textContent();
		check("and the run is called by its command", called.startsWith(`process ${victim.pid}: /usr/bin/python3 -c`), called);
		const found = await until("both threads", async () => {
			const one = (await server.get(`/processes?search=${victim.pid}`)).items.find((item) => item.pid === victim.pid);
			return one?.threads?.length === 2 && one;
		});
		const thread = found.threads.find(({ tid }) => tid !== victim.pid);
		await choose("Thread", String(victim.pid));
		await listed(page, thread.tid).check();
		made = await measured(world);
		equal("a thread is chosen from the list", [made.done.state, made.target.kind, made.target.who], ["done", "thread", String(thread.tid)]);
		const threads = (await server.get(`/runs/${made.done.id}/threads`)).rows;
		equal("and nothing but it is sampled", threads.filter((row) => row.samples > 0).map((row) => row.tid), [thread.tid]);
		await choose("User");
		await page.locator("form.bench .field", { hasText: "all processes of that user" }).locator("input").fill("nobody");
		made = await measured(world);
		const pids = new Set((await server.get(`/runs/${made.done.id}/threads`)).rows.map((row) => row.pid));
		check("all of a user is measured", made.done.state === "done" && made.target.kind === "user" && pids.has(victim.pid) && !pids.has(process.pid), { reason: made.done.reason, pids: [...pids] });
		await choose("Whole host");
		made = await measured(world);
		const all = new Set((await server.get(`/runs/${made.done.id}/threads`)).rows.map((row) => row.pid));
		check("the whole host is measured", made.done.state === "done" && made.target.kind === "host" && all.has(victim.pid) && all.size > 1, { reason: made.done.reason, all: [...all] });
		equal("and called so", await page.locator(".run-head h2").textContent(), "the whole host");
	} finally {
		victim.kill("SIGKILL");
	}
}

await run(async ({ server, browser }) => {
	const page = await browser.open(server.link);
	const session = (await server.post("/sessions", { title: "Runs" })).id;
	const world = { server, page, session };
	await pausing(world);
	await failing(world);
	await output(world);
	await terminal(world);
	await queue(world);
	await targets(world);
});
