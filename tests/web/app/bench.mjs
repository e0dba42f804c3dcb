// SPDX-License-Identifier: Apache-2.0
// Sessions and the bench: every widget that web-ocperf had, and what it wished for.
import { spawn } from "node:child_process";
import { check, equal, run, SHELL, until } from "./lib.mjs";

async function sessions({ server, page }) {
	await page.goto(`${server.base}/`);
	await page.getByRole("button", { name: "New session" }).first().click();
	await page.waitForURL(/\/s\/\d+/);
	const id = Number(/\/s\/(\d+)/.exec(page.url())[1]);
	await page.locator("h1 .title").click();
	await page.getByLabel("Title").fill("Blue whale <b>& co</b>");
	await page.keyboard.press("Enter");
	await page.locator("h1 .title", { hasText: "Blue whale" }).waitFor();
	equal("a title is text, not markup", (await server.get(`/sessions/${id}`)).title, "Blue whale <b>& co</b>");
	equal("and is shown as it was typed", await page.locator("h1 .title").textContent(), "Blue whale <b>& co</b>");
	await server.post("/sessions", { title: "Red panda" });
	await page.goto(`${server.base}/`);
	await page.locator(".card", { hasText: "Red panda" }).waitFor();
	await page.getByLabel("Search sessions").fill("whale");
	await until("the others to go", async () => (await page.locator(".card").count()) === 1);
	check("search finds one", (await page.locator(".card-title").textContent()).startsWith("Blue whale"));
	check("and is in the address", page.url().includes("search=whale"));
	await page.reload();
	await page.locator(".card").first().waitFor();
	equal("which gives the same view again", await page.locator(".card").count(), 1);
	await page.getByLabel("Search sessions").fill("");
	const card = page.locator(".card", { hasText: "Red panda" });
	await card.getByRole("button", { name: /Actions/ }).click();
	await page.getByRole("menuitem", { name: "Remove" }).click();
	await until("it to go", async () => !(await card.count()));
	check("a removed session goes", true);
	await page.getByRole("button", { name: "Undo" }).click();
	await card.waitFor();
	check("and comes back with Undo", true);
	return id;
}

async function picker({ server, page, session }) {
	await page.goto(`${server.base}/s/${session}`);
	await page.getByRole("radio", { name: "Count", exact: true }).click();
	const list = page.locator(".picker .events");
	await page.getByLabel("Search: Events to count").fill("page fault");
	await until("the search", async () => {
		const names = await list.locator("li .mono").allTextContents();
		return names.includes("page-faults") && names.length < 60;
	});
	check("the search looks at descriptions too", (await list.locator("li .mono").allTextContents()).some((name) => !/page.?fault/.test(name)), await list.locator("li .mono").allTextContents());
	const row = list.locator("li", { has: page.locator(".mono", { hasText: /^page-faults$/ }) });
	await row.hover();
	await until("the description", async () => (await page.locator(".picker .description").textContent()).includes("page-faults"));
	const known = (await server.get("/events?search=page-faults")).items.find((event) => event.name === "page-faults");
	check("hovering shows what it counts", (await page.locator(".picker .description").textContent()).includes(known.description), known);
	await row.getByRole("checkbox").check();
	equal("ticking puts it into the expression", await page.getByLabel("Events to count: expression").inputValue(), "page-faults");
	await page.locator("#command").fill("true");
	await page.locator(".plan .expected, .plan p").first().waitFor();
	await page.getByLabel("Events to count: expression").fill("page-faults,no-such-event");
	await until("the check", async () => (await page.locator(".expression .bad").count()) > 0);
	const said = await page.locator(".expression p").textContent();
	check("a wrong expression is told as it is typed", said.includes("no-such-event"), said);
	await page.getByLabel("Events to count: expression").fill("page-faults,context-switches:u");
	await until("the check", async () => (await page.locator(".expression p").textContent()).includes("can be measured"));
	check("a good one too", true);
	await page.getByLabel("Search: Events to count").fill("");
	await page.getByLabel("Group of events").selectOption("hw");
	await until("the group", async () => (await list.locator("li .mono").allTextContents()).some((name) => name === "instructions"));
	const all = (await server.get("/events?group=hw")).items;
	const missing = all.filter((event) => event.openable === false);
	equal("what can't be measured is marked", await list.locator("li.missing").count(), missing.length);
	if (missing.length) check("with the reason", (await list.locator("li.missing").first().getAttribute("title")).includes(missing[0].why.slice(0, 40)));
	await page.getByLabel("Group of events").selectOption("");
}

async function plan({ server, page, session }) {
	await page.goto(`${server.base}/s/${session}`);
	await page.getByRole("radio", { name: "Sample", exact: true }).click();
	await page.locator("#command").fill("seq 10");
	await page.getByLabel("Time limit").fill("10");
	await page.getByRole("button", { name: "497 Hz" }).click();
	await until("the plan", async () => (await page.locator(".expected").textContent().catch(() => "")).includes("samples"));
	await page.locator(".plan summary").click();
	const lines = await page.locator(".plan .copyline code").allTextContents();
	check("the command lines of perfolio and perf are there to copy", lines.some((line) => line.startsWith("perfolio record") && line.includes("497")) && lines.some((line) => line.startsWith("perf record")), lines);
}

async function history({ server, page, session }) {
	await page.goto(`${server.base}/s/${session}`);
	await page.getByRole("radio", { name: "Both", exact: true }).click();
	await page.locator("#command").fill('echo "n is $COUNT"; echo oops >&2; seq 300000 | sort -r | tail -1');
	await page.getByLabel(/Through a shell/).check();
	await page.locator("summary", { hasText: "Environment" }).click();
	await page.getByLabel("Environment").fill("COUNT=7 NAME='x y'");
	await page.getByRole("button", { name: "Start", exact: true }).click();
	await page.waitForURL(/run=\d+/);
	const id = Number(new URL(page.url()).searchParams.get("run"));
	const done = await server.ended(id);
	equal("a run with counters and samples is done", [done.state, done.tool], ["done", "both"]);
	equal("its environment is kept", done.environment, ["COUNT=7", "NAME=x y"]);
	const row = page.locator(`[data-run="${id}"]`);
	await row.locator(".state.good").waitFor();
	check("the history shows that it is done, without reloading", true);
	await row.locator(".spark rect, .spark polyline").first().waitFor();
	check("with a small picture", true);
	await page.getByRole("tab", { name: "Output" }).click();
	await until("the output", async () => (await page.locator(".terminal").textContent()).includes("n is 7"));
	check("stdout is shown", true);
	equal("and stderr apart from it", (await page.locator(".terminal .stderr").allTextContents()).join("").trim(), "oops");
	await page.locator("#command").fill("something else");
	await page.getByLabel("Environment").fill("");
	await page.getByRole("radio", { name: "Count", exact: true }).click();
	await row.getByRole("button", { name: "Reload" }).click();
	equal("reload brings the command back", await page.locator("#command").inputValue(), done.form.target.command);
	equal("and the environment", await page.getByLabel("Environment").inputValue(), "COUNT=7 NAME='x y'");
	equal("and the tool", await page.getByRole("radio", { name: "Both", exact: true }).getAttribute("aria-checked"), "true");
	await row.getByRole("button", { name: "Again" }).click();
	const again = await until("the second run", async () => (await server.get(`/runs?session=${session}`)).items.find((one) => one.id > id));
	await server.ended(again.id);
	equal("Again measures the same once more", again.command, done.command);
	await downloads({ server, page, row, id, session });
	await removal({ server, page, id: again.id });
	return id;
}

async function downloads({ server, page, row, id, session }) {
	await row.getByRole("button", { name: /^Download/ }).click();
	const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: /^perf\.data/ }).click()]);
	const stream = await file.createReadStream();
	const first = await new Promise((have) => stream.once("data", have));
	equal("perf.data comes from the download menu", first.subarray(0, 8).toString(), "PERFILE2");
	const [hdf5] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "HDF5" }).click()]);
	const bytes = await new Promise(async (have) => (await hdf5.createReadStream()).once("data", have));
	equal("the session as one HDF5 file", bytes.subarray(1, 4).toString(), "HDF");
	await everyFormat({ server, page, id });
	await page.goto(`${server.base}/s/${session}`);
	await row.getByRole("link", { name: "Link" }).click();
	await page.waitForURL(new RegExp(`/r/${id}`));
	check("a run has a link of its own", (await page.locator(".run-head h1").textContent()).length > 0);
	await page.goto(`${server.base}/s/${session}`);
}

async function everyFormat({ server, page, id }) {
	await page.goto(`${server.base}/r/${id}/raw`);
	const links = page.locator(".downloads a");
	await links.first().waitFor();
	const wrong = [];
	for (const href of await links.evaluateAll((all) => all.map((one) => one.getAttribute("href")))) {
		const answer = await fetch(server.base + href, { headers: { Authorization: `Bearer ${server.token}` } });
		if (!answer.ok || !(await answer.arrayBuffer()).byteLength) wrong.push(`${href}: ${answer.status}`);
	}
	check("every download of the Raw tab has something in it", (await links.count()) === 12 && !wrong.length, { count: await links.count(), wrong });
}

async function removal({ server, page, id }) {
	const row = page.locator(`[data-run="${id}"]`);
	await row.getByRole("button", { name: /^Remove/ }).click();
	await until("it to go", async () => !(await row.count()));
	const gone = await server.get(`/runs/${id}`).then((one) => one.removed_until_ns, () => "gone");
	check("a removed run goes", !!gone, gone);
	await page.getByRole("button", { name: "Undo" }).click();
	await row.waitFor();
	check("and comes back with Undo", (await server.get(`/runs/${id}`)).removed_until_ns === null);
}

async function queue({ server, page, session }) {
	await page.goto(`${server.base}/s/${session}`);
	const form = (command) => ({ tool: "count", live: true, target: { ...SHELL, command } });
	const first = (await server.post(`/sessions/${session}/runs`, form("sleep 30"))).items[0].id;
	const names = ["true a", "true b", "true c"];
	const ids = [];
	for (const name of names) ids.push((await server.post(`/sessions/${session}/runs`, form(name))).items[0].id);
	const order = async () => (await page.locator(".queue li .mono").allTextContents()).map((text) => text.at(-2) === "c" || text.includes("true c") ? "c" : text.includes("true b") ? "b" : "a").join("");
	await until("the queue", async () => (await order()) === "abc");
	check("what waits is shown in its order", true);
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

async function attach({ server, page, session }) {
	const victim = spawn("sh", ["-c", "while :; do :; done # perfolio-victim"], { stdio: "ignore", uid: 65534, gid: 65534 });
	try {
		await page.goto(`${server.base}/s/${session}`);
		await page.getByRole("radio", { name: "Process", exact: true }).click();
		await page.getByLabel("Search running processes").fill(String(victim.pid));
		await page.locator(".processes li", { hasText: String(victim.pid) }).getByRole("radio").check();
		await page.getByRole("radio", { name: "Sample", exact: true }).click();
		await page.getByLabel("Time limit").fill("1");
		await page.getByRole("button", { name: "Start", exact: true }).click();
		await page.waitForURL(/run=\d+/);
		const done = await server.ended(Number(new URL(page.url()).searchParams.get("run")));
		equal("a running process is attached to", [done.state, done.form.target.kind, done.form.target.who], ["done", "process", String(victim.pid)]);
		check("with samples of it", (await server.get(`/runs/${done.id}/summary`)).samples > 5);
	} finally {
		victim.kill("SIGKILL");
	}
}

async function imports({ server, page }) {
	await page.goto(`${server.base}/`);
	await page.locator("[data-import]").first().setInputFiles({ name: "mine.folded", mimeType: "text/plain", buffer: Buffer.from("main;work;sort 30\nmain;work;parse 10\n") });
	await page.waitForURL(/\/r\/\d+/);
	const id = Number(/\/r\/(\d+)/.exec(page.url())[1]);
	await server.ended(id);
	await page.getByRole("tab", { name: "Functions" }).click();
	await page.locator(".functions .wide tbody tr").first().waitFor();
	equal("an imported file has its functions", await page.locator(".functions .wide tbody tr td:nth-child(3)").allTextContents(), ["sort", "parse", "main", "work"].slice(0, await page.locator(".functions .wide tbody tr").count()));
	await page.goto(`${server.base}/`);
	const transfer = await page.evaluateHandle(() => {
		const data = new DataTransfer();
		data.items.add(new File(["a;b 3\n"], "dropped.folded"));
		return data;
	});
	await page.locator(".card, .empty").first().waitFor();
	await page.dispatchEvent("body", "dragenter", { dataTransfer: transfer });
	check("dragging a file shows where to drop it", await page.locator(".dropzone").isVisible());
	await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
	await page.waitForURL(/\/r\/\d+/);
	check("dropping it imports it", true);
	await page.goto(`${server.base}/`);
	await page.locator("[data-import]").first().setInputFiles({ name: "broken.data", mimeType: "", buffer: Buffer.from("PERFILE2 and then nothing of use") });
	await page.waitForURL(/\/r\/\d+/).catch(() => {});
	const broken = Number(/\/r\/(\d+)/.exec(page.url())?.[1] ?? 0);
	if (broken) {
		const ended = await server.ended(broken);
		equal("a damaged one fails", ended.state, "failed");
		await page.locator(".run-head .trouble").waitFor();
		equal("with the reason on its page", await page.locator(".run-head .trouble").textContent(), ended.reason);
	} else check("a damaged one is refused in words", (await page.getByRole("alert").textContent()).length > 10);
}

// A program that can't be started: said where it was tried, and nothing is offered that is not there.
async function failing({ server, page, session }) {
	const form = { tool: "sample", target: { kind: "command", command: "./nothing-here --x" }, repeats: 2 };
	const made = (await server.post(`/sessions/${session}/runs`, form)).items;
	for (const one of made) await server.ended(one.id);
	await page.goto(`${server.base}/s/${session}?run=${made[1].id}`);
	const row = page.locator(`[data-run="${made[1].id}"]`);
	await row.locator(".state.bad").waitFor();
	check("repeats are numbered", (await row.textContent()).includes("2/2"), await row.textContent());
	const words = await page.locator(".run-head > .trouble").textContent();
	check("a run that failed says why", words.includes("./nothing-here") && words.includes("No such file"), words);
	equal("and offers no downloads", await row.getByRole("button", { name: /^Download/ }).count(), 0);
}

// One click from nothing to the first picture.
async function example({ server, page }) {
	await page.getByRole("button", { name: "Run the example" }).click();
	await page.waitForSelector(".flame-tab canvas");
	check("the example is one click away", true);
	const id = Number(new URL(page.url()).searchParams.get("run"));
	const done = await server.ended(id);
	equal("and runs well", [done.state, done.ending?.code], ["done", 0]);
	const top = await server.get(`/runs/${id}/top?limit=5`);
	check("its functions have names", top.rows.some((row) => /^Perl_/.test(row.function ?? "")), top.rows);
}

// What was measured most stands first, of this session before others.
async function mostUsed({ server, page, session }) {
	await page.goto(`${server.base}/s/${session}`);
	await page.getByRole("radio", { name: "Count", exact: true }).click();
	const form = { tool: "count", live: false, target: { ...SHELL, command: "true" }, events: { count: "major-faults" } };
	for (let round = 0; round < 3; round++) await server.measure(session, form);
	await page.reload();
	await page.getByRole("radio", { name: "Count", exact: true }).click();
	await page.getByLabel("Events to count: expression").fill("");
	const first = page.locator(".picker .events li").first();
	await until("the most used", async () => (await first.locator(".mono").textContent()) === "major-faults");
	check("the most used event is on top", /3×/.test(await first.textContent()), await first.textContent());
}

await run(async ({ server, browser }) => {
	const page = await browser.open(server.link);
	await example({ server, page });
	const session = await sessions({ server, page });
	const world = { server, page, session };
	await picker(world);
	await plan(world);
	await mostUsed(world);
	await history(world);
	await failing(world);
	await queue(world);
	await attach(world);
	await imports(world);
});
