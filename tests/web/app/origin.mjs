// SPDX-License-Identifier: Apache-2.0
// A session is bound to its origin. Whoever listens on another port of the machine, or under another name of it, gets
// what a browser sends there: replayed, from wherever it may be said to come, it is worth nothing. And pages from there
// reach nothing. Also how the page comes to its proof and what it does without it.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { check, equal, run, until } from "./lib.mjs";

// A listener of somebody else's that keeps what it is sent and answers with a page.
async function listener(page = "<!doctype html><title>somebody else</title>") {
	const heard = [];
	const site = createServer((request, reply) => {
		heard.push({ path: request.url, headers: request.headers });
		reply.setHeader("Content-Type", "text/html");
		reply.end(page);
	});
	await new Promise((done) => site.listen(0, "127.0.0.1", done));
	return { heard, port: site.address().port, stop: () => site.close() };
}

// A request with exactly these headers; its status.
function curl(url, headers, ...more) {
	const args = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
	return Number(execFileSync("curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "60", ...more, ...args, url], { encoding: "utf8" }));
}

const audit = async (server, action) => (await server.get("/audit?limit=200")).items.filter((line) => line.action === action);

// What others receive, sent again as it was and as if it came from the server's own page.
async function replayed(server, page) {
	const other = await listener();
	const mine = new URL(server.base);
	const before = (await audit(server, "cookie-refused")).length;
	for (const url of [`http://127.0.0.1:${other.port}/`, `http://somebody.localhost:${other.port}/`, `http://localhost:${other.port}/`]) {
		other.heard.length = 0;
		const tab = await page.context().newPage();
		await tab.goto(url);
		await tab.close();
		const { headers } = other.heard[0];
		const cookie = headers.cookie ? { Cookie: headers.cookie } : {};
		const name = new URL(url).hostname;
		if (name === "127.0.0.1") check("a browser does send the cookie to another port", /perfolio-\d+=/.test(headers.cookie ?? ""), headers);
		check(`but nothing else of ours, at ${name}`, !Object.keys(headers).some((one) => one.includes("proof") || one === "authorization"), headers);
		const value = /perfolio-\d+=([^;]*)/.exec(headers.cookie ?? "")?.[1] ?? "";
		const rows = [cookie, { ...headers, host: mine.host }, { ...cookie, Origin: server.base }, { ...cookie, Origin: server.base, Referer: `${server.base}/`, "Sec-Fetch-Site": "same-origin" },
			{ ...cookie, "Perfolio-Proof": value }, { ...cookie, "Perfolio-Proof": "" }, { Authorization: `Bearer ${value}` }];
		equal(`what ${name} received is worth nothing`, rows.map((row) => curl(`${server.base}/api/v1/me`, row)), rows.map(() => 401));
		equal("nor to change something, or for a ticket", ["/api/v1/sessions", "/api/v1/tickets", "/api/v1/sign-out"].map((path) => curl(server.base + path, { ...cookie, Origin: server.base }, "-d", '{"path":"/api/v1/me"}')), [401, 401, 401]);
		equal("nor to sign in with", curl(`${server.base}/api/v1/sign-in`, {}, "-d", JSON.stringify({ token: value || "x" })), 401);
	}
	other.stop();
	const lines = await audit(server, "cookie-refused");
	check("the log has it, a line or two of many tries", lines.length > before && lines.length - before <= 2 && lines[0].person === "owner", lines);
	await until("the page to be signed in all the same", () => page.evaluate(async () => (await fetch("/api/v1/me", { headers: { "Perfolio-Proof": localStorage.getItem("perfolio-proof") } })).ok));
}

// A page on another port, of the same site as browsers see it: its requests carry the cookie.
async function fromAnotherPage(server, page) {
	const before = (await server.get("/sessions")).items.length;
	const other = await listener();
	const tab = await page.context().newPage();
	await tab.goto(`http://127.0.0.1:${other.port}/`);
	const got = await tab.evaluate(async (base) => {
		const tries = {};
		const ask = async (name, init) => (tries[name] = await fetch(`${base}/api/v1/me`, init).then((answer) => (answer.type === "opaque" ? "nothing" : answer.text()), () => "nothing"));
		await ask("fetch", { credentials: "include" });
		await ask("fetch without cors", { credentials: "include", mode: "no-cors" });
		await ask("fetch with a proof", { credentials: "include", headers: { "Perfolio-Proof": localStorage.getItem("perfolio-proof") ?? "x" } });
		await ask("a change", { credentials: "include", method: "POST", mode: "no-cors", body: '{"title":"theirs"}' });
		tries.script = await new Promise((done) => {
			const script = document.createElement("script");
			script.src = `${base}/api/v1/sessions`;
			script.onload = () => done("loaded");
			script.onerror = () => done("nothing");
			document.head.append(script);
		});
		tries.stream = await new Promise((done) => {
			const source = new EventSource(`${base}/api/v1/stream?topics=queue`, { withCredentials: true });
			source.onmessage = source.onopen = () => done("open");
			source.onerror = () => (source.close(), done("nothing"));
		});
		tries.frame = await new Promise((done) => {
			const frame = document.createElement("iframe");
			frame.src = `${base}/`;
			frame.onload = () => { try { done(frame.contentWindow.localStorage.getItem("perfolio-proof")); } catch { done("nothing"); } };
			document.body.append(frame);
		});
		return tries;
	}, server.base);
	equal("a page on another port gets nothing", [...new Set(Object.values(got))], ["nothing"]);
	await tab.evaluate((base) => {
		document.body.innerHTML = `<form method="post" enctype="text/plain" action="${base}/api/v1/sessions"><input name='{"title":"theirs","notes":"' value='"}'></form>`;
		document.forms[0].submit();
	}, server.base);
	await tab.waitForURL(`${server.base}/**`);
	check("nor do its forms", (await tab.content()).includes("error"));
	equal("and has changed nothing", (await server.get("/sessions")).items.length, before);
	await tab.close();
	other.stop();
}

// From its next document on the tab gets the answers of a path without an end: as if it left while one comes.
function lateBody(tab, path) {
	return tab.addInitScript((path) => {
		const real = globalThis.fetch;
		globalThis.fetch = async (url, init) => {
			const answer = await real(url, init);
			if (!String(url).startsWith(path)) return answer;
			const body = new ReadableStream({ start: (to) => init.signal.addEventListener("abort", () => to.error(init.signal.reason)) });
			return new Response(body, answer);
		};
	}, path);
}

// A request of the tab that is on its way until it is let through, to be refused.
async function lateRequest(tab, path, ask) {
	let letThrough;
	const held = new Promise((done) => (letThrough = done));
	const asked = tab.waitForRequest(`**${path}`);
	await tab.route(`**${path}`, async (route) => (await held, await route.continue()), { times: 1 });
	await ask();
	await asked;
	return async () => {
		const refused = tab.waitForResponse((answer) => answer.url().endsWith(path) && answer.status() === 401);
		letThrough();
		await refused;
	};
}

// Tickets are what downloads have instead; the ways of the page to and from its proof.
async function ways(server, browser, page) {
	const session = await server.post("/sessions", { title: "tickets" });
	await fetch(`${server.base}/api/v1/sessions/${session.id}/import?name=few`, { method: "POST", headers: { Authorization: `Bearer ${server.token}` }, body: "main;a 1\n" });
	const asked = [];
	page.context().on("request", (request) => asked.push(request.url()));
	await page.goto(`${server.base}/s/${session.id}`);
	const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download HDF5" }).click()]);
	check("a download comes, by a ticket", readFileSync(await file.path()).subarray(1, 4).toString() === "HDF" && file.url().includes("ticket="), file.url());
	equal("which is worth nothing the second time", curl(file.url(), {}), 401);
	check("no address has the token", !asked.some((url) => url.includes(server.token)), asked.filter((url) => url.includes(server.token)));

	const second = await browser.tab(page.context(), `${server.base}/hosts`);
	await second.getByText("live", { exact: true }).waitFor();
	check("another tab of the browser is signed in, too", true);
	await lateBody(second, "/api/v1/doctor");
	await second.evaluate(() => localStorage.clear());
	await page.locator(".sign-in .notice").waitFor();
	const late = await lateRequest(page, "/api/v1/tickets", () => page.getByRole("link", { name: "Download HDF5", includeHidden: true }).evaluate((link) => link.click()));
	await second.reload();
	const words = await second.locator(".sign-in .notice").innerText();
	check("a page that has lost its storage says so, with the form", /lost what it had kept/.test(words) && await second.getByRole("button", { name: "Sign in", exact: true }).isVisible(), words);

	// Pasted where the page is open: the document stays the same.
	await second.evaluate((link) => location.assign(link), `${server.base}/hosts#token=${server.token}`);
	await second.getByText("live", { exact: true }).waitFor();
	equal("the printed link signs in where the page is open already, and its token leaves the address", second.url(), `${server.base}/hosts`);
	await page.getByText("live", { exact: true }).waitFor();
	await Promise.all([page.waitForEvent("download"), late()]);
	equal("so do other tabs, and get what they asked for meanwhile", await page.locator(".sign-in").count(), 0);

	const old = await browser.open(`${server.base}/s/${session.id}?run=1#token=${"0".repeat(48)}`);
	check("a link of before says what it is", /has expired/.test(await old.locator(".sign-in .notice").innerText()));
	await old.getByLabel("Token", { exact: true }).fill(server.token);
	await old.getByRole("button", { name: "Sign in", exact: true }).click();
	await old.getByText("live", { exact: true }).waitFor();
	equal("and leads where it was to lead, once signed in", old.url(), `${server.base}/s/${session.id}?run=1`);

	const [cookie] = await second.context().cookies(server.base);
	const proof = await second.evaluate(() => localStorage.getItem("perfolio-proof"));
	const both = { Cookie: `${cookie.name}=${cookie.value}`, "Perfolio-Proof": proof };
	equal("cookie and proof are the session", curl(`${server.base}/api/v1/me`, both), 200);
	await second.getByRole("button", { name: /Signed in as/ }).click();
	await second.getByRole("menuitem", { name: "Sign out" }).click();
	await second.getByRole("button", { name: "Sign in", exact: true }).waitFor();
	equal("signing out ends both", [curl(`${server.base}/api/v1/me`, both), await second.evaluate(() => localStorage.getItem("perfolio-proof")), (await second.context().cookies(server.base)).length], [401, null, 0]);
	await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
	check("in all tabs", true);
}

await run(async ({ server, browser }) => {
	const page = await browser.open(server.link);
	await page.getByText("live", { exact: true }).waitFor();
	equal("the link signs in and its token leaves the address", page.url(), `${server.base}/`);
	await replayed(server, page);
	await fromAnotherPage(server, page);
	browser.faults.length = 0; // what browsers say to pages of others that try
	await ways(server, browser, page);
});
