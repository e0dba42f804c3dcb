// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";

render(<p>perfolio</p>, document.getElementById("app")!);
