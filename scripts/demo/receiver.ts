import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createCertificates } from "./certificates.ts";

/** One request as it came in. `body` is base64; the instant is that of its header block, by this machine's clock. */
export type Arrival = {
  method: string;
  path: string;
  /** Names and values as written, in their order. */
  headers: [name: string, value: string][];
  body: string;
  arrivedAtMs: number;
  /** The status code it was answered with. */
  answered: number;
};

/** What a receiver tells the demo over its IPC channel: first where it listens, then every request. */
export type ReceiverMessage =
  | { type: "listening"; port: number; ca: string }
  | { type: "arrival"; id: string; arrival: Arrival };

const FLAKY_FAILURES = 2;
const failures = new Map<string, number>();

// A program of its own, so that the demo's own work does not delay what is measured here. It ends with the demo,
// which alone hears Ctrl-C.
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

// /hook/… is always well, /flaky/… only from the third time on.
function answerTo(path: string): number {
  if (path.startsWith("/hook/")) return 200;
  if (!path.startsWith("/flaky/")) return 404;
  const failed = failures.get(path) ?? 0;
  failures.set(path, failed + 1);
  return failed < FLAKY_FAILURES ? 500 : 200;
}

// The system's clock, with the fraction of its millisecond taken from the monotonic one.
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
