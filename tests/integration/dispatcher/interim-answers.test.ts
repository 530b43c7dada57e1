import type { Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { type RawServer, startRawServer } from "../../helpers/raw-server.ts";
import { waitFor } from "../../helpers/wait-for.ts";

type Case = { title: string; answer: string; code?: number; text?: string; step?: number };

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const HINTS = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nLink: </b.css>\r\n\r\n";
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const BUSY = "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nbusy";
const UPGRADE = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
const SWITCHED = "the target switched protocols (status 101)";

const cases: Case[] = [
  { title: "100", answer: CONTINUE + OK, code: 200 },
  { title: "100 in pieces of a byte", answer: CONTINUE + OK, step: 1, code: 200 },
  { title: "100, 102, 103 and 100", answer: `${CONTINUE}HTTP/1.1 102 \r\n\r\n${HINTS}${CONTINUE}${OK}`, code: 200 },
  { title: "100 with headers", answer: `HTTP/1.1 100 Go\r\nDate: today\r\n\r\n${OK}`, step: 9, code: 200 },
  { title: "100 by HTTP/1.0", answer: `HTTP/1.0 100 Continue\r\n\r\n${OK}`, code: 200 },
  { title: "103 in pieces of three bytes", answer: HINTS + HINTS + OK, step: 3, code: 200 },
  { title: "100 before a redirect", answer: `${CONTINUE}HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n`, code: 302 },
  { title: "100 before an error", answer: CONTINUE + BUSY, code: 503, text: "busy" },
  { title: "100 and the close", answer: CONTINUE, text: "the connection was closed without an answer" },
  { title: "100 and what is not HTTP", answer: `${CONTINUE}<html>`, text: "the answer is not HTTP" },
  { title: "099", answer: "HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n", text: "the answer is not HTTP" },
  { title: "000 in pieces of a byte", answer: `HTTP/1.1 000 \r\n\r\n${OK}`, step: 1, text: "the answer is not HTTP" },
  { title: "100 and 099", answer: `${CONTINUE}HTTP/1.1 099 X\r\n\r\n`, text: "the answer is not HTTP" },
  { title: "101", answer: UPGRADE, text: SWITCHED },
  { title: "101 without Upgrade", answer: "HTTP/1.1 101 Sure\r\n\r\n", text: SWITCHED },
  { title: "100 and 101", answer: CONTINUE + UPGRADE, step: 5, text: SWITCHED },
];

let harness: DispatchHarness;
const servers: RawServer[] = [];
const ids: string[] = [];

/** Writes `text` in steps, each in an event-loop turn of its own, then ends the connection. */
function say(socket: Socket, text: string, step: number): void {
  if (text === "") socket.end();
  else socket.write(text.slice(0, step), () => setImmediate(() => say(socket, text.slice(step), step)));
}

beforeAll(async () => {
  for (const { answer, step = 1_000 } of cases) {
    servers.push(
      await startRawServer({
        onConnect: (socket) => socket.setNoDelay(),
        onRequest: (socket) => say(socket, answer, step),
      }),
    );
  }
  harness = await createDispatchHarness({
    DELIVERY_ALLOW: servers.map(({ port }) => `http://127.0.0.1:${port}`).join(),
  });
  await harness.dispatcher();
  const account = await harness.account({ settings: { retry_attempts: 0 } });
  for (const { port } of servers) {
    ids.push(await harness.schedule(account, `http://127.0.0.1:${port}/`, new Date(Date.now() + 500)));
  }
});
afterAll(async () => {
  await harness.close();
  await Promise.all(servers.map((server) => server.close()));
});

it.each(cases.map((one, n) => ({ ...one, n })))("the attempt is judged by what follows $title", async (one) => {
  const { n, code = null, text = "" } = one;
  const attempts = await waitFor("it has ended", async () => {
    const rows = await harness.attempts(ids[n] as string);
    return rows.length > 0 && rows;
  });
  const outcome = code === null ? "unreachable" : code === 200 ? "delivered" : "rejected";
  expect(attempts).toMatchObject([{ outcome, status_code: code, error_text: text }]);
  expect(servers[n]?.requests).toHaveLength(1);
});
