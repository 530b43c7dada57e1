import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { connect, type Database, DatabaseUnavailable } from "#db/client.ts";
import { type DatabaseProxy, startProxy } from "#scripts/lab/proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** The first pause between two tries, ms, which doubles with each, and the longest (`backoff` in db/client.ts). */
const FIRST_PAUSE_MS = 100;
const PAUSE_MS_MAX = 2_000;

let database: TestDatabase;
let proxy: DatabaseProxy;
let connection: Database;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  proxy = await startProxy(Number(new URL(database.url).port));
  const url = new URL(database.url);
  url.port = String(proxy.port);
  connection = connect({ url: url.href, name: "reconnecting", connectionsMax: 1 });
});
afterEach(async () => {
  await connection.close();
  await proxy.close();
});
afterAll(() => database.drop());

const call = (deadlineMs: number) => connection.run(deadlineMs, ({ sql }) => sql`SELECT 1`);

it("a balancer that accepts and closes connections is tried with growing pauses until the deadline", async () => {
  proxy.set("accept and close");
  // It tries after 0, 100, 300, 700 and 1,500 ms. The deadline lies far from each, so that none is in flight when it passes.
  await expect(call(1_100)).rejects.toThrow(DatabaseUnavailable);
  expect(proxy.accepted()).toBeLessThan(8);

  const before = proxy.accepted();
  const answered = call(30_000);
  await waitFor("it is tried again and again", () => proxy.accepted() > before + 3);
  const tries = proxy.acceptedAtMs().slice(before);
  for (const [n, at] of tries.slice(1).entries()) {
    // A timer of Node.js may fire up to a millisecond early.
    expect(at - (tries[n] ?? at)).toBeGreaterThanOrEqual(FIRST_PAUSE_MS * 2 ** n - 1);
  }
  proxy.set("pass");
  await answered;
});

it("a call whose deadline passed while it waited for the next try leaves no connection behind", async () => {
  proxy.set("accept and close");
  await expect(call(500)).rejects.toThrow(DatabaseUnavailable);
  // On a machine that stalls, one may be. The kernel queues connections in their order: it is accepted before this one.
  const marker = connectSocket({ port: proxy.port, host: "127.0.0.1" }).resume();
  await once(marker, "close");
  const tried = proxy.accepted();
  proxy.set("pass");
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS_MAX));
  expect(proxy.accepted()).toBe(tried);
  await waitFor("the next call is answered", () => call(5_000));
});
