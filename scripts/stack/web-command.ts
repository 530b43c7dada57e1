import { fileURLToPath } from "node:url";

/** The program that serves the built web part of the folder that it runs in. */
export const WEB_SERVER = fileURLToPath(new URL("./web-server.ts", import.meta.url));

/** How Node.js serves the built web part, with JSON lines as output. `--hostname` and `--port` are to follow. */
export const WEB_COMMAND = [...["--import", new URL("./json-lines.ts", import.meta.url).href], WEB_SERVER];
