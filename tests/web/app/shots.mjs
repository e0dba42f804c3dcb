// SPDX-License-Identifier: Apache-2.0
// Pictures of every screen, light and dark, large, small and on a phone: node shots.mjs FOLDER (`make screenshots`).
// FOLDER/readme has those of the README by their names there: they go to docs/images.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { check, run, until } from "./lib.mjs";
import { prepare, screens, settled } from "./screens.mjs";

const folder = process.argv[2] ?? "build/screenshots";
const SIZES = [{ width: 1440, height: 900 }, { width: 1280, height: 720 }, { width: 390, height: 844 }];

const README = { session: "running-1440-light", overview: "overview-1440-light", flame: "flame-1440-dark", counters: "counters-1440-light", time: "time-1440-light" };

// Once for each size and theme, each time a person who is not signed in yet.
async function everyLook(server, browser, body) {
	for (const colorScheme of ["light", "dark"])
		for (const viewport of SIZES) {
			const phone = viewport.width < 500;
			const page = await browser.open(server.base, { colorScheme, viewport, deviceScaleFactor: phone ? 2 : 1, isMobile: phone });
			await body(page, async (name) => {
				await settled(page);
				await page.screenshot({ path: join(folder, `${name}-${viewport.width}-${colorScheme}.png`) });
			});
			await page.context().close();
		}
}

async function finished(server, browser, what) {
	const top = (await server.get(`/runs/${what.run}/top?limit=1`)).rows[0].function ?? "";
	await everyLook(server, browser, async (page, shoot) => {
		await page.goto(server.link);
		for (const [name, address] of Object.entries(screens(what, top))) {
			await page.goto(server.base + address);
			await shoot(name);
		}
		await page.goto(`${server.base}/s/${what.fresh}`);
		await page.getByRole("radio", { name: "Count", exact: true }).click();
		await page.locator(".picker .events li").first().hover();
		await shoot("picker");
		await page.keyboard.press("Escape");
		await page.locator(".brand").focus();
		await page.keyboard.press("?");
		await shoot("help");
	});
}

// While something is measured, and others wait.
async function running(server, browser, { session, folder: where }) {
	const form = (command, more = {}) => ({ tool: "both", live: true, rate: "997", call_graph: "dwarf", interval_ms: 50, folder: where, target: { kind: "command", command }, ...more });
	const made = [];
	for (const one of [form("./wordfreq 100000000000 2", { limit_s: 120 }), form("./wordfreq 50000000"), form("./wordfreq 50000000 4")])
		made.push((await server.post(`/sessions/${session}/runs`, one)).items[0].id);
	await until("some samples", async () => (await server.get(`/runs/${made[0]}`)).state === "running");
	await everyLook(server, browser, async (page, shoot) => {
		await page.goto(server.link);
		await page.goto(`${server.base}/s/${session}?run=${made[0]}`);
		await page.locator(".flame-tab canvas").first().waitFor();
		await new Promise((done) => setTimeout(done, 1500)); // a picture with something in it
		await shoot("running");
	});
	for (const id of made.reverse()) await server.post(`/runs/${id}/cancel`);
}

await run(async ({ server, browser }) => {
	mkdirSync(folder, { recursive: true });
	await everyLook(server, browser, async (page, shoot) => {
		await shoot("sign-in");
		await page.goto(server.link);
		await page.locator(".empty").waitFor();
		await shoot("empty");
	});
	const what = await prepare(server);
	await finished(server, browser, what);
	await running(server, browser, what);
	mkdirSync(join(folder, "readme"), { recursive: true });
	for (const [name, picture] of Object.entries(README)) copyFileSync(join(folder, `${picture}.png`), join(folder, "readme", `${name}.png`));
	check(`pictures are in ${folder}`, true);
});
