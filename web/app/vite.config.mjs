// SPDX-License-Identifier: Apache-2.0
// How the page is built: plain files with hashes in their names, nothing inline, since the server's
// Content-Security-Policy allows only what comes from itself.
import { defineConfig } from "vite";

export default defineConfig({
	// For work on the page: `npx vite` beside a server, whose address is in PERFOLIO_SERVER.
	server: { proxy: { "/api": process.env.PERFOLIO_SERVER ?? "http://127.0.0.1:7700" } },
	esbuild: { jsx: "automatic", jsxImportSource: "preact" },
	worker: { format: "es" },
	build: {
		target: "es2022",
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		reportCompressedSize: false,
	},
	test: { include: ["**/*.test.ts"], environment: "node" },
});
