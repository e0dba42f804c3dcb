// SPDX-License-Identifier: Apache-2.0
// Files: every format is taken in, dropped and chosen; every download holds what it should; and whatever
// people type or bring is shown as text.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { becomes, check, CORPUS, downloaded, equal, functionNames, run, SHELL, until } from "./lib.mjs";
import { screens, settled } from "./screens.mjs";

const text = (bytes) => Buffer.from(bytes).toString();
const total = (folded) => text(folded).trim().split("\n").reduce((sum, line) => sum + Number(/ ([\d.]+)$/.exec(line)[1]), 0);

// Recordings of others, and what is known of each from elsewhere.
function corpusFiles() {
	const read = (path) => readFileSync(join(CORPUS, path));
	const recording = read("perfdata/quipper__perf.data.callgraph-3.8");
	const script = read("perfscript/FlameGraph/example-perf-stacks.txt.gz");
	const folded = read("folded/inferno/base__flames.txt");
	const pprof = read("pprof/parca/normalizer__profile.pb.gz");
	const blocks = text(gunzipSync(script)).match(/^\S.*:\s*$/gm).length;
	const words = text(gunzipSync(pprof));
	const zstd = spawnSync("zstd", ["-q", "-c"], { input: recording, maxBuffer: 1 << 26 });
	const samples = (wanted) => ({ samples }) => samples === wanted;
	return [
		{ name: "perf.data", bytes: recording, good: samples(1768) }, // as perf report counts them
		{ name: "perf.data.gz", bytes: gzipSync(recording), good: samples(1768) },
		...(zstd.status === 0 ? [{ name: "perf.data.zst", bytes: zstd.stdout, good: samples(1768) }] : []),
		{ name: "stacks.txt.gz", bytes: script, good: samples(blocks) },
		{ name: "stacks.txt", bytes: gunzipSync(script), good: samples(blocks) },
		{ name: "base.folded", bytes: folded, good: ({ weight }) => weight === total(folded), says: "The file does not say what was sampled" },
		{ name: "heap.pb.gz", bytes: read("pprof/parca/testdata__alloc_objects.pb.gz"), good: ({ samples }) => samples > 0, says: "Its samples are of alloc_space, not of time", counts: /^alloc_space: [\d.]+ [KMG]iB/ },
		{ name: "wall.pb.gz", bytes: read("pprof/parca/testdata__fgprof.pb.gz"), good: ({ samples }) => samples > 0, says: "Its samples are of wall-clock time" },
		{ name: "parts.folded", bytes: Buffer.from("main;fast 0.4\nmain;slow 0.45\nmain;x 3\n"), good: ({ rows }) => rows.some((row) => row.function === "x" && Math.abs(row.self_percent - 77.92) < 0.01) },
		{ name: "gone.data", bytes: read("perfdata/lnt__segments-dyn.perf_data"), good: samples(487), why: "its file is not there" },
		{ name: "cpu.pb.gz", bytes: pprof, good: ({ samples, rows }) => samples > 0 && rows.length > 3 && rows.every((row) => words.includes(row.function)) },
	];
}

async function drop(page, name, bytes) {
	const transfer = await page.evaluateHandle(([name, code]) => {
		const data = new DataTransfer();
		data.items.add(new File([Uint8Array.from(atob(code), (sign) => sign.charCodeAt(0))], name));
		return data;
	}, [name, Buffer.from(bytes).toString("base64")]);
	// Again while nobody listens: what is seen of the page comes first.
	await until("a place to drop it", async () => {
		await page.dispatchEvent("body", "dragenter", { dataTransfer: transfer });
		return page.locator(".dropzone").waitFor({ timeout: 2000 }).then(() => true, () => false);
	});
	await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
	return true;
}

const pick = (page, name, bytes) => page.locator("[data-import]").first().setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) });

// Brings a file in and waits until its run is over.
async function bring({ server, page }, where, name, bytes, dropped) {
	await page.goto(`${server.base}${where}`);
	await page.locator(".card, .empty, form.bench").first().waitFor();
	if (dropped) check(`where ${name} can be dropped is shown`, await drop(page, name, bytes));
	else await pick(page, name, bytes);
	await page.waitForURL(/\/r\/\d+/);
	return server.ended(Number(/\/r\/(\d+)/.exec(page.url())[1]));
}

async function imports(world) {
	const { server, page, session } = world;
	if (!existsSync(CORPUS)) return console.log(`# recordings of others are not here: ${CORPUS}`);
	const files = corpusFiles();
	for (const [at, { name, bytes, good, says, why, counts }] of files.entries()) {
		const wrong = [];
		for (const dropped of [true, false]) {
			const where = (at % 2 === 0) === dropped ? "/" : `/s/${session}`; // each way on both screens, by turns
			const done = await bring(world, where, name, bytes, dropped);
			const top = await server.get(`/runs/${done.id}/top?limit=1000`).catch(() => ({ rows: [] }));
			const weight = top.rows.reduce((sum, row) => sum + row.self_samples, 0);
			if (done.state !== "done" || !good({ ...top, weight })) wrong.push({ dropped, state: done.state, reason: done.reason, samples: top.samples, weight });
			if (!/\/r\/\d+$/.test(new URL(page.url()).pathname)) wrong.push({ dropped, address: page.url() });
			await page.locator("#tab-flame[aria-selected=true]").waitFor({ timeout: 60000 }).catch(async () => wrong.push({ dropped, tab: await page.locator("[role=tab][aria-selected=true]").textContent() }));
			const counted = () => page.locator(".flame-subtitle > span").first().textContent();
			if (counts) await until("what it counts", async () => counts.test(await counted()), 30000).catch(async () => wrong.push({ dropped, counted: await counted() }));
			await page.getByRole("tab", { name: "Overview" }).click();
			const told = says ? await page.locator(".sentence h2").filter({ hasText: /\S/ }).textContent() : "";
			if (says && !told.startsWith(says)) wrong.push({ dropped, told });
			// what is wrong with it is the same among the findings and under Data quality
			const places = () => page.locator(".findings li, .faults li").filter({ hasText: why }).count();
			if (why) await until("why", async () => (await places()) === 2, 30000).catch(async () => wrong.push({ dropped, told: await page.locator(".overview").innerText() }));
			await page.getByRole("tab", { name: "Functions" }).click();
			await page.locator(".functions .wide tbody tr").first().waitFor();
			const wanted = JSON.stringify(top.rows.slice(0, 100).map((row) => row.function ?? "unknown"));
			await until("its functions", async () => JSON.stringify(await functionNames(page)) === wanted, 60000).catch(async () => wrong.push({ dropped, shown: (await functionNames(page)).slice(0, 5) }));
		}
		if (name === "perf.data") {
			await page.getByRole("tab", { name: "Counters" }).click();
			equal("what was only sampled has its samples over time", await page.locator(".one-line figcaption b").textContent(), "cycles");
		}
		check(`${name}, dropped and chosen, becomes a run with what it holds`, !wrong.length, wrong);
	}
}

async function damaged(world) {
	const { server, page } = world;
	await page.goto(`${server.base}/`);
	await page.locator(".card").first().waitFor();
	const cards = (name) => page.locator(".card-title", { hasText: name }).count();
	await pick(page, "empty.data", "");
	const words = page.locator(".head .trouble");
	await words.waitFor();
	check("an empty one is refused in words, with what helps, where it was chosen", (await words.locator("p").first().textContent()).length > 10 && (await words.locator(".remedy").textContent()).length > 10, await words.textContent());
	await becomes("and leaves no session behind", () => cards("empty.data"), 0);
	const packed = gzipSync(Buffer.from(randomBytes(300000).toString("hex").replace(/../g, "main;$& 1\n")));
	await pick(page, "cut.folded.gz", packed.subarray(0, packed.length / 2));
	await becomes("what can't be read to its end is refused there too", async () => ((await words.locator("p").first().textContent().catch(() => "")) ?? "").startsWith("cut.folded.gz can't be read"), true);
	await becomes("and leaves none behind either", () => cards("cut.folded.gz"), 0);
	await refused(world);
}

// What is no profile never becomes a run, and whoever brought it stays where they are.
async function refused({ server, page, session }) {
	const place = `${server.base}/s/${session}`;
	const packed = gzipSync(Buffer.from("main;work 10\n".repeat(50000) + randomBytes(300000).toString("hex")));
	const files = [
		["wrong.bin", randomBytes(20000)],
		["notes.txt", "Some words\nand more of them.\n"],
		["broken.data", "PERFILE2 and then nothing of use"],
		["magic.data", Buffer.concat([Buffer.from("PERFILE2"), Buffer.alloc(200000, 0x5a)])],
		["cut.folded.gz", packed.subarray(0, packed.length / 2)],
	];
	for (const [name, bytes] of files) {
		await page.goto(place);
		await page.locator("form.bench").waitFor();
		const runs = (await server.get(`/runs?session=${session}`)).items.length;
		await pick(page, name, bytes);
		const said = page.locator(".head .trouble p").first();
		await said.waitFor();
		const words = await said.textContent();
		if (name === "notes.txt") equal(`${name} is refused with its first line`, words, `${name} isn't a profile we can read (perf.data, perf script, folded, pprof); line 1: Some words.`);
		else if (name === "wrong.bin") equal(`${name} is refused in plain words`, words, `${name} isn't a profile we can read (perf.data, perf script, folded, pprof)${name === "notes.txt" ? "; line 1: Some words" : ""}.`);
		else if (name === "broken.data") check("a header that can't be read is refused with the reason", words.startsWith(name), words);
		else check(`${name}: what turns out to be unreadable is refused with the reason`, words.startsWith(`${name} can't be read: `) && words.length > name.length + 25, words);
		const head = await page.locator(".head").evaluate((one) => [...one.querySelectorAll("h1, .session-actions > *, .session-actions .button")].map((part) => part.getBoundingClientRect()).filter(({ width }) => width).map(({ top, bottom }) => (top + bottom) / 2));
		check(`${name}: the header stays one row above it`, Math.max(...head) - Math.min(...head) < 12, head);
		await page.locator(".head .trouble").getByRole("button", { name: "Close" }).click();
		await becomes(`${name}: the message can be closed`, () => page.locator(".head .trouble").count(), 0);
		equal(`${name}: the session stays, without another run`, [page.url().split("?")[0], (await server.get(`/runs?session=${session}`)).items.length], [place, runs]);
	}
}

// A recording that is cut short says so wherever it is shown.
async function incomplete(world) {
	const { server, page, session } = world;
	const whole = await server.measure(session, { tool: "sample", live: false, rate: "497", call_graph: "fp", target: { ...SHELL, command: "seq 400000 | sort -r | tail -1" }, events: { sample: "cpu-clock" } });
	const answer = await fetch(`${server.base}/api/v1/runs/${whole.id}/export/perf.data`, { headers: { Authorization: `Bearer ${server.token}` } });
	const bytes = Buffer.from(await answer.arrayBuffer());
	const done = await bring(world, `/s/${session}`, "cut.data", bytes.subarray(0, Math.floor(bytes.length * 2 / 3)), false);
	check("a recording that is cut short is read as far as it goes", done.state === "done" && !!done.facts.damage, done);
	const said = page.locator(".run-head .damage");
	await said.waitFor();
	check("its page says so", (await said.textContent()).includes(done.facts.damage), await said.textContent());
	await page.goto(`${server.base}/s/${session}?run=${done.id}`);
	const badge = page.locator(`[data-run="${done.id}"] .state`);
	await badge.waitFor();
	equal("and so does its row", [await badge.textContent(), await badge.getAttribute("class")], ["incomplete", "state warn"]);
}

// Case is ignored where nobody cares for it: on the page, in the API, and in what is downloaded.
async function searches(world) {
	const { server, page, session, browser } = world;
	const done = await bring(world, `/s/${session}`, "case.folded", "main;Sort;swap 3\nmain;other 1\n", false);
	const find = page.getByLabel("Search functions by regular expression");
	const matched = (words) => becomes(`matched: ${words}`, () => page.locator(".flame-matched").textContent(), `matched: ${words} %`);
	await find.fill("sort");
	await matched("75.00");
	await page.getByRole("button", { name: "Match case" }).click();
	await matched("0.00");
	check("the switch is in the address", page.url().includes("case=1"), page.url());
	await find.fill("Sort");
	await matched("75.00");
	await page.getByRole("button", { name: "Match case" }).click();
	await find.fill("SORT");
	await matched("0.00");
	await find.fill("");
	const count = async (search) => (await server.get(`/runs/${done.id}/flame?search=${encodeURIComponent(search)}`)).matched_count;
	equal("the API does the same", [await count("sort"), await count("Sort"), await count("SORT"), await count("(?-i)sort"), await count("\\Sort")], ["3", "3", "0", "0", "3"]);

	// What was chosen is chosen again when a change is undone.
	await page.locator(".flame-table, table").getByText("Sort", { exact: true }).first().click();
	await becomes("a function is chosen", () => page.locator(".flame-chosen .flame-name").textContent(), "Sort");
	await page.getByRole("button", { name: "Hide", exact: true }).click();
	await page.getByRole("group", { name: "Changes to the graph" }).waitFor();
	await page.locator(".flame-bar").getByRole("button", { name: "Undo", exact: true }).click();
	await becomes("and again after undo", () => page.locator(".flame-chosen .flame-name").textContent().catch(() => ""), "Sort");

	for (const format of ["html", "svg"]) {
		const text = await server.get(`/runs/${done.id}/export/${format}`);
		const path = join(server.folder, `case.${format}`);
		writeFileSync(path, text);
		const file = await browser.tab(await browser.person(), `file://${path}`);
		const words = () => file.evaluate(() => [...document.querySelectorAll("#matched, #head text")].map((one) => one.textContent).find((one) => one.startsWith("matched")));
		await file.locator("input[type=search]").fill("sort");
		await becomes(`${format}: case is ignored`, words, "matched: 75.00 %");
		await file.locator("#exact, [role=button][aria-label='match case']").click();
		await becomes(`${format}: until it is asked for`, words, "matched: 0.00 %");
		await file.close();
	}
}

const HOLDS = {
	"perf.data": ({ bytes }) => text(bytes.subarray(0, 8)) === "PERFILE2",
	"counters.csv": ({ bytes }) => /task-clock/.test(text(bytes)) && text(bytes).trim().split("\n").length > 3,
	csv: ({ bytes, samples }) => text(bytes).trim().split("\n").length === samples + 1,
	svg: ({ bytes }) => /<svg[\s>]/.test(text(bytes)) && /<title>/.test(text(bytes)),
	html: ({ bytes }) => /^<!doctype html>/i.test(text(bytes)),
	script: ({ bytes, samples }) => text(bytes).match(/ \d+\.\d+: +\d+ cpu-clock/g)?.length === samples,
	folded: ({ bytes, name }) => text(bytes).includes(`${name};`) && text(bytes).trim().split("\n").every((line) => / \d+$/.test(line)),
	json: ({ bytes }) => JSON.parse(text(bytes)).children.length > 0,
	pprof: ({ bytes, name }) => text(gunzipSync(bytes)).includes(name),
	speedscope: ({ bytes, hottest }) => JSON.parse(text(bytes)).shared.frames.some((frame) => frame.name === hottest),
	firefox: ({ bytes, samples }) => JSON.parse(text(bytes)).threads.reduce((sum, one) => sum + (one.samples.length ?? one.samples.stack.length), 0) === samples,
	hdf5: ({ bytes, samples, folder }) => hdf5(bytes, folder, samples),
};

// Opened by the library that everybody else uses, where that is installed.
function hdf5(bytes, folder, samples) {
	if (bytes.subarray(1, 4).toString() !== "HDF") return false;
	const path = join(folder, "run.h5");
	writeFileSync(path, bytes);
	const script = "import h5py,sys\nf=h5py.File(sys.argv[1])\nout=[]\nf.visititems(lambda n,o: out.append(o.shape[0]) if isinstance(o,h5py.Dataset) and o.shape and 'samples' in n else None)\nprint(max(out))";
	const read = spawnSync("/usr/bin/python3", ["-c", script, path], { encoding: "utf8" });
	return /No module named/.test(read.stderr) || Number(read.stdout) === samples;
}

async function downloads({ server, page, session }) {
	const name = "sort"; // of the process that works most
	const done = await server.measure(session, { tool: "both", live: false, rate: "497", call_graph: "fp", interval_ms: 50, target: { ...SHELL, command: `seq 400000 | ${name} -r | tail -1` }, events: { count: "task-clock,page-faults", sample: "cpu-clock" } });
	const { samples } = await server.get(`/runs/${done.id}/summary`);
	const hottest = (await server.get(`/runs/${done.id}/top?limit=1`)).rows[0].function;
	check("the run to download has samples", samples > 20, samples);
	await page.goto(`${server.base}/s/${session}?run=${done.id}`);
	const row = page.locator(`[data-run="${done.id}"]`);
	const menu = row.getByRole("button", { name: /^Download/ });
	await menu.click();
	const formats = await page.getByRole("menuitem").evaluateAll((all) => all.map((one) => one.getAttribute("href").split("/").pop()));
	equal("the menu has every format", [...formats].sort(), Object.keys(HOLDS).sort());
	await page.keyboard.press("Escape");
	for (const format of formats) {
		await menu.click();
		const file = await downloaded(page, () => page.locator(`[role=menuitem][href$="/export/${format}"]`).click());
		const good = await Promise.resolve({ bytes: file.bytes, samples, name, hottest, folder: server.folder }).then(HOLDS[format]).catch(() => false);
		check(`${format} comes from the menu, and holds the run`, good && file.name.includes(String(done.id)), `${file.name}: ${file.bytes.length} bytes, ${samples} samples: ${text(file.bytes.subarray(0, 300))}`);
	}
	const whole = await downloaded(page, () => page.getByRole("link", { name: "Download HDF5" }).click());
	equal("the session as one HDF5 file", whole.bytes.subarray(1, 4).toString(), "HDF");
	await page.goto(`${server.base}/r/${done.id}/raw`);
	await page.locator(".downloads a").first().waitFor();
	equal("the Raw tab offers the same", await page.locator(".downloads a").evaluateAll((all) => all.map((one) => one.getAttribute("href").split("/").pop())), formats);
	return done.id;
}

const EVIL = "<img src=x onerror=hurt()><b>bold</b>";

// Text of people in every place that takes some, on every screen that could show it.
async function asText({ server, browser }) {
	const person = await browser.person();
	let hurt = 0;
	await person.exposeFunction("hurt", () => hurt++);
	const page = await browser.tab(person, server.link);
	const wrong = [];
	const look = async (where, shown) => {
		await settled(page);
		if (shown) await page.getByText(EVIL, { exact: false }).first().waitFor({ state: "attached" }).catch(() => wrong.push(`${where}: the text is not shown`));
		const made = await page.evaluate(() => document.querySelectorAll("img[src=x], b").length ? [...document.querySelectorAll("img[src=x], b")].filter((one) => one.textContent === "bold" || one.matches("img[src=x]")).length : 0);
		if (made) wrong.push(`${where}: it became markup`);
	};
	const session = (await server.post("/sessions", { title: `t ${EVIL}`, notes: `n ${EVIL}`, tags: [`g ${EVIL}`] })).id;
	const done = await server.measure(session, {
		tool: "both", live: false, rate: "997", environment: `A='${EVIL}'`, notes: `rn ${EVIL}`, tags: [`rt ${EVIL}`], interval_ms: 50, events: { count: "task-clock" },
		target: { ...SHELL, command: `echo '${EVIL}'; echo '${EVIL}' >&2; seq 200000 | sort -r | tail -1 # ${EVIL}` },
	});
	equal("a run full of markup is measured", done.state, "done");
	for (const [name, address] of Object.entries(screens({ session, run: done.id }, EVIL))) {
		await page.goto(server.base + address);
		if (!address.includes("undefined")) await look(name, !["machines", "missing"].includes(name));
	}
	await page.goto(`${server.base}/s/${session}?run=${done.id}`);
	await page.locator(`[data-run="${done.id}"]`).getByRole("button", { name: "Use settings" }).click();
	await page.getByRole("radio", { name: "Count", exact: true }).click();
	await page.getByLabel("Events to count: expression").fill(EVIL);
	await page.locator(".expression p.bad").waitFor();
	await page.getByLabel("Search: Events to count").fill(EVIL);
	await look("event expression", true);
	await page.locator(`[data-run="${done.id}"]`).getByRole("button", { name: /^Remove/ }).click();
	await page.getByRole("button", { name: "Undo" }).hover(); // the note stays as long
	await look("note of a removal", true);
	await page.getByRole("button", { name: "Undo" }).click();

	// A process, a file name and functions that are named so.
	const named = spawn("bash", ["-c", 'exec -a "$0" sleep 600', `${EVIL}perfolio-named`], { stdio: "ignore" });
	try {
		await page.getByRole("radio", { name: "Process", exact: true }).click();
		await page.getByLabel("Search running processes").fill("perfolio-named");
		await page.locator(".processes li", { hasText: "perfolio-named" }).first().waitFor();
		await look("processes", true);
	} finally {
		named.kill("SIGKILL");
	}
	const brought = await bring({ server, page }, `/s/${session}`, `f ${EVIL}.folded`, `main ${EVIL};work ${EVIL} 30\nmain ${EVIL};parse 10\n`, false);
	for (const tab of ["overview", "flame", "functions", "raw", "time"]) {
		await page.goto(`${server.base}/r/${brought.id}/${tab}?function=${encodeURIComponent(`work ${EVIL}`)}&search=work`);
		await look(`imported, ${tab}`, true);
		const canvas = page.locator(".flame-frames").first();
		if (tab === "flame" && (await canvas.count())) {
			await canvas.hover({ position: { x: 200, y: 40 } });
			await look("card of a frame", true);
		}
	}
	await page.goto(`${server.base}/s/${session}?run=${brought.id}`);
	const actions = page.locator(`[data-run="${brought.id}"] .history-actions`);
	await actions.getByRole("button", { name: "Link" }).waitFor();
	equal("an import has no form to put back or to run again", [await actions.getByRole("button", { name: "Use settings" }).count(), await actions.getByRole("button", { name: "Again" }).count()], [0, 0]);
	check("whatever is typed or brought in is shown as text, everywhere", !wrong.length, wrong);
	equal("and nothing of it runs", hurt, 0);
	await person.close();
}

await run(async ({ server, browser }) => {
	const page = await browser.open(server.link);
	const session = (await server.post("/sessions", { title: "Files" })).id;
	const world = { server, browser, page, session };
	await Promise.all([imports(world).then(() => damaged(world)).then(() => incomplete(world)).then(() => searches(world)), asText(world)]);
	await downloads(world);
});
