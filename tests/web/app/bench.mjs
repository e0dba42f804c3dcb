// SPDX-License-Identifier: Apache-2.0
// The form of the bench: events, the plan, the command lines, every field.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { becomes, check, equal, PERFOLIO, run, SHELL, start, unfold, until } from "./lib.mjs";

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
	check("and how it is encoded", (await page.locator(".picker .description").textContent()).includes(`type ${known.type}, config ${known.config}`) && known.config === "0x2", known);
	await row.getByRole("checkbox").focus();
	check("the same by keyboard", (await page.locator(".picker .description").textContent()).includes(known.description));
	await row.getByRole("checkbox").check();
	await until("the plan", async () => (await page.locator(".plan").textContent()).includes("No hardware counter needed"));
	check("the plan tells which counters it takes, before a command is there", true);
	equal("ticking puts it into the expression", await page.getByLabel("Events to count: expression").inputValue(), "page-faults");
	await page.locator("#command").fill("true");
	await page.locator(".plan .expected, .plan p").first().waitFor();
	await page.getByLabel("Events to count: expression").fill("page-faults,no-such-event");
	await until("the check", async () => (await page.locator(".expression p.bad").count()) > 0);
	const said = await page.locator(".expression p[role=status]").textContent();
	check("a wrong expression is told as it is typed", said.includes("no-such-event"), said);
	const marked = (await page.locator(".expression .marked").textContent()).split("\n");
	equal("with a mark below what is wrong", [marked[0], marked[1]], ["page-faults,no-such-event", `${" ".repeat("page-faults,".length)}^${"~".repeat("no-such-event".length - 1)}`]);
	check("and it can't be started", await page.getByRole("button", { name: "Start", exact: true }).isDisabled());
	await page.getByLabel("Events to count: expression").fill("page-faults,context-switches:u");
	await until("the check", async () => (await page.locator(".expression p[role=status]").textContent()).includes("available on this host"));
	check("a good one too", true);
	await until("Start", () => page.getByRole("button", { name: "Start", exact: true }).isEnabled());
	await page.getByLabel("Search: Events to count").fill("");
	await page.getByLabel("Group of events").selectOption("hw");
	await until("the group", async () => (await list.locator("li .mono").allTextContents()).some((name) => name === "instructions"));
	const all = (await server.get("/events?group=hw")).items;
	const missing = all.filter((event) => event.openable === false);
	equal("what can't be measured is marked", await list.locator("li.missing").count(), missing.length);
	if (missing.length) check("with the reason", (await list.locator("li.missing").first().getAttribute("title")).includes(missing[0].why.slice(0, 40)));
	await sharing({ server, page });
	for (const group of ["sw", "tracepoint"]) {
		await page.getByLabel("Group of events").selectOption(group);
		const wanted = (await server.get(`/events?group=${group}&limit=200`)).items.map((event) => event.name).sort();
		await until(`group ${group}`, async () => JSON.stringify((await list.locator("li .mono").allTextContents()).sort()) === JSON.stringify(wanted));
		check(`group ${group} has its events, all of them`, wanted.length > 5 || group === "tracepoint", wanted.length);
	}
	await page.getByLabel("Group of events").selectOption("");
}

// Of a tracepoint every event is taken, unless somebody asks for fewer; the command line says the same.
async function tracepoints({ server, page, session }) {
	const name = (await server.get("/events?group=tracepoint&search=raw_syscalls:sys_enter")).items.find((event) => event.name === "raw_syscalls:sys_enter" && event.openable !== false);
	if (!name) return console.log("# no tracepoints here");
	await page.goto(`${server.base}/s/${session}`);
	await page.getByRole("radio", { name: "Sample", exact: true }).click();
	await page.locator("#command").fill("true");
	await unfold(page);
	const line = async (part) => until(part, async () => (await page.locator(".plan").textContent()).includes(part));
	await line("-F 99");
	await page.getByLabel("Events to sample: expression").fill("raw_syscalls:sys_enter");
	const ways = page.getByRole("radiogroup", { name: "Which events to sample" });
	await ways.waitFor();
	equal("of a tracepoint every event is taken at first", await ways.locator("[aria-checked=true]").textContent(), "Every event");
	await line("-c 1 ");
	check("the command line follows", !(await page.locator(".plan").textContent()).includes("-F 99"));
	await ways.getByRole("radio", { name: "One in N" }).click();
	await page.getByLabel("One in", { exact: false }).last().fill("250");
	await line("-c 250 ");
	await ways.getByRole("radio", { name: "Rate" }).click();
	await line("-F 99");
	check("a rate is said to be an estimate", (await page.locator("form.bench .warn").allTextContents()).some((text) => text.includes("can be far off")));
	await ways.getByRole("radio", { name: "Every event" }).click();
	await page.getByLabel("Events to sample: expression").fill("");
	await until("the rate", async () => (await page.getByLabel("Rate", { exact: false }).first().inputValue()) === "99");
	check("other events have their rate again", true);
}

// Processes by their numbers, not as text, with what they use.
async function processes({ server, page, session }) {
	await page.goto(`${server.base}/s/${session}`);
	await page.getByRole("radio", { name: "Process", exact: true }).click();
	const rows = page.locator(".processes li");
	await rows.first().waitFor();
	const pids = (await page.locator(".processes .pid").allTextContents()).map(Number);
	equal("processes are listed by their numbers", pids, [...pids].sort((a, b) => a - b));
	check("some have fewer digits than others", new Set(pids.map((pid) => String(pid).length)).size > 1, pids);
	const shares = await page.locator(".processes .cpu").allTextContents();
	check("each with its share of a CPU", shares.length === pids.length && shares.every((text) => /^\d+(\.\d)? %$/.test(text)), shares);
	await page.getByRole("radio", { name: "By CPU %" }).click();
	await until("the order", async () => {
		const now = (await page.locator(".processes .cpu").allTextContents()).map(parseFloat);
		return JSON.stringify(now) === JSON.stringify([...now].sort((a, b) => b - a));
	});
	check("or by what they use", true);
	await page.getByRole("radio", { name: "Command", exact: true }).click();
}

// More events than counters: what the plan says is what the server foretells.
async function sharing({ server, page }) {
	const events = "cycles,instructions,branches,branch-misses,cache-references,cache-misses,LLC-loads,dTLB-loads";
	await page.getByLabel("Events to count: expression").fill(events);
	const { counters } = await server.post("/plan", { tool: "count", events: { count: events }, target: { kind: "command", command: "true" } });
	const sharing = counters.events.filter((event) => event.shares).length;
	const missing = counters.events.filter((event) => event.need === "unavailable");
	const names = missing.map((event) => event.name).join(", ");
	const first = missing.length ? `${names} can't be measured here (${/^[^:;]+/.exec(missing[0].why)[0]})` : "available on this host";
	await until("the check of many", async () => (await page.locator(".expression p[role=status]").textContent()) === first);
	equal("what can't be measured is told where it was typed, with the whole reason at hand", await page.locator(".expression p[role=status]").getAttribute("title"), missing[0]?.why ?? null);
	const last = missing.length ? missing.at(-1).name : `${counters.needed} events need a hardware counter`;
	await until("the plan of many", async () => (await page.locator(".plan").textContent()).includes(last));
	const words = await page.locator(".plan").textContent();
	equal("the plan says how many counters are needed", /(\d+) events? needs? a hardware counter/.exec(words)?.[1] ?? "0", String(counters.needed));
	equal("multiplexing is foretold where there is some", /would share a counter/.test(words), sharing > 0 || counters.passes > 1);
}

async function plan({ server, page, session }) {
	await page.goto(`${server.base}/s/${session}`);
	await page.getByRole("radio", { name: "Sample", exact: true }).click();
	await page.locator("#command").fill("seq 10");
	await page.getByLabel("Time limit").fill("10");
	const grouped = (value) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
	for (const rate of ["49", "99", "497"]) {
		await page.getByRole("button", { name: `${rate} Hz` }).click();
		const { expected } = await server.post("/plan", { tool: "sample", rate, call_graph: "fp", limit_s: 10, target: { kind: "command", command: "seq 10" } });
		await until(`the plan of ${rate} Hz`, async () => (await page.locator(".expected").textContent().catch(() => "")).includes(`at most ${grouped(expected.samples)}`));
		const words = await page.locator(".expected").textContent();
		check(`${rate} Hz: samples, size and overhead are foretold as bounds`, expected.samples >= rate * 10 && /size ?at most \d/.test(words) && (expected.overhead === null || /overhead/.test(words)), { words, expected });
	}
}

// The lines that can be copied are run in a shell: each does what the form would.
async function commandLines({ server, browser, session }) {
	const person = await browser.person({ permissions: ["clipboard-read", "clipboard-write"] });
	const page = await browser.tab(person, server.link);
	await page.goto(`${server.base}/s/${session}`);
	await page.getByRole("radio", { name: "Both", exact: true }).click();
	await page.locator("#command").fill("sh -c 'echo \"n is $COUNT in $PWD\"; seq 50000 | sort >/dev/null'");
	await unfold(page);
	await page.getByLabel("Environment").fill("COUNT='7 x'");
	const folder = join(server.folder, "a folder");
	mkdirSync(folder);
	await page.getByLabel("Folder").fill(folder);
	await page.getByLabel("Pin to CPUs").fill("0");
	await page.getByLabel("Time limit").fill("20");
	await page.getByLabel("Options for record").fill("-m 64");
	await page.locator(".plan summary").click();
	const lines = [];
	await until("the lines", async () => (await page.locator(".plan .copyline", { hasText: "-m 64" }).count()) === 2);
	for (const line of await page.locator(".plan .copyline", { hasNotText: "workload" }).all()) {
		await Promise.all([line.getByRole("button", { name: /Copy/ }).getByText("Copied").waitFor(), line.getByRole("button").click()]); // it says so for a moment
		lines.push(await page.evaluate(() => navigator.clipboard.readText()));
	}
	equal("a line of perfolio and one of perf for each tool", lines.map((line) => /&& COUNT='7 x' (perf(?:olio)? \w+) /.exec(line)?.[1]), ["perfolio stat", "perfolio record", "perf stat", "perf record"]);
	const env = { ...process.env, PATH: `${dirname(PERFOLIO)}${delimiter}${process.env.PATH}` };
	for (const line of lines) {
		// Two profilers that sample at once disturb each other, and other tests may be recording: perf only reads its options.
		const dry = line.includes("perf record");
		const done = spawnSync("sh", ["-c", dry ? line.replace("perf record", "perf record --dry-run") : line], { encoding: "utf8", env, timeout: 180000 });
		const skipped = / perf /.test(line) && /not found/.test(done.stderr);
		check(`it works in a shell: ${line.split(" -- ")[0].split("' ").pop()}`, skipped || (done.status === 0 && (dry || done.stdout.includes(`n is 7 x in ${folder}`))), { line, status: done.status, out: done.stdout, err: done.stderr });
	}
	check("and recorded", existsSync(join(folder, "perf.data")));
	await person.close();
}

// What the server was told not to do is not offered, and why is said.
async function denied({ server, page, session }) {
	await page.goto(`${server.base}/s/${session}`);
	await page.getByText("(--deny host)").waitFor();
	equal("what is not allowed is not offered, and why is said", await page.getByRole("radio", { name: "Whole host", exact: true }).count(), 0);
}

// Everything that can be filled in, as it stands in the form now.
const filledIn = (page) => page.locator("form.bench").evaluate((form) => {
	const name = (one) => one.getAttribute("aria-label") ?? one.closest("label")?.querySelector("span")?.firstChild?.textContent ?? one.closest("label")?.textContent ?? "";
	const fields = [...form.querySelectorAll("input:not([type=search]):not(.events input), textarea, select:not([aria-label='Group of events'])")].filter((one) => !one.closest(".events"));
	const values = fields.map((one) => [name(one).trim(), one.type === "checkbox" ? one.checked : one.value]);
	const chosen = [...form.querySelectorAll("[role=radio][aria-checked=true]")].map((one) => [one.closest("[role=radiogroup]").getAttribute("aria-label"), one.textContent]);
	return Object.fromEntries([...chosen, ...values]);
});

// What only a shell can do: said once, and a click away.
async function shellWanted({ server, page, session }) {
	await page.goto(`${server.base}/s/${session}`);
	await page.locator("#command").fill("seq 3 | wc -l");
	await page.keyboard.press("Enter");
	const offer = page.getByRole("button", { name: "Run it in a shell" });
	await offer.waitFor();
	equal("a pipe without a shell is refused, once", await page.locator(".bench .trouble", { hasText: "means something to a shell only" }).count(), 1);
	await offer.click();
	await page.locator(".plan .expected").waitFor();
	equal("a click lets a shell run it, and nothing is left of the refusal", [await page.getByLabel(/Run in a shell/).isChecked(), await page.locator(".bench .trouble").count()], [true, 0]);
}

// Use settings brings back every field of the form, whatever was done to it since.
async function wholeForm({ server, page, session }) {
	await page.goto(`${server.base}/s/${session}`);
	await page.getByRole("radio", { name: "Both", exact: true }).click();
	await page.locator("#command").fill("echo a | cat; exit 3");
	await page.getByLabel(/Run in a shell/).check();
	await page.getByLabel("Live").uncheck();
	await unfold(page);
	for (const [label, value] of Object.entries({ Environment: "COUNT=7 NAME='x y'", Folder: "/usr", "Pin to CPUs": "0", Rate: "c20000", Interval: "30", "Time limit": "9.5", Repeats: "2" })) await page.getByLabel(label, { exact: false }).first().fill(value);
	await page.getByLabel("Call graph").selectOption("dwarf");
	await page.getByLabel("Events to sample: expression").fill("cpu-clock:u");
	await page.getByLabel("Events to count: expression").fill("{page-faults,task-clock}");
	for (const [label, value] of Object.entries({ "Options for record": "--all-user", "Options for stat": "--no-scale", Webhook: "http://127.0.0.1:9/told" })) await page.getByLabel(label, { exact: false }).fill(value);
	await page.locator("form.bench").getByLabel("Tags", { exact: false }).fill("one, two words");
	await page.locator("form.bench").getByLabel("Notes", { exact: false }).fill("a note\nof two lines");
	const typed = await filledIn(page);
	const made = await start(page);
	for (const one of made) await server.ended(one.id);
	const done = await server.get(`/runs/${made[0].id}`);
	equal("every field is kept with the run", [done.state, done.ending?.code, done.form.limit_s, done.form.repeats, done.form.rate, done.form.call_graph, done.form.live, done.form.events, done.form.options, done.form.notes, done.tags, done.folder, done.form.cpus, done.environment, done.form.webhook],
		["done", 3, 9.5, 2, "c20000", "dwarf", false, { count: "{page-faults,task-clock}", sample: "cpu-clock:u" }, { stat: "--no-scale", record: "--all-user" }, "a note\nof two lines", ["one", "two words"], "/usr", "0", ["COUNT=7", "NAME=x y"], "http://127.0.0.1:9/told"]);
	const other = await server.measure(session, { tool: "count", target: { kind: "command", command: "true" } });
	await page.locator(`[data-run="${other.id}"]`).getByRole("button", { name: "Use settings" }).click();
	await until("another form", async () => (await page.locator("#command").inputValue()) === "true");
	check("another run brings another form", JSON.stringify(await filledIn(page)) !== JSON.stringify(typed));
	await page.locator(`[data-run="${done.id}"]`).getByRole("button", { name: "Use settings" }).click();
	await until("its form", async () => (await page.locator("#command").inputValue()) !== "true");
	await unfold(page);
	await page.getByLabel("Events to sample: expression").waitFor();
	equal("reload restores the whole form", await filledIn(page), typed);
	check("there are this many fields", Object.keys(typed).length >= 20, typed);
	const current = () => page.locator(".history-main[aria-current=true]").evaluate((row) => Number(row.closest("[data-run]").dataset.run));
	await page.goBack();
	await becomes("back goes to the run that was chosen before, not out of the session", current, other.id);
	await page.goForward();
	await becomes("and forward again", current, done.id);
	await page.reload();
	await page.locator("#command").waitFor();
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
	const session = (await server.post("/sessions", { title: "Bench" })).id;
	const world = { server, browser, page, session };
	await picker(world);
	await plan(world);
	await commandLines(world);
	await mostUsed(world);
	await wholeForm(world);
	await shellWanted(world);
	await tracepoints(world);
	await processes(world);
	await denied(world);
}, "--webhook", "http://127.0.0.1:9/", "--deny", "host");
