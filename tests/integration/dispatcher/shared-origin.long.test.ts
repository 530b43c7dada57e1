// Guards: dispatcher/connections/**
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import type { TestAccount } from "../../helpers/accounts.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { insertSchedules } from "../../helpers/overdue.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** Connections of one account to one origin. */
const CONNECTIONS = 32;
/** Connections that were replaced may still be closing at the receiver. */
const CLOSING_MAX = 8;

/** Connections of one dispatcher. A quarter of them may go to one origin. */
const CONNECTIONS_IN_ALL = 64;

let receiver: Receiver;
let other: Receiver;
let harness: DispatchHarness;

beforeEach(async () => {
  receiver = await startReceiver({ tls: false });
  other = await startReceiver({ tls: false });
  harness = await startBench({ DELIVERY_CONNECTIONS_PER_ORIGIN: String(CONNECTIONS) });
});
const startBench = (settings: Record<string, string>) =>
  createDispatchHarness({ DELIVERY_ALLOW: `${receiver.origin},${other.origin}`, ...settings });
afterEach(async () => {
  // Ends hanging requests, so that the dispatcher does not wait for them.
  await receiver.close();
  await harness.close();
  await other.close();
});

type Due = { rows: number; dueInMs: number; everyMs?: number; origin?: string };

/**
 * Stores `rows` schedules of each account to a path of the receiver, the first due in `dueInMs` and the others
 * `everyMs` apart.
 */
async function schedule(
  accounts: TestAccount[],
  path: string,
  { rows, dueInMs, everyMs = 0, origin = receiver.origin }: Due,
): Promise<void> {
  const ids = accounts.map(({ id }) => id);
  await insertSchedules(harness.sql, ids, new URL(path, origin), { rows, fromMs: dueInMs, everyMs });
}

const delivered = async ({ id }: TestAccount): Promise<number> => {
  const [row] = await harness.sql`
    SELECT count(*)::int AS n FROM schedules WHERE account_id = ${id} AND status = 'succeeded'`;
  return row?.n;
};

describe("an origin that several accounts use", () => {
  it("serves the others while one account has all the connections that it may have, and more requests waiting", async () => {
    const [hanging, well] = [await harness.account(), await harness.account()];
    receiver.respond((request, response) => {
      if (request.path === "/ok") response.end("ok");
    });
    await schedule([hanging], "/hangs", { rows: 10 * CONNECTIONS, dueInMs: 1_500 });
    await harness.dispatcher();
    await waitFor("one account has all it may have", () => receiver.requests.length === CONNECTIONS);
    await schedule([well], "/ok", { rows: 10, dueInMs: 1_000 });
    await waitFor("the other's are delivered", async () => (await delivered(well)) === 10, 20_000);
    expect(receiver.requests.filter(({ path }) => path === "/hangs")).toHaveLength(CONNECTIONS);
  });
});

describe("a hanging origin", () => {
  it("has at most a quarter of the connections, so that other origins are served, however many accounts use it", async () => {
    await harness.close();
    harness = await startBench({ DELIVERY_CONNECTIONS_MAX: String(CONNECTIONS_IN_ALL) });
    const accounts = await Promise.all(Array.from({ length: 2 * CONNECTIONS_IN_ALL }, () => harness.account()));
    const well = await harness.account();
    receiver.respond(() => {});
    await schedule(accounts, "/hangs", { rows: 1, dueInMs: 1_500 });
    await schedule([well], "/", { rows: 20, dueInMs: 3_000, everyMs: 20, origin: other.origin });
    await harness.dispatcher();
    await waitFor("the other origin's are delivered", async () => (await delivered(well)) === 20, 25_000);
    expect(receiver.connections()).toBeLessThanOrEqual(CONNECTIONS_IN_ALL / 4);
  });
});

describe("retries, which need new connections", () => {
  it("that hang have no more connections than their account may have", async () => {
    const account = await harness.account({ settings: { retry_attempts: 1, retry_backoff_ms: 1_000 } });
    let most = 0;
    receiver.respond((request, response) => {
      most = Math.max(most, receiver.connections());
      if (request.headers["x-service-attempt"] === "1") response.writeHead(500).end();
    });
    await schedule([account], "/", { rows: 6 * CONNECTIONS, dueInMs: 1_500 });
    await harness.dispatcher();
    const hanging = () => receiver.requests.filter((request) => request.headers["x-service-attempt"] === "2").length;
    await waitFor("as many retries hang as may", () => hanging() >= CONNECTIONS, 30_000);
    const endsAtMs = performance.now() + 2_000;
    await waitFor("more could have been opened", () => {
      most = Math.max(most, receiver.connections());
      return performance.now() > endsAtMs;
    });
    expect(hanging()).toBe(CONNECTIONS);
    expect(most).toBeLessThanOrEqual(CONNECTIONS + CLOSING_MAX);
  });

  it("are sent while a steady stream to the same origin has every connection", async () => {
    const accounts = await Promise.all(Array.from({ length: 10 }, () => harness.account()));
    const failing = await harness.account({ settings: { retry_attempts: 1, retry_backoff_ms: 1_000 } });
    receiver.respond((request, response) => {
      const fails = request.path === "/fails" && request.headers["x-service-attempt"] === "1";
      setTimeout(() => response.writeHead(fails ? 500 : 200).end("ok"), 40);
    });
    const streamMs = 10_000;
    const everyMs = 12.5;
    await schedule(accounts, "/stream", { rows: streamMs / everyMs, dueInMs: 1_500, everyMs });
    await schedule([failing], "/fails", { rows: 20, dueInMs: 3_000, everyMs: 50 });
    await harness.dispatcher();
    await waitFor("every retry is delivered", async () => (await delivered(failing)) === 20, 30_000);
    const streamed = receiver.requests.filter(({ path }) => path === "/stream").length;
    expect(streamed).toBeLessThan((accounts.length * streamMs) / everyMs);
  });
});
