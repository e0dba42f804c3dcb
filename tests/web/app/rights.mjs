// SPDX-License-Identifier: Apache-2.0
// What the page offers to whom: to others than a session's maker nothing that changes it, no raw data to viewers, and
// why in plain words; to the maker all of it, also after the stream has told what all are told.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { becomes, busy, check, equal, PERFOLIO, run, until } from "./lib.mjs";

const FORM = { tool: "both", events: { count: "page-faults", sample: "cpu-clock" }, environment: "KEY=value-of-mine", target: { kind: "command", command: `echo what it said; ${busy(0.5)}`, shell: true } };

function account(server, name, role) {
	const data = join(server.folder, "data");
	const user = (...words) => spawnSync(PERFOLIO, ["user", words[0], "--data", data, ...words.slice(1)], { encoding: "utf8" }).stdout.trim();
	user("add", "--no-password", "--role", role, name);
	return user("token", name);
}

async function as({ server, browser }, token) {
	return browser.open(`${server.base}/#token=${token}`);
}

const names = async (page, within) => (await page.locator(`${within} button, ${within} a.button`).allInnerTexts()).map((text) => text.trim());
const shot = async (page, name) => process.env.PERFOLIO_SHOTS && page.screenshot({ path: join(process.env.PERFOLIO_SHOTS, `${name}.png`) });

async function session(page, server, what) {
	await page.goto(`${server.base}/s/${what.session}?run=${what.run}`);
	await page.locator(".history li").first().waitFor();
	await page.locator(".run-actions").waitFor();
}

async function looker(page, server, what, name, raw) {
	await session(page, server, what);
	await shot(page, `${name}-session`);
	equal(`${name}: no form`, await page.locator(".bench-form, #command").count(), 0);
	const offered = [...(await names(page, ".head")), ...(await names(page, ".run-head")), ...(await names(page, ".history"))];
	const wrong = offered.filter((text) => /^(Remove|Again|Stop|Cancel|✕|Use settings|Import|Add tags|Change tags|Add notes)/.test(text));
	equal(`${name}: nothing that changes it is offered`, wrong, []);
	await page.goto(`${server.base}/r/${what.run}/output`);
	await page.locator(".tab-output").waitFor();
	await until("output or why not", async () => (await page.locator(".tab-output").innerText()).trim());
	check(`${name}: the output ${raw ? "is shown" : "is not, and why"}`, (await page.locator(".tab-output").innerText()).includes(raw ? "what it said" : "Raw data"), await page.locator(".tab-output").innerText());
	await shot(page, `${name}-output`);
	await page.goto(`${server.base}/r/${what.run}/raw`);
	await page.locator(".downloads li").first().waitFor();
	await becomes(`${name}: perf.data ${raw ? "can" : "can't"} be chosen`, async () => (await page.locator(".downloads").innerText()).includes("perf.data"), raw);
	check(`${name}: values of the environment ${raw ? "are" : "are not"} shown`, (await page.locator(".raw").innerText()).includes(raw ? "KEY=value-of-mine" : "KEY=•••"), await page.locator(".raw").innerText());
	await shot(page, `${name}-raw`);
}

async function maker(page, server, what) {
	await session(page, server, what);
	await page.locator("#command").waitFor();
	await page.locator(".run-actions button", { hasText: "Again" }).click();
	// the new run is told by the stream, which masks; the page knows that it is its own
	await until("another run", async () => (await page.locator(".history li").count()) === 2);
	await page.locator(".history li").first().getByRole("button", { name: "Again" }).waitFor();
	await page.locator(".history li").first().getByRole("button", { name: "Use settings" }).click();
	await becomes("the maker's settings have their values", () => page.locator("form").first().evaluate((form) => [...form.querySelectorAll("input")].some((input) => input.value === "KEY=value-of-mine")), true);
	await shot(page, "maker");
}

async function targets(page, server, what) {
	await session(page, server, what);
	equal("with a second account the whole host is not offered", await page.getByRole("radio", { name: "Whole host" }).count(), 0);
	await page.getByRole("radio", { name: "Process", exact: true }).click();
	await page.getByText("Several people have accounts").waitFor();
	await shot(page, "targets");
}

await run(async (all) => {
	const { server } = all;
	const tokens = { rob: account(server, "rob", "runner"), sue: account(server, "sue", "runner"), vera: account(server, "vera", "viewer") };
	const rob = (path, body) => fetch(`${server.base}/api/v1${path}`, { method: "POST", headers: { Authorization: `Bearer ${tokens.rob}`, "Content-Type": "application/json" }, body: JSON.stringify(body) }).then((got) => got.json());
	const made = await rob("/sessions", { title: "Rob's session" });
	const first = (await rob(`/sessions/${made.id}/runs`, FORM)).items[0];
	await server.ended(first.id);
	const what = { session: made.id, run: first.id };
	await looker(await as(all, tokens.vera), server, what, "viewer", false);
	await looker(await as(all, tokens.sue), server, what, "other runner", true);
	await maker(await as(all, tokens.rob), server, what);
	await targets(await as(all, tokens.rob), server, what);
});
