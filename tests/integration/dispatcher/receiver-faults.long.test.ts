// Guards: dispatcher/sending/**, dispatcher/admission/**, dispatcher/connections/**

import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ATTEMPT_DEADLINE_MS } from "#domain/timing.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { drip, pour, type RawBehaviour, type RawServer, startRawServer } from "../../helpers/raw-server.ts";
import { countStalls } from "../../helpers/stalls.ts";
import { waitFor } from "../../helpers/wait-for.ts";

type Case = RawBehaviour & {
  title: string;
  payload?: string;
  outcome: "delivered" | "rejected" | "unreachable";
  code?: number;
  readsNothing?: boolean;
  /** The maximum length of `error_text`. */
  text?: string | RegExp;
};

const CLOSED = "the connection was closed without an answer";
const RESET = /^the connection was (reset \(ECONNRESET\)|closed without an answer)$/;
const NOT_HTTP = "the answer is not HTTP";
const says = (answer: string | Buffer): RawBehaviour => ({ onRequest: (socket) => socket.write(answer) });
const head = (code: number, ...headers: string[]) =>
  `${[`HTTP/1.1 ${code} Whatever`, ...headers].join("\r\n")}\r\n\r\n`;
const ELSEWHERE = ["http://169.254.169.254/latest", "/", "http://localhost:1/"];
const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024), { level: 9 });

const prompt: Case[] = [
  { title: "that is closed on accept", onConnect: (socket) => socket.resume().end(), outcome: "unreachable" },
  { title: "that is reset on accept", onConnect: (socket) => socket.resetAndDestroy(), outcome: "unreachable" },
  {
    title: "that greets like a mail server before it is asked",
    onConnect: (socket) => socket.write("220 mail.example.com ESMTP ready\r\n"),
    onRequest: () => {},
    outcome: "unreachable",
  },
  {
    title: "that is closed by a FIN without an answer",
    onRequest: (socket) => socket.end(),
    outcome: "unreachable",
    text: CLOSED,
  },
  {
    title: "that is reset when the request is there",
    onRequest: (socket) => socket.resetAndDestroy(),
    outcome: "unreachable",
    text: RESET,
  },
  {
    title: "that is reset within the status line",
    onRequest: (socket) => socket.write("HTTP/1.1 20", () => socket.resetAndDestroy()),
    outcome: "unreachable",
    text: RESET,
  },
  {
    title: "that is reset within a body after a 2xx status line",
    onRequest: (socket) =>
      socket.write(`${head(200, "Content-Length: 100")}some`, () => setImmediate(() => socket.resetAndDestroy())),
    outcome: "delivered",
    code: 200,
  },
  {
    title: "that is reset within a body after a 500 status line",
    onRequest: (socket) =>
      socket.write(`${head(500, "Content-Length: 100")}some`, () => setTimeout(() => socket.resetAndDestroy(), 50)),
    outcome: "rejected",
    code: 500,
    text: "some",
  },
  {
    title: "that is reset right after a whole answer",
    onRequest: (socket) =>
      socket.write(`${head(200, "Content-Length: 2")}ok`, () => setTimeout(() => socket.resetAndDestroy(), 50)),
    outcome: "delivered",
    code: 200,
  },
  { title: "whose 200 drips for ever", ...dripping(200), outcome: "delivered", code: 200 },
  {
    title: "whose 200 is endless and fast",
    onRequest: (socket) => {
      socket.write(head(200, "Content-Length: 1000000000000"));
      pour(socket, Buffer.alloc(65_536, "a"));
    },
    outcome: "delivered",
    code: 200,
  },
  {
    title: "whose 500 is endless and fast",
    onRequest: (socket) => {
      socket.write(head(500, "Content-Length: 1000000000000"));
      pour(socket, Buffer.alloc(65_536, "a"));
    },
    outcome: "rejected",
    code: 500,
    text: "a".repeat(1_024),
  },
  {
    title: "with a gzip bomb of 200 MB",
    ...says(Buffer.concat([Buffer.from(head(500, "Content-Encoding: gzip", `Content-Length: ${bomb.length}`)), bomb])),
    outcome: "rejected",
    code: 500,
    text: /^[^\w ]\uFFFD/,
  },
  {
    title: "with one header of 64 KB",
    ...says(head(200, `X-Long: ${"a".repeat(65_536)}`)),
    outcome: "delivered",
    code: 200,
  },
  {
    title: "with 10,000 headers",
    ...says(head(200, ...Array.from({ length: 10_000 }, (_, n) => `X-${n}: ${n}`))),
    outcome: "delivered",
    code: 200,
  },
  {
    title: "with headers that never end, as fast as they can",
    onRequest: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      pour(socket, Buffer.from("X-More: more\r\n".repeat(1_000)));
    },
    outcome: "delivered",
    code: 200,
  },
  {
    title: "with interim answers that never end, as fast as they can",
    onRequest: (socket) => pour(socket, Buffer.from(head(103, "Link: </a.css>").repeat(1_000))),
    outcome: "unreachable",
    text: "the answer's headers are too long",
  },
  { title: "of random bytes", ...says(randomBytes(4_096)), outcome: "unreachable", text: NOT_HTTP },
  { title: "of HTTP/0.9", ...says("<html>hello</html>\r\n"), outcome: "unreachable", text: NOT_HTTP },
  {
    title: "of HTTP/2 frames",
    ...says(Buffer.from("000000040000000000", "hex")),
    outcome: "unreachable",
    text: NOT_HTTP,
  },
  { title: "with status 99", ...says(head(99, "Content-Length: 0")), outcome: "unreachable", text: NOT_HTTP },
  { title: "with status 1000", ...says(head(1000, "Content-Length: 0")), outcome: "unreachable", text: NOT_HTTP },
  { title: "with status 999", ...says(head(999, "Content-Length: 0")), outcome: "rejected", code: 999, text: "" },
  {
    title: "with 204 and a body",
    ...says(`${head(204, "Content-Length: 5")}hello`),
    outcome: "delivered",
    code: 204,
  },
  {
    title: "with 200 and a body shorter than it says",
    onRequest: (socket) => socket.end(`${head(200, "Content-Length: 50")}short`),
    outcome: "delivered",
    code: 200,
  },
  {
    title: "with 502 and a body shorter than it says",
    onRequest: (socket) => socket.end(`${head(502, "Content-Length: 50")}short`),
    outcome: "rejected",
    code: 502,
    text: "short",
  },
  {
    title: "with 200 and broken chunks",
    ...says(`${head(200, "Transfer-Encoding: chunked")}zz\r\nnonsense`),
    outcome: "delivered",
    code: 200,
  },
  {
    title: "with 200, Content-Length and Transfer-Encoding",
    ...says(`${head(200, "Content-Length: 4", "Transfer-Encoding: chunked")}0\r\n\r\n`),
    outcome: "delivered",
    code: 200,
  },
  {
    title: "with 200 and two different Content-Lengths",
    ...says(`${head(200, "Content-Length: 4", "Content-Length: 5")}hello`),
    outcome: "delivered",
    code: 200,
  },
  {
    title: "that is reset after a 2xx status line, within the headers",
    onRequest: (socket) =>
      socket.write("HTTP/1.1 200 OK\r\nX-Some: th", () => setTimeout(() => socket.resetAndDestroy(), 50)),
    outcome: "delivered",
    code: 200,
  },
  {
    title: "whose 200 lasts until the close, endless and fast",
    onRequest: (socket) => {
      socket.write(head(200));
      pour(socket, Buffer.alloc(65_536, "a"));
    },
    outcome: "delivered",
    code: 200,
  },
  {
    title: "whose 500 lasts until the close, endless and fast",
    onRequest: (socket) => {
      socket.write(head(500));
      pour(socket, Buffer.alloc(65_536, "a"));
    },
    outcome: "rejected",
    code: 500,
    text: "a".repeat(1_024),
  },
  {
    title: "with 103 before 200",
    ...says(head(103, "Link: </a.css>") + head(200, "Content-Length: 0")),
    outcome: "delivered",
    code: 200,
  },
  {
    title: "with 100 Continue before 200",
    ...says(head(100) + head(200, "Content-Length: 0")),
    outcome: "delivered",
    code: 200,
  },
  {
    title: "that switches protocols",
    ...says(head(101, "Connection: upgrade", "Upgrade: websocket")),
    outcome: "unreachable",
    text: "the target switched protocols (status 101)",
  },
  {
    title: "that is complete before the request's body is read",
    payload: "x".repeat(200_000),
    ...says(`${head(200, "Content-Length: 2", "Connection: close")}ok`),
    outcome: "delivered",
    code: 200,
  },
  ...([301, 302, 303, 307, 308] as const).map((code, n) => ({
    title: `that redirects with ${code}`,
    ...says(head(code, `Location: ${ELSEWHERE[n % ELSEWHERE.length]}`, "Content-Length: 0")),
    outcome: "rejected" as const,
    code,
    text: "",
  })),
];

const NO_ANSWER = "no answer within 30 s";
const slow: Case[] = [
  { title: "silence", onRequest: () => {}, outcome: "unreachable", text: NO_ANSWER },
  {
    title: "headers, a byte each 300 ms",
    onRequest: (socket) => {
      socket.write("HTTP/1.1 500 OK\r\nX-Slow: ");
      drip(socket, 300, () => "a");
    },
    outcome: "rejected",
    code: 500,
    text: "",
  },
  {
    title: "a status line, a byte each 3 s",
    onRequest: (socket) => drip(socket, 3_000, () => "HTTP/1.1 200 OK\r\n".charAt(socket.bytesWritten)),
    outcome: "unreachable",
    text: NO_ANSWER,
  },
  {
    title: "103 Early Hints for ever",
    onRequest: (socket) => drip(socket, 500, () => head(103, "Link: </a.css>")),
    outcome: "unreachable",
    text: NO_ANSWER,
  },
  {
    title: "500 and a body, a byte each 500 ms",
    ...dripping(500),
    outcome: "rejected",
    code: 500,
    text: /^a{40,60}$/,
  },
  {
    title: "500 and a body until the close, a byte each 500 ms",
    onRequest: (socket) => {
      socket.write(head(500));
      drip(socket, 500, () => "a");
    },
    outcome: "rejected",
    code: 500,
    text: /^a{40,60}$/,
  },
  {
    title: "nothing, and reads nothing either",
    payload: "x".repeat(262_144),
    onConnect: (socket) => socket.pause(),
    readsNothing: true,
    outcome: "unreachable",
    text: NO_ANSWER,
  },
];

function dripping(code: number): RawBehaviour {
  return {
    onRequest: (socket) => {
      socket.write(head(code, "Transfer-Encoding: chunked"));
      drip(socket, 500, () => "1\r\na\r\n");
    },
  };
}

const servers = new Map<Case, RawServer>();
const ids = new Map<Case, string>();
let healthy: RawServer;
let harness: DispatchHarness;
let stalled: ReturnType<typeof countStalls>;

beforeAll(async () => {
  for (const one of [...prompt, ...slow]) servers.set(one, await startRawServer(one));
  healthy = await startRawServer(says(`${head(200, "Content-Length: 2")}ok`));
  const origins = [healthy, ...servers.values()].map(({ port }) => `http://127.0.0.1:${port}`);
  harness = await createDispatchHarness({ DELIVERY_ALLOW: origins.join() });
  await harness.dispatcher();
  const account = await harness.account({ settings: { retry_attempts: 0 } });
  stalled = countStalls();
  const fireAt = new Date(Date.now() + 1_500);
  for (const [one, { port }] of servers) {
    const payload = one.payload ?? "x";
    ids.set(one, await harness.schedule(account, `http://127.0.0.1:${port}/`, fireAt, { payload }));
  }
});
afterAll(async () => {
  await harness.close();
  await Promise.all([healthy, ...servers.values()].map((server) => server.close()));
});

async function outcomeOf(one: Case, deadlineMs: number) {
  const id = ids.get(one) as string;
  const row = await waitFor(
    `"${one.title}" ends`,
    async () => {
      const read = await harness.read(id);
      return ["succeeded", "dead"].includes(read.status) && read;
    },
    deadlineMs,
  );
  const [attempt, ...others] = await harness.attempts(id);
  expect(others).toEqual([]);
  expect(row, one.title).toMatchObject({ attempts: 1, status: one.outcome === "delivered" ? "succeeded" : "dead" });
  const { outcome, status_code, error_text, latency_ms, late_ms } = attempt as Record<string, unknown>;
  const text = one.outcome === "delivered" ? "" : one.text;
  expect({ outcome, status_code, error_text }).toEqual({
    outcome: one.outcome,
    status_code: one.code ?? null,
    error_text: text === undefined ? expect.any(String) : typeof text === "string" ? text : expect.stringMatching(text),
  });
  return { latencyMs: latency_ms as number, lateMs: late_ms as number };
}

describe("one attempt, one request and a definite outcome follow from an answer:", () => {
  it.each(prompt)("$title", async (one) => {
    await outcomeOf(one, 15_000);
    const server = servers.get(one) as RawServer;
    if (one.onRequest) expect(server.requests.length).toBeLessThanOrEqual(1);
    if (one.outcome !== "unreachable") expect(server.requests).toHaveLength(1);
  });
});

describe("a target that", () => {
  it("answers without end is cut off after 64 KiB, long before the deadline", async () => {
    for (const one of prompt.filter(({ title }) => title.includes("fast"))) {
      const server = servers.get(one) as RawServer;
      await waitFor("its connection is closed", () => server.connections() === 0, 10_000);
      expect(server.written()).toBeLessThan(32 * 1024 * 1024);
    }
  });

  it("misbehaves delays no other target", async () => {
    const account = await harness.account();
    const id = await harness.schedule(account, `http://127.0.0.1:${healthy.port}/`, new Date(Date.now() + 300));
    await waitFor("it is delivered", async () => (await harness.read(id)).status === "succeeded");
    expectOnTime(Number((await harness.read(id)).offset_ms), ATTEMPT_DEADLINE_MS / 6);
  });

  it("keeps an attempt waiting fails it 30 s after its claim, whatever it keeps sending, and loses its connection", async () => {
    const outcomes = [];
    for (const one of slow) outcomes.push({ one, ...(await outcomeOf(one, 40_000)) });
    const stalledMs = stalled();
    for (const { one, lateMs, latencyMs } of outcomes) {
      // A request that leaves late has less than 30 s left of its claim.
      expect(lateMs + latencyMs, one.title).toBeGreaterThan(29_000);
      expectOnTime(latencyMs, 31_000, stalledMs);
      const server = servers.get(one) as RawServer;
      if (one.onRequest) expect(server.requests).toHaveLength(1);
    }
    for (const [{ title, readsNothing }, server] of servers) {
      if (readsNothing) continue;
      await waitFor(`"${title}" has no connection left`, () => server.connections() === 0, 10_000);
    }
  });
});
