import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { answerExchange } from "#db/queries/listen/answer-exchange.ts";
import { readListenChannel } from "#db/queries/listen/channel.ts";
import { closeListener } from "#db/queries/listen/close-listener.ts";
import { endExchanges, eraseAnswers } from "#db/queries/listen/end-exchanges.ts";
import { findEndedExchanges } from "#db/queries/listen/find-ended.ts";
import { HANDED_AT_ONCE_MAX, handExchanges } from "#db/queries/listen/hand-exchanges.ts";
import { insertExchange, type NewExchange } from "#db/queries/listen/insert-exchange.ts";
import { type Listener, openListener, type WantedListener } from "#db/queries/listen/open-listener.ts";
import { readExchanges } from "#db/queries/listen/read-exchanges.ts";
import { readListenersOfAll } from "#db/queries/listen/read-listeners.ts";
import { renewListener } from "#db/queries/listen/renew-listener.ts";
import { sweepListening } from "#db/queries/listen/sweep.ts";
import { createSchedule } from "#db/queries/schedules/create.ts";
import { parseKeyRing } from "#domain/cipher.ts";
import { newId } from "#domain/ids.ts";
import {
  type ExchangeAnswer,
  openExchangeAnswer,
  openExchangeRequest,
  sealExchangeAnswer,
  sealExchangeRequest,
} from "#domain/listen-exchange.ts";
import { LISTEN_ORIGIN } from "#domain/listen-origin.ts";
import { EXCHANGES_IN_FLIGHT_MAX, LISTENERS_MAX } from "#domain/listeners.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { createLaneHarness, type LaneHarness, LIMITS, newSchedule } from "./lane-harness.ts";

const RING = parseKeyRing(ENCRYPTION_KEYS);
const TARGET = `${LISTEN_ORIGIN}/hooks/a?b=c`;

let harness: LaneHarness;
let accountId: string;

beforeAll(async () => {
  harness = await createLaneHarness({ sessions: 6 });
});
afterAll(() => harness.close());
beforeEach(async () => {
  await harness.web`TRUNCATE listeners, listen_exchanges`;
  accountId = await harness.account();
});

const open = (overrides: Partial<WantedListener> = {}, resume: string | null = null): Promise<Listener> =>
  openListener(harness.db, { accountId, keyId: newId(0), scope: "reserved", paths: [], ...overrides }, resume);

async function write(overrides: Partial<NewExchange> = {}, body = ""): Promise<NewExchange & { isWritten: boolean }> {
  const schedule = newSchedule(Date.now() + 60_000, { targetUrl: TARGET, origin: LISTEN_ORIGIN });
  await createSchedule(harness.web, { accountId: overrides.accountId ?? accountId, env: "test" }, LIMITS, schedule);
  const id = newId(Date.now());
  const request = {
    method: "POST",
    path: "/hooks/a?b=c",
    headers: [["X-a", "b"]] as [string, string][],
    body: Buffer.from(body),
  };
  const exchange = {
    id,
    accountId,
    scheduleId: schedule.id,
    attempt: 1,
    isReserved: true,
    path: "/hooks/a",
    request: sealExchangeRequest(RING, request, { id, scheduleId: schedule.id, targetUrl: TARGET }),
    deadlineMs: Date.now() + 30_000,
    ...overrides,
  };
  return { ...exchange, isWritten: await insertExchange(harness.dispatcher, exchange) };
}

const writeMany = async (n: number) => {
  const all: NewExchange[] = [];
  for (let left = n; left > 0; left--) all.push(await write());
  return all.map(({ id }) => id);
};
const handedTo = async (listener: Listener) => (await handExchanges(harness.db, listener)).map(({ id }) => id);
const OK: ExchangeAnswer = { status: 200, retryAfter: null, body: "done", latencyMs: 3 };
const answer = (id: string, listener: Pick<Listener, "id">, of = accountId, said = OK) =>
  answerExchange(harness.db, of, { id, listenerId: listener.id }, (it) => sealExchangeAnswer(RING, said, it));
const rowOf = async (id: string) => (await harness.web`SELECT * FROM listen_exchanges WHERE id = ${id}`)[0];
/** Ends the lease of a listener, as time does. */
const lapse = ({ id }: Listener, ago = "1 second") =>
  harness.web`UPDATE listeners SET lease_until = clock_timestamp() - ${ago}::interval WHERE id = ${id}`;

it("an exchange that nobody takes is not written", async () => {
  expect((await write()).isWritten).toBe(false);
  const other = await open({ accountId: await harness.account() });
  const elsewhere = await open({ paths: ["/other/"] });
  expect((await write()).isWritten).toBe(false);
  await lapse(await open());
  expect((await write()).isWritten).toBe(false);
  await open();
  expect((await write({ isReserved: false })).isWritten).toBe(false);
  expect((await write()).isWritten).toBe(true);
  expect(await handedTo(other)).toEqual([]);
  expect(await handedTo(elsewhere)).toEqual([]);
});

it("a listener gets the request as it was written, its answer reaches the dispatcher, and neither stays", async () => {
  const listener = await open();
  const { id, scheduleId, deadlineMs } = await write({}, "some bytes");
  const [handed] = await handExchanges(harness.db, listener);
  expect(handed).toMatchObject({ id, scheduleId, attempt: 1, targetUrl: TARGET, deadlineMs });
  const of = { id, scheduleId, targetUrl: TARGET };
  const request = openExchangeRequest(RING, handed?.request ?? Buffer.alloc(0), of);
  expect({ ...request, body: request.body.toString() }).toEqual({
    method: "POST",
    path: "/hooks/a?b=c",
    headers: [["X-a", "b"]],
    body: "some bytes",
  });
  expect(await answer(id, listener)).toBe("answered");
  expect(await rowOf(id)).toMatchObject({ state: "answered", request: null });
  const [standing] = await readExchanges(harness.dispatcher, [id, newId(0)]);
  expect(openExchangeAnswer(RING, standing?.answer ?? Buffer.alloc(0), of)).toEqual(OK);
  await eraseAnswers(harness.dispatcher, [id]);
  expect(await rowOf(id)).toMatchObject({ state: "answered", request: null, answer: null });
});

it("the answer counts once, for the listener that has the exchange, and while somebody waits for it", async () => {
  const [listener, other] = [await open(), await open()];
  const { id } = await write();
  expect(await answer(id, listener)).toBe("of another");
  await handedTo(listener);
  expect(await answer(id, other)).toBe("of another");
  expect(await answer(id, listener, await harness.account())).toBe("unknown");
  expect(await answer(newId(0), listener)).toBe("unknown");
  expect(await answer(id, listener)).toBe("answered");
  expect(await answer(id, listener)).toBe("again");
  await eraseAnswers(harness.dispatcher, [id]);
  expect(await answer(id, listener)).toBe("again");
  expect(await endExchanges(harness.dispatcher, [id])).toEqual([]);

  const late = await write();
  await handedTo(listener);
  expect(await endExchanges(harness.dispatcher, [late.id])).toEqual([late.id]);
  expect(await answer(late.id, listener)).toBe("over");
  expect(await rowOf(late.id)).toMatchObject({ state: "over", request: null, answer: null });
  const [pending, unknown] = [await write(), newId(0)];
  await handedTo(listener);
  const ended = await findEndedExchanges(harness.db, accountId, [id, late.id, pending.id, unknown]);
  expect(new Map(ended.map((one) => [one.id, one.isOver]))).toEqual(
    new Map([
      [id, false],
      [late.id, true],
      [unknown, true],
    ]),
  );

  const missed = await write({ deadlineMs: Date.now() + 300 });
  expect(await handedTo(listener)).toEqual([missed.id]);
  await harness.web`UPDATE listen_exchanges SET deadline = clock_timestamp() WHERE id = ${missed.id}`;
  expect(await answer(missed.id, listener)).toBe("over");
});

it("listeners that take at the same time share the exchanges, and none goes to two of them", async () => {
  const takers = await Promise.all([open(), open(), open()]);
  const ids = await writeMany(40);
  const handed = await Promise.all(
    takers.map(async (taker) => {
      const got: string[] = [];
      for (let more = await handedTo(taker); more.length > 0; more = await handedTo(taker)) got.push(...more);
      return got;
    }),
  );
  expect(handed.flat().sort()).toEqual(ids);
  for (const got of handed) expect(got).toEqual([...got].sort());
});

it("a listener has at most 100 exchanges that it has not answered, the oldest first", async () => {
  const listener = await open();
  const ids = await writeMany(EXCHANGES_IN_FLIGHT_MAX + 5);
  const got: string[] = [];
  for (let more = await handedTo(listener); more.length > 0; more = await handedTo(listener)) {
    expect(more.length).toBeLessThanOrEqual(HANDED_AT_ONCE_MAX);
    got.push(...more);
  }
  expect(got).toEqual(ids.slice(0, EXCHANGES_IN_FLIGHT_MAX));
  expect(await answer(got[7] ?? "", listener)).toBe("answered");
  expect(await handedTo(listener)).toEqual(ids.slice(EXCHANGES_IN_FLIGHT_MAX, EXCHANGES_IN_FLIGHT_MAX + 1));
});

it("a listener with a prefix of the path goes before one without prefixes, and scopes are kept", async () => {
  const [everything, hooks] = [await open({ scope: "all" }), await open({ paths: ["/x", "/hooks/"] })];
  const [hook, other] = [await write(), await write({ path: "/other" })];
  const elsewhere = await write({ path: "/hooks/b", isReserved: false });
  expect(await handedTo(everything)).toEqual([other.id, elsewhere.id]);
  expect(await handedTo(hooks)).toEqual([hook.id]);
  await lapse(hooks);
  const next = await write();
  expect(await handedTo(everything)).toEqual([next.id]);
  expect(await handedTo(hooks)).toEqual([]);
});

it("who resumes a listener replaces the former stream and gets what that has not answered, once", async () => {
  const former = await open();
  const [first, second] = await writeMany(2);
  expect(await handedTo(former)).toEqual([first, second]);
  expect(await answer(first ?? "", former)).toBe("answered");
  const next = await open({ paths: ["/hooks/"] }, former.id);
  expect(next).toEqual({ ...former, epoch: former.epoch + 1 });
  const [third] = await writeMany(1);
  expect(await handedTo(former)).toEqual([]);
  expect(await renewListener(harness.db, former)).toBe("replaced");
  await closeListener(harness.db, former, 0);
  expect(await renewListener(harness.db, next)).toBe("held");
  expect(await handedTo(next)).toEqual([second, third]);
  expect(await handedTo(next)).toEqual([]);
  expect(await answer(second ?? "", next)).toBe("answered");
});

it("a stream that closes without grace has no lease any more, at whatever part of a millisecond", async () => {
  const renewed: string[] = [];
  const { id } = await open();
  for (let n = 0; n < 100; n++) {
    const listener = await open({}, id);
    await closeListener(harness.db, listener, 0);
    renewed.push(await renewListener(harness.db, listener));
  }
  expect(new Set(renewed)).toEqual(new Set(["gone"]));
});

it("a lease that ended is not renewed, but its listener can be resumed", async () => {
  const listener = await open();
  const { id } = await write();
  await handedTo(listener);
  expect((await readExchanges(harness.dispatcher, [id]))[0]).toMatchObject({ state: "handed", hasListener: true });
  await closeListener(harness.db, listener, 60_000);
  expect(await renewListener(harness.db, listener)).toBe("held");
  await closeListener(harness.db, listener, 0);
  expect(await renewListener(harness.db, listener)).toBe("gone");
  expect((await readExchanges(harness.dispatcher, [id]))[0]).toMatchObject({ state: "handed", hasListener: false });
  const resumed = await open({}, listener.id);
  expect(resumed.id).toBe(listener.id);
  expect(await renewListener(harness.db, resumed)).toBe("held");
});

it("an account has five live listeners at most, even when it opens them at once, and takes over no other account's", async () => {
  const tries = await Promise.allSettled(Array.from({ length: LISTENERS_MAX + 3 }, () => open()));
  const opened = tries.filter((one) => one.status === "fulfilled").map(({ value }) => value);
  expect(opened).toHaveLength(LISTENERS_MAX);
  for (const one of tries) if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "CONFLICT" });
  const [first] = opened;
  if (!first) throw new Error("no listener was opened");
  expect(await open({}, first.id)).toMatchObject({ id: first.id });
  const stranger = await open({ accountId: await harness.account() }, first.id);
  expect(stranger.id).not.toBe(first.id);
  await lapse(first);
  await open();
});

it("dispatchers find the live listeners of scope all, with their paths", async () => {
  await open();
  await open({ scope: "all", paths: ['/a,{"', "/b"] });
  await lapse(await open({ scope: "all" }));
  expect(await readListenersOfAll(harness.dispatcher)).toEqual([{ accountId, paths: ['/a,{"', "/b"] }]);
});

it("exchanges go with their deadline and listeners ten minutes after their lease", async () => {
  const [listener, old] = [await open(), await open()];
  await lapse(old, "11 minutes");
  await lapse(await open(), "9 minutes");
  const [kept, late] = [await write(), await write()];
  await harness.web`UPDATE listen_exchanges SET deadline = clock_timestamp() - interval '6 s' WHERE id = ${late.id}`;
  await sweepListening(harness.dispatcher);
  expect(await rowOf(late.id)).toBeUndefined();
  expect(await handedTo(listener)).toEqual([kept.id]);
  expect(await harness.web`SELECT id FROM listeners WHERE id = ${old.id}`).toEqual([]);
  expect(await harness.web`SELECT id FROM listeners`).toHaveLength(2);
});

it("an exchange belongs to the test environment, and what it says is not readable in the table", async () => {
  const listener = await open();
  const { id } = await write({}, "canary-payload");
  const live = harness.web`UPDATE listen_exchanges SET env = 'live' WHERE id = ${id}`;
  await expect(live).rejects.toMatchObject({ constraint_name: "listen_exchanges_env_test" });
  await handedTo(listener);
  const dump = async () => {
    const [row] =
      await harness.web`SELECT *, encode(request, 'escape') AS r, encode(answer, 'escape') AS a FROM listen_exchanges`;
    return JSON.stringify(row);
  };
  expect(await dump()).not.toMatch(/canary|X-a|b=c/);
  await answer(id, listener, accountId, { ...OK, body: "canary-body" });
  expect(await dump()).not.toMatch(/canary/);
});

it("web processes hear of exchanges that wait, dispatchers of answers", async () => {
  const heard: string[] = [];
  const channel = await readListenChannel(harness.web);
  const hears = [channel, "stopwatch_due"].map((name) =>
    harness.web.listen(name, (text) => heard.push(`${name} ${text}`)),
  );
  const listening = await Promise.all(hears);
  try {
    const listener = await open();
    const { id } = await write();
    await handedTo(listener);
    await answer(id, listener);
    const next = await write();
    await handedTo(listener);
    await endExchanges(harness.dispatcher, [next.id]);
    await expect
      .poll(() => heard.filter((line) => !line.includes(":live:") && !line.includes(":test:")))
      .toEqual([
        `stopwatch_listen ${accountId}`,
        `stopwatch_due answered:${id}`,
        `stopwatch_listen ${accountId}`,
        `stopwatch_listen ${accountId}`,
      ]);
  } finally {
    for (const one of listening) await one.unlisten();
  }
});
