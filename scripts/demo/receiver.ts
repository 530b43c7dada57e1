import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createCertificates } from "#scripts/lab/certificates.ts";

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
const { ca, cert, key } = await createCertificates();
const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, receive);
server.listen(0, "127.0.0.1", () => tell({ type: "listening", port: (server.address() as AddressInfo).port, ca }));

function receive(request: IncomingMessage, response: ServerResponse) {
  const arrivedAtMs = preciseNow();
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const path = request.url ?? "";
    const answered = answerTo(path);
    response.writeHead(answered, { "content-type": "text/plain" }).end(answered === 200 ? "received" : "not today");
    const arrival = {
      method: request.method ?? "",
      path,
      headers: pairs(request.rawHeaders),
      body: Buffer.concat(chunks).toString("base64"),
      arrivedAtMs,
      answered,
    };
    tell({ type: "arrival", id: String(request.headers["webhook-id"]), arrival });
  });
}

// /hook/… always succeeds, /flaky/… from the third request on.
function answerTo(path: string): number {
  if (path.startsWith("/hook/")) return 200;
  if (!path.startsWith("/flaky/")) return 404;
  const failed = failures.get(path) ?? 0;
  failures.set(path, failed + 1);
  return failed < FLAKY_FAILURES ? 500 : 200;
}

// The system's clock, with fractions of a millisecond from the monotonic clock.
function preciseNow(): number {
  const systemMs = Date.now();
  const fineMs = performance.timeOrigin + performance.now();
  return Math.min(Math.max(fineMs, systemMs), systemMs + 0.999);
}

function pairs(raw: string[]): [string, string][] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as [string, string]] : []));
}

function tell(message: ReceiverMessage) {
  if (!process.send) throw new Error("The demo starts this program: npm run demo");
  process.send(message);
}
