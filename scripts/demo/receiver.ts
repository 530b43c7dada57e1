import type { ServerResponse } from "node:http";
import { type ReceivedRequest, startReceiver } from "#scripts/lab/receiver.ts";

/** One request as it arrived. `body` is base64. The instant is that of its header block, by this machine's clock. */
export type Arrival = {
  method: string;
  path: string;
  /** Header names and values as written, in order. */
  headers: [name: string, value: string][];
  body: string;
  arrivedAtMs: number;
  /** The status code of the answer. */
  answered: number;
};

/** What a receiver sends to the demo over its IPC channel: first the port that it listens on, then every request. */
export type ReceiverMessage =
  | { type: "listening"; port: number; ca: string }
  | { type: "arrival"; id: string; arrival: Arrival };

const FLAKY_FAILURES = 2;
const failures = new Map<string, number>();

// A separate process, so that the demo's work does not delay what is measured here. It ends with the demo; only the
// demo handles Ctrl-C.
process.on("SIGINT", () => {});
process.once("disconnect", () => process.exit());
const { port, ca } = await startReceiver({ respond, keepsRequests: false });
tell({ type: "listening", port, ca });

function respond({ method, path, headers, rawHeaders, body, arrivedAtMs }: ReceivedRequest, response: ServerResponse) {
  const answered = answerTo(path);
  response.writeHead(answered, { "content-type": "text/plain" }).end(answered === 200 ? "received" : "not today");
  const arrival = { method, path, headers: pairs(rawHeaders), body: body.toString("base64"), arrivedAtMs, answered };
  tell({ type: "arrival", id: String(headers["webhook-id"]), arrival });
}

// /hook/… always succeeds, /flaky/… from the third request on.
function answerTo(path: string): number {
  if (path.startsWith("/hook/")) return 200;
  if (!path.startsWith("/flaky/")) return 404;
  const failed = failures.get(path) ?? 0;
  failures.set(path, failed + 1);
  return failed < FLAKY_FAILURES ? 500 : 200;
}

function pairs(raw: string[]): [string, string][] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as [string, string]] : []));
}

function tell(message: ReceiverMessage) {
  if (!process.send) throw new Error("The demo starts this program: npm run demo");
  process.send(message);
}
