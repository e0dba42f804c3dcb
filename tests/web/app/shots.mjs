// SPDX-License-Identifier: Apache-2.0
// Pictures of every screen, light and dark, large and on a phone: node shots.mjs FOLDER (`make screenshots`)
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { check, run } from "./lib.mjs";
import { prepare, screens, settled } from "./screens.mjs";

const folder = process.argv[2] ?? "build/screenshots";
const SIZES = [{ width: 1440, height: 900 }, { width: 390, height: 844 }];

await run(async ({ server, browser }) => {
	mkdirSync(folder, { recursive: true });
	const what = await prepare(server);
	const top = (await server.get(`/runs/${what.run}/top?limit=1`)).rows[0].function ?? "";
	for (const colorScheme of ["light", "dark"])
		for (const viewport of SIZES) {
			const page = await browser.open(server.base, { colorScheme, viewport, deviceScaleFactor: viewport.width < 500 ? 2 : 1, isMobile: viewport.width < 500 });
			const shoot = async (name) => {
				await settled(page);
				await page.screenshot({ path: join(folder, `${name}-${viewport.width}-${colorScheme}.png`) });
			};
			await shoot("sign-in");
			await page.goto(server.link);
			for (const [name, address] of Object.entries(screens(what, top))) {
				await page.goto(server.base + address);
				await shoot(name);
			}
			await page.context().close();
		}
	check(`pictures are in ${folder}`, true);
});
