// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { followLinks } from "./model/address";
import { followDownloads } from "./model/download";
import { enter } from "./model/enter";
import { startTheme } from "./model/theme";
import { Frame } from "./views/frame";

startTheme();
followLinks();
followDownloads();
void enter().then(() => {
	const app = document.getElementById("app")!;
	app.replaceChildren();
	render(<Frame />, app);
});
