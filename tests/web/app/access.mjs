// SPDX-License-Identifier: Apache-2.0
// axe-core on every screen, light and dark: nothing serious; and no screen is wider than a phone.
import { readFileSync } from "node:fs";
import { axeSource, check, run } from "./lib.mjs";
import { prepare, screens, settled } from "./screens.mjs";

async function faults(page) {
	await page.evaluate(readFileSync(axeSource(), "utf8"));
	const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
	return found.violations
		.filter((one) => one.impact === "serious" || one.impact === "critical")
		.map((one) => `${one.id}: ${one.nodes.slice(0, 4).map((node) => `${node.html.slice(0, 160)} (${node.any[0]?.message ?? ""})`).join(" | ")}`);
}

await run(async ({ server, browser }) => {
	for (const colorScheme of ["light", "dark"]) {
		const page = await browser.open(server.base, { colorScheme, bypassCSP: true });
		await page.getByRole("button", { name: "Sign in" }).waitFor();
		const bad = await faults(page);
		check(`sign in, ${colorScheme}`, !bad.length, bad.join("\n"));
		await page.goto(server.link);
		await page.locator(".empty").waitFor();
		const empty = await faults(page);
		check(`no sessions, ${colorScheme}`, !empty.length, empty.join("\n"));
		await page.context().close();
	}
	const what = await prepare(server);
	const top = (await server.get(`/runs/${what.run}/top?limit=1`)).rows[0].function ?? "";
	for (const colorScheme of ["light", "dark"]) {
		const page = await browser.open(server.link, { colorScheme, bypassCSP: true });
		for (const [name, address] of Object.entries(screens(what, top))) {
			await page.goto(server.base + address);
			await settled(page);
			const bad = await faults(page);
			check(`${name}, ${colorScheme}`, !bad.length, bad.join("\n"));
		}
		await page.context().close();
	}
	const phone = await browser.open(server.link, { viewport: { width: 390, height: 844 }, isMobile: true, deviceScaleFactor: 2 });
	for (const [name, address] of Object.entries(screens(what, top))) {
		await phone.goto(server.base + address);
		await settled(phone);
		const width = await phone.evaluate(() => document.documentElement.scrollWidth);
		check(`${name} fits a phone`, width <= 391, width);
	}
});
