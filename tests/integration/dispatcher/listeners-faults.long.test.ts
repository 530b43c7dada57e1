// Guards: dispatcher/listening/**, dispatcher/connections/listener-connection.ts, dispatcher/connections/opener.ts, dispatcher/connections/routes.ts, dispatcher/openers.ts, db/queries/listen/**, db/functions/listen*.sql, dispatcher/recording/recovery.ts, domain/listen*.ts
// Final: its verdict is about what a listener was handed, and how often.
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { ExchangeAnswer } from "#domain/listen-exchange.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { type Heard, OK, startListener } from "../../helpers/listener.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const HOOK = "https://listen.invalid/hook";

/** An account with a listener. */
async function listenTo(harness: DispatchHarness, respond: (heard: Heard) => ExchangeAnswer | undefined) {
  const account = await harness.account();
  const { databaseUrl, config, sql } = harness;
  const listen = () => startListener({ databaseUrl, keyRing: config.keyRing, accountId: account.id }, respond);
  const listener = await listen();
  return {
    listener,
    listen,
    /** Creates a schedule that is due now. */
    schedule: () => harness.schedule(account, HOOK, null, { env: "test", payload: "{}" }),
    exchange: async () => (await sql`SELECT * FROM listen_exchanges WHERE account_id = ${account.id}`)[0],
  };
}

async function attemptsAfter({ attempts }: DispatchHarness, id: string, n: number, deadlineMs: number) {
  await waitFor(`${n} attempts of ${id}`, async () => (await attempts(id)).length >= n, deadlineMs);
  return attempts(id);
}

const idOf = ([first]: readonly Heard[]): string => first?.id ?? "";

describe.concurrent("an exchange with a listener", () => {
  it("whose dispatcher is killed, at each state, is handed once at most, and its attempt is repeated after its lease", async () => {
    const harness = await createDispatchHarness({});
    const first = await harness.process();
    const waiting = await listenTo(harness, () => OK);
    await waiting.listener.stop();
    const silentAtFirst = ({ attempt }: Heard) => (attempt === 1 ? undefined : OK);
    const handed = await listenTo(harness, silentAtFirst);
    const answered = await listenTo(harness, silentAtFirst);
    const ids = [await waiting.schedule(), await handed.schedule(), await answered.schedule()];
    await waitFor("one waits", async () => (await waiting.exchange())?.state === "waiting");
    await waitFor("one is handed", () => handed.listener.heard.length === 1);
    await waitFor("another is handed", () => answered.listener.heard.length === 1);

    first.kill("SIGSTOP");
    expect(await answered.listener.answer(idOf(answered.listener.heard), OK)).toBe("answered");
    expect(await answered.exchange()).toMatchObject({ state: "answered", request: null, answer: expect.any(Buffer) });
    const exited = once(first, "exit");
    first.kill("SIGKILL");
    await exited;
    harness.spawn();

    // What was handed can still be answered, but nobody reads that.
    expect(await handed.listener.answer(idOf(handed.listener.heard), OK)).toBe("answered");
    const next = await waiting.listen();
    for (const id of ids) {
      expect(await attemptsAfter(harness, id, 2, 60_000)).toMatchObject([
        { attempt: 1, outcome: "interrupted", via: null },
        { attempt: 2, outcome: "delivered", via: "listener" },
      ]);
      expect(await harness.read(id)).toMatchObject({ status: "succeeded" });
    }
    for (const { listener } of [handed, answered]) {
      expect(listener.heard.map(({ attempt }) => attempt)).toEqual([1, 2]);
    }
    expect(waiting.listener.heard).toEqual([]);
    // The killed dispatcher's exchange was not over yet, so the next listener got it.
    expect(next.heard.map(({ attempt }) => attempt)).toEqual([1, 2]);
    // An exchange is deleted five seconds after its deadline, and that is 30 s after its attempt began.
    const isGone = async () => {
      const rest = await harness.sql`SELECT attempt, request, answer FROM listen_exchanges`;
      return rest.every(({ attempt, request, answer }) => attempt === 2 && request === null && answer === null);
    };
    await waitFor("nothing of them is left", isGone, 45_000);
    for (const listener of [waiting.listener, handed.listener, answered.listener, next]) await listener.close();
    await harness.close();
  });

  it("is handed once, whichever of two dispatchers has its shard and whichever of two listeners takes it", async () => {
    const harness = await createDispatchHarness({});
    const dispatchers = await Promise.all([harness.dispatcher(), harness.dispatcher()]);
    const isShared = async () => (await harness.sql`SELECT DISTINCT owner FROM shards`).length === 2;
    await waitFor("both own shards", isShared, 30_000);
    const made = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { listener, listen, schedule } = await listenTo(harness, () => OK);
        const listeners = [listener, await listen()];
        const ids = await Promise.all(Array.from({ length: 10 }, schedule));
        return { listeners, ids };
      }),
    );
    await waitFor(
      "all have succeeded",
      async () => {
        const [row] = await harness.sql`SELECT count(*)::int AS n FROM schedules WHERE status = 'succeeded'`;
        return row?.n === 120;
      },
      30_000,
    );
    for (const { listeners, ids } of made) {
      const heard = listeners.flatMap((listener) => listener.heard);
      expect(heard.map(({ scheduleId }) => scheduleId).sort()).toEqual(ids.toSorted());
      expect(heard.every(({ attempt }) => attempt === 1)).toBe(true);
    }
    for (const dispatcher of dispatchers) expect(await dispatcher.auditDeliveries()).toEqual([]);
    for (const { listeners } of made) for (const listener of listeners) await listener.close();
    await harness.close();
  });

  it("whose listener is killed ends with the listener's lease, and one that is never answered with its attempt", async () => {
    const harness = await createDispatchHarness({});
    const dispatcher = await harness.dispatcher();
    const silent = () => undefined;
    const [killed, unread, slow] = [
      await listenTo(harness, silent),
      await listenTo(harness, silent),
      await listenTo(harness, silent),
    ];
    await unread.listener.stop();
    const ids = [await killed.schedule(), await unread.schedule(), await slow.schedule()];
    await waitFor("both are handed", () => killed.listener.heard.length + slow.listener.heard.length === 2);
    await killed.listener.stop();

    const expected = [
      "unreachable: the listener left before it answered",
      "unreachable: the listener left before it answered",
      "no answer within 30 s",
    ];
    for (const [n, id] of ids.entries()) {
      const [attempt] = await attemptsAfter(harness, id, 1, 45_000);
      expect(attempt).toMatchObject({ outcome: "unreachable", via: "listener", error_text: expected[n] });
    }
    for (const { listener } of [killed, slow]) {
      expect(await listener.answer(idOf(listener.heard), OK)).toBe("over");
    }
    expect((await harness.sql`SELECT FROM listen_exchanges WHERE attempt = 1 AND request IS NOT NULL`).length).toBe(0);
    expect(await dispatcher.auditDeliveries()).toEqual([]);
    for (const { listener } of [killed, unread, slow]) await listener.close();
    await harness.close();
  });
});
