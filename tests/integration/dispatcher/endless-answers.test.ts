import type { Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { pour, type RawServer, startRawServer } from "../../helpers/raw-server.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";

type Case = { title: string; head: string; endless: string; outcome: object };

const FAILED = "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n";
const rejected = { outcome: "rejected", status_code: 500 };
const unreachable = (error_text: string) => ({ outcome: "unreachable", status_code: null, error_text });

const cases: Case[] = [
  {
    title: "line breaks before its status line",
    head: "",
    endless: "\r\n".repeat(8_192),
    outcome: unreachable("the answer has more bytes than are read"),
  },
  {
    title: "interim answers",
    head: "",
    endless: "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n".repeat(512),
    outcome: unreachable("the answer's headers are too long"),
  },
  { title: "an extension of a chunk", head: `${FAILED}1;`, endless: "a".repeat(16_384), outcome: rejected },
  { title: "zeros before the size of a chunk", head: FAILED, endless: "0".repeat(16_384), outcome: rejected },
  {
    title: "chunks of one byte with extensions",
    head: FAILED,
    endless: `1;${"a".repeat(1_000)}\r\nx\r\n`.repeat(16),
    outcome: rejected,
  },
  { title: "trailers", head: `${FAILED}0\r\n`, endless: "X: a\r\n".repeat(2_048), outcome: rejected },
];

/** More than the kernel keeps between two sockets, and far less than is sent until the attempt runs out of time. */
const WRITTEN_MAX = 32 * 1024 * 1024;

let harness: DispatchHarness;
const servers: RawServer[] = [];
const ids: string[] = [];

beforeAll(async () => {
  for (const { head, endless } of cases) {
    const answer = (socket: Socket) => {
      socket.write(head);
      pour(socket, Buffer.from(endless));
    };
    servers.push(await startRawServer({ onRequest: answer }));
  }
  harness = await createDispatchHarness({
    DELIVERY_ALLOW: servers.map(({ port }) => `http://127.0.0.1:${port}`).join(),
  });
  await harness.dispatcher();
  const account = await harness.account({ settings: { retry_attempts: 0 } });
  for (const { port } of servers) ids.push(await harness.schedule(account, `http://127.0.0.1:${port}/`, inMs(500)));
});
afterAll(async () => {
  await harness.close();
  await Promise.all(servers.map((server) => server.close()));
});

it.each(cases.map((one, n) => ({ ...one, n })))("an answer with $title without end is read no further", async (one) => {
  const server = servers[one.n] as RawServer;
  const attempts = await waitFor("the attempt has ended", async () => {
    const rows = await harness.attempts(ids[one.n] as string);
    return rows.length > 0 && rows;
  });
  expect(attempts).toMatchObject([one.outcome]);
  await waitFor("its connection is closed", () => server.opened() > 0 && server.connections() === 0);
  expect(server.written()).toBeLessThan(WRITTEN_MAX);
});
