import type { Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { type RawServer, startRawServer } from "../../helpers/raw-server.ts";
import { waitFor } from "../../helpers/wait-for.ts";

type End = "reset" | "close" | "stay";
type Case = { title: string; answer: string[]; end: End; code: number; retryAfterS?: number };

const HINTS = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";
const LONG = `X-Long: ${"a".repeat(17_000)}\r\n`;
const MANY = Array.from({ length: 1_000 }, (_, n) => `X-${n}: ${"a".repeat(20)}\r\n`).join("");
const BUSY = "HTTP/1.1 503 Busy\r\n";

const cases: Case[] = [
  ...(["reset", "close"] as const).flatMap((end): Case[] => [
    {
      title: `103, a 200 line and a header, then a ${end}`,
      answer: [`${HINTS}HTTP/1.1 200 OK\r\nX: a`],
      end,
      code: 200,
    },
    { title: `a 200 line without a phrase, then a ${end}`, answer: ["HTTP/1.1 200\r\n"], end, code: 200 },
    { title: `a 200 line by HTTP/1.0 in pieces, then a ${end}`, answer: [..."HTTP/1.0 200 OK\r\n"], end, code: 200 },
    { title: `a 200 with line feeds alone, then a ${end}`, answer: ["HTTP/1.1 200 OK\nX: a\n\n"], end, code: 200 },
    { title: `a 500 line and a header, then a ${end}`, answer: ["HTTP/1.1 500 No\r\nX: a"], end, code: 500 },
    {
      title: `a 503 line and Retry-After, then a ${end}`,
      answer: [`${BUSY}Retry-After: 900\r\nX`],
      end,
      code: 503,
      retryAfterS: 900,
    },
    { title: `a 503 line and half of Retry-After, then a ${end}`, answer: [`${BUSY}Retry-After: 900`], end, code: 503 },
  ]),
  { title: "200 and a header of 17 KB", answer: [`HTTP/1.1 200 OK\r\n${LONG}\r\n`], end: "stay", code: 200 },
  { title: "200 and headers of 30 KB", answer: [`HTTP/1.1 200 OK\r\n${MANY}\r\n`], end: "stay", code: 200 },
  { title: "500 and a header of 17 KB", answer: [`HTTP/1.1 500 No\r\n${LONG}\r\nfailed`], end: "stay", code: 500 },
  {
    title: "503 and Retry-After before 17 KB",
    answer: [`${BUSY}Retry-After: 900\r\n`, LONG],
    end: "stay",
    code: 503,
    retryAfterS: 900,
  },
  {
    title: "503 and Retry-After after 17 KB",
    answer: [BUSY, LONG, "retry-after:900\r\n\r\n"],
    end: "stay",
    code: 503,
    retryAfterS: 900,
  },
  {
    title: "429 and Retry-After after 30 KB",
    answer: ["HTTP/1.1 429 Slow\r\n", MANY, "Retry-After: 900\r\n\r\n"],
    end: "stay",
    code: 429,
    retryAfterS: 900,
  },
  {
    title: "503 and a header that is malformed",
    answer: [`${BUSY}Retry-After: 900\r\nno colon\r\n\r\n`],
    end: "stay",
    code: 503,
    retryAfterS: 900,
  },
];

let harness: DispatchHarness;
const servers: RawServer[] = [];
const ids: string[] = [];

/** Writes the pieces, each when the one before was sent, then ends the connection. */
function say(socket: Socket, [piece, ...others]: string[], end: End): void {
  if (piece !== undefined) socket.write(piece, () => setTimeout(() => say(socket, others, end), 5));
  else if (end === "reset") socket.resetAndDestroy();
  else if (end === "close") socket.end();
}

beforeAll(async () => {
  for (const { answer, end } of cases) {
    servers.push(
      await startRawServer({
        onConnect: (socket) => socket.setNoDelay(),
        onRequest: (socket) => say(socket, answer, end),
      }),
    );
  }
  harness = await createDispatchHarness({
    DELIVERY_ALLOW: servers.map(({ port }) => `http://127.0.0.1:${port}`).join(),
  });
  await harness.dispatcher();
  const account = await harness.account({ settings: { retry_attempts: 1 } });
  for (const { port } of servers) {
    ids.push(await harness.schedule(account, `http://127.0.0.1:${port}/`, new Date(Date.now() + 500)));
  }
});
afterAll(async () => {
  await harness.close();
  await Promise.all(servers.map((server) => server.close()));
});

it.each(cases.map((one, n) => ({ ...one, n })))("its status line judges an answer of $title", async (one) => {
  const { n, code, retryAfterS } = one;
  const id = ids[n] as string;
  const [first] = await waitFor("the first attempt has ended", async () => {
    const rows = await harness.attempts(id);
    return rows.length > 0 && rows;
  });
  expect(first).toMatchObject({ outcome: code === 200 ? "delivered" : "rejected", status_code: code, error_text: "" });
  if (code === 200) return;
  const { next_attempt_at } = await harness.read(id);
  const endedAtMs = Number(first?.attempted_at) + Number(first?.latency_ms);
  const waitS = (Number(next_attempt_at) - endedAtMs) / 1000;
  if (retryAfterS === undefined) expect(waitS).toBeLessThan(100);
  else expect(Math.round(waitS)).toBe(retryAfterS);
});
