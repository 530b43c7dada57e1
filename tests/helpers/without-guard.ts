/**
 * Loaded by `--import` into a web process: it then learns of no socket, as on a platform that calls the handlers of Next.js
 * itself, so that the HTTP guard is not in front of them.
 */
import diagnostics from "node:diagnostics_channel";
import { syncBuiltinESMExports } from "node:module";

const HIDDEN = new Set<unknown>(["net.server.socket", "http.server.request.start"]);
const { subscribe } = diagnostics;

diagnostics.subscribe = (name, onMessage) => {
  if (!HIDDEN.has(name)) subscribe(name, onMessage);
};
syncBuiltinESMExports();
