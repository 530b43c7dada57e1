import { fileURLToPath } from "node:url";

/** How Node.js serves the built web part, with JSON lines as output. `--hostname` and `--port` are to follow. */
export const WEB_COMMAND = [
  ...["--import", new URL("./json-lines.ts", import.meta.url).href],
  fileURLToPath(new URL("./web-server.ts", import.meta.url)),
];
