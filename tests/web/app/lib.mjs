// SPDX-License-Identifier: Apache-2.0
// The page in a real browser against a real server: what the tests of this folder share.
//
//	await run(async ({ server, browser }) => {
//		const page = await browser.open(server.link);
//		await check("there is a title", (await page.title()) === "perfolio");
//	});
//
// Skipped where the page's packages (tools/page.sh) or Chromium are not installed.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../..");
export const PERFOLIO = process.env.PERFOLIO ?? join(ROOT, "build/perfolio");
export const CORPUS = process.env.PERFOLIO_CORPUS ?? join(ROOT, "../shared/corpus");
const CHROMIUM = "/usr/bin/chromium";
const require = createRequire(join(ROOT, "web/app/package.json"));
export const LONG = process.env.PERFOLIO_LONG === "1";

let count = 0;
let failed = 0;

export function check(name, good, why = "") {
	count++;
	if (!good) failed++;
	console.log(`${good ? "ok" : "not ok"} ${count} - ${name}`);
	if (!good && why !== "") console.log(`# ${String(typeof why === "string" ? why : JSON.stringify(why)).slice(0, 1500).replace(/\n/g, "\n# ")}`);
	return good;
}

export function equal(name, got, wanted) {
	return check(name, JSON.stringify(got) === JSON.stringify(wanted), `got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`);
}

// Of what takes a moment, on a machine that has other things to do.
const PATIENCE_MS = 180000;

export async function until(what, ask, ms = PATIENCE_MS) {
	const end = Date.now() + ms;
	for (;;) {
		const found = await ask();
		if (found) return found;
		if (Date.now() > end) throw new Error(`waited ${ms} ms for: ${what}`);
		await new Promise((done) => setTimeout(done, 50));
	}
}

// As equal(), of something that may need a moment to become so.
export async function becomes(name, ask, wanted) {
	let got;
	await until(name, async () => JSON.stringify((got = await ask())) === JSON.stringify(wanted), 60000).catch(() => {});
	return equal(name, got, wanted);
}

// A program that goes on until the test has seen enough of it, however long that takes.
export function endless(server, name, work = ":") {
	const path = join(server.folder, name);
	return { command: `until [ -e ${path} ]; do ${work}; done`, enough: () => writeFileSync(path, "") };
}

// `perfolio serve` on a port and a data folder of its own.
export class Server {
	constructor() {
		this.folder = mkdtempSync(join(tmpdir(), "perfolio-app-"));
		chmodSync(this.folder, 0o711);
		this.folders = [this.folder]; // removed at the end
	}

	// Again after end(): on the same port, which may be somebody else's for a moment, with the same data.
	async start(...options) {
		for (let tries = this.base ? 60 : 1; ; tries--)
			try {
				return await this.startOnce(options);
			} catch (reason) {
				if (tries <= 1) throw reason;
				await new Promise((done) => setTimeout(done, 1000));
			}
	}

	startOnce(options) {
		this.process = spawn(PERFOLIO, ["serve", "--listen", this.base?.replace("http://", "") ?? "127.0.0.1:0", "--data", join(this.folder, "data"), ...options], { stdio: ["ignore", "pipe", "pipe"] });
		this.words = "";
		this.process.stderr.on("data", (data) => (this.words += data));
		return new Promise((done, fail) => {
			let text = "";
			this.process.stdout.on("data", (data) => {
				text += data;
				const found = /(https?:\/\/\S+?)\/#token=(\S+)/.exec(text);
				if (!found) return;
				[this.link, this.base, this.token] = found;
				done(this);
			});
			this.process.on("exit", () => fail(new Error(`the server ended: ${this.words}`)));
		});
	}

	async api(method, path, body) {
		const answer = await fetch(`${this.base}/api/v1${path}`, {
			method,
			headers: { Authorization: `Bearer ${this.token}`, ...(body ? { "Content-Type": "application/json" } : {}) },
			body: body ? JSON.stringify(body) : undefined,
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
		return text && answer.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text;
	}

	get = (path) => this.api("GET", path);
	post = (path, body) => this.api("POST", path, body ?? {});

	// A run of a form, ended; gives the run.
	async measure(session, form) {
		const made = await this.post(`/sessions/${session}/runs`, form);
		return this.ended(made.items[0].id);
	}

	ended(run) {
		return until(`run ${run} to end`, async () => {
			const now = await this.get(`/runs/${run}`);
			return ["done", "failed", "cancelled"].includes(now.state) && now;
		}, LONG ? 300000 : PATIENCE_MS);
	}

	async end() {
		if (!this.process || this.process.exitCode !== null) return;
		this.process.removeAllListeners("exit");
		const gone = new Promise((done) => this.process.on("exit", done));
		this.process.kill("SIGTERM");
		await Promise.race([gone, new Promise((done) => setTimeout(done, PATIENCE_MS).unref())]);
		if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill("SIGKILL");
	}

	async stop() {
		await this.end();
		for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
	}
}

export const SHELL = { kind: "command", shell: true, who: "", children: true };
// A program whose functions have names: the repository's own, a few seconds of work on several threads.
export const EXAMPLE = join(dirname(PERFOLIO), "examples/wordfreq");
// Something that computes for about `seconds`.
export const busy = (seconds) => `timeout ${seconds} sh -c 'while :; do :; done'; true`;

export function sampleForm(command, more = {}) {
	return { tool: "sample", live: true, target: { ...SHELL, command }, rate: "497", call_graph: "fp", ...more };
}

export class Browser {
	async start() {
		const { chromium } = require("playwright-core");
		this.chromium = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"], timeout: PATIENCE_MS });
		this.faults = [];
		this.contexts = [];
		this.pages = new Set();
		return this;
	}

	// A person of their own: no cookies of the others.
	async person(options = {}) {
		const context = await this.chromium.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true, ...options });
		context.setDefaultTimeout(PATIENCE_MS);
		context.on("page", (page) => this.watch(context, page));
		this.contexts.push(context);
		return context;
	}

	async open(link, options = {}) {
		return this.tab(await this.person(options), link);
	}

	async tab(context, link) {
		const page = await context.newPage();
		await this.slow(context, page);
		await page.goto(link);
		// the page signs in by itself, or says why not
		if (link.includes("#token=")) await page.waitForFunction(() => localStorage.getItem("perfolio-proof") || document.querySelector(".sign-in"));
		await page.bringToFront(); // keys go to the tab in front
		return page;
	}

	// Nothing may go wrong unseen: scripts that fail, and what the Content-Security-Policy forbids.
	watch(context, page) {
		this.pages.add(page);
		page.on("close", () => this.pages.delete(page));
		page.on("pageerror", (error) => this.faults.push(`${page.url()}: ${error.stack ?? error}`));
		page.on("console", (line) => ["error", "warning"].includes(line.type()) && !/status of (4|5)\d\d|ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|net::ERR/.test(line.text()) && this.faults.push(`${page.url()}: ${line.text()}`));
	}

	// PERFOLIO_SLOW=6: as if the CPU were that much slower.
	async slow(context, page) {
		const rate = Number(process.env.PERFOLIO_SLOW ?? 1);
		if (rate > 1) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate });
	}

	// What could be seen when something went wrong: pictures beside the logs of `meson test`, and words for the log.
	async tell() {
		const folder = join(dirname(PERFOLIO), "meson-logs");
		let at = 0;
		for (const page of this.pages) {
			const file = join(existsSync(folder) ? folder : tmpdir(), `app-${basename(process.argv[1], ".mjs")}-${process.pid}-${++at}.png`);
			const words = await page.evaluate(() => document.body.innerText).catch(String);
			console.log(`# ${page.url()}: ${words.replace(/\s+/g, " ").slice(0, 300)}`);
			await page.screenshot({ path: file, timeout: 20000 }).then(() => console.log(`# a picture of it: ${file}`), () => {});
		}
		if (this.faults.length) console.log(`# the page said: ${this.faults.join("\n").slice(0, 1000).replace(/\n/g, "\n# ")}`);
	}

	async stop() {
		await this.chromium?.close();
	}
}

// Whole names of the functions in the table, however they are shortened there.
export const functionNames = (page) => page.locator(".functions .wide tbody tr").evaluateAll((all) => all.map((one) => one.dataset.function));

// Opens all that is folded in the form.
export const unfold = (page) => page.locator("form.bench details.fold").evaluateAll((all) => all.forEach((one) => one.open || one.querySelector("summary").click()));

// Presses Start; the runs that were queued.
export async function start(page) {
	const made = page.waitForResponse((answer) => answer.request().method() === "POST" && /\/sessions\/\d+\/runs$/.test(answer.url()));
	await page.getByRole("button", { name: /^Start( \d+ runs)?$/ }).click();
	const { items } = await (await made).json();
	await page.waitForURL(new RegExp(`run=${items[0].id}`));
	return items;
}

// The file that an action hands out, whole.
export async function downloaded(page, action) {
	const [file] = await Promise.all([page.waitForEvent("download"), action()]);
	return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

// Gathers what moves without a hand having moved it, from the beginning of each page of the context.
export async function watchShifts(context) {
	await context.addInitScript(() => {
		const place = (node) => (node instanceof Element ? node : node?.parentElement)?.closest("[class], [id]")?.cloneNode().outerHTML ?? "?";
		globalThis.shifts = [];
		new PerformanceObserver((list) => {
			for (const one of list.getEntries())
				if (!one.hadRecentInput) globalThis.shifts.push({ value: one.value, at: Math.round(one.startTime), what: one.sources.map(({ node, previousRect: a, currentRect: b }) => `${place(node).slice(0, 120)} ${a.x},${a.y} ${a.width}x${a.height} to ${b.x},${b.y} ${b.width}x${b.height}`) });
		}).observe({ type: "layout-shift", buffered: true });
	});
}

// Nothing may have moved worth speaking of since the page was loaded.
export async function checkShifts(name, page, most = 0.02) {
	const shifts = await page.evaluate(() => globalThis.shifts);
	const sum = shifts.reduce((all, one) => all + one.value, 0);
	return check(name, sum < most, { sum, shifts: shifts.sort((a, b) => b.value - a.value) });
}

export function axeSource() {
	return require.resolve("axe-core/axe.min.js");
}

function missing() {
	if (!existsSync(join(ROOT, "web/app/node_modules/playwright-core"))) return "the page's packages are not installed (tools/page.sh)";
	if (!existsSync(CHROMIUM)) return "there is no Chromium";
	if (spawnSync(PERFOLIO, ["--version"]).status !== 0) return `${PERFOLIO} does not run`;
	return "";
}

export async function run(body, ...options) {
	const why = missing();
	if (why) {
		console.log(`1..0 # SKIP ${why}`);
		return;
	}
	const server = new Server();
	const browser = new Browser();
	try {
		await server.start(...options);
		await browser.start();
		await body({ server, browser });
		check("nothing went wrong in the page", browser.faults.length === 0, browser.faults.join("\n"));
	} catch (reason) {
		check("the test went through", false, `${reason.stack ?? reason}\nserver: ${(server.words ?? "").slice(-600)}`);
		if (browser.pages) await browser.tell();
	} finally {
		await browser.stop();
		await server.stop();
	}
	console.log(`1..${count}`);
	process.exitCode = failed ? 1 : 0;
}
