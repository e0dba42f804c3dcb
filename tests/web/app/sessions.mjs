// SPDX-License-Identifier: Apache-2.0
// Sessions and their history, as web-ocperf had them and wished for; what is refused; the machines.
import { becomes, check, equal, functionNames, run, start, unfold, until } from "./lib.mjs";

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
	await until("the same view again", async () => (await page.locator(".card").count()) === 1);
	check("which gives the same view again", (await page.locator(".card-title").textContent()).startsWith("Blue whale"));
	await page.getByLabel("Search sessions").fill("");
	await cards({ server, page });
	const card = page.locator(".card", { hasText: "Red panda" });
	await card.getByRole("button", { name: /Actions/ }).click();
	await page.getByRole("menuitem", { name: "Remove" }).click();
	await until("it to go", async () => !(await card.count()));
	check("a removed session goes", true);
	await page.getByRole("button", { name: "Undo" }).last().click();
	await card.waitFor();
	check("and comes back with Undo", true);
	return id;
}

// What a card shows of a session, and its menu.
async function cards({ server, page }) {
	const measured = (await server.get("/sessions?search=example")).items[0];
	const shown = page.locator(".card", { has: page.locator(`a[href="/s/${measured.id}"]`) });
	const drawn = () => shown.locator("canvas").evaluate((canvas) => {
		const board = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height }).getContext("2d", { willReadFrequently: true }); // read from the page's own again and again, Chromium complains
		board.drawImage(canvas, 0, 0);
		return new Set(board.getImageData(0, 0, canvas.width, canvas.height).data).size > 8;
	});
	await until("a picture of the result", async () => (await shown.locator("canvas").count()) && drawn());
	const last = (await server.get(`/runs?session=${measured.id}&limit=1`)).items[0];
	check("a card has a small flame graph of its last run, its state and its host", (await shown.locator(".state").textContent()) === "done" && (await shown.textContent()).includes(last.host));
	const card = page.locator(".card", { hasText: "Red panda" });
	const act = async (name) => {
		await card.getByRole("button", { name: /Actions/ }).click();
		await page.getByRole("menuitem", { name, exact: true }).click();
	};
	await act("Rename");
	await page.getByLabel("Title").fill("Red panda, renamed");
	await page.keyboard.press("Enter");
	await card.locator(".card-title", { hasText: "renamed" }).waitFor();
	equal("a card is renamed in place", (await server.get("/sessions?search=panda")).items[0].title, "Red panda, renamed");
	await act("Archive");
	await until("it to go", async () => !(await card.count()));
	await page.getByLabel("Archived").check();
	await card.waitFor();
	check("an archived one is among the archived", page.url().includes("archived=1"));
	await act("Restore from the archive");
	await until("it to go there", async () => !(await card.count()));
	await page.getByLabel("Archived").uncheck();
	await card.waitFor();
	check("and comes back", true);
}

async function notes({ server, page, session }) {
	await page.goto(`${server.base}/s/${session}`);
	await page.getByRole("button", { name: "Add notes or tags" }).click();
	const form = page.getByRole("form", { name: "Notes and tags" });
	await form.getByLabel("Notes").fill("before the change\nof the hash");
	await form.getByLabel("Tags").fill("hash, slow one");
	await form.getByRole("button", { name: "Save" }).click();
	await page.locator(".session-notes .notes").waitFor();
	const now = await server.get(`/sessions/${session}`);
	equal("notes and tags of a session are kept", [now.notes, now.tags], ["before the change\nof the hash", ["hash", "slow one"]]);
	await page.goto(`${server.base}/?search=${encodeURIComponent("slow one")}`);
	await page.locator(".card", { hasText: "before the change" }).waitFor();
	check("and found by the search", (await page.locator(".card .tag").allTextContents()).includes("hash"));
}

async function history({ server, browser, page, session }) {
	await page.goto(`${server.base}/s/${session}`);
	await page.getByRole("radio", { name: "Both", exact: true }).click();
	await page.locator("#command").fill('echo "n is $COUNT"; echo oops >&2; seq 300000 | sort -r | tail -1');
	await page.getByLabel(/Run in a shell/).check();
	await unfold(page);
	await page.getByLabel("Environment").fill("COUNT=7 NAME='x y'");
	const [{ id }] = await start(page);
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
	await becomes("and stderr apart from it", async () => (await page.locator(".terminal .stderr").allTextContents()).join("").trim(), "oops");
	await page.locator("#command").fill("something else");
	await page.getByLabel("Environment").fill("");
	await page.getByRole("radio", { name: "Count", exact: true }).click();
	await row.getByRole("button", { name: "Use settings" }).click();
	await becomes("reload brings the command back", () => page.locator("#command").inputValue(), done.form.target.command);
	await becomes("and the environment", () => page.getByLabel("Environment").inputValue(), "COUNT=7 NAME='x y'");
	await becomes("and the tool", () => page.getByRole("radio", { name: "Both", exact: true }).getAttribute("aria-checked"), "true");
	await row.getByRole("button", { name: "Again" }).click();
	const again = await until("the second run", async () => (await server.get(`/runs?session=${session}`)).items.find((one) => one.id > id));
	await server.ended(again.id);
	equal("Again measures the same once more", again.command, done.command);
	await overview({ server, page, id });
	await page.goto(`${server.base}/s/${session}?run=${id}`);
	await permalink({ server, browser, page, row, id });
	await onlyData({ server, page, session, ids: [id, again.id] });
	await removal({ server, page, id }); // not the newest
	return id;
}

// Key figures, top functions and the trust panel are those of the API.
async function overview({ server, page, id }) {
	await page.goto(`${server.base}/r/${id}/overview`);
	const [summary, top, quality, said] = await Promise.all(["summary", "top?limit=8", "quality", "overview"].map((what) => server.get(`/runs/${id}/${what}`)));
	const parts = said.budget?.run.flatMap((part) => [part.name, part.label]) ?? []; // in the bar, not among the figures
	await becomes("the key figures are the API's", () => page.locator(".figures > div").evaluateAll((all) => all.map((one) => [one.querySelector("dt").textContent, one.querySelector("dd").textContent])), summary.figures.filter((figure) => !parts.includes(figure.name)).slice(0, 12).map((figure) => [figure.label, figure.text]));
	await becomes("so are the top functions", () => page.locator(".overview .bars td:first-child").allTextContents(), top.rows.filter((one) => one.self_samples > 0).map((one) => `${one.self_percent.toFixed(2)} %`));
	await becomes("and how far it can be trusted", async () => {
		const trust = Object.fromEntries(await page.locator(".trust tr").evaluateAll((all) => all.map((one) => [one.cells[0].textContent, one.cells[1].textContent])));
		return [trust.Samples, trust.Lost, trust["Functions without a name"]];
	}, [String(quality.trust.samples), `${quality.trust.lost_percent.toFixed(2)} %`, `${quality.trust.unknown_percent.toFixed(2)} %`]);
}

// The address of a run opens the same view for somebody else.
async function permalink({ server, browser, page, row, id }) {
	await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
	await page.bringToFront(); // only who looks at a page may copy from it
	await Promise.all([row.getByRole("button", { name: "Copied" }).waitFor(), row.getByRole("button", { name: "Link" }).click()]);
	const copied = await page.evaluate(() => navigator.clipboard.readText());
	equal("the link of a run is copied", copied, `${server.base}/r/${id}`);
	await page.goto(copied);
	await page.getByRole("tab", { name: "Functions" }).click();
	await page.getByLabel("Search functions").fill("s");
	await page.getByRole("button", { name: "Total" }).click();
	await page.waitForURL(/search=s.*sort=total/);
	const shown = (one) => one.locator(".functions .wide tbody").innerText();
	const wanted = (await server.get(`/runs/${id}/top?limit=100&search=s&sort=total`)).rows.map((one) => one.function ?? "unknown");
	await until("the search", async () => JSON.stringify(await functionNames(page)) === JSON.stringify(wanted));
	const other = await browser.open(server.link);
	await other.goto(page.url());
	await until("the same rows", async () => (await other.locator(".functions .wide tbody tr").count()) && (await shown(other)) === (await shown(page)));
	equal("a link opens the same view in another browser", [await other.getByLabel("Search functions").inputValue(), await other.locator("th[aria-sort]").innerText()], ["s", await page.locator("th[aria-sort]").innerText()]);
	await other.context().close();
}

// Another run of the history in the plots: nothing but data is fetched.
async function onlyData({ server, page, session, ids }) {
	await page.goto(`${server.base}/s/${session}?run=${ids[0]}&tab=counters`);
	await page.locator(".u-over").first().waitFor();
	const asked = [];
	const note = (request) => asked.push(request.url());
	page.on("request", note);
	const data = page.waitForResponse((answer) => answer.url().includes(`/runs/${ids[1]}/counters?`));
	await page.locator(`[data-run="${ids[1]}"] .history-main`).click();
	await data;
	await page.locator(".run-head", { hasText: `run ${ids[1]} ` }).waitFor();
	page.off("request", note);
	equal("another run in the plot: only data are fetched", asked.filter((url) => !url.includes("/api/v1/") && !url.endsWith("/icon.svg")), []);
}

async function removal({ server, page, id }) {
	const row = page.locator(`[data-run="${id}"]`);
	await row.locator(".history-main").click();
	await page.getByRole("tab", { name: "Raw" }).click();
	await page.locator(".raw").waitFor();
	const was = page.url();
	await row.getByRole("button", { name: /^Remove/ }).click();
	await until("it to go", async () => !(await row.count()));
	const gone = await server.get(`/runs/${id}`).then((one) => one.removed_until_ns, () => "gone");
	check("a removed run goes", !!gone, gone);
	await until("another run in its place", async () => !(await page.locator(".run-head").textContent()).includes(`run ${id} `));
	check("and another one is looked at", true);
	await page.getByRole("button", { name: "Undo" }).last().click();
	await row.waitFor();
	check("and comes back with Undo", (await server.get(`/runs/${id}`)).removed_until_ns === null);
	await page.locator(".run-head", { hasText: `run ${id} ` }).waitFor();
	await becomes("chosen as it was, not the newest", () => page.url(), was);
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
	const words = await page.locator(".hint h2", { hasText: "Nothing was measured" }).textContent();
	check("a run that failed says why", words.includes("./nothing-here") && words.includes("no such program"), words);
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

// What the server refuses is told where it was asked for, with what helps.
async function refusals({ server, page, session }) {
	await page.goto(`${server.base}/s/${session}`);
	await page.getByRole("radio", { name: "Sample", exact: true }).click();
	await page.locator("#command").fill("true");
	await page.getByLabel("Rate", { exact: false }).first().fill("often");
	const refused = page.waitForResponse((answer) => answer.url().endsWith("/runs") && answer.request().method() === "POST");
	await page.getByRole("button", { name: /^Start/ }).click();
	const { error } = await (await refused).json();
	const trouble = page.locator(".start > .trouble, .plan .trouble").first(); // the plan's, where that came before
	await trouble.waitFor();
	equal("a form that is refused says why beside its button", [await trouble.locator("p").first().textContent(), await trouble.locator(".remedy").textContent()], [error.message, error.remedy]);
	check("with a remedy", error.message.includes("often") && error.remedy.length > 10, error);
	await page.locator(".plan .trouble").waitFor();
	check("the plan had said so before", (await page.locator(".plan .trouble").textContent()).includes("often"));
	await page.getByLabel("Rate", { exact: false }).first().fill("99");
	for (const [address, what] of [["/s/99999", "session 99999"], ["/r/99999", "run 99999"]]) {
		await page.goto(server.base + address);
		await page.locator(".absent .remedy, .trouble .remedy").waitFor();
		check(`${address} is told to be missing, with what helps`, (await page.locator(".absent, .trouble").textContent()).includes(what));
	}
	await page.goto(`${server.base}/nowhere`);
	await page.getByRole("heading", { name: "Page not found" }).waitFor();
	check("so is an address that is none", true);
}

// Machines: all that the doctor says, and nothing else.
async function machines({ server, page }) {
	await page.goto(`${server.base}/hosts`);
	const doctor = await server.get("/doctor");
	const installation = await server.get("/server");
	const host = (await server.get("/hosts")).items[0];
	const machine = page.locator("details.area", { hasNot: page.locator("h2", { hasText: "This server" }) });
	const own = page.locator("details.area", { has: page.locator("h2", { hasText: "This server" }) });
	await machine.locator(".doctor li").first().waitFor({ state: "attached" });
	await own.locator(".doctor li").first().waitFor({ state: "attached" });
	equal("every finding about the server is shown", (await own.locator(".doctor li p:first-child > b").allTextContents()).sort(), installation.findings.map((finding) => finding.title).sort());
	const titles = await machine.locator(".doctor li p:first-child > b").allTextContents();
	equal("every finding of the doctor is shown", [...titles].sort(), doctor.findings.map((finding) => finding.title).sort());
	const words = { ok: "works", limited: "limited", missing: "missing", unknown: "unknown" };
	for (const finding of doctor.findings.filter((one) => one.remedy).slice(0, 3)) {
		const row = machine.locator(".doctor li", { has: page.locator("b", { hasText: finding.title }) }).first();
		check(`${finding.id}: its state and what helps`, (await row.locator(".state").textContent()) === words[finding.state] && (await row.locator(".remedy").textContent()).endsWith(finding.remedy), finding);
	}
	const text = await page.locator(".host").textContent();
	check("with CPU, kernel and user of the host", [host.name, host.kernel, host.workload_user].every((word) => text.includes(word)), text);
	const again = page.waitForResponse((answer) => answer.url().endsWith("/doctor"));
	await page.getByRole("button", { name: "Refresh" }).click();
	equal("it can be asked again", (await again).status(), 200);
}

await run(async ({ server, browser }) => {
	const page = await browser.open(server.link);
	await example({ server, page });
	const session = await sessions({ server, page });
	const world = { server, browser, page, session };
	await notes(world);
	await history(world);
	await failing(world);
	await refusals(world);
	await machines(world);
});
