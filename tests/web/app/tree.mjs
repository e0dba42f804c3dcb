// SPDX-License-Identifier: Apache-2.0
// The call tree, the functions and what can be done with a frame: every figure is that of `perfolio query` and `report`
// of the same recording, every view is in the address, and what is saved is what is seen.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { becomes, check, downloaded, equal, EXAMPLE, PERFOLIO, run, sampleForm, until } from "./lib.mjs";
import { settled } from "./screens.mjs";

// A tree of four hundred stacks under two callers that all have, with names as C++ and Rust have them: always the same.
function madeStacks() {
	const names = ["alloc::vec::Vec<u64>::Integer_encode_all", "&alloc::string::String::get_lookup_table", "std::map<int, char>::find", "compress(void*, int)", "read", "write", "hash", "sort", "compare", "malloc", "free", "parse<a, b>"];
	const counts = new Map();
	let seed = 11;
	const random = (below) => ((seed = (seed * 1103515245 + 12345) & 0x7fffffff) >> 8) % below;
	for (let i = 0; i < 400; i++) {
		const stack = ["GraphQL", "treebuf::Response::encode_with_options", ...Array.from({ length: 1 + random(5) }, (_, depth) => names[(random(4) * (depth + 1) + random(3)) % names.length])].join(";");
		counts.set(stack, (counts.get(stack) ?? 0) + 1 + random(9000));
	}
	return [...counts].map(([stack, count]) => `${stack} ${count}`).join("\n");
}

let FOLDED = "";

function query(file, ...words) {
	const { stdout, stderr, status } = spawnSync(PERFOLIO, ["query", file, ...words], { encoding: "utf8", maxBuffer: 1 << 28 });
	if (status) throw new Error(`query ${words.join(" ")}: ${stderr}`);
	return JSON.parse(stdout);
}

async function bring(server, session, name, bytes) {
	const answer = await fetch(`${server.base}/api/v1/sessions/${session}/import?name=${name}`, { method: "POST", headers: { Authorization: `Bearer ${server.token}`, "Content-Type": "application/octet-stream" }, body: bytes });
	return (await server.ended((await answer.json()).id)).id;
}

// The rows that are there: level, name, total and self in %, samples.
const rows = (page) => page.locator(".tree-sheet [role=row]").evaluateAll((all) => all
	.sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)
	.map((one) => ({ level: Number(one.ariaLevel), name: one.dataset.function, total: one.children[0].textContent, time: one.children[1].textContent, self: one.children[2].textContent, own: one.children[3].textContent, samples: one.children[4].textContent, open: one.ariaExpanded })));
const param = (page, name) => new URL(page.url()).searchParams.get(name);
const percent = (value) => `${value.toFixed(2)} %`;
const grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

// The tree of the query as rows of that depth, the heaviest first.
function expected({ nodes }, depth) {
	const found = [];
	const walk = (at, level) => {
		const callees = nodes.map((node, index) => ({ ...node, index })).filter(({ parent }) => parent === at).sort((a, b) => b.total_samples - a.total_samples);
		for (const node of callees) {
			found.push({ level, name: node.name, total: percent(node.total_percent), self: percent(node.self_percent), samples: grouped(node.total_samples) });
			if (level < depth) walk(node.index, level + 1);
		}
	};
	walk(0, 1);
	return found;
}

const figures = ({ level, name, total, self, samples }) => ({ level, name, total, self, samples });
// Of equals the order is anybody's.
const sorted = (list) => list.map((row) => JSON.stringify(row)).sort();

async function open(page, address, ready) {
	await page.goto(address);
	await page.locator(ready).first().waitFor();
	await settled(page);
}

const MOST_OPENED = 40; // so many rows are in the page whatever is scrolled to

// Opens all rows down to a level, by keys alone.
async function openTo(page, level) {
	await page.locator(".tree-rows").focus();
	await page.keyboard.press("Home");
	for (let at = 0; at < MOST_OPENED; at++) {
		const row = page.locator(`[aria-rowindex="${at + 2}"][aria-selected=true]`);
		if ((await page.locator("[role=treegrid]").getAttribute("aria-rowcount")) <= at + 1) return;
		await row.waitFor();
		if ((await row.getAttribute("aria-level")) < level && (await row.getAttribute("aria-expanded")) === "false") {
			await page.keyboard.press("ArrowRight");
			await row.and(page.locator("[aria-expanded=true]")).waitFor();
		}
		await page.keyboard.press("ArrowDown");
	}
}

async function topDown({ server, page, folded }) {
	await open(page, `${server.base}/r/${folded}/calltree`, ".tree-sheet [role=row]");
	const first = await rows(page);
	check("it opens on the way that most samples take", first.filter(({ open }) => open === "true").length >= 2, first.slice(0, 6));
	await page.getByRole("button", { name: "Fold all" }).click();
	await becomes("Fold all leaves the outermost callers", async () => (await rows(page)).every(({ level }) => level === 1), true);
	await openTo(page, 3);
	equal("top-down, each row has the query's figures", sorted((await rows(page)).map(figures)), sorted(expected(query(FOLDED, "tree", "--depth", "3", "--limit", "100000"), 3)));
	const address = page.url();
	const other = await page.context().newPage();
	await open(other, address, ".tree-sheet [role=row]");
	equal("the address opens the same rows", (await rows(other)).map(figures), (await rows(page)).map(figures));
	await other.close();
	await page.getByRole("button", { name: "Bottom-up" }).click();
	await becomes("bottom-up stands in the address", async () => param(page, "changes"), "reverse");
	await page.getByRole("button", { name: "Fold all" }).click();
	const self = query(FOLDED, "top", "--limit", "1000").rows.filter((row) => row.self_samples > 0);
	await becomes("and its outermost rows are the functions with their self", async () => sorted((await rows(page)).slice(0, 5).map(({ name, total }) => ({ name, total }))), sorted(self.slice(0, 5).map((row) => ({ name: row.function, total: percent(row.self_percent) }))));
	await openTo(page, 2);
	equal("and their callers are the query's", sorted((await rows(page)).slice(0, 12).map(figures)).every((row) => new Set(sorted(expected(query(FOLDED, "tree", "--reverse", "--depth", "2", "--limit", "100000"), 2))).has(row)), true);
}

// Arrows, Home, End, Enter; the one that is chosen is told to who cannot see it.
async function keys({ server, page, folded }) {
	await open(page, `${server.base}/r/${folded}/calltree?open=-`, ".tree-sheet [role=row]");
	const chosen = () => page.evaluate(() => document.getElementById(document.querySelector("[role=treegrid]").getAttribute("aria-activedescendant"))?.dataset.function);
	await page.locator(".tree-rows").focus();
	await page.keyboard.press("ArrowDown");
	await becomes("an arrow chooses the first row", chosen, (await rows(page))[0].name);
	await page.keyboard.press("ArrowRight");
	await becomes("right opens it", async () => (await rows(page)).length > 1, true);
	await page.keyboard.press("ArrowRight");
	await becomes("right again goes in", chosen, (await rows(page))[1].name);
	await page.keyboard.press("ArrowLeft");
	await becomes("left comes out", chosen, (await rows(page))[0].name);
	await page.keyboard.press("Enter");
	await becomes("Enter folds", async () => (await rows(page)).length, 1);
	await page.keyboard.press("*");
	await becomes("* opens the hot path", async () => (await rows(page)).length > 3, true);
	await page.keyboard.press("End");
	await becomes("End goes to the last", chosen, (await rows(page)).at(-1).name);
}

async function searching({ server, page, folded }) {
	await open(page, `${server.base}/r/${folded}/calltree?open=-&search=get_lookup_table`, ".tree-sheet [role=row]");
	await until("the match to be shown", async () => (await page.locator(".tree-hit").count()) > 0);
	const nodes = query(FOLDED, "tree", "--limit", "100000").nodes.filter(({ name }) => name.includes("get_lookup_table"));
	equal("all frames that match are counted", (await page.locator(".flame-matched").textContent()).trim(), `matched: ${nodes.length} frames`);
	check("the heaviest of them is opened and chosen", (await page.locator(".tree-row[aria-selected=true]").getAttribute("data-function")).includes("get_lookup_table"));
}

// A tree of a hundred thousand frames: as few elements as are seen.
async function large({ server, page, session }) {
	const lines = [];
	for (let i = 0; i < 310; i++) for (let j = 0; j < 310; j++) lines.push(`root;outer${i};inner${i}x${j} ${1 + ((i * 31 + j) % 7)}`);
	const id = await bring(server, session, "large.folded", `${lines.join("\n")}\n`);
	await open(page, `${server.base}/r/${id}/calltree?open=-`, ".tree-sheet [role=row]");
	await page.locator(".tree-rows").focus();
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowRight");
	await becomes("310 callees are counted", () => page.locator("[role=treegrid]").getAttribute("aria-rowcount"), "312");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowRight");
	await becomes("310 more in one of them", () => page.locator("[role=treegrid]").getAttribute("aria-rowcount"), "622");
	check("and only those that are seen are in the page", (await page.locator(".tree-sheet [role=row]").count()) < 80);
	await page.keyboard.press("End");
	await becomes("the last of them is reached", () => page.locator(".tree-row[aria-selected=true]").getAttribute("aria-rowindex"), "622");
}

// Only stacks with something, stacks without it: of a name, of a search; here and in all other tables.
async function onlyAndWithout({ server, page, folded }) {
	const name = "alloc::vec::Vec<u64>::Integer_encode_all";
	const samples = async () => Number(/shown: ([\d,]+)/.exec(await page.locator(".flame-subtitle").textContent())?.[1].replaceAll(",", "") ?? 0);
	const flame = `${server.base}/r/${folded}/flame`;
	await open(page, `${flame}?search=Integer_encode`, ".flame-frames canvas");
	await page.getByRole("button", { name: "Only these" }).click();
	await becomes("only stacks that match: the query's samples", samples, query(FOLDED, "top", "--grep", "Integer_encode").samples);
	equal("as a change that the address has", param(page, "changes"), "keep:Integer_encode");
	check("with their callers", (await page.locator(".flame-table").textContent()).includes("Response::encode_with_options"));
	await page.getByRole("button", { name: "Undo" }).click();
	await becomes("undo brings the search back", async () => param(page, "search"), "Integer_encode");
	await page.getByRole("button", { name: "Without these" }).click();
	await becomes("without them: the query's samples", samples, query(FOLDED, "top", "--exclude", "Integer_encode").samples);
	for (const [step, option] of [["only", "--grep"], ["without", "--exclude"]]) {
		const truth = query(FOLDED, "top", option, `^\\Q${name}\\E$`, "--limit", "3");
		await open(page, `${flame}?changes=${step}:${encodeURIComponent(encodeURIComponent(name))}`, ".flame-frames canvas");
		await becomes(`${step} a function has the query's samples`, samples, truth.samples);
		await open(page, `${server.base}/r/${folded}/functions?changes=${step}:${encodeURIComponent(encodeURIComponent(name))}`, ".functions .wide tbody tr");
		equal(`${step}: the functions are of the same samples`, await page.locator(".functions .wide tbody tr").evaluateAll((all) => all.slice(0, 3).map((one) => [one.dataset.function, one.cells[0].textContent])), truth.rows.map((row) => [row.function, percent(row.self_percent)]));
	}
}

// A right click on the widest frame of a depth; the menu's words.
async function frameMenu(page, up = 30) {
	const box = await page.locator(".flame-frames").evaluate((one) => one.getBoundingClientRect().toJSON());
	await page.mouse.click(box.x + box.width * 0.4, box.bottom - up, { button: "right" });
	await page.locator(".popup").waitFor();
	return page.locator(".popup [role=menuitem] > span").allTextContents();
}

async function menus({ server, page, folded }) {
	await open(page, `${server.base}/r/${folded}/flame`, ".flame-frames canvas");
	const words = await frameMenu(page, 46);
	const name = await page.locator(".popup").getAttribute("aria-label");
	check("a right click offers what can be done with a frame", ["Zoom to it", "Focus", "Only stacks", "Remove stacks", "Hide", "Callers and callees", "Search for it", "Copy its name", "In the call tree"].every((wanted) => words.some((word) => word.startsWith(wanted))), words);
	await page.keyboard.press("Escape");
	equal("Esc closes it and changes nothing", [await page.locator(".popup").count(), param(page, "changes"), param(page, "zoom")], [0, null, null]);
	for (const [label, step] of [["Hide", "hide"], ["Only stacks that", "only"], ["Remove stacks", "without"], ["Focus", "focus"]]) {
		await open(page, `${server.base}/r/${folded}/flame`, ".flame-frames canvas");
		await frameMenu(page, 46);
		await page.locator(".popup [role=menuitem]", { hasText: new RegExp(`^${label}`) }).first().click();
		await becomes(`${label} from the menu is in the address`, async () => param(page, "changes"), `${step}:${encodeURIComponent(name)}`);
	}
	await open(page, `${server.base}/r/${folded}/flame`, ".flame-frames canvas");
	await frameMenu(page, 46);
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Home");
	await page.keyboard.press("Enter");
	await becomes("keys choose in it: zoom", async () => param(page, "zoom") !== null, true);
	await frameMenu(page, 46);
	await page.locator(".popup [role=menuitem]", { hasText: "In the call tree" }).click();
	await until("the call tree to show it", async () => (await page.locator(".tree-row[aria-selected=true]").count()) === 1);
	equal("In the call tree leads to it", await page.locator(".tree-row[aria-selected=true]").getAttribute("data-function"), name);
	await page.locator(".tree-row[aria-selected=true] .mono").click({ button: "right" });
	await page.locator(".popup [role=menuitem]", { hasText: /^Only stacks/ }).click();
	await becomes("a row of the tree has the same menu", async () => param(page, "changes"), `only:${encodeURIComponent(name)}`);
	// Tables have it too, by pointer and by keyboard.
	for (const [tab, row] of [["functions", ".functions .wide tbody tr"], ["flame", ".flame-table tbody tr"]]) {
		await open(page, `${server.base}/r/${folded}/${tab}`, row);
		const first = page.locator(row).first();
		const called = await first.getAttribute("data-function");
		await first.locator("button").click({ button: "right" });
		await page.locator(".popup").waitFor();
		equal(`${tab}: a row's menu is its function's`, await page.locator(".popup").getAttribute("aria-label"), called);
		await page.keyboard.press("Escape");
		await first.locator("button").focus();
		await page.keyboard.press("Shift+F10");
		await page.locator(".popup").waitFor();
		await page.locator(".popup [role=menuitem]", { hasText: /^Remove stacks/ }).focus();
		await page.keyboard.press("Enter");
		await becomes(`${tab}: a key opens it and another chooses`, async () => param(page, "changes"), `without:${encodeURIComponent(called)}`);
		await becomes(`${tab}: and the function is gone`, async () => (await page.locator(row).evaluateAll((all) => all.map((one) => one.dataset.function))).includes(called), false);
	}
	// Search in the functions ignores case as everywhere, until somebody cares.
	await open(page, `${server.base}/r/${folded}/functions`, ".functions .wide tbody tr");
	const found = async () => (await page.locator(".functions .wide tbody tr").evaluateAll((all) => all.map((one) => one.dataset.function))).filter((one) => one.includes("Integer_encode")).length > 0;
	await page.getByLabel("Search functions").fill("integer_e.code");
	await becomes("small letters find capitals, and it is a regular expression", found, true);
	await page.getByRole("button", { name: "Match case" }).click();
	await page.locator(".functions", { hasText: "No function matches" }).waitFor();
	check("until case is asked for, which the address has", param(page, "case") === "1");
	await page.getByLabel("Search functions").fill("Integer_encode");
	await becomes("as it is written", found, true);
}

// Sums of folded stacks; with `through`, of those that have a frame.
const sumOf = (text) => text.trim().split("\n").filter(Boolean).reduce((sum, line) => sum + Number(/ (\d+)$/.exec(line)[1]), 0);

// What is saved is what is seen: changes, zoom, and all of it the same stacks as before.
async function saving({ server, page, folded }) {
	const source = readFileSync(FOLDED, "utf8").trim().split("\n");
	const save = async (label) => {
		await page.getByRole("button", { name: /^Save this view/ }).click();
		return downloaded(page, () => page.locator(".save-view [role=menuitem]", { hasText: new RegExp(`^${label}`) }).first().click());
	};
	const flame = `${server.base}/r/${folded}/flame`;
	await open(page, flame, ".flame-frames canvas");
	equal("the whole view is the whole file", sumOf(String((await save("Folded stacks")).bytes)), sumOf(source.join("\n")));
	await open(page, `${flame}?changes=keep:Integer_encode`, ".flame-frames canvas");
	const kept = source.filter((line) => line.includes("Integer_encode")).sort();
	equal("only stacks that match are saved, whole", String((await save("Folded stacks")).bytes).trim().split("\n").sort(), kept);
	const pprof = gunzipSync((await save("pprof")).bytes);
	writeFileSync(join(server.folder, "view.pb"), pprof);
	equal("and so they are in pprof", query(join(server.folder, "view.pb"), "top").count, String(sumOf(kept.join("\n"))));
	const svg = String((await save("SVG")).bytes);
	check("a picture has them alone", svg.includes("Integer_encode_all") && !source.filter((line) => !kept.includes(line)).map((line) => line.split(";").pop().replace(/ \d+$/, "")).filter((leaf) => !kept.some((line) => line.includes(leaf))).some((leaf) => svg.includes(`>${leaf}<`)));
	await open(page, flame, ".flame-frames canvas");
	await frameMenu(page, 62);
	const name = await page.locator(".popup").getAttribute("aria-label");
	await page.locator(".popup [role=menuitem]", { hasText: "Zoom to it" }).click();
	await becomes("a frame is zoomed to", async () => param(page, "zoom") !== null, true);
	await settled(page);
	const zoomed = String((await save("Folded stacks")).bytes).trim().split("\n").sort();
	// Three rows above the foot: all, and two callers.
	const prefix = source.filter((line) => line.split(";")[2]?.replace(/ \d+$/, "") === name).sort();
	equal("a zoom saves the stacks through its frame", zoomed, prefix);
	await open(page, `${flame}?changes=reverse`, ".flame-frames canvas");
	equal("leaf first, stacks are still whole in pprof", query((writeFileSync(join(server.folder, "leaf.pb"), gunzipSync((await save("pprof")).bytes)), join(server.folder, "leaf.pb")), "tree", "--depth", "1").nodes.map((node) => node.name), query(FOLDED, "tree", "--depth", "1").nodes.map((node) => node.name));
}

// A recording with a clock: times, samples and ranges.
async function measured({ server, page, session }) {
	if (!existsSync(EXAMPLE)) return;
	const { id } = await server.measure(session, sampleForm(`${EXAMPLE} 20000000`, { rate: "997", call_graph: "fp", tool: "both" }));
	const file = join(server.folder, "measured.data");
	writeFileSync(file, Buffer.from(await (await fetch(`${server.base}/api/v1/runs/${id}/export/perf.data`, { headers: { Authorization: `Bearer ${server.token}` } })).arrayBuffer()));
	const truth = query(file, "top", "--limit", "5");
	const ms = (count) => Number(count) / 1e6;
	await open(page, `${server.base}/r/${id}/functions`, ".functions .wide tbody tr");
	const told = await page.locator(".functions .wide tbody tr").evaluateAll((all) => all.slice(0, 5).map((one) => [...one.cells].slice(0, 4).map((cell) => cell.textContent.trim())));
	const asMs = (text) => Number(/^([\d.]+) (s|ms|us|ns)/.exec(text)[1]) * { s: 1000, ms: 1, us: 1e-3, ns: 1e-6 }[/^[\d.]+ (s|ms|us|ns)/.exec(text)[1]];
	check("functions have share, time and samples, as the query has them", truth.rows.every((row, at) => told[at][0] === percent(row.self_percent) && told[at][2] === percent(row.total_percent) && told[at][1].endsWith(grouped(row.self_samples)) && told[at][3].endsWith(grouped(row.total_samples)) && Math.abs(asMs(told[at][1]) - ms(row.self_count)) <= 0.001 * ms(row.self_count) + 1e-3), { told, rows: truth.rows });
	const report = spawnSync(PERFOLIO, ["report", "-i", file, "--stdio", "--no-children", "-g", "none", "-s", "sym"], { encoding: "utf8" });
	const named = truth.rows[0].function;
	const line = report.stdout.split("\n").find((one) => one.includes(named));
	check("and as the report has it", !!line && Math.abs(parseFloat(line) - truth.rows[0].self_percent) < 0.01, { line, row: truth.rows[0], error: report.stderr });
	await open(page, `${server.base}/r/${id}/calltree`, ".tree-sheet [role=row]");
	const top = (await rows(page))[0];
	const root = query(file, "tree", "--limit", "2").nodes[1];
	check("the tree has times", top.name === root.name && top.samples === grouped(root.total_samples) && Math.abs(asMs(top.time) - ms(root.total_count)) <= 0.001 * ms(root.total_count), { top, root });

	// A range of the Time tab: exactly its samples are saved.
	const { start_ns: start, end_ns: end } = await server.get(`/runs/${id}/flame?most=1`);
	const [from, to] = [BigInt(start) + (BigInt(end) - BigInt(start)) / 4n, BigInt(start) + (BigInt(end) - BigInt(start)) / 2n];
	const wanted = (await server.get(`/runs/${id}/flame?most=1&from=${from}&to=${to}`)).samples;
	await open(page, `${server.base}/r/${id}/time?from=${from}&to=${to}`, ".flame-frames canvas");
	await page.getByRole("button", { name: /^Save this view/ }).click();
	const csv = await downloaded(page, () => page.locator(".save-view [role=menuitem]", { hasText: "CSV of samples" }).click());
	const moment = (at) => (Number(at - BigInt(start)) / 1e9).toFixed(to - from >= 1000000000n ? 1 : to - from >= 100000000n ? 2 : 3);
	equal("the file's name has the time", csv.name, `run-${id}-${moment(from)}s-${moment(to)}s.csv`);
	equal("the chosen time is what is saved", String(csv.bytes).trim().split("\n").length - 1, wanted);
	await page.getByRole("button", { name: /^Save this view/ }).click();
	const script = await downloaded(page, () => page.locator(".save-view [role=menuitem]", { hasText: "perf script" }).click());
	equal("also as text of perf script", String(script.bytes).split("\n").filter((one) => /^\S.*:\s*$/.test(one)).length, wanted);
	// The page's own downloads follow it as well.
	await page.goto(`${server.base}/r/${id}/raw?from=${from}&to=${to}`);
	await page.locator(".notice", { hasText: "only what is selected" }).waitFor();
	const raw = await downloaded(page, () => page.locator(".downloads a", { hasText: "CSV of samples" }).click());
	equal("the Raw tab downloads the chosen time", String(raw.bytes).trim().split("\n").length - 1, wanted);
	check("what is not cut says so", (await page.locator(".downloads li", { hasText: "perf.data" }).textContent()).includes("the whole recording"));
	check("but the recording whole", !(await page.locator(".downloads a", { hasText: "perf.data" }).getAttribute("href")).includes("from="));
	await page.getByRole("button", { name: "Download everything" }).click();
	await becomes("or everything", async () => (await page.locator(".downloads a").evaluateAll((all) => all.filter((one) => one.href.includes("?")).length)), 0);
	const counters = (await (await fetch(`${server.base}/api/v1/runs/${id}/export/counters.csv?from=${from}&to=${to}`, { headers: { Authorization: `Bearer ${server.token}` } })).text()).trim().split("\n").slice(1);
	check("counters too", counters.length > 0 && counters.every((one) => BigInt(one.split(",")[0]) >= from && BigInt(one.split(",")[0]) < to), counters.slice(0, 3));
}

await run(async ({ server, browser }) => {
	const session = (await server.post("/sessions", { title: "Trees" })).id;
	FOLDED = join(server.folder, "made.folded");
	writeFileSync(FOLDED, `${madeStacks()}\n`);
	const folded = await bring(server, session, "made.folded", readFileSync(FOLDED));
	const page = await browser.open(server.link);
	const world = { server, browser, page, session, folded };
	await topDown(world);
	await keys(world);
	await searching(world);
	await large(world);
	await onlyAndWithout(world);
	await menus(world);
	await saving(world);
	await measured(world);
});
